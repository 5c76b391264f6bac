//! Stubborn sets of nets: of the enabled transitions of a marking only those of one set T need be fired, chosen so
//! that every goal marking keeps a run that is no longer than before.
//!
//! Where parts of a net are independent, most of its markings are made of the orders in which they may do
//! so, and one order is as good as another. The sets are weak stubborn ones (Valmari), with the goals as something to
//! be attracted to: Schmidt, "Stubborn sets for model checking the EF/AG fragment of CTL" (1999); Bønneland, Jensen,
//! Larsen, Muñiz and Srba, "Start pruning when time gets urgent" (2018), who take the interesting transitions of an
//! inequality from the signs of its terms.
//!
//! # Rules
//!
//! Let m be a marking that is none of a goal. A transition *may increase* p if some firing of it leaves more tokens
//! on p than before, and likewise *may decrease*; it *assigns* p if its effect there is not a constant change. T has
//!
//! * (A) for each goal formula what it is *attracted* to, the root being false in m: of a false conjunction what one
//!   of its false parts is attracted to, of a false disjunction what all of its parts are, of a false inequality all
//!   transitions of which some firing may increase the sum. For a deadlock, for one enabled transition (the *key*),
//!   all that may decrease a place on which it has a guard with a lower end, or may increase one on which it has a
//!   guard with an upper end;
//! * (D) with a transition t of T that is disabled in m, for one of the guards that fail: all transitions that may
//!   increase its place if it has too few tokens, all that may decrease it if too many;
//! * (E) with a transition t of T that is enabled in m:
//!   * all transitions with a lower end to their guard on a place that t may decrease, and all with an upper end on
//!     one that t may increase;
//!   * all transitions that change a place that t assigns or reads to assign; and all that assign, or read to assign,
//!     a place that t changes.
//!
//! # Why it is enough
//!
//! Take a run from m to a goal marking with n > 0 firings, n as small as it can be. It has a transition of T: in a
//! run without, an inequality that was false would stay so, with it the formula, and the key would stay enabled. Let
//! t be the first, behind a word w of others. It is enabled in m already: otherwise the guard of (D) would still fail
//! after w. And it can be done first: by (E) t spoils no guard of w, and the effects of t and of each transition of w
//! commute, as they are both constant changes where they meet at all. So t w leads where w t did, and behind t the
//! goal is n - 1 firings away. By induction a search that fires the enabled transitions of T in every marking that is
//! none of a goal finds a goal marking if there is one, in whatever order it works. What counts is the distance to
//! the goal, which shrinks: no cycle needs a proviso. Where T has no enabled transition, no goal can be reached any
//! more.
//!
//! Any T will do, and the union of two is one as well; the checker finds its own. Several goals at once: T has (A)
//! for all of them.

mod attract;
mod choose;
mod depends;

pub use attract::Attraction;
pub use choose::Chooser;
pub use depends::{Depends, Omit};
