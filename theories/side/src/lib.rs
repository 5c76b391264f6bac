//! A single solver for all side theories, so that statements of all patterns about the same constant are combined. The
//! theories are integers with remainders, and arrays of integers (which are functions, too).
//!
//! ```
//! use impasse_side::{Side, SideAnswer};
//! use model::{Constant, IntAtom};
//! use std::time::Duration;
//!
//! // Two patterns state remainders of the length of the run, and a third one states a bound.
//! let (length, deadline) = (|| Constant::RunLength, Duration::from_secs(1));
//! let mut side = Side::new();
//! side.assert(10, &IntAtom::congruent(length(), 3, 4));
//! side.assert(20, &IntAtom::congruent(length(), 2, 3));
//! side.assert(30, &IntAtom::at_least(length(), 12));
//! let SideAnswer::Model(values) = side.check(deadline) else { panic!("there is such a length") };
//! assert_eq!(values[&length()], 23.into());
//!
//! // The conflict names the statements that contradict each other.
//! side.push();
//! side.assert(40, &IntAtom::at_most(length(), 22));
//! assert_eq!(side.check(deadline), SideAnswer::Conflict(vec![10, 20, 30, 40]));
//! side.pop(1);
//! assert!(matches!(side.check(deadline), SideAnswer::Model(_)));
//! ```
//!
//! Nearly all statements of patterns are congruences, bounds or values of one constant. Conjunctions of such statements
//! are decided exactly by arithmetic, with conflicts in forms that certificates support. Conflicts of linear statements
//! about several constants are found by the exact simplex method, with multipliers for certificates
//! ([`contradiction`]). If neither finds a conflict or values, Z3 is queried with all asserted atoms. A query with the
//! same atoms as the last one is answered from memory. Where there is no Z3, the answer to such a query is
//! [`SideAnswer::GaveUp`], and [`door::missed`] tells it.
//!
//! This is the only crate that uses Z3.
//!
//! [`Side`] is the solver. [`SideAnswer`] is the result of a check. [`horn`] has the queries about programs with
//! unbounded data. [`door`] loads Z3.

#[cfg(feature = "z3")]
mod arith;
mod arrays;
mod clash;
pub mod door;
pub mod horn;
mod linear;
mod normal;
#[cfg(feature = "z3")]
mod solver;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use crate::linear::contradiction;

use crate::clash::Statements;
use crate::normal::Reading;
use model::array::ArrayRule;
use model::{Constant, IntAtom, Values};
use num_bigint::BigInt;
use num_traits::Zero;
use std::collections::BTreeMap;
use std::time::Duration;

/// The result of a check of the asserted atoms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SideAnswer {
    /// The atoms with these tokens contradict each other. If they are congruences, bounds and values of one
    /// constant, every token is needed, and the conflict has one of the forms of `model::Axiom::IntConflict`. If the
    /// conflict holds over the rationals, [`contradiction`] finds multipliers for it.
    Conflict(Vec<u32>),
    /// Values of all constants in the asserted atoms that satisfy all atoms. If all atoms are congruences,
    /// bounds and values, the run length is the smallest possible. If Z3 was queried, it is the smallest that Z3 found
    /// within the deadline. If the simplex method found the values, it can be any.
    Model(Values),
    /// Values satisfy all atoms, but break these rules of arrays. The caller adds their clauses, and asserts one of the
    /// literals of each.
    Arrays(Vec<ArrayRule>),
    /// Z3 gave no answer within the deadline, or there is no Z3.
    GaveUp,
}

/// A set of asserted atoms with backtracking, and the solver for these atoms. A `Side` can move between
/// threads.
///
/// ```
/// use model::{Constant, IntAtom};
/// use impasse_side::{Side, SideAnswer};
/// use std::time::Duration;
///
/// let mut side = Side::new();
/// side.assert(1, &IntAtom::congruent(Constant::RunLength, 1, 4));
/// side.push();
/// side.assert(2, &IntAtom::congruent(Constant::RunLength, 2, 6));
/// assert_eq!(side.check(Duration::from_secs(1)), SideAnswer::Conflict(vec![1, 2]));
/// side.pop(1);
/// let SideAnswer::Model(values) = side.check(Duration::from_secs(1)) else { panic!("5 is a solution, and 1 too") };
/// assert_eq!(values[&Constant::RunLength], 1.into());
/// ```
#[derive(Debug, Default)]
pub struct Side {
    asserted: Vec<Asserted>,
    levels: Vec<usize>,
    counts: Counts,
    #[cfg(feature = "z3")]
    solver: solver::Solver,
}

/// How often the theory was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Checks of the asserted atoms.
    pub checks: u64,
    /// Those of them that were left to Z3.
    pub z3: u64,
}

#[derive(Debug)]
struct Asserted {
    token: u32,
    atom: IntAtom,
    reading: Reading,
}

impl Side {
    /// No atoms. Z3 starts when it is first needed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns how often the theory was asked so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Begins a level.
    pub fn push(&mut self) {
        self.levels.push(self.asserted.len());
    }

