//! Tests of statements about the counts of events: what follows from single threads and from groups, and what does not
//! if a side condition is missing; and contradictions of linear atoms, with multipliers.

use super::brute::{self, Rng, local, program, thread};
use crate::linear::Sum;
use crate::refutation::{self, Premises};
use crate::{Refusal, arith};
use kernel::Work;
use kernel::program::stepper::Stepper;
use model::{
    Axiom, Constant, EventId, Goal, IntAtom, IntTerm, Justification, LemmaKind, LocalId, LocalState, Meaning, Program,
    ProofStep, Prop, Refutation, Stop, Thread, ThreadId, Values,
};
use num_bigint::BigInt;
use std::sync::Arc;

const UP: u32 = 0;
const DOWN: u32 = 1;

/// Goes up on event 0 and down on event 1, requests both, and blocks what would leave its `states` states.
fn counter(states: u32) -> Thread {
    let state = |s: u32| {
        let mut moves: Vec<(u32, [u32; 1])> = Vec::new();
        let mut block = Vec::new();
        if s + 1 < states {
            moves.push((UP, [s + 1]))
        } else {
            block.push(UP)
        }
        if s > 0 {
            moves.push((DOWN, [s - 1]))
        } else {
            block.push(DOWN)
        }
        let on: Vec<(u32, &[u32])> = moves.iter().map(|(e, to)| (*e, to.as_slice())).collect();
        local(&format!("s{s}"), 3, &[UP, DOWN], &block, &on)
    };
    thread("counter", &[0], (0..states).map(state).collect())
}

/// Requests event 2, and nothing moves it.
fn idler() -> Thread {
    thread("idler", &[0], vec![local("idle", 3, &[2], &[], &[])])
}

fn counters() -> Arc<Program> {
    program(3, vec![counter(5), idler()])
}

/// The statement `sum of weighted counts + length * T <= number`.
fn most(weights: &[(u32, i64)], length: i64, number: i64) -> IntAtom {
    let weights: Vec<_> = weights.iter().map(|(e, w)| (EventId(*e), *w)).collect();
    let length = IntTerm::Scaled(length.into(), Box::new(IntTerm::Constant(Constant::RunLength)));
    IntAtom::Le(IntTerm::Sum(vec![IntTerm::counts(&weights), length]), IntTerm::number(number))
}

fn equal(weights: &[(u32, i64)], length: i64, number: i64) -> IntAtom {
    let IntAtom::Le(left, right) = most(weights, length, number) else { unreachable!("it is an inequality") };
    IntAtom::Eq(left, right)
}

fn state(back: u32, thread: u32, state: u32) -> Prop {
    Prop::StateBack { back, thread: ThreadId(thread), state: LocalId(state) }
}

fn event(back: u32, event: u32) -> Prop {
    Prop::EventBack { back, event: EventId(event) }
}

/// The refusal of the clause, if the justification does not show it.
fn refused(program: &Program, threads: &[u32], length: u32, clause: &[(bool, Prop)]) -> Option<String> {
    let justification = Justification::Counts { threads: threads.iter().map(|t| ThreadId(*t)).collect(), length };
    refused_axiom(program, Axiom::Lemma(LemmaKind("test.count"), justification), clause)
}

fn refused_axiom(program: &Program, axiom: Axiom, clause: &[(bool, Prop)]) -> Option<String> {
    let literals = (1..).zip(clause).map(|(v, (positive, _))| if *positive { v } else { -v }).collect();
    let refutation = Refutation {
        width: program.threads().len(),
        meanings: clause.iter().map(|(_, prop)| Meaning::Prop(prop.clone())).collect(),
        groups: Vec::new(),
        steps: vec![ProofStep::Axiom(axiom, literals)],
    };
    let (stop, premises) = (Stop::default(), Premises { trust: &[], assumptions: &[] });
    let stepper = Stepper::new(program).expect("a small program");
    let work = &mut Work::new(1_000_000, &stop);
    match refutation::check(program, &stepper, &refutation, &[Goal::Bad], &premises, work) {
        Err(Refusal::Rejected(why)) => (!why.contains("does not end in the empty clause")).then_some(why),
        other => panic!("{:?}", other.err()),
    }
}

