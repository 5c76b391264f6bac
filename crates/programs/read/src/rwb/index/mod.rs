//! An index of the names of a `.rwb` text: where each name is declared, and every place that means it. Editors use it
//! for hover, definitions, renaming and outlines (`impasse lsp`).
//!
//! The index is made from the syntax tree, before anything is unrolled. So names have no indices: `s[0]` and `s[k + 1]`
//! both mean the state `s`, and all declarations of one name that is visible at one place belong to one symbol. A text
//! with errors has an index, too, of the parts that the parser could read ([`Index::is_complete`]).
//!
//! The scopes are those of the elaboration. If a place could mean one of two declarations, depending on a condition
//! over constants, both belong to one symbol. Therefore renaming a symbol never changes the meaning of a text.

mod build;
mod layout;
mod rename;
mod threads;
mod walk;

use build::{Builder, Space};

use super::lex::Tok;
use super::parse;
use formats::error::Text;
use formats::source::Limits;
use logos::Logos;
use model::Goal;
use std::collections::BTreeSet;
use std::ops::Range;

pub use rename::{Refusal, is_keyword, keywords};

/// The names of a text.
#[derive(Clone, Debug)]
pub struct Index {
    /// The version of the format: 1 or 2.
    pub version: u8,
    /// True if the text has no syntax errors. Otherwise parts of it may be missing in the index.
    pub is_complete: bool,
    /// The symbols, in the order of their first declarations.
    pub symbols: Vec<Symbol>,
    /// The declarations of all symbols, in the order of the text.
    pub declarations: Vec<Declaration>,
    /// All places that mean a symbol, in the order of the text.
    pub mentions: Vec<Mention>,
    /// What the text asks for after `check`, with places.
    pub goals: Vec<(Goal, Range<usize>)>,
    /// The blocks in braces, in the order of their opening braces.
    pub blocks: Vec<Range<usize>>,
    /// Names that mean nothing, with their places.
    unresolved: Vec<(String, Range<usize>)>,
    /// The threads that name all events by `*`.
    stars: Vec<(Role, usize)>,
}

/// What a name is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A constant.
    Constant,
    /// The variable of a `for`, or the index of a class.
    Loop,
    /// An event.
    Event,
    /// A parameter of an event.
    Parameter,
    /// A set of events.
    Set,
    /// A thread.
    Thread,
    /// A class of threads.
    Class,
    /// A state of a thread.
    State,
    /// A variable of a thread.
    Variable,
    /// A name that a pattern of events binds.
    Bound,
    /// An enum.
    Enum,
    /// A value of an enum.
    Value,
}

/// What has a name.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its kind.
    pub kind: Kind,
    /// Its name, without indices.
    pub name: String,
    /// The value of a constant or the numbers of a range, if they are known without unrolling.
    pub value: Option<String>,
    /// Where the name is visible. Parts of this place may hide it.
    pub scope: Range<usize>,
    space: Space,
}

/// A declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// The number of the symbol.
    pub symbol: usize,
    /// The place of the name.
    pub name: Range<usize>,
    /// The place of the text from the name to the end of the declaration, without a block of statements.
    pub head: Range<usize>,
    /// The place of the whole declaration.
    pub extent: Range<usize>,
    /// The number of the declaration around this one.
    pub parent: Option<usize>,
}

/// What a place says about a symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// It declares it.
    Declare,
    /// It reads its value.
    Read,
    /// It assigns a value.
    Write,
    /// It requests the event.
    Request,
    /// It waits for the event, or reacts to it.
    Wait,
    /// It blocks the event.
    Block,
    /// It ends the thread if the event happens.
    Interrupt,
    /// It puts the event into a set.
    Member,
    /// It takes the event out of a set.
    Except,
    /// It names a state or a thread.
    Name,
}

/// A place that means a symbol.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mention {
    /// The place of the name.
    pub place: Place,
    /// The number of the symbol.
    pub symbol: usize,
    /// What the place says.
    pub role: Role,
    /// The thread around it. For a member of a set: the set.
    pub inside: Option<usize>,
}

