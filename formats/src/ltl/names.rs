//! The propositions of temporal formulas. Those about behavioral programs name events, states of threads and ends.
//!
//! | Proposition | Holds at a position |
//! |---|---|
//! | `e` | event `e` happens |
//! | `move(*, X)`, `move`, `e[*]` | an event of this pattern happens; without arguments, any event of the declaration |
//! | `T.s` | thread `T` is in state `s` |
//! | `enabled(e)`, `FIREABLE(e)` | event `e` (or an event of this pattern) is enabled |
//! | `ready(T)`, `served(T)` | thread `T` requests an enabled event, the event that happens |
//! | `hot(T)`, `hot` | thread `T`, some thread, is hot |
//! | `bad`, `end`, `deadlock` | some thread is in a bad state; no event is enabled; the run ends, and not properly |
//!
//! A name in quotes is always that of an event or of a thread's state.

use crate::codes;
use crate::error::{Error, Text, printable};
use crate::suggest;
use model::{EventId, Letter, LocalId, Program, ThreadId};
use std::collections::HashMap;
use std::ops::Range;

/// The letters that names stand for.
pub(crate) enum Names<'a> {
    /// `iA` and `oZ`.
    Reactive,
    Program(ProgramNames<'a>),
}

/// The names of a behavioral program.
pub(crate) struct ProgramNames<'a> {
    program: &'a Program,
    events: HashMap<&'a str, EventId>,
    threads: HashMap<&'a str, ThreadId>,
    /// The events of each declaration with arguments, by its name.
    declared: HashMap<&'a str, Vec<EventId>>,
}

/// The reason why a name stands for nothing.
pub(crate) struct Unknown {
    message: String,
    hint: Option<String>,
}

impl Unknown {
    fn new(message: String) -> Self {
        Self { message, hint: None }
    }

    /// Returns the error about the name at this place.
    pub(crate) fn at(self, text: Text<'_>, span: Range<usize>, name: &str) -> Box<Error> {
        let error = text.error(&codes::LTL_PROPOSITION, span, self.message);
        let error = error.label(format!("`{}` is not known", printable(name)));
        match self.hint {
            Some(hint) => error.hint(hint),
            None => error.hint("expected an event, `Thread.state`, `hot`, `bad`, `end` or `deadlock`"),
        }
    }
}

type Res<T> = Result<T, Unknown>;

impl<'a> ProgramNames<'a> {
    pub(crate) fn new(program: &'a Program) -> Self {
        let events = program.events().iter().enumerate().map(|(e, name)| (name.as_str(), EventId::new(e)));
        let threads = program.threads().iter().enumerate().map(|(t, thread)| (thread.name.as_str(), ThreadId::new(t)));
        let mut declared: HashMap<&str, Vec<EventId>> = HashMap::new();
        for (name, event) in events.clone() {
            if let Some((declaration, _)) = arguments(name) {
                declared.entry(declaration).or_default().push(event);
            }
        }
        Self { program, events: events.collect(), threads: threads.collect(), declared }
    }

    /// Returns the letters that a proposition stands for. It holds if one of them does.
    pub(crate) fn letters(&self, name: &str) -> Res<Vec<Letter>> {
        if let Some(quoted) = name.strip_prefix('"') {
            let name = quoted.trim_end_matches('"');
            return self.event_or_state(name).ok_or_else(|| self.unknown(name));
        }
        match name {
            "bad" => return Ok(vec![Letter::Bad]),
            "end" => return Ok(vec![Letter::End]),
            "deadlock" => return Ok(vec![Letter::Deadlock]),
            "hot" => return Ok(vec![Letter::SomeHot]),
            _ => {}
        }
        if let Some(letters) = self.event_or_state(name) {
            return Ok(letters);
        }
        match name.split_once('(').and_then(|(function, rest)| Some((function, rest.strip_suffix(')')?))) {
            Some(("enabled" | "FIREABLE", of)) => Ok(self.events(of)?.into_iter().map(Letter::Enabled).collect()),
            Some(("ready", of)) => Ok(vec![Letter::Ready(self.thread(of)?)]),
            Some(("served", of)) => Ok(vec![Letter::Served(self.thread(of)?)]),
            Some(("hot", of)) => Ok(vec![Letter::Hot(self.thread(of)?)]),
            _ => Err(self.unknown(name)),
        }
    }

