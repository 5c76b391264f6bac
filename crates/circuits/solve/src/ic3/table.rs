//! Translates signals to literals of the SAT solvers. All solvers share one numbering.
//!
//! A node gets a variable on first use, after the nodes that it depends on. Variables are therefore in
//! topological order, and nodes that no query needs cost nothing. The value of a latch in the next frame is the
//! literal of its next function; there are no copies of latches for the next frame.
//!
//! A gate that feeds only one other gate mostly gets no variable, as if it were eliminated (Een and Biere
//! 2005). A tree of conjunctions becomes one gate, and so does a conjunction of small disjunctions, for
//! instance a multiplexer.

use super::source::Source;
use model::{Gate, LatchId, Reset, Signal};
use sat::{Lit, Var};

/// The meaning of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    /// The constant false.
    False,
    /// The input with this number.
    Input(u32),
    /// The value of a latch.
    Latch(LatchId),
    /// A conjunction of disjunctions of literals. Their variables are smaller than that of the gate.
    Gate(GateId),
    /// No node of the circuit: solvers use this variable to guard temporary clauses.
    Guard,
}

/// The variable of [`Node::Guard`]. It follows the variable of the constant.
pub(super) const GUARD: usize = 1;

const NONE: u32 = u32::MAX;

/// Identifies a gate with its factors.
#[derive(Clone, Copy, Debug)]
pub(super) struct GateId(u32);

/// Maximal number of clauses that make a gate true if all its factors are. There is one clause for each choice
/// of a literal from each factor.
const PRODUCT: usize = 8;

/// Factors of gates. A gate is true if each of its factors contains a true literal.
#[derive(Default)]
struct Factors {
    /// For each gate, the index of its first factor. Its factors end where those of the next gate begin.
    gates: Vec<u32>,
    /// For each factor, the end of its literals in `lits`.
    ends: Vec<u32>,
    lits: Vec<Lit>,
}

impl Factors {
    fn push(&mut self, factors: &[Vec<Lit>]) -> GateId {
        self.gates.push(index(self.ends.len()));
        for factor in factors {
            self.lits.extend_from_slice(factor);
            self.ends.push(index(self.lits.len()));
        }
        GateId(index(self.gates.len() - 1))
    }

    fn range(&self, gate: GateId) -> std::ops::Range<usize> {
        let end = self.gates.get(gate.0 as usize + 1).map_or(self.ends.len(), |&end| end as usize);
        self.gates[gate.0 as usize] as usize..end
    }

    fn start(&self, factor: usize) -> usize {
        factor.checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }
}

fn index(number: usize) -> u32 {
    u32::try_from(number).expect("no more operands than 2^32")
}

/// Maps the nodes of the circuit to variables and back, with gates and next functions as literals.
pub(super) struct Table<S> {
    pub(super) source: S,
    nodes: Vec<Node>,
    /// For each node of the circuit, its variable.
    vars: Vec<u32>,
    /// For each variable of a latch, the literal of its next function, if some query needed it.
    nexts: Vec<Option<Lit>>,
    factors: Factors,
    /// For each node of the circuit, the number of gates that it feeds, at most 2.
    uses: Vec<u8>,
    stack: Vec<usize>,
}

impl<S: Source> Table<S> {
    pub(super) fn new(source: S) -> Self {
        let mut table = Self {
            source,
            nodes: Vec::new(),
            vars: Vec::new(),
            nexts: Vec::new(),
            factors: Factors::default(),
            uses: Vec::new(),
            stack: Vec::new(),
        };
        table.count_uses();
        let circuit = table.source.circuit();
        let nexts = circuit.latches().iter().filter_map(|latch| latch.next);
        let roots =
            nexts.chain(circuit.constraints().iter().copied()).chain(circuit.outputs().iter().map(|o| o.signal));
        let named = table.source.names().iter().map(|(_, gate)| *gate);
        for root in roots.chain(named) {
            table.uses[root.node()] = 2;
        }
        table.lit(Signal::FALSE);
        debug_assert_eq!(table.nodes.len(), GUARD);
        table.nodes.push(Node::Guard);
        table.nexts.push(None);
        table
    }

