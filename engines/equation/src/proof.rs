//! What of a solver's clause log a refutation needs: followed back from the empty clause along the hints.

use sat::{ClauseId, Lit, Proof, Tag};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The log of a solver, to be shared with it.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Steps>>);

#[derive(Default)]
struct Steps {
    steps: BTreeMap<ClauseId, Step>,
    empty: Option<ClauseId>,
}

enum Step {
    Axiom(Tag),
    Derived(Vec<i32>, Vec<ClauseId>),
}

/// What is needed.
#[derive(Default)]
pub(crate) struct Needed {
    /// Tags of axioms, ascending, each once.
    pub(crate) axioms: Vec<Tag>,
    /// Derived clauses in order, without the empty one.
    pub(crate) steps: Vec<Vec<i32>>,
}

impl Log {
    /// What the empty clause follows from; `None` if it was not derived.
    pub(crate) fn needed(&self) -> Option<Needed> {
        let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut wanted = std::collections::BTreeSet::from([log.empty?]);
        let mut needed = Needed::default();
        while let Some(id) = wanted.pop_last() {
            match &log.steps[&id] {
                Step::Axiom(tag) => needed.axioms.push(*tag),
                Step::Derived(clause, hints) => {
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
        log.steps.insert(id, Step::Axiom(tag));
        if clause.is_empty() {
            log.empty.get_or_insert(id);
        }
    }

    fn derived(&mut self, id: ClauseId, clause: &[Lit], hints: &[ClauseId]) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.steps.insert(id, Step::Derived(clause.iter().map(|l| l.to_dimacs()).collect(), hints.to_vec()));
        if clause.is_empty() {
            log.empty.get_or_insert(id);
        }
    }

    fn delete(&mut self, _id: ClauseId) {
        // Hints say what is needed, whether it was deleted later or not.
    }
}
