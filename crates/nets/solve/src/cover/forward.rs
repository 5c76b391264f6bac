//! The forward search engine. It searches for one goal after the other with limited work. Later rounds use
//! other orders and more work.

use super::procedure::Procedure;
use crate::cover::hunt::{CoverSearch, Net, Order, Progress};
use crate::cover::ops::Ops;
use crate::cover::relax::Relax;
use crate::cover::run::Run;
use crate::cover::target::{FormulaNode, Target};
use crate::invariants::Invariants;
use model::{Budget, Claim, Formula, Goal, NetTask, Stats, Turn};
use std::sync::Arc;

/// Entries of the relaxation that cost about as much as a work unit.
const EFFORT_PER_UNIT: u64 = 64;
/// Work units for the first searches of a goal. They double after each round of [`ORDERS`].
const FIRST: u64 = 10_000;
/// Markings between two checks of the memory limit.
const STRIDE: usize = 4096;
/// Initial tokens on open places, if additional tokens never disable anything.
const MANY: u32 = 1 << 24;

/// The orders of successive searches for a goal: the fields `last`, `random` and `keeping` of [`Order`].
const ORDERS: [(bool, u64, bool); 4] = [(true, 0, true), (true, 3, false), (true, 3, true), (false, 5, false)];

struct Aim {
    goal: Goal,
    /// `None` if the goal is a deadlock.
    formula: Option<Arc<Formula>>,
    target: Target,
    /// True if the search starts with many tokens on open places, because additional tokens never disable
    /// anything.
    plenty: bool,
    /// Number of searches so far.
    hunts: u32,
    /// True if the search has exhausted all reachable markings, or the goal needs no claim any more.
    over: bool,
}

pub(crate) struct Forward {
    invariants: Arc<Invariants>,
    procedure: Procedure,
    ops: Ops,
    relax: Relax,
    aims: Vec<Aim>,
    /// Index of the goal of the current search.
    at: usize,
    hunt: Option<CoverSearch>,
    /// Work units left for the current search.
    left: u64,
    markings: u64,
    hunts: u64,
}

impl Forward {
    pub(crate) fn new(task: &NetTask, invariants: Arc<Invariants>, procedure: Procedure) -> Self {
        let rules = invariants.rules();
        let ops = Ops::new(rules);
        let relax = Relax::new(&ops, rules.places());
        let aim = |goal: &Goal| {
            let stuck;
            let asked: &Formula = match task.formula(*goal) {
                Some(formula) => formula.as_ref(),
                None => {
                    stuck = model::deadlock_of(task.net.transitions());
                    &stuck
                }
            };
            let plenty = rules.monotone && asked.is_upward_closed();
            let formula = task.formula(*goal).cloned();
            Some(Aim { goal: *goal, formula, target: Target::new(asked)?, plenty, hunts: 0, over: false })
        };
        let aims = task.goals.iter().filter_map(aim).collect();
        Self { ops, relax, aims, at: 0, hunt: None, left: 0, invariants, procedure, markings: 0, hunts: 0 }
    }

    pub(crate) fn run(&mut self, budget: &mut Budget) -> Turn {
        while self.aims.iter().any(|aim| !aim.over) {
            let invariants = Arc::clone(&self.invariants);
            let Some(hunt) = &mut self.hunt else {
                self.next_hunt();
                continue;
            };
            let aim = &mut self.aims[self.at];
            let net = Net { rules: invariants.rules(), ops: &self.ops, target: &aim.target };
            let effort = self.relax.effort;
            let looked = hunt.len();
            let progress = hunt.step(net, &mut self.relax);
            self.markings += (hunt.len() - looked) as u64;
            let grown = progress == Progress::More && looked / STRIDE != hunt.len() / STRIDE;
            if grown && !budget.stop.may_allocate(hunt.bytes()) {
                return Turn::More;
            }
            let units = 1 + (self.relax.effort - effort) / EFFORT_PER_UNIT;
            match progress {
                Progress::Found(node) => {
                    let run = Run::to(net.rules, hunt.store(), node, start(net.rules, aim.plenty));
                    let found =
                        run.map(|run| finish(net, aim, run).shorter(net.rules, net.target, aim.formula.as_deref()));
                    let claim = found.map(|run| Claim::Unsafe { goal: aim.goal, trace: run.trace(), candidate: false });
                    self.hunt = None;
                    if claim.is_none() {
                        aim.over = true;
                        continue;
                    }
                    self.aims.remove(self.at);
                    budget.spend(units);
                    return claim.map_or(Turn::More, Turn::Claims);
                }
                Progress::Over => {
                    aim.over = true;
                    self.hunt = None;
                }
                Progress::More => {
                    self.left = self.left.saturating_sub(units);
                    let ends = self.left == 0 && self.procedure == Procedure::Greedy;
                    if ends || hunt.is_full() {
                        aim.over |= self.procedure == Procedure::AStar;
                        self.hunt = None;
                    }
                }
            }
            if !budget.spend(units) {
                return Turn::More;
            }
        }
        Turn::Done
    }

