//! Temporal formulas about the runs of a net or thread-transition system ([`model::ltl`]).
//!
//! Each formula is searched for on its own, depth first in the product of the markings and the automaton of its
//! negation ([`temporal::demand`]). The markings are computed once for all formulas, and only where a search comes to
//! them. The formulas take turns that grow, so that an easy formula does not wait for a hard one.
//!
//! A violating run is claimed as it is found. If a search ends, the markings that it came to are the evidence: from
//! each of them the automaton has no step, or all next markings are among them. So formulas may be shown to hold
//! although the net has more markings than fit in memory, or infinitely many.

use super::branching::Constants;
use super::graph::Graph;
use super::instances::Instances;
use model::{
    BranchingEvidence, Budget, Certificate, Chains, Claim, Engine, Goal, Letter, Ltl, NetTask, Reason, Stats, Turn,
};
use std::collections::VecDeque;
use std::sync::Arc;
use temporal::demand::{Source, Status, Stuck, Violation};

/// Work of the first turn of a formula, and the factor by which turns grow.
const FIRST_TURN: u64 = 64;
const GROWTH: u64 = 4;
/// Work between two looks at the budget.
const SLICE: u64 = 64;

/// A goal without an answer.
#[derive(Debug)]
struct Asked {
    goal: Goal,
    formula: Arc<Ltl>,
    /// The formula with the constants that were known when the search began.
    simple: Option<Ltl>,
    /// `None` before its first turn.
    search: Option<Box<Violation>>,
}

impl Asked {
    /// Replaces letters by constants. If there are new ones, the search starts again, with a smaller automaton.
    fn simplify(&mut self, constants: &Constants) {
        let value = |of| if let Letter::Marking(id) = of { constants.get(id) } else { None };
        let simple = self.formula.with(value);
        let known = self.simple.as_ref().unwrap_or(&self.formula);
        if simple.letters().count() < known.letters().count() {
            (self.simple, self.search) = (Some(simple), None);
        }
    }
}

/// Returns an engine for temporal formulas about a net or thread-transition system. Their letters are formulas of the
/// task. The goals of the task are ignored.
#[must_use]
pub fn net_temporal(
    (task, chains): (NetTask, Option<Chains>),
    asked: Vec<(Goal, Arc<Ltl>)>,
    constants: Arc<Constants>,
) -> Box<dyn Engine> {
    let (chains, all) = (chains.map(Arc::new), asked.iter().map(|(goal, _)| *goal).collect());
    Instances::of(task, all, move |task, goals| {
        let asked = asked.iter().filter(|(goal, _)| goals.contains(goal)).cloned().collect();
        NetTemporal::new((task, chains.clone()), asked, Arc::clone(&constants))
    })
}

/// The engine for temporal formulas.
#[derive(Debug)]
struct NetTemporal {
    task: Arc<NetTask>,
    chains: Option<Arc<Chains>>,
    constants: Arc<Constants>,
    /// The goals without an answer. The first one has its turn.
    open: VecDeque<Asked>,
    /// Work that is left of the turn, the length of turns, and the number of turns until they grow.
    left: u64,
    turn: u64,
    round: usize,
    graph: Option<Graph>,
    claims: VecDeque<Claim>,
    stats: Stats,
}

impl NetTemporal {
    fn new(
        (task, chains): (NetTask, Option<Arc<Chains>>),
        goals: Vec<(Goal, Arc<Ltl>)>,
        constants: Arc<Constants>,
    ) -> Self {
        let asked = |(goal, formula)| Asked { goal, formula, simple: None, search: None };
        let open: VecDeque<Asked> = goals.into_iter().map(asked).collect();
        let (claims, stats) = (VecDeque::new(), Stats::default());
        let (task, round) = (Arc::new(task), open.len());
        let (left, turn, graph) = (FIRST_TURN, FIRST_TURN, None);
        Self { task, chains, constants, open, left, turn, round, graph, claims, stats }
    }

    /// Ends the work on all open goals.
    fn give_up(&mut self, reason: Reason) {
        let goals: Vec<Goal> = self.open.drain(..).map(|asked| asked.goal).collect();
        if !goals.is_empty() {
            self.claims.push_back(Claim::Unknown { goals, reason });
        }
    }

