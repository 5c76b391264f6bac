//! The side conditions of the patterns about groups of threads, as a list that the conformance kit can go through: it
//! drops each in turn and must then find a violating run on which a lemma is false. Nothing else ever drops one.

/// A side condition of `pairs` or `arrays` (numbers as in `docs/patterns.md`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideCondition {
    /// 1: threads outside the group may request events. Dropped: only members do.
    RequestsOfOthers,
    /// 2: threads outside the group may let every event pass. Dropped: what one of them may block never fires.
    BlocksOfOthers,
    /// 3: an event leads to any of its targets. Dropped: to the first.
    EveryTarget,
    /// 4: a member that does not mention an event stays where it is. Dropped: it keeps the event from firing.
    InvisibleSelfLoops,
    /// 5: a thread starts in any of its initial states. Dropped: in the first.
    EveryInitialState,
    /// 6: any thread's bad states violate. Dropped: only those of the first thread that has some.
    EveryBadState,
    /// 6: a lemma about one goal carries it. Dropped: it is stated of every violating run.
    GuardedByGoal,
    /// 7: a state may block what it requests itself. Dropped: somebody else must.
    OwnBlocks,
    /// 8: what nobody requests may be requested later. Dropped: it never fires again.
    FutureRequests,
    /// 8: what somebody blocks may be let pass later. Dropped: it never fires again.
    FutureOpenings,
    /// 8: an event leads to any of its targets in the future too. Dropped: to the first.
    FutureTargets,
    /// 9: others may move between the reads of a marker. Dropped: while it is under way, only it does.
    Atomicity,
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
