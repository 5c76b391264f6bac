//! Generators for random explicit programs, with names of every printable kind.

use model::{EventId, EventSet, Goal, LocalId, LocalState, Program, Thread};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Generates events of arrays and single events.
fn event_names() -> impl Strategy<Value = Vec<String>> {
    let array = (0usize..3, 1usize..3, 1usize..3).prop_map(|(dimensions, m, n)| match dimensions {
        0 => vec![String::new()],
        1 => (0..m).map(|i| format!("[{i}]")).collect(),
        _ => (0..m).flat_map(|i| (0..n).map(move |j| format!("[{i}][{j}]"))).collect(),
    });
    prop::collection::vec(array, 0..4).prop_map(|arrays| {
        let named = |(k, elements): (usize, Vec<String>)| elements.into_iter().map(move |e| format!("e{k}_{e}"));
        arrays.into_iter().enumerate().flat_map(named).collect()
    })
}

fn subset(universe: usize) -> impl Strategy<Value = EventSet> {
    prop::collection::vec(any::<bool>(), universe)
        .prop_map(move |bits| EventSet::from_events(universe, (0..universe).filter(|i| bits[*i]).map(EventId::new)))
}

fn targets(states: usize) -> impl Strategy<Value = Vec<LocalId>> {
    prop::collection::btree_set(0..states, 1..=states.min(3)).prop_map(|s| s.into_iter().map(LocalId::new).collect())
}

fn state(name: String, universe: usize, states: usize) -> impl Strategy<Value = LocalState> {
    let on = prop::collection::vec(prop::option::weighted(0.6, targets(states)), universe);
    (subset(universe), subset(universe), on, 0..8).prop_map(move |(request, block, on, kind)| {
        if kind == 0 {
            return LocalState::bad(name.clone(), universe);
        }
        let on: BTreeMap<_, _> =
            on.into_iter().enumerate().filter_map(|(e, t)| t.map(|t| (EventId::new(e), t))).collect();
        LocalState { name: name.clone(), request, block, bad: false, on }
    })
}

fn thread(index: usize, universe: usize) -> impl Strategy<Value = Thread> {
    (1usize..5).prop_flat_map(move |count| {
        let name = |s: usize| if s.is_multiple_of(2) { format!("s[{s}][{index}]") } else { format!("t{s}") };
        let states: Vec<_> = (0..count).map(|s| state(name(s), universe, count)).collect();
        (states, targets(count)).prop_map(move |(states, initial)| Thread {
            name: format!("Thread[{index}]"),
            states,
            initial,
        })
    })
}

pub(crate) fn program() -> impl Strategy<Value = Program> {
    let checks =
        [vec![Goal::Bad], vec![Goal::Deadlock], vec![Goal::Bad, Goal::Deadlock], vec![Goal::Deadlock, Goal::Bad]];
    (event_names(), 0usize..4, prop::sample::select(checks.to_vec())).prop_flat_map(|(events, threads, check)| {
        let threads: Vec<_> = (0..threads).map(|t| thread(t, events.len())).collect();
        (threads, prop::collection::vec(prop::collection::vec(0usize..3, 0..3), 0..4)).prop_map(
            move |(threads, finals)| {
                let own = |(thread, finals): (&Thread, &Vec<usize>)| {
                    finals.iter().map(|s| LocalId::new(s % thread.states.len())).collect()
                };
                let finals = threads.iter().zip(&finals).map(own).collect();
                Program::new(events.clone(), threads, check.clone()).unwrap().with_finals(finals)
            },
        )
    })
}

/// Returns a configuration with the same cases in every run.
pub(crate) fn config(full: u32) -> ProptestConfig {
    ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(20_261_120),
        failure_persistence: None,
        ..testkit::config(full)
    }
}
