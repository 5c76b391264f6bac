//! The cone of a query: all variables that its literals depend on, down to latches and inputs.
//!
//! A query decides only the variables of its cone ([`sat::Solver::solve_in`], after Su, Yang, Ci, Bu and Huang
//! 2025). It may therefore overlook lemmas about latches outside the cone, and the predecessor that it finds
//! may lie outside the frame. The search remains correct: the predecessor is blocked like any other obligation.
//! The lemma that blocks it contains only latches of the cone, so the same query does not find this predecessor
//! again.
//!
//! Queries that push lemmas overlook nothing: the latches of all lemmas of the frame join their cones. Otherwise an
//! invariant may be complete in some frame, but most frames after it still fail to push a few of its lemmas. Each of
//! these lemmas is then learnt again in the next frame, from its old obligation. On a sorting network of 32 words,
//! 17 frames suffice instead of more than 100. Queries that block obligations or generalise lemmas are more numerous,
//! and a predecessor outside the frame costs them only one more obligation. They would find fewer lemmas with larger
//! cones, but take a tenth more time.

use super::marks::Marks;
use super::source::Source;
use super::table::{GateId, Node, Table};
use hashbrown::HashMap;
use sat::{Lit, Var};

/// Limit on the memory for kept cones: in total they contain at most about this many variables for each
/// variable of the table. The solver of one frame takes about as much memory.
const KEPT: usize = 16;

/// Limit on walks through kept cones: they may visit at most this many variables for each variable in the set.
/// A fresh search is cheaper when the set is nearly complete, because it stops at variables that are in the set
/// already.
const WALKED: usize = 4;

/// A set of variables, in topological order.
///
/// Queries have the same roots again and again. The cone of each root is therefore computed once and kept,
/// within the limit [`KEPT`].
#[derive(Default)]
pub(super) struct Cone {
    vars: Vec<Var>,
    inside: Marks,
    /// The kept cone of each root, in topological order.
    known: HashMap<Var, Box<[Var]>>,
    /// Total number of variables in all kept cones.
    kept: usize,
    /// Variables of kept cones visited for the current set.
    walked: usize,
    seen: Marks,
    stack: Vec<(Var, bool)>,
}

impl Cone {
    /// Resets to the empty set.
    pub(super) fn clear(&mut self, variables: usize) {
        self.vars.clear();
        self.inside.clear(variables);
        self.walked = 0;
    }

    /// Adds the cone of a variable to the set.
    pub(super) fn add<S: Source>(&mut self, table: &Table<S>, root: Var) {
        if self.inside.has(root) {
            return;
        }
        let is_kept = self.kept < KEPT * table.len() || self.known.contains_key(&root);
        let pays = self.walked <= WALKED * self.vars.len();
        if !matches!(table.node(root), Node::Gate(_)) || !is_kept || !pays {
            search(table, root, &mut self.stack, &mut self.inside, &mut self.vars);
            return;
        }
        let Self { known, kept, seen, stack, .. } = self;
        let cone = known.entry(root).or_insert_with(|| {
            let mut cone = Vec::new();
            seen.clear(table.len());
            search(table, root, stack, seen, &mut cone);
            *kept += cone.len();
            cone.into_boxed_slice()
        });
        debug_assert_eq!(cone.last(), Some(&root), "a cone ends with its root");
        self.walked += cone.len();
        self.vars.extend(cone.iter().copied().filter(|&var| self.inside.insert(var)));
    }

    pub(super) fn has(&self, var: Var) -> bool {
        self.inside.has(var)
    }

    pub(super) fn vars(&self) -> &[Var] {
        &self.vars
    }
}

/// Adds the cone of `root` to `set` and `vars`. For every variable in the set, the set must contain the
/// variable's cone.
fn search<S: Source>(table: &Table<S>, root: Var, stack: &mut Vec<(Var, bool)>, set: &mut Marks, vars: &mut Vec<Var>) {
    stack.push((root, false));
    while let Some((var, is_done)) = stack.pop() {
        if is_done {
            vars.push(var);
            continue;
        }
        if !set.insert(var) {
            continue;
        }
        match table.node(var) {
            Node::Gate(gate) => {
                stack.push((var, true));
                stack.extend(table.operands(gate).iter().map(|lit| (lit.var(), false)));
            }
            Node::False | Node::Guard => {}
            Node::Input(_) | Node::Latch(_) => vars.push(var),
        }
    }
}

/// Finds a small set of latch and input literals that justifies given literals: every state and input with
/// these literals makes the given literals true.
///
/// The set is read off a model by a walk through the gates, without calls of the solver.
#[derive(Default)]
pub(super) struct Justifier {
    /// For each variable of the cone: estimated cost of the latches that justify its value.
    costs: Vec<u32>,
    needed: Marks,
    stack: Vec<Lit>,
    /// Literals of latches in the justification.
    pub(super) latches: Vec<Lit>,
    /// Literals of inputs in the justification.
    pub(super) inputs: Vec<Lit>,
}

