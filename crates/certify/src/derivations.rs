//! Stores the clauses of a refutation, and checks that a derived clause follows from them. If the step has
//! hints (the numbers of the clauses to use, in order), the check follows the hints. Otherwise it uses reverse
//! unit propagation.
//!
//! Why both ways: with hints only the named clauses are inspected. Propagation inspects every clause that
//! watches a literal which becomes false. So hints are the fast way for clauses that a solver derives by the
//! thousands. But steps that were written by hand, by a tool that records no reasons, or in older files have no
//! hints. Propagation is set up at the first step without hints, and costs nothing before.

use crate::rup::{ClauseRef, Rup};
use crate::{Check, Refusal, reject};
use kernel::Work;
use kernel::hints::Hinted;
use model::ProofStep;

pub(crate) struct Derivations<'a> {
    steps: &'a [ProofStep],
    variables: usize,
    clauses: Hinted,
    propagation: Option<Propagation<'a>>,
}

/// The same clauses for reverse unit propagation, with their references by step.
struct Propagation<'a> {
    rup: Rup<'a>,
    names: Vec<Option<ClauseRef>>,
}

impl<'a> Propagation<'a> {
    fn add(&mut self, number: usize, clause: &'a [i32], work: &mut Work<'_>) -> Check<()> {
        self.names.resize(number, None);
        self.names.push(Some(self.rup.add(clause, work)?));
        Ok(())
    }
}

/// The clause that a step adds, if it adds one.
fn added(step: &ProofStep) -> Option<&[i32]> {
    match step {
        ProofStep::Axiom(_, clause) | ProofStep::Derived(clause, _) => Some(clause),
        ProofStep::Delete(_) => None,
    }
}

impl<'a> Derivations<'a> {
    /// Begins without clauses. The literals of a step must be checked before its clause is added or derived.
    pub(crate) fn new(steps: &'a [ProofStep], variables: usize, work: &Work<'_>) -> Check<Self> {
        Ok(Self { steps, variables, clauses: Hinted::new(variables, work)?, propagation: None })
    }

    /// Makes the clause of step `number` alive.
    pub(crate) fn add(&mut self, number: usize, work: &mut Work<'_>) -> Check<()> {
        let Some(clause) = added(&self.steps[number]) else { return Ok(()) };
        self.clauses.add(number as u64, clause, work)?;
        match &mut self.propagation {
            Some(propagation) => propagation.add(number, clause, work),
            None => Ok(()),
        }
    }

    /// Checks that `clause`, the clause of step `number`, follows from the clauses that are alive.
    pub(crate) fn check(&mut self, number: usize, clause: &[i32], hints: &[u32], work: &mut Work<'_>) -> Check<()> {
        if !hints.is_empty() {
            return self.clauses.check(clause, hints.iter().map(|&hint| u64::from(hint)), work);
        }
        if self.propagation.is_none() {
            self.propagation = Some(self.propagation(number, work)?);
        }
        let Some(propagation) = &mut self.propagation else { return Err(Refusal::ResourceLimit) };
        if propagation.rup.implies(clause, work)? {
            Ok(())
        } else {
            reject("the clause does not follow by unit propagation")
        }
    }

    /// Sets up propagation with the clauses that are alive before step `number`.
    fn propagation(&self, number: usize, work: &mut Work<'_>) -> Check<Propagation<'a>> {
        work.grow(number * size_of::<Option<ClauseRef>>())?;
        let mut all = Propagation { rup: Rup::new(self.variables), names: Vec::new() };
        for (earlier, step) in self.steps[..number].iter().enumerate() {
            if let Some(clause) = added(step).filter(|_| self.clauses.has(earlier as u64)) {
                all.add(earlier, clause, work)?;
            }
        }
        Ok(all)
    }

    /// Drops the clause of step `number`. Returns false if that clause is not alive.
    pub(crate) fn delete(&mut self, number: u32, work: &mut Work<'_>) -> Check<bool> {
        if let Some(propagation) = &mut self.propagation
            && let Some(name) = propagation.names.get_mut(number as usize).and_then(Option::take)
        {
            propagation.rup.delete(name);
        }
        self.clauses.delete(u64::from(number), work)
    }
}
