//! Explains the statistics of engines in reports with `-v` and in JSON.

use super::{Word, word};

pub(super) const WORDS: &[Word] = &[
    word(
        "states",
        "Distinct states that the search visited",
        "For nets: markings. For `thread-abstraction`: the states of its last search.",
    ),
    word(
        "transitions",
        "Steps that the search took",
        "For `walk`: all steps of all walks. Walks do not recognise states that they visit again.",
    ),
    word(
        "steps",
        "Steps of an engine that stores no states, or of a refutation",
        "For `walk`: the events of all its walks. For a refutation: the steps of its proof.",
    ),
    word(
        "replayed",
        "States that the checker stepped through",
        "The checker's own work. No answer is given before the checker has accepted it.",
    ),
    word(
        "checked",
        "The independent checker has accepted the evidence",
        "Without a successful check, the verdict is `unknown`.",
    ),
    word(
        "length",
        "Length of the evidence",
        "Events of a trace, states of a set, steps of a refutation, parts of an invariant.",
    ),
    word(
        "hash",
        "A hash of a set of states",
        "Equal sets have equal hashes, whatever the order in which their states were found.",
    ),
    word(
        "trusted",
        "Kinds of lemmas that were accepted without proof",
        "Because of `--trust PATTERN`: the checker has no rule for them.",
    ),
    word("seconds", "Time in seconds, including the time for checking the evidence", ""),
    word(
        "peak_bytes",
        "Peak memory of the process in bytes, as the process counts it",
        "Memory that libraries allocate themselves is not included.",
    ),
    word(
        "nondeterministic",
        "The engine that answers first may differ from run to run",
        "With `--jobs` above 1. Verdicts do not differ.",
    ),
    word("splits", "Sets of states that were split (`dpllt`); cases that were split (`equation`)", ""),
    word(
        "components",
        "Components of states (groups that reach each other) that were closed, because they reach no goal",
        "For `dpllt`.",
    ),
    word("literals", "Literals of the clauses about states", "For `dpllt`: the size of its formula."),
    word("decisions", "Decisions of the SAT solver", ""),
    word(
        "unasked",
        "Questions to patterns about visited states that were left out",
        "For `dpllt`: a pattern that has taken more time than the search is asked about fewer states.",
    ),
    word(
        "side_checks",
        "Checks of the arithmetic of lemmas",
        "For `dpllt`: the theory beside the solver was asked whether the numbers of lemmas have a solution. Most of \
         these questions are decided without Z3.",
    ),
    word(
        "z3_queries",
        "Queries to Z3",
        "For `symbolic`: each looks for an invariant, or for runs up to some length. For `dpllt`: those of \
         `side_checks` that were left to Z3.",
    ),
    word("conflicts", "Conflicts of the SAT solver, which learns a clause from each", ""),
    word(
        "kept",
        "Threads that were kept",
        "For `thread-abstraction`: every other thread may request each of its events at any time, and blocks nothing.",
    ),
    word("projected", "States of the searches before the last", "For `thread-abstraction`."),
    word(
        "refinements",
        "Runs of the kept threads that the other threads prevent",
        "For `thread-abstraction`: after each, it keeps another set of threads.",
    ),
    word(
        "enabled",
        "Transitions that were enabled, taken or not",
        "For `stubborn`: if this is much more than `transitions`, the reduction has saved much.",
    ),
    word("walks", "Random walks", ""),
    word("disk_bytes", "Bytes of the temporary files of the search", "For `explicit` with `--disk`."),
    word("bits", "Bits of a search that may leave states out", "For `explicit` with `--lossy`."),
    word(
        "bits_set",
        "Bits that are set",
        "For `explicit` with `--lossy`: if more than a third of the bits are set, many states are left out.",
    ),
    word(
        "too_deep",
        "States from which no successor was kept, because the run to them was too long",
        "For `explicit` with `--lossy`: if there are any, states are left out, however few bits are set.",
    ),
    word("restarts", "Searches that were restarted", ""),
    word(
        "hunts",
        "Searches for one goal in one order",
        "For `cover.greedy` and `cover.astar`, which work on goals and orders in turns.",
    ),
    word("queries", "Queries to the SAT solver", "For IC3, `bmc` and `k-induction`."),
    word("obligations", "Sets of states (cubes) that IC3 had to show unreachable", ""),
    word(
        "frames",
        "Frames of IC3",
        "A frame contains all states that are reachable within a number of steps. The proof is found when two \
         adjacent frames are equal.",
    ),
    word("clauses", "Clauses that IC3 has learnt", ""),
    word("vectors", "Vectors that IC3 has shown not to be covered", ""),
    word(
        "counted",
        "The number of times that the signals of a justice property may all be true",
        "For `k-liveness`: the number that was tried last.",
    ),
    word(
        "followed",
        "Words of memories that the engine followed",
        "For circuits with memories that are too large for a latch for each bit.",
    ),
    word("merged", "Nodes of a circuit that were merged with equal nodes", "For IC3."),
    word("excluded", "Goals that were excluded", "For `equation`."),
    word(
        "given_up",
        "Goals that linear invariants and traps do not exclude",
        "For `equation`. Other engines may still decide them.",
    ),
    word("cases", "Cases in which the inequalities contradict each other", "For `equation`."),
    word("traps", "Sets of places that never become empty and that were needed", "For `equation`."),
    word("recurring", "Statements that can always come true again", "For `recurrence`."),
    word("lost", "Statements that never come true after a run", "For `recurrence`."),
    word("automaton_states", "States of the automata for the negated formulas", "For `ltl`."),
    word("classes", "States of the program's graph after equal states were merged", "For `ltl`."),
    word("product_states", "Pairs of a state of the automaton and a state of the graph", "For `ltl`."),
    word("rounds", "Rounds of refinement, which split intervals", "For `intervals`."),
    word("codes", "Intervals and values into which variables are split", "For `intervals`."),
    word("tree_nodes", "Nodes of the decision trees that distinguish calls", "For `intervals`."),
    word("vague", "Calls whose outcome the intervals do not determine", "For `intervals.ltl`."),
];
