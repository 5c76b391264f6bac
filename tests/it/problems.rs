//! Random properties of random systems of every kind: either `Problem::new` refuses them, or every engine
//! accepts them. Nothing panics.

use impasse::model::{
    Assumption, BoundId, BranchingId, Constant, Ctl, CtlBuilder, ErrorId, EventId, Fairness, Formula, FormulaId, Goal,
    IntAtom, Letter, LocalId, Ltl, LtlNode, Mismatch, OutputId, PlaceId, PredicateId, Problem, Property, QuestionForm,
    Questions, Reason, Stop, Subject, Sum, System, SystemModel, TemporalId, ThreadId, Unfit,
};
use impasse::{Options, check, engines};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use testkit::{Random, circuit, marked, program, reactive};

/// Number of turns of engines in a check.
const TURNS: u32 = 12;
/// Bytes for the states of a search. Some systems have infinitely many states.
const MEMORY: usize = 1 << 20;

/// A system that counts to three. Its two predicates are goals.
#[derive(Debug)]
struct Count;

impl System for Count {
    fn sizes(&self) -> Vec<u64> {
        vec![4]
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u32])) {
        sink(&[0]);
    }

    fn successors(&self, state: &[u32], sink: &mut dyn FnMut(u32, &[u32])) {
        if state[0] < 3 {
            sink(0, &[state[0] + 1]);
        }
    }

    fn predicates(&self) -> Vec<(String, QuestionForm)> {
        vec![("two".to_owned(), QuestionForm::Never), ("four".to_owned(), QuestionForm::Never)]
    }

    fn holds(&self, predicate: usize, state: &[u32]) -> bool {
        state[0] == [2, 4][predicate]
    }
}

/// A program with unbounded data.
const UNBOUNDED: &str = "rwb 2
event tick, level(v: int)
thread T { var n: int = 0  body { loop { request tick  n = n + 1 } } }
thread S { body { loop { request level(v) when v > 3  block tick } } }";

/// Returns a system of any kind.
fn system(random: &mut Random) -> SystemModel {
    let seed = random.below(1 << 20) as u64;
    match random.below(8) {
        0 => Arc::new(program::program(seed)).into(),
        1 => Arc::new(program::program_with_ends(seed)).into(),
        2 => marked::net(seed).problem.system().clone(),
        3 => marked::thread_system(seed).problem.system().clone(),
        4 => Arc::new(circuit::circuit(seed)).into(),
        5 => reactive::random(random, reactive::Values::Any).into(),
        6 => impasse::read_rwb(UNBOUNDED).expect("the text is right").system().clone(),
        _ => {
            let system: Arc<dyn System> = Arc::new(Count);
            system.into()
        }
    }
}

/// Returns a goal. Most goals fit the kind of the system. Sometimes the number in the goal is too large.
fn goal(random: &mut Random, system: &SystemModel) -> Goal {
    let number = random.below(3) as u32;
    let own: &[usize] = match system {
        SystemModel::Rwb(_) => &[0, 1, 2, 5],
        SystemModel::Net(_) => &[1, 1, 2, 2, 5, 8, 9],
        SystemModel::Threads(_) => &[1, 2],
        SystemModel::Circuit(_) => &[3],
        SystemModel::Reactive(_) => &[4, 5],
        SystemModel::Own(_) => &[1, 6],
        SystemModel::Data(_) => &[0, 1],
    };
    match if random.chance(90) { own[random.below(own.len())] } else { random.below(10) } {
        0 => Goal::Bad,
        1 => Goal::Deadlock,
        2 => Goal::Formula(FormulaId(number)),
        3 => Goal::Output(OutputId(number)),
        4 => Goal::Error(ErrorId(number)),
        5 => Goal::Temporal(TemporalId(number)),
        6 => Goal::Predicate(PredicateId(number)),
        8 => Goal::Branching(BranchingId(number)),
        9 => Goal::Bound(BoundId(number)),
        _ => Goal::Unsupported(number),
    }
}

fn assumption(random: &mut Random) -> Assumption {
    let atom = |random: &mut Random| match random.below(3) {
        0 => IntAtom::at_least(Constant::RunLength, random.below(4) as u64),
        1 => IntAtom::congruent(Constant::RunLength, 1, 2),
        _ => IntAtom::equals(Constant::Named("x".into()), 1),
    };
    match random.below(2) {
        0 => Assumption::Int((0..random.below(3)).map(|_| atom(random)).collect()),
        _ => {
            let states = (0..random.below(3)).map(|_| LocalId::new(random.below(4))).collect();
            Assumption::Final { thread: ThreadId::new(random.below(4)), states }
        }
    }
}

