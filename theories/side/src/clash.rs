//! Decides statements about one constant exactly, without a solver, and finds few statements that clash.
//!
//! Congruences hold together iff any two of them do (the generalised Chinese remainder theorem: x = a mod m and x = b mod n
//! have a common solution iff a = b mod gcd(m, n)), and then are one congruence. What remains is whether that has a solution
//! between the bounds. Conflicts come back in the forms that certificates know (`model::Axiom::IntConflict`): two
//! congruences, bounds, or the values up to an upper bound that all fail.

use crate::normal::Statement;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::cmp::Reverse;

/// All statements about one constant.
#[derive(Default, Debug)]
pub(crate) struct Statements<'a, N> {
    congruences: Vec<(N, Congruence<'a>)>,
    values: Vec<(N, &'a BigInt)>,
    lower: Option<(N, &'a BigInt)>,
    upper: Option<(N, &'a BigInt)>,
    natural: bool,
}

#[derive(Clone, Copy, Debug)]
struct Congruence<'a> {
    residue: &'a BigInt,
    modulus: &'a BigInt,
}

/// A solution of some congruences, and their least common modulus: all solutions.
#[derive(Clone, Debug)]
struct Merged {
    residue: BigInt,
    modulus: BigInt,
}

impl<'a, N: Copy> Statements<'a, N> {
    /// No statement yet; `natural` if the constant cannot be negative.
    pub(crate) fn new(natural: bool) -> Self {
        Self { congruences: Vec::new(), values: Vec::new(), lower: None, upper: None, natural }
    }

    /// Adds a statement with the caller's name for it.
    pub(crate) fn add(&mut self, name: N, statement: &'a Statement) {
        match statement {
            Statement::Congruent { residue, modulus } => {
                self.congruences.push((name, Congruence { residue, modulus }));
            }
            Statement::Equals(value) => self.values.push((name, value)),
            Statement::AtLeast(bound) if self.lower.is_none_or(|(_, b)| bound > b) => self.lower = Some((name, bound)),
            Statement::AtMost(bound) if self.upper.is_none_or(|(_, b)| bound < b) => self.upper = Some((name, bound)),
            Statement::AtLeast(_) | Statement::AtMost(_) => {}
        }
    }

    /// The smallest value that satisfies all statements (of a constant without lower bound: the smallest natural one,
    /// else the largest), or the names of few that have none in common.
    pub(crate) fn decide(mut self) -> Result<BigInt, Vec<N>> {
        self.clashing_bounds()?;
        if let Some(&(name, value)) = self.values.first() {
            return self.check_value(name, value).map(|()| value.clone());
        }
        // Large moduli first: they leave the fewest candidates below an upper bound, so that conflicts are short.
        self.congruences.sort_by_key(|(_, c)| Reverse(c.modulus));
        self.merge_all()
    }

    /// The lower bound that holds, by a statement or by nature.
    fn floor(&self) -> Option<(Option<N>, BigInt)> {
        match self.lower {
            Some((name, bound)) if !self.natural || bound.is_positive() => Some((Some(name), bound.clone())),
            _ if self.natural => Some((None, BigInt::zero())),
            _ => None,
        }
    }

    fn clashing_bounds(&self) -> Result<(), Vec<N>> {
        match (self.floor(), self.upper) {
            (Some((lower, floor)), Some((upper, ceiling))) if floor > *ceiling => {
                Err(lower.into_iter().chain([upper]).collect())
            }
            _ => Ok(()),
        }
    }

    fn check_value(&self, name: N, value: &BigInt) -> Result<(), Vec<N>> {
        if let Some(&(other, _)) = self.values.iter().find(|(_, v)| *v != value) {
            return Err(vec![name, other]);
        }
        if let Some((upper, _)) = self.upper.filter(|(_, bound)| value > *bound) {
            return Err(vec![name, upper]);
        }
        if let Some((lower, _)) = self.floor().filter(|(_, floor)| value < floor) {
            return Err([name].into_iter().chain(lower).collect());
        }
        match self.congruences.iter().find(|(_, c)| !c.admits(value)) {
            Some(&(other, _)) => Err(vec![name, other]),
            None => Ok(()),
        }
    }

    fn merge_all(&self) -> Result<BigInt, Vec<N>> {
        let mut merged = Merged::anything();
        for (count, &(name, congruence)) in self.congruences.iter().enumerate() {
            let Some(next) = merged.and(congruence) else {
                let clash = self.congruences[..count].iter().find(|(_, earlier)| earlier.clashes_with(congruence));
                let (other, _) = clash.expect("congruences that hold in pairs hold together");
                return Err(vec![*other, name]);
            };
            merged = next;
            if self.choose(&merged).is_none() {
                return Err(self.shrink(count + 1));
            }
        }
        Ok(self.choose(&merged).expect("bounds were compared, and each congruence against them"))
    }

    /// The preferred solution between the bounds.
    fn choose(&self, merged: &Merged) -> Option<BigInt> {
        let fits = |value: &BigInt| self.upper.is_none_or(|(_, bound)| value <= bound);
        match self.floor() {
            Some((_, floor)) => Some(merged.at_or_above(&floor)).filter(fits),
            None => {
                let natural = merged.at_or_above(&BigInt::zero());
                if fits(&natural) { Some(natural) } else { self.upper.map(|(_, bound)| merged.at_or_below(bound)) }
            }
        }
    }

    /// Of the first `count` congruences and the bounds, which fail together: a set of which every member is needed.
    fn shrink(&self, count: usize) -> Vec<N> {
        let (lower, floor) = self.floor().expect("without a floor there is a solution");
        let (upper, ceiling) = self.upper.expect("without a ceiling there is a solution");
        // Before the last one there was a solution, so the last is needed.
        let mut kept: Vec<(N, Congruence<'_>)> = self.congruences[..count].to_vec();
        let fails = |congruences: &[(N, Congruence<'_>)], floor: &BigInt| {
            let merged = congruences.iter().try_fold(Merged::anything(), |merged, (_, c)| merged.and(*c));
            merged.expect("these were merged before").at_or_above(floor) > *ceiling
        };
        for index in (0..count - 1).rev() {
            let mut fewer = kept.clone();
            fewer.remove(index);
            if fails(&fewer, &floor) {
                kept = fewer;
            }
        }
        let floor_needed = !(self.natural && fails(&kept, &BigInt::zero()));
        let bounds = lower.filter(|_| floor_needed).into_iter().chain([upper]);
        bounds.chain(kept.iter().map(|(name, _)| *name)).collect()
    }
}

impl Congruence<'_> {
    fn admits(self, value: &BigInt) -> bool {
        value.mod_floor(self.modulus) == *self.residue
    }

    fn clashes_with(self, other: Congruence<'_>) -> bool {
        !(self.residue - other.residue).is_multiple_of(&self.modulus.gcd(other.modulus))
    }
}

impl Merged {
    fn anything() -> Self {
        Self { residue: BigInt::zero(), modulus: BigInt::one() }
    }

    /// Both; `None` if they clash.
    fn and(&self, other: Congruence<'_>) -> Option<Self> {
        // residue + k * modulus = other.residue (mod other.modulus); modulus = x * gcd (mod other.modulus) inverts to k.
        let bezout = self.modulus.extended_gcd(other.modulus);
        let (quotient, rest) = (other.residue - &self.residue).div_mod_floor(&bezout.gcd);
        if !rest.is_zero() {
            return None;
        }
        let period = other.modulus / &bezout.gcd;
        let k = (quotient * bezout.x).mod_floor(&period);
        Some(Self { residue: &self.residue + k * &self.modulus, modulus: &self.modulus * period })
    }

    fn at_or_above(&self, floor: &BigInt) -> BigInt {
        floor + (&self.residue - floor).mod_floor(&self.modulus)
    }

    fn at_or_below(&self, ceiling: &BigInt) -> BigInt {
        ceiling - (ceiling - &self.residue).mod_floor(&self.modulus)
    }
}
