//! The state equation: linear bounds on markings, by linear programming in exact fractions, checked in integers.
//!
//! A vector that no solution of the state equation covers has weights that no transition increases and of which it
//! has more than the initial marking (Farkas' lemma). [`System`] is the program, for this and for formulas of any
//! form.

pub mod inductive;
mod rational;
mod simplex;
mod system;

use super::Facts;
use model::{AtMost, Budget};
use num_bigint::BigInt;
pub use rational::Rational;
pub use system::{Answer, AtomId, Refutation, System, TrapId};

/// A linear bound without negative weights that excludes `vector`, if the state equation does. Costs a linear
/// program, and gives up when the budget does.
#[must_use]
pub fn refute(facts: &Facts, vector: &[(u32, u64)], budget: &mut Budget) -> Option<AtMost> {
    let mut system = System::new(facts.rules(), facts.whole())?;
    let atom = |(p, n): &(u32, u64)| system.atom(&[(*p, BigInt::from(1))], &BigInt::from(*n));
    let atoms: Vec<AtomId> = vector.iter().map(atom).collect();
    loop {
        let before = system.work();
        let answer = system.solve(&atoms, budget.work.min(SLICE));
        if !budget.spend(system.work() - before + 1) {
            return None;
        }
        match answer {
            Answer::More => {}
            Answer::Refuted(refutation) => {
                let refutation = system.checked(refutation, facts.rules(), facts.whole());
                debug_assert!(refutation.is_some(), "exact numbers need no luck");
                return refutation?.bound.map(|(bound, _)| bound);
            }
            Answer::Feasible => return None,
        }
    }
}

/// Work between two looks at the budget.
const SLICE: u64 = 10_000;

#[cfg(test)]
mod tests;
