//! The `impasse` command. Everything it does is in `cli`; what it decides is in the library.

mod cli;

use std::alloc::System;
use std::process::ExitCode;

/// Counts what is allocated, so that `--memory` can hold with an answer instead of an abort.
#[global_allocator]
static ALLOCATOR: cap::Cap<System> = cap::Cap::new(System, usize::MAX);

fn main() -> ExitCode {
    cli::run()
}
