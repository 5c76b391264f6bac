//! An engine that is made when its first turn comes: what others decide before that costs it nothing.

use model::{Budget, Engine, Goal, Stats, Turn};

/// Makes the engine, if there is one for the problem.
type Make = Box<dyn FnOnce() -> Option<Box<dyn Engine>>>;

/// An engine to be made.
pub(crate) struct Later {
    name: &'static str,
    make: Option<Make>,
    engine: Option<Box<dyn Engine>>,
    /// What was settled before there was an engine.
    settled: Vec<Goal>,
}

impl Later {
    /// `name` is the engine's. Where `make` finds that there is none, it ends without a claim.
    pub(crate) fn new(name: &'static str, make: Make) -> Self {
        Self { name, make: Some(make), engine: None, settled: Vec::new() }
    }
}

impl Engine for Later {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if let Some(make) = self.make.take() {
            self.engine = make();
            if let Some(engine) = &mut self.engine {
                self.settled.sort_unstable();
                engine.settled(&self.settled);
            }
        }
        self.engine.as_mut().map_or(Turn::Done, |engine| engine.run(budget))
    }

    fn refused(&mut self, goal: Goal) {
        if let Some(engine) = &mut self.engine {
            engine.refused(goal);
        }
    }

    fn settled(&mut self, goals: &[Goal]) {
        match &mut self.engine {
            Some(engine) => engine.settled(goals),
            None => self.settled.extend(goals),
        }
    }

    fn claims_shortest(&self, goal: Goal) -> bool {
        self.engine.as_ref().is_some_and(|engine| engine.claims_shortest(goal))
    }

    fn stats(&self) -> Stats {
        self.engine.as_ref().map_or_else(Stats::default, |engine| engine.stats())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settled::Settled;
    use model::{Claim, Reason, Stop};
    use std::sync::Arc;

    #[test]
    fn the_engine_is_made_in_its_first_turn() {
        let claim = Claim::Unknown { goals: vec![Goal::Bad], reason: Reason::GaveUp };
        let mut later = Later::new("x", Box::new(|| Some(Box::new(Settled::new("slice", vec![claim])))));
        let mut budget = Budget::unlimited(Arc::new(Stop::default()));
        assert!(later.engine.is_none());
        assert!(matches!(later.run(&mut budget), Turn::Claims(Claim::Unknown { .. })));
        assert!(matches!(later.run(&mut budget), Turn::Done));
    }

    #[test]
    fn where_there_is_none_it_ends() {
        let mut later = Later::new("x", Box::new(|| None));
        assert!(matches!(later.run(&mut Budget::unlimited(Arc::new(Stop::default()))), Turn::Done));
    }
}
