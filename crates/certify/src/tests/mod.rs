//! Tests of the checker against a brute force of its own, and against deliberate damage to valid evidence.
//!
//! The reference below steps through `model`'s types directly and shares nothing with the crate's steppers.

mod arith;
mod assumptions;
mod axioms;
mod brute;
mod circuits;
mod counts;
mod derivations;
mod large;
mod lrat;
mod nets;
mod projections;
mod proofs;
mod reactive;
mod reduced;
mod response;
mod restrictions;
mod rup;
mod sets;
mod traces;

use crate::{Confirmed, Options, Refusal, confirm};
use model::{Claim, Goal, Problem, Program, Stop};
use std::sync::Arc;

/// Confirms a claim without limits, for a program with both goals.
fn check(program: &Arc<Program>, claim: &Claim) -> Result<Confirmed, Refusal> {
    let problem = Problem::of_program_with(program.clone(), &[Goal::Bad, Goal::Deadlock]).expect("goals of programs");
    confirm(&problem, claim, &Options::default(), &Stop::default())
}

/// Asserts that the evidence was rejected for the expected reason.
#[track_caller]
fn rejected(result: Result<Confirmed, Refusal>, reason: &str) {
    match result {
        Err(Refusal::Rejected(why)) => assert!(why.contains(reason), "rejected for another reason: {why}"),
        other => panic!("expected a rejection ({reason}), got {other:?}"),
    }
}
