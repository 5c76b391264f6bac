//! Shows that a program never gets stuck, by the order in which events wait for each other.
//!
//! Of each thread only the locally reachable states that are not bad count. The *ranked* events are the least
//! set that contains every event e such that each state that blocks e requests a ranked event.
//! 1. If some thread requests a ranked event in each of its states, then no run ends in a plain deadlock.
//!    Proof: suppose that one does. In a plain deadlock all threads are in states that count. So the thread
//!    that always requests a ranked event requests one there. Let e be the requested ranked event that came
//!    into the set first. e is not enabled, so a thread blocks it, in a state that requests an event which was
//!    in the set when e came in. This event came in before e and is requested, which is a contradiction.

use crate::Check;
use crate::threads::Threads;
use kernel::Work;
use kernel::program::stepper::bit;

/// True if some thread requests a ranked event in each of its states. Linear in what all states request and
/// block.
pub(crate) fn holds(threads: &Threads<'_>, work: &mut Work<'_>) -> Check<bool> {
    let ranked = ranked(threads, work)?;
    let stepper = threads.stepper;
    for (thread, view) in threads.views.iter().enumerate() {
        let mut always = true;
        for &local in view.reachable.iter().filter(|&&s| !stepper.is_bad(thread, s)) {
            let asked = stepper.request(thread, local);
            work.spend(1 + asked.len() as u64)?;
            always &= asked.iter().any(|event| bit(&ranked, event.0));
        }
        if always {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The ranked events, 64 to a word.
fn ranked(threads: &Threads<'_>, work: &mut Work<'_>) -> Check<Vec<u64>> {
    let stepper = threads.stepper;
    let mut states = Vec::new();
    for (thread, view) in threads.views.iter().enumerate() {
        states.extend(view.reachable.iter().filter(|&&s| !stepper.is_bad(thread, s)).map(|&s| (thread, s)));
    }
    // For each event: the number of states that block it and do not request a ranked event, and the states that
    // request it.
    let mut unsettled = vec![0u64; stepper.events()];
    let mut requesters: Vec<Vec<usize>> = vec![Vec::new(); stepper.events()];
    for (number, &(thread, local)) in states.iter().enumerate() {
        work.spend(1)?;
        for event in stepper.block(thread, local).iter() {
            work.spend(1)?;
            unsettled[event.index()] += 1;
        }
        for event in stepper.request(thread, local).iter() {
            work.spend(1)?;
            work.grow(size_of::<usize>())?;
            requesters[event.index()].push(number);
        }
    }
    let mut settled = vec![false; states.len()];
    let mut ranked = vec![0u64; stepper.words()];
    let mut todo: Vec<u32> = (0..stepper.events() as u32).filter(|&e| unsettled[e as usize] == 0).collect();
    while let Some(event) = todo.pop() {
        debug_assert!(!bit(&ranked, event), "an event comes in once, when its last state is settled");
        ranked[event as usize / 64] |= 1 << (event % 64);
        for &number in &requesters[event as usize] {
            work.spend(1)?;
            if std::mem::replace(&mut settled[number], true) {
                continue;
            }
            let (thread, local) = states[number];
            for blocked in stepper.block(thread, local).iter() {
                work.spend(1)?;
                unsettled[blocked.index()] -= 1;
                if unsettled[blocked.index()] == 0 {
                    todo.push(blocked.0);
                }
            }
        }
    }
    Ok(ranked)
}
