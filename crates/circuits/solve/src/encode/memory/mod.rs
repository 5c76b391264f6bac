//! Circuits with memories as circuits without, which follow some of their words ([`Circuit::tracking`]) or all of them
//! ([`Circuit::expanded`]), and what engines find about those.
//!
//! * Gates for some comparisons are added ([`compare`]), where some words are followed.
//! * Clauses become a [`TrackingProof`].
//! * A run is computed again with the memories ([`realise`]). If it still makes the output true, it is a run of the
//!   circuit as read. Otherwise some ports read words that no memory had there, and one of these is to be followed,
//!   too.

mod compare;
mod realise;

use crate::encode::Simulation;
use model::circuit::unpack;
use model::{
    Bit, Budget, Certificate, Circuit, CircuitTask, Claim, Clauses, Followed, Goal, OutputId, Reason, Signal, Trace,
    Tracker, TrackingProof,
};
use realise::{NODES_PER_UNIT, Realising, trace};
use std::sync::Arc;

/// A circuit with memories and one of its outputs, tracked.
#[derive(Clone, Debug)]
pub struct Tracked {
    circuit: Arc<Circuit>,
    output: OutputId,
    trackers: Vec<Tracker>,
    /// Gates that were added, for comparisons.
    gates: Vec<(Signal, Signal)>,
    task: CircuitTask,
}

/// What a claim about the tracked circuit says about the circuit with its memories.
#[derive(Debug)]
pub enum Lifted {
    /// This claim.
    Claim(Claim),
    /// Nothing, but this word should be followed, too.
    Follow(Tracker),
}

/// Tracks words of a circuit with memories.
///
/// # Panics
/// Panics if there is no such port, if a latch has no next function, or if the result has 2^31 nodes.
#[must_use]
pub fn track(circuit: &Arc<Circuit>, output: OutputId, trackers: Vec<Tracker>) -> Tracked {
    let (tracked, gates) = compare::with_comparisons(circuit.tracking(&trackers));
    let task = CircuitTask::new(Arc::new(tracked), [Goal::Output(output)]);
    Tracked { circuit: Arc::clone(circuit), output, trackers, gates, task }
}

impl Tracked {
    /// The tracked circuit with its output.
    #[must_use]
    pub fn task(&self) -> &CircuitTask {
        &self.task
    }

    /// Lifts a claim about the output. The work is charged to the budget.
    #[must_use]
    pub fn lift(&self, claim: Claim, budget: &mut Budget) -> Lifted {
        let goal = Goal::Output(self.output);
        let unknown = |reason| Lifted::Claim(Claim::Unknown { goals: vec![goal], reason });
        match claim {
            Claim::Unsafe { trace, .. } => match self.realise(&trace, budget) {
                Some(Ok(trace)) => Lifted::Claim(Claim::Unsafe { goal, trace, candidate: false }),
                Some(Err(wrong)) => match self.next(&wrong) {
                    Some(tracker) => Lifted::Follow(tracker),
                    None => unknown(Reason::GaveUp),
                },
                None => unknown(Reason::GaveUp),
            },
            Claim::Safe { goals, certificate: Certificate::Clauses(mut clauses) } => {
                let gates = self.used_gates(&mut clauses);
                let proof = TrackingProof { followed: Followed::Some(self.trackers.clone()), gates, clauses: *clauses };
                Lifted::Claim(Claim::Safe { goals, certificate: Certificate::Tracking(Box::new(proof)) })
            }
            Claim::Unknown { reason, .. } => unknown(reason),
            other => {
                debug_assert!(false, "engines for circuits give clauses: {other:?}");
                unknown(Reason::Uncertified)
            }
        }
    }

    /// Returns the added gates on which bits of the clauses depend, and gives these bits the numbers that they have
    /// without the other gates.
    fn used_gates(&self, clauses: &mut Clauses) -> Vec<(Signal, Signal)> {
        let first = self.task.circuit().gates().len() - self.gates.len();
        let added = |signal: Signal| signal.node().checked_sub(first);
        let mut is_used = vec![false; self.gates.len()];
        for bit in &clauses.invariant.bits {
            if let Bit::Node(signal) = bit {
                added(*signal).into_iter().for_each(|at| is_used[at] = true);
            }
        }
        for (at, (a, b)) in self.gates.iter().enumerate().rev() {
            if is_used[at] {
                [*a, *b].into_iter().filter_map(added).for_each(|at| is_used[at] = true);
            }
        }
        let mut next = first;
        let number = |used: &bool| {
            let number = next;
            next += usize::from(*used);
            number
        };
        let numbers: Vec<usize> = is_used.iter().map(number).collect();
        let of = |signal: Signal| match added(signal) {
            Some(at) => Signal::new(numbers[at], signal.is_negated()),
            None => signal,
        };
        for bit in &mut clauses.invariant.bits {
            if let Bit::Node(signal) = bit {
                *signal = of(*signal);
            }
        }
        let used = self.gates.iter().zip(&is_used).filter(|(_, used)| **used);
        used.map(|((a, b), _)| (of(*a), of(*b))).collect()
    }

