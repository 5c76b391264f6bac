//! Makes a run from a chain of obligations.

use super::Bits;
use super::source::Source;
use super::table::{Node, Table};
use model::{Circuit, CircuitRun, Gate, Reset, Signal};
use sat::SolveResult;

impl<S: Source> Bits<S> {
    /// Returns the run that starts in obligation `first`, which contains an initial state. Returns `None` if
    /// the run does not reach the bad signal, which would be a bug.
    pub(super) fn run_from(&mut self, first: u32) -> Option<CircuitRun> {
        let start = self.start_in(first)?;
        let mut run = CircuitRun { start, inputs: Vec::new() };
        let mut at = Some(first);
        while let Some(id) = at {
            let obligation = self.obligations.get(id);
            run.inputs.push(inputs(&self.table, &obligation.inputs));
            at = obligation.next;
        }
        let is_right = violates(self.table.source.circuit(), self.bad_signal, &run);
        debug_assert!(is_right, "chains of obligations are runs");
        is_right.then_some(run)
    }

    fn start_in(&mut self, first: u32) -> Option<Vec<bool>> {
        let cube = self.obligations.get(first).cube.clone();
        self.prepare_start();
        if self.start.solve(&cube) != SolveResult::Sat {
            return None;
        }
        let mut values: Vec<bool> =
            self.table.source.circuit().latches().iter().map(|latch| latch.reset == Reset::One).collect();
        for index in 0..self.table.len() {
            let var = sat::Var::new(index);
            if let Node::Latch(latch) = self.table.node(var) {
                debug_assert!(self.start.value(var.positive()).is_some() || self.table.reset(var).is_none());
                values[latch.index()] = self.start.value(var.positive()) == Some(true);
            }
        }
        Some(values)
    }
}

fn inputs<S: Source>(table: &Table<S>, named: &[sat::Lit]) -> Vec<bool> {
    let mut values = vec![false; table.source.circuit().inputs().len()];
    for lit in named {
        if let Node::Input(input) = table.node(lit.var()) {
            values[input as usize] = lit.is_positive();
        }
    }
    values
}

/// True if all constraints hold along the run, and the bad signal is true at its end. Latches without a next
/// function count as false; they do not matter, because no query contained them.
pub(super) fn violates(circuit: &Circuit, bad: Signal, run: &CircuitRun) -> bool {
    debug_assert_eq!(run.start.len(), circuit.latches().len());
    debug_assert!(!run.inputs.is_empty(), "the bad signal is true in some frame");
    let mut state = run.start.clone();
    let mut values = vec![false; circuit.gates().len()];
    for (frame, inputs) in run.inputs.iter().enumerate() {
        for (node, gate) in circuit.gates().iter().enumerate() {
            let of = |s: Signal| values[s.node()] != s.is_negated();
            values[node] = match *gate {
                Gate::False => false,
                Gate::Input(input) => inputs[input as usize],
                Gate::Latch(latch) => state[latch.index()],
                Gate::And(a, b) => of(a) && of(b),
            };
        }
        let of = |s: Signal| values[s.node()] != s.is_negated();
        if !circuit.constraints().iter().all(|&s| of(s)) {
            return false;
        }
        if frame + 1 == run.inputs.len() {
            return of(bad);
        }
        for (latch, value) in circuit.latches().iter().zip(&mut state) {
            *value = latch.next.is_some_and(of);
        }
    }
    false
}
