//! The side conditions of the patterns about groups of threads. The conformance kit drops each of them in turn,
//! and must then find a violating run on which a lemma is false. No other code drops a condition.

/// A side condition of `pairs` or `arrays`. Numbers are those of `docs/patterns.md`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideCondition {
    /// 1: threads outside the group may request events. If dropped: only members request events.
    RequestsOfOthers,
    /// 2: threads outside the group may allow every event. If dropped: events that one of them may block never
    /// fire.
    BlocksOfOthers,
    /// 3: an event leads to any of its targets. If dropped: it leads to the first one.
    EveryTarget,
    /// 4: a member that does not mention an event stays in its state. If dropped: it keeps the event from
    /// firing.
    InvisibleSelfLoops,
    /// 5: a thread starts in any of its initial states. If dropped: it starts in the first one.
    EveryInitialState,
    /// 6: bad states of all threads are violations. If dropped: only those of the first thread that has bad
    /// states.
    EveryBadState,
    /// 6: a lemma about one goal has the literal that the run does not end in this goal. If dropped: the lemma
    /// is stated for every violating run.
    GuardedByGoal,
    /// 7: a state may block an event that it requests itself. If dropped: another thread must block it.
    OwnBlocks,
    /// 8: an event that no thread requests now may be requested later. If dropped: it never fires again.
    FutureRequests,
    /// 8: an event that a thread blocks now may be allowed later. If dropped: it never fires again.
    FutureOpenings,
    /// 8: an event leads to any of its targets in the future, too. If dropped: it leads to the first one.
    FutureTargets,
    /// 9: other threads may move between the reads of a marker (a thread with bad states). If dropped: once the
    /// marker has left its initial states, only events on which it moves can fire.
    Atomicity,
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
