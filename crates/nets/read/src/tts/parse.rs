//! Parser for the lines of a `.tts` file, and for the states in `.prop` files and `--init`.

use super::lex::{Lexer, Tok};
use formats::error::{Error, Span, Text, printable};
use formats::errors::Errors;
use formats::format::Read;
use formats::source::Limits;
use formats::{codes, questions};
use model::{
    Act, Formula, FormulaBuilder, FormulaId, Goal, LocalId, Problem, Property, SharedId, ThreadInit, ThreadTransition,
    ThreadTransitionSystem,
};
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) type Res<T> = Result<T, Box<Error>>;

/// The numbers of shared and local states.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) shared: u32,
    pub(super) locals: u32,
}

/// A target `s|l,..`.
pub(super) enum Target {
    /// A shared state, and for each local state the least number of threads in it.
    Cover(SharedId, BTreeMap<LocalId, u64>),
    /// The target names a state that the system does not have, so no marking covers it.
    Never,
}

impl Target {
    /// Returns the formula for the markings of `system` that cover the target.
    pub(super) fn formula(&self, system: &ThreadTransitionSystem) -> Formula {
        let Self::Cover(shared, threads) = self else {
            let mut builder = FormulaBuilder::default();
            let nothing = builder.any(Vec::new());
            return builder.finish(nothing);
        };
        let shared = (system.shared_place(*shared), BigUint::from(1u8));
        let threads = threads.iter().map(|(l, n)| (system.local_place(*l), BigUint::from(*n)));
        Formula::cover(&std::iter::once(shared).chain(threads).collect::<Vec<_>>())
    }
}

/// Parses a file.
pub(super) fn parse(text: Text<'_>, limits: &Limits) -> Res<Read> {
    let mut parser = Parser::new(text)?;
    parser.skip_lines()?;
    if parser.tok == Tok::Eof {
        let error = parser.error(&codes::INPUT_EMPTY, parser.span, "the file is empty");
        return Err(error.label("expected the number of shared states"));
    }
    let start = parser.span;
    let first = parser.number("the number of shared states, or a target")?;
    // A target before the line with the sizes can be checked only after that line, so it is parsed a second
    // time.
    let ahead = parser.tok == Tok::Bar;
    let size = if ahead {
        parser.skip_target()?;
        let first = parser.number("the number of shared states")?;
        parser.size(first, limits)?
    } else {
        parser.size(first, limits)?
    };
    let mut target = None;
    if ahead {
        let mut again = Parser::at(text, start)?;
        target = Some(again.target(size)?);
        parser.warnings.append(&mut again.warnings);
    }
    let transitions = parser.lines(size, &mut target, limits)?;
    let initial = ThreadInit { shared: SharedId(0), threads: BTreeMap::new(), any: vec![LocalId(0)] };
    let system = ThreadTransitionSystem::new(size.shared, size.locals, initial, transitions)
        .map_err(|invalid| Error::whole(&codes::NET_INVALID, text.name, invalid.to_string()))?;
    let mut problem = Problem::of_threads(Arc::new(system));
    if let Some(target) = target {
        ask(&mut problem, &target, text.name)?;
    }
    Ok(Read { problem, warnings: parser.warnings })
}

/// Makes `target` the only goal of a thread-transition system. `name` is the source of errors.
pub(super) fn ask(problem: &mut Problem, target: &Target, name: &str) -> Res<()> {
    let Some(system) = problem.system().as_threads() else { return Ok(()) };
    let formula = Arc::new(target.formula(system));
    questions::change(problem, name, |asked| {
        asked.formulas = vec![formula];
        asked.properties = vec![Property::never("target", Goal::Formula(FormulaId::new(0)))];
    })
}

/// Parses an initial state of `system` in BFC's notation.
pub(crate) fn init(text: Text<'_>, system: &ThreadTransitionSystem) -> Res<ThreadInit> {
    let size = Size { shared: system.shared(), locals: system.locals() };
    Parser::new(text).and_then(|mut parser| parser.init(size)).map_err(|error| {
        if error.code() == codes::TTS_STATE.code {
            return error;
        }
        // A reference to the grammar of lines would not help here, so the hint is replaced.
        let examples = "write for example 0|0 (one thread in local state 0), 0/0 (any number), 1|0,1/2 (both)";
        error.recoded(&codes::INIT_SYNTAX, examples)
    })
}

/// The transitions so far, the number of their lines, and the number of passive moves.
#[derive(Default)]
struct Lines {
    all: Vec<ThreadTransition>,
    count: usize,
    moves: usize,
}

