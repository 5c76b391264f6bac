//! Generates small random sets of periodic tasks: schedulable or not, with and without ties and offsets, with
//! an idle thread and a marker of consecutive services, and near misses of these.

use super::generate::{Random, all_events, change, in_order, silent, thread};
use model::{EventId, EventSet, Goal, LocalId, LocalState, Program, Thread};

/// Generates a program of 1 to 3 tasks. Its events are one for each task, `idle`, and one that possibly no
/// thread mentions.
///
/// # Panics
/// Never: the generated threads form a valid program.
#[must_use]
pub fn task_program(random: &mut Random) -> Program {
    let count = *random.pick(&[1, 2, 2, 3, 3, 3]);
    let events = count + 2;
    let idle = EventId::new(count);
    let mut threads = tasks(random, count, events);
    if random.chance(90) {
        let mut requests = vec![idle];
        if random.chance(15) {
            requests.push(EventId::new(random.below(events)));
        }
        threads.push(clerk(requests, events));
    }
    if random.chance(75) {
        threads.push(marker(random, count, events));
    }
    if random.chance(40) {
        let victim = random.below(threads.len());
        change(random, &mut threads[victim], events);
    }
    if random.chance(8) {
        threads.push(super::generate::anything(random, events));
    }
    for (i, thread) in threads.iter_mut().enumerate() {
        thread.name = format!("t{i}");
    }
    let names = (0..events).map(|e| format!("e{e}")).collect();
    Program::new(names, threads, vec![Goal::Bad, Goal::Deadlock]).expect("generated programs keep the rules")
}

/// Generates tasks. A task blocks events of other tasks in its pending states, in which it has work left.
fn tasks(random: &mut Random, count: usize, events: usize) -> Vec<Thread> {
    // The order is by priority, circular, or random.
    let order = *random.pick(&[0, 0, 1, 2]);
    let mut level = 0;
    let mut levels = Vec::new();
    for _ in 0..count {
        levels.push(level);
        level += usize::from(random.chance(65));
    }
    let foreign = random.chance(90);
    let mut made = Vec::new();
    for i in 0..count {
        let mut block = EventSet::empty(events);
        if foreign || random.chance(50) {
            (count..events).for_each(|e| block.insert(EventId::new(e)));
        }
        for j in (0..count).filter(|&j| j != i) {
            let outranks = match order {
                0 => levels[i] < levels[j],
                1 => (i + 1) % count == j,
                _ => random.chance(50),
            };
            if outranks {
                block.insert(EventId::new(j));
            }
        }
        made.push(task(random, EventId::new(i), &block));
    }
    made
}

/// Generates a task with a period of 1 to 6 slots, or a near miss of one.
fn task(random: &mut Random, own: EventId, block: &EventSet) -> Thread {
    let period = *random.pick(&[1, 2, 3, 3, 4, 5, 6, 6]);
    let work = 1 + if random.chance(75) { 0 } else { random.below(period) };
    let number = |column: usize, row: usize| LocalId::new(column * (work + 1) + row);
    let mut made = matrix(own, (period, work), block, random.chance(15));
    let miss = LocalId::new(made.states.len() - 1);
    if random.chance(20) {
        made.states[miss.index()] = LocalState { name: "late".to_owned(), ..silent(block.universe()) };
    }
    match random.below(12) {
        0 => ignore(random, &mut made, own),
        1 => wrap_elsewhere(random, &mut made, miss),
        2 => waver(random, &mut made),
        _ => {}
    }
    if random.chance(30) {
        // The task starts with no work left until its first release, or (a near miss) in the middle of a job.
        let row = if random.chance(70) { work } else { random.below(work + 1) };
        made.initial = in_order(vec![number(random.below(period), row)]);
    }
    made
}

/// Generates the matrix of a task with this period and work: all columns and rows, and a bad state for jobs
/// that end too late. With `overrun`, an unfinished job leads to the start of the next period instead.
fn matrix(own: EventId, (period, work): (usize, usize), block: &EventSet, overrun: bool) -> Thread {
    let events = block.universe();
    let number = |column: usize, row: usize| LocalId::new(column * (work + 1) + row);
    let mut states = Vec::new();
    for column in 0..period {
        for row in 0..=work {
            let mut state = LocalState { name: format!("c{column}r{row}"), ..silent(events) };
            if row < work {
                state.request.insert(own);
                state.block = block.clone();
            }
            for event in all_events(events) {
                let row = row + usize::from(event == own && row < work);
                let to = match (column + 1 < period, row == work || overrun) {
                    (true, _) => number(column + 1, row),
                    (false, true) => number(0, 0),
                    (false, false) => LocalId::new(period * (work + 1)),
                };
                state.on.insert(event, vec![to]);
            }
            states.push(state);
        }
    }
    states.push(LocalState::bad("miss".to_owned(), events));
    thread(states)
}

