//! Compares nets with brute force, and checks limits: widths, bounds, memory, and infinitely many initial
//! markings.

use super::*;
use model::{
    Budget, Claim, Effect, Engine, FormulaBuilder, FormulaId, Guard, Markings, Net, Place, PlaceId, Range, Slot, Stop,
    Trace, Transition, Turn,
};
use num_bigint::BigInt;
use proptest::prelude::*;
use search::disk::{Disk, Scratch};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use tempfile::TempDir;
use testkit::net::{Features, Marking, Reach, arcs, explore, is_goal_of, place, tasks};

/// Returns a directory, and a place in it for a search with so many bytes of memory and blocks of so many bytes.
fn tiny(memory: usize, block: usize) -> (TempDir, Disk) {
    let dir = tempfile::tempdir().expect("a directory");
    let scratch = Scratch::new(dir.path(), u64::MAX).expect("a writable directory");
    (dir, Disk { scratch, memory, block })
}

/// All claims of an engine, and its final counts.
#[derive(Debug, Default)]
struct Said {
    hits: BTreeMap<Goal, Trace>,
    safe: Vec<Goal>,
    markings: Option<Markings>,
    unknown: Vec<(Goal, Reason)>,
    states: u64,
    transitions: u64,
    complete: bool,
    more: bool,
}

/// Runs the engine for at most `turns` turns.
fn run(task: &NetTask, explore_all: bool, turn: u64, turns: usize, stop: &Arc<Stop>) -> Said {
    run_with(task, Options { explore_all, ..Options::default() }, turn, turns, stop)
}

fn run_with(task: &NetTask, options: Options, turn: u64, turns: usize, stop: &Arc<Stop>) -> Said {
    let mut engine = crate::explore(task.clone(), options);
    let mut said = Said { more: true, ..Said::default() };
    for _ in 0..turns {
        match engine.run(&mut Budget::new(turn, stop.clone())) {
            Turn::Claims(Claim::Unsafe { goal, trace, candidate }) => {
                assert!(!candidate && said.hits.insert(goal, trace).is_none());
            }
            Turn::Claims(Claim::Safe { goals, certificate: Certificate::Markings(markings) }) => {
                said.safe.extend(goals);
                said.markings = Some(markings);
            }
            Turn::Claims(Claim::Unknown { goals, reason }) => said.unknown.extend(goals.iter().map(|&g| (g, reason))),
            Turn::Claims(claim) => panic!("unexpected {claim:?}"),
            Turn::More if stop.raised().is_some() => break,
            Turn::More => {}
            Turn::Done => {
                said.more = false;
                break;
            }
        }
    }
    let stats = engine.stats();
    (said.states, said.transitions, said.complete) = (stats.states, stats.transitions, engine.is_complete());
    said
}

fn check(task: &NetTask, explore_all: bool) -> Said {
    run(task, explore_all, u64::MAX, usize::MAX, &Arc::default())
}

/// Returns true if the trace is a run that reaches the goal.
pub(crate) fn leads_to(task: &NetTask, goal: Goal, trace: &Trace) -> bool {
    let end: Option<Marking> = testkit::net::replay(&task.net, trace);
    end.is_some_and(|end| is_goal_of(task, goal, &end))
}

/// Returns the states of a certificate as markings.
fn listed(task: &NetTask, markings: &Markings) -> Vec<Marking> {
    assert_eq!(markings.slots, task.slots);
    assert_eq!(markings.potentially_marked, vec![true; task.net.places().len()]);
    let mut all = Vec::new();
    let _ = markings.states.for_each(&mut |state| {
        let mut m = vec![BigUint::ZERO; task.net.places().len()];
        for (slot, &value) in task.slots.iter().zip(state) {
            match slot {
                Slot::Tokens(p) => m[p.index()] = value.into(),
                Slot::OneOf(_) if value == 0 => {}
                Slot::OneOf(places) => m[places[value as usize - 1].index()] = 1u8.into(),
            }
        }
        all.push(m);
        ControlFlow::Continue(())
    });
    assert_eq!(markings.states.len(), all.len() as u64);
    all.sort();
    all
}

/// Verdicts and lengths of shortest traces are those of brute force.
fn agrees(task: &NetTask, reach: &Reach, said: &Said) -> Result<(), TestCaseError> {
    for goal in &task.goals {
        let depth = reach.goals.get(goal).copied();
        prop_assert_eq!(said.hits.get(goal).and_then(Trace::len), depth);
        prop_assert_eq!(said.safe.contains(goal), depth.is_none() && !reach.cut);
        let unknown = said.unknown.iter().find(|u| u.0 == *goal).map(|u| u.1);
        prop_assert_eq!(unknown, (depth.is_none() && reach.cut).then_some(Reason::Bound));
        if let Some(trace) = said.hits.get(goal) {
            prop_assert!(leads_to(task, *goal, trace));
        }
    }
    prop_assert_eq!(said.markings.is_some(), !said.safe.is_empty());
    Ok(())
}

