//! Circuits with memories as circuits that follow some of their words ([`Circuit::tracking`]), and what engines find
//! about those.
//!
//! * Gates for some comparisons are added ([`compare`]).
//! * Clauses become a [`TrackingProof`].
//! * A run is computed again with the memories ([`Realising::realise`]). If it still makes the output true, it is a run
//!   of the circuit as read. Otherwise some ports read words that no memory had there, and the output needs some of
//!   these *wrong words*. They are found by halving: other words are replaced by those of the memories, as long as the
//!   run is one of the tracked circuit. The next circuit follows the last wrong word (abstraction refinement as in
//!   Bjesse 2008).
//!
//! Refinement makes progress: in each run of the tracked circuit, the port of a tracker reads the right word as many
//! frames before the end as the tracker says.

mod compare;

use crate::simulate::unpack;
use model::circuit::memory::{Contents, Word};
use model::{
    Certificate, Circuit, CircuitRun, CircuitTask, Claim, Gate, Goal, OutputId, PortId, Reason, Reset, Signal, Trace,
    Tracker, TrackingProof,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The largest number of gates that are computed to find wrong words in a run.
const MOST_COMPUTED: u64 = 1 << 31;

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

    /// Lifts a claim about the output.
    #[must_use]
    pub fn lift(&self, claim: Claim) -> Lifted {
        let goal = Goal::Output(self.output);
        let unknown = |reason| Lifted::Claim(Claim::Unknown { goals: vec![goal], reason });
        match claim {
            Claim::Unsafe { trace, .. } => match self.realise(&trace) {
                Some(Ok(trace)) => Lifted::Claim(Claim::Unsafe { goal, trace, candidate: false }),
                Some(Err(wrong)) => match self.next(&wrong) {
                    Some(tracker) => Lifted::Follow(tracker),
                    None => unknown(Reason::GaveUp),
                },
                None => unknown(Reason::GaveUp),
            },
            Claim::Safe { goals, certificate: Certificate::Clauses(clauses) } => {
                let (trackers, gates) = (self.trackers.clone(), self.gates.clone());
                let proof = TrackingProof { trackers, gates, clauses: *clauses };
                Lifted::Claim(Claim::Safe { goals, certificate: Certificate::Tracking(Box::new(proof)) })
            }
            Claim::Unknown { reason, .. } => unknown(reason),
            other => {
                debug_assert!(false, "engines for circuits give clauses: {other:?}");
                unknown(Reason::Uncertified)
            }
        }
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
    fn realise(&self, trace: &Trace) -> Option<Result<Trace, Vec<Tracker>>> {
        let (circuit, tracked) = (&*self.circuit, &**self.task.circuit());
        let open = tracked.latches().iter().filter(|latch| latch.reset == Reset::Open).count();
        let steps = trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| &run.word));
        let slots = steps.map(|step| step.choice.map_or(&[][..], |choice| trace.choice(choice)));
        let realising = Realising {
            circuit,
            tracked,
            output: self.output,
            start: unpack(&trace.start, open),
            inputs: slots.map(|slots| unpack(slots, tracked.inputs().len())).collect(),
            ports: circuit.ports_of_inputs(),
            left: MOST_COMPUTED,
        };
        realising.realise()
    }
}

/// A read: a port, in a frame.
type Read = (usize, PortId);

/// A run of the tracked circuit, which is computed again with words of the memories. The nodes, inputs, latches and
/// constraints of the circuit as read are the first ones of the tracked circuit.
struct Realising<'c> {
    circuit: &'c Circuit,
    tracked: &'c Circuit,
    output: OutputId,
    start: Vec<bool>,
    inputs: Vec<Vec<bool>>,
    /// For each input of the circuit as read: its port.
    ports: Vec<Option<PortId>>,
    /// Gates that may still be computed.
    left: u64,
}

/// What a run computes.
struct Computed {
    /// True if all constraints hold and the output is true in the last frame: of the circuit as read if all reads are
    /// right, else of the tracked circuit.
    is_run: bool,
    /// The reads of other words than the memory has.
    wrong: Vec<Read>,
    /// The inputs of each frame, with the words that were used.
    inputs: Vec<Vec<bool>>,
}

/// Which reads use the words of the memories.
enum Right<'r> {
    All,
    These(&'r BTreeSet<Read>),
}

