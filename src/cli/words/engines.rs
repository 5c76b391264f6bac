//! Engines, as `--engine` and reports call them.

use super::{Word, word};

pub(super) const WORDS: &[Word] = &[
    word(
        "auto",
        "All engines that can help, in turns",
        "Turns are measured in work, not in seconds, so that the same input gives the same answer on any machine. The first checked answer to each property counts; the report names the engine that gave it.",
    ),
    word(
        "dpllt",
        "Search inside a SAT solver, with lemmas from patterns",
        "For programs. States are split on demand, and lemmas about every violating run forbid parts of the space before they are visited; often all of it. For nets and thread systems, where no pattern has lemmas, it is a plain search of that kind.",
    ),
    word(
        "explicit",
        "Plain search, breadth first",
        "Visits every state. What it completes is proven by the set of states, and runs that it finds are shortest.",
    ),
    word("explicit.dfs", "Depth-first search in random order", "For reactive programs."),
    word(
        "explicit.restart",
        "Depth-first searches with limits, one after the other",
        "For reactive programs. Each begins anew in another order once it has done so many calls without anything new.",
    ),
    word(
        "explicit.jumpstart",
        "Depth-first searches, and breadth-first ones from near the errors found",
        "For reactive programs: errors tend to lie near each other.",
    ),
    word(
        "project",
        "Search on few threads of a program",
        "Some threads are kept, the others request whatever they may and block nothing. A violation there that the others cannot take part in says which of them to keep, too.",
    ),
    word(
        "stubborn",
        "Search without orders of events that do not matter",
        "Stubborn sets: of events that are independent of each other one order is enough. For programs, nets and thread systems; gives up where that saves little.",
    ),
    word(
        "slice",
        "What cannot matter for the question is dropped",
        "For nets and thread systems, before any search. If nothing is left that could reach the target, that is the answer.",
    ),
    word(
        "facts",
        "Facts about all markings of a net, and no search",
        "Which places are never marked together, and which weighted sums of tokens never exceed a bound. For goals that ask for covering, for any number of tokens.",
    ),
    word("pairs", "Which places are never marked together", "Like `facts`, without the linear bounds."),
    word(
        "ic3",
        "IC3: a proof by clauses that every step keeps",
        "On markings for nets and thread systems (coverability, for any number of tokens), on bits for circuits and programs. It learns, for growing numbers of steps, what cannot be reached, until that no longer depends on the number.",
    ),
    word(
        "ic3.bits",
        "IC3 on bits, for nets and thread systems as well",
        "A bit says that a place has at least so many tokens; bits are made when a proof needs them. For goals and guards of any form.",
    ),
    word("ic3.bounded", "IC3 on bits within `--bound`", "For comparison: it knows no facts about the net."),
    word(
        "ic3.ttscov",
        "IC3 on bits for growing bounds",
        "For comparison: until what holds within a bound holds without.",
    ),
    word(
        "equation",
        "State equation, traps and cases",
        "For nets and thread systems and goals of any form: the goal and all linear facts contradict each other, case by case.",
    ),
    word(
        "cover",
        "All guided searches, in turns",
        "For goals of nets and thread systems that ask for covering: `cover.greedy`, `cover.astar` and `cover.backward`.",
    ),
    word(
        "cover.greedy",
        "Forward search, nearest to the goal first",
        "For goals of nets and thread systems that ask for covering. The distance is that of a simpler net in which tokens are never missed again.",
    ),
    word("cover.astar", "Forward search, short runs first", "Like `cover.greedy`, but what it finds is short."),
    word(
        "cover.backward",
        "Backward search from the goal",
        "The classical procedure for well-structured systems: it always ends, if memory allows.",
    ),
    word(
        "walk",
        "Random walks",
        "For nets, thread systems and behavioral programs. Finds violations, and shortens them; proves nothing.",
    ),
    word(
        "ltl",
        "Temporal formulas on the explored graph",
        "For reactive programs. An automaton for the negated formula runs along with the program; a cycle through its accepting states is a violation.",
    ),
    word(
        "cells",
        "Intervals in place of numbers",
        "For reactive programs. Abstract runs that the program cannot take say where to cut intervals; what no abstract run reaches is proven unreachable.",
    ),
    word("cells.ltl", "Temporal formulas on intervals", "For reactive programs: `ltl` on the graph of `cells`."),
];
