//! The command line: everything that prints, reads clocks and files, or ends the process.
//!
//! One file per command; `docs/cli.md` is the promise they keep.

/// Prints a line of results.
macro_rules! say {
    ($($text:tt)*) => { $crate::cli::output::write(&(format!($($text)*) + "\n")) };
}

/// Tells the user something that is no result.
macro_rules! tell {
    ($($text:tt)*) => { $crate::cli::tell::tell(format!($($text)*)) };
}

mod args;
mod ask;
mod board;
mod check;
mod circuit;
mod convert;
mod evidence;
mod exit;
mod explain;
mod files;
mod flags;
mod formats;
mod info;
mod input;
mod json;
mod kinds;
mod letters;
mod limits;
mod lines;
mod marking;
mod notes;
mod output;
mod pool;
mod progress;
mod replay;
mod report;
mod reports;
mod reproduce;
mod sat;
mod simulate;
mod steps;
mod tell;
mod text;
mod trace;
mod words;

use args::{Cli, Command};
use clap::Parser;
use exit::Exit;
use std::io::{self, Write};
use std::panic;
use std::process::ExitCode;

/// Runs the command that the process was started with.
pub(crate) fn run() -> ExitCode {
    output::look();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return unparsed(&error).into(),
    };
    // A panic is a bug: it gets the exit code of bugs, not that of a verdict.
    let exit = panic::catch_unwind(|| dispatch(&cli)).unwrap_or_else(|_| {
        tell!("internal error: this is a bug in impasse; please report it with the input that shows it");
        Exit::Internal
    });
    output::finish(exit).into()
}

fn dispatch(cli: &Cli) -> Exit {
    let common = &cli.common;
    match &cli.command {
        Command::Check(args) => check::run(args, common),
        Command::Info(args) => info::run(args, common),
        Command::Replay(args) => replay::run(args, common),
        Command::Simulate(args) => simulate::run(args, common),
        Command::Convert(args) => convert::run(args, common),
        Command::Sat(args) => sat::run(args, common),
        Command::Explain(args) => explain::run(args),
    }
}

/// Help and version are answers; the rest is a usage error.
fn unparsed(error: &clap::Error) -> Exit {
    if error.use_stderr() {
        // If nobody listens there is nobody to tell.
        let _ = error.print();
        return Exit::Usage;
    }
    output::note(error.print().and_then(|()| io::stdout().flush()));
    output::finish(Exit::Done)
}

/// A command line that parses but makes no sense.
fn usage(message: &str) -> Exit {
    tell!("error: {message}\n\nFor more information, try '--help'.");
    Exit::Usage
}
