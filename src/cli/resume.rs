//! `impasse resume`: continues a check from its checkpoint.

use super::args::{Cli, Command, Common, ProgressArg, ResumeArgs};
use super::check;
use super::checkpoint::Folder;
use super::exit::Exit;
use clap::Parser;
use std::path::Path;

pub(crate) fn run(args: &ResumeArgs, common: &Common) -> Exit {
    match resume(args, common) {
        Ok(exit) => exit,
        Err(message) => {
            tell!("error: {message}");
            Exit::Input
        }
    }
}

fn resume(args: &ResumeArgs, common: &Common) -> Result<Exit, String> {
    let (folder, arguments, place) = Folder::open(&args.dir)?;
    let damaged = "the checkpoint is damaged: its command line is not one of `check`";
    let words = std::iter::once("impasse".to_owned()).chain(arguments);
    let Cli { command, common: was } = Cli::try_parse_from(words).map_err(|_| damaged.to_owned())?;
    let Command::Check(mut check) = command else { return Err(damaged.to_owned()) };
    // The options of this command come first.
    check.limits.timeout = args.limits.timeout.or(check.limits.timeout);
    check.limits.memory = args.limits.memory.or(check.limits.memory);
    if args.limits.progress != ProgressArg::Auto {
        check.limits.progress = args.limits.progress;
    }
    check.jobs = args.jobs.or(check.jobs);
    check.format = args.format.unwrap_or(check.format);
    check.checkpoint_every = args.checkpoint_every.unwrap_or(check.checkpoint_every);
    let common = Common {
        verbose: (was.verbose || common.verbose) && !common.quiet,
        quiet: (was.quiet || common.quiet) && !common.verbose,
        color: common.color,
        input_format: was.input_format,
    };
    enter(&place)?;
    Ok(check::run_in(&check, &common, Some(folder)))
}

/// Makes the directory of the first command the working directory, because paths are relative to it.
fn enter(place: &Path) -> Result<(), String> {
    std::env::set_current_dir(place).map_err(|error| {
        format!(
            "cannot go to {}, where the check was started: {error}\n  help: the model is read again",
            place.display()
        )
    })
}