#[track_caller]
fn holds(program: &Program, threads: &[u32], length: u32, clause: &[(bool, Prop)]) {
    assert_eq!(refused(program, threads, length, clause), None);
}

#[track_caller]
fn fails(program: &Program, threads: &[u32], length: u32, clause: &[(bool, Prop)], why: &str) {
    let said = refused(program, threads, length, clause).expect("it does not follow");
    assert!(said.contains(why), "{said}");
}

fn int(atom: IntAtom) -> (bool, Prop) {
    (true, Prop::Int(atom))
}

const DIFFERENCE: [(u32, i64); 2] = [(UP, 1), (DOWN, -1)];
const REVERSED: [(u32, i64); 2] = [(UP, -1), (DOWN, 1)];

#[test]
fn a_thread_bounds_a_difference() {
    let program = counters();
    holds(&program, &[0], 0, &[int(most(&DIFFERENCE, 0, 4))]);
    holds(&program, &[0], 0, &[int(most(&REVERSED, 0, 0))]);
    holds(&program, &[0, 1], 0, &[int(most(&DIFFERENCE, 0, 4))]);
    fails(&program, &[0], 0, &[int(most(&DIFFERENCE, 0, 3))], "fails at the end");
    fails(&program, &[0], 0, &[int(most(&REVERSED, 0, -1))], "fails at the end");
    // Neither count has a bound, and the other thread tells nothing.
    fails(&program, &[0], 0, &[int(most(&[(UP, 1)], 0, 1000))], "no bound");
    fails(&program, &[1], 0, &[int(most(&DIFFERENCE, 0, 4))], "no bound");
    // What the counter does not see can happen any number of times.
    fails(&program, &[0], 0, &[int(most(&[(UP, 1), (DOWN, -1), (2, 1)], 0, 4))], "a member stays");
    holds(&program, &[0], 0, &[int(most(&[(UP, 1), (DOWN, -1), (2, -1)], 0, 4))]);
    // The run length counts all events.
    fails(&program, &[0], 0, &[int(most(&DIFFERENCE, 1, 4))], "no bound");
    holds(&program, &[0], 0, &[int(most(&DIFFERENCE, -1, 4))]);
}

#[test]
fn the_last_state_of_a_thread_tells_the_difference() {
    let program = counters();
    let ends = |s| (false, state(0, 0, s));
    holds(&program, &[0], 0, &[ends(3), int(equal(&DIFFERENCE, 0, 3))]);
    fails(&program, &[0], 0, &[ends(3), int(equal(&DIFFERENCE, 0, 2))], "fails at the end");
    fails(&program, &[0], 0, &[ends(3), int(equal(&DIFFERENCE, 0, 4))], "fails at the end");
    fails(&program, &[0], 0, &[int(equal(&DIFFERENCE, 0, 3))], "fails at the end");
    // States of other threads, and states at other distances, tell nothing.
    fails(&program, &[0], 0, &[(false, state(0, 1, 0)), int(equal(&DIFFERENCE, 0, 3))], "fails at the end");
    fails(&program, &[0], 0, &[(false, state(1, 0, 3)), int(equal(&DIFFERENCE, 0, 3))], "fails at the end");
    // A positive literal leaves its state out, and two negated ones everything.
    holds(&program, &[0], 0, &[(true, state(0, 0, 4)), int(most(&DIFFERENCE, 0, 3))]);
    fails(&program, &[0], 0, &[(true, state(0, 0, 3)), int(most(&DIFFERENCE, 0, 3))], "fails at the end");
    holds(&program, &[0], 0, &[ends(3), ends(2), int(most(&DIFFERENCE, 0, -9))]);
}

