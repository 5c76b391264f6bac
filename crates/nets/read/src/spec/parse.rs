//! Parser for the sections of a `.spec` file, and for what they share: variables, numbers and conditions.

use super::lex::{Lexer, Tok};
use formats::error::{Error, Span, Text, printable};
use formats::errors::Errors;
use formats::format::Read;
use formats::number::natural;
use formats::source::Limits;
use formats::{codes, suggest};
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use model::{Formula, FormulaBuilder, Net, NodeId, Place, PlaceId, Problem, Range, Transition};
use num_bigint::BigUint;
use num_traits::Zero;
use std::sync::Arc;

pub(super) type Res<T> = Result<T, Box<Error>>;

/// Parses a file.
pub(super) fn parse(text: Text<'_>, limits: &Limits) -> Res<Read> {
    let mut parser = Parser::new(text, limits)?;
    if parser.tok == Tok::Eof {
        let error = text.error(&codes::INPUT_EMPTY, parser.span.range(), "the file is empty");
        return Err(error.label("expected `vars`"));
    }
    let sections = parser.sections();
    let formula = std::mem::take(&mut parser.errors).finish(sections)?;
    parser.warn_about_net();
    let net = Net::new(parser.places, parser.transitions)
        .map_err(|invalid| Error::whole(&codes::NET_INVALID, text.name, invalid.to_string()))?;
    let mut problem = Problem::of_net(Arc::new(net));
    if let Some(formula) = formula {
        problem = problem.never("target", formula).map_err(|mismatch| Error::unfit(text.name, &mismatch))?;
    }
    Ok(Read { problem, warnings: parser.warnings })
}

/// The places that the current list has named. Nothing has to be cleared between lists.
#[derive(Default)]
struct Seen {
    /// For each place: the last list that named it.
    last: Vec<u32>,
    list: u32,
}

impl Seen {
    fn next_list(&mut self) {
        self.list += 1;
    }

    /// False if the current list has named `place` before.
    fn insert(&mut self, place: PlaceId) -> bool {
        std::mem::replace(&mut self.last[place.index()], self.list) != self.list
    }
}

pub(super) struct Parser<'a> {
    pub(super) text: Text<'a>,
    pub(super) limits: &'a Limits,
    lexer: Lexer<'a>,
    /// The token not yet consumed, and its place.
    pub(super) tok: Tok,
    pub(super) span: Span,
    /// True if the current token was consumed, and reading the next one failed.
    is_stale: bool,
    errors: Errors,
    pub(super) places: Vec<Place>,
    /// The index uses a faster hasher than the standard one, because a net may have a million variables.
    index: HashMap<&'a str, PlaceId>,
    seen: Seen,
    pub(super) transitions: Vec<Transition>,
    /// The number of guards, effects and sources so far.
    pub(super) arcs: usize,
    /// For each place: the first update that empties it or adds its tokens to another place.
    pub(super) emptied: Vec<Option<Span>>,
    /// The first decrement without guard, and the number of such decrements.
    pub(super) implied: Option<(Span, usize)>,
    /// The first update that repeats another one of its rule, and the number of such updates.
    pub(super) repeated: Option<(Span, usize)>,
    pub(super) warnings: Vec<Error>,
}

impl<'a> Parser<'a> {
    fn new(text: Text<'a>, limits: &'a Limits) -> Res<Self> {
        let mut parser = Self {
            text,
            limits,
            lexer: Lexer::new(text, limits),
            tok: Tok::Eof,
            span: Span::default(),
            is_stale: false,
            errors: Errors::default(),
            places: Vec::new(),
            index: HashMap::new(),
            seen: Seen::default(),
            transitions: Vec::new(),
            arcs: 0,
            emptied: Vec::new(),
            implied: None,
            repeated: None,
            warnings: Vec::new(),
        };
        parser.advance()?;
        Ok(parser)
    }

    /// Consumes the token and returns its place.
    pub(super) fn advance(&mut self) -> Res<Span> {
        let span = self.span;
        self.is_stale = true;
        let (tok, next) = self.lexer.next()?;
        (self.tok, self.span, self.is_stale) = (tok, Span::new(next), false);
        Ok(span)
    }

    /// Consumes the token if it is `tok`.
    pub(super) fn eat(&mut self, tok: Tok) -> Res<bool> {
        let found = self.tok == tok;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, tok: Tok, what: &str) -> Res<Span> {
        if self.tok == tok { self.advance() } else { Err(self.unexpected(what)) }
    }

    pub(super) fn error(&self, code: &'static codes::Code, span: Span, message: impl Into<String>) -> Box<Error> {
        self.text.error(code, span.range(), message)
    }

