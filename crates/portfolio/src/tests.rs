//! Tests of how claims are handled: wrong evidence, wrong candidates, engines that give up, and claims that
//! come too late.

mod any_number;
mod circuit_merging;
mod ctl_rules;
mod net_branching;
mod net_live;
mod net_recurrence;
mod net_temporal;
mod net_walks;
mod plenty;
mod pumped;
mod saving;

use super::*;
use crate::decide::decide;
use crate::entrant::Entrant;
use crate::turns::Turns;
use model::{
    Budget, Claim, Engine, EventId, EventSet, Formula, FormulaId, Goal, LocalId, LocalState, Net, Place, PlaceId,
    Program, Property, Questions, Range, Reason, Stats, Thread, Trace, Transition, Turn,
};
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An engine that makes the given claims, one in each turn.
struct Script {
    claims: Vec<fn() -> Claim>,
    refusals: u32,
}

impl Engine for Script {
    fn name(&self) -> &'static str {
        "script"
    }
    fn run(&mut self, _budget: &mut Budget) -> Turn {
        if self.claims.is_empty() { Turn::Done } else { Turn::Claims(self.claims.remove(0)()) }
    }
    fn refused(&mut self, _goal: Goal) {
        self.refusals += 1;
    }
    fn stats(&self) -> Stats {
        Stats { states: u64::from(self.refusals), ..Stats::default() }
    }
}

/// Returns a program with one thread. The thread requests `a` in its first state, and `a` leads to the state
/// with number `to`.
pub(crate) fn requesting(to: u32, goals: &[Goal]) -> Problem {
    let state = |name: &str, request: EventSet, on: BTreeMap<_, _>| LocalState {
        name: name.to_owned(),
        request,
        block: EventSet::empty(1),
        bad: false,
        on,
    };
    let on = BTreeMap::from([(EventId(0), vec![LocalId(to)])]);
    let mut states = vec![state("s", EventSet::full(1), on)];
    if to > 0 {
        states.push(state("t", EventSet::empty(1), BTreeMap::new()));
    }
    let thread = Thread { name: "T".to_owned(), states, initial: vec![LocalId(0)] };
    let program = Program::new(vec!["a".to_owned()], vec![thread], goals.to_vec()).expect("well formed");
    Problem::of_program_with(Arc::new(program), goals).expect("goals of programs")
}

/// Returns a program that reaches no bad state, and a deadlock after one event.
fn problem() -> Problem {
    requesting(1, &[Goal::Bad, Goal::Deadlock])
}

fn script(claims: Vec<fn() -> Claim>) -> Turns<'static> {
    Turns::of(vec![Entrant::ready(Box::new(Script { claims, refusals: 0 }))])
}

/// Returns the wrong claim that the empty run reaches the goal.
fn wrong_trace(goal: Goal, candidate: bool) -> Claim {
    Claim::Unsafe { goal, trace: Trace::new(Box::from([0])), candidate }
}

#[test]
fn wrong_evidence_is_no_answer() {
    let outcome = decide(&problem(), &Options::default(), script(vec![|| wrong_trace(Goal::Bad, false)]), None);
    let bad = outcome.about(Goal::Bad).expect("it was asked");
    assert!(matches!(bad.finding, Finding::Rejected { .. }), "{:?}", bad.finding);
    assert!(!bad.is_safe() && !bad.is_unsafe());
    assert!(bad.claim.is_some(), "the evidence is kept");
}

#[test]
fn a_wrong_candidate_is_forgotten() {
    let claims: Vec<fn() -> Claim> = vec![|| wrong_trace(Goal::Deadlock, true), || Claim::Unsafe {
        goal: Goal::Deadlock,
        trace: {
            let mut trace = Trace::new(Box::from([0]));
            trace.push(EventId(0), None);
            trace
        },
        candidate: true,
    }];
    let outcome = decide(&problem(), &Options::default(), script(claims), None);
    let deadlock = outcome.about(Goal::Deadlock).expect("it was asked");
    assert!(deadlock.is_unsafe(), "{:?}", deadlock.finding);
    assert_eq!(deadlock.stats.states, 1, "the engine was told of its first try");
    let bad = outcome.about(Goal::Bad).expect("it was asked");
    assert_eq!(bad.unknown(), Some(Reason::GaveUp), "no engine claimed it");
}

#[test]
fn reasons_come_through() {
    let claims: Vec<fn() -> Claim> = vec![|| Claim::Unknown { goals: vec![Goal::Bad], reason: Reason::Overflow }];
    let outcome = decide(&problem(), &Options::default(), script(claims), None);
    let reasons: Vec<Option<Reason>> = outcome.answers.iter().map(Answer::unknown).collect();
    assert_eq!(reasons, [Some(Reason::Overflow), Some(Reason::GaveUp)]);
}

#[test]
fn the_first_checked_answer_counts() {
    let (problem, options) = (problem(), Options { engine: Some(&engines::EXPLICIT), ..Options::default() });
    let mut entrants = plan::plan(&problem, &options);
    let claims: Vec<fn() -> Claim> = vec![|| wrong_trace(Goal::Deadlock, false)];
    entrants.push(Entrant::ready(Box::new(Script { claims, refusals: 0 })));
    let outcome = decide(&problem, &Options::default(), Turns::of(entrants), None);
    assert!(outcome.about(Goal::Deadlock).expect("it was asked").is_unsafe(), "explicit search came first");
    assert!(outcome.about(Goal::Bad).expect("it was asked").is_safe());
}

