//! Potentials: what counters, semaphores and tokens conserve, found by linear programming.
//!
//! A weight per local state such that the sum over all threads never grows, whatever fires, is an invariant of programs of
//! any size, and bad states that would take the sum beyond its start are out of reach. Such weights are the solutions of
//! linear inequalities: the dual of the state equation of nets (Murata 1989). The exact rule, with its proof, is
//! [`model::Unreachable::Potential`].
//!
//! Threads ignore what they do not wait for: a semaphore at 0 stays there when somebody releases it. Who has not acquired
//! it does not release it, but one sum alone cannot know, and proves next to nothing. Hence potentials in turns: ones that
//! keep apart the states of a thread from those in which others request what it reacts to ("a client is inside" and "the
//! semaphore is at 0"), and then one that keeps out a bad state, knowing that.
//!
//! Floats propose, integers decide: a solution counts for nothing until it is rounded and the rule holds exactly.
//!
//! The pattern only restricts; it matches no goal. It is asked about every program, so what it looks at is limited.

mod exact;
mod firing;
mod linear;
#[cfg(test)]
mod tests;

use exact::Potentials;
use firing::{Firings, Place};
use linear::Aim;
use model::{Goal, LemmaKind, Match, Pattern, Potential, Restriction, Thread, Unreachable, WhyNot};

/// Weights whose sum never grows and would be too large with this state.
pub const WEIGHTS: LemmaKind = LemmaKind("potential.weights");

/// The pattern, as registered.
pub const POTENTIAL: Potentially = Potentially { omit: None };

/// Rows of all linear programs solved for one program at most: some milliseconds if they are small ones, some ten if not.
const ROWS: usize = 5_000;

/// Rows of one linear program at most, where threads count and where they do not.
const COUNTING: usize = 1_000;
const OTHERS: usize = 300;

/// Bad states looked at.
const BAD_STATES: usize = 8;

/// Times that all states are tried to be kept apart from requests.
const ROUNDS: usize = 3;

/// Attempts in a row that find nothing, after which there will not be anything to find.
const PATIENCE: usize = 4;

/// The matcher that finds potentials.
#[derive(Clone, Copy, Debug)]
pub struct Potentially {
    omit: Option<Omitted>,
}

/// A part of the rule that a mutant leaves out: unsound, for tests that must notice.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Omitted {
    /// Events that only states other than the first request are left out.
    LaterRequests,
    /// What states that are nowhere drawn to react do: staying.
    Staying,
    /// Targets but the first.
    OtherTargets,
    /// Initial states but the first.
    OtherInitial,
    /// Least weights: taken as 0.
    LeastWeights,
}

impl Potentially {
    /// The pattern without a part of its rule: unsound, for tests that must notice.
    #[doc(hidden)]
    #[must_use]
    pub const fn without(part: Omitted) -> Self {
        Self { omit: Some(part) }
    }
}

impl Pattern for Potentially {
    fn name(&self) -> &'static str {
        "potential"
    }

    fn recognize(&self, _threads: &[Thread], _goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        Err(WhyNot::new(None, "it has no lemmas; what it finds are states out of reach"))
    }

    fn restrict(&self, threads: &[Thread]) -> Option<Restriction> {
        let firings = Firings::of(threads, self.omit)?;
        let bad = firings.bad_states(threads);
        if bad.is_empty() || bad.len() > BAD_STATES {
            return None;
        }
        // A single potential is worth a try in any case, if it costs little.
        let (rounds, most) = if firings.count_something() { (ROUNDS, COUNTING) } else { (0, OTHERS) };
        if firings.size() > most {
            return None;
        }
        let (potentials, excluded) = Search { firings: &firings, left: ROWS, omit: self.omit }.all(&bad, rounds);
        if excluded.is_empty() {
            return None;
        }
        let mut excluded: Vec<_> = excluded.iter().map(|place| (place.thread, place.state)).collect();
        excluded.sort_unstable();
        let weights = potentials.into_weights().into_iter().map(|weights| Potential { weights }).collect();
        Some(Restriction { kind: WEIGHTS, excluded, why: Unreachable::Potential(weights) })
    }
}

struct Search<'f> {
    firings: &'f Firings,
    /// Rows of linear programs that may still be solved.
    left: usize,
    omit: Option<Omitted>,
}

impl<'f> Search<'f> {
    /// Potentials, and which of the `bad` states they exclude.
    fn all(mut self, bad: &[Place], rounds: usize) -> (Potentials<'f>, Vec<Place>) {
        let mut known = Potentials::none(self.firings, self.omit);
        let mut done = self.exclude(bad, &mut known);
        for _ in 0..rounds {
            let (mut found, mut in_vain) = (false, 0);
            for (place, partners) in self.firings.reactions() {
                let partners: Vec<Place> = partners.into_iter().filter(|&p| !known.apart(place, p)).collect();
                if done || partners.is_empty() || in_vain == PATIENCE {
                    continue;
                }
                in_vain += 1;
                if self.extend(&mut known, &Aim::KeepApart(place, partners)) {
                    (found, in_vain) = (true, 0);
                    done = self.exclude(bad, &mut known);
                }
            }
            if done || !found {
                break;
            }
        }
        let excluded: Vec<Place> = bad.iter().copied().filter(|&place| known.exclude(place)).collect();
        if !excluded.is_empty() {
            known.drop_idle(&excluded);
        }
        (known, excluded)
    }

    /// Excludes what can be, knowing what is known. True if nothing is left to do.
    fn exclude(&mut self, bad: &[Place], known: &mut Potentials<'f>) -> bool {
        let mut all = true;
        for &place in bad {
            all &= known.exclude(place) || self.extend(known, &Aim::Exclude(place));
        }
        all
    }

    /// Adds a potential that does what `aim` says. False if none was found.
    fn extend(&mut self, known: &mut Potentials<'f>, aim: &Aim) -> bool {
        let Some(left) = self.left.checked_sub(self.firings.size()) else { return false };
        self.left = left;
        let Some(weights) = linear::solve(self.firings, known, aim) else { return false };
        (1..=linear::SCALES).any(|scale| {
            let Some(rounded) = linear::rounded(&weights, scale) else { return false };
            known.add_if(rounded, |all| match aim {
                Aim::Exclude(place) => all.exclude(*place),
                Aim::KeepApart(place, partners) => partners.iter().any(|&p| all.apart(*place, p)),
            })
        })
    }
}
