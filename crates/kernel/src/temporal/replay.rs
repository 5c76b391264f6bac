//! Replays a run and evaluates a temporal formula at all of its positions. The head of [`crate::temporal`] says which
//! runs count, and why this shows that the formula is violated.

use super::steps::formula;
use crate::trace::{Semantics, holds_at, steps};
use crate::work::Work;
use crate::{Check, Refusal, reject, within};
use model::{Goal, Letter, Problem, Subject, Trace};

/// The positions of a run that is replayed.
pub trait Played: Semantics {
    /// Appends the truth of these letters at the position: the state and the event that happens.
    ///
    /// # Errors
    /// If there is no such event or letter, or if a resource limit is exceeded.
    fn read(
        &mut self,
        state: &Self::State,
        event: Option<u32>,
        letters: &[Letter],
        out: &mut Vec<bool>,
        work: &mut Work<'_>,
    ) -> Check<()>;

    /// Returns true if no step is possible in this state.
    fn has_ended(&self, state: &Self::State) -> bool;

    /// Describes a state in words, for messages.
    fn describe(&self, state: &Self::State) -> String;
}

/// Replays a run that violates the formula of a goal. Returns the number of its steps.
///
/// # Errors
/// If the trace is no such run, or if a resource limit is exceeded.
pub fn replay<S: Played>(
    runs: &mut S,
    problem: &Problem,
    trace: &Trace,
    goal: Goal,
    work: &mut Work<'_>,
) -> Check<u64> {
    let formula = formula(problem, goal)?;
    let events = trace.len().ok_or(Refusal::ResourceLimit)?;
    let fairness = problem.fairness();
    let mut letters: Vec<Letter> = formula.letters().chain(fairness.iter().flat_map(|of| of.letters())).collect();
    letters.sort_unstable();
    letters.dedup();
    // The word is evaluated from its end, so it must fit in memory. This is checked before the replay begins.
    let length = usize::try_from(events).map_err(|_| Refusal::ResourceLimit)?.saturating_add(1);
    work.grow(length.saturating_mul(letters.len()))?;
    let mut word = Word { letters, truth: Vec::new(), length: 0 };
    let mut state = runs.start(&trace.start, work)?;
    let mut first = None;
    for (number, step) in (0..).zip(steps(trace)) {
        if trace.repeats_from == Some(number) {
            first = Some(state.clone());
        }
        let choice = step.choice.map(|choice| trace.choice(choice));
        let event = step.event.0;
        let taken =
            word.push(runs, &state, Some(event), work).and_then(|()| runs.step(&mut state, event, choice, work));
        within(taken, || format!("event {}", number + 1))?;
    }
    let repeats_from = match (trace.repeats_from, first) {
        (None, _) if runs.has_ended(&state) => {
            word.push(runs, &state, None, work)?;
            word.length - 1
        }
        (None, _) => return reject(format!("the run does not end in {}", runs.describe(&state))),
        (Some(from), Some(first)) if first == state => from as usize,
        (Some(_), Some(_)) => return reject("the run does not come back to the state from which it repeats"),
        (Some(_), None) => return reject("the run ends before the step from which it repeats"),
    };
    if holds_at(&formula, word.length, repeats_from, &|letter, at| word.at(letter, at), work)? {
        return reject("the run satisfies the formula");
    }
    for assumption in fairness {
        let [can, does] = assumption.letters();
        work.spend((word.length - repeats_from) as u64)?;
        let mut repeated = repeats_from..word.length;
        let is_met = match assumption.is_strong {
            true => repeated.clone().any(|at| word.at(does, at)) || !repeated.any(|at| word.at(can, at)),
            false => repeated.any(|at| word.at(does, at) || !word.at(can, at)),
        };
        if !is_met {
            let what = match (assumption.subject, problem.system().as_program()) {
                (Subject::Thread(thread), Some(program)) => format!("thread {}", program.thread(thread).name),
                (Subject::Event(event), Some(program)) => format!("event {}", program.event_name(event)),
                (subject, None) => format!("{subject:?}"),
            };
            let strong = if assumption.is_strong { "strong fairness" } else { "fairness" };
            return reject(format!("the run violates the assumption of {strong} of {what}"));
        }
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
}

impl Word {
    fn push<S: Played>(
        &mut self,
        runs: &mut S,
        state: &S::State,
        event: Option<u32>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        work.spend(1 + self.letters.len() as u64)?;
        runs.read(state, event, &self.letters, &mut self.truth, work)?;
        self.length += 1;
        assert_eq!(self.truth.len(), self.length * self.letters.len(), "each letter is true or false");
        Ok(())
    }

    fn at(&self, letter: Letter, position: usize) -> bool {
        let column = self.letters.binary_search(&letter).expect("it is a letter of the formula");
        self.truth[position * self.letters.len() + column]
    }
}
