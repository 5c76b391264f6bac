//! A builder of circuits that simplifies gates as it makes them.
//!
//! Beside constants and equal operands, the builder looks at the operands of the operands (local two-level
//! optimisation, Brummayer and Biere 2006): contradiction, subsumption, idempotence, substitution and resolution. It
//! applies only rules that add at most one gate. Each rule replaces an operand by one with a smaller node, so that
//! rewriting ends.

use super::signal::Signal;
use super::{Circuit, Gate};

/// What a conjunction is equal to.
enum Simpler {
    Signal(Signal),
    And(Signal, Signal),
}

/// Builds a circuit. Gates with a constant result or with a single relevant operand are simplified, conjunctions are
/// rewritten by the operands of their operands, and equal gates are shared.
#[derive(Clone, Debug, Default)]
pub struct CircuitBuilder {
    circuit: Circuit,
    seen: hashbrown::HashMap<(Signal, Signal), Signal>,
}

impl From<Circuit> for CircuitBuilder {
    /// Goes on with a circuit. Gates that are equal to one that it has already are not found.
    fn from(circuit: Circuit) -> Self {
        Self { circuit, seen: hashbrown::HashMap::new() }
    }
}

impl CircuitBuilder {
    /// The circuit built so far.
    #[must_use]
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// Gives mutable access to the circuit, to add inputs, latches, outputs and constraints.
    pub fn circuit_mut(&mut self) -> &mut Circuit {
        &mut self.circuit
    }

    /// Returns the finished circuit.
    #[must_use]
    pub fn finish(self) -> Circuit {
        self.circuit
    }

    /// Returns the conjunction `a and b`. Adds at most one gate.
    pub fn and(&mut self, a: Signal, b: Signal) -> Signal {
        let (mut a, mut b) = (a, b);
        loop {
            (a, b) = if a <= b { (a, b) } else { (b, a) };
            let simpler = self.constant(a, b).or_else(|| self.rewrite(a, b)).or_else(|| self.rewrite(b, a));
            match simpler {
                Some(Simpler::Signal(signal)) => return signal,
                Some(Simpler::And(c, d)) => (a, b) = (c, d),
                None => return *self.seen.entry((a, b)).or_insert_with(|| self.circuit.and(a, b)),
            }
        }
    }

    fn constant(&self, a: Signal, b: Signal) -> Option<Simpler> {
        if a == Signal::FALSE || a == !b {
            return Some(Simpler::Signal(Signal::FALSE));
        }
        (a == Signal::TRUE || a == b).then_some(Simpler::Signal(b))
    }

