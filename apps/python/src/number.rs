//! Integers of any size. PyO3 converts numbers of another version of `num-bigint`, so this module has its own
//! conversion: machine words directly, larger numbers as decimal text.

use num_bigint::{BigInt, BigUint};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyInt;
use std::convert::Infallible;

/// A natural number.
pub(crate) struct Natural(pub(crate) BigUint);

/// An integer.
pub(crate) struct Integer(pub(crate) BigInt);

impl<'py> FromPyObject<'_, 'py> for Natural {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(word) = object.extract::<u64>() {
            return Ok(Self(word.into()));
        }
        let number: String = object.cast::<PyInt>()?.str()?.extract()?;
        number.parse().map(Self).map_err(|_| PyValueError::new_err(format!("{number} is no natural number")))
    }
}

impl<'py> IntoPyObject<'py> for Integer {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        match i64::try_from(&self.0) {
            Ok(word) => Ok(infallible(word.into_pyobject(py)).into_any()),
            Err(_) => py.get_type::<PyInt>().call1((self.0.to_string(),)),
        }
    }
}

impl<'py> IntoPyObject<'py> for Natural {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        Integer(self.0.into()).into_pyobject(py)
    }
}

fn infallible<T>(result: Result<T, Infallible>) -> T {
    match result {
        Ok(value) => value,
        Err(never) => match never {},
    }
}
