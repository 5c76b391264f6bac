//! Tests programs against an oracle that follows the definition literally: sets and runs are accepted iff the
//! oracle accepts them.

use super::{Rng, kernel, rejected, trace};
use crate::program::Stepper;
use crate::program::stepper::{bit, bits};
use crate::{Check, Checked, Refusal, Work, enumerate};
use model::{Certificate, Claim, EventId, EventSet, Goal, LocalId, LocalState, Problem, Program, Stop, Thread, Trace};
use std::collections::BTreeSet;
use std::sync::Arc;
use testkit::Listed;

pub(super) type State = Vec<u32>;

const EVENTS: usize = 3;
pub(super) const BOTH: [Goal; 2] = [Goal::Bad, Goal::Deadlock];

fn random_thread(rng: &mut Rng, number: usize) -> Thread {
    let size = 1 + rng.below(3);
    let states = (0..size).map(|s| {
        let some = |rng: &mut Rng, n: usize| -> Vec<EventId> {
            (0..EVENTS).filter(|_| rng.one_in(n)).map(EventId::new).collect()
        };
        let on = some(rng, 2).into_iter().map(|event| {
            let mut targets: Vec<LocalId> = (0..size).filter(|_| rng.one_in(3)).map(LocalId::new).collect();
            if targets.is_empty() {
                targets.push(LocalId::new(rng.below(size)));
            }
            (event, targets)
        });
        let on = on.collect();
        let request = EventSet::from_events(EVENTS, some(rng, 2));
        let block = EventSet::from_events(EVENTS, some(rng, 5));
        LocalState { name: format!("s{s}"), request, block, bad: s > 0 && rng.one_in(6), on }
    });
    let states: Vec<LocalState> = states.collect();
    let mut initial = vec![LocalId(0)];
    if size > 1 && rng.one_in(4) {
        initial.push(LocalId(1));
    }
    Thread { name: format!("t{number}"), states, initial }
}

pub(super) fn random_program(rng: &mut Rng) -> Arc<Program> {
    let names = (0..EVENTS).map(|e| format!("e{e}")).collect();
    let threads = (0..1 + rng.below(3)).map(|number| random_thread(rng, number)).collect();
    Arc::new(Program::new(names, threads, BOTH.to_vec()).expect("a program"))
}

fn products(choices: &[Vec<u32>]) -> Vec<State> {
    let mut all = vec![Vec::new()];
    for list in choices {
        all = all.iter().flat_map(|s| list.iter().map(move |&x| [&s[..], &[x]].concat())).collect();
    }
    all
}

fn local<'p>(program: &'p Program, thread: usize, state: &[u32]) -> &'p LocalState {
    &program.threads()[thread].states[state[thread] as usize]
}

fn initial(program: &Program) -> Vec<State> {
    let of = |t: &Thread| t.initial.iter().map(|s| s.0).collect();
    products(&program.threads().iter().map(of).collect::<Vec<_>>())
}

fn enabled(program: &Program, state: &[u32]) -> Vec<u32> {
    let threads = 0..program.threads().len();
    let all = || threads.clone().map(|t| local(program, t, state));
    let is_enabled = |e: &u32| {
        let event = EventId(*e);
        all().any(|s| !s.bad && s.request.contains(event)) && !all().any(|s| s.bad || s.block.contains(event))
    };
    (0..EVENTS as u32).filter(is_enabled).collect()
}

fn targets(program: &Program, state: &[u32], event: u32) -> Vec<State> {
    let of = |t: usize| match local(program, t, state).on.get(&EventId(event)) {
        Some(targets) => targets.iter().map(|s| s.0).collect(),
        None => vec![state[t]],
    };
    products(&(0..state.len()).map(of).collect::<Vec<_>>())
}

fn goal(program: &Program, state: &[u32]) -> Option<Goal> {
    let bad = (0..state.len()).any(|t| local(program, t, state).bad);
    let dead = enabled(program, state).is_empty();
    dead.then_some(if bad { Goal::Bad } else { Goal::Deadlock })
}

fn successors(program: &Program, state: &[u32]) -> Vec<State> {
    enabled(program, state).into_iter().flat_map(|e| targets(program, state, e)).collect()
}

