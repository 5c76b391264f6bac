//! Replays runs of circuits by simulation, frame by frame.
//!
//! The trace gives the initial values of the latches without reset, and the inputs of each frame. All gates of
//! each frame are computed. In every frame all constraints must be true, and in the last frame the output must
//! be true. The inputs that are values of ports must be the words that the memories have at the addresses of the ports
//! ([`Contents`]). An open word is the one that the first port reads.

use super::check;
use crate::trace::Semantics;
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::circuit::memory::Contents;
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
pub struct Valuation {
    /// The values of the latches in the next frame.
    pub(super) latches: Vec<bool>,
    /// The values of all nodes in the last frame; empty before the first frame.
    pub(super) values: Vec<bool>,
    /// The memories in the next frame.
    contents: Contents,
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
        return reject(format!("{what} has {} slots, not {}", slots.len(), count.div_ceil(SLOT)));
    }
    let used = count % SLOT;
    if slots.last().is_some_and(|last| used != 0 && last >> used != 0) {
        return reject(format!("{what} has unused bits that are not zero"));
    }
    Ok((0..count).map(|i| slots[i / SLOT] >> (i % SLOT) & 1 == 1).collect())
}

pub(super) fn value(values: &[bool], signal: Signal) -> bool {
    values[signal.node()] ^ signal.is_negated()
}

/// Checks that ports read what the memories have, and computes the memories of the next frame.
fn memories(circuit: &Circuit, contents: &mut Contents, values: &[bool], work: &mut Work<'_>) -> Check<()> {
    let of = |signal: Signal| value(values, signal);
    let bits = |signals: &[Signal]| signals.iter().map(|signal| of(*signal)).collect::<Vec<bool>>();
    for (number, port) in circuit.memories().ports.iter().enumerate() {
        let (address, given) = (bits(&port.address), bits(&port.value));
        let word = contents.read(port.memory, (&address, &given), &of, &mut charge(work));
        if word.ok_or(Refusal::ResourceLimit)? != given {
            return reject(format!("port number {} reads another word than its memory has", number + 1));
        }
    }
    contents.step(&of, &mut charge(work)).ok_or(Refusal::ResourceLimit)
}

/// Charges bits of addresses and words, which take a byte each, and as much again for maps.
fn charge<'w>(work: &'w mut Work<'_>) -> impl FnMut(u64) -> bool + 'w {
    |bits| work.spend(bits).is_ok() && work.grow(usize::try_from(bits).unwrap_or(usize::MAX).saturating_mul(2)).is_ok()
}

impl<'a> Semantics for Runs<'a> {
    type State = Valuation;

    fn start(&mut self, start: &[u32], work: &mut Work<'_>) -> Check<Valuation> {
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
        Ok(Valuation { latches, values: Vec::new(), contents: Contents::new(self.circuit.memories()) })
    }

    fn step(&mut self, state: &mut Valuation, label: u32, choice: Option<&[u32]>, work: &mut Work<'_>) -> Check<()> {
        let circuit = self.circuit;
        work.spend((1 + circuit.gates().len() + circuit.latches().len()) as u64)?;
        if label != 0 {
            return reject(format!("the frame is event {label}, and every frame is event 0"));
        }
        let inputs = bits(choice.unwrap_or_default(), circuit.inputs().len(), "the frame")?;
        let Valuation { latches, values, contents } = state;
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
        if !circuit.memories().is_empty() {
            memories(circuit, contents, values, work)?;
        }
        for (latch, of) in latches.iter_mut().zip(circuit.latches()) {
            let next = of.next.expect("every latch has a next function: `check` has looked");
            *latch = value(values, next);
        }
        debug_assert_eq!(latches.len(), circuit.latches().len());
        Ok(())
    }

    fn reached(&mut self, state: &Valuation, goal: Goal, _: &mut Work<'_>) -> Check<()> {
        let Goal::Output(output) = goal else { return reject("a finite run shows only that an output is true") };
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
