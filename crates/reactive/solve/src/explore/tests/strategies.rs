//! Checks searches in other orders: deep errors, random programs compared with breadth-first search, and little
//! memory.

use super::super::expand::Expander;
use super::super::wide::Wide;
use super::{counter, task};
use crate::explore::strategy::ReactiveRandomised;
use crate::{ReactiveStepper, ReactiveStrategy};
use model::ids::{ErrorId, EventId};
use model::reactive::{Arm, Binary, Builder, Convention, Expr, Stmt};
use model::{Budget, Claim, Engine, Goal, InputId, Outcome, Reactive, ReactiveTask, Reason, Stop, Trace, Turn};
use proptest::prelude::*;
use search::Pause;
use search::explicit::Options;
use std::sync::Arc;

const ALL: [ReactiveStrategy; 3] = [ReactiveStrategy::Dfs, ReactiveStrategy::Restart, ReactiveStrategy::Jumpstart];

/// A tree with four branches everywhere and `depth` levels. Each of two labels is at about one in a hundred of
/// its leaves. A third label is nowhere.
fn tree(depth: i32) -> Arc<Reactive> {
    let mut b = Builder::new();
    let (level, code) = (b.var("level", 0), b.var("code", 0));
    (1..=4).for_each(|input| {
        b.input(input);
    });
    let labels = [b.error(0), b.error(1)];
    b.error(2);
    let number = |b: &mut Builder, n| b.expr(Expr::Const(n));
    let (is_level, is_code) = (b.expr(Expr::Var(level)), b.expr(Expr::Var(code)));
    let (full, hundred) = (number(&mut b, depth), number(&mut b, 97));
    let is_leaf = b.expr(Expr::Binary(Binary::Eq, is_level, full));
    // Squared, because all codes of some branches are negative.
    let rest = b.expr(Expr::Binary(Binary::Rem, is_code, hundred));
    let rest = b.expr(Expr::Binary(Binary::Mul, rest, rest));
    let mut arms: Vec<Arm> = labels
        .into_iter()
        .zip([49, 64])
        .map(|(label, n)| {
            let n = number(&mut b, n);
            let is_here = b.expr(Expr::Binary(Binary::Eq, rest, n));
            let condition = b.expr(Expr::Binary(Binary::And, is_leaf, is_here));
            Arm { condition, body: b.block(&[Stmt::Error(label)]) }
        })
        .collect();
    let (invalid, five, one) = (number(&mut b, -2), number(&mut b, 5), number(&mut b, 1));
    arms.push(Arm { condition: is_leaf, body: b.block(&[Stmt::Return(invalid)]) });
    let arms = b.arms(&arms);
    let input = b.expr(Expr::Input);
    let longer = b.expr(Expr::Binary(Binary::Mul, is_code, five));
    let longer = b.expr(Expr::Binary(Binary::Add, longer, input));
    let deeper = b.expr(Expr::Binary(Binary::Add, is_level, one));
    let letter = number(&mut b, 21);
    let down = b.block(&[Stmt::Assign(code, longer), Stmt::Assign(level, deeper), Stmt::Return(letter)]);
    let body = b.block(&[Stmt::If { arms, otherwise: down }]);
    let entry = b.declare("calculate_output");
    b.define(entry, body);
    Arc::new(b.finish(entry, Convention::Returned).unwrap())
}

/// Returns the claims of an engine, in turns, until it is done or has spent the given work.
fn claims(engine: &mut dyn Engine, work: u64, stop: &Arc<Stop>) -> Vec<Claim> {
    let (mut claims, mut left) = (Vec::new(), work);
    while left > 0 {
        let mut budget = Budget::new(left.min(1000), Arc::clone(stop));
        let turn = engine.run(&mut budget);
        left = left.saturating_sub(1000 - budget.work.min(999));
        match turn {
            Turn::Claims(claim) => claims.push(claim),
            Turn::More => {}
            Turn::Done => break,
        }
    }
    claims
}

/// Returns the labels that are reached, after checking their runs, and the labels that are claimed unreachable.
fn labels(program: &Arc<Reactive>, claims: &[Claim]) -> (Vec<u32>, Vec<u32>) {
    let (mut reached, mut closed) = (Vec::new(), Vec::new());
    for claim in claims {
        match claim {
            Claim::Unsafe { goal: Goal::Error(error), trace, .. } => {
                replay(program, *error, trace);
                reached.push(error.0);
            }
            Claim::Safe { goals, .. } => closed.extend(goals.iter().map(|goal| match goal {
                Goal::Error(error) => error.0,
                other => panic!("{other} was not asked for"),
            })),
            other => panic!("{other:?}"),
        }
    }
    reached.sort_unstable();
    closed.sort_unstable();
    (reached, closed)
}

fn replay(program: &Arc<Reactive>, error: ErrorId, trace: &Trace) {
    let mut stepper = ReactiveStepper::new(program);
    let (mut state, mut next) = (stepper.initial(), stepper.initial());
    let events: Vec<EventId> = trace
        .runs()
        .iter()
        .flat_map(|run| (0..run.times).flat_map(|_| run.word.iter().map(|step| step.event)))
        .collect();
    for (i, event) in events.iter().enumerate() {
        let outcome = stepper.step(&state, InputId(event.0), &mut next);
        if i + 1 == events.len() {
            assert_eq!(outcome, Outcome::Error(error));
        } else {
            assert!(!matches!(outcome, Outcome::Error(_) | Outcome::Crash), "call {i} stops");
        }
        state.copy_from_slice(&next);
    }
    assert!(!events.is_empty());
}

