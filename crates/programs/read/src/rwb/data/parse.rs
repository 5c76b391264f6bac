//! Parser of version 2: one function for each rule of the grammar in `docs/rwb2.md`. The functions recurse on the
//! nesting of the text, up to `Limits::nesting`. After an error, parsing continues with the next item, so that a file
//! with several mistakes gives several errors.

use super::ast::{Item, List, Member, Name, Node, Type, Value, Var, Word};
use super::lex::{Kind, LOCAL, Token, is_reserved, tokens};
use formats::error::{Error, Span, Text, printable};
use formats::errors::Errors;
use formats::source::Limits;
use formats::{codes, suggest};
use model::Goal;

pub(super) type Res<T> = Result<T, Box<Error>>;

/// Words that begin an item.
const ITEMS: &[&str] = &["check", "const", "enum", "environment", "event", "for", "if", "set", "thread"];

pub(super) struct Parser<'a> {
    pub(super) source: Text<'a>,
    nesting: usize,
    tokens: Vec<Token<'a>>,
    at: usize,
    pub(super) depth: usize,
}

/// A list of elements that may be wrapped in `for` and `if` over constants.
pub(super) trait Element<'a>: Sized {
    fn parse(parser: &mut Parser<'a>) -> Res<Self>;
}

/// Parses a file after its header.
///
/// # Errors
/// All errors found.
pub(super) fn parse<'a>(source: Text<'a>, limits: &Limits) -> Res<List<'a, Item<'a>>> {
    let (items, result) = recovered(source, limits)?;
    result.map(|()| items)
}

/// Parses a file as far as possible. Returns the items without errors, and all errors found.
///
/// # Errors
/// An error of the lexer, after which nothing is parsed.
pub(super) fn recovered<'a>(source: Text<'a>, limits: &Limits) -> Res<(List<'a, Item<'a>>, Res<()>)> {
    let mut parser = Parser { source, nesting: limits.nesting, tokens: tokens(source, limits)?, at: 2, depth: 0 };
    let (mut items, mut errors) = (Vec::new(), Errors::default());
    loop {
        while parser.eat(";") {}
        if parser.token().kind == Kind::Eof {
            return Ok((items, errors.finish(Ok(()))));
        }
        let start = parser.at;
        match parser.node() {
            Ok(item) => items.push(item),
            Err(error) => {
                if let Err(last) = errors.note(error) {
                    return Ok((items, errors.finish(Err(last))));
                }
                parser.depth = 0;
                parser.recover(start);
            }
        }
    }
}

impl<'a> Parser<'a> {
    pub(super) fn token(&self) -> Token<'a> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    /// Skips the rest of the item that begins at this token: up to a word that begins an item, outside of the braces
    /// that the item opened.
    fn recover(&mut self, start: usize) {
        let wrong = self.at;
        let (mut open, mut at) = (0usize, start);
        while self.tokens[at].kind != Kind::Eof {
            let token = self.tokens[at];
            if at > wrong.max(start) && open == 0 && ITEMS.contains(&token.text) {
                break;
            }
            match token.text {
                "{" => open += 1,
                "}" => open = open.saturating_sub(1),
                _ => {}
            }
            at += 1;
        }
        self.at = at;
    }

    /// Returns the position, for [`Parser::back`].
    pub(super) fn mark(&self) -> usize {
        self.at
    }

