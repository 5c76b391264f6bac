//! Circuits as choices: there is one label, the next frame, and its fields are the inputs.

use super::{Choices, Field, Refusal, Taken, words};
use crate::steps::Value;
use crate::steps::frames::{Frame, Ports, input_name, latch_name};
use model::circuit::bit;
use model::{Circuit, Formula, Goal, LatchId, OutputId};
use num_bigint::BigUint;
use std::sync::Arc;

/// A circuit as choices. A state is the value of each latch.
#[derive(Clone, Debug)]
pub struct CircuitChoices {
    circuit: Arc<Circuit>,
    inputs: Ports,
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
        Self { circuit: Arc::clone(circuit), inputs: Ports::inputs(circuit) }
    }

    fn output_name(&self, output: usize) -> String {
        let name = self.circuit.outputs()[output].name.as_deref();
        name.map_or_else(|| format!("output {output}"), str::to_owned)
    }
}

impl Choices for CircuitChoices {
    type State = Vec<bool>;

    fn start_fields(&self) -> Vec<Field> {
        self.circuit.open_latches().map(|latch| bit_field(latch_name(&self.circuit, latch))).collect()
    }

    fn start(&self, outcome: &BigUint) -> Option<Vec<bool>> {
        self.recorded_start(outcome).map(|start| Frame::first(&self.circuit, &start).latches())
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

    fn enabled(&self, _: &Vec<bool>) -> Vec<u32> {
        vec![0]
    }

    fn fields(&self, _: &Vec<bool>, _: u32) -> Vec<Field> {
        (0..self.circuit.inputs().len()).map(|i| bit_field(input_name(&self.circuit, i))).collect()
    }

    fn refusal(&self, _: &Vec<bool>, _: u32) -> Refusal {
        Refusal::Unknown
    }

    fn take(&self, at: &Vec<bool>, label: u32, outcome: &BigUint) -> Result<Taken<Vec<bool>>, Refusal> {
        let inputs = words(outcome, self.circuit.inputs().len()).filter(|_| label == 0).ok_or(Refusal::Unknown)?;
        if !self.circuit.memories().is_empty() {
            let why =
                "the circuit has a memory, and states here are values of latches only; `simulate` computes memories";
            return Err(Refusal::Other(why.to_owned()));
        }
        let mut frame = Frame::first(&self.circuit, &[]);
        frame.restore(at);
        frame.compute(&inputs);
        if !frame.counts() {
            let why = "a constraint does not hold with these inputs, so a run with this frame does not count";
            return Err(Refusal::Other(why.to_owned()));
        }
        let names = self.inputs.shown(|i| bit(&inputs, i));
        let outputs = self.circuit.outputs().iter().enumerate();
        let outputs: Vec<usize> = outputs.filter(|(_, o)| frame.is_true(o.signal)).map(|(i, _)| i).collect();
        frame.step();
        Ok(Taken {
            to: frame.latches(),
            event: if names.is_empty() { "-".to_owned() } else { names.join(", ") },
            requested_by: Vec::new(),
            shows: outputs.iter().map(|i| self.output_name(*i)).collect(),
            goals: outputs.iter().map(|i| Goal::Output(OutputId::new(*i))).collect(),
            is_rejected: false,
        })
    }

    fn recorded(&self, _: &Vec<bool>, _: u32, outcome: &BigUint, _: &Vec<bool>) -> Result<Option<Box<[u32]>>, Refusal> {
        let inputs = words(outcome, self.circuit.inputs().len()).ok_or(Refusal::Unknown)?;
        Ok((!inputs.is_empty()).then(|| inputs.into_boxed_slice()))
    }

    fn outcome_of(&self, _: &Vec<bool>, _: u32, recorded: Option<&[u32]>) -> Option<BigUint> {
        Some(of_words(recorded.unwrap_or_default()))
    }

    fn parts(&self) -> usize {
        self.circuit.latches().len()
    }

    fn part(&self, part: usize) -> String {
        latch_name(&self.circuit, LatchId::new(part))
    }

    fn value(&self, at: &Vec<bool>, part: usize) -> Value {
        Value::Bit(at[part])
    }

    fn differ(&self, at: &Vec<bool>, other: &Vec<bool>) -> Vec<usize> {
        super::positions(at, other)
    }

    fn numbers(&self, at: &Vec<bool>) -> Vec<u32> {
        at.iter().map(|bit| u32::from(*bit)).collect()
    }

    fn holds(&self, _: &Vec<bool>, _: &Formula) -> Option<bool> {
        None
    }

    fn reaches(&self, _: &Vec<bool>, _: Goal) -> bool {
        false
    }

    fn size(&self, at: &Vec<bool>) -> usize {
        size_of::<Vec<bool>>() + at.len()
    }
}
