//! Potentials: the quantities that counters, semaphores and tokens conserve, found by linear programming.
//!
//! A potential assigns a weight to each local state such that the sum over all threads never grows, whatever
//! event fires. It is an invariant of programs of any size. Bad states that would make the sum exceed its start
//! are unreachable. Such weights are the solutions of linear inequalities: the dual of the state equation of
//! nets (Murata 1989). The exact rule and its proof are at [`model::Unreachable::Potential`].
//!
//! Threads ignore events that they do not wait for: a semaphore at 0 stays there when a thread releases it. A
//! thread that has not acquired the semaphore does not release it, but a single sum cannot express this, and
//! excludes almost nothing. So potentials are found one after the other. The first potentials show for certain
//! pairs of local states that the two never occur together. Such states are called *apart*. One state of the
//! pair ignores an event to which other states of its thread react ("the semaphore is at 0"). The other state
//! requests the event, or reacts to it ("a client is inside"). A later potential excludes a bad state. Its sum
//! may grow where states that are apart would have to occur together.
//!
//! Floats only propose solutions. A solution is rounded to integers, and is used if it then satisfies the
//! exact rule.
//!
//! The pattern only emits restrictions; it matches no goal. It runs on every program, so its work is limited.

mod exact;
mod firing;
mod linear;
#[cfg(test)]
mod tests;

use exact::Potentials;
pub use firing::Omitted;
use firing::{Firings, Place};
use linear::Aim;
use model::{Effort, Goal, LemmaKind, Match, Pattern, Potential, Restriction, Thread, Unreachable, WhyNot};

/// Weights with a sum that never grows and that would exceed its start in the excluded state.
pub const WEIGHTS: LemmaKind = LemmaKind("potential.weights");

/// The start of every reason why the pattern does not match.
const NO_LEMMAS: &str = "it has no lemmas, only states out of reach";

/// The registered pattern.
pub const POTENTIAL: Potentially = Potentially { omit: None };

/// Maximum number of rows of all linear programs solved for one program. Solving takes some milliseconds if the
/// linear programs are small, and some tens of milliseconds otherwise.
const ROWS: usize = 5_000;

/// Maximum number of rows of one linear program: `COUNTING` for programs with threads that count, `OTHERS` for
/// all other programs.
const COUNTING: usize = 1_000;
const OTHERS: usize = 300;

/// Maximum number of bad states. Programs with more of them are skipped.
const BAD_STATES: usize = 8;

/// Maximum number of rounds. For each state that ignores an event, a round looks for a potential that shows it
/// to be apart from states in which other threads request the event or react to it ([`Firings::reactions`]).
const ROUNDS: usize = 3;

/// Number of failed attempts in a row after which a round ends. An attempt concerns one state.
const PATIENCE: usize = 4;

/// The matcher that finds potentials.
#[derive(Clone, Copy, Debug)]
pub struct Potentially {
    omit: Option<Omitted>,
}

impl Potentially {
    /// Returns the pattern without a part of its rule, which makes it unsound. It exists for tests, which must
    /// detect the missing part.
    #[doc(hidden)]
    #[must_use]
    pub const fn without(part: Omitted) -> Self {
        Self { omit: Some(part) }
    }
}

/// What the search for potentials needs.
struct Prepared {
    firings: Firings,
    bad: Vec<Place>,
    rounds: usize,
}

impl Potentially {
    /// Collects the cases of the program. Returns the reason if the program is beyond the pattern's limits, or if
    /// there is nothing to find.
    fn prepare(&self, threads: &[Thread]) -> Result<Prepared, String> {
        let Some(firings) = Firings::of(threads, self.omit) else {
            return Err("it does not look for them: the program has too many moves or cases".to_owned());
        };
        let bad = firings.bad_states(threads);
        if bad.is_empty() {
            return Err("there is no bad state to exclude".to_owned());
        }
        if bad.len() > BAD_STATES {
            return Err(format!("it does not look for them: {} bad states are more than {BAD_STATES}", bad.len()));
        }
        // Without a thread that counts, there are no rounds. Each bad state gets one attempt, and the limit on
        // rows is smaller.
        let (rounds, most) = if firings.count_something() { (ROUNDS, COUNTING) } else { (0, OTHERS) };
        let size = firings.size();
        if size > most {
            return Err(format!(
                "it does not look for them: the linear programs would have {size} rows, more than {most}"
            ));
        }
        Ok(Prepared { firings, bad, rounds })
    }
}

impl Pattern for Potentially {
    fn name(&self) -> &'static str {
        "potential"
    }

    fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        match self.prepare(threads) {
            Err(why) if goal == Goal::Bad => Err(WhyNot::new(None, format!("{NO_LEMMAS}, and {why}"))),
            _ => Err(WhyNot::new(None, NO_LEMMAS)),
        }
    }

    fn recognize_within(&self, _: &[Thread], _: Goal, _: &mut Effort) -> Result<Box<dyn Match>, WhyNot> {
        Err(WhyNot::new(None, NO_LEMMAS))
    }

    fn restrict(&self, threads: &[Thread]) -> Option<Restriction> {
        let Prepared { firings, bad, rounds } = self.prepare(threads).ok()?;
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
    /// Returns potentials, and the states among `bad` that they exclude.
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

    /// Tries to exclude each of the `bad` states with the help of the known potentials. Returns true if all are
    /// excluded.
    fn exclude(&mut self, bad: &[Place], known: &mut Potentials<'f>) -> bool {
        let mut all = true;
        for &place in bad {
            all &= known.exclude(place) || self.extend(known, &Aim::Exclude(place));
        }
        all
    }

    /// Adds a potential that fulfils `aim`. Returns false if none was found.
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
