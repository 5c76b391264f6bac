//! Does a program never get stuck because its requests have ranks ([`model::Fact::NeverStuck`])?
//!
//! Let q be a plain deadlock: no event is enabled and no local state is bad. Suppose some thread is in a state that requests
//! a ranked event. Of the ranked events that q's states request take one, e, that came into the set in the earliest round.
//! It is not enabled, so some state of q blocks it; that state is locally reachable and not bad, so by the condition under
//! which e came in it requests an event of an earlier round: a contradiction.

use crate::threads::Threads;
use crate::work::Work;
use crate::{Check, reject};

/// Accepts if some thread requests a ranked event in all of its states.
pub(crate) fn never_stuck(threads: &Threads<'_>, work: &mut Work<'_>) -> Check<()> {
    let stepper = threads.stepper;
    let words = stepper.events().div_ceil(64);
    let mut ranked = vec![0u64; words];
    loop {
        // Events that a state without a ranked request blocks.
        let mut held = vec![0u64; words];
        let mut some_thread_asks = false;
        for (thread, view) in threads.views.iter().enumerate() {
            work.spend(1 + (view.reachable.len() * words) as u64)?;
            let mut asks = true;
            for &s in view.reachable.iter().filter(|&&s| !stepper.is_bad(thread, s)) {
                let requests = stepper.request_words(thread, s);
                if requests.iter().zip(&ranked).all(|(wanted, ranked)| wanted & ranked == 0) {
                    asks = false;
                    held.iter_mut().zip(stepper.block_words(thread, s)).for_each(|(held, blocked)| *held |= blocked);
                }
            }
            some_thread_asks |= asks;
        }
        if some_thread_asks {
            return Ok(());
        }
        let before = ranked.clone();
        let inside = |word: usize| {
            if word + 1 < words || stepper.events() % 64 == 0 { !0 } else { (1 << (stepper.events() % 64)) - 1 }
        };
        ranked.iter_mut().enumerate().for_each(|(word, ranked)| *ranked |= !held[word] & inside(word));
        if ranked == before {
            return reject("no thread requests a ranked event in all of its states");
        }
    }
}
