//! Systems written in Python: a class with `initial` and `successors`. They are searched explicitly, and each expansion
//! calls Python, so they are slow.
//!
//! A state is any hashable Python value. It is stored as its number in the order in which states were first seen, in a
//! single slot. The numbers mean nothing outside this check, so there are no evidence files.
//!
//! The functions must depend on their arguments alone. The checker calls them again, and the answers are compared with
//! the first ones: a function that answers differently is an error. So is an exception. Both make the answers about the
//! system worthless, as does a call that is not made because the check must end ([`Watch`]).
//!
//! Each check makes its own `Own`, so that nothing of one check is left for the next.

use crate::errors::failure;
use crate::problem::Problem;
use crate::work;
use model::own::System;
use model::{QuestionForm, Stop};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes that a state needs in the tables of this module, in addition to its own size.
const PER_STATE: usize = 200;

/// Bytes of the states of all systems.
static USED: AtomicUsize = AtomicUsize::new(0);

/// Returns the bytes of the states of all systems.
pub(crate) fn used() -> usize {
    USED.load(Ordering::Relaxed)
}

/// What happens to a check of a system in Python.
#[derive(Default)]
pub(crate) struct Watch {
    /// The flag of the check. No function is called after it is raised.
    stop: Mutex<Option<Arc<Stop>>>,
    /// The first exception of a function.
    failed: Mutex<Option<PyErr>>,
    /// True if some call was not made, or failed. Answers that are found later are worthless.
    is_broken: AtomicBool,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

impl Watch {
    /// Begins a check with this flag.
    pub(crate) fn begin(&self, stop: &Arc<Stop>) {
        *self.stop() = Some(Arc::clone(stop));
    }

    /// Ends a check without exceptions. From now on, functions are called to show runs.
    pub(crate) fn end(&self) {
        *self.stop() = None;
        self.is_broken.store(false, Ordering::SeqCst);
    }

    fn stop(&self) -> MutexGuard<'_, Option<Arc<Stop>>> {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if answers that are found from now on are worthless.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::SeqCst)
    }

    /// Returns the first exception of a function. It stays.
    pub(crate) fn check(&self, py: Python<'_>) -> PyResult<()> {
        self.lock().as_ref().map_or(Ok(()), |error| Err(error.clone_ref(py)))
    }

    fn lock(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `work` with the interpreter's lock. Returns the default value if it fails or must not be called.
    fn with<T: Default>(&self, work: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
        let must_end = self.stop().as_ref().is_some_and(|stop| stop.raised().is_some());
        if must_end || work::is_closing() || self.is_broken() {
            self.is_broken.store(true, Ordering::SeqCst);
            return T::default();
        }
        Python::attach(|py| {
            work(py).unwrap_or_else(|error| {
                self.is_broken.store(true, Ordering::SeqCst);
                self.lock().get_or_insert(error);
                T::default()
            })
        })
    }
}

/// A step: the action, and the number of the next state.
type Step = (Py<PyAny>, u32);

/// A system written in Python.
struct Own {
    /// The functions `initial() -> iterable of states` and `successors(state) -> iterable of (action, state)`.
    initial: Py<PyAny>,
    successors: Py<PyAny>,
    /// The function that returns the parts of a state: pairs of names and texts.
    shown: Py<PyAny>,
    /// The questions: the id, how it is asked, and the predicate.
    questions: Vec<(String, QuestionForm, Py<PyAny>)>,
    asks_deadlock: bool,
    /// The number of each state, and the states in the order of their numbers.
    numbers: Py<PyDict>,
    states: Py<PyList>,
    /// The steps from each state with computed successors.
    steps: Mutex<Vec<Option<Arc<[Step]>>>>,
    bytes: AtomicUsize,
    watch: Arc<Watch>,
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
    let asked = |how: &str| if how == "EF" { QuestionForm::Exists } else { QuestionForm::Never };
    let watch: Arc<Watch> = Arc::default();
    let (initial, successors, shown) = functions;
    let own = Own {
        initial,
        successors,
        shown,
        questions: questions.into_iter().map(|(id, how, holds)| (id, asked(&how), holds)).collect(),
        asks_deadlock: deadlock,
        numbers: PyDict::new(py).unbind(),
        states: PyList::empty(py).unbind(),
        steps: Mutex::default(),
        bytes: AtomicUsize::new(0),
        watch: Arc::clone(&watch),
    };
    Problem::of_system(model::Problem::of_own(own), name, watch)
}

impl Own {
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
        let size = py.import("sys")?.call_method1("getsizeof", (state, 0))?.extract::<usize>()? + PER_STATE;
        self.bytes.fetch_add(size, Ordering::Relaxed);
        USED.fetch_add(size, Ordering::Relaxed);
        Ok(number)
    }

