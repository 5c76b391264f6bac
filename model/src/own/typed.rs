//! Models over states of a type of their own.

use super::{Slots, System};
use crate::goal::Asked;
use std::fmt::{self, Debug};

/// A system as people write it: states of a type of its own, steps that say what happens.
pub trait Model: Send + Sync {
    /// A state: plain data of a fixed size ([`crate::slots!`]).
    type State: Slots + Debug;
    /// What happens in a step.
    type Action: Debug;

    /// The states in which runs begin: at least one.
    fn initial(&self) -> Vec<Self::State>;

    /// Hands every step from `state` to `step`: what happens, and the state after it. The same state has the same steps
    /// in the same order whenever it is asked.
    fn steps(&self, state: &Self::State, step: &mut dyn FnMut(Self::Action, Self::State));

    /// What is asked.
    fn questions(&self) -> Vec<Question<Self>>;

    /// Is a state without steps to be looked for, too?
    fn asks_deadlock(&self) -> bool {
        false
    }
}

/// A question about the states that can be reached.
pub struct Question<M: Model + ?Sized> {
    id: String,
    asked: Asked,
    holds: fn(&M, &M::State) -> bool,
}

impl<M: Model> Question<M> {
    /// No state in which `broken` is true may be reached.
    #[must_use]
    pub fn never(id: impl Into<String>, broken: fn(&M, &M::State) -> bool) -> Self {
        Self { id: id.into(), asked: Asked::Never, holds: broken }
    }

    /// Can a state in which this is true be reached?
    #[must_use]
    pub fn reachable(id: impl Into<String>, holds: fn(&M, &M::State) -> bool) -> Self {
        Self { id: id.into(), asked: Asked::Exists, holds }
    }
}

/// A model as a [`System`]: the label of a step is its position among the steps from its state.
pub struct Typed<M: Model> {
    model: M,
    questions: Vec<Question<M>>,
}

impl<M: Model> Typed<M> {
    /// The system that the model describes.
    pub fn new(model: M) -> Self {
        let questions = model.questions();
        Self { model, questions }
    }

    fn state(slots: &[u32]) -> M::State {
        M::State::take(&mut slots.iter())
    }
}

impl<M: Model> Debug for Typed<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Typed")
    }
}

impl<M: Model> System for Typed<M> {
    fn sizes(&self) -> Vec<u64> {
        let mut sizes = Vec::new();
        M::State::sizes(&mut sizes);
        sizes
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u32])) {
        let mut slots = Vec::new();
        for state in self.model.initial() {
            slots.clear();
            state.put(&mut slots);
            sink(&slots);
        }
    }

    fn successors(&self, state: &[u32], sink: &mut dyn FnMut(u32, &[u32])) {
        let (mut slots, mut label) = (Vec::with_capacity(state.len()), 0);
        self.model.steps(&Self::state(state), &mut |_, next| {
            slots.clear();
            next.put(&mut slots);
            sink(label, &slots);
            label += 1;
        });
    }

    fn predicates(&self) -> Vec<(String, Asked)> {
        self.questions.iter().map(|question| (question.id.clone(), question.asked)).collect()
    }

    fn holds(&self, predicate: usize, state: &[u32]) -> bool {
        (self.questions[predicate].holds)(&self.model, &Self::state(state))
    }

    fn asks_deadlock(&self) -> bool {
        self.model.asks_deadlock()
    }

    fn label(&self, state: &[u32], label: u32) -> String {
        let (mut name, mut at) = (String::new(), 0);
        self.model.steps(&Self::state(state), &mut |action, _| {
            if at == label {
                name = format!("{action:?}");
            }
            at += 1;
        });
        name
    }

    fn shown(&self, state: &[u32]) -> Vec<(String, String)> {
        vec![("state".to_owned(), format!("{:?}", Self::state(state)))]
    }
}
