//! Runs of circuits: a step is a frame, and the state after it is what the latches hold in the next one.

use super::{Change, Play, State, What};
use crate::cli::frames::{Frame, bit, input_name, latch_name};
use impasse::model::{Circuit, Goal, LatchId, Move, Problem, Trace};
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) struct Player<'p> {
    circuit: &'p Circuit,
    trace: &'p Trace,
    frame: Frame<'p>,
    /// By latch. Symbol tables may call several the same: those are called by their numbers.
    names: Vec<String>,
    /// The property that is true at the end.
    property: Option<&'p str>,
}

impl<'p> Player<'p> {
    pub(super) fn new(problem: &'p Problem, circuit: &'p Circuit, trace: &'p Trace, goal: Goal) -> Self {
        let mut seen = BTreeSet::new();
        let latches = (0..circuit.latches().len()).map(LatchId::new);
        let unique = |latch: LatchId| {
            let name = latch_name(circuit, latch);
            if seen.insert(name.clone()) { name } else { format!("l{}", latch.0) }
        };
        let names = latches.map(unique).collect();
        let property = problem.properties.iter().find(|p| p.goal == goal).map(|p| p.id.as_str());
        Self { circuit, trace, frame: Frame::first(circuit, &trace.start), names, property }
    }
}

impl Play for Player<'_> {
    fn state(&self) -> State {
        self.names.iter().cloned().zip(self.frame.latches().into_iter().map(Value::from)).collect()
    }

    fn take(&mut self, step: &Move) -> What {
        let words = step.choice.map_or(&[][..], |id| self.trace.choice(id));
        let inputs = (0..self.circuit.inputs().len()).filter(|i| bit(words, *i));
        let inputs = Some(inputs.map(|i| input_name(self.circuit, i)).collect());
        self.frame.compute(words);
        let before = self.frame.latches();
        self.frame.step();
        let after = self.frame.latches();
        let changed = self.names.iter().zip(before.into_iter().zip(after)).filter(|(_, (from, to))| from != to);
        let change = |(name, (from, to)): (&String, (bool, bool))| Change {
            name: name.clone(),
            from: Value::from(from),
            to: Value::from(to),
        };
        What { inputs, changes: changed.map(change).collect(), ..What::default() }
    }

    fn why(&self, steps: u64) -> Option<String> {
        Some(format!("In frame {}, {} is true.", steps.saturating_sub(1), self.property?))
    }
}
