//! Tests for each way in which a question does not fit, with its error message, and for questions that fit.

use super::*;
use crate::event_set::EventSet;
use crate::goal::QuestionForm;
use crate::ids::{ErrorId, LocalId, TemporalId, ThreadId};
use crate::ltl::LtlNode;
use crate::net::{Place, Range};
use crate::reactive::{Builder, Convention};
use crate::rwb::{LocalState, Thread};
use crate::term::{Constant, IntAtom};
use crate::{Act, CircuitBuilder, PlaceId, SharedId, Signal, ThreadInit, ThreadTransition};
use std::collections::BTreeMap;

/// A program with one thread of two states.
fn program() -> SystemModel {
    let state = |name: &str| LocalState {
        name: name.to_owned(),
        request: EventSet::empty(1),
        block: EventSet::empty(1),
        bad: false,
        on: BTreeMap::new(),
    };
    let thread = Thread { name: "T".to_owned(), states: vec![state("s"), state("t")], initial: vec![LocalId(0)] };
    Arc::new(Program::new(vec!["e".to_owned()], vec![thread], vec![Goal::Bad]).expect("a program")).into()
}

/// A net with two places.
fn net() -> SystemModel {
    let place = |name: &str| Place { name: name.to_owned(), initial: Range::exactly(0u8) };
    Arc::new(Net::new(vec![place("p"), place("q")], Vec::new()).expect("a net")).into()
}

/// A thread-transition system with two shared states and one local state.
fn threads() -> SystemModel {
    let initial = ThreadInit { shared: SharedId(0), threads: BTreeMap::new(), any: vec![LocalId(0)] };
    let (from, to) = ((SharedId(0), LocalId(0)), (SharedId(1), LocalId(0)));
    let step = ThreadTransition { from, act: Act::Move, to, passive: BTreeMap::new() };
    Arc::new(ThreadTransitionSystem::new(2, 1, initial, vec![step]).expect("a thread-transition system")).into()
}

/// A circuit with one output.
fn circuit() -> SystemModel {
    let mut builder = CircuitBuilder::default();
    builder.circuit_mut().output(Signal::TRUE, None);
    builder.circuit_mut().justice(vec![Signal::TRUE], None);
    Arc::new(builder.finish()).into()
}

/// A reactive program with one error label.
fn reactive() -> SystemModel {
    let mut builder = Builder::new();
    builder.input(1);
    builder.error(7);
    let entry = builder.declare("step");
    let body = builder.block(&[]);
    builder.define(entry, body);
    Arc::new(builder.finish(entry, Convention::Printed).expect("a program")).into()
}

#[derive(Debug)]
struct One;

impl System for One {
    fn sizes(&self) -> Vec<u64> {
        vec![1]
    }
    fn initial(&self, sink: &mut dyn FnMut(&[u32])) {
        sink(&[0]);
    }
    fn successors(&self, _: &[u32], _: &mut dyn FnMut(u32, &[u32])) {}
    fn predicates(&self) -> Vec<(String, QuestionForm)> {
        vec![("never".to_owned(), QuestionForm::Never)]
    }
    fn holds(&self, _: usize, _: &[u32]) -> bool {
        false
    }
    fn asks_deadlock(&self) -> bool {
        true
    }
}

/// A system written in Rust with one predicate.
fn own() -> SystemModel {
    let system: Arc<dyn System> = Arc::new(One);
    system.into()
}

fn asked(goal: Goal) -> Questions {
    Questions { properties: vec![Property::never("x", goal)], ..Questions::default() }
}

fn about(place: u32) -> Questions {
    Questions { formulas: vec![Arc::new(Formula::cover(&[(PlaceId(place), 1u8.into())]))], ..Questions::default() }
}

fn temporal() -> Vec<Arc<Ltl>> {
    vec![Arc::new(Ltl::new(vec![LtlNode::Constant(true)]))]
}

fn longer() -> Assumption {
    Assumption::Int(vec![IntAtom::at_least(Constant::RunLength, 1)])
}

fn ends(thread: u32, states: &[u32]) -> Questions {
    let end = Assumption::Final { thread: ThreadId(thread), states: states.iter().map(|s| LocalId(*s)).collect() };
    Questions { assumptions: vec![longer(), end], ..Questions::default() }
}

/// Returns the error message; empty if the questions fit.
fn why(system: SystemModel, asked: Questions) -> String {
    Problem::new(system, asked).map_or_else(|mismatch| mismatch.to_string(), |_| String::new())
}

fn data() -> SystemModel {
    Arc::new(crate::DataProgram::new(Vec::new(), Vec::new(), Vec::new()).unwrap()).into()
}

const KINDS: [fn() -> SystemModel; 7] = [program, net, threads, circuit, reactive, own, data];

