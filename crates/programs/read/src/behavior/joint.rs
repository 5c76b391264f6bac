//! Search of all threads together, for threads that have too many states, or an error, by themselves.
//!
//! The search visits the joint states of the program, breadth first, and makes the local states, the events and the
//! moves that runs meet, and no others. The explicit program then has exactly the runs of the threads:
//! 1. A joint state that a run visits is visited by the search, by induction on the run: the next event is requested in
//!    one of its local states and blocked in none, so the search takes it, to all targets of all threads.
//! 2. What the search never looked at (an event in a local state that never meet) is missing in the explicit program,
//!    and no run can tell the difference.

use super::explored::{Bounds, Effect, Explored, Res, Session};
use super::{Behavior, Kind};
use formats::codes;
use formats::error::Error;
use model::LocalId;
use std::collections::{BTreeSet, HashMap, HashSet};

/// An event in a local state: what is known about it.
#[derive(Clone, Copy)]
enum Known {
    Blocked,
    Stays,
    /// The index among the moves of the state.
    Moves(usize),
}

/// A joint state: the local state of each thread.
type Joint = Box<[LocalId]>;

struct Search<'e, 'b, B: Behavior> {
    explored: &'e mut [Explored<'b, B>],
    /// For each thread: what is known, by local state and event.
    known: Vec<HashMap<(usize, usize), Known>>,
    /// For each thread and local state: the numbers of the requested events.
    requests: Vec<HashMap<usize, Vec<usize>>>,
    seen: HashSet<Joint>,
    level: Vec<Joint>,
    looks: usize,
    bounds: Bounds,
}

/// Explores the threads together.
///
/// # Errors
/// Errors of the threads in states that runs visit, and the limits.
pub(super) fn search<B: Behavior>(
    explored: &mut [Explored<'_, B>],
    session: &mut Session<'_, '_, B::Event>,
) -> Res<()> {
    let count = explored.len();
    let mut search = Search {
        known: vec![HashMap::new(); count],
        requests: vec![HashMap::new(); count],
        seen: HashSet::new(),
        level: Vec::new(),
        looks: 0,
        bounds: session.bounds,
        explored,
    };
    let initial: Vec<Vec<LocalId>> = search.explored.iter().map(|thread| thread.initial.clone()).collect();
    let mut is_small = search.add_all(&initial);
    while is_small && !search.level.is_empty() {
        for joint in std::mem::take(&mut search.level) {
            is_small = is_small && search.expand(&joint, session)?;
        }
    }
    match is_small {
        true => Ok(()),
        false => Err(Error::whole(&codes::LIMIT_STATES, session.source.name, "the threads have too many joint states")),
    }
}

impl<B: Behavior> Search<'_, '_, B> {
    /// Adds all combinations of the local states. Returns false if there are too many joint states.
    fn add_all(&mut self, choices: &[Vec<LocalId>]) -> bool {
        let mut at = vec![0; choices.len()];
        loop {
            let joint: Joint = at.iter().zip(choices).map(|(i, of_thread)| of_thread[*i]).collect();
            if self.seen.insert(joint.clone()) {
                self.level.push(joint);
            }
            self.looks += 1;
            if self.seen.len() > self.bounds.joint || self.looks > self.bounds.looks {
                return false;
            }
            // The next combination, as a counter with a digit for each thread.
            let Some(digit) = (0..at.len()).find(|digit| at[*digit] + 1 < choices[*digit].len()) else { return true };
            at[..digit].fill(0);
            at[digit] += 1;
        }
    }

    /// Adds the successors of a joint state. A state with a bad local state has none.
    fn expand(&mut self, joint: &Joint, session: &mut Session<'_, '_, B::Event>) -> Res<bool> {
        let is_bad = |(thread, local): (&Explored<'_, B>, &LocalId)| {
            matches!(thread.points[local.index()].kind, Kind::Bad | Kind::Fault)
        };
        if self.explored.iter().zip(joint).any(is_bad) {
            return Ok(true);
        }
        for event in self.requested(joint, session) {
            let mut choices = Vec::with_capacity(joint.len());
            for (thread, local) in joint.iter().enumerate() {
                match self.effect(thread, local.index(), event, session)? {
                    Known::Blocked => break,
                    Known::Stays => choices.push(vec![*local]),
                    Known::Moves(index) => choices.push(self.explored[thread].moves[local.index()][index].1.clone()),
                }
            }
            let is_blocked = choices.len() < joint.len();
            if !is_blocked && !self.add_all(&choices) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the numbers of the events that some thread requests.
    fn requested(&mut self, joint: &Joint, session: &Session<'_, '_, B::Event>) -> BTreeSet<usize> {
        let mut all = BTreeSet::new();
        for ((thread, requests), local) in self.explored.iter().zip(&mut self.requests).zip(joint) {
            let of_point =
                || thread.points[local.index()].requests.iter().map(|event| session.numbers[event]).collect();
            all.extend(requests.entry(local.index()).or_insert_with(of_point).iter().copied());
        }
        all
    }

    fn effect(
        &mut self,
        thread: usize,
        local: usize,
        event: usize,
        session: &mut Session<'_, '_, B::Event>,
    ) -> Res<Known> {
        self.looks += 1;
        if let Some(known) = self.known[thread].get(&(local, event)) {
            return Ok(*known);
        }
        let known = match self.explored[thread].handle(local, event, session)? {
            Effect::Blocked => Known::Blocked,
            Effect::Stays => Known::Stays,
            Effect::Moves => Known::Moves(self.explored[thread].moves[local].len() - 1),
        };
        self.known[thread].insert((local, event), known);
        Ok(known)
    }
}
