//! Where circuits come from: read as a whole, or made as the search asks for them (as in lazy clause generation).

use model::{Circuit, LatchId, Signal};
use std::sync::Arc;

/// What IC3 runs on: a circuit whose next functions may be made on demand.
pub trait Source {
    /// The circuit as it is now. Nodes, latches and inputs stay what they are; a latch's next function, once made, too.
    fn circuit(&self) -> &Circuit;

    /// Makes sure that the latch's next function is there. May add latches (whose next functions are not yet made),
    /// inputs, gates and clauses; constraints only while nothing else depends on their absence: before the first query.
    fn define(&mut self, latch: LatchId);

    /// Clauses over signals that hold in every frame of every run by what latches and inputs mean (order of thresholds,
    /// at most one event at a time). Only ever grows. They need not follow from the circuit; some initial state has
    /// them true. Clauses over latches alone, and those of negated inputs alone, cost nothing; all others are looked at
    /// in every query.
    fn clauses(&self) -> &[Vec<Signal>];
}

/// A circuit that is all there.
#[derive(Clone, Debug)]
pub struct Static {
    circuit: Arc<Circuit>,
    clauses: Arc<[Vec<Signal>]>,
}

impl Static {
    /// The circuit, of which nothing else is known.
    #[must_use]
    pub fn new(circuit: Arc<Circuit>) -> Self {
        Self::with_clauses(circuit, Arc::from([]))
    }

    /// The circuit, with clauses that hold by what its bits mean.
    #[must_use]
    pub fn with_clauses(circuit: Arc<Circuit>, clauses: Arc<[Vec<Signal>]>) -> Self {
        Self { circuit, clauses }
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
}