    /// Begins the turn of the next goal.
    fn next_turn(&mut self) {
        self.round = self.round.saturating_sub(1);
        if self.round == 0 {
            self.turn = self.turn.saturating_mul(GROWTH);
            self.round = self.open.len();
        }
        self.left = self.turn;
    }

    /// Works on the first open goal. Returns false if the stop flag is raised.
    fn work(&mut self, budget: &mut Budget) -> bool {
        if self.graph.is_none() {
            match Graph::new(&self.task, self.chains.as_ref(), Arc::clone(&budget.stop)) {
                Ok(graph) => self.graph = Some(graph),
                Err(reason) => self.give_up(reason),
            }
        }
        let (Some(graph), Some(mut asked)) = (&mut self.graph, self.open.pop_front()) else { return true };
        graph.stop = Arc::clone(&budget.stop);
        asked.simplify(&self.constants);
        let formula = asked.simple.as_ref().unwrap_or(&asked.formula);
        let Some(mut search) = asked.search.take().or_else(|| Violation::new(formula).map(Box::new)) else {
            self.claims.push_back(Claim::Unknown { goals: vec![asked.goal], reason: Reason::GaveUp });
            return true;
        };
        let before = graph.space.transitions();
        let mut slice = Budget::new(SLICE, Arc::clone(&budget.stop));
        let status = search.run(graph, &mut slice);
        let spent = SLICE + (graph.space.transitions() - before) / 4;
        self.stats.states = graph.space.len() as u64;
        self.stats.transitions = graph.space.transitions();
        budget.stop.report_states(self.stats.states);
        budget.spend(spent);
        self.left = self.left.saturating_sub(spent);
        let goal = asked.goal;
        match status {
            Status::More if !budget.stop.has_room(search.len() * 64) => {
                self.open.push_front(asked);
                self.give_up(Reason::Memory);
            }
            Status::More => {
                asked.search = Some(search);
                if self.left == 0 {
                    self.open.push_back(asked);
                    self.next_turn();
                } else {
                    self.open.push_front(asked);
                }
                return true;
            }
            Status::Run(steps, back) => {
                let trace = graph.trace(&steps, back);
                self.claims.push_back(Claim::Unsafe { goal, trace, candidate: false });
            }
            Status::Nothing => {
                let (goals, markings) = (vec![goal], graph.markings(&search.states(), &self.task));
                self.claims.push_back(match asked.simple {
                    None => Claim::Safe { goals, certificate: Certificate::Markings(markings) },
                    Some(_) => {
                        let evidence =
                            BranchingEvidence { markings: Some(Arc::new(markings)), ..BranchingEvidence::default() };
                        Claim::Branching { goals, holds: true, evidence }
                    }
                });
            }
            Status::Stuck(Stuck::Overflow) => {
                self.claims.push_back(Claim::Unknown { goals: vec![goal], reason: Reason::Overflow });
            }
            Status::TooLarge => {
                self.claims.push_back(Claim::Unknown { goals: vec![goal], reason: Reason::GaveUp });
            }
            Status::Stuck(why) => {
                asked.search = Some(search);
                self.open.push_front(asked);
                match why {
                    Stuck::Full => self.give_up(Reason::Memory),
                    _ => return false,
                }
                return true;
            }
        }
        self.next_turn();
        true
    }
}

impl Engine for NetTemporal {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            if let Some(claim) = self.claims.pop_front() {
                return Turn::Claims(claim);
            }
            if self.open.is_empty() {
                return Turn::Done;
            }
            if budget.work == 0 || budget.stop.raised().is_some() || !self.work(budget) {
                return Turn::More;
            }
        }
    }

    fn refused(&mut self, _goal: Goal) {
        debug_assert!(false, "no trace is a guess");
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.open.retain(|asked| !goals.contains(&asked.goal));
    }

    fn stats(&self) -> Stats {
        self.stats.clone()
    }
}

impl Source for Graph {
    fn initial(&self) -> &[u32] {
        &self.initial
    }

    fn holds(&self, state: u32, letter: Letter) -> bool {
        let Letter::Marking(id) = letter else { unreachable!("formulas about nets have other letters") };
        self.satisfies(state, id)
    }

    fn steps(&mut self, state: u32) -> Result<&[(u32, u32)], Stuck> {
        if !self.is_expanded(state) {
            self.expand(state)?;
        }
        Ok(self.steps_of(state))
    }
}
