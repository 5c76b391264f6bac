//! IC3 for behavioral programs. The program is encoded as a circuit (`crate::encode`), and claims about the
//! circuit are lifted to the program.
//!
//! Clauses over latches are lifted to clauses over "thread i is in state s", which the checker proves on the
//! program as read. Runs of the circuit end in goal states, because goal states have no successors.

use crate::encode::{CircuitLift, Code, Encoded, encode};
use circuits::CircuitIc3;
use circuits::ic3::{Options, Static};
use model::{
    Budget, Certificate, Circuit, Claim, Engine, Goal, OutputId, ProgramTask, Reason, Save, Saved, Stats, Stop, Turn,
    Unrestored, Unsaved,
};
use std::sync::Arc;

/// IC3 for the goals `bad` and `deadlock` of a program.
pub struct ProgramIc3 {
    outputs: CircuitIc3,
    circuit: Arc<Circuit>,
    /// The program's goal for each output.
    goals: Vec<Goal>,
    lift: CircuitLift,
}

impl ProgramIc3 {
    /// Makes the engine. Returns `None` for programs with assumptions, and for programs with a circuit of more
    /// than `limit` nodes.
    #[must_use]
    pub fn new(task: &ProgramTask, code: Code, limit: usize, options: &Options) -> Option<Self> {
        if !task.assumptions().is_empty() {
            return None;
        }
        let goals = task.goals().to_vec();
        let Encoded { circuit, clauses, lift } = encode(task.program(), &goals, code, limit).ok()?;
        debug_assert_eq!(circuit.outputs().len(), goals.len(), "an output for each goal");
        let circuit = Arc::new(circuit);
        let source = Static::with_clauses(Arc::clone(&circuit), clauses.into());
        let outputs = CircuitIc3::over(&source, (0..goals.len()).map(OutputId::new), options);
        Some(Self { outputs, circuit, goals, lift })
    }

    /// The program's goal for a goal of the circuit.
    fn asked(&self, goal: Goal) -> Goal {
        match goal {
            Goal::Output(output) => self.goals[output.index()],
            goal => goal,
        }
    }

    fn lift(&self, claim: Claim) -> Claim {
        match claim {
            Claim::Unsafe { goal, trace, candidate } => match self.lift.trace(&self.circuit, &trace) {
                Some(trace) => Claim::Unsafe { goal: self.asked(goal), trace, candidate },
                None => Claim::Unknown { goals: vec![self.asked(goal)], reason: Reason::GaveUp },
            },
            Claim::Safe { goals, certificate } => {
                let goals = goals.into_iter().map(|g| self.asked(g)).collect();
                match self.certificate(certificate) {
                    Some(certificate) => Claim::Safe { goals, certificate },
                    None => Claim::Unknown { goals, reason: Reason::Uncertified },
                }
            }
            Claim::Within { goals, .. } => Claim::Unknown { goals, reason: Reason::Bound },
            Claim::Branching { .. } | Claim::Bound { .. } => unreachable!("circuits have no such goals"),
            Claim::Unknown { goals, reason } => {
                Claim::Unknown { goals: goals.into_iter().map(|g| self.asked(g)).collect(), reason }
            }
        }
    }

    fn certificate(&self, certificate: Certificate) -> Option<Certificate> {
        let Certificate::Clauses(mut clauses) = certificate else { return None };
        clauses.invariant = self.lift.clauses(&clauses.invariant)?;
        for (goal, derivation) in &mut clauses.exclusions {
            (*goal, *derivation) = (self.asked(*goal), None);
        }
        Some(Certificate::Clauses(clauses))
    }
}

fn output(number: usize) -> Goal {
    Goal::Output(OutputId::new(number))
}

impl Engine for ProgramIc3 {
    fn name(&self) -> &'static str {
        "ic3"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        match self.outputs.run(budget) {
            Turn::Claims(claim) => Turn::Claims(self.lift(claim)),
            turn => turn,
        }
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called, because this engine makes no claim with `candidate: true`.
    }

    fn settled(&mut self, goals: &[Goal]) {
        let outputs: Vec<Goal> =
            (0..self.goals.len()).filter(|&i| goals.contains(&self.goals[i])).map(output).collect();
        self.outputs.settled(&outputs);
    }

    fn save(&mut self, since: u64, to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        self.outputs.save(since, to)
    }

    fn restore(&mut self, from: &mut dyn Saved, stop: &Stop) -> Result<Option<u64>, Unrestored> {
        self.outputs.restore(from, stop)
    }

    fn stats(&self) -> Stats {
        self.outputs.stats()
    }
}
