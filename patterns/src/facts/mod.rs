//! Lemmas that many patterns need, with their justifications. A pattern that states them with these functions has
//! lemmas that the checker accepts. The checker derives each of them again, with code of its own.
//!
//! ```
//! use impasse_patterns::facts;
//! use model::{EventId, EventSet, LemmaKind, LocalId, LocalState, Thread, ThreadId};
//!
//! // A thread that goes up on event 0 and down on event 1, through three states.
//! let state = |s: u32| LocalState {
//!     name: format!("at{s}"),
//!     request: EventSet::full(2),
//!     block: match s {
//!         0 => EventSet::from_events(2, [EventId(1)]),
//!         2 => EventSet::from_events(2, [EventId(0)]),
//!         _ => EventSet::empty(2),
//!     },
//!     bad: false,
//!     on: [(EventId(0), vec![LocalId((s + 1).min(2))]), (EventId(1), vec![LocalId(s.saturating_sub(1))])].into(),
//! };
//! let thread = Thread { name: "counter".to_owned(), states: (0..3).map(state).collect(), initial: vec![LocalId(0)] };
//! const KIND: LemmaKind = LemmaKind("looped.state"); // the kind of a pattern of your own
//! let difference = [(EventId(0), 1), (EventId(1), -1)];
//! let (threads, counter) = ([thread], ThreadId(0));
//! let counts = facts::Counts::new(&threads);
//! assert_eq!(counts.largest(counter, None, &difference), Some(2));
//! assert_eq!(counts.largest(counter, Some(LocalId(1)), &difference), Some(1));
//! assert_eq!(counts.largest(counter, None, &difference[..1]), None, "event 0 alone can fire without end");
//! // count(0) - count(1) <= 2
//! let lemma = counts.at_most(KIND, counter, None, &difference);
//! assert_eq!(lemma.unwrap().clause.len(), 1);
//! ```

#[cfg(test)]
mod tests;

use model::array::ArrayRule;
use model::{
    Constant, EventId, EventSet, Goal, IntAtom, IntTerm, Justification, Lemma, LemmaKind, LemmaLit, LocalId,
    LocalState, Prop, Thread, ThreadId,
};
use std::collections::{BTreeMap, VecDeque};

/// Limit on the number of moves that [`Counts::largest`] follows, for each move of the thread. A counter needs one or
/// two.
const ROUNDS: usize = 64;

/// Returns the bad states that the threads can reach, each thread alone, in order.
#[must_use]
pub fn bad_states(threads: &[Thread]) -> Vec<(ThreadId, LocalId)> {
    let mut places = Vec::new();
    for (i, thread) in threads.iter().enumerate().filter(|(_, thread)| thread.states.iter().any(|s| s.bad)) {
        let reachable = thread.locally_reachable();
        let bad = (0..thread.states.len()).filter(|&s| reachable[s] && thread.states[s].bad);
        places.extend(bad.map(|s| (ThreadId::new(i), LocalId::new(s))));
    }
    places
}

/// A run to the goal `bad` ends in a bad state of some thread. Cost: one literal for each bad state.
#[must_use]
pub fn bad_state(kind: LemmaKind, threads: &[Thread]) -> Lemma {
    ends_in_one_of(kind, &bad_states(threads))
}

/// The same for bad states that the caller has listed.
pub(crate) fn ends_in_one_of(kind: LemmaKind, places: &[(ThreadId, LocalId)]) -> Lemma {
    let mut clause = vec![LemmaLit::no(Prop::Ends(Goal::Bad))];
    let there = |&(thread, state): &(ThreadId, LocalId)| LemmaLit::yes(Prop::StateBack { back: 0, thread, state });
    clause.extend(places.iter().map(there));
    Lemma { kind, clause, justification: Some(Justification::BadState) }
}

