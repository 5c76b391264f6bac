//! Claims that a reduction could make by itself, as an engine, so that they are checked like any other.

use model::{Budget, Claim, Engine, Goal, Stats, Turn};

/// Hands over claims that are there already.
pub(crate) struct Settled {
    claims: std::vec::IntoIter<Claim>,
}

impl Settled {
    pub(crate) fn new(claims: Vec<Claim>) -> Self {
        Self { claims: claims.into_iter() }
    }
}

impl Engine for Settled {
    fn name(&self) -> &'static str {
        "slice"
    }

    fn run(&mut self, _budget: &mut Budget) -> Turn {
        self.claims.next().map_or(Turn::Done, Turn::Claims)
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called: these claims are no candidates.
    }

    fn stats(&self) -> Stats {
        Stats::default()
    }
}
