//! The parts of a formula of computation tree logic, or of a temporal one, and what their answers say about it.
//!
//! * For each letter that a temporal operator depends on: is its truth ever different from that in the initial marking?
//!   If it is not, the letter is constant. (Most formulas of the Model Checking Contest become simple by this, as
//!   Bønneland et al. describe: "Simplification of CTL formulae for efficient model checking of Petri nets", PETRI
//!   NETS 2018.) If it is, the run shows markings in which it is.
//! * For each subformula `EF b` of computation tree logic that the initial marking must satisfy or violate: is a
//!   marking reachable in which `b` is true, as far as its letters alone show?
//! * If a temporal operator depends on another one: is a deadlock reachable? In a deadlock each formula is decided.
//!
//! The markings that runs visit are listed, and the checker evaluates the formula on them.

use super::visited::{Replay, Visited};
use crate::markings::{holds, inside, is_temporal, negated};
use crate::parts::{CheckedClaim, Composition, Formulas};
use certify::Refusal;
use model::{
    BranchingEvidence, Claim, Ctl, CtlId, CtlNode, Formula, FormulaBuilder, FormulaId, Goal, Letter, Ltl, LtlNode,
    Markings, NodeId, Problem,
};
use nets::Constants;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Largest number of nodes of a formula of a part.
const LARGEST: usize = 10_000;

/// Number of subformulas at the top that get a part of their own.
const MOST_GOALS: usize = 64;

/// A formula about branching time, or about all runs.
enum OfTime {
    Branching(Arc<Ctl>),
    Runs(Arc<Ltl>),
}

impl OfTime {
    /// Returns the truth of the formula if it is the same in all markings, once letters have these values.
    fn constant(&self, constants: &BTreeMap<FormulaId, bool>) -> Option<bool> {
        let value = |id: FormulaId| constants.get(&id).copied();
        match self {
            OfTime::Branching(formula) => {
                let simple = formula.with(value);
                if let CtlNode::Constant(value) = simple.node(simple.root()) { Some(*value) } else { None }
            }
            OfTime::Runs(formula) => {
                let simple = formula.with(|of| if let Letter::Marking(id) = of { value(id) } else { None });
                // A formula that no run satisfies is violated by a run, which the search finds.
                (simple.node(simple.root()) == LtlNode::Constant(true)).then_some(true)
            }
        }
    }
}

/// A formula with its parts.
pub(super) struct Question {
    formula: OfTime,
    /// The parts about letters: the letter, and its truth in all reachable markings if the goal is unreachable.
    letters: BTreeMap<Goal, (FormulaId, bool)>,
    /// The parts of which a run is of use.
    runs: BTreeSet<Goal>,
    constants: BTreeMap<FormulaId, bool>,
    /// Parts without an answer.
    left: BTreeSet<Goal>,
    visited: Visited,
    /// Runs that were added, and the number of them at which the formula is evaluated next.
    added: usize,
    next: usize,
    is_new: bool,
}

impl Question {
    fn blank(formula: OfTime, replay: Option<&Replay>) -> Self {
        Self {
            formula,
            letters: BTreeMap::new(),
            runs: BTreeSet::new(),
            constants: BTreeMap::new(),
            left: BTreeSet::new(),
            visited: Visited::new(replay.map_or(0, |replay| replay.initial().len())),
            added: 0,
            next: 1,
            is_new: true,
        }
    }

    /// Returns the question whether all runs satisfy a formula.
    pub(super) fn about_runs(
        problem: &Problem,
        formula: &Arc<Ltl>,
        replay: Option<&Replay>,
        formulas: &mut Formulas,
    ) -> Self {
        let mut question = Self::blank(OfTime::Runs(Arc::clone(formula)), replay);
        let letter = |of| if let Letter::Marking(id) = of { Some(id) } else { None };
        if let Some(replay) = replay {
            question.add_letters(problem, formula.letters().filter_map(letter).collect(), replay, formulas);
        }
        question.left = question.parts();
        question
    }

