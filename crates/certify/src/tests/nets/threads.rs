//! Tests of thread-transition systems against a brute force that keeps a list of threads and moves them one by
//! one.

use super::super::brute::Rng;
use super::super::rejected;
use super::*;
use kernel::Work;
use kernel::net::Marked;
use kernel::net::rules::Rules;
use model::{Act, EventId, LocalId, SharedId, ThreadInit, ThreadTransition, ThreadTransitionSystem, Trace};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The shared state, and the local states of the threads, ascending.
pub(super) type State = (u32, Vec<u32>);

fn l(i: u32) -> LocalId {
    LocalId(i)
}

pub(super) fn step(from: (u32, u32), act: Act, to: (u32, u32), passive: &[(u32, &[u32])]) -> ThreadTransition {
    let passive = passive.iter().map(|&(q, to)| (l(q), to.iter().map(|&t| l(t)).collect())).collect();
    ThreadTransition { from: (SharedId(from.0), l(from.1)), to: (SharedId(to.0), l(to.1)), act, passive }
}

pub(super) fn system(
    shared: u32,
    locals: u32,
    threads: &[(u32, u64)],
    any: &[u32],
    transitions: Vec<ThreadTransition>,
) -> ThreadTransitionSystem {
    let threads: BTreeMap<LocalId, BigUint> = threads.iter().map(|&(q, n)| (l(q), n.into())).collect();
    let initial = ThreadInit { shared: SharedId(0), threads, any: any.iter().map(|&q| l(q)).collect() };
    ThreadTransitionSystem::new(shared, locals, initial, transitions).expect("a valid thread-transition system")
}

pub(super) fn threads_problem(system: &ThreadTransitionSystem, formulas: Vec<Formula>) -> Problem {
    problem(SystemModel::Threads(Arc::new(system.clone())), formulas)
}

/// The states that a transition leads to. Every thread picks by itself.
pub(super) fn fire(t: &ThreadTransition, (shared, threads): &State) -> BTreeSet<State> {
    let Some(active) = threads.iter().position(|&q| q == t.from.1.0).filter(|_| *shared == t.from.0.0) else {
        return BTreeSet::new();
    };
    let mut outcomes: Vec<Vec<u32>> = vec![vec![]];
    for (i, &q) in threads.iter().enumerate() {
        let passive = t.passive.get(&l(q)).map(|to| to.iter().map(|to| to.0).collect());
        let to: Vec<u32> = match t.act {
            Act::Spawn => vec![q],
            Act::Transfer if q == t.from.1.0 => vec![t.to.1.0],
            Act::Transfer => vec![q],
            Act::Move if i == active => vec![t.to.1.0],
            Act::Move => passive.unwrap_or_else(|| vec![q]),
        };
        outcomes = outcomes.iter().flat_map(|o| to.iter().map(move |&to| [&o[..], &[to]].concat())).collect();
    }
    let finish = |mut threads: Vec<u32>| {
        if t.act == Act::Spawn {
            threads.push(t.to.1.0);
        }
        threads.sort_unstable();
        (t.to.0.0, threads)
    };
    outcomes.into_iter().map(finish).collect()
}

/// Initial states with these numbers of additional threads in open local states.
pub(super) fn start(system: &ThreadTransitionSystem, extra: &[u32]) -> State {
    let mut threads = Vec::new();
    let mut add = |q: LocalId, n: u32| threads.extend((0..n).map(|_| q.0));
    for (&q, n) in &system.initial().threads {
        add(q, u32::try_from(n).unwrap());
    }
    system.initial().any.iter().zip(extra).for_each(|(&q, &n)| add(q, n));
    threads.sort_unstable();
    (system.initial().shared.0, threads)
}

pub(super) fn tokens(system: &ThreadTransitionSystem, (shared, threads): &State) -> Tokens {
    let mut marking = vec![0; system.places()];
    marking[*shared as usize] = 1;
    threads.iter().for_each(|&q| marking[(system.shared() + q) as usize] += 1);
    marking
}

