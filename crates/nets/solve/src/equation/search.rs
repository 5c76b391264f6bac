//! The search for one goal. A SAT solver proposes cases, the state equation is tried on each, and lemmas say
//! which inequalities contradict each other.
//!
//! A case consists of inequalities that suffice to make the formula true. Where there is a choice,
//! inequalities that held in the last solution are preferred. A solution of the state equation need not be a
//! reachable marking. If it leaves a trap empty that is marked in every reachable marking, the trap becomes a
//! row of the system. If it marks two places that are never marked together, or has a fractional count, the
//! search splits into two cases. When none of this applies, the goal is given up, because it is probably
//! reachable.

use super::invariants::{Excluded, Lemma};
use crate::equation::invariants::{InvariantId, NetInvariants};
use crate::equation::proof::Log;
use crate::invariants::Invariants;
use crate::invariants::equation::{AtomId, Feasibility, Rational, Refutation, System, TrapId};
use model::{Budget, Formula, Linear, Node, PlaceId};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive};
use sat::{DecidedBy, Limits, Lit, Options, Solver, Tag};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Maximal number of nodes of a formula.
const MOST_NODES: usize = 1_000_000;

/// Maximal number of numbers in a tableau (32 bytes each).
const MOST_NUMBERS: usize = 4_000_000;

/// Maximal number of splits of a search.
const MOST_SPLITS: usize = 400;

/// Maximal number of lemmas from one case. Each one after the first is found without one inequality of the
/// lemma before.
const LEMMAS_A_CASE: u32 = 12;

/// Work units between two checks of the budget.
const SLICE: u64 = 20_000;

/// Conflicts between two checks of the budget.
const CONFLICTS: u64 = 500;

/// Tag of the clauses that encode the formula and the splits.
const STRUCTURE: Tag = Tag(u32::MAX);

/// The result of running a search.
pub(crate) enum Progress {
    /// No reachable marking satisfies the formula.
    Excluded(Excluded),
    /// Nothing is left to try.
    GaveUp,
    /// The budget is used up; the search can be continued.
    More,
}

/// Statistics for reports.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) cases: u64,
    pub(crate) splits: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.splits += other.splits;
    }
}

/// A search that can be interrupted and continued.
pub(crate) struct EquationSearch {
    formula: Arc<Formula>,
    system: System,
    solver: Solver,
    log: Log,
    /// For each variable (from 1), its inequality and the index of the inequality in `system`. `variables` is the
    /// inverse.
    atoms: BTreeMap<u32, (Linear, AtomId)>,
    variables: BTreeMap<AtomId, u32>,
    splits: Vec<Linear>,
    split_of: BTreeMap<(u32, BigInt), usize>,
    lemmas: Vec<Lemma>,
    /// The traps in the system, with their numbers in `NetInvariants`.
    traps: BTreeMap<TrapId, usize>,
    /// For each node, true if it held in the last solution.
    held: Vec<bool>,
    case: Option<Case>,
    counts: Counts,
}

/// The inequalities of the current case.
struct Case {
    vars: Vec<u32>,
    /// Number of lemmas found in the case. After the first lemma, some inequalities have been removed.
    lemmas: u32,
}

impl EquationSearch {
    /// Makes a search. Returns `None` if the net or the formula is too large.
    pub(crate) fn new(formula: Arc<Formula>, invariants: &Invariants) -> Option<Self> {
        if formula.nodes().len() > MOST_NODES {
            return None;
        }
        let mut system = System::new(invariants.rules(), invariants.whole())?;
        let log = Log::default();
        let mut solver = Solver::new(Options::default());
        solver.set_proof(Box::new(log.clone()));
        let nodes: Vec<Lit> = formula.nodes().iter().map(|_| solver.new_var(DecidedBy::Host).positive()).collect();
        let mut atoms = BTreeMap::new();
        for (var, (node, lit)) in (1u32..).zip(formula.nodes().iter().zip(&nodes)) {
            match node {
                Node::All(parts) => {
                    parts.iter().for_each(|part| solver.add_clause(STRUCTURE, &[!*lit, nodes[part.index()]]));
                }
                Node::Any(parts) => {
                    let mut clause: Vec<Lit> = parts.iter().map(|part| nodes[part.index()]).collect();
                    clause.push(!*lit);
                    solver.add_clause(STRUCTURE, &clause);
                }
                Node::AtLeast(sum) => {
                    let id = assertable(&mut system, sum);
                    atoms.insert(var, (sum.clone(), id));
                }
            }
        }
        solver.add_clause(STRUCTURE, &nodes[nodes.len() - 1..]);
        let held = vec![false; nodes.len()];
        let variables = atoms.iter().map(|(var, (_, id))| (*id, *var)).collect();
        Some(Self {
            formula,
            system,
            solver,
            log,
            atoms,
            variables,
            splits: Vec::new(),
            split_of: BTreeMap::new(),
            lemmas: Vec::new(),
            traps: BTreeMap::new(),
            held,
            case: None,
            counts: Counts::default(),
        })
    }

