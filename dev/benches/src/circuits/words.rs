//! Words of signals, lowest bit first, and registers: what circuits of the families are built from.

use model::{Circuit, CircuitBuilder, LatchId, Reset, Signal};

/// A word of signals, lowest bit first.
pub(super) type Word = Vec<Signal>;

/// Bits that a number below `count` needs.
pub(super) fn bits(count: usize) -> usize {
    (usize::BITS - (count - 1).leading_zeros()) as usize
}

/// A register. Its next value is set at the end.
pub(super) struct Register {
    latches: Vec<LatchId>,
    pub(super) now: Word,
}

/// Builds circuits from words.
#[derive(Default)]
pub(super) struct Words {
    pub(super) gates: CircuitBuilder,
}

impl Words {
    pub(super) fn input(&mut self) -> Signal {
        self.gates.circuit_mut().input(None)
    }

    pub(super) fn inputs(&mut self, width: usize) -> Word {
        (0..width).map(|_| self.input()).collect()
    }

    pub(super) fn constant(width: usize, value: u64) -> Word {
        (0..width).map(|bit| Signal::constant(bit < 64 && value >> bit & 1 == 1)).collect()
    }

    /// A register that holds `first` in the first frame.
    pub(super) fn register(&mut self, width: usize, first: u64) -> Register {
        let reset = |bit: usize| if bit < 64 && first >> bit & 1 == 1 { Reset::One } else { Reset::Zero };
        let latches: Vec<LatchId> = (0..width).map(|bit| self.gates.circuit_mut().latch(reset(bit), None)).collect();
        let now = latches.iter().map(|latch| self.gates.circuit().latches()[latch.index()].signal).collect();
        Register { latches, now }
    }

    pub(super) fn set(&mut self, register: &Register, next: &[Signal]) {
        assert_eq!(register.latches.len(), next.len());
        for (&latch, &next) in register.latches.iter().zip(next) {
            self.gates.circuit_mut().set_next(latch, next);
        }
    }

    /// Ends the circuit with the signal that must never be true.
    pub(super) fn never(mut self, bad: Signal) -> Circuit {
        self.gates.circuit_mut().output(bad, Some("bad".to_owned()));
        self.gates.finish()
    }

    /// Ends the circuit with a justice property: no run may make all of `signals` true infinitely often. Only runs
    /// count in which each signal of `fair` is true infinitely often.
    pub(super) fn not_forever(mut self, signals: &[Signal], fair: &[Signal]) -> Circuit {
        let circuit = self.gates.circuit_mut();
        circuit.justice(signals.to_vec(), Some("starved".to_owned()));
        fair.iter().for_each(|&signal| circuit.add_fairness(signal));
        self.gates.finish()
    }

    /// The number after `word` in a round of `count` numbers if `moves` is true, else `word`.
    pub(super) fn next_of(&mut self, word: &[Signal], count: usize, moves: Signal) -> Word {
        let is_last = self.is(word, count as u64 - 1);
        let wraps = self.gates.and(is_last, moves);
        let next = self.increment(word, moves);
        self.and_bit(&next, !wraps)
    }

    /// The signal with the number `index`.
    pub(super) fn pick_bit(&mut self, index: &[Signal], bits: &[Signal]) -> Signal {
        let words: Vec<Word> = bits.iter().map(|&bit| vec![bit]).collect();
        self.pick(index, &words)[0]
    }

    pub(super) fn xor(&mut self, a: &[Signal], b: &[Signal]) -> Word {
        a.iter().zip(b).map(|(&a, &b)| self.gates.xor(a, b)).collect()
    }

    pub(super) fn and_bit(&mut self, word: &[Signal], bit: Signal) -> Word {
        word.iter().map(|&a| self.gates.and(a, bit)).collect()
    }

    pub(super) fn either(&mut self, choice: Signal, yes: &[Signal], no: &[Signal]) -> Word {
        yes.iter().zip(no).map(|(&yes, &no)| self.gates.either(choice, yes, no)).collect()
    }

    pub(super) fn equal(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        let differ = self.xor(a, b);
        !self.gates.any(&differ)
    }

    pub(super) fn is(&mut self, word: &[Signal], value: u64) -> Signal {
        self.equal(word, &Self::constant(word.len(), value))
    }

    /// The sum modulo 2^width, with a carry in, and the carry out.
    pub(super) fn add(&mut self, a: &[Signal], b: &[Signal], carry: Signal) -> (Word, Signal) {
        let (mut sum, mut carry) = (Vec::new(), carry);
        for (&a, &b) in a.iter().zip(b) {
            let half = self.gates.xor(a, b);
            sum.push(self.gates.xor(half, carry));
            let (both, passed) = (self.gates.and(a, b), self.gates.and(half, carry));
            carry = self.gates.or(both, passed);
        }
        (sum, carry)
    }

    pub(super) fn increment(&mut self, word: &[Signal], by: Signal) -> Word {
        let zero = vec![Signal::FALSE; word.len()];
        self.add(word, &zero, by).0
    }

    /// True if `a` is less than `b`, as unsigned numbers.
    pub(super) fn less(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        // b + (2^width - 1 - a) carries out iff b > a.
        let not_a: Word = a.iter().map(|&bit| !bit).collect();
        self.add(b, &not_a, Signal::FALSE).1
    }

    /// The word with the number `index`.
    pub(super) fn pick(&mut self, index: &[Signal], words: &[Word]) -> Word {
        let mut result = vec![Signal::FALSE; words[0].len()];
        for (value, word) in words.iter().enumerate() {
            let chosen = self.is(index, value as u64);
            let chosen = self.and_bit(word, chosen);
            result = result.iter().zip(chosen).map(|(&a, b)| self.gates.or(a, b)).collect();
        }
        result
    }

    /// True if two of these signals are true.
    pub(super) fn two(&mut self, signals: &[Signal]) -> Signal {
        let (mut some, mut two) = (Signal::FALSE, Signal::FALSE);
        for &signal in signals {
            let again = self.gates.and(some, signal);
            two = self.gates.or(two, again);
            some = self.gates.or(some, signal);
        }
        two
    }

    /// The product modulo 2^width, as a sum of shifted words.
    pub(super) fn product(&mut self, a: &[Signal], b: &[Signal], width: usize) -> Word {
        let mut sum = vec![Signal::FALSE; width];
        for (shift, &bit) in b.iter().enumerate() {
            let mut part = vec![Signal::FALSE; shift];
            part.extend_from_slice(a);
            part.resize(width, Signal::FALSE);
            let part = self.and_bit(&part, bit);
            sum = self.add(&sum, &part, Signal::FALSE).0;
        }
        sum
    }
}
