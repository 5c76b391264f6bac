//! The command line: everything that prints, reads clocks and files, or ends the process.
//!
//! Each command has a file or a folder (`completions` is in `man.rs`). `docs/cli.md` describes what users can rely on.

/// Prints a line of results.
macro_rules! say {
    ($($text:tt)*) => { $crate::cli::output::write(&(format!($($text)*) + "\n")) };
}

/// Prints a message on stderr that is not a result.
macro_rules! tell {
    ($($text:tt)*) => { $crate::cli::tell::tell(format!($($text)*)) };
}

mod advice;
mod args;
mod batch;
mod board;
mod check;
mod checkpoint;
mod circuit;
#[cfg(feature = "cluster")]
mod cluster;
mod complaints;
mod convert;
#[cfg(feature = "explore")]
mod dap;
mod disk;
mod drafts;
mod draw;
mod efforts;
mod evidence;
mod exit;
mod explain;
#[cfg(feature = "explore")]
mod explore;
mod files;
mod flags;
mod flow;
mod fold;
mod formats;
#[cfg(any(feature = "lsp", feature = "explore"))]
mod framed;
mod host;
mod info;
mod input;
mod input_name;
mod json;
mod kinds;
mod limits;
#[cfg(feature = "lsp")]
mod lsp;
mod man;
mod memory;
mod notes;
mod output;
mod pool;
mod progress;
mod question;
mod renamed;
mod replay;
mod report;
mod reports;
mod reproduce;
mod resume;
mod sat;
mod saving;
mod simulate;
mod storage;
mod tell;
mod version;
mod words;

use args::{Cli, Command};
use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use exit::Exit;
pub use host::Host;
#[cfg(feature = "explore")]
use impasse::model::Problem;
use std::io::{self, Write};
use std::panic;

/// Runs the command that the program was started with, once for a process. Returns its exit code, or ends the process
/// at a limit.
#[must_use]
pub fn run(host: Host) -> u8 {
    let words = host.args.clone();
    host::set(host);
    output::look();
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(error) => return unparsed(&error).code(),
    };
    if !cli.common.quiet {
        for note in renamed::notes(host::args()) {
            tell!("{note}");
        }
    }
    // A panic is a bug. It gets the exit code of bugs, not that of a verdict.
    let exit = panic::catch_unwind(|| dispatch(&cli)).unwrap_or_else(|_| {
        tell!("internal error: this is a bug in impasse; please report it with the input that shows it");
        Exit::Internal
    });
    output::finish(exit).code()
}

/// Serves the page of `impasse explore` for a problem that is in no file, such as a model in Rust, until Ctrl-C. Prints
/// the address of the page, at the port `port` of 127.0.0.1 (0: a free one). `name` is the title of the page. Returns
/// the exit code of the command.
///
/// Checks that the page starts run in this process. Call this once in a process.
#[cfg(feature = "explore")]
#[must_use]
pub fn explore(name: &str, problem: Problem, port: u16) -> u8 {
    output::look();
    output::finish(explore::of_problem(name, problem, port)).code()
}

fn dispatch(cli: &Cli) -> Exit {
    let common = &cli.common;
    match &cli.command {
        Command::Check(args) => check::run(args, common),
        Command::Resume(args) => resume::run(args, common),
        Command::Batch(args) => batch::run(args, common),
        Command::Info(args) => info::run(args, common),
        Command::Replay(args) => replay::run(args, common),
        Command::Simulate(args) => simulate::run(args, common),
        #[cfg(feature = "explore")]
        Command::Explore(args) => explore::run(args, common),
        #[cfg(feature = "explore")]
        Command::Dap(args) => dap::run(args, common),
        #[cfg(feature = "lsp")]
        Command::Lsp(args) => lsp::run(args),
        Command::Draw(args) => draw::run(args, common),
        Command::Convert(args) => convert::run(args, common),
        Command::Sat(args) => sat::run(args, common),
        #[cfg(feature = "cluster")]
        Command::Cluster(args) => cluster::run(args, common),
        Command::Explain(args) => explain::run(args),
        Command::Man(args) => man::run(args),
        Command::Completions(args) => man::completions(args),
    }
}

/// Prints the help or the version, which are results, or a usage error.
fn unparsed(error: &clap::Error) -> Exit {
    if error.use_stderr() {
        // If stderr is closed, the error cannot be reported.
        let _ = error.print();
        if let (ErrorKind::InvalidSubcommand, Some(ContextValue::String(word))) =
            (error.kind(), error.get(ContextKind::InvalidSubcommand))
            && impasse::formats::by_path(word).is_some()
        {
            tell!("help: a model is checked by `impasse check {word}`");
        }
        return Exit::Usage;
    }
    output::note(error.print().and_then(|()| io::stdout().flush()));
    output::finish(Exit::Done)
}
