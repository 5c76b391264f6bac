//! Integer atoms in evidence files: `{"eq": [{"mod": ["T", 3]}, {"number": "2"}]}`.

use model::{Constant, EventId, IntAtom, IntTerm};
use num_bigint::BigInt;
use serde::{Deserialize, Serialize};

/// The largest number of digits of a number in evidence.
const DIGITS: usize = 1000;

/// The JSON form of an atom.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AtomShape {
    Eq(TermShape, TermShape),
    Le(TermShape, TermShape),
}

/// The JSON form of a term. serde_json refuses a depth of more than 128, which bounds the recursion over terms.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TermShape {
    Number(String),
    #[serde(rename = "T")]
    RunLength,
    Count(u32),
    Named(String),
    Sum(Vec<TermShape>),
    Scaled(String, Box<TermShape>),
    Mod(Box<TermShape>, u64),
}

impl AtomShape {
    pub(super) fn of(atom: &IntAtom) -> Self {
        match atom {
            IntAtom::Eq(a, b) => Self::Eq(TermShape::of(a), TermShape::of(b)),
            IntAtom::Le(a, b) => Self::Le(TermShape::of(a), TermShape::of(b)),
        }
    }

    pub(super) fn atom(self) -> Result<IntAtom, String> {
        Ok(match self {
            Self::Eq(a, b) => IntAtom::Eq(a.term()?, b.term()?),
            Self::Le(a, b) => IntAtom::Le(a.term()?, b.term()?),
        })
    }
}

impl TermShape {
    fn of(term: &IntTerm) -> Self {
        match term {
            IntTerm::Number(n) => Self::Number(n.to_string()),
            IntTerm::Constant(Constant::RunLength) => Self::RunLength,
            IntTerm::Constant(Constant::Count(event)) => Self::Count(event.0),
            IntTerm::Constant(Constant::Named(name)) => Self::Named(name.to_string()),
            IntTerm::Sum(terms) => Self::Sum(terms.iter().map(Self::of).collect()),
            IntTerm::Scaled(factor, term) => Self::Scaled(factor.to_string(), Box::new(Self::of(term))),
            IntTerm::Mod(term, modulus) => Self::Mod(Box::new(Self::of(term)), *modulus),
        }
    }

    fn term(self) -> Result<IntTerm, String> {
        Ok(match self {
            Self::Number(n) => IntTerm::Number(number(&n)?),
            Self::RunLength => IntTerm::Constant(Constant::RunLength),
            Self::Count(event) => IntTerm::Constant(Constant::Count(EventId(event))),
            Self::Named(name) => IntTerm::Constant(Constant::Named(name.into())),
            Self::Sum(terms) => IntTerm::Sum(terms.into_iter().map(Self::term).collect::<Result<_, _>>()?),
            Self::Scaled(factor, term) => IntTerm::Scaled(number(&factor)?, Box::new(term.term()?)),
            Self::Mod(_, 0) => return Err("a modulus of 0".to_owned()),
            Self::Mod(term, modulus) => IntTerm::Mod(Box::new(term.term()?), modulus),
        })
    }
}

pub(super) fn number(digits: &str) -> Result<BigInt, String> {
    let parsed = if digits.len() <= DIGITS { digits.parse().ok() } else { None };
    parsed.ok_or_else(|| format!("not an integer of at most {DIGITS} digits"))
}
