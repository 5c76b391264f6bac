//! Tests nets of thread-transition systems against a stepper that follows the text of `model::threads`.

use crate::lift::check_lift;
use crate::naive::explore;
use impasse_nets::reduce::{Options, prepare, thread_net};
use model::{
    Act, Claim, Formula, FormulaBuilder, FormulaId, Goal, Lift as _, LocalId, MarkedTask, PlaceId, Problem, Property,
    Questions, SharedId, SystemModel, ThreadInit, ThreadTransition, ThreadTransitionSystem,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use testkit::Count;
use testkit::formula::{any_formulas, formulas};
use testkit::marked::{self, Marking};
use testkit::threads::systems;

const MOST: i128 = 4;

/// Returns all markings that are reachable with at most [`MOST`] threads on the way, from initial markings with
/// at most two threads more than the smallest initial marking.
fn reachable(system: &ThreadTransitionSystem) -> Vec<Marking> {
    let threads = |m: &Marking| m[system.shared() as usize..].iter().sum::<i128>();
    let fewest = threads(&testkit::threads::least(system));
    let system = SystemModel::Threads(Arc::new(system.clone()));
    let starts = marked::initial(&system, MOST).0.into_iter().filter(|m| threads(m) <= fewest + 2);
    let next = |m: &Marking| {
        let next = marked::successors(&system, m).into_iter();
        next.filter(|to| threads(to) <= MOST).collect()
    };
    testkit::reach(starts, usize::MAX, next).expect("there is no limit").states
}

/// Returns a problem with one question about the system: the formula, or a deadlock if there is no formula.
fn alone(system: &Arc<ThreadTransitionSystem>, formula: Option<Formula>) -> Problem {
    let goal = if formula.is_some() { Goal::Formula(FormulaId(0)) } else { Goal::Deadlock };
    Problem::new(
        Arc::clone(system),
        Questions {
            formulas: formula.into_iter().map(Arc::new).collect(),
            properties: vec![Property::never("goal", goal)],
            ..Questions::default()
        },
    )
    .expect("it fits")
}

/// Checks the translation of a system. Returns true if a set of markings was lifted.
fn check(system: ThreadTransitionSystem, formula: Option<Formula>, slice: bool) -> bool {
    let system = Arc::new(system);
    let problem = alone(&system, formula);
    let goal = problem.properties()[0].goal;
    let prepared = prepare(&MarkedTask::of(&problem).unwrap().asking(&[goal]), &Options { slice, bound: None });
    let expected = reachable(&system).iter().any(|m| marked::satisfies(&problem, goal, m));
    if let Some(claim) = prepared.settled.first() {
        assert!(matches!(claim, Claim::Safe { .. }));
        assert!(!expected, "settled, but reachable");
        return false;
    }
    let task = &prepared.task;
    let part = explore(&task.net, 2, usize::MAX, 1500);
    let found = part.first(&task.net, task.formula(goal).map(|f| &**f));
    if expected && part.complete {
        assert!(found.is_some(), "reachable, but not in the net");
    }
    if let Some(i) = found {
        let claim = Claim::Unsafe { goal, trace: part.trace(i), candidate: false };
        let Claim::Unsafe { trace, .. } = prepared.lift.claim(claim) else { panic!("a trace stays one") };
        let end = marked::replay(&problem, &trace).expect("the trace is a run");
        assert!(marked::satisfies(&problem, goal, &end), "the trace ends in the goal");
    }
    check_lift(&system, &problem, &prepared, goal)
}

const PLACES: usize = 5;

proptest! {
    #![proptest_config(testkit::config(1500))]

    #[test]
    fn nets_of_random_thread_systems_agree(
        system in systems(1),
        f in any_formulas(),
        deadlock in prop::bool::weighted(0.2),
        slice: bool,
    ) {
        check(system, (!deadlock).then(|| f.over(PLACES)), slice);
    }

    #[test]
    fn covering_with_choices_agrees(system in systems(3), f in formulas(true), slice: bool) {
        check(system, Some(f.over(PLACES)), slice);
    }

    #[test]
    fn other_goals_with_choices_agree(
        system in systems(3),
        f in formulas(false),
        deadlock in prop::bool::weighted(0.2),
        slice: bool,
    ) {
        check(system, (!deadlock).then(|| f.over(PLACES)), slice);
    }

    #[test]
    fn a_net_of_threads_has_the_same_markings(system in systems(1)) {
        let net = thread_net(&system).unwrap();
        let part = explore(&net, 0, usize::MAX, 300);
        if part.complete {
            let closed = ThreadTransitionSystem::new(system.shared(), system.locals(), {
                let mut init = system.initial().clone();
                init.any.clear();
                init
            }, system.transitions().to_vec()).unwrap();
            let states: BTreeSet<Marking> = reachable(&closed).into_iter().collect();
            let few = |m: &Marking| m[2..].iter().sum::<i128>() <= MOST;
            let markings = part.markings.iter().map(|m| m.iter().map(i128::of).collect());
            // Threads never terminate, so a marking with few threads is reached only through markings with few
            // threads.
            prop_assert_eq!(markings.filter(few).collect::<BTreeSet<Marking>>(), states);
        }
    }
}

/// If threads choose a target, the listed markings of engines can be lifted. In the cases of this test the ends
/// of chains are kept, are sliced away (no goal mentions shared state 1), or wait for all threads.
#[test]
fn sets_of_systems_with_choices_come_home() {
    let move_to = |from: (u32, u32), to: (u32, u32), passive: &[(u32, &[u32])]| {
        let passive = passive.iter().map(|(l, to)| (LocalId(*l), to.iter().map(|l| LocalId(*l)).collect())).collect();
        let pair = |(s, l)| (SharedId(s), LocalId(l));
        ThreadTransition { from: pair(from), to: pair(to), act: Act::Move, passive }
    };
    let start = |n: u8| ThreadInit { shared: SharedId(0), threads: [(LocalId(0), n.into())].into(), any: vec![] };
    let spread = move_to((0, 0), (1, 0), &[(0, &[1, 2])]);
    let back = move_to((1, 0), (0, 0), &[(1, &[0])]);
    let once = ThreadTransitionSystem::new(2, 3, start(4), vec![spread.clone()]).unwrap();
    let often = ThreadTransitionSystem::new(2, 3, start(4), vec![spread, back]).unwrap();
    let four = Formula::cover(&[(PlaceId(3), 4u8.into())]);
    let mut builder = FormulaBuilder::default();
    let sum = builder.at_least([(PlaceId(2), (-1).into()), (PlaceId(3), 1.into())], 3.into());
    let difference = builder.finish(sum);
    for slice in [false, true] {
        assert!(check(once.clone(), Some(four.clone()), slice));
        assert!(check(often.clone(), Some(four.clone()), slice));
        assert!(check(once.clone(), Some(difference.clone()), slice));
    }
    assert!(check(often, None, true), "no deadlock");
}

#[test]
fn a_net_has_no_choice() {
    let passive = [(LocalId(1), vec![LocalId(0), LocalId(1)])].into();
    let pair = (model::SharedId(0), LocalId(0));
    let t = model::ThreadTransition { from: pair, to: pair, act: Act::Move, passive };
    let init = model::ThreadInit { shared: pair.0, threads: Default::default(), any: vec![] };
    let system = ThreadTransitionSystem::new(1, 2, init, vec![t]).unwrap();
    assert_eq!(thread_net(&system).unwrap_err().transition, 0);
}
