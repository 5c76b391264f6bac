//! Kinds of lemmas and of restrictions. The part before the dot is the name of the pattern.

use super::{Word, word};

const DETAILS: &str = "The lemma, its reason and an example are in docs/patterns.md.";

pub(super) const WORDS: &[Word] = &[
    word(
        "goal.no_bad_state",
        "No run ends in a bad state, since no thread can reach one any more",
        "The engine adds this lemma by itself if the program has no bad states, or if patterns excluded all of them.",
    ),
    word(
        "z3.arithmetic",
        "Statements about integers that contradict each other, according to Z3 only",
        "The checker refutes linear statements by multipliers, and statements about one number by itself. Other \
         contradictions are accepted with `--trust z3`.",
    ),
    word("looped.bad", "A run to a bad state ends with some thread in a bad state", DETAILS),
    word("looped.event", "If an event is the b-th one from the end, the run has more than b events", DETAILS),
    word("looped.open", "An event fires only if, at this number of events, no clock blocks it", DETAILS),
    word("looped.requested", "An event that only clocks request fires only when one of them requests it", DETAILS),
    word("looped.state", "The state of a clock is determined by the number of events", DETAILS),
    word("looped.entered", "A thread in a state started there, or reached it by an event", DETAILS),
    word(
        "looped.from",
        "If an event led a thread to a state, the thread was in a state from which the event leads there",
        DETAILS,
    ),
    word("looped.dead", "In a deadlock, another clock blocks the event that a clock requests", DETAILS),
    word("tasks.bad", "A run to a bad state ends with some thread in a bad state", DETAILS),
    word("tasks.when", "A thread can be in its bad state only after certain numbers of events", DETAILS),
    word("tasks.late", "States of a task that its response time excludes", DETAILS),
    word("ranked.stuck", "There is no deadlock: the first thread of the ranking can continue", DETAILS),
    word("cartesian.states", "States that a thread never reaches together with the others", DETAILS),
    word("no_last.state", "States from which no violation can be reached", DETAILS),
    word("pairs.bad", "A run to a bad state ends with some thread in a bad state", DETAILS),
    word("pairs.some", "Each thread ends in one of its reachable states", DETAILS),
    word("pairs.one", "No thread ends in two states", DETAILS),
    word("pairs.apart", "Two threads do not end in two states that they never have at the same time", DETAILS),
    word(
        "pairs.support",
        "If one thread ends in a state, another ends in a state that occurs together with it",
        DETAILS,
    ),
    word("pairs.blocked", "In a deadlock, some thread blocks each event that a state requests", DETAILS),
    word("arrays.bad", "A run to a bad state ends with some thread in a bad state", DETAILS),
    word("arrays.some", "Each thread ends in one of its reachable states", DETAILS),
    word("arrays.one", "No thread ends in two states", DETAILS),
    word("arrays.apart", "Two threads do not end in two states that they never have at the same time", DETAILS),
    word(
        "arrays.support",
        "If one thread ends in a state, another ends in a state that occurs together with it",
        DETAILS,
    ),
    word("arrays.blocked", "In a deadlock, some thread blocks each event that a state requests", DETAILS),
    word("arrays.future", "A run that visits a state ends in states that can be reached from it", DETAILS),
];
