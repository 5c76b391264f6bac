//! Questions of the stepper in the last line, and what the answers do.

use super::keys::Action;
use crate::cli::simulate::fields;
use num_bigint::BigUint;
use view::machine::views::FieldView;

/// What a prompt asks for.
#[derive(Debug)]
pub(super) enum Ask {
    Goto,
    Random,
    Find,
    Filter,
    Write,
    Values(Values),
}

/// Values of fields, which are asked one after the other.
#[derive(Debug)]
pub(super) struct Values {
    /// The label that is taken; `None` if an initial state is chosen.
    pub(super) label: Option<u32>,
    pub(super) fields: Vec<FieldView>,
    pub(super) given: Vec<BigUint>,
}

/// A prompt, with the text so far.
#[derive(Debug)]
pub(super) struct Prompt {
    pub(super) ask: Ask,
    pub(super) text: String,
}

impl Prompt {
    pub(super) fn new(ask: Ask) -> Self {
        Self { ask, text: String::new() }
    }

    /// Returns the prompt for a key that opens one.
    pub(super) fn of(action: Action) -> Option<Self> {
        Some(Self::new(match action {
            Action::Goto => Ask::Goto,
            Action::Random => Ask::Random,
            Action::Find => Ask::Find,
            Action::Filter => Ask::Filter,
            Action::Write => Ask::Write,
            _ => return None,
        }))
    }

    /// Returns the question.
    pub(super) fn question(&self) -> String {
        match &self.ask {
            Ask::Goto => "go to step".to_owned(),
            Ask::Random => "number of random steps [10]".to_owned(),
            Ask::Find => "search (an event, a property or a formula)".to_owned(),
            Ask::Filter => "show lines with".to_owned(),
            Ask::Write => "write the path to (.json, .scn, .py)".to_owned(),
            Ask::Values(values) => match values.fields.get(values.given.len()) {
                Some(field) => format!("{} ({})", field.name, fields::range(field)),
                None => String::new(),
            },
        }
    }
}
