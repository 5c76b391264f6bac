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
    /// What became enabled last, so that threads go on that have begun.
    Newest,
    /// Many events that are requested and blocked.
    Blocked,
    /// One thread near to its bad states.
    One,
    /// Events in an order that seldom changes.
    Steady,
}

/// The turns that runs take.
pub(super) const TASTES: [Taste; 7] =
    [Taste::Uniform, Taste::Fewest, Taste::Newest, Taste::Sum, Taste::Blocked, Taste::One, Taste::Steady];

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

impl Taste {
    /// Does it look at bad states?
    pub(super) fn is_for_bad(self) -> bool {
        matches!(self, Self::Sum | Self::One)
    }

    /// Does it look at the states that candidates lead to?
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

    /// Is there a thread with a way to a bad state?
    pub(super) fn has_hope(&self) -> bool {
        !self.hopeful.is_empty()
    }

    /// A new run begins.
    pub(super) fn begin(&mut self, rng: &mut Rng) {
        self.salt = rng.next();
        self.aim = (!self.hopeful.is_empty()).then(|| self.hopeful[rng.below(self.hopeful.len())]);
    }

    /// The next event, and where it leads: not to a state among `seen`. `None` if there is none, or none of those
    /// that were tried.
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
            let score = (score, rng.next());
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

    /// Events to be tried: in this order until one leads to a new state, or all of them.
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

    /// How good a step is after which `running` is.
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
