//! The vocabulary of per-thread facts that justify lemmas, small enough for an independent checker.
//!
//! Notation: a violating run rho = s_0 e_0 s_1 .. e_{T-1} s_T ends in its first goal state s_T. A thread is a *clock* iff it
//! has one initial state and in every locally reachable state all events that the state does not block lead to one and the
//! same single successor (an event the state does not mention leads to the state itself). Its state at step u is then a
//! function f(u), a lasso: a prefix, then a cycle. If some f(k) blocks everything, no run goes beyond step k and f is
//! undefined after it. A *lasso set* is a set of T given by a finite part and residues; a clause `covers` it iff every T in
//! it makes one of the clause's positive [`crate::Prop::Int`] literals about [`crate::Constant::RunLength`] true.
//!
//! A fact names a clause shape; the checker accepts a lemma iff the clause contains at least the literals listed (further
//! ones only weaken it) and the side condition holds of the program as read. "Locally reachable" is
//! [`crate::Thread::locally_reachable`]. Source: Katz, Barrett, Harel 2015, section IV (looped threads), with the side
//! conditions of `docs/patterns.md`.
//!
//! The *projection* onto a group of threads keeps only these: an event may fire iff no member blocks it, and some member
//! requests it or some other thread has a locally reachable state that is not bad and requests it; every member moves.
//! Each run of the program, looked at in the group, is a run of the projection (Kurshan 1994: localization). The *group
//! clock* S(u) is the set of joint states that runs of the projection may be in after u events; as a function of u it is a
//! lasso of sets. Of one thread that every event moves on, S(u) has one element: a clock.

use crate::ids::{EventId, LocalId, ThreadId};

