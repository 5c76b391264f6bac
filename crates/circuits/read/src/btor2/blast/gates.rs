//! Bits, and the gates of operators that take bit by bit, add or compare. A word is a list of signals, lowest bit
//! first.
//!
//! Work is counted in bits of rows, and the circuit in gates. Beyond either limit, operators break off with bits
//! without meaning. The caller asks [`Gates::is_full`] after each operator, and refuses the file then.

use model::{Circuit, CircuitBuilder, Signal};

/// The bits of a value, lowest first. The bits of an array are those of its elements, in the order of the indices.
pub(super) type Bits = Vec<Signal>;

pub(super) struct Gates {
    pub(super) builder: CircuitBuilder,
    /// Rows of bits computed so far, in bits.
    work: usize,
    most_work: usize,
    most_nodes: usize,
}

impl Gates {
    pub(super) fn new(most_work: usize, most_nodes: usize) -> Self {
        Self { builder: CircuitBuilder::default(), work: 0, most_work, most_nodes }
    }

    /// Counts the work on a row of bits. Returns false if there is no room for it.
    pub(super) fn charge(&mut self, bits: usize) -> bool {
        self.work = self.work.saturating_add(bits);
        !self.is_full()
    }

    pub(super) fn is_full(&self) -> bool {
        self.work > self.most_work || self.builder.circuit().gates().len() > self.most_nodes
    }

    pub(super) fn circuit(&mut self) -> &mut Circuit {
        self.builder.circuit_mut()
    }

    /// Returns `yes` if `choice` is true, else `no`.
    pub(super) fn mux(&mut self, choice: Signal, yes: Signal, no: Signal) -> Signal {
        if yes == no {
            return yes;
        }
        if yes == !no {
            return self.builder.xor(choice, no);
        }
        match (yes, no) {
            (Signal::TRUE, _) => self.builder.or(choice, no),
            (Signal::FALSE, _) => self.builder.and(!choice, no),
            (_, Signal::TRUE) => self.builder.or(!choice, yes),
            (_, Signal::FALSE) => self.builder.and(choice, yes),
            _ => self.builder.either(choice, yes, no),
        }
    }

    pub(super) fn choose(&mut self, choice: Signal, yes: &[Signal], no: &[Signal]) -> Bits {
        yes.iter().zip(no).map(|(yes, no)| self.mux(choice, *yes, *no)).collect()
    }

    pub(super) fn map2(
        &mut self,
        a: &[Signal],
        b: &[Signal],
        gate: fn(&mut CircuitBuilder, Signal, Signal) -> Signal,
    ) -> Bits {
        a.iter().zip(b).map(|(a, b)| gate(&mut self.builder, *a, *b)).collect()
    }

    /// Returns the sum and its carry.
    pub(super) fn add(&mut self, a: &[Signal], b: &[Signal], carry: Signal) -> (Bits, Signal) {
        let mut carry = carry;
        let mut sum = Bits::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.builder.xor(a, b);
            sum.push(self.builder.xor(differ, carry));
            carry = self.mux(differ, carry, a);
        }
        (sum, carry)
    }

    /// Returns the difference, and true if it is not negative as one of natural numbers.
    pub(super) fn subtract(&mut self, a: &[Signal], b: &[Signal]) -> (Bits, Signal) {
        self.add(a, &not(b), Signal::TRUE)
    }

    pub(super) fn negate(&mut self, a: &[Signal]) -> Bits {
        self.add(&zeros(a.len()), &not(a), Signal::TRUE).0
    }

    pub(super) fn negate_if(&mut self, choice: Signal, a: &[Signal]) -> Bits {
        let negated = self.negate(a);
        self.choose(choice, &negated, a)
    }

    pub(super) fn equal(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        let differ = self.map2(a, b, CircuitBuilder::xor);
        !self.builder.any(&differ)
    }

    /// Returns true if `a < b` as natural numbers.
    pub(super) fn less(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        let mut less = Signal::FALSE;
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.builder.xor(a, b);
            less = self.mux(differ, b, less);
        }
        less
    }

    /// Returns true if `a < b` as signed numbers: the order of natural numbers with inverted highest bits.
    pub(super) fn less_signed(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        self.less(&inverted_sign(a), &inverted_sign(b))
    }

    pub(super) fn parity(&mut self, a: &[Signal]) -> Signal {
        a.iter().fold(Signal::FALSE, |sum, bit| self.builder.xor(sum, *bit))
    }
}

pub(super) fn not(a: &[Signal]) -> Bits {
    a.iter().map(|bit| !*bit).collect()
}

pub(super) fn zeros(width: usize) -> Bits {
    vec![Signal::FALSE; width]
}

/// Returns the highest bit.
pub(super) fn sign(a: &[Signal]) -> Signal {
    a.last().copied().unwrap_or(Signal::FALSE)
}

/// Returns the word with `more` further bits, all of them `fill`.
pub(super) fn extended(a: &[Signal], more: usize, fill: Signal) -> Bits {
    a.iter().copied().chain(std::iter::repeat_n(fill, more)).collect()
}

fn inverted_sign(a: &[Signal]) -> Bits {
    let mut bits = a.to_vec();
    if let Some(sign) = bits.last_mut() {
        *sign = !*sign;
    }
    bits
}
