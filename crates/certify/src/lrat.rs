//! Checks models of propositional formulas, and refutations in the form of LRAT proofs. A proof is checked
//! while it is read.
//!
//! Only the part of LRAT that preserves all models is accepted: derivation by unit propagation. The readers
//! refuse clauses that preserve only satisfiability (RAT). Every step must have hints, except for tautologies.

use crate::{Check, Options, Refusal, reject};
use kernel::Work;
use kernel::hints::Hinted;
use model::Stop;
use model::cnf::{Cnf, LratStep};

/// The result that a formula has no model. Only [`Lrat::finish`] builds one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refuted {
    derived: u64,
    hints: u64,
}

impl Refuted {
    /// Number of clauses that the proof derives.
    #[must_use]
    pub fn derived(&self) -> u64 {
        self.derived
    }

    /// Number of hints of the derived clauses.
    #[must_use]
    pub fn hints(&self) -> u64 {
        self.hints
    }
}

/// A check of an LRAT proof in progress. It stores the clauses that are alive (not deleted), and nothing else
/// of the proof so far.
pub struct Lrat<'a> {
    clauses: Hinted,
    variables: u32,
    /// Largest clause number so far.
    last: u64,
    is_refuted: bool,
    so_far: Refuted,
    work: Work<'a>,
}

impl<'a> Lrat<'a> {
    /// Begins with the clauses of `cnf`, numbered from 1.
    ///
    /// # Errors
    /// If a literal of the formula is 0 or has no variable, or if the limits are exceeded.
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
    /// If the step is wrong, or if the limits are exceeded. After an error the proof proves nothing, whatever
    /// steps follow.
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

    /// Ends the check after the last step.
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

/// Checks that an assignment satisfies the formula. `values[i]` is the value of variable `i + 1`.
///
/// # Errors
/// If a clause is not satisfied. The error names the first such clause.
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
