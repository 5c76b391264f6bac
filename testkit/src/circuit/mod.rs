//! Circuits: the values of a frame, gate by gate; brute force over every state, under every input; random ones.

mod generate;

pub use generate::{circuit, problem};

use crate::steps;
use model::{Circuit, Gate, LatchId, OutputId, Reset, Signal, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// The bits of all latches, the first one lowest.
pub type State = u64;

/// What is true of a circuit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    /// Frames of a shortest violating run, for each output that can be violated.
    pub shortest: BTreeMap<OutputId, u64>,
    /// The states of the frames of runs, each once.
    pub states: Vec<State>,
    /// These and such that steps lead to where no input satisfies the constraints.
    pub entered: BTreeSet<State>,
}

/// The values of all nodes, with these latches and inputs (by number).
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
    /// The frame with these latches and inputs.
    #[must_use]
    pub fn new(circuit: &'a Circuit, state: State, inputs: u64) -> Self {
        let values = values(circuit, |l| state >> l.index() & 1 == 1, |i| inputs >> i & 1 == 1);
        Self { circuit, values }
    }

    /// Is the signal true?
    #[must_use]
    pub fn is(&self, s: Signal) -> bool {
        self.values[s.node()] != s.is_negated()
    }

    /// Do all constraints hold?
    #[must_use]
    pub fn counts(&self) -> bool {
        self.circuit.constraints().iter().all(|c| self.is(*c))
    }

    /// Is the output true?
    #[must_use]
    pub fn violates(&self, output: OutputId) -> bool {
        self.is(self.circuit.outputs()[output.index()].signal)
    }

    /// The latches one frame later.
    #[must_use]
    pub fn next(&self) -> State {
        let bit = |(i, latch): (usize, &model::Latch)| {
            u64::from(self.is(latch.next.expect("circuits as read are complete"))) << i
        };
        self.circuit.latches().iter().enumerate().map(bit).sum()
    }
}

/// The states that runs may start in, one by one: there may be very many.
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

/// All states, whether some run comes to them or not.
pub fn states(circuit: &Circuit) -> impl Iterator<Item = State> + use<> {
    0..1 << circuit.latches().len()
}

/// All frames with these latches whose constraints hold.
pub fn frames(circuit: &Circuit, state: State) -> impl Iterator<Item = Frame<'_>> {
    (0..1 << circuit.inputs().len()).map(move |inputs| Frame::new(circuit, state, inputs)).filter(Frame::counts)
}

/// May runs start in the state?
#[must_use]
pub fn may_start(circuit: &Circuit, state: State) -> bool {
    circuit.latches().iter().enumerate().all(|(i, latch)| match latch.reset {
        Reset::Zero => state >> i & 1 == 0,
        Reset::One => state >> i & 1 == 1,
        Reset::Open => true,
    })
}

/// Explores the circuit, breadth first; `None` if there are more than `most` states.
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

/// Is the trace a run that violates the output?
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

/// The state that the slots of a trace name.
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

/// So many bits, 32 to a slot; nothing if there are others. Circuits here have less than 33.
fn word(slots: &[u32], bits: usize) -> Option<u64> {
    let value = match *slots {
        [] if bits == 0 => 0,
        [slot] if bits > 0 => u64::from(slot),
        _ => return None,
    };
    (value >> bits == 0).then_some(value)
}
