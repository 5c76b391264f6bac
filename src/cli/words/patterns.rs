//! Explains the pattern matchers. See `docs/patterns.md`.

use super::{Word, word};

pub(super) const WORDS: &[Word] = &[
    word(
        "looped",
        "Threads whose state depends only on the number of events",
        "Such threads are clocks. Whether a clock blocks an event depends on the number of events modulo a period. So \
         arithmetic can exclude runs that are too many for a search.",
    ),
    word(
        "tasks",
        "Threads that need a certain number of slots after each release",
        "Response times are computed as for the scheduling of periodic tasks. If the response time is within the \
         deadline, the deadline is never missed.",
    ),
    word(
        "ranked",
        "A ranking of threads, the first of which can always continue",
        "In a deadlock, every thread waits for another one. If threads wait only for threads before them in the \
         ranking, the first thread does not wait.",
    ),
    word(
        "pairs",
        "Analyses two threads at a time",
        "Finds pairs of states that two threads never have at the same time, from these two threads alone.",
    ),
    word(
        "arrays",
        "Threads that store a value that other threads read",
        "Derives which values can be stored at the end of a run, from pairs of threads and from the states that \
         threads can still reach.",
    ),
    word(
        "cartesian",
        "States that a thread reaches by itself, but not together with the others",
        "Each thread is analysed with the events that the other threads request and block in the states that they \
         reach.",
    ),
    word(
        "no_last",
        "States from which no violation can be reached",
        "States that are not violations, and from which no violation can be reached, are left out.",
    ),
];
