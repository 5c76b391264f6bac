//! Lifting: from a state that leads to an obligation, to a cube of such states.
//!
//! The state and the inputs of a model determine all literals that the query asked for. So "this state, these inputs,
//! and some asked literal is false" has no model. A core of the state's literals is a cube: from each of its states,
//! the inputs lead on (Chockler, Ivrii, Matsliah, Moran and Nevo 2011).
//!
//! Latches with high activity are assumed first, so that the core prefers them: obligations then speak of the latches
//! of recent lemmas, and lemmas of few latches exclude them. On a queue of 8 words, cubes chosen without regard to
//! activity need 4 times as many lemmas. Names of gates ([`super::signals`]) are assumed before all latches: a core
//! with a name does without the latches of its gate. Names that follow from the core join the cube.

use super::Bits;
use super::cube::{Cube, cube};
use super::search::Name;
use super::source::Source;
use super::table::Node;
use sat::{Limits, Lit, SolveResult};

/// Conflict limit of a query.
const CONFLICTS: u64 = 1_000;
/// Number of queries for one cube, each with the core of the one before in the opposite order.
const ROUNDS: usize = 4;

impl<S: Source> Bits<S> {
    /// Returns a cube and literals of inputs, after a query of frame `level` returned `Sat`: with these inputs, every
    /// state of the cube steps into the queried cube, or makes the bad signal true. `None` if the limits are reached.
    pub(super) fn lift(&mut self, level: usize) -> Option<(Cube, Box<[Lit]>)> {
        debug_assert!(self.demands.is_empty(), "clauses over inputs are justified, not lifted");
        if self.lifter.is_spoilt() {
            self.lifter = super::solvers::FrameSolver::new(false);
        }
        self.lifter.grow(&self.table, &self.clauses[..2 * self.names.len()], self.by);
        self.lifter.encode(&self.table, &self.cone);
        let targets: Vec<Lit> = self.roots.iter().chain(&self.constraints).copied().collect();
        let (mut latches, mut inputs) = self.model(level);
        let activity = &self.activity;
        latches.sort_by(|a, b| activity.order(b.var(), a.var()).then(a.cmp(b)));
        latches.sort_by_key(|lit| !self.is_name(lit.var()));
        let mut before = self.lifter.effort();
        let all_inputs = inputs.clone();
        for _ in 0..ROUNDS {
            let assumed: Vec<Lit> = all_inputs.iter().chain(&latches).copied().collect();
            self.lifter.exclude_once(&targets);
            let limits = Limits { conflicts: Some(CONFLICTS), stop: None };
            if self.lifter.solve_in(self.cone.vars(), &assumed, &limits) != SolveResult::Unsat {
                self.spend_query(self.lifter.effort() - before);
                return None;
            }
            self.spend_query(self.lifter.effort() - before);
            before = self.lifter.effort();
            self.in_core.clear(self.table.len());
            for lit in self.lifter.core() {
                self.in_core.insert(lit.var());
            }
            let size = latches.len();
            latches.retain(|lit| self.in_core.has(lit.var()));
            inputs = all_inputs.iter().copied().filter(|lit| self.in_core.has(lit.var())).collect();
            if latches.len() == size {
                break;
            }
            latches.reverse();
            latches.sort_by_key(|lit| !self.is_name(lit.var()));
        }
        self.add_implied(&mut latches);
        Some((cube(latches), inputs.into_boxed_slice()))
    }

    /// Adds the names that get a value from the literals. Generalisation may then do without the latches of their
    /// gates. Only names in the cone of the query are added: a lemma about others might be overlooked by the same
    /// query, which would find the same state again.
    fn add_implied(&mut self, lits: &mut Vec<Lit>) {
        if self.names.is_empty() {
            return;
        }
        self.implied.clear();
        self.implied.extend(lits.iter().map(|lit| (lit.var(), lit.is_positive())));
        for Name { name, gate, cone, .. } in &self.names {
            if self.implied.contains_key(name) || !self.cone.has(*name) {
                continue;
            }
            for &var in cone {
                let Node::Gate(id) = self.table.node(var) else { continue };
                let value = |lit: &Lit| self.implied.get(&lit.var()).map(|value| *value == lit.is_positive());
                let is_true = |factor: &[Lit]| factor.iter().any(|lit| value(lit) == Some(true));
                let is_false = |factor: &[Lit]| factor.iter().all(|lit| value(lit) == Some(false));
                let known = if self.table.factors(id).any(is_false) {
                    false
                } else if self.table.factors(id).all(is_true) {
                    true
                } else {
                    continue;
                };
                self.implied.insert(var, known);
            }
            if let Some(&value) = self.implied.get(&gate.var()) {
                let is_true = value == gate.is_positive();
                lits.push(if is_true { name.positive() } else { name.negative() });
                self.implied.insert(*name, is_true);
            }
        }
    }

    /// Returns the literals of latches and inputs in the cone that the last query's model makes true.
    fn model(&self, level: usize) -> (Vec<Lit>, Vec<Lit>) {
        let solver = &self.solvers[level];
        let (mut latches, mut inputs) = (Vec::new(), Vec::new());
        for &var in self.cone.vars() {
            let list = match self.table.node(var) {
                Node::Latch(_) => &mut latches,
                Node::Input(_) => &mut inputs,
                Node::Gate(_) | Node::False | Node::Guard => continue,
            };
            match solver.value(var.positive()) {
                Some(true) => list.push(var.positive()),
                Some(false) => list.push(var.negative()),
                None => {}
            }
        }
        (latches, inputs)
    }
}