    /// The number of variables.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, var: Var) -> Node {
        self.nodes[var.index()]
    }

    /// Counts the uses of nodes by gates that were added since the last call.
    fn count_uses(&mut self) {
        let gates = self.source.circuit().gates();
        let before = self.uses.len();
        self.uses.resize(gates.len(), 0);
        self.vars.resize(gates.len(), NONE);
        for gate in &gates[before..] {
            if let Gate::And(a, b) = *gate {
                for node in [a.node(), b.node()] {
                    self.uses[node] = (self.uses[node] + 1).min(2);
                }
            }
        }
    }

    /// Returns the literal of a signal. Makes variables for its cone, down to latches and inputs.
    pub(super) fn lit(&mut self, signal: Signal) -> Lit {
        debug_assert!(self.stack.is_empty());
        self.count_uses();
        self.stack.push(signal.node());
        while let Some(&node) = self.stack.last() {
            if self.vars[node] != NONE {
                self.stack.pop();
                continue;
            }
            let made = match self.source.circuit().gates()[node] {
                Gate::False => Node::False,
                Gate::Input(input) => Node::Input(input),
                Gate::Latch(latch) => Node::Latch(latch),
                Gate::And(a, b) => {
                    let factors = self.flatten(a, b);
                    let before = self.stack.len();
                    let open = factors.iter().flatten().filter(|s| self.vars[s.node()] == NONE);
                    self.stack.extend(open.map(|s| s.node()));
                    if self.stack.len() > before {
                        continue;
                    }
                    let lits = |f: &Vec<Signal>| f.iter().map(|&s| known(&self.vars, s)).collect();
                    let factors: Vec<Vec<Lit>> = factors.iter().map(lits).collect();
                    Node::Gate(self.factors.push(&factors))
                }
            };
            self.stack.pop();
            self.vars[node] = index(self.nodes.len());
            self.nodes.push(made);
            self.nexts.push(None);
        }
        known(&self.vars, signal)
    }

    /// The operands of a node that is merged into the only gate that it feeds, or `None` if the node gets a
    /// variable.
    fn inside(&self, node: usize) -> Option<[Signal; 2]> {
        match self.source.circuit().gates()[node] {
            Gate::And(a, b) if self.uses[node] == 1 && self.vars[node] == NONE => Some([a, b]),
            _ => None,
        }
    }

    /// Flattens the conjunction of `a` and `b` to factors: the conjunction is true if each factor contains a
    /// true signal.
    fn flatten(&self, a: Signal, b: Signal) -> Vec<Vec<Signal>> {
        let mut factors: Vec<Vec<Signal>> = Vec::new();
        let mut product = 1;
        for signal in self.leaves(a, b, usize::MAX) {
            let inner = self.inside(signal.node()).filter(|_| signal.is_negated());
            let inner = inner.map(|[a, b]| self.leaves(a, b, PRODUCT / product));
            match inner.filter(|leaves| leaves.len() * product <= PRODUCT) {
                Some(leaves) => {
                    product *= leaves.len();
                    factors.push(leaves.into_iter().map(|leaf| !leaf).collect());
                }
                None => factors.push(vec![signal]),
            }
        }
        debug_assert!(product <= PRODUCT && factors.iter().all(|factor| !factor.is_empty()));
        factors.sort_unstable();
        factors.dedup();
        factors
    }

    /// The operands of a tree of conjunctions. Trees are cut where they would have more than `most` operands.
    fn leaves(&self, a: Signal, b: Signal, most: usize) -> Vec<Signal> {
        let mut leaves = Vec::new();
        let mut open = vec![b, a];
        while let Some(signal) = open.pop() {
            match self.inside(signal.node()).filter(|_| !signal.is_negated()) {
                Some([a, b]) if leaves.len() + open.len() < most => open.extend([b, a]),
                _ => leaves.push(signal),
            }
        }
        leaves.sort_unstable();
        leaves.dedup();
        leaves
    }

    /// The factors of a gate.
    pub(super) fn factors(&self, gate: GateId) -> impl Iterator<Item = &[Lit]> {
        let factors = &self.factors;
        factors.range(gate).map(|f| &factors.lits[factors.start(f)..factors.ends[f] as usize])
    }

    /// All literals in the factors of a gate.
    pub(super) fn operands(&self, gate: GateId) -> &[Lit] {
        let range = self.factors.range(gate);
        &self.factors.lits[self.factors.start(range.start)..self.factors.start(range.end)]
    }

    /// The latch of a literal, with the value that the literal gives it.
    pub(super) fn value_of(&self, lit: Lit) -> Option<(LatchId, bool)> {
        match self.node(lit.var()) {
            Node::Latch(latch) => Some((latch, lit.is_positive())),
            _ => None,
        }
    }

    /// Returns the literal that is true before a step iff the given literal of a latch is true after the step.
    pub(super) fn next(&mut self, lit: Lit) -> Lit {
        let next = match self.nexts[lit.var().index()] {
            Some(next) => next,
            None => self.define(lit.var()),
        };
        if lit.is_positive() { next } else { !next }
    }

    fn define(&mut self, var: Var) -> Lit {
        let Node::Latch(latch) = self.node(var) else { unreachable!("only latches have next functions") };
        if self.source.circuit().latches()[latch.index()].next.is_none() {
            self.source.define(latch);
        }
        let signal = self.source.circuit().latches()[latch.index()].next.expect("it has just been defined");
        let next = self.lit(signal);
        debug_assert!(self.nexts[var.index()].is_none());
        self.nexts[var.index()] = Some(next);
        next
    }

    /// The reset value of a latch, as a literal. `None` if the latch may start with any value.
    pub(super) fn reset(&self, var: Var) -> Option<Lit> {
        let Node::Latch(latch) = self.node(var) else { return None };
        match self.source.circuit().latches()[latch.index()].reset {
            Reset::Zero => Some(var.negative()),
            Reset::One => Some(var.positive()),
            Reset::Open => None,
        }
    }
}

fn known(vars: &[u32], signal: Signal) -> Lit {
    debug_assert_ne!(vars[signal.node()], NONE, "operands come first");
    let var = Var::new(vars[signal.node()] as usize);
    if signal.is_negated() { var.negative() } else { var.positive() }
}
