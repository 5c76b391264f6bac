//! Compares the engine with brute force: backward search without frames, certificates checked on all small
//! markings, and replayed runs.

pub(crate) mod brute;
pub(crate) mod nets;

use crate::coverability::Ic3;
use crate::coverability::frames::FOREVER;
use crate::coverability::predecessors::{BackwardNet, Net as View};
use crate::coverability::search::FrameSearch;
use crate::coverability::vector::Vector;
use crate::invariants::Invariants;
use brute::{Brute, holds_on_small_markings};
use model::{
    Budget, Certificate, Claim, Engine, Formula, Goal, InvariantCertificate, Net, NetInvariant, NetTask, PlaceId,
    Range, Stop, Trace, Turn,
};
use nets::{cover, effect, nets, targets, transition};
use num_bigint::BigUint;
use proptest::prelude::*;
use std::sync::Arc;
use testkit::Log;
use testkit::net::{arcs, is_goal_of, place, replay};

fn task(net: Net, formulas: Vec<Formula>) -> NetTask {
    testkit::net::task(net, formulas, false)
}

/// True if the trace is a run into the goal.
pub(crate) fn leads_to(task: &NetTask, goal: Goal, trace: &Trace) -> bool {
    replay::<BigUint>(&task.net, trace).is_some_and(|end| is_goal_of(task, goal, &end))
}

/// The claims of the engine within a number of turns.
#[derive(Default)]
struct Said {
    safe: Vec<(Vec<Goal>, InvariantCertificate)>,
    reached: Vec<(Goal, Trace)>,
    /// True if the engine has finished.
    done: bool,
}

impl Said {
    fn about(&self, goal: Goal) -> Option<bool> {
        let safe = self.safe.iter().any(|(goals, _)| goals.contains(&goal));
        let reached = self.reached.iter().any(|(g, _)| *g == goal);
        assert!(!(safe && reached));
        (safe || reached).then_some(safe)
    }
}

fn say(task: &NetTask, turns: usize, work: u64) -> Said {
    let invariants = Arc::new(Invariants::new(task).expect("small numbers"));
    let mut engine = Ic3::new(task.clone(), invariants);
    let stop = Arc::new(Stop::default());
    let mut said = Said::default();
    for _ in 0..turns {
        let mut budget = Budget::new(work, Arc::clone(&stop));
        match engine.run(&mut budget) {
            Turn::Claims(Claim::Safe { goals, certificate: Certificate::Invariant(invariant) }) => {
                said.safe.push((goals, *invariant));
            }
            Turn::Claims(Claim::Unsafe { goal, trace, candidate: false }) => said.reached.push((goal, trace)),
            Turn::Claims(claim) => panic!("{claim:?}"),
            Turn::More => {}
            Turn::Done => {
                said.done = true;
                break;
            }
        }
    }
    if let Some(started) = &mut engine.started {
        let mut budget = Budget::unlimited(stop);
        let (rules, invariants) = (engine.invariants.rules(), &engine.invariants);
        let (pairs, marked) = (invariants.pairs(&mut budget), invariants.marked(&mut budget));
        let (shape, search): &mut (BackwardNet, FrameSearch) = started;
        check_lemmas(search, View { rules, shape, pairs, marked });
    }
    said
}

/// Checks that lemmas are inductive at their levels.
fn check_lemmas(search: &mut FrameSearch, net: View<'_>) {
    search.check(net);
    let ids: Vec<(u32, u32)> = search.frames.ids().collect();
    for (id, level) in ids {
        let vector = search.frames.lemma(id).vector.clone();
        let below = if level == FOREVER { FOREVER } else { level - 1 };
        let open = search.open_predecessor(net, &vector, below, 0).expect("it has been looked at before");
        assert_eq!(open, None, "{vector:?} at {level} is not inductive");
    }
}

/// Saves the engine after each `each` turns, and goes on with another engine, which also gets the vectors `wrong`.
fn interrupted(task: &NetTask, mut each: usize, wrong: &[Vector]) -> Said {
    let invariants = Arc::new(Invariants::new(task).expect("small numbers"));
    let make = || Ic3::new(task.clone(), Arc::clone(&invariants));
    let (mut engine, mut log, mut said) = (make(), Log::default(), Said::default());
    for turn in 1..400 {
        match engine.run(&mut Budget::new(50, Arc::default())) {
            Turn::Claims(Claim::Safe { goals, certificate: Certificate::Invariant(invariant) }) => {
                said.safe.push((goals, *invariant));
            }
            Turn::Claims(Claim::Unsafe { goal, trace, candidate: false }) => said.reached.push((goal, trace)),
            Turn::Claims(claim) => panic!("{claim:?}"),
            Turn::More => {}
            Turn::Done => return Said { done: true, ..said },
        }
        if turn % each == 0 {
            each *= 2;
            log.save(true, |since, to| engine.save(since, to));
            engine = make();
            log.restore(|from| engine.restore(from, &Stop::default())).expect("these are its records");
            engine.saved.extend_from_slice(wrong);
        }
    }
    said
}

