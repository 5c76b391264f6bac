//! Integer terms and atoms in Z3's language.
//!
//! Z3's remainder by a positive number lies in `0..modulus`, as ours does. Everything belongs to the calling thread: Z3's
//! contexts are thread-local and its terms cannot move.

use model::{Constant, IntAtom, IntTerm};
use num_bigint::BigInt;
use std::collections::BTreeMap;
use std::str::FromStr;
use z3::ast::{Bool, Int};

/// Z3's constants for ours.
#[derive(Default)]
pub(crate) struct Constants {
    known: BTreeMap<Constant, Int>,
}

impl Constants {
    /// The constants met so far.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Constant, &Int)> {
        self.known.iter()
    }

    /// The constant, if it was met.
    pub(crate) fn get(&self, constant: &Constant) -> Option<&Int> {
        self.known.get(constant)
    }

    /// The atom.
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
                // Numbered, not named: a user's name may be anything.
                let next = self.known.len();
                let new = || Int::new_const(u32::try_from(next).expect("fewer than 2^32 constants"));
                self.known.entry(constant.clone()).or_insert_with(new).clone()
            }
            IntTerm::Sum(terms) => {
                let terms: Vec<Int> = terms.iter().map(|t| self.term(t)).collect();
                // Z3 knows no empty sum.
                if terms.is_empty() { Int::from_u64(0) } else { Int::add(&terms) }
            }
            IntTerm::Scaled(factor, t) => Int::mul(&[number(factor), self.term(t)]),
            IntTerm::Mod(t, modulus) => self.term(t).modulo(Int::from_u64(*modulus)),
        }
    }
}

/// A number, of any size.
pub(crate) fn number(n: &BigInt) -> Int {
    Int::from_str(&n.to_string()).expect("decimal digits are a numeral")
}

/// The number that a term of a model is; `None` if it is none.
pub(crate) fn to_number(term: &Int) -> Option<BigInt> {
    if let Some(small) = term.as_i64() {
        return Some(small.into());
    }
    // Z3 writes negative numbers as (- 5).
    let text: String = term.to_string().chars().filter(|c| !matches!(c, '(' | ')' | ' ')).collect();
    text.parse().ok()
}
