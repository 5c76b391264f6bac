//! The runs of a program, for the truth about temporal formulas ([`crate::runs`]).

use super::{State, enabled, initial, is_bad, successors};
use crate::runs::{self, Runs, Step};
use model::{EventId, Fairness, Letter, LocalId, Ltl, Program, Subject, ThreadId};
use std::collections::HashMap;

/// The states of a program and its steps.
struct Graph<'p> {
    program: &'p Program,
    states: Vec<State>,
    initial: usize,
    steps: Vec<Step<EventId>>,
}

impl<'p> Graph<'p> {
    fn new(program: &'p Program, most: usize) -> Option<Self> {
        let (mut numbers, mut states) = (HashMap::new(), Vec::new());
        let mut number = |state: State, states: &mut Vec<State>| {
            *numbers.entry(state.clone()).or_insert_with(|| {
                states.push(state);
                states.len() - 1
            })
        };
        for state in initial(program) {
            number(state, &mut states);
        }
        let (initial, mut steps, mut from) = (states.len(), Vec::new(), 0);
        while from < states.len() {
            if states.len() > most {
                return None;
            }
            let next = successors(program, &states[from].clone());
            if next.is_empty() {
                steps.push(Step { from, event: None, to: from });
            }
            for (event, to) in next {
                let to = number(to, &mut states);
                steps.push(Step { from, event: Some(event), to });
            }
            from += 1;
        }
        Some(Self { program, states, initial, steps })
    }

    fn requests(&self, state: usize, t: ThreadId, event: EventId) -> bool {
        let local = LocalId(self.states[state][t.index()]);
        self.program.thread(t).state(local).request.contains(event)
    }
}

impl Runs for Graph<'_> {
    type Event = EventId;

    fn steps(&self) -> &[Step<EventId>] {
        &self.steps
    }

    fn initial(&self) -> usize {
        self.initial
    }

    fn can(&self, step: &Step<EventId>, subject: Subject) -> bool {
        let enabled = enabled(self.program, &self.states[step.from]);
        let bad = is_bad(self.program, &self.states[step.from]);
        !bad && match subject {
            Subject::Event(event) => enabled.contains(&event),
            Subject::Thread(t) => enabled.iter().any(|event| self.requests(step.from, t, *event)),
        }
    }

    fn does(&self, step: &Step<EventId>, subject: Subject) -> bool {
        match subject {
            Subject::Event(event) => step.event == Some(event),
            Subject::Thread(t) => step.event.is_some_and(|event| self.requests(step.from, t, event)),
        }
    }

    fn holds(&self, step: &Step<EventId>, letter: Letter) -> bool {
        let state = &self.states[step.from];
        let is_hot = |t: usize| self.program.is_hot(ThreadId::new(t), LocalId(state[t]));
        match letter {
            Letter::Input(_) | Letter::Output(_) | Letter::Marking(_) => panic!("a letter of another kind of system"),
            Letter::Event(event) => step.event == Some(event),
            Letter::State(t, s) => state[t.index()] == s.0,
            Letter::Enabled(event) => self.can(step, Subject::Event(event)),
            Letter::Ready(t) => self.can(step, Subject::Thread(t)),
            Letter::Served(t) => self.does(step, Subject::Thread(t)),
            Letter::Hot(t) => is_hot(t.index()),
            Letter::SomeHot => (0..state.len()).any(is_hot),
            Letter::Bad => is_bad(self.program, state),
            Letter::End => step.event.is_none(),
            Letter::Deadlock => step.event.is_none() && super::goal(self.program, state) == Some(model::Goal::Deadlock),
        }
    }
}

/// True if some maximal run of the program that satisfies all assumptions violates the formula. `None` if the program
/// has more than `most` states, or the formula is too large.
#[must_use]
pub fn is_violated(program: &Program, formula: &Ltl, fairness: &[Fairness], most: usize) -> Option<bool> {
    runs::is_violated(&Graph::new(program, most)?, formula, fairness)
}
