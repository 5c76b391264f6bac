//! Tests of runs into errors and of runs that repeat forever, intact and damaged.

use super::*;
use crate::tests::rejected;

const ERROR: Goal = Goal::Error(ErrorId(0));
const NEVER: Goal = Goal::Temporal(TemporalId(0));

#[test]
fn runs_into_errors_replay_and_others_do_not() {
    let (program, _) = counter();
    let problem = problem(&program, &[]);
    let run = |letters: &[u32]| run_of(&problem, ERROR, letters, None);
    assert_eq!(run(&[0, 0, 0, 1]).map(|c| c.length), Ok(4));
    assert_eq!(run(&[0, 0, 2, 2]).map(|c| c.length), Ok(4), "what an invalid call changed counts");
    rejected(run(&[0, 0, 0]), "does not stop");
    rejected(run(&[0, 0, 1]), "does not stop");
    rejected(run(&[0, 0, 0, 1, 0]), "the call before stops");
    rejected(run(&[0, 3]), "no letter number 3");
    rejected(run(&[]), "does not stop");
    rejected(run_of(&problem, ERROR, &[0, 0, 0, 1], Some(1)), "ends there");
}

#[test]
fn runs_round_a_loop_replay_and_others_do_not() {
    let (program, _) = counter();
    let problem = problem(&program, &[never(22), never(9)]);
    let run = |letters: &[u32], from| run_of(&problem, NEVER, letters, Some(from));
    assert_eq!(run(&[0, 0, 1], 0).map(|c| c.length), Ok(3));
    assert_eq!(run(&[0, 0, 0, 0], 0).map(|c| c.length), Ok(4));
    assert_eq!(run(&[0, 0, 1, 1], 3).map(|c| c.length), Ok(4), "the temporary differs at the start");
    rejected(run(&[0, 0, 1], 1), "does not come back");
    rejected(run(&[0, 0], 1), "does not come back");
    rejected(run(&[0, 1], 0), "satisfies the formula");
    rejected(run(&[0, 0, 2, 1], 0), "invalid input");
    rejected(run(&[0, 0, 0, 1], 0), "stops");
    rejected(run(&[0, 0, 1], 3), "does not repeat");
    rejected(run_of(&problem, NEVER, &[0, 0, 1], None), "does not repeat");
    rejected(run_of(&problem, Goal::Temporal(TemporalId(1)), &[0, 0, 1], Some(0)), "satisfies the formula");
}

/// The output of an `int` entry that ends without `return` is not defined, but the run continues. A function
/// may end without `return` if its value is not used.
#[test]
fn only_the_value_of_the_call_is_missed() {
    let mut text = Text::new(&[1, 2]);
    let error = text.0.error(0);
    let helper = text.0.declare("helper");
    let body = text.0.block(&[]);
    text.0.define(helper, body);
    let first = text.input_is(1);
    let value = text.num(-1);
    let branch = text.branch(first, &[Stmt::Call(helper), Stmt::Return(value)], &[Stmt::ReturnCall(helper)]);
    let program = text.finish(&[branch, Stmt::Error(error)], Convention::Returned);
    let problem = problem(&program, &[never(9)]);
    rejected(run_of(&problem, NEVER, &[0], Some(0)), "satisfies");
    rejected(run_of(&problem, NEVER, &[1], Some(0)), "exactly one letter");
    rejected(run_of(&problem, ERROR, &[0, 1], None), "does not stop at the error label");
}