#[test]
fn each_kind_has_goals_of_its_own() {
    let goals = [
        (Goal::Bad, "P.....D"),
        (Goal::Deadlock, "PNT..OD"),
        (Goal::Formula(FormulaId(0)), "PNT...."),
        (Goal::Output(OutputId(0)), "...C..."),
        (Goal::Justice(crate::JusticeId(0)), "...C..."),
        (Goal::Error(ErrorId(0)), "....R.."),
        (Goal::Temporal(TemporalId(0)), "PNT.R.."),
        (Goal::SomeHot, "P......"),
        (Goal::Predicate(PredicateId(0)), ".....O."),
        (Goal::Unsupported(3), "PNTCROD"),
    ];
    for (goal, fits) in goals {
        for (system, fits) in KINDS.iter().zip(fits.chars()) {
            let system = system();
            let has_places = system.places().is_some();
            let formulas = if has_places { about(0).formulas } else { Vec::new() };
            let kinds = [system.as_reactive().is_some(), system.as_program().is_some(), system.as_marked().is_some()];
            let has_formulas = kinds.contains(&true);
            let temporal = if has_formulas { temporal() } else { Vec::new() };
            let expected = if fits == '.' {
                format!("property `x`: {} has no goals of this kind", system.noun())
            } else {
                String::new()
            };
            assert_eq!(why(system, Questions { formulas, temporal, ..asked(goal) }), expected, "{goal}");
        }
    }
}

#[test]
fn what_goals_name_is_there() {
    let no = |what: &str, count: u32| {
        format!("property `x`: there is no {what} {count}; there are {count}, numbered from 0")
    };
    for system in [program, net, threads] {
        assert_eq!(why(system(), asked(Goal::Formula(FormulaId(0)))), no("formula", 0));
    }
    assert_eq!(why(circuit(), asked(Goal::Output(OutputId(1)))), no("output", 1));
    assert_eq!(why(reactive(), asked(Goal::Error(ErrorId(1)))), no("error label", 1));
    assert_eq!(why(reactive(), asked(Goal::Temporal(TemporalId(0)))), no("temporal formula", 0));
    assert_eq!(why(own(), asked(Goal::Predicate(PredicateId(1)))), no("predicate", 1));
}

#[test]
fn formulas_are_about_places_that_are_there() {
    for (system, places) in [(program as fn() -> SystemModel, 2), (net, 2), (threads, 3)] {
        assert_eq!(why(system(), about(places - 1)), "");
        let expected = format!("formula 0: there is no place {places}; there are {places}, numbered from 0");
        assert_eq!(why(system(), about(places)), expected);
    }
    for system in [circuit, reactive, own] {
        let system = system();
        let expected = format!("formula 0: {} has no formulas over places", system.noun());
        assert_eq!(why(system, about(0)), expected);
    }
    for system in [circuit, own] {
        let system = system();
        let expected = format!("temporal formula 0: {} has no temporal formulas", system.noun());
        assert_eq!(why(system, Questions { temporal: temporal(), ..Questions::default() }), expected);
    }
}

#[test]
fn only_programs_have_assumptions_and_of_their_own_states() {
    for system in [net, threads, circuit, reactive, own] {
        let system = system();
        let expected = format!("assumption 0: {} has no assumptions", system.noun());
        assert_eq!(why(system, ends(0, &[0])), expected);
    }
    assert_eq!(why(program(), ends(0, &[0, 1])), "");
    assert_eq!(why(program(), ends(1, &[0])), "assumption 1: there is no thread 1; there are 1, numbered from 0");
    assert_eq!(why(program(), ends(0, &[0, 2])), "assumption 1: there is no state 2; there are 2, numbered from 0");
    assert_eq!(why(program(), ends(0, &[1, 0])), "assumption 1: its states or places are not in ascending order");
    let formula = Questions { formulas: about(0).formulas, ..asked(Goal::Formula(FormulaId(0))) };
    let beside = Questions { assumptions: vec![longer()], ..formula };
    assert_eq!(why(program(), beside), "property `x`: a formula cannot be asked of a program beside assumptions");
}

#[test]
fn goals_are_asked_once() {
    let once = Problem::of(net()).never_stuck().expect("nets have deadlocks");
    let twice = once.changed(|asked| asked.properties.push(Property::never("again", Goal::Deadlock)));
    assert_eq!(twice.expect_err("it is there").to_string(), "property `again`: `deadlock` asks for the same");
}

#[test]
fn problems_made_of_others_fit_as_well() {
    let covered = |place| Formula::cover(&[(PlaceId(place), 1u8.into())]);
    let problem = Problem::of(net()).never("p", covered(0)).and_then(Problem::never_stuck).expect("it fits");
    assert_eq!(problem.goals().collect::<Vec<_>>(), [Goal::Formula(FormulaId(0)), Goal::Deadlock]);
    assert!(problem.clone().never("r", covered(2)).is_err());
    let less = problem.clone().only(|property| property.id == "p");
    assert_eq!(less.properties().len(), 1);
    assert!(less.clone().asking(vec![Property::never("b", Goal::Bad)]).is_err());
    assert!(less.clone().assuming(vec![longer()]).is_err());
    assert!(less.clone().on(threads()).is_ok(), "its first place is one of the other system");
    assert_eq!(
        less.on(circuit()).expect_err("no places").to_string(),
        "formula 0: a circuit has no formulas over places"
    );
    assert_eq!(problem.formula(Goal::Formula(FormulaId(1))), None);
    let own = Problem::of_own(One);
    assert_eq!(own.goals().collect::<Vec<_>>(), [Goal::Predicate(PredicateId(0)), Goal::Deadlock]);
}
