//! Circuits as choices: there is one label, the next frame, and its fields are the inputs.

use super::{Choices, Field, MOST_OUTCOMES, Refusal, Taken, outcomes, words};
use crate::steps::Value;
use crate::steps::frames::{Frame, Held, Ports, input_name, latch_name};
use crate::text::names;
use crate::trace::{Detail, NAMES};
use model::{Circuit, Formula, Goal, LatchId, OutputId};
use num_bigint::BigUint;
use std::sync::Arc;

/// A circuit as choices. A state is the value of each latch, and the contents of the memories.
#[derive(Clone, Debug)]
pub struct CircuitChoices {
    circuit: Arc<Circuit>,
    inputs: Ports,
    latches: Ports,
}

/// Returns a field for a bit.
fn bit_field(name: String) -> Field {
    Field::counted(name, 2u32.into(), BigUint::ZERO)
}

/// Returns the number with these bits, 32 to a word.
fn of_words(words: &[u32]) -> BigUint {
    BigUint::new(words.to_vec())
}

impl CircuitChoices {
    /// Creates the choices.
    #[must_use]
    pub fn new(circuit: &Arc<Circuit>) -> Self {
        Self { circuit: Arc::clone(circuit), inputs: Ports::inputs(circuit), latches: Ports::latches(circuit) }
    }

    fn output_name(&self, output: usize) -> String {
        let name = self.circuit.outputs()[output].name.as_deref();
        name.map_or_else(|| format!("output {output}"), str::to_owned)
    }
}

impl Choices for CircuitChoices {
    type State = Held;

    const NOTE: &'static str = "A state lists the latches that are 1, a step the inputs that are 1.";

    const FIRST: u64 = 0;

    fn start_fields(&self) -> Vec<Field> {
        self.circuit.open_latches().map(|latch| bit_field(latch_name(&self.circuit, latch))).collect()
    }

    fn start(&self, outcome: &BigUint) -> Option<Held> {
        self.recorded_start(outcome).map(|start| Frame::first(&self.circuit, &start).held())
    }

    fn start_of(&self, recorded: &[u32]) -> Option<BigUint> {
        Some(of_words(recorded))
    }

    fn recorded_start(&self, outcome: &BigUint) -> Option<Box<[u32]>> {
        words(outcome, self.circuit.open_latches().count()).map(Vec::into_boxed_slice)
    }

    fn labels(&self) -> usize {
        1
    }

    fn name(&self, _: u32) -> String {
        "frame".to_owned()
    }

    fn enabled(&self, _: &Held) -> Vec<u32> {
        vec![0]
    }

    fn fields(&self, _: &Held, _: u32) -> Vec<Field> {
        (0..self.circuit.inputs().len()).map(|i| bit_field(input_name(&self.circuit, i))).collect()
    }

    fn refusal(&self, _: &Held, _: u32) -> Refusal {
        Refusal::Unknown
    }

    fn take(&self, at: &Held, label: u32, outcome: &BigUint) -> Result<Taken<Held>, Refusal> {
        let inputs = words(outcome, self.circuit.inputs().len()).filter(|_| label == 0).ok_or(Refusal::Unknown)?;
        let mut frame = Frame::first(&self.circuit, &[]);
        frame.go_back(at);
        frame.compute(&inputs);
        if !frame.counts() {
            let why = "a constraint does not hold with these inputs, so a run with this frame does not count";
            return Err(Refusal::Other(why.to_owned()));
        }
        let names = self.inputs.shown_in(&frame);
        let outputs = self.circuit.outputs().iter().enumerate();
        let outputs: Vec<usize> = outputs.filter(|(_, o)| frame.is_true(o.signal)).map(|(i, _)| i).collect();
        frame.step();
        Ok(Taken {
            to: frame.held(),
            event: if names.is_empty() { "-".to_owned() } else { names.join(", ") },
            requested_by: Vec::new(),
            shows: outputs.iter().map(|i| self.output_name(*i)).collect(),
            goals: outputs.iter().map(|i| Goal::Output(OutputId::new(*i))).collect(),
            is_rejected: false,
        })
    }

    fn recorded(&self, _: &Held, _: u32, outcome: &BigUint, _: &Held) -> Result<Option<Box<[u32]>>, Refusal> {
        let inputs = words(outcome, self.circuit.inputs().len()).ok_or(Refusal::Unknown)?;
        Ok((!inputs.is_empty()).then(|| inputs.into_boxed_slice()))
    }

    fn outcome_of(&self, _: &Held, _: u32, recorded: Option<&[u32]>) -> Option<BigUint> {
        Some(of_words(recorded.unwrap_or_default()))
    }

    fn parts(&self) -> usize {
        self.circuit.latches().len()
    }

    fn part(&self, part: usize) -> String {
        latch_name(&self.circuit, LatchId::new(part))
    }

    fn value(&self, at: &Held, part: usize) -> Value {
        Value::Bit(at.latches()[part])
    }

    fn differ(&self, at: &Held, other: &Held) -> Vec<usize> {
        super::positions(at.latches(), other.latches())
    }

    fn numbers(&self, at: &Held) -> Vec<u32> {
        at.latches().iter().map(|bit| u32::from(*bit)).collect()
    }

    fn holds(&self, _: &Held, _: &Formula) -> Option<bool> {
        None
    }

    fn reaches(&self, _: &Held, _: Goal) -> bool {
        false
    }

    fn size(&self, at: &Held) -> usize {
        size_of::<Held>() + at.latches().len()
    }

    /// A state is bad if an output is true in it, for some of the inputs that are tried.
    fn is_bad(&self, at: &Held) -> bool {
        let (tried, _) = outcomes(&self.fields(at, 0), MOST_OUTCOMES);
        tried.iter().any(|outcome| self.take(at, 0, outcome).is_ok_and(|taken| !taken.goals.is_empty()))
    }

    fn may_end(&self, _: &Held) -> bool {
        true
    }

    fn lines(&self, _: &Held, at: &Held) -> Vec<String> {
        let lines = self.latches.shown(|i| at.latches()[i]);
        if lines.is_empty() { vec!["(all 0)".to_owned()] } else { lines }
    }

    fn show(&self, at: &Held, most: usize) -> String {
        let shown = self.latches.shown(|i| at.latches()[i]);
        let shown = if shown.is_empty() { "-".to_owned() } else { names(shown.iter().map(String::as_str), most) };
        format!("latches {shown}")
    }

    fn line_of(&self, from: &Held, _: u32, taken: &Taken<Held>, detail: Detail) -> String {
        format!("inputs {}; {}", taken.event, self.show(from, if detail.all { usize::MAX } else { 2 * NAMES }))
    }
}
