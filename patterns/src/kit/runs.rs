//! Enumerates runs of the product by brute force: first in order of length, then longer ones by random walks.

use super::generate::Random;
use model::pattern::ConcreteRun;
use model::{EventId, Goal, LocalId, Program};
use std::collections::VecDeque;

/// Limits of the enumeration of runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// Number of prefixes of runs that are kept during the enumeration in order of length.
    pub prefixes: usize,
    /// Number of random walks, which find longer runs.
    pub walks: usize,
    /// Number of events of a walk.
    pub walk_length: usize,
}

impl Default for Sample {
    fn default() -> Self {
        Self { prefixes: 400, walks: 12, walk_length: 30 }
    }
}

/// Returns the composite initial states.
#[must_use]
pub fn initial_states(program: &Program) -> Vec<Box<[u32]>> {
    product(program.threads().iter().map(|t| t.initial.clone()))
}

/// Returns the events that some thread requests in `state` and that no thread blocks.
#[must_use]
pub fn enabled(program: &Program, state: &[u32]) -> Vec<EventId> {
    let local = || program.threads().iter().zip(state).map(|(t, &s)| t.state(LocalId(s)));
    let events = (0..program.events().len()).map(EventId::new);
    let fires = |e: &EventId| local().any(|s| s.request.contains(*e)) && !local().any(|s| s.block.contains(*e));
    events.filter(fires).collect()
}

/// Returns the successors of `state` by `event`.
#[must_use]
pub fn successors(program: &Program, state: &[u32], event: EventId) -> Vec<Box<[u32]>> {
    product(program.threads().iter().zip(state).map(|(t, &s)| t.targets(LocalId(s), event).collect()))
}

/// Returns the goal that `state` reaches, if any.
#[must_use]
pub fn kind_of(program: &Program, state: &[u32]) -> Option<Goal> {
    if program.threads().iter().zip(state).any(|(t, &s)| t.state(LocalId(s)).bad) {
        return Some(Goal::Bad);
    }
    enabled(program, state).is_empty().then_some(Goal::Deadlock)
}

fn product(choices: impl Iterator<Item = Vec<LocalId>>) -> Vec<Box<[u32]>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for choice in choices {
        all = all.iter().flat_map(|head| choice.iter().map(|c| [&head[..], &[c.0]].concat())).collect();
    }
    all.into_iter().map(Vec::into_boxed_slice).collect()
}

/// Returns violating runs: all of them in order of length until `sample.prefixes` prefixes have been seen, then
/// some longer ones.
pub fn violating_runs(program: &Program, sample: Sample, random: &mut Random) -> Vec<ConcreteRun> {
    let mut found = Vec::new();
    let mut queue: VecDeque<ConcreteRun> = initial_states(program).into_iter().map(start).collect();
    let mut seen = queue.len();
    while let Some(mut run) = queue.pop_front() {
        let state = run.states.last().expect("a run has a state").clone();
        if let Some(goal) = kind_of(program, &state) {
            run.goal = goal;
            found.push(run);
            continue;
        }
        for event in enabled(program, &state) {
            for next in successors(program, &state, event) {
                if seen < sample.prefixes {
                    seen += 1;
                    queue.push_back(extend(&run, event, next));
                }
            }
        }
    }
    found.extend((0..sample.walks).filter_map(|_| walk(program, sample.walk_length, random)));
    found
}

fn walk(program: &Program, length: usize, random: &mut Random) -> Option<ConcreteRun> {
    let mut run = start(random.pick(&initial_states(program)).clone());
    for _ in 0..=length {
        let state = run.states.last().expect("a run has a state").clone();
        if let Some(goal) = kind_of(program, &state) {
            run.goal = goal;
            return Some(run);
        }
        let event = *random.pick(&enabled(program, &state));
        let next = random.pick(&successors(program, &state, event)).clone();
        run.states.push(next);
        run.events.push(event);
    }
    None
}

/// Returns the empty run from `state`. Its goal is a placeholder until it is known.
fn start(state: Box<[u32]>) -> ConcreteRun {
    ConcreteRun { states: vec![state], events: Vec::new(), goal: Goal::Bad }
}

fn extend(run: &ConcreteRun, event: EventId, state: Box<[u32]>) -> ConcreteRun {
    let mut longer = run.clone();
    longer.states.push(state);
    longer.events.push(event);
    longer
}
