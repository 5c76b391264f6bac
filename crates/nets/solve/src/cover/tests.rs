//! Compares the searches with a slow stepper on random nets, and tests long runs and large token counts.

use super::procedure::Procedure;
use crate::cover::Cover;
use crate::invariants::Invariants;
use model::{
    Budget, Certificate, Claim, Engine, Exclusion, Formula, Goal, Net, NetInvariant, NetTask, PlaceId, Range, Stop,
    Trace, Turn,
};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use proptest::prelude::*;
use std::sync::Arc;
use testkit::formula::formulas;
use testkit::net::{arcs, boxed, fire, is_goal_of, least, nets, place, replay, successors, task};

type Marking = Vec<u64>;

fn number(n: &BigUint) -> u64 {
    n.to_u64().unwrap()
}

/// True if the trace is a run into the goal.
fn leads_to(task: &NetTask, goal: Goal, trace: &Trace) -> bool {
    replay::<u64>(&task.net, trace).is_some_and(|end| is_goal_of(task, goal, &end))
}

/// The depth of the nearest goal marking from the least initial marking, if a breadth-first search finds it
/// among the first markings.
fn nearest(task: &NetTask, goal: Goal) -> Option<u64> {
    let mut known = 0;
    let next = |m: &Marking| {
        known += 1;
        let far = known > 1500 || m.iter().any(|n| *n > 1 << 20);
        if far { Vec::new() } else { successors(&task.net, m).collect() }
    };
    testkit::reach([least(&task.net)], usize::MAX, next)?.nearest(|m| is_goal_of(task, goal, m))
}

/// All claims within a number of work units.
fn claims(task: &NetTask, procedure: Procedure, work: u64) -> Vec<Claim> {
    let invariants = Arc::new(Invariants::new(task).expect("numbers are small"));
    let mut engine = Cover::new(task.clone(), invariants, procedure);
    let stop = Arc::new(Stop::default());
    let mut found = Vec::new();
    for _ in 0..work.div_ceil(500) {
        // Small turns: interruptions must not matter.
        match engine.run(&mut Budget::new(500, Arc::clone(&stop))) {
            Turn::Claims(claim) => found.push(claim),
            Turn::More => {}
            Turn::Done => break,
        }
    }
    found
}

fn check_invariant(task: &NetTask, goal: Goal, certificate: &Certificate) {
    let Certificate::Invariant(invariant) = certificate else { panic!("an invariant") };
    let [NetInvariant::PotentiallyMarked(_), NetInvariant::NeverCovered(vectors)] = invariant.invariants.as_slice()
    else {
        panic!("two invariants")
    };
    assert_eq!(invariant.exclusions, [(goal, Exclusion::Minimal)]);
    let covered = |m: &[u64]| vectors.iter().any(|v| v.iter().all(|(p, n)| m[p.index()] >= number(n)));
    let initial = |v: &[(PlaceId, BigUint)]| {
        v.iter().all(|(p, n)| task.net.place(*p).initial.at_most.as_ref().is_none_or(|most| n <= most))
    };
    assert!(!vectors.iter().any(|v| initial(v)));
    for m in boxed::<u64>(task.net.places().len(), 4) {
        assert!(covered(&m) || !is_goal_of(task, goal, &m));
        for t in task.net.transitions() {
            let safe = fire(t, &m).is_none_or(|next| covered(&m) || !covered(&next));
            assert!(safe, "{} leads from {m:?} to what is never covered", t.name);
        }
    }
}

