//! Which wrong words a run of the tracked circuit needs.
//!
//! A run is computed again with the memories. If it does not make the output true, the output needs some words that no
//! memory had where they were read. They are found by halving: other words are replaced by those of the memories, as
//! long as the run is one of the tracked circuit. The next circuit follows the last wrong word (abstraction refinement
//! as in Bjesse 2008).
//!
//! Refinement makes progress: in each run of the tracked circuit, the port of a tracker reads the right word as many
//! frames before the end as the tracker says.

use model::circuit::memory::Frames;
use model::{Budget, Circuit, CircuitRun, OutputId, PortId, Signal, Trace, Tracker};
use std::collections::BTreeSet;

/// The most nodes, and bits of addresses and words, that are computed to find wrong words in a run.
const MOST_COMPUTED: u64 = 1 << 31;

/// A read: a port, in a frame.
type Read = (usize, PortId);

/// A run of the tracked circuit, which is computed again with words of the memories. The nodes, inputs, latches and
/// constraints of the circuit as read are the first ones of the tracked circuit.
pub(super) struct Realising<'c> {
    circuit: &'c Circuit,
    tracked: &'c Circuit,
    output: OutputId,
    /// The bits of open latches.
    start: Vec<bool>,
    /// The inputs of each frame.
    inputs: Vec<Vec<bool>>,
    left: Left<'c>,
}

/// The work that may still be done.
struct Left<'b> {
    /// Nodes, and bits of addresses and words.
    computed: u64,
    /// What has been computed and not charged, less than a work unit.
    owed: u64,
    budget: &'b mut Budget,
}

impl Left<'_> {
    fn charge(&mut self, work: u64) -> bool {
        self.owed = self.owed.saturating_add(work);
        self.budget.spend(self.owed / NODES_PER_UNIT);
        self.owed %= NODES_PER_UNIT;
        self.computed = self.computed.saturating_sub(work);
        self.computed > 0 && self.budget.stop.raised().is_none()
    }
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

impl<'c> Realising<'c> {
    pub(super) fn new(
        circuit: &'c Circuit,
        tracked: &'c Circuit,
        output: OutputId,
        start: Vec<bool>,
        inputs: Vec<Vec<bool>>,
        budget: &'c mut Budget,
    ) -> Self {
        Self { circuit, tracked, output, start, inputs, left: Left { computed: MOST_COMPUTED, owed: 0, budget } }
    }

    /// Returns the run with the words of the memories, or the wrong words that it needs. `None` if this takes too long,
    /// or if the trace does not fit.
    pub(super) fn realise(mut self) -> Option<Result<Trace, Vec<Tracker>>> {
        let computed = self.compute(&Right::All)?;
        if computed.is_run {
            return Some(Ok(super::realise::trace(self.circuit, &self.start, computed.inputs)));
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
            return Some(Ok(super::realise::trace(self.circuit, &self.start, last.inputs)));
        }
        let end = self.inputs.len() - 1;
        let tracker =
            |(frame, port): &Read| Tracker { port: *port, delay: u32::try_from(end - frame).unwrap_or(u32::MAX) };
        Some(Err(last.wrong.iter().map(tracker).collect()))
    }

    /// Computes all frames. Reads that are not `right` use the words of the given run.
    fn compute(&mut self, right: &Right<'_>) -> Option<Computed> {
        let (circuit, tracked) = (self.circuit, self.tracked);
        let judge = if let Right::All = right { circuit } else { tracked };
        let mut latches = tracked.start(self.start.iter().copied());
        let (mut wrong, mut inputs, mut is_run) = (Vec::new(), self.inputs.clone(), true);
        let mut values = vec![false; tracked.gates().len()];
        let mut frames = Frames::new(circuit);
        for (frame, inputs) in inputs.iter_mut().enumerate() {
            let mut reading = |port: PortId, given: &[bool], word: &[bool]| {
                let is_right = match right {
                    Right::All => true,
                    Right::These(reads) => reads.contains(&(frame, port)),
                };
                if !is_right && given != word {
                    wrong.push((frame, port));
                }
                is_right
            };
            let state = (&latches[..], &mut inputs[..]);
            frames.compute(tracked.gates(), state, &mut values, &mut reading, &mut |work| self.left.charge(work))?;
            is_run &= judge.constraints().iter().all(|constraint| value(&values, *constraint));
            frames.step(&values, &mut |work| self.left.charge(work))?;
            for (bit, latch) in latches.iter_mut().zip(tracked.latches()) {
                *bit = value(&values, latch.next.unwrap_or(latch.signal));
            }
        }
        let output = judge.outputs()[self.output.index()].signal;
        Some(Computed { is_run: is_run && value(&values, output), wrong, inputs })
    }
}

fn value(values: &[bool], signal: Signal) -> bool {
    values[signal.node()] != signal.is_negated()
}

/// Nodes computed per work unit.
pub(super) const NODES_PER_UNIT: u64 = 64;

/// Returns the run of a circuit with memories: it begins with these bits of open latches. Only the first inputs are
/// those of the circuit.
pub(super) fn trace(circuit: &Circuit, start: &[bool], mut inputs: Vec<Vec<bool>>) -> Trace {
    inputs.iter_mut().for_each(|inputs| inputs.truncate(circuit.inputs().len()));
    CircuitRun { start: circuit.start(start.iter().copied()), inputs }.trace(circuit)
}
