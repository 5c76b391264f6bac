//! IC3 at bit level for nets: order literals made on demand, with or without a bound.
//!
//! Latches are order literals `[place >= k]`, created when a cube first contains them. The cost of a proof
//! therefore depends on the thresholds that it needs, not on the number of tokens. Thresholds may be
//! arbitrarily large. A bound only restricts initial markings and adds a budget from which transitions take
//! tokens. Invariants of the net are used as clauses, as upper limits of thresholds, and to remove
//! transitions.
//!
//! `thresholds` is the net as a circuit. `sums` and `goals` build signals for sums and goals, and `invariants`
//! collects the invariants. `search` is the search for one goal, under a bound as `bounded` defines it.
//! `vectors` checks whether a result for a bound also holds without it. Under a bound, a claim that a goal is
//! unreachable concerns only the runs within the bound. Lemmas are kept when the bound changes (incremental
//! checking as in Zhang et al. 2017), so a sequence of bounds is one search.
//!
//! ```
//! use impasse_nets::invariants::Invariants;
//! use impasse_nets::{Ic3, Ic3Bits, NetBitsOptions};
//! use model::{Budget, Claim, Engine, Formula, Net, PlaceId, Range, Turn};
//! use std::sync::Arc;
//! use testkit::net::{arcs, place, task};
//!
//! // Any number of processes share a lock. The places are 0: idle, 1: the free lock, 2: busy.
//! let initial = [("idle", Range::from(0u8)), ("lock", Range::exactly(1u8)), ("busy", Range::exactly(0u8))];
//! let places = initial.map(|(name, tokens)| place(name, tokens)).to_vec();
//! let enter = arcs("enter", &[(0, 1), (1, 1)], &[(2, 1)]);
//! let leave = arcs("leave", &[(2, 1)], &[(0, 1), (1, 1)]);
//! let two_busy = Formula::cover(&[(PlaceId(2), 2u8.into())]);
//! let task = task(Net::new(places, vec![enter, leave]).unwrap(), vec![two_busy], false);
//! let invariants = Arc::new(Invariants::new(&task).expect("the numbers are small"));
//!
//! let on_markings = Box::new(Ic3::new(task.clone(), Arc::clone(&invariants)));
//! let on_bits = Box::new(Ic3Bits::new(task, invariants, NetBitsOptions::default()));
//! for mut engine in [on_markings as Box<dyn Engine>, on_bits] {
//!     let turn = engine.run(&mut Budget::unlimited(Arc::default()));
//!     assert!(matches!(turn, Turn::Claims(Claim::Safe { .. })), "{}: {turn:?}", engine.name());
//! }
//! ```

mod bounded;
mod claims;
mod goals;
mod invariants;
mod search;
mod sums;
#[cfg(test)]
mod tests;
mod thresholds;
mod vectors;

use crate::invariants::Invariants;
use bounded::Bounded;
use circuits::ic3::BitsStats;
use claims::Material;
pub use invariants::InvariantUse;
use model::{Bound, Budget, Claim, Engine, Formula, Goal, NetInvariant, NetTask, Slot, Stats, Turn};
use search::{GoalSearch, Outcome};
use std::sync::Arc;
use thresholds::NetInvariants;

/// Work units of a goal's first turn.
const SLICE: u64 = 20_000;

/// Options of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NetBitsOptions {
    /// Uses of invariants of the net. Default: all.
    pub invariants: InvariantUse,
    /// Under a bound: checks whether a result also holds without the bound. Default: true.
    pub unbounded: bool,
    /// For tasks without a bound. If true, the engine sets a bound and raises it step by step, until an
    /// invariant found under the bound also holds without it (Zhang et al. 2018). The first bound is the least
    /// number of tokens that some goal needs, or the least initial number of tokens if that is larger. Most of
    /// the work goes to a second search, which runs on the net as it is from all initial markings. Default:
    /// false.
    pub rising: bool,
}

impl Default for NetBitsOptions {
    fn default() -> Self {
        Self { invariants: InvariantUse::ALL, unbounded: true, rising: false }
    }
}

/// IC3 on the bits of a net. It accepts goals of any form, provided that sums with weights of both signs have
/// bounded places. Without a bound it may not terminate.
pub struct Ic3Bits {
    task: NetTask,
    invariants: Arc<Invariants>,
    options: NetBitsOptions,
    /// The current bound.
    bound: Option<Bound>,
    asked: Vec<Asked>,
    known: Option<(NetInvariants, Vec<NetInvariant>)>,
    /// Index of the current goal, and the number of times that all goals have had a turn.
    current: usize,
    round: u32,
    /// True if the engine raises the bound by itself (see [`NetBitsOptions::rising`]).
    rising: bool,
}

struct Asked {
    goal: Goal,
    formula: Arc<Formula>,
    state: State,
    /// True if the search has been given the current bound.
    is_set: bool,
    /// Statistics of finished searches.
    took: Vec<BitsStats>,
}

