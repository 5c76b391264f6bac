//! Replays runs of circuits by simulation, frame by frame.
//!
//! The trace gives the initial values of the latches without reset, and the inputs of each frame. All gates of
//! each frame are computed. In every frame all constraints must be true, and in the last frame the output must
//! be true.

use super::check;
use crate::trace::Semantics;
use crate::work::Work;
use crate::{Check, reject};
use model::{Circuit, Gate, Goal, Reset, Signal};

/// Number of bits per slot.
const SLOT: usize = 32;

/// The semantics of a circuit for runs.
#[derive(Debug)]
pub struct Runs<'a> {
    pub(super) circuit: &'a Circuit,
}

/// The state after a frame.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// The values of the latches in the next frame.
    pub(super) latches: Vec<bool>,
    /// The values of all nodes in the last frame; empty before the first frame.
    pub(super) values: Vec<bool>,
}

impl<'a> Runs<'a> {
    /// Creates the semantics of this circuit.
    ///
    /// # Errors
    /// If a signal has no node, or a latch has no next function, or if a resource limit is exceeded.
    pub fn new(circuit: &'a Circuit, work: &mut Work<'_>) -> Check<Self> {
        work.spend(circuit.gates().len() as u64)?;
        work.grow(circuit.gates().len() + circuit.latches().len() * 2)?;
        check(circuit)?;
        Ok(Self { circuit })
    }
}

/// Reads `count` bits, 32 per slot from the lowest bit on. The unused bits of the last slot must be zero.
fn bits(slots: &[u32], count: usize, what: &str) -> Check<Vec<bool>> {
    if slots.len() != count.div_ceil(SLOT) {
        return reject(format!("{what} has {} slots and not {}", slots.len(), count.div_ceil(SLOT)));
    }
    let used = count % SLOT;
    if slots.last().is_some_and(|last| used != 0 && last >> used != 0) {
        return reject(format!("{what} has bits that stand for nothing"));
    }
    Ok((0..count).map(|i| slots[i / SLOT] >> (i % SLOT) & 1 == 1).collect())
}

pub(super) fn value(values: &[bool], signal: Signal) -> bool {
    values[signal.node()] ^ signal.is_negated()
}

impl Semantics for Runs<'_> {
    type State = State;

    fn start(&mut self, start: &[u32], work: &mut Work<'_>) -> Check<State> {
        work.spend(self.circuit.latches().len() as u64)?;
        let open = self.circuit.latches().iter().filter(|l| l.reset == Reset::Open).count();
        let mut start = bits(start, open, "the start")?.into_iter();
        let first = |reset| match reset {
            Reset::Zero => false,
            Reset::One => true,
            Reset::Open => start.next().unwrap_or_default(),
        };
        let latches = self.circuit.latches().iter().map(|l| l.reset).map(first).collect();
        assert_eq!(start.next(), None, "each bit is that of a latch without reset");
        Ok(State { latches, values: Vec::new() })
    }

    fn step(&mut self, state: &mut State, label: u32, choice: Option<&[u32]>, work: &mut Work<'_>) -> Check<()> {
        let circuit = self.circuit;
        work.spend((1 + circuit.gates().len() + circuit.latches().len()) as u64)?;
        if label != 0 {
            return reject(format!("the frame is event {label}, and frames are event 0"));
        }
        let inputs = bits(choice.unwrap_or_default(), circuit.inputs().len(), "the frame")?;
        let State { latches, values } = state;
        values.clear();
        for gate in circuit.gates() {
            values.push(match *gate {
                Gate::False => false,
                Gate::Input(input) => inputs[input as usize],
                Gate::Latch(latch) => latches[latch.index()],
                Gate::And(a, b) => value(values, a) && value(values, b),
            });
        }
        if let Some(broken) = circuit.constraints().iter().position(|&c| !value(values, c)) {
            return reject(format!("the frame breaks constraint number {}", broken + 1));
        }
        for (latch, of) in latches.iter_mut().zip(circuit.latches()) {
            let next = of.next.expect("every latch has a next function: `check` has looked");
            *latch = value(values, next);
        }
        debug_assert_eq!(latches.len(), circuit.latches().len());
        Ok(())
    }

    fn reached(&mut self, state: &State, goal: Goal, _: &mut Work<'_>) -> Check<()> {
        let Goal::Output(output) = goal else { return reject("a finite run reaches outputs only") };
        let Some(output) = self.circuit.outputs().get(output.index()) else { return reject("there is no such output") };
        if state.values.is_empty() {
            return reject("the run has no frame");
        }
        match value(&state.values, output.signal) {
            true => Ok(()),
            false => reject("the output is false in the last frame"),
        }
    }
}
