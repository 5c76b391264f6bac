//! Questions of the stepper in the last line, and what the answers do.

use super::app::{App, Mode};
use super::fields;
use super::keys::Action;
use num_bigint::BigUint;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::fs::OpenOptions;
use std::io::{self, Write};
use view::machine::export::{Form, Subject, export};
use view::machine::path::Pick;
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

impl App {
    /// Handles a key while a prompt is open.
    pub(super) fn type_into(&mut self, mut prompt: Prompt, key: &KeyEvent) {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => return,
            KeyCode::Char('c') if is_control => return,
            KeyCode::Char('u') if is_control => prompt.text.clear(),
            KeyCode::Char(letter) if !is_control => prompt.text.push(letter),
            KeyCode::Backspace => drop(prompt.text.pop()),
            KeyCode::Enter => return self.answered(prompt),
            _ => {}
        }
        // A filter works while it is typed.
        if matches!(prompt.ask, Ask::Filter) {
            self.filter(prompt.text.clone());
        }
        self.mode = Mode::Asking(prompt);
    }

    fn answered(&mut self, prompt: Prompt) {
        let text = prompt.text.trim().to_owned();
        match prompt.ask {
            Ask::Goto => match text.parse::<usize>() {
                Ok(step) if step <= self.length() => self.go(step),
                Ok(_) => self.complain(format!("the path has {} steps", self.length())),
                Err(_) => self.complain(format!("`{text}` is not the number of a step")),
            },
            Ask::Random => match if text.is_empty() { Ok(10) } else { text.parse::<usize>() } {
                Ok(steps) => self.random(steps, &[]),
                Err(_) => self.complain(format!("`{text}` is not a number of steps")),
            },
            Ask::Find if text.is_empty() => {}
            Ask::Find => self.find(&text),
            Ask::Filter => self.filter(prompt.text),
            Ask::Write if text.is_empty() => {}
            Ask::Write => self.write(&text),
            Ask::Values(values) => self.next_value(values, &text),
        }
    }

    /// Records a value, and asks for the next one or uses them all.
    fn next_value(&mut self, mut values: Values, text: &str) {
        let Some(field) = values.fields.get(values.given.len()) else { return };
        match fields::value(field, text) {
            Ok(value) => values.given.push(value),
            Err(why) => self.complain(why),
        }
        if values.given.len() < values.fields.len() {
            self.mode = Mode::Asking(Prompt::new(Ask::Values(values)));
            return;
        }
        let outcome = fields::outcome(&values.fields, &values.given);
        match values.label {
            Some(label) => self.take(Pick { label, outcome }),
            None => self.begin_at(outcome),
        }
    }

    /// Writes the path up to the current step, in the form that the name of the file says.
    fn write(&mut self, file: &str) {
        let form = match file.rsplit('.').next() {
            Some("scn") => Form::Scn,
            Some("py") => Form::Bppy,
            Some("json") if self.state.reached.is_empty() => Form::Steps,
            Some("json") => Form::Evidence,
            _ => return self.complain("the name must end with .json, .scn or .py".to_owned()),
        };
        let model = &self.model;
        let subject = Subject { file: &model.file, problem: &model.problem, machine: &*model.machine };
        match export(subject, &self.here(), form) {
            Ok(text) => match create(file, &text) {
                Ok(()) if matches!(form, Form::Steps) => {
                    self.say(format!("written as steps, because no property is violated here: {file}"));
                }
                Ok(()) => self.say(format!("written: {file}")),
                Err(error) => self.complain(format!("cannot write {file}: {error}")),
            },
            Err(wrong) => self.complain(wrong.message().to_owned()),
        }
    }
}

/// Writes a new file. A file that exists is not replaced.
fn create(file: &str, text: &str) -> io::Result<()> {
    let mut to = OpenOptions::new().write(true).create_new(true).open(file)?;
    to.write_all(text.as_bytes())
}
