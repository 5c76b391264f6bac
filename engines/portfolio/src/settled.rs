//! Claims that need no search, as an engine, so that they are checked like any other: what a reduction could say by
//! itself, and what an engine cannot be asked.

use model::{Budget, Claim, Engine, Goal, Reason, Stats, Turn};

/// Hands over claims that are there already.
pub(crate) struct Settled {
    name: &'static str,
    claims: std::vec::IntoIter<Claim>,
}

impl Settled {
    /// In reports they are by `name`.
    pub(crate) fn new(name: &'static str, claims: Vec<Claim>) -> Self {
        Self { name, claims: claims.into_iter() }
    }

    /// What an engine cannot be asked.
    pub(crate) fn unsupported(goals: Vec<Goal>) -> Box<dyn Engine> {
        Box::new(Self::new("none", vec![Claim::Unknown { goals, reason: Reason::Unsupported }]))
    }
}

impl Engine for Settled {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, _budget: &mut Budget) -> Turn {
        self.claims.next().map_or(Turn::Done, Turn::Claims)
    }

    fn refused(&mut self, _goal: Goal) {
        debug_assert!(false, "these claims are no candidates");
    }

    fn stats(&self) -> Stats {
        Stats::default()
    }
}
