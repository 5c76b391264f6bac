//! The question of a search, and what all workers know after a level.

use crate::Space;
use crate::shard::Report;
use model::{Goal, Reason, Stop};
use serde::{Deserialize, Serialize};

/// What is searched for.
pub struct Question<'a> {
    /// The goals to decide.
    pub goals: &'a [Goal],
    /// True if the search goes on until all states are known, also if all goals are reached.
    pub explore_all: bool,
    /// Ends the search at a limit.
    pub stop: &'a Stop,
    /// Which levels each worker searches alone. All workers need the same sizes.
    pub alone: Alone,
    /// Called after each level.
    pub on_level: &'a dyn Fn(&Counts),
}

impl Question<'_> {
    /// Returns the goals that are not reached, with their numbers.
    pub(crate) fn open(&self, progress: &Progress) -> Vec<(usize, Goal)> {
        let is_open = |number: &usize| progress.hits.iter().all(|hit| hit.goal != *number);
        (0..self.goals.len()).filter(is_open).map(|number| (number, self.goals[number])).collect()
    }

    /// Returns true if no goal is left to search for.
    pub(crate) fn is_done(&self, progress: &Progress) -> bool {
        !self.goals.is_empty() && !self.explore_all && self.open(progress).is_empty()
    }
}

/// Each worker searches the levels alone that begin the search, as long as they are smaller than these sizes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Alone {
    /// Number of states in these levels.
    pub states: usize,
    /// Number of states in a level, for each worker: all expand this level in the time of an agreement.
    pub level: usize,
}

impl Alone {
    /// Measured on two cores with 2 to 8 processes.
    pub const USUAL: Self = Self { states: 1 << 20, level: 128 };
}

/// Counts of all workers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// Number of complete levels. Level 0 has the initial states.
    pub levels: u64,
    /// Number of states in them.
    pub states: u64,
    /// Number of transitions from these states.
    pub transitions: u64,
}

/// A goal that is reached.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Hit {
    /// The number of the goal.
    pub(crate) goal: usize,
    pub(crate) level: usize,
    /// The least state of the goal in this level.
    pub(crate) state: Vec<u64>,
}

/// What all workers know after a level, and what has to be known to go on after it.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Progress {
    pub(crate) counts: Counts,
    pub(crate) hits: Vec<Hit>,
    pub(crate) cut: bool,
    pub(crate) overflown: bool,
    /// The slots that were widened, each time that the search began again.
    pub(crate) widened: Vec<Vec<usize>>,
}

/// How a search goes on after a level.
pub(crate) enum Step<S> {
    /// With the next level.
    On,
    /// From the beginning, in a space with wider slots.
    Again(S),
    /// Not at all: the level has no states.
    End,
    /// Not at all, for this reason.
    Stuck(Reason),
}

impl Progress {
    /// The beginning of a search in a space of which these slots were widened.
    pub(crate) fn new(space: &impl Space, widened: Vec<Vec<usize>>) -> Self {
        Self { widened, cut: space.initial_is_cut(), ..Self::default() }
    }

    /// Takes account of what all workers met in a level.
    pub(crate) fn step<S: Space>(&mut self, space: &S, report: Report) -> Step<S> {
        if let Some(reason) = report.stuck() {
            return Step::Stuck(reason);
        }
        if report.states == 0 {
            return Step::End;
        }
        if report.slots.is_empty() {
            self.add(report);
            return Step::On;
        }
        let Some(wider) = space.wider(&report.slots) else { return Step::Stuck(Reason::Overflow) };
        let widened = [&self.widened[..], &[report.slots]].concat();
        *self = Self::new(&wider, widened);
        Step::Again(wider)
    }

    /// Adds a level.
    fn add(&mut self, whole: Report) {
        let level = usize::try_from(self.counts.levels).expect("a level has a state");
        self.counts.levels += 1;
        self.counts.states += whole.states;
        self.counts.transitions += whole.transitions;
        self.hits.extend(whole.hits.into_iter().map(|(goal, state)| Hit { goal, level, state }));
        self.hits.sort_by_key(|hit| (hit.level, hit.goal));
        self.cut |= whole.cut;
        self.overflown |= whole.overflown;
    }
}
