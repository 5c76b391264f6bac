//! The SAT solver, with assumptions, cores and proofs. Literals are numbers other than 0, as in DIMACS.

use crate::errors::{Internal, failure, refused};
use crate::work::{self, Ended};
use certify::{Lrat, Refusal, Refuted};
use formats::{LratReader, Source};
use model::Stop;
use model::cnf::Cnf;
use pyo3::prelude::*;
use sat::proof_files::{self, Form};
use sat::{DecidedBy, Limits, Lit, Options, SolveResult, Solver, Tag, Var};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The greatest number of a variable.
const MOST: i32 = 1 << 24;

/// A proof in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An incremental SAT solver.
#[pyclass(module = "impasse_mc._impasse")]
pub(crate) struct Sat {
    /// `None` while a query is in progress on another thread, and after one that did not end. The lock is never
    /// contended: it only makes this class shareable, which a listener to proofs is not.
    solver: Mutex<Option<Solver>>,
    variables: usize,
    /// With proofs: the clauses that are added when the first query begins, and the proof.
    held: Option<Vec<Vec<Lit>>>,
    proof: Option<Memory>,
}

#[pymethods]
impl Sat {
    #[new]
    fn new(proof: bool) -> Self {
        let solver = Mutex::new(Some(Solver::new(Options::default())));
        Self { solver, variables: 0, held: proof.then(Vec::new), proof: proof.then(Memory::default) }
    }

    /// Adds clauses.
    fn add(&mut self, clauses: Vec<Vec<i32>>) -> PyResult<()> {
        if self.proof.is_some() && self.held.is_none() {
            return Err(failure("a proof is about one formula: no clause can be added after the first query"));
        }
        for clause in clauses {
            let clause = self.literals(&clause)?;
            match &mut self.held {
                Some(held) => held.push(clause),
                None => self.solver()?.add_clause(Tag(0), &clause),
            }
        }
        Ok(())
    }

    /// The number of variables.
    #[getter]
    fn variables(&self) -> usize {
        self.variables
    }

