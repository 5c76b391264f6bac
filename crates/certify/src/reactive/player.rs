//! Gives other crates the plain interpreter, to show what runs do, call by call. No verdict rests on it.

use kernel::Work;
use kernel::reactive::plain::{Interpreter, Valuation};
use model::{InputId, Outcome, Reactive, Stop};

/// Executes calls of a reactive program, one after the other.
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
    /// Creates a player before the first call.
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

    /// The letters that the last call printed, or the letter that it returned, in order. For a call that stops:
    /// the letters printed before it stopped.
    #[must_use]
    pub fn letters(&self) -> &[i32] {
        self.interpreter.letters()
    }

    /// Sets the values of all variables, for example to the values of an earlier time.
    ///
    /// # Panics
    /// If `values` does not have one value per variable.
    pub fn restore(&mut self, values: &[i32]) {
        self.valuation.values.copy_from_slice(values);
    }

    /// Makes one call. After a call that stops, the values of the variables mean nothing.
    ///
    /// # Panics
    /// If the alphabet has no such letter.
    pub fn call(&mut self, input: InputId) -> Outcome {
        let stop = Stop::default();
        let mut work = Work::new(u64::MAX, &stop);
        // All variables may be read, and there is no work limit, so the interpreter refuses no call.
        let called = self.interpreter.call(&mut self.valuation, self.program.input(input), &mut work);
        called.unwrap_or(Outcome::Crash)
    }
}