    /// Applies a rule for the operands of `a`, and those of `b` if it has some. `None` if none applies.
    fn rewrite(&self, a: Signal, b: Signal) -> Option<Simpler> {
        let (c, d) = self.operands(a)?;
        let inner = self.operands(b);
        if !a.is_negated() {
            return match inner {
                _ if b == !c || b == !d => Some(Simpler::Signal(Signal::FALSE)),
                _ if b == c || b == d => Some(Simpler::Signal(a)),
                Some((e, f)) if !b.is_negated() => {
                    let is_empty = [c, d].iter().any(|&one| one == !e || one == !f);
                    is_empty.then_some(Simpler::Signal(Signal::FALSE))
                }
                Some((e, f)) if c == !e || c == !f || d == !e || d == !f => Some(Simpler::Signal(a)),
                Some((e, f)) if c == e || d == e => Some(Simpler::And(a, !f)),
                Some((e, f)) if c == f || d == f => Some(Simpler::And(a, !e)),
                _ => None,
            };
        }
        match inner {
            _ if b == !c || b == !d => Some(Simpler::Signal(b)),
            _ if b == c => Some(Simpler::And(b, !d)),
            _ if b == d => Some(Simpler::And(b, !c)),
            Some((e, f)) if b.is_negated() => {
                let resolves =
                    |one: Signal, other: Signal, third: Signal, fourth: Signal| one == third && other == !fourth;
                if resolves(c, d, e, f) || resolves(c, d, f, e) {
                    Some(Simpler::Signal(!c))
                } else if resolves(d, c, e, f) || resolves(d, c, f, e) {
                    Some(Simpler::Signal(!d))
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// The operands of the gate of this signal, if it is an and gate.
    fn operands(&self, signal: Signal) -> Option<(Signal, Signal)> {
        match self.circuit.gates()[signal.node()] {
            Gate::And(a, b) => Some((a, b)),
            _ => None,
        }
    }

    /// Returns the disjunction `a or b`.
    pub fn or(&mut self, a: Signal, b: Signal) -> Signal {
        !self.and(!a, !b)
    }

    /// Returns the exclusive or of `a` and `b`. Adds at most three gates.
    pub fn xor(&mut self, a: Signal, b: Signal) -> Signal {
        let (one, other) = (self.and(a, !b), self.and(!a, b));
        self.or(one, other)
    }

    /// Returns `yes` if `choice` is true, else `no`. Adds at most three gates.
    pub fn either(&mut self, choice: Signal, yes: Signal, no: Signal) -> Signal {
        let (yes, no) = (self.and(choice, yes), self.and(!choice, no));
        self.or(yes, no)
    }

    /// Returns the conjunction of all signals, as a balanced tree of gates; true for an empty list.
    pub fn all(&mut self, signals: &[Signal]) -> Signal {
        let mut layer = signals.to_vec();
        while layer.len() > 1 {
            layer = layer.chunks(2).map(|c| if let [a, b] = *c { self.and(a, b) } else { c[0] }).collect();
        }
        layer.first().copied().unwrap_or(Signal::TRUE)
    }

    /// Returns the disjunction of all signals; false for an empty list.
    pub fn any(&mut self, signals: &[Signal]) -> Signal {
        let negated: Vec<Signal> = signals.iter().map(|&s| !s).collect();
        !self.all(&negated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trivial_and_equal_gates_are_not_made() {
        let mut b = CircuitBuilder::default();
        let (x, y) = (b.circuit_mut().input(None), b.circuit_mut().input(None));
        assert_eq!(b.and(x, Signal::FALSE), Signal::FALSE);
        assert_eq!(b.and(Signal::TRUE, x), x);
        assert_eq!(b.and(x, !x), Signal::FALSE);
        assert_eq!(b.and(x, y), b.and(y, x));
        assert_eq!(b.circuit().ands(), 1);
        assert_eq!(b.any(&[]), Signal::FALSE);
        assert_eq!(b.all(&[]), Signal::TRUE);
    }

    /// Each signal has the truth table that its construction says, and a conjunction adds at most one gate.
    #[test]
    fn rewriting_keeps_the_function() {
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut saved = 0;
        for _ in 0..2_000 {
            let mut b = CircuitBuilder::default();
            let tables = [0b1010_1010_u8, 0b1100_1100, 0b1111_0000];
            let mut known: Vec<(Signal, u8)> = tables.map(|table| (b.circuit_mut().input(None), table)).to_vec();
            for _ in 0..20 {
                let [left, right] = [(); 2].map(|()| {
                    let (signal, table) = known[random(known.len())];
                    if random(2) == 0 { (signal, table) } else { (!signal, !table) }
                });
                let before = b.circuit().ands();
                known.push((b.and(left.0, right.0), left.1 & right.1));
                let added = b.circuit().ands() - before;
                assert!(added <= 1);
                saved += 1 - added;
            }
            for (signal, table) in known {
                let value = (0..8).fold(0_u8, |all, row| all | u8::from(evaluate(b.circuit(), signal, row)) << row);
                assert_eq!(value, table);
            }
        }
        assert!(saved > 10_000, "{saved} conjunctions without a new gate");
    }

    /// The value of a signal if bit i of `row` is the value of the i-th input.
    fn evaluate(circuit: &Circuit, signal: Signal, row: u8) -> bool {
        let value = match circuit.gates()[signal.node()] {
            Gate::False => false,
            Gate::Input(input) => row >> input & 1 != 0,
            Gate::Latch(_) => unreachable!("the circuit has no latches"),
            Gate::And(a, b) => evaluate(circuit, a, row) && evaluate(circuit, b, row),
        };
        value != signal.is_negated()
    }
}
