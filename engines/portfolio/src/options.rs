//! What a caller may choose about a check. Everything has a default that suits a first try.

use crate::{Answer, Row};
use ic3::FactUse;
use model::{Pattern, Stop};
use std::fmt;
use std::sync::Arc;

/// How to go about a check.
pub struct Options<'a> {
    /// The engine that searches, one of [`crate::engines`]. The default, `None`, is all that can help, taking turns;
    /// the first checked answer to each property counts.
    pub engine: Option<&'static Row>,
    /// Pattern matchers for the `dpllt` engine; default all that come with the tool. Your own go here too. With none of
    /// them it also searches nets and thread systems without the facts that hold of every run: the pure calculus.
    pub patterns: &'a [&'a dyn Pattern],
    /// For nets and thread systems: what `ic3.bits` and `ic3.ttscov` use facts about the net for; default everything.
    /// With no `patterns`, nothing.
    pub facts: FactUse,
    /// States per region of `dpllt`; 1 is the pure calculus, `None` (the default) adapts.
    pub batch: Option<usize>,
    /// For nets and thread systems: stay within so many tokens (threads); what lies beyond is cut off.
    pub bound: Option<u64>,
    /// For nets and thread systems: first drop what cannot matter; default yes. Not with `explore_all`, whose counts
    /// are those of the system as read.
    pub slice: bool,
    /// Seed of random walks and random orders; the same seed gives the same answer.
    pub seed: u64,
    /// Threads that may work at once on one system; explicit search uses more than one, and temporal search.
    pub jobs: usize,
    /// Complete the state space even when every property is settled, so that counts are those of the whole space.
    pub explore_all: bool,
    /// Where a violation was found, go on until a breadth-first search has shown a shortest run; default no. See
    /// [`Answer::shortest`].
    pub shortest: bool,
    /// Patterns whose lemmas are believed where the checker knows no rule for them; default none.
    pub trust: Vec<String>,
    /// Accept only what the checker's kernel confirms alone; default no. Other answers are `unknown (uncertified)`.
    pub kernel_only: bool,
    /// How much work the checker may do for one claim ([`certify::Options::max_steps`]); beyond, the answer is
    /// `unknown (uncertified)`.
    pub check_steps: u64,
    /// Ends the work from outside: time limit, memory limit, the user.
    pub stop: Arc<Stop>,
    /// Is told every answer the moment it is known; answers that rest on one claim come together.
    pub on_answers: &'a dyn Fn(&[Answer]),
    /// Is told which engine's turn begins.
    pub on_turn: &'a dyn Fn(&'static str),
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            engine: None,
            patterns: patterns::ALL,
            facts: FactUse::ALL,
            batch: None,
            bound: None,
            slice: true,
            seed: 0,
            jobs: 1,
            explore_all: false,
            shortest: false,
            trust: Vec::new(),
            kernel_only: false,
            check_steps: certify::Options::default().max_steps,
            stop: Arc::default(),
            on_answers: &|_| {},
            on_turn: &|_| {},
        }
    }
}

impl Options<'_> {
    /// The same for another engine, whose answers go to `on_answers`.
    pub(crate) fn with_engine<'b>(
        &'b self,
        engine: Option<&'static Row>,
        on_answers: &'b dyn Fn(&[Answer]),
    ) -> Options<'b> {
        Options {
            engine,
            patterns: self.patterns,
            facts: self.facts,
            batch: self.batch,
            bound: self.bound,
            slice: self.slice,
            seed: self.seed,
            jobs: self.jobs,
            explore_all: false,
            shortest: false,
            trust: self.trust.clone(),
            kernel_only: self.kernel_only,
            check_steps: self.check_steps,
            stop: Arc::clone(&self.stop),
            on_answers,
            on_turn: self.on_turn,
        }
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let patterns: Vec<&str> = self.patterns.iter().map(|p| p.name()).collect();
        f.debug_struct("Options")
            .field("engine", &self.engine)
            .field("patterns", &patterns)
            .field("facts", &self.facts)
            .field("batch", &self.batch)
            .field("bound", &self.bound)
            .field("slice", &self.slice)
            .field("seed", &self.seed)
            .field("explore_all", &self.explore_all)
            .field("shortest", &self.shortest)
            .field("trust", &self.trust)
            .field("kernel_only", &self.kernel_only)
            .field("check_steps", &self.check_steps)
            .finish_non_exhaustive()
    }
}