fn choice(system: &ThreadTransitionSystem, state: &State) -> Tokens {
    [&[state.0], &tokens(system, state)[system.shared() as usize..]].concat()
}

pub(super) fn random_system(rng: &mut Rng, several: bool) -> ThreadTransitionSystem {
    let (shared, locals) = (1 + rng.below(3) as u32, 1 + rng.below(4) as u32);
    let transitions = (0..1 + rng.below(5))
        .map(|_| {
            let from = (rng.below(shared as usize) as u32, rng.below(locals as usize) as u32);
            let to = (rng.below(shared as usize) as u32, rng.below(locals as usize) as u32);
            let act = [Act::Move, Act::Move, Act::Move, Act::Move, Act::Spawn, Act::Transfer][rng.below(6)];
            let mut t = step(from, act, to, &[]);
            for q in 0..locals {
                if act == Act::Move && rng.one_in(3) {
                    let mut to: BTreeSet<LocalId> = BTreeSet::from([LocalId::new(rng.below(locals as usize))]);
                    while several && rng.one_in(2) {
                        to.insert(LocalId::new(rng.below(locals as usize)));
                    }
                    t.passive.insert(l(q), to.into_iter().collect());
                }
            }
            t
        })
        .collect();
    let threads: Vec<(u32, u64)> =
        (0..locals).map(|q| (q, rng.below(3) as u64)).filter(|(_, n)| *n > 0 && !several || *n > 1).collect();
    let any: Vec<u32> = (0..locals).filter(|_| rng.one_in(6)).collect();
    system(shared, locals, &threads, &any, transitions)
}

/// The net that certificates are checked against has the steps of the definition, on all states of two to four
/// threads.
#[test]
fn rules_are_the_transitions() {
    let mut rng = Rng(21);
    for round in 0..1500 {
        let system = random_system(&mut rng, false);
        let stop = Stop::default();
        let rules = Rules::new(Marked::Threads(&system), &mut Work::new(1 << 30, &stop)).unwrap();
        assert!(rules.scatters.is_empty());
        for _ in 0..10 {
            let mut threads: Vec<u32> = (0..rng.below(5)).map(|_| rng.below(system.locals() as usize) as u32).collect();
            threads.sort_unstable();
            let state = (rng.below(system.shared() as usize) as u32, threads);
            for (t, rule) in system.transitions().iter().zip(rules.transitions.iter()) {
                let expected: Vec<Tokens> = fire(t, &state).iter().map(|to| tokens(&system, to)).collect();
                let got: Vec<Tokens> = naive::fire(rule, &tokens(&system, &state)).into_iter().collect();
                assert_eq!(got, expected, "round {round}: {t:?} {state:?}\n{rule:?}");
            }
        }
    }
}

