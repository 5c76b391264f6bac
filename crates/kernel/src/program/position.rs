//! The truth of letters at one position of a run, by their definition ([`model::Letter`]).

use super::stepper::{Stepper, bit, bits};
use model::{Letter, LocalId, Program, ThreadId};

/// A position of a run: a composite state, and the event that happens in it.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its stepper.
    pub stepper: &'a Stepper,
    /// The local state of each thread.
    pub state: &'a [u32],
    /// The events that are enabled in the state, 64 per word.
    pub enabled: &'a [u64],
    /// The event that happens. `None` if the run has ended in this state.
    pub event: Option<u32>,
}

impl Position<'_> {
    /// Returns true if the letter holds at this position.
    #[must_use]
    pub fn satisfies(&self, letter: Letter) -> bool {
        let requests = |t: ThreadId, event| self.stepper.requests(t.index(), self.state[t.index()], event);
        let is_hot = |t: ThreadId| self.program.is_hot(t, LocalId(self.state[t.index()]));
        let ends = || self.enabled.iter().all(|word| *word == 0);
        let is_bad = || (0..self.state.len()).any(|t| self.stepper.is_bad(t, self.state[t]));
        match letter {
            Letter::Input(_) | Letter::Output(_) | Letter::Marking(_) => false,
            Letter::Event(event) => self.event == Some(event.0),
            Letter::State(t, local) => self.state[t.index()] == local.0,
            Letter::Enabled(event) => bit(self.enabled, event.0),
            Letter::Ready(t) => bits(self.enabled).any(|event| requests(t, event)),
            Letter::Served(t) => self.event.is_some_and(|event| requests(t, event)),
            Letter::Hot(t) => is_hot(t),
            Letter::SomeHot => self.program.hot_threads().any(is_hot),
            Letter::Bad => is_bad(),
            Letter::End => ends(),
            Letter::Deadlock => ends() && !is_bad() && !self.program.may_end(self.state),
        }
    }
}
