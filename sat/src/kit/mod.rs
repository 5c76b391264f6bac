//! The conformance kit for theories: drives one through random assignments, as rudely as the contract allows, and
//! compares what it says with all models of a small instance by brute force.
//!
//! Two parts. `walk` plays the host itself, keeps literals when it goes back, and asks for explanations late; it finds
//! reasons that are not earlier true literals, and lemmas or reasons that exclude a model. `answers` lets the real
//! solver decide random questions one after the other, with the theory's state carried over; it finds what `pop_levels`
//! forgot to undo, and models vouched for wrongly.

pub mod api;

mod answers;
mod walk;

use std::fmt;

use crate::lit::{Lit, Var};
use crate::theory::Theory;

/// Which part of the contract was broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// `explain` may use literals only that were true before the one it explains, and told.
    EarlierReasons,
    /// No lemma and no explanation may exclude a model.
    KeepsModels,
    /// What is vouched for is a model.
    VouchesForModels,
    /// Only what has no model may be refuted.
    RefutesRightly,
    /// `final_check` must come to an end.
    Ends,
    /// A callback may not name a variable that does not exist.
    KnownVariables,
}

/// A theory broke its contract.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The rule it broke.
    pub rule: Rule,
    /// Round of the kit, for running just that one again under a debugger.
    pub round: u64,
    /// What happened.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} broken in round {}: {}", self.rule, self.round, self.what)
    }
}

/// Checks the theory that `make` builds over the variables `0..vars` (at most 16, all decided by the host). `oracle`
/// says of a total assignment of these whether the theory has a model with it.
///
/// # Errors
/// The first broken rule found.
///
/// # Panics
/// If there are more than 16 variables.
pub fn theory<T: Theory>(
    make: impl Fn() -> T,
    vars: usize,
    oracle: impl Fn(&[bool]) -> bool,
    rounds: u64,
) -> Result<(), Fault> {
    assert!(vars <= 16, "brute force over 2^{vars} assignments");
    let all = (0..1usize << vars).map(|bits| (0..vars).map(|var| bits >> var & 1 == 1).collect::<Vec<bool>>());
    let models: Vec<Vec<bool>> = all.filter(|assignment| oracle(assignment)).collect();
    let instance = Instance { vars, models };
    for round in 0..rounds {
        walk::run(make(), &instance, round).map_err(|(rule, what)| Fault { rule, round, what })?;
    }
    for round in 0..rounds {
        answers::run(make(), &instance, round).map_err(|(rule, what)| Fault { rule, round, what })?;
    }
    Ok(())
}

/// A small instance and all its models.
struct Instance {
    vars: usize,
    models: Vec<Vec<bool>>,
}

type Broken = (Rule, String);

/// The literals that a total assignment makes true.
fn literals(model: &[bool]) -> Vec<Lit> {
    let lit = |(index, &value)| if value { Var::new(index).positive() } else { Var::new(index).negative() };
    model.iter().enumerate().map(lit).collect()
}

#[cfg(test)]
mod tests;
