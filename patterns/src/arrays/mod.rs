//! Shared arrays: cells that can no longer change their value before the violation.
//!
//! The pattern generalises Katz, Barrett, Harel 2015, section IV (shared arrays). There, cells are threads and
//! a marker is bad if it reads certain values. Once no thread can write a cell any more, the value of the cell
//! is known. This pattern does not look for cells, reads or writes. A bad state of a marker *demands* that
//! other threads are in some of their states, as derived from pairs of threads ([`crate::pairs`]). From a
//! visited state on, a thread can only reach some of its states. If the demanded and the reachable states of a
//! thread are disjoint, the visited state leads to no violation. Values of cells, writers that have finished or
//! still wait, and the progress of the marker itself are all handled in this way.
//!
//! # Formula
//!
//! Let s_T be the last state of any violating run, and b a bad state of thread m.
//!
//! * At the start, from pairs: bad runs end in some b. If s_T(m) = b, then s_T(i) is in D_i(b), the states
//!   that b demands of thread i. There is such a set for each thread i that arc consistency from b narrows
//!   down, and D_m(b) = {b}.
//! * At a visited state q such that, for each b, some thread i has disjoint sets F(i) and D_i(b): if the run
//!   visits q, then s_T(i) is in F(i), the states that i may still reach from q
//!   ([`model::Justification::Future`]).
//!
//! The paper uses constants for "the value of cell i when the violation is read". Here they are the
//! propositions s_T(i) = s. The run fixes them, so all lemmas hold for it at once.
//!
//! # Soundness
//!
//! The pattern is sound for any threads, because each of the two items above is, on its own, a necessary
//! condition on every violating run. It does not assume that reads are atomic with respect to writes: the
//! analysis of pairs decides whether writes can come between reads.

#[cfg(test)]
mod tests;

use crate::future::Closure;
use crate::group::{Conditions, Footprints, SideCondition};
use crate::pairs::WORK;
use crate::pairs::clauses::Kinds;
use crate::pairs::finder::{Finder, OPEN_LITERALS, Open};
use model::{
    Coverage, Effort, EventId, EventSet, Goal, Justification, Lemma, LemmaKind, LemmaLit, LocalId, Match, Pattern,
    Prop, Thread, ThreadId, WhyNot,
};
use std::collections::{BTreeMap, BTreeSet};

/// The registered pattern.
pub const ARRAYS: Arrays = Arrays { conditions: Conditions::ALL };

/// Clause: `not Ends(Bad)`, or some thread is in a bad state at the end.
pub const BAD: LemmaKind = LemmaKind("arrays.bad");
/// At the end, each thread is in one of the states that its own projection takes.
pub const SOME: LemmaKind = LemmaKind("arrays.some");
/// No thread is in two states at the end.
pub const ONE: LemmaKind = LemmaKind("arrays.one");
/// Two threads are not in s and t at the end, because their joint projection never takes these two states
/// together.
pub const APART: LemmaKind = LemmaKind("arrays.apart");
/// If thread j is in t at the end, then thread i is in one of the states that occur together with t in the
/// projection onto i and j.
pub const SUPPORT: LemmaKind = LemmaKind("arrays.support");
/// If the run visits q, then thread i ends in one of the states that it may still reach from q.
pub const FUTURE: LemmaKind = LemmaKind("arrays.future");

/// Kinds of lemmas of this pattern. There are no lemmas about deadlocks.
const KINDS: Kinds =
    Kinds { bad: BAD, some: SOME, one: ONE, apart: APART, support: SUPPORT, blocked: LemmaKind("arrays.blocked") };

/// The matcher of shared arrays.
#[derive(Clone, Copy, Debug)]
pub struct Arrays {
    conditions: Conditions,
}

impl Arrays {
    /// Returns the pattern without one of its side conditions, which makes it unsound. It exists for tests,
    /// which must detect the missing condition.
    #[doc(hidden)]
    #[must_use]
    pub const fn without(condition: SideCondition) -> Self {
        Self { conditions: Conditions { omit: Some(condition) } }
    }
}

impl Pattern for Arrays {
    fn name(&self) -> &'static str {
        "arrays"
    }

    fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        self.recognize_within(threads, goal, &mut Effort::new(WORK))
    }

    fn recognize_within(&self, threads: &[Thread], goal: Goal, effort: &mut Effort) -> Result<Box<dyn Match>, WhyNot> {
        if goal != Goal::Bad {
            return Err(WhyNot::new(None, "only bad states demand values"));
        }
        effort.within(WORK, |effort| self.demands(threads, effort)).map(|found| -> Box<dyn Match> { Box::new(found) })
    }
}

impl Arrays {
    fn demands(self, threads: &[Thread], effort: &mut Effort) -> Result<ArraysMatch, WhyNot> {
        let Some(prints) = Footprints::of(threads, self.conditions, effort) else {
            return Err(WhyNot::new(None, "the threads have too much to do with events"));
        };
        let mut finder = Finder::new(&prints, *effort, KINDS);
        let found = self.demanded(threads, &mut finder);
        *effort = finder.known.effort;
        found
    }

    fn demanded(self, threads: &[Thread], finder: &mut Finder<'_>) -> Result<ArraysMatch, WhyNot> {
        let (bad_states, open) = finder.bad_states();
        if finder.known.effort.is_spent() || finder.clauses.is_full() {
            return Err(WhyNot::new(None, "what the bad states demand was not found within the effort"));
        }
        if let Some(alone) = open.iter().find(|open| open.narrowing.steps.is_empty()) {
            return Err(finder.alone((alone.marker, alone.state)));
        }
        if open.is_empty() {
            let what =
                if bad_states.is_empty() { "no state is bad" } else { "pairs of threads rule out all bad states" };
            return Err(WhyNot::new(None, what));
        }
        finder.clauses.limit(OPEN_LITERALS);
        let demands = open.iter().map(|open| Demand::of(finder, open)).collect();
        let start = std::mem::take(&mut finder.clauses.lemmas);
        let size = |t: &Thread| 1 + t.states.len() as u64;
        let cost = threads[0].states[0].block.universe() as u64 + threads.iter().map(size).sum::<u64>();
        let (threads, conditions) = (threads.to_vec(), self.conditions);
        Ok(ArraysMatch { threads, conditions, demands, start, cost, looks: 0 })
    }
}

