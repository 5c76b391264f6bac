//! Temporal formulas about the runs of a program (`model::ltl`). Questions about hot threads and fairness assumptions
//! are formulas as well (`model::fairness`).
//!
//! A run counts if it is maximal: it is infinite, or it ends in a state without an enabled event. A run that ends stays
//! in its last state for ever, without an event. So every run that counts is an infinite sequence of *positions*, and
//! each position is a composite state together with an event or none.
//!
//! **A formula is violated.** A run is replayed, and the formula is evaluated at all of its positions, by the
//! definition of its operators ([`crate::trace::holds`]). The run ends in a state without an enabled event; or its loop
//! leads back to the same composite state, so that it can be repeated for ever.
//!
//! **A formula holds.** A closed set of composite states is listed ([`crate::closed`]). The kernel builds a *tableau*
//! of the formula, which is an automaton ([`tableau`]), and the product of the set with it ([`product`]). A node of the
//! product is a state of the set and a set of *obligations*: formulas that the rest of the run must satisfy. Some
//! obligations are eventualities. A step of the product may *postpone* some of them. Each node gets a number.
//! 1. Each violating run has a run of the product along it that postpones no eventuality from some point on for ever.
//!    Proof: claim 3 of [`tableau`]. All states of the run are in the set, because the set is closed.
//! 2. No step of the product leads to a greater number, and for each number there is an eventuality that every step
//!    between nodes of this number postpones. This is checked step by step.
//! 3. No run violates the formula. Proof: along a run of the product the numbers never rise, so from some point on they
//!    stay the same. By 2 each later step postpones the same eventuality. By 1 the run violates nothing.
//!
//! The numbers are those of the strongly connected components, but the proof does not depend on this.

pub mod letters;
mod product;
pub mod tableau;

use super::runs::Runs;
use super::stepper::{Stepper, describe};
use crate::closed::Set;
use crate::trace::{Semantics, holds_at, steps};
use crate::work::Work;
use crate::{Check, Refusal, reject, within};
use letters::Position;
use model::{Goal, Letter, Ltl, Problem, Program, Trace};
use product::{Graph, Product};
use tableau::Tableau;

/// Returns the formula of a goal.
fn formula(problem: &Problem, goal: Goal) -> Check<Ltl> {
    match problem.ltl(goal) {
        Some(formula) => Ok(formula),
        None => reject(format!("there is no formula of the goal `{goal}`")),
    }
}

/// Checks that no run within a closed set violates the formula of a goal.
///
/// # Errors
/// If a run violates it, or if a resource limit is exceeded.
pub fn check(
    problem: &Problem,
    program: &Program,
    stepper: &Stepper,
    set: &Set,
    goal: Goal,
    work: &mut Work<'_>,
) -> Check<()> {
    let formula = formula(problem, goal)?;
    let mut tableau = Tableau::new(&formula)?;
    let graph = Graph::new(program, stepper, set, &mut tableau, work)?;
    let mut product = Product::new(&graph, &mut tableau);
    product.number(work)?;
    match product.accepted(work)? {
        None => Ok(()),
        Some(place) => {
            let mut state = Vec::new();
            set.layout.unpack(set.table.key(place), &mut state);
            let state = describe(program, &state);
            reject(format!("`{goal}` is violated, by a run that ends in, or comes back to, {state}"))
        }
    }
}

/// Replays a run that violates the formula of a goal. Returns the number of its steps.
///
/// # Errors
/// If the trace is no such run, or if a resource limit is exceeded.
pub fn replay(
    runs: &mut Runs<'_>,
    problem: &Problem,
    (program, stepper): (&Program, &Stepper),
    trace: &Trace,
    goal: Goal,
    work: &mut Work<'_>,
) -> Check<u64> {
    let formula = formula(problem, goal)?;
    let events = trace.len().ok_or(Refusal::ResourceLimit)?;
    let mut letters: Vec<Letter> = formula.letters().collect();
    letters.sort_unstable();
    letters.dedup();
    // The word is evaluated from its end, so it must fit in memory. This is checked before the replay begins.
    let length = usize::try_from(events).map_err(|_| Refusal::ResourceLimit)?.saturating_add(1);
    work.grow(length.saturating_mul(letters.len()))?;
    let mut word = Word { letters, truth: Vec::new(), length: 0, enabled: Vec::new() };
    let mut state = runs.start(&trace.start, work)?;
    let mut first = None;
    for (number, step) in (0..).zip(steps(trace)) {
        if trace.repeats_from == Some(number) {
            first = Some(state.clone());
        }
        let before = state.locals.clone();
        let choice = step.choice.map(|choice| trace.choice(choice));
        within(runs.step(&mut state, step.event.0, choice, work), || format!("event {}", number + 1))?;
        word.push(program, stepper, &before, Some(step.event.0), work)?;
    }
    let repeats_from = match (trace.repeats_from, first) {
        (None, _) if stepper.goal(&state.locals).is_some() => {
            word.push(program, stepper, &state.locals, None, work)?;
            word.length - 1
        }
        (None, _) => return reject(format!("the run does not end in {}", describe(program, &state.locals))),
        (Some(from), Some(first)) if first == state => from as usize,
        (Some(_), Some(_)) => return reject("the run does not come back to the state from which it repeats"),
        (Some(_), None) => return reject("the run does not come to where it repeats"),
    };
    if holds_at(&formula, word.length, repeats_from, &|letter, at| word.at(letter, at), work)? {
        return reject("the run satisfies the formula");
    }
    Ok(events)
}

/// The truth of some letters along a run.
struct Word {
    /// Ascending.
    letters: Vec<Letter>,
    /// For each position and letter.
    truth: Vec<bool>,
    /// Number of positions.
    length: usize,
    enabled: Vec<u64>,
}

impl Word {
    fn push(
        &mut self,
        program: &Program,
        stepper: &Stepper,
        state: &[u32],
        event: Option<u32>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        work.spend((state.len() + self.letters.len()) as u64)?;
        stepper.enabled(state, &mut self.enabled);
        let position = Position { program, stepper, state, enabled: &self.enabled, event };
        self.truth.extend(self.letters.iter().map(|letter| position.satisfies(*letter)));
        self.length += 1;
        Ok(())
    }

    fn at(&self, letter: Letter, position: usize) -> bool {
        let column = self.letters.binary_search(&letter).expect("it is a letter of the formula");
        self.truth[position * self.letters.len() + column]
    }
}