    fn event_or_state(&self, name: &str) -> Option<Vec<Letter>> {
        if let Some(events) = self.pattern(name) {
            return Some(events.into_iter().map(Letter::Event).collect());
        }
        // The names of threads and states may contain dots.
        let state = name.match_indices('.').find_map(|(dot, _)| self.state(&name[..dot], &name[dot + 1..]));
        state.map(|letter| vec![letter])
    }

    fn state(&self, thread: &str, state: &str) -> Option<Letter> {
        let thread = *self.threads.get(thread)?;
        let local = self.program.thread(thread).states.iter().position(|local| local.name == state)?;
        Some(Letter::State(thread, LocalId::new(local)))
    }

    /// Returns the events with this name or pattern.
    pub(crate) fn events(&self, name: &str) -> Res<Vec<EventId>> {
        let name = name.trim();
        if name == "*" {
            return Ok((0..self.program.events().len()).map(EventId::new).collect());
        }
        self.pattern(name.trim_matches('"')).ok_or_else(|| self.unknown(name))
    }

    /// Returns the thread with this name.
    pub(crate) fn thread(&self, name: &str) -> Res<ThreadId> {
        let name = name.trim().trim_matches('"');
        self.threads.get(name).copied().ok_or_else(|| {
            let near = suggest::nearest(name, self.threads.keys().copied());
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            Unknown { message: format!("the program has no thread `{}`", printable(name)), hint }
        })
    }

    fn pattern(&self, name: &str) -> Option<Vec<EventId>> {
        if let Some(event) = self.events.get(name) {
            return Some(vec![*event]);
        }
        let Some((declaration, wanted)) = arguments(name) else { return self.declared.get(name).cloned() };
        let fits = |event: &&EventId| {
            let (_, given) = arguments(self.program.event_name(**event)).unwrap_or_default();
            given.len() == wanted.len() && given.iter().zip(&wanted).all(|(a, b)| *b == "*" || a == b)
        };
        let events: Vec<EventId> = self.declared.get(declaration)?.iter().filter(fits).copied().collect();
        if events.is_empty() { None } else { Some(events) }
    }

    fn unknown(&self, name: &str) -> Unknown {
        let mut unknown = Unknown::new(format!("the program has no event or thread state `{}`", printable(name)));
        let states = name.split_once('.').and_then(|(thread, _)| self.threads.get(thread)).map(|thread| {
            let thread = self.program.thread(*thread);
            thread.states.iter().map(|state| format!("{}.{}", thread.name, state.name)).collect::<Vec<_>>()
        });
        let names = self.events.keys().copied().chain(self.declared.keys().copied());
        let near = match &states {
            Some(states) => suggest::nearest(name, states.iter().map(String::as_str)),
            None => suggest::nearest(name, names),
        };
        unknown.hint = near.map(|near| format!("did you mean `{near}`?"));
        unknown
    }
}

/// Splits `move(1, X)` into `move` and its arguments, and likewise `e[1][2]`. `None` if there are no arguments.
fn arguments(name: &str) -> Option<(&str, Vec<&str>)> {
    let at = name.find(['(', '['])?;
    let (declaration, rest) = name.split_at(at);
    let list = match rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => inner.split(',').map(str::trim).collect(),
        None => rest.strip_prefix('[')?.strip_suffix(']')?.split("][").map(str::trim).collect(),
    };
    Some((declaration, list))
}

/// Returns the length of what belongs to a name that begins before `rest`: arguments in brackets, and words after dots.
pub(super) fn name_length(rest: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    loop {
        let tail = &rest[at..];
        let more = match tail.chars().next() {
            Some('[' | '(') => {
                let mut depth = 0usize;
                let close = tail.char_indices().find(|(_, c)| {
                    depth = if "[(".contains(*c) { depth + 1 } else { depth - usize::from("])".contains(*c)) };
                    depth == 0
                });
                close.map(|(close, _)| close + 1)
            }
            Some('.') if tail[1..].starts_with(is_word) => Some(1),
            Some(c) if is_word(c) => Some(tail.find(|c| !is_word(c)).unwrap_or(tail.len())),
            _ => None,
        };
        let Some(more) = more else { return at };
        at += more;
    }
}
