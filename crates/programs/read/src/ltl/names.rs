//! The propositions of temporal formulas. Those about behavioral programs name events, states of threads and ends.
//!
//! | Proposition | Holds at a position |
//! |---|---|
//! | `e` | event `e` happens |
//! | `move(*, X)`, `move`, `e[*]` | an event of this pattern happens; without arguments, any event of the declaration |
//! | `T.s` | thread `T` is in state `s` |
//! | `T.n <= 3`, `T.side = North`, `T.is_open` | the variable of thread `T` has such a value (module `variables`) |
//! | `enabled(e)`, `FIREABLE(e)` | event `e` (or an event of this pattern) is enabled |
//! | `ready(T)`, `served(T)` | thread `T` requests an enabled event, the event that happens |
//! | `hot(T)`, `hot` | thread `T`, some thread, is hot |
//! | `bad`, `end`, `deadlock` | some thread is in a bad state; no event is enabled; the run ends, and not properly |
//!
//! The properties of objects in data may stand in any order. A name in quotes is always that of an event or of a
//! thread's state.

use super::arguments::{arguments, normal};
use formats::error::{Error, Text, printable};
use formats::{codes, suggest, variables};
use model::{EventId, Letter, LocalId, Program, ThreadId, Variable};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

/// The letters that names stand for.
pub enum Names<'a> {
    /// `iA` and `oZ`.
    Reactive,
    /// The names of a behavioral program.
    Program(ProgramNames<'a>),
}

/// The names of a behavioral program.
pub struct ProgramNames<'a> {
    program: &'a Program,
    events: HashMap<&'a str, EventId>,
    threads: HashMap<&'a str, ThreadId>,
    /// The events of each declaration with arguments, by its name.
    declared: HashMap<&'a str, Vec<EventId>>,
    /// The events by the normal form of their names. `None` if several events have it.
    normal: OnceCell<HashMap<String, Option<EventId>>>,
}

/// The reason why a name stands for nothing.
pub struct Unknown {
    message: String,
    label: &'static str,
    hint: Option<String>,
}

impl Unknown {
    fn new(message: String) -> Self {
        Self { message, label: "is not known", hint: None }
    }

    /// Returns the error about the name at this place.
    pub fn at(self, text: Text<'_>, span: Range<usize>, name: &str) -> Box<Error> {
        let error = text.error(&codes::LTL_PROPOSITION, span, self.message);
        let error = error.label(format!("`{}` {}", printable(name), self.label));
        match self.hint {
            Some(hint) => error.hint(hint),
            None => error.hint("expected an event, `Thread.state`, `hot`, `bad`, `end` or `deadlock`"),
        }
    }
}

type Res<T> = Result<T, Unknown>;

impl<'a> ProgramNames<'a> {
    /// Returns the names of the program.
    pub fn new(program: &'a Program) -> Self {
        let events = program.events().iter().enumerate().map(|(e, name)| (name.as_str(), EventId::new(e)));
        let threads = program.threads().iter().enumerate().map(|(t, thread)| (thread.name.as_str(), ThreadId::new(t)));
        let mut declared: HashMap<&str, Vec<EventId>> = HashMap::new();
        for (name, event) in events.clone() {
            if let Some((declaration, _)) = arguments(name) {
                declared.entry(declaration).or_default().push(event);
            }
        }
        Self { program, events: events.collect(), threads: threads.collect(), declared, normal: OnceCell::new() }
    }

    /// Returns the variable with this name, and whether it is also the name of a state.
    pub(super) fn variable(&self, name: &str) -> Option<(&'a Variable, bool)> {
        self.program.variable(name).map(|variable| (variable, variables::is_state(self.program, variable)))
    }

    /// Returns the letters that a proposition stands for. It holds if one of them does.
    pub(crate) fn letters(&self, name: &str) -> Res<Vec<Letter>> {
        let letters = self.all_letters(name)?;
        let is_moved = |letter: &Letter| match letter {
            Letter::State(t, s) => variables::is_moved(self.program, *t, &self.program.thread(*t).state(*s).name),
            _ => false,
        };
        if letters.iter().any(is_moved) {
            let [why, hint] = variables::MOVED;
            let message = format!("`{}` {why}", printable(name));
            return Err(Unknown { message, label: "is a state", hint: Some(hint.to_owned()) });
        }
        Ok(letters)
    }

    fn all_letters(&self, name: &str) -> Res<Vec<Letter>> {
        if let Some(quoted) = name.strip_prefix('"') {
            let name = quoted.trim_end_matches('"');
            return self.event_or_state(name).ok_or_else(|| self.unknown(name));
        }
        let plain = match name.strip_suffix("()").unwrap_or(name) {
            "bad" => Some(Letter::Bad),
            "end" => Some(Letter::End),
            "deadlock" => Some(Letter::Deadlock),
            "hot" => Some(Letter::SomeHot),
            _ => None,
        };
        if let Some(letter) = plain {
            self.unambiguous(name)?;
            return Ok(vec![letter]);
        }
        if let Some(letters) = self.event_or_state(name) {
            if self.function(name).is_some_and(|letters| letters.is_ok()) {
                self.unambiguous(name)?;
            }
            return Ok(letters);
        }
        self.function(name).unwrap_or_else(|| Err(self.unknown(name)))
    }

