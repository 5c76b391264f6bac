//! Extracts the part of a solver's clause log that a refutation needs. The hints of a clause name the clauses
//! from which it was derived. They are followed back from the empty clause.

use sat::{ClauseId, Lit, Proof, Tag};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The log of a solver, shared with it.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Steps>>);

#[derive(Default)]
struct Steps {
    steps: BTreeMap<ClauseId, ProofLine>,
    empty: Option<ClauseId>,
}

enum ProofLine {
    Axiom(Tag),
    Derived(Vec<i32>, Vec<ClauseId>),
}

/// The part of the log that is needed.
#[derive(Default)]
pub(crate) struct Needed {
    /// Tags of axioms, ascending and without repetition.
    pub(crate) axioms: Vec<Tag>,
    /// Derived clauses in order, without the empty clause.
    pub(crate) steps: Vec<Vec<i32>>,
}

impl Log {
    /// Returns the part from which the empty clause follows, or `None` if the empty clause was not derived.
    pub(crate) fn needed(&self) -> Option<Needed> {
        let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut wanted = std::collections::BTreeSet::from([log.empty?]);
        let mut needed = Needed::default();
        while let Some(id) = wanted.pop_last() {
            match &log.steps[&id] {
                ProofLine::Axiom(tag) => needed.axioms.push(*tag),
                ProofLine::Derived(clause, hints) => {
                    wanted.extend(hints.iter().filter(|h| log.steps.contains_key(h)));
                    needed.steps.push(clause.clone());
                }
            }
        }
        needed.axioms.sort_unstable();
        needed.axioms.dedup();
        needed.steps.reverse();
        needed.steps.retain(|clause| !clause.is_empty());
        Some(needed)
    }
}

impl Proof for Log {
    fn axiom(&mut self, id: ClauseId, tag: Tag, clause: &[Lit]) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.steps.insert(id, ProofLine::Axiom(tag));
        if clause.is_empty() {
            log.empty.get_or_insert(id);
        }
    }

    fn derived(&mut self, id: ClauseId, clause: &[Lit], hints: &[ClauseId]) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.steps.insert(id, ProofLine::Derived(clause.iter().map(|l| l.to_dimacs()).collect(), hints.to_vec()));
        if clause.is_empty() {
            log.empty.get_or_insert(id);
        }
    }

    fn delete(&mut self, _id: ClauseId) {
        // Deletions are ignored: the hints determine what is needed.
    }
}