#[test]
fn a_raised_flag_ends_it() {
    let options = Options::default();
    options.stop.raise(Reason::Timeout);
    let outcome = check(&problem(), &options);
    assert!(outcome.answers.iter().all(|a| a.unknown() == Some(Reason::Timeout)));
}

#[test]
fn evidence_too_dear_is_uncertified() {
    let options = Options { engine: Some(&engines::EXPLICIT), check_steps: 0, ..Options::default() };
    let outcome = check(&problem(), &options);
    let bad = outcome.about(Goal::Bad).expect("it was asked");
    assert_eq!(bad.unknown(), Some(Reason::Uncertified));
    assert!(bad.claim.is_some(), "the claim is shown");
}

/// If answers that share evidence come together, the evidence is written once.
#[test]
fn answers_that_rest_on_one_claim_come_together() {
    let safe = requesting(0, &[Goal::Deadlock, Goal::Bad]);
    let (told, turns) = (std::sync::Mutex::new(Vec::new()), std::sync::Mutex::new(Vec::new()));
    let on_answers = |answers: &[Answer]| {
        told.lock().unwrap().push(answers.iter().map(|a| a.property.goal).collect::<Vec<_>>());
    };
    let on_turn = |engine| turns.lock().unwrap().push(engine);
    let engine = Some(&engines::EXPLICIT);
    let _ = check(&safe, &Options { engine, on_answers: &on_answers, on_turn: &on_turn, ..Options::default() });
    assert_eq!(told.into_inner().unwrap(), [[Goal::Deadlock, Goal::Bad]]);
    assert_eq!(turns.into_inner().unwrap().first(), Some(&"explicit"));
}

/// Returns a net in which tokens grow without limit. Ten tokens on `y` need a bound of eleven.
fn growing() -> Problem {
    let place = |name: &str, tokens: u8| Place { name: name.to_owned(), initial: Range::exactly(tokens) };
    let (x, y, one) = (PlaceId(0), PlaceId(1), || BigUint::from(1u8));
    let grow = Transition::from_arcs("grow".to_owned(), &[(x, one())], &[(x, one()), (y, one())]);
    let net = Net::new(vec![place("x", 1), place("y", 0)], vec![grow]).expect("well formed");
    let goal = Property::never("target", Goal::Formula(FormulaId(0)));
    Problem::new(
        Arc::new(net),
        Questions {
            formulas: vec![Arc::new(Formula::cover(&[(y, 10u8.into())]))],
            properties: vec![goal],
            ..Questions::default()
        },
    )
    .expect("it fits")
}

/// Returns a proof about runs with at most three tokens.
fn within_three() -> Claim {
    let options = Options { engine: Some(&engines::IC3_BITS), bound: Some(3), ..Options::default() };
    let claim = check(&growing(), &options).answers.swap_remove(0).claim.expect("something is claimed");
    assert!(matches!(*claim, Claim::Within { .. }), "{claim:?}");
    Arc::into_inner(claim).expect("no other reference is left")
}

#[test]
fn a_proof_about_fewer_tokens_is_no_answer() {
    for (bound, is_enough) in [(2, true), (3, true), (4, false)] {
        let options = Options { bound: Some(bound), ..Options::default() };
        let outcome = decide(&growing(), &options, script(vec![within_three]), None);
        let finding = &outcome.answers[0].finding;
        assert_eq!(matches!(finding, Finding::Within(_)), is_enough, "{bound}: {finding:?}");
        assert_eq!(matches!(finding, Finding::Rejected { .. }), !is_enough, "{bound}: {finding:?}");
    }
}

/// The help, the documents and the plans are generated from the table, so its rows must be complete.
#[test]
fn rows_are_whole() {
    for row in engines::ALL {
        assert!(!row.title.is_empty() && !row.about.is_empty(), "{row:?} says nothing of itself");
        assert!(row.proves || row.refutes, "{row:?} is of no use");
        assert!(row.title.len() <= 80 && !row.title.ends_with('.'), "{row:?}: the title is a line");
        assert_eq!(engines::by_name(row.name), Some(*row), "two rows are called {row:?}");
        assert!(!row.families().is_empty(), "{row:?} knows no system");
    }
}

/// Bounds do not apply to programs. A bound that is set for nets must not remove the engines for programs.
#[test]
fn a_bound_says_nothing_about_programs() {
    let outcome = check(&problem(), &Options { bound: Some(1), ..Options::default() });
    assert!(outcome.about(Goal::Deadlock).expect("it was asked").is_unsafe());
    assert!(outcome.about(Goal::Bad).expect("it was asked").is_safe());
}

/// `k-induction` and `walk` help `ic3` with circuits, because they may search without end. If `ic3` is left out, they
/// work alone.
#[test]
fn engines_work_without_the_one_they_help() {
    let mut builder = model::CircuitBuilder::default();
    let input = builder.circuit_mut().input(None);
    let latches = [(); 2].map(|()| builder.circuit_mut().latch(model::Reset::Zero, None));
    let [first, second] = latches.map(|latch| builder.circuit().latches()[latch.index()].signal);
    let differ = builder.xor(first, second);
    let circuit = builder.circuit_mut();
    latches.iter().for_each(|&latch| circuit.set_next(latch, input));
    circuit.output(differ, None);
    circuit.output(first, None);
    let problem = testkit::circuit::problem(builder.finish());
    let outcome = check(&problem, &Options { without: vec![&engines::IC3], ..Options::default() });
    assert!(outcome.answers[0].is_safe(), "{:?}", outcome.answers[0].finding);
    assert!(outcome.answers[1].is_unsafe(), "{:?}", outcome.answers[1].finding);
}