    /// Checks that a word of the language is not also the name of an event.
    pub(super) fn unambiguous(&self, word: &str) -> Res<()> {
        if self.event_or_state(word).is_none() {
            return Ok(());
        }
        let message = format!("`{}` is a word of the language and the name of an event", printable(word));
        let (name, own) = (
            printable(word),
            match word.split_once('(') {
                None if ["true", "false"].contains(&word) => String::new(),
                None => format!(", and `{word}()` for the word of the language"),
                Some((function, of)) => format!(
                    ", and `{function}(\"{}\")` for the word of the language",
                    printable(of.trim_end_matches(')').trim_matches('"'))
                ),
            },
        );
        let hint = Some(format!("write `\"{name}\"` for the event{own}"));
        Err(Unknown { message, label: "has two meanings", hint })
    }

    /// Returns the letters of `enabled(e)`, `ready(T)`, .. `None` if this is none of them.
    fn function(&self, name: &str) -> Option<Res<Vec<Letter>>> {
        let (function, rest) = name.split_once('(')?;
        let of = rest.strip_suffix(')')?;
        let of_thread = |letter: fn(ThreadId) -> Letter| self.thread(of).map(|thread| vec![letter(thread)]);
        Some(match function {
            "enabled" | "FIREABLE" => self.events(of).map(|events| events.into_iter().map(Letter::Enabled).collect()),
            "ready" => of_thread(Letter::Ready),
            "served" => of_thread(Letter::Served),
            "hot" => of_thread(Letter::Hot),
            _ => return None,
        })
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
    pub fn events(&self, name: &str) -> Res<Vec<EventId>> {
        let name = name.trim();
        if name == "*" {
            return Ok((0..self.program.events().len()).map(EventId::new).collect());
        }
        self.pattern(name.trim_matches('"')).ok_or_else(|| self.unknown(name))
    }

    /// Returns the thread with this name.
    pub fn thread(&self, name: &str) -> Res<ThreadId> {
        let name = name.trim().trim_matches('"');
        self.threads.get(name).copied().ok_or_else(|| {
            let near = suggest::nearest(name, self.threads.keys().copied());
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            Unknown { hint, ..Unknown::new(format!("the program has no thread `{}`", printable(name))) }
        })
    }

    fn pattern(&self, name: &str) -> Option<Vec<EventId>> {
        if let Some(event) = self.events.get(name) {
            return Some(vec![*event]);
        }
        if let Some(event) = normal(name).and_then(|name| self.by_normal().get(&name).copied().flatten()) {
            return Some(vec![event]);
        }
        let Some((declaration, wanted)) = arguments(name) else {
            let is_declared = || self.program.declarations().iter().any(|declared| declared.name == name);
            return self.declared.get(name).cloned().or_else(|| is_declared().then(Vec::new));
        };
        let fits = |event: &&EventId| {
            let (_, given) = arguments(self.program.event_name(**event)).unwrap_or_default();
            given.len() == wanted.len() && given.iter().zip(&wanted).all(|(a, b)| *b == "*" || a == b)
        };
        let listed = self.declared.get(declaration).map_or(&[][..], Vec::as_slice);
        let events: Vec<EventId> = listed.iter().filter(fits).copied().collect();
        // An event that no thread requests never happens.
        let is_declared =
            || self.program.declarations().iter().any(|known| known.name == declaration && known.has(&wanted));
        (!events.is_empty() || is_declared()).then_some(events)
    }

    fn by_normal(&self) -> &HashMap<String, Option<EventId>> {
        self.normal.get_or_init(|| {
            let mut all = HashMap::new();
            for (e, name) in self.program.events().iter().enumerate() {
                if let Some(name) = normal(name) {
                    all.entry(name).and_modify(|event| *event = None).or_insert(Some(EventId::new(e)));
                }
            }
            all
        })
    }

    fn unknown(&self, name: &str) -> Unknown {
        let mut unknown = Unknown::new(format!("the program has no event or thread state `{}`", printable(name)));
        let states = name.split_once('.').and_then(|(thread, _)| self.threads.get(thread)).map(|thread| {
            let thread = self.program.thread(*thread);
            thread.states.iter().map(|state| format!("{}.{}", thread.name, state.name)).collect::<Vec<_>>()
        });
        let declarations = self.program.declarations().iter().map(|declared| declared.name.as_str());
        let names = self.events.keys().copied().chain(self.declared.keys().copied()).chain(declarations);
        let near = match &states {
            Some(states) => suggest::nearest(name, states.iter().map(String::as_str)),
            None => suggest::nearest(name, names),
        };
        unknown.hint = near.map(|near| format!("did you mean `{near}`?")).or_else(|| other_language(name));
        unknown
    }
}

/// Returns a hint about words that other languages of formulas have.
fn other_language(word: &str) -> Option<String> {
    let sign = match word.to_ascii_lowercase().as_str() {
        "not" => "!",
        "and" => "&",
        "or" => "|",
        "implies" => "->",
        "iff" | "equiv" => "<->",
        "true" | "false" => return Some(format!("write `{}`", word.to_ascii_lowercase())),
        "always" | "globally" => "G",
        "eventually" | "finally" => "F",
        "next" => "X",
        "until" => "U",
        "release" => "R",
        _ if word.len() > 1 && word.chars().all(|c| "GFX".contains(c)) => {
            let apart: Vec<String> = word.chars().map(String::from).collect();
            return Some(format!("write `{}`", apart.join(" ")));
        }
        _ => return None,
    };
    Some(format!("write `{sign}` for `{word}`"))
}
