//! The extension module of the Python package: problems, checks, runs and the SAT solver as Python objects. The package
//! (`apps/python/impasse_mc/`) adds everything else in Python, so that this crate stays a thin layer.
//!
//! A check runs on a worker thread without the interpreter's lock (`work.rs`). The calling thread waits for it, handles
//! signals, enforces the time limit and calls the progress function. Verdicts come from `impasse::check`, so only the
//! independent checker makes them.
//!
//! The macros of PyO3 expand to `unsafe` functions: the interpreter calls them through C. Therefore this crate cannot
//! forbid `unsafe`. It has no `unsafe` code of its own.

mod answer;
mod check;
mod errors;
mod net;
mod number;
mod problem;
mod run;
mod sat;
mod structure;
mod system;
mod work;

use meter::Meter;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// Counts the memory of this module, for the option `memory`. Allocations of Python and Z3 are not counted.
#[global_allocator]
static METER: Meter = Meter::new();

/// The extension module.
#[pymodule]
mod _impasse {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::answer::{CheckedAnswer, replay};
    #[pymodule_export]
    use crate::check::{check, engines, patterns};
    #[pymodule_export]
    use crate::errors::{Failure, Internal, Refused};
    #[pymodule_export]
    use crate::net::net;
    #[pymodule_export]
    use crate::problem::{Problem, files_beside, known_formats, read};
    #[pymodule_export]
    use crate::sat::{Sat, refuted};
    #[pymodule_export]
    use crate::system::system;
    #[pymodule_export]
    use crate::work::finish;
    #[pymodule_export]
    use crate::{command, find_z3, prefer_z3};

    /// Called once, when the module is loaded.
    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::work::silence();
        Ok(())
    }

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name in Python")]
    const version: &str = env!("CARGO_PKG_VERSION");
}

/// Runs the command with these words, of which the first one is the name of the program; `again` are the words that
/// start it again. Returns the exit code. Once for a process.
#[pyfunction]
fn command(py: Python<'_>, args: Vec<OsString>, again: Vec<OsString>) -> u8 {
    py.detach(|| impasse::cli::run(impasse::cli::Host { meter: &METER, args, again }))
}

/// Names the directory where Z3 is looked for first.
#[pyfunction]
fn prefer_z3(directory: PathBuf) {
    impasse::z3::prefer(&directory);
}

/// Loads Z3. Returns its version and its file, or why there is none.
#[pyfunction]
fn find_z3() -> (Option<(String, String)>, String) {
    match impasse::z3::find() {
        Ok(found) => (Some(found), String::new()),
        Err(why) => (None, why),
    }
}
