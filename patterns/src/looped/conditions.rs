//! The side conditions of looped threads, as a list that the conformance kit can go through: it drops each in turn and
//! must then find a violating run on which a lemma is false. Nothing else ever drops one.

/// A side condition of the pattern (numbers as in `docs/patterns.md`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideCondition {
    /// 0: a clock has one initial state. Dropped: the first one counts.
    OneInitialState,
    /// 1a: an event that a state does not mention is a step to itself. Dropped: only drawn arrows count.
    InvisibleSelfLoops,
    /// 1b: an event leads to a single state. Dropped: its first target counts.
    SingleTargets,
    /// 1c: an event is left out of the clock condition only in states that block it. Dropped: if one state blocks it, no
    /// state needs to agree on it.
    BlockedHereOnly,
    /// 2: a residue says nothing about the prefix. Dropped: the cycle is taken to have run from step 0 on.
    PrefixNotCongruent,
    /// 2: the prefix does not come back. Dropped: prefix and cycle together are taken for the cycle.
    PrefixNotRepeated,
    /// 3: a thread may need several events to get to a bad state. Dropped: only moves from an initial state count.
    WholeWordOfMarker,
    /// 3: any thread's bad states violate. Dropped: only those of the first thread that has some.
    EveryBadState,
    /// 4: clocks alone say when an event is requested only if nobody else requests it. Dropped: they always say it.
    ForeignRequests,
    /// 5: a lemma about bad states carries `not Ends(Bad)`. Dropped: it is stated of every violating run.
    GuardedByGoal,
    /// 5: clocks alone say when an event is blocked only if nobody else may block it. Dropped: they always say it.
    ForeignBlocks,
    /// 6: the event `back` from the end fires at step T - 1 - back. Dropped: at step T - back.
    StepOfLastEvent,
    /// 6: a run may end where it begins (T = 0). Dropped: some event led to every state.
    EmptyRun,
}

/// Which side conditions are kept.
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
