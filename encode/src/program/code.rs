//! A thread's local state as bits: one-hot, or digits.
//!
//! One-hot says with few literals what set of states a thread is in, whatever the set; but bits that mean no state must be told
//! apart, by clauses. Digits are fewer, every combination of them means a state (codes of different lengths, none of which begins another), and
//! a literal is a set of states; sets that are no subcubes take several clauses.

use crate::CannotEncode;
use model::circuit::{CircuitBuilder, Reset, Signal};
use model::{LocalId, Thread};

/// Most states of a thread that are one-hot: beyond, the clauses that say so (one for each pair) are too many.
const MOST_ONE_HOT: usize = 256;

/// How local states become bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// A bit for each state, of threads that have few.
    OneHot,
    /// As few bits as possible, where the thread starts in one state.
    Digits,
}

/// A thread's state in a circuit.
#[derive(Clone, Debug)]
pub(super) struct Coded {
    /// By bit: its latch's signal, and the states (by position in `states`) in which it is true.
    pub(super) bits: Vec<(Signal, Vec<bool>)>,
    /// The states it can be in.
    pub(super) states: Vec<LocalId>,
    /// By position in `states`: the signal that it is there.
    pub(super) at: Vec<Signal>,
    /// Is there a bit for each state?
    pub(super) is_one_hot: bool,
}

/// Makes the latches of a thread that can be in `states` only (ascending; the initial states among them). Clauses that hold of them in all frames go to
/// `clauses`.
pub(super) fn code(
    b: &mut CircuitBuilder,
    thread: &Thread,
    states: Vec<LocalId>,
    code: Code,
    clauses: &mut Vec<Vec<Signal>>,
) -> Result<Coded, CannotEncode> {
    let start = |s: &LocalId| thread.initial.binary_search(s).is_ok();
    let is_open = thread.initial.len() > 1;
    if is_open && states.len() > MOST_ONE_HOT {
        return Err(CannotEncode::TooLarge);
    }
    if is_open || (code == Code::OneHot && (3..=MOST_ONE_HOT).contains(&states.len())) {
        return Ok(one_hot(b, thread, states, &start, clauses));
    }
    let first = states.iter().position(start).expect("a thread starts somewhere");
    let width = states.len().next_power_of_two().trailing_zeros() as usize;
    // States are numbered up. A number s below half of the power of two stands for s + half, too, if that is no state: then the top
    // digit says nothing. (Steps write 0 there.)
    let half = (1usize << width) / 2;
    let digits = |s: usize| if s < half && s + half >= states.len() { width - 1 } else { width };
    let digit = |s: usize, i: usize| s >> i & 1 == 1;
    let mut bits = Vec::with_capacity(width);
    for i in 0..width {
        let reset = if digit(first, i) { Reset::One } else { Reset::Zero };
        let latch = b.circuit_mut().latch(reset, Some(format!("{}.{i}", thread.name)));
        let signal = b.circuit().latches()[latch.index()].signal;
        bits.push((signal, (0..states.len()).map(|s| digit(s, i)).collect::<Vec<bool>>()));
    }
    let mut at = Vec::with_capacity(states.len());
    for s in 0..states.len() {
        let literals: Vec<Signal> = (0..digits(s)).map(|i| bits[i].0.negated_if(!digit(s, i))).collect();
        at.push(b.all(&literals));
    }
    Ok(Coded { bits, states, at, is_one_hot: false })
}

fn one_hot(
    b: &mut CircuitBuilder,
    thread: &Thread,
    states: Vec<LocalId>,
    start: &impl Fn(&LocalId) -> bool,
    clauses: &mut Vec<Vec<Signal>>,
) -> Coded {
    let mut bits = Vec::with_capacity(states.len());
    for (i, state) in states.iter().enumerate() {
        let reset = match start(state) {
            false => Reset::Zero,
            true if thread.initial.len() > 1 => Reset::Open,
            true => Reset::One,
        };
        let name = format!("{}@{}", thread.name, thread.state(*state).name);
        let latch = b.circuit_mut().latch(reset, Some(name));
        let signal = b.circuit().latches()[latch.index()].signal;
        bits.push((signal, (0..states.len()).map(|s| s == i).collect()));
    }
    let at: Vec<Signal> = bits.iter().map(|bit| bit.0).collect();
    clauses.push(at.clone());
    for (i, &one) in at.iter().enumerate() {
        clauses.extend(at[..i].iter().map(|&other| vec![!other, !one]));
    }
    Coded { bits, states, at, is_one_hot: true }
}
