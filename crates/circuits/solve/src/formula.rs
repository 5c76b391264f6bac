//! The gates of an unrolled circuit as clauses in a SAT solver. Gates are added when a question needs them.

use model::{Budget, Circuit, Gate, Signal};
use sat::{DecidedBy, Limits, Lit, Options, SolveResult, Solver, Stats, Tag, Var};

const TAG: Tag = Tag(0);

/// Ticks of the solver per work unit.
const TICKS_PER_UNIT: u64 = 32;
/// Copied nodes per work unit.
pub(crate) const NODES_PER_UNIT: u64 = 8;
/// Ticks that one call of the solver should take at most, so that the stop flag is polled often enough.
const TICKS_PER_CALL: u64 = 1 << 22;
/// Maximum number of conflicts in one call of the solver.
const CONFLICTS: u64 = 1_000;

/// The conflicts of the next call of the solver. They adapt to what a conflict costs.
#[derive(Debug)]
pub(crate) struct Effort {
    conflicts: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self { conflicts: CONFLICTS }
    }
}

/// A SAT solver with the gates that questions needed so far.
pub(crate) struct Formula {
    solver: Solver,
    /// The variable of each node, if it has one.
    vars: Vec<Option<Var>>,
    /// Number of nodes that have a variable.
    encoded: usize,
    stack: Vec<usize>,
    /// For each node: true while it is in a list under construction.
    seen: Vec<bool>,
}

impl Default for Formula {
    fn default() -> Self {
        Self {
            solver: Solver::new(Options::default()),
            vars: Vec::new(),
            encoded: 0,
            stack: Vec::new(),
            seen: Vec::new(),
        }
    }
}

impl Formula {
    /// Requires that the signal is true.
    pub(crate) fn require(&mut self, graph: &Circuit, signal: Signal) {
        let lit = self.literal(graph, signal);
        self.solver.add_clause(TAG, &[lit]);
    }

    /// Requires that the signals are equal.
    pub(crate) fn equate(&mut self, graph: &Circuit, a: Signal, b: Signal) {
        let (a, b) = (self.literal(graph, a), self.literal(graph, b));
        self.solver.add_clause(TAG, &[!a, b]);
        self.solver.add_clause(TAG, &[a, !b]);
    }

    /// Decides whether the signals can be true at the same time.
    pub(crate) fn solve(&mut self, graph: &Circuit, signals: &[Signal], limits: &Limits) -> SolveResult {
        let lits: Vec<Lit> = signals.iter().map(|&signal| self.literal(graph, signal)).collect();
        self.solver.solve_within(&lits, limits)
    }

    /// Like [`Formula::solve`], for a short time, which is taken from the budget.
    pub(crate) fn spend(
        &mut self,
        graph: &Circuit,
        signals: &[Signal],
        effort: &mut Effort,
        budget: &mut Budget,
    ) -> SolveResult {
        let (ticks, encoded) = (self.stats().ticks, self.encoded);
        let answer = self.solve(graph, signals, &Limits { conflicts: Some(effort.conflicts), ..Limits::default() });
        let ticks = self.stats().ticks - ticks;
        effort.conflicts = match ticks {
            ticks if ticks > TICKS_PER_CALL => (effort.conflicts / 2).max(1),
            ticks if ticks < TICKS_PER_CALL / 4 => (effort.conflicts * 2).min(CONFLICTS),
            _ => effort.conflicts,
        };
        budget.spend(1 + ticks / TICKS_PER_UNIT + (self.encoded - encoded) as u64 / NODES_PER_UNIT);
        answer
    }

    /// Like [`Formula::solve`], but decides only the gates on which the signals depend. If the answer is `Sat`, what
    /// is required of other gates may contradict the model.
    pub(crate) fn solve_nearby(&mut self, graph: &Circuit, signals: &[Signal], limits: &Limits) -> SolveResult {
        let lits: Vec<Lit> = signals.iter().map(|&signal| self.literal(graph, signal)).collect();
        self.seen.resize(graph.gates().len(), false);
        let mut cone: Vec<usize> = Vec::new();
        self.stack.extend(signals.iter().map(|signal| signal.node()));
        while let Some(node) = self.stack.pop() {
            if !std::mem::replace(&mut self.seen[node], true) {
                cone.push(node);
                if let Gate::And(a, b) = graph.gates()[node] {
                    self.stack.extend([a.node(), b.node()]);
                }
            }
        }
        cone.iter().for_each(|&node| self.seen[node] = false);
        cone.sort_unstable();
        let domain: Vec<Var> = cone.into_iter().filter_map(|node| self.vars[node]).collect();
        self.solver.solve_in(&domain, &lits, limits)
    }

    /// True if the last answer was `Unsat` whatever was asked: what is required contradicts itself.
    pub(crate) fn is_contradictory(&self) -> bool {
        self.solver.core().is_empty()
    }

    /// The value of a signal in the last model. `None` if it does not matter.
    pub(crate) fn value(&self, signal: Signal) -> Option<bool> {
        let var = (*self.vars.get(signal.node())?)?;
        Some(self.solver.value(var.positive())? ^ signal.is_negated())
    }

    /// The work of the solver.
    pub(crate) fn stats(&self) -> &Stats {
        self.solver.stats()
    }

    /// Returns the literal of a signal. Adds the clauses of its cone.
    fn literal(&mut self, graph: &Circuit, signal: Signal) -> Lit {
        self.vars.resize(graph.gates().len(), None);
        debug_assert!(self.stack.is_empty());
        self.stack.push(signal.node());
        while let Some(&node) = self.stack.last() {
            if self.vars[node].is_some() {
                self.stack.pop();
                continue;
            }
            let gate = graph.gates()[node];
            if let Gate::And(a, b) = gate {
                let missing = [a, b].into_iter().map(Signal::node).filter(|&node| self.vars[node].is_none());
                let before = self.stack.len();
                self.stack.extend(missing);
                if self.stack.len() > before {
                    continue;
                }
            }
            self.stack.pop();
            self.encode(node, gate);
        }
        self.known(signal)
    }

    /// Adds the clauses of a gate with known operands.
    fn encode(&mut self, node: usize, gate: Gate) {
        let var = self.solver.new_var(DecidedBy::Host);
        self.vars[node] = Some(var);
        self.encoded += 1;
        let output = var.positive();
        match gate {
            Gate::False => self.solver.add_clause(TAG, &[!output]),
            Gate::Input(_) | Gate::Latch(_) => {}
            Gate::And(a, b) => {
                let (a, b) = (self.known(a), self.known(b));
                self.solver.add_clause(TAG, &[!output, a]);
                self.solver.add_clause(TAG, &[!output, b]);
                self.solver.add_clause(TAG, &[output, !a, !b]);
            }
        }
    }

    fn known(&self, signal: Signal) -> Lit {
        let lit = self.vars[signal.node()].expect("its cone has been added").positive();
        if signal.is_negated() { !lit } else { lit }
    }
}
