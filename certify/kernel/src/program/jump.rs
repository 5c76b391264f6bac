//! Skips repetitions `(word)^k`: computes the state after all passes without replaying them, where each thread
//! by itself shows that every pass is possible.
//!
//! 1. The states of a thread at the start of passes 0, 1, 2, .. form a lasso (a path that leads into a cycle)
//!    no longer than the number of its states, if all of its targets are single. Proof: under a fixed sequence
//!    of events such a thread is an automaton without input. (For a clock not even the events matter. A thread
//!    that is in the same state after each word has a lasso of length one.)
//! 2. Suppose that two conditions hold. First, in every pass of its table before pass k, each thread moves to a
//!    single state on each event of the word and does not block the event. Second, for each position of the
//!    word there is one thread that requests the event there in all of its passes. Then every event of
//!    `(word)^k` is enabled, and every state is as the tables say. Proof: by induction over the steps.

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
    /// The pass that starts in the same state as the pass after the last of `starts`. If it is `None`, `end` is
    /// the state after all passes.
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