/// Checks every claim.
fn is_right(task: &NetTask, said: &Said) {
    for (goal, trace) in &said.reached {
        assert!(leads_to(task, *goal, trace), "the run misses the goal");
    }
    for (goals, invariant) in &said.safe {
        let first = invariant.invariants.first();
        assert!(matches!(first, Some(NetInvariant::PotentiallyMarked(places)) if places.iter().all(|p| *p)));
        let exclusions: Vec<Goal> = invariant.exclusions.iter().map(|e| e.0).collect();
        assert_eq!(*goals, exclusions);
        assert!(holds_on_small_markings(task, invariant), "the certificate is none");
    }
}

/// The concurrency relation excludes the firing of a transition that would mark a place of the vector. The
/// certificate must contain the relation.
#[test]
fn transitions_that_never_fire_are_accounted_for() {
    let places = vec![place("p", Range::exactly(1u8)), place("q", Range::exactly(0u8))];
    let transitions = vec![arcs("more", &[(1, 1)], &[(1, 2)]), arcs("two", &[(0, 2)], &[(0, 2), (1, 1)])];
    let task = task(Net::new(places, transitions).unwrap(), vec![cover(2, &[(1, 1)])]);
    let said = say(&task, 100, 100_000);
    is_right(&task, &said);
    assert_eq!(said.about(task.goals[0]), Some(true));
}

/// The pair that excludes the firing of the transition contains a free place, which vectors leave out.
#[test]
fn pairs_with_places_that_never_run_short_count() {
    let places = vec![place("p", Range::exactly(0u8)), place("q", Range::exactly(0u8)), place("any", Range::from(0u8))];
    let transitions = vec![arcs("t", &[(1, 1), (2, 1)], &[(0, 1), (1, 1), (2, 1)])];
    let task = task(Net::new(places, transitions).unwrap(), vec![cover(3, &[(0, 1)])]);
    let said = say(&task, 100, 100_000);
    is_right(&task, &said);
    assert_eq!(said.about(task.goals[0]), Some(true));
}

proptest! {
    #![proptest_config(testkit::config(1500))]

    /// On monotone nets there is always an answer. It is the answer of plain backward search.
    #[test]
    fn monotone_nets_are_decided(net in nets(true), wanted in targets()) {
        let formulas = wanted.iter().map(|w| cover(net.places().len(), w)).collect();
        let task = task(net, formulas);
        let said = say(&task, 400, 500);
        is_right(&task, &said);
        for &goal in &task.goals {
            if let Some(safe) = Brute::new(&task).is_safe(goal, 400) {
                prop_assert_eq!(said.about(goal), Some(safe));
            }
        }
    }

    /// Interrupted searches give the answers of others, even if they get vectors that can be covered.
    #[test]
    fn saved_searches_go_on(
        net in nets(true),
        wanted in targets(),
        each in 1usize..20,
        wrong in prop::collection::vec(prop::collection::btree_map(0u32..3, 1u32..3, 1..3), 0..4),
    ) {
        let places = net.places().len();
        let formulas = wanted.iter().map(|w| cover(places, w)).collect();
        let task = task(net, formulas);
        let wrong = wrong.into_iter().map(|v| v.into_iter().collect::<Vector>());
        let wrong: Vec<Vector> = wrong.filter(|v| v.iter().all(|e| (e.0 as usize) < places)).collect();
        let said = interrupted(&task, each, &wrong);
        is_right(&task, &said);
        for &goal in &task.goals {
            if let (true, Some(safe)) = (said.done, Brute::new(&task).is_safe(goal, 400)) {
                prop_assert_eq!(said.about(goal), Some(safe));
            }
        }
    }

    /// With upper limits in guards there may be no answer, but every claim is right. If the upward-closed
    /// predecessors do not contain an initial marking, the engine claims `safe`.
    #[test]
    fn nets_with_tests_get_no_wrong_answer(net in nets(false), wanted in targets()) {
        let formulas = wanted.iter().map(|w| cover(net.places().len(), w)).collect();
        let task = task(net, formulas);
        let said = say(&task, 400, 500);
        is_right(&task, &said);
        for &goal in &task.goals {
            if Brute::new(&task).is_safe(goal, 400) == Some(true) {
                prop_assert_eq!(said.about(goal), Some(true));
            }
        }
    }

    /// The budget of a turn affects when claims are made. It does not affect which claims are made.
    #[test]
    fn turns_of_any_size_say_the_same(net in nets(true), wanted in targets(), work in 1u64..50) {
        let formulas: Vec<Formula> = wanted.iter().map(|w| cover(net.places().len(), w)).collect();
        let task = task(net, formulas);
        let (small, large) = (say(&task, 20_000, work), say(&task, 100, 1_000_000));
        prop_assume!(small.done && large.done);
        for &goal in &task.goals {
            prop_assert_eq!(small.about(goal), large.about(goal));
        }
    }
}

