//! Variables and literals of the SAT core.

use std::fmt;
use std::ops::Not;

/// A propositional variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub(crate) u32);

/// A literal: a variable or its negation, encoded as `2 * var + sign`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(pub(crate) u32);

impl Var {
    /// Index of the variable in order of creation, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The variable with this index.
    ///
    /// # Panics
    /// If `index` is 2^31 or more.
    #[must_use]
    pub fn new(index: usize) -> Self {
        assert!(index < 1 << 31, "at most 2^31 variables");
        Self(index as u32)
    }

    /// The literal that is true if and only if this variable is true.
    #[must_use]
    pub fn positive(self) -> Lit {
        Lit(self.0 << 1)
    }

    /// The literal that is true if and only if this variable is false.
    #[must_use]
    pub fn negative(self) -> Lit {
        Lit(self.0 << 1 | 1)
    }
}

impl Lit {
    /// The variable of this literal.
    #[must_use]
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// True if the literal is the variable itself, false if it is the negation.
    #[must_use]
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// The literal in DIMACS notation: the variable number from 1, negative if the literal is negated.
    #[must_use]
    pub fn to_dimacs(self) -> i32 {
        let number = (self.0 >> 1) as i32 + 1;
        if self.is_positive() { number } else { -number }
    }

    /// Reads a literal in DIMACS notation; the inverse of [`Lit::to_dimacs`].
    ///
    /// # Panics
    /// If `number` is 0.
    #[must_use]
    pub fn from_dimacs(number: i32) -> Self {
        assert!(number != 0, "0 is no literal");
        let var = Var(number.unsigned_abs() - 1);
        if number > 0 { var.positive() } else { var.negative() }
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_dimacs())
    }
}
