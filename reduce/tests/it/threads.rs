//! Nets of thread systems against a stepper that follows the text of `model::threads`.

use crate::gen_nets::{any_formulas, formulas};
use crate::gen_threads::systems;
use crate::home::check_home;
use crate::naive::{events, explore, holds};
use impasse_reduce::Home as _;
use impasse_reduce::{Options, prepare, thread_net};
use model::{
    Act, Claim, Formula, FormulaBuilder, FormulaId, Goal, LocalId, PlaceId, Problem, Property, SharedId, SystemModel,
    ThreadInit, ThreadSystem, ThreadTransition, Trace,
};
use num_bigint::BigUint;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Shared state, then threads per local state.
type State = Vec<u32>;

const MOST: u32 = 4;

fn successors(system: &ThreadSystem, t: usize, state: &State) -> BTreeSet<State> {
    let t = &system.transitions()[t];
    if state[0] != t.from.0.0 || state[1 + t.from.1.index()] == 0 {
        return BTreeSet::new();
    }
    // Every thread by itself: the active one and the others.
    let mut others: Vec<LocalId> = Vec::new();
    for l in 0..system.locals() {
        let n = state[1 + l as usize] - u32::from(l == t.from.1.0);
        others.extend((0..n).map(|_| LocalId(l)));
    }
    let mut fixed = vec![t.to.0.0];
    fixed.extend(vec![0; system.locals() as usize]);
    fixed[1 + t.to.1.index()] += 1;
    if t.act == Act::Spawn {
        fixed[1 + t.from.1.index()] += 1;
    }
    let mut found = BTreeSet::from([fixed]);
    for other in others {
        let own = vec![other];
        let all = vec![t.to.1];
        let targets = match t.passive.get(&other) {
            Some(to) => to,
            None if t.act == Act::Transfer && other == t.from.1 => &all,
            None => &own,
        };
        let next = found.iter().flat_map(|s| {
            targets.iter().map(|to| {
                let mut s = s.clone();
                s[1 + to.index()] += 1;
                s
            })
        });
        found = next.collect();
    }
    found
}

fn initial(system: &ThreadSystem, extra: &[u32]) -> State {
    let init = system.initial();
    let mut state = vec![0; 1 + system.locals() as usize];
    state[0] = init.shared.0;
    init.threads.iter().for_each(|(l, n)| state[1 + l.index()] += u32::try_from(n).unwrap());
    init.any.iter().zip(extra).for_each(|(l, n)| state[1 + l.index()] += n);
    state
}

fn marking(system: &ThreadSystem, state: &State) -> Vec<BigUint> {
    let shared = (0..system.shared()).map(|s| BigUint::from(u8::from(s == state[0])));
    shared.chain(state[1..].iter().map(|n| BigUint::from(*n))).collect()
}

fn is_goal(system: &ThreadSystem, formula: Option<&Arc<Formula>>, state: &State) -> bool {
    match formula {
        Some(f) => holds(f, &marking(system, state)),
        None => (0..system.transitions().len()).all(|t| successors(system, t, state).is_empty()),
    }
}

/// All states with at most [`MOST`] threads on the way.
fn reachable(system: &ThreadSystem) -> BTreeSet<State> {
    let starts = if system.initial().any.is_empty() { vec![vec![]] } else { (0..3).map(|n| vec![n]).collect() };
    let mut work: Vec<State> = starts.iter().map(|s| initial(system, s)).collect();
    let mut known: BTreeSet<State> = BTreeSet::new();
    while let Some(state) = work.pop() {
        if state[1..].iter().sum::<u32>() > MOST || !known.insert(state.clone()) {
            continue;
        }
        work.extend((0..system.transitions().len()).flat_map(|t| successors(system, t, &state)));
    }
    known
}

/// Follows a trace by the rules of `model::Trace`.
fn replay(system: &ThreadSystem, trace: &Trace) -> State {
    assert_eq!(trace.start.len(), system.initial().any.len());
    let mut state = initial(system, &trace.start);
    for step in events(trace) {
        let next = successors(system, step.event.index(), &state);
        state = match step.choice {
            Some(to) => trace.choice(to).to_vec(),
            None => {
                assert_eq!(next.len(), 1, "no choice recorded means no choice");
                next.first().unwrap().clone()
            }
        };
        assert!(next.contains(&state), "the recorded state is a successor");
    }
    state
}