impl Justifier {
    /// Starts with a model of the variables of `cone`. Computes costs bottom-up; where a value has several
    /// reasons, the cheapest counts.
    pub(super) fn begin<S: Source>(&mut self, table: &Table<S>, cone: &Cone, value: impl Fn(Lit) -> Option<bool>) {
        self.latches.clear();
        self.inputs.clear();
        debug_assert!(self.stack.is_empty());
        self.costs.resize(table.len(), 0);
        self.needed.clear(table.len());
        for &var in cone.vars() {
            self.costs[var.index()] = match table.node(var) {
                Node::False | Node::Guard | Node::Input(_) => 0,
                Node::Latch(_) => 16,
                Node::Gate(gate) => {
                    let costs = &self.costs;
                    let cost = |lit: &Lit| costs[lit.var().index()];
                    if value(var.positive()) == Some(true) {
                        let cheapest = |factor: &[Lit]| {
                            factor.iter().filter(|&&lit| value(lit) == Some(true)).map(cost).min().unwrap_or(u32::MAX)
                        };
                        table.factors(gate).map(cheapest).fold(0, u32::saturating_add)
                    } else {
                        let false_ones = table.factors(gate).filter(|f| is_false(f, &value));
                        let sums = false_ones.map(|f| f.iter().map(cost).fold(0, u32::saturating_add));
                        sums.min().unwrap_or(u32::MAX)
                    }
                }
            };
        }
    }

    /// The estimated cost of justifying a literal of the cone.
    pub(super) fn cost(&self, lit: Lit) -> u32 {
        self.costs[lit.var().index()]
    }

    /// Adds a justification of `root`, which the model makes true.
    pub(super) fn add<S: Source>(&mut self, table: &Table<S>, root: Lit, value: impl Fn(Lit) -> Option<bool>) {
        self.stack.push(root);
        while let Some(lit) = self.stack.pop() {
            debug_assert_eq!(value(lit), Some(true), "the model makes it true");
            if !self.needed.insert(lit.var()) {
                continue;
            }
            match table.node(lit.var()) {
                Node::False | Node::Guard => {}
                Node::Input(_) => self.inputs.push(lit),
                Node::Latch(_) => self.latches.push(lit),
                Node::Gate(gate) => self.add_gate(table, gate, lit.is_positive(), &value),
            }
        }
    }

    fn add_gate<S: Source>(
        &mut self,
        table: &Table<S>,
        gate: GateId,
        is_true: bool,
        value: impl Fn(Lit) -> Option<bool>,
    ) {
        let Self { stack, costs, needed, .. } = self;
        // A variable that is in the justification already costs nothing.
        let cost = |lit: &Lit| if needed.has(lit.var()) { 0 } else { costs[lit.var().index()] };
        if is_true {
            for factor in table.factors(gate) {
                stack.extend(factor.iter().filter(|&&lit| value(lit) == Some(true)).min_by_key(|lit| cost(lit)));
            }
        } else {
            let false_ones = table.factors(gate).filter(|f| is_false(f, &value));
            let cheapest = false_ones.min_by_key(|f| f.iter().map(cost).fold(0, u32::saturating_add));
            debug_assert!(cheapest.is_some(), "a false gate has a false factor");
            stack.extend(cheapest.into_iter().flatten().map(|&lit| !lit));
        }
    }
}

fn is_false(factor: &[Lit], value: &impl Fn(Lit) -> Option<bool>) -> bool {
    factor.iter().all(|&lit| value(lit) == Some(false))
}

#[cfg(test)]
mod tests {
    use super::super::source::Static;
    use super::*;
    use model::{Circuit, Signal};
    use proptest::prelude::*;
    use std::sync::Arc;

    /// Makes gates over four inputs. Each pair of codes selects the two operands of a gate among the last
    /// nodes, and whether they are negated.
    fn table(gates: &[(u8, u8)]) -> (Table<Static>, Vec<Lit>) {
        let mut circuit = Circuit::default();
        for _ in 0..4 {
            circuit.input(None);
        }
        for &(a, b) in gates {
            let nodes = circuit.gates().len();
            let signal = |code: u8| Signal::new(nodes - 1 - usize::from(code >> 1) % nodes.min(9), code & 1 == 1);
            circuit.and(signal(a), signal(b));
        }
        let nodes = circuit.gates().len();
        let mut table = Table::new(Static::new(Arc::new(circuit)));
        let lits = (0..nodes).map(|node| table.lit(Signal::new(node, false))).collect();
        (table, lits)
    }

    proptest! {
        /// `kept` is the number of variables that kept cones seem to contain at the start. The greater it is,
        /// the fewer cones are kept. With `usize::MAX`, no cone is kept.
        #[test]
        fn kept_cones_are_those_found(
            gates in prop::collection::vec(any::<(u8, u8)>(), 1..60),
            sets in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 1..12), 1..12),
            kept in prop::sample::select(vec![0, 900, usize::MAX]),
        ) {
            let (table, lits) = table(&gates);
            let mut cone = Cone { kept: kept.min(KEPT * table.len()), ..Cone::default() };
            for set in sets {
                let roots: Vec<Var> = set.iter().map(|root| root.get(&lits).var()).collect();
                let (mut expected, mut marks) = (Vec::new(), Marks::default());
                marks.clear(table.len());
                cone.clear(table.len());
                for &root in &roots {
                    search(&table, root, &mut Vec::new(), &mut marks, &mut expected);
                    cone.add(&table, root);
                }
                prop_assert_eq!(cone.vars(), &expected);
            }
        }
    }
}
