//! The command `impasse`. Its code is in the module `cli`; the checks are in the library.

mod cli;

use meter::Meter;
use std::process::ExitCode;

/// The global allocator. It measures the memory of the process, so that exceeding `--memory` leads to an answer
/// instead of an abort.
#[global_allocator]
static METER: Meter = Meter::new();

fn main() -> ExitCode {
    cli::run()
}
