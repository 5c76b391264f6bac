//! A behavioral program compiled to rows, and one composite state of it that can step forwards and back.
//!
//! Random walks and shortening need one state that moves fast, whatever the number of threads, rather than many
//! states. Local states are numbered through all threads. Each has rows of the events that it requests, blocks
//! and moves on, so memory grows with the text of the program. A [`Running`] counts for each event the threads
//! that request and block it. A step examines the threads that mention its event, and updates the counts for
//! the threads that move (like the counters of enabled conditions for propositional Horn formulas; Dowling and
//! Gallier 1984).
//!
//! A local state that blocks more than half of all events is stored by the events that it does not block.
//! `block * - a` is the usual way to write an exclusive phase, and would otherwise be a row as long as the list
//! of events.

use model::{EventId, EventSet, Goal, LocalId, Program, ThreadId};
use search::Rows;
use std::collections::HashSet;
use std::sync::Arc;

/// The number of a local state among the local states of all threads.
pub type Local = u32;

/// The move of one thread in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// The local state before the step.
    pub from: Local,
    /// The local state after the step.
    pub to: Local,
}

/// A program compiled to rows. Local states, threads and events are numbers.
#[derive(Debug)]
pub struct Compiled {
    /// For each thread: its first local state. One more entry marks the end.
    first: Vec<Local>,
    thread: Vec<u32>,
    bad: Vec<bool>,
    /// For each local state: true if it is marked final. Empty if no state is.
    ends: Vec<bool>,
    /// For each local state: true if the program may end in it, whatever the other threads do. Empty if there is none.
    stops: Vec<bool>,
    /// For each local state: the priority of its requests. Empty if all are the same.
    priority: Vec<i64>,
    request: Rows<u32>,
    /// For each local state: the events that it blocks, or the events that it does not block if `spares` is
    /// true for it.
    block: Rows<u32>,
    spares: Vec<bool>,
    /// For each local state: events with the range of their targets in `targets`. Events that leave the state
    /// unchanged are left out.
    moves: Rows<(u32, (u32, u32))>,
    targets: Vec<Local>,
    /// For each event: the threads that it moves from at least one of their local states.
    movers: Rows<u32>,
    initial: Rows<Local>,
    events: usize,
}

