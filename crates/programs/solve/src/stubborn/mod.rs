//! Stubborn sets of behavioral programs. In each state, a search takes only the enabled events of a *stubborn*
//! set T. T is chosen such that every goal that is reachable stays reachable, by a run that is no longer.
//!
//! If threads are independent, most of a state space comes from the different orders of their events, and one
//! order is as good as another. The rules for T look at each thread separately, in its current local state. They
//! describe Valmari's weak stubborn sets. For the goal `bad`, the set must contain events that lead towards the
//! goal (Schmidt, "Stubborn sets for model checking the EF/AG fragment of CTL", 1999). The rules ignore the
//! events that bad states block; otherwise a single bad state would connect all threads.
//!
//! # Rules
//!
//! Let q be a state that ends no run. A *move* of a local state s is an event that s does not block and that
//! takes its thread to another state. A thread in s may *come to* a condition if the condition holds of s, or
//! of a state that is not bad and is reached from s by moves. T must satisfy these rules for every thread.
//!
//! * (E) If T contains an enabled event e, then T contains one of these sets:
//!   * *stay*, if e moves s: the moves of s after which the thread may come not to block e; and every event
//!     that s does not block and that leaves s unchanged, if some target of e that is not bad blocks it, moves
//!     on it, or does not request it while s does;
//!   * *stay*, if e does not move s: the moves of s after which the thread may come to be moved by e;
//!   * *swap*: every event f that cannot be swapped with a following e in some state reached from s.
//! * (D) If T contains a disabled event e, then one of these holds:
//!   * for one thread that blocks e, T contains its moves after which it may come not to block e;
//!   * no thread requests e, and T contains the moves of every thread after which it may come to request e
//!     without blocking it.
//! * (B) If `bad` is a goal, then T contains one of these sets: for every thread, all its moves after which it
//!   may come to a bad state; or, for every thread, all moves into a bad state from any state that the thread
//!   may come to.
//! * (K) If `deadlock` is a goal, then T contains an enabled *key event*, the moves of every thread after which
//!   it may come to block the key, and the moves of one thread that requests the key after which it may come
//!   not to request it.
//!
//! # Why the rules suffice
//!
//! Consider a run from q to one of the goals, with n > 0 events.
//!
//! 1. The run contains an event of T. Proof: a run into a bad state makes the moves of rule (B). If a run
//!    without events of T ended in a deadlock, no thread would have come to block the key event, and its
//!    requester would still request it. So the key event would be enabled, a contradiction.
//! 2. Let e be the first event of T in the run, after f1 .. fk outside T. Then e is already enabled in q.
//!    Proof: otherwise, by rule (D), the thread that blocks e in q would still block it, or no thread would
//!    have come to request it.
//! 3. The run can start with e. Proof: a thread *stays* if T contains its set *stay* for e, and otherwise it
//!    *swaps*.
//!    * A thread that stays and is moved by e in q has not been moved by f1 .. fk, because a move outside T
//!      leads it to states that block e forever, but e is taken after f1 .. fk. The events f1 .. fk treat its
//!      new state as they treat the old one.
//!    * A thread that stays and is not moved by e in q is not moved by e after f1 .. fk either. So the position
//!      of e does not matter to it.
//!    * For a thread that swaps, e can be swapped with fk, then with the event before it, and so on.
//! 4. So e, f1 .. fk is a run to the same state, or a shorter run if e leads into a bad state at once. After e,
//!    a violation is at most n - 1 events away. Proof: by claim 3.
//! 5. The search finds a violation, and one of the least length. Proof: by induction on n, using claim 4.
//!
//! No proviso for cycles is needed: the argument counts the distance to the goal, and this distance shrinks
//! with every step that the search takes. If there are several goals, T satisfies all rules at once. Soundness
//! does not depend on which T is chosen (`choose`); the checker computes its own set.

mod choose;
mod local;
mod rules;
mod sets;

pub use choose::Chooser;
pub use rules::RulePart;
