//! Generates small random programs around shared cells. They contain writers with choices, late writers,
//! guards, audits that stop the other threads and audits that do not, counters and locks, and near misses of
//! all of these.

use super::generate::{Random, all_events, anything, change, in_order, silent, thread};
use model::{EventId, EventSet, Goal, LocalId, LocalState, Program, Thread};

/// The events of a program with cells: writes and reads of each value of each cell, and a few other events.
#[derive(Clone, Copy)]
struct Events {
    cells: usize,
    values: usize,
}

impl Events {
    fn count(self) -> usize {
        2 * self.cells * self.values + 3
    }

    fn write(self, cell: usize, value: usize) -> EventId {
        EventId::new(cell * self.values + value)
    }

    fn read(self, cell: usize, value: usize) -> EventId {
        EventId::new((self.cells + cell) * self.values + value)
    }

    fn audit(self) -> EventId {
        EventId::new(self.count() - 3)
    }

    fn tick(self) -> EventId {
        EventId::new(self.count() - 2)
    }

    /// Returns the event by which writers take and release their common lock.
    fn lock(self) -> EventId {
        EventId::new(self.count() - 1)
    }

    fn state(self) -> LocalState {
        silent(self.count())
    }
}

/// Generates a program of 1 to 3 cells with 2 or 3 values each, 1 to 3 writers, and an audit that is bad if it
/// reads given values.
///
/// # Panics
/// Never: the generated threads form a valid program.
#[must_use]
pub fn cell_program(random: &mut Random) -> Program {
    let cells = *random.pick(&[1, 1, 2, 2, 3]);
    let events = Events { cells, values: if random.chance(70) { 2 } else { 3 } };
    let mut threads: Vec<Thread> = (0..cells).map(|c| cell(random, events, c)).collect();
    for _ in 0..1 + random.below(2) {
        threads.push(writer(random, events));
    }
    if random.chance(30) {
        threads.push(late_writer(random, events));
    }
    if random.chance(30) {
        threads.push(guard(random, events));
    }
    threads.push(audit(random, events));
    threads.push(clerk(events, events.audit(), random.chance(70)));
    if random.chance(50) {
        threads.push(clerk(events, events.tick(), true));
    }
    if random.chance(20) {
        threads.push(anything(random, events.count()));
    }
    if random.chance(50) {
        let victim = random.below(threads.len());
        change(random, &mut threads[victim], events.count());
    }
    for (i, thread) in threads.iter_mut().enumerate() {
        thread.name = format!("t{i}");
        thread.states.iter_mut().enumerate().for_each(|(s, state)| state.name = format!("s{s}"));
    }
    let names = (0..events.count()).map(|e| format!("e{e}")).collect();
    Program::new(names, threads, vec![Goal::Bad, Goal::Deadlock]).expect("generated programs keep the rules")
}

/// Generates a cell. In each state, all reads but one are blocked. Writes lead to their values.
fn cell(random: &mut Random, events: Events, c: usize) -> Thread {
    let mut states = Vec::new();
    for value in 0..events.values {
        let mut state = events.state();
        for other in (0..events.values).filter(|&v| v != value) {
            state.block.insert(events.read(c, other));
            // Sometimes a write may leave one of two values.
            let mut targets = vec![LocalId::new(other)];
            if random.chance(5) {
                targets.push(LocalId::new(random.below(events.values)));
            }
            state.on.insert(events.write(c, other), in_order(targets));
        }
        states.push(state);
    }
    thread(states)
}

/// Generates a writer with up to three writes, each of one of two values. It may block audits until it is done,
/// or use the lock.
fn writer(random: &mut Random, events: Events) -> Thread {
    let (polite, locked) = (random.chance(65), random.chance(20));
    let mut states = Vec::new();
    if locked {
        let mut first = events.state();
        first.request.insert(events.lock());
        first.on.insert(events.lock(), vec![LocalId(1)]);
        states.push(first);
    }
    for _ in 0..1 + random.below(3) {
        let mut state = events.state();
        let next = vec![LocalId::new(states.len() + 1)];
        let c = random.below(events.cells);
        for _ in 0..1 + random.below(2) {
            let event = events.write(c, random.below(events.values));
            state.request.insert(event);
            state.on.insert(event, next.clone());
        }
        if polite {
            state.block.insert(events.audit());
        }
        if locked {
            state.block.insert(events.lock());
        }
        states.push(state);
    }
    states.push(events.state());
    if random.chance(25) {
        // The writer can start again, arbitrarily often.
        let last = states.last_mut().expect("there are states");
        last.request.insert(events.tick());
        last.on.insert(events.tick(), vec![LocalId(0)]);
    }
    let mut made = thread(states);
    if random.chance(15) {
        made.initial = in_order(vec![LocalId(0), LocalId::new(random.below(made.states.len()))]);
    }
    made
}

/// Generates a thread that waits for some ticks and then writes once.
fn late_writer(random: &mut Random, events: Events) -> Thread {
    let mut states = Vec::new();
    for k in 0..1 + random.below(2) {
        let mut state = events.state();
        state.request.insert(events.tick());
        state.on.insert(events.tick(), vec![LocalId::new(k + 1)]);
        states.push(state);
    }
    let mut state = events.state();
    let event = events.write(random.below(events.cells), random.below(events.values));
    state.request.insert(event);
    state.on.insert(event, vec![LocalId::new(states.len() + 1)]);
    states.push(state);
    states.push(events.state());
    thread(states)
}

/// Generates a thread that blocks all writes of a cell after a certain write, forever or until a tick.
fn guard(random: &mut Random, events: Events) -> Thread {
    let c = random.below(events.cells);
    let (mut open, mut shut) = (events.state(), events.state());
    open.on.insert(events.write(c, random.below(events.values)), vec![LocalId(1)]);
    (0..events.values).for_each(|v| shut.block.insert(events.write(c, v)));
    if random.chance(40) {
        shut.on.insert(events.tick(), vec![LocalId(0)]);
    }
    thread(vec![open, shut])
}

/// Generates an audit. After the audit event, it reads one cell after the other, and is bad if each has its
/// target value. It may block all events but its reads.
fn audit(random: &mut Random, events: Events) -> Thread {
    let atomic = random.chance(60);
    let mut idle = events.state();
    idle.on.insert(events.audit(), vec![LocalId(1)]);
    let mut states = vec![idle];
    for c in 0..events.cells {
        let mut state = events.state();
        let target = random.below(events.values);
        if atomic {
            state.block = EventSet::full(events.count());
        }
        for value in 0..events.values {
            let event = events.read(c, value);
            state.request.insert(event);
            state.block.remove(event);
            let next = if value == target { states.len() + 1 } else { 0 };
            state.on.insert(event, vec![LocalId::new(next)]);
        }
        states.push(state);
    }
    states.push(LocalState::bad(String::new(), events.count()));
    thread(states)
}

/// Generates a thread that requests an event, always or once.
fn clerk(events: Events, event: EventId, always: bool) -> Thread {
    let mut state = events.state();
    state.request.insert(event);
    if always {
        return thread(vec![state]);
    }
    state.on = all_events(events.count()).filter(|e| *e == event).map(|e| (e, vec![LocalId(1)])).collect();
    thread(vec![state, events.state()])
}