    /// Returns to a position.
    pub(super) fn back(&mut self, mark: usize) {
        self.at = mark;
    }

    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.token().is(text)
    }

    /// True if the token after the current one is this word or sign.
    pub(super) fn is_next(&self, text: &str) -> bool {
        self.tokens.get(self.at + 1).is_some_and(|token| token.is(text))
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, text: &str, expected: &str) -> Res<()> {
        if self.eat(text) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// Returns the end of the previous token.
    pub(super) fn before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// Makes the error that something else should stand here.
    pub(super) fn unexpected(&self, expected: &str) -> Box<Error> {
        let token = self.token();
        let found =
            if token.kind == Kind::Eof { token.text.to_owned() } else { format!("`{}`", printable(token.text)) };
        let message = format!("expected {expected}, found {found}");
        let error = self.source.error(&codes::RWB_SYNTAX, token.span.range(), message).label("unexpected here");
        match hint(&token, expected) {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }

    /// Runs `inner` one level deeper.
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.depth == self.nesting {
            let message = format!("blocks or brackets are nested more than {} deep", self.nesting);
            let error = self.source.error(&codes::LIMIT_NESTING, self.token().span.range(), message);
            return Err(error.label("one level too deep"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    pub(super) fn word(&mut self, what: &str) -> Res<Word<'a>> {
        let token = self.token();
        if !token.is_name() {
            let error = self.unexpected(what);
            return Err(if is_reserved(token.text) { error.hint("reserved words are no names") } else { error });
        }
        self.advance();
        Ok(Word { text: token.text, span: token.span })
    }

    pub(super) fn name(&mut self, what: &str) -> Res<Name<'a>> {
        let base = self.word(what)?;
        let indices = self.indices()?;
        Ok(Name { base, indices, span: base.span.to(self.before()) })
    }

    /// Parses names that are separated by this sign.
    pub(super) fn names(&mut self, separator: &str, what: &str) -> Res<Vec<Name<'a>>> {
        let mut names = vec![self.name(what)?];
        while self.eat(separator) {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    /// Parses `[expr]..`.
    pub(super) fn indices(&mut self) -> Res<Vec<super::ast::Expr<'a>>> {
        let mut indices = Vec::new();
        while self.eat("[") {
            indices.push(self.nested(Self::expr)?);
            self.expect("]", "`]`")?;
        }
        Ok(indices)
    }

    /// Parses `{`, elements and `}`.
    pub(super) fn block<T: Element<'a>>(&mut self) -> Res<List<'a, T>> {
        self.expect("{", "`{`")?;
        self.nested(|p| {
            let mut list = Vec::new();
            loop {
                while p.eat(";") {}
                if p.eat("}") {
                    return Ok(list);
                }
                list.push(p.node()?);
            }
        })
    }

    fn node<T: Element<'a>>(&mut self) -> Res<Node<'a, T>> {
        if self.eat("for") {
            let (variable, from, to, closed) = self.for_head()?;
            return Ok(Node::For { variable, from, to, closed, body: self.block()? });
        }
        if self.eat("if") {
            let condition = self.expr()?;
            let then = self.block()?;
            let otherwise = match () {
                () if !self.eat("else") => Vec::new(),
                () if self.is("if") => vec![self.nested(Self::node)?],
                () => self.block()?,
            };
            return Ok(Node::If { condition, then, otherwise });
        }
        Ok(Node::Plain(T::parse(self)?))
    }

    /// Parses `NAME in FROM..TO`.
    pub(super) fn for_head(&mut self) -> Res<(Word<'a>, super::ast::Expr<'a>, super::ast::Expr<'a>, bool)> {
        let variable = self.word("the name of a loop variable")?;
        self.expect("in", "`in`")?;
        let from = self.sum()?;
        let closed = self.range_sign()?;
        Ok((variable, from, self.sum()?, closed))
    }

    /// Parses `..` or `..=`. Returns true for the second.
    pub(super) fn range_sign(&mut self) -> Res<bool> {
        let closed = self.eat("..=");
        if !closed {
            self.expect("..", "`..` or `..=`")?;
        }
        Ok(closed)
    }

    /// Parses `:` and a type.
    pub(super) fn typed(&mut self) -> Res<Type<'a>> {
        if !self.eat(":") {
            return Err(self.unexpected("`:` and a type").hint("a type is `int`, `bool`, a range `0..10`, or an enum"));
        }
        self.type_of()
    }

    fn type_of(&mut self) -> Res<Type<'a>> {
        if self.eat("int") {
            return Ok(Type::Int);
        }
        if self.eat("bool") {
            return Ok(Type::Bool);
        }
        if self.is("{") {
            return Ok(Type::Values(self.values()?));
        }
        // A name is an enum unless a range follows.
        if self.token().is_name() && !["..", "..=", "+", "-", "*", "/", "%"].iter().any(|sign| self.is_next(sign)) {
            return Ok(Type::Named(self.word("a type")?));
        }
        if !(self.is("(") || self.is("-") || self.token().is_name() || self.token().kind == Kind::Number) {
            return Err(self.unexpected("a type: `int`, `bool`, a range `0..10`, an enum or `{A, B}`"));
        }
        let from = self.sum()?;
        if !self.is("..") && !self.is("..=") {
            let error = self.unexpected("`..` or `..=`");
            return Err(error.hint("a range is written `0..10`, or `0..=9` with its last number"));
        }
        let closed = self.range_sign()?;
        Ok(Type::Range(from, self.sum()?, closed))
    }

    /// Parses `{A, B, ..}`.
    fn values(&mut self) -> Res<Vec<Word<'a>>> {
        self.expect("{", "`{`")?;
        let mut values = vec![self.word("the name of a value")?];
        while self.eat(",") {
            values.push(self.word("the name of a value")?);
        }
        self.expect("}", "`,` or `}`")?;
        Ok(values)
    }

    fn goals(&mut self) -> Res<Vec<(Goal, Span)>> {
        let mut goals = Vec::new();
        loop {
            let goal = match self.token().text {
                "deadlock" => Goal::Deadlock,
                "bad" => Goal::Bad,
                _ => return Err(self.unexpected("`deadlock` or `bad`")),
            };
            goals.push((goal, self.token().span));
            self.advance();
            if !self.eat(",") {
                return Ok(goals);
            }
        }
    }

    fn variable(&mut self) -> Res<Var<'a>> {
        let name = self.word("the name of a variable")?;
        let sizes = self.indices()?;
        let kind = self.typed()?;
        let initial = if self.eat("=") { Some(self.value()?) } else { None };
        Ok(Var { name, sizes, kind, initial })
    }

    /// Parses the right side of an assignment.
    pub(super) fn value(&mut self) -> Res<Value<'a>> {
        let span = self.token().span;
        if self.eat("*") { Ok(Value::Any(span)) } else { Ok(Value::One(self.expr()?)) }
    }
}

