//! Transitions that never fire, because linear bounds exclude the tokens that they need. For example, three units that
//! are given back to a pool were taken before, so the pool lacks three units. Without the transitions in which it does
//! not, the pool and the units that were taken add up to a constant. Such transitions test a place without changing
//! it: in the example, the state of the pool in which it ignores what is given back. No other transitions are looked
//! at.

use super::{AtomId, Feasibility, System};
use crate::invariants::Invariants;
use model::{AtMost, Budget};
use num_bigint::BigInt;
use num_traits::Signed;

/// Work units per call of the linear program. The budget is checked after each call.
const SLICE: u64 = 10_000;

/// Most work units of the whole search.
const MOST: u64 = 1 << 21;

/// The search for these transitions: a linear program for each of them, which can be interrupted and continued.
pub struct ExcludedTransitions {
    system: Option<System>,
    /// The transition that is looked at, and the inequalities that say what it needs.
    next: usize,
    asserted: Option<Vec<AtomId>>,
    spent: u64,
    /// The transitions found, ascending.
    pub transitions: Vec<u32>,
    /// The bounds, without negative weights.
    pub bounds: Vec<AtMost>,
}

impl ExcludedTransitions {
    /// Begins the search. `invariants` are about the net.
    #[must_use]
    pub fn new(invariants: &Invariants) -> Self {
        let system = System::new(invariants.rules(), invariants.whole());
        Self { system, next: 0, asserted: None, spent: 0, transitions: Vec::new(), bounds: Vec::new() }
    }

    /// Continues the search. Returns true if it has ended.
    pub fn run(&mut self, invariants: &Invariants, budget: &mut Budget) -> bool {
        let rules = invariants.rules();
        let Some(system) = &mut self.system else { return true };
        while self.next < rules.transitions() && self.spent < MOST {
            if !budget.spend(1) {
                return false;
            }
            let guards = rules.guards.row(self.next).iter().filter(|guard| guard.least > 0);
            let needs: Vec<(u32, u64)> = guards.map(|guard| (guard.place, guard.least)).collect();
            let changes = |place: u32| rules.changes.row(self.next).iter().any(|change| change.place == place);
            if needs.iter().all(|(place, _)| changes(*place)) {
                self.next += 1;
                continue;
            }
            if self.bounds.iter().any(|bound| excludes(bound, &needs)) {
                self.transitions.push(self.next as u32);
                self.next += 1;
                continue;
            }
            let atom = |(p, n): &(u32, u64)| system.atom(&[(*p, BigInt::from(1))], &BigInt::from(*n));
            let asserted = self.asserted.get_or_insert_with(|| needs.iter().map(atom).collect());
            let before = system.work();
            let answer = system.solve(asserted, budget.work.min(SLICE));
            self.spent += system.work() - before + 1;
            budget.spend(system.work() - before);
            if answer == Feasibility::More {
                continue;
            }
            if let Feasibility::Refuted(refutation) = answer {
                let checked = system.checked(refutation, rules, invariants.whole());
                let bound = checked.and_then(|refutation| refutation.bound).map(|(bound, _)| bound);
                if let Some(bound) = bound.filter(|bound| excludes(bound, &needs)) {
                    self.bounds.push(bound);
                    self.transitions.push(self.next as u32);
                }
            }
            self.asserted = None;
            self.next += 1;
        }
        true
    }
}

/// True if a bound has no negative weights, and no marking within it has these tokens.
fn excludes(bound: &AtMost, tokens: &[(u32, u64)]) -> bool {
    let weight = |place: u32| bound.terms.iter().find(|(p, _)| p.0 == place).map(|(_, weight)| weight);
    let sum: BigInt = tokens.iter().filter_map(|(p, n)| Some(weight(*p)? * n)).sum();
    bound.terms.iter().all(|(_, weight)| !weight.is_negative()) && sum > bound.at_most
}
