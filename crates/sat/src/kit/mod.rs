//! The conformance kit for theories: tests a theory with random assignments, with as much variation as the
//! contract allows, and compares its answers with all models of a small instance, found by brute force.
//!
//! The kit has two parts. `walk` takes the role of the host: it keeps literals when it backtracks, and asks for
//! explanations late. It detects explanations with literals that were not true earlier, and lemmas or
//! explanations that exclude a model. `answers` lets the real solver answer a sequence of random queries with
//! one theory. It detects state that `pop_levels` did not undo, and models that are confirmed wrongly.

pub mod api;

mod answers;
mod walk;

use std::fmt;

use crate::lit::{Lit, Var};
use crate::theory::Theory;

/// A rule of the contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// `explain` may use only literals that were true, and told to the theory, before the explained literal.
    EarlierReasons,
    /// No lemma and no explanation may exclude a model.
    KeepsModels,
    /// Every confirmed assignment must be a model.
    VouchesForModels,
    /// Only assignments without a model may be refuted.
    RefutesRightly,
    /// The sequence of final checks must come to an end.
    Ends,
    /// A callback may use only existing variables.
    KnownVariables,
}

/// A broken rule of the contract.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The broken rule.
    pub rule: Rule,
    /// The round of the kit in which the rule was broken. Use it to repeat this round alone under a debugger.
    pub round: u64,
    /// A description of the failure.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} broken in round {}: {}", self.rule, self.round, self.what)
    }
}

/// Checks the theory that `make` builds over the variables `0..vars`, at most 16, all decided by the host.
/// `oracle` returns true if the theory has a model with a given total assignment of these variables. Each part
/// of the kit runs `rounds` rounds.
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