    pub(crate) fn counts(&self) -> Counts {
        Counts { splits: self.splits.len() as u64, ..self.counts }
    }

    /// Runs until there is an answer or the budget is used up.
    pub(crate) fn run(&mut self, invariants: &Invariants, known: &mut NetInvariants, budget: &mut Budget) -> Progress {
        loop {
            if !budget.spend(1) {
                return Progress::More;
            }
            let Some(case) = &self.case else {
                match self.next_case(known, budget) {
                    Some(step) => return step,
                    None => continue,
                }
            };
            let ids: Vec<AtomId> = case.vars.iter().map(|v| self.atoms[v].1).collect();
            let before = self.system.work();
            let answer = self.system.solve(&ids, budget.work.min(SLICE));
            let may_go_on = budget.spend(self.system.work() - before);
            match answer {
                Feasibility::More => {
                    let (_, numbers) = self.system.size();
                    if numbers > MOST_NUMBERS {
                        return Progress::GaveUp;
                    }
                }
                Feasibility::Refuted(refutation) => {
                    let checked = self.system.checked(refutation, invariants.rules(), invariants.whole());
                    debug_assert!(checked.is_some(), "exact numbers need no luck");
                    match checked {
                        Some(refutation) => self.learn(refutation, known),
                        None => return Progress::GaveUp,
                    }
                }
                Feasibility::Feasible => {
                    if !self.refine(known, budget) {
                        return Progress::GaveUp;
                    }
                }
            }
            if !may_go_on {
                return Progress::More;
            }
        }
    }

    /// Asks the solver for a case. Returns a result if there is no case, or the budget is used up.
    fn next_case(&mut self, known: &NetInvariants, budget: &mut Budget) -> Option<Progress> {
        let before = self.solver.stats().propagations;
        let limits = Limits { conflicts: Some(CONFLICTS), stop: None };
        let answer = self.solver.solve_within(&[], &limits);
        let may_go_on = budget.spend((self.solver.stats().propagations - before) / 16 + 1);
        match answer {
            sat::SolveResult::Unsat => return Some(self.excluded()),
            sat::SolveResult::Sat => {
                self.counts.cases += 1;
                let vars = self.reasons();
                budget.spend(vars.len() as u64);
                match self.never_together(&vars, known) {
                    Some(atoms) => self.add(Lemma { atoms, invariants: None }),
                    None => self.case = Some(Case { vars, lemmas: 0 }),
                }
            }
            _ if may_go_on => {}
            _ => return Some(Progress::More),
        }
        (!may_go_on).then_some(Progress::More)
    }

    /// Returns inequalities that make the formula true in the solver's model, together with all true sides of
    /// splits.
    fn reasons(&self) -> Vec<u32> {
        let nodes = self.formula.nodes();
        let is_true = |node: usize| self.solver.value(Lit::from_dimacs(node as i32 + 1)) == Some(true);
        let mut needed = vec![false; nodes.len()];
        if let Some(root) = needed.last_mut() {
            *root = true;
        }
        let mut vars = Vec::new();
        for node in (0..nodes.len()).rev().filter(|n| is_true(*n)) {
            if !needed[node] {
                continue;
            }
            match &nodes[node] {
                Node::All(parts) => parts.iter().for_each(|p| needed[p.index()] = true),
                Node::Any(parts) => {
                    let parts = || parts.iter().map(|p| p.index()).filter(|p| is_true(*p));
                    if !parts().any(|p| needed[p]) {
                        let held = parts().find(|p| self.held[*p]);
                        held.or_else(|| parts().next()).into_iter().for_each(|p| needed[p] = true);
                    }
                }
                Node::AtLeast(_) => vars.push(node as u32 + 1),
            }
        }
        let sides = (nodes.len()..nodes.len() + 2 * self.splits.len()).filter(|v| is_true(*v));
        vars.extend(sides.map(|v| v as u32 + 1));
        vars.sort_unstable();
        vars
    }

