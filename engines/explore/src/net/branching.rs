//! Formulas of computation tree logic about the markings of a net or thread-transition system
//! ([`model::ctl`]).
//!
//! The markings are visited breadth first. Each time that their number has doubled, the open formulas are evaluated on
//! the part that is known ([`super::labels`]): a subformula is true, false, or unknown in a marking. So many formulas
//! are decided long before all markings are known, as in local model checking with dependency graphs (Liu and Smolka,
//! "Simple linear-time algorithms for minimal fixed points", ICALP 1998), although simpler: a part is evaluated as a
//! whole. If all markings are known, every formula is decided.
//!
//! The evidence is the part itself, on which the checker evaluates the formulas again.

use super::graph::Graph;
use super::instances::Instances;
use super::labels::{Labels, Part};
use model::{
    BranchingEvidence, Budget, Chains, Claim, Ctl, Engine, FormulaId, Goal, Markings, NetTask, Parts, Reason, Stats,
    Turn,
};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use temporal::demand::Stuck;

/// Number of markings of the first part, and the factor by which each part is larger than the part before.
const FIRST_PART: usize = 1 << 8;
const GROWTH: usize = 2;
/// Markings that are expanded between two looks at the budget.
const BATCH: usize = 64;
/// Evaluating a subformula in this many markings costs a unit of work.
const LABELS_PER_UNIT: u64 = 16;

/// Formulas over places with the same truth in all reachable markings, as other engines have found. Shared by engines.
#[derive(Default, Debug)]
pub struct Constants(RwLock<HashMap<FormulaId, bool>>);

impl Constants {
    /// Adds a formula with its truth in all reachable markings.
    pub fn add(&self, formula: FormulaId, value: bool) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(formula, value);
    }

    /// Returns the truth of a formula, if it is known to be the same in all reachable markings.
    #[must_use]
    pub fn get(&self, formula: FormulaId) -> Option<bool> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&formula).copied()
    }
}

/// Returns an engine for formulas of computation tree logic about a net or thread-transition system. Their letters are
/// formulas of the task. The goals of the task are ignored.
#[must_use]
pub fn net_branching(
    (task, chains): (NetTask, Option<Chains>),
    asked: Vec<(Goal, Arc<Ctl>)>,
    constants: Arc<Constants>,
) -> Box<dyn Engine> {
    let (chains, all) = (chains.map(Arc::new), asked.iter().map(|(goal, _)| *goal).collect());
    Instances::of(task, all, move |task, goals| {
        let asked = asked.iter().filter(|(goal, _)| goals.contains(goal)).cloned().collect();
        NetBranching::new((task, chains.clone()), asked, Arc::clone(&constants))
    })
}

/// The engine for formulas of computation tree logic.
struct NetBranching {
    task: Arc<NetTask>,
    chains: Option<Arc<Chains>>,
    /// The goals without an answer.
    open: Vec<(Goal, Arc<Ctl>)>,
    constants: Arc<Constants>,
    graph: Option<Graph>,
    /// Number of markings that are expanded.
    expanded: usize,
    /// The formulas are evaluated when this many markings are expanded.
    part: usize,
    labels: Labels,
    claims: VecDeque<Claim>,
    stats: Stats,
}

impl fmt::Debug for NetBranching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetBranching").field("open", &self.open.len()).finish_non_exhaustive()
    }
}

impl NetBranching {
    fn new(
        (task, chains): (NetTask, Option<Arc<Chains>>),
        goals: Vec<(Goal, Arc<Ctl>)>,
        constants: Arc<Constants>,
    ) -> Self {
        Self {
            task: Arc::new(task),
            chains,
            open: goals,
            constants,
            graph: None,
            expanded: 0,
            part: FIRST_PART,
            labels: Labels::default(),
            claims: VecDeque::new(),
            stats: Stats::default(),
        }
    }

    fn give_up(&mut self, reason: Reason) {
        self.graph = None;
        let goals: Vec<Goal> = self.open.drain(..).map(|(goal, _)| goal).collect();
        if !goals.is_empty() {
            self.claims.push_back(Claim::Unknown { goals, reason });
        }
    }

