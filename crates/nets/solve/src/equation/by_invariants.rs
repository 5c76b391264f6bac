//! Covering goals that invariants of the net exclude by themselves, settled before any search. The invariants
//! are the concurrency relation (pairs of places that may be marked together) and linear bounds grown from the
//! goal's markings.

use crate::invariants::Invariants;
use crate::targets::{self, Cube};
use model::{
    AtMost, Budget, Certificate, Claim, Engine, Exclusion, Formula, Goal, InvariantCertificate, NetInvariant, NetTask,
    PlaceId, Stats, Turn,
};
use num_bigint::BigInt;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximal number of minimal markings of a goal, unless its formula has more nodes. Goals with more are left to
/// other engines.
const MINIMAL: usize = 20_000;

/// Maximal number of goals in a claim. One certificate for all of them is checked once.
const TOGETHER: usize = 1 << 16;

/// Work units for each place, transition and goal.
const ROOM: u64 = 16;

/// With more places than this, the concurrency relation is tried after the linear bounds, because its size is
/// quadratic in the number of places.
const FEW_PLACES: usize = 2_048;

/// The engine that tries invariants on every covering goal.
pub struct ByInvariants {
    task: NetTask,
    invariants: Arc<Invariants>,
    bounds: bool,
    /// Goals to be processed, the next one last.
    open: Vec<Goal>,
    /// Goals that the first kind of invariant does not exclude. The second kind is tried after all goals have
    /// been processed.
    left: Vec<Goal>,
    /// True in the second pass, in which both kinds of invariant are used.
    second: bool,
    /// Work units that a turn may spend beyond its budget, proportional to the size of the net. Goals settled
    /// early save other engines work.
    room: u64,
    /// True if the first pass uses the concurrency relation. It is cheap for each goal, but quadratic in the
    /// net.
    pairs_first: bool,
}

/// The bounds for the goals of one claim.
#[derive(Default)]
struct Found {
    bounds: Vec<AtMost>,
    /// For each place, the bounds with a weight for it. A bound can exclude a marking only if the marking has
    /// such a place.
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

impl ByInvariants {
    /// Makes the engine with the concurrency relation, and also with linear bounds if `bounds`.
    #[must_use]
    pub fn new(task: NetTask, invariants: Arc<Invariants>, bounds: bool) -> Self {
        let open = task.goals.iter().rev().copied().collect();
        let pairs_first = !bounds || invariants.rules().places() <= FEW_PLACES;
        let room = ROOM * (task.net.places().len() + task.net.transitions().len() + task.goals.len()) as u64;
        Self { task, invariants, bounds, open, left: Vec::new(), second: false, room, pairs_first }
    }

    /// True if a cube is excluded. If no known invariant excludes it, looks for a new bound that does, and adds
    /// it.
    fn excluded(&self, cube: &Cube, found: &mut Found, budget: &mut Budget) -> bool {
        let pairs = self.second || self.pairs_first;
        if found.exclude(cube) || (pairs && self.invariants.never_together(cube, budget)) {
            return true;
        }
        if !self.second && self.pairs_first {
            return false;
        }
        let bound = self.invariants.grow(cube, budget);
        let is_new = bound.is_some();
        bound.into_iter().for_each(|bound| found.push(bound));
        is_new
    }
}

/// True if the weighted sum of the cube is above the bound. The weights are positive.
fn exceeds(cube: &Cube, bound: &AtMost) -> bool {
    let weight = |p: u32| bound.terms.binary_search_by_key(&PlaceId(p), |t| t.0).ok().map(|i| &bound.terms[i].1);
    let sum: BigInt = cube.iter().filter_map(|&(p, n)| Some(weight(p)? * n)).sum();
    sum > bound.at_most
}

impl Engine for ByInvariants {
    fn settled(&mut self, goals: &[Goal]) {
        self.open.retain(|goal| goals.binary_search(goal).is_err());
        self.left.retain(|goal| goals.binary_search(goal).is_err());
    }

    fn name(&self) -> &'static str {
        if self.bounds { "invariants" } else { "concurrency" }
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
        // Never called, because this engine makes no claim with `candidate: true`.
    }

    fn stats(&self) -> Stats {
        Stats::default()
    }
}

impl ByInvariants {
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
        let mut known = vec![self.invariants.potentially_marked()];
        if self.second || self.pairs_first {
            known.extend(self.invariants.known_pairs().cloned().map(NetInvariant::ConcurrencyRelation));
        }
        known.extend(bounds.bounds.into_iter().map(NetInvariant::AtMost));
        let certificate = Certificate::Invariant(Box::new(InvariantCertificate { invariants: known, exclusions }));
        Turn::Claims(Claim::Safe { goals, certificate })
    }
}
