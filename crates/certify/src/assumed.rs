//! Assumptions as axioms of refutations. Sound: rho ([`crate::refutation`]) is a violating run that satisfies
//! all assumptions, so some literal of each assumption is true.

use crate::{Check, arith, reject};
use kernel::Work;
use model::{Assumption, Meaning, Prop};

/// Accepts a clause if the meanings `said` of its positive literals include all literals of assumption
/// `number`.
pub(crate) fn check(assumptions: &[Assumption], number: u32, said: &[&Meaning], work: &mut Work<'_>) -> Check<()> {
    let Some(assumption) = assumptions.get(number as usize) else {
        return reject(format!("there is no assumption {number}"));
    };
    for literal in assumption.clause() {
        work.spend(1 + said.len() as u64)?;
        if !literal.positive || !said.iter().any(|meaning| says(meaning, &literal.prop)) {
            return reject(format!("assumption {number} says more than the clause"));
        }
    }
    Ok(())
}

/// True if `meaning` says the same as `prop`. Atoms that have a normal form are compared by their normal forms.
fn says(meaning: &Meaning, prop: &Prop) -> bool {
    match (meaning, prop) {
        (Meaning::Prop(Prop::Int(a)), Prop::Int(b)) if arith::normal(a).is_some() => {
            arith::normal(a) == arith::normal(b)
        }
        (Meaning::Prop(said), prop) => said == prop,
        (Meaning::Group(_) | Meaning::Auxiliary, _) => false,
    }
}