/// Says whether a set of markings was brought home.
fn check(system: ThreadSystem, formula: Option<Formula>, slice: bool) -> bool {
    let goal = if formula.is_some() { Goal::Formula(FormulaId(0)) } else { Goal::Deadlock };
    let formulas: Vec<Arc<Formula>> = formula.into_iter().map(Arc::new).collect();
    let system = Arc::new(system);
    let properties = vec![Property::never("goal", goal)];
    let problem = Problem {
        system: SystemModel::Threads(Arc::clone(&system)),
        formulas,
        temporal: Vec::new(),
        properties,
        assumptions: Vec::new(),
    };
    let prepared = prepare(&problem, &[goal], &Options { slice, bound: None });
    let known = reachable(&system);
    let expected = known.iter().any(|s| is_goal(&system, problem.formula(goal), s));
    if let Some(claim) = prepared.settled.first() {
        assert!(matches!(claim, Claim::Safe { .. }));
        assert!(!expected, "settled, but reachable");
        return false;
    }
    let task = &prepared.task;
    let part = explore(&task.net, 2, usize::MAX, 1500);
    let found = part.first(&task.net, goal, task.formula(goal).map(|f| &**f));
    if expected && part.complete {
        assert!(found.is_some(), "reachable, but not in the net");
    }
    if let Some(i) = found {
        let claim = Claim::Unsafe { goal, trace: part.trace(i), candidate: false };
        let Claim::Unsafe { trace, .. } = prepared.back.claim(claim) else { panic!("a trace stays one") };
        let end = replay(&system, &trace);
        assert!(is_goal(&system, problem.formula(goal), &end), "the trace ends in the goal");
    }
    check_home(&system, &problem, &prepared, goal)
}

const PLACES: usize = 5;

proptest! {
    #![proptest_config(testkit::config(1500))]

    #[test]
    fn nets_of_random_thread_systems_agree(system in systems(1), f in any_formulas(), deadlock in prop::bool::weighted(0.2), slice: bool) {
        check(system, (!deadlock).then(|| f.over(PLACES)), slice);
    }

    #[test]
    fn covering_with_choices_agrees(system in systems(3), f in formulas(true), slice: bool) {
        check(system, Some(f.over(PLACES)), slice);
    }

    #[test]
    fn other_goals_with_choices_agree(system in systems(3), f in formulas(false), deadlock in prop::bool::weighted(0.2), slice: bool) {
        check(system, (!deadlock).then(|| f.over(PLACES)), slice);
    }

    #[test]
    fn a_net_of_threads_has_the_same_markings(system in systems(1)) {
        let net = thread_net(&system).unwrap();
        let part = explore(&net, 0, usize::MAX, 300);
        if part.complete {
            let closed = ThreadSystem::new(system.shared(), system.locals(), {
                let mut init = system.initial().clone();
                init.any.clear();
                init
            }, system.transitions().to_vec()).unwrap();
            let states: BTreeSet<Vec<BigUint>> = reachable(&closed).iter().map(|s| marking(&system, s)).collect();
            let few = |m: &&Vec<BigUint>| m[2..].iter().sum::<BigUint>() <= BigUint::from(MOST);
            // Threads never end, so who has few now had few before.
            prop_assert_eq!(part.markings.iter().filter(few).cloned().collect::<BTreeSet<_>>(), states);
        }
    }
}

/// Where others choose, what engines list comes home: the ends of chains are kept here, or (nobody asks about shared state
/// 1) sliced away, or waited for.
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
    let once = ThreadSystem::new(2, 3, start(4), vec![spread.clone()]).unwrap();
    let often = ThreadSystem::new(2, 3, start(4), vec![spread, back]).unwrap();
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
    let system = ThreadSystem::new(1, 2, init, vec![t]).unwrap();
    assert_eq!(thread_net(&system).unwrap_err().transition, 0);
}
