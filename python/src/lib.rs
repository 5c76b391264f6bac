//! The extension module of the Python package: problems, checks, runs and the SAT solver as Python objects. The package
//! (`python/impasse/`) adds everything else in Python, so that this crate stays a thin layer.
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

/// Counts the memory of this module, for the option `memory`. Allocations of Python and Z3 are not counted.
#[global_allocator]
static METER: Meter = Meter::new();

/// The extension module.
#[pymodule]
mod _impasse {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::answer::{Found, replay};
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

    /// Called once, when the module is loaded.
    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::work::silence();
        Ok(())
    }

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name in Python")]
    const version: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name in Python")]
    const has_z3: bool = cfg!(feature = "z3");
}