    /// Expands some markings, and evaluates the formulas if the part is complete. Returns false if the stop flag is
    /// raised.
    fn work(&mut self, budget: &mut Budget) -> bool {
        if self.graph.is_none() {
            match Graph::new(&self.task, self.chains.as_ref(), Arc::clone(&budget.stop)) {
                Ok(graph) => self.graph = Some(graph),
                Err(reason) => self.give_up(reason),
            }
        }
        let Some(graph) = &mut self.graph else { return true };
        graph.stop = Arc::clone(&budget.stop);
        let known = graph.space.len();
        if self.expanded < known.min(self.part) {
            let before = graph.space.transitions();
            for _ in 0..BATCH.min(known.min(self.part) - self.expanded) {
                match graph.expand(self.expanded as u32) {
                    Ok(()) => self.expanded += 1,
                    Err(Stuck::Stop) => return false,
                    Err(Stuck::Overflow) => {
                        self.give_up(Reason::Overflow);
                        return true;
                    }
                    Err(_) => {
                        self.give_up(Reason::Memory);
                        return true;
                    }
                }
            }
            self.stats.states = graph.space.len() as u64;
            self.stats.transitions = graph.space.transitions();
            budget.stop.report_states(self.stats.states);
            budget.spend(BATCH as u64 + (graph.space.transitions() - before) / 4);
            return true;
        }
        let is_complete = self.expanded == known;
        self.evaluate(is_complete, budget);
        self.part = self.part.saturating_mul(GROWTH);
        true
    }

    /// Evaluates the open formulas on the part that is known, and claims those that are decided.
    fn evaluate(&mut self, is_complete: bool, budget: &mut Budget) {
        let Some(graph) = &self.graph else { return };
        let known = graph.space.len();
        let edges = usize::try_from(graph.space.transitions()).unwrap_or(usize::MAX);
        if !budget.stop.has_room(edges.saturating_mul(4).saturating_add(known.saturating_mul(48))) {
            return self.give_up(Reason::Memory);
        }
        let part = Part::new(graph, self.expanded);
        let mut decided: [Vec<Goal>; 2] = Default::default();
        for (goal, formula) in std::mem::take(&mut self.open) {
            if budget.stop.raised().is_some() {
                self.open.push((goal, formula));
                continue;
            }
            let simple = formula.with(|letter| self.constants.get(letter));
            let answer = self.labels.decide(&simple, &part);
            budget.spend(1 + known as u64 * simple.nodes().len() as u64 / LABELS_PER_UNIT);
            debug_assert!(!is_complete || answer.is_some(), "a complete graph decides every formula");
            match answer {
                Some(holds) => decided[usize::from(holds)].push(goal),
                None => self.open.push((goal, formula)),
            }
        }
        if decided.iter().all(Vec::is_empty) {
            if is_complete {
                self.give_up(Reason::GaveUp);
            }
            return;
        }
        let states: Vec<u32> = (0..known as u32).collect();
        let markings: Arc<Markings> = Arc::new(graph.markings(&states, &self.task));
        for (goals, holds) in decided.into_iter().zip([false, true]).filter(|(goals, _)| !goals.is_empty()) {
            let evidence = BranchingEvidence { never: Parts::default(), markings: Some(Arc::clone(&markings)) };
            self.claims.push_back(Claim::Branching { goals, holds, evidence });
        }
    }
}

impl Engine for NetBranching {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            if let Some(claim) = self.claims.pop_front() {
                return Turn::Claims(claim);
            }
            if self.open.is_empty() {
                self.graph = None;
                return Turn::Done;
            }
            if budget.work == 0 || budget.stop.raised().is_some() || !self.work(budget) {
                return Turn::More;
            }
        }
    }

    fn refused(&mut self, _goal: Goal) {
        debug_assert!(false, "no claim is a guess");
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.open.retain(|(goal, _)| !goals.contains(goal));
    }

    fn stats(&self) -> Stats {
        self.stats.clone()
    }
}
