//! Outputs of circuits with memories: an engine for outputs works on a circuit that follows some words by latches
//! ([`encode::memory`]).
//!
//! At first no word is followed, so ports read any words. If the engine finds a run that no memory allows, the next
//! circuit follows one word more, and the engine begins anew. So a proof follows few words, often one, whatever the
//! size of the memory (Bjesse 2008: A practical approach to word level model checking of industrial netlists).

use crate::correspondence::Host;
use encode::memory::{self, Lifted, Tracked};
use model::{Budget, Circuit, Claim, Engine, Goal, OutputId, Reason, Stats, Tracker, Turn};
use std::sync::Arc;

/// Bytes that a hosted engine needs for each node, as an estimate.
const BYTES_PER_NODE: u64 = 100;

/// Nodes tracked per work unit.
const NODES_PER_UNIT: u64 = 8;

/// The largest number of nodes of a tracked circuit.
const MOST_NODES: u64 = 1 << 29;

/// Decides an output of a circuit with memories by an engine for outputs.
pub struct Memories<'a> {
    name: &'static str,
    circuit: Arc<Circuit>,
    output: OutputId,
    host: Host<'a>,
    trackers: Vec<Tracker>,
    /// The tracked circuit and the engine that works on it.
    hosted: Option<(Tracked, Box<dyn Engine + 'a>)>,
    /// True if nothing is left to claim.
    is_settled: bool,
}

impl<'a> Memories<'a> {
    /// Hosts the engine that `host` creates.
    #[must_use]
    pub fn new(name: &'static str, circuit: Arc<Circuit>, output: OutputId, host: Host<'a>) -> Self {
        Self { name, circuit, output, host, trackers: Vec::new(), hosted: None, is_settled: false }
    }

    fn nodes(&self) -> u64 {
        let added = self.trackers.iter().map(|tracker| self.circuit.nodes_to_track(*tracker));
        let own = self.circuit.gates().len() + self.circuit.outputs().len() + self.trackers.len();
        added.fold(own as u64, u64::saturating_add)
    }

    /// Returns the hosted engine. `None` if the memory limit does not allow its creation.
    fn hosted(&mut self, budget: &mut Budget) -> Option<&mut (Tracked, Box<dyn Engine + 'a>)> {
        if self.hosted.is_none() {
            let nodes = self.nodes();
            let bytes = usize::try_from(nodes.saturating_mul(BYTES_PER_NODE)).unwrap_or(usize::MAX);
            if !budget.stop.may_allocate(bytes) {
                return None;
            }
            budget.spend(nodes / NODES_PER_UNIT);
            let tracked = memory::track(&self.circuit, self.output, self.trackers.clone());
            let engine = (self.host)(tracked.task());
            self.hosted = Some((tracked, engine));
        }
        self.hosted.as_mut()
    }

    /// Returns the lifted claim. `None` if the claim says nothing yet.
    fn lifted(&mut self, claim: Claim) -> Option<Claim> {
        let (tracked, _) = self.hosted.as_ref()?;
        match tracked.lift(claim) {
            Lifted::Claim(claim) => {
                self.is_settled = true;
                Some(claim)
            }
            Lifted::Follow(tracker) => {
                self.trackers.push(tracker);
                self.hosted = None;
                if self.nodes() > MOST_NODES {
                    self.is_settled = true;
                    let goals = vec![Goal::Output(self.output)];
                    return Some(Claim::Unknown { goals, reason: Reason::GaveUp });
                }
                None
            }
        }
    }
}

impl Engine for Memories<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        while !self.is_settled {
            let Some((_, engine)) = self.hosted(budget) else { return Turn::More };
            match engine.run(budget) {
                Turn::Claims(claim) => {
                    if let Some(claim) = self.lifted(claim) {
                        return Turn::Claims(claim);
                    }
                }
                turn => return turn,
            }
            if budget.work == 0 || budget.stop.raised().is_some() {
                return Turn::More;
            }
        }
        Turn::Done
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called: engines for outputs make no claim with `candidate: true`.
    }

    fn settled(&mut self, goals: &[Goal]) {
        if goals.contains(&Goal::Output(self.output)) {
            self.is_settled = true;
            self.hosted = None;
        }
    }

    fn stats(&self) -> Stats {
        let mut stats = self.hosted.as_ref().map_or_else(Stats::default, |(_, engine)| engine.stats());
        stats.more.insert("followed", self.trackers.len() as u64);
        stats
    }
}
