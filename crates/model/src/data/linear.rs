//! Linear terms and constraints over the symbols of a program with unbounded data.

use crate::ids::{ThreadId, VariableId};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::fmt;

/// What a term may contain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// A variable, with its value before the step.
    Variable(VariableId),
    /// An argument of the event, by its position.
    Argument(u32),
    /// A number that a decision of this thread defines.
    Input(ThreadId, u32),
}

/// A linear term: multiples of symbols and a constant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Linear {
    /// Ascending, each symbol once, no factor is zero.
    terms: Vec<(Symbol, BigInt)>,
    constant: BigInt,
}

/// The constraint that a linear term is at most 0. The factors have no common divisor, and the constant is rounded up:
/// no integer can tell the difference.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Constraint(Linear);

impl Linear {
    /// Returns a number as a term.
    #[must_use]
    pub fn number(constant: impl Into<BigInt>) -> Self {
        Self { terms: Vec::new(), constant: constant.into() }
    }

    /// Returns a symbol as a term.
    #[must_use]
    pub fn of(symbol: Symbol) -> Self {
        Self { terms: vec![(symbol, BigInt::one())], constant: BigInt::zero() }
    }

    /// Returns the sum of multiples of symbols and a constant. Symbols may be repeated.
    #[must_use]
    pub fn new(terms: impl IntoIterator<Item = (Symbol, BigInt)>, constant: BigInt) -> Self {
        let mut terms: Vec<(Symbol, BigInt)> = terms.into_iter().collect();
        terms.sort_by_key(|term| term.0);
        terms.dedup_by(|next, first| {
            let is_same = next.0 == first.0;
            if is_same {
                first.1 += &next.1;
            }
            is_same
        });
        terms.retain(|(_, factor)| !factor.is_zero());
        Self { terms, constant }
    }

    /// The symbols with their factors.
    #[must_use]
    pub fn terms(&self) -> &[(Symbol, BigInt)] {
        &self.terms
    }

    /// The constant.
    #[must_use]
    pub fn constant(&self) -> &BigInt {
        &self.constant
    }

    /// Returns the value if the term contains no symbol.
    #[must_use]
    pub fn as_number(&self) -> Option<&BigInt> {
        self.terms.is_empty().then_some(&self.constant)
    }

    /// Returns `self + factor * other`.
    #[must_use]
    pub fn plus(&self, factor: &BigInt, other: &Self) -> Self {
        let scaled = other.terms.iter().map(|(symbol, f)| (*symbol, f * factor));
        Self::new(self.terms.iter().cloned().chain(scaled), &self.constant + factor * &other.constant)
    }

    /// Returns `factor * self`.
    #[must_use]
    pub fn scaled(&self, factor: &BigInt) -> Self {
        Self::default().plus(factor, self)
    }

    /// Returns `self - other`.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&-BigInt::one(), other)
    }

    /// Returns the term with symbols replaced by terms, where `of` gives one.
    #[must_use]
    pub fn substitute(&self, of: &dyn Fn(Symbol) -> Option<Linear>) -> Self {
        let mut result = Self::number(self.constant.clone());
        let mut kept = Vec::new();
        for (symbol, factor) in &self.terms {
            match of(*symbol) {
                Some(term) => result = result.plus(factor, &term),
                None => kept.push((*symbol, factor.clone())),
            }
        }
        Self::new(result.terms.into_iter().chain(kept), result.constant)
    }

    /// Returns the value for these values of the symbols.
    #[must_use]
    pub fn value(&self, of: &dyn Fn(Symbol) -> BigInt) -> BigInt {
        self.terms.iter().map(|(symbol, factor)| factor * of(*symbol)).sum::<BigInt>() + &self.constant
    }
}

impl Constraint {
    /// Returns the constraint `term <= 0`.
    #[must_use]
    pub fn at_most_zero(term: &Linear) -> Self {
        let divisor = term.terms.iter().fold(BigInt::zero(), |divisor, (_, factor)| divisor.gcd(factor));
        if divisor.is_zero() || divisor.is_one() {
            return Self(term.clone());
        }
        let terms = term.terms.iter().map(|(symbol, factor)| (*symbol, factor / &divisor)).collect();
        Self(Linear { terms, constant: term.constant.div_ceil(&divisor) })
    }

    /// Returns the constraint `left <= right`.
    #[must_use]
    pub fn at_most(left: &Linear, right: &Linear) -> Self {
        Self::at_most_zero(&left.minus(right))
    }

    /// The term that is at most 0.
    #[must_use]
    pub fn term(&self) -> &Linear {
        &self.0
    }

    /// Returns the constraint that holds for exactly the other integers: `1 - term <= 0`.
    #[must_use]
    pub fn negation(&self) -> Self {
        Self(Linear::number(1).minus(&self.0))
    }

    /// Returns the truth value if the constraint contains no symbol.
    #[must_use]
    pub fn as_truth(&self) -> Option<bool> {
        self.0.as_number().map(|value| !value.is_positive())
    }

    /// Returns true if the constraint holds for these values.
    #[must_use]
    pub fn holds(&self, of: &dyn Fn(Symbol) -> BigInt) -> bool {
        !self.0.value(of).is_positive()
    }

    /// Returns the constraint with symbols replaced by terms.
    #[must_use]
    pub fn substitute(&self, of: &dyn Fn(Symbol) -> Option<Linear>) -> Self {
        Self::at_most_zero(&self.0.substitute(of))
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Symbol::Variable(id) => write!(f, "v{}", id.0),
            Symbol::Argument(number) => write!(f, "a{number}"),
            Symbol::Input(thread, number) => write!(f, "i{}.{number}", thread.0),
        }
    }
}

impl fmt::Display for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (symbol, factor) in &self.terms {
            write!(f, "{factor} {symbol} + ")?;
        }
        write!(f, "{}", self.constant)
    }
}
