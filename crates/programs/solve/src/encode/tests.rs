//! Random programs. The circuit reaches the same states, its goals hold in the same states as those of the
//! program, and its runs and clauses can be lifted.

use super::{Code, encode};
use circuits::encode::Simulation;
use model::{Bit, Clausal, EventId, EventSet, Goal, LatchId, LocalId, LocalState, Program, Reset, Thread, Trace};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use testkit::program::{after, enabled, goal, replay, truth};

const GOALS: [Goal; 2] = [Goal::Bad, Goal::Deadlock];

type State = Vec<u32>;

/// A state: requests, blocks, bad one time in eight, and the targets of each event.
type Drawn = (u8, u8, u8, Vec<Vec<usize>>);

fn program() -> impl Strategy<Value = Arc<Program>> {
    let thread = |events: usize| {
        (1usize..6).prop_flat_map(move |states| {
            let targets = prop_oneof![
                1 => Just(vec![]),
                4 => (0..states).prop_map(|s| vec![s]),
                1 => prop::collection::vec(0..states, 2..4),
            ];
            let state = (any::<u8>(), any::<u8>(), 0u8..8, prop::collection::vec(targets, events));
            let initial = prop_oneof![3 => Just(vec![0]), 1 => prop::collection::vec(0..states, 1..3)];
            (prop::collection::vec(state, states), initial)
        })
    };
    (1usize..4).prop_flat_map(move |events| {
        prop::collection::vec(thread(events), 1..4).prop_map(move |threads| build(events, threads))
    })
}

fn ids(mut of: Vec<usize>) -> Vec<LocalId> {
    of.sort_unstable();
    of.dedup();
    of.into_iter().map(LocalId::new).collect()
}

fn build(events: usize, threads: Vec<(Vec<Drawn>, Vec<usize>)>) -> Arc<Program> {
    let set = |bits: u8| EventSet::from_events(events, (0..events).filter(|e| bits >> e & 1 == 1).map(EventId::new));
    let state = |(s, (request, block, bad, on)): (usize, Drawn)| {
        let on = on.into_iter().enumerate().filter(|(_, to)| !to.is_empty());
        LocalState {
            name: format!("s{s}"),
            request: set(request),
            // Blocked events are rarer than events that are not blocked.
            block: set(block & block >> 3),
            bad: bad == 0,
            on: on.map(|(e, to)| (EventId::new(e), ids(to))).collect(),
        }
    };
    let thread = |(t, (states, initial)): (usize, (Vec<Drawn>, Vec<usize>))| Thread {
        name: format!("t{t}"),
        states: states.into_iter().enumerate().map(state).collect(),
        initial: ids(initial),
    };
    let threads = threads.into_iter().enumerate().map(thread).collect();
    let names = (0..events).map(|e| format!("e{e}")).collect();
    Arc::new(Program::new(names, threads, vec![Goal::Bad, Goal::Deadlock]).expect("by the rules"))
}

fn reachable(p: &Program) -> BTreeSet<State> {
    truth(p, usize::MAX).expect("there is no limit").depths.into_keys().collect()
}

fn bits(number: usize, count: usize) -> Vec<bool> {
    (0..count).map(|i| number >> i & 1 == 1).collect()
}

fn pack(bits: &[bool]) -> Box<[u32]> {
    bits.chunks(32).map(|c| c.iter().enumerate().map(|(i, b)| u32::from(*b) << i).sum()).collect()
}

/// Explores the whole circuit, and lifts the run to every state.
fn simulated(p: &Arc<Program>, code: Code) -> BTreeSet<State> {
    let encoded = encode(p, &GOALS, code, 1 << 20).expect("small");
    let circuit = encoded.alone();
    let open = circuit.latches().iter().filter(|l| l.reset == Reset::Open).count();
    let inputs = circuit.inputs().len();
    let mut work: Vec<(Vec<bool>, Trace)> = (0..1usize << open)
        .map(|n| (Simulation::new(&circuit, bits(n, open)).latches().to_vec(), Trace::new(pack(&bits(n, open)))))
        .collect();
    let mut seen: BTreeSet<Vec<bool>> = work.iter().map(|w| w.0.clone()).collect();
    let mut states = BTreeSet::new();
    while let Some((latches, run)) = work.pop() {
        let mut is_state = false;
        for choice in 0..1usize << inputs {
            let mut frame = Simulation::at(&circuit, latches.clone());
            if !frame.frame(&bits(choice, inputs)) {
                continue;
            }
            let state = encoded.lift.state(&latches).expect("bits mean states");
            is_state = true;
            for (output, asked) in circuit.outputs().iter().zip(GOALS) {
                assert_eq!(frame.value(output.signal), goal(p, &state) == Some(asked), "{state:?}");
            }
            let fired = encoded.lift.fired(&frame);
            frame.step();
            let to = encoded.lift.state(frame.latches()).expect("bits mean states");
            match fired {
                None => assert_eq!(to, state),
                Some(e) => {
                    assert!(enabled(p, &state).contains(&e));
                    assert!(after(p, &state, e).contains(&to), "{state:?} {e:?} {to:?}");
                }
            }
            if seen.insert(frame.latches().to_vec()) {
                let mut run = run.clone();
                run.push(EventId(0), Some(pack(&bits(choice, inputs))));
                work.push((frame.latches().to_vec(), run));
            }
        }
        if is_state {
            let state = encoded.lift.state(&latches).expect("bits mean states");
            let mut run = run;
            run.push(EventId(0), Some(pack(&bits(0, inputs))));
            let trace = encoded.lift.trace(&circuit, &run).expect("a run");
            assert_eq!(replay(p, &trace).as_ref(), Some(&state));
            states.insert(state);
        }
    }
    states
}

proptest! {
    #[test]
    fn circuits_reach_what_programs_reach(p in program()) {
        let expected = reachable(&p);
        for code in [Code::OneHot, Code::Digits] {
            prop_assert_eq!(&simulated(&p, code), &expected);
        }
    }

    /// A clause over latches and the lifted clause hold in the same states.
    #[test]
    fn clauses_mean_the_same_at_home(
        p in program(),
        drawn in prop::collection::vec((0usize..64, any::<bool>()), 1..5),
    ) {
        for code in [Code::OneHot, Code::Digits] {
            let encoded = encode(&p, &GOALS, code, 1 << 20).expect("small");
            let latches = encoded.circuit.latches().len();
            if latches == 0 {
                continue;
            }
            let literals: BTreeMap<usize, bool> = drawn.iter().map(|(l, v)| (l % latches, *v)).collect();
            let clausal = Clausal {
                bits: literals.keys().map(|l| Bit::Latch(LatchId::new(*l))).collect(),
                clauses: vec![literals.values().zip(1..).map(|(v, n)| if *v { n } else { -n }).collect()],
                ..Clausal::default()
            };
            let lift = encoded.lift.clauses(&clausal).expect("over latches");
            for held in 0..1usize << latches.min(12) {
                let held = bits(held, latches);
                let Some(state) = encoded.lift.state(&held) else { continue };
                let expected = literals.iter().any(|(l, v)| held[*l] == *v);
                let holds = |literal: &i32| {
                    let Bit::In(t, s) = &lift.bits[literal.unsigned_abs() as usize - 1] else { panic!("of programs") };
                    (state[t.index()] == s.0) == (*literal > 0)
                };
                prop_assert_eq!(lift.clauses.iter().all(|clause| clause.iter().any(holds)), expected);
            }
        }
    }
}
