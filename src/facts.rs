//! Covering goals that facts about the net exclude by themselves, settled before anybody searches: places that are never
//! marked together, and linear bounds grown from the goal's markings.

use model::{
    AtMost, Budget, Certificate, Claim, Engine, Exclusion, Goal, Invariant, NetFact, NetTask, PlaceId, Stats, Turn,
};
use num_bigint::BigInt;
use reduce::facts::Facts;
use reduce::targets::{self, Cube};
use std::sync::Arc;

/// Minimal markings of a goal looked at; with more, others decide.
const MINIMAL: usize = 20_000;

/// Goals claimed together: one certificate for all of them is checked once.
const TOGETHER: usize = 4_096;

/// Asks the facts about every covering goal.
pub(crate) struct ByFacts {
    task: NetTask,
    facts: Arc<Facts>,
    bounds: bool,
    /// Goals to look at, those to come first last.
    open: Vec<Goal>,
    /// Goals that pairs do not exclude: bounds are dearer, and are tried when all have been looked at.
    left: Vec<Goal>,
    /// Which facts are tried on the open ones.
    pass: Pass,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Pairs,
    Bounds,
}

impl ByFacts {
    /// With pairs, and with linear bounds if `bounds`.
    pub(crate) fn new(task: NetTask, facts: Arc<Facts>, bounds: bool) -> Self {
        let open = task.goals.iter().rev().copied().collect();
        Self { task, facts, bounds, open, left: Vec::new(), pass: Pass::Pairs }
    }

    /// Is a cube excluded? Adds the bound that excludes it, if there is no fact yet.
    fn excluded(&self, cube: &Cube, found: &mut Vec<AtMost>, budget: &mut Budget) -> bool {
        if self.facts.never_together(cube, budget) || found.iter().any(|bound| exceeds(cube, bound)) {
            return true;
        }
        if self.pass == Pass::Pairs {
            return false;
        }
        let bound = self.facts.grow(cube, budget);
        let is_new = bound.is_some();
        found.extend(bound);
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
        self.open.retain(|goal| !goals.contains(goal));
        self.left.retain(|goal| !goals.contains(goal));
    }

    fn name(&self) -> &'static str {
        if self.bounds { "facts" } else { "pairs" }
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        let facts = Arc::clone(&self.facts);
        let pairs = facts.pairs(budget);
        let (mut goals, mut bounds): (Vec<Goal>, Vec<AtMost>) = (Vec::new(), Vec::new());
        while goals.len() < TOGETHER {
            if budget.stop.raised().is_some() || (budget.work == 0 && goals.is_empty()) {
                return Turn::More;
            }
            if budget.work == 0 {
                break;
            }
            let Some(goal) = self.open.pop() else {
                if self.pass == Pass::Bounds || !self.bounds {
                    break;
                }
                self.pass = Pass::Bounds;
                self.open = std::mem::take(&mut self.left);
                self.open.reverse();
                continue;
            };
            let Some(cubes) = self.task.formula(goal).and_then(|f| targets::minimal(f, MINIMAL)) else { continue };
            budget.spend(1 + cubes.len() as u64 / 16);
            let known = bounds.len();
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
        let mut known = vec![facts.markable()];
        known.extend(pairs.cloned().map(NetFact::Pairs));
        known.extend(bounds.into_iter().map(NetFact::AtMost));
        let certificate = Certificate::Invariant(Box::new(Invariant { facts: known, exclusions }));
        Turn::Claims(Claim::Safe { goals, certificate })
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called: these claims are no candidates.
    }

    fn stats(&self) -> Stats {
        Stats::default()
    }
}
