//! Chooses the next event: a tournament among some enabled events, according to the preference of the run.
//!
//! Each candidate is executed and undone, so the states after the step are compared. If many events are
//! enabled, a sample is compared, because the best of a sample is nearly as good as the best of all.

use crate::running::{Change, Compiled, Running};
use model::Goal;
use search::rng::{Rng, mix};
use std::collections::HashSet;

/// The preference of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taste {
    /// States with few enabled events.
    Fewest,
    /// States in which the sum of the threads' distances to bad states is small.
    Sum,
    /// No preference.
    Uniform,
    /// Events that became enabled last, so that threads continue once they have started.
    Newest,
    /// States with many events that are requested and blocked.
    Blocked,
    /// States in which one selected thread is near to its bad states.
    One,
    /// Events in a random order that rarely changes.
    Steady,
}

/// The preferences of successive runs.
pub(super) const TASTES: [Taste; 7] =
    [Taste::Uniform, Taste::Fewest, Taste::Newest, Taste::Sum, Taste::Blocked, Taste::One, Taste::Steady];

/// Number of candidates in a tournament.
const CANDIDATES: usize = 12;
/// One step in this number of steps is uniform, in runs that do not step back.
const CHANCE: usize = 16;
/// One step in this number of steps changes the order of events in runs of [`Taste::Steady`].
const CHANGE: usize = 24;

/// An event with one of its outcomes.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) event: u32,
    pub(super) changes: Vec<Change>,
    /// Hash of the state after the step.
    pub(super) hash: u64,
    /// Smaller is better. The second part is random.
    score: (i64, u64),
}

/// The data for scores of states.
pub(super) struct Guide {
    /// For each local state, the number of moves of its thread to a bad state. For states without a way to a
    /// bad state, a number greater than all such numbers of moves.
    distance: Vec<u32>,
    /// Threads with a way from an initial state to a bad state.
    hopeful: Vec<u32>,
    /// The thread selected for [`Taste::One`].
    aim: Option<u32>,
    /// A number that determines the order of events for [`Taste::Steady`].
    salt: u64,
}

impl Taste {
    /// True if the preference uses distances to bad states.
    pub(super) fn is_for_bad(self) -> bool {
        matches!(self, Self::Sum | Self::One)
    }

    /// True if the preference compares the states after the step.
    fn looks_ahead(self) -> bool {
        !matches!(self, Self::Uniform | Self::Newest | Self::Steady)
    }
}

impl Guide {
    pub(super) fn new(rows: &Compiled) -> Self {
        let mut distance = rows.distances_to_bad();
        let far = 1 + distance.iter().copied().filter(|d| *d != u32::MAX).max().unwrap_or(0);
        distance.iter_mut().for_each(|d| *d = (*d).min(far));
        let has_way = |t: &u32| rows.initial(*t).iter().any(|l| distance[*l as usize] < far);
        let hopeful = (0..rows.threads() as u32).filter(has_way).collect();
        Self { distance, hopeful, aim: None, salt: 0 }
    }

    /// True if some thread has a way to a bad state.
    pub(super) fn has_hope(&self) -> bool {
        !self.hopeful.is_empty()
    }

    /// Starts a new run.
    pub(super) fn begin(&mut self, rng: &mut Rng) {
        self.salt = rng.word();
        self.aim = (!self.hopeful.is_empty()).then(|| self.hopeful[rng.below(self.hopeful.len())]);
    }

    /// Chooses the next event with an outcome that is not in `seen`. Returns `None` if no event is enabled, or
    /// no candidate has such an outcome.
    pub(super) fn pick(
        &mut self,
        taste: Taste,
        running: &mut Running,
        rows: &Compiled,
        seen: Option<&HashSet<u64>>,
        open: &[Goal],
        rng: &mut Rng,
    ) -> Option<Candidate> {
        if taste == Taste::Steady && rng.chance(CHANGE) {
            self.salt = rng.word();
        }
        let free = taste == Taste::Uniform || (seen.is_none() && rng.chance(CHANCE));
        let events = self.candidates(taste, free, running.enabled(), rng);
        let mut best: Option<Candidate> = None;
        for event in events {
            let mut changes = Vec::new();
            running.fire(event, |several| several[rng.below(several.len())], &mut changes);
            let hash = running.hash();
            let looks = taste.looks_ahead() && !free;
            let score = if looks { self.score(taste, &changes, running, rows, open) } else { 0 };
            running.undo(&changes);
            let score = (score, rng.word());
            let is_new = seen.is_none_or(|seen| !seen.contains(&hash));
            if is_new && best.as_ref().is_none_or(|b| score < b.score) {
                best = Some(Candidate { event, changes, hash, score });
                if !looks {
                    break;
                }
            }
        }
        best
    }

    /// The candidates. If the preference compares states, all candidates are compared. Otherwise the candidates
    /// are tried in this order until one leads to a new state.
    fn candidates(&self, taste: Taste, free: bool, enabled: &[u32], rng: &mut Rng) -> Vec<u32> {
        let newest = enabled.len().saturating_sub(CANDIDATES);
        if taste == Taste::Newest && !free {
            return enabled[newest..].iter().rev().copied().collect();
        }
        let mut events = if enabled.len() <= CANDIDATES {
            enabled.to_vec()
        } else {
            (0..CANDIDATES).map(|_| enabled[rng.below(enabled.len())]).collect()
        };
        if taste == Taste::Steady && !free {
            events.sort_by_key(|event| mix(self.salt ^ u64::from(*event)));
        } else if !taste.looks_ahead() || free {
            (1..events.len()).rev().for_each(|i| events.swap(i, rng.below(i + 1)));
        }
        events
    }

    /// The score of the step that has led to the state of `running`.
    fn score(&self, taste: Taste, changes: &[Change], running: &Running, rows: &Compiled, open: &[Goal]) -> i64 {
        if let Some(goal) = running.goal() {
            return if open.contains(&goal) { i64::MIN } else { i64::MAX };
        }
        let distance = |l: u32| i64::from(self.distance[l as usize]);
        match taste {
            Taste::Uniform | Taste::Newest | Taste::Steady => 0,
            Taste::Fewest => running.enabled().len() as i64,
            Taste::Blocked => -(running.blocked() as i64),
            Taste::Sum => changes.iter().map(|c| distance(c.to) - distance(c.from)).sum(),
            Taste::One => {
                let own = |c: &&Change| Some(rows.thread(c.to)) == self.aim;
                changes.iter().filter(own).map(|c| distance(c.to) - distance(c.from)).sum()
            }
        }
    }
}
