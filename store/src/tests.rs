//! Compiled stepping against a naive reading of the format, on random programs.

use crate::{Exploration, Generic, RwbStepper, StateId, Step, Successors};
use model::{EventId, EventSet, Goal, Kind, LocalId, LocalState, Program, StateSet, System, Thread};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// The format page, section 1, word for word.
struct Naive(Program);

impl Naive {
    fn locals<'a>(&'a self, state: &'a [u32]) -> impl Iterator<Item = (&'a Thread, LocalId)> {
        self.0.threads().iter().zip(state.iter().map(|&s| LocalId(s)))
    }

    fn is_enabled(&self, state: &[u32], event: EventId) -> bool {
        self.locals(state).any(|(t, s)| t.state(s).request.contains(event))
            && !self.locals(state).any(|(t, s)| t.state(s).block.contains(event))
    }
}

/// All combinations, the first position changing fastest.
fn product(choices: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for options in choices {
        all = options.iter().flat_map(|&o| all.iter().map(move |s: &Vec<u32>| [&s[..], &[o]].concat())).collect();
    }
    all
}

impl System for Naive {
    fn width(&self) -> usize {
        self.0.threads().len()
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u32])) {
        let initial: Vec<Vec<u32>> = self.0.threads().iter().map(|t| t.initial.iter().map(|s| s.0).collect()).collect();
        product(&initial).iter().for_each(|s| sink(s));
    }

    fn successors(&self, state: &[u32], sink: &mut dyn FnMut(u32, &[u32])) -> Kind {
        let mut kind = Kind::Goal(Goal::Deadlock);
        for e in (0..self.0.events().len()).map(EventId::new).filter(|&e| self.is_enabled(state, e)) {
            let targets: Vec<Vec<u32>> =
                self.locals(state).map(|(t, s)| t.targets(s, e).map(|to| to.0).collect()).collect();
            product(&targets).iter().for_each(|s| sink(e.0, s));
            kind = Kind::Inner;
        }
        let is_bad = self.locals(state).any(|(t, s)| t.state(s).bad);
        if is_bad { Kind::Goal(Goal::Bad) } else { kind }
    }
}

/// How random programs look: enough threads for several words, enough events for several event words.
#[derive(Clone, Copy, Debug)]
struct Shape {
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

fn thread(name: usize, shape: Shape) -> impl Strategy<Value = Thread> {
    prop_oneof![1 => Just(1), 4 => 1..=shape.states].prop_flat_map(move |states| {
        let locals: Vec<_> = (0..states).map(|s| local_state(s, states, shape.events)).collect();
        (locals, targets(states)).prop_map(move |(states, initial)| Thread {
            name: format!("t{name}"),
            states,
            initial,
        })
    })
}

fn program_of(shape: Shape) -> impl Strategy<Value = Program> {
    let threads: Vec<_> = (0..shape.threads).map(|t| thread(t, shape)).collect();
    threads.prop_map(move |threads| {
        let events = (0..shape.events).map(|e| format!("e{e}")).collect();
        Program::new(events, threads, vec![Goal::Bad, Goal::Deadlock]).unwrap()
    })
}

fn program() -> impl Strategy<Value = Program> {
    let small = (1..6usize, 0..5usize, 1..5usize);
    let many_events = (60..140usize, 1..4usize, 1..5usize);
    let many_bits = (1..8usize, 18..30usize, 5..40usize);
    prop_oneof![6 => small, 2 => many_events, 2 => many_bits]
        .prop_flat_map(|(events, threads, states)| program_of(Shape { events, threads, states }))
}

/// Successors of an unpacked state through a stepper.
fn step(stepper: &mut impl Step, state: &[u32]) -> (Kind, Vec<(u32, Vec<u32>)>) {
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

/// Up to `most` states in breadth-first order, by the naive stepper alone.
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
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Same successors in the same order under the same labels, same kinds, same bound on the fan-out.
    #[test]
    fn compiled_steps_are_the_steps_of_the_format(program in program().prop_filter("few initial states", few_initial)) {
        let mut compiled = RwbStepper::new(&program);
        let naive = Naive(program.clone());
        let mut generic = Generic::new(Naive(program));
        for state in naive_states(&naive, 60) {
            let mut expected = Vec::new();
            let kind = naive.successors(&state, &mut |e, s| expected.push((e, s.to_vec())));
            let mut packed = Vec::new();
            compiled.pack(&state, &mut packed);
            prop_assert_eq!(compiled.fan_out(&packed), expected.len() as u64);
            prop_assert!(compiled.fan_out(&packed) <= compiled.max_fan_out());
            prop_assert_eq!(step(&mut compiled, &state), (kind, expected.clone()));
            prop_assert_eq!(step(&mut generic, &state), (kind, expected));
        }
    }

    /// Breadth-first exploration finds what the naive one finds, in the same order, and its traces are runs.
    #[test]
    fn explorations_agree(program in program().prop_filter("few initial states", few_initial)) {
        let most = 300;
        let expected = naive_states(&Naive(program.clone()), most);
        let (compiled, transitions) = explore(Exploration::new(RwbStepper::new(&program)), most);
        let (generic, _) = explore(Exploration::new(Generic::new(Naive(program.clone()))), most);
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

/// States in order of discovery until at least `most` are known, and the transitions.
fn explore<S: Step>(mut search: Exploration<S>, most: usize) -> (Vec<Vec<u32>>, u64) {
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
