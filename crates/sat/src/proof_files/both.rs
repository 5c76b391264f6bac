//! A proof listener that forwards to two listeners.

use crate::lit::Lit;
use crate::proof::{ClauseId, Proof};
use crate::theory::Tag;

/// Forwards each step to the first listener and then to the second.
pub struct Both(pub Box<dyn Proof>, pub Box<dyn Proof>);

impl Proof for Both {
    fn axiom(&mut self, id: ClauseId, tag: Tag, clause: &[Lit]) {
        self.0.axiom(id, tag, clause);
        self.1.axiom(id, tag, clause);
    }

    fn derived(&mut self, id: ClauseId, clause: &[Lit], hints: &[ClauseId]) {
        self.0.derived(id, clause, hints);
        self.1.derived(id, clause, hints);
    }

    fn delete(&mut self, id: ClauseId) {
        self.0.delete(id);
        self.1.delete(id);
    }

    fn wants_hints(&self) -> bool {
        self.0.wants_hints() || self.1.wants_hints()
    }
}