    /// Returns the tracker for one of the wrong words, given with their delays. `None` if no more can be followed.
    fn next(&self, wrong: &[Tracker]) -> Option<Tracker> {
        let new = |tracker: &&Tracker| !self.trackers.contains(tracker);
        let tracker = wrong.iter().filter(new).min_by_key(|tracker| (tracker.delay, tracker.port)).copied();
        debug_assert!(tracker.is_some(), "a word that is followed is right");
        tracker.filter(|tracker| tracker.delay <= Tracker::LONGEST && self.trackers.len() < Tracker::MOST)
    }

    /// Returns the run with the words of the memories, or the wrong words that it needs. `None` if this takes too long,
    /// or if the trace does not fit.
    fn realise(&self, trace: &Trace, budget: &mut Budget) -> Option<Result<Trace, Vec<Tracker>>> {
        let tracked = &**self.task.circuit();
        let (start, inputs) = frames_of(trace, tracked);
        Realising::new(&self.circuit, tracked, self.output, start, inputs, budget).realise()
    }
}

/// Returns the bits of open latches, and the inputs of each frame.
fn frames_of(trace: &Trace, circuit: &Circuit) -> (Vec<bool>, Vec<Vec<bool>>) {
    let steps = trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| &run.word));
    let slots = steps.map(|step| step.choice.map_or(&[][..], |choice| trace.choice(choice)));
    let inputs = slots.map(|slots| unpack(slots, circuit.inputs().len())).collect();
    (unpack(&trace.start, circuit.open_latches().count()), inputs)
}

/// A circuit with memories and some outputs, expanded: all words of all memories are followed.
#[derive(Clone, Debug)]
pub struct Expanded {
    circuit: Arc<Circuit>,
    /// For each node of the circuit as read: its signal in the expanded circuit.
    signals: Vec<Signal>,
    task: CircuitTask,
}

/// Expands a circuit with memories.
///
/// # Panics
/// Panics if a latch has no next function, or if the result has 2^31 nodes.
#[must_use]
pub fn expand(task: &CircuitTask) -> Expanded {
    let (expanded, signals) = task.circuit().expanded();
    let goals = task.goals().collect::<Vec<Goal>>();
    Expanded { circuit: Arc::clone(task.circuit()), signals, task: CircuitTask::new(Arc::new(expanded), goals) }
}

impl Expanded {
    /// The expanded circuit with the outputs.
    #[must_use]
    pub fn task(&self) -> &CircuitTask {
        &self.task
    }

    /// Lifts a claim about outputs. The work is charged to the budget.
    #[must_use]
    pub fn lift(&self, claim: Claim, budget: &mut Budget) -> Claim {
        match claim {
            Claim::Unsafe { goal, trace, .. } => {
                Claim::Unsafe { goal, trace: self.lifted(&trace, budget), candidate: false }
            }
            Claim::Safe { goals, certificate: Certificate::Clauses(clauses) } => {
                let proof = TrackingProof { followed: Followed::All, gates: Vec::new(), clauses: *clauses };
                Claim::Safe { goals, certificate: Certificate::Tracking(Box::new(proof)) }
            }
            Claim::Unknown { .. } => claim,
            other => {
                debug_assert!(false, "engines for circuits give clauses: {other:?}");
                Claim::Unknown { goals: other.goals().to_vec(), reason: Reason::Uncertified }
            }
        }
    }

    /// Returns the run with the words that ports read.
    fn lifted(&self, trace: &Trace, budget: &mut Budget) -> Trace {
        let expanded = &**self.task.circuit();
        let (start, mut inputs) = frames_of(trace, expanded);
        let mut simulation = Simulation::new(expanded, start.iter().copied());
        for inputs in &mut inputs {
            budget.spend(expanded.gates().len() as u64 / NODES_PER_UNIT);
            simulation.frame(inputs);
            for (number, input) in self.circuit.inputs().iter().enumerate() {
                let signal = self.signals[input.signal.node()];
                inputs[number] = simulation.value(signal) != input.signal.is_negated();
            }
            simulation.step();
        }
        self::trace(&self.circuit, &start, inputs)
    }
}