/// A net with n processes and one lock. A transfer moves all waiting processes back to `idle`.
fn lock() -> Net {
    let places = vec![
        place("idle", Range::from(1u8)),
        place("want", Range::exactly(0u8)),
        place("critical", Range::exactly(0u8)),
        place("lock", Range::exactly(1u8)),
    ];
    let mut away = transition("away", &[(3, 1)]);
    away.effects = vec![effect(0, &[0, 1], 0), effect(1, &[], 0)];
    let transitions = vec![
        arcs("ask", &[(0, 1)], &[(1, 1)]),
        arcs("enter", &[(1, 1), (3, 1)], &[(2, 1)]),
        arcs("leave", &[(2, 1)], &[(3, 1), (0, 1)]),
        away,
    ];
    Net::new(places, transitions).unwrap()
}

#[test]
fn one_certificate_is_for_all_safe_goals() {
    let goals = vec![cover(4, &[(2, 2)]), cover(4, &[(2, 1), (3, 1)]), cover(4, &[(1, 5), (2, 1)])];
    let task = task(lock(), goals);
    let said = say(&task, 100, 100_000);
    is_right(&task, &said);
    assert!(said.done);
    assert_eq!(said.safe.len(), 1);
    assert_eq!(said.safe[0].0.len(), 2);
    let (_, trace) = &said.reached[0];
    assert_eq!((trace.len(), &*trace.start), (Some(7), &[5][..]));
}

/// The sum of three places is constant. No pair excludes two tokens on two of them.
#[test]
fn three_way_exclusions_need_vectors() {
    let places = (0..6).map(|i| place(format!("p{i}"), Range::exactly(if i < 2 { 1u8 } else { 0 }))).collect();
    let transitions = vec![
        arcs("a", &[(0, 1)], &[(2, 1)]),
        arcs("b", &[(1, 1)], &[(3, 1)]),
        arcs("c", &[(0, 1)], &[(4, 1)]),
        arcs("d", &[(1, 1)], &[(4, 1)]),
        arcs("e", &[(2, 1)], &[(3, 1)]),
        arcs("f", &[(4, 1)], &[(2, 1)]),
    ];
    let task = task(Net::new(places, transitions).unwrap(), vec![cover(6, &[(2, 1), (3, 1), (4, 1)])]);
    let said = say(&task, 100, 100_000);
    is_right(&task, &said);
    assert_eq!(said.about(task.goals[0]), Some(true));
}

#[test]
fn goals_that_always_or_never_hold_are_seen_at_once() {
    let always = Formula::cover(&[]);
    let never = model::FormulaBuilder::default();
    let never = {
        let mut b = never;
        let root = b.any(Vec::new());
        b.finish(root)
    };
    let task = task(lock(), vec![always, never]);
    let said = say(&task, 100, 100_000);
    assert_eq!((said.about(task.goals[0]), said.about(task.goals[1])), (Some(false), Some(true)));
    assert!(said.reached[0].1.is_empty());
}

/// The initial number of tokens on the place `x` is arbitrary, but the first reset removes them. So the place
/// is not free, and vectors must contain it.
#[test]
fn a_place_that_is_reset_is_not_like_one_with_a_source() {
    let places = vec![place("a", Range::exactly(1u8)), place("b", Range::exactly(0u8)), place("x", Range::from(0u8))];
    let mut once = arcs("once", &[(0, 1)], &[(1, 1)]);
    once.effects.push(effect(2, &[], 0));
    let task = task(Net::new(places, vec![once]).unwrap(), vec![cover(3, &[(1, 1), (2, 1)])]);
    let said = say(&task, 100, 100_000);
    is_right(&task, &said);
    assert_eq!(said.about(task.goals[0]), Some(true));
}

/// A counter with a zero test. The upward-closed predecessors contain an initial marking, although no run
/// exists.
#[test]
fn a_spurious_chain_is_no_claim() {
    let places =
        vec![place("n", Range::exactly(1u8)), place("at", Range::exactly(1u8)), place("goal", Range::exactly(0u8))];
    let mut up = arcs("up", &[(1, 1)], &[(1, 1), (0, 1)]);
    up.name = "up".to_owned();
    let mut test = arcs("test", &[(1, 1)], &[(2, 1)]);
    test.guards.insert(0, model::Guard { place: PlaceId(0), range: Range::exactly(0u8) });
    let task = task(Net::new(places, vec![up, test]).unwrap(), vec![cover(3, &[(2, 1)])]);
    let said = say(&task, 100, 100_000);
    assert!(said.done);
    assert_ne!(said.about(task.goals[0]), Some(false));
}

#[test]
fn counts_beyond_measure_give_the_goal_up() {
    let places = vec![place("p", Range::exactly(0u8)), place("q", Range::exactly(0u8))];
    let mut move_all = transition("move", &[(0, 1)]);
    move_all.effects = vec![effect(0, &[], 0), effect(1, &[0, 1], 0)];
    let transitions = vec![arcs("up", &[], &[(0, 1)]), move_all];
    let goal = Formula::cover(&[(PlaceId(1), BigUint::from(3_000_000_000u32))]);
    let task = task(Net::new(places, transitions).unwrap(), vec![goal]);
    let said = say(&task, 100, 100_000);
    assert!(said.done && said.safe.is_empty() && said.reached.is_empty());
}
