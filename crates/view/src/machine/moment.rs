//! The last moment of a run: the last state from which the system could still go on for ever, or end properly. The step
//! after it decides a deadlock, however much later it shows.
//!
//! From the end of the run backwards, each state is searched depth first for a cycle or a proper end. States from which
//! there is none are remembered, so each is visited once. The search is for small systems, and gives up at a limit.

use super::path::{Path, Pick};
use super::{Explored, Machine};
use crate::choices::Choices;
use crate::choices::moves::successors;
use model::Trace;
use std::collections::HashSet;

/// The most states that are visited, and the most steps of a run that are looked at.
const STATES: usize = 20_000;
const STEPS: u64 = 10_000;
/// The most parts of all visited states together.
const PARTS: usize = 2_000_000;

/// What decided that a run gets stuck.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Moment {
    /// Each run from the initial state gets stuck.
    Never,
    /// The step with this number, counted from 0.
    Step {
        /// The number.
        number: usize,
        /// The event of the step.
        event: String,
        /// An event that could have been taken instead.
        instead: String,
    },
}

/// What a search from a state has found.
enum Way {
    /// A cycle or a proper end, after this first step. `None` if the state is a proper end itself.
    Good(Option<String>),
    Stuck,
    Unknown,
}

/// A state on the path of the search, with the steps from it that are not taken yet.
struct Frame<S> {
    state: S,
    steps: Vec<(String, S)>,
}

impl<K: Choices> Machine<K> {
    /// Returns the last moment of a run that ends in a state without steps; `None` if it is not found.
    pub(super) fn moment(&self, trace: &Trace) -> Option<Moment> {
        if trace.repeats_from.is_some() || trace.len().is_none_or(|length| length > STEPS) {
            return None;
        }
        let (path, _) = self.path_of(trace).ok()?;
        let mut states = vec![self.kind.start(&path.start)?];
        for pick in path.picks.iter() {
            states.push(self.kind.take(states.last()?, pick.label, &pick.outcome).ok()?.to);
        }
        let mut stuck = HashSet::new();
        for (number, state) in states.iter().enumerate().rev() {
            match self.way(state, &mut stuck) {
                Way::Stuck => {}
                Way::Unknown | Way::Good(None) => return None,
                Way::Good(Some(instead)) => return self.step(&path, &states, number, instead),
            }
        }
        Some(Moment::Never).filter(|_| self.kind.start_fields().is_empty())
    }

    fn step(&self, path: &Path, states: &[K::State], number: usize, instead: String) -> Option<Moment> {
        let Pick { label, outcome } = path.picks.get(number)?;
        let event = self.kind.take(&states[number], *label, outcome).ok()?.event;
        Some(Moment::Step { number, event, instead })
    }

    /// Returns the steps from a state; `None` if some are left out.
    fn open(&self, state: &K::State) -> Option<Vec<(String, K::State)>> {
        let mut steps = Vec::new();
        let complete = successors(&self.kind, state, |_, taken| {
            steps.push((taken.event, taken.to));
            true
        });
        steps.reverse();
        complete.then_some(steps)
    }

    fn way(&self, from: &K::State, stuck: &mut HashSet<K::State>) -> Way {
        let mut on_path: HashSet<K::State> = HashSet::new();
        let mut frames: Vec<Frame<K::State>> = Vec::new();
        let (mut state, mut first) = (from.clone(), None);
        loop {
            if on_path.contains(&state) {
                return Way::Good(first);
            }
            if !stuck.contains(&state) {
                let visited = stuck.len() + on_path.len();
                let Some(steps) = self.open(&state).filter(|_| visited < STATES && visited * self.kind.parts() < PARTS)
                else {
                    return Way::Unknown;
                };
                if steps.is_empty() && self.kind.may_end(&state) {
                    return Way::Good(first);
                }
                on_path.insert(state.clone());
                frames.push(Frame { state, steps });
            }
            let next = loop {
                let Some(frame) = frames.last_mut() else { return Way::Stuck };
                if let Some(next) = frame.steps.pop() {
                    break next;
                }
                let done = frames.pop().expect("it is the last one").state;
                on_path.remove(&done);
                stuck.insert(done);
            };
            if frames.len() == 1 {
                first = Some(next.0);
            }
            state = next.1;
        }
    }
}

impl Moment {
    /// Returns a sentence.
    #[must_use]
    pub fn sentence(&self, first: u64) -> String {
        match self {
            Self::Never => "No run of the model goes on for ever or ends properly.".to_owned(),
            Self::Step { number, event, instead } if event == instead => format!(
                "Step {}, {event}, decided this: another outcome of it avoids the deadlock.",
                *number as u64 + first
            ),
            Self::Step { number, event, instead } => format!(
                "Step {}, {event}, decided this: {instead} instead of it avoids the deadlock.",
                *number as u64 + first
            ),
        }
    }
}
