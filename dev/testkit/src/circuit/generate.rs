//! Random small circuits of several shapes: unstructured circuits, counters, places with tokens, a ring, and a
//! handshake between two machines. Constraints, open resets and small changes make circuits that almost have
//! one of these shapes.

use crate::Random;
use model::{Circuit, CircuitBuilder, Goal, LatchId, OutputId, Problem, Property, Reset, Signal};
use std::sync::Arc;

/// Returns the circuit for `seed`. It has at most 8 latches and 5 inputs.
#[must_use]
pub fn circuit(seed: u64) -> Circuit {
    let random = &mut Random::new(seed.wrapping_mul(0xa076_1d64_78bd_642f));
    let mut making = Making { random, builder: CircuitBuilder::default(), signals: Vec::new(), latches: Vec::new() };
    match making.random.below(5) {
        0 => making.anything(),
        1 => making.counter(),
        2 => making.places(),
        3 => making.ring(),
        _ => making.handshake(),
    }
    making.finish()
}

/// Returns the problem in which no output of the circuit may ever be true.
#[must_use]
pub fn problem(circuit: Circuit) -> Problem {
    let property = |i| Property::never(format!("o{i}"), Goal::Output(OutputId::new(i)));
    let properties = (0..circuit.outputs().len()).map(property).collect();
    Problem::of(Arc::new(circuit)).asking(properties).expect("these are its outputs")
}

struct Making<'a> {
    random: &'a mut Random,
    builder: CircuitBuilder,
    /// Signals from which outputs and constraints may be built.
    signals: Vec<Signal>,
    latches: Vec<LatchId>,
}

