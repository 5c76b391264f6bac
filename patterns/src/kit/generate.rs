//! Generates small random programs with the structure that patterns look for: clocks with and without prefix,
//! markers of words, threads of no particular shape, and near misses of all of these. A near miss changes one
//! edge, request, block, mark or initial state.

use model::{EventId, EventSet, Goal, LocalId, LocalState, Program, Thread};
use std::collections::BTreeMap;

/// A small reproducible source of random numbers (SplitMix64, Steele et al. 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a source. Its numbers are determined by `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `n`, which is at least 1 and small.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Returns true with a probability of `percent` in 100.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of `items`, which must not be empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Generates a program of 2 to 4 threads over 1 to 3 events.
///
/// # Panics
/// Never: the generated threads form a valid program.
#[must_use]
pub fn program(random: &mut Random) -> Program {
    let events = 1 + random.below(3);
    let mut threads = Vec::new();
    for _ in 0..1 + random.below(2) {
        threads.push(clock(random, events));
    }
    if random.chance(80) {
        threads.push(marker(random, events));
    }
    if threads.len() < 2 || random.chance(30) {
        threads.push(anything(random, events));
    }
    if random.chance(40) {
        let victim = random.below(threads.len());
        change(random, &mut threads[victim], events);
    }
    for (i, thread) in threads.iter_mut().enumerate() {
        thread.name = format!("t{i}");
    }
    let names = (0..events).map(|e| format!("e{e}")).collect();
    Program::new(names, threads, vec![Goal::Bad, Goal::Deadlock]).expect("generated programs keep the rules")
}

/// Generates a lasso of 1 to 5 states, in which every unblocked event leads to the next state. Sometimes it
/// ends in a state that blocks everything.
fn clock(random: &mut Random, events: usize) -> Thread {
    let size = 1 + random.below(5);
    let back_to = if random.chance(50) { 0 } else { random.below(size) };
    let mut states: Vec<LocalState> = (0..size).map(|s| state(random, events, s)).collect();
    for (s, state) in states.iter_mut().enumerate() {
        let next = LocalId::new(if s + 1 < size { s + 1 } else { back_to });
        state.on = all_events(events).map(|e| (e, vec![next])).collect();
        // Arrows of blocked events may lead anywhere, or be missing.
        let blocked: Vec<EventId> = state.block.iter().collect();
        for event in blocked {
            if random.chance(50) {
                state.on.remove(&event);
            } else if random.chance(50) {
                state.on.insert(event, vec![LocalId::new(random.below(size))]);
            }
        }
    }
    if random.chance(15) {
        let last = states.last_mut().expect("at least one state");
        last.bad = random.chance(50);
        last.block = EventSet::full(events);
    }
    thread(states)
}

/// Generates a word of 1 to 3 events that leads to a bad state. Other events lead back to the start or leave
/// the state unchanged.
fn marker(random: &mut Random, events: usize) -> Thread {
    let word = 1 + random.below(3);
    let mut states = Vec::new();
    for s in 0..word {
        let mut now = LocalState { name: format!("s{s}"), ..silent(events) };
        for event in all_events(events) {
            if random.chance(50) {
                now.on.insert(event, vec![LocalId(0)]);
            }
        }
        now.on.insert(EventId::new(random.below(events)), vec![LocalId::new(s + 1)]);
        states.push(now);
    }
    states.push(LocalState::bad(format!("s{word}"), events));
    thread(states)
}

pub(super) fn anything(random: &mut Random, events: usize) -> Thread {
    let size = 1 + random.below(4);
    let mut states: Vec<LocalState> = (0..size).map(|s| state(random, events, s)).collect();
    for state in &mut states {
        for event in all_events(events) {
            if random.chance(60) {
                let mut targets = vec![LocalId::new(random.below(size))];
                if random.chance(20) {
                    targets.push(LocalId::new(random.below(size)));
                }
                state.on.insert(event, in_order(targets));
            }
        }
        state.bad = random.chance(15);
    }
    let mut made = thread(states);
    if random.chance(20) {
        made.initial = in_order(vec![LocalId(0), LocalId::new(random.below(size))]);
    }
    made
}

/// Changes one detail of a thread.
pub(super) fn change(random: &mut Random, thread: &mut Thread, events: usize) {
    let s = random.below(thread.states.len());
    let other = LocalId::new(random.below(thread.states.len()));
    let event = EventId::new(random.below(events));
    let state = &mut thread.states[s];
    match random.below(8) {
        0 => drop(state.on.remove(&event)),
        1 => drop(state.on.insert(event, vec![other])),
        2 => {
            let mut targets = state.on.get(&event).cloned().unwrap_or_default();
            targets.push(other);
            state.on.insert(event, in_order(targets));
        }
        3 => thread.initial = in_order(vec![thread.initial[0], other]),
        4 => state.bad = !state.bad,
        5 => flip(&mut state.request, event),
        _ => flip(&mut state.block, event),
    }
}

fn flip(set: &mut EventSet, event: EventId) {
    if set.contains(event) { set.remove(event) } else { set.insert(event) }
}

/// Generates a state with random requests and blocks, without moves.
fn state(random: &mut Random, events: usize, number: usize) -> LocalState {
    let mut made = LocalState { name: format!("s{number}"), ..silent(events) };
    for event in all_events(events) {
        if random.chance(55) {
            made.request.insert(event);
        }
        if random.chance(25) {
            made.block.insert(event);
        }
    }
    made
}

pub(super) fn silent(events: usize) -> LocalState {
    let none = EventSet::empty(events);
    LocalState { name: String::new(), request: none.clone(), block: none, bad: false, on: BTreeMap::new() }
}

pub(super) fn thread(states: Vec<LocalState>) -> Thread {
    Thread { name: String::new(), states, initial: vec![LocalId(0)] }
}

pub(super) fn all_events(events: usize) -> impl Iterator<Item = EventId> {
    (0..events).map(EventId::new)
}

pub(super) fn in_order(mut ids: Vec<LocalId>) -> Vec<LocalId> {
    ids.sort_unstable();
    ids.dedup();
    ids
}
