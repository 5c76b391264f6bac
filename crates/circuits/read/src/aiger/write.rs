//! Writers for both forms. Inputs, latches and gates are numbered in this order, independent of their nodes, so
//! that equal circuits give equal files. The outputs of the circuit are written as bad-state properties.

use crate::outputs::circuit_for;
pub(super) use formats::error::WriteError;
use model::{Circuit, Gate, Output, Problem, Reset, Signal};
use std::io::{self, Write};

/// Writes a circuit as text.
///
/// # Errors
/// Errors of `out`, a system that is not a circuit, and a latch without next function.
pub fn ascii(problem: &Problem, out: &mut dyn Write) -> Result<(), WriteError> {
    let circuit = circuit_for("aag", problem)?;
    let layout = Layout::of(circuit);
    layout.header("aag", circuit, out)?;
    for input in circuit.inputs() {
        writeln!(out, "{}", layout.literal(input.signal))?;
    }
    for latch in circuit.latches() {
        write!(out, "{} ", layout.literal(latch.signal))?;
        layout.latch("aag", latch, out)?;
    }
    layout.ends(circuit, out)?;
    for (own, larger, smaller) in layout.ands(circuit) {
        writeln!(out, "{own} {larger} {smaller}")?;
    }
    Ok(symbols(circuit, out)?)
}

pub(super) fn binary(problem: &Problem, out: &mut dyn Write) -> Result<(), WriteError> {
    let circuit = circuit_for("aig", problem)?;
    let layout = Layout::of(circuit);
    layout.header("aig", circuit, out)?;
    for latch in circuit.latches() {
        layout.latch("aig", latch, out)?;
    }
    layout.ends(circuit, out)?;
    for (own, larger, smaller) in layout.ands(circuit) {
        delta(own - larger, out)?;
        delta(larger - smaller, out)?;
    }
    Ok(symbols(circuit, out)?)
}

/// For each node of the circuit: its variable in the file.
struct Layout {
    variables: Vec<u32>,
}

impl Layout {
    fn of(circuit: &Circuit) -> Self {
        let mut variables = vec![0; circuit.gates().len()];
        let mut next = 0;
        let mut number = |node: usize| {
            next += 1;
            variables[node] = next;
        };
        circuit.inputs().iter().for_each(|input| number(input.signal.node()));
        circuit.latches().iter().for_each(|latch| number(latch.signal.node()));
        let gates = circuit.gates().iter().enumerate();
        gates.filter(|(_, gate)| matches!(gate, Gate::And(..))).for_each(|(node, _)| number(node));
        Self { variables }
    }

    fn literal(&self, signal: Signal) -> u32 {
        2 * self.variables[signal.node()] + u32::from(signal.is_negated())
    }

    fn header(&self, magic: &str, circuit: &Circuit, out: &mut dyn Write) -> io::Result<()> {
        let (inputs, latches) = (circuit.inputs().len(), circuit.latches().len());
        let bad = circuit.outputs().len();
        write!(out, "{magic} {} {inputs} {latches} 0 {} {bad}", circuit.gates().len() - 1, circuit.ands())?;
        // Numbers at the end are left out if they are 0.
        let rest = [circuit.constraints().len(), circuit.justices().len(), circuit.fairness().len()];
        let written = rest.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
        rest[..written].iter().try_for_each(|count| write!(out, " {count}"))?;
        writeln!(out)
    }

    fn latch(&self, format: &str, latch: &model::Latch, out: &mut dyn Write) -> Result<(), WriteError> {
        let next = latch.next.ok_or_else(|| WriteError::feature(format, "a latch without next function"))?;
        write!(out, "{}", self.literal(next))?;
        match latch.reset {
            Reset::Zero => {}
            Reset::One => write!(out, " 1")?,
            Reset::Open => write!(out, " {}", self.literal(latch.signal))?,
        }
        Ok(writeln!(out)?)
    }

    fn ends(&self, circuit: &Circuit, out: &mut dyn Write) -> io::Result<()> {
        let (bad, constraints) = (circuit.outputs().iter().map(|o| o.signal), circuit.constraints().iter().copied());
        for signal in bad.chain(constraints) {
            writeln!(out, "{}", self.literal(signal))?;
        }
        for justice in circuit.justices() {
            writeln!(out, "{}", justice.signals.len())?;
        }
        let justice = circuit.justices().iter().flat_map(|justice| &justice.signals);
        for &signal in justice.chain(circuit.fairness()) {
            writeln!(out, "{}", self.literal(signal))?;
        }
        Ok(())
    }

    /// Iterates over the gates as literals: the gate, its larger operand, its smaller operand. Operands come
    /// before their gates, so operands have smaller numbers.
    fn ands<'c>(&'c self, circuit: &'c Circuit) -> impl Iterator<Item = (u32, u32, u32)> + 'c {
        circuit.gates().iter().enumerate().filter_map(|(node, gate)| {
            let Gate::And(a, b) = *gate else { return None };
            let (a, b) = (self.literal(a), self.literal(b));
            Some((2 * self.variables[node], a.max(b), a.min(b)))
        })
    }
}

/// Writes a difference in groups of seven bits.
fn delta(mut delta: u32, out: &mut dyn Write) -> io::Result<()> {
    while delta >= 0x80 {
        out.write_all(&[(delta & 0x7F) as u8 | 0x80])?;
        delta >>= 7;
    }
    out.write_all(&[delta as u8])
}

fn symbols(circuit: &Circuit, out: &mut dyn Write) -> io::Result<()> {
    let mut names = |kind: char, list: &mut dyn Iterator<Item = Option<&str>>| -> io::Result<()> {
        for (i, name) in list.enumerate() {
            // A name with a line break cannot be written, so it is left out.
            if let Some(name) = name.filter(|name| !name.contains(['\n', '\r'])) {
                writeln!(out, "{kind}{i} {name}")?;
            }
        }
        Ok(())
    };
    names('i', &mut circuit.inputs().iter().map(|i| i.name.as_deref()))?;
    names('l', &mut circuit.latches().iter().map(|l| l.name.as_deref()))?;
    names('b', &mut circuit.outputs().iter().map(|Output { name, .. }| name.as_deref()))?;
    names('j', &mut circuit.justices().iter().map(|justice| justice.name.as_deref()))
}