impl Making<'_> {
    fn input(&mut self) -> Signal {
        let signal = self.builder.circuit_mut().input(None);
        self.signals.push(signal);
        signal
    }

    fn inputs(&mut self, least: usize, most: usize) -> Vec<Signal> {
        (0..self.random.between(least, most)).map(|_| self.input()).collect()
    }

    fn latch(&mut self, reset: Reset) -> (LatchId, Signal) {
        let id = self.builder.circuit_mut().latch(reset, None);
        let signal = self.signal(id);
        self.signals.push(signal);
        self.latches.push(id);
        (id, signal)
    }

    fn signal(&self, latch: LatchId) -> Signal {
        self.builder.circuit().latches()[latch.index()].signal
    }

    fn reset(&mut self) -> Reset {
        match self.random.below(10) {
            0..=5 => Reset::Zero,
            6..=7 => Reset::One,
            _ => Reset::Open,
        }
    }

    fn next(&mut self, latch: LatchId, next: Signal) {
        self.builder.circuit_mut().set_next(latch, next);
        self.signals.push(next);
    }

    /// Returns a random existing signal or its negation, or rarely a constant.
    fn any(&mut self) -> Signal {
        if self.signals.is_empty() || self.random.chance(2) {
            return Signal::constant(self.random.chance(50));
        }
        let negate = self.random.chance(50);
        self.signals[self.random.below(self.signals.len())].negated_if(negate)
    }

    fn some_gate(&mut self) -> Signal {
        let (a, b) = (self.any(), self.any());
        let gate = match self.random.below(6) {
            // `CircuitBuilder` would simplify this gate. Files may contain such gates, so it is added as it is.
            0 => self.builder.circuit_mut().and(a, b),
            1 => self.builder.xor(a, b),
            2 => {
                let c = self.any();
                self.builder.either(c, a, b)
            }
            _ => self.builder.and(a, b),
        };
        self.signals.push(gate);
        gate
    }

    /// Builds a circuit without structure.
    fn anything(&mut self) {
        self.inputs(0, 4);
        for _ in 0..self.random.between(1, 7) {
            let reset = self.reset();
            self.latch(reset);
        }
        for _ in 0..self.random.between(2, 25) {
            self.some_gate();
        }
        for latch in self.latches.clone() {
            let next = self.any();
            self.next(latch, next);
        }
    }

    /// Builds a counter that counts up when an input is set. It may saturate at some number, and another input
    /// may reset it to zero.
    fn counter(&mut self) {
        let inputs = self.inputs(1, 2);
        let bits: Vec<(LatchId, Signal)> = (0..self.random.between(2, 6)).map(|_| self.latch(Reset::Zero)).collect();
        let most = self.random.below(1 << bits.len());
        let equal: Vec<Signal> = bits.iter().enumerate().map(|(i, (_, b))| b.negated_if(most >> i & 1 == 0)).collect();
        let is_last = self.builder.all(&equal);
        let saturates = self.random.chance(70);
        let mut carry = if saturates { self.builder.and(inputs[0], !is_last) } else { inputs[0] };
        for (latch, bit) in bits {
            let flipped = self.builder.xor(bit, carry);
            carry = self.builder.and(bit, carry);
            let kept = match inputs.get(1) {
                Some(&back) => self.builder.and(flipped, !back),
                None => flipped,
            };
            self.next(latch, kept);
        }
    }

    /// Builds two or three places with unary token counts. Inputs decide which tokens move.
    fn places(&mut self) {
        let (places, width) = if self.random.chance(50) { (2, 3) } else { (3, 2) };
        let moves = self.inputs(2, 4);
        let full = self.random.between(1, width);
        let mut of_place: Vec<Vec<(LatchId, Signal)>> = Vec::new();
        for place in 0..places {
            let reset = |k| if place == 0 && k < full { Reset::One } else { Reset::Zero };
            of_place.push((0..width).map(|k| self.latch(reset(k))).collect());
        }
        // Move m takes a token from its first place to its second. It needs a token in the first and free space
        // in the second.
        let between: Vec<(usize, usize)> =
            moves.iter().map(|_| (self.random.below(places), self.random.below(places))).collect();
        let mut taken = Signal::FALSE;
        let mut fires = Vec::new();
        for (input, (from, to)) in moves.into_iter().zip(&between) {
            let can = self.builder.and(of_place[*from][0].1, !of_place[*to][width - 1].1);
            let mine = self.builder.and(input, !taken);
            taken = self.builder.or(taken, input);
            fires.push(self.builder.and(can, mine));
        }
        for (place, thresholds) in of_place.iter().enumerate() {
            let of = |wanted: &dyn Fn(&(usize, usize)) -> bool| -> Vec<Signal> {
                fires.iter().zip(&between).filter(|(_, b)| wanted(b)).map(|(f, _)| *f).collect()
            };
            let (more, less) = (of(&|b| b.1 == place && b.0 != place), of(&|b| b.0 == place && b.1 != place));
            let (more, less) = (self.builder.any(&more), self.builder.any(&less));
            for k in 0..width {
                let below = if k == 0 { Signal::TRUE } else { thresholds[k - 1].1 };
                let above = if k + 1 == width { Signal::FALSE } else { thresholds[k + 1].1 };
                let kept = self.builder.either(less, above, thresholds[k].1);
                let next = self.builder.either(more, below, kept);
                self.next(thresholds[k].0, next);
            }
        }
    }

    /// Builds a ring in which one token moves on when an input is set.
    fn ring(&mut self) {
        let go = self.inputs(1, 2);
        let stations: Vec<(LatchId, Signal)> =
            (0..self.random.between(3, 7)).map(|i| self.latch(if i == 0 { Reset::One } else { Reset::Zero })).collect();
        for i in 0..stations.len() {
            let before = stations[(i + stations.len() - 1) % stations.len()].1;
            let next = self.builder.either(go[0], before, stations[i].1);
            self.next(stations[i].0, next);
        }
    }

    /// Builds a requesting and an answering machine, each of which reads the other's state.
    fn handshake(&mut self) {
        let inputs = self.inputs(2, 3);
        let (ask, asked) = self.latch(Reset::Zero);
        let (answer, answered) = self.latch(Reset::Zero);
        let rise = self.builder.and(inputs[0], !answered);
        let ask_next = self.builder.either(asked, !answered, rise);
        let answer_next = self.builder.either(inputs[1], asked, answered);
        self.next(ask, ask_next);
        self.next(answer, answer_next);
        for _ in 0..self.random.between(1, 4) {
            let reset = self.reset();
            let (latch, held) = self.latch(reset);
            let (choice, new) = (self.any(), self.any());
            let next = self.builder.either(choice, new, held);
            self.next(latch, next);
        }
    }

    /// Adds outputs, perhaps constraints, and perhaps a change of a latch.
    fn finish(mut self) -> Circuit {
        if self.random.chance(35) {
            for _ in 0..self.random.between(1, 2) {
                let constraint = if self.random.chance(60) {
                    let (a, b) = (self.any(), self.any());
                    self.builder.or(a, b)
                } else {
                    self.any()
                };
                self.builder.circuit_mut().constrain(constraint);
            }
        }
        for _ in 0..self.random.between(1, 3) {
            let signals: Vec<Signal> = (0..self.random.between(1, 5)).map(|_| self.any()).collect();
            let signal = self.builder.all(&signals);
            self.builder.circuit_mut().output(signal, None);
        }
        for _ in 0..[0, 0, 1, 2][self.random.below(4)] {
            let latch = self.latches[self.random.below(self.latches.len())];
            if self.random.chance(50) {
                let reset = self.reset();
                self.builder.circuit_mut().set_reset(latch, reset);
            } else {
                let next = self.any();
                self.builder.circuit_mut().set_next(latch, next);
            }
        }
        self.builder.finish()
    }
}