impl Compiled {
    /// Compiles `program`. The cost is linear in its size.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        let events = program.events().len();
        let (mut first, mut thread, mut bad) = (vec![0], Vec::new(), Vec::new());
        let mut initial = Vec::new();
        for (number, t) in (0u32..).zip(program.threads()) {
            let base = *first.last().expect("there is one");
            initial.push(t.initial.iter().map(|s| base + s.0).collect());
            first.push(base + index(t.states.len()));
            thread.extend(t.states.iter().map(|_| number));
            bad.extend(t.states.iter().map(|s| s.bad));
        }
        let is_end = |(t, s): (usize, usize)| program.is_final(ThreadId::new(t), LocalId::new(s));
        let is_stop = |(t, s): (usize, usize)| program.is_stop(ThreadId::new(t), LocalId::new(s));
        let named =
            || program.threads().iter().enumerate().flat_map(|(t, own)| (0..own.states.len()).map(move |s| (t, s)));
        let ends: Vec<bool> = if program.has_finals() { named().map(is_end).collect() } else { Vec::new() };
        let stops: Vec<bool> = if program.has_stops() { named().map(is_stop).collect() } else { Vec::new() };
        let states = || program.threads().iter().flat_map(|t| &t.states);
        // A bad state ends the run, so the events that it blocks are never queried.
        let spares: Vec<bool> = states().map(|s| !s.bad && s.block.len() > 64.max(events / 2)).collect();
        let blocked = states().zip(&spares).map(|(s, spares)| match spares {
            _ if s.bad => Vec::new(),
            false => numbers(&s.block),
            true => {
                let mut spared = EventSet::full(events);
                spared.subtract(&s.block);
                numbers(&spared)
            }
        });
        let (mut targets, mut movers) = (Vec::new(), Vec::new());
        let mut moves = Vec::with_capacity(thread.len());
        for (number, t) in (0u32..).zip(program.threads()) {
            let base = first[number as usize];
            for (own, state) in (0u32..).zip(&t.states) {
                let mut row = Vec::new();
                for (event, to) in state.on.iter().filter(|(_, to)| **to != [LocalId(own)]) {
                    let start = index(targets.len());
                    targets.extend(to.iter().map(|s| base + s.0));
                    row.push((event.0, (start, index(targets.len()))));
                    movers.push((event.0, number));
                }
                moves.push(row);
            }
        }
        movers.sort_unstable();
        movers.dedup();
        Self {
            request: Rows::in_order(states().map(|s| numbers(&s.request))),
            block: Rows::in_order(blocked),
            moves: Rows::in_order(moves.into_iter()),
            movers: Rows::grouped(events, movers.iter().map(|(e, t)| (*e as usize, *t))),
            initial: Rows::in_order(initial.into_iter()),
            first,
            thread,
            bad,
            ends,
            stops,
            priority: program.priorities().iter().flatten().copied().collect(),
            spares,
            targets,
            events,
        }
    }

    /// Number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.first.len() - 1
    }

    /// Number of local states of all threads together.
    #[must_use]
    pub fn locals(&self) -> usize {
        self.thread.len()
    }

    /// Number of events.
    #[must_use]
    pub fn events(&self) -> usize {
        self.events
    }

    /// Returns the thread that a local state belongs to.
    #[must_use]
    pub fn thread(&self, local: Local) -> u32 {
        self.thread[local as usize]
    }

    /// Returns the first local state of a thread.
    #[must_use]
    pub fn first(&self, thread: u32) -> Local {
        self.first[thread as usize]
    }

    /// Returns the initial local states of a thread.
    #[must_use]
    pub fn initial(&self, thread: u32) -> &[Local] {
        self.initial.row(thread as usize)
    }

    /// Returns true if the local state is marked bad.
    #[must_use]
    pub fn is_bad(&self, local: Local) -> bool {
        self.bad[local as usize]
    }

    /// Returns true if the local state is marked final.
    #[must_use]
    pub fn is_end(&self, local: Local) -> bool {
        self.ends.get(local as usize).is_some_and(|ends| *ends)
    }

    /// Returns true if the program may end in the local state, whatever the other threads do.
    #[must_use]
    pub fn is_stop(&self, local: Local) -> bool {
        self.stops.get(local as usize).is_some_and(|stops| *stops)
    }

    /// Returns true if the local state requests the event.
    #[must_use]
    pub fn requests(&self, local: Local, event: u32) -> bool {
        self.request.row(local as usize).binary_search(&event).is_ok()
    }

    /// Returns true if the local state blocks the event.
    #[must_use]
    pub fn blocks(&self, local: Local, event: u32) -> bool {
        let listed = self.block.row(local as usize).binary_search(&event).is_ok();
        self.bad[local as usize] || listed != self.spares[local as usize]
    }

    /// Returns the targets of the event in this local state. The list is empty if the thread certainly stays.
    #[must_use]
    pub fn targets(&self, local: Local, event: u32) -> &[Local] {
        let row = self.moves.row(local as usize);
        match row.binary_search_by_key(&event, |(e, _)| *e) {
            Ok(at) => &self.targets[row[at].1.0 as usize..row[at].1.1 as usize],
            Err(_) => &[],
        }
    }

    /// Returns the threads that the event may move.
    #[must_use]
    pub fn movers(&self, event: u32) -> &[u32] {
        self.movers.row(event as usize)
    }

    /// Returns for each local state the least number of moves of its thread to a bad state; `u32::MAX` if no
    /// bad state can be reached.
    #[must_use]
    pub fn distances_to_bad(&self) -> Vec<u32> {
        let bad = |local: Local| self.bad[local as usize];
        self.distances((0..index(self.locals())).filter(|l| bad(*l)).collect())
    }

    /// Returns for each local state the least number of moves of its thread to one of `goals`; `u32::MAX` if
    /// none can be reached. Blocks of other threads are ignored.
    #[must_use]
    pub fn distances(&self, goals: Vec<Local>) -> Vec<u32> {
        let mut back = Vec::new();
        for local in 0..index(self.locals()) {
            for &(event, (start, end)) in self.moves.row(local as usize) {
                if !self.blocks(local, event) {
                    back.extend(self.targets[start as usize..end as usize].iter().map(|to| (*to, local)));
                }
            }
        }
        back.sort_unstable();
        back.dedup();
        let back = Rows::grouped(self.locals(), back.iter().map(|(to, from)| (*to as usize, *from)));
        let mut distance = vec![u32::MAX; self.locals()];
        goals.iter().for_each(|goal| distance[*goal as usize] = 0);
        let (mut queue, mut next) = (goals, 0);
        while let Some(&at) = queue.get(next) {
            next += 1;
            for &from in back.row(at as usize) {
                if distance[from as usize] == u32::MAX {
                    distance[from as usize] = distance[at as usize] + 1;
                    queue.push(from);
                }
            }
        }
        distance
    }
}

