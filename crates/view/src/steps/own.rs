//! Steps through runs of systems written in Rust.

use super::value::Value;
use model::{Move, System, Trace};

/// A run, and the current state in it.
#[derive(Debug)]
pub(super) struct OwnRun<'p> {
    system: &'p dyn System,
    trace: &'p Trace,
    at: Vec<u32>,
}

impl<'p> OwnRun<'p> {
    pub(super) fn new(system: &'p std::sync::Arc<dyn System>, trace: &'p Trace) -> Self {
        Self { system: &**system, trace, at: trace.start.to_vec() }
    }

    /// Returns the text for a step from the current state.
    pub(super) fn label(&self, step: &Move) -> String {
        self.system.label(&self.at, step.event.0)
    }

    /// Takes a step. Returns the state before it.
    pub(super) fn take(&mut self, step: &Move) -> Vec<(String, Value)> {
        let before = self.shown();
        let chosen = step.choice.map(|choice| self.trace.choice(choice).to_vec());
        self.at = chosen.unwrap_or_else(|| {
            let mut next = Vec::new();
            self.system.successors(&self.at, &mut |label, state| {
                if label == step.event.0 {
                    next = state.to_vec();
                }
            });
            next
        });
        before
    }

    /// Returns the current state in readable form.
    pub(super) fn shown(&self) -> Vec<(String, Value)> {
        self.system.shown(&self.at).into_iter().map(|(name, value)| (name, Value::Shown(value))).collect()
    }
}
