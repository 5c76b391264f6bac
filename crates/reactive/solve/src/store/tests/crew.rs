//! Compares searches by several workers with a search by one.

use super::{compare, number};
use crate::store::crew::NOTES;
use crate::store::{Exploration, ReactiveStepper, Stopped};
use model::Reactive;
use model::reactive::{Arm, Binary, Builder, Convention, Expr, Stmt};
use search::Pause;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Returns a program in which input i counts wheel i up to `full`, and then from 0 again. Some calls from some
/// states stop at an error label.
fn wheels(count: u8, full: i32) -> Arc<Reactive> {
    wheels_after(0, false, count, full)
}

/// Returns the program of [`wheels`], preceded by `lead` calls with input 0. Until these calls are made, all
/// other inputs are invalid. If `begins_wide` is true, the first two of these calls may have any input, and
/// each sets a wheel.
fn wheels_after(lead: i32, begins_wide: bool, count: u8, full: i32) -> Arc<Reactive> {
    let mut b = Builder::new();
    let led = b.var("led", 0);
    let wheels: Vec<_> = (0..count).map(|wheel| b.var(format!("wheel{wheel}"), 0)).collect();
    for wheel in 0..count {
        b.input(wheel.into());
    }
    let (zero, one) = (number(&mut b, 0), number(&mut b, 1));
    let mut rules = Vec::new();
    for (&wheel, place) in wheels.iter().zip(0..2).filter(|_| begins_wide) {
        let (input, next) = (b.expr(Expr::Input), number(&mut b, place + 1));
        let is_here = compare(&mut b, Binary::Eq, led, place);
        let set = b.block(&[Stmt::Assign(wheel, input), Stmt::Assign(led, next), Stmt::Return(one)]);
        rules.push(Arm { condition: is_here, body: set });
    }
    if lead > 0 {
        let (input, old) = (b.expr(Expr::Input), b.expr(Expr::Var(led)));
        let is_first = b.expr(Expr::Binary(Binary::Eq, input, zero));
        let more = b.expr(Expr::Binary(Binary::Add, old, one));
        let leads = compare(&mut b, Binary::Lt, led, lead);
        let leads_on = b.expr(Expr::Binary(Binary::And, leads, is_first));
        let (on, invalid) =
            (b.block(&[Stmt::Assign(led, more), Stmt::Return(one)]), b.block(&[Stmt::Invalid, Stmt::Return(zero)]));
        rules.push(Arm { condition: leads_on, body: on });
        rules.push(Arm { condition: leads, body: invalid });
    }
    for (&wheel, i) in wheels.iter().zip(0_u8..) {
        let (letter, input) = (number(&mut b, i.into()), b.expr(Expr::Input));
        let is_meant = b.expr(Expr::Binary(Binary::Eq, input, letter));
        let is_full = compare(&mut b, Binary::Eq, wheel, full);
        let is_next_full = compare(&mut b, Binary::Eq, wheels[(wheel.index() + 1) % wheels.len()], full);
        let both_full = b.expr(Expr::Binary(Binary::And, is_full, is_next_full));
        let stops = b.expr(Expr::Binary(Binary::And, is_meant, both_full));
        let turns = b.expr(Expr::Binary(Binary::And, is_meant, is_full));
        let error = b.error(i.into());
        let old = b.expr(Expr::Var(wheel));
        let more = b.expr(Expr::Binary(Binary::Add, old, one));
        let fail = b.block(&[Stmt::Error(error)]);
        let back = b.block(&[Stmt::Assign(wheel, zero), Stmt::Return(one)]);
        let up = b.block(&[Stmt::Assign(wheel, more), Stmt::Return(one)]);
        rules.push(Arm { condition: stops, body: fail });
        rules.push(Arm { condition: turns, body: back });
        rules.push(Arm { condition: is_meant, body: up });
    }
    let rules = b.arms(&rules);
    let otherwise = b.block(&[]);
    let body = b.block(&[Stmt::If { arms: rules, otherwise }, Stmt::Return(zero)]);
    let entry = b.declare("calculate_output");
    b.define(entry, body);
    Arc::new(b.finish(entry, Convention::Returned).unwrap())
}

/// The results of a search.
#[derive(PartialEq, Eq, Debug)]
struct Explored {
    /// Stops in the order in which they were found, each with the length of its run.
    stops: Vec<(Stopped, usize)>,
    /// States in the order in which they were found.
    states: Vec<Vec<i32>>,
    transitions: u64,
    is_tree: bool,
}