    /// Returns one or two of these inequalities that require tokens which are never present together.
    fn never_together(&self, vars: &[u32], known: &NetInvariants) -> Option<Vec<u32>> {
        let pairs = known.pairs.as_ref()?;
        let mut least: BTreeMap<u32, (BigInt, u32)> = BTreeMap::new();
        for var in vars {
            let (sum, _) = &self.atoms[var];
            let [(place, weight)] = sum.terms.as_slice() else { continue };
            if weight.is_positive() && sum.at_least.is_positive() {
                let count = sum.at_least.div_ceil(weight);
                let entry = least.entry(place.0).or_insert_with(|| (count.clone(), *var));
                if entry.0 < count {
                    *entry = (count, *var);
                }
            }
        }
        let asked: Vec<(usize, bool, u32)> =
            least.iter().map(|(p, (n, var))| (*p as usize, *n > BigInt::one(), *var)).collect();
        for (i, (a, several, first)) in asked.iter().enumerate() {
            if *several && !pairs.allows(*a, *a) {
                return Some(vec![*first]);
            }
            if let Some((_, _, second)) = asked[..i].iter().find(|(b, _, _)| !pairs.allows(*a, *b)) {
                return Some(vec![*second, *first]);
            }
        }
        None
    }

    fn add(&mut self, lemma: Lemma) {
        let clause: Vec<Lit> = lemma.atoms.iter().map(|v| !Lit::from_dimacs(v.cast_signed())).collect();
        self.solver.add_clause(Tag(self.lemmas.len() as u32), &clause);
        self.lemmas.push(lemma);
    }

    /// Adds a lemma from a refutation of the case. Removes one of its inequalities from the case, because the
    /// rest may yield another lemma.
    fn learn(&mut self, refutation: Refutation, known: &mut NetInvariants) {
        let Some(mut case) = self.case.take() else { return };
        let (mut atoms, mut multipliers) = (Vec::new(), Vec::new());
        for (id, times) in refutation.atoms {
            atoms.push(self.variables[&id]);
            multipliers.push(times);
        }
        debug_assert_eq!(atoms.len(), multipliers.len());
        let mut invariants: BTreeMap<InvariantId, BigUint> = BTreeMap::new();
        for (trap, times) in refutation.traps {
            let (_, invariant) = known.trap(self.traps[&trap]);
            *invariants.entry(invariant).or_default() += times;
        }
        if let Some((bound, times)) = refutation.bound {
            *invariants.entry(known.bound(bound)).or_default() += times;
        }
        case.lemmas += 1;
        if let (Some(one), true) = (atoms.first(), case.lemmas < LEMMAS_A_CASE) {
            case.vars.retain(|v| v != one);
            self.case = (!case.vars.is_empty()).then_some(case);
        }
        self.add(Lemma { atoms, invariants: Some((multipliers, invariants.into_iter().collect())) });
    }

    /// Tries to exclude the current solution. Returns false if nothing excludes it.
    fn refine(&mut self, known: &mut NetInvariants, budget: &mut Budget) -> bool {
        let marking = self.system.marking();
        budget.spend(marking.len() as u64 / 16);
        if self.case.as_ref().is_some_and(|case| case.lemmas > 0) {
            self.remember(&marking);
            self.case = None;
            return true;
        }
        if let Some(number) = known.unmarked_trap(&marking) {
            let (places, _) = known.trap(number);
            budget.spend(marking.len() as u64);
            let id = self.system.add_trap(places);
            debug_assert!(!self.traps.contains_key(&id), "a trap with a row is marked");
            return self.traps.insert(id, number).is_none();
        }
        self.remember(&marking);
        self.case = None;
        self.split_pair(&marking, known) || self.split_fraction(&marking)
    }