const ALL: Features = Features { upper: true, open: true, control: true };
const FINITE: Features = Features { upper: true, open: false, control: true };
const MONOTONE: Features = Features { upper: false, open: false, control: true };

proptest! {
    #![proptest_config(testkit::config(1000))]

    /// Within a bound, the engine finds the same markings, counts, verdicts and lengths as brute force, for
    /// turns of any size.
    #[test]
    fn it_agrees_with_brute_force(task in tasks(ALL), turn in 1..50u64) {
        let Some(reach) = explore(&task, 3000) else { return Ok(()) };
        let said = check(&task, true);
        agrees(&task, &reach, &said)?;
        prop_assert_eq!((said.states, said.transitions), (reach.depths.len() as u64, reach.transitions));
        prop_assert_eq!(said.complete, !reach.cut);
        if let Some(markings) = &said.markings {
            prop_assert!(listed(&task, markings).iter().eq(reach.depths.keys()));
        }
        let in_turns = run(&task, true, turn, usize::MAX, &Arc::default());
        prop_assert_eq!(&in_turns.hits, &said.hits);
        prop_assert_eq!((in_turns.safe, in_turns.states), (said.safe, said.states));
    }

    /// The same holds where old levels are on disk.
    #[test]
    fn it_agrees_with_brute_force_on_disk(
        task in tasks(ALL),
        turn in 1..50u64,
        jobs in 1..3usize,
        memory in prop_oneof![600..3_000usize, 3_000..20_000usize],
        block in 10..200usize,
    ) {
        let Some(reach) = explore(&task, 3000) else { return Ok(()) };
        let (_dir, disk) = tiny(memory, block);
        let options = Options { explore_all: true, jobs, disk: Some(disk) };
        let said = run_with(&task, options, turn, usize::MAX, &Arc::default());
        agrees(&task, &reach, &said)?;
        prop_assert_eq!((said.states, said.transitions), (reach.depths.len() as u64, reach.transitions));
        prop_assert_eq!(said.complete, !reach.cut);
        if let Some(markings) = &said.markings {
            prop_assert!(listed(&task, markings).iter().eq(reach.depths.keys()));
        }
    }

    /// If the state space is finite by itself, the same holds without a bound.
    #[test]
    fn finite_nets_need_no_bound(mut task in tasks(FINITE)) {
        task.bound = None;
        let Some(reach) = explore(&task, 500) else { return Ok(()) };
        let said = check(&task, true);
        agrees(&task, &reach, &said)?;
        prop_assert_eq!((said.states, said.transitions), (reach.depths.len() as u64, reach.transitions));
        agrees(&task, &reach, &check(&task, false))?;
        let (_dir, disk) = tiny(1000, 50);
        let options = Options { disk: Some(disk), ..Options::default() };
        agrees(&task, &reach, &run_with(&task, options, u64::MAX, usize::MAX, &Arc::default()))?;
    }

    /// Leaving out covered markings changes no verdict and no length, and the remaining markings cover all
    /// markings.
    #[test]
    fn covered_markings_are_not_missed(mut task in tasks(MONOTONE)) {
        task.bound = None;
        task.net = Arc::new(monotone(&task.net));
        let Some(reach) = explore(&task, 500) else { return Ok(()) };
        let said = check(&task, false);
        agrees(&task, &reach, &said)?;
        prop_assert!(said.states <= reach.depths.len() as u64);
        if let Some(markings) = &said.markings {
            let listed = listed(&task, markings);
            let covers = |s: &Marking, m: &Marking| s.iter().zip(m).all(|(s, m)| s >= m);
            prop_assert!(reach.depths.keys().all(|m| listed.iter().any(|s| covers(s, m))));
            prop_assert!(listed.iter().all(|s| reach.depths.contains_key(s)));
        }
    }

}

proptest! {
    #![proptest_config(testkit::config(120))]

    /// With infinitely many initial markings, and no bound given, the search finds what brute force finds
    /// within some bound.
    #[test]
    fn endless_initial_markings_are_searched_for_runs(task in tasks(ALL)) {
        let endless = task.net.places().iter().any(|p| p.initial.at_most.is_none());
        let Some(reach) = explore(&task, 500).filter(|_| endless) else { return Ok(()) };
        let mut unbounded = task.clone();
        unbounded.bound = None;
        let said = run(&unbounded, false, 1000, 5, &Arc::default());
        prop_assert!(said.safe.is_empty() && said.unknown.is_empty());
        for (goal, trace) in &said.hits {
            prop_assert!(leads_to(&task, *goal, trace));
        }
        let found = run(&unbounded, false, 30_000, 8, &Arc::default()).hits;
        prop_assert!(reach.goals.keys().all(|goal| found.contains_key(goal)));
    }
}

