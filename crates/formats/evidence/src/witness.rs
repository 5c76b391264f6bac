//! Writer for evidence about circuits for other tools: runs as AIGER witnesses, and clauses as witness circuits.
//!
//! A run has the form that `aigsim` replays: the property, the initial values of all latches, and the inputs of
//! each frame, with bits in the order of the file. A run that violates a justice property ends when it begins to
//! repeat: `aigsim` looks for an earlier frame with the state after the last frame. Clauses become a circuit with a
//! property that is inductive by itself, as Certifaiger checks it (Yu, Biere, Heljanko: Progress in certifying hardware
//! model checking results, 2021). It has the inputs, latches and constraints of the model with the same numbers. Its
//! only bad state is that the model's property or one of the clauses is violated.

use formats::WriteError;
use model::circuit::{bit, pack, unpack};
use model::{Bit, Certificate, Circuit, Clauses, Gate, Goal, LatchId, OutputId, Problem, Signal, Trace};
use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::Arc;

/// The largest number that is written: of bits of input of a run, or of literals of clauses.
pub const LONGEST: u64 = 1 << 26;

/// The largest number of gates that are computed to write a run that repeats.
const MOST_COMPUTED: u64 = 1 << 31;

/// Writes a run of a circuit that violates `goal` as an AIGER witness. Returns false if nothing was written: for
/// another kind of system or goal, a circuit with memories, a run of more than [`LONGEST`] bits, or a run that does not
/// fit the circuit.
///
/// In a witness of a justice property, the state after the last frame is the state of an earlier frame, in all latches.
/// The loop of `trace` need only return to the same values of the latches that matter, so it is repeated until all
/// latches return. If this takes too long, nothing is written.
///
/// # Errors
/// Errors of `out`.
pub fn run(problem: &Problem, goal: Goal, trace: &Trace, out: &mut dyn Write) -> io::Result<bool> {
    let Some(circuit) = problem.system().as_circuit() else { return Ok(false) };
    if !circuit.memories().is_empty() {
        return Ok(false);
    }
    let (Some(property), Some(frames)) = (property(goal, trace), unrolled(circuit, trace)) else { return Ok(false) };
    writeln!(out, "1\n{property}")?;
    writeln!(out, "{}", initial(circuit, trace).into_iter().map(digit).collect::<String>())?;
    for frame in frames {
        writeln!(out, "{}", (0..circuit.inputs().len()).map(|i| digit(bit(frame, i))).collect::<String>())?;
    }
    writeln!(out, ".")?;
    Ok(true)
}

/// Returns the name that witnesses give to the violated property. `None` for another goal, for a run that repeats and
/// violates an output, and for a run that ends and would have to repeat.
pub(crate) fn property(goal: Goal, trace: &Trace) -> Option<String> {
    match (goal, trace.repeats_from) {
        (Goal::Output(output), None) => Some(format!("b{}", output.0)),
        (Goal::Justice(justice), Some(_)) => Some(format!("j{}", justice.0)),
        _ => None,
    }
}

/// True if the run fits the circuit, and has at most [`LONGEST`] bits.
fn is_short(circuit: &Circuit, trace: &Trace) -> bool {
    let words = circuit.inputs().len().div_ceil(32);
    let open = circuit.open_latches().count();
    let mut moves = trace.runs().iter().flat_map(|run| &run.word);
    let fits = moves.all(|step| step.choice.map_or(words == 0, |choice| trace.choice(choice).len() == words));
    let bits = trace.len().and_then(|frames| frames.checked_mul(circuit.inputs().len() as u64 + 1));
    fits && trace.start.len() == open.div_ceil(32) && bits.is_some_and(|bits| bits <= LONGEST)
}

/// Returns the inputs of each frame of the run. The frames of a loop are repeated until all latches return to earlier
/// values. `None` if the run does not fit the circuit, or would have more than [`LONGEST`] bits.
pub(crate) fn unrolled<'t>(circuit: &Circuit, trace: &'t Trace) -> Option<impl Iterator<Item = &'t [u32]>> {
    let most = LONGEST / (circuit.inputs().len() as u64 + 1);
    let passes = if is_short(circuit, trace) { passes(circuit, trace, most)? } else { return None };
    Some(frames(trace).chain((1..passes).flat_map(|_| looped(trace))))
}

