//! Exceptions. The package turns [`Refused`] and [`Failure`] into its own exceptions with attributes.

use formats::Error;
use model::Problem;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyDict;

pyo3::create_exception!(impasse_mc._impasse, Refused, PyException, "An input has errors: a list of dictionaries.");
pyo3::create_exception!(impasse_mc._impasse, Failure, PyException, "Options that do not fit: a message.");
pyo3::create_exception!(impasse_mc._impasse, Internal, PyException, "A bug in Impasse: a message.");

/// Returns the exception for an error of a reader with all errors that it holds.
pub(crate) fn refused(error: &Error) -> PyErr {
    Python::attach(|py| match error.all().map(|error| diagnostic(py, error)).collect::<PyResult<Vec<_>>>() {
        Ok(all) => Refused::new_err(all.into_iter().map(Bound::unbind).collect::<Vec<_>>()),
        Err(error) => error,
    })
}

/// Returns the exception for options that do not fit.
pub(crate) fn failure(message: impl Into<String>) -> PyErr {
    Failure::new_err(message.into())
}

/// Returns an error or a warning as a dictionary.
pub(crate) fn diagnostic<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyDict>> {
    let (line, column) = error.line_column().unzip();
    let dict = PyDict::new(py);
    dict.set_item("code", error.code())?;
    dict.set_item("message", error.message())?;
    dict.set_item("source", error.source_name())?;
    dict.set_item("line", line)?;
    dict.set_item("column", column)?;
    dict.set_item("length", error.length())?;
    dict.set_item("pointer", error.pointer())?;
    dict.set_item("help", error.help_text())?;
    dict.set_item("text", error.to_string())?;
    Ok(dict)
}

/// Returns the exception for questions that do not fit the system of `problem`.
pub(crate) fn unfit(problem: &Problem, what: impl std::fmt::Display) -> PyErr {
    failure(format!("{what} ({})", problem.system().noun()))
}
