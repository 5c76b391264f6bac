//! Runs of circuits, simulated frame by frame.
//!
//! The trace says what latches without reset hold at first, and the inputs of each frame. In every frame all gates are
//! computed, all constraints must be true, and in the last one the output. A frame is a function of the latches and the
//! inputs, so if the latches after a pass of a repetition are those after an earlier one, the passes between go round for ever
//! and full rounds are skipped: the last pass of a round is the one that was just simulated.

use super::check;
use crate::replay::Replayed;
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::trace::{Move, Run};
use model::{Circuit, Gate, OutputId, Reset, Signal, Trace};

/// Bits to a slot.
const SLOT: usize = 32;

/// Replays `trace` into a frame in which the output is true.
pub(crate) fn replay(circuit: &Circuit, trace: &Trace, output: OutputId, work: &mut Work<'_>) -> Check<Replayed> {
    work.spend(circuit.gates().len() as u64)?;
    work.grow(circuit.gates().len() + circuit.latches().len() * 2)?;
    check(circuit)?;
    let Some(output) = circuit.outputs().get(output.index()) else { return reject("there is no such output") };
    let frames = trace.len().ok_or(Refusal::TooDear)?;
    let open = circuit.latches().iter().filter(|l| l.reset == Reset::Open).count();
    let mut start = bits(&trace.start, open, "the start")?.into_iter();
    let first = |reset| match reset {
        Reset::Zero => false,
        Reset::One => true,
        Reset::Open => start.next().unwrap_or_default(),
    };
    let latches: Vec<bool> = circuit.latches().iter().map(|l| l.reset).map(first).collect();
    let values = vec![false; circuit.gates().len()];
    let mut replay = Replay { circuit, trace, latches, values, done: 0, stepped: 0 };
    for run in trace.runs() {
        replay.run(run, work)?;
    }
    match frames {
        0 => reject("the run has no frame"),
        _ if replay.value(output.signal) => Ok(Replayed { events: frames, stepped: replay.stepped }),
        _ => reject("the output is false in the last frame"),
    }
}

/// So many bits, 32 to a slot from the lowest; what is left of the last slot must be zero.
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

struct Replay<'a> {
    circuit: &'a Circuit,
    trace: &'a Trace,
    /// What the latches hold in the frame to come.
    latches: Vec<bool>,
    /// By node, in the last frame.
    values: Vec<bool>,
    /// Frames before the one to come.
    done: u64,
    /// Those that were simulated.
    stepped: u64,
}

impl Replay<'_> {
    fn value(&self, signal: Signal) -> bool {
        self.values[signal.node()] ^ signal.is_negated()
    }

    /// Simulates a repetition. (Brent's cycle search: compare with a mark that moves at powers of two.)
    fn run(&mut self, run: &Run, work: &mut Work<'_>) -> Check<()> {
        let mut left = run.times;
        let mut mark = (run.times > 1).then(|| self.latches.clone());
        let (mut since_mark, mut next_mark) = (0u64, 1u64);
        while left > 0 {
            self.pass(&run.word, work)?;
            left -= 1;
            since_mark += 1;
            let Some(marked) = &mut mark else { continue };
            if *marked == self.latches {
                self.done += (left - left % since_mark) * run.word.len() as u64;
                left %= since_mark;
                mark = None;
            } else if since_mark == next_mark {
                marked.clone_from(&self.latches);
                since_mark = 0;
                next_mark = next_mark.saturating_mul(2);
            }
        }
        Ok(())
    }

    fn pass(&mut self, word: &[Move], work: &mut Work<'_>) -> Check<()> {
        for frame in word {
            work.spend((1 + self.values.len() + self.latches.len()) as u64)?;
            self.frame(*frame)?;
            self.done += 1;
            self.stepped += 1;
        }
        Ok(())
    }

    fn frame(&mut self, frame: Move) -> Check<()> {
        let number = self.done + 1;
        if frame.event.0 != 0 {
            return reject(format!("frame {number} is event {}: frames are event 0", frame.event.0));
        }
        let given = frame.choice.map_or(&[][..], |choice| self.trace.choice(choice));
        let inputs = bits(given, self.circuit.inputs().len(), &format!("frame {number}"))?;
        for (node, gate) in self.circuit.gates().iter().enumerate() {
            self.values[node] = match *gate {
                Gate::False => false,
                Gate::Input(input) => inputs[input as usize],
                Gate::Latch(latch) => self.latches[latch.index()],
                Gate::And(a, b) => self.value(a) && self.value(b),
            };
        }
        if let Some(broken) = self.circuit.constraints().iter().position(|&c| !self.value(c)) {
            return reject(format!("frame {number} breaks constraint number {}", broken + 1));
        }
        for latch in 0..self.latches.len() {
            // All have one: `check` has looked.
            self.latches[latch] = self.circuit.latches()[latch].next.is_some_and(|next| self.value(next));
        }
        Ok(())
    }
}
