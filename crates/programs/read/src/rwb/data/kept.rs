//! The variables of threads for questions. A question that names a variable has the text read with this variable kept:
//! its value is then part of each local state, also where the thread never reads it again.
//!
//! 1. A kept variable has its exact value in each local state. Proof: only values of variables that are not live are
//!    set to zero, a kept variable is live everywhere, and each assignment reads live variables only.
//! 2. After a value out of range, a kept variable has the value from before the act that failed.
//! 3. The program has the same runs as without kept variables: local states are only told apart that have the same
//!    future.

use super::arms::NodeId;
use super::eval::Fault;
use super::events::Events;
use super::machine::{Machine, State};
use crate::behavior::Named;
use model::{ThreadId, Variable};

/// Returns the declared variables. `kept` has the values of the kept ones, for each thread and state.
pub(super) fn variables(named: &[Named<Machine<'_>>], events: &Events, kept: &[Vec<Vec<i64>>]) -> Vec<Variable> {
    let mut all = Vec::new();
    for (number, (thread, states)) in named.iter().zip(kept).enumerate() {
        let (machine, thread) = (&thread.behavior, ThreadId::new(number));
        let mut first = 0;
        for (v, variable) in machine.variables.iter().enumerate().take(machine.declared) {
            let values = || events.values(&variable.domain);
            if !machine.kept.contains(&v) {
                all.push(Variable { thread, name: variable.name.clone(), values: values(), at: None });
                continue;
            }
            for element in 0..variable.len() {
                let at = states.iter().map(|values| values[first + element]).collect();
                all.push(Variable { thread, name: variable.element(element), values: values(), at: Some(at) });
            }
            first += variable.len();
        }
    }
    all
}

impl Machine<'_> {
    /// Keeps the values of these declared variables. What their values are computed from is live anyway.
    pub(super) fn keep(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.kept = (0..self.declared).filter(|v| is_kept(&self.variables[*v].name)).collect();
        for live in &mut self.live {
            self.kept.iter().for_each(|v| live[*v] = true);
        }
    }

    /// Returns the values of the kept variables, element by element.
    pub(super) fn kept_values(&self, values: &[i64]) -> Vec<i64> {
        let kept = self.kept.iter().map(|v| &self.variables[*v]);
        kept.flat_map(|variable| values[variable.base..variable.base + variable.len()].iter().copied()).collect()
    }

    /// Makes the state after something went wrong. Only kept variables have values there: the last ones.
    pub(super) fn failed(&self, node: NodeId, before: Option<Vec<i64>>, fault: Fault) -> State {
        let values = before.map_or_else(Box::default, |before| {
            let mut values = vec![0; before.len()];
            for variable in self.kept.iter().map(|v| &self.variables[*v]) {
                let slots = variable.base..variable.base + variable.len();
                values[slots.clone()].copy_from_slice(&before[slots]);
            }
            values.into()
        });
        State { node, values, fault: Some(fault) }
    }
}
