//! Outputs of circuits with memories, by translations to circuits without ([`crate::encode::memory`]).
//!
//! * [`Followed`] follows some words by latches. At first no word is followed, so ports read any words. If the engine
//!   finds a run that no memory allows, the next circuit follows one word more, and the engine begins anew. So a proof
//!   follows few words, often one, whatever the size of the memory (Bjesse 2008: A practical approach to word level
//!   model checking of industrial netlists).
//! * [`Expanded`] follows all words, which must not be many. It does not depend on luck with single words: a proof may
//!   need them all.

use crate::encode::memory::{self, Tracked};
use crate::hosted::{Lifted, Translate};
use model::{Budget, Circuit, CircuitTask, Claim, Goal, OutputId, Reason, Stats, Tracker};
use std::sync::Arc;

/// The largest number of nodes of a circuit that follows some words.
const MOST_FOLLOWED: u64 = 1 << 29;

/// The largest bound of the nodes of a circuit that follows all words.
const MOST_EXPANDED: u64 = 1 << 20;

/// Circuits that follow some words, for one output.
pub struct Followed {
    circuit: Arc<Circuit>,
    output: OutputId,
    trackers: Vec<Tracker>,
    tracked: Option<Tracked>,
}

impl Followed {
    /// Follows no word at first.
    #[must_use]
    pub fn new(circuit: Arc<Circuit>, output: OutputId) -> Self {
        Self { circuit, output, trackers: Vec::new(), tracked: None }
    }
}

impl Translate for Followed {
    fn goals(&self) -> Vec<Goal> {
        vec![Goal::Output(self.output)]
    }

    fn nodes(&self) -> u64 {
        let added = self.trackers.iter().map(|tracker| self.circuit.nodes_to_track(*tracker));
        let own = self.circuit.gates().len() + self.circuit.outputs().len() + self.trackers.len();
        added.fold(own as u64, u64::saturating_add)
    }

    fn translate(&mut self) -> CircuitTask {
        let tracked = memory::track(&self.circuit, self.output, self.trackers.clone());
        self.tracked.insert(tracked).task().clone()
    }

    fn lift(&mut self, claim: Claim, budget: &mut Budget) -> Lifted {
        let Some(tracked) = &self.tracked else { return Lifted::Nothing };
        match tracked.lift(claim, budget) {
            memory::Lifted::Claim(claim) => Lifted::Claim(claim),
            memory::Lifted::Follow(tracker) => {
                self.trackers.push(tracker);
                match self.nodes() > MOST_FOLLOWED {
                    true => Lifted::Claim(Claim::Unknown { goals: self.goals(), reason: Reason::GaveUp }),
                    false => Lifted::Next,
                }
            }
        }
    }

    fn describe(&self, stats: &mut Stats) {
        stats.more.insert("followed", self.trackers.len() as u64);
    }
}

/// The circuit that follows all words, for several outputs.
pub struct Expanded {
    task: CircuitTask,
    expanded: Option<memory::Expanded>,
}

impl Expanded {
    /// Follows all words. `None` if there are too many.
    #[must_use]
    pub fn new(task: CircuitTask) -> Option<Self> {
        (task.circuit().nodes_to_expand() <= MOST_EXPANDED).then_some(Self { task, expanded: None })
    }
}

impl Translate for Expanded {
    fn goals(&self) -> Vec<Goal> {
        self.task.goals().collect()
    }

    fn nodes(&self) -> u64 {
        self.task.circuit().nodes_to_expand()
    }

    fn translate(&mut self) -> CircuitTask {
        self.expanded.insert(memory::expand(&self.task)).task().clone()
    }

    fn lift(&mut self, claim: Claim, budget: &mut Budget) -> Lifted {
        let Some(expanded) = &self.expanded else { return Lifted::Nothing };
        Lifted::Claim(expanded.lift(claim, budget))
    }

    fn describe(&self, _stats: &mut Stats) {}
}