    fn state<'py>(&self, py: Python<'py>, slots: &[u32]) -> PyResult<Bound<'py, PyAny>> {
        let number = slots.first().ok_or_else(|| failure("the state has no number"))?;
        self.states.bind(py).get_item(*number as usize)
    }

    /// Calls `successors`. Returns the steps in their order.
    fn compute(&self, py: Python<'_>, slots: &[u32]) -> PyResult<Arc<[Step]>> {
        let steps = self.successors.bind(py).call1((self.state(py, slots)?,))?;
        let step = |step: PyResult<Bound<'_, PyAny>>| -> PyResult<Step> {
            let step = step?;
            let pair = step.try_iter().and_then(|parts| parts.collect::<PyResult<Vec<_>>>());
            match pair.as_deref() {
                Ok([action, next]) if !step.is_instance_of::<pyo3::types::PyString>() => {
                    Ok((action.clone().unbind(), self.number(next)?))
                }
                _ => Err(PyTypeError::new_err(format!(
                    "`successors` must yield pairs of an action and a state, not {}",
                    step.repr()?
                ))),
            }
        };
        steps.try_iter()?.map(step).collect()
    }

    fn known(&self, slots: &[u32]) -> Option<Arc<[Step]>> {
        let steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        steps.get(*slots.first()? as usize)?.clone()
    }

    /// Returns the steps from a state. A second call compares them with those of the first call.
    fn steps(&self, py: Python<'_>, slots: &[u32]) -> PyResult<Arc<[Step]>> {
        let now = self.compute(py, slots)?;
        let Some(known) = self.known(slots) else {
            let index = slots.first().copied().unwrap_or_default() as usize;
            let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
            if steps.len() <= index {
                steps.resize(index + 1, None);
            }
            steps[index] = Some(Arc::clone(&now));
            return Ok(now);
        };
        let same = known.len() == now.len() && known.iter().zip(now.iter()).all(|(old, new)| old.1 == new.1);
        if !same {
            let state = self.state(py, slots)?.repr()?;
            return Err(failure(format!("`successors` answered differently when called again with {state}")));
        }
        Ok(known)
    }
}

impl System for Own {
    fn sizes(&self) -> Vec<u64> {
        vec![1 << 32]
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u32])) {
        let numbers = self.watch.with(|py| {
            let states = self.initial.bind(py).call0()?;
            let numbers = states.try_iter()?.map(|state| self.number(&state?)).collect::<PyResult<Vec<_>>>()?;
            if numbers.is_empty() { Err(failure("`initial` returned no state")) } else { Ok(numbers) }
        });
        numbers.into_iter().for_each(|number| sink(&[number]));
    }

    fn successors(&self, state: &[u32], sink: &mut dyn FnMut(u32, &[u32])) {
        let steps = self.watch.with(|py| self.steps(py, state).map(Some));
        let steps = steps.as_deref().unwrap_or_default();
        (0..).zip(steps).for_each(|(label, (_, number))| sink(label, &[*number]));
    }

    fn predicates(&self) -> Vec<(String, QuestionForm)> {
        self.questions.iter().map(|(id, asked, _)| (id.clone(), *asked)).collect()
    }

    fn holds(&self, predicate: usize, state: &[u32]) -> bool {
        self.watch.with(|py| self.questions[predicate].2.bind(py).call1((self.state(py, state)?,))?.is_truthy())
    }

    fn asks_deadlock(&self) -> bool {
        self.asks_deadlock
    }

    fn label(&self, state: &[u32], label: u32) -> String {
        let known = self.known(state);
        self.watch.with(|py| match known.as_deref().and_then(|steps| steps.get(label as usize)) {
            Some((action, _)) => action.bind(py).str()?.extract(),
            None => Ok(label.to_string()),
        })
    }

    fn shown(&self, state: &[u32]) -> Vec<(String, String)> {
        self.watch.with(|py| self.shown.bind(py).call1((self.state(py, state)?,))?.extract())
    }
}
