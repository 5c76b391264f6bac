//! The parser and the lists that it parses.

use super::lex::{Lexer, Tok};
use formats::error::{Error, Text};
use formats::errors::Errors;
use formats::source::Limits;
use std::collections::HashSet;
use std::ops::Range;

/// The kind of the elements of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Level {
    Item,
    Member,
    Clause,
    Act,
    Branch,
}

/// An element of a list.
pub(super) trait Element<'a>: Sized {
    const LEVEL: Level;

    fn parse(p: &mut Parser<'a>) -> Res<Self>;
}

/// A pair of braces in which the closing one is indented less than the line of the opening one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspect {
    pub(super) open: usize,
    pub(super) close: usize,
}

impl Level {
    /// True if this token begins an element of this kind.
    pub(super) fn begins(self, tok: Tok, text: &str) -> bool {
        use Tok::{
            Assert, Bad, Block, Body, Break, Check, Choose, Const, Continue, End, Enum, Environment, Event, Final, For,
            If, Init, Loop, On, Repeat, Request, Select, Set, State, Sync, Thread, Var, Wait, When, While,
        };
        let own = match self {
            // `assume` and `class` are keywords only here; elsewhere they are names.
            Level::Item => {
                matches!(tok, Const | Enum | Environment | Event | Set | Check | Thread)
                    || (tok == Tok::Name && matches!(text, "assume" | "class"))
            }
            Level::Member => matches!(tok, Var | Init | State | Body),
            // In version 1, `final` is a keyword only in clauses and acts. So is `priority`.
            Level::Clause if tok == Tok::Name => matches!(text, "final" | "priority"),
            Level::Act if tok == Tok::Name => text == "final",
            Level::Clause => matches!(tok, Request | Block | On | Bad | Final),
            Level::Act => matches!(
                tok,
                Sync | Request
                    | Wait
                    | Loop
                    | While
                    | Repeat
                    | Choose
                    | Select
                    | Assert
                    | Bad
                    | End
                    | Final
                    | Break
                    | Continue
            ),
            Level::Branch => tok == On,
        };
        own || (matches!(tok, For | When | If) && self != Level::Branch)
    }

    /// Returns the kinds of the surrounding lists.
    fn outer(self) -> &'static [Level] {
        match self {
            Level::Item => &[],
            Level::Member => &[Level::Item],
            Level::Clause | Level::Act => &[Level::Item, Level::Member],
            Level::Branch => &[Level::Item, Level::Member, Level::Act],
        }
    }

    /// True if this token begins an element of a surrounding list, and not of this one.
    pub(super) fn leaves(self, tok: Tok, text: &str) -> bool {
        !self.begins(tok, text) && self.outer().iter().any(|level| level.begins(tok, text))
    }
}

/// A parser with one token of lookahead.
pub(super) struct Parser<'a> {
    pub(super) source: Text<'a>,
    pub(super) limits: &'a Limits,
    pub(super) lexer: Lexer<'a>,
    pub(super) tok: Tok,
    pub(super) span: Range<usize>,
    /// The end of the previous token.
    pub(super) before: usize,
    pub(super) depth: usize,
    pub(super) errors: Errors,
    pub(super) doubtful: HashSet<&'a str>,
    /// The places of open braces.
    pub(super) open: Vec<usize>,
    /// The number of unclosed braces without an error of their own, once computed.
    pub(super) missing: Option<isize>,
    /// A pair of braces with a closing brace that seems misplaced by its indentation.
    pub(super) suspect: Option<Suspect>,
    /// The position at which the last unclosed brace was noticed.
    pub(super) unclosed_at: Option<usize>,
    /// No sync follows the marks before this position.
    pub(super) unmarked: usize,
    pub(super) is_misnested: bool,
}

pub(super) type Res<T> = Result<T, Box<Error>>;
