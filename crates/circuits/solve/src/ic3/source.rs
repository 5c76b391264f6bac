//! Sources of circuits: complete circuits, and circuits built on demand of the search (as in lazy clause
//! generation).

use super::signals::Named;
use model::{Circuit, LatchId, Signal};
use std::sync::Arc;

/// The circuit that IC3 runs on. Its next functions may be made on demand.
pub trait Source: Send {
    /// The circuit as it is now. Existing nodes, latches, inputs and next functions never change.
    fn circuit(&self) -> &Circuit;

    /// Makes sure that the latch has a next function. May add latches (without next functions), inputs, gates
    /// and clauses. May add constraints only before the first query, because later ones would invalidate
    /// earlier answers.
    fn define(&mut self, latch: LatchId);

    /// Clauses over signals that hold in every frame of every run because of the meaning of latches and inputs
    /// (for instance the order of thresholds, or at most one event at a time). The list only ever grows. The
    /// clauses need not follow from the circuit, but some initial state must satisfy them. Clauses over
    /// latches alone, and clauses of negated inputs alone, cost nothing; all other clauses are in the cone of
    /// every query.
    fn clauses(&self) -> &[Vec<Signal>];

    /// Latches that are names of gates, with the gates ([`signals`](super::signals)). The list never changes.
    fn names(&self) -> &[(LatchId, Signal)] {
        &[]
    }
}

/// A complete circuit.
#[derive(Clone, Debug)]
pub struct Static {
    circuit: Arc<Circuit>,
    clauses: Arc<[Vec<Signal>]>,
    names: Arc<[(LatchId, Signal)]>,
    /// The circuit without names.
    read: Arc<Circuit>,
}

impl Static {
    /// Makes a source from a circuit, without additional clauses.
    #[must_use]
    pub fn new(circuit: Arc<Circuit>) -> Self {
        Self::with_clauses(circuit, Arc::from([]))
    }

    /// Makes a source from a circuit, with clauses that hold because of the meaning of its bits.
    #[must_use]
    pub fn with_clauses(circuit: Arc<Circuit>, clauses: Arc<[Vec<Signal>]>) -> Self {
        Self { read: Arc::clone(&circuit), circuit, clauses, names: Arc::from([]) }
    }

    /// Makes a source from a circuit with names of gates.
    pub(super) fn with_names(read: &Arc<Circuit>, named: Named) -> Self {
        Self { circuit: named.circuit, clauses: Arc::from([]), names: named.names, read: Arc::clone(read) }
    }

    /// The circuit without names.
    pub(super) fn read(&self) -> &Circuit {
        &self.read
    }
}

impl Source for Static {
    fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    fn define(&mut self, latch: LatchId) {
        debug_assert!(self.circuit.latches()[latch.index()].next.is_some(), "the circuit is complete");
    }

    fn clauses(&self) -> &[Vec<Signal>] {
        &self.clauses
    }

    fn names(&self) -> &[(LatchId, Signal)] {
        &self.names
    }
}
