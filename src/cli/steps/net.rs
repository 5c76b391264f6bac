//! Runs of nets and thread systems: the places that hold tokens.

use super::{Change, Play, State, What, everything, sentences, tokens};
use crate::cli::marking::{Marking, Stepper};
use crate::cli::trace;
use impasse::model::{Goal, Move, PlaceId, Problem, Trace, TransitionId};
use num_bigint::BigUint;

pub(super) struct Player<'p> {
    problem: &'p Problem,
    stepper: Stepper<'p>,
    trace: &'p Trace,
    goal: Goal,
    at: Marking,
}

impl<'p> Player<'p> {
    pub(super) fn new(problem: &'p Problem, trace: &'p Trace, goal: Goal) -> Self {
        let stepper = Stepper::new(&problem.system).expect("nets and thread systems have markings");
        Self { problem, stepper, trace, goal, at: stepper.start(&trace.start) }
    }
}

impl Play for Player<'_> {
    fn state(&self) -> State {
        let marked = self.at.iter().enumerate().filter(|(_, n)| **n != BigUint::ZERO);
        marked.map(|(p, n)| (self.stepper.place_name(PlaceId::new(p)), tokens(n))).collect()
    }

    fn take(&mut self, step: &Move) -> What {
        let event = Some(self.stepper.transition_name(TransitionId(step.event.0)));
        let mut changes = Vec::new();
        for (place, count) in trace::after_transition(self.stepper, self.trace, &self.at, step) {
            let before = std::mem::replace(&mut self.at[place.index()], count);
            let (from, to) = (tokens(&before), tokens(&self.at[place.index()]));
            changes.push(Change { name: self.stepper.place_name(place), from, to });
        }
        What { event, changes, ..What::default() }
    }

    fn why(&self, steps: u64) -> Option<String> {
        let why = trace::why_marking(self.problem, self.stepper, &self.at, self.goal, steps, everything());
        Some(sentences(&why))
    }
}
