//! The wait-for graph of a behavioral program in a state: which thread waits for which other one, and the cycle in
//! which threads wait for each other, if there is one.
//!
//! A thread that requests an event waits for each thread that blocks it. A thread that blocks such an event waits for
//! the threads that may still request an event that moves it on: one that some local state requests which the other
//! thread can reach by itself, without events that the first thread blocks.

use crate::walk;
use model::{EventId, EventSet, LocalId, Program, ThreadId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The most local states that are visited for the events that threads may request.
const STATES: usize = 500_000;
/// The most threads of which cycles are searched.
const THREADS: usize = 2_000;

/// A thread that waits for another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The thread that waits.
    pub from: ThreadId,
    /// The thread that it waits for.
    pub to: ThreadId,
    /// The event that does not happen.
    pub event: EventId,
    /// True if `from` requests the event and `to` blocks it. Otherwise `from` waits for the event, and only a request
    /// of `to` or of another thread would let it happen.
    pub is_blocked: bool,
}

/// The wait-for graph of a state.
#[derive(Clone, Default, Debug)]
pub struct Waits {
    /// One edge for each two threads.
    pub edges: Vec<Wait>,
    /// A shortest cycle: numbers of edges.
    pub cycle: Vec<usize>,
}

impl Waits {
    /// Computes the graph of the state `at`.
    #[must_use]
    pub fn of(program: &Program, at: &[u32]) -> Self {
        let mut edges: BTreeMap<(ThreadId, ThreadId), Wait> = BTreeMap::new();
        for event in walk::requested(program, at).iter() {
            for from in walk::requesters(program, at, event) {
                for to in walk::blockers(program, at, event) {
                    edges.entry((from, to)).or_insert(Wait { from, to, event, is_blocked: true });
                }
            }
        }
        let blocking: BTreeSet<ThreadId> = edges.keys().map(|(_, to)| *to).collect();
        let mut left = STATES;
        let (mut open, mut known): (Vec<ThreadId>, _) = (blocking.iter().copied().collect(), blocking);
        while let Some(from) = open.pop() {
            let moving: Vec<EventId> = moving(program, from, at).collect();
            let block = &program.thread(from).state(LocalId(at[from.index()])).block;
            for to in (0..at.len()).map(ThreadId::new).filter(|to| *to != from) {
                let later = requests(program, (to, at[to.index()]), block, &mut left);
                let Some(&event) = moving.iter().find(|event| later.contains(**event)) else { continue };
                edges.entry((from, to)).or_insert(Wait { from, to, event, is_blocked: false });
                if known.insert(to) {
                    open.push(to);
                }
            }
        }
        let edges: Vec<Wait> = edges.into_values().collect();
        let cycle = if program.threads().len() <= THREADS { cycle(&edges) } else { Vec::new() };
        Self { edges, cycle }
    }

    /// Returns a line for each edge of the cycle, or for the threads at which the waiting ends.
    #[must_use]
    pub fn lines(&self, program: &Program, at: &[u32]) -> Vec<String> {
        let line = |wait: &Wait| {
            let (from, to) = (&program.thread(wait.from).name, &program.thread(wait.to).name);
            let event = program.event_name(wait.event);
            match (wait.is_blocked, from == to) {
                (true, true) => format!("{from} requests {event}, and blocks it itself"),
                (true, false) => format!("{from} requests {event}, which {to} blocks"),
                (false, _) => format!("{from} waits for {event}, which {to} may request later"),
            }
        };
        if !self.cycle.is_empty() {
            return self.cycle.iter().map(|edge| line(&self.edges[*edge])).collect();
        }
        let waiting: BTreeSet<ThreadId> = self.edges.iter().map(|wait| wait.from).collect();
        let last: BTreeSet<ThreadId> = self.edges.iter().map(|wait| wait.to).filter(|t| !waiting.contains(t)).collect();
        let ended = |t: ThreadId| {
            let name = &program.thread(t).name;
            let verb = if self.edges.iter().any(|wait| wait.to == t && wait.is_blocked) { "blocks" } else { "waits" };
            match moving(program, t, at).next() {
                Some(event) => {
                    format!("{name} {verb} until {}, which no thread can request any more", program.event_name(event))
                }
                None => format!("{name} {verb} for ever"),
            }
        };
        last.into_iter().map(ended).collect()
    }
}

/// Events that move a thread to another state, and that it neither requests nor blocks itself.
fn moving<'p>(program: &'p Program, t: ThreadId, at: &[u32]) -> impl Iterator<Item = EventId> + 'p {
    let state = program.thread(t).state(LocalId(at[t.index()]));
    let here = LocalId(at[t.index()]);
    let moves = state.on.iter().filter(move |(event, to)| {
        let is_own = state.request.contains(**event) || state.block.contains(**event);
        !is_own && to.iter().any(|to| *to != here)
    });
    moves.map(|(event, _)| *event)
}

/// Returns the events that a thread requests in some local state that it can reach from this one, as far as `left`
/// local states show it, without taking blocked events.
fn requests(program: &Program, (t, from): (ThreadId, u32), block: &EventSet, left: &mut usize) -> EventSet {
    let thread = program.thread(t);
    let mut events = EventSet::empty(program.events().len());
    let (mut known, mut open) = (BTreeSet::from([LocalId(from)]), vec![LocalId(from)]);
    while let Some(s) = open.pop() {
        let state = thread.state(s);
        events.union_with(&state.request);
        let next = state.on.iter().filter(|(event, _)| !block.contains(**event)).flat_map(|(_, to)| to);
        open.extend(next.copied().filter(|to| known.insert(*to)));
        if *left == 0 {
            break;
        }
        *left -= 1;
    }
    events
}

/// Returns a shortest cycle, as numbers of edges.
fn cycle(edges: &[Wait]) -> Vec<usize> {
    let mut after: BTreeMap<ThreadId, Vec<usize>> = BTreeMap::new();
    for (number, wait) in edges.iter().enumerate() {
        after.entry(wait.from).or_default().push(number);
    }
    let from = |thread: &ThreadId| after.get(thread).into_iter().flatten().copied();
    let mut shortest: Vec<usize> = Vec::new();
    for start in edges.iter().filter(|wait| wait.is_blocked).map(|wait| wait.from).collect::<BTreeSet<_>>() {
        let (mut by, mut open): (BTreeMap<ThreadId, usize>, _) = (BTreeMap::new(), VecDeque::from([start]));
        while let Some(at) = open.pop_front() {
            for edge in from(&at) {
                let to = edges[edge].to;
                if by.contains_key(&to) {
                    continue;
                }
                by.insert(to, edge);
                open.push_back(to);
            }
        }
        let (mut path, mut at) = (Vec::new(), start);
        while let Some(&edge) = by.get(&at) {
            path.push(edge);
            at = edges[edge].from;
            if at == start {
                break;
            }
        }
        let is_better = at == start && !path.is_empty() && (shortest.is_empty() || path.len() < shortest.len());
        if is_better {
            path.reverse();
            shortest = path;
        }
    }
    shortest
}
