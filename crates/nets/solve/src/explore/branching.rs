//! Formulas of computation tree logic about the markings of a net or thread-transition system
//! ([`model::ctl`]).
//!
//! Two procedures work in turns on the same graph.
//! * One decides the formulas one by one, and visits only markings that they depend on ([`super::local`]).
//! * The other one decides them together. Markings are visited in the order of [`super::order`]. Each time that their
//!   number has doubled, the open formulas are evaluated on the part that is known ([`super::labels`]): a subformula is
//!   true, false, or unknown in a marking. If all markings are known, every formula is decided.
//!
//! The evidence is the part itself, on which the checker evaluates the formulas again.

use super::graph::Graph;
use super::instances::Instances;
use super::labels::{Labels, Part};
use super::local::Local;
use super::order::{BATCH, Order};
use super::siphons::Empty;
use model::{
    BranchingEvidence, Budget, Chains, Claim, Ctl, Engine, FormulaId, Goal, NetTask, PlaceId, Reason, Slot, Stats, Turn,
};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use temporal::demand::Stuck;

/// Number of markings of the first part, and the factor by which each part is larger than the part before.
const FIRST_PART: usize = 1 << 8;
const GROWTH: usize = 2;
/// Work of the first turn of a formula that is decided on its own, and the factor by which turns grow.
const FIRST_TURN: u64 = 256;
const TURN_GROWTH: u64 = 4;
/// The most siphons that are used.
const MOST_SIPHONS: usize = 8;
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

/// A goal without an answer.
struct Asked {
    goal: Goal,
    formula: Arc<Ctl>,
    /// `None` before its first turn.
    local: Option<Box<Local>>,
}

impl Asked {
    /// Takes the computation of the formula. If more letters have become constants at the beginning of a turn, it
    /// begins again.
    fn take(&mut self, constants: &Constants, initial: u32, is_new_turn: bool) -> Box<Local> {
        if let Some(local) = self.local.take_if(|_| !is_new_turn) {
            return local;
        }
        let simple = self.formula.with(|letter| constants.get(letter));
        let known = self.local.take().filter(|local| local.formula().nodes().len() <= simple.nodes().len());
        known.unwrap_or_else(|| Box::new(Local::new(simple, initial)))
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

/// Returns true if each place has a slot of its own, in order.
fn is_plain(task: &NetTask) -> bool {
    let is_own = |(place, slot): (usize, &Slot)| matches!(slot, Slot::Tokens(own) if own.index() == place);
    task.slots.len() == task.net.places().len() && task.slots.iter().enumerate().all(is_own)
}

/// The engine for formulas of computation tree logic.
struct NetBranching {
    task: Arc<NetTask>,
    chains: Option<Arc<Chains>>,
    /// The goals without an answer. The first one has its turn.
    open: VecDeque<Asked>,
    /// Work that is left of the turn, the length of turns, and the number of turns until they grow.
    left: u64,
    turn: u64,
    round: usize,
    /// Work on formulas one by one, and on all together.
    spent: [u64; 2],
    constants: Arc<Constants>,
    graph: Option<Graph>,
    order: Order,
    /// The formulas are evaluated when this many markings are expanded.
    part: usize,
    labels: Labels,
    /// Siphons that were found empty.
    siphons: Vec<Empty>,
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
            round: goals.len(),
            open: goals.into_iter().map(|(goal, formula)| Asked { goal, formula, local: None }).collect(),
            left: FIRST_TURN,
            turn: FIRST_TURN,
            spent: [0; 2],
            constants,
            graph: None,
            order: Order::default(),
            part: FIRST_PART,
            labels: Labels::default(),
            siphons: Vec::new(),
            claims: VecDeque::new(),
            stats: Stats::default(),
        }
    }

    fn give_up(&mut self, reason: Reason) {
        self.graph = None;
        let goals: Vec<Goal> = self.open.drain(..).map(|asked| asked.goal).collect();
        if !goals.is_empty() {
            self.claims.push_back(Claim::Unknown { goals, reason });
        }
    }

    /// Works on one formula or on all. Returns false if the stop flag is raised.
    fn work(&mut self, budget: &mut Budget) -> bool {
        if self.graph.is_none() {
            match Graph::new(&self.task, self.chains.as_ref(), Arc::clone(&budget.stop)) {
                Ok(graph) => self.graph = Some(graph),
                Err(reason) => self.give_up(reason),
            }
        }
        let Some(graph) = &mut self.graph else { return true };
        graph.stop = Arc::clone(&budget.stop);
        let before = budget.work;
        let is_local = graph.initial.len() == 1 && self.spent[0] <= self.spent[1];
        let result = if is_local { self.one(budget) } else { self.all(budget) };
        self.spent[usize::from(!is_local)] += before - budget.work;
        match result {
            Ok(()) => {}
            Err(Stuck::Stop) => return false,
            Err(Stuck::Overflow) => self.give_up(Reason::Overflow),
            Err(Stuck::Full) => self.give_up(Reason::Memory),
        }
        true
    }