pub(super) fn reachable(program: &Program) -> BTreeSet<State> {
    let mut all: BTreeSet<State> = initial(program).into_iter().collect();
    let mut open: Vec<State> = all.iter().cloned().collect();
    while let Some(state) = open.pop() {
        for next in successors(program, &state) {
            if all.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    all
}

pub(super) fn set(program: &Arc<Program>, states: &[State], goals: &[Goal]) -> Check<crate::Checked> {
    let problem = Problem::of_program_with(Arc::clone(program), &BOTH).expect("goals of programs");
    let certificate = Certificate::StateSet(Box::new(Listed(states.to_vec())));
    kernel(&problem, &Claim::Safe { goals: goals.to_vec(), certificate })
}

#[test]
fn sets_are_accepted_iff_they_are_closed() {
    let mut rng = Rng(5);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..3000 {
        let program = random_program(&mut rng);
        let mut states = reachable(&program);
        for _ in 0..rng.below(3) {
            let state: State = program.threads().iter().map(|t| rng.below(t.states.len()) as u32).collect();
            if !states.remove(&state) {
                states.insert(state);
            }
        }
        let goals = [&BOTH[..], &BOTH[..1], &BOTH[1..]][rng.below(3)];
        let good = initial(&program).iter().all(|s| states.contains(s))
            && states.iter().all(|s| successors(&program, s).iter().all(|n| states.contains(n)))
            && !states.iter().any(|s| goal(&program, s).is_some_and(|g| goals.contains(&g)));
        let listed: Vec<State> = states.into_iter().collect();
        let got = set(&program, &listed, goals);
        assert_eq!(got.is_ok(), good, "round {round}: {got:?}\n{program:#?}\n{listed:?}");
        if let Ok(checked) = got {
            assert_eq!((checked.goals(), checked.is_safe()), (goals, true));
            assert_eq!((checked.length(), checked.replayed()), (listed.len() as u64, listed.len() as u64));
            assert_ne!(checked.hash(), 0);
        }
        accepted += usize::from(good);
        refused += usize::from(!good);
    }
    assert!(accepted > 300 && refused > 300, "the generator is too weak: {accepted} {refused}");
}

/// The enumerated states are the reachable states. A goal among them is detected, and so is one state more than
/// allowed.
#[test]
fn small_systems_are_enumerated() {
    let mut rng = Rng(7);
    let (mut shown, mut refused) = (0, 0);
    let stop = Stop::default();
    for round in 0..2000 {
        let program = random_program(&mut rng);
        let problem = Problem::of_program_with(Arc::clone(&program), &BOTH).expect("it fits");
        let states: Vec<State> = reachable(&program).into_iter().collect();
        let goals = [&BOTH[..], &BOTH[..1], &BOTH[1..]][rng.below(3)];
        let enumerated = |most, units| enumerate(&problem, goals, most, &mut Work::new(units, &stop));
        let listed = set(&program, &states, goals);
        match enumerated(states.len(), 1 << 20) {
            Ok(checked) => {
                let of_set = |checked: Checked| (checked.goals().to_vec(), checked.length(), checked.hash());
                let listed = listed.expect("the reachable states are closed");
                assert_eq!(checked.map(of_set), Some(of_set(listed)), "round {round}");
                assert_eq!(enumerated(states.len() - 1, 1 << 20), Err(Refusal::ResourceLimit));
                assert_eq!(enumerated(states.len(), states.len() as u64), Err(Refusal::ResourceLimit));
                shown += 1;
            }
            Err(refusal) => {
                assert!(matches!(refusal, Refusal::Rejected(_)) && listed.is_err(), "round {round}: {refusal}");
                refused += 1;
            }
        }
    }
    assert!(shown > 300 && refused > 300, "the generator is too weak: {shown} {refused}");
}

/// The states alone say nothing about runs that satisfy assumptions. Goals must be goals of the problem.
#[test]
fn assumptions_and_other_goals_are_not_enumerated() {
    let stop = Stop::default();
    let program = random_program(&mut Rng(8));
    let problem = Problem::of_program_with(Arc::clone(&program), &BOTH[..1]).expect("it fits");
    let enumerated = |problem: &Problem, goals| enumerate(problem, goals, 1000, &mut Work::new(1 << 20, &stop));
    assert!(matches!(enumerated(&problem, &BOTH[1..]), Err(Refusal::Rejected(why)) if why.contains("not asked for")));
    let problem = problem.assuming(vec![model::Assumption::Int(Vec::new())]).expect("it fits");
    assert_eq!(enumerated(&problem, &BOTH[..1]), Ok(None));
}

/// Half of the traces are random walks, half are noise.
#[test]
fn runs_are_accepted_iff_they_can_be_taken() {
    let mut rng = Rng(6);
    let mut accepted = 0;
    for _ in 0..4000 {
        let program = random_program(&mut rng);
        let starts = initial(&program);
        let start = starts[rng.below(starts.len())].clone();
        let (mut run, mut state) = (Trace::new(start.clone().into()), Some(start));
        for _ in 0..rng.below(6) {
            let open = state.as_ref().map(|s| enabled(&program, s)).unwrap_or_default();
            let event = match open.as_slice() {
                [] => rng.below(EVENTS + 1) as u32,
                _ if rng.one_in(9) => rng.below(EVENTS) as u32,
                _ => open[rng.below(open.len())],
            };
            let to = state.as_ref().filter(|_| open.contains(&event)).map(|s| targets(&program, s, event));
            let to = to.unwrap_or_default();
            let recorded = match to.as_slice() {
                [] => None,
                [_] if rng.one_in(2) => None,
                _ if rng.one_in(9) => None,
                _ => Some(to[rng.below(to.len())].clone()),
            };
            run.push(EventId(event), recorded.clone().map(Into::into));
            state = match (recorded, to.as_slice()) {
                (Some(to), _) => Some(to),
                (None, [only]) => Some(only.clone()),
                _ => None,
            };
        }
        let problem = Problem::of_program_with(Arc::clone(&program), &BOTH).expect("goals of programs");
        for asked in BOTH {
            let good = state.as_ref().is_some_and(|s| goal(&program, s) == Some(asked));
            let got = kernel(&problem, &Claim::Unsafe { goal: asked, trace: run.clone(), candidate: false });
            assert_eq!(got.is_ok(), good, "{program:#?}\n{run:?}\n{got:?}");
            if let Ok(checked) = got {
                assert_eq!((checked.goals(), checked.is_safe(), checked.hash()), (&[asked][..], false, 0));
                assert_eq!(Some(checked.length()), run.len());
            }
            accepted += usize::from(good);
        }
    }
    assert!(accepted > 200, "the generator is too weak: {accepted}");
}

/// Returns a program with clocks of these periods, and a marker that becomes bad when all clocks let it pass.
fn clocks(periods: &[u32]) -> Arc<Program> {
    let clock = |(number, &period): (usize, &u32)| {
        let state = |k: u32| {
            let next = vec![LocalId((k + 1) % period)];
            let block = EventSet::from_events(2, (k + 1 != period).then_some(EventId(1)));
            let request = EventSet::from_events(2, [EventId(0)]);
            let on = [(EventId(0), next.clone()), (EventId(1), next)].into_iter().collect();
            LocalState { name: format!("s{k}"), request, block, bad: false, on }
        };
        Thread { name: format!("c{number}"), states: (0..period).map(state).collect(), initial: vec![LocalId(0)] }
    };
    let wait = LocalState {
        name: "wait".into(),
        request: EventSet::from_events(2, [EventId(1)]),
        block: EventSet::empty(2),
        bad: false,
        on: [(EventId(1), vec![LocalId(1)])].into_iter().collect(),
    };
    let marker =
        Thread { name: "m".into(), states: vec![wait, LocalState::bad("hit".into(), 2)], initial: vec![LocalId(0)] };
    let threads = periods.iter().enumerate().map(clock).chain([marker]).collect();
    Arc::new(Program::new(vec!["a".into(), "b".into()], threads, BOTH.to_vec()).expect("a program"))
}

#[test]
fn repetitions_are_skipped_exactly() {
    let problem = Problem::of_program(clocks(&[2, 3, 5, 7]));
    let run = |times: u64| {
        let trace = trace(&[0; 5], &[(&[0], times), (&[1], 1)]);
        kernel(&problem, &Claim::Unsafe { goal: Goal::Bad, trace, candidate: false })
    };
    for round in [0, 1, 1 << 40] {
        let checked = run(210 * round + 209).expect("all let it pass");
        assert_eq!(checked.length(), 210 * round + 210);
        assert!(round == 0 || checked.replayed() < 500);
        for off in [1, 2, 3, 105, 208] {
            rejected(run(210 * round + 209 + off), "blocked");
        }
    }
    rejected(run(0x7FFF_FFFF_FFFF_FFFF), "blocked");
}

/// The set has more states than a batch, each with a key of several words. The refusal names what is wrong.
#[test]
fn what_is_wrong_with_a_wide_set_is_named() {
    let periods = [&[4; 60][..], &[9, 25]].concat();
    let program = clocks(&periods);
    // All clocks let the marker pass after 899 steps.
    let state = |t: u32| -> State { periods.iter().map(|p| t % p).chain([0]).collect() };
    let states: Vec<State> = (0..900).map(state).collect();
    let problem = |states: &[State]| set(&program, states, &BOTH[1..]);
    let with_hit: Vec<State> = states.iter().cloned().chain([[&state(0)[..62], &[1]].concat()]).collect();
    let checked = problem(&with_hit).expect("a set with the state that is bad, which is not asked about");
    assert_eq!(checked.length(), 901);
    rejected(problem(&states), "not closed");
    let mut damaged = with_hit.clone();
    damaged.remove(77);
    let (from, to) = (state(76), state(77));
    let name = |s: &State| crate::program::stepper::describe(&program, s);
    rejected(problem(&damaged), &format!("{} leads to {}", name(&from), name(&to)));
    damaged[500] = damaged[400].clone();
    rejected(problem(&damaged), &format!("the state {} is listed twice", name(&state(401))));
    let mut fewer = with_hit.clone();
    fewer.remove(0);
    rejected(problem(&fewer), &format!("the initial state {} is missing", name(&state(0))));
}

#[test]
fn different_sets_have_different_hashes() {
    let program = clocks(&[2, 2]);
    let all = products(&[vec![0, 1], vec![0, 1], vec![0, 1]]);
    let closed = |states: &[State]| set(&program, states, &BOTH[1..]).expect("closed").hash();
    let reachable: Vec<State> = reachable(&program).into_iter().collect();
    let mut backwards = reachable.clone();
    backwards.reverse();
    assert_eq!(closed(&reachable), closed(&backwards), "the order does not matter");
    assert_ne!(closed(&reachable), closed(&all));
    let [more, other] = [vec![0, 1, 0], vec![1, 0, 0]].map(|s| [&reachable[..], &[s]].concat());
    let both = [&more[..], &other[more.len() - 1..]].concat();
    assert_ne!(closed(&both), closed(&reachable));
    let with = |bad: [u32; 3]| closed(&[&reachable[..], &[bad.to_vec()]].concat());
    assert_ne!(with([0, 1, 1]), with([1, 0, 1]), "as many states");
}

#[test]
fn a_stepper_says_what_the_program_says() {
    let mut rng = Rng(8);
    for _ in 0..500 {
        let program = random_program(&mut rng);
        let stepper = Stepper::new(&program).unwrap();
        let sizes: Vec<usize> = program.threads().iter().map(|t| t.states.len()).collect();
        assert_eq!((stepper.sizes(), stepper.width(), stepper.events()), (sizes.clone(), sizes.len(), EVENTS));
        let everywhere = products(&sizes.iter().map(|&n| (0..n as u32).collect()).collect::<Vec<_>>());
        for state in everywhere {
            assert!(stepper.knows(&state) && !stepper.knows(&state[1..]));
            let mut words = Vec::new();
            stepper.enabled(&state, &mut words);
            assert_eq!(bits(&words).collect::<Vec<_>>(), enabled(&program, &state));
            assert!((0..EVENTS as u32).all(|e| bit(&words, e) == enabled(&program, &state).contains(&e)));
            assert_eq!(stepper.goal(&state), goal(&program, &state));
            let mut found = BTreeSet::new();
            let take = |next: &[u32]| {
                found.insert(next.to_vec());
                Ok(())
            };
            let ends = stepper.successors(&state, &mut Default::default(), take).unwrap();
            assert_eq!((ends, found), (goal(&program, &state), successors(&program, &state).into_iter().collect()));
        }
    }
}
