//! Goals that need places together that are never marked together: settled before anybody searches.

use model::{Budget, Certificate, Claim, Engine, Exclusion, Goal, Invariant, NetFact, NetTask, Stats, Turn};
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

    fn excluded(&self, budget: &mut Budget) -> Vec<Goal> {
        let minimal = |goal| self.task.formula(goal).and_then(|f| targets::minimal(f, MINIMAL));
        let mut never = |cube: &targets::Cube| self.facts.never_together(cube, budget);
        let mut excludes = |goal: &Goal| minimal(*goal).is_some_and(|cubes| cubes.iter().all(&mut never));
        self.task.goals.iter().copied().filter(|goal| excludes(goal)).collect()
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
        let goals = self.excluded(budget);
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