/// Why a lemma is valid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fact {
    /// An event that fired existed: `not EventBack(back, event)`, `T >= back + 1` (the atom, or a cover of `back + 1 ..`).
    EventExists {
        /// Distance from the end.
        back: u32,
        /// The event.
        event: EventId,
    },
    /// A clock does not block what fires: `not EventBack(back, event)`, and a cover of
    /// { T : u = T-1-back >= 0, f(u) defined and does not block `event` }. Condition: `thread` is a clock.
    OpenAt {
        /// Distance from the end.
        back: u32,
        /// The event.
        event: EventId,
        /// The clock.
        thread: ThreadId,
    },
    /// Somebody requests what fires: `not EventBack(back, event)`, and for every clock i that requests `event` in some
    /// state of its lasso a cover of { T : u = T-1-back >= 0, f_i(u) defined and requests `event` }.
    /// Condition: every thread with a locally reachable state that requests `event` is a clock.
    RequestedAt {
        /// Distance from the end.
        back: u32,
        /// The event.
        event: EventId,
    },
    /// A bad run ends in a bad local state: `not Ends(Bad)`, and `StateBack(0, i, s)` for every thread i and every
    /// locally reachable bad state s of it.
    BadState,
    /// A clock's state tells the time: `not StateBack(back, thread, state)`, and a cover of
    /// { T : u = T-back >= 0, f(u) = state }. Condition: `thread` is a clock.
    ClockState {
        /// Distance from the end.
        back: u32,
        /// The clock.
        thread: ThreadId,
        /// Its state.
        state: LocalId,
    },
    /// A state is initial or some event led to it: `not StateBack(back, thread, state)`; a cover of { back } if `state` is
    /// initial; and `EventBack(back, e)` for every event e with a locally reachable state s of `thread` that does not block
    /// e and has `state` among its targets for e (its own state if s does not mention e).
    EnteredBy {
        /// Distance from the end.
        back: u32,
        /// The thread.
        thread: ThreadId,
        /// Its state.
        state: LocalId,
    },
    /// Where an event came from: `not StateBack(back, thread, state)`, `not EventBack(back, event)`, and
    /// `StateBack(back + 1, thread, s)` for every locally reachable s that does not block `event` and has `state` among its
    /// targets for it.
    CameFrom {
        /// Distance from the end.
        back: u32,
        /// The thread.
        thread: ThreadId,
        /// Its state after the event.
        state: LocalId,
        /// The event.
        event: EventId,
    },
    /// In a plain deadlock whatever is requested is blocked: `not Ends(Deadlock)`; a cover of { T : f(T) defined and does
    /// not request `event` } for the clock f of `thread`; and for every clock k a cover of
    /// { T : f_k(T) defined, not bad, and blocks `event` }.
    /// Condition: `thread` is a clock, and no thread that is not a clock has a locally reachable state that is not bad and
    /// blocks `event`. (Bad states of clocks are left out of both covers: a plain deadlock has none.)
    DeadAt {
        /// The clock that requests.
        thread: ThreadId,
        /// The event.
        event: EventId,
    },
    /// The clause is true of every run of the projection onto `threads` (ascending, at least one), looked at from
    /// `back + length` to `back` events before its end. That is: for every T, one of the clause's literals is true of
    /// every run of length T, where only these count:
    /// * [`crate::Prop::Int`] atoms about the run length that hold for this T, not negated;
    /// * `not StateBack(b, i, s)` with T < b <= back + length, and `not EventBack(b, e)` with T <= b < back + length: nothing
    ///   was there;
    /// * if T >= back: with m = min(length, T - back), for every path of m events of the projection that begins in the
    ///   group clock's S(T - back - m), `StateBack(b, i, s)` and `EventBack(b, e)` of either sign with i in the group and b
    ///   on the path (states: back ..= back + m; events: back .. back + m).
    ///
    /// So a clause without negations must also cover the T below `back`, about which the path says nothing.
    ///
    /// The checker takes S(u) for every u >= 1 to be the union of all S if the lasso has more than 4096 + 4 * (joint states)
    /// sets, or these more than 2^24 elements together. Sets of T that go on for ever must be covered as
    /// [`crate::Fact::OpenAt`]'s: each residue class of the lasso's cycle by one congruence whose modulus divides the length
    /// of the cycle, or by single values and congruences up to an `at_least`.
    Projected {
        /// The group.
        threads: Vec<ThreadId>,
        /// Distance of the path's end from the end of the run.
        back: u32,
        /// Events on the path.
        length: u32,
    },
    /// Somebody requests what fires: `not EventBack(back, event)`, and `StateBack(back + 1, i, s)` for every thread i and
    /// every locally reachable state s of it that is not bad and requests `event`.
    RequestedBy {
        /// Distance from the end.
        back: u32,
        /// The event.
        event: EventId,
    },
    /// In a plain deadlock whatever is requested is blocked: `not Ends(Deadlock)`, `not StateBack(0, thread, state)` where
    /// `state` requests `event` and does not block it, and `StateBack(0, k, s)` for every other thread k and every locally
    /// reachable state s of it that is not bad and blocks `event`. (What other states of `thread` block does not matter.)
    BlockedBy {
        /// The thread that requests.
        thread: ThreadId,
        /// Its state, not bad.
        state: LocalId,
        /// The event.
        event: EventId,
    },
    /// The program never gets stuck: `not Ends(Deadlock)`. Condition, where only locally reachable states that are not bad
    /// count: let the *ranked* events be the least set with every event e such that each state (of any thread) that blocks
    /// e requests a ranked event; some thread requests a ranked event in all of its states. (Take the ranked events in the
    /// order in which they come into the set. In a plain deadlock that thread requests some; of the requested ones look at
    /// the first. It is blocked, by a state that requests one that came in before: a contradiction.)
    NeverStuck,
    /// Where a thread may still get to: `not Visits(q)`, and `StateBack(0, thread, s)` for every s in F(thread), where F is
    /// the least family of sets with q(i) in F(i) that is closed: an event e is *alive* iff some thread has a state in its
    /// F that is not bad and requests e, and every thread has a state in its F that does not block e; and with s all
    /// targets for alive e that s does not block are in F(i). (No thread ever leaves its F after q: what nobody can request
    /// any more, or somebody blocks for ever, is not alive.)
    Future {
        /// The composite state.
        state: Box<[u32]>,
        /// The thread.
        thread: ThreadId,
    },
}
