//! Skips repetitions `(word)^k`: computes the state after all k passes of the word without replaying them. This
//! requires that every pass is possible. The tables of all threads together show this (claim 2).
//!
//! 1. Suppose that a thread has a single target in each of its steps. The *table* of the thread lists its state
//!    at the start of each pass, until a state recurs. The states at the starts of all passes form a lasso (a
//!    path that leads into a cycle). The lasso has at most as many states as the thread. Proof: under a fixed
//!    sequence of events, the thread is an automaton without input. (The moves of a *clock* do not depend on the
//!    events, so its lasso depends only on the length of the word. A thread that is in the same state after each
//!    pass has a lasso of length one.)
//! 2. Suppose that two conditions hold for the passes before pass k. First, each thread moves to a single state
//!    on each event of the word, and does not block the event. Second, for each position of the word, there is
//!    a thread that requests the event at this position in every pass. Then every event of `(word)^k` is
//!    enabled, and the state after k passes is as the tables say. Proof: by induction over the steps. (The first
//!    condition concerns each thread alone, the second concerns all threads together. By claim 1, it suffices
//!    to examine the passes in the tables.)

use super::stepper::Stepper;
use crate::Check;
use crate::work::Work;

/// Returns the state after `word` is repeated `times` times from `state`, if the tables of the threads show
/// that this is possible. Returns `None` if the tables do not show it; the repetition must then be replayed.
pub(super) fn repeat(
    stepper: &Stepper,
    state: &[u32],
    word: &[u32],
    times: u64,
    work: &mut Work<'_>,
) -> Check<Option<Vec<u32>>> {
    let mut requested = vec![false; word.len()];
    let mut last = Vec::with_capacity(state.len());
    for (thread, &local) in state.iter().enumerate() {
        let Some(table) = Table::of(stepper, thread, local, word, times, work)? else { return Ok(None) };
        for (all, one) in requested.iter_mut().zip(&table.always_requests) {
            *all |= one;
        }
        last.push(table.after(times));
    }
    Ok(requested.iter().all(|&r| r).then_some(last))
}

/// The table of one thread under `(word)^times`.
struct Table {
    /// The states at the start of passes 0, 1, .., until a state recurs or all passes are done.
    starts: Vec<u32>,
    /// The first pass of the cycle. It starts in the state in which the last pass of `starts` ends. `None` if no
    /// state recurs; then `end` is the state after all passes.
    back_to: Option<usize>,
    end: u32,
    /// For each position of the word: true if the thread requests this event in every pass.
    always_requests: Vec<bool>,
}

impl Table {
    /// Computes the table. Returns `None` if the thread blocks an event or has several targets in some pass.
    fn of(
        stepper: &Stepper,
        thread: usize,
        from: u32,
        word: &[u32],
        times: u64,
        work: &mut Work<'_>,
    ) -> Check<Option<Self>> {
        let mut table = Self { starts: Vec::new(), back_to: None, end: from, always_requests: vec![true; word.len()] };
        let mut pass_of = vec![None; stepper.size(thread)];
        while (table.starts.len() as u64) < times {
            table.back_to = pass_of[table.end as usize];
            if table.back_to.is_some() {
                break;
            }
            pass_of[table.end as usize] = Some(table.starts.len());
            table.starts.push(table.end);
            for (&event, always) in word.iter().zip(&mut table.always_requests) {
                work.spend(1)?;
                let &[next] = stepper.targets(thread, table.end, event) else { return Ok(None) };
                if stepper.blocks(thread, table.end, event) {
                    return Ok(None);
                }
                *always &= stepper.requests(thread, table.end, event);
                table.end = next;
            }
        }
        debug_assert!(table.starts.len() <= stepper.size(thread), "a state that comes back ends the table");
        Ok(Some(table))
    }

    /// Returns the state after `times` passes.
    fn after(&self, times: u64) -> u32 {
        let Some(first) = self.back_to else { return self.end };
        let round = (self.starts.len() - first) as u64;
        assert!(round > 0 && times >= first as u64, "the last pass comes after the first of the round");
        self.starts[first + ((times - first as u64) % round) as usize]
    }
}
