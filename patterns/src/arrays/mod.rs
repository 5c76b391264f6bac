//! Shared arrays: cells whose last value is fixed before the search gets there.
//!
//! After Katz, Barrett, Harel 2015, section IV (shared arrays): cells are threads, a marker is bad if it reads certain
//! values, and once nobody can write a cell any more its value is known. Nothing here looks for cells, reads or writes,
//! though. A thread is *demanded* to be in some of its states beside a marker's bad state, by what pairs of threads
//! say ([`crate::pairs`]); and from a visited state on it can only get to some. If these have nothing in common, the state
//! leads to no violation. Values of cells, done or pending writers and the marker's own progress are all the same.
//!
//! Formula (s_T the last state of any violating run, b a bad state of thread m):
//!
//! * at the start, from pairs: bad runs end in some b; if s_T(m) = b then s_T(i) is in D_i(b), for each thread i that
//!   arc consistency from b narrows down (and D_m(b) = {b});
//! * at a visited state q such that for each b some thread i has F(i) and D_i(b) disjoint: if the run visits q, s_T(i) is in
//!   F(i), the states that i may still get to ([`model::Fact::Future`]).
//!
//! The constants "value of cell i when the violation is read" of the paper are the propositions s_T(i) = s: prophecies, fixed
//! by the run, so that all lemmas are true of it at once. Sound for any threads: both parts are necessary conditions on every
//! violating run by themselves. That reads are not torn apart by writes is not assumed: pairs see whether they can be.

#[cfg(test)]
mod tests;

use crate::future::Closure;
use crate::group::{Conditions, Footprints, SideCondition};
use crate::pairs::WORK;
use crate::pairs::clauses::Kinds;
use crate::pairs::finder::{Finder, OPEN_LITERALS, Open};
use model::pattern::ConcreteRun;
use model::{
    Coverage, Effort, EventId, EventSet, Fact, Goal, Lemma, LemmaKind, LemmaLit, LocalId, Match, Pattern, Prop, Thread,
    ThreadId, Values, WhyNot,
};
use std::collections::{BTreeMap, BTreeSet};

/// The pattern, as registered.
pub const ARRAYS: Arrays = Arrays { conditions: Conditions::ALL };

/// `not Ends(Bad)` or some thread is in a bad state at the end.
pub const BAD: LemmaKind = LemmaKind("arrays.bad");
/// Each thread is in one of the states that its projection takes.
pub const SOME: LemmaKind = LemmaKind("arrays.some");
/// No thread is in two states.
pub const ONE: LemmaKind = LemmaKind("arrays.one");
/// Two threads are not in s and t at the end, since their projection is never.
pub const APART: LemmaKind = LemmaKind("arrays.apart");
/// If thread j is in t at the end, thread i is in one of the states that stand beside t in the projection onto i and j.
pub const SUPPORT: LemmaKind = LemmaKind("arrays.support");
/// If the run visits q, thread i ends in one of the states that it may still get to from q.
pub const FUTURE: LemmaKind = LemmaKind("arrays.future");

/// Nothing is said about deadlocks.
const KINDS: Kinds =
    Kinds { bad: BAD, some: SOME, one: ONE, apart: APART, support: SUPPORT, blocked: LemmaKind("arrays.blocked") };

/// Looks at threads, states and events without a lemma coming of it, after which nobody looks any more: some 0.1 s.
const PATIENCE: u64 = 2_000_000;

/// The matcher of shared arrays.
#[derive(Clone, Copy, Debug)]
pub struct Arrays {
    conditions: Conditions,
}

impl Arrays {
    /// The pattern without one of its side conditions: unsound, for tests that must notice.
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
        Ok(ArraysMatch { threads, conditions, demands, start, cost, patience: PATIENCE })
    }
}

/// What a bad state demands of the last states of threads.
struct Demand {
    /// By thread that may not be in just any state: which states it may be in.
    allowed: BTreeMap<ThreadId, Vec<bool>>,
}

impl Demand {
    /// States it in clauses, too.
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

    /// May it still be met, if each thread's last state is one of these?
    fn allows(&self, i: ThreadId, mut states: impl Iterator<Item = LocalId>) -> bool {
        states.any(|s| self.allowed[&i][s.index()])
    }
}

struct ArraysMatch {
    threads: Vec<Thread>,
    conditions: Conditions,
    demands: Vec<Demand>,
    start: Vec<Lemma>,
    /// Of looking at a state.
    cost: u64,
    /// Work to be done until the next lemma, at most.
    patience: u64,
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

    fn on_state(&mut self, q: &[u32], out: &mut Vec<Lemma>) {
        // What a thread is in now it may stay in: no demand can fail that is met by all threads.
        let met = |demand: &Demand| demand.allowed.iter().all(|(i, allowed)| allowed[q[i.index()] as usize]);
        if self.patience == 0 || self.demands.iter().any(met) {
            return;
        }
        let Some(threads) = self.unmet(q) else {
            self.patience = self.patience.saturating_sub(self.cost);
            return;
        };
        self.patience = PATIENCE;
        for (thread, states) in threads {
            let is = |state| LemmaLit::yes(Prop::StateBack { back: 0, thread, state });
            let clause = [LemmaLit::no(Prop::Visits(q.into()))].into_iter().chain(states.into_iter().map(is)).collect();
            out.push(Lemma { kind: FUTURE, clause, fact: Some(Fact::Future { state: q.into(), thread }) });
        }
    }

    fn witness(&self, _run: &ConcreteRun) -> Values {
        Values::new()
    }
}

impl ArraysMatch {
    /// Threads that from `q` on cannot meet the demands, with where they may still get to: one for each demand, the one of
    /// fewest states. `None` if some demand may still be met.
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

    /// Threads to which less can happen than to the real ones; only mutants have any.
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
