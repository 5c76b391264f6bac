//! Which enabled event comes next: a tournament among some of them, by the taste of the run.
//!
//! Candidates are tried and taken back, so that what is compared are the states that they lead to. Large choices are
//! sampled: the best of some is nearly as good as the best of all.

use crate::rng::{Rng, mix};
use model::Goal;
use reduce::running::{Change, Compiled, Running};
use std::collections::HashSet;

/// What a run prefers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taste {
    /// Few enabled events.
    Fewest,
    /// Threads near to their bad states, all together.
    Sum,
    /// Nothing.
    Uniform,
    /// Many events that are requested and blocked.
    Blocked,
    /// One thread near to its bad states.
    One,
    /// Events in an order that seldom changes.
    Steady,
}

/// The turns that runs take.
pub(super) const TASTES: [Taste; 6] =
    [Taste::Fewest, Taste::Sum, Taste::Uniform, Taste::Blocked, Taste::One, Taste::Steady];

/// Candidates in a tournament.
const CANDIDATES: usize = 12;
/// One step in so many is uniform, in runs that have a taste and do not go back.
const CHANCE: usize = 16;
/// One step in so many changes the order of steady runs.
const CHANGE: usize = 24;

/// An event with one of its outcomes.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) event: u32,
    pub(super) changes: Vec<Change>,
    /// Of the state that it leads to.
    pub(super) hash: u64,
    /// Lower is better; the last part is chance.
    score: (i64, u64),
}

/// What tastes look at.
pub(super) struct Guide {
    /// By local state: moves of its thread to a bad state, at most one more than any thread needs.
    distance: Vec<u32>,
    /// Threads that have a way to a bad state.
    hopeful: Vec<u32>,
    /// The one that the run looks after.
    aim: Option<u32>,
    /// Of the order of events.
    salt: u64,
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

    /// A new run begins.
    pub(super) fn begin(&mut self, rng: &mut Rng) {
        self.salt = rng.next();
        self.aim = (!self.hopeful.is_empty()).then(|| self.hopeful[rng.below(self.hopeful.len())]);
    }

    /// The next event, and where it leads: not to a state among `seen`. `None` if there is none, or none of those that were tried.
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
            self.salt = rng.next();
        }
        let enabled = running.enabled();
        let free = taste == Taste::Uniform || (seen.is_none() && rng.chance(CHANCE));
        let many = if free && seen.is_none() { 1 } else { CANDIDATES };
        let events: Vec<u32> = if enabled.len() <= many {
            enabled.to_vec()
        } else {
            (0..many).map(|_| enabled[rng.below(enabled.len())]).collect()
        };
        let mut best: Option<Candidate> = None;
        for event in events {
            let mut changes = Vec::new();
            running.fire(event, |several| several[rng.below(several.len())], &mut changes);
            let hash = running.hash();
            let score = if free { 0 } else { self.score(taste, event, &changes, running, rows, open) };
            running.undo(&changes);
            let score = (score, rng.next());
            let is_new = seen.is_none_or(|seen| !seen.contains(&hash));
            if is_new && best.as_ref().is_none_or(|b| score < b.score) {
                best = Some(Candidate { event, changes, hash, score });
            }
        }
        best
    }

    /// How good a step is after which `running` is.
    fn score(
        &self,
        taste: Taste,
        event: u32,
        changes: &[Change],
        running: &Running,
        rows: &Compiled,
        open: &[Goal],
    ) -> i64 {
        if let Some(goal) = running.goal() {
            return if open.contains(&goal) { i64::MIN } else { i64::MAX };
        }
        let distance = |l: u32| i64::from(self.distance[l as usize]);
        match taste {
            Taste::Uniform => 0,
            Taste::Fewest => running.enabled().len() as i64,
            Taste::Blocked => -(running.blocked() as i64),
            Taste::Sum => changes.iter().map(|c| distance(c.to) - distance(c.from)).sum(),
            Taste::One => {
                let own = |c: &&Change| Some(rows.thread(c.to)) == self.aim;
                changes.iter().filter(own).map(|c| distance(c.to) - distance(c.from)).sum()
            }
            Taste::Steady => (mix(self.salt ^ u64::from(event)) >> 1) as i64,
        }
    }
}
