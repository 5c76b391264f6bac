//! Compares compiled stepping with a naive reading of the format, on random programs.

use crate::RwbStepper;
use model::{
    EventId, EventSet, ExpansionKind, Goal, LocalId, LocalState, PredicateId, Program, QuestionForm, StateSet, System,
    Thread,
};
use proptest::prelude::*;
use search::together::Portions;
use search::{Breadth, Exploration, Generic, Order, StateId, Stepper, Successors, Together};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use testkit::program;

/// A program that is stepped as the definition of the format says.
#[derive(Debug)]
struct Naive(Program);

/// Sorts states so that the first thread changes fastest, as in compiled programs.
fn in_order(mut states: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    states.sort_by(|a, b| a.iter().rev().cmp(b.iter().rev()));
    states
}

impl Naive {
    /// Calls `sink` with the successors, and returns the expansion kind.
    fn step(&self, state: &[u32], sink: &mut dyn FnMut(u32, &[u32])) -> ExpansionKind {
        for e in program::enabled(&self.0, state) {
            in_order(program::after(&self.0, state, e)).iter().for_each(|s| sink(e.0, s));
        }
        program::goal(&self.0, state).map_or(ExpansionKind::Inner, ExpansionKind::Goal)
    }
}

impl System for Naive {
    fn sizes(&self) -> Vec<u64> {
        self.0.threads().iter().map(|t| t.states.len() as u64).collect()
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u32])) {
        in_order(program::initial(&self.0)).iter().for_each(|s| sink(s));
    }

    fn successors(&self, state: &[u32], sink: &mut dyn FnMut(u32, &[u32])) {
        self.step(state, sink);
    }

    fn predicates(&self) -> Vec<(String, QuestionForm)> {
        vec![("bad".to_owned(), QuestionForm::Never)]
    }

    fn holds(&self, _: usize, state: &[u32]) -> bool {
        program::goal(&self.0, state) == Some(Goal::Bad)
    }

    fn asks_deadlock(&self) -> bool {
        true
    }
}

/// The size of random programs: enough threads for several words, and enough events for several event words.
#[derive(Clone, Copy, Debug)]
struct RandomProgram {
    events: usize,
    threads: usize,
    states: usize,
}

fn targets(states: usize) -> impl Strategy<Value = Vec<LocalId>> {
    let one = (0..states).prop_map(|s| vec![LocalId::new(s)]);
    let some = proptest::collection::btree_set(0..states, 1..=states.min(3))
        .prop_map(|set| set.into_iter().map(LocalId::new).collect());
    prop_oneof![9 => one, 1 => some]
}

fn local_state(name: usize, states: usize, events: usize) -> impl Strategy<Value = LocalState> {
    let some = move |most| proptest::collection::btree_set(0..events, 0..=most);
    let on = proptest::collection::btree_map(0..events, targets(states), 0..=events.min(6));
    (some(3.min(events)), some(1), prop::bool::weighted(0.03), on).prop_map(move |(request, block, bad, on)| {
        LocalState {
            name: format!("s{name}"),
            request: EventSet::from_events(events, request.into_iter().map(EventId::new)),
            block: EventSet::from_events(events, block.into_iter().map(EventId::new)),
            bad,
            on: on.into_iter().map(|(e, to)| (EventId::new(e), to)).collect::<BTreeMap<_, _>>(),
        }
    })
}

fn thread(name: usize, shape: RandomProgram) -> impl Strategy<Value = Thread> {
    prop_oneof![1 => Just(1), 4 => 1..=shape.states].prop_flat_map(move |states| {
        let locals: Vec<_> = (0..states).map(|s| local_state(s, states, shape.events)).collect();
        (locals, targets(states)).prop_map(move |(states, initial)| Thread {
            name: format!("t{name}"),
            states,
            initial,
        })
    })
}

fn program_of(shape: RandomProgram) -> impl Strategy<Value = Program> {
    let threads: Vec<_> = (0..shape.threads).map(|t| thread(t, shape)).collect();
    threads.prop_map(move |threads| {
        let events = (0..shape.events).map(|e| format!("e{e}")).collect();
        Program::new(events, threads, vec![Goal::Bad, Goal::Deadlock]).unwrap()
    })
}

fn programs() -> impl Strategy<Value = Program> {
    let small = (1..6usize, 0..5usize, 1..5usize);
    let many_events = (60..140usize, 1..4usize, 1..5usize);
    let many_bits = (1..8usize, 18..30usize, 5..40usize);
    let few_moves = (60..140usize, 1..4usize, 65..200usize);
    prop_oneof![12 => small, 4 => many_events, 4 => many_bits, 1 => few_moves]
        .prop_flat_map(|(events, threads, states)| program_of(RandomProgram { events, threads, states }))
}

