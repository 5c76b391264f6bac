//! Integer arithmetic in the normal form that certificates use: `c = r mod m`, `c = v`, `c >= b`, `c <= b`.
//!
//! The module decides two questions:
//! * whether given atoms about a constant c all hold for some integer c. A run length or a count must not
//!   be negative;
//! * whether a clause holds for every run length in a lasso set ([`LassoSet`]).
//!
//! Atoms of any other form are ignored, so they cannot help a proof.

use crate::Check;
use crate::clocks::LassoSet;
use kernel::Work;
use model::{Constant, IntAtom, IntTerm};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};
use std::collections::BTreeMap;

/// An atom about one constant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Normal {
    /// `constant mod modulus = residue`, with `residue < modulus`.
    Congruent {
        modulus: u64,
        residue: u64,
    },
    Equals(u64),
    AtLeast(u64),
    AtMost(u64),
}

/// Returns the constant and the normal form of `atom`, or `None` if it has no normal form.
pub(crate) fn normal(atom: &IntAtom) -> Option<(&Constant, Normal)> {
    use IntTerm::{Constant as C, Mod, Number};
    match atom {
        IntAtom::Eq(Mod(term, modulus), Number(residue)) => {
            let C(constant) = term.as_ref() else { return None };
            let residue = residue.to_u64().filter(|r| r < modulus)?;
            Some((constant, Normal::Congruent { modulus: *modulus, residue }))
        }
        IntAtom::Eq(C(constant), Number(value)) => Some((constant, Normal::Equals(value.to_u64()?))),
        IntAtom::Le(Number(bound), C(constant)) => Some((constant, Normal::AtLeast(bound.to_u64()?))),
        IntAtom::Le(C(constant), Number(bound)) => Some((constant, Normal::AtMost(bound.to_u64()?))),
        _ => None,
    }
}

/// True if no integer (for run lengths and counts: no integer >= 0) satisfies all `atoms`, which are about one
/// constant.
///
/// Exact: the congruences are merged into one by the Chinese remainder theorem. Its first solution at or above
/// the lower bound is compared with the upper bound.
pub(crate) fn clash(constant: &Constant, atoms: &[Normal], work: &mut Work<'_>) -> Check<bool> {
    let mut low = constant.is_natural().then_some(0);
    let mut high = None;
    let mut class = Class { residue: BigInt::zero(), modulus: BigInt::from(1) };
    let raise = |low: Option<u64>, v: u64| Some(low.map_or(v, |l| l.max(v)));
    let lower = |high: Option<u64>, v: u64| Some(high.map_or(v, |h| h.min(v)));
    for &atom in atoms {
        work.spend(1 + class.modulus.bits() / 64)?;
        match atom {
            Normal::Congruent { modulus, residue } => {
                if !class.merge(residue, modulus) {
                    return Ok(true);
                }
            }
            Normal::Equals(v) => (low, high) = (raise(low, v), lower(high, v)),
            Normal::AtLeast(v) => low = raise(low, v),
            Normal::AtMost(v) => high = lower(high, v),
        }
    }
    let (Some(low), Some(high)) = (low, high) else { return Ok(false) };
    let low = BigInt::from(low);
    let first = &low + (&class.residue - &low).mod_floor(&class.modulus);
    Ok(first > BigInt::from(high))
}

/// The integers that are congruent to `residue` modulo `modulus`.
struct Class {
    residue: BigInt,
    modulus: BigInt,
}

impl Class {
    /// Keeps only the members that are also congruent to `residue` modulo `modulus`. Returns false if there are
    /// none.
    ///
    /// x = a (mod m) and x = b (mod n) have a common solution iff g = gcd(m, n) divides b - a. The solution is
    /// a + m * k, where k * (m/g) = (b - a)/g (mod n/g), and m/g is invertible modulo n/g.
    fn merge(&mut self, residue: u64, modulus: u64) -> bool {
        let n = BigInt::from(modulus);
        let small = self.modulus.mod_floor(&n);
        let gcd = small.gcd(&n);
        let difference = BigInt::from(residue) - &self.residue;
        if !difference.is_multiple_of(&gcd) {
            return false;
        }
        let n = n / &gcd;
        let inverse = (&self.modulus / &gcd).mod_floor(&n).extended_gcd(&n).x;
        let steps = (difference / &gcd * inverse).mod_floor(&n);
        self.residue += &self.modulus * steps;
        self.modulus *= n;
        true
    }
}

/// The set of the run lengths T for which one of a clause's positive literals about T is true.
#[derive(Default)]
pub(crate) struct Cover {
    /// Every T below this number is in the set.
    below: u128,
    /// Every T from this number on is in the set.
    from: Option<u64>,
    /// Single members, ascending.
    values: Vec<u64>,
    /// For each modulus: residues, ascending.
    residues: BTreeMap<u64, Vec<u64>>,
}

impl Cover {
    pub(crate) fn new(atoms: &[Normal]) -> Self {
        let mut cover = Self::default();
        for &atom in atoms {
            match atom {
                Normal::Congruent { modulus, residue } => cover.residues.entry(modulus).or_default().push(residue),
                Normal::Equals(v) => cover.values.push(v),
                Normal::AtLeast(v) => cover.from = Some(cover.from.map_or(v, |from| from.min(v))),
                Normal::AtMost(v) => cover.below = cover.below.max(u128::from(v) + 1),
            }
        }
        cover.values.sort_unstable();
        cover.residues.values_mut().for_each(|r| r.sort_unstable());
        cover
    }

    /// True if the clause has no literal about T.
    pub(crate) fn is_empty(&self) -> bool {
        self.below == 0 && self.from.is_none() && self.values.is_empty() && self.residues.is_empty()
    }

    /// True if `t` is in the set.
    pub(crate) fn contains(&self, t: u128) -> bool {
        t < self.below
            || self.from.is_some_and(|from| t >= u128::from(from))
            || u64::try_from(t).is_ok_and(|t| self.values.binary_search(&t).is_ok())
            || self.residues.iter().any(|(&m, residues)| has_residue(t, m, residues))
    }

    /// True if every member of `set` is in this set. The answer is conservative: false does not mean that a
    /// member is missing. Where `set` continues forever, each of its residue classes must be covered in one of
    /// two ways: by a single congruence, if its modulus divides the period of `set`; or member by member up to
    /// `from`.
    pub(crate) fn covers(&self, set: &LassoSet, work: &mut Work<'_>) -> Check<bool> {
        let moduli = 1 + self.residues.len() as u64;
        for t in set.prefix_members() {
            work.spend(moduli)?;
            if !self.contains(t) {
                return Ok(false);
            }
        }
        let period = set.period();
        for class in set.cycle_members(self.below) {
            work.spend(moduli)?;
            let divides = |m: u64| period.is_multiple_of(u128::from(m));
            if self.residues.iter().any(|(&m, residues)| divides(m) && has_residue(class, m, residues)) {
                continue;
            }
            let Some(from) = self.from else { return Ok(false) };
            let mut t = class;
            while t < u128::from(from) {
                work.spend(moduli)?;
                if !self.contains(t) {
                    return Ok(false);
                }
                t += period;
            }
        }
        Ok(true)
    }
}

fn has_residue(t: u128, modulus: u64, residues: &[u64]) -> bool {
    residues.binary_search(&((t % u128::from(modulus)) as u64)).is_ok()
}