    /// Ends the last `n` levels and removes all atoms asserted in them.
    ///
    /// # Panics
    /// If there are fewer levels.
    pub fn pop(&mut self, n: usize) {
        let kept = self.levels.len().checked_sub(n).expect("pop takes back what push began");
        if let Some(&length) = self.levels.get(kept) {
            self.asserted.truncate(length);
        }
        self.levels.truncate(kept);
    }

    /// Asserts the atom. `token` is the caller's name for it.
    pub fn assert(&mut self, token: u32, atom: &IntAtom) {
        self.asserted.push(Asserted { token, atom: atom.clone(), reading: normal::read(atom) });
    }

    /// Checks whether the asserted atoms have a common solution in integers, where run lengths and
    /// counts are at least 0. Z3
    /// may use the time `deadline` and is interrupted after it.
    pub fn check(&mut self, deadline: Duration) -> SideAnswer {
        self.counts.checks += 1;
        let values = match self.decide_plain() {
            Ok(values) => values,
            Err(positions) => return self.conflict(positions),
        };
        if self.all_hold(&values) {
            return self.model(values);
        }
        match linear::solve(self.asserted.iter().map(|asserted| &asserted.atom)) {
            linear::Answer::Contradiction(multipliers) => {
                self.conflict(multipliers.into_iter().map(|(position, _)| position).collect())
            }
            linear::Answer::Values(Some(found)) => {
                let values: Values = values.into_iter().chain(found).collect();
                if self.all_hold(&values) { self.model(values) } else { self.decide_rest(values, deadline) }
            }
            linear::Answer::Values(None) | linear::Answer::GaveUp => self.decide_rest(values, deadline),
        }
    }

    /// The answer for values that satisfy all atoms, if reads of arrays are taken for constants.
    fn model(&self, values: Values) -> SideAnswer {
        debug_assert!(self.all_hold(&values), "the values satisfy the atoms");
        let broken = arrays::broken(self.asserted.iter().map(|asserted| &asserted.atom), &values);
        if broken.is_empty() { SideAnswer::Model(values) } else { SideAnswer::Arrays(broken) }
    }

    fn all_hold(&self, values: &Values) -> bool {
        self.asserted.iter().all(|asserted| asserted.atom.eval(values) == Some(true))
    }

    /// The conflict with the atoms at these positions. Its tokens are in the order of assertion.
    fn conflict(&self, mut positions: Vec<usize>) -> SideAnswer {
        positions.sort_unstable();
        positions.dedup();
        SideAnswer::Conflict(positions.iter().map(|&position| self.asserted[position].token).collect())
    }

    /// Decides the atoms that are statements about one constant. Constants without such a statement get the
    /// value 0. Returns the values, or the positions of a small set of contradictory atoms.
    fn decide_plain(&self) -> Result<Values, Vec<usize>> {
        let mut statements: BTreeMap<&Constant, Statements<'_, usize>> = BTreeMap::new();
        let mut values = Values::new();
        for (position, Asserted { atom, reading, .. }) in self.asserted.iter().enumerate() {
            atom.for_each_constant(&mut |constant| {
                values.entry(constant.clone()).or_insert_with(BigInt::zero);
            });
            match reading {
                Reading::True | Reading::Other => {}
                Reading::False => return Err(vec![position]),
                Reading::About(constant, statement) => {
                    let natural = constant.is_natural();
                    statements.entry(constant).or_insert_with(|| Statements::new(natural)).add(position, statement);
                }
            }
        }
        for (constant, statements) in statements {
            values.insert(constant.clone(), statements.decide()?);
        }
        Ok(values)
    }

    /// Asks Z3. Constants that it does not know, because they occur in indexes only, keep their values.
    #[cfg(feature = "z3")]
    fn decide_rest(&mut self, mut values: Values, deadline: Duration) -> SideAnswer {
        if !door::opens(door::Asker::Lemmas) {
            return SideAnswer::GaveUp;
        }
        self.counts.z3 += 1;
        let atoms: Vec<IntAtom> = self.asserted.iter().map(|asserted| asserted.atom.clone()).collect();
        match self.solver.check(&atoms, deadline) {
            // An interrupted Z3 can lose assertions, so its model can be wrong, but its refutation is still
            // right.
            solver::Reply::Model(found) => {
                values.extend(found);
                if self.all_hold(&values) { self.model(values) } else { SideAnswer::GaveUp }
            }
            solver::Reply::Core(positions) => self.conflict(positions),
            solver::Reply::Unknown => SideAnswer::GaveUp,
        }
    }

    #[cfg(not(feature = "z3"))]
    #[expect(clippy::unused_self, reason = "with Z3 it is used")]
    fn decide_rest(&mut self, _values: Values, _deadline: Duration) -> SideAnswer {
        door::opens(door::Asker::Lemmas);
        SideAnswer::GaveUp
    }
}