/// Removes the upper limits of guards. (In random nets, such guards are on the three control places.)
fn monotone(net: &Net) -> Net {
    let mut transitions = net.transitions().to_vec();
    transitions.iter_mut().flat_map(|t| &mut t.guards).for_each(|g| g.range.at_most = None);
    transitions.iter_mut().for_each(|t| t.guards.retain(|g| !g.range.is_everything()));
    Net::new(net.places().to_vec(), transitions).unwrap()
}

fn net(initial: &[u64], transitions: Vec<Transition>) -> Arc<Net> {
    let place = |(i, n): (usize, &u64)| place(format!("p{i}"), Range::exactly(*n));
    Arc::new(Net::new(initial.iter().enumerate().map(place).collect(), transitions).unwrap())
}

/// Returns the question whether place 0 can hold `tokens`.
fn asks(net: Arc<Net>, tokens: u64) -> NetTask {
    let mut builder = FormulaBuilder::default();
    let root = builder.place_at_least(PlaceId(0), &tokens.into());
    NetTask::plain(net, vec![Arc::new(builder.finish(root))], vec![Goal::Formula(FormulaId(0))])
}

/// A net in which the tokens of place 0 double while there are at most 2^`most` of them.
fn doubling(most: u32) -> Arc<Net> {
    let transition = Transition {
        name: "double".into(),
        guards: vec![Guard {
            place: PlaceId(0),
            range: Range { at_least: 1u8.into(), at_most: Some(BigUint::from(1u8) << most) },
        }],
        effects: vec![Effect { place: PlaceId(0), sources: [PlaceId(0); 2].into_iter().collect(), add: BigInt::ZERO }],
    };
    net(&[1], vec![transition])
}

#[test]
fn counts_grow_to_32_bits_and_beyond_is_unknown() {
    let fits = check(&asks(doubling(30), 1 << 32), false);
    assert_eq!((fits.safe.len(), fits.states, fits.transitions), (1, 32, 31));
    for most in [31, 33, 64] {
        let said = check(&asks(doubling(most), 1 << 32), false);
        assert_eq!(said.unknown, [(Goal::Formula(FormulaId(0)), Reason::Overflow)], "2^{most}");
    }
    let found = check(&asks(doubling(64), 1 << 31), false);
    assert_eq!(found.hits[&Goal::Formula(FormulaId(0))].len(), Some(31));
    let start = net(&[1 << 32], Vec::new());
    assert_eq!(check(&asks(start, 1 << 33), false).unknown[0].1, Reason::Overflow);
}

#[test]
fn a_counter_is_widened_in_place() {
    let up = arcs("up", &[(1, 1)], &[(0, 1), (2, 1)]);
    let task = asks(net(&[0, 70_000, 0], vec![up]), 70_001);
    let said = check(&task, true);
    assert_eq!((said.safe.len(), said.states, said.transitions), (1, 70_001, 70_000));
    let said = check(&asks(task.net, 70_000), false);
    assert_eq!(said.hits[&Goal::Formula(FormulaId(0))].len(), Some(70_000));
}

/// Places 0 and 2 get 100 tokens, one by one, so the layout of all states on disk changes several times.
#[test]
fn states_on_disk_are_widened() {
    let up = arcs("up", &[(1, 1)], &[(0, 1), (2, 1)]);
    let swap = arcs("swap", &[(0, 1)], &[(3, 1)]);
    let task = asks(net(&[0, 100, 0, 0], vec![up, swap]), 101);
    let (_dir, disk) = tiny(1_000, 100);
    let scratch = disk.scratch.clone();
    let options = Options { explore_all: true, disk: Some(disk), ..Options::default() };
    let said = run_with(&task, options, u64::MAX, usize::MAX, &Arc::default());
    assert_eq!((said.safe.len(), said.states), (1, 101 * 102 / 2));
    assert_eq!(said.transitions, check(&task, true).transitions);
    assert!(scratch.peak() > 10_000);
    let (_dir, disk) = tiny(1_000, 100);
    let options = Options { disk: Some(disk), ..Options::default() };
    let said = run_with(&asks(task.net, 100), options, u64::MAX, usize::MAX, &Arc::default());
    assert_eq!(said.hits[&Goal::Formula(FormulaId(0))].len(), Some(100));
}

/// Six places that lose tokens one by one.
fn losing() -> Arc<Net> {
    net(&[3; 6], (0..6).map(|p| arcs(format!("lose {p}"), &[(p, 1)], &[])).collect())
}

