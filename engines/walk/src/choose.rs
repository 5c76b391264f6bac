//! Which enabled transition fires: a tournament among a few random ones, by the taste of the walk.
//!
//! No taste suits all nets, so walks take turns with several, and each of them leaves some steps to pure chance.

use crate::distance::{Direction, FAR};
use crate::rng::Rng;

/// What a walk prefers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Taste {
    /// Nothing.
    Uniform,
    /// What has fired least in all walks.
    Rare,
    /// What has not fired in this walk.
    Fresh,
    /// What does not take from places that the goal wants.
    Saving,
    /// What brings tokens nearer to the goal, and then what is fresh.
    Greedy,
    /// What fulfils most of the goal's wishes, and then what is fresh.
    Climbing,
}

/// The turns that walks take.
pub(crate) const TASTES: [Taste; 6] =
    [Taste::Uniform, Taste::Greedy, Taste::Climbing, Taste::Fresh, Taste::Saving, Taste::Rare];

/// Candidates in a tournament.
const CANDIDATES: usize = 6;
/// One step in so many is uniform whatever the taste.
const CHANCE: usize = 8;

/// What tastes look at.
pub(crate) struct Memory {
    /// By transition: firings in all walks.
    pub(crate) all: Vec<u32>,
    /// By transition: firings in this walk.
    pub(crate) here: Vec<u32>,
    /// By transition, for the goal that the walk looks for.
    pub(crate) directions: Vec<Direction>,
}

impl Memory {
    pub(crate) fn new(transitions: usize) -> Self {
        let zeros = || vec![0; transitions];
        Self { all: zeros(), here: zeros(), directions: vec![Direction::default(); transitions] }
    }

    /// `t` has fired.
    pub(crate) fn fired(&mut self, t: u32) {
        self.here[t as usize] = self.here[t as usize].saturating_add(1);
        self.all[t as usize] = self.all[t as usize].saturating_add(1);
    }

    /// A new walk begins; the last one fired these.
    pub(crate) fn forget(&mut self, fired: &[u32]) {
        fired.iter().for_each(|t| self.here[*t as usize] = 0);
    }

    /// One of `enabled`, which is not empty; `gain` says how much of the goal's wishes a transition fulfils.
    pub(crate) fn choose(&self, taste: Taste, enabled: &[u32], gain: impl Fn(u32) -> i64, rng: &mut Rng) -> u32 {
        if let [only] = enabled {
            return *only;
        }
        let random = enabled[rng.below(enabled.len())];
        if taste == Taste::Uniform || rng.chance(CHANCE) {
            return random;
        }
        if enabled.len() <= CANDIDATES {
            let offset = rng.below(enabled.len());
            let turned = enabled[offset..].iter().chain(&enabled[..offset]).copied();
            return turned.min_by_key(|t| self.score(taste, *t, &gain)).unwrap_or(random);
        }
        let others = (1..CANDIDATES).map(|_| enabled[rng.below(enabled.len())]);
        others.map(|t| (self.score(taste, t, &gain), t)).fold((self.score(taste, random, &gain), random), Ord::min).1
    }

    /// Less is better.
    fn score(&self, taste: Taste, t: u32, gain: impl Fn(u32) -> i64) -> (i64, u32) {
        let fulfilled = if taste == Taste::Climbing { gain(t) } else { 0 };
        let t = t as usize;
        let direction = self.directions[t];
        match taste {
            Taste::Uniform => (0, 0),
            Taste::Rare => (i64::from(self.all[t]), 0),
            Taste::Fresh => (i64::from(self.here[t]), 0),
            Taste::Saving => (i64::from(direction.takes == 0), self.here[t]),
            Taste::Greedy => (i64::from(class(direction)), self.here[t]),
            Taste::Climbing => (-fulfilled, self.here[t]),
        }
    }
}

/// Nearer, level, away, off.
fn class(direction: Direction) -> u32 {
    match (direction.gives, direction.takes) {
        (FAR, FAR) => 2,
        (FAR, _) => 3,
        (gives, takes) if gives < takes => 0,
        (gives, takes) if gives == takes => 1,
        _ => 2,
    }
}