#[test]
fn the_last_events_are_counted() {
    let program = counters();
    let last = |back, e| (false, event(back, e));
    let some = |e, n: i64| int(most(&[(e, -1)], 0, -n));
    for thread in [0, 1] {
        holds(&program, &[thread], 1, &[last(0, 2), some(2, 1)]);
        holds(&program, &[thread], 2, &[last(0, 2), last(1, 2), some(2, 2)]);
        fails(&program, &[thread], 1, &[last(0, 2), last(1, 2), some(2, 2)], "fails at the end");
        fails(&program, &[thread], 0, &[last(0, 2), some(2, 1)], "fails at the end");
        fails(&program, &[thread], 1, &[last(0, 2), some(2, 2)], "fails at the end");
        fails(&program, &[thread], 1, &[last(0, 2), some(UP, 1)], "fails at the end");
        fails(&program, &[thread], 2, &[last(1, 2), some(2, 2)], "fails at the end");
        // Every event is counted once, and each count is at most the length.
        let all = [(UP, 1), (DOWN, 1), (2, 1)];
        holds(&program, &[thread], 0, &[int(equal(&all, -1, 0))]);
        fails(&program, &[thread], 0, &[int(equal(&all[..2], -1, 0))], "");
        fails(&program, &[thread], 0, &[int(equal(&all, -1, 1))], "fails at the end");
        holds(&program, &[thread], 0, &[int(most(&[(UP, 1)], -1, 0))]);
        // Without a negated literal, the empty run counts.
        fails(&program, &[thread], 1, &[(true, event(0, UP)), some(DOWN, 1)], "fails at the end");
    }
    // Before event 1 the counter went up.
    holds(&program, &[0], 1, &[last(0, DOWN), some(UP, 1)]);
    fails(&program, &[1], 1, &[last(0, DOWN), some(UP, 1)], "fails at the end");
}

/// Each change of the counter makes a bound false, and the checker notices.
#[test]
fn every_move_of_a_thread_counts() {
    let upper = [int(most(&DIFFERENCE, 0, 4))];
    let lower = [int(most(&REVERSED, 0, 0))];
    let changed = |change: &dyn Fn(&mut Thread)| {
        let mut thread = counter(5);
        change(&mut thread);
        program(3, vec![thread, idler()])
    };
    // At its ends, the counter does not block the event but stays.
    let top = changed(&|t| t.states[4].block.remove(EventId(UP)));
    fails(&top, &[0], 0, &upper, "a member stays");
    let bottom = changed(&|t| t.states[0].block.remove(EventId(DOWN)));
    fails(&bottom, &[0], 0, &lower, "a member stays");
    holds(&bottom, &[0], 0, &upper);
    // A second target, a second initial state, and a jump.
    let target = changed(&|t| drop(t.states[2].on.insert(EventId(UP), vec![LocalId(2), LocalId(3)])));
    fails(&target, &[0], 0, &upper, "no bound");
    let initial = changed(&|t| t.initial = vec![LocalId(0), LocalId(1)]);
    holds(&initial, &[0], 0, &upper);
    fails(&initial, &[0], 0, &lower, "fails at the end");
    let jump = changed(&|t| drop(t.states[2].on.insert(EventId(2), vec![LocalId(1)])));
    fails(&jump, &[0], 0, &upper, "no bound");
    // If no thread requests an event, it never fires; a bad state ends the run.
    let silent = changed(&|t| t.states.iter_mut().for_each(|s| s.request.remove(EventId(DOWN))));
    holds(&silent, &[0], 0, &[int(most(&[(UP, 1)], 0, 4))]);
    let stuck = changed(&|t| t.states[2] = LocalState::bad("bad".to_owned(), 3));
    holds(&stuck, &[0], 0, &[int(most(&DIFFERENCE, 0, 2))]);
    fails(&stuck, &[0], 0, &[int(most(&DIFFERENCE, 0, 1))], "fails at the end");
}