/// Returns kind and successors of an unpacked state, computed by a stepper.
fn step(stepper: &mut impl Stepper, state: &[u32]) -> (ExpansionKind, Vec<(u32, Vec<u32>)>) {
    let (mut packed, mut unpacked) = (Vec::new(), Vec::new());
    let mut out = Successors::new(stepper.words());
    stepper.pack(state, &mut packed);
    let kind = stepper.expand(&packed, &mut out);
    let successors = out.iter().map(|(label, next)| {
        stepper.unpack(next, &mut unpacked);
        (label, unpacked.clone())
    });
    (kind, successors.collect())
}

/// Returns up to `most` states in breadth-first order, computed by the naive stepper alone.
fn naive_states(naive: &Naive, most: usize) -> Vec<Vec<u32>> {
    let (mut order, mut seen) = (Vec::new(), BTreeSet::new());
    naive.initial(&mut |s| {
        if order.len() < most && seen.insert(s.to_vec()) {
            order.push(s.to_vec());
        }
    });
    let mut at = 0;
    while at < order.len() {
        let state: Vec<u32> = order[at].clone();
        naive.successors(&state, &mut |_, s| {
            if order.len() < most && seen.insert(s.to_vec()) {
                order.push(s.to_vec());
            }
        });
        at += 1;
    }
    order
}

fn few_initial(program: &Program) -> bool {
    program.threads().iter().map(|t| t.initial.len()).product::<usize>() <= 64
}

proptest! {
    #![proptest_config(testkit::config(400))]

    /// Compiled and naive steppers agree on successors, their order and labels, and kinds. The bounds on the
    /// fan-out hold.
    #[test]
    fn compiled_steps_are_the_steps_of_the_format(program in programs().prop_filter("few initial \
        states", few_initial)) {
        let mut compiled = RwbStepper::new(&program);
        let mut by_sets = RwbStepper::with_offers(&program, 0);
        let naive = Naive(program.clone());
        let mut generic = Generic::new(Arc::new(Naive(program)));
        for state in naive_states(&naive, 60) {
            let mut expected = Vec::new();
            let kind = naive.step(&state, &mut |e, s| expected.push((e, s.to_vec())));
            let mut packed = Vec::new();
            compiled.pack(&state, &mut packed);
            prop_assert_eq!(compiled.fan_out(&packed), expected.len() as u64);
            prop_assert!(compiled.fan_out(&packed) <= compiled.max_fan_out());
            prop_assert_eq!(by_sets.fan_out(&packed), expected.len() as u64);
            prop_assert_eq!(step(&mut by_sets, &state), (kind, expected.clone()));
            prop_assert_eq!(step(&mut compiled, &state), (kind, expected.clone()));
            let mut is_bad = false;
            generic.pack(&state, &mut packed);
            generic.test(&packed, &mut |goal| is_bad |= goal == Goal::Predicate(PredicateId(0)));
            prop_assert_eq!(is_bad, kind == ExpansionKind::Goal(Goal::Bad));
            let (own, successors) = step(&mut generic, &state);
            prop_assert_eq!(own == ExpansionKind::Goal(Goal::Deadlock), expected.is_empty());
            prop_assert_eq!(successors, expected);
        }
    }

    /// Breadth-first exploration finds the same states as the naive one, in the same order.
    #[test]
    fn explorations_agree(program in programs().prop_filter("few initial states", few_initial)) {
        let most = 300;
        let expected = naive_states(&Naive(program.clone()), most);
        let (compiled, transitions) = explore(Exploration::new(RwbStepper::new(&program)), most);
        let (generic, _) = explore(Exploration::new(Generic::new(Arc::new(Naive(program.clone())))), most);
        prop_assert_eq!(&compiled[..expected.len()], &expected[..]);
        prop_assert_eq!(&generic[..expected.len()], &expected[..]);
        if expected.len() < most {
            prop_assert_eq!(compiled.len(), expected.len());
            let naive = Naive(program);
            let mut count = 0;
            expected.iter().for_each(|s| { naive.successors(s, &mut |_, _| count += 1); });
            prop_assert_eq!(transitions, count);
        }
    }
}

/// Returns the states in order of discovery until at least `most` are known, and the number of transitions.
fn explore<S: Stepper>(mut search: Exploration<S>, most: usize) -> (Vec<Vec<u32>>, u64) {
    search.add_initial();
    let mut at = 0;
    while at < search.len() && search.len() < most {
        search.expand(StateId::new(at), |_, _, _| {});
        at += 1;
    }
    let transitions = search.transitions();
    let mut states = Vec::new();
    let _ = search.into_states().for_each(&mut |s| {
        states.push(s.to_vec());
        ControlFlow::Continue(())
    });
    (states, transitions)
}

