//! Translates justice properties of circuits to outputs, and lifts claims about the outputs.
//!
//! * [`translate`] makes the circuit of a [`Translation`]. Its nodes are listed in
//!   `crates/model/src/circuit/justice.rs`.
//! * [`Justice::lift`] makes a run of this circuit into a run that repeats, and clauses of it into a certificate.
//!
//! With [`Translation::Loop`] each run to the output is a run that repeats: `save` marks the start of the loop, and the
//! last frame is the first frame of the loop again. With [`Translation::Count`] a run to the output shows only that the
//! count goes higher. If such a run passes a state twice, and all signals were true in between, it still contains a run
//! that repeats.
//!
//! A loop closes if the *observed* latches have the same values again: those on which the signals or the constraints
//! depend. Other latches do not matter for the property. They would make loops longer, and circuits larger.

mod add;
mod lasso;
#[cfg(test)]
mod tests;

use model::{
    Certificate, Circuit, CircuitTask, Claim, Goal, JusticeId, JusticeProof, OutputId, Signal, Trace, Translation,
};
use std::sync::Arc;

/// The goal of the translated circuit.
const OUTPUT: Goal = Goal::Output(OutputId(0));

/// A justice property of a circuit, translated to an output.
#[derive(Clone, Debug)]
pub struct Justice {
    circuit: Arc<Circuit>,
    justice: JusticeId,
    translation: Translation,
    /// The translated circuit with its output.
    task: CircuitTask,
}

/// Returns the number of nodes that the translated circuit will have.
#[must_use]
pub fn nodes(circuit: &Circuit, justice: JusticeId, translation: Translation) -> usize {
    let signals = circuit.justices()[justice.index()].signals.len() + circuit.fairness().len();
    let added = match translation {
        Translation::Loop => 8 * circuit.latches().len() + 4 * signals + 4,
        Translation::Count(most) => 4 * signals + 3 * most as usize + 1,
    };
    circuit.gates().len() + added
}

/// Translates a justice property of the circuit.
///
/// # Panics
/// Panics if there is no such property, if a latch has no next function, or if the result has 2^31 nodes.
#[must_use]
pub fn translate(circuit: &Arc<Circuit>, justice: JusticeId, translation: Translation) -> Justice {
    let signals = circuit.recurring(justice);
    let translated = match translation {
        Translation::Loop => add::a_loop(circuit, &signals),
        Translation::Count(most) => add::a_count(circuit, &signals, most),
    };
    let task = CircuitTask::new(Arc::new(translated), [OUTPUT]);
    Justice { circuit: Arc::clone(circuit), justice, translation, task }
}

impl Justice {
    /// The translated circuit with its output.
    #[must_use]
    pub fn task(&self) -> &CircuitTask {
        &self.task
    }

    /// The justice property.
    #[must_use]
    pub fn goal(&self) -> Goal {
        Goal::Justice(self.justice)
    }

    /// Lifts a claim about the output. `None` if the claim says nothing about the justice property: a run to a higher
    /// count that does not repeat.
    #[must_use]
    pub fn lift(&self, claim: Claim) -> Option<Claim> {
        match claim {
            Claim::Unsafe { trace, candidate, .. } => {
                let trace = self.run(&trace)?;
                Some(Claim::Unsafe { goal: self.goal(), trace, candidate })
            }
            Claim::Safe { certificate: Certificate::Clauses(mut clauses), .. } => {
                clauses.exclusions.iter_mut().for_each(|(goal, _)| *goal = self.goal());
                let proof = JusticeProof { translation: self.translation, clauses: *clauses };
                Some(Claim::Safe { goals: vec![self.goal()], certificate: Certificate::Justice(Box::new(proof)) })
            }
            Claim::Unknown { reason, .. } => Some(Claim::Unknown { goals: vec![self.goal()], reason }),
            _ => None,
        }
    }

    /// Returns the run that repeats, from a run of the translated circuit to its output.
    fn run(&self, trace: &Trace) -> Option<Trace> {
        lasso::find(&self.circuit, &self.signals(), trace)
    }

    fn signals(&self) -> Vec<Signal> {
        self.circuit.recurring(self.justice)
    }
}