    fn count(&mut self, budget: &Budget) {
        if let Some(graph) = &self.graph {
            self.stats.states = graph.space.len() as u64;
            self.stats.transitions = graph.space.transitions();
            budget.stop.report_states(self.stats.states);
        }
    }

    /// Works on the first open formula.
    fn one(&mut self, budget: &mut Budget) -> Result<(), Stuck> {
        let (Some(graph), Some(mut asked)) = (&mut self.graph, self.open.pop_front()) else { return Ok(()) };
        let mut local = asked.take(&self.constants, graph.initial[0], self.left == self.turn);
        let (result, spent) = local.run(graph, BATCH as u64);
        let is_full = !budget.stop.has_room(local.bytes() / 8);
        budget.spend(spent);
        self.left = self.left.saturating_sub(spent);
        self.count(budget);
        let result = match result {
            Ok(Some(holds)) => {
                self.claim(vec![asked.goal], holds, &local.touched(), Vec::new());
                self.next_turn();
                return Ok(());
            }
            Ok(None) if is_full => Err(Stuck::Full),
            Ok(None) => Ok(()),
            Err(why) => Err(why),
        };
        asked.local = Some(local);
        if self.left > 0 || result.is_err() {
            self.open.push_front(asked);
        } else {
            self.open.push_back(asked);
            self.next_turn();
        }
        result
    }

    /// Begins the turn of the next formula.
    fn next_turn(&mut self) {
        self.round = self.round.saturating_sub(1);
        if self.round == 0 {
            self.turn = self.turn.saturating_mul(TURN_GROWTH);
            self.round = self.open.len();
        }
        self.left = self.turn;
    }

    fn claim(&mut self, goals: Vec<Goal>, holds: bool, states: &[u32], siphons: Vec<Vec<PlaceId>>) {
        let Some(graph) = &self.graph else { return };
        let markings = Some(Arc::new(graph.markings(states, &self.task)));
        let evidence = BranchingEvidence { markings, siphons, ..BranchingEvidence::default() };
        self.claims.push_back(Claim::Branching { goals, holds, evidence });
    }

    /// Expands some markings, and evaluates all formulas if the part is complete.
    fn all(&mut self, budget: &mut Budget) -> Result<(), Stuck> {
        let Some(graph) = &mut self.graph else { return Ok(()) };
        let (expanded, is_complete) = (graph.expanded, graph.expanded == graph.space.len());
        if is_complete || expanded >= self.part {
            self.evaluate(is_complete, budget);
            self.part = self.part.max(expanded).saturating_mul(GROWTH);
            return Ok(());
        }
        let before = graph.space.transitions();
        let result = self.order.expand(graph);
        budget.spend(BATCH as u64 + (graph.space.transitions() - before) / 4);
        self.count(budget);
        result
    }

    /// Evaluates the open formulas on the part that is known, and claims those that are decided.
    fn evaluate(&mut self, is_complete: bool, budget: &mut Budget) {
        let Some(graph) = &self.graph else { return };
        let known = graph.space.len();
        let edges = usize::try_from(graph.space.transitions()).unwrap_or(usize::MAX);
        if !budget.stop.has_room(edges.saturating_mul(4).saturating_add(known.saturating_mul(48))) {
            return self.give_up(Reason::Memory);
        }
        // Places of chains are no places of the system as read.
        if self.chains.is_none()
            && is_plain(&self.task)
            && self.siphons.len() < MOST_SIPHONS
            && let Some(siphon) = Empty::at(self.order.last, graph, &self.task.net)
            && self.siphons.iter().all(|known| known.places != siphon.places)
        {
            self.siphons.push(siphon);
        }
        let part = Part::new(graph, &self.siphons);
        let mut decided: [Vec<Goal>; 2] = Default::default();
        for asked in std::mem::take(&mut self.open) {
            if budget.stop.raised().is_some() {
                self.open.push_back(asked);
                continue;
            }
            let simple = asked.formula.with(|letter| self.constants.get(letter));
            let answer = self.labels.decide(&simple, &part);
            budget.spend(1 + known as u64 * simple.nodes().len() as u64 / LABELS_PER_UNIT);
            debug_assert!(!is_complete || answer.is_some(), "a complete graph decides every formula");
            match answer {
                Some(holds) => decided[usize::from(holds)].push(asked.goal),
                None => self.open.push_back(asked),
            }
        }
        if decided.iter().all(Vec::is_empty) {
            if is_complete {
                self.give_up(Reason::GaveUp);
            }
            return;
        }
        let states: Vec<u32> = (0..known as u32).collect();
        let siphons: Vec<_> = self.siphons.iter().map(|siphon| siphon.places.clone()).collect();
        for (goals, holds) in decided.into_iter().zip([false, true]).filter(|(goals, _)| !goals.is_empty()) {
            self.claim(goals, holds, &states, siphons.clone());
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
        self.open.retain(|asked| !goals.contains(&asked.goal));
    }

    fn stats(&self) -> Stats {
        self.stats.clone()
    }
}
