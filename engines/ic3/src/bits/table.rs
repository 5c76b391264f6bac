//! Signals as literals of the SAT solvers, which all share one numbering.
//!
//! A node gets a variable when something first asks for it, after the nodes it is made of; so variables are in topological
//! order, and what no query ever needs costs nothing. The literal for what a latch holds in the next frame is simply that of its
//! next function: there are no copies of latches for the next frame.

use super::source::Source;
use model::{Gate, LatchId, Reset, Signal};
use sat::{Lit, Var};

/// What a variable stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    /// True when negated.
    False,
    /// The input of this number.
    Input(u32),
    /// What a latch holds.
    Latch(LatchId),
    /// The conjunction of literals of smaller variables.
    And(Lit, Lit),
    /// No node: the solvers guard temporary clauses by it.
    Guard,
}

/// The variable that is [`Node::Guard`], after the constant's.
pub(super) const GUARD: usize = 1;

const NONE: u32 = u32::MAX;

/// Which variable is which node, and what follows from the circuit for variables.
pub(super) struct Table<S> {
    pub(super) source: S,
    nodes: Vec<Node>,
    /// By node of the circuit: its variable.
    vars: Vec<u32>,
    /// By variable, of a latch: its next function, if it has been asked for.
    nexts: Vec<Option<Lit>>,
    stack: Vec<usize>,
}

impl<S: Source> Table<S> {
    pub(super) fn new(source: S) -> Self {
        let mut table = Self { source, nodes: Vec::new(), vars: Vec::new(), nexts: Vec::new(), stack: Vec::new() };
        table.lit(Signal::FALSE);
        debug_assert_eq!(table.nodes.len(), GUARD);
        table.nodes.push(Node::Guard);
        table.nexts.push(None);
        table
    }

    /// How many variables there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, var: Var) -> Node {
        self.nodes[var.index()]
    }

    /// The literal of a signal. Makes variables for its cone, down to latches and inputs.
    pub(super) fn lit(&mut self, signal: Signal) -> Lit {
        let gates = self.source.circuit().gates();
        if self.vars.len() < gates.len() {
            self.vars.resize(gates.len(), NONE);
        }
        self.stack.push(signal.node());
        while let Some(&node) = self.stack.last() {
            if self.vars[node] != NONE {
                self.stack.pop();
                continue;
            }
            let made = match gates[node] {
                Gate::False => Node::False,
                Gate::Input(input) => Node::Input(input),
                Gate::Latch(latch) => Node::Latch(latch),
                Gate::And(a, b) => {
                    let open = [a, b].into_iter().filter(|s| self.vars[s.node()] == NONE);
                    let before = self.stack.len();
                    self.stack.extend(open.map(Signal::node));
                    if self.stack.len() > before {
                        continue;
                    }
                    Node::And(known(&self.vars, a), known(&self.vars, b))
                }
            };
            self.stack.pop();
            self.vars[node] = u32::try_from(self.nodes.len()).expect("no more variables than nodes");
            self.nodes.push(made);
            self.nexts.push(None);
        }
        known(&self.vars, signal)
    }

    /// The latch of a literal, and the value that it says the latch holds.
    pub(super) fn value_of(&self, lit: Lit) -> Option<(LatchId, bool)> {
        match self.node(lit.var()) {
            Node::Latch(latch) => Some((latch, lit.is_positive())),
            _ => None,
        }
    }

    /// What is true before a step iff this literal of a latch is true after it.
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
        self.nexts[var.index()] = Some(next);
        next
    }

    /// What the latch of this literal holds at the start, as a literal; `None`: anything.
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
    let var = Var::new(vars[signal.node()] as usize);
    if signal.is_negated() { var.negative() } else { var.positive() }
}
