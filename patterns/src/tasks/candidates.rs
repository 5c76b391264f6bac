//! Proposes schedules for a given run length. The program is run for this length, and a rule chooses where
//! several events may fire.
//!
//! With strict priorities the schedule is determined, and it is the run. Among tasks of equal priority, the
//! event that a marker (a thread with a bad state) waits for fires as early as possible, or as late as possible.
//! The proposals need not be right, since the checker replays them.

use model::{Constant, EventId, EventSet, LocalId, Thread, Values};
use num_traits::ToPrimitive;
use std::collections::VecDeque;

/// A sequence of words with repetition counts, as returned by [`model::Match::candidates`].
type Candidate = Vec<(Vec<EventId>, u64)>;

/// Longest run that is proposed.
const LENGTH: u64 = 1_000_000;
/// Work limit of all candidates together, counted in reads of the requests and blocks of a thread: about 100
/// ms.
const WORK: u64 = 20_000_000;

/// The rule that chooses among enabled events.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Prefers events that bring a marker closer to its bad states.
    Eager,
    /// Prefers other events until the number of steps left equals the distance of the marker from its bad states
    /// at the start. From then on, like `Eager`.
    Late,
}

/// Returns candidates of the run length that `values` contains, or shorter ones.
pub(super) fn of_length(threads: &[Thread], values: &Values) -> Vec<Candidate> {
    let Some(length) = values.get(&Constant::RunLength).and_then(ToPrimitive::to_u64) else { return Vec::new() };
    let words = threads[0].states[0].block.universe().div_ceil(64) as u64;
    let step = (threads.len() as u64).saturating_mul(words.max(1));
    if length > LENGTH || length.saturating_mul(step).saturating_mul(2) > WORK {
        return Vec::new();
    }
    let distances: Vec<Option<Vec<u64>>> = threads.iter().map(distances).collect();
    let mut candidates = Vec::new();
    for rule in [Rule::Eager, Rule::Late] {
        let found = schedule(threads, &distances, length, rule);
        if !candidates.contains(&found) {
            candidates.push(found);
        }
    }
    candidates
}

/// Returns for each state the least number of moves to a bad state, ignoring blocks. Returns `None` if the
/// thread has no bad state.
fn distances(thread: &Thread) -> Option<Vec<u64>> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); thread.states.len()];
    for (s, state) in thread.states.iter().enumerate() {
        state.on.values().flatten().for_each(|to| before[to.index()].push(s));
    }
    let mut queue: VecDeque<usize> = (0..thread.states.len()).filter(|&s| thread.states[s].bad).collect();
    let mut distances = vec![u64::MAX; thread.states.len()];
    queue.iter().for_each(|&s| distances[s] = 0);
    let some = !queue.is_empty();
    while let Some(s) = queue.pop_front() {
        for &from in &before[s] {
            if distances[from] == u64::MAX {
                distances[from] = distances[s] + 1;
                queue.push_back(from);
            }
        }
    }
    some.then_some(distances)
}

/// Returns a run of at most `length` events from the first initial states. It ends earlier in a deadlock.
fn schedule(threads: &[Thread], distances: &[Option<Vec<u64>>], length: u64, rule: Rule) -> Candidate {
    let mut now: Vec<LocalId> = threads.iter().map(|t| t.initial[0]).collect();
    let near = |state: &[LocalId]| {
        let of = |(d, s): (&Option<Vec<u64>>, &LocalId)| d.as_ref().map(|d| d[s.index()]);
        distances.iter().zip(state).filter_map(of).min().unwrap_or(u64::MAX)
    };
    let far = near(&now);
    let mut candidate: Candidate = Vec::new();
    for u in 0..length {
        let open = enabled(threads, &now);
        let after = |e: EventId| -> Vec<LocalId> {
            threads.iter().zip(&now).map(|(t, s)| t.targets(*s, e).next().expect("every event has a target")).collect()
        };
        let hurry = rule == Rule::Eager || length - u <= far;
        let choices = open.iter().map(|e| (near(&after(e)), e));
        let choice = if hurry { choices.min() } else { choices.max() };
        let Some((_, event)) = choice else { break };
        now = after(event);
        match candidate.last_mut() {
            Some((word, times)) if word[0] == event => *times += 1,
            _ => candidate.push((vec![event], 1)),
        }
    }
    candidate
}

fn enabled(threads: &[Thread], state: &[LocalId]) -> EventSet {
    let local = || threads.iter().zip(state).map(|(t, s)| t.state(*s));
    let mut open = EventSet::empty(threads[0].states[0].block.universe());
    local().for_each(|s| open.union_with(&s.request));
    local().for_each(|s| open.subtract(&s.block));
    open
}