    /// Starts a search for the goal with the fewest searches so far.
    fn next_hunt(&mut self) {
        let open = self.aims.iter().enumerate().filter(|(_, aim)| !aim.over);
        let Some((at, _)) = open.min_by_key(|(_, aim)| aim.hunts) else { return };
        self.at = at;
        let aim = &mut self.aims[at];
        let (last, random, keeping) = ORDERS[aim.hunts as usize % ORDERS.len()];
        let order =
            Order { shortest: self.procedure == Procedure::AStar, last, random, keeping, seed: aim.hunts.into() };
        self.left = FIRST << (aim.hunts as usize / ORDERS.len()).min(30);
        aim.hunts += 1;
        self.hunts += 1;
        let rules = self.invariants.rules();
        let mut tokens = rules.initial.clone();
        rules.open.iter().zip(start(rules, aim.plenty)).for_each(|((p, _), n)| tokens[*p as usize] += u64::from(n));
        let net = Net { rules, ops: &self.ops, target: &aim.target };
        self.relax.reserve_for((order.keeping && !order.shortest).then_some(&aim.target));
        self.hunt = Some(CoverSearch::new(net, order, &tokens, !aim.plenty && !rules.open.is_empty()));
    }

    /// Drops goals that need no claim any more.
    pub(crate) fn settled(&mut self, goals: &[Goal]) {
        for (at, aim) in self.aims.iter_mut().enumerate().filter(|(_, aim)| goals.binary_search(&aim.goal).is_ok()) {
            aim.over = true;
            if at == self.at {
                self.hunt = None;
            }
        }
    }

    pub(crate) fn stats(&self) -> Stats {
        let mut stats = Stats { states: self.markings, ..Stats::default() };
        stats.more.insert("hunts", self.hunts);
        stats
    }
}

/// Initial tokens of open places beyond their least counts.
fn start(rules: &crate::rules::Rules, plenty: bool) -> Vec<u32> {
    rules.open.iter().map(|(_, most)| if plenty { MANY.min(*most) } else { 0 }).collect()
}

/// Removes tokens on open places that the run does not need.
fn finish(net: Net<'_>, aim: &Aim, run: Run) -> Run {
    let single = |part: &FormulaNode| match part {
        FormulaNode::Sum(terms, least) => match terms.as_slice() {
            [(place, weight)] if *weight > 0 => {
                Some((*place, u64::try_from(*least).unwrap_or(0).div_ceil(weight.unsigned_abs())))
            }
            _ => None,
        },
        FormulaNode::All(_) | FormulaNode::Any(_) => None,
    };
    // Tokens are removed only if the goal is a conjunction over single places. For other goals, runs keep more
    // tokens than they need.
    let simple = net
        .target
        .nodes
        .iter()
        .all(|part| !matches!(part, FormulaNode::Any(_)) && !matches!(part, FormulaNode::Sum(t, _) if t.len() > 1));
    if !aim.plenty || !simple {
        return run;
    }
    let wanted: Vec<(u32, u64)> = net.target.nodes.iter().filter_map(single).collect();
    run.with_fewer_tokens(net.rules, &wanted)
}
