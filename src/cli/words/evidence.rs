//! Kinds of evidence.

use super::{Word, word};

pub(super) const WORDS: &[Word] = &[
    word(
        "trace",
        "A run into a violation",
        "The checker has replayed it on the system as read. `impasse simulate FILE --from EVIDENCE` steps through it.",
    ),
    word(
        "state-set",
        "A set of states that no step leaves and in which nothing is violated",
        "The checker has looked at every state and at every step from it.",
    ),
    word(
        "projection",
        "A closed set of joint states of a few threads",
        "These threads alone keep the violation from occurring, whatever the others do.",
    ),
    word(
        "lemmas",
        "A refutation from lemmas",
        "Each lemma holds of every violating run, for a reason that the checker knows, and together they contradict each other: there is none.",
    ),
    word("markable", "Places that can be marked at all", "The target needs others."),
    word("pairs", "Pairs of places that can be marked together", "The target needs others."),
    word("vectors", "Vectors of tokens that no marking covers", "The target would cover one of them."),
    word(
        "linear",
        "Bounds of weighted sums of tokens",
        "They hold in every marking and contradict the target; with none, the target's inequalities contradict each other.",
    ),
    word("traps", "Sets of places that never become empty", "With linear bounds they contradict the target."),
    word(
        "clauses",
        "Clauses that every reachable state satisfies",
        "They hold at the start, every step keeps them (proofs checked), and they exclude the target.",
    ),
];
