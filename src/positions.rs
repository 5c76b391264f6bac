//! The states of threads in words that lead back to the text: `line 13`, `at line 14, after request pick[0][0]`.
//!
//! States that have names of their own are called by them. Those of a body are syncs: what they wait for, and the sync before
//! them if there is just one, says where the thread is better than their numbers do.

use model::{EventId, LocalId, LocalState, Program, Thread, ThreadId};

/// Events named of a statement.
const EVENTS: usize = 2;

/// A state in a few words: its name, or the line of its sync, with its name as well if it shares the line with others.
#[must_use]
pub fn short(program: &Program, t: ThreadId, s: LocalId) -> String {
    let state = program.thread(t).state(s);
    let Some(position) = program.position(t, s).filter(|p| p.is_body) else { return state.name.clone() };
    match kind(state) {
        Kind::End => "end".to_owned(),
        Kind::Bad => format!("line {} (bad)", position.line),
        Kind::Sync if position.is_alone => format!("line {}", position.line),
        Kind::Sync => format!("line {} ({})", position.line, state.name),
    }
}

/// Where a thread is: `in idle (line 7)`, `at line 14, after request a`.
#[must_use]
pub fn whereabouts(program: &Program, t: ThreadId, s: LocalId) -> String {
    let state = program.thread(t).state(s);
    match program.position(t, s) {
        None => format!("in {}", state.name),
        Some(position) if !position.is_body => format!("in {}, line {}", state.name, position.line),
        Some(_) => {
            let before = match (only_before(program.thread(t), s), kind(state)) {
                (Some(before), _) => format!(", after {}", statement(program, program.thread(t).state(before))),
                (None, Kind::Sync) => format!(", before {}", statement(program, state)),
                (None, _) => String::new(),
            };
            let at = if kind(state) == Kind::End { "its end".to_owned() } else { short(program, t, s) };
            format!("at {at}{before}")
        }
    }
}

/// Where a thread requests `event`: empty for states with names, else `at line 14`, with the statement if it says more than that
/// it requests this event.
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

/// Kinds of states of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sync,
    Bad,
    End,
}

fn kind(state: &LocalState) -> Kind {
    match state.bad {
        true => Kind::Bad,
        false if state.on.is_empty() && state.request.is_empty() && state.block.is_empty() => Kind::End,
        false => Kind::Sync,
    }
}

/// The only state from which `s` is entered, if the thread neither starts in it nor enters it from others.
fn only_before(thread: &Thread, s: LocalId) -> Option<LocalId> {
    let leads = |state: &LocalState| state.on.values().any(|to| to.contains(&s));
    let mut before = (0..thread.states.len()).map(LocalId::new).filter(|p| leads(thread.state(*p)));
    let first = before.next().filter(|_| !thread.initial.contains(&s))?;
    before.next().is_none().then_some(first)
}

/// What a sync says: `request a, b`, `wait c`, `request a, wait b`.
fn statement(program: &Program, state: &LocalState) -> String {
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