fn numbers(events: &EventSet) -> Vec<u32> {
    events.iter().map(|e: EventId| e.0).collect()
}

fn index(n: usize) -> u32 {
    u32::try_from(n).expect("readers limit programs")
}

/// A list of events with the position of each, so that events are added and removed in constant time.
#[derive(Clone, Debug, Default)]
struct Listed {
    items: Vec<u32>,
    /// For each event: its position in `items`, or `u32::MAX` if it is not listed.
    at: Vec<u32>,
}

impl Listed {
    fn new(events: usize) -> Self {
        Self { items: Vec::new(), at: vec![u32::MAX; events] }
    }

    fn set(&mut self, event: u32, is_in: bool) {
        let at = self.at[event as usize];
        if is_in == (at != u32::MAX) {
            return;
        }
        if is_in {
            self.at[event as usize] = index(self.items.len());
            self.items.push(event);
        } else {
            self.items.swap_remove(at as usize);
            self.at[event as usize] = u32::MAX;
            if let Some(&moved) = self.items.get(at as usize) {
                self.at[moved as usize] = at;
            }
        }
    }
}

/// The data that changes from state to state.
#[derive(Clone, Debug, Default)]
struct Counts {
    /// The local state of each thread.
    at: Vec<Local>,
    /// For each event: number of threads that request it (`requests`), and number of threads that have it in a
    /// row of blocked events (`blocks`).
    requests: Vec<u32>,
    blocks: Vec<u32>,
    /// For each event: number of local states in `sparing` that do not block it.
    spared: Vec<u32>,
    /// The current local states that are stored by the events that they do not block.
    sparing: Vec<Local>,
    /// The events that are requested and are in no row of blocked events.
    ready: Listed,
    /// The enabled events, if `sparing` is not empty or the program has priorities.
    open: Vec<u32>,
    /// Number of requested events.
    requested: usize,
    /// Number of threads in a state marked bad (`bad`), in a state marked final (`ends`), and in a state in which the
    /// program may end (`stops`).
    bad: usize,
    ends: usize,
    stops: usize,
    hash: u64,
}

/// A composite state that can step.
#[derive(Clone, Debug)]
pub struct Running {
    rows: Arc<Compiled>,
    now: Counts,
    /// Number of row entries read so far.
    pub effort: u64,
}

impl Running {
    /// Creates the composite state `at`, which has one local state per thread. The cost is linear in the
    /// program.
    #[must_use]
    pub fn new(rows: &Arc<Compiled>, at: &[Local]) -> Self {
        let mut running = Self { rows: Arc::clone(rows), now: Counts::default(), effort: 0 };
        running.restart(at);
        running
    }

