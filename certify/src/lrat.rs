//! Propositional formulas: models, and refutations in the form of LRAT proofs, checked while they are read.
//!
//! Only the part of LRAT is accepted that keeps all models (derivation by unit propagation): clauses that merely keep some
//! model (RAT) are refused by the readers. Every step must have hints, except for tautologies.

use crate::{Check, Options, Refusal, reject};
use kernel::Work;
use kernel::hints::Hinted;
use model::Stop;
use model::cnf::{Cnf, LratStep};

/// A formula that was found to have no model. Built by [`Lrat::finish`] only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refuted {
    derived: u64,
    hints: u64,
}

impl Refuted {
    /// Clauses that the proof derives.
    #[must_use]
    pub fn derived(&self) -> u64 {
        self.derived
    }

    /// Hints that were followed.
    #[must_use]
    pub fn hints(&self) -> u64 {
        self.hints
    }
}

/// A check of an LRAT proof in progress. Holds the clauses alive, nothing of the proof so far.
pub struct Lrat<'a> {
    clauses: Hinted,
    variables: u32,
    /// The largest number of a clause so far.
    last: u64,
    is_refuted: bool,
    so_far: Refuted,
    work: Work<'a>,
}

impl<'a> Lrat<'a> {
    /// Begins with the clauses of `cnf`, numbered from 1.
    ///
    /// # Errors
    /// If a literal of the formula is none, and beyond the limits.
    pub fn new(cnf: &Cnf, options: &Options, stop: &'a Stop) -> Result<Self, Refusal> {
        let mut work = Work::new(options.max_steps, stop);
        let mut clauses = Hinted::new(cnf.vars as usize, &work)?;
        let mut last = 0;
        for clause in &cnf.clauses {
            last += 1;
            check_literals(cnf.vars, last, clause)?;
            clauses.add(last, clause, &mut work)?;
        }
        let is_refuted = cnf.clauses.iter().any(Vec::is_empty);
        Ok(Self { clauses, variables: cnf.vars, last, is_refuted, so_far: Refuted { derived: 0, hints: 0 }, work })
    }

    /// Checks the next step.
    ///
    /// # Errors
    /// If it is wrong, and beyond the limits. Then the proof proves nothing, whatever follows.
    pub fn step(&mut self, step: &LratStep<'_>) -> Result<(), Refusal> {
        match *step {
            LratStep::Add { id, clause, hints } => self.add(id, clause, hints),
            LratStep::Delete(ids) => ids.iter().try_for_each(|&id| {
                let found = self.clauses.delete(id, &mut self.work)?;
                if found { Ok(()) } else { reject(format!("there is no clause {id} to drop")) }
            }),
        }
    }

    fn add(&mut self, id: u64, clause: &[i32], hints: &[u64]) -> Check<()> {
        if id <= self.last || id == u64::MAX {
            return reject(format!("clause {id} comes after clause {}", self.last));
        }
        check_literals(self.variables, id, clause)?;
        match self.clauses.check(clause, hints.iter().copied(), &mut self.work) {
            Err(Refusal::Rejected(why)) => return reject(format!("clause {id}: {why}")),
            other => other?,
        }
        self.clauses.add(id, clause, &mut self.work)?;
        self.last = id;
        self.is_refuted |= clause.is_empty();
        self.so_far.derived += 1;
        self.so_far.hints += hints.len() as u64;
        Ok(())
    }

    /// No step is left.
    ///
    /// # Errors
    /// If the empty clause was not derived.
    pub fn finish(self) -> Result<Refuted, Refusal> {
        if self.is_refuted { Ok(self.so_far) } else { reject("the empty clause is not derived") }
    }
}

fn check_literals(variables: u32, id: u64, clause: &[i32]) -> Check<()> {
    match clause.iter().find(|&&literal| literal == 0 || literal.unsigned_abs() > variables) {
        Some(literal) => reject(format!("clause {id}: there is no variable for literal {literal}")),
        None => Ok(()),
    }
}

/// Does the assignment satisfy the formula? `values[i]` is the value of variable `i + 1`.
///
/// # Errors
/// The first clause that it does not satisfy.
pub fn check_model(cnf: &Cnf, values: &[bool]) -> Result<(), Refusal> {
    let holds = |literal: i32| {
        let variable = (literal.unsigned_abs() as usize).checked_sub(1);
        variable.and_then(|v| values.get(v)).is_some_and(|&value| value == (literal > 0))
    };
    match cnf.clauses.iter().position(|clause| !clause.iter().any(|&literal| holds(literal))) {
        Some(index) => reject(format!("clause {} is not satisfied", index + 1)),
        None => Ok(()),
    }
}
