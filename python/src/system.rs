//! Systems written in Python: a class with `initial` and `successors`. They are searched explicitly, and each expansion
//! calls Python, so they are slow.
//!
//! A state is any hashable Python value. It is stored as its number in the order in which states were first seen, in a
//! single slot. The numbers mean nothing outside this process, so there are no evidence files.
//!
//! The checker calls the same functions again. Evidence is therefore about the system as its functions describe it; a
//! function that answers differently the second time makes the evidence wrong, which is reported.

use crate::problem::Problem;
use model::Asked;
use model::own::System;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that a state needs in the tables of this module, in addition to its own size.
const PER_STATE: usize = 200;

/// Bytes of the states of all systems.
static USED: AtomicUsize = AtomicUsize::new(0);

/// Returns the bytes of the states of all systems.
pub(crate) fn used() -> usize {
    USED.load(Ordering::Relaxed)
}

/// The first exception that a function of a system raised. Answers about the system are worthless then.
pub(crate) type Failed = Arc<Mutex<Option<PyErr>>>;

/// A system written in Python.
struct Own {
    /// The functions `initial() -> iterable of states` and `successors(state) -> iterable of (action, state)`.
    initial: Py<PyAny>,
    successors: Py<PyAny>,
    /// The function that returns the parts of a state: pairs of names and texts.
    shown: Py<PyAny>,
    /// The questions: the id, how it is asked, and the predicate.
    questions: Vec<(String, Asked, Py<PyAny>)>,
    asks_deadlock: bool,
    /// The number of each state, and the states in the order of their numbers.
    numbers: Py<PyDict>,
    states: Py<PyList>,
    bytes: AtomicUsize,
    failed: Failed,
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Own").finish_non_exhaustive()
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        USED.fetch_sub(*self.bytes.get_mut(), Ordering::Relaxed);
    }
}

/// Makes a problem about a system in Python. `questions` are the ids, `never` or `EF`, and the predicates.
#[pyfunction]
pub(crate) fn system(
    py: Python<'_>,
    name: String,
    functions: (Py<PyAny>, Py<PyAny>, Py<PyAny>),
    questions: Vec<(String, String, Py<PyAny>)>,
    deadlock: bool,
) -> Problem {
    let asked = |how: &str| if how == "EF" { Asked::Exists } else { Asked::Never };
    let failed = Failed::default();
    let (initial, successors, shown) = functions;
    let own = Own {
        initial,
        successors,
        shown,
        questions: questions.into_iter().map(|(id, how, holds)| (id, asked(&how), holds)).collect(),
        asks_deadlock: deadlock,
        numbers: PyDict::new(py).unbind(),
        states: PyList::empty(py).unbind(),
        bytes: AtomicUsize::new(0),
        failed: Arc::clone(&failed),
    };
    Problem::of_system(model::Problem::of_own(own), name, failed)
}

impl Own {
    /// Calls `work` with the interpreter's lock. Stores an exception, and returns the default value then.
    fn with<T: Default>(&self, work: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
        Python::attach(|py| {
            work(py).unwrap_or_else(|error| {
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                T::default()
            })
        })
    }

    /// Returns the number of a state.
    fn number(&self, state: &Bound<'_, PyAny>) -> PyResult<u32> {
        let py = state.py();
        let numbers = self.numbers.bind(py);
        if let Some(known) = numbers.get_item(state)? {
            return known.extract();
        }
        let states = self.states.bind(py);
        let number = u32::try_from(states.len()).map_err(|_| PyOverflowError::new_err("there are 2^32 states"))?;
        states.append(state)?;
        numbers.set_item(state, number)?;
        let size: usize = state.call_method0("__sizeof__")?.extract()?;
        self.bytes.fetch_add(size + PER_STATE, Ordering::Relaxed);
        USED.fetch_add(size + PER_STATE, Ordering::Relaxed);
        Ok(number)
    }

    fn state<'py>(&self, py: Python<'py>, slots: &[u32]) -> PyResult<Bound<'py, PyAny>> {
        self.states.bind(py).get_item(slots[0] as usize)
    }

    /// Returns the steps from a state: the action and the next state.
    fn steps<'py>(&self, py: Python<'py>, slots: &[u32]) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
        let steps = self.successors.bind(py).call1((self.state(py, slots)?,))?;
        steps.try_iter()?.map(|step| step?.extract().map_err(PyErr::from)).collect()
    }
}

impl System for Own {
    fn sizes(&self) -> Vec<u64> {
        vec![1 << 32]
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u32])) {
        let numbers = self.with(|py| {
            let states = self.initial.bind(py).call0()?;
            states.try_iter()?.map(|state| self.number(&state?)).collect::<PyResult<Vec<_>>>()
        });
        numbers.into_iter().for_each(|number| sink(&[number]));
    }

    fn successors(&self, state: &[u32], sink: &mut dyn FnMut(u32, &[u32])) {
        let numbers = self.with(|py| {
            let steps = self.steps(py, state)?;
            steps.iter().map(|(_, next)| self.number(next)).collect::<PyResult<Vec<_>>>()
        });
        (0..).zip(numbers).for_each(|(label, number)| sink(label, &[number]));
    }

    fn predicates(&self) -> Vec<(String, Asked)> {
        self.questions.iter().map(|(id, asked, _)| (id.clone(), *asked)).collect()
    }

    fn holds(&self, predicate: usize, state: &[u32]) -> bool {
        self.with(|py| self.questions[predicate].2.bind(py).call1((self.state(py, state)?,))?.is_truthy())
    }

    fn asks_deadlock(&self) -> bool {
        self.asks_deadlock
    }

    fn label(&self, state: &[u32], label: u32) -> String {
        self.with(|py| match self.steps(py, state)?.get(label as usize) {
            Some((action, _)) => action.str()?.extract(),
            None => Ok(label.to_string()),
        })
    }

    fn shown(&self, state: &[u32]) -> Vec<(String, String)> {
        self.with(|py| self.shown.bind(py).call1((self.state(py, state)?,))?.extract())
    }
}
