//! Models with states of a Rust type.

use super::{Slots, System};
use crate::goal::QuestionForm;
use std::fmt::{self, Debug};

/// A transition system as users write it: states of a Rust type, and steps with readable actions.
pub trait Model: Send + Sync {
    /// The type of states: plain data of a fixed size ([`crate::slots!`]).
    type State: Slots + Debug;
    /// The type of actions. An action says what happens in a step.
    type Action: Debug;

    /// Returns the initial states: at least one.
    fn initial(&self) -> Vec<Self::State>;

    /// Passes every step from `state` to `step`: the action and the next state. Repeated calls for the same
    /// state must give the same steps in the same order.
    fn steps(&self, state: &Self::State, step: &mut dyn FnMut(Self::Action, Self::State));

    /// Returns the questions about this model.
    fn questions(&self) -> Vec<Question<Self>>;

    /// Returns true if the check should also search for states without steps.
    fn asks_deadlock(&self) -> bool {
        false
    }
}

/// A question about the reachable states of a model.
pub struct Question<M: Model + ?Sized> {
    id: String,
    asked: QuestionForm,
    holds: fn(&M, &M::State) -> bool,
}

impl<M: Model> Question<M> {
    /// Returns the question whether all reachable states avoid `broken`: the property fails if a state in which
    /// `broken` is true is reachable.
    #[must_use]
    pub fn never(id: impl Into<String>, broken: fn(&M, &M::State) -> bool) -> Self {
        Self { id: id.into(), asked: QuestionForm::Never, holds: broken }
    }

    /// Returns the question whether a state in which `holds` is true is reachable.
    #[must_use]
    pub fn reachable(id: impl Into<String>, holds: fn(&M, &M::State) -> bool) -> Self {
        Self { id: id.into(), asked: QuestionForm::Exists, holds }
    }
}

/// A [`Model`] as a [`System`]. The label of a step is its position among the steps from its state.
pub struct Typed<M: Model> {
    model: M,
    questions: Vec<Question<M>>,
}

impl<M: Model> Typed<M> {
    /// Returns the system that the model describes.
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

    fn predicates(&self) -> Vec<(String, QuestionForm)> {
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
