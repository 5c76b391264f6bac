//! Structural reductions against brute force: each goal is reachable in the reduced net exactly if it is in the net as
//! given, and the shortest run to it becomes a run.

use impasse_nets::reduce::structural;
use model::{Claim, EventId, Formula, FormulaBuilder, Goal, Net, NetTask, PlaceId, Range, Trace};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeMap;
use testkit::net::{Marking, arcs, explore, fire, is_goal_of, place, replay, task};
use testkit::{Random, are_full, count};

/// A net that is not reduced when it has more markings.
const MOST: usize = 400;

/// Returns the first marking of each goal in breadth-first order, with a run. Explores at most `most` markings.
fn runs(task: &NetTask, most: usize) -> BTreeMap<Goal, Trace> {
    let start: Marking = testkit::net::least(&task.net);
    let mut numbers = BTreeMap::from([(start.clone(), 0usize)]);
    let mut found = vec![(start, 0, 0u32)];
    let mut hits: BTreeMap<Goal, Trace> = BTreeMap::new();
    let mut next = 0;
    while next < found.len() && next < most {
        let marking = found[next].0.clone();
        for goal in task.goals.iter().filter(|goal| is_goal_of(task, **goal, &marking)) {
            hits.entry(*goal).or_insert_with(|| run_to(task.net.open_places().len(), &found, next));
        }
        for (t, transition) in (0u32..).zip(task.net.transitions()) {
            let Some(to) = fire(transition, &marking) else { continue };
            if !numbers.contains_key(&to) {
                numbers.insert(to.clone(), found.len());
                found.push((to, next, t));
            }
        }
        next += 1;
    }
    hits
}

fn run_to(open: usize, found: &[(Marking, usize, u32)], mut at: usize) -> Trace {
    let mut steps = Vec::new();
    while at > 0 {
        steps.push(found[at].2);
        at = found[at].1;
    }
    let mut trace = Trace::new(vec![0; open].into());
    steps.into_iter().rev().for_each(|t| trace.push(EventId(t), None));
    trace
}

/// A weighted net in which many places have few neighbours.
fn weighted(random: &mut Random) -> Net {
    let count = random.between(3, 8);
    let tokens = |random: &mut Random| [0u8, 0, 0, 1, 1, 2][random.below(6)];
    let places = (0..count).map(|p| place(format!("p{p}"), Range::exactly(tokens(random)))).collect();
    let weights = [[1, 1, 1], [1, 1, 2], [1, 2, 4]][random.below(3)];
    let some = |random: &mut Random, most: usize| -> Vec<(u32, u64)> {
        let number = if random.chance(70) { 1 } else { random.between(0, most) };
        (0..number).map(|_| (random.below(count) as u32, weights[random.below(3)])).collect()
    };
    let transition = |t: usize, random: &mut Random| {
        let (pre, post) = (some(random, 2), some(random, 3));
        arcs(format!("t{t}"), &pre, &post)
    };
    let transitions = (0..random.between(3, 9)).map(|t| transition(t, random)).collect();
    Net::new(places, transitions).expect("the generator keeps the rules")
}

/// A formula about one or two places.
fn formula(random: &mut Random, places: usize) -> Formula {
    let mut builder = FormulaBuilder::default();
    let weight = [1, 1, -1][random.below(3)];
    let mut terms = vec![(PlaceId::new(random.below(places)), BigInt::from(weight))];
    if random.chance(40) {
        terms.push((PlaceId::new(random.below(places)), BigInt::from([1, -1][random.below(2)])));
    }
    let root = builder.at_least(terms, BigInt::from(random.between(0, 4)) - 1);
    builder.finish(root)
}

fn any_task(random: &mut Random) -> NetTask {
    let net = if random.chance(75) { weighted(random) } else { testkit::net::up_to(7, random) };
    let places = net.places().len();
    let asks = random.below(4);
    let formulas = (0..[0, 1, 1, 2][asks]).map(|_| formula(random, places)).collect();
    task(net, formulas, asks == 0 || (asks == 3 && random.chance(30)))
}

/// Counts of what happened.
#[derive(Debug, Default)]
struct Happened {
    reduced: usize,
    compared: usize,
    reachable: usize,
    unreachable: usize,
    agglomerated: usize,
}

fn check(seed: u64, happened: &mut Happened) {
    let task = any_task(&mut Random::new(seed));
    let Some(reduced) = structural(&task) else { return };
    happened.reduced += 1;
    assert_eq!(reduced.task.goals, task.goals);
    let found = runs(&reduced.task, MOST);
    for (goal, trace) in &found {
        let claim = Claim::Unsafe { goal: *goal, trace: trace.clone(), candidate: false };
        let Claim::Unsafe { trace: lifted, .. } = reduced.lift.claim(claim) else { panic!("seed {seed}: no run") };
        let end: Option<Marking> = replay::<BigUint>(&task.net, &lifted);
        let end = end.unwrap_or_else(|| panic!("seed {seed}: the run of {goal:?} cannot fire"));
        assert!(is_goal_of(&task, *goal, &end), "seed {seed}: the run misses {goal:?}");
        happened.agglomerated += usize::from(lifted.len() > trace.len());
    }
    let (Some(before), Some(after)) = (explore(&task, MOST), explore(&reduced.task, MOST)) else { return };
    if before.cut || after.cut {
        return;
    }
    happened.compared += 1;
    for goal in &task.goals {
        let is_reachable = before.goals.contains_key(goal);
        assert_eq!(is_reachable, after.goals.contains_key(goal), "seed {seed}: {goal:?}");
        if is_reachable { happened.reachable += 1 } else { happened.unreachable += 1 }
    }
}

#[test]
fn reduced_nets_have_the_same_goals() {
    let mut happened = Happened::default();
    (0..count(20_000)).for_each(|seed| check(seed, &mut happened));
    if are_full() {
        let Happened { reduced, compared, reachable, unreachable, agglomerated } = happened;
        assert!(reduced > 5_000 && compared > 3_000, "{reduced} reduced, {compared} compared");
        assert!(reachable > 500 && unreachable > 500 && agglomerated > 500, "{reachable} {unreachable} {agglomerated}");
    }
}
