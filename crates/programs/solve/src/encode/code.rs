//! Encodes the local state of a thread as bits: one-hot, or as digits.
//!
//! One-hot bits express any set of states with few literals, but clauses must exclude the combinations of bits
//! that mean no state. Digits need fewer bits, and every combination of them means a state (the codes have
//! different lengths, and no code is a prefix of another). A literal of digits is a set of states; a set that
//! is no subcube needs several clauses.

use circuits::encode::CannotEncode;
use model::circuit::{CircuitBuilder, Reset, Signal};
use model::{LocalId, Thread};

/// Greatest number of states for a one-hot encoding. For more states there would be too many exclusion clauses,
/// one for each pair.
const MOST_ONE_HOT: usize = 256;

/// The encoding of local states as bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// One bit for each state, if the thread has between 3 and 256 states; otherwise digits.
    OneHot,
    /// As few bits as possible. A thread with several initial states is encoded one-hot instead.
    Digits,
}

/// The encoding of one thread's state in a circuit.
#[derive(Clone, Debug)]
pub(super) struct Coded {
    /// For each bit: the signal of its latch, and for each position in `states` whether the bit is true in this
    /// state.
    pub(super) bits: Vec<(Signal, Vec<bool>)>,
    /// The states that the thread can be in.
    pub(super) states: Vec<LocalId>,
    /// For each position in `states`: the signal that the thread is in this state.
    pub(super) at: Vec<Signal>,
    /// True if there is one bit for each state.
    pub(super) is_one_hot: bool,
}

/// Creates the latches of a thread that can only be in `states` (ascending, including the initial states). Adds
/// the clauses that hold for these latches in all frames to `clauses`.
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
    // The code of a state is its position. There are 2 * `half` codes. If s < half and s + half is not the code
    // of a state, this code also means s, so the top digit of s does not matter. Steps write 0 there.
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
