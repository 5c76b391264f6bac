//! Decides statements about one constant exactly, without a solver, and finds small sets of contradictory
//! statements.
//!
//! 1. Congruences have a common solution if and only if each pair of them has one. Proof: the generalised
//!    Chinese remainder theorem; x = a mod m and x = b mod n have a common solution iff a = b mod gcd(m, n).
//! 2. Congruences with a common solution are equivalent to a single congruence (same theorem). It remains to
//!    decide whether this congruence has a solution between the bounds.
//!
//! Conflicts are returned in the forms that certificates support (`model::Axiom::IntConflict`): two
//! congruences, two bounds, or an upper bound together with congruences (and a lower bound) that exclude each
//! value up to it.

use crate::normal::Statement;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::cmp::Reverse;

/// All statements about one constant. `N` is the type of the caller's names for statements.
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

/// One congruence that has the same solutions as a list of congruences together.
#[derive(Clone, Debug)]
struct Merged {
    residue: BigInt,
    modulus: BigInt,
}

impl<'a, N: Copy> Statements<'a, N> {
    /// No statements yet. `natural` is true if the constant cannot be negative.
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

    /// Returns the smallest value that satisfies all statements, or the names of a small contradictory set of
    /// statements. If the constant has no lower bound, returns the smallest solution that is at least 0, or the
    /// largest solution if all are negative.
    pub(crate) fn decide(mut self) -> Result<BigInt, Vec<N>> {
        self.clashing_bounds()?;
        if let Some(&(name, value)) = self.values.first() {
            return self.check_value(name, value).map(|()| value.clone());
        }
        // Large moduli come first, because they leave the fewest candidates below an upper bound. So conflicts
        // are short.
        self.congruences.sort_by_key(|(_, c)| Reverse(c.modulus));
        self.merge_all()
    }

    /// The effective lower bound, with the name of its statement. A natural constant without a lower bound from
    /// a statement has the bound 0, without a name.
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

    /// The solution that `decide` returns, if there is a solution between the bounds.
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

    /// The first `count` congruences contradict the bounds. Returns a minimal contradictory set of congruences
    /// and bounds.
    fn shrink(&self, count: usize) -> Vec<N> {
        let (lower, floor) = self.floor().expect("without a floor there is a solution");
        let (upper, ceiling) = self.upper.expect("without a ceiling there is a solution");
        // The congruences before the last have a solution between the bounds, so the last congruence is needed.
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

    /// Both congruences as one; `None` if they have no common solution.
    fn and(&self, other: Congruence<'_>) -> Option<Self> {
        // Solves residue + k * modulus = other.residue (mod other.modulus) for k. Since modulus * x = gcd (mod
        // other.modulus), x inverts modulus up to the gcd.
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
