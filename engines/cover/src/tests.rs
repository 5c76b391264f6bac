//! Searches against a slow stepper on random nets, and what they are for: long runs, and many tokens.

use crate::{Cover, Procedure};
use model::{
    Budget, Certificate, Claim, Effect, Engine, Exclusion, Formula, FormulaBuilder, FormulaId, Goal, Guard, Net,
    NetFact, NetTask, Node, Place, PlaceId, Range, Stop, Trace, Transition, Turn,
};
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use reduce::facts::Facts;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

type Marking = Vec<u64>;

fn number(n: &BigUint) -> u64 {
    n.to_u64().unwrap()
}

fn fire(net: &Net, t: usize, marking: &[u64]) -> Option<Marking> {
    let transition = &net.transitions()[t];
    if !transition.guards.iter().all(|g| g.range.contains(&BigUint::from(marking[g.place.index()]))) {
        return None;
    }
    let mut next = marking.to_vec();
    for e in &transition.effects {
        let sum: u64 = e.sources.iter().map(|s| marking[s.index()]).sum();
        next[e.place.index()] = sum.checked_add_signed(e.add.to_i64().unwrap()).expect("guards ensure it");
    }
    Some(next)
}

fn holds(formula: &Formula, marking: &[u64]) -> bool {
    let mut values: Vec<bool> = Vec::new();
    for node in formula.nodes() {
        values.push(match node {
            Node::All(parts) => parts.iter().all(|p| values[p.index()]),
            Node::Any(parts) => parts.iter().any(|p| values[p.index()]),
            Node::AtLeast(sum) => {
                let total: BigInt = sum.terms.iter().map(|(p, c)| c * BigInt::from(marking[p.index()])).sum();
                total >= sum.at_least
            }
        });
    }
    values[values.len() - 1]
}

fn is_goal(task: &NetTask, goal: Goal, marking: &[u64]) -> bool {
    match task.formula(goal) {
        Some(formula) => holds(formula, marking),
        None => (0..task.net.transitions().len()).all(|t| fire(&task.net, t, marking).is_none()),
    }
}

fn replay(net: &Net, trace: &Trace) -> Marking {
    let mut marking: Marking = net.places().iter().map(|p| number(&p.initial.at_least)).collect();
    let open = net.open_places();
    assert_eq!(open.len(), trace.start.len());
    for (p, extra) in open.iter().zip(&trace.start) {
        marking[p.index()] += u64::from(*extra);
        assert!(net.place(*p).initial.contains(&marking[p.index()].into()));
    }
    for run in trace.runs() {
        for step in (0..run.times).flat_map(|_| &run.word) {
            marking = fire(net, step.event.index(), &marking).expect("every step of the trace is enabled");
        }
    }
    marking
}

/// Breadth first from the least initial marking; the depth of the nearest goal, if it is among the first markings.
fn nearest(task: &NetTask, goal: Goal) -> Option<u64> {
    let start: Marking = task.net.places().iter().map(|p| number(&p.initial.at_least)).collect();
    let mut known: HashSet<Marking> = HashSet::from([start.clone()]);
    let mut queue = VecDeque::from([(start, 0)]);
    while let Some((marking, depth)) = queue.pop_front() {
        if is_goal(task, goal, &marking) {
            return Some(depth);
        }
        if known.len() > 1500 || marking.iter().any(|n| *n > 1 << 20) {
            continue;
        }
        for next in (0..task.net.transitions().len()).filter_map(|t| fire(&task.net, t, &marking)) {
            if known.insert(next.clone()) {
                queue.push_back((next, depth + 1));
            }
        }
    }
    None
}

/// All claims within some work.
fn claims(task: &NetTask, procedure: Procedure, work: u64) -> Vec<Claim> {
    let facts = Arc::new(Facts::new(task).expect("numbers are small"));
    let mut engine = Cover::new(task.clone(), facts, procedure);
    let stop = Arc::new(Stop::default());
    let mut found = Vec::new();
    for _ in 0..work.div_ceil(500) {
        // In small turns: stopping and going on must not matter.
        match engine.run(&mut Budget::new(500, Arc::clone(&stop))) {
            Turn::Claims(claim) => found.push(claim),
            Turn::More => {}
            Turn::Done => break,
        }
    }
    found
}

