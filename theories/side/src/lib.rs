//! One solver for all side sorts, so that what patterns say about the same constant meets. Here: integers with remainders.
//!
//! Nearly everything that patterns say is a congruence, a bound or a value of one constant; conjunctions of those are
//! decided exactly by arithmetic, with conflicts that certificates understand. Z3 is asked only for the rest, with
//! everything that holds at once, and never twice in a row the same. Without the feature `z3` the rest is given up.
//!
//! This is the only room that knows Z3.

#[cfg(feature = "z3")]
mod arith;
mod clash;
mod normal;
#[cfg(feature = "z3")]
mod solver;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use crate::clash::Statements;
use crate::normal::Reading;
use model::{Constant, IntAtom, IntTerm, Values};
use num_bigint::BigInt;
use num_traits::Zero;
use std::collections::BTreeMap;
use std::time::Duration;

/// What the side sorts say of the asserted atoms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SideAnswer {
    /// The atoms of these tokens do not hold together. Where congruences, bounds and values of one constant clash, every
    /// token is needed and the conflict has one of the forms of `model::Axiom::IntConflict`.
    Conflict(Vec<u32>),
    /// Values of all constants in the asserted atoms that satisfy all of them. Congruences, bounds and values alone give the
    /// smallest run length; else it is the smallest that was found in time.
    Model(Values),
    /// No answer within the deadline, or none without Z3.
    GaveUp,
}

/// A set of asserted atoms with backtracking, and the solver for it. It may move between threads.
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
    #[cfg(feature = "z3")]
    solver: solver::Solver,
}

#[derive(Debug)]
struct Asserted {
    token: u32,
    atom: IntAtom,
    reading: Reading,
}

impl Side {
    /// No atoms. Z3 starts when it is needed first.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A level begins.
    pub fn push(&mut self) {
        self.levels.push(self.asserted.len());
    }

    /// The last `n` levels end, with everything asserted in them.
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

    /// The atom holds; `token` is the caller's name for it.
    pub fn assert(&mut self, token: u32, atom: &IntAtom) {
        self.asserted.push(Asserted { token, atom: atom.clone(), reading: normal::read(atom) });
    }

    /// Do the asserted atoms hold together, for integers of which the run length is at least 0? Z3 gets `deadline` to
    /// answer, and is cut off when it does not keep to it.
    pub fn check(&mut self, deadline: Duration) -> SideAnswer {
        let values = match self.decide_plain() {
            Ok(values) => values,
            Err(positions) => return self.conflict(positions),
        };
        if self.all_hold(&values) { SideAnswer::Model(values) } else { self.decide_rest(deadline) }
    }

    fn all_hold(&self, values: &Values) -> bool {
        self.asserted.iter().all(|asserted| asserted.atom.eval(values) == Some(true))
    }

    /// The tokens in the order in which they were asserted.
    fn conflict(&self, mut positions: Vec<usize>) -> SideAnswer {
        positions.sort_unstable();
        SideAnswer::Conflict(positions.iter().map(|&position| self.asserted[position].token).collect())
    }

    /// Decides the atoms that speak of one constant in a plain way; other constants become 0. Or positions of few that clash.
    fn decide_plain(&self) -> Result<Values, Vec<usize>> {
        let mut statements: BTreeMap<&Constant, Statements<'_, usize>> = BTreeMap::new();
        let mut values = Values::new();
        for (position, Asserted { atom, reading, .. }) in self.asserted.iter().enumerate() {
            for_each_constant(atom, &mut |constant| {
                values.entry(constant.clone()).or_insert_with(BigInt::zero);
            });
            match reading {
                Reading::True | Reading::Other => {}
                Reading::False => return Err(vec![position]),
                Reading::About(constant, statement) => {
                    let natural = *constant == Constant::RunLength;
                    statements.entry(constant).or_insert_with(|| Statements::new(natural)).add(position, statement);
                }
            }
        }
        for (constant, statements) in statements {
            values.insert(constant.clone(), statements.decide()?);
        }
        Ok(values)
    }

    #[cfg(feature = "z3")]
    fn decide_rest(&mut self, deadline: Duration) -> SideAnswer {
        let atoms: Vec<IntAtom> = self.asserted.iter().map(|asserted| asserted.atom.clone()).collect();
        match self.solver.check(&atoms, deadline) {
            // Z3 that is interrupted can lose assertions and so propose too much; it never refutes too much.
            solver::Reply::Model(values) if self.all_hold(&values) => SideAnswer::Model(values),
            solver::Reply::Core(positions) => self.conflict(positions),
            solver::Reply::Model(_) | solver::Reply::Unknown => SideAnswer::GaveUp,
        }
    }

    #[cfg(not(feature = "z3"))]
    #[expect(clippy::unused_self, reason = "with Z3 it is used")]
    fn decide_rest(&mut self, _deadline: Duration) -> SideAnswer {
        SideAnswer::GaveUp
    }
}

fn for_each_constant(atom: &IntAtom, visit: &mut impl FnMut(&Constant)) {
    let (IntAtom::Eq(left, right) | IntAtom::Le(left, right)) = atom;
    let mut open: Vec<&IntTerm> = vec![left, right];
    while let Some(term) = open.pop() {
        match term {
            IntTerm::Number(_) => {}
            IntTerm::Constant(constant) => visit(constant),
            IntTerm::Sum(terms) => open.extend(terms),
            IntTerm::Scaled(_, term) | IntTerm::Mod(term, _) => open.push(term),
        }
    }
}
