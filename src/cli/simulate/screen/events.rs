//! What keys and the mouse do in the stepper, and what the answers to its questions do.

use super::app::{App, Mode, Pane};
use super::keys::{Action, action};
use super::prompt::{Ask, Prompt, Values};
use crate::cli::simulate::fields;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;
use std::fs::OpenOptions;
use std::io::{self, Write};
use view::machine::export::{Form, Subject, export};
use view::machine::path::Pick;

impl App {
    /// Handles an event of the terminal.
    pub(super) fn handle(&mut self, event: &Event) {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.press(key),
            Event::Mouse(mouse) => self.point(*mouse),
            _ => {}
        }
    }

    fn press(&mut self, key: &KeyEvent) {
        match std::mem::take(&mut self.mode) {
            Mode::Asking(prompt) => self.type_into(prompt, key),
            // Any key ends the help.
            Mode::Helping if action(key) != Some(Action::Quit) => {}
            Mode::Over => self.mode = Mode::Over,
            Mode::Stepping | Mode::Helping => {
                if let Some(action) = action(key) {
                    self.act(action);
                }
            }
        }
    }

    fn act(&mut self, action: Action) {
        self.message = None;
        match action {
            Action::Up => self.move_by(-1),
            Action::Down => self.move_by(1),
            Action::PageUp => self.move_by(-self.page()),
            Action::PageDown => self.move_by(self.page()),
            Action::First => self.move_by(isize::MIN),
            Action::Last => self.move_by(isize::MAX),
            Action::NextPane => self.pane = self.pane.beside(1),
            Action::PreviousPane => self.pane = self.pane.beside(Pane::ALL.len() - 1),
            Action::Take => self.choose(),
            Action::Back if self.at == 0 => self.say("this is the start".to_owned()),
            Action::Back => self.go(self.at - 1),
            Action::Forward if self.at == self.length() => self.say("the path ends here".to_owned()),
            Action::Forward => self.go(self.at + 1),
            Action::Chase => self.chase(),
            Action::Start => self.ask_start(),
            Action::Mouse => {
                self.has_mouse = !self.has_mouse;
                self.say(format!("the mouse is {}", if self.has_mouse { "on" } else { "off" }));
            }
            Action::Help => self.mode = Mode::Helping,
            Action::Clear => self.clear(),
            Action::Quit => self.mode = Mode::Over,
            Action::Goto | Action::Random | Action::Find | Action::Filter | Action::Write => {
                self.mode = Prompt::of(action).map_or(Mode::Stepping, Mode::Asking);
            }
        }
    }

    /// A click chooses the pane and the line. A click at the chosen line is as Enter. The wheel moves the line.
    fn point(&mut self, mouse: MouseEvent) {
        if !matches!(self.mode, Mode::Stepping) {
            return;
        }
        let at = Position::new(mouse.column, mouse.row);
        let Some(pane) = Pane::ALL.into_iter().find(|pane| self.views[*pane as usize].area.contains(at)) else {
            return;
        };
        let was = std::mem::replace(&mut self.pane, pane);
        match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let view = &self.views[pane as usize];
                let line = view.top + usize::from(mouse.row - view.area.y);
                if line < self.lines(pane) {
                    let again = was == pane && view.line == line;
                    self.view(pane).line = line;
                    if again {
                        self.act(Action::Take);
                    }
                }
            }
            MouseEventKind::ScrollDown => self.move_by(3),
            MouseEventKind::ScrollUp => self.move_by(-3),
            _ => {}
        }
    }

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