/// Explores all states, in turns of `work` units. With more than one job, several workers must have been used.
fn explore(program: &Arc<Reactive>, jobs: usize, work: u64) -> Explored {
    let mut search = Exploration::new(ReactiveStepper::new(program), jobs);
    let mut stops: Vec<(Stopped, usize)> = Vec::new();
    loop {
        match search.advance(work, |error| stops.iter().all(|(stopped, _)| stopped.error != error)) {
            Pause::Turn => {}
            Pause::Exhausted => break,
            Pause::Stuck(_) | Pause::Dear => panic!("there are few"),
            Pause::Hit(stopped) => stops.push((stopped, search.inputs_to(stopped.from).expect("a run").len())),
        }
    }
    let mut states = Vec::new();
    let end: ControlFlow<()> = search.states().for_each(|state| {
        states.push(state.to_vec());
        ControlFlow::Continue(())
    });
    assert_eq!(end, ControlFlow::Continue(()));
    assert_eq!(search.has_called_others(), jobs > 1, "the space is wide");
    Explored { stops, states, transitions: search.transitions(), is_tree: search.states().is_tree() }
}

#[test]
fn several_find_what_one_finds_in_the_same_order() {
    for (count, full) in [(2, 600), (4, 13), (6, 5)] {
        let program = wheels(count, full);
        let expected = explore(&program, 1, u64::MAX);
        assert_eq!(expected.stops.len(), usize::from(count));
        assert_eq!(expected.is_tree, count > 2);
        for (jobs, work) in [(2, u64::MAX), (2, 1000), (3, 5000), (7, u64::MAX)] {
            assert!(explore(&program, jobs, work) == expected, "{jobs} on {count} wheels");
        }
    }
}

#[test]
fn turns_change_nothing() {
    for (count, full) in [(2, 40), (3, 20), (5, 5), (9, 1)] {
        let program = wheels(count, full);
        assert!(explore(&program, 1, u64::MAX) == explore(&program, 1, 777), "{count} wheels");
    }
}

/// Clock and memory are checked after a fixed amount of work, so the time of a work unit must not depend on the
/// number of inputs.
#[test]
fn a_state_with_many_inputs_is_more_work() {
    let calls_of_a_turn = |count: u8| {
        let mut search = Exploration::new(ReactiveStepper::new(&wheels(count, 50)), 1);
        // The first calls make the tree grow.
        while search.expanded() < 4_000 {
            assert_eq!(search.advance(64, |_| true), Pause::Turn, "there are many");
        }
        let before = search.transitions();
        assert_eq!(search.advance(1 << 13, |_| true), Pause::Turn);
        search.transitions() - before
    };
    let (few, many) = (calls_of_a_turn(4), calls_of_a_turn(200));
    assert!(many < 4 * few, "{many} calls instead of {few}");
}

/// Returns the first states of a space that is too large to explore, and the bytes in use apart from the
/// states, after some states have been expanded.
fn begin(program: &Arc<Reactive>, jobs: usize, expanded: u64, shown: usize) -> (Vec<Vec<i32>>, usize) {
    let mut search = Exploration::new(ReactiveStepper::new(program), jobs);
    while search.expanded() < expanded {
        assert_eq!(search.advance(1 << 15, |_| true), Pause::Turn, "there are many");
    }
    assert_eq!(search.has_called_others(), jobs > 1);
    let mut states = Vec::new();
    let end = search.states().for_each(|state| {
        states.push(state.to_vec());
        if states.len() < shown { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert_eq!(end, ControlFlow::Break(()));
    (states, search.bytes() - search.states().bytes())
}

#[test]
fn with_many_inputs_others_are_called_for_few_states() {
    let program = wheels(200, 3);
    let (expected, _) = begin(&program, 1, 250, 20_000);
    assert!([2, 3].into_iter().all(|jobs| begin(&program, jobs, 250, 20_000).0 == expected));
}

/// The number of missing states is estimated from the last calls. If there are more missing states than
/// estimated, chunks break off.
#[test]
fn notes_stay_small_where_calls_become_many() {
    for (lead, begins_wide, count, before) in [(3_000, false, 200, 3_000), (4, true, 100, 20_101)] {
        let program = wheels_after(lead, begins_wide, count, 100_000);
        let (expanded, shown) = (before + 500, 50_000);
        let (expected, _) = begin(&program, 1, expanded, shown);
        for jobs in [2, 3] {
            let (states, bytes) = begin(&program, jobs, expanded, shown);
            assert!(states == expected);
            assert!(bytes < 2 * NOTES, "{bytes} with {jobs} jobs, {count} inputs");
        }
    }
}

/// If there are too many missing states in the first stretch of several workers, most chunks are never begun.
#[test]
fn a_first_stretch_breaks_off() {
    let program = wheels_after(4, true, 120, 100_000);
    let transitions = |jobs| {
        let mut search = Exploration::new(ReactiveStepper::new(&program), jobs);
        // In turns so small that only one worker is used, up to the state where the many calls begin.
        while search.expanded() < 1 + 120 + 2 * 120 * 120 {
            assert_eq!(search.advance(8, |_| true), Pause::Turn);
        }
        assert!(!search.has_called_others());
        let before = search.expanded();
        assert_eq!(search.advance(1 << 14, |_| true), Pause::Turn);
        assert_eq!(search.has_called_others(), jobs > 1);
        assert!(search.expanded() > before);
        // Each state has the same number of successors.
        search.transitions() - 120 * (search.expanded() - before)
    };
    assert_eq!(transitions(1), transitions(2));
}
