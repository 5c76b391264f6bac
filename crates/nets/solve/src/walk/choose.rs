//! Chooses the transition that fires: a tournament among a few random enabled ones, according to the preference
//! of the walk.
//!
//! No preference suits all nets, so successive walks have different ones. In every walk some steps are chosen
//! at random.

use crate::walk::distance::{Direction, FAR};
use search::rng::Rng;

/// The preference of a walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Taste {
    /// No preference.
    Uniform,
    /// Transitions that have fired least in all walks.
    Rare,
    /// Transitions that have fired least in this walk.
    Fresh,
    /// Transitions that do not take tokens from places of the goal. Among equals, the preference of
    /// [`Taste::Fresh`].
    Saving,
    /// Transitions that move tokens nearer to the goal. Among equals, the preference of [`Taste::Fresh`].
    Greedy,
    /// Transitions with the greatest gain for the wishes of the goal ([`crate::walk::wish`]). Among equals, the
    /// preference of [`Taste::Fresh`].
    Climbing,
}

/// The preferences of successive walks.
pub(crate) const TASTES: [Taste; 6] =
    [Taste::Uniform, Taste::Greedy, Taste::Climbing, Taste::Fresh, Taste::Saving, Taste::Rare];

/// Number of candidates in a tournament.
const CANDIDATES: usize = 6;
/// One step in this number of steps is chosen uniformly, whatever the preference.
const CHANCE: usize = 8;

/// The data for scores of transitions.
pub(crate) struct Memory {
    /// For each transition, its firings in all walks.
    pub(crate) all: Vec<u32>,
    /// For each transition, its firings in this walk.
    pub(crate) here: Vec<u32>,
    /// For each transition, its direction for the current goal of the walk.
    pub(crate) directions: Vec<Direction>,
}

impl Memory {
    pub(crate) fn new(transitions: usize) -> Self {
        let zeros = || vec![0; transitions];
        Self { all: zeros(), here: zeros(), directions: vec![Direction::default(); transitions] }
    }

    /// Counts a firing of `t`.
    pub(crate) fn fired(&mut self, t: u32) {
        self.here[t as usize] = self.here[t as usize].saturating_add(1);
        self.all[t as usize] = self.all[t as usize].saturating_add(1);
    }

    /// Starts a new walk. `fired` are the transitions of the last walk.
    pub(crate) fn forget(&mut self, fired: &[u32]) {
        fired.iter().for_each(|t| self.here[*t as usize] = 0);
    }

    /// Chooses one of `enabled`, which is not empty. `gain` returns the gain of a transition for the wishes of
    /// the goal.
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

    /// The score of a transition; smaller is better.
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

/// 0: the transition moves tokens nearer to the goal. 1: it keeps the distance. 2: it moves them away or has no
/// effect on the distance. 3: it takes tokens from places with a way to the goal and gives to no such place.
fn class(direction: Direction) -> u32 {
    match (direction.gives, direction.takes) {
        (FAR, FAR) => 2,
        (FAR, _) => 3,
        (gives, takes) if gives < takes => 0,
        (gives, takes) if gives == takes => 1,
        _ => 2,
    }
}
