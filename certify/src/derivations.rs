//! The clauses of a refutation, and what follows from them: along hints where a step has some, else by reverse unit
//! propagation.
//!
//! Why both: hints cost a look at the clauses they name, propagation a look at all that watch what becomes false, so hints are
//! the fast way for what a solver derives by the thousands. A step written by hand or by somebody who keeps no
//! account of reasons, and every file from before there were hints, has none. Propagation is set up when the first such
//! step comes, and costs nothing before.

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

/// The same clauses for reverse unit propagation, with their names by step.
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

/// The clause that a step adds.
fn added(step: &ProofStep) -> Option<&[i32]> {
    match step {
        ProofStep::Axiom(_, clause) | ProofStep::Derived(clause, _) => Some(clause),
        ProofStep::Delete(_) => None,
    }
}

impl<'a> Derivations<'a> {
    /// For the clauses of `steps`, whose literals must be looked at before they are added or derived.
    pub(crate) fn new(steps: &'a [ProofStep], variables: usize, work: &Work<'_>) -> Check<Self> {
        Ok(Self { steps, variables, clauses: Hinted::new(variables, work)?, propagation: None })
    }

    /// The clause of this step is alive from now on.
    pub(crate) fn add(&mut self, number: usize, work: &mut Work<'_>) -> Check<()> {
        let Some(clause) = added(&self.steps[number]) else { return Ok(()) };
        self.clauses.add(number as u64, clause, work)?;
        match &mut self.propagation {
            Some(propagation) => propagation.add(number, clause, work),
            None => Ok(()),
        }
    }

    /// Does `clause`, of this step, follow from the clauses alive?
    pub(crate) fn check(&mut self, number: usize, clause: &[i32], hints: &[u32], work: &mut Work<'_>) -> Check<()> {
        if !hints.is_empty() {
            return self.clauses.check(clause, hints.iter().map(|&hint| u64::from(hint)), work);
        }
        if self.propagation.is_none() {
            self.propagation = Some(self.propagation(number, work)?);
        }
        let Some(propagation) = &mut self.propagation else { return Err(Refusal::TooDear) };
        if propagation.rup.implies(clause, work)? {
            Ok(())
        } else {
            reject("the clause does not follow by unit propagation")
        }
    }

    /// What is alive before step `number`.
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

    /// Drops the clause of a step; false if there is none alive.
    pub(crate) fn delete(&mut self, number: u32, work: &mut Work<'_>) -> Check<bool> {
        if let Some(propagation) = &mut self.propagation
            && let Some(name) = propagation.names.get_mut(number as usize).and_then(Option::take)
        {
            propagation.rup.delete(name);
        }
        self.clauses.delete(u64::from(number), work)
    }
}
