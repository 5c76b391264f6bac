//! Justifications of lemmas: statements about single threads or small groups of threads, simple enough for an
//! independent checker.
//!
//! Notation:
//! * A violating run rho = s_0 e_0 s_1 .. e_{T-1} s_T ends in its first goal state s_T. T is the run length.
//! * A thread is a *clock* iff it has one initial state and, in every locally reachable state, all events that
//!   the state does not block lead to the same single successor. (An event without a move in the state leads to
//!   the state itself.)
//! * The state of a clock at step u is therefore a function f(u), a lasso: a prefix followed by a cycle. If
//!   some f(k) blocks every event, no run continues after step k, and f is undefined after k.
//! * A *lasso set* is a set of run lengths T. It consists of finitely many lengths, and of all lengths above
//!   some bound in certain residue classes. A clause *covers* a lasso set iff for every T in the set at least
//!   one of the clause's positive [`crate::Prop::Int`] literals about [`crate::Constant::RunLength`] is true.
//!
//! Each justification determines a form of clauses. The checker accepts a lemma iff its clause contains at
//! least the literals that the variant lists (further literals only weaken the clause), and the condition of
//! the variant holds for the program as read. "Locally reachable" means [`crate::Thread::locally_reachable`].
//! Source: Katz, Barrett, Harel 2015, section IV (looped threads), with the side conditions of
//! `docs/patterns.md`.
//!
//! The *projection* onto a group of threads contains only the threads of the group. An event may fire in the
//! projection iff two conditions hold:
//! * No thread of the group blocks the event.
//! * A thread of the group requests the event, or some other thread has a locally reachable state that is not
//!   bad and requests it.
//!
//! When an event fires, every thread of the group moves. Every run of the program, restricted to the group, is
//! a run of the projection (Kurshan 1994: localization). The *group clock* S(u) is the set of joint states in
//! which runs of the projection may be after u events. S is a lasso of sets: a prefix of sets, then a cycle of
//! sets. For a single thread that is a clock, S(u) has one element.

use crate::array::ArrayRule;
use crate::ids::{EventId, LocalId, ThreadId};