/// Returns questions. Most of them fit the kind of the system.
fn questions(random: &mut Random, system: &SystemModel) -> Questions {
    let wild = random.chance(15);
    let formula = |random: &mut Random| {
        let places = system.places().unwrap_or(3) + usize::from(random.chance(10));
        let tokens = (random.below(3) as u32).into();
        Arc::new(Formula::cover(&[(PlaceId::new(random.below(places)), tokens)]))
    };
    let formulas = if wild || system.places().is_some() { random.below(4) } else { 0 };
    let formulas = (0..formulas).map(|_| formula(random)).collect();
    let has_formulas = system.as_reactive().is_some() || system.as_program().is_some();
    let temporal = if wild || has_formulas { random.below(4) } else { 0 };
    let temporal = (0..temporal).map(|_| Arc::new(Ltl::new(vec![node(random)]))).collect();
    let fairness = if (wild || system.as_program().is_some()) && random.chance(30) { 1 } else { 0 };
    let subject = |random: &mut Random| Subject::Thread(ThreadId::new(random.below(4)));
    let fairness = (0..fairness).map(|_| Fairness { subject: subject(random), is_strong: random.chance(50) }).collect();
    let assumptions =
        if (wild || system.as_program().is_some()) && random.chance(30) { 1 + random.below(2) } else { 0 };
    let assumptions = (0..assumptions).map(|_| assumption(random)).collect();
    let properties = (0..random.below(4)).map(|i| Property::never(format!("p{i}"), goal(random, system))).collect();
    let is_of_nets = wild || system.as_net().is_some();
    let branching =
        (0..if is_of_nets && random.chance(30) { 2 } else { 0 }).map(|_| Arc::new(letter(random))).collect();
    let sums = (0..if is_of_nets && random.chance(30) { 2 } else { 0 }).map(|_| sum(random)).collect();
    Questions { properties, formulas, temporal, branching, sums, fairness, assumptions }
}

/// Returns a formula of computation tree logic that is one letter.
fn letter(random: &mut Random) -> Ctl {
    let mut builder = CtlBuilder::default();
    let root = builder.letter(FormulaId::new(random.below(4)));
    builder.finish(root)
}

/// Returns a sum with up to two places, sometimes in the wrong order.
fn sum(random: &mut Random) -> Sum {
    (0..random.below(3)).map(|_| (PlaceId::new(random.below(6)), 1u8.into())).collect()
}

/// Returns a temporal formula of one node. Its letter fits no system, or a program, or some programs.
fn node(random: &mut Random) -> LtlNode {
    match random.below(6) {
        0 if random.chance(20) => LtlNode::Letter(Letter::Input(1)),
        1 if random.chance(20) => LtlNode::Letter(Letter::Event(EventId::new(random.below(4)))),
        _ => LtlNode::Constant(random.chance(50)),
    }
}

fn ask(problem: &Problem, seed: u64, random: &mut Random) {
    let rows = engines::ALL;
    let engine = random.chance(70).then(|| rows[random.below(rows.len())]);
    let (stop, turns) = (Arc::new(Stop::with_memory_limit(MEMORY, || 0)), AtomicU32::new(0));
    let count = |_: &'static str| {
        if turns.fetch_add(1, Ordering::Relaxed) >= TURNS {
            stop.raise(Reason::Timeout);
        }
    };
    let options = Options {
        engine,
        seed,
        bound: random.chance(30).then_some(2),
        explore_all: random.chance(20),
        shortest: random.chance(20),
        check_steps: 1_000_000,
        stop: Arc::clone(&stop),
        on_turn: &count,
        ..Options::default()
    };
    let outcome = check(problem, &options);
    assert_eq!(outcome.answers.len(), problem.properties().len(), "each property has an answer");
}

proptest! {
    #![proptest_config(testkit::config(3_000))]

    #[test]
    fn questions_do_not_fit_or_can_be_asked(seed: u64) {
        let random = &mut Random::new(seed);
        let system = system(random);
        let asked = questions(random, &system);
        if let Ok(problem) = Problem::new(system, asked) {
            ask(&problem, seed, random);
        }
    }
}

/// The random questions are varied: for every kind of system many questions are accepted, and every reason for
/// a refusal occurs.
#[test]
fn all_kinds_and_reasons_are_met() {
    let (mut fit, mut unfit) = (BTreeMap::<&str, u32>::new(), BTreeMap::<&str, u32>::new());
    for seed in 0..3_000 {
        let random = &mut Random::new(seed);
        let system = system(random);
        let noun = system.noun();
        let asked = questions(random, &system);
        let is_asked = asked.properties.iter().any(|p| !matches!(p.goal, Goal::Unsupported(_)));
        match Problem::new(system, asked) {
            Ok(_) if is_asked => *fit.entry(noun).or_default() += 1,
            Ok(_) => {}
            Err(mismatch) => *unfit.entry(reason(&mismatch)).or_default() += 1,
        }
    }
    assert!(fit.len() == 7 && fit.values().all(|n| *n > 20), "{fit:?}");
    assert!(unfit.len() == 6, "{unfit:?}");
}

fn reason(mismatch: &Mismatch) -> &'static str {
    let (Mismatch::Property { why, .. }
    | Mismatch::Formula { why, .. }
    | Mismatch::Temporal { why, .. }
    | Mismatch::Branching { why, .. }
    | Mismatch::Sum { why, .. }
    | Mismatch::Assumption { why, .. }) = mismatch;
    match why {
        Unfit::Kind { .. } => "kind",
        Unfit::Range { .. } => "range",
        Unfit::Twice(_) => "twice",
        Unfit::Assumed => "assumed",
        Unfit::Order => "order",
        Unfit::Letter => "letter",
    }
}