fn ranges(zero: bool) -> impl Strategy<Value = Range> {
    let least = u8::from(!zero);
    prop_oneof![
        6 => (least..3).prop_map(if zero { Range::exactly } else { Range::from }),
        1 => (least..2).prop_map(Range::from),
        2 => (0u8..2, 0u8..3).prop_map(|(a, n)| Range { at_least: a.into(), at_most: Some((a + n).into()) }),
    ]
}

type Parts = (Vec<(usize, Range)>, Vec<(usize, (Option<Vec<usize>>, i32))>);

fn transition(places: usize) -> impl Strategy<Value = Parts> {
    let sources = prop_oneof![3 => Just(None), 1 => vec(0..places, 0..3).prop_map(Some)];
    let guards = btree_map(0..places, ranges(false), 0..3).prop_map(|m| m.into_iter().collect());
    let effects = btree_map(0..places, (sources, -2..3i32), 1..4).prop_map(|m| m.into_iter().collect());
    (guards, effects)
}

fn assemble(name: String, (guards, effects): Parts) -> Transition {
    let guards: Vec<Guard> = (guards.into_iter()).map(|(p, range)| Guard { place: PlaceId::new(p), range }).collect();
    let effect = |(p, (sources, add)): (usize, (Option<Vec<usize>>, i32))| {
        let mut sources: Vec<PlaceId> = sources.unwrap_or(vec![p]).into_iter().map(PlaceId::new).collect();
        sources.sort_unstable();
        let least = |s: &PlaceId| guards.iter().find(|g| g.place == *s).map(|g| g.range.at_least.clone());
        let ensured: BigUint = sources.iter().filter_map(least).sum();
        Effect { place: PlaceId::new(p), sources: sources.into(), add: BigInt::from(add).max(-BigInt::from(ensured)) }
    };
    let effects = effects.into_iter().map(effect).collect();
    Transition { name, guards, effects }
}

fn nets() -> impl Strategy<Value = Net> {
    (1usize..5).prop_flat_map(|n| (vec(ranges(true), n), vec(transition(n), 1..6))).prop_map(
        |(initial, transitions)| {
            let places = initial.into_iter().enumerate().map(|(i, initial)| Place { name: format!("p{i}"), initial });
            let transitions = transitions.into_iter().enumerate().map(|(i, t)| assemble(format!("t{i}"), t));
            Net::new(places.collect(), transitions.collect()).expect("guards ensure what effects take")
        },
    )
}

type Recipe = Vec<(Vec<(usize, i32)>, i32)>;

fn recipes(signed: bool) -> impl Strategy<Value = (Recipe, bool)> {
    let weights = if signed { -2..3i32 } else { 1..3i32 };
    (vec((vec((0usize..8, weights), 1..3), -1..5i32), 1..4), any::<bool>())
}

fn formula(places: usize, (sums, all): &(Recipe, bool)) -> Formula {
    let mut builder = FormulaBuilder::default();
    let sum = |(terms, least): &(Vec<(usize, i32)>, i32)| {
        let terms = terms.iter().map(|(p, c)| (PlaceId::new(p % places), BigInt::from(*c)));
        builder.at_least(terms, BigInt::from(*least))
    };
    let nodes = sums.iter().map(sum).collect();
    let root = if *all { builder.all(nodes) } else { builder.any(nodes) };
    builder.finish(root)
}

fn task(net: Net, formulas: Vec<Formula>, deadlock: bool) -> NetTask {
    let mut goals: Vec<Goal> = (0..formulas.len()).map(|i| Goal::Formula(FormulaId::new(i))).collect();
    goals.extend(deadlock.then_some(Goal::Deadlock));
    NetTask::plain(Arc::new(net), formulas.into_iter().map(Arc::new).collect(), goals)
}

/// Every marking with at most `most` tokens on each of `places` places.
fn boxed(places: usize, most: u64) -> Vec<Marking> {
    (0..places).fold(vec![Marking::new()], |all, _| {
        let longer = |m: Marking| (0..=most).map(move |n| m.iter().copied().chain([n]).collect());
        all.into_iter().flat_map(longer).collect()
    })
}

