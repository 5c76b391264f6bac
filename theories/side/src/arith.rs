//! Translates integer terms and atoms into Z3 terms.
//!
//! Z3's remainder by a positive number is in `0..modulus`, and so is the remainder in this crate. All Z3 terms
//! belong to the calling thread, because Z3's contexts are thread-local and terms cannot move to another
//! thread.

use model::{Constant, IntAtom, IntTerm};
use num_bigint::BigInt;
use std::collections::BTreeMap;
use std::str::FromStr;
use z3::ast::{Bool, Int};

/// The Z3 constant of each translated [`Constant`].
#[derive(Default)]
pub(crate) struct Constants {
    known: BTreeMap<Constant, Int>,
}

impl Constants {
    /// All constants translated so far.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Constant, &Int)> {
        self.known.iter()
    }

    /// The Z3 constant of `constant`, if it was translated.
    pub(crate) fn get(&self, constant: &Constant) -> Option<&Int> {
        self.known.get(constant)
    }

    /// Translates an atom. New constants are added to the table.
    pub(crate) fn atom(&mut self, atom: &IntAtom) -> Bool {
        let (IntAtom::Eq(left, right) | IntAtom::Le(left, right)) = atom;
        let (left, right) = (self.term(left), self.term(right));
        match atom {
            IntAtom::Eq(..) => left.eq(&right),
            IntAtom::Le(..) => left.le(&right),
        }
    }

    fn term(&mut self, term: &IntTerm) -> Int {
        match term {
            IntTerm::Number(n) => number(n),
            IntTerm::Constant(constant) => {
                // Constants are numbered instead of named, because a user's name may be any string.
                let next = self.known.len();
                let new = || Int::new_const(u32::try_from(next).expect("fewer than 2^32 constants"));
                self.known.entry(constant.clone()).or_insert_with(new).clone()
            }
            IntTerm::Sum(terms) => {
                let terms: Vec<Int> = terms.iter().map(|t| self.term(t)).collect();
                // Z3 does not accept an empty sum.
                if terms.is_empty() { Int::from_u64(0) } else { Int::add(&terms) }
            }
            IntTerm::Scaled(factor, t) => Int::mul(&[number(factor), self.term(t)]),
            IntTerm::Mod(t, modulus) => self.term(t).modulo(Int::from_u64(*modulus)),
        }
    }
}

/// Translates a number of any size.
pub(crate) fn number(n: &BigInt) -> Int {
    Int::from_str(&n.to_string()).expect("decimal digits are a numeral")
}

/// The number that a term of a model denotes; `None` if the term is not a number.
pub(crate) fn to_number(term: &Int) -> Option<BigInt> {
    if let Some(small) = term.as_i64() {
        return Some(small.into());
    }
    // Z3 writes negative numbers as (- 5).
    let text: String = term.to_string().chars().filter(|c| !matches!(c, '(' | ')' | ' ')).collect();
    text.parse().ok()
}