/// Returns a hint for a word of version 1 or of another language.
fn hint(token: &Token, expected: &str) -> Option<String> {
    let known = match token.text {
        "when" => "a condition on constants and variables is written `if .. { .. } else { .. }`",
        "class" => "any number of threads is a matter of version 1: `rwb 1`, `const n = *`",
        "assume" => "assumptions are a matter of version 1",
        "hot" => "`hot` stands before a sync: `hot wait e`, `hot request e`",
        "priority" => "a priority stands in a sync, after its events: `request e priority 3`",
        "let" => LOCAL,
        "=" if expected == "`{`" => "values are compared by `==`; `=` assigns",
        "waitFor" | "waits" => "waiting for an event is written `wait e`",
        "requests" => "to ask for an event is written `request e`",
        // A sign or a letter is near to too much.
        word => {
            let mut words = expected.split('`').skip(1).step_by(2).filter(|_| token.is_name() && word.len() > 1);
            let near = suggest::nearest(word, words.by_ref())?;
            return Some(format!("did you mean `{near}`?"));
        }
    };
    Some(known.to_owned())
}

impl<'a> Element<'a> for Item<'a> {
    fn parse(p: &mut Parser<'a>) -> Res<Self> {
        let word = p.token().text;
        if !ITEMS.contains(&word) {
            return Err(
                p.unexpected("`const`, `enum`, `event`, `environment`, `set`, `check`, `thread`, `for` or `if`")
            );
        }
        p.advance();
        Ok(match word {
            "const" => {
                let name = p.word("the name of a constant")?;
                p.expect("=", "`=`")?;
                if p.is("*") {
                    return Err(p.unexpected("a number").hint("a number that is left open is a matter of version 1"));
                }
                Item::Const(name, p.expr()?)
            }
            "enum" => {
                let name = p.word("the name of an enum")?;
                Item::Enum(name, p.values()?)
            }
            "environment" => {
                if !p.eat("event") {
                    return Err(p
                        .unexpected("`event`")
                        .hint("what comes from outside is an event: `environment event e`"));
                }
                Item::Events(p.event_list(true)?)
            }
            "event" => Item::Events(p.event_list(false)?),
            "set" => {
                let name = p.word("the name of an event set")?;
                p.expect("=", "`=`")?;
                Item::Set(name, p.events()?)
            }
            "check" => Item::Check(p.goals()?),
            _ => Item::Thread(p.name("the name of a thread")?, p.block()?),
        })
    }
}

impl<'a> Element<'a> for Member<'a> {
    fn parse(p: &mut Parser<'a>) -> Res<Self> {
        let span = p.token().span;
        if p.eat("var") {
            Ok(Member::Var(p.variable()?))
        } else if p.eat("init") {
            Ok(Member::Init(p.names("|", "the name of a state")?))
        } else if p.eat("state") {
            Ok(Member::State(p.name("the name of a state")?, p.block()?))
        } else if p.eat("body") {
            Ok(Member::Body(span, p.acts()?))
        } else {
            Err(p.unexpected("`var`, `body`, `state`, `init`, `for`, `if` or `}`"))
        }
    }
}
