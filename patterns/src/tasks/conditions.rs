//! The side conditions of tasks. The conformance kit drops each of them in turn, and must then find a run that
//! visits an excluded state, or a violating run on which a lemma is false. No other code drops a condition.
//! Terms: a task is pending in a state if it has work left there. The level of a task is the set of tasks that
//! may delay it. The column of a state is the number of steps since the release, and its row is the number of
//! slots received ([`super`]).

/// A side condition of the pattern. Letters are those of `docs/patterns.md`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideCondition {
    /// a: an event that a state does not mention leads to the state itself, so the column does not change. If
    /// dropped: only moves that a state mentions count.
    InvisibleSelfLoops,
    /// a: an event leads to a single state. If dropped: its first target counts.
    SingleTargets,
    /// b: the period ends in column 0, row 0. If dropped: it may end anywhere.
    WrapToRelease,
    /// c: there is one initial state. If dropped: the first one counts.
    OneInitialState,
    /// c: a thread that starts in a later column has no work left there. If dropped: it may start in the middle
    /// of a job.
    StartsDone,
    /// d: a block counts only if the task has it in every pending state. If dropped: the state at the release
    /// alone counts.
    EveryPendingState,
    /// e: no other thread requests a task's own event. If dropped: other threads may request it.
    OwnEvent,
    /// f, g: pending tasks block all events that serve no task. If dropped: they need not.
    ForeignBlocked,
    /// h: a task has enough time in its period. If dropped: tasks without enough time are taken to finish with
    /// their period.
    Schedulable,
    /// i: all tasks of a level are tasks of the set. If dropped: threads that were removed from the set still
    /// count as tasks.
    LevelInSet,
    /// i: the level of a task is closed: each task that may delay a member of the level is a member, too. If
    /// dropped: only tasks that delay the task directly are members.
    LevelClosed,
    /// A job may end with the last step of its response time. If dropped: it ends before that step.
    LastSlot,
    /// Lemmas: threads outside a group may request events that its members do not request. If dropped: only
    /// members request events.
    OthersRequest,
    /// Lemmas: bad states of all threads are violations. If dropped: only those of the last thread that has bad
    /// states.
    EveryBadState,
}

/// The set of side conditions that are kept: all but `omit`.
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