/// Searches breadth first in turns of `most` states, with a pause at each goal state. Returns all states in
/// order of discovery, the number of transitions, and the goal states.
fn in_batches(program: &Program, most: usize, enough: usize) -> (Vec<Vec<u32>>, u64, Vec<(usize, ExpansionKind)>) {
    explored(program, Breadth::of, most, enough)
}

/// The same as [`in_batches`], with three workers and chunks of `chunk` states.
fn by_three(
    program: &Program,
    chunk: usize,
    most: usize,
    enough: usize,
) -> (Vec<Vec<u32>>, u64, Vec<(usize, ExpansionKind)>) {
    let portions = Portions { chunk, worth_sharing: 2 };
    explored(program, |stepper| Together::sharing(stepper, 3, portions), most, enough)
}

fn explored<O: Order<RwbStepper>>(
    program: &Program,
    order: impl FnOnce(&RwbStepper) -> O,
    most: usize,
    enough: usize,
) -> (Vec<Vec<u32>>, u64, Vec<(usize, ExpansionKind)>) {
    let stepper = RwbStepper::new(program);
    let mut order = order(&stepper);
    let mut space = Exploration::new(stepper);
    space.add_initial();
    let mut goals = Vec::new();
    let mut waits = false;
    while !order.is_exhausted(&space) && space.len() < enough {
        let mut hit = None;
        let before = Order::<RwbStepper>::expanded(&order);
        order.expand(&mut space, most, |id, kind| {
            if kind == ExpansionKind::Inner {
                return ControlFlow::Continue(());
            }
            hit = Some((id, kind));
            ControlFlow::Break(())
        });
        let expanded = Order::<RwbStepper>::expanded(&order) - before;
        // A call that needs more memory only tells how much, and the next one goes on.
        assert!(expanded <= most && (expanded > 0 || !waits));
        waits = expanded == 0;
        assert!(!waits || order.growth_bytes(&space) > 0);
        goals.extend(hit.map(|(id, kind)| (id.index(), kind)));
    }
    let transitions = space.transitions();
    let mut states = Vec::new();
    let _ = space.into_states().for_each(&mut |s| {
        states.push(s.to_vec());
        ControlFlow::Continue(())
    });
    (states, transitions, goals)
}

proptest! {
    #![proptest_config(testkit::config(300))]

    /// Batches and speculative steps do not change numbers, goal states or their order, for turns of any size.
    #[test]
    fn batches_are_breadth_first(program in programs().prop_filter("few initial \
        states", few_initial), most in 1..40usize) {
        let enough = 2_000;
        let (by_one, transitions_by_one, goals_by_one) = in_batches(&program, 1, enough);
        let (states, transitions, goals) = in_batches(&program, most, enough);
        let both = states.len().min(by_one.len());
        prop_assert_eq!(&states[..both], &by_one[..both]);
        let shared = goals.len().min(goals_by_one.len());
        prop_assert_eq!(&goals[..shared], &goals_by_one[..shared]);
        if states.len() < enough {
            prop_assert_eq!(transitions, transitions_by_one);
            prop_assert_eq!(goals.len(), goals_by_one.len());
            let (plain, plain_transitions) = explore(Exploration::new(RwbStepper::new(&program)), usize::MAX);
            prop_assert_eq!(states, plain);
            prop_assert_eq!(transitions, plain_transitions);
        }
    }

    /// Several workers find the same numbers, transitions and goal states as one.
    #[test]
    fn workers_find_what_one_finds_in_the_same_order(
        program in programs().prop_filter("few initial states", few_initial), chunk in 1..9usize, most in 1..40usize,
    ) {
        let enough = 1_000;
        let (alone, transitions_alone, goals_alone) = in_batches(&program, 1, enough);
        let (states, transitions, goals) = by_three(&program, chunk, most, enough);
        let both = states.len().min(alone.len());
        prop_assert_eq!(&states[..both], &alone[..both]);
        let shared = goals.len().min(goals_alone.len());
        prop_assert_eq!(&goals[..shared], &goals_alone[..shared]);
        if states.len() < enough {
            prop_assert_eq!((transitions, states.len()), (transitions_alone, alone.len()));
            prop_assert_eq!(goals.len(), goals_alone.len());
        }
    }

    /// Traces start in an initial state, follow transitions, contain a choice exactly where an event has
    /// several successors, and are shortest.
    #[test]
    fn traces_are_shortest_runs(program in programs().prop_filter("few initial states", few_initial)) {
        let mut search = Exploration::new(RwbStepper::new(&program));
        let naive = Naive(program);
        let initial = search.add_initial();
        let mut depth: Vec<u64> = vec![0; initial.len()];
        for at in 0..60 {
            if at == search.len() {
                break;
            }
            let next = depth[at] + 1;
            search.expand(StateId::new(at), |_, _, new| if new { depth.push(next) });
        }
        let mut target = Vec::new();
        for at in (0..search.len()).step_by(search.len().div_ceil(40)) {
            let trace = search.trace_to(StateId::new(at)).unwrap();
            prop_assert_eq!(trace.len(), Some(depth[at]));
            search.state(StateId::new(at), &mut target);
            prop_assert_eq!(program::replay(&naive.0, &trace), Some(target.clone()));
        }
    }
}

