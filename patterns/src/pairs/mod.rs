//! Pairs of threads: the states of two threads that may occur together at the end of a violating run.
//!
//! Two threads that share events constrain each other, whatever the other threads do. For example, a semaphore
//! cannot be full while its counter is not, a writer cannot be unfinished while the audit reads, and the value
//! of a cell depends on its only writer. The joint states of two threads are few, even if those of all threads
//! are many.
//!
//! # Formula
//!
//! Let s_T be the last state of any violating run, and R the joint states of the projection onto threads i and
//! j ([`crate::group`]).
//!
//! * A bad run ends in a bad state of some thread. A plain deadlock ends in states such that some thread blocks
//!   each event that they request.
//! * Each thread i is in one of the states R_i that its own projection takes.
//! * (s_T(i), s_T(j)) is in R. For a pair (s, t) outside R, a clause says: not s, or not t. For a state t of
//!   j, a clause says: not t, or one of the states s with (s, t) in R.
//!
//! # Soundness
//!
//! The lemmas are sound for any other threads, because every run of the program is a run of each projection:
//! see `Projected`, `BadState` and `BlockedBy` in [`model::Justification`]. Arc consistency from each bad
//! state ([`consistency`]) finds the clauses to emit. If arc consistency leaves a thread without states, only
//! the clauses that lead there are emitted, and unit propagation refutes the bad state with them. Otherwise
//! the clauses about threads near those that lost states are emitted, nearest first, and the search combines
//! them.

pub(crate) mod clauses;
mod consistency;
pub(crate) mod finder;
mod known;
#[cfg(test)]
mod tests;

use crate::group::{Conditions, Footprints, SideCondition};
use clauses::Kinds;
use finder::Finder;
use model::{Coverage, Effort, Goal, Lemma, LemmaKind, Match, Pattern, Prop, Thread, ThreadId, WhyNot};
use std::collections::BTreeSet;

/// The registered pattern.
pub const PAIRS: Pairs = Pairs { conditions: Conditions::ALL };

/// Clause: `not Ends(Bad)`, or some thread is in a bad state at the end.
pub const BAD: LemmaKind = LemmaKind("pairs.bad");
/// At the end, each thread is in one of the states that its own projection takes.
pub const SOME: LemmaKind = LemmaKind("pairs.some");
/// No thread is in two states at the end.
pub const ONE: LemmaKind = LemmaKind("pairs.one");
/// Two threads are not in s and t at the end, because their joint projection never takes these two states
/// together.
pub const APART: LemmaKind = LemmaKind("pairs.apart");
/// If thread j is in t at the end, then thread i is in one of the states that occur together with t in the
/// projection onto i and j.
pub const SUPPORT: LemmaKind = LemmaKind("pairs.support");
/// In a plain deadlock, each event that a state requests is blocked by the state of some thread.
pub const BLOCKED: LemmaKind = LemmaKind("pairs.blocked");

const KINDS: Kinds = Kinds { bad: BAD, some: SOME, one: ONE, apart: APART, support: SUPPORT, blocked: BLOCKED };

/// Work that a match may cost, counted in reads of states, moves and list entries: about 0.3 s.
pub(crate) const WORK: u64 = 30_000_000;
/// The matcher of pairs.
#[derive(Clone, Copy, Debug)]
pub struct Pairs {
    conditions: Conditions,
}

impl Pairs {
    /// Returns the pattern without one of its side conditions, which makes it unsound. It exists for tests,
    /// which must detect the missing condition.
    #[doc(hidden)]
    #[must_use]
    pub const fn without(condition: SideCondition) -> Self {
        Self { conditions: Conditions { omit: Some(condition) } }
    }
}

impl Pattern for Pairs {
    fn name(&self) -> &'static str {
        "pairs"
    }

    fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        self.recognize_within(threads, goal, &mut Effort::new(WORK))
    }

    fn recognize_within(&self, threads: &[Thread], goal: Goal, effort: &mut Effort) -> Result<Box<dyn Match>, WhyNot> {
        if matches!(goal, Goal::Formula(_)) {
            return Err(WhyNot::new(None, "formulas are goals of nets"));
        }
        let lemmas = effort.within(WORK, |effort| self.lemmas(threads, goal, effort))?;
        if lemmas.is_empty() {
            return Err(WhyNot::new(None, "nothing was found within the effort"));
        }
        Ok(Box::new(PairsMatch { goal, lemmas }))
    }
}

impl Pairs {
    fn lemmas(self, threads: &[Thread], goal: Goal, effort: &mut Effort) -> Result<Vec<Lemma>, WhyNot> {
        let Some(prints) = Footprints::of(threads, self.conditions, effort) else {
            return Err(WhyNot::new(None, "the threads have too much to do with events"));
        };
        let mut finder = Finder::new(&prints, *effort, KINDS);
        let found = match goal {
            Goal::Bad => finder.bad(),
            _ => finder.deadlock(),
        };
        *effort = finder.known.effort;
        found.map(|()| finder.clauses.lemmas)
    }
}

/// The lemmas of a match. They are computed when the pattern is recognised, because the pattern matches only
/// if there are lemmas.
struct PairsMatch {
    goal: Goal,
    lemmas: Vec<Lemma>,
}

impl Match for PairsMatch {
    fn coverage(&self) -> Coverage {
        let props = self.lemmas.iter().flat_map(|lemma| &lemma.clause).map(|literal| &literal.prop);
        let threads: BTreeSet<ThreadId> = props
            .filter_map(|prop| if let Prop::StateBack { thread, .. } = prop { Some(*thread) } else { None })
            .collect();
        Coverage { goal: self.goal, threads: threads.into_iter().collect() }
    }

    fn on_start(&mut self, out: &mut Vec<Lemma>) {
        out.append(&mut self.lemmas);
    }
}