pub(super) struct Parser<'a> {
    text: Text<'a>,
    lexer: Lexer<'a>,
    pub(super) tok: Tok,
    pub(super) span: Span,
    /// True if the current token was consumed, and reading the next one failed.
    is_stale: bool,
    /// The first line that changes nothing, and the number of such lines.
    stutters: Option<(Span, usize)>,
    /// The first `~>` between two shared states.
    transfer: Option<Span>,
    pub(super) warnings: Vec<Error>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: Text<'a>) -> Res<Self> {
        let lexer = Lexer::new(text);
        let (tok, span) = (Tok::Eof, Span::default());
        let (stutters, transfer, warnings) = (None, None, Vec::new());
        let mut parser = Self { text, lexer, tok, span, is_stale: false, stutters, transfer, warnings };
        parser.advance()?;
        Ok(parser)
    }

    /// Makes a parser that begins at `span`. Only empty lines and comments may stand before it.
    fn at(text: Text<'a>, span: Span) -> Res<Self> {
        let mut parser = Self::new(text)?;
        while parser.span.start < span.start {
            parser.advance()?;
        }
        Ok(parser)
    }

    pub(super) fn advance(&mut self) -> Res<Span> {
        let span = self.span;
        self.is_stale = true;
        let (tok, next) = self.lexer.next()?;
        (self.tok, self.span, self.is_stale) = (tok, Span::new(next), false);
        Ok(span)
    }

    fn eat(&mut self, tok: Tok) -> Res<bool> {
        let found = self.tok == tok;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn skip_lines(&mut self) -> Res<()> {
        while self.eat(Tok::Newline)? {}
        Ok(())
    }

    pub(super) fn error(&self, code: &'static codes::Code, span: Span, message: impl Into<String>) -> Box<Error> {
        self.text.error(code, span.range(), message)
    }

    pub(super) fn unexpected(&self, expected: &str) -> Box<Error> {
        let found = match self.tok {
            Tok::Eof => "the end of the text".to_owned(),
            Tok::Newline => "the end of the line".to_owned(),
            _ => format!("`{}`", printable(&self.text.text[self.span.range()])),
        };
        let error = self.error(&codes::TTS_SYNTAX, self.span, format!("expected {expected}, found {found}"));
        error.label("unexpected")
    }

    /// Parses a number, and returns it with its place. Numbers beyond 32 bits become `u32::MAX`, which is no
    /// state.
    fn number(&mut self, what: &str) -> Res<(u32, Span)> {
        if self.tok != Tok::Number {
            return Err(self.unexpected(what));
        }
        let span = self.advance()?;
        Ok((self.text.text[span.range()].parse().unwrap_or(u32::MAX), span))
    }

    fn end_of_line(&mut self, what: &str) -> Res<()> {
        if !matches!(self.tok, Tok::Newline | Tok::Eof) {
            return Err(self.unexpected(what));
        }
        self.skip_lines()
    }

    /// Skips a target line, which is parsed later.
    fn skip_target(&mut self) -> Res<()> {
        while !matches!(self.tok, Tok::Newline | Tok::Eof) {
            self.advance()?;
        }
        self.skip_lines()
    }

    /// Parses the rest of `shared locals`, after the first number. As in BFC, the two numbers may be on two
    /// lines.
    fn size(&mut self, (shared, start): (u32, Span), limits: &Limits) -> Res<Size> {
        self.skip_lines()?;
        let (locals, end) = self.number("the number of local states")?;
        if shared == 0 || locals == 0 {
            let error = self.error(&codes::TTS_EMPTY, start.to(end), "there are no states");
            return Err(error.label("expected two numbers from 1 on"));
        }
        let all = (shared as usize).saturating_add(locals as usize);
        if all > limits.places {
            let message = format!("the system has more than {} shared and local states", limits.places);
            return Err(self.error(&codes::LIMIT_PLACES, start.to(end), message).label("too many"));
        }
        self.end_of_line("the end of the line")?;
        Ok(Size { shared, locals })
    }

    fn shared(&mut self, size: Size) -> Res<SharedId> {
        let (number, span) = self.number("a shared state")?;
        self.known(number, size.shared, span, "shared").map(SharedId)
    }

    fn local(&mut self, size: Size) -> Res<LocalId> {
        let (number, span) = self.number("a local state")?;
        self.known(number, size.locals, span, "local").map(LocalId)
    }

    fn known(&self, number: u32, count: u32, span: Span, what: &str) -> Res<u32> {
        if number < count { Ok(number) } else { Err(self.no_such_state(span, count, what)) }
    }

    fn no_such_state(&self, span: Span, count: u32, what: &str) -> Box<Error> {
        let written = printable(&self.text.text[span.range()]);
        let error = self.error(&codes::TTS_STATE, span, format!("there is no {what} state {written}"));
        error.label(format!("expected 0 to {}", count - 1))
    }

    /// Parses a target `s|l,..`.
    pub(super) fn target(&mut self, size: Size) -> Res<Target> {
        let shared = self.number("a shared state")?;
        if !self.eat(Tok::Bar)? {
            return Err(self.unexpected("`|`"));
        }
        self.rest_of_target(shared, size)
    }

    /// Parses the rest of a target after `s|`. States that do not exist give only a warning: BFC accepts such
    /// targets, which no marking covers.
    fn rest_of_target(&mut self, shared: (u32, Span), size: Size) -> Res<Target> {
        let mut missing = (shared.0 >= size.shared).then(|| self.no_such_state(shared.1, size.shared, "shared"));
        let mut threads = BTreeMap::new();
        for (local, span) in self.local_numbers()? {
            if local >= size.locals {
                missing = missing.or_else(|| Some(self.no_such_state(span, size.locals, "local")));
            }
            *threads.entry(LocalId(local)).or_insert(0) += 1;
        }
        self.end_of_line("`,` or the end of the line")?;
        let Some(missing) = missing else { return Ok(Target::Cover(SharedId(shared.0), threads)) };
        let missing = missing.recoded(&codes::TTS_NEVER, "no marking covers this target, so it is never reached");
        self.warnings.push(*missing.warning());
        Ok(Target::Never)
    }

    /// Parses numbers of local states, separated by commas. The list may be empty.
    fn local_numbers(&mut self) -> Res<Vec<(u32, Span)>> {
        let mut locals = Vec::new();
        if self.tok == Tok::Number {
            locals.push(self.number("a local state")?);
            while self.eat(Tok::Comma)? {
                locals.push(self.number("a local state")?);
            }
        }
        Ok(locals)
    }

    fn locals(&mut self, size: Size) -> Res<Vec<LocalId>> {
        let numbers = self.local_numbers()?;
        numbers.into_iter().map(|(n, span)| self.known(n, size.locals, span, "local").map(LocalId)).collect()
    }

    /// Parses `s|l,../l,..`, with at least one of the two lists.
    fn init(&mut self, size: Size) -> Res<ThreadInit> {
        let shared = self.shared(size)?;
        let mut threads: BTreeMap<LocalId, u64> = BTreeMap::new();
        let bar = self.eat(Tok::Bar)?;
        if bar {
            for local in self.locals(size)? {
                *threads.entry(local).or_default() += 1;
            }
        }
        let slash = self.eat(Tok::Slash)?;
        let mut any = if slash { self.locals(size)? } else { Vec::new() };
        if self.tok != Tok::Eof || !(bar || slash) {
            return Err(self.unexpected(if slash { "`,` or the end" } else { "`|`, `/` or `,`" }));
        }
        any.sort_unstable();
        any.dedup();
        let threads = threads.into_iter().map(|(l, n)| (l, BigUint::from(n))).collect();
        Ok(ThreadInit { shared, threads, any })
    }

    /// Parses everything after the sizes.
    fn lines(&mut self, size: Size, target: &mut Option<Target>, limits: &Limits) -> Res<Vec<ThreadTransition>> {
        let (mut transitions, mut errors) = (Lines::default(), Errors::default());
        while self.tok != Tok::Eof {
            if let Err(error) = self.line(size, target, &mut transitions, limits) {
                if let Err(last) = errors.note(error) {
                    return errors.finish(Err(last));
                }
                self.next_line();
            }
        }
        errors.finish(Ok(()))?;
        self.warn_about_stutters();
        self.warn_about_transfers();
        Ok(transitions.all)
    }

    /// Parses a transition, or a target before all transitions.
    fn line(&mut self, size: Size, target: &mut Option<Target>, lines: &mut Lines, limits: &Limits) -> Res<()> {
        let start = self.span;
        let number = self.number("a shared state")?;
        if self.tok == Tok::Bar {
            if target.is_some() || lines.count > 0 {
                let error = self.error(&codes::TTS_REPEATED_TARGET, start, "a target out of its place");
                return Err(error.label("expected at most one target, before all transitions"));
            }
            self.advance()?;
            *target = Some(self.rest_of_target(number, size)?);
            return Ok(());
        }
        lines.count += 1;
        let shared = self.known(number.0, size.shared, number.1, "shared").map(SharedId)?;
        if lines.all.len() == limits.transitions {
            let message = format!("the system has more than {} transitions", limits.transitions);
            return Err(self.error(&codes::LIMIT_TRANSITIONS, start, message).label("one too many"));
        }
        let Some(transition) = self.transition(start, shared, size)? else { return Ok(()) };
        lines.moves += transition.passive.values().map(Vec::len).sum::<usize>();
        lines.all.push(transition);
        if lines.moves > limits.passive_moves {
            let message = format!("the system has more than {} passive moves", limits.passive_moves);
            return Err(self.error(&codes::LIMIT_PASSIVE, start, message).label("the limit is reached here"));
        }
        Ok(())
    }

    /// Skips the rest of a line with an error.
    fn next_line(&mut self) {
        loop {
            // Invalid characters are part of the wrong text. After one of them, the current token is stale.
            let is_read = !std::mem::replace(&mut self.is_stale, false);
            if is_read && matches!(self.tok, Tok::Newline | Tok::Eof) {
                break;
            }
            let _ = self.advance();
        }
        while self.tok == Tok::Newline && self.advance().is_ok() {}
    }

    /// Parses the rest of a transition from shared state `shared`. Returns `None` if the transition changes
    /// nothing.
    fn transition(&mut self, start: Span, shared: SharedId, size: Size) -> Res<Option<ThreadTransition>> {
        let from = (shared, self.local(size)?);
        let act = match self.tok {
            Tok::Move => Act::Move,
            Tok::Spawn => Act::Spawn,
            Tok::Transfer => Act::Transfer,
            _ => return Err(self.unexpected("`->`, `+>` or `~>`")),
        };
        self.advance()?;
        let to = (self.shared(size)?, self.local(size)?);
        let rest = self.span;
        let passive = self.passive(size)?;
        if act != Act::Move && !passive.is_empty() {
            let error = self.error(&codes::TTS_PASSIVE, rest, "passive moves of a transition that is not a broadcast");
            return Err(error.label("expected the end of the line"));
        }
        if act == Act::Transfer && from.0 != to.0 {
            self.transfer.get_or_insert(start);
        }
        if from != to || act == Act::Spawn {
            return Ok(Some(ThreadTransition { from, to, act, passive }));
        }
        if !passive.is_empty() {
            let error = self.error(&codes::TTS_IDLE_BROADCAST, start, "a broadcast without a step of its own");
            return Err(error.label("its shared and local state stay the same"));
        }
        self.stutters = Some(self.stutters.map_or((start, 1), |(first, n)| (first, n + 1)));
        Ok(None)
    }

    /// Parses passive moves `a ~> b` up to the end of the line.
    fn passive(&mut self, size: Size) -> Res<BTreeMap<LocalId, Vec<LocalId>>> {
        let mut passive: BTreeMap<LocalId, Vec<LocalId>> = BTreeMap::new();
        while self.tok == Tok::Number {
            let from = self.local(size)?;
            if !self.eat(Tok::Transfer)? {
                return Err(self.unexpected("`~>`"));
            }
            passive.entry(from).or_default().push(self.local(size)?);
        }
        self.end_of_line("a passive move or the end of the line")?;
        for targets in passive.values_mut() {
            targets.sort_unstable();
            targets.dedup();
        }
        Ok(passive)
    }

    /// Warns about transfers that change the shared state, because BFC reads them differently. Other transfers
    /// change nothing if there is no thread to move, so for them the two readings agree.
    fn warn_about_transfers(&mut self) {
        let Some(span) = self.transfer else { return };
        let message = "`~>` is read as possible only while a thread is in its local state";
        let warning =
            self.error(&codes::TTS_TRANSFER, span, message).label("BFC changes the shared state without one, too");
        self.warnings.push(*warning.warning());
    }

    fn warn_about_stutters(&mut self) {
        let Some((span, count)) = self.stutters else { return };
        let more = if count > 1 { format!(" (and {} more like it)", count - 1) } else { String::new() };
        let message = format!("a transition that changes nothing is ignored{more}");
        let warning = self.error(&codes::TTS_STUTTER, span, message).label("the same states before and after");
        self.warnings.push(*warning.warning());
    }
}
