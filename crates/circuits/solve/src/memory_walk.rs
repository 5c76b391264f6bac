//! Random simulation of circuits with memories: one run at a time, with the contents of the memories.
//!
//! As in [`crate::walk`], rounds have the lengths of the sequence of Luby, and each input has its own chances in a
//! round. A word that is open gets a random value when it is first read. A round is computed again, from its seed, when
//! its run is claimed.

use crate::walk::Taste;
use model::circuit::memory::Frames;
use model::{Budget, Circuit, CircuitRun, CircuitTask, Claim, Engine, Goal, Reset, Signal, Stats, Stop, Turn};
use search::luby::luby;
use search::rng::Rng;
use std::sync::Arc;

/// Frames of the shortest rounds.
const SHORTEST: u64 = 64;
/// Nodes, and bits of addresses and words, that a round computes at most, so that turns end. Rounds on large circuits
/// compute as much as the gates of the shortest round.
const MOST_COMPUTED: u64 = 1 << 24;
/// Nodes computed per work unit.
const NODES_PER_UNIT: u64 = 64;

/// Random simulation for the outputs of a circuit with memories. Never claims `safe`.
pub struct MemoryWalk {
    circuit: Arc<Circuit>,
    /// Outputs without a run so far.
    open: Vec<(Goal, Signal)>,
    seed: u64,
    rounds: u64,
    frames: u64,
}

/// A round.
struct Round {
    frames: u64,
    /// Nodes computed, and bits of addresses and words.
    computed: u64,
    /// The position of the output that is true in the last frame, among the open ones.
    output: Option<usize>,
    /// The run, if it was recorded.
    run: CircuitRun,
}

impl MemoryWalk {
    /// Creates the engine for the outputs of `task`.
    #[must_use]
    pub fn new(task: &CircuitTask, seed: u64) -> Self {
        let circuit = Arc::clone(task.circuit());
        let signal = |output: &model::OutputId| circuit.outputs()[output.index()].signal;
        let open = task.outputs().iter().map(|output| (Goal::Output(*output), signal(output))).collect();
        Self { circuit, open, seed, rounds: 0, frames: 0 }
    }

    /// Simulates a round, until an output is true, a constraint is false, or the stop flag is raised.
    fn round(&self, is_recorded: bool, stop: &Stop) -> Round {
        let circuit = &*self.circuit;
        let mut rng = Rng(self.seed ^ search::rng::mix(self.rounds + 1));
        let tastes: Vec<Taste> = circuit.inputs().iter().map(|_| Taste::of_round(self.rounds, &mut rng)).collect();
        let mut first = |reset: Reset| match reset {
            Reset::Zero => false,
            Reset::One => true,
            Reset::Open => rng.word() & 1 == 1,
        };
        let mut latches: Vec<bool> = circuit.latches().iter().map(|latch| first(latch.reset)).collect();
        let run = CircuitRun { start: latches.clone(), inputs: Vec::new() };
        let mut round = Round { frames: 0, computed: 0, output: None, run };
        let mut inputs = vec![false; circuit.inputs().len()];
        let mut memories = Frames::new(circuit);
        let mut values = vec![false; circuit.gates().len()];
        let length = SHORTEST.saturating_mul(luby(self.rounds));
        let most = MOST_COMPUTED.max(SHORTEST.saturating_mul(circuit.gates().len() as u64));
        while round.frames < length && stop.raised().is_none() {
            for (value, taste) in inputs.iter_mut().zip(&tastes) {
                *value = taste.draw(if *value { u64::MAX } else { 0 }, &mut rng) & 1 == 1;
            }
            let computed = &mut round.computed;
            let mut charge = |work: u64| {
                *computed = computed.saturating_add(work);
                *computed <= most
            };
            let state = (&latches[..], &mut inputs[..]);
            if memories.compute(circuit.gates(), state, &mut values, &mut |_, _, _| true, &mut charge).is_none() {
                break;
            }
            round.frames += 1;
            let value = |signal: Signal| values[signal.node()] != signal.is_negated();
            if !circuit.constraints().iter().all(|signal| value(*signal)) {
                break;
            }
            if is_recorded {
                round.run.inputs.push(inputs.clone());
            }
            round.output = self.open.iter().position(|(_, signal)| value(*signal));
            if round.output.is_some() || memories.step(&values, &mut charge).is_none() {
                break;
            }
            for (bit, latch) in latches.iter_mut().zip(circuit.latches()) {
                *bit = value(latch.next.unwrap_or(latch.signal));
            }
        }
        round
    }
}

impl Engine for MemoryWalk {
    fn name(&self) -> &'static str {
        "walk"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        while !self.open.is_empty() {
            let Round { frames, computed, output, .. } = self.round(false, &budget.stop);
            self.frames += frames;
            let goes_on = budget.spend(1 + computed / NODES_PER_UNIT);
            if output.is_some() {
                let frame = self.circuit.inputs().len() * 2 + 96;
                if !budget.stop.may_allocate(usize::try_from(frames).unwrap_or(usize::MAX).saturating_mul(frame)) {
                    return Turn::More;
                }
                let Round { computed, output, run, .. } = self.round(true, &budget.stop);
                budget.spend(computed / NODES_PER_UNIT);
                if let Some(output) = output {
                    let (goal, _) = self.open.remove(output);
                    let trace = run.trace(&self.circuit);
                    return Turn::Claims(Claim::Unsafe { goal, trace, candidate: false });
                }
            }
            self.rounds += 1;
            if !goes_on {
                return Turn::More;
            }
        }
        Turn::Done
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called, because this engine makes no claim with `candidate: true`.
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.open.retain(|(goal, _)| goals.binary_search(goal).is_err());
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats { transitions: self.frames, ..Stats::default() };
        stats.more.insert("walks", self.rounds + 1);
        stats
    }
}