enum State {
    /// Not started.
    New,
    Open(Box<GoalSearch>),
    /// Answered for the current bound. Lemmas are kept for the next bound.
    Answered(Box<GoalSearch>),
    /// Answered without a bound, or given up.
    Over,
}

impl Ic3Bits {
    /// Makes the engine. `invariants` must be about the net of `task`. The first bound is that of the task.
    #[must_use]
    pub fn new(task: NetTask, invariants: Arc<Invariants>, options: NetBitsOptions) -> Self {
        let asked = |&goal: &Goal| {
            let formula = match task.formula(goal) {
                Some(formula) => Arc::clone(formula),
                None => Arc::new(model::deadlock_of(task.net.transitions())),
            };
            Asked { goal, formula, state: State::New, is_set: false, took: Vec::new() }
        };
        let asked = task.goals.iter().map(asked).collect();
        let mut bound = task.bound.clone();
        if options.rising && bound.is_none() {
            let mut counted = vec![true; task.net.places().len()];
            let together =
                task.slots.iter().filter_map(|s| if let Slot::OneOf(places) = s { Some(places) } else { None });
            together.flatten().for_each(|p| counted[p.index()] = false);
            bound = Some(Bound { most: 0, counted });
        }
        let rising = options.rising && task.bound.is_none();
        Self { task, invariants, options, bound, asked, known: None, current: 0, round: 0, rising }
    }

    /// Sets the bound, and reopens all goals without a final answer. Lemmas stay useful if the new bound is
    /// larger.
    pub fn set_bound(&mut self, most: u64) {
        let Some(bound) = &mut self.bound else { return };
        bound.most = most;
        self.current = 0;
        self.round = 0;
        for asked in &mut self.asked {
            asked.state = match std::mem::replace(&mut asked.state, State::Over) {
                State::Answered(search) | State::Open(search) => State::Open(search),
                other => other,
            };
            asked.is_set = false;
        }
    }
}

/// The result of a goal's turn.
enum Slice {
    More,
    Claim(Claim),
    Nothing,
}

impl Ic3Bits {
    /// The next goal that is open for the current bound.
    fn next(&mut self) -> Option<usize> {
        let is_open = |a: &Asked| matches!(a.state, State::New | State::Open(_));
        if let Some(next) = (self.current..self.asked.len()).find(|&g| is_open(&self.asked[g])) {
            return Some(next);
        }
        self.current = 0;
        self.round += 1;
        (0..self.asked.len()).find(|&g| is_open(&self.asked[g]))
    }

    /// Raises the bound by 1 when every goal is answered for the current one. Returns false if the engine does
    /// not raise bounds, or no goal is left.
    fn rise(&mut self) -> bool {
        let next = self.bound.as_ref().and_then(|b| b.most.checked_add(1));
        let (true, Some(next)) = (self.rising, next) else { return false };
        if !self.asked.iter().any(|a| matches!(a.state, State::Answered(_))) {
            return false;
        }
        self.set_bound(next);
        true
    }

    fn slice(&mut self, goal: usize, budget: &mut Budget) -> Slice {
        let (known, said) = self.known.as_ref().expect("known since the first turn");
        let rules = self.invariants.rules();
        let asked = &mut self.asked[goal];
        if let State::New = asked.state {
            let bounded = self.bound.as_ref().map(|b| Bounded::new(&self.task, rules, &b.counted));
            let search = match bounded {
                Some(None) => None,
                Some(bounded @ Some(_)) => GoalSearch::new(rules, known, Formula::clone(&asked.formula), bounded),
                None => GoalSearch::new(rules, known, Formula::clone(&asked.formula), None),
            };
            let Some(search) = search else {
                asked.state = State::Over;
                return Slice::Nothing;
            };
            asked.state = State::Open(Box::new(search));
        }
        let State::Open(search) = &mut asked.state else { return Slice::Nothing };
        let mut cuts_start = false;
        if let (Some(bound), Some(bounded)) = (&self.bound, search.bounded()) {
            cuts_start = !self.rising && bounded.cuts_start(bound.most);
            let Some(starts) = bounded.starts(bound.most) else {
                // No initial marking is within the bound, so no run is within it, and every goal is
                // unreachable within it.
                asked.answered();
                let goals = vec![asked.goal];
                return if self.rising { Slice::Nothing } else { Slice::Claim(claims::no_run(bound, said, goals)) };
            };
            if !std::mem::replace(&mut asked.is_set, true) {
                let left = bound.most - bounded.least;
                // With rising bounds, only the net with a budget uses the bound, and the search on the net as
                // it is starts in all initial markings. If its initial markings were cut to a small bound, it
                // would learn for each pair of places that no two threads are there at once. The next bound
                // would invalidate these lemmas.
                let starts = if self.rising { &[] } else { &*starts };
                search.set_bound(starts, left);
            }
        }
        let within = self.bound.as_ref().filter(|_| !self.rising);
        match search.run(within, budget) {
            Outcome::More => Slice::More,
            Outcome::Over => {
                asked.answered();
                Slice::Nothing
            }
            Outcome::Unsafe(trace) => {
                asked.end();
                Slice::Claim(Claim::Unsafe { goal: asked.goal, trace, candidate: false })
            }
            Outcome::Safe(clauses) => {
                let material = Material {
                    task: &self.task,
                    invariants: &self.invariants,
                    said,
                    goal: asked.goal,
                    formula: &asked.formula,
                    clauses: &clauses,
                    of_every_start: !cuts_start,
                };
                let looks_beyond = self.bound.is_none() || self.options.unbounded;
                if let Some(claim) = looks_beyond.then(|| material.safe(budget)).flatten() {
                    asked.end();
                    return Slice::Claim(claim);
                }
                let claim = within.map(|bound| material.within(bound, None));
                asked.answered();
                claim.map_or(Slice::Nothing, Slice::Claim)
            }
            Outcome::Within(clauses) => {
                let strict = search.bounded().and_then(|b| b.strict.as_ref());
                let material = Material {
                    task: &self.task,
                    invariants: &self.invariants,
                    said,
                    goal: asked.goal,
                    formula: &asked.formula,
                    clauses: &clauses,
                    of_every_start: false,
                };
                let claim = if self.rising { material.beyond(budget) } else { None };
                if let Some(claim) = claim {
                    asked.end();
                    return Slice::Claim(claim);
                }
                let claim = within.map(|bound| material.within(bound, strict));
                asked.answered();
                claim.map_or(Slice::Nothing, Slice::Claim)
            }
        }
    }