#[test]
fn random_runs_replay_iff_the_definition_says_so() {
    let mut rng = Rng(8);
    let (mut accepted, mut with_choice, mut refused) = (0, 0, 0);
    for round in 0..6000 {
        let several = rng.one_in(2);
        let system = random_system(&mut rng, several);
        let extra: Vec<u32> = system.initial().any.iter().map(|_| rng.below(3) as u32).collect();
        let mut state = Some(start(&system, &extra));
        let mut trace = Trace::new(extra.into());
        let mut choices = 0;
        for _ in 0..1 + rng.below(6) {
            let Some(now) = state.clone().filter(|s| s.1.len() < 7) else { break };
            let enabled: Vec<usize> =
                (0..system.transitions().len()).filter(|&t| !fire(&system.transitions()[t], &now).is_empty()).collect();
            let t = match enabled.as_slice() {
                [] => 0,
                _ if rng.one_in(20) => rng.below(system.transitions().len()),
                _ => enabled[rng.below(enabled.len())],
            };
            let outcomes: Vec<State> = fire(&system.transitions()[t], &now).into_iter().collect();
            let recorded = outcomes.len() > 1 && !rng.one_in(10) || rng.one_in(10);
            if outcomes.is_empty() || !recorded {
                trace.push(EventId::new(t), None);
                state = (outcomes.len() == 1).then(|| outcomes[0].clone());
                continue;
            }
            let mut to = outcomes[rng.below(outcomes.len())].clone();
            if rng.one_in(4) && !to.1.is_empty() {
                // Some thread goes to another place.
                let i = rng.below(to.1.len());
                to.1[i] = rng.below(system.locals() as usize) as u32;
                to.1.sort_unstable();
            }
            choices += 1;
            trace.push(EventId::new(t), Some(choice(&system, &to).into()));
            state = outcomes.contains(&to).then_some(to);
        }
        let formula = random_formula(&mut rng, system.places());
        let dead = |s: &State| system.transitions().iter().all(|t| fire(t, s).is_empty());
        let goal = [first(), Goal::Deadlock][rng.below(2)];
        let problem = threads_problem(&system, vec![formula.clone()]);
        let expected = state.as_ref().is_some_and(|s| match goal {
            Goal::Deadlock => dead(s),
            _ => naive::holds(&formula, &tokens(&system, s)),
        });
        let got = asked(&problem, &Claim::Unsafe { goal, trace: trace.clone(), candidate: true });
        assert_eq!(got.is_ok(), expected, "round {round}: {got:?}\n{system:#?}\n{trace:?}");
        accepted += usize::from(expected);
        with_choice += usize::from(expected && choices > 0);
        refused += usize::from(state.is_none());
    }
    assert!(
        accepted > 500 && with_choice > 100 && refused > 500,
        "the generator is too weak: {accepted} {with_choice} {refused}"
    );
}

#[test]
fn each_damage_to_a_run_is_named() {
    // The thread that leaves sends each of the others to 1 or 2, in any way.
    let system = system(2, 3, &[(1, 1)], &[0], vec![step((0, 0), Act::Move, (1, 0), &[(0, &[1, 2])])]);
    let problem = threads_problem(&system, vec![cover(&[(4, 3)])]);
    let run = |extra: &[u32], choice: Option<&[u32]>| {
        let mut trace = Trace::new(extra.into());
        trace.push(EventId(0), choice.map(Into::into));
        asked(&problem, &Claim::Unsafe { goal: first(), trace, candidate: true })
    };
    assert_eq!(run(&[3], Some(&[1, 1, 2, 1])).map(|c| c.length).ok(), None, "only two are in 2");
    let wide = threads_problem(&system, vec![cover(&[(3, 3)])]);
    let mut trace = Trace::new([3].into());
    trace.push(EventId(0), Some([1, 1, 3, 0].into()));
    assert!(asked(&wide, &Claim::Unsafe { goal: first(), trace, candidate: false }).is_ok());
    rejected(run(&[3], None), "does not record the target");
    rejected(run(&[3], Some(&[1, 1, 1, 1])), "cannot lead to the recorded state");
    rejected(run(&[3], Some(&[1, 1, 0, 3])), "cannot lead to the recorded state");
    rejected(run(&[3], Some(&[0, 1, 2, 1])), "recorded shared state");
    rejected(run(&[3], Some(&[1, 1, 2])), "does not fit the system");
    rejected(run(&[3], Some(&[1, 1, 2, 1, 0])), "does not fit the system");
    rejected(run(&[0], Some(&[1, 1, 2, 1])), "no thread is in 0");
    rejected(run(&[], None), "0 slots, not 1");
    rejected(run(&[1, 1], None), "2 slots, not 1");
    rejected(run(&[1], None), "does not satisfy the goal");
}

