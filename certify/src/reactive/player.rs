//! The plain interpreter for others: to show what runs do, call by call. No verdict comes from here.

use kernel::Work;
use kernel::reactive::plain::{Interpreter, Valuation};
use model::{InputId, Outcome, Reactive, Stop};

/// Makes calls of a reactive program, one after the other.
pub struct Player<'p> {
    program: &'p Reactive,
    interpreter: Interpreter<'p>,
    valuation: Valuation,
}

impl std::fmt::Debug for Player<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Player").field("valuation", &self.valuation).finish_non_exhaustive()
    }
}

impl<'p> Player<'p> {
    /// Before the first call.
    #[must_use]
    pub fn new(program: &'p Reactive) -> Self {
        Self { program, interpreter: Interpreter::new(program), valuation: Valuation::initial(program) }
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &'p Reactive {
        self.program
    }

    /// The values of all variables, by [`model::VarId`].
    #[must_use]
    pub fn values(&self) -> &[i32] {
        &self.valuation.values
    }

    /// What the last call printed, or returned as its letter, in order. Of a call that stops: what it printed before.
    #[must_use]
    pub fn letters(&self) -> &[i32] {
        self.interpreter.letters()
    }

    /// Gives the variables the values they had at another time.
    ///
    /// # Panics
    /// If they are not as many as there are variables.
    pub fn restore(&mut self, values: &[i32]) {
        self.valuation.values.copy_from_slice(values);
    }

    /// One call. What the variables hold after a stop means nothing.
    ///
    /// # Panics
    /// If the alphabet has no such letter.
    pub fn call(&mut self, input: InputId) -> Outcome {
        let stop = Stop::default();
        let mut work = Work::new(u64::MAX, &stop);
        // Nothing is forbidden to look at, and the allowance has no end.
        let called = self.interpreter.call(&mut self.valuation, self.program.input(input), &mut work);
        called.unwrap_or(Outcome::Crash)
    }
}
