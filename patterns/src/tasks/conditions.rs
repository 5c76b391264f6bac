//! The side conditions of tasks, as a list that the conformance kit can go through: it drops each in turn and must then
//! find a run that visits an excluded state, or a violating run on which a lemma is false. Nothing else ever drops one.

/// A side condition of the pattern (letters as in `docs/patterns.md`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideCondition {
    /// a: an event that a state does not mention keeps its column. Dropped: only drawn arrows count.
    InvisibleSelfLoops,
    /// a: an event leads to a single state. Dropped: its first target counts.
    SingleTargets,
    /// b: the period ends in column 0, row 0. Dropped: it may end anywhere.
    WrapToRelease,
    /// c: there is one initial state. Dropped: the first one counts.
    OneInitialState,
    /// c: a thread that starts in a later column has nothing to do there. Dropped: it may start in the middle of a job.
    StartsDone,
    /// d: what a task blocks it blocks in every pending state. Dropped: its state at the release counts.
    EveryPendingState,
    /// e: nobody else requests a task's own event. Dropped: others may.
    OwnEvent,
    /// f, g: pending tasks block whatever serves no task. Dropped: they need not.
    ForeignBlocked,
    /// h: a task has time enough. Dropped: those that have not are taken to end with their period.
    Schedulable,
    /// i: all tasks of a level are tasks of the set. Dropped: those that turned out not to be still count as such.
    LevelInSet,
    /// i: a task that may delay one that delays a task delays that one too. Dropped: only those that do so themselves.
    LevelClosed,
    /// A job may end with the last step of its response time. Dropped: it ends before that.
    LastSlot,
    /// Lemmas: others may request what a group does not. Dropped: the group is by itself.
    OthersRequest,
    /// Lemmas: any thread's bad states violate. Dropped: only those of the last thread that has some.
    EveryBadState,
}

/// Which side conditions are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Conditions {
    pub(super) omit: Option<SideCondition>,
}

impl Conditions {
    pub(super) const ALL: Self = Self { omit: None };

    pub(super) fn keep(self, condition: SideCondition) -> bool {
        self.omit != Some(condition)
    }
}
