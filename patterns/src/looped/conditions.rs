//! The side conditions of looped threads. The conformance kit drops each of them in turn, and must then find a
//! violating run on which a lemma is false. No other code drops a condition.

/// A side condition of the pattern. Numbers are those of `docs/patterns.md`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideCondition {
    /// 0: a clock has one initial state. If dropped: the first one counts.
    OneInitialState,
    /// 1a: an event that a state does not mention is a step to the state itself. If dropped: only drawn arrows
    /// count.
    InvisibleSelfLoops,
    /// 1b: an event leads to a single state. If dropped: its first target counts.
    SingleTargets,
    /// 1c: an event is left out of the clock condition only in states that block it. If dropped: an event that
    /// one state blocks is left out in all states.
    BlockedHereOnly,
    /// 2: a residue says nothing about the prefix. If dropped: the cycle is taken to start at step 0.
    PrefixNotCongruent,
    /// 2: the prefix does not repeat. If dropped: prefix and cycle together are taken as the cycle.
    PrefixNotRepeated,
    /// 3: a thread may need several events to reach a bad state. If dropped: only moves from an initial state
    /// count.
    WholeWordOfMarker,
    /// 3: bad states of all threads are violations. If dropped: only those of the first thread that has bad
    /// states.
    EveryBadState,
    /// 4: clocks determine when an event is requested only if no other thread requests it. If dropped: they
    /// always do.
    ForeignRequests,
    /// 5: a lemma about bad states has the literal `not Ends(Bad)`. If dropped: it is stated for every
    /// violating run.
    GuardedByGoal,
    /// 5: clocks determine when an event is blocked only if no other thread may block it. If dropped: they
    /// always do.
    ForeignBlocks,
    /// 6: the event `back` from the end fires at step T - 1 - back. If dropped: it fires at step T - back.
    StepOfLastEvent,
    /// 6: a run may be empty (T = 0). If dropped: some event led to every state.
    EmptyRun,
}

/// The set of side conditions that are kept: all but `omit`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Conditions {
    pub(crate) omit: Option<SideCondition>,
}

impl Conditions {
    pub(crate) const ALL: Self = Self { omit: None };

    pub(crate) fn keep(self, condition: SideCondition) -> bool {
        self.omit != Some(condition)
    }
}
