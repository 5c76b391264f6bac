//! Pattern matchers: see `docs/patterns.md`.

use super::{Word, word};

pub(super) const WORDS: &[Word] = &[
    word(
        "looped",
        "Threads whose state depends on the number of events alone",
        "Such threads are clocks: that an event cannot fire is a statement about the number of events modulo a period, and arithmetic refutes what no search could visit.",
    ),
    word(
        "tasks",
        "Threads that do so much work for each request",
        "Response times, as in the scheduling of periodic tasks: a deadline that response times keep is never missed.",
    ),
    word(
        "ranked",
        "A ranking of threads whose first can always go on",
        "In a deadlock every thread waits for another one; where threads wait for those before them only, the first does not wait.",
    ),
    word(
        "potential",
        "Weighted sums that no event makes larger",
        "States that would make such a sum too large are never visited.",
    ),
    word(
        "pairs",
        "Two threads at a time",
        "Pairs of states that two threads are never in together, found by looking at these two alone.",
    ),
    word(
        "arrays",
        "Threads that hold a value which others read",
        "What a cell has in the end is decided along with everything else, by pairs and by what can still become of it.",
    ),
    word(
        "cartesian",
        "States that a thread comes to by itself, but not with the others",
        "Each thread is looked at with what all others may request and block in the states that they come to.",
    ),
    word(
        "no_last",
        "States behind which no violation is left",
        "What can neither be nor become a violation is left out.",
    ),
];