#[test]
fn what_only_loses_is_covered() {
    let said = check(&asks(losing(), 4), false);
    assert_eq!((said.safe.len(), said.states), (1, 7));
    assert_eq!(said.markings.map(|m| m.states.len()), Some(1));
    assert!(!said.complete);
    let all = check(&asks(losing(), 4), true);
    assert_eq!((all.safe.len(), all.states, all.complete), (1, 4096, true));
    let mut deadlock = asks(losing(), 4);
    deadlock.goals.push(Goal::Deadlock);
    assert_eq!(
        check(&deadlock, false).hits[&Goal::Deadlock].len(),
        Some(18),
        "nothing is left out if a deadlock is asked for"
    );
    let mut bounded = asks(losing(), 4);
    bounded.bound = Some(Bound { most: 100, counted: vec![true; 6] });
    assert_eq!(check(&bounded, false).states, 4096);
}

/// With a zero test, fewer tokens may enable more transitions. A goal may also require few tokens.
#[test]
fn nothing_is_left_out_where_fewer_tokens_can_do_more() {
    let lose = || arcs("lose", &[(1, 1)], &[]);
    let mut tests_zero = arcs("put", &[], &[(0, 1)]);
    tests_zero.guards = [0, 1].map(|p| Guard { place: PlaceId(p), range: Range::exactly(0u8) }).to_vec();
    let said = check(&asks(net(&[0, 1], vec![lose(), tests_zero]), 1), false);
    assert_eq!(said.hits[&Goal::Formula(FormulaId(0))].len(), Some(2));
    let mut builder = FormulaBuilder::default();
    let root = builder.place_at_most(PlaceId(1), &BigUint::ZERO);
    let formulas = vec![Arc::new(builder.finish(root))];
    let task = NetTask::plain(net(&[0, 1], vec![lose()]), formulas, vec![Goal::Formula(FormulaId(0))]);
    assert_eq!(check(&task, false).hits[&Goal::Formula(FormulaId(0))].len(), Some(1));
}

#[test]
fn conservative_nets_stop_looking_for_covers() {
    let moves = (0..6u32).map(|p| arcs(format!("move {p}"), &[(p, 1)], &[((p + 1) % 6, 1)])).collect();
    let said = check(&asks(net(&[12, 0, 0, 0, 0, 0], moves), 13), false);
    assert_eq!((said.safe.len(), said.states, said.complete), (1, 6188, true));
}

/// Expanding a marking with very many successors costs more than one turn. The engine saves budget over several
/// turns, and then expands the marking.
#[test]
fn a_marking_of_very_many_successors_is_expanded_when_it_is_paid_for() {
    let places = 5_000u32;
    let takes = (0..places).map(|p| arcs(format!("take {p}"), &[(p, 1)], &[])).collect();
    let task = asks(net(&vec![1; places as usize], takes), 1 << 20);
    let turns = |most| run(&task, true, 100, most, &Arc::default());
    assert_eq!((turns(10).transitions, turns(10).states), (0, 1));
    let said = turns(1_000);
    assert!(said.transitions >= 5_000 && said.more, "{}", said.transitions);
}

#[test]
fn limits_and_flags_end_the_work() {
    let moves = (0..12u32).map(|p| arcs(format!("move {p}"), &[(p, 1)], &[((p + 1) % 12, 1)]));
    let task = asks(net(&[12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], moves.collect()), 13);
    let limited = Arc::new(Stop::with_memory_limit(200_000, || 100_000));
    let said = run(&task, false, 1000, usize::MAX, &limited);
    assert_eq!(said.unknown[0].1, Reason::Memory);
    assert!(said.states < 20_000, "{}", said.states);
    let stopped = Arc::new(Stop::default());
    stopped.raise(Reason::Timeout);
    let said = run(&task, false, u64::MAX, usize::MAX, &stopped);
    assert!(said.safe.is_empty() && said.states < 20_000);
}

#[test]
fn many_initial_markings_are_taken_in_portions() {
    let ranges = |most: Option<u64>| Range { at_least: 1u8.into(), at_most: most.map(BigUint::from) };
    let place = |i, most| Place { name: format!("p{i}"), initial: ranges(most) };
    let take = arcs("take", &[(0, 9), (1, 1)], &[(2, 1)]);
    for most in [Some(1 << 12), Some(1 << 50), None] {
        let places = (0..3).map(|i| place(i, most)).collect();
        let mut task = asks(Arc::new(Net::new(places, vec![take.clone()]).unwrap()), 10);
        let said = check(&task, false);
        assert_eq!(&*said.hits[&Goal::Formula(FormulaId(0))].start, [9, 0, 0], "the lightest");
        task.goals.clear();
        assert!(!check(&task, true).more, "nothing is asked, and there is no end");
    }
    let places = (0..2).map(|i| place(i, Some(1100))).collect();
    let task = asks(Arc::new(Net::new(places, Vec::new()).unwrap()), 1101);
    let said = check(&task, false);
    assert_eq!((said.safe.len(), said.states), (1, 1_210_000), "portions end where nothing is left out");
}
