//! Sets of valuations of a reactive program as evidence, with a slot for each variable that a call may read
//! before it assigns it.
//!
//! A valuation is in the set iff some listed row agrees with it on all slots, and each variable that is never
//! assigned has its initial value. The remaining variables, those that are assigned but have no slot, may hold
//! anything.
//!
//! 1. From all valuations of the set that agree with the same row, a call with the same input has the same
//!    outcome and the same effect on the slots. Proof: the check rejects a call that reads a remaining variable
//!    before it assigns it ([`Valuation::poisoned`]). So the values of these variables do not matter.
//! 2. No run leaves the set before a call stops. Proof: by induction over the run, with claim 1. Every call
//!    that does not stop leads to a row of the set. This includes calls with invalid input, because they can
//!    change variables.
//! 3. No run stops at a claimed label. Proof: the check tries all inputs from every row, and rejects a call
//!    that stops at a claimed label.
//!
//! A call that does what the language does not define is rejected, because nothing is known about the program
//! after it.

use super::plain::{Interpreter, Valuation};
use crate::closed::{Change, Listed, Visit};
use crate::keys::mixed;
use crate::work::Work;
use crate::{Check, reject, within};
use model::reactive::Stmt;
use model::{ErrorId, Holds, Outcome, Reactive, VarId};

/// A set of valuations from which no call stops at a claimed label.
#[derive(Debug)]
pub struct States<'p> {
    program: &'p Reactive,
    /// The variable of each slot.
    vars: Vec<VarId>,
    claimed: &'p [ErrorId],
    interpreter: Interpreter<'p>,
    /// The values of variables without slots, and which of them must not be read.
    base: Valuation,
    /// The valuation of the current call.
    valuation: Valuation,
    changes: Vec<Change>,
}

impl<'p> States<'p> {
    /// Creates the semantics for sets with these slots. Returns `None` if not all slots hold exact values.
    ///
    /// # Errors
    /// If the program does not have a variable of a slot or a claimed label, or two slots hold the same
    /// variable.
    pub fn new(program: &'p Reactive, slots: &[(VarId, Holds)], claimed: &'p [ErrorId]) -> Check<Option<Self>> {
        if slots.iter().any(|(_, holds)| *holds != Holds::Exactly) {
            return Ok(None);
        }
        if let Some(error) = claimed.iter().find(|error| error.index() >= program.errors().len()) {
            return reject(format!("there is no error label number {}", error.0));
        }
        let mut base = Valuation::initial(program);
        for stmt in program.all_stmts() {
            if let Stmt::Assign(var, _) = *stmt {
                base.poisoned[var.index()] = true;
            }
        }
        let mut has_slot = vec![false; program.var_count()];
        for (var, _) in slots {
            let Some(has) = has_slot.get_mut(var.index()) else {
                return reject(format!("the program has no variable number {}", var.0));
            };
            if std::mem::replace(has, true) {
                return reject(format!("two slots are about `{}`", program.name(*var)));
            }
            base.poisoned[var.index()] = false;
        }
        let vars = slots.iter().map(|(var, _)| *var).collect();
        let (interpreter, valuation) = (Interpreter::new(program), base.clone());
        Ok(Some(Self { program, vars, claimed, interpreter, base, valuation, changes: Vec::new() }))
    }

    /// Returns true if a call with this outcome must lead into the set.
    fn goes_on(&self, outcome: Outcome) -> Check<bool> {
        match outcome {
            Outcome::Output(_) | Outcome::Silent | Outcome::Unspelt | Outcome::Invalid => Ok(true),
            Outcome::Crash => Ok(false),
            Outcome::Error(error) if Some(error) == self.program.undefined() => {
                reject("what the call does is not defined")
            }
            Outcome::Error(error) if self.claimed.contains(&error) => {
                let label = self.program.errors().get(error.index()).copied().unwrap_or_default();
                reject(format!("the call stops at error {label}"))
            }
            Outcome::Error(_) => Ok(false),
        }
    }

    /// Executes the call from this row with one input.
    fn call(&mut self, row: &[u32], input: i32, visit: &mut impl Visit, work: &mut Work<'_>) -> Check<()> {
        let valuation = &mut self.valuation;
        valuation.values.copy_from_slice(&self.base.values);
        valuation.poisoned.copy_from_slice(&self.base.poisoned);
        for (var, value) in self.vars.iter().zip(row) {
            valuation.values[var.index()] = value.cast_signed();
        }
        work.spend(valuation.values.len() as u64 / 8)?;
        let outcome = self.interpreter.call(valuation, input, work)?;
        if !self.goes_on(outcome)? {
            return Ok(());
        }
        self.changes.clear();
        for (slot, (var, &from)) in self.vars.iter().zip(row).enumerate() {
            debug_assert!(!self.valuation.poisoned[var.index()], "a slot has a value");
            let to = self.valuation.values[var.index()].cast_unsigned();
            if to != from {
                self.changes.push(Change { slot, from, to });
            }
        }
        visit.visit(&self.changes, work)
    }
}

impl Listed for States<'_> {
    const ELEMENT: &'static str = "valuation";

    fn sizes(&self) -> Vec<usize> {
        vec![1 << 32; self.vars.len()]
    }

    fn initial(&self, visit: &mut dyn FnMut(&[u32]) -> Check<()>) -> Check<()> {
        let initial = self.program.initial();
        let row: Vec<u32> = self.vars.iter().map(|var| initial[var.index()].cast_unsigned()).collect();
        visit(&row)
    }

    fn expand(&mut self, row: &[u32], visit: &mut impl Visit, work: &mut Work<'_>) -> Check<()> {
        assert_eq!(row.len(), self.vars.len(), "a row has a number for each slot");
        for &input in self.program.inputs() {
            within(self.call(row, input, visit, work), || format!("with input {input}"))?;
        }
        Ok(())
    }

    /// Hashes the values of the row, so that the hash does not depend on how keys are made.
    fn hash(&self, row: &[u32], _: &[u64]) -> u64 {
        row.iter().fold(0, |hash, &value| mixed(&[hash, value.into()]))
    }

    fn describe(&self, row: &[u32]) -> String {
        let slot = |(var, value): (&VarId, &u32)| format!("{}={}", self.program.name(*var), value.cast_signed());
        let shown: Vec<String> = self.vars.iter().zip(row).map(slot).collect();
        format!("({})", shown.join(", "))
    }
}