/// A place with an order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

/// A thread that takes part in an event.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Participant {
    /// What it does: request, wait, block or interrupt.
    pub role: Role,
    /// The number of its symbol.
    pub thread: usize,
    /// Where it does so. `None` if it names all events by `*`.
    pub place: Option<Place>,
}

impl Index {
    /// Makes the index of a text. `None` if nothing of it can be parsed.
    #[must_use]
    pub fn of(text: &str, limits: &Limits) -> Option<Self> {
        if text.len() > limits.bytes || text.len() > u32::MAX as usize {
            return None;
        }
        let source = Text { name: "", text };
        let mut builder = Builder::new(text);
        let parsed = parse::parse(source, limits).ok()?;
        walk::walk(source, limits, &parsed, &mut builder);
        Some(builder.finish(parsed.version, !parsed.errors.any()))
    }

    /// Returns the mention at a position, which may be directly after the name.
    #[must_use]
    pub fn at(&self, position: usize) -> Option<&Mention> {
        let next = self.mentions.partition_point(|mention| mention.place.start <= position);
        let mention = self.mentions[..next].last()?;
        (position <= mention.place.end).then_some(mention)
    }

    /// Returns all mentions of a symbol, in the order of the text.
    pub fn mentions_of(&self, symbol: usize) -> impl Iterator<Item = &Mention> {
        self.mentions.iter().filter(move |mention| mention.symbol == symbol)
    }

    /// Returns the declarations of a symbol, in the order of the text.
    pub fn declarations_of(&self, symbol: usize) -> impl Iterator<Item = &Declaration> {
        self.declarations.iter().filter(move |declaration| declaration.symbol == symbol)
    }

    /// Returns the threads that take part in an event or in a set of events, also through sets.
    #[must_use]
    pub fn parts(&self, event: usize) -> Vec<Participant> {
        let mut open = vec![event];
        let mut seen: BTreeSet<usize> = open.iter().copied().collect();
        let mut parts = BTreeSet::new();
        while let Some(symbol) = open.pop() {
            for mention in self.mentions_of(symbol) {
                match (mention.role, mention.inside) {
                    (Role::Member, Some(set)) if seen.insert(set) => open.push(set),
                    (role @ (Role::Request | Role::Wait | Role::Block | Role::Interrupt), Some(thread)) => {
                        parts.insert(Participant { role, thread, place: Some(mention.place) });
                    }
                    _ => {}
                }
            }
        }
        parts.extend(self.stars.iter().map(|(role, thread)| Participant { role: *role, thread: *thread, place: None }));
        parts.into_iter().collect()
    }

    /// Iterates over the symbols that are visible at a position, with their numbers. States are visible in their
    /// thread.
    pub fn visible(&self, position: usize) -> impl Iterator<Item = (usize, &Symbol)> {
        let is_at = move |range: &Range<usize>| range.start <= position && position <= range.end;
        let around = self.declarations.iter().filter(move |declaration| is_at(&declaration.extent));
        let around: BTreeSet<usize> = around.map(|declaration| declaration.symbol).collect();
        self.symbols.iter().enumerate().filter(move |(_, symbol)| match symbol.space {
            Space::State(thread) => around.contains(&thread),
            _ => is_at(&symbol.scope),
        })
    }
}

impl Kind {
    /// Returns the word for the kind.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Kind::Constant => "const",
            Kind::Loop => "for",
            Kind::Event => "event",
            Kind::Parameter => "parameter",
            Kind::Set => "set",
            Kind::Thread => "thread",
            Kind::Class => "class",
            Kind::State => "state",
            Kind::Variable => "var",
            Kind::Bound => "value of an event",
            Kind::Enum => "enum",
            Kind::Value => "value",
        }
    }
}

/// Iterates over the places of the words of a text that could be names or keywords.
pub fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    Tok::lexer(text).spanned().filter_map(|(token, span)| {
        let begins = text[span.clone()].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        (token.is_ok() && begins).then_some(span)
    })
}
