//! Stubborn sets of behavioral programs: of the enabled events of a state only those of one *stubborn* set T are
//! taken, chosen so that every violation keeps a run that is no longer than before.
//!
//! Where threads are independent, most of a state space is made of the orders in which they may do so,
//! and one order is as good as another. What T must have is said by rules that look at each thread by itself, in its
//! local state of the moment. They are Valmari's weak stubborn sets, with the goal `bad` as something to be attracted
//! to (Schmidt, "Stubborn sets for model checking the EF/AG fragment of CTL", 1999); a bad state's blocking counts
//! for nothing in them, else a single marker would tie all threads together.
//!
//! # Rules
//!
//! Let q be a state that ends no run, a *move* of a local state s an event that s does not block and that takes its
//! thread elsewhere, and let a thread in s *come to* what holds of s or of a state that is not bad and reached from s
//! by moves. In every thread:
//!
//! * (E) if e of T is enabled, then T has one of
//!   * *stay*: if e moves s: the moves of s after which the thread may come not to block e; and every event that s
//!     does not block and that leaves s as it is, if some target of e that is not bad blocks it, moves on it, or does
//!     not request it while s does. If e does not move s: the moves of s after which it may come to be moved by e;
//!   * *swap*: every f that somewhere among the states reached from s cannot be swapped with a following e;
//! * (D) if e of T is disabled, then either T has, for one thread that blocks e, its moves after which it may come
//!   not to block e, or no thread requests e, and T has of every thread the moves after which it may come to request e
//!   without blocking it;
//! * (B) if `bad` is asked, T has of every thread all its moves from which a bad state can still be reached, or all
//!   moves into bad states that the thread may come to;
//! * (K) if `deadlock` is asked, T has an enabled *key event*, of every thread the moves after which it may come to
//!   block the key, and of one thread that requests it the moves after which it may come not to.
//!
//! # Why it is enough
//!
//! Take a run from q to a goal that is asked, with n > 0 events. It has an event of T: a run into a bad state makes
//! the moves of (B); and if a run without events of T ended in a deadlock, no thread would have come to block the key
//! event, and its requester would still request it. Let e be the first, behind f1 .. fk outside T. It is enabled in q
//! already: otherwise the thread that blocks it in q would still do so, or no thread would have come to request it
//! (D). And it can be done first. A thread that stays and is moved by e has not been moved by f1 .. fk, since what
//! moves it outside T leaves e blocked for good; and f1 .. fk find its new state as they found the old one. A thread
//! that stays and is not moved by e in q is not when e comes, so it need not know when e came. A thread that swaps
//! lets e pass fk, then the one before it, and so on. So e, f1 .. fk is a run to the same state, or shorter, where e
//! leads into a bad state at once. The search takes e in q, and from there a violation is at most n - 1 events away.
//! By induction it finds one, and one of the least length.
//!
//! There is no cycle proviso: what the argument counts is the distance to the goal, and it shrinks with every step
//! that is kept. Several goals: T keeps all rules at once. Which T is chosen makes no difference to that (`choose`);
//! the checker finds its own.

mod choose;
mod local;
mod rules;
mod sets;

pub use choose::Chooser;
pub use rules::Part;