    fn start(&mut self, budget: &mut Budget) {
        let mut wanted: Vec<u32> = self.asked.iter().flat_map(|a| goals::mixed(&a.formula)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        self.known = Some(invariants::known(&self.task, &self.invariants, &wanted, self.options.invariants, budget));
        if self.rising
            && let Some(bound) = &mut self.bound
        {
            let least = |(p, n): (&u64, &bool)| if *n { *p } else { 0 };
            let initial = self.invariants.rules().initial.iter().zip(&bound.counted).map(least);
            bound.most = initial.fold(0, u64::saturating_add);
            let weights = self.asked.iter().filter_map(|a| crate::targets::minimal(&a.formula, 1_000));
            let weight = weights.flatten().map(|cube| cube.iter().map(|e| e.1).fold(0, u64::saturating_add)).min();
            bound.most = bound.most.max(weight.unwrap_or(0));
        }
    }
}

impl Asked {
    /// Settles the goal for good. Only the statistics of the search are kept.
    fn end(&mut self) {
        debug_assert!(self.took.is_empty() || matches!(self.state, State::Over));
        self.took = self.counts();
        self.state = State::Over;
    }

    fn counts(&self) -> Vec<BitsStats> {
        match &self.state {
            State::Open(search) | State::Answered(search) => search.stats().into_iter().collect(),
            State::New | State::Over => self.took.clone(),
        }
    }

    /// Marks the goal as answered for the current bound.
    fn answered(&mut self) {
        self.state = match std::mem::replace(&mut self.state, State::Over) {
            State::Open(search) => State::Answered(search),
            other => other,
        };
    }
}

impl Engine for Ic3Bits {
    fn name(&self) -> &'static str {
        match self.options {
            NetBitsOptions { rising: true, .. } => "ic3.ttscov",
            NetBitsOptions { invariants: InvariantUse::NONE, unbounded: false, .. } => "ic3.bounded",
            _ => "ic3.bits",
        }
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if self.known.is_none() {
            self.start(budget);
        }
        loop {
            let Some(goal) = self.next() else {
                if self.rise() {
                    continue;
                }
                return Turn::Done;
            };
            debug_assert!(matches!(self.asked[goal].state, State::New | State::Open(_)));
            self.current = goal;
            let alone = self.asked.iter().filter(|a| matches!(a.state, State::New | State::Open(_))).count() == 1;
            let work = if alone { budget.work } else { budget.work.min(SLICE << self.round.min(40)) };
            let mut own = Budget::new(work, Arc::clone(&budget.stop));
            let slice = self.slice(goal, &mut own);
            let goes_on = budget.spend(own.spent_of(work) + 1);
            match slice {
                Slice::Claim(claim) => return Turn::Claims(claim),
                Slice::More => self.current += 1,
                Slice::Nothing => {}
            }
            if !goes_on {
                return Turn::More;
            }
        }
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called, because this engine makes no claim with `candidate: true`.
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.asked.iter_mut().filter(|a| goals.binary_search(&a.goal).is_ok()).for_each(Asked::end);
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        for asked in &self.asked {
            for bits in asked.counts() {
                for (name, count) in
                    [("queries", bits.queries), ("obligations", bits.obligations), ("clauses", bits.lemmas)]
                {
                    *stats.more.entry(name).or_default() += count;
                }
                let frames = stats.more.entry("frames").or_default();
                *frames = (*frames).max(bits.frames);
            }
        }
        stats
    }
}
