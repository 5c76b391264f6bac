//! Builds a circuit from the rows of an AIGER file: inputs, latches, then gates, each gate after its operands.

use super::cursor::Res;
use super::rows::{Row, Rows};
use crate::outputs;
use formats::codes;
use formats::error::Error;
use formats::format::Read;
use model::{Circuit, LatchId, Problem, Property, Reset, Signal};
use std::sync::Arc;

/// The definition of a variable of the file, packed into 32 bits. There are fewer than 2^30 nodes and fewer than
/// 2^30 gates (limit on nodes), so two bits distinguish the cases of [`Definition`].
#[derive(Clone, Copy, PartialEq, Eq)]
struct Variable(u32);

enum Definition {
    Nothing,
    Node(Signal),
    /// The gate in this row, for which the circuit has no node yet.
    Gate(usize),
}

const GATE: u32 = 1 << 31;

impl Variable {
    const NOTHING: Self = Self(u32::MAX);

    fn node(signal: Signal) -> Self {
        Self(signal.code())
    }

    fn gate(row: usize) -> Self {
        Self(GATE | u32::try_from(row).unwrap_or(u32::MAX))
    }

    fn known(self) -> Definition {
        match self {
            Self::NOTHING => Definition::Nothing,
            Self(code) if code & GATE != 0 => Definition::Gate((code ^ GATE) as usize),
            Self(code) => Definition::Node(Signal::from_code(code)),
        }
    }
}

struct Builder<'r, 'a> {
    rows: &'r Rows<'a>,
    circuit: Circuit,
    variables: Vec<Variable>,
}

pub(super) fn problem(rows: &Rows<'_>) -> Res<Read> {
    let mut builder = Builder {
        rows,
        circuit: Circuit::default(),
        variables: vec![Variable::NOTHING; rows.header.maximum as usize + 1],
    };
    builder.variables[0] = Variable::node(Signal::FALSE);
    builder.state()?;
    builder.gates()?;
    builder.ends()?;
    let (properties, warnings) = properties(rows, &builder.circuit);
    let problem = Problem::of(Arc::new(builder.circuit)).asking(properties);
    let problem = problem.map_err(|mismatch| Error::unfit(&rows.source.name, &mismatch))?;
    Ok(Read { problem, warnings })
}

impl Builder<'_, '_> {
    fn state(&mut self) -> Res<()> {
        for (i, &row) in self.rows.inputs.iter().enumerate() {
            let at = self.free(row, row.literals[0])?;
            self.variables[at] = Variable::node(self.circuit.input(self.rows.symbols.inputs.get(i)));
        }
        for (i, &row) in self.rows.latches.iter().enumerate() {
            let [own, _, reset] = row.literals;
            let at = self.free(row, own)?;
            let reset = match reset {
                0 => Reset::Zero,
                1 => Reset::One,
                open if open == own => Reset::Open,
                other => {
                    let message = format!("the latch {own} cannot start with {other}");
                    let error = self.rows.error(&codes::AIGER_RESET, row, message);
                    return Err(error.label(format!("expected 0, 1, or {own} for either value")));
                }
            };
            let id = self.circuit.latch(reset, self.rows.symbols.latches.get(i));
            self.variables[at] = Variable::node(self.circuit.latches()[id.index()].signal);
        }
        Ok(())
    }

    /// Returns the variable of a literal that this row defines. Refuses odd literals, 0, and variables defined
    /// before.
    fn free<const N: usize>(&self, row: Row<N>, literal: u32) -> Res<usize> {
        let at = self.variable(row, literal)?;
        if literal % 2 == 1 || at == 0 {
            let error = self.rows.error(&codes::AIGER_LITERAL, row, format!("the literal {literal} cannot be defined"));
            return Err(error.label("expected an even number from 2"));
        }
        if self.variables[at] != Variable::NOTHING {
            let error = self.rows.error(&codes::AIGER_DEFINED, row, format!("{literal} is defined twice"));
            return Err(error.label("again here"));
        }
        Ok(at)
    }

    fn variable<const N: usize>(&self, row: Row<N>, literal: u32) -> Res<usize> {
        let at = (literal / 2) as usize;
        if at < self.variables.len() {
            return Ok(at);
        }
        let message = format!("there is no literal {literal}: the largest variable is {}", self.rows.header.maximum);
        Err(self.rows.error(&codes::AIGER_LITERAL, row, message).label("according to the header"))
    }