/// Reachable states are a closed set of markings. If all places are exact, each state is needed.
#[test]
fn reachable_states_are_accepted() {
    let mut rng = Rng(4);
    let (mut accepted, mut dropped) = (0, 0);
    for round in 0..4000 {
        let several = rng.one_in(2);
        let system = random_system(&mut rng, several);
        if !system.initial().any.is_empty() {
            continue;
        }
        let mut seen = BTreeSet::from([start(&system, &[])]);
        let mut queue: VecDeque<State> = seen.iter().cloned().collect();
        while let Some(state) = queue.pop_front().filter(|_| seen.len() < 60) {
            for next in system.transitions().iter().flat_map(|t| fire(t, &state)) {
                if seen.insert(next.clone()) {
                    queue.push_back(next);
                }
            }
        }
        let formula = random_formula(&mut rng, system.places());
        let problem = threads_problem(&system, vec![formula.clone()]);
        let marking = |s: &State| [&[s.0 + 1], &tokens(&system, s)[system.shared() as usize..]].concat();
        let shared = Slot::OneOf((0..system.shared()).map(p).collect());
        let locals = (system.shared()..system.places() as u32).map(|q| Slot::Tokens(p(q)));
        let slots = [shared].into_iter().chain(locals).collect();
        let set =
            Set { slots, potentially_marked: vec![true; system.places()], states: seen.iter().map(marking).collect() };
        let whole = seen.len() < 60;
        let violated = seen.iter().any(|s| naive::holds(&formula, &tokens(&system, s)));
        let got = set.check(&problem, &[first()]);
        if violated {
            assert!(got.is_err(), "round {round}: a wrong verdict");
        } else if whole {
            assert!(got.is_ok(), "round {round}: {got:?}\n{system:#?}\n{set:?}");
            accepted += 1;
        }
        let stuck = seen.iter().any(|s| system.transitions().iter().all(|t| fire(t, s).is_empty()));
        let got = set.check(&problem, &[Goal::Deadlock]);
        assert_eq!(got.is_ok(), whole && !stuck, "round {round}: {got:?}");
        if got.is_ok() {
            for i in 0..set.states.len() {
                let mut less = set.clone();
                less.states.remove(i);
                assert!(less.check(&problem, &[Goal::Deadlock]).is_err(), "round {round}");
                dropped += 1;
            }
        }
    }
    assert!(accepted > 500 && dropped > 500, "the generator is too weak: {accepted} {dropped}");
}

/// A system with arbitrarily many threads: their place is not kept, or the other places are never marked.
#[test]
fn any_number_of_threads() {
    let lock = vec![
        step((0, 0), Act::Move, (1, 1), &[]),
        step((1, 1), Act::Move, (0, 0), &[(2, &[0, 2])]),
        step((1, 2), Act::Spawn, (1, 2), &[]),
    ];
    let system = system(2, 3, &[], &[0], lock);
    let problem = threads_problem(&system, vec![cover(&[(3, 2)]), cover(&[(4, 1)])]);
    let slots = vec![Slot::OneOf(vec![p(0), p(1)]), Slot::Tokens(p(3))];
    let set = |potentially_marked: &[bool]| Set {
        slots: slots.clone(),
        potentially_marked: potentially_marked.to_vec(),
        states: vec![vec![1, 0], vec![2, 1]],
    };
    assert!(set(&[true, true, true, true, false]).check(&problem, &[first()]).is_ok());
    assert!(set(&[true; 5]).check(&problem, &[first()]).is_ok(), "choices at a place without a slot do not matter");
    let second = Goal::Formula(FormulaId(1));
    assert!(potentially_marked(&problem, &[true, true, true, true, false], &[second]).is_ok());
    rejected(potentially_marked(&problem, &[true, true, true, true, false], &[first()]), "do not exclude");
    rejected(
        potentially_marked(&problem, &[true, false, true, true, false], &[second]),
        "may put tokens on `shared 1`",
    );
    rejected(potentially_marked(&problem, &[true, true, true, false, false], &[second]), "may put tokens on `local 1`");
    rejected(potentially_marked(&problem, &[true, true, false, true, false], &[second]), "`local 0` may be marked");
    let mut kept = set(&[true; 5]);
    kept.slots.push(Slot::Tokens(p(4)));
    kept.states.iter_mut().for_each(|s| s.push(0));
    assert!(kept.check(&problem, &[first()]).is_ok(), "the threads that go to local 0 are not counted");
    kept.potentially_marked[4] = false;
    assert!(kept.check(&problem, &[first(), second]).is_ok(), "no thread has a choice");
}