fn engine(program: &Arc<Reactive>, strategy: ReactiveStrategy, seed: u64) -> ReactiveRandomised {
    crate::explore_randomised(&task(program), strategy, seed, false)
}

#[test]
fn the_end_of_a_long_chain_is_found_and_the_rest_is_closed() {
    let program = counter(100_000);
    for strategy in ALL {
        let mut engine = engine(&program, strategy, 1);
        let claims = claims(&mut engine, 100_000_000, &Arc::default());
        assert_eq!(labels(&program, &claims), (vec![0], vec![1]), "{strategy:?}");
        let Claim::Unsafe { trace, .. } = &claims[0] else { panic!("the run first: {claims:?}") };
        assert_eq!(trace.len(), Some(100_001), "{strategy:?}");
        assert_eq!(engine.stats().states, 100_001);
    }
}

#[test]
fn leaves_of_a_wide_tree_are_found_where_breadth_is_too_much() {
    let program = tree(28);
    for (strategy, seed) in ALL.into_iter().flat_map(|strategy| (0..3).map(move |seed| (strategy, seed))) {
        let claims = claims(&mut engine(&program, strategy, seed), 300_000, &Arc::default());
        assert_eq!(labels(&program, &claims), (vec![0, 1], vec![]), "{strategy:?}, seed {seed}");
    }
    let mut breadth = crate::explore(&task(&program), Options::default());
    assert!(claims(&mut breadth, 300_000, &Arc::default()).is_empty(), "or it is no good as an example");
}

#[test]
fn a_seed_decides_everything() {
    let program = tree(28);
    let run = |strategy, seed| format!("{:?}", claims(&mut engine(&program, strategy, seed), 300_000, &Arc::default()));
    for strategy in ALL {
        assert_eq!(run(strategy, 5), run(strategy, 5));
        assert_ne!(run(strategy, 5), run(strategy, 6));
    }
}

#[test]
fn a_search_from_the_middle_has_its_prefix_in_every_run() {
    let program = tree(10);
    let mut expander = Expander::new(ReactiveStepper::new(&program));
    let prefix: Vec<InputId> = [0, 0, 0].map(InputId).to_vec();
    let start = expander.after(&prefix);
    let mut wide = Wide::new(&expander, prefix.clone(), &start, usize::MAX);
    let Pause::Hit((error, inputs)) = wide.advance(&mut expander, u64::MAX, &|_| true) else { panic!("it is there") };
    assert_eq!((error, &inputs[..3], inputs.len()), (error, &prefix[..], 11));
    assert_eq!(wide.advance(&mut expander, u64::MAX, &|error| error == ErrorId(7)), Pause::Exhausted);
}

#[test]
fn what_does_not_fit_is_searched_again_and_never_claimed_closed() {
    let program = tree(12);
    let stop = || Arc::new(Stop::with_memory_limit(150_000, || 0));
    for strategy in ALL {
        let mut engine = engine(&program, strategy, 3);
        let found = claims(&mut engine, 3_000_000, &stop());
        // Both labels are reachable, so there is no label that the search could claim unreachable. Next, the
        // third label is the goal, which is unreachable.
        assert_eq!(labels(&program, &found), (vec![0, 1], vec![]), "{strategy:?}");
    }
    let asked = ReactiveTask::new(program, [Goal::Error(ErrorId(2))], &[]);
    for strategy in ALL {
        let mut engine = crate::explore_randomised(&asked, strategy, 3, false);
        let found = claims(&mut engine, 1_000_000, &stop());
        assert!(found.is_empty(), "{strategy:?}: {found:?}");
        assert!(engine.stats().more["restarts"] > 0, "{strategy:?}");
    }
}

#[test]
fn no_memory_at_all_ends_the_search() {
    let program = tree(12);
    for strategy in ALL {
        let found = claims(&mut engine(&program, strategy, 3), 3_000_000, &Arc::new(Stop::with_memory_limit(10, || 0)));
        let [Claim::Unknown { reason: Reason::Memory, goals }] = &found[..] else { panic!("{found:?}") };
        assert_eq!(goals.len(), 2);
    }
}

proptest! {
    #![proptest_config(testkit::config(300))]

    #[test]
    fn random_programs_have_the_same_labels(decisions in prop::collection::vec(any::<u8>(), 20..200), seed: u64) {
        let program = testkit::reactive::program(&decisions, testkit::reactive::Values::Any);
        prop_assume!(program.undefined().is_none());
        let asked = task(&program);
        let mut breadth = crate::explore(&asked, Options { explore_all: true, ..Options::default() });
        let expected = claims(&mut breadth, 20_000, &Arc::default());
        prop_assume!(breadth.is_complete());
        let expected = labels(&program, &expected);
        for strategy in ALL {
            let mut engine = crate::explore_randomised(&asked, strategy, seed, strategy == ReactiveStrategy::Dfs);
            let found = claims(&mut engine, 2_000_000, &Arc::default());
            prop_assert_eq!(&labels(&program, &found), &expected, "{:?}", strategy);
            if strategy == ReactiveStrategy::Dfs {
                prop_assert_eq!(engine.stats(), breadth.stats());
            }
        }
    }
}