    /// Changes to the composite state `at`. The cost is linear in the program.
    pub fn restart(&mut self, at: &[Local]) {
        debug_assert_eq!(at.len(), self.rows.threads());
        let events = self.rows.events;
        let zeros = || vec![0u32; events];
        self.now = Counts {
            at: at.to_vec(),
            requests: zeros(),
            blocks: zeros(),
            spared: zeros(),
            ready: Listed::new(events),
            ..Counts::default()
        };
        self.effort += (events + at.len()) as u64;
        at.iter().for_each(|local| self.effort += self.now.enter(&self.rows, *local));
        self.effort += self.now.look(&self.rows);
    }

    /// Returns the local state of each thread.
    #[must_use]
    pub fn at(&self) -> &[Local] {
        &self.now.at
    }

    /// Returns the enabled events, in no particular order (but the same order after the same steps). The result
    /// is meaningless in a bad state.
    #[must_use]
    pub fn enabled(&self) -> &[u32] {
        if self.now.sparing.is_empty() && self.rows.priority.is_empty() {
            &self.now.ready.items
        } else {
            &self.now.open
        }
    }

    /// Returns the number of events that are requested but not enabled.
    #[must_use]
    pub fn blocked(&self) -> usize {
        self.now.requested - self.enabled().len()
    }

    /// Returns true if the event is enabled: some thread requests it, with the greatest priority, no thread blocks it,
    /// and no thread is in a bad state.
    #[must_use]
    pub fn is_enabled(&self, event: u32) -> bool {
        let has_priority = || self.rows.priority.is_empty() || self.now.open.contains(&event);
        self.now.bad == 0 && self.now.is_open(event) && has_priority()
    }

    /// Returns the number of threads that request the event.
    #[must_use]
    pub fn requesters(&self, event: u32) -> u32 {
        self.now.requests[event as usize]
    }

    /// Returns the goal that the composite state belongs to, if there is one.
    #[must_use]
    pub fn goal(&self) -> Option<Goal> {
        match self.now.bad {
            0 => (self.enabled().is_empty() && !self.is_proper_end()).then_some(Goal::Deadlock),
            _ => Some(Goal::Bad),
        }
    }

    /// Returns true if every thread is in a state marked final, or one in a state in which the program may end.
    fn is_proper_end(&self) -> bool {
        self.now.stops > 0 || !self.rows.ends.is_empty() && self.now.ends == self.now.at.len()
    }

    /// Returns a hash of the composite state.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.now.hash
    }

    /// Fires the event. `choose` selects one of several targets. The moves are appended to `changes`.
    pub fn fire(&mut self, event: u32, mut choose: impl FnMut(&[Local]) -> Local, changes: &mut Vec<Change>) {
        debug_assert!(self.is_enabled(event));
        let before = changes.len();
        let movers = self.rows.movers(event);
        for &thread in movers {
            let from = self.now.at[thread as usize];
            let to = match self.rows.targets(from, event) {
                [] => continue,
                &[to] => to,
                several => choose(several),
            };
            changes.push(Change { from, to });
        }
        self.effort += movers.len() as u64;
        self.apply(&changes[before..]);
    }

    /// Makes these changes, which must be of different threads.
    pub fn apply(&mut self, changes: &[Change]) {
        changes.iter().for_each(|c| self.effort += self.now.shift(&self.rows, c.from, c.to));
        self.effort += self.now.look(&self.rows);
    }

    /// Undoes these changes of one step.
    pub fn undo(&mut self, changes: &[Change]) {
        changes.iter().for_each(|c| self.effort += self.now.shift(&self.rows, c.to, c.from));
        self.effort += self.now.look(&self.rows);
    }
}

impl Counts {
    fn is_open(&self, event: u32) -> bool {
        self.ready.at[event as usize] != u32::MAX && self.spared[event as usize] as usize == self.sparing.len()
    }

