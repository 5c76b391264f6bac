//! Stubborn sets of nets. In each marking, a search fires only the enabled transitions of a set T. T is chosen
//! such that every reachable goal marking keeps a run that is no longer than before.
//!
//! If parts of a net are independent, most of its markings come from the different orders of their firings, and
//! one order is as good as another. The sets are weak stubborn sets (Valmari), and goals decide where a set
//! starts: Schmidt, "Stubborn sets for model checking the EF/AG fragment of CTL" (1999); Bønneland, Jensen,
//! Larsen, Muñiz and Srba, "Start pruning when time gets urgent" (2018). The latter derive the interesting transitions
//! of an inequality from the signs of its terms.
//!
//! # Rules
//!
//! Let m be a marking in which no goal holds. A transition *may increase* p if some firing of it leaves more
//! tokens on p than before. *May decrease* is defined likewise. A transition *assigns* p if its effect on p is
//! not a constant change. T must satisfy these rules.
//!
//! * (A) For each goal formula, T contains the transitions to which the root is *attracted*. The root is false
//!   in m. A false conjunction is attracted to the transitions of one of its false children, a false
//!   disjunction to the transitions of all its children. A false inequality is attracted to all transitions
//!   with a firing that may increase the sum. For a deadlock goal, T has one enabled transition as its *key*. T
//!   contains all transitions that may decrease a place on which the key has a guard with a lower end, and all
//!   that may increase a place on which the key has a guard with an upper end.
//! * (D) If T contains a transition t that is disabled in m, then T covers one failing guard of t. If the place
//!   of this guard has too few tokens, T contains all transitions that may increase it. If it has too many, T
//!   contains all transitions that may decrease it.
//! * (E) If T contains a transition t that is enabled in m, then T contains
//!   * all transitions with a lower end to their guard on a place that t may decrease, and all with an upper
//!     end to their guard on a place that t may increase;
//!   * all transitions that change a place that t assigns, or reads to assign; and all transitions that assign,
//!     or read to assign, a place that t changes.
//!
//! # Why the rules suffice
//!
//! Let n > 0 be the least number of firings from m to a goal marking. Consider a run with n firings from m to a
//! goal marking.
//!
//! 1. The run contains a transition of T. Proof: in a run without a transition of T, an inequality that was
//!    false would stay false, and so would the formula; and the key would stay enabled.
//! 2. Let t be the first transition of T in the run, after a word w of other transitions. Then t is already
//!    enabled in m. Proof: otherwise the guard of rule (D) would still fail after w.
//! 3. The run can start with t. Proof: by rule (E), t disables no transition of w. The effects of t and of each
//!    transition of w commute, because both are constant changes on the places that they share. So t w leads to
//!    the same marking as w t.
//! 4. After t, the goal is n - 1 firings away. Proof: by claim 3, the run that starts with t has n firings.
//! 5. A search that fires the enabled transitions of T in every marking without goal finds a goal marking if
//!    one is reachable, in any order of search. Proof: by induction on the distance to the goal, using claim 4.
//!    Since this distance shrinks, no proviso for cycles is needed.
//! 6. If T contains no enabled transition, no goal is reachable from m. Proof: by claims 1 and 2.
//!
//! Any set that satisfies the rules will do, and the union of two such sets also satisfies the rules. The
//! checker computes its own set. If there are several goals, T satisfies rule (A) for all of them.

mod attract;
mod choose;
mod depends;

pub use attract::Attraction;
pub use choose::Chooser;
pub use depends::{Depends, Omit};