    /// Returns the question whether a formula of computation tree logic holds.
    pub(super) fn new(problem: &Problem, formula: &Arc<Ctl>, replay: Option<&Replay>, formulas: &mut Formulas) -> Self {
        let mut question = Self::blank(OfTime::Branching(Arc::clone(formula)), replay);
        let Some(replay) = replay else { return question };
        let depth = depths(formula);
        let is_inside = inside(formula);
        let letters: BTreeSet<FormulaId> = formula
            .nodes()
            .iter()
            .zip(&is_inside)
            .filter_map(|(node, inside)| match node {
                CtlNode::Letter(letter) if *inside => Some(*letter),
                _ => None,
            })
            .collect();
        question.add_letters(problem, letters, replay, formulas);
        if !replay.is_single() {
            question.left = question.parts();
            return question;
        }
        question.visited.add(replay.initial());
        if depth[formula.root().index()] > 1 {
            question.runs.insert(Goal::Deadlock);
            if formulas.left() > 0 {
                question.add_goals(problem, formula, &is_inside, formulas);
            }
        }
        question.left = question.parts();
        question
    }

    /// Adds the parts about letters.
    fn add_letters(
        &mut self,
        problem: &Problem,
        letters: BTreeSet<FormulaId>,
        replay: &Replay,
        formulas: &mut Formulas,
    ) {
        for letter in letters.into_iter().take(formulas.left()) {
            let own = &problem.formulas()[letter.index()];
            let is_true = holds(own, replay.initial());
            let other = if is_true { negated(own) } else { Formula::clone(own) };
            match model::ctl::constant(&other) {
                Some(false) => {
                    self.constants.insert(letter, is_true);
                }
                Some(true) => {}
                None => {
                    self.letters.insert(formulas.goal(other), (letter, is_true));
                }
            }
        }
    }

    /// Adds a part for each `EF b` at the top.
    fn add_goals(&mut self, problem: &Problem, formula: &Ctl, is_inside: &[bool], formulas: &mut Formulas) {
        let top = formula.nodes().iter().zip(is_inside).filter(|(_, inside)| !**inside);
        for (node, _) in top.take(MOST_GOALS) {
            let CtlNode::ExistsUntil(a, b) = node else { continue };
            if !matches!(formula.node(*a), CtlNode::Constant(true)) || matches!(formula.node(*b), CtlNode::Letter(_)) {
                continue;
            }
            let under = Under { problem, formula, builder: FormulaBuilder::default() };
            if let Some(goal) = under.formula(*b).filter(|goal| goal.nodes().len() < LARGEST) {
                self.runs.insert(formulas.goal(goal));
            }
        }
    }

    /// The goals of all parts.
    pub(super) fn parts(&self) -> BTreeSet<Goal> {
        self.letters.keys().chain(&self.runs).copied().collect()
    }

    /// The parts that show that letters are constant.
    pub(super) fn constant_parts(&self) -> Vec<Goal> {
        let is_known =
            |(goal, (letter, _)): (&Goal, &(FormulaId, bool))| self.constants.contains_key(letter).then_some(*goal);
        self.letters.iter().filter_map(is_known).collect()
    }

    /// A part is unreachable.
    pub(super) fn never(&mut self, part: Goal, constants: &Constants) {
        self.left.remove(&part);
        if let Some(&(letter, value)) = self.letters.get(&part) {
            self.constants.insert(letter, value);
            constants.add(letter, value);
            self.is_new = true;
        }
    }

    /// A run to a part visits these markings.
    pub(super) fn visited(&mut self, part: Goal, visited: Option<&Visited>) {
        self.left.remove(&part);
        if let Some(visited) = visited {
            self.visited.extend(visited);
            self.added += 1;
        }
    }

    /// Returns the claim about the formula if the answers so far decide it.
    pub(super) fn decide(&mut self, goal: Goal, composition: &Composition<'_>) -> Option<CheckedClaim> {
        let is_due = self.added >= self.next || self.left.is_empty();
        if !is_due && !self.is_new {
            return None;
        }
        self.is_new = false;
        let constant = self.formula.constant(&self.constants);
        if constant.is_none() && (!is_due || self.visited.len() == 0) {
            return None;
        }
        if constant.is_none() {
            self.next = self.added * 3 + 1;
        }
        let never = composition.parts(self.constant_parts());
        let markings = constant.is_none().then(|| Arc::new(Markings::of_all_places(self.visited.listed())));
        let evidence = BranchingEvidence { never, markings, ..BranchingEvidence::default() };
        let values = constant.map_or_else(|| vec![true, false], |value| vec![value]);
        for holds in values {
            let claim = Claim::Branching { goals: vec![goal], holds, evidence: evidence.clone() };
            match composition.confirm(claim) {
                Ok(answered) => return Some(answered),
                Err(Refusal::Rejected(why)) => debug_assert!(constant.is_none(), "the constants were checked: {why}"),
                Err(_) => return None,
            }
        }
        None
    }
}

