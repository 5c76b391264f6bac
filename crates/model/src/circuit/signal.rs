//! Signals: the nodes of a circuit, plain or negated.

use std::ops::Not;

/// A node of a circuit or its negation, encoded as in AIGER: twice the number of the node, plus one if negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Signal(u32);

impl Signal {
    /// The constant false, which is node 0.
    pub const FALSE: Signal = Signal(0);
    /// The constant true: node 0 negated.
    pub const TRUE: Signal = Signal(1);

    /// Returns the signal of the node with this number, plain or negated.
    ///
    /// # Panics
    /// Panics if the node number does not fit 31 bits. Readers reject circuits of that size.
    #[must_use]
    pub fn new(node: usize, negated: bool) -> Self {
        let code = node.checked_mul(2).and_then(|twice| u32::try_from(twice).ok());
        Self(code.expect("fewer than 2^31 nodes") | u32::from(negated))
    }

    /// Returns the signal with this AIGER literal.
    #[must_use]
    pub fn from_code(code: u32) -> Self {
        Self(code)
    }

    /// Returns the AIGER literal of the signal, under the node numbers of this circuit.
    #[must_use]
    pub fn code(self) -> u32 {
        self.0
    }

    /// Returns the number of the node.
    #[must_use]
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Returns true if the signal is the negation of its node.
    #[must_use]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Returns the constant signal with this value.
    #[must_use]
    pub fn constant(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// Returns the signal, negated if `negate` is true.
    #[must_use]
    pub fn negated_if(self, negate: bool) -> Self {
        Self(self.0 ^ u32::from(negate))
    }
}

impl Not for Signal {
    type Output = Signal;

    fn not(self) -> Signal {
        Self(self.0 ^ 1)
    }
}