    /// Adds the gates to the circuit. A gate may stand before its operands in the file, so the gates are visited
    /// depth first, with an explicit stack.
    fn gates(&mut self) -> Res<()> {
        for (i, &row) in self.rows.ands.iter().enumerate() {
            let at = self.free(row, row.literals[0])?;
            self.variables[at] = Variable::gate(i);
        }
        let mut open = vec![false; self.rows.ands.len()];
        let mut stack = Vec::new();
        for first in 0..self.rows.ands.len() {
            stack.push(first);
            while let Some(&gate) = stack.last() {
                let row = self.rows.ands[gate];
                let [own, a, b] = row.literals;
                if let Definition::Node(_) = self.variables[(own / 2) as usize].known() {
                    stack.pop();
                    continue;
                }
                open[gate] = true;
                match (self.operand(row, a)?, self.operand(row, b)?) {
                    (Ok(a), Ok(b)) => {
                        let signal = self.circuit.and(a.min(b), a.max(b));
                        self.variables[(own / 2) as usize] = Variable::node(signal);
                        stack.pop();
                    }
                    (Err(waiting), _) | (_, Err(waiting)) if open[waiting] => {
                        let error =
                            self.rows.error(&codes::AIGER_CYCLE, row, format!("the gate {own} depends on itself"));
                        return Err(error.label("its operands lead back to it"));
                    }
                    (Err(waiting), _) | (_, Err(waiting)) => stack.push(waiting),
                }
            }
        }
        Ok(())
    }

    /// Returns the signal of a literal, or the gate for which a node must be made first.
    fn operand<const N: usize>(&self, row: Row<N>, literal: u32) -> Res<Result<Signal, usize>> {
        let at = self.variable(row, literal)?;
        match self.variables[at].known() {
            Definition::Node(signal) => Ok(Ok(signal.negated_if(literal % 2 == 1))),
            Definition::Gate(gate) => Ok(Err(gate)),
            Definition::Nothing => {
                let message = format!("{} is not an input, latch or gate", literal & !1);
                Err(self.rows.error(&codes::AIGER_UNDEFINED, row, message).label("not defined"))
            }
        }
    }

    /// Returns the signal of a literal, after all gates have nodes.
    fn signal<const N: usize>(&self, row: Row<N>, literal: u32) -> Res<Signal> {
        Ok(self.operand(row, literal)?.unwrap_or(Signal::FALSE))
    }

    fn ends(&mut self) -> Res<()> {
        for (i, &row) in self.rows.latches.iter().enumerate() {
            let next = self.signal(row, row.literals[1])?;
            self.circuit.set_next(LatchId::new(i), next);
        }
        // In a file with bad states or justice properties, outputs are no goals, but their literals must be defined
        // all the same.
        for &row in &self.rows.outputs {
            self.signal(row, row.literals[0])?;
        }
        let (asked, names) = if asks_outputs(self.rows) {
            (&self.rows.outputs, &self.rows.symbols.outputs)
        } else {
            (&self.rows.bad, &self.rows.symbols.bad)
        };
        for (i, &row) in asked.iter().enumerate() {
            let signal = self.signal(row, row.literals[0])?;
            self.circuit.output(signal, names.get(i));
        }
        for &row in &self.rows.constraints {
            let signal = self.signal(row, row.literals[0])?;
            self.circuit.constrain(signal);
        }
        for (i, signals) in self.rows.justice.iter().enumerate() {
            let signals: Res<Vec<Signal>> = signals.iter().map(|&row| self.signal(row, row.literals[0])).collect();
            self.circuit.justice(signals?, self.rows.symbols.justice.get(i));
        }
        for &row in &self.rows.fairness {
            let signal = self.signal(row, row.literals[0])?;
            self.circuit.add_fairness(signal);
        }
        Ok(())
    }
}

/// True if the outputs are the properties. Files of AIGER before version 1.9 have no other properties.
fn asks_outputs(rows: &Rows<'_>) -> bool {
    rows.bad.is_empty() && rows.justice.is_empty()
}

/// Returns one property for each output and each justice property of the circuit, and the warnings.
fn properties(rows: &Rows<'_>, circuit: &Circuit) -> (Vec<Property>, Vec<Error>) {
    let properties = outputs::properties(circuit, if asks_outputs(rows) { 'o' } else { 'b' });
    let mut warnings = Vec::new();
    if let (Some(&row), true) = (rows.fairness.first(), rows.justice.is_empty()) {
        let message = "fairness constraints without justice property have no effect".to_owned();
        let error = rows.error(&codes::AIGER_LIVENESS, row, message);
        warnings.push(*error.label("fairness is skipped").warning());
    }
    if properties.is_empty() {
        let message = "the circuit has no output, no bad state and no justice property";
        let error = Error::whole(&codes::AIGER_NO_PROPERTY, &rows.source.name, message);
        warnings.push(*error.hint("the file has no question").warning());
    }
    (properties, warnings)
}
