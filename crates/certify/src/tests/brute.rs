//! Small programs, their composite states by brute force, and the truth of lemma literals in a run.

use model::{EventId, EventSet, Goal, LocalId, LocalState, Program, Prop, Thread};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// SplitMix64 (Steele, Lea, Flood 2014). Results are reproducible from the seed that a failing test prints.
pub(super) struct Rng(pub(super) u64);

impl Rng {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True with probability `1 / n`.
    pub(super) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// Builds a local state: requested events, blocked events, and moves as (event, targets).
pub(super) fn local(name: &str, events: usize, request: &[u32], block: &[u32], on: &[(u32, &[u32])]) -> LocalState {
    let set = |ids: &[u32]| EventSet::from_events(events, ids.iter().map(|&e| EventId(e)));
    LocalState {
        name: name.to_owned(),
        request: set(request),
        block: set(block),
        bad: false,
        on: on.iter().map(|(e, ts)| (EventId(*e), ts.iter().map(|&t| LocalId(t)).collect())).collect(),
    }
}

pub(super) fn thread(name: &str, initial: &[u32], states: Vec<LocalState>) -> Thread {
    Thread { name: name.to_owned(), states, initial: initial.iter().map(|&s| LocalId(s)).collect() }
}

pub(super) fn program(events: usize, threads: Vec<Thread>) -> Arc<Program> {
    let names = (0..events).map(|e| format!("e{e}")).collect();
    Arc::new(Program::new(names, threads, vec![Goal::Bad, Goal::Deadlock]).expect("a valid program"))
}

/// A clock of `period` states that always requests event 0, and does not block event 1 in the `open` states
/// only.
pub(super) fn clock(name: &str, period: u32, open: &[u32]) -> Thread {
    let states = (0..period).map(|k| {
        let next = [(k + 1) % period];
        let (request, block): (&[u32], &[u32]) = if open.contains(&k) { (&[0, 1], &[]) } else { (&[0], &[1]) };
        local(&format!("s{k}"), 2, request, block, &[(0, &next), (1, &next)])
    });
    thread(name, &[0], states.collect())
}

/// A thread that becomes bad on event 1.
pub(super) fn marker() -> Thread {
    thread("Marker", &[0], vec![local("wait", 2, &[], &[], &[(1, &[1])]), LocalState::bad("bad".to_owned(), 2)])
}

/// Random programs: 1-4 threads of 1-4 states over 1-3 events. About half of the threads are clocks or nearly
/// clocks.
pub(super) fn random_program(rng: &mut Rng) -> Arc<Program> {
    let events = 1 + rng.below(3);
    let count = 1 + rng.below(4);
    let threads = (0..count).map(|t| random_thread(rng, &format!("t{t}"), events)).collect();
    program(events, threads)
}

/// Random programs with long runs. Their threads are lassos in lockstep that keep event 0 going and sometimes
/// do not block event 1. A marker mostly ends the run on event 1. Sometimes a random thread is added.
pub(super) fn random_lockstep(rng: &mut Rng) -> Arc<Program> {
    let mut threads: Vec<Thread> = (0..1 + rng.below(3)).map(|t| random_lasso(rng, &format!("t{t}"))).collect();
    if rng.one_in(4) {
        threads.push(random_thread(rng, "other", 2));
    }
    if !rng.one_in(4) {
        threads.push(marker());
    }
    program(2, threads)
}

fn random_lasso(rng: &mut Rng, name: &str) -> Thread {
    let size = 1 + rng.below(4) as u32;
    let back_to = rng.below(size as usize) as u32;
    let states = (0..size).map(|s| {
        let next = [if s + 1 == size { back_to } else { s + 1 }];
        let mut state = local(&format!("s{s}"), 2, &[], &[], &[(0, &next), (1, &next)]);
        let chances = [(EventId(0), 7, 25), (EventId(1), 2, 2)];
        for (event, not_requested, blocked) in chances {
            if !rng.one_in(not_requested) {
                state.request.insert(event);
            }
            if rng.one_in(blocked) {
                state.block.insert(event);
            }
        }
        state
    });
    thread(name, &[0], states.collect())
}

fn random_thread(rng: &mut Rng, name: &str, events: usize) -> Thread {
    let size = 1 + rng.below(4) as u32;
    let clock = rng.one_in(2);
    let back_to = if rng.one_in(3) { rng.below(size as usize) as u32 } else { 0 };
    let states = (0..size).map(|s| {
        let next = if s + 1 == size { back_to } else { s + 1 };
        random_state(rng, &format!("s{s}"), events, size, clock.then_some(next))
    });
    let states = states.collect();
    let mut initial: BTreeSet<u32> = BTreeSet::from([0]);
    if rng.one_in(6) {
        initial.insert(rng.below(size as usize) as u32);
    }
    thread(name, &initial.into_iter().collect::<Vec<_>>(), states)
}

fn random_state(rng: &mut Rng, name: &str, events: usize, size: u32, next: Option<u32>) -> LocalState {
    if rng.one_in(9) {
        return LocalState::bad(name.to_owned(), events);
    }
    let mut state = local(name, events, &[], &[], &[]);
    for e in 0..events as u32 {
        if rng.one_in(2) {
            state.request.insert(EventId(e));
        }
        if rng.one_in(4) {
            state.block.insert(EventId(e));
        }
        let mut targets = BTreeSet::new();
        match next {
            Some(next) if !rng.one_in(12) => _ = targets.insert(next),
            _ if rng.one_in(2) => _ = targets.insert(rng.below(size as usize) as u32),
            _ => {}
        }
        if rng.one_in(10) {
            targets.insert(rng.below(size as usize) as u32);
        }
        if !targets.is_empty() {
            state.on.insert(EventId(e), targets.into_iter().map(LocalId).collect());
        }
    }
    state
}

/// The enabled events of `state`, by definition.
pub(super) fn enabled(program: &Program, state: &[u32]) -> Vec<EventId> {
    let locals = || program.threads().iter().zip(state).map(|(t, &s)| t.state(LocalId(s)));
    let open = |e: &EventId| locals().any(|l| l.request.contains(*e)) && !locals().any(|l| l.block.contains(*e));
    (0..program.events().len()).map(EventId::new).filter(open).collect()
}

pub(super) fn goal(program: &Program, state: &[u32]) -> Option<Goal> {
    if program.threads().iter().zip(state).any(|(t, &s)| t.state(LocalId(s)).bad) {
        return Some(Goal::Bad);
    }
    enabled(program, state).is_empty().then_some(Goal::Deadlock)
}

/// All combinations of one item per list.
fn product(lists: &[Vec<u32>]) -> Vec<Vec<u32>> {
    lists.iter().fold(vec![Vec::new()], |done, list| {
        done.iter().flat_map(|d| list.iter().map(move |&x| [d.as_slice(), &[x]].concat())).collect()
    })
}

pub(super) fn initial(program: &Program) -> Vec<Vec<u32>> {
    product(&program.threads().iter().map(|t| t.initial.iter().map(|s| s.0).collect()).collect::<Vec<_>>())
}

/// All states that `event` may lead to, if it is enabled.
pub(super) fn targets(program: &Program, state: &[u32], event: EventId) -> Vec<Vec<u32>> {
    let moves = program.threads().iter().zip(state);
    product(&moves.map(|(t, &s)| t.targets(LocalId(s), event).map(|x| x.0).collect()).collect::<Vec<_>>())
}

/// All reachable states.
pub(super) fn reachable(program: &Program) -> BTreeSet<Vec<u32>> {
    let mut seen: BTreeSet<Vec<u32>> = initial(program).into_iter().collect();
    let mut open: VecDeque<Vec<u32>> = seen.iter().cloned().collect();
    while let Some(state) = open.pop_front() {
        for event in enabled(program, &state) {
            for next in targets(program, &state, event) {
                if seen.insert(next.clone()) {
                    open.push_back(next);
                }
            }
        }
    }
    seen
}

/// A run: `states[0] events[0] states[1] ..`.
#[derive(Clone, Debug)]
pub(super) struct Ran {
    pub(super) states: Vec<Vec<u32>>,
    pub(super) events: Vec<EventId>,
}

/// Runs that end in a goal state, of each length up to `length`. If there are very many: a random sample.
pub(super) fn violating_runs(program: &Program, length: usize, rng: &mut Rng) -> Vec<Ran> {
    const KEPT: usize = 60;
    let start = |s: Vec<u32>| Ran { states: vec![s], events: Vec::new() };
    let mut open: Vec<Ran> = initial(program).into_iter().map(start).collect();
    let mut found = Vec::new();
    for _ in 0..=length {
        let mut longer = Vec::new();
        for run in open {
            let last = &run.states[run.states.len() - 1];
            if goal(program, last).is_some() {
                found.push(run);
                continue;
            }
            for event in enabled(program, last) {
                for next in targets(program, last, event) {
                    let mut more = run.clone();
                    more.events.push(event);
                    more.states.push(next);
                    longer.push(more);
                }
            }
        }
        rng.shuffle(&mut longer);
        longer.truncate(KEPT);
        open = longer;
    }
    found
}

impl Ran {
    /// True if `prop` is true of the run.
    pub(super) fn satisfies(&self, program: &Program, prop: &Prop) -> bool {
        let length = self.events.len();
        match prop {
            Prop::Visits(q) => self.states.iter().any(|s| **s == **q),
            Prop::Ends(g) => goal(program, &self.states[length]) == Some(*g),
            Prop::Int(atom) => {
                let mut values = BTreeMap::from([(model::Constant::RunLength, length.into())]);
                for event in (0..program.events().len()).map(EventId::new) {
                    let count = self.events.iter().filter(|e| **e == event).count();
                    values.insert(model::Constant::Count(event), count.into());
                }
                atom.eval(&values).expect("only run lengths and counts are used")
            }
            Prop::EventBack { back, event } => {
                length.checked_sub(*back as usize + 1).is_some_and(|u| self.events[u] == *event)
            }
            Prop::StateBack { back, thread, state } => {
                length.checked_sub(*back as usize).is_some_and(|u| self.states[u][thread.index()] == state.0)
            }
        }
    }
}
