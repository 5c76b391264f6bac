//! The `impasse` command. Everything it does is in `cli`; what it decides is in the library.

mod cli;

use meter::Meter;
use std::process::ExitCode;

/// Knows what the process holds, so that `--memory` can hold with an answer instead of an abort.
#[global_allocator]
static METER: Meter = Meter::new();

fn main() -> ExitCode {
    cli::run()
}