/// A thread that is in `state`, `back` events before the end, is there since the start, or an event led there. Cost: a
/// literal for each event that leads to the state or leaves the thread in it.
#[must_use]
pub fn entered_by(kind: LemmaKind, threads: &[Thread], back: u32, thread: ThreadId, state: LocalId) -> Lemma {
    let of = &threads[thread.index()];
    let mut clause = vec![LemmaLit::no(Prop::StateBack { back, thread, state })];
    if of.initial.contains(&state) {
        clause.push(LemmaLit::yes(Prop::Int(IntAtom::equals(Constant::RunLength, back.into()))));
    }
    let reachable = of.locally_reachable();
    let mut events = EventSet::empty(of.states[0].block.universe());
    for (s, from) in of.states.iter().enumerate().filter(|(s, _)| reachable[*s]) {
        let leads = from.on.iter().filter(|(event, to)| !from.block.contains(**event) && to.contains(&state));
        leads.for_each(|(event, _)| events.insert(*event));
        if s == state.index() {
            let open = (0..events.universe()).map(EventId::new).filter(|event| !from.block.contains(*event));
            open.filter(|event| !from.on.contains_key(event)).for_each(|event| events.insert(event));
        }
    }
    clause.extend(events.iter().map(|event| LemmaLit::yes(Prop::EventBack { back, event })));
    Lemma { kind, clause, justification: Some(Justification::EnteredBy { back, thread, state }) }
}

/// What single threads tell about the counts of events.
#[derive(Clone, Debug)]
pub struct Counts<'a> {
    threads: &'a [Thread],
    /// Events that some thread requests in a state that it can reach. No other event fires.
    requested: EventSet,
}

impl<'a> Counts<'a> {
    /// Prepares to look at these threads, all threads of a program. The cost is linear in their size.
    #[must_use]
    pub fn new(threads: &'a [Thread]) -> Self {
        let events = threads.first().map_or(0, |thread| thread.states[0].block.universe());
        let mut requested = EventSet::empty(events);
        for thread in threads {
            let reachable = thread.locally_reachable();
            let states = thread.states.iter().zip(reachable).filter(|(state, reachable)| *reachable && !state.bad);
            states.for_each(|(state, _)| requested.union_with(&state.request));
        }
        Self { threads, requested }
    }

    /// The weighted sum of the counts of events has an upper bound, because of one thread: `sum <= largest`. With
    /// `end`: if the thread ends there. `None` if [`Counts::largest`] finds no bound. For a lower bound, negate the
    /// weights. Cost: one clause; the time to find and to check it is about linear in the moves of the thread.
    #[must_use]
    pub fn at_most(
        &self,
        kind: LemmaKind,
        thread: ThreadId,
        end: Option<LocalId>,
        weights: &[(EventId, i64)],
    ) -> Option<Lemma> {
        let bound = self.largest(thread, end, weights)?;
        let mut clause: Vec<LemmaLit> =
            end.map(|state| LemmaLit::no(Prop::StateBack { back: 0, thread, state })).into_iter().collect();
        clause.push(LemmaLit::yes(Prop::Int(IntAtom::Le(IntTerm::counts(weights), IntTerm::number(bound)))));
        Some(Lemma { kind, clause, justification: Some(Justification::Counts { threads: vec![thread], length: 0 }) })
    }

    /// Returns the largest value that the weighted sum of the counts of events can have, as far as one thread tells: at
    /// the end of every run, or of every run that ends with the thread in `end`. `None` if it has no bound, if no run
    /// ends there, or if finding the bound takes more than about linear time.
    ///
    /// The sum is the length of the longest path of the thread, with the weights as lengths of moves. The computation
    /// is the method of Bellman and Ford with a queue.
    #[must_use]
    pub fn largest(&self, thread: ThreadId, end: Option<LocalId>, weights: &[(EventId, i64)]) -> Option<i64> {
        let of = &self.threads[thread.index()];
        let moves = self.moves(of, weights);
        let count = of.states.len();
        let is_end = |s: usize| end.is_none_or(|end| end.index() == s);
        let useful = leads_to(&moves, (0..count).filter(|&s| is_end(s)).collect());
        let mut longest: Vec<Option<i64>> = vec![None; count];
        let mut queue: VecDeque<usize> = VecDeque::new();
        let mut is_queued = vec![false; count];
        for s in of.initial.iter().map(|s| s.index()).filter(|&s| useful[s]) {
            longest[s] = Some(0);
            is_queued[s] = true;
            queue.push_back(s);
        }
        let mut left = ROUNDS * (count + moves.iter().map(Vec::len).sum::<usize>());
        while let Some(s) = queue.pop_front() {
            is_queued[s] = false;
            left = left.checked_sub(1 + moves[s].len())?;
            for &(to, weight) in moves[s].iter().filter(|(to, _)| useful[*to]) {
                let length = longest[s]?.checked_add(weight)?;
                if to == s && weight > 0 {
                    return None;
                }
                if longest[to].is_none_or(|known| known < length) {
                    longest[to] = Some(length);
                    if !std::mem::replace(&mut is_queued[to], true) {
                        queue.push_back(to);
                    }
                }
            }
        }
        (0..count).filter(|&s| is_end(s)).filter_map(|s| longest[s]).max()
    }

