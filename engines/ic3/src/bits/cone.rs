//! What a query speaks of: the cone of its literals, down to latches and inputs.
//!
//! A query decides only that ([`sat::Solver::solve_in`], after Su, Yang, Ci, Bu and Huang 2025). Lemmas about other
//! latches may then be overlooked, so that the predecessor found may lie outside the frame. It is a predecessor all the
//! same: blocking it is as good as any obligation, and the lemma that blocks it speaks of latches in the cone only, so
//! that it is not found again.

use super::marks::Marks;
use super::source::Source;
use super::table::{GateId, Node, Table};
use hashbrown::HashMap;
use sat::{Lit, Var};

/// Cones are kept until they have so many variables for each that there is: memory of the order of one frame's solver.
const KEPT: usize = 16;

/// Variables that walks through kept cones may look at for each that the set has. A search turns back at the first that
/// is there already.
const WALKED: usize = 4;

/// A set of variables, in topological order.
///
/// Queries have the same roots again and again, so the cone of each is searched for once, and kept while there is room.
#[derive(Default)]
pub(super) struct Cone {
    vars: Vec<Var>,
    inside: Marks,
    /// By root: its cone, in topological order.
    known: HashMap<Var, Box<[Var]>>,
    /// Variables in all of them.
    kept: usize,
    /// Variables walked through for this set.
    walked: usize,
    seen: Marks,
    stack: Vec<(Var, bool)>,
}

impl Cone {
    /// Starts with the empty set.
    pub(super) fn clear(&mut self, variables: usize) {
        self.vars.clear();
        self.inside.clear(variables);
        self.walked = 0;
    }

    /// Adds the cone of a variable.
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

    pub(super) fn vars(&self) -> &[Var] {
        &self.vars
    }
}

/// Adds the cone of `root` to a set that has with each variable its cone.
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

/// The least set of latches that makes literals true that are true in a model, found by looking at gates alone.
#[derive(Default)]
pub(super) struct Justifier {
    /// By variable of the cone: latches that it takes to justify its value, roughly.
    costs: Vec<u32>,
    needed: Marks,
    stack: Vec<Lit>,
    /// Literals of latches that were needed.
    pub(super) latches: Vec<Lit>,
    /// Literals of inputs that were needed.
    pub(super) inputs: Vec<Lit>,
}

impl Justifier {
    /// Begins with a model of the variables of `cone`: costs bottom-up, the cheaper of two reasons wherever there are
    /// two.
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

    /// How much it takes to justify a literal of the cone.
    pub(super) fn cost(&self, lit: Lit) -> u32 {
        self.costs[lit.var().index()]
    }

    /// Adds what makes `root` true.
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
        // What has been needed already costs nothing.
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

    /// Gates over four inputs: for each, which of the last nodes it is about, and whether they are negated.
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
        /// With cones that are kept, with some that are not, and with none.
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
