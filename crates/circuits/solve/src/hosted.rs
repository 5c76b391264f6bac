//! An engine for outputs of plain circuits that decides goals of another circuit, by a translation ([`Translate`]).
//!
//! The engine works on a translated circuit. What it claims about the outputs there is lifted to the goals. A claim may
//! say nothing about them: then the circuit is translated anew, more exactly, with a new engine.

use crate::correspondence::Host;
use crate::formula::NODES_PER_UNIT;
use model::{Budget, CircuitTask, Claim, Engine, Goal, Stats, Turn};

/// Bytes that a hosted engine needs for each node, as an estimate.
const BYTES_PER_NODE: u64 = 100;

/// What a claim about the translated circuit says about the goals.
#[derive(Debug)]
pub enum Lifted {
    /// This claim.
    Claim(Claim),
    /// Nothing, but the next translation may say more.
    Next,
    /// Nothing, and there is no further translation.
    Nothing,
}

/// Translations of a circuit, and of what is claimed about them.
pub trait Translate {
    /// The goals. If there are several, those of the translated circuit are the same.
    fn goals(&self) -> Vec<Goal>;

    /// An upper bound of the nodes of the translated circuit.
    fn nodes(&self) -> u64;

    /// Translates, and returns the translated circuit with its outputs.
    fn translate(&mut self) -> CircuitTask;

    /// Lifts a claim about the circuit that was translated last. The work is charged to the budget.
    fn lift(&mut self, claim: Claim, budget: &mut Budget) -> Lifted;

    /// Adds what was translated to the statistics.
    fn describe(&self, stats: &mut Stats);
}

/// Decides goals by an engine on a translated circuit.
pub struct Hosted<'a, T> {
    name: &'static str,
    translation: T,
    host: Host<'a>,
    /// The engine that works on the translated circuit.
    engine: Option<Box<dyn Engine + 'a>>,
    /// Goals that are not settled, ascending.
    open: Vec<Goal>,
    /// What the last engine had done when all goals were settled.
    done: Stats,
}

impl<'a, T: Translate> Hosted<'a, T> {
    /// Hosts the engines that `host` creates.
    #[must_use]
    pub fn new(name: &'static str, translation: T, host: Host<'a>) -> Self {
        let mut open = translation.goals();
        open.sort_unstable();
        Self { name, translation, host, engine: None, open, done: Stats::default() }
    }

    /// Returns the hosted engine. `None` if the memory limit does not allow its creation.
    fn engine(&mut self, budget: &mut Budget) -> Option<&mut Box<dyn Engine + 'a>> {
        if self.engine.is_none() {
            let nodes = self.translation.nodes();
            let bytes = usize::try_from(nodes.saturating_mul(BYTES_PER_NODE)).unwrap_or(usize::MAX);
            if !budget.stop.may_allocate(bytes) {
                return None;
            }
            budget.spend(nodes / NODES_PER_UNIT);
            let mut engine = (self.host)(&self.translation.translate());
            if self.open.len() < self.translation.goals().len() {
                let mut settled = self.translation.goals();
                settled.retain(|goal| self.open.binary_search(goal).is_err());
                settled.sort_unstable();
                engine.settled(&settled);
            }
            self.engine = Some(engine);
        }
        self.engine.as_mut()
    }

    fn forget(&mut self, goals: &[Goal]) {
        self.open.retain(|goal| !goals.contains(goal));
        if self.open.is_empty()
            && let Some(engine) = self.engine.take()
        {
            self.done = engine.stats();
        }
    }
}

impl<T: Translate + Send> Engine for Hosted<'_, T> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        while !self.open.is_empty() {
            let Some(engine) = self.engine(budget) else { return Turn::More };
            match engine.run(budget) {
                Turn::Claims(claim) => match self.translation.lift(claim, budget) {
                    Lifted::Claim(claim) => {
                        self.forget(claim.goals());
                        return Turn::Claims(claim);
                    }
                    Lifted::Next => self.engine = None,
                    Lifted::Nothing => self.forget(&self.translation.goals()),
                },
                turn => return turn,
            }
            if budget.work == 0 || budget.stop.raised().is_some() {
                return Turn::More;
            }
        }
        Turn::Done
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called: engines for outputs make no claim with `candidate: true`.
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.forget(goals);
        if self.translation.goals().len() > 1
            && let Some(engine) = &mut self.engine
        {
            engine.settled(goals);
        }
    }

    fn stats(&self) -> Stats {
        let mut stats = self.engine.as_ref().map_or_else(|| self.done.clone(), |engine| engine.stats());
        self.translation.describe(&mut stats);
        stats
    }
}
