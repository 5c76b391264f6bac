//! The keys of the stepper: one table, from which the help is made, too.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    NextPane,
    PreviousPane,
    /// Takes the chosen step, or goes to the chosen step of the path.
    Take,
    Back,
    Forward,
    Goto,
    Random,
    /// Takes random steps until a property is violated.
    Chase,
    Find,
    Filter,
    Start,
    Write,
    Mouse,
    Help,
    Clear,
    Quit,
}

/// A row of the table: the keys, how they are written, what they do, and what the help says.
pub(super) struct Key {
    codes: &'static [KeyCode],
    pub(super) shown: &'static str,
    action: Action,
    pub(super) about: &'static str,
}

const fn key(codes: &'static [KeyCode], shown: &'static str, action: Action, about: &'static str) -> Key {
    Key { codes, shown, action, about }
}

/// All keys, in the order of the help.
pub(super) const KEYS: &[Key] = &[
    key(&[KeyCode::Enter], "Enter", Action::Take, "take the chosen step; in the path: go to the chosen step"),
    key(&[KeyCode::Up, KeyCode::Char('k')], "Up, k", Action::Up, "choose the line above"),
    key(&[KeyCode::Down, KeyCode::Char('j')], "Down, j", Action::Down, "choose the line below"),
    key(&[KeyCode::PageUp], "PageUp", Action::PageUp, "a page up"),
    key(&[KeyCode::PageDown], "PageDown", Action::PageDown, "a page down"),
    key(&[KeyCode::Home], "Home", Action::First, "the first line"),
    key(&[KeyCode::End], "End", Action::Last, "the last line"),
    key(&[KeyCode::Tab], "Tab", Action::NextPane, "the next pane"),
    key(&[KeyCode::BackTab], "Shift-Tab", Action::PreviousPane, "the pane before"),
    key(
        &[KeyCode::Left, KeyCode::Backspace, KeyCode::Char('u')],
        "Left, Backspace, u",
        Action::Back,
        "one step back; the path keeps its later steps",
    ),
    key(&[KeyCode::Right], "Right", Action::Forward, "one step forward on the path"),
    key(&[KeyCode::Char('g')], "g", Action::Goto, "go to a step by its number"),
    key(&[KeyCode::Char('r')], "r", Action::Random, "take random steps"),
    key(&[KeyCode::Char('x')], "x", Action::Chase, "take random steps until a property is violated"),
    key(&[KeyCode::Char('s')], "s", Action::Find, "search the nearest step or state: an event, a property, a formula"),
    key(&[KeyCode::Char('/')], "/", Action::Filter, "show only lines of this pane that contain a text"),
    key(&[KeyCode::Char('i')], "i", Action::Start, "choose another initial state, if there are several"),
    key(&[KeyCode::Char('w')], "w", Action::Write, "write the path: .json (evidence), .scn, .py (bppy)"),
    key(&[KeyCode::Char('m')], "m", Action::Mouse, "use the mouse; without it, the terminal selects text"),
    key(&[KeyCode::Char('?'), KeyCode::Char('h')], "?, h", Action::Help, "this help"),
    key(&[KeyCode::Esc], "Esc", Action::Clear, "end a search, clear a filter or a message"),
    key(&[KeyCode::Char('q')], "q, Ctrl-C", Action::Quit, "end"),
];

/// Returns what a key does. `None` for other keys.
pub(super) fn action(event: &KeyEvent) -> Option<Action> {
    if event.modifiers.contains(KeyModifiers::CONTROL) {
        return matches!(event.code, KeyCode::Char('c' | 'd')).then_some(Action::Quit);
    }
    KEYS.iter().find(|key| key.codes.contains(&event.code)).map(|key| key.action)
}