    pub(super) fn slice(&self, span: Span) -> &'a str {
        &self.text.text[span.range()]
    }

    /// Makes the error that `expected` should stand in place of the current token.
    pub(super) fn unexpected(&self, expected: &str) -> Box<Error> {
        let text = self.slice(self.span);
        let found = match self.tok {
            Tok::Eof => "the end of the file".to_owned(),
            tok if tok.is_word() => format!("the reserved word `{text}`"),
            _ => format!("`{}`", printable(text)),
        };
        let error = self.error(&codes::SPEC_SYNTAX, self.span, format!("expected {expected}, found {found}"));
        let error = error.label("unexpected");
        let near = (self.tok == Tok::Name).then(|| suggest::nearest(text, super::lex::RESERVED.iter().copied()));
        match near.flatten() {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error,
        }
    }

    /// Parses all sections, and returns the formula of the target.
    fn sections(&mut self) -> Res<Option<Formula>> {
        self.vars()?;
        self.rules()?;
        self.init()?;
        let formula = self.target()?;
        if self.tok == Tok::Invariants && !self.errors.any() {
            self.invariants()?;
        }
        if self.tok != Tok::Eof && !self.errors.any() {
            return Err(self.unexpected("a condition, `invariants` or the end of the file"));
        }
        Ok(formula)
    }

    /// Records an error in a part, and skips the rest of this part, up to a token that begins another part.
    fn go_on(&mut self, error: Box<Error>, is_next: impl Fn(Tok) -> bool) -> Res<()> {
        self.errors.note(error)?;
        loop {
            // Invalid characters are part of the wrong text. After one of them, the current token is stale.
            let is_read = !std::mem::replace(&mut self.is_stale, false);
            if is_read && (self.tok == Tok::Eof || is_next(self.tok)) {
                return Ok(());
            }
            let _ = self.advance();
        }
    }

    fn vars(&mut self) -> Res<()> {
        self.expect(Tok::Vars, "`vars`")?;
        while self.tok == Tok::Name {
            let (name, id) = (self.slice(self.span), PlaceId::new(self.places.len()));
            if self.places.len() == self.limits.places {
                let message = format!("the net has more than {} variables", self.limits.places);
                return Err(self.error(&codes::LIMIT_PLACES, self.span, message).label("one too many"));
            }
            match self.index.entry(name) {
                Entry::Vacant(entry) => entry.insert(id),
                Entry::Occupied(_) => {
                    let message = format!("the variable `{}` is declared twice", printable(name));
                    return Err(self.error(&codes::SPEC_DUPLICATE, self.span, message).label("declared before"));
                }
            };
            // As in mist, a variable that `init` does not name may start with arbitrarily many tokens.
            self.places.push(Place { name: name.to_owned(), initial: Range::from(0u8) });
            self.advance()?;
        }
        self.seen.last = vec![0; self.places.len()];
        self.emptied = vec![None; self.places.len()];
        if self.tok != Tok::Rules {
            let error = self.unexpected("a variable or `rules`");
            return Err(if self.tok == Tok::Comma { error.hint("variables stand without commas") } else { error });
        }
        Ok(())
    }

    fn rules(&mut self) -> Res<()> {
        self.expect(Tok::Rules, "`rules`")?;
        while self.tok != Tok::Init {
            let rule = match self.tok {
                Tok::Name | Tok::True | Tok::Arrow => self.rule(),
                _ => Err(self.unexpected("a rule or `init`")),
            };
            if let Err(error) = rule {
                self.go_on(error, |tok| matches!(tok, Tok::Semicolon | Tok::Init | Tok::Target))?;
                self.eat(Tok::Semicolon)?;
                if matches!(self.tok, Tok::Eof | Tok::Target) {
                    return Err(if self.errors.any() { Error::following() } else { self.unexpected("`init`") });
                }
            }
        }
        Ok(())
    }

    fn init(&mut self) -> Res<()> {
        let init = self.expect(Tok::Init, "`init`")?;
        let mut set = 0;
        self.begin_list();
        if self.tok == Tok::Name {
            loop {
                match self.condition() {
                    Ok((place, range)) => self.places[place.index()].initial = range,
                    Err(error) => self.go_on(error, |tok| matches!(tok, Tok::Comma | Tok::Target))?,
                }
                set += 1;
                if !self.eat(Tok::Comma)? {
                    break;
                }
            }
        }
        if self.tok != Tok::Target {
            return Err(self.unexpected("`,` or `target`").hint("`init` is one list of conditions with commas"));
        }
        if set < self.places.len() {
            self.warn_about_init(init, self.places.len() - set);
        }
        Ok(())
    }

    fn warn_about_init(&mut self, init: Span, missing: usize) {
        let first = (0..self.places.len()).find(|p| self.seen.last[*p] != self.seen.list).unwrap_or(0);
        let name = printable(&self.places[first].name);
        let message = match missing {
            1 => format!("the variable `{name}` is missing from `init`: it starts with any number of tokens"),
            more => format!(
                "the variable `{name}` and {} more are missing from `init`: they start with any number of tokens",
                more - 1
            ),
        };
        let error = self.error(&codes::SPEC_NO_INIT, init, message).label("expected all variables");
        self.warnings.push(*error.hint("`x = 0` says that the place is empty at the start").warning());
    }

    /// Parses the target, and returns the union of all conjunctions, or `None` if there is no conjunction.
    fn target(&mut self) -> Res<Option<Formula>> {
        let target = self.expect(Tok::Target, "`target`")?;
        let mut builder = FormulaBuilder::default();
        let (mut conjunctions, mut nodes) = (Vec::new(), 0);
        while self.tok == Tok::Name {
            let first = self.span;
            let parts = match self.conjunction(&mut builder) {
                Ok(parts) => parts,
                Err(error) => {
                    self.go_on(error, |tok| matches!(tok, Tok::Comma | Tok::Invariants))?;
                    self.eat(Tok::Comma)?;
                    continue;
                }
            };
            nodes += 1 + parts.len();
            if nodes > self.limits.formula_nodes {
                let message = format!("the target has more than {} parts", self.limits.formula_nodes);
                return Err(self.error(&codes::LIMIT_FORMULA, first, message).label("the limit is reached here"));
            }
            conjunctions.push(builder.all(parts));
        }
        if conjunctions.is_empty() {
            let warning = self.error(&codes::SPEC_NO_TARGET, target, "nothing is asked: `target` is empty");
            self.warnings.push(*warning.label("expected conditions after this").warning());
            return Ok(None);
        }
        let root = builder.any(conjunctions);
        Ok(Some(builder.finish(root)))
    }

    fn conjunction(&mut self, builder: &mut FormulaBuilder) -> Res<Vec<NodeId>> {
        let mut parts = Vec::new();
        self.begin_list();
        loop {
            let (place, range) = self.condition()?;
            if !range.at_least.is_zero() {
                parts.push(builder.place_at_least(place, &range.at_least));
            }
            if let Some(most) = &range.at_most {
                parts.push(builder.place_at_most(place, most));
            }
            if !self.eat(Tok::Comma)? {
                return Ok(parts);
            }
        }
    }

    /// Begins a list. From now on [`Parser::condition`] and [`Parser::new_variable`] refuse a variable that
    /// occurs twice in it.
    pub(super) fn begin_list(&mut self) {
        self.seen.next_list();
    }

    /// Parses a variable that this list has not named before.
    pub(super) fn new_variable(&mut self) -> Res<(PlaceId, Span)> {
        let (place, span) = self.variable()?;
        if self.seen.insert(place) {
            return Ok((place, span));
        }
        let message = format!("the variable `{}` stands twice in one list", printable(self.slice(span)));
        let error = self.error(&codes::SPEC_REPEATED, span, message).label("named before");
        Err(error.hint("for both ends of a range write `x in [1, 3]`"))
    }

    pub(super) fn variable(&mut self) -> Res<(PlaceId, Span)> {
        let span = self.expect(Tok::Name, "a variable")?;
        let name = self.slice(span);
        if let Some(place) = self.index.get(name) {
            return Ok((*place, span));
        }
        let message = format!("the variable `{}` is not declared", printable(name));
        let error = self.error(&codes::SPEC_UNDECLARED, span, message).label("not in `vars`");
        Err(suggest::hinted(error, name, self.places.iter().map(|p| p.name.as_str()), ""))
    }

    /// Parses a condition: `x = 3`, `x >= 3` or `x in [1, 3]`.
    pub(super) fn condition(&mut self) -> Res<(PlaceId, Range)> {
        let (place, _) = self.new_variable()?;
        let range = match self.tok {
            Tok::Equal => {
                self.advance()?;
                Range::exactly(self.number()?)
            }
            Tok::AtLeast => {
                self.advance()?;
                Range::from(self.number()?)
            }
            Tok::In => self.interval()?,
            _ => {
                let error = self.unexpected("`=`, `>=` or `in`");
                let primed = self.tok == Tok::Prime;
                return Err(if primed { error.hint("updates with `'` stand behind `->`") } else { error });
            }
        };
        Ok((place, range))
    }

    fn interval(&mut self) -> Res<Range> {
        let start = self.expect(Tok::In, "`in`")?;
        self.expect(Tok::Open, "`[`")?;
        let at_least = self.number()?;
        self.expect(Tok::Comma, "`,`")?;
        let most = self.number()?;
        let end = self.expect(Tok::Close, "`]`")?;
        if most < at_least {
            let error = self.error(&codes::SPEC_RANGE, start.to(end), "the range has no number in it");
            return Err(error.label("its end is below its beginning"));
        }
        Ok(Range { at_least, at_most: Some(most) })
    }

    pub(super) fn number(&mut self) -> Res<BigUint> {
        if self.tok == Tok::Minus {
            let error = self.error(&codes::SPEC_NEGATIVE, self.span, "a negative number");
            return Err(error.label("expected a number, at least 0"));
        }
        let span = self.expect(Tok::Number, "a number")?;
        Ok(natural(self.slice(span)))
    }
}
