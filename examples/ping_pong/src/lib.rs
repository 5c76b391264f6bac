//! A pattern that counts events, in a crate outside of the project. It recognises a marker that becomes bad when it has
//! gone up too far, while other threads bound how much more often events go up than down.
//!
//! Suppose that the marker goes one step up on some events and one step down on others, and is bad at height `h`. Other
//! threads bound differences of counts: one that counts `ping` up and `pong` down through n + 1 positions shows
//! count(ping) - count(pong) <= n. If such bounds add up to less than `h`, the marker is never bad. No thread alone
//! shows this, and the product has about n^k states for k such pairs of events.
//!
//! Formulas, for every violating run rho:
//! * rho ends in a bad state of some thread (`BadState`).
//! * If rho ends with the marker in a bad state, then the counts of ups, less those of downs, are at least its height
//!   (`Counts`).
//! * For each thread and each two events that it sees: the bound of the difference of their counts (`Counts`).
//!
//! Side conditions:
//! * The first clause has every bad state of every thread. Without this, a run ends in a bad state that is left out.
//! * The bounds are those of the longest paths of single threads, whatever the other threads do. Without this, a thread
//!   that ignores an event at its end seems to count it.
//!
//! Both are met by [`impasse::patterns::facts`], and the checker derives every clause again.

use impasse::model::lemma::{Lemma, LemmaKind};
use impasse::model::pattern::{Coverage, Match, Pattern, WhyNot};
use impasse::model::{EventId, EventSet, Goal, LocalId, LocalState, Program, Thread, ThreadId};
use impasse::patterns::facts::{self, Counts};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A run to the goal `bad` ends in a bad state of some thread.
pub const BAD: LemmaKind = LemmaKind("ping_pong.bad");
/// The counts of ups less those of downs are at least the height of the bad state in which the marker ends.
pub const HEIGHT: LemmaKind = LemmaKind("ping_pong.height");
/// A thread bounds the difference of the counts of two events.
pub const DIFFERENCE: LemmaKind = LemmaKind("ping_pong.difference");

/// A condition that a test leaves out. The pattern is then unsound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideCondition {
    /// All bad states count, not only those of the first thread that has one.
    EveryBadState,
    /// A thread stays in its state when an event fires that the state does not mention.
    Staying,
    /// A thread starts in any of its initial states.
    EveryInitialState,
}

/// The pattern.
#[derive(Clone, Copy, Debug)]
pub struct PingPong {
    omit: Option<SideCondition>,
}

/// The sound pattern.
pub const PING_PONG: PingPong = PingPong { omit: None };

/// The events on which a marker goes up (weight 1) and down (weight -1).
type Weights = Vec<(EventId, i64)>;

impl Pattern for PingPong {
    fn name(&self) -> &'static str {
        "ping_pong"
    }

    fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        if goal != Goal::Bad {
            return Err(WhyNot::new(None, "it speaks of bad states only"));
        }
        let seen = self.seen(threads);
        let bad = self.bad_states(&seen);
        let counts = Counts::new(&seen);
        let mut lemmas = Vec::new();
        let mut signs: BTreeMap<EventId, i64> = BTreeMap::new();
        for &(marker, state) in &bad {
            let Some(weights) = weights(&seen[marker.index()], state) else {
                return Err(WhyNot::new(Some(marker), "an event does not always go one step up or one step down"));
            };
            signs.extend(weights.iter().copied());
            let negated: Weights = weights.iter().map(|(event, sign)| (*event, -sign)).collect();
            lemmas.extend(counts.at_most(HEIGHT, marker, Some(state), &negated));
        }
        let (mut bounds, mut covered) = (Vec::new(), BTreeSet::new());
        let markers: BTreeSet<ThreadId> = bad.iter().map(|(marker, _)| *marker).collect();
        for thread in (0..seen.len()).map(ThreadId::new).filter(|thread| !markers.contains(thread)) {
            let moves: BTreeSet<EventId> =
                seen[thread.index()].states.iter().flat_map(|state| state.on.keys().copied()).collect();
            let with = |sign: i64| -> Vec<EventId> {
                moves.iter().copied().filter(|event| signs.get(event) == Some(&sign)).collect()
            };
            let (ups, downs) = (with(1), with(-1));
            for (&up, &down) in ups.iter().flat_map(|up| downs.iter().map(move |down| (up, down))) {
                if let Some(bound) = counts.at_most(DIFFERENCE, thread, None, &[(up, 1), (down, -1)]) {
                    bounds.push(bound);
                    covered.insert(thread);
                }
            }
        }
        if bounds.is_empty() {
            return Err(WhyNot::new(None, "no thread bounds the difference of an event up and an event down"));
        }
        lemmas.extend(bounds);
        let mut clause = facts::bad_state(BAD, threads);
        if self.omit == Some(SideCondition::EveryBadState) {
            clause.clause.truncate(1 + bad.len());
        }
        lemmas.push(clause);
        covered.extend(markers);
        Ok(Box::new(Found { lemmas, threads: covered.into_iter().collect() }))
    }
}

impl PingPong {
    /// Returns the pattern without a condition, for tests.
    #[must_use]
    pub const fn without(condition: SideCondition) -> Self {
        Self { omit: Some(condition) }
    }