/// Returns a program of one thread that counts: state k goes to k + 1 modulo `states` on the only event.
fn ring(states: usize) -> Program {
    let state = |k: usize| LocalState {
        name: format!("s{k}"),
        request: EventSet::full(1),
        block: EventSet::empty(1),
        bad: false,
        on: BTreeMap::from([(EventId(0), vec![LocalId::new((k + 1) % states)])]),
    };
    let thread = Thread { name: "ring".into(), states: (0..states).map(state).collect(), initial: vec![LocalId(0)] };
    Program::new(vec!["e".into()], vec![thread], vec![Goal::Bad]).unwrap()
}

#[test]
fn states_named_from_outside_have_no_run_until_one_is_found() {
    let mut search = Exploration::new(RwbStepper::new(&ring(5)));
    let (far, new) = search.intern(&[3]);
    assert!(new && search.trace_to(far).is_none());
    search.add_initial();
    let id_of = |search: &mut Exploration<RwbStepper>, local| search.intern(&[local]).0;
    for local in [1, 2] {
        let id = id_of(&mut search, local);
        search.expand(id, |_, _, _| {});
    }
    assert!(search.trace_to(far).is_none(), "state 1 has no parent yet");
    let start = id_of(&mut search, 0);
    search.expand(start, |label, _, new| assert!(label == 0 && !new));
    assert_eq!(search.trace_to(far).and_then(|t| t.len()), Some(3));
}

#[test]
fn parents_that_run_in_a_circle_are_no_run() {
    let mut search = Exploration::new(RwbStepper::new(&ring(4)));
    let (first, _) = search.intern(&[1]);
    let mut at = first;
    for _ in 0..4 {
        let mut next = at;
        search.expand(at, |_, id, _| next = id);
        at = next;
    }
    assert_eq!(at, first);
    assert!(search.trace_to(first).is_none());
    search.add_initial();
    assert_eq!(search.trace_to(first).and_then(|t| t.len()), Some(1), "the initial state cuts the circle");
}

#[test]
fn long_rings_are_swept_on_bets() {
    let (states, transitions, goals) = in_batches(&ring(100_000), 1000, usize::MAX);
    assert!(states.iter().enumerate().all(|(k, s)| *s == [k as u32]));
    assert_eq!((states.len(), transitions, goals.len()), (100_000, 100_000, 0));
}

#[test]
fn programs_without_threads_or_events_are_stuck_at_once() {
    let none = Program::new(Vec::new(), Vec::new(), vec![Goal::Deadlock]).unwrap();
    assert_eq!(step(&mut RwbStepper::new(&none), &[]), (ExpansionKind::Goal(Goal::Deadlock), Vec::new()));
    let bad = Thread { name: "t".into(), states: vec![LocalState::bad("b".into(), 0)], initial: vec![LocalId(0)] };
    let silent = Program::new(Vec::new(), vec![bad], vec![Goal::Bad]).unwrap();
    assert_eq!(step(&mut RwbStepper::new(&silent), &[0]), (ExpansionKind::Goal(Goal::Bad), Vec::new()));
}

#[test]
fn sparse_moves_take_memory_in_proportion_to_the_program() {
    let states = 1 << 12;
    let state = |k: usize| LocalState {
        name: format!("s{k}"),
        request: EventSet::from_events(states, [EventId::new(k)]),
        block: EventSet::empty(states),
        bad: false,
        on: BTreeMap::from([(EventId::new(k), vec![LocalId::new((k + 1) % states)])]),
    };
    let thread = Thread { name: "t".into(), states: (0..states).map(state).collect(), initial: vec![LocalId(0)] };
    let events = (0..states).map(|e| format!("e{e}")).collect();
    let program = Program::new(events, vec![thread], vec![Goal::Bad]).unwrap();
    let stepper = RwbStepper::new(&program);
    assert!(stepper.moves_bytes() < 64 * states, "{} bytes", stepper.moves_bytes());
    assert_eq!(explore(Exploration::new(stepper), usize::MAX).1, states as u64);
}