#[test]
fn odd_statements_show_nothing() {
    let program = counters();
    let named = IntTerm::Constant(Constant::Named("n".into()));
    let without = "no linear statement";
    fails(&program, &[0], 0, &[int(IntAtom::Le(named, IntTerm::number(4)))], without);
    fails(&program, &[0], 0, &[int(IntAtom::congruent(Constant::Count(EventId(UP)), 0, 1))], without);
    fails(&program, &[0], 0, &[int(most(&[(UP, 1), (DOWN, -1)], 0, 4)).1].map(|p| (false, p)), without);
    fails(&program, &[0], 0, &[(true, event(0, UP))], without);
    let huge = IntAtom::Le(IntTerm::number(BigInt::from(u64::MAX)), IntTerm::Constant(Constant::RunLength));
    fails(&program, &[0], 0, &[int(huge)], without);
    for group in [&[][..], &[1, 0], &[0, 0], &[7]] {
        fails(&program, group, 0, &[int(most(&DIFFERENCE, 0, 4))], "a group is a list");
    }
    // One of several statements suffices.
    holds(&program, &[0], 0, &[int(most(&DIFFERENCE, 0, 3)), int(most(&DIFFERENCE, 0, 4))]);
    // An event that does not exist never fires.
    holds(&program, &[0], 0, &[int(most(&[(99, 1)], 0, 0))]);
}

#[test]
fn long_counters_take_linear_time() {
    let state = |s: u32| {
        let (up, down) = ([s + 1], [s.saturating_sub(1)]);
        let moves: [(u32, &[u32]); 2] = [(UP, &up), (DOWN, &down)];
        let (on, block): (&[(u32, &[u32])], &[u32]) = match s {
            0 => (&moves[..1], &[DOWN]),
            19_999 => (&moves[1..], &[UP]),
            _ => (&moves, &[]),
        };
        local(&format!("s{s}"), 3, &[UP, DOWN], block, on)
    };
    let long = thread("long", &[0], (0..20_000).map(state).collect());
    let program = program(3, vec![long, idler()]);
    // `refused` allows a million units of work.
    holds(&program, &[0], 0, &[int(most(&DIFFERENCE, 0, 19_999))]);
    holds(&program, &[0], 0, &[(false, self::state(0, 0, 7)), int(equal(&DIFFERENCE, 0, 7))]);
    fails(&program, &[0], 0, &[int(most(&DIFFERENCE, 0, 19_998))], "fails at the end");
}

fn random_atom(rng: &mut Rng) -> IntAtom {
    let weights: Vec<(u32, i64)> = (0..3).map(|e| (e, rng.below(5) as i64 - 2)).collect();
    let number = rng.below(9) as i64 - 4;
    if rng.one_in(3) { equal(&weights, 0, number) } else { most(&weights, 0, number) }
}

/// Atoms that small values satisfy together are never refuted, whatever the multipliers.
#[test]
fn contradictions_with_multipliers_are_right() {
    let mut rng = Rng(77);
    let stop = Stop::default();
    let mut accepted = 0;
    for _ in 0..30_000 {
        let atoms: Vec<IntAtom> = (0..1 + rng.below(3)).map(|_| random_atom(&mut rng)).collect();
        let mut sum = Sum::default();
        let work = &mut Work::new(u64::MAX, &stop);
        let multipliers: Vec<i64> = atoms.iter().map(|_| rng.below(6) as i64 - 1).collect();
        if atoms.iter().zip(&multipliers).any(|(atom, m)| sum.add(atom, &BigInt::from(*m), work).is_err()) {
            continue;
        }
        if !sum.is_positive() {
            continue;
        }
        accepted += 1;
        for n in 0..7_u32.pow(3) {
            let count = |e: u32| (Constant::Count(EventId(e)), (n / 7_u32.pow(e) % 7).into());
            let mut values: Values = (0..3).map(count).collect();
            values.insert(Constant::RunLength, 0.into());
            let all = atoms.iter().all(|atom| atom.eval(&values) == Some(true));
            assert!(!all, "{atoms:?} with {multipliers:?} hold for {values:?}");
        }
    }
    assert!(accepted > 1000, "{accepted}");
}

