//! Descriptions of local states of threads by their positions in the text: `line 13`, `at line 14, after
//! request pick[0][0]`.
//!
//! A state that has a name in the text is described by its name. The states of a thread body are its *syncs*,
//! the statements at which the thread waits for an event. Syncs have no names in the text. A sync is described
//! by its line, and by the statement of the preceding sync if there is exactly one, or by its own statement
//! otherwise.

use model::{EventId, LocalId, LocalState, Position, Program, Thread, ThreadId};

/// Largest number of events that the description of a statement names.
const EVENTS: usize = 2;

/// Returns a short description of a state: its name, or the line of its sync. If several syncs of the thread are in
/// this line, the name of the state (such as `L3`) is added.
#[must_use]
pub fn short(program: &Program, t: ThreadId, s: LocalId) -> String {
    let state = program.thread(t).state(s);
    let Some(position) = program.position(t, s).filter(|p| p.is_body) else { return state.name.clone() };
    match kind(state, position) {
        StateKind::End => "end".to_owned(),
        StateKind::Bad => format!("{} (bad){}", place(position), values(position.values)),
        StateKind::Sync if position.is_alone => format!("{}{}", place(position), values(position.values)),
        StateKind::Sync => format!("{} ({}){}", place(position), state.name, values(position.values)),
    }
}

/// Returns what a thread does in a state of its body, and where: `request a (line 14)`. Other states have names.
#[must_use]
pub fn act(program: &Program, t: ThreadId, s: LocalId) -> String {
    let state = program.thread(t).state(s);
    let short = short(program, t, s);
    let is_sync = program.position(t, s).is_some_and(|p| p.is_body && kind(state, p) == StateKind::Sync);
    match statement(program, state) {
        statement if is_sync && !statement.is_empty() => format!("{statement} ({short})"),
        _ => short,
    }
}

/// Returns a description of a state to which a step leads. If several syncs are in its line, the line says little, so
/// the statement is added.
#[must_use]
pub fn target(program: &Program, t: ThreadId, s: LocalId) -> String {
    let is_alone = program.position(t, s).is_none_or(|position| position.is_alone || !position.is_body);
    if is_alone { short(program, t, s) } else { act(program, t, s) }
}

/// Returns the values of the variables in brackets.
fn values(values: &str) -> String {
    if values.is_empty() { String::new() } else { format!(" [{values}]") }
}

/// Returns the place of a state with a name: `line 7`, or `cars.py:7` in another file.
#[must_use]
pub fn place(position: Position<'_>) -> String {
    match position.file {
        Some(file) => format!("{file}:{}", position.line),
        None => format!("line {}", position.line),
    }
}

/// Returns a description of where a thread is: `in idle, line 7`, `at line 14, after request a`.
#[must_use]
pub fn whereabouts(program: &Program, t: ThreadId, s: LocalId) -> String {
    let state = program.thread(t).state(s);
    match program.position(t, s) {
        None => format!("in {}", state.name),
        Some(position) if !position.is_body => format!("in {}, {}", state.name, place(position)),
        Some(position) => {
            let kind = kind(state, position);
            let (word, before) = match (only_before(program.thread(t), s), kind) {
                (Some(before), _) => ("after", statement(program, program.thread(t).state(before))),
                (None, StateKind::Sync) => ("before", statement(program, state)),
                (None, _) => ("", String::new()),
            };
            // A thread that waits only for events that never happen has no statement.
            let before = if before.is_empty() { before } else { format!(", {word} {before}") };
            let at = if kind == StateKind::End { "its end".to_owned() } else { short(program, t, s) };
            format!("at {at}{before}")
        }
    }
}

/// Returns a description of where a thread requests `event`. The description is empty for states with names.
/// Otherwise it is `at line 14`, followed by the statement unless the statement only requests this event.
#[must_use]
pub fn requests_at(program: &Program, t: ThreadId, s: LocalId, event: EventId) -> String {
    let state = program.thread(t).state(s);
    if program.position(t, s).is_none_or(|p| !p.is_body) {
        return String::new();
    }
    let statement = statement(program, state);
    let more = if statement == format!("request {}", program.event_name(event)) {
        String::new()
    } else {
        format!(": {statement}")
    };
    format!("at {}{more}", short(program, t, s))
}

/// The kinds of states of a thread body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StateKind {
    Sync,
    Bad,
    End,
}

fn kind(state: &LocalState, position: Position<'_>) -> StateKind {
    match state.bad {
        true => StateKind::Bad,
        false if position.is_sync => StateKind::Sync,
        false if state.on.is_empty() && state.request.is_empty() && state.block.is_empty() => StateKind::End,
        false => StateKind::Sync,
    }
}

/// Returns the only predecessor of `s`. Returns `None` if `s` is an initial state of the thread, or if it has
/// several predecessors or none.
fn only_before(thread: &Thread, s: LocalId) -> Option<LocalId> {
    let leads = |state: &LocalState| state.on.values().any(|to| to.contains(&s));
    let mut before = (0..thread.states.len()).map(LocalId::new).filter(|p| leads(thread.state(*p)));
    let first = before.next().filter(|_| !thread.initial.contains(&s))?;
    before.next().is_none().then_some(first)
}

/// Returns the statement of a sync: `request a, b`, `wait c`, `request a, wait b`.
#[must_use]
pub fn statement(program: &Program, state: &LocalState) -> String {
    let clause = |word: &str, mut events: Box<dyn Iterator<Item = EventId> + '_>| {
        let named: Vec<&str> = (&mut events).take(EVENTS).map(|e| program.event_name(e)).collect();
        let more = match events.count() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        (!named.is_empty()).then(|| format!("{word} {}{more}", named.join(", ")))
    };
    let waits = state.on.keys().copied().filter(|e| !state.request.contains(*e));
    let (request, wait) = (clause("request", Box::new(state.request.iter())), clause("wait", Box::new(waits)));
    match (request, wait) {
        (None, None) => clause("block", Box::new(state.block.iter())).unwrap_or_default(),
        (request, wait) => request.into_iter().chain(wait).collect::<Vec<_>>().join(", "),
    }
}
