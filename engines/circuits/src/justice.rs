//! Justice properties: an engine for outputs works on a translated circuit ([`encode::justice`]).
//!
//! * [`Recurrence::looping`] hosts an engine on a circuit with an output that is true when a state occurs again
//!   (liveness to safety: Biere, Artho and Schuppan 2002). What the engine claims about the output is lifted to the
//!   property.
//! * [`Recurrence::counting`] hosts engines on circuits with an output that is true when the signals of the property
//!   were all true more than k times (k-liveness: Claessen and Sorensson 2012), for growing k. If the output cannot be
//!   true for some k, no run violates the property. A run to the output is searched for a state that occurs twice. If
//!   there is none, k grows.
//!
//! Counting ends in principle: a run on which the signals were all true more often than there are states passes a state
//! twice. A proof by counting is often much smaller than a proof about loops, because it need not compare two states.

use crate::correspondence::Host;
use encode::justice::{self, Justice};
use model::{Budget, Circuit, Claim, Engine, Goal, JusticeId, Reason, Stats, Translation, Turn};
use std::sync::Arc;

/// Bytes that a hosted engine needs for each node, as an estimate.
const BYTES_PER_NODE: usize = 100;

/// Nodes translated per work unit.
const NODES_PER_UNIT: usize = 8;

/// Decides a justice property by an engine for outputs.
pub struct Recurrence<'a> {
    name: &'static str,
    circuit: Arc<Circuit>,
    justice: JusticeId,
    host: Host<'a>,
    translation: Translation,
    /// The translated circuit and the engine that works on it, from the first turn on.
    hosted: Option<(Justice, Box<dyn Engine + 'a>)>,
    /// True if nothing is left to claim.
    is_settled: bool,
}

impl<'a> Recurrence<'a> {
    /// Hosts the engine that `host` creates, on the circuit with an output that is true when a state occurs again.
    #[must_use]
    pub fn looping(name: &'static str, circuit: Arc<Circuit>, justice: JusticeId, host: Host<'a>) -> Self {
        Self::new(name, circuit, justice, Translation::Loop, host)
    }

    /// Hosts the engines that `host` creates, on circuits that count for growing numbers.
    #[must_use]
    pub fn counting(name: &'static str, circuit: Arc<Circuit>, justice: JusticeId, host: Host<'a>) -> Self {
        Self::new(name, circuit, justice, Translation::Count(0), host)
    }

    fn new(
        name: &'static str,
        circuit: Arc<Circuit>,
        justice: JusticeId,
        translation: Translation,
        host: Host<'a>,
    ) -> Self {
        Self { name, circuit, justice, host, translation, hosted: None, is_settled: false }
    }

    /// Returns the hosted engine. `None` if the memory limit does not allow its creation.
    fn hosted(&mut self, budget: &mut Budget) -> Option<&mut (Justice, Box<dyn Engine + 'a>)> {
        if self.hosted.is_none() {
            let nodes = justice::nodes(&self.circuit, self.justice, self.translation);
            if !budget.stop.may_allocate(nodes.saturating_mul(BYTES_PER_NODE)) {
                return None;
            }
            budget.spend((nodes / NODES_PER_UNIT) as u64);
            let translated = justice::translate(&self.circuit, self.justice, self.translation);
            let engine = (self.host)(translated.task());
            self.hosted = Some((translated, engine));
        }
        self.hosted.as_mut()
    }

    /// Returns the lifted claim. `None` if the claim says nothing about the property, and another number is tried next.
    fn lifted(&mut self, claim: Claim) -> Option<Claim> {
        let (translated, _) = self.hosted.as_ref()?;
        let goals = vec![translated.goal()];
        if let Some(lifted) = translated.lift(claim) {
            self.is_settled = true;
            return Some(lifted);
        }
        match self.translation {
            Translation::Count(most) => {
                let next = most + 1 + most / 2;
                self.translation = Translation::Count(next);
                self.hosted = None;
                // No proof may count further.
                self.is_settled = next > Translation::MOST;
                None
            }
            Translation::Loop => {
                debug_assert!(false, "each run to the output is a run that repeats");
                self.is_settled = true;
                Some(Claim::Unknown { goals, reason: Reason::Uncertified })
            }
        }
    }
}

impl Engine for Recurrence<'_> {
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
        if goals.binary_search(&Goal::Justice(self.justice)).is_ok() {
            self.is_settled = true;
            self.hosted = None;
        }
    }

    fn stats(&self) -> Stats {
        let mut stats = self.hosted.as_ref().map_or_else(Stats::default, |(_, engine)| engine.stats());
        if let Translation::Count(most) = self.translation {
            stats.more.insert("counted", most.into());
        }
        stats
    }
}
