//! Pairs of threads: which states may stand side by side when the violation happens.
//!
//! Two threads that share events constrain each other whatever the others do: a semaphore that is full while its counter is
//! not, a writer that is not done while the audit reads, a cell and its value's only writer. The joint states of two threads are
//! few, those of all are not.
//!
//! Formula (s_T the last state of any violating run, R the joint states of the projection onto i and j, [`crate::group`]):
//!
//! * a bad run ends in some thread's bad state; a plain deadlock in states all of whose requests somebody blocks;
//! * each thread i is in one state of its projection, R_i;
//! * (s_T(i), s_T(j)) is in R: not s or not t for pairs outside R, or not t or some s that stands beside it.
//!
//! Sound for any other threads, because every run of the program is a run of each projection: see
//! [`model::Fact::Projected`], `BadState`, `BlockedBy`. Which clauses are worth having is found by arc consistency from each bad state
//! ([`consistency`]): if that empties a thread, only the clauses on the way are emitted, and unit propagation
//! refutes the bad state with them. Else the clauses about threads near those that lost states are emitted, nearest
//! first, for the search to combine.

pub(crate) mod clauses;
mod consistency;
pub(crate) mod finder;
mod known;
#[cfg(test)]
mod tests;

use crate::group::{Conditions, Footprints, SideCondition};
use clauses::Kinds;
use finder::Finder;
use model::pattern::ConcreteRun;
use model::{Coverage, Effort, Goal, Lemma, LemmaKind, Match, Pattern, Prop, Thread, ThreadId, Values, WhyNot};
use std::collections::BTreeSet;

/// The pattern, as registered.
pub const PAIRS: Pairs = Pairs { conditions: Conditions::ALL };

/// `not Ends(Bad)` or some thread is in a bad state at the end.
pub const BAD: LemmaKind = LemmaKind("pairs.bad");
/// Each thread is in one of the states that its projection takes.
pub const SOME: LemmaKind = LemmaKind("pairs.some");
/// No thread is in two states.
pub const ONE: LemmaKind = LemmaKind("pairs.one");
/// Two threads are not in s and t at the end, since their projection is never.
pub const APART: LemmaKind = LemmaKind("pairs.apart");
/// If thread j is in t at the end, thread i is in one of the states that stand beside t in the projection onto i and j.
pub const SUPPORT: LemmaKind = LemmaKind("pairs.support");
/// In a plain deadlock whatever a state requests is blocked by some thread's state.
pub const BLOCKED: LemmaKind = LemmaKind("pairs.blocked");

const KINDS: Kinds = Kinds { bad: BAD, some: SOME, one: ONE, apart: APART, support: SUPPORT, blocked: BLOCKED };

/// Looks at states, moves and entries of lists that a match may cost: some 0.3 s.
pub(crate) const WORK: u64 = 30_000_000;
/// The matcher of pairs.
#[derive(Clone, Copy, Debug)]
pub struct Pairs {
    conditions: Conditions,
}

impl Pairs {
    /// The pattern without one of its side conditions: unsound, for tests that must notice.
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

/// The lemmas: finding out whether there are any is finding them.
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

    fn witness(&self, _run: &ConcreteRun) -> Values {
        Values::new()
    }
}
