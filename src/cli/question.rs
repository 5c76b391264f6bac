//! A property as reports name it, also before the model was read.

use impasse::model::{Goal, Problem, Property, QuestionForm};

/// A property as it appears in reports.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) asked: QuestionForm,
    /// The kind as in JSON. `None` if the model was not read and the id does not determine the kind.
    pub(crate) kind: Option<&'static str>,
}

impl Question {
    pub(crate) fn new(problem: &Problem, property: &Property) -> Self {
        Self { id: property.id.clone(), asked: property.asked, kind: Some(problem.kind(property)) }
    }

    /// Creates the question of a model that was not read.
    pub(crate) fn unread(id: &str) -> Self {
        let kind = [Goal::Bad, Goal::Deadlock].into_iter().map(Goal::id).find(|kind| *kind == id);
        Self { id: id.to_owned(), asked: QuestionForm::Never, kind }
    }
}
