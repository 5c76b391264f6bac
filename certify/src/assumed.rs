//! Assumptions as axioms: rho is a violating run that satisfies them all, so some literal of each is true.

use crate::{Check, arith, reject};
use kernel::Work;
use model::{Assumption, Meaning, Prop};

/// Accepts a clause whose positive literals say `said` if these contain the literals of assumption `number`.
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

/// Does `meaning` say the same as `prop`? Atoms in a normal form are compared by what they say.
fn says(meaning: &Meaning, prop: &Prop) -> bool {
    match (meaning, prop) {
        (Meaning::Prop(Prop::Int(a)), Prop::Int(b)) if arith::normal(a).is_some() => {
            arith::normal(a) == arith::normal(b)
        }
        (Meaning::Prop(said), prop) => said == prop,
        (Meaning::Group(_) | Meaning::Auxiliary, _) => false,
    }
}