    /// Moves a thread from one local state to another. Returns the cost.
    fn shift(&mut self, rows: &Compiled, from: Local, to: Local) -> u64 {
        if from == to {
            return 0;
        }
        self.at[rows.thread(to) as usize] = to;
        self.leave(rows, from) + self.enter(rows, to)
    }

    fn enter(&mut self, rows: &Compiled, local: Local) -> u64 {
        self.hash ^= hash_of(local);
        self.bad += usize::from(rows.is_bad(local));
        self.ends += usize::from(rows.is_end(local));
        self.stops += usize::from(rows.is_stop(local));
        let (request, block) = (rows.request.row(local as usize), rows.block.row(local as usize));
        for &event in request {
            let count = &mut self.requests[event as usize];
            *count += 1;
            if *count == 1 {
                self.requested += 1;
                self.ready.set(event, self.blocks[event as usize] == 0);
            }
        }
        if rows.spares[local as usize] {
            self.sparing.push(local);
            block.iter().for_each(|event| self.spared[*event as usize] += 1);
        } else {
            for &event in block {
                self.blocks[event as usize] += 1;
                self.ready.set(event, false);
            }
        }
        (request.len() + block.len()) as u64
    }

    fn leave(&mut self, rows: &Compiled, local: Local) -> u64 {
        self.hash ^= hash_of(local);
        self.bad -= usize::from(rows.is_bad(local));
        self.ends -= usize::from(rows.is_end(local));
        self.stops -= usize::from(rows.is_stop(local));
        let (request, block) = (rows.request.row(local as usize), rows.block.row(local as usize));
        for &event in request {
            let count = &mut self.requests[event as usize];
            *count -= 1;
            if *count == 0 {
                self.requested -= 1;
                self.ready.set(event, false);
            }
        }
        if rows.spares[local as usize] {
            let at = self.sparing.iter().position(|l| *l == local).expect("it is taken");
            self.sparing.swap_remove(at);
            block.iter().for_each(|event| self.spared[*event as usize] -= 1);
        } else {
            for &event in block {
                let count = &mut self.blocks[event as usize];
                *count -= 1;
                if *count == 0 {
                    self.ready.set(event, self.requests[event as usize] > 0);
                }
            }
        }
        (request.len() + block.len()) as u64
    }

    /// Updates the enabled events if some current local state is stored by the events that it does not block,
    /// because only these events can be enabled, or if the program has priorities. Returns the cost.
    fn look(&mut self, rows: &Compiled) -> u64 {
        if self.sparing.is_empty() && rows.priority.is_empty() {
            return 0;
        }
        let mut open = std::mem::take(&mut self.open);
        open.clear();
        let candidates = self.sparing.last().map_or(&*self.ready.items, |&local| rows.block.row(local as usize));
        open.extend(candidates.iter().filter(|event| self.is_open(**event)));
        let mut cost = candidates.len() as u64;
        if !rows.priority.is_empty() {
            cost += self.keep_greatest(rows, &mut open);
        }
        self.open = open;
        cost
    }

    /// Removes the events that no thread requests with the greatest priority. Returns the cost.
    fn keep_greatest(&self, rows: &Compiled, open: &mut Vec<u32>) -> u64 {
        let (mut greatest, mut cost) = (i64::MIN, self.at.len() as u64);
        for &local in &self.at {
            let request = rows.request.row(local as usize);
            if rows.priority[local as usize] >= greatest && request.iter().any(|event| self.is_open(*event)) {
                greatest = rows.priority[local as usize];
            }
            cost += request.len() as u64;
        }
        let first = self.at.iter().filter(|local| rows.priority[**local as usize] == greatest);
        let kept: HashSet<u32> = first.flat_map(|local| rows.request.row(*local as usize)).copied().collect();
        open.retain(|event| kept.contains(event));
        cost
    }
}

/// Returns the part of a local state in the hash of a composite state (SplitMix64). The hash is the exclusive
/// or of all parts.
pub(crate) fn hash_of(local: Local) -> u64 {
    let mut z = (u64::from(local) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
