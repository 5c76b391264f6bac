//! Turns of several engines at the same time, each on a thread of its own.

use super::Runner;
use crate::entrant::Nanos;
use model::{Stop, Turn};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// The terms of all turns of a round.
#[derive(Clone, Copy)]
pub(super) struct TurnTerms {
    /// Length of the turns.
    pub(super) due: Nanos,
    /// True if only one engine is left.
    pub(super) alone: bool,
    /// Number of threads that each engine may use.
    pub(super) threads: usize,
}

/// An engine that has a turn.
pub(super) struct Chosen<'r, 'a> {
    /// Number of the runner.
    pub(super) place: usize,
    pub(super) runner: &'r mut Runner<'a>,
    /// The stop flag of the turn.
    pub(super) own: Arc<Stop>,
}

/// How a turn ended.
pub(super) struct End {
    pub(super) turn: Turn,
    /// True if the engine had to end because of the memory limit.
    pub(super) short_of_memory: bool,
}

/// Runs a turn of each engine, the first on this thread and the others on threads of their own. A thread that cannot
/// be started leaves its engine to this one. A panic of an engine is passed on.
pub(super) fn side_by_side(mut chosen: Vec<Chosen<'_, '_>>, terms: TurnTerms, stop: &Arc<Stop>) -> Vec<End> {
    let Some((first, others)) = chosen.split_first_mut() else { return Vec::new() };
    let turn = |chosen: &mut Chosen<'_, '_>| chosen.runner.turn(&chosen.own, terms, stop);
    if others.is_empty() {
        return vec![turn(first)];
    }
    let ends: Vec<Mutex<Option<End>>> = others.iter().map(|_| Mutex::new(None)).collect();
    let slots: Vec<_> = others.iter_mut().map(|chosen| Mutex::new(Some(chosen))).collect();
    let take = |at: usize| {
        let chosen = slots[at].lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(chosen) = chosen {
            let end = turn(chosen);
            *ends[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
        }
    };
    let first = thread::scope(|scope| {
        for at in 0..slots.len() {
            let take = &take;
            // If this fails, the loop below takes the turn.
            let _ = thread::Builder::new().name("engine".to_owned()).spawn_scoped(scope, move || take(at));
        }
        turn(first)
    });
    (0..slots.len()).for_each(take);
    let end = |end: Mutex<Option<End>>| end.into_inner().unwrap_or_else(PoisonError::into_inner);
    let others = ends.into_iter().map(|slot| end(slot).expect("every turn was taken"));
    std::iter::once(first).chain(others).collect()
}
