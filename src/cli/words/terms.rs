//! The terms of the field that reports use, and the words of questions about a net as a whole.

use super::{Word, word};

pub(super) const QUESTIONS: &[Word] = &[
    word(
        "SOUND",
        "Each run of a workflow net can end properly, ends with one token only, and each transition fires in some run",
        "The parts are called option to complete, proper completion, and no dead transitions. The net has one first \
         and one last place, and each node is on a path between them.",
    ),
    word(
        "WEAKSOUND",
        "Each run of a workflow net can end with one token on the last place and none elsewhere",
        "The first part of `SOUND`: transitions may be dead.",
    ),
    word("ONESAFE", "No place ever has two tokens", ""),
    word("QUASILIVENESS", "Each transition fires in some run", "A transition that never fires is dead."),
    word("LIVENESS", "From each reachable marking, each transition fires in some run", ""),
    word("STABLEMARKING", "Some place has the same number of tokens in all reachable markings", ""),
    word("REVERSIBLE", "The initial marking can be reached again from each reachable marking", ""),
];

pub(super) const TERMS: &[Word] = &[
    word(
        "request",
        "A thread asks for an event",
        "An event happens if some thread requests it and no thread blocks it. See `block` and `wait`.",
    ),
    word("block", "A thread forbids an event as long as it stays in its state", "See `request`."),
    word("wait", "A thread moves on when an event happens that another thread requests", "See `request`."),
    word("thread", "A part of a program that requests, waits for and blocks events", "In BPjs: b-thread."),
    word("event", "What happens in a step of a program; in a net, the firing of a transition", ""),
    word("step", "One change of the state: an event, a transition that fires, a frame, a call", ""),
    word("state", "What is known of a system between two steps", "Of a program: the local state of each thread."),
    word("joint state", "The local states of some threads together", "See `projection`."),
    word("joint location", "The places in the text at which threads are, without the values of variables", ""),
    word("hot", "A thread in a state in which it must not stay for ever", "Written `hot`, or `mustFinish` in BPjs."),
    word(
        "priority",
        "Of the events that could happen, only those of the greatest priority may",
        "Written `priority N`. In BPjs the strategy gives priorities (`--strategy`).",
    ),
    word("place", "A part of a net that has tokens", "Places of a thread-transition system are its states."),
    word("token", "What a place of a net has a number of", ""),
    word("transition", "What fires in a net: it takes tokens from places, and puts tokens on places", ""),
    word("marking", "The number of tokens on each place: a state of a net", ""),
    word("vector", "A number of tokens for some places", "A marking covers it if it has at least these tokens."),
    word("trap", "A set of places that keeps a token once it has one", "See `traps`."),
    word("clause", "A statement that one of several facts holds", "See `clauses`."),
    word("pair", "Two places", "See `pairs`."),
    word("set", "A set of local states", "See `traps`."),
    word("proof", "Evidence that something never happens, which the checker has accepted", ""),
    word("frame", "A step of a circuit: the values of all signals at one time", ""),
    word("gate", "A node of a circuit whose value follows from others", ""),
    word("input", "A value that a circuit or a reactive program gets from outside in a step", ""),
    word("letter", "A part of a formula that a state or step satisfies or not", ""),
    word(
        "fairness assumption",
        "Runs are left out in which something is ignored for ever",
        "Written `assume`: no violation is shown that only such runs have.",
    ),
];
