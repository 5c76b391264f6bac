//! Kinds of lemmas, and of restrictions: the parts before the dot are patterns.

use super::{Word, word};

const DETAILS: &str = "The lemma, its reason and an example are in docs/patterns.md.";

pub(super) const WORDS: &[Word] = &[
    word("looped.bad", "A run into a bad state ends with some thread in one", DETAILS),
    word("looped.event", "A run has at least as many events as are counted back from its end", DETAILS),
    word("looped.open", "An event fires only at a number of events at which a clock does not block it", DETAILS),
    word("looped.requested", "An event that clocks alone request fires only when one of them does", DETAILS),
    word("looped.state", "The state of a clock is that of the number of events", DETAILS),
    word("looped.entered", "A thread in a state starts there or came there by an event", DETAILS),
    word("looped.from", "A thread that came to a state by an event was in a state with that move", DETAILS),
    word("looped.dead", "In a deadlock what a clock requests is blocked by another one", DETAILS),
    word("tasks.bad", "A run into a bad state ends with some thread in one", DETAILS),
    word("tasks.when", "A thread is in its bad state only at numbers of events at which it can be", DETAILS),
    word("tasks.late", "States of a task that its response time keeps it from", DETAILS),
    word("ranked.stuck", "There is no deadlock: the first thread of the ranking can go on", DETAILS),
    word("potential.weights", "States that would make a sum too large which never grows", DETAILS),
    word("cartesian.states", "States that a thread never comes to beside the others", DETAILS),
    word("no_last.state", "States from which no violation can be reached any more", DETAILS),
    word("pairs.bad", "A run into a bad state ends with some thread in one", DETAILS),
    word("pairs.some", "Each thread ends in one of the states that it takes", DETAILS),
    word("pairs.one", "No thread ends in two states", DETAILS),
    word("pairs.apart", "Two threads do not end in two states in which they never are together", DETAILS),
    word("pairs.support", "Beside the last state of one thread, another ends in one that stands beside it", DETAILS),
    word("pairs.blocked", "In a deadlock whatever a state requests is blocked by some thread", DETAILS),
    word("arrays.bad", "A run into a bad state ends with some thread in one", DETAILS),
    word("arrays.some", "Each thread ends in one of the states that it takes", DETAILS),
    word("arrays.one", "No thread ends in two states", DETAILS),
    word("arrays.apart", "Two threads do not end in two states in which they never are together", DETAILS),
    word("arrays.support", "Beside the last state of one thread, another ends in one that stands beside it", DETAILS),
    word("arrays.blocked", "In a deadlock whatever a state requests is blocked by some thread", DETAILS),
    word("arrays.future", "A run that visits a state ends in states that can be reached from it", DETAILS),
];
