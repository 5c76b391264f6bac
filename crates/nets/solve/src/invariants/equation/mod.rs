//! The state equation of nets: linear bounds on markings, found by linear programming in exact fractions and
//! checked in integers.
//!
//! If no solution of the state equation covers a vector, then there are weights such that no transition
//! increases the weighted sum, and the vector has a greater sum than the initial marking (Farkas' lemma).
//! [`System`] is the linear program. It serves vectors and formulas of any form.

mod excluded;
pub mod inductive;
mod system;

use super::Invariants;
pub use excluded::ExcludedTransitions;
pub use linear::Rational;
use model::{AtMost, Budget};
use num_bigint::BigInt;
pub use system::{AtomId, Feasibility, Refutation, System, TrapId};

/// Finds a linear bound without negative weights that excludes `vector`, if the state equation excludes it.
/// Costs one linear program. Returns `None` if there is no bound, or if the budget is used up.
#[must_use]
pub fn refute(invariants: &Invariants, vector: &[(u32, u64)], budget: &mut Budget) -> Option<AtMost> {
    let mut system = System::new(invariants.rules(), invariants.whole())?;
    let atom = |(p, n): &(u32, u64)| system.atom(&[(*p, BigInt::from(1))], &BigInt::from(*n));
    let atoms: Vec<AtomId> = vector.iter().map(atom).collect();
    loop {
        let before = system.work();
        let answer = system.solve(&atoms, budget.work.min(SLICE));
        if !budget.spend(system.work() - before + 1) {
            return None;
        }
        match answer {
            Feasibility::More => {}
            Feasibility::Refuted(refutation) => {
                let refutation = system.checked(refutation, invariants.rules(), invariants.whole());
                debug_assert!(refutation.is_some(), "exact numbers need no luck");
                return refutation?.bound.map(|(bound, _)| bound);
            }
            Feasibility::Feasible => return None,
        }
    }
}

/// Work units per call of the linear program. The budget is checked after each call.
const SLICE: u64 = 10_000;

#[cfg(test)]
mod tests;
