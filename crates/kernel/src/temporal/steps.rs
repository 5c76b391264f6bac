//! Positions of runs through listed states, and the steps from a state.

use crate::work::Work;
use crate::{Check, reject};
use model::{Goal, Letter, Ltl, Problem};

/// The steps from a state: the event of each, and the next states one after the other.
#[derive(Clone, Default, Debug)]
pub struct Steps {
    events: Vec<u32>,
    states: Vec<u32>,
}

impl Steps {
    pub(crate) fn clear(&mut self) {
        self.events.clear();
        self.states.clear();
    }

    /// Adds a step. Returns the next state, to be changed; it begins as a copy of `state`.
    pub fn push(&mut self, event: u32, state: &[u32]) -> &mut [u32] {
        self.events.push(event);
        self.states.extend_from_slice(state);
        let begin = self.states.len() - state.len();
        &mut self.states[begin..]
    }

    /// Iterates over the steps: the event, and the next state, which has this many slots.
    pub(crate) fn iter(&self, slots: usize) -> impl Iterator<Item = (Option<u32>, &[u32])> {
        let state = move |at: usize| &self.states[at * slots..(at + 1) * slots];
        self.events.iter().enumerate().map(move |(at, event)| (Some(*event), state(at)))
    }
}

/// The positions of runs through listed states.
pub trait Positions {
    /// True if the truth of some letter depends on the event that happens.
    const READS_EVENTS: bool;

    /// Passes every initial state to `visit`.
    ///
    /// # Errors
    /// The errors of `visit`, or if an initial state cannot be listed.
    fn initial(&self, visit: &mut dyn FnMut(&[u32]) -> Check<()>) -> Check<()>;

    /// Makes a state the one that the other methods are called with.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    fn look_at(&mut self, state: &[u32], work: &mut Work<'_>) -> Check<()>;

    /// Returns true if the letter holds at a position: the state and the event that happens. Without an event, the run
    /// has ended in this state, or the letter does not depend on the event.
    fn satisfies(&self, state: &[u32], letter: Letter, event: Option<u32>) -> bool;

    /// Adds all steps from a state.
    ///
    /// # Errors
    /// If a step leads to a state that cannot be listed, or if a resource limit is exceeded.
    fn steps(&mut self, state: &[u32], out: &mut Steps, work: &mut Work<'_>) -> Check<()>;

    /// Describes a state in words, for messages.
    fn describe(&self, state: &[u32]) -> String;
}

/// Returns the formula of a goal.
///
/// # Errors
/// If there is none.
pub fn formula(problem: &Problem, goal: Goal) -> Check<Ltl> {
    match problem.ltl(goal) {
        Some(formula) => Ok(formula),
        None => reject(format!("there is no formula of the goal `{goal}`")),
    }
}
