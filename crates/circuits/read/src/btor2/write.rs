//! Writer of circuits: inputs and states of one bit, and `and` nodes. Lines are numbered in the order inputs, latches,
//! gates, independent of the nodes of the circuit, so that equal circuits give equal files.

use crate::outputs::circuit_for;
pub(super) use formats::error::WriteError;
use model::{Circuit, Gate, Problem, Reset, Signal};
use std::io::Write;

/// The lines of the sort and the constants.
const SORT: u32 = 1;
const ZERO: u32 = 2;
const ONE: u32 = 3;

pub(super) fn text(problem: &Problem, out: &mut dyn Write) -> Result<(), WriteError> {
    let circuit = circuit_for("btor2", problem)?;
    writeln!(out, "{SORT} sort bitvec 1\n{ZERO} zero {SORT}\n{ONE} one {SORT}")?;
    let mut lines = Lines { ids: vec![ZERO; circuit.gates().len()], last: ONE };
    for input in circuit.inputs() {
        let id = lines.node(input.signal.node());
        writeln!(out, "{id} input {SORT}{}", symbol(input.name.as_deref()))?;
    }
    for latch in circuit.latches() {
        let id = lines.node(latch.signal.node());
        writeln!(out, "{id} state {SORT}{}", symbol(latch.name.as_deref()))?;
    }
    for (node, gate) in circuit.gates().iter().enumerate() {
        let Gate::And(a, b) = *gate else { continue };
        let (a, b) = (lines.operand(a), lines.operand(b));
        writeln!(out, "{} and {SORT} {a} {b}", lines.node(node))?;
    }
    latches(circuit, &mut lines, out)?;
    for output in circuit.outputs() {
        let signal = lines.operand(output.signal);
        writeln!(out, "{} bad {signal}{}", lines.next(), symbol(output.name.as_deref()))?;
    }
    for constraint in circuit.constraints() {
        let signal = lines.operand(*constraint);
        writeln!(out, "{} constraint {signal}", lines.next())?;
    }
    for justice in circuit.justices() {
        write!(out, "{} justice {}", lines.next(), justice.signals.len())?;
        justice.signals.iter().try_for_each(|signal| write!(out, " {}", lines.operand(*signal)))?;
        writeln!(out, "{}", symbol(justice.name.as_deref()))?;
    }
    for signal in circuit.fairness() {
        let signal = lines.operand(*signal);
        writeln!(out, "{} fair {signal}", lines.next())?;
    }
    Ok(())
}

/// Writes initial and next values.
fn latches(circuit: &Circuit, lines: &mut Lines, out: &mut dyn Write) -> Result<(), WriteError> {
    for latch in circuit.latches() {
        let (id, next) = (lines.operand(latch.signal), latch.next);
        let next = next.ok_or_else(|| WriteError::feature("btor2", "a latch without next function"))?;
        let init = match latch.reset {
            Reset::Zero => Some(ZERO),
            Reset::One => Some(ONE),
            Reset::Open => None,
        };
        if let Some(init) = init {
            writeln!(out, "{} init {SORT} {id} {init}", lines.next())?;
        }
        let next = lines.operand(next);
        writeln!(out, "{} next {SORT} {id} {next}", lines.next())?;
    }
    Ok(())
}

/// For each node of the circuit: its line.
struct Lines {
    ids: Vec<u32>,
    last: u32,
}

impl Lines {
    fn next(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    fn node(&mut self, node: usize) -> u32 {
        self.ids[node] = self.next();
        self.ids[node]
    }

    fn operand(&self, signal: Signal) -> i64 {
        let id = i64::from(self.ids[signal.node()]);
        if signal.is_negated() { -id } else { id }
    }
}

/// Returns the end of a line with this name. A name that is not one word, or that would begin a comment, cannot be
/// written, so it is left out.
fn symbol(name: Option<&str>) -> String {
    let is_symbol = |name: &&str| !name.is_empty() && !name.starts_with(';') && !name.contains([' ', '\t', '\n', '\r']);
    name.filter(is_symbol).map_or_else(String::new, |name| format!(" {name}"))
}