/// Returns the number of passes of the loop after which all latches have the values that they had before one of the
/// passes. 1 if the run does not repeat. `None` if the run would be longer than `most` frames.
fn passes(circuit: &Circuit, trace: &Trace, most: u64) -> Option<u64> {
    let (length, Some(from)) = (trace.len()?, trace.repeats_from) else { return Some(1) };
    let round = length.checked_sub(from).filter(|&round| round > 0)?;
    let mut latches = initial(circuit, trace);
    let mut left = MOST_COMPUTED;
    let mut take = |latches: &mut Vec<bool>, inputs: &[u32]| -> Option<()> {
        left = left.checked_sub(circuit.gates().len() as u64)?;
        *latches = next(circuit, latches, inputs)?;
        Some(())
    };
    frames(trace).take(usize::try_from(from).ok()?).try_for_each(|frame| take(&mut latches, frame))?;
    let mut before: HashSet<Box<[u32]>> = HashSet::new();
    for passes in 0.. {
        if !before.insert(pack(latches.iter().copied())) {
            return Some(passes);
        }
        let is_long = from + round * (passes + 1) > most;
        if is_long || (passes + 1).saturating_mul(circuit.latches().len() as u64) > LONGEST {
            return None;
        }
        looped(trace).try_for_each(|frame| take(&mut latches, frame))?;
    }
    None
}

/// Returns the values of the latches in the next frame. `None` if a latch has no next function.
fn next(circuit: &Circuit, latches: &[bool], inputs: &[u32]) -> Option<Vec<bool>> {
    let values = values(circuit, latches, inputs);
    let value = |signal: Signal| values[signal.node()] != signal.is_negated();
    circuit.latches().iter().map(|latch| Some(value(latch.next?))).collect()
}

/// Returns the values of all nodes in a frame.
pub(crate) fn values(circuit: &Circuit, latches: &[bool], inputs: &[u32]) -> Vec<bool> {
    let mut values: Vec<bool> = Vec::with_capacity(circuit.gates().len());
    let value = |values: &[bool], signal: Signal| values[signal.node()] != signal.is_negated();
    for gate in circuit.gates() {
        values.push(match *gate {
            Gate::False => false,
            Gate::Input(input) => bit(inputs, input as usize),
            Gate::Latch(latch) => latches[latch.index()],
            Gate::And(a, b) => value(&values, a) && value(&values, b),
        });
    }
    values
}

/// Returns the digit of a bit.
pub(crate) fn digit(bit: bool) -> char {
    if bit { '1' } else { '0' }
}

/// Returns the inputs of each frame of the run, one pass of the loop included.
fn frames(trace: &Trace) -> impl Iterator<Item = &[u32]> {
    let steps = trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| &run.word));
    steps.map(|step| step.choice.map_or(&[][..], |choice| trace.choice(choice)))
}

/// Returns the inputs of each frame of the loop.
fn looped(trace: &Trace) -> impl Iterator<Item = &[u32]> {
    let from = trace.repeats_from.and_then(|from| usize::try_from(from).ok());
    frames(trace).skip(from.unwrap_or(usize::MAX))
}

/// Returns the values of the latches in the first frame.
pub(crate) fn initial(circuit: &Circuit, trace: &Trace) -> Vec<bool> {
    circuit.start(unpack(&trace.start, circuit.open_latches().count()))
}

/// Writes the witness circuit of clauses that exclude `goal`. Returns false if nothing was written: for another
/// kind of system, goal or certificate, a circuit with memories, more than [`LONGEST`] literals, or clauses over bits
/// that the circuit does not have.
///
/// # Errors
/// Errors of `out`.
pub fn circuit(problem: &Problem, goal: Goal, proof: &Certificate, out: &mut dyn Write) -> io::Result<bool> {
    let (Some(circuit), Goal::Output(output), Certificate::Clauses(clauses)) =
        (problem.system().as_circuit(), goal, proof)
    else {
        return Ok(false);
    };
    if !circuit.memories().is_empty() {
        return Ok(false);
    }
    let Some(witness) = strengthened(circuit, output, clauses) else { return Ok(false) };
    let problem = Problem::of(Arc::new(witness));
    match circuits_read::write_aiger(&problem, out) {
        Ok(()) => Ok(true),
        Err(WriteError::Io(error)) => Err(error),
        Err(WriteError::Feature(_)) => Ok(false),
    }
}

/// Returns the model without names, and with a single output: that the property or a clause is violated. Names
/// are left out because they have another meaning in witness circuits; inputs and latches are identified by
/// their numbers.
fn strengthened(model: &Circuit, output: OutputId, clauses: &Clauses) -> Option<Circuit> {
    // The bad state of a witness circuit is inductive over one frame. An induction of one goal over one frame shows
    // just this; one over several frames does not.
    if clauses.induction.as_ref().is_some_and(|of| of.frames > 1 || clauses.exclusions.len() > 1) {
        return None;
    }
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