impl Realising<'_> {
    fn realise(mut self) -> Option<Result<Trace, Vec<Tracker>>> {
        let computed = self.compute(&Right::All)?;
        if computed.is_run {
            return Some(Ok(self.trace(computed.inputs)));
        }
        let mut right = BTreeSet::new();
        let first = self.compute(&Right::These(&right))?;
        if !first.is_run {
            debug_assert!(false, "engines make runs");
            return None;
        }
        let mut open = vec![first.wrong];
        while let Some(reads) = open.pop() {
            let mut tried = right.clone();
            tried.extend(&reads);
            if self.compute(&Right::These(&tried))?.is_run {
                right = tried;
            } else if reads.len() > 1 {
                let (earlier, later) = reads.split_at(reads.len() / 2);
                open.extend([later.to_vec(), earlier.to_vec()]);
            }
        }
        let last = self.compute(&Right::These(&right))?;
        if last.wrong.is_empty() {
            return Some(Ok(self.trace(last.inputs)));
        }
        let end = self.inputs.len() - 1;
        let tracker =
            |(frame, port): &Read| Tracker { port: *port, delay: u32::try_from(end - frame).unwrap_or(u32::MAX) };
        Some(Err(last.wrong.iter().map(tracker).collect()))
    }

    fn trace(&self, mut inputs: Vec<Vec<bool>>) -> Trace {
        inputs.iter_mut().for_each(|inputs| inputs.truncate(self.circuit.inputs().len()));
        let mut open = self.start.iter().copied();
        let first = |reset: Reset| match reset {
            Reset::Zero => false,
            Reset::One => true,
            Reset::Open => open.next().unwrap_or_default(),
        };
        let start = self.circuit.latches().iter().map(|latch| latch.reset).map(first).collect();
        CircuitRun { start, inputs }.trace(self.circuit)
    }

    /// Computes all frames. Reads that are not `right` use the words of the given run.
    fn compute(&mut self, right: &Right<'_>) -> Option<Computed> {
        let (circuit, tracked) = (self.circuit, self.tracked);
        let judge = if let Right::All = right { circuit } else { tracked };
        self.left = self.left.checked_sub((tracked.gates().len() * self.inputs.len()) as u64)?;
        let mut contents = Contents::new(circuit.memories());
        let mut open = self.start.iter().copied();
        let first = |reset: Reset| match reset {
            Reset::Zero => false,
            Reset::One => true,
            Reset::Open => open.next().unwrap_or_default(),
        };
        let mut latches: Vec<bool> = tracked.latches().iter().map(|latch| latch.reset).map(first).collect();
        let (mut wrong, mut inputs, mut is_run) = (Vec::new(), self.inputs.clone(), true);
        let mut values = vec![false; tracked.gates().len()];
        for (frame, inputs) in inputs.iter_mut().enumerate() {
            let mut is_read = vec![false; circuit.memories().ports.len()];
            for (node, gate) in tracked.gates().iter().enumerate() {
                values[node] = match *gate {
                    Gate::False => false,
                    Gate::Input(input) => {
                        if let Some(&Some(port)) = self.ports.get(input as usize)
                            && !std::mem::replace(&mut is_read[port.index()], true)
                        {
                            let is_right = match right {
                                Right::All => true,
                                Right::These(reads) => reads.contains(&(frame, port)),
                            };
                            if !self.read(port, &mut contents, &values, is_right, inputs) {
                                wrong.push((frame, port));
                            }
                        }
                        inputs[input as usize]
                    }
                    Gate::Latch(latch) => latches[latch.index()],
                    Gate::And(a, b) => value(&values, a) && value(&values, b),
                };
            }
            is_run &= judge.constraints().iter().all(|constraint| value(&values, *constraint));
            contents.step(&|signal| value(&values, signal));
            for (bit, latch) in latches.iter_mut().zip(tracked.latches()) {
                *bit = value(&values, latch.next.unwrap_or(latch.signal));
            }
        }
        let output = judge.outputs()[self.output.index()].signal;
        Some(Computed { is_run: is_run && value(&values, output), wrong, inputs })
    }

    /// Reads a word. Returns false if the input has another word than the memory, which only reads that are not right
    /// may have.
    fn read(
        &self,
        port: PortId,
        contents: &mut Contents<'_>,
        values: &[bool],
        is_right: bool,
        inputs: &mut [bool],
    ) -> bool {
        let port = &self.circuit.memories().ports[port.index()];
        let at = |bit: &Signal| match self.circuit.gates()[bit.node()] {
            Gate::Input(input) => input as usize,
            _ => unreachable!("the value of a port consists of inputs"),
        };
        let address: Word = port.address.iter().map(|bit| value(values, *bit)).collect();
        let given: Word = port.value.iter().map(|bit| inputs[at(bit)]).collect();
        let word = contents.read(port.memory, &address, &given, &|signal| value(values, signal));
        if is_right {
            port.value.iter().zip(&word).for_each(|(bit, word)| inputs[at(bit)] = *word);
        }
        is_right || word == given
    }
}

fn value(values: &[bool], signal: Signal) -> bool {
    values[signal.node()] != signal.is_negated()
}
