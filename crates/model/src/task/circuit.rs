//! The task of engines for circuits.

use crate::circuit::Circuit;
use crate::goal::Goal;
use crate::ids::OutputId;
use crate::problem::Problem;
use std::sync::Arc;

/// A circuit and the outputs to decide.
#[derive(Clone, Debug)]
pub struct CircuitTask {
    circuit: Arc<Circuit>,
    outputs: Vec<OutputId>,
}

impl CircuitTask {
    /// Creates a task. Goals other than outputs of the circuit are dropped.
    #[must_use]
    pub fn new(circuit: Arc<Circuit>, goals: impl IntoIterator<Item = Goal>) -> Self {
        let count = circuit.outputs().len();
        let output = |goal| if let Goal::Output(output) = goal { Some(output) } else { None };
        let outputs = goals.into_iter().filter_map(output).filter(|output| output.index() < count).collect();
        Self { circuit, outputs }
    }

    /// Returns the task of a problem about a circuit; `None` for other kinds of systems.
    #[must_use]
    pub fn of(problem: &Problem) -> Option<Self> {
        Some(Self::new(Arc::clone(problem.system().as_circuit()?), problem.goals()))
    }

    /// The circuit.
    #[must_use]
    pub fn circuit(&self) -> &Arc<Circuit> {
        &self.circuit
    }

    /// The outputs that must not become true.
    #[must_use]
    pub fn outputs(&self) -> &[OutputId] {
        &self.outputs
    }

    /// The goals to decide.
    pub fn goals(&self) -> impl Iterator<Item = Goal> + '_ {
        self.outputs.iter().map(|output| Goal::Output(*output))
    }
}
