//! Random small behavioral programs of several shapes: unstructured threads, lockstep clocks with a marker,
//! locks that are taken in some order, and a ring of tokens that an invariant describes. Small changes make
//! programs that almost have one of these shapes.

use crate::Random;
use model::{
    EventId, EventSet, FormulaBuilder, FormulaId, Goal, LocalId, LocalState, NodeId, PlaceId, Problem, Program,
    Property, QuestionForm, Questions, Thread,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns the program for `seed`.
#[must_use]
pub fn program(seed: u64) -> Program {
    let random = &mut Random::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let (events, mut threads) = match random.below(4) {
        0 => anything(random),
        1 => clocks(random),
        2 => locks(random),
        _ => ring(random),
    };
    for _ in 0..[0, 0, 1, 2][random.below(4)] {
        disturb(random, &mut threads, events);
    }
    let names = (0..events).map(|i| format!("e[{i}]")).collect();
    Program::new(names, threads, vec![Goal::Bad, Goal::Deadlock]).expect("the generator keeps the rules")
}

/// Returns the program for `seed` with some final states. Often there are enough final states for runs to end
/// properly, that is, with all threads in final states. Some programs have states that block all events, and in some of
/// these the program may end whatever the other threads do.
#[must_use]
pub fn program_with_ends(seed: u64) -> Program {
    let program = program(seed);
    let random = &mut Random::new(seed ^ 0x5bd1_e995);
    let percent = [30, 60, 80, 100][random.below(4)];
    let mut finals = Vec::new();
    for thread in program.threads() {
        let states = (0..thread.states.len()).map(LocalId::new);
        finals.push(states.filter(|_| random.chance(percent)).collect());
    }
    if random.chance(60) {
        return program.with_finals(finals);
    }
    let events = program.events().len();
    let mut threads = program.threads().to_vec();
    let mut stops = Vec::new();
    for thread in &mut threads {
        let full = |state: &mut LocalState| state.block = EventSet::full(events);
        thread.states.iter_mut().filter(|_| random.chance(15)).for_each(full);
        stops.push((0..thread.states.len()).map(LocalId::new).filter(|_| random.chance(80)).collect());
    }
    let other = Program::new(program.events().to_vec(), threads, program.check().to_vec());
    other.expect("the generator keeps the rules").with_finals(finals).with_stops(stops)
}

/// Returns the program for `seed` with priorities, and with final states if the seed is odd. Often few priorities
/// differ, so that some states have several enabled events.
#[must_use]
pub fn program_with_priorities(seed: u64) -> Program {
    let program = if seed.is_multiple_of(2) { program(seed) } else { program_with_ends(seed) };
    let random = &mut Random::new(seed ^ 0x27d4_eb2f);
    let (percent, most) = ([20, 50, 80][random.below(3)], random.between(1, 3));
    let own = |thread: &Thread, random: &mut Random| {
        let priority = |_| if random.chance(percent) { random.between(0, 2 * most) as i64 - most as i64 } else { 0 };
        thread.states.iter().map(priority).collect()
    };
    let priorities = program.threads().iter().map(|thread| own(thread, random)).collect();
    program.with_priorities(priorities)
}

/// Returns the program for `seed` with formulas about its threads' states as goals, with or without the
/// program's own goals.
#[must_use]
pub fn questions(seed: u64) -> Problem {
    questions_about(if seed.is_multiple_of(2) { program(seed) } else { program_with_ends(seed) }, seed)
}

/// Returns the program of [`program_with_priorities`] with questions like those of [`questions`].
#[must_use]
pub fn questions_with_priorities(seed: u64) -> Problem {
    questions_about(program_with_priorities(seed), seed)
}

fn questions_about(program: Program, seed: u64) -> Problem {
    let random = &mut Random::new(seed ^ 0x1b87_3593);
    let own: &[Goal] = [&[][..], &[Goal::Deadlock], &[Goal::Bad, Goal::Deadlock]][random.below(3)];
    let places = program.places().1;
    let problem = Problem::of_program_with(Arc::new(program), own).expect("goals of programs");
    let mut asked = Questions { properties: problem.properties().to_vec(), ..Questions::default() };
    for number in 0..random.between(1, 2) {
        let mut builder = FormulaBuilder::default();
        let root = statement(random, &mut builder, places, 2);
        asked.formulas.push(Arc::new(builder.finish(root)));
        let (id, goal) = (format!("ask:{}", number + 1), Goal::Formula(FormulaId::new(number)));
        asked.properties.push(Property { id, goal, asked: QuestionForm::Expected });
    }
    Problem::new(problem.system().clone(), asked).expect("formulas are about its places")
}

fn statement(random: &mut Random, builder: &mut FormulaBuilder, places: usize, depth: usize) -> NodeId {
    if depth == 0 || random.chance(30) {
        let terms = (0..random.between(1, 3)).map(|_| {
            let weight = [1, 1, 1, 2, -1][random.below(5)];
            (PlaceId::new(random.below(places)), weight.into())
        });
        let terms: Vec<_> = terms.collect();
        let atom = builder.at_least(terms, [1, 1, 1, 2, 0][random.below(5)].into());
        return if random.chance(25) { builder.negate(atom) } else { atom };
    }
    let parts = (0..random.between(1, 3)).map(|_| statement(random, builder, places, depth - 1)).collect();
    if random.chance(65) { builder.all(parts) } else { builder.any(parts) }
}

fn set(random: &mut Random, events: usize, percent: usize) -> EventSet {
    let mut set = EventSet::empty(events);
    for e in 0..events {
        if random.chance(percent) {
            set.insert(EventId::new(e));
        }
    }
    set
}

fn only(events: usize, members: &[usize]) -> EventSet {
    EventSet::from_events(events, members.iter().map(|&e| EventId::new(e)))
}

fn state(name: String, request: EventSet, block: EventSet) -> LocalState {
    LocalState { name, request, block, bad: false, on: BTreeMap::new() }
}

fn thread(name: String, states: Vec<LocalState>, initial: &[usize]) -> Thread {
    Thread { name, states, initial: initial.iter().map(|&s| LocalId::new(s)).collect() }
}

/// Returns threads without structure: nondeterminism, several initial states, bad states.
fn anything(random: &mut Random) -> (usize, Vec<Thread>) {
    let events = random.between(2, 4);
    let threads = (0..random.between(2, 4)).map(|t| {
        let count = random.between(2, 5);
        let mut states: Vec<LocalState> = Vec::new();
        for s in 0..count {
            if s + 1 == count && random.chance(20) {
                states.push(LocalState::bad(format!("s{s}"), events));
                continue;
            }
            let mut new = state(format!("s{s}"), set(random, events, 45), set(random, events, 20));
            for e in 0..events {
                if random.chance(65) {
                    new.on.insert(EventId::new(e), targets(random, count));
                }
            }
            states.push(new);
        }
        let initial = if random.chance(15) { vec![0, 1] } else { vec![0] };
        thread(format!("T{t}"), states, &initial)
    });
    let threads = threads.collect();
    (events, threads)
}

fn targets(random: &mut Random, states: usize) -> Vec<LocalId> {
    let mut to = vec![LocalId::new(random.below(states))];
    if random.chance(15) {
        to.push(LocalId::new(random.below(states)));
    }
    to.sort_unstable();
    to.dedup();
    to
}

/// Returns threads that advance with every event, and perhaps a marker that waits for a sequence of events. The
/// states of a thread form a lasso: some states may precede the cycle.
fn clocks(random: &mut Random) -> (usize, Vec<Thread>) {
    let events = random.between(2, 3);
    let mut threads = Vec::new();
    for t in 0..random.between(1, 3) {
        let count = random.between(1, 5);
        let back = if random.chance(30) { random.below(count) } else { 0 };
        // Usually event 0 is always requested, so that the program does not stop.
        let filler = random.chance(75);
        let mut states = Vec::new();
        for s in 0..count {
            let mut request = set(random, events, 40);
            let mut block = set(random, events, 35);
            if filler {
                request.insert(EventId(0));
                block.remove(EventId(0));
            }
            let mut new = state(format!("c{s}"), request, block);
            let next = if s + 1 == count { back } else { s + 1 };
            // A self-loop may be left out, which means the same.
            if next != s || random.chance(50) {
                new.on = (0..events).map(|e| (EventId::new(e), vec![LocalId::new(next)])).collect();
            }
            states.push(new);
        }
        if random.chance(8) {
            let last = states.len() - 1;
            states[last] = LocalState::bad(format!("c{last}"), events);
        }
        threads.push(thread(format!("Clock{t}"), states, &[0]));
    }
    if random.chance(85) {
        threads.push(marker(random, events));
    }
    (events, threads)
}

/// Returns a thread that waits for a sequence of events. Other events may reset it.
fn marker(random: &mut Random, events: usize) -> Thread {
    let length = random.between(1, 3);
    let mut states = Vec::new();
    for s in 0..length {
        let mut new = state(format!("m{s}"), set(random, events, 10), EventSet::empty(events));
        for e in 0..events {
            if e != 0 && random.chance(60) {
                new.on.insert(EventId::new(e), vec![LocalId::new(s + 1)]);
            } else if random.chance(30) {
                new.on.insert(EventId::new(e), vec![LocalId(0)]);
            }
        }
        states.push(new);
    }
    states.push(LocalState::bad(format!("m{length}"), events));
    thread("Marker".to_owned(), states, &[0])
}

/// Returns users that take two locks and release them. If users take them in different orders, they deadlock.
fn locks(random: &mut Random) -> (usize, Vec<Thread>) {
    // The events are `take[0]`, `take[1]`, `drop[0]` and `drop[1]`.
    let events = 4;
    let mut threads = Vec::new();
    for lock in 0..2 {
        let mut free = state("free".to_owned(), EventSet::empty(events), only(events, &[2 + lock]));
        free.on.insert(EventId::new(lock), vec![LocalId(1)]);
        let mut held = state("held".to_owned(), EventSet::empty(events), only(events, &[lock]));
        held.on.insert(EventId::new(2 + lock), vec![LocalId(0)]);
        threads.push(thread(format!("Lock{lock}"), vec![free, held], &[0]));
    }
    for user in 0..random.between(1, 2) {
        let first = random.below(2);
        let word = [first, 1 - first, 2 + first, 3 - first];
        let states = word.iter().enumerate().map(|(s, &e)| {
            let mut new = state(format!("u{s}"), only(events, &[e]), EventSet::empty(events));
            // An event moves every user that waits for it. If both users wait for it, both move.
            new.on.insert(EventId::new(e), vec![LocalId::new((s + 1) % word.len())]);
            new
        });
        threads.push(thread(format!("User{user}"), states.collect(), &[0]));
    }
    if random.chance(40) {
        threads.push(marker(random, events));
    }
    (events, threads)
}

/// Returns stations that pass a token around a ring. A station enters a bad state only if it receives a second
/// token.
fn ring(random: &mut Random) -> (usize, Vec<Thread>) {
    let stations = random.between(2, 3);
    let events = stations;
    let mut threads: Vec<Thread> = (0..stations)
        .map(|i| {
            let (pass, get) = (i, (i + stations - 1) % stations);
            let mut without = state("without".to_owned(), EventSet::empty(events), only(events, &[pass]));
            without.on.insert(EventId::new(get), vec![LocalId(1)]);
            let mut with = state("with".to_owned(), only(events, &[pass]), EventSet::empty(events));
            with.on.insert(EventId::new(pass), vec![LocalId(0)]);
            let mut states = vec![without, with];
            if get != pass {
                states[1].on.insert(EventId::new(get), vec![LocalId(2)]);
                states.push(LocalState::bad("two".to_owned(), events));
            }
            thread(format!("Station{i}"), states, if i == 0 { &[1] } else { &[0] })
        })
        .collect();
    if random.chance(30) {
        threads[1].initial = vec![LocalId(0), LocalId(1)];
    }
    (events, threads)
}

/// Changes one part of one thread: a request, a block, an edge or an initial state.
pub fn disturb(random: &mut Random, threads: &mut [Thread], events: usize) {
    let t = random.below(threads.len());
    let thread = &mut threads[t];
    let count = thread.states.len();
    let s = random.below(count);
    let e = EventId::new(random.below(events));
    let state = &mut thread.states[s];
    match random.below(5) {
        0 if state.request.contains(e) => state.request.remove(e),
        0 => state.request.insert(e),
        1 if state.block.contains(e) => state.block.remove(e),
        1 => state.block.insert(e),
        2 => {
            state.on.insert(e, targets(random, count));
        }
        3 => {
            state.on.remove(&e);
        }
        _ => {
            thread.initial.push(LocalId::new(s));
            thread.initial.sort_unstable();
            thread.initial.dedup();
        }
    }
}

/// Returns a program with `states.pow(threads)` states: `threads` threads count to `states`, each by events of its
/// own, and begin again.
#[must_use]
pub fn counters(threads: usize, states: usize) -> Program {
    let events = (0..threads).map(|e| format!("e{e}")).collect();
    let thread = |t: usize| {
        let state = |s: usize| LocalState {
            name: format!("s{s}"),
            request: EventSet::from_events(threads, [EventId::new(t)]),
            block: EventSet::empty(threads),
            bad: false,
            on: BTreeMap::from([(EventId::new(t), vec![LocalId::new((s + 1) % states)])]),
        };
        Thread { name: format!("t{t}"), initial: vec![LocalId::new(0)], states: (0..states).map(state).collect() }
    };
    Program::new(events, (0..threads).map(thread).collect(), vec![Goal::Deadlock]).expect("a program")
}
