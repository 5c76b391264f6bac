//! Goals that need places together that are never marked together: settled before anybody searches.

use model::{Budget, Certificate, Claim, Engine, Exclusion, Goal, Invariant, NetFact, NetTask, Stats, Turn};
use num_bigint::BigUint;
use reduce::facts::Facts;
use reduce::targets;
use std::sync::Arc;

/// Minimal markings of a goal looked at; with more, others decide.
const MINIMAL: usize = 20_000;

/// Asks the pair relation about every covering goal, once.
pub(crate) struct ByPairs {
    task: NetTask,
    facts: Arc<Facts>,
    done: bool,
}

impl ByPairs {
    pub(crate) fn new(task: NetTask, facts: Arc<Facts>) -> Self {
        Self { task, facts, done: false }
    }

    fn excluded(&self, pairs: &model::Pairs) -> Vec<Goal> {
        let excludes = |goal: &&Goal| {
            let Some(cubes) = self.task.formula(**goal).and_then(|f| targets::minimal(f, MINIMAL)) else {
                return false;
            };
            let vector = |cube: &targets::Cube| {
                cube.iter().map(|&(p, n)| (model::PlaceId(p), BigUint::from(n))).collect::<model::Vector>()
            };
            cubes.iter().all(|cube| !pairs.allow_vector(&vector(cube)))
        };
        self.task.goals.iter().filter(excludes).copied().collect()
    }
}

impl Engine for ByPairs {
    fn name(&self) -> &'static str {
        "pairs"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if std::mem::replace(&mut self.done, true) {
            return Turn::Done;
        }
        let facts = Arc::clone(&self.facts);
        let Some(pairs) = facts.pairs(budget) else { return Turn::Done };
        let goals = self.excluded(pairs);
        if goals.is_empty() {
            return Turn::Done;
        }
        let exclusions = goals.iter().map(|goal| (*goal, Exclusion::Minimal)).collect();
        let facts = vec![facts.markable(), NetFact::Pairs(pairs.clone())];
        let certificate = Certificate::Invariant(Box::new(Invariant { facts, exclusions }));
        Turn::Claims(Claim::Safe { goals, certificate })
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called: these claims are no candidates.
    }

    fn stats(&self) -> Stats {
        Stats::default()
    }
}
