//! IC3 at bit level for nets: order literals made on demand, with or without a bound.
//!
//! Latches are order literals [place >= k], made when a cube names them: what a proof costs depends on the thresholds
//! that matter and not on how many tokens there are. A threshold is never capped; a bound is a matter of initial
//! markings and of a budget that rules draw on. Facts of every run serve as clauses, as ends of thresholds, and as
//! transitions left out.
//!
//! `thresholds` is the net as a circuit, `sums` and `goals` are what it takes to add and to ask, `known` the facts that
//! shorten it. `search` runs for one goal, under a bound as `bounded` has it; `vectors` looks whether what holds within
//! a bound holds without. Under a bound the answer is about the bound; what has been learnt stays when the next bound
//! comes (incremental checking as in Zhang et al. 2017), so that a range of bounds is one search.

mod bounded;
mod claims;
mod goals;
mod known;
mod search;
mod sums;
#[cfg(test)]
mod tests;
mod thresholds;
mod vectors;

use crate::bits::BitsStats;
use analysis::facts::Facts;
use bounded::Bounded;
use claims::Material;
pub use known::FactUse;
use model::{Bound, Budget, Claim, Engine, Formula, Goal, NetFact, NetTask, Slot, Stats, Turn};
use search::{Outcome, Search};
use std::sync::Arc;
use thresholds::Known;

/// Work units of a goal's first slice.
const SLICE: u64 = 20_000;

/// Knobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NetBitsOptions {
    /// What facts that hold of every run are used for. Default: everything.
    pub facts: FactUse,
    /// Under a bound: looks whether what was found holds without it. Default yes.
    pub unbounded: bool,
    /// Without a bound: goes through bounds by itself, from what the goals ask for upwards, until what holds within one
    /// holds without (Zhang et al. 2018); beside that, and with most of the time, the net as it is, from all initial
    /// markings. Default no.
    pub rising: bool,
}

impl Default for NetBitsOptions {
    fn default() -> Self {
        Self { facts: FactUse::ALL, unbounded: true, rising: false }
    }
}

/// IC3 on the bits of a net, for goals of any form whose sums are bounded. Without a bound it may never end.
pub struct Ic3Bits {
    task: NetTask,
    facts: Arc<Facts>,
    options: NetBitsOptions,
    /// The bound of the present question.
    bound: Option<Bound>,
    asked: Vec<Asked>,
    known: Option<(Known, Vec<NetFact>)>,
    /// The goal whose turn it is, and how often all have had theirs.
    current: usize,
    round: u32,
    /// The next bound comes by itself.
    rising: bool,
}

struct Asked {
    goal: Goal,
    formula: Arc<Formula>,
    state: State,
    /// Does the search know of the bound?
    is_set: bool,
    /// What a search that is over took.
    took: Vec<BitsStats>,
}

enum State {
    /// Nothing done yet.
    New,
    Open(Box<Search>),
    /// Answered for the present bound: what was learnt stays for the next one.
    Answered(Box<Search>),
    /// Answered, or given up, for good.
    Over,
}

impl Ic3Bits {
    /// `facts` are about the net of `task`, whose bound is the first one asked about.
    #[must_use]
    pub fn new(task: NetTask, facts: Arc<Facts>, options: NetBitsOptions) -> Self {
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
        Self { task, facts, options, bound, asked, known: None, current: 0, round: 0, rising }
    }

    /// Goes on to another bound (a larger one, if lemmas are to be worth something): all goals without final answer are
    /// asked again.
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

/// How a goal's slice ended.
enum Slice {
    More,
    Claim(Claim),
    Nothing,
}

impl Ic3Bits {
    /// The next goal that is open for the present bound.
    fn next(&mut self) -> Option<usize> {
        let is_open = |a: &Asked| matches!(a.state, State::New | State::Open(_));
        if let Some(next) = (self.current..self.asked.len()).find(|&g| is_open(&self.asked[g])) {
            return Some(next);
        }
        self.current = 0;
        self.round += 1;
        (0..self.asked.len()).find(|&g| is_open(&self.asked[g]))
    }

    /// With every goal answered for this bound: goes on to the next one, if bounds come by themselves.
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
        let rules = self.facts.rules();
        let asked = &mut self.asked[goal];
        if let State::New = asked.state {
            let bounded = self.bound.as_ref().map(|b| Bounded::new(&self.task, rules, &b.counted));
            let search = match bounded {
                Some(None) => None,
                Some(bounded @ Some(_)) => Search::new(rules, known, Formula::clone(&asked.formula), bounded),
                None => Search::new(rules, known, Formula::clone(&asked.formula), None),
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
                // No initial marking keeps to the bound: of none of its runs, anything holds.
                asked.answered();
                let goals = vec![asked.goal];
                return if self.rising { Slice::Nothing } else { Slice::Claim(claims::no_run(bound, said, goals)) };
            };
            if !std::mem::replace(&mut asked.is_set, true) {
                let left = bound.most - bounded.least;
                // Bounds that come by themselves are for the net with a budget; beside it the net as it is starts in
                // all ways at once. A start cut to the bound would teach that no two threads are anywhere, pair by
                // pair, and the next bound undo it.
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
                    facts: &self.facts,
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
                    facts: &self.facts,
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
        self.known = Some(known::known(&self.task, &self.facts, &wanted, self.options.facts, budget));
        if self.rising
            && let Some(bound) = &mut self.bound
        {
            let least = |(p, n): (&u64, &bool)| if *n { *p } else { 0 };
            let initial = self.facts.rules().initial.iter().zip(&bound.counted).map(least);
            bound.most = initial.fold(0, u64::saturating_add);
            let weights = self.asked.iter().filter_map(|a| analysis::targets::minimal(&a.formula, 1_000));
            let weight = weights.flatten().map(|cube| cube.iter().map(|e| e.1).fold(0, u64::saturating_add)).min();
            bound.most = bound.most.max(weight.unwrap_or(0));
        }
    }
}

impl Asked {
    /// Settled for good: of the search, only counts are kept.
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

    /// Nothing more to say under the present bound.
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
            NetBitsOptions { facts: FactUse::NONE, unbounded: false, .. } => "ic3.bounded",
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
        // Never called: these claims are no candidates.
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