/// Returns for each subformula how deeply temporal operators are nested in it.
fn depths(formula: &Ctl) -> Vec<usize> {
    let mut depths: Vec<usize> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        let below = node.operands().map(|a| depths[a.index()]).max().unwrap_or(0);
        depths.push(below + usize::from(is_temporal(node)));
    }
    depths
}

/// A constant, or a node.
#[derive(Clone, Copy)]
enum Built {
    Constant(bool),
    Node(NodeId),
}

/// Builds a formula over places that implies a subformula.
struct Under<'f> {
    problem: &'f Problem,
    formula: &'f Ctl,
    builder: FormulaBuilder,
}

impl Under<'_> {
    /// Returns a formula over places that implies this subformula, and is true in some marking. `None` if there is
    /// none, or if it would become too large.
    fn formula(mut self, root: CtlId) -> Option<Formula> {
        let mut needed = vec![false; root.index() + 1];
        needed[root.index()] = true;
        for at in (0..=root.index()).rev().filter(|at| self.formula.node(CtlId::new(*at)).operands().next().is_some()) {
            if needed[at] {
                self.formula.node(CtlId::new(at)).operands().for_each(|a| needed[a.index()] = true);
            }
        }
        let mut under: Vec<[Built; 2]> = Vec::with_capacity(root.index() + 1);
        for (at, needed) in needed.into_iter().enumerate() {
            under.push(match needed {
                true => [self.one(CtlId::new(at), true, &under)?, self.one(CtlId::new(at), false, &under)?],
                false => [Built::Constant(false); 2],
            });
        }
        match under[root.index()][0] {
            Built::Constant(_) => None,
            Built::Node(node) => Some(self.builder.finish(node)),
        }
    }

    /// Returns the conjunction of nodes (if `all`), or their disjunction.
    fn join(&mut self, parts: Vec<Built>, all: bool) -> Built {
        if parts.iter().any(|part| matches!(part, Built::Constant(value) if *value != all)) {
            return Built::Constant(!all);
        }
        let nodes: Vec<NodeId> =
            parts.iter().filter_map(|part| if let Built::Node(node) = part { Some(*node) } else { None }).collect();
        match nodes.is_empty() {
            true => Built::Constant(all),
            false => Built::Node(if all { self.builder.all(nodes) } else { self.builder.any(nodes) }),
        }
    }

    fn one(&mut self, id: CtlId, positive: bool, under: &[[Built; 2]]) -> Option<Built> {
        let of = |a: &CtlId, positive: bool| under[a.index()][usize::from(!positive)];
        Some(match self.formula.node(id) {
            CtlNode::Constant(value) => Built::Constant(*value == positive),
            CtlNode::Letter(letter) => {
                let formula = &self.problem.formulas()[letter.index()];
                if formula.nodes().len() > LARGEST {
                    return None;
                }
                let copy = self.builder.copy(formula);
                Built::Node(if positive { copy } else { self.builder.negate(copy) })
            }
            CtlNode::Not(a) => of(a, !positive),
            CtlNode::All(parts) => self.join(parts.iter().map(|a| of(a, positive)).collect(), positive),
            CtlNode::Any(parts) => self.join(parts.iter().map(|a| of(a, positive)).collect(), !positive),
            // Where no transition is enabled, `EX a` is false; this is left to the part about deadlocks.
            CtlNode::ExistsNext(_) => Built::Constant(false),
            CtlNode::ExistsUntil(_, b) | CtlNode::AllUntil(_, b) if positive => of(b, true),
            // If neither operand holds here, no path leads on.
            CtlNode::ExistsUntil(a, b) | CtlNode::AllUntil(a, b) => self.join(vec![of(a, false), of(b, false)], true),
        })
    }
}