    /// For each state of a thread: its moves on events that may fire, as the target and the weight.
    fn moves(&self, of: &Thread, weights: &[(EventId, i64)]) -> Vec<Vec<(usize, i64)>> {
        let mut weight: BTreeMap<EventId, i64> = BTreeMap::new();
        for (event, by) in weights {
            *weight.entry(*event).or_default() += by;
        }
        let from = |(s, state): (usize, &LocalState)| {
            let fires = |event: EventId| self.requested.contains(event) && !state.block.contains(event) && !state.bad;
            let mut moves: Vec<(usize, i64)> = Vec::new();
            for (&event, targets) in state.on.iter().filter(|(event, _)| fires(**event)) {
                let weight = weight.get(&event).copied().unwrap_or(0);
                moves.extend(targets.iter().map(|to| (to.index(), weight)));
            }
            let stays = weight.iter().filter(|(event, _)| fires(**event) && !state.on.contains_key(event));
            moves.extend(stays.map(|(_, weight)| (s, *weight)));
            moves
        };
        of.states.iter().enumerate().map(from).collect()
    }
}

/// An event that fired `back` events before the last event has fired: `not EventBack(back, event)` or `count(event) >=
/// 1`. Cost: one clause of two literals.
#[must_use]
pub fn has_fired(kind: LemmaKind, threads: &[Thread], back: u32, event: EventId) -> Lemma {
    let once = Prop::Int(IntAtom::at_least(Constant::Count(event), 1));
    let clause = vec![LemmaLit::no(Prop::EventBack { back, event }), LemmaLit::yes(once)];
    Lemma { kind, clause, justification: Some(anywhere(threads, back + 1)) }
}

/// The counts of all events add up to the length of the run. Cost: one clause, with all events in one atom.
#[must_use]
pub fn total(kind: LemmaKind, threads: &[Thread]) -> Lemma {
    let events = threads.first().map_or(0, |thread| thread.states[0].block.universe());
    let all: Vec<(EventId, i64)> = (0..events).map(|event| (EventId::new(event), 1)).collect();
    let atom = IntAtom::Eq(IntTerm::counts(&all), IntTerm::Constant(Constant::RunLength));
    Lemma { kind, clause: vec![LemmaLit::yes(Prop::Int(atom))], justification: Some(anywhere(threads, 0)) }
}

/// A rule of arrays, as a lemma: what a state of a thread says about a cell, or what an event writes. The side theory
/// adds the other rules by itself. Cost: one clause, and for [`ArrayRule::Moves`] the moves of the cells on the event.
#[must_use]
pub fn array(kind: LemmaKind, rule: ArrayRule) -> Lemma {
    Lemma { kind, clause: rule.clause(), justification: Some(Justification::Array(rule)) }
}

/// A justification of statements about counts that hold whatever the threads do. The smallest thread is the cheapest
/// group.
fn anywhere(threads: &[Thread], length: u32) -> Justification {
    let smallest = (0..threads.len()).min_by_key(|&i| threads[i].states.len()).unwrap_or_default();
    Justification::Counts { threads: vec![ThreadId::new(smallest)], length }
}

/// For each state: true if moves lead from it to one of `ends`.
fn leads_to(moves: &[Vec<(usize, i64)>], ends: Vec<usize>) -> Vec<bool> {
    let mut sources: Vec<Vec<usize>> = vec![Vec::new(); moves.len()];
    for (s, moves) in moves.iter().enumerate() {
        moves.iter().for_each(|(to, _)| sources[*to].push(s));
    }
    let mut found = vec![false; moves.len()];
    let mut open = ends;
    open.iter().for_each(|&s| found[s] = true);
    while let Some(s) = open.pop() {
        open.extend(sources[s].iter().copied().filter(|&from| !std::mem::replace(&mut found[from], true)));
    }
    found
}
