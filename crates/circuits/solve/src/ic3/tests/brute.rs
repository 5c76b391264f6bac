//! Decides small circuits by brute force: enumerates all states and all inputs.

use model::{Circuit, CircuitRun, Gate, Signal};
use testkit::circuit;

/// A circuit, clauses that count as constraints, and the signal in question.
pub(super) struct Brute<'a> {
    pub(super) circuit: &'a Circuit,
    pub(super) clauses: &'a [Vec<Signal>],
    pub(super) bad: Signal,
}

/// The result of evaluating a frame.
struct Frame {
    allowed: bool,
    bad: bool,
    next: usize,
}

impl Brute<'_> {
    fn inputs(&self) -> usize {
        1 << self.circuit.inputs().len()
    }

    fn frame(&self, state: usize, inputs: usize) -> Frame {
        let frame = circuit::Frame::new(self.circuit, state as u64, inputs as u64);
        Frame {
            allowed: frame.counts() && self.clauses.iter().all(|c| c.iter().any(|s| frame.is(*s))),
            bad: frame.is(self.bad),
            next: frame.next() as usize,
        }
    }

    /// For each state, true if it is initial.
    pub(super) fn initial(&self) -> Vec<bool> {
        circuit::states(self.circuit).map(|state| circuit::may_start(self.circuit, state)).collect()
    }

    /// True if the clauses over latches alone hold in the state.
    pub(super) fn is_meant(&self, state: usize) -> bool {
        let bit = |s: &Signal| match self.circuit.gates()[s.node()] {
            Gate::Latch(l) => Some((state >> l.index() & 1 == 1) != s.is_negated()),
            _ => None,
        };
        let holds = |c: &Vec<Signal>| c.iter().any(|s| bit(s) != Some(false));
        self.clauses.iter().filter(|c| c.iter().all(|s| bit(s).is_some())).all(holds)
    }

    /// For each state, true if it can be reached from the given ones.
    pub(super) fn reached_from(&self, mut states: Vec<bool>) -> Vec<bool> {
        let mut open: Vec<usize> = (0..states.len()).filter(|&s| states[s]).collect();
        while let Some(state) = open.pop() {
            for inputs in 0..self.inputs() {
                let frame = self.frame(state, inputs);
                if frame.allowed && !std::mem::replace(&mut states[frame.next], true) {
                    open.push(frame.next);
                }
            }
        }
        states
    }

    pub(super) fn is_safe(&self) -> bool {
        let initial = self.initial().into_iter().enumerate().map(|(state, holds)| holds && self.is_meant(state));
        let reached = self.reached_from(initial.collect());
        let is_bad =
            |state: usize| (0..self.inputs()).any(|i| self.frame(state, i).allowed && self.frame(state, i).bad);
        (0..reached.len()).all(|state| !reached[state] || !is_bad(state))
    }

    /// Checks that the clauses hold in the initial states, are kept by every step, and exclude the bad signal.
    /// Clauses over latches alone count as the meaning of latches.
    pub(super) fn check(&self, invariant: &[Vec<(model::LatchId, bool)>]) {
        self.check_named(invariant, &[]);
    }

    /// The same for clauses that also speak of gates by their names.
    pub(super) fn check_named(
        &self,
        invariant: &[Vec<(model::LatchId, bool)>],
        names: &[(model::LatchId, model::Signal)],
    ) {
        let value = |state: usize, latch: model::LatchId| match names.iter().find(|(name, _)| *name == latch) {
            Some((_, gate)) => circuit::Frame::new(self.circuit, state as u64, 0).is(*gate),
            None => state >> latch.index() & 1 == 1,
        };
        let holds = |state: usize| invariant.iter().all(|c| c.iter().any(|&(l, is)| value(state, l) == is));
        for (state, is_initial) in self.initial().into_iter().enumerate() {
            if !self.is_meant(state) {
                continue;
            }
            assert!(!is_initial || holds(state), "initial state {state:b} breaks a clause");
            if !holds(state) {
                continue;
            }
            for inputs in 0..self.inputs() {
                let frame = self.frame(state, inputs);
                if frame.allowed {
                    assert!(!frame.bad, "the clauses allow a bad state");
                    assert!(holds(frame.next), "a step from {state:b} breaks a clause");
                }
            }
        }
    }

    pub(super) fn replay(&self, run: &CircuitRun) {
        let number = |bits: &[bool]| bits.iter().enumerate().map(|(i, &b)| usize::from(b) << i).sum::<usize>();
        let mut state = number(&run.start);
        assert!(self.initial()[state], "the run starts anywhere");
        for (at, inputs) in run.inputs.iter().enumerate() {
            let frame = self.frame(state, number(inputs));
            assert!(frame.allowed, "frame {at} breaks a constraint");
            if at + 1 == run.inputs.len() {
                assert!(frame.bad, "nothing bad at the end");
            }
            state = frame.next;
        }
    }
}
