//! Ranked requests: some thread always requests an event of a set that cannot be blocked as a whole.
//!
//! An event comes into the set when every locally reachable state that is not bad and blocks it requests an event that is in the set
//! already. Suppose that s_T is a plain deadlock; nobody is in a bad state then. If a thread requests an event of the set in
//! all of its states, some event of the set is requested in s_T; take the one that came in first. Somebody blocks it, in a
//! state that requests one that came in before it: a contradiction.

use crate::Check;
use crate::threads::Threads;
use crate::work::Work;

/// Does the argument apply to these threads?
pub(crate) fn holds(threads: &Threads<'_>, work: &mut Work<'_>) -> Check<bool> {
    let events = threads.stepper.events() as u32;
    let mut ranked = vec![false; events as usize];
    loop {
        let mut more = false;
        for event in 0..events {
            if !ranked[event as usize] && every_blocker_requests(threads, event, &ranked, work)? {
                ranked[event as usize] = true;
                more = true;
            }
        }
        if !more {
            break;
        }
    }
    for thread in 0..threads.views.len() {
        let mut always = true;
        for &state in &threads.views[thread].reachable {
            always =
                always && (threads.stepper.is_bad(thread, state) || requests(threads, thread, state, &ranked, work)?);
        }
        if always {
            return Ok(true);
        }
    }
    Ok(false)
}

fn every_blocker_requests(threads: &Threads<'_>, event: u32, ranked: &[bool], work: &mut Work<'_>) -> Check<bool> {
    let stepper = threads.stepper;
    for (thread, view) in threads.views.iter().enumerate().filter(|(_, view)| view.may_block(event)) {
        work.spend(view.reachable.len() as u64)?;
        for &state in &view.reachable {
            let blocks = !stepper.is_bad(thread, state) && stepper.blocks(thread, state, event);
            if blocks && !requests(threads, thread, state, ranked, work)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn requests(threads: &Threads<'_>, thread: usize, state: u32, set: &[bool], work: &mut Work<'_>) -> Check<bool> {
    let words = threads.stepper.request_words(thread, state);
    work.spend(words.len() as u64)?;
    let in_word = |(at, &word): (usize, &u64)| {
        let mut rest = word;
        while rest != 0 {
            let event = at * 64 + rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if set.get(event) == Some(&true) {
                return true;
            }
        }
        false
    };
    Ok(words.iter().enumerate().any(in_word))
}
