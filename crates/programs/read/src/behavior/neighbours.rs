//! Threads that have too many states by themselves, each explored together with a few others, its *neighbours*.
//!
//! A list of what a thread saw grows without end if everything may happen at any time. It is short if the threads that
//! request these events do so once. So the neighbours are explored with the thread, and the events of all other threads
//! may happen at any time, unless a neighbour or the thread blocks them. Neighbours are added one by one: the thread
//! that requests most of the events that have made new states. Each addition begins the exploration anew, so that
//! events that do not happen with the neighbours are no events of the program.
//! 1. Each local state in a run is visited, by induction on the run: the next event is requested by the thread, by a
//!    neighbour, or by another thread, and then it is an event of the environment; and no member blocks it.
//! 2. An event in a local state of the thread that was not met with it happens in no run there. It may be missing in
//!    the explicit program.

use super::Behavior;
use super::explored::{Explored, Res, Session};
use super::joint::{AllKnown, Known, KnownOfThread, search_among};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The largest number of neighbours of a thread.
const MOST: usize = 3;

/// For each thread that has too many states by itself: its neighbours.
pub(super) type Neighbours = BTreeMap<usize, BTreeSet<usize>>;

/// Gives a thread one more neighbour, which has few states by itself: the thread that requests most of the events that
/// have made new states. Returns false if there is none.
pub(super) fn give<B: Behavior>(
    neighbours: &mut Neighbours,
    thread: usize,
    explored: &[Explored<'_, B>],
    session: &Session<'_, '_, B::Event>,
) -> bool {
    let known = neighbours.get(&thread).cloned().unwrap_or_default();
    if known.len() == MOST {
        return false;
    }
    let mut made: BTreeMap<usize, u64> = BTreeMap::new();
    for (at, moves) in explored[thread].moves.iter().enumerate() {
        let new = moves.iter().filter(|(_, targets)| targets.iter().any(|to| to.index() > at));
        new.for_each(|(event, _)| *made.entry(*event).or_default() += 1);
    }
    let may_help = |other: &usize| *other != thread && !neighbours.contains_key(other) && !known.contains(other);
    let weight =
        |other: usize| -> u64 { requests(&explored[other], session).iter().filter_map(|event| made.get(event)).sum() };
    let weights = (0..explored.len()).filter(may_help).map(|other| (weight(other), other));
    let best = weights.filter(|(weight, _)| *weight > 0).max_by_key(|(weight, other)| (*weight, usize::MAX - other));
    let Some((_, best)) = best else { return false };
    neighbours.entry(thread).or_default().insert(best);
    true
}

/// The search of a thread with its neighbours.
#[derive(Default)]
pub(super) struct Grown {
    /// What is known of the thread.
    known: KnownOfThread,
    /// What the last search rested on: the environment, the number of events, and what was known of the neighbours.
    basis: Option<(BTreeSet<usize>, usize, Vec<[usize; 3]>)>,
}

impl Grown {
    /// Explores the thread with its neighbours, if that may be new. Returns true if it was done. Events that it finds
    /// are first shown to the neighbours by themselves, and then happen in the next search.
    ///
    /// # Errors
    /// Errors of the thread, and that it has too many states even then.
    pub(super) fn search<B: Behavior>(
        &mut self,
        (thread, neighbours): (usize, &BTreeSet<usize>),
        explored: &mut [Explored<'_, B>],
        session: &mut Session<'_, '_, B::Event>,
    ) -> Res<bool> {
        let outside = (0..explored.len()).filter(|other| *other != thread && !neighbours.contains(other));
        let environment: BTreeSet<usize> = outside.flat_map(|other| requests(&explored[other], session)).collect();
        let sizes = neighbours.iter().map(|other| size(&explored[*other])).collect();
        let basis = (environment, session.list.len(), sizes);
        if self.basis.as_ref() == Some(&basis) {
            return Ok(false);
        }
        let mut known: AllKnown = vec![HashMap::new(); explored.len()];
        for neighbour in neighbours {
            known[*neighbour] = all_known(&explored[*neighbour], session.list.len());
        }
        known[thread] = std::mem::take(&mut self.known);
        let members = neighbours.iter().copied().chain([thread]).collect();
        match search_among(explored, (members, basis.0.clone(), known, basis.1), session)? {
            Ok(mut known) => self.known = std::mem::take(&mut known[thread]),
            Err(part) => return Err(part.why),
        }
        self.basis = Some(basis);
        Ok(true)
    }
}

/// Returns the numbers of states, moves and blocked events, which only grow.
fn size<B: Behavior>(thread: &Explored<'_, B>) -> [usize; 3] {
    let moves = thread.moves.iter().map(Vec::len).sum();
    [thread.states.len(), moves, thread.blocked.iter().map(Vec::len).sum()]
}

/// Returns the numbers of the events that a thread requests in some state.
fn requests<B: Behavior>(thread: &Explored<'_, B>, session: &Session<'_, '_, B::Event>) -> BTreeSet<usize> {
    thread.points.iter().flat_map(|point| &point.requests).map(|event| session.numbers[event]).collect()
}

/// Returns what is known of a thread that was explored by itself, for all events so far.
fn all_known<B: Behavior>(thread: &Explored<'_, B>, events: usize) -> KnownOfThread {
    let states = 0..thread.states.len();
    let mut known: KnownOfThread =
        states.flat_map(|at| (0..events).map(move |event| ((at, event), Known::Stays))).collect();
    for (at, (blocked, moves)) in thread.blocked.iter().zip(&thread.moves).enumerate() {
        known.extend(blocked.iter().map(|event| ((at, *event), Known::Blocked)));
        known.extend(moves.iter().enumerate().map(|(index, (event, _))| ((at, *event), Known::Moves(index))));
    }
    known
}