fn check_invariant(task: &NetTask, goal: Goal, certificate: &Certificate) {
    let Certificate::Invariant(invariant) = certificate else { panic!("an invariant") };
    let [NetFact::Markable(_), NetFact::NeverCovered(vectors)] = invariant.facts.as_slice() else {
        panic!("two facts")
    };
    assert_eq!(invariant.exclusions, [(goal, Exclusion::Minimal)]);
    let covered = |m: &[u64]| vectors.iter().any(|v| v.iter().all(|(p, n)| m[p.index()] >= number(n)));
    let initial = |v: &[(PlaceId, BigUint)]| {
        v.iter().all(|(p, n)| task.net.place(*p).initial.at_most.as_ref().is_none_or(|most| n <= most))
    };
    assert!(!vectors.iter().any(|v| initial(v)));
    for m in boxed(task.net.places().len(), 4) {
        assert!(covered(&m) || !is_goal(task, goal, &m));
        for t in 0..task.net.transitions().len() {
            let safe = fire(&task.net, t, &m).is_none_or(|next| covered(&m) || !covered(&next));
            assert!(safe, "transition {t} leads from {m:?} to what is never covered");
        }
    }
}

proptest! {
    #![proptest_config(testkit::config(300))]

    #[test]
    fn runs_are_runs(net in nets(), recipe in recipes(true), cover in recipes(false)) {
        let places = net.places().len();
        let task = task(net, vec![formula(places, &recipe), formula(places, &cover)], true);
        for procedure in [Procedure::Greedy, Procedure::AStar] {
            let found = claims(&task, procedure, 40_000);
            for claim in &found {
                let Claim::Unsafe { goal, trace, candidate: false } = claim else { panic!("no other claims") };
                prop_assert!(is_goal(&task, *goal, &replay(&task.net, trace)));
            }
            for goal in &task.goals {
                let is_found = found.iter().any(|c| matches!(c, Claim::Unsafe { goal: g, .. } if g == goal));
                // Goals share the work, so only what is near must be found.
                prop_assert!(is_found || procedure == Procedure::AStar || nearest(&task, *goal).is_none_or(|n| n > 3));
            }
        }
    }

    #[test]
    fn no_run_is_shorter(net in nets(), recipe in recipes(true)) {
        let formula = formula(net.places().len(), &recipe);
        let task = task(net, vec![formula], false);
        let goal = task.goals[0];
        prop_assume!(task.net.open_places().is_empty());
        if let (Some(least), [Claim::Unsafe { trace, .. }]) = (nearest(&task, goal), claims(&task, Procedure::AStar, 50_000).as_slice()) {
            prop_assert_eq!(trace.len(), Some(least));
        }
    }

    #[test]
    fn backward_search_is_right(net in nets(), recipe in recipes(false)) {
        let formula = formula(net.places().len(), &recipe);
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
                prop_assert!(is_goal(&task, goal, &replay(&task.net, trace)));
            }
            [] => prop_assert!(!monotone, "small monotone nets are decided"),
            other => prop_assert!(false, "{:?}", other),
        }
    }
}

fn place(name: String, initial: Range) -> Place {
    Place { name, initial }
}

fn arcs(name: String, pre: &[(usize, u64)], post: &[(usize, u64)]) -> Transition {
    let big =
        |arcs: &[(usize, u64)]| arcs.iter().map(|(p, n)| (PlaceId::new(*p), BigUint::from(*n))).collect::<Vec<_>>();
    Transition::from_arcs(name, &big(pre), &big(post))
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

/// `p0 -> 3 p1`, `p1 -> p2`, `p2 -> 3 p3` and so on.
fn multiplying(length: usize) -> Net {
    let places = (0..=length).map(|i| place(format!("p{i}"), Range::exactly(u8::from(i == 0))));
    let step =
        |i: usize| arcs(format!("t{i}"), &[(i, 1)], &[(i + 1, if i.is_multiple_of(length / 12) { 3 } else { 1 })]);
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

/// Through a lock, one after the other.
#[test]
fn many_rounds_through_a_lock() {
    let places = ["idle", "lock", "busy", "done"];
    let initial = [Range::from(0u8), Range::exactly(1u8), Range::exactly(0u8), Range::exactly(0u8)];
    let places = places.into_iter().zip(initial).map(|(name, initial)| place(name.into(), initial)).collect();
    let enter = arcs("enter".into(), &[(0, 1), (1, 1)], &[(2, 1)]);
    let leave = arcs("leave".into(), &[(2, 1)], &[(1, 1), (3, 1)]);
    let task = task(Net::new(places, vec![enter, leave]).unwrap(), vec![cover(&[(3, 100_000)])], false);
    let trace = the_trace(&task, Procedure::Greedy, 100_000);
    assert_eq!(*trace.start, [100_000]);
    assert_eq!(trace.len(), Some(200_000));
    assert!(trace.runs().len() < 10);
    assert!(is_goal(&task, task.goals[0], &replay(&task.net, &trace)));
}