#[test]
fn damaged_multipliers_are_refused() {
    let program = counters();
    let sum = IntAtom::Le(IntTerm::number(9), IntTerm::counts(&[0, 1].map(|e| (EventId(e), 1))));
    let atoms = [most(&[(0, 2)], 0, 9), equal(&[(1, -1)], 0, -4), sum, most(&[(0, 1)], 1, 7)];
    let clause: Vec<(bool, Prop)> = atoms.into_iter().map(|atom| (false, Prop::Int(atom))).collect();
    let refused = |multipliers: &[(u32, i64)], clause: &[(bool, Prop)]| {
        let multipliers = multipliers.iter().map(|(v, m)| (*v, BigInt::from(*m))).collect();
        refused_axiom(&program, Axiom::LinearConflict(multipliers), clause)
    };
    // 2 a <= 9 is tightened to a <= 4; b = 4; a + b >= 9. The equation is used in reverse.
    let right = [(1, 1), (2, -1), (3, 1)];
    assert_eq!(refused(&right, &clause), None);
    for at in 0..3 {
        for by in [-right[at].1, 0, 2 * right[at].1] {
            let mut wrong = right;
            wrong[at].1 = by;
            assert!(refused(&wrong, &clause).is_some(), "{wrong:?}");
        }
        let mut missing = right.to_vec();
        missing.remove(at);
        assert!(refused(&missing, &clause).is_some(), "{missing:?}");
    }
    for variable in [0, 4, 5, u32::MAX] {
        assert!(refused(&[(variable, 1), (2, -1), (3, 1)], &clause).is_some());
    }
    // The atoms must be excluded, not stated.
    let mut stated = clause.clone();
    stated[0].0 = true;
    assert!(refused(&right, &stated).expect("it is not excluded").contains("does not exclude"));
    // Without multipliers, the rule for one constant says nothing, and says so.
    let said = refused_axiom(&program, Axiom::IntConflict, &clause).expect("several constants");
    assert!(
        said.contains("the excluded atoms do not contradict each other: each constant has a value for which they hold"),
        "{said}"
    );
    let remainder = (false, Prop::Int(IntAtom::congruent(Constant::RunLength, 1, 2)));
    assert!(refused(&[(1, 1)], &[remainder]).expect("no remainders").contains("remainder"));
    assert!(refused(&[], &clause).is_some());
}

#[test]
fn counts_are_never_negative() {
    let (stop, below) =
        (Stop::default(), [arith::Normal::Congruent { modulus: 5, residue: 3 }, arith::Normal::AtMost(2)]);
    let work = &mut Work::new(u64::MAX, &stop);
    assert!(arith::clash(&Constant::Count(EventId(0)), &below, work).unwrap());
    assert!(!arith::clash(&Constant::Named("n".into()), &below, work).unwrap());
    let negative = most(&[(0, 1)], 0, -1);
    let mut sum = Sum::default();
    sum.add(&negative, &BigInt::from(1), work).unwrap();
    assert!(sum.is_positive());
    let named = IntAtom::Le(IntTerm::Constant(Constant::Named("n".into())), IntTerm::number(-1));
    let mut sum = Sum::default();
    sum.add(&named, &BigInt::from(1), work).unwrap();
    assert!(!sum.is_positive());
}

/// Runs of a random program end where its threads say.
#[test]
fn brute_force_counts_events() {
    let run = brute::Ran { states: Vec::new(), events: [0, 1, 0].map(EventId).to_vec() };
    let program = counters();
    assert!(run.satisfies(&program, &Prop::Int(equal(&[(0, 1)], 0, 2))));
    assert!(run.satisfies(&program, &Prop::Int(equal(&[(0, 1), (1, 2), (2, 5)], -1, 1))));
}