/// The states that a bad state demands of threads at the end of the run.
struct Demand {
    /// For each thread that may not be in all of its states: `allowed[i][s]` is true if thread i may be in
    /// state s.
    allowed: BTreeMap<ThreadId, Vec<bool>>,
}

impl Demand {
    /// Computes the demand of a bad state, and emits it as clauses.
    fn of(finder: &mut Finder, open: &Open) -> Self {
        finder.steps(&open.narrowing.steps);
        for s in finder.known.states(open.marker).to_vec() {
            if s != open.state {
                finder.clauses.not_both(open.marker, s, open.state);
            }
        }
        let mut allowed = BTreeMap::new();
        for (i, left) in open.narrowing.narrowed() {
            let mut states = vec![false; finder.known.prints.thread(i).states.len()];
            left.iter().for_each(|s| states[s.index()] = true);
            allowed.insert(i, states);
        }
        Self { allowed }
    }

    /// Returns true if thread `i` can still meet the demand, when its last state is one of `states`.
    fn allows(&self, i: ThreadId, mut states: impl Iterator<Item = LocalId>) -> bool {
        states.any(|s| self.allowed[&i][s.index()])
    }
}

struct ArraysMatch {
    threads: Vec<Thread>,
    conditions: Conditions,
    demands: Vec<Demand>,
    start: Vec<Lemma>,
    /// Cost of processing one visited state.
    cost: u64,
    /// Work so far.
    looks: u64,
}

impl Match for ArraysMatch {
    fn coverage(&self) -> Coverage {
        let threads: BTreeSet<ThreadId> =
            self.demands.iter().flat_map(|demand| demand.allowed.keys().copied()).collect();
        Coverage { goal: Goal::Bad, threads: threads.into_iter().collect() }
    }

    fn on_start(&mut self, out: &mut Vec<Lemma>) {
        out.append(&mut self.start);
    }

    fn looks(&self) -> u64 {
        self.looks
    }

    fn on_state(&mut self, q: &[u32], out: &mut Vec<Lemma>) {
        // A thread may stay in its current state. So a demand that all threads meet now cannot fail.
        let met = |demand: &Demand| demand.allowed.iter().all(|(i, allowed)| allowed[q[i.index()] as usize]);
        if self.demands.iter().any(met) {
            return;
        }
        self.looks = self.looks.saturating_add(self.cost);
        for (thread, states) in self.unmet(q).unwrap_or_default() {
            let is = |state| LemmaLit::yes(Prop::StateBack { back: 0, thread, state });
            let clause = [LemmaLit::no(Prop::Visits(q.into()))].into_iter().chain(states.into_iter().map(is)).collect();
            out.push(Lemma {
                kind: FUTURE,
                clause,
                justification: Some(Justification::Future { state: q.into(), thread }),
            });
        }
    }
}

impl ArraysMatch {
    /// Returns threads that cannot meet the demands from `q` on, each with the states that it may still reach.
    /// For each demand, the thread with the fewest states is chosen. Returns `None` if some demand can still be
    /// met.
    fn unmet(&self, q: &[u32]) -> Option<BTreeMap<ThreadId, Vec<LocalId>>> {
        let changed = self.with_less_future(q);
        let threads = changed.as_deref().unwrap_or(&self.threads);
        let future = Closure::of(threads, q.iter().map(|&s| vec![LocalId(s)]));
        let states = |i: ThreadId| {
            let all = (0..self.threads[i.index()].states.len()).map(LocalId::new);
            all.filter(|s| future.contains(i.index(), s.index())).collect::<Vec<_>>()
        };
        let mut found = BTreeMap::new();
        for demand in &self.demands {
            let fails = |i: &ThreadId| {
                let states = states(*i);
                (!demand.allows(*i, states.iter().copied())).then_some((states.len(), *i, states))
            };
            let (_, thread, states) = demand.allowed.keys().filter_map(fails).min()?;
            found.insert(thread, states);
        }
        Some(found)
    }

    /// Returns threads that can reach less than the real ones, if a test has dropped a side condition about the
    /// future. Otherwise returns `None`.
    fn with_less_future(&self, q: &[u32]) -> Option<Vec<Thread>> {
        let omit = self.conditions.omit?;
        let now = || self.threads.iter().zip(q).map(|(t, &s)| t.state(LocalId(s)));
        let mut never = EventSet::empty(self.threads[0].states[0].block.universe());
        let mut threads = self.threads.clone();
        match omit {
            SideCondition::FutureRequests => {
                let asked = |e: &EventId| now().any(|s| s.request.contains(*e));
                (0..never.universe()).map(EventId::new).filter(|e| !asked(e)).for_each(|e| never.insert(e));
            }
            SideCondition::FutureOpenings => now().for_each(|s| never.union_with(&s.block)),
            SideCondition::FutureTargets => {
                let targets = threads.iter_mut().flat_map(|t| &mut t.states).flat_map(|s| s.on.values_mut());
                targets.for_each(|targets| targets.truncate(1));
            }
            _ => return None,
        }
        threads[0].states.iter_mut().for_each(|s| s.block.union_with(&never));
        Some(threads)
    }
}
