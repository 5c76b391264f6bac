//! Parser for declarations of events, for types, and for sets of events.

use super::ast::{Argument, EventDecl, Events, Set, Span, Type, TypeKind, Word};
use super::lex::Tok;
use super::parse::{Parser, Res};
use super::parser::Level;

impl<'a> Parser<'a> {
    pub(super) fn event_list(&mut self, is_external: bool) -> Res<Vec<EventDecl<'a>>> {
        let mut list = vec![self.event(is_external)?];
        while self.eat(Tok::Comma)? {
            list.push(self.event(is_external)?);
        }
        let is_in_line = !self.source.text[self.before..self.span.start].contains('\n');
        if self.tok == Tok::Name && is_in_line && !Level::Item.begins(self.tok, self.text()) {
            return Err(self.unexpected("`,` or the next item").hint("names are separated by `,`"));
        }
        Ok(list)
    }

    fn event(&mut self, is_external: bool) -> Res<EventDecl<'a>> {
        let name = self.name("the name of an event")?;
        if !(self.is_second() && name.indices.is_empty() && self.eat(Tok::OpenParen)?) {
            return Ok(EventDecl { span: name.span, name, parameters: None, is_external });
        }
        let mut typed = Vec::new();
        while self.tok != Tok::CloseParen {
            let parameter = self.word("the name of a parameter")?;
            typed.push((parameter, self.typed()?));
            if !self.eat(Tok::Comma)? {
                break;
            }
        }
        self.expect(Tok::CloseParen, "`,` or `)`")?;
        Ok(EventDecl { span: name.span.to(self.end()), name, parameters: Some(typed), is_external })
    }

    /// Parses `:` and a type.
    pub(super) fn typed(&mut self) -> Res<Type<'a>> {
        if !self.eat(Tok::Colon)? {
            return Err(self.unexpected("`:` and a type").hint("a type is `int`, `bool`, a range `0..10`, or an enum"));
        }
        let start = Span::new(self.span.clone());
        let kind = self.type_kind()?;
        Ok(Type { kind, span: start.to(self.end()) })
    }

    fn type_kind(&mut self) -> Res<TypeKind<'a>> {
        match self.tok {
            Tok::Int => return self.advance().map(|()| TypeKind::Int),
            Tok::Bool => return self.advance().map(|()| TypeKind::Bool),
            Tok::Open => return Ok(TypeKind::Values(self.values()?)),
            // A name is an enum unless a range follows.
            Tok::Name if !self.lexer.ahead().next().is_some_and(|(tok, _)| continues_range(tok)) => {
                return Ok(TypeKind::Named(self.word("a type")?));
            }
            Tok::OpenParen | Tok::Minus | Tok::Name | Tok::Number => {}
            _ => return Err(self.unexpected("a type: `int`, `bool`, a range `0..10`, an enum or `{A, B}`")),
        }
        let from = self.sum()?;
        if !matches!(self.tok, Tok::Dots | Tok::DotsEqual) {
            let error = self.unexpected("`..` or `..=`");
            return Err(error.hint("a range is written `0..10`, or `0..=9` with its last number"));
        }
        Ok(TypeKind::Range(self.range_to(from)?))
    }

    /// Parses `{A, B, ..}`.
    pub(super) fn values(&mut self) -> Res<Vec<Word<'a>>> {
        self.expect(Tok::Open, "`{`")?;
        let mut values = vec![self.word("the name of a value")?];
        while self.eat(Tok::Comma)? {
            values.push(self.word("the name of a value")?);
        }
        self.expect(Tok::Close, "`,` or `}`")?;
        Ok(values)
    }

    pub(super) fn events(&mut self) -> Res<Events<'a>> {
        let start = Span::new(self.span.clone());
        let set = self.union()?;
        Ok(Events { set, span: start.to(self.end()) })
    }

    fn union(&mut self) -> Res<Set<'a>> {
        self.joined(Tok::Comma, Self::difference, Set::Union)
    }

    fn difference(&mut self) -> Res<Set<'a>> {
        self.joined(Tok::Minus, Self::event_atom, Set::Minus)
    }

    /// Parses sets with a sign between them. A single one stands for itself.
    fn joined(
        &mut self,
        sign: Tok,
        part: fn(&mut Self) -> Res<Set<'a>>,
        all: fn(Box<[Set<'a>]>) -> Set<'a>,
    ) -> Res<Set<'a>> {
        let first = part(self)?;
        if self.tok != sign {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat(sign)? {
            parts.push(part(self)?);
        }
        Ok(all(parts.into_boxed_slice()))
    }

    fn event_atom(&mut self) -> Res<Set<'a>> {
        match self.tok {
            Tok::Star => self.advance().map(|()| Set::All),
            Tok::None => self.advance().map(|()| Set::None),
            Tok::Open => {
                self.advance()?;
                let set = self.nested(Self::union)?;
                self.expect(Tok::Close, "`,`, `-` or `}`")?;
                Ok(set)
            }
            Tok::OpenParen => {
                let error = self.unexpected("an event, an event set, `*`, `none` or `{`");
                Err(error.hint("events are listed without parentheses: `request a, b`; braces group: `{a, b} - c`"))
            }
            _ => self.named_events(),
        }
    }

    fn named_events(&mut self) -> Res<Set<'a>> {
        let name = self.word("an event, an event set, `*`, `none` or `{`")?;
        let (mut arguments, mut has_brackets) = (Vec::new(), false);
        if self.is_second() && self.eat(Tok::OpenParen)? {
            has_brackets = true;
            while self.tok != Tok::CloseParen {
                arguments.push(self.nested(Self::argument)?);
                if !self.eat(Tok::Comma)? {
                    break;
                }
            }
            self.expect(Tok::CloseParen, "`,` or `)`")?;
        }
        while self.eat(Tok::OpenIndex)? {
            has_brackets = true;
            arguments.push(self.nested(Self::argument)?);
            self.expect(Tok::CloseIndex, "`]`")?;
        }
        let arguments = has_brackets.then(|| arguments.into_boxed_slice());
        let has_filter = self.is_second() && self.eat(Tok::When)?;
        let filter = if has_filter { Some(Box::new(self.expr()?)) } else { None };
        Ok(Set::Named { name, arguments, filter, span: name.span.to(self.end()) })
    }

    fn argument(&mut self) -> Res<Argument<'a>> {
        if self.eat(Tok::Star)? {
            return Ok(Argument::Any);
        }
        let from = self.expr()?;
        if matches!(self.tok, Tok::Dots | Tok::DotsEqual) {
            return Ok(Argument::Range(self.range_to(from)?));
        }
        Ok(Argument::One(from))
    }
}

/// True for the signs between a name and the `..` of a range.
fn continues_range(tok: Tok) -> bool {
    use Tok::{Dots, DotsEqual, Minus, Percent, Plus, Slash, Star};
    matches!(tok, Dots | DotsEqual | Plus | Minus | Star | Slash | Percent)
}
