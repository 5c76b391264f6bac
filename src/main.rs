//! The command `impasse`. Its code is in the module `cli` of the library; the Python package gives the same command.

use meter::Meter;
use std::process::ExitCode;

/// The global allocator. It measures the memory of the process, so that exceeding `--memory` leads to an answer
/// instead of an abort.
#[global_allocator]
static METER: Meter = Meter::new();

fn main() -> ExitCode {
    let args = std::env::args_os().collect();
    ExitCode::from(impasse::cli::run(impasse::cli::Host { meter: &METER, args, again: Vec::new() }))
}
