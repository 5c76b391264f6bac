//! Claims that need no search, presented as an engine so that they are checked like any other: goals that a
//! reduction settles by itself, and goals that an engine does not support.

use model::{Budget, Claim, Engine, Goal, Reason, Stats, Turn};

/// An engine that returns claims from a given list.
pub(crate) struct ReadyClaims {
    name: &'static str,
    claims: std::vec::IntoIter<Claim>,
    stats: Stats,
}

impl ReadyClaims {
    /// Creates the engine. Reports call it `name`.
    pub(crate) fn new(name: &'static str, claims: Vec<Claim>) -> Self {
        Self { name, claims: claims.into_iter(), stats: Stats::default() }
    }

    /// Creates a stand-in for an engine that is no longer needed, with its name and counts, which reports need. The
    /// memory of the engine is then free for the others.
    pub(crate) fn retired(engine: &dyn Engine) -> Self {
        Self { stats: engine.stats(), ..Self::new(engine.name(), Vec::new()) }
    }

    /// Creates an engine that answers these goals as unsupported.
    pub(crate) fn unsupported(goals: Vec<Goal>) -> Box<dyn Engine> {
        Box::new(Self::new("none", vec![Claim::Unknown { goals, reason: Reason::Unsupported }]))
    }
}

impl Engine for ReadyClaims {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, _budget: &mut Budget) -> Turn {
        self.claims.next().map_or(Turn::Done, Turn::Claims)
    }

    fn refused(&mut self, _goal: Goal) {}

    fn stats(&self) -> Stats {
        self.stats.clone()
    }
}