    /// The threads as the pattern sees them: changed if a test leaves a condition out.
    fn seen(&self, threads: &[Thread]) -> Vec<Thread> {
        let mut seen = threads.to_vec();
        for thread in &mut seen {
            let moves: BTreeSet<EventId> = thread.states.iter().flat_map(|state| state.on.keys().copied()).collect();
            for state in thread.states.iter_mut().filter(|state| !state.bad) {
                if self.omit == Some(SideCondition::Staying) {
                    let ignored = moves.iter().filter(|event| !state.on.contains_key(event));
                    ignored.for_each(|event| state.block.insert(*event));
                }
            }
            if self.omit == Some(SideCondition::EveryInitialState) {
                thread.initial.truncate(1);
            }
        }
        seen
    }

    fn bad_states(&self, threads: &[Thread]) -> Vec<(ThreadId, LocalId)> {
        let mut bad = facts::bad_states(threads);
        if self.omit == Some(SideCondition::EveryBadState) {
            let first = bad.first().map(|(thread, _)| *thread);
            bad.retain(|(thread, _)| Some(*thread) == first);
        }
        bad
    }
}

/// Returns for each event whether it takes the thread one step nearer to `state` (1) or one step away (-1), wherever it
/// moves the thread. `None` if an event does neither or both.
fn weights(thread: &Thread, state: LocalId) -> Option<Weights> {
    let distance = distances(thread, state);
    let reachable = thread.locally_reachable();
    let mut weights: BTreeMap<EventId, i64> = BTreeMap::new();
    for (s, from) in thread.states.iter().enumerate().filter(|(s, _)| reachable[*s]) {
        for (&event, targets) in from.on.iter().filter(|(event, _)| !from.block.contains(**event)) {
            for to in targets {
                let nearer = distance[s]? - distance[to.index()]?;
                if nearer.abs() != 1 || *weights.entry(event).or_insert(nearer) != nearer {
                    return None;
                }
            }
        }
    }
    Some(weights.into_iter().collect())
}

/// Returns for each state of the thread the number of moves from it to `state`.
fn distances(thread: &Thread, state: LocalId) -> Vec<Option<i64>> {
    let mut sources: Vec<Vec<usize>> = vec![Vec::new(); thread.states.len()];
    for (s, from) in thread.states.iter().enumerate() {
        from.on.values().flatten().for_each(|to| sources[to.index()].push(s));
    }
    let mut distance = vec![None; thread.states.len()];
    distance[state.index()] = Some(0);
    let mut queue = VecDeque::from([state.index()]);
    while let Some(to) = queue.pop_front() {
        for &from in &sources[to] {
            if distance[from].is_none() {
                distance[from] = distance[to].map(|steps: i64| steps + 1);
                queue.push_back(from);
            }
        }
    }
    distance
}

struct Found {
    lemmas: Vec<Lemma>,
    threads: Vec<ThreadId>,
}

impl Match for Found {
    fn coverage(&self) -> Coverage {
        Coverage { goal: Goal::Bad, threads: self.threads.clone() }
    }

    fn on_start(&mut self, out: &mut Vec<Lemma>) {
        out.append(&mut self.lemmas);
    }
}

/// Returns a program of `pairs` pairs of threads and a marker. Both threads of a pair go up on the event `ping` of the
/// pair and down on its `pong`, through `positions` + 1 positions. The marker goes up on every ping and down on every
/// pong, and is bad above `limit`. So it is safe iff `limit` is at least `pairs * positions`.
///
/// # Panics
/// If there is no pair, or if there are too many states.
#[must_use]
pub fn family(pairs: usize, positions: usize, limit: usize) -> Program {
    let events = 2 * pairs;
    let pings: Vec<EventId> = (0..pairs).map(|pair| EventId::new(2 * pair)).collect();
    let pongs: Vec<EventId> = (0..pairs).map(|pair| EventId::new(2 * pair + 1)).collect();
    let mut threads = Vec::new();
    for pair in 0..pairs {
        for side in ["Ping", "Pong"] {
            let (ping, pong) = (&pings[pair..=pair], &pongs[pair..=pair]);
            threads.push(counter(&format!("{side}{pair}"), events, ping, pong, positions));
        }
    }
    let mut marker = counter("Marker", events, &pings, &pongs, limit);
    for state in &mut marker.states {
        state.request = EventSet::empty(events);
    }
    let top = marker.states.last_mut().expect("a counter has a state");
    pings.iter().for_each(|ping| {
        top.block.remove(*ping);
        top.on.insert(*ping, vec![LocalId::new(limit + 1)]);
    });
    marker.states.push(LocalState::bad("above".to_owned(), events));
    threads.push(marker);
    let names = (0..events).map(|e| format!("{}{}", if e % 2 == 0 { "ping" } else { "pong" }, e / 2)).collect();
    Program::new(names, threads, vec![Goal::Bad]).expect("the threads fit together")
}

/// A thread that requests `ups` and `downs`, goes up and down on them, and blocks what would leave `0..=most`.
fn counter(name: &str, events: usize, ups: &[EventId], downs: &[EventId], most: usize) -> Thread {
    let none = EventSet::empty(events);
    let state = |s: usize| {
        let (mut block, mut on) = (none.clone(), BTreeMap::new());
        for &up in ups {
            if s < most { drop(on.insert(up, vec![LocalId::new(s + 1)])) } else { block.insert(up) }
        }
        for &down in downs {
            if s > 0 { drop(on.insert(down, vec![LocalId::new(s - 1)])) } else { block.insert(down) }
        }
        let request = EventSet::from_events(events, on.keys().copied());
        LocalState { name: format!("at{s}"), request, block, bad: false, on }
    };
    Thread { name: name.to_owned(), states: (0..=most).map(state).collect(), initial: vec![LocalId(0)] }
}

#[cfg(test)]
mod tests;
