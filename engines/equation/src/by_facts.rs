//! Covering goals that facts about the net exclude by themselves, settled before any search: places that are never
//! marked together, and linear bounds grown from the goal's markings.

use analysis::facts::Facts;
use analysis::targets::{self, Cube};
use model::{
    AtMost, Budget, Certificate, Claim, Engine, Exclusion, Formula, Goal, Invariant, NetFact, NetTask, PlaceId, Stats,
    Turn,
};
use num_bigint::BigInt;
use std::collections::HashMap;
use std::sync::Arc;

/// Minimal markings of a goal looked at, if its formula does not list more; with more, others decide.
const MINIMAL: usize = 20_000;

/// Goals claimed together: one certificate for all of them is checked once.
const TOGETHER: usize = 1 << 16;

/// Units of work for each place, transition and goal.
const ROOM: u64 = 16;

/// With more places than this, pairs of places come after what grows with the net.
const FEW_PLACES: usize = 2_048;

/// Asks the facts about every covering goal.
pub struct ByFacts {
    task: NetTask,
    facts: Arc<Facts>,
    bounds: bool,
    /// Goals to look at, those to come first last.
    open: Vec<Goal>,
    /// Goals that the first kind of facts does not exclude: the others are tried when all have been looked at.
    left: Vec<Goal>,
    /// Are both kinds tried by now?
    second: bool,
    /// Work that the first pass may do at once, in proportion to the net: what it settles, others need not look at.
    room: u64,
    /// Are pairs tried in the first pass? They are cheap for each goal, and quadratic in the net.
    pairs_first: bool,
}

/// Bounds found for the goals of one claim.
#[derive(Default)]
struct Found {
    bounds: Vec<AtMost>,
    /// By place the bounds that give it a weight: a bound excludes nothing that has no such place.
    by_place: HashMap<PlaceId, Vec<usize>>,
}

impl Found {
    fn push(&mut self, bound: AtMost) {
        for (place, _) in &bound.terms {
            self.by_place.entry(*place).or_default().push(self.bounds.len());
        }
        self.bounds.push(bound);
    }

    fn truncate(&mut self, len: usize) {
        while self.bounds.len() > len {
            let bound = self.bounds.pop().expect("more than so many");
            for (place, _) in bound.terms {
                self.by_place.get_mut(&place).expect("noted when it came").pop();
            }
        }
    }

    fn exclude(&self, cube: &Cube) -> bool {
        let mut about = cube.iter().filter_map(|(p, _)| self.by_place.get(&PlaceId(*p))).flatten();
        about.any(|&i| exceeds(cube, &self.bounds[i]))
    }
}

impl ByFacts {
    /// With pairs, and with linear bounds if `bounds`.
    #[must_use]
    pub fn new(task: NetTask, facts: Arc<Facts>, bounds: bool) -> Self {
        let open = task.goals.iter().rev().copied().collect();
        let pairs_first = !bounds || facts.rules().places() <= FEW_PLACES;
        let room = ROOM * (task.net.places().len() + task.net.transitions().len() + task.goals.len()) as u64;
        Self { task, facts, bounds, open, left: Vec::new(), second: false, room, pairs_first }
    }

    /// Is a cube excluded? Adds the bound that excludes it, if there is no fact yet.
    fn excluded(&self, cube: &Cube, found: &mut Found, budget: &mut Budget) -> bool {
        let pairs = self.second || self.pairs_first;
        if found.exclude(cube) || (pairs && self.facts.never_together(cube, budget)) {
            return true;
        }
        if !self.second && self.pairs_first {
            return false;
        }
        let bound = self.facts.grow(cube, budget);
        let is_new = bound.is_some();
        bound.into_iter().for_each(|bound| found.push(bound));
        is_new
    }
}

/// Is the weighted sum of the cube beyond the bound (whose weights are positive)?
fn exceeds(cube: &Cube, bound: &AtMost) -> bool {
    let weight = |p: u32| bound.terms.binary_search_by_key(&PlaceId(p), |t| t.0).ok().map(|i| &bound.terms[i].1);
    let sum: BigInt = cube.iter().filter_map(|&(p, n)| Some(weight(p)? * n)).sum();
    sum > bound.at_most
}

impl Engine for ByFacts {
    fn settled(&mut self, goals: &[Goal]) {
        self.open.retain(|goal| goals.binary_search(goal).is_err());
        self.left.retain(|goal| goals.binary_search(goal).is_err());
    }

    fn name(&self) -> &'static str {
        if self.bounds { "facts" } else { "pairs" }
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        let allowed = budget.work.max(self.room);
        let mut own = Budget::new(allowed, Arc::clone(&budget.stop));
        let turn = self.pass(&mut own);
        let spent = own.spent_of(allowed);
        self.room = self.room.saturating_sub(spent);
        budget.spend(spent);
        turn
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called: these claims are no candidates.
    }

    fn stats(&self) -> Stats {
        Stats::default()
    }
}

impl ByFacts {
    fn pass(&mut self, budget: &mut Budget) -> Turn {
        let (mut goals, mut bounds) = (Vec::new(), Found::default());
        while goals.len() < TOGETHER {
            if budget.stop.raised().is_some() || (budget.work == 0 && goals.is_empty()) {
                return Turn::More;
            }
            if budget.work == 0 {
                break;
            }
            let Some(goal) = self.open.pop() else {
                if self.second || !self.bounds {
                    break;
                }
                self.second = true;
                self.open = std::mem::take(&mut self.left);
                self.open.reverse();
                continue;
            };
            let cubes = |f: &Formula| targets::minimal(f, MINIMAL.max(f.nodes().len()));
            let Some(cubes) = self.task.formula(goal).and_then(|f| cubes(f)) else { continue };
            budget.spend(1 + cubes.len() as u64 / 16);
            let known = bounds.bounds.len();
            if cubes.iter().all(|cube| self.excluded(cube, &mut bounds, budget)) {
                goals.push(goal);
            } else {
                bounds.truncate(known);
                self.left.push(goal);
            }
        }
        if goals.is_empty() {
            return if self.open.is_empty() { Turn::Done } else { Turn::More };
        }
        let exclusions = goals.iter().map(|goal| (*goal, Exclusion::Minimal)).collect();
        let mut known = vec![self.facts.markable()];
        if self.second || self.pairs_first {
            known.extend(self.facts.known_pairs().cloned().map(NetFact::Pairs));
        }
        known.extend(bounds.bounds.into_iter().map(NetFact::AtMost));
        let certificate = Certificate::Invariant(Box::new(Invariant { facts: known, exclusions }));
        Turn::Claims(Claim::Safe { goals, certificate })
    }
}
