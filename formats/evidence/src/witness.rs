//! Writer for evidence about circuits for other tools: runs as AIGER witnesses, and clauses as witness circuits.
//!
//! A run has the form that `aigsim` replays: the property, the initial values of all latches, and the inputs of
//! each frame, with bits in the order of the file. Clauses become a circuit with a property that is inductive by
//! itself, as Certifaiger checks it (Yu, Biere, Heljanko: Progress in certifying hardware model checking
//! results, 2021). It has the inputs, latches and constraints of the model with the same numbers. Its only bad
//! state is that the model's property or one of the clauses is violated.

use formats::WriteError;
use model::{Bit, Certificate, Circuit, Clauses, Gate, Goal, LatchId, OutputId, Problem, Reset, Signal, Trace};
use std::io::{self, Write};
use std::sync::Arc;

/// The largest number that is written: of bits of input of a run, or of literals of clauses.
pub const LONGEST: u64 = 1 << 26;

/// Writes a run of a circuit that violates `goal` as an AIGER witness. Returns false if nothing was written: for
/// another kind of system or goal, a run of more than [`LONGEST`] bits, or a run that does not fit the circuit.
///
/// # Errors
/// Errors of `out`.
pub fn run(problem: &Problem, goal: Goal, trace: &Trace, out: &mut dyn Write) -> io::Result<bool> {
    let (Some(circuit), Goal::Output(output)) = (problem.system().as_circuit(), goal) else { return Ok(false) };
    if !is_short(circuit, trace) {
        return Ok(false);
    }
    let inputs = circuit.inputs().len();
    writeln!(out, "1\nb{}", output.0)?;
    let mut next_open = 0..;
    let initial = |latch: &model::Latch| match latch.reset {
        Reset::Zero => '0',
        Reset::One => '1',
        Reset::Open => bit(&trace.start, next_open.next().unwrap_or(0)),
    };
    writeln!(out, "{}", circuit.latches().iter().map(initial).collect::<String>())?;
    for run in trace.runs() {
        for step in (0..run.times).flat_map(|_| &run.word) {
            let words = step.choice.map_or(&[][..], |choice| trace.choice(choice));
            writeln!(out, "{}", (0..inputs).map(|i| bit(words, i)).collect::<String>())?;
        }
    }
    writeln!(out, ".")?;
    Ok(true)
}

/// True if the run fits the circuit, and has at most [`LONGEST`] bits.
pub(crate) fn is_short(circuit: &Circuit, trace: &Trace) -> bool {
    let words = circuit.inputs().len().div_ceil(32);
    let open = circuit.latches().iter().filter(|latch| latch.reset == Reset::Open).count();
    let mut moves = trace.runs().iter().flat_map(|run| &run.word);
    let fits = moves.all(|step| step.choice.map_or(words == 0, |choice| trace.choice(choice).len() == words));
    let bits = trace.len().and_then(|frames| frames.checked_mul(circuit.inputs().len() as u64 + 1));
    fits && trace.start.len() == open.div_ceil(32) && bits.is_some_and(|bits| bits <= LONGEST)
}

pub(crate) fn bit(words: &[u32], at: usize) -> char {
    if words[at / 32] >> (at % 32) & 1 == 1 { '1' } else { '0' }
}

/// Writes the witness circuit of clauses that exclude `goal`. Returns false if nothing was written: for another
/// kind of system, goal or certificate, more than [`LONGEST`] literals, or clauses over bits that the circuit
/// does not have.
///
/// # Errors
/// Errors of `out`.
pub fn circuit(problem: &Problem, goal: Goal, proof: &Certificate, out: &mut dyn Write) -> io::Result<bool> {
    let (Some(circuit), Goal::Output(output), Certificate::Clauses(clauses)) =
        (problem.system().as_circuit(), goal, proof)
    else {
        return Ok(false);
    };
    let Some(witness) = strengthened(circuit, output, clauses) else { return Ok(false) };
    let problem = Problem::of(Arc::new(witness));
    match formats::write_aiger(&problem, out) {
        Ok(()) => Ok(true),
        Err(WriteError::Io(error)) => Err(error),
        Err(WriteError::Feature(_)) => Ok(false),
    }
}

/// Returns the model without names, and with a single output: that the property or a clause is violated. Names
/// are left out because they have another meaning in witness circuits; inputs and latches are identified by
/// their numbers.
fn strengthened(model: &Circuit, output: OutputId, clauses: &Clauses) -> Option<Circuit> {
    let clausal = &clauses.invariant;
    let literals: usize = clausal.clauses.iter().map(|clause| clause.len() + 1).sum();
    if literals as u64 > LONGEST {
        return None;
    }
    let mut circuit = Circuit::default();
    for gate in model.gates() {
        match *gate {
            Gate::False => {}
            Gate::Input(_) => {
                circuit.input(None);
            }
            Gate::Latch(id) => {
                circuit.latch(model.latches()[id.index()].reset, None);
            }
            Gate::And(a, b) => {
                circuit.and(a, b);
            }
        }
    }
    for (i, latch) in model.latches().iter().enumerate() {
        circuit.set_next(LatchId::new(i), latch.next?);
    }
    model.constraints().iter().for_each(|signal| circuit.constrain(*signal));
    let mut good = vec![!model.outputs().get(output.index())?.signal];
    for clause in &clausal.clauses {
        let broken: Option<Vec<Signal>> =
            clause.iter().map(|literal| negation(model, &clausal.bits, *literal)).collect();
        good.push(!all(&mut circuit, broken?));
    }
    let good = all(&mut circuit, good);
    circuit.output(!good, None);
    Some(circuit)
}

fn negation(circuit: &Circuit, bits: &[Bit], literal: i32) -> Option<Signal> {
    let at = usize::try_from(literal.unsigned_abs()).ok()?.checked_sub(1)?;
    let signal = match bits.get(at)? {
        Bit::Latch(latch) => circuit.latches().get(latch.index())?.signal,
        Bit::Node(signal) => *signal,
        Bit::In(..) | Bit::AtLeast(..) | Bit::Room(_) => return None,
    };
    Some(signal.negated_if(literal > 0))
}

/// Returns the conjunction of all signals, as a balanced tree.
fn all(circuit: &mut Circuit, mut layer: Vec<Signal>) -> Signal {
    while layer.len() > 1 {
        layer = layer.chunks(2).map(|c| if let [a, b] = *c { circuit.and(a, b) } else { c[0] }).collect();
    }
    layer.first().copied().unwrap_or(Signal::TRUE)
}
