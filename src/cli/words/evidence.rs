//! Kinds of evidence.

use super::{Word, word};

pub(super) const WORDS: &[Word] = &[
    word(
        "trace",
        "A run to a violation",
        "The checker has replayed it on the system as read. `impasse simulate FILE --from EVIDENCE` steps through it.",
    ),
    word(
        "state-set",
        "A set of states that no step leaves and that contains no violation",
        "The checker has examined every state of the set, and every step from it.",
    ),
    word(
        "projection",
        "A closed set of joint states of a few threads",
        "These threads alone exclude the violation, whatever the other threads do.",
    ),
    word(
        "lemmas",
        "A refutation from lemmas",
        "Each lemma holds for every violating run, for a reason that the checker verifies. Together the lemmas \
         contradict each other, so there is no violating run.",
    ),
    word("markable", "The set of places that can be marked", "The goal needs tokens in a place outside this set."),
    word("pairs", "Pairs of places that can be marked together", "The goal needs a pair that is not among them."),
    word("vectors", "Vectors of tokens that no reachable marking covers", "The goal covers one of them."),
    word(
        "linear",
        "Bounds on weighted sums of tokens",
        "They hold in every reachable marking and contradict the goal. If there are none, the inequalities of the \
         goal contradict each other.",
    ),
    word("traps", "Sets of places that never become empty", "Together with linear bounds, they contradict the goal."),
    word(
        "clauses",
        "Clauses that every reachable state satisfies",
        "They hold in every initial state, every step preserves them (proofs checked), and they exclude the goal.",
    ),
    word(
        "branching",
        "Markings on which a formula of computation tree logic is evaluated",
        "The checker evaluates the formula on them, too; nothing is assumed about other markings. Claims about parts \
         of the formula may belong to the evidence.",
    ),
    word(
        "bound",
        "A run to the largest value of a sum, and a proof that no value is greater",
        "The checker has replayed the run and checked the proof.",
    ),
];
