//! Jumping over `(word)^k`: where each thread by itself shows that every pass goes through, the state after all passes
//! is computed, not replayed.
//!
//! Under a fixed sequence of events a thread whose targets are single moves as an automaton without input: its state at
//! the start of pass 0, 1, 2, .. is a lasso no longer than the thread has states. (A clock's table is the case in which
//! even the events do not matter; other threads that return after a word are lassos of length one.) The table of a
//! thread is checked at every pass it has before k: it never blocks the word's event, and moves to a single state. If,
//! besides, each position of the word has one thread that requests its event in all of its passes, then by induction
//! over the steps every event of `(word)^k` is enabled and every state is what the tables say.

use super::stepper::Stepper;
use crate::Check;
use crate::work::Work;

/// The state after `word` repeated `times` times from `state`, if the tables of the threads show that it is possible.
/// `None` says nothing: the repetition must be replayed.
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

/// One thread under `(word)^times`.
struct Table {
    /// States at the start of passes 0, 1, .., until one comes back or all passes are done.
    starts: Vec<u32>,
    /// The pass whose start comes back after the last of `starts`; `None`: `end` is the state after all passes.
    back_to: Option<usize>,
    end: u32,
    /// Per position of the word: does the thread request that event in every pass?
    always_requests: Vec<bool>,
}

impl Table {
    /// `None` if some pass does not go through for this thread.
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

    /// The state after `times` passes.
    fn after(&self, times: u64) -> u32 {
        let Some(first) = self.back_to else { return self.end };
        let round = (self.starts.len() - first) as u64;
        assert!(round > 0 && times >= first as u64, "the last pass comes after the first of the round");
        self.starts[first + ((times - first as u64) % round) as usize]
    }
}
