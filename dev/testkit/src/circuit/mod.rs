//! Circuits: evaluation of a frame gate by gate, brute force over all states and inputs, and random circuits.

mod generate;
mod justice;

pub use generate::{circuit, problem};
pub use justice::{circuit_with_justice, has_fair_run, is_fair_run, justice_problem};

use crate::steps;
use model::{Circuit, Gate, LatchId, OutputId, Reset, Signal, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// The values of all latches. The first latch is the lowest bit.
pub type State = u64;

/// The results of brute force on a circuit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    /// For each output that can be violated: the number of frames of a shortest violating run.
    pub shortest: BTreeMap<OutputId, u64>,
    /// The states of all frames that occur in runs, each once.
    pub states: Vec<State>,
    /// The states in `states`, and also the states to which a step leads but in which no input satisfies the
    /// constraints.
    pub entered: BTreeSet<State>,
}

/// Returns the values of all nodes for the given latches and inputs. Inputs are given by number.
pub fn values(circuit: &Circuit, latch: impl Fn(LatchId) -> bool, input: impl Fn(u32) -> bool) -> Vec<bool> {
    let mut values: Vec<bool> = Vec::with_capacity(circuit.gates().len());
    for gate in circuit.gates() {
        let of = |s: Signal| values[s.node()] != s.is_negated();
        values.push(match *gate {
            Gate::False => false,
            Gate::Input(i) => input(i),
            Gate::Latch(l) => latch(l),
            Gate::And(a, b) => of(a) && of(b),
        });
    }
    values
}

/// One frame: the values of all nodes.
pub struct Frame<'a> {
    circuit: &'a Circuit,
    values: Vec<bool>,
}

impl<'a> Frame<'a> {
    /// Evaluates the frame with the given latches and inputs.
    #[must_use]
    pub fn new(circuit: &'a Circuit, state: State, inputs: u64) -> Self {
        let values = values(circuit, |l| state >> l.index() & 1 == 1, |i| inputs >> i & 1 == 1);
        Self { circuit, values }
    }

    /// True if the signal is true in the frame.
    #[must_use]
    pub fn is(&self, s: Signal) -> bool {
        self.values[s.node()] != s.is_negated()
    }

    /// True if all constraints hold in the frame.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.circuit.constraints().iter().all(|c| self.is(*c))
    }

    /// True if the output is true in the frame.
    #[must_use]
    pub fn violates(&self, output: OutputId) -> bool {
        self.is(self.circuit.outputs()[output.index()].signal)
    }

    /// Returns the values of the latches in the next frame.
    #[must_use]
    pub fn next(&self) -> State {
        let bit = |(i, latch): (usize, &model::Latch)| {
            u64::from(self.is(latch.next.expect("circuits as read are complete"))) << i
        };
        self.circuit.latches().iter().enumerate().map(bit).sum()
    }
}

/// Iterates over the initial states. There may be very many.
pub fn initial(circuit: &Circuit) -> impl Iterator<Item = State> + '_ {
    let of = |wanted| {
        let latches = circuit.latches().iter().enumerate();
        latches.filter(move |(_, latch)| latch.reset == wanted).map(|(i, _)| 1 << i).collect::<Vec<State>>()
    };
    let ones: State = of(Reset::One).iter().sum();
    let open = of(Reset::Open);
    let choose = move |choice: u64| -> State {
        open.iter().enumerate().filter(|(i, _)| choice >> i & 1 == 1).map(|(_, bit)| bit).sum()
    };
    let choices = 1 << circuit.latches().iter().filter(|latch| latch.reset == Reset::Open).count();
    (0..choices).map(move |choice| ones | choose(choice))
}

/// Iterates over all states, reachable or not.
pub fn states(circuit: &Circuit) -> impl Iterator<Item = State> + use<> {
    0..1 << circuit.latches().len()
}

/// Iterates over the frames that have these latches and satisfy all constraints.
pub fn frames(circuit: &Circuit, state: State) -> impl Iterator<Item = Frame<'_>> {
    (0..1 << circuit.inputs().len()).map(move |inputs| Frame::new(circuit, state, inputs)).filter(Frame::counts)
}

/// True if the state is an initial state.
#[must_use]
pub fn may_start(circuit: &Circuit, state: State) -> bool {
    circuit.latches().iter().enumerate().all(|(i, latch)| match latch.reset {
        Reset::Zero => state >> i & 1 == 0,
        Reset::One => state >> i & 1 == 1,
        Reset::Open => true,
    })
}

/// Explores the circuit breadth first. Returns `None` if it has more than `most` states.
#[must_use]
pub fn truth(circuit: &Circuit, most: usize) -> Option<Truth> {
    let mut queue: Vec<(State, u64)> = Vec::new();
    let mut seen: BTreeSet<State> = BTreeSet::new();
    for state in initial(circuit) {
        if queue.len() > most {
            return None;
        }
        seen.insert(state);
        queue.push((state, 1));
    }
    let mut truth = Truth { shortest: BTreeMap::new(), states: Vec::new(), entered: BTreeSet::new() };
    let mut next = 0;
    while let Some(&(state, frames_so_far)) = queue.get(next) {
        if queue.len() > most {
            return None;
        }
        next += 1;
        let mut is_passed = false;
        for frame in frames(circuit, state) {
            is_passed = true;
            for output in (0..circuit.outputs().len()).map(OutputId::new).filter(|o| frame.violates(*o)) {
                truth.shortest.entry(output).or_insert(frames_so_far);
            }
            let to = frame.next();
            if seen.insert(to) {
                queue.push((to, frames_so_far + 1));
            }
        }
        if is_passed {
            truth.states.push(state);
        }
    }
    truth.entered = seen;
    Some(truth)
}

/// True if the trace is a run and its last frame violates the output.
#[must_use]
pub fn is_violation(circuit: &Circuit, trace: &Trace, output: OutputId) -> bool {
    let Some(mut state) = start(circuit, &trace.start) else { return false };
    let mut violated = false;
    for step in steps(trace) {
        let slots = step.choice.map_or(&[][..], |choice| trace.choice(choice));
        let Some(inputs) = word(slots, circuit.inputs().len()) else { return false };
        let frame = Frame::new(circuit, state, inputs);
        if step.event.index() != 0 || !frame.counts() {
            return false;
        }
        violated = frame.violates(output);
        state = frame.next();
    }
    violated
}

/// Returns the initial state for the slots of a trace. `None` if the slots do not fit the open latches.
fn start(circuit: &Circuit, slots: &[u32]) -> Option<State> {
    let open = circuit.latches().iter().filter(|latch| latch.reset == Reset::Open).count();
    let mut free = word(slots, open)?;
    let mut state = 0;
    for (i, latch) in circuit.latches().iter().enumerate() {
        let bit = match latch.reset {
            Reset::Zero => 0,
            Reset::One => 1,
            Reset::Open => {
                let bit = free & 1;
                free >>= 1;
                bit
            }
        };
        state |= bit << i;
    }
    Some(state)
}

/// Decodes `bits` bits from slots of 32 bits. `None` if the slots hold more bits or have another number.
/// Circuits here have fewer than 33 bits.
fn word(slots: &[u32], bits: usize) -> Option<u64> {
    let value = match *slots {
        [] if bits == 0 => 0,
        [slot] if bits > 0 => u64::from(slot),
        _ => return None,
    };
    (value >> bits == 0).then_some(value)
}