proptest! {
    #![proptest_config(testkit::config(300))]

    #[test]
    fn runs_are_runs(net in nets(1..5, 1..6, false), recipe in formulas(false), cover in formulas(true)) {
        let places = net.places().len();
        let task = task(net, vec![recipe.over(places), cover.over(places)], true);
        for procedure in [Procedure::Greedy, Procedure::AStar] {
            let found = claims(&task, procedure, 40_000);
            for claim in &found {
                let Claim::Unsafe { goal, trace, candidate: false } = claim else { panic!("no other claims") };
                prop_assert!(leads_to(&task, *goal, trace));
            }
            for goal in &task.goals {
                let is_found = found.iter().any(|c| matches!(c, Claim::Unsafe { goal: g, .. } if g == goal));
                // Goals share the work, so only near goals must be found.
                prop_assert!(is_found || procedure == Procedure::AStar || nearest(&task, *goal).is_none_or(|n| n > 3));
            }
        }
    }

    #[test]
    fn no_run_is_shorter(net in nets(1..5, 1..6, false), recipe in formulas(false)) {
        let formula = recipe.over(net.places().len());
        let task = task(net, vec![formula], false);
        let goal = task.goals[0];
        prop_assume!(task.net.open_places().is_empty());
        let claims = claims(&task, Procedure::AStar, 50_000);
        if let (Some(least), [Claim::Unsafe { trace, .. }]) = (nearest(&task, goal), claims.as_slice()) {
            prop_assert_eq!(trace.len(), Some(least));
        }
    }

    #[test]
    fn backward_search_is_right(net in nets(1..5, 1..6, false), recipe in formulas(true)) {
        let formula = recipe.over(net.places().len());
        let monotone = net.is_monotone();
        let task = task(net, vec![formula], false);
        let goal = task.goals[0];
        let found = claims(&task, Procedure::Backward, 50_000);
        match found.as_slice() {
            [Claim::Safe { goals, certificate }] => {
                prop_assert_eq!(goals.as_slice(), &[goal]);
                prop_assert_eq!(nearest(&task, goal), None);
                check_invariant(&task, goal, certificate);
            }
            [Claim::Unsafe { trace, candidate: false, .. }] => {
                prop_assert!(leads_to(&task, goal, trace));
            }
            [] => prop_assert!(!monotone, "small monotone nets are decided"),
            other => prop_assert!(false, "{:?}", other),
        }
    }
}

fn cover(wanted: &[(usize, u64)]) -> Formula {
    Formula::cover(&wanted.iter().map(|(p, n)| (PlaceId::new(*p), BigUint::from(*n))).collect::<Vec<_>>())
}

fn the_trace(task: &NetTask, procedure: Procedure, work: u64) -> Trace {
    match claims(task, procedure, work).pop() {
        Some(Claim::Unsafe { trace, .. }) => trace,
        other => panic!("{procedure:?}: {other:?}"),
    }
}

/// Makes the net `p0 -> p1`, `p1 -> p2`, .., in which some transitions turn one token into three.
fn multiplying(length: usize) -> Net {
    let places = (0..=length).map(|i| place(format!("p{i}"), Range::exactly(u8::from(i == 0))));
    let step = |i: usize| {
        let (from, times) = (i as u32, if i.is_multiple_of(length / 12) { 3 } else { 1 });
        arcs(format!("t{i}"), &[(from, 1)], &[(from + 1, times)])
    };
    Net::new(places.collect(), (0..length).map(step).collect()).unwrap()
}

#[test]
fn a_chain_multiplies_tokens() {
    let net = multiplying(240);
    let task = task(net, vec![cover(&[(240, 531_441)])], false);
    let trace = the_trace(&task, Procedure::Greedy, 3_000_000);
    assert!(trace.runs().len() <= 300, "{}", trace.runs().len());
    assert!(trace.len().unwrap() > 531_441);
}

/// All tokens pass through a lock, one after the other.
#[test]
fn many_rounds_through_a_lock() {
    let places = ["idle", "lock", "busy", "done"];
    let initial = [Range::from(0u8), Range::exactly(1u8), Range::exactly(0u8), Range::exactly(0u8)];
    let places = places.into_iter().zip(initial).map(|(name, initial)| place(name, initial)).collect();
    let enter = arcs("enter", &[(0, 1), (1, 1)], &[(2, 1)]);
    let leave = arcs("leave", &[(2, 1)], &[(1, 1), (3, 1)]);
    let task = task(Net::new(places, vec![enter, leave]).unwrap(), vec![cover(&[(3, 100_000)])], false);
    let trace = the_trace(&task, Procedure::Greedy, 100_000);
    assert_eq!(*trace.start, [100_000]);
    assert_eq!(trace.len(), Some(200_000));
    assert!(trace.runs().len() < 10);
    assert!(leads_to(&task, task.goals[0], &trace));
}
