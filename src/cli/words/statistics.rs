//! Statistics of engines, as `-v` and JSON show them.

use super::{Word, word};

pub(super) const WORDS: &[Word] = &[
    word(
        "states",
        "Distinct states that the search visited",
        "Of nets: markings. Of `project` those of its last search on few threads.",
    ),
    word(
        "transitions",
        "Steps that the search took",
        "Of `walk` all steps of all walks, which visit states again without knowing.",
    ),
    word(
        "steps",
        "What an engine without a list of states has done, or how long a refutation is",
        "Of `walk`: the events of all its walks. Of a refutation: the steps of its proof.",
    ),
    word(
        "replayed",
        "States that the checker stepped through",
        "The last lines of work before an answer: nothing is believed that was not replayed.",
    ),
    word(
        "checked",
        "The independent checker has accepted the evidence",
        "What is not checked is no verdict, but `unknown`.",
    ),
    word(
        "length",
        "How long the evidence is",
        "Events of a trace, states of a set, steps of a refutation, facts of an invariant.",
    ),
    word(
        "hash",
        "A number that stands for a set of states",
        "Equal sets have equal hashes, in whatever order they were found.",
    ),
    word(
        "trusted",
        "Kinds of lemmas that were believed without proof",
        "Because of `--trust PATTERN`: the checker knows no rule for them.",
    ),
    word("seconds", "Time, with that for checking the evidence", ""),
    word(
        "peak_bytes",
        "The most memory that the process held at a time, as it counts it",
        "What libraries allocate for themselves is not in it.",
    ),
    word(
        "nondeterministic",
        "Which engine was first may differ from run to run",
        "With `--jobs` above 1. Verdicts do not differ.",
    ),
    word("splits", "Sets of states that were split (`dpllt`); cases that were split (`equation`)", ""),
    word("components", "Loops of states that were closed since no goal can be reached in them", "Of `dpllt`."),
    word("literals", "Literals of the clauses about states", "Of `dpllt`: how large its formula has become."),
    word("decisions", "Decisions of the SAT solver", ""),
    word("conflicts", "Conflicts of the SAT solver, each of which it learns a clause from", ""),
    word("kept", "Threads that were kept", "Of `project`: all others request whatever they may and block nothing."),
    word("projected", "States of the searches before the last", "Of `project`."),
    word(
        "refinements",
        "Runs on few threads that the other threads objected to",
        "Of `project`: after each it keeps another set of threads.",
    ),
    word(
        "enabled",
        "Transitions that were enabled, taken or not",
        "Of `stubborn`: much more than `transitions` means that much was saved.",
    ),
    word("walks", "Random walks", ""),
    word("restarts", "Searches that were begun anew", ""),
    word(
        "hunts",
        "Searches for one goal in one order",
        "Of `cover.greedy` and `cover.astar`, which take up goals and orders in turns.",
    ),
    word("queries", "Questions to the SAT solver", "Of IC3."),
    word("obligations", "States that IC3 had to show out of reach", ""),
    word(
        "frames",
        "Numbers of steps for which IC3 knows something",
        "The proof is found when two neighbouring ones say the same.",
    ),
    word("clauses", "Clauses that IC3 has learnt", ""),
    word("vectors", "Vectors that IC3 has shown not to be covered", ""),
    word("excluded", "Goals that were excluded", "Of `equation`."),
    word(
        "given_up",
        "Goals that linear facts and traps do not exclude",
        "Of `equation`; other engines may still decide them.",
    ),
    word("cases", "Cases in which the inequalities contradict each other", "Of `equation`."),
    word("traps", "Sets of places that never become empty, as far as they were needed", "Of `equation`."),
    word("automaton_states", "States of the automata for the negated formulas", "Of `ltl`."),
    word("classes", "States of the program's graph after equal ones were joined", "Of `ltl`."),
    word("product_states", "Pairs of a state of the automaton and one of the graph", "Of `ltl`."),
    word("rounds", "Rounds of cutting intervals", "Of `cells`."),
    word("codes", "Intervals and values that variables were cut into", "Of `cells`."),
    word("tree_nodes", "Nodes of the trees of tests by which calls are told apart", "Of `cells`."),
    word("vague", "Calls of which it is not known which way they go", "Of `cells.ltl`."),
];