    fn remember(&mut self, marking: &[Rational]) {
        for (i, node) in self.formula.nodes().iter().enumerate() {
            self.held[i] = match node {
                Node::All(parts) => parts.iter().all(|p| self.held[p.index()]),
                Node::Any(parts) => parts.iter().any(|p| self.held[p.index()]),
                Node::AtLeast(sum) => {
                    let term = |(p, c): &(PlaceId, BigInt)| marking[p.index()].times(&Rational::from(c));
                    let total = sum.terms.iter().map(term).fold(Rational::ZERO, |a, b| a.plus(&b));
                    total >= Rational::from(&sum.at_least)
                }
            };
        }
    }

    /// Splits on places that are marked in this solution but never marked together.
    fn split_pair(&mut self, marking: &[Rational], known: &NetInvariants) -> bool {
        let Some(pairs) = &known.pairs else { return false };
        let marked: Vec<(u32, &Rational)> = (0..).zip(marking).filter(|(_, n)| n.is_positive()).collect();
        let mut worst: Option<(&Rational, u32, u32)> = None;
        for (i, (p, n)) in marked.iter().enumerate() {
            if **n > Rational::ONE && !pairs.allows(*p as usize, *p as usize) {
                return self.split(*p, BigInt::from(2));
            }
            for (q, m) in &marked[..i] {
                let both = (*n).min(*m);
                if worst.is_none_or(|w| *both > *w.0) && !pairs.allows(*p as usize, *q as usize) {
                    worst = Some((both, *p, *q));
                }
            }
        }
        let Some((_, p, q)) = worst else { return false };
        let (first, second) = (self.split(p, BigInt::one()), self.split(q, BigInt::one()));
        first || second
    }

    /// Splits on a count that is not an integer.
    fn split_fraction(&mut self, marking: &[Rational]) -> bool {
        let half = Rational::ONE.over(&Rational::from(2));
        let off = |n: &Rational| n.minus(&Rational::from(&n.floor())).minus(&half).magnitude();
        let fractions = (0..).zip(marking).filter(|(_, n)| !n.is_integer());
        let Some((_, p, floor)) = fractions.map(|(p, n)| (off(n), p, n.floor())).min() else { return false };
        self.split(p, floor + 1)
    }

    /// Splits into at least `count` tokens on the place, and fewer. Returns true if the split is new.
    fn split(&mut self, place: u32, count: BigInt) -> bool {
        if self.splits.len() >= MOST_SPLITS || self.split_of.contains_key(&(place, count.clone())) {
            return false;
        }
        self.split_of.insert((place, count.clone()), self.splits.len());
        let above = Linear { terms: vec![(PlaceId(place), BigInt::one())], at_least: count.clone() };
        let below = Linear { terms: vec![(PlaceId(place), -BigInt::one())], at_least: BigInt::one() - count };
        let mut clause = Vec::new();
        for side in [&above, &below] {
            let lit = self.solver.new_var(DecidedBy::Host).positive();
            let id = assertable(&mut self.system, side);
            self.atoms.insert(lit.to_dimacs().unsigned_abs(), (side.clone(), id));
            self.variables.insert(id, lit.to_dimacs().unsigned_abs());
            clause.push(lit);
        }
        self.splits.push(above);
        self.solver.add_clause(STRUCTURE, &clause);
        true
    }

    /// Makes the refutation, without lemmas and steps that it does not need.
    fn excluded(&mut self) -> Progress {
        let Some(needed) = self.log.needed() else { return Progress::GaveUp };
        let tags: BTreeSet<Tag> = needed.axioms.into_iter().filter(|tag| *tag != STRUCTURE).collect();
        let lemma = |tag: Tag| self.lemmas[tag.0.to_usize().expect("32 bits fit")].clone();
        let lemmas = tags.into_iter().map(lemma).collect();
        Progress::Excluded(Excluded { splits: self.splits.clone(), lemmas, steps: needed.steps })
    }
}

fn assertable(system: &mut System, sum: &Linear) -> AtomId {
    let terms: Vec<(u32, BigInt)> = sum.terms.iter().map(|(p, c)| (p.0, c.clone())).collect();
    system.atom(&terms, &sum.at_least)
}