    /// Returns whether the clauses have a model in which the assumptions hold. `None` at a limit.
    fn solve(
        &mut self,
        py: Python<'_>,
        assumptions: Vec<i32>,
        conflicts: Option<u64>,
        timeout: Option<f64>,
    ) -> PyResult<Option<bool>> {
        let assumptions = self.literals(&assumptions)?;
        self.begin()?;
        let mut solver = self.slot().take().ok_or_else(busy)?;
        let (stop, flag) = (Arc::<Stop>::default(), Arc::<AtomicBool>::default());
        let (seen, told) = (Arc::clone(&stop), Arc::clone(&flag));
        let deadline = timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let end = deadline.and_then(|duration| Instant::now().checked_add(duration));
        // The solver polls a flag of its own. This side raises it at the time limit and when a signal arrives.
        let (slot, result) = (Arc::new(Mutex::new(None)), Arc::new(Mutex::new(None)));
        let (kept, answer) = (Arc::clone(&slot), Arc::clone(&result));
        let search = move || {
            let limits = Limits { conflicts, stop: Some(told) };
            let found = solver.solve_within(&assumptions, &limits);
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(solver);
        };
        let mut on_tick = |_: Python<'_>| {
            if seen.raised().is_some() || end.is_some_and(|end| Instant::now() >= end) {
                flag.store(true, Ordering::Relaxed);
            }
            Ok(())
        };
        let told_to_stop = Arc::clone(&flag);
        let on_stop = move || told_to_stop.store(true, Ordering::Relaxed);
        let ended = work::run(py, &stop, None, search, &mut on_tick, &on_stop);
        flag.store(true, Ordering::Relaxed);
        if ended.is_err() {
            // Ctrl-C: the solver sees its flag soon.
            let begun = Instant::now();
            while slot.lock().unwrap_or_else(PoisonError::into_inner).is_none() && begun.elapsed().as_secs() < 2 {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        *self.slot() = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
        match ended? {
            Ended::Late => Err(busy()),
            Ended::Done(()) => match result.lock().unwrap_or_else(PoisonError::into_inner).take() {
                Some(SolveResult::Sat) => Ok(Some(true)),
                Some(SolveResult::Unsat) => Ok(Some(false)),
                _ => Ok(None),
            },
        }
    }

    /// Returns a model after a query with the answer true: for each variable its literal that is true.
    fn model(&mut self) -> PyResult<Vec<i32>> {
        let variables = self.variables;
        let solver = self.solver()?;
        let of = |index: usize| {
            let positive = Var::new(index).positive();
            if solver.value(positive) == Some(true) { positive.to_dimacs() } else { -positive.to_dimacs() }
        };
        Ok((0..variables).map(of).collect())
    }

    /// Returns a subset of the assumptions that contradicts the clauses, after a query with the answer false.
    fn core(&mut self) -> PyResult<Vec<i32>> {
        Ok(self.solver()?.core().iter().map(|literal| literal.to_dimacs()).collect())
    }

    /// Returns the number of conflicts, decisions and propagations so far.
    fn counts(&mut self) -> PyResult<(u64, u64, u64)> {
        let stats = self.solver()?.stats();
        Ok((stats.conflicts, stats.decisions, stats.propagations))
    }

    /// Ends the solver, and returns the proof as LRAT text.
    fn finish(&mut self) -> PyResult<Vec<u8>> {
        let proof = self.proof.clone().ok_or_else(|| failure("the solver was made without `proof=True`"))?;
        self.begin()?;
        // The solver owns the writer of the proof, and completes it when it is dropped.
        drop(self.slot().take());
        Ok(std::mem::take(&mut *proof.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

fn busy() -> PyErr {
    failure("the solver was finished, or its last query did not end")
}

impl Sat {
    fn solver(&mut self) -> PyResult<&mut Solver> {
        self.slot().as_mut().ok_or_else(busy)
    }

    fn slot(&mut self) -> &mut Option<Solver> {
        self.solver.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the solver the clauses that were held back, because a proof must know their number.
    fn begin(&mut self) -> PyResult<()> {
        let (Some(held), Some(proof)) = (self.held.take(), self.proof.clone()) else { return Ok(()) };
        let solver = self.slot().as_mut().ok_or_else(|| Internal::new_err("the solver is gone"))?;
        let (listener, _) = proof_files::Lrat::new(io::BufWriter::new(proof), Form::Text, held.len());
        solver.set_proof(Box::new(listener));
        held.iter().for_each(|clause| solver.add_clause(Tag(0), clause));
        Ok(())
    }

    /// Converts literals, and creates variables for them.
    fn literals(&mut self, numbers: &[i32]) -> PyResult<Vec<Lit>> {
        let wrong = numbers.iter().find(|number| **number == 0 || number.unsigned_abs() > MOST.unsigned_abs());
        if let Some(wrong) = wrong {
            return Err(failure(format!(
                "{wrong} is no literal: a literal is a number from 1 to {MOST}, or its negation"
            )));
        }
        let most = numbers.iter().map(|number| number.unsigned_abs() as usize).max().unwrap_or(0);
        for _ in self.variables..most {
            self.solver()?.new_var(DecidedBy::Host);
        }
        self.variables = self.variables.max(most);
        Ok(numbers.iter().map(|number| Lit::from_dimacs(*number)).collect())
    }
}

/// Checks an LRAT proof. Returns `None` if the independent checker accepts it, otherwise what is wrong.
#[pyfunction]
pub(crate) fn refuted(py: Python<'_>, clauses: Vec<Vec<i32>>, proof: Vec<u8>) -> PyResult<Option<String>> {
    let most = clauses.iter().flatten().map(|literal| literal.unsigned_abs()).max().unwrap_or(0);
    if clauses.iter().flatten().any(|literal| *literal == 0) || most > MOST.unsigned_abs() {
        return Err(failure("a literal is a number other than 0"));
    }
    let cnf = Cnf { vars: most, clauses };
    let stop: Arc<Stop> = Arc::default();
    let flag = Arc::clone(&stop);
    let check = move || match refute(&cnf, proof, &flag) {
        Ok(Ok(_)) => Ok(None),
        Ok(Err(refusal)) => Ok(Some(refusal.to_string())),
        Err(error) => Err(refused(&error)),
    };
    match work::run(py, &stop, None, check, &mut |_| Ok(()), &|| {})? {
        Ended::Done(result) => result,
        Ended::Late => Err(Internal::new_err("the check did not end")),
    }
}

/// Checks the proof while reading it. The outer error is about the text, and the inner one about the proof.
fn refute(cnf: &Cnf, proof: Vec<u8>, stop: &Stop) -> Result<Result<Refuted, Refusal>, Box<formats::Error>> {
    let mut check = match Lrat::new(cnf, &certify::Options::default(), stop) {
        Ok(check) => check,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let source = Source { name: "proof".to_owned(), bytes: proof };
    let mut steps = LratReader::new(&source);
    while let Some(step) = steps.next_step()? {
        if let Err(refusal) = check.step(&step) {
            return Ok(Err(refusal));
        }
    }
    Ok(check.finish())
}