/// Builds a program of tasks (period, work, level), where lower levels have priority. It also has an idle
/// thread and a marker. The marker waits for `word`, a list of tasks for each of several consecutive steps. It
/// is bad as soon as every one of these steps served a task of its list. In `word`, the number of tasks stands
/// for idling.
///
/// # Panics
/// If `word` contains a number greater than the number of tasks.
#[must_use]
pub fn task_set(tasks: &[(usize, usize, u32)], word: &[&[usize]]) -> Program {
    let events = tasks.len() + 1;
    let mut threads = Vec::new();
    for (i, &(period, work, level)) in tasks.iter().enumerate() {
        let lower = tasks.iter().enumerate().filter(|(_, other)| other.2 > level).map(|(j, _)| EventId::new(j));
        let block = EventSet::from_events(events, lower.chain([EventId::new(tasks.len())]));
        threads.push(matrix(EventId::new(i), (period, work), &block, false));
    }
    threads.push(clerk(vec![EventId::new(tasks.len())], events));
    let mut states = Vec::new();
    for (k, served) in word.iter().enumerate() {
        let mut now = LocalState { name: format!("m{k}"), ..silent(events) };
        now.on = all_events(events).map(|e| (e, vec![LocalId(0)])).collect();
        served.iter().for_each(|&e| drop(now.on.insert(EventId::new(e), vec![LocalId::new(k + 1)])));
        states.push(now);
    }
    states.push(LocalState::bad(format!("m{}", word.len()), events));
    threads.push(thread(states));
    for (i, thread) in threads.iter_mut().enumerate() {
        thread.name = format!("t{i}");
    }
    let names = (0..events).map(|e| format!("e{e}")).collect();
    Program::new(names, threads, vec![Goal::Bad, Goal::Deadlock]).expect("tasks keep the rules")
}

/// A near miss: some states do not mention an event, most often the one that serves the task.
fn ignore(random: &mut Random, task: &mut Thread, own: EventId) {
    let event = if random.chance(70) { own } else { EventId::new(random.below(task.states[0].block.universe())) };
    for state in &mut task.states {
        if random.chance(30) {
            state.on.remove(&event);
        }
    }
}

/// A near miss: some arrows into the first state lead to another one.
fn wrap_elsewhere(random: &mut Random, task: &mut Thread, miss: LocalId) {
    let other = LocalId::new(random.below(miss.index()));
    for targets in task.states.iter_mut().flat_map(|state| state.on.values_mut()) {
        if targets[0] == LocalId(0) && random.chance(30) {
            *targets = vec![other];
        }
    }
}

/// A near miss: an event may lead to one of two states.
fn waver(random: &mut Random, task: &mut Thread) {
    let s = random.below(task.states.len());
    let other = LocalId::new(random.below(task.states.len()));
    let state = &mut task.states[s];
    let event = EventId::new(random.below(state.block.universe()));
    let mut targets = state.on.get(&event).cloned().unwrap_or_default();
    targets.push(other);
    state.on.insert(event, in_order(targets));
}

/// Builds a thread of one state that requests these events.
fn clerk(requests: Vec<EventId>, events: usize) -> Thread {
    let mut only = LocalState { name: "z".to_owned(), ..silent(events) };
    only.request = EventSet::from_events(events, requests);
    thread(vec![only])
}

/// Generates a marker. The marker is bad after an event has fired 1 to 4 times in a row, or after one event
/// has directly followed another.
fn marker(random: &mut Random, count: usize, events: usize) -> Thread {
    let served = EventId::new(random.below(count + 1));
    let other = EventId::new(random.below(count + 1));
    let after = random.chance(25);
    let word = if after { 2 } else { 1 + random.below(4) };
    let mut states = Vec::new();
    for k in 0..word {
        let mut now = LocalState { name: format!("m{k}"), ..silent(events) };
        now.on = all_events(events).map(|e| (e, vec![LocalId(0)])).collect();
        now.on.insert(served, vec![LocalId(1)]);
        let next = if after && k == 1 { other } else { served };
        now.on.insert(next, vec![LocalId::new(k + 1)]);
        states.push(now);
    }
    states.push(LocalState::bad(format!("m{word}"), events));
    let mut made = thread(states);
    if !after && random.chance(20) {
        // At each step of the row, either of two events counts.
        for (k, state) in made.states.iter_mut().take(word).enumerate() {
            state.on.insert(other, vec![LocalId::new(k + 1)]);
        }
    }
    made
}