/// The reason why a lemma is valid. The documentation of each variant states the reason, and then the literals
/// that the clause of the lemma must contain. "A cover of" a set means literals that cover the set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Justification {
    /// If the event fired `back` events before the last event, the run is long enough: `not EventBack(back,
    /// event)`, and `T >= back + 1` (this atom, or a cover of all T from `back + 1` on).
    EventExists {
        /// Distance from the end of the run, in events.
        back: u32,
        /// The event.
        event: EventId,
    },
    /// A clock does not block the event that fires: `not EventBack(back, event)`, and a cover of { T : u =
    /// T-1-back >= 0, f(u) is defined and does not block `event` }. Condition: `thread` is a clock.
    OpenAt {
        /// Distance from the end of the run, in events.
        back: u32,
        /// The event.
        event: EventId,
        /// The clock.
        thread: ThreadId,
    },
    /// Some thread requests the event that fires: `not EventBack(back, event)`, and, for every clock i that
    /// requests `event` in some state of its lasso, a cover of { T : u = T-1-back >= 0, f_i(u) is defined and
    /// requests `event` }. Condition: every thread with a locally reachable state that requests `event` is a
    /// clock.
    RequestedAt {
        /// Distance from the end of the run, in events.
        back: u32,
        /// The event.
        event: EventId,
    },
    /// A run to the goal `bad` ends with a bad local state: `not Ends(Bad)`, and `StateBack(0, i, s)` for every
    /// thread i and every locally reachable bad state s of thread i.
    BadState,
    /// The state of a clock determines the time: `not StateBack(back, thread, state)`, and a cover of { T : u =
    /// T-back >= 0, f(u) = state }. Condition: `thread` is a clock.
    ClockState {
        /// Distance from the end of the run, in events.
        back: u32,
        /// The clock.
        thread: ThreadId,
        /// The state of the clock.
        state: LocalId,
    },
    /// A local state is initial or was entered by an event: `not StateBack(back, thread, state)`; if `state` is
    /// initial, a cover of { back }; and `EventBack(back, e)` for every event e that can lead to `state`. These
    /// are the events e such that some locally reachable state s of `thread` does not block e and has `state`
    /// among its targets for e. (If s has no move on e, its only target is s itself.)
    EnteredBy {
        /// Distance from the end of the run, in events.
        back: u32,
        /// The thread.
        thread: ThreadId,
        /// The local state.
        state: LocalId,
    },
    /// Before an event, the thread is in a state from which the event leads to `state`: `not StateBack(back,
    /// thread, state)`, `not EventBack(back, event)`, and `StateBack(back + 1, thread, s)` for every locally
    /// reachable state s that does not block `event` and has `state` among its targets for `event`.
    CameFrom {
        /// Distance from the end of the run, in events.
        back: u32,
        /// The thread.
        thread: ThreadId,
        /// The local state after the event.
        state: LocalId,
        /// The event.
        event: EventId,
    },
    /// In a plain deadlock (a deadlock without a bad local state), every requested event is blocked. Literals:
    /// * `not Ends(Deadlock)`;
    /// * for the clock f of `thread`: a cover of { T : f(T) is defined and does not request `event` };
    /// * for every clock k: a cover of { T : f_k(T) is defined, not bad, and blocks `event` }.
    ///
    /// Condition: `thread` is a clock, and so is every thread with a locally reachable state that blocks `event`
    /// and is not bad. (All covers may omit bad states of clocks, because a plain deadlock has no bad local
    /// state.)
    DeadAt {
        /// The clock that requests the event.
        thread: ThreadId,
        /// The event.
        event: EventId,
    },
    /// The clause holds for every run of the projection onto `threads` (ascending, at least one). Only the part
    /// of the run from `back + length` to `back` events before its end is considered.
    ///
    /// Condition: for every run length T, one of two cases holds. Either the clause contains a literal of kind 1
    /// or 2. Or T >= back, and for every path the clause contains a literal of kind 3 that is true on this path.
    /// Let m = min(length, T - back). A *path* consists of m events of the projection, and begins in a joint
    /// state in S(T - back - m), where S is the group clock.
    /// 1. A positive [`crate::Prop::Int`] literal about the run length that holds for T.
    /// 2. `not StateBack(b, i, s)` with T < b <= back + length, or `not EventBack(b, e)` with T <= b < back +
    ///    length. Such a literal is true because the run has no state or event at distance b from its end.
    /// 3. `StateBack(b, i, s)` or `EventBack(b, e)`, negated or not, at a distance b on the path, with i in the
    ///    group. States on the path have back <= b <= back + m, and events have back <= b < back + m.
    ///
    /// If T < back, kind 3 does not apply. So a clause without negated literals must cover each T below `back`
    /// by literals of kind 1.
    ///
    /// Limits: if the lasso has more than 4096 + 4 * (number of joint states) sets, or if its sets have more
    /// than 2^24 elements together, the checker replaces each S(u) with u >= 1 by the union of all sets of the
    /// lasso.
    ///
    /// Covers of infinite sets of T (here and in all other variants): each residue class of the lasso's cycle
    /// must be covered in one of two ways. Either one congruence covers it, and the modulus of the congruence
    /// divides the length of the cycle. Or an [`crate::IntAtom::at_least`] atom covers all T from its bound on,
    /// and single values and congruences cover the smaller T.
    Projected {
        /// The group.
        threads: Vec<ThreadId>,
        /// Distance of the end of the path from the end of the run, in events.
        back: u32,
        /// The largest number of events on a path.
        length: u32,
    },
    /// A linear statement about the counts of events holds at the end of every run of the projection onto
    /// `threads` (ascending, at least one). The clause contains a positive [`crate::Prop::Int`] literal: `left <=
    /// right` or `left = right`, without remainders, about [`crate::Constant::Count`] and the run length only.
    ///
    /// A *path* begins in an initial joint state and consists of events of the projection. It *counts* iff no
    /// literal of the following kinds is true on it:
    /// 1. `StateBack(b, i, s)`, negated or not, with b <= `length` and i in the group.
    /// 2. `EventBack(b, e)`, negated or not, with b < `length`.
    ///
    /// A negated literal about a distance that the path does not have is true.
    ///
    /// Condition: the statement holds at the end of every path that counts. (Each event of the path adds its
    /// weight to `left - right`, and the checker computes the largest sum of weights. A sum without bound is
    /// refused.)
    ///
    /// Examples, each with any thread as the group: `count(e) <= T`; the sum of all counts is T; `not EventBack(0,
    /// e)` or `count(e) >= 1` (`length` 1). With a thread that goes up on `a` and down on `b` through 5 states as
    /// the group: `count(a) - count(b) <= 4`; `not StateBack(0, i, 3)` or `count(a) - count(b) = 3`.
    Counts {
        /// The group.
        threads: Vec<ThreadId>,
        /// The number of events before the end of the run about which literals are considered.
        length: u32,
    },
    /// Some thread requests the event that fires: `not EventBack(back, event)`, and `StateBack(back + 1, i, s)`
    /// for every thread i and every locally reachable state s of thread i that is not bad and requests `event`.
    RequestedBy {
        /// Distance from the end of the run, in events.
        back: u32,
        /// The event.
        event: EventId,
    },
    /// In a plain deadlock every requested event is blocked. Literals:
    /// * `not Ends(Deadlock)`;
    /// * `not StateBack(0, thread, state)`;
    /// * `StateBack(0, k, s)` for every other thread k and every locally reachable state s of thread k that is
    ///   not bad and blocks `event`.
    ///
    /// Condition: `state` requests `event` and does not block it. (Whether other states of `thread` block the
    /// event does not matter.)
    BlockedBy {
        /// The thread that requests the event.
        thread: ThreadId,
        /// The local state of this thread, not bad.
        state: LocalId,
        /// The event.
        event: EventId,
    },
    /// The program has no plain deadlock: `not Ends(Deadlock)`.
    ///
    /// In the condition, only locally reachable states that are not bad count. The set of *ranked* events is the
    /// least set with this property: if every state (of any thread) that blocks an event e requests a ranked
    /// event, then e is ranked. In particular, an event that no state blocks is ranked. Condition: some thread
    /// requests a ranked event in each of its states.
    ///
    /// Proof: the set is computed step by step. Order the ranked events by the step in which they enter the set.
    /// Suppose that a plain deadlock is reached. The thread of the condition requests a ranked event there. Let
    /// e be the first ranked event that any thread requests there. No event is enabled, so some local state
    /// blocks e. This local state requests an event that entered the set before e. This contradicts the choice
    /// of e.
    NeverStuck,
    /// A rule that every array keeps to: the literals of the rule.
    Array(ArrayRule),
    /// The thread can only reach certain local states after a composite state q: `not Visits(q)`, and
    /// `StateBack(0, thread, s)` for every s in F(thread).
    ///
    /// F is the least closed family of sets of local states, one set F(i) per thread i, with q(i) in F(i). An
    /// event e is *alive* iff some F(i) contains a state that is not bad and requests e, and every F(i) contains
    /// a state that does not block e. The family is closed iff, for each state s in F(i), F(i) contains all
    /// targets of s for alive events that s does not block.
    ///
    /// Proof: by induction over the steps after q. Suppose that every thread i is in F(i), as it is in q. If an
    /// event fires, some thread requests it and no thread blocks it, so the event is alive. The family is
    /// closed, so every thread i moves to a state in F(i).
    Future {
        /// The composite state.
        state: Box<[u32]>,
        /// The thread.
        thread: ThreadId,
    },
}
