//! Reader for Tina's textual nets. Declarations may stand in any order.

use super::COMMENTS;
use super::build::{Arc, net};
use super::lex::{Lexer, Token, TokenKind};
use crate::join::ArcKind;
use crate::weights::Weights;
use formats::codes::{self, Code};
use formats::comments;
use formats::digits::natural;
use formats::error::{Error, Text, printable};
use formats::errors::Errors;
use formats::format::Read;
use formats::source::{Limits, Source};
use model::{Place, PlaceId, Problem, Range, TransitionId};
use num_bigint::BigUint;
use num_traits::Zero;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops;

type Res<T> = Result<T, Box<Error>>;

/// The letters that multiply a number: each one by a thousand more than the one before it.
const MULTIPLIERS: &str = "KMGTPE";

pub(super) fn read(source: &Source, limits: &Limits) -> Res<Read> {
    let text = comments::text(source, &COMMENTS)?;
    let text = Text { name: &source.name, text: &text };
    let mut reader = Reader::new(Lexer::new(text, limits));
    let read = reader.file();
    std::mem::take(&mut reader.refused).finish(read)?;
    let (net, warnings) = net(text, reader.places, reader.transitions, reader.arcs, &reader.weights)?;
    Ok(Read { problem: Problem::of_net(std::sync::Arc::new(net)), warnings })
}

/// A node of the net.
#[derive(Clone, Copy)]
enum Node {
    Place(PlaceId),
    Transition(TransitionId),
}

struct Reader<'a> {
    lexer: Lexer<'a>,
    place_ids: HashMap<Cow<'a, str>, PlaceId>,
    places: Vec<Place>,
    transition_ids: HashMap<Cow<'a, str>, TransitionId>,
    transitions: Vec<Cow<'a, str>>,
    arcs: Vec<Arc>,
    weights: Weights,
    /// The places of names that `lb` gave a label before another declaration named them.
    labelled: Vec<u32>,
    /// The first time interval, priority and stopwatch arc. Reading goes on, so that all of them are reported.
    refused: Errors,
    refused_codes: Vec<&'static str>,
}

impl<'a> Reader<'a> {
    fn new(lexer: Lexer<'a>) -> Self {
        Self {
            lexer,
            place_ids: HashMap::new(),
            places: Vec::new(),
            transition_ids: HashMap::new(),
            transitions: Vec::new(),
            arcs: Vec::new(),
            weights: Weights::default(),
            labelled: Vec::new(),
            refused: Errors::default(),
            refused_codes: Vec::new(),
        }
    }

    fn file(&mut self) -> Res<()> {
        // `net x` and nothing else is a net: reductions of others leave such files.
        let (mut is_named, mut has_notes) = (false, false);
        loop {
            let token = self.lexer.take()?;
            match (token.kind, token.text) {
                (TokenKind::End, _) => break,
                (TokenKind::Keyword, "net") => {
                    is_named = true;
                    self.skip_name("the name of the net")?;
                }
                (TokenKind::Keyword, "tr") => self.transition()?,
                (TokenKind::Keyword, "pl") => self.place()?,
                (TokenKind::Keyword, "lb") => self.label()?,
                (TokenKind::Keyword, "pr") => self.priority(&token)?,
                (TokenKind::Keyword, "nt") => {
                    has_notes = true;
                    self.note()?;
                }
                _ => return Err(self.lexer.unexpected(&token, "`tr`, `pl`, `net`, `lb`, `pr` or `nt`")),
            }
        }
        let is_empty = self.places.is_empty() && self.transitions.is_empty() && !self.refused.any();
        if is_empty && (!is_named || has_notes) {
            let error = self.lexer.text.error(&codes::INPUT_EMPTY, 0..0, "the file has no net");
            return Err(error.label("expected `tr` or `pl`"));
        }
        std::mem::take(&mut self.labelled).into_iter().try_for_each(|at| self.check_label(at as usize))
    }

    /// Parses `NAME [: LABEL] [INTERVAL] [ARCS -> ARCS]`.
    fn transition(&mut self) -> Res<()> {
        let token = self.lexer.take()?;
        let transition = self.transition_called(&token)?;
        self.own_label()?;
        let next = self.lexer.peek()?;
        if next.is("[") || next.is("]") {
            self.interval()?;
        }
        self.arcs_of(Node::Transition(transition))
    }

    /// Parses `NAME [: LABEL] [(MARKING)] [ARCS -> ARCS]`.
    fn place(&mut self) -> Res<()> {
        let token = self.lexer.take()?;
        let place = self.place_called(&token)?;
        self.own_label()?;
        if self.lexer.accept("(")? {
            let (tokens, _) = self.number()?;
            self.lexer.expect(")")?;
            self.places[place.index()].initial.at_least += tokens;
        }
        self.arcs_of(Node::Place(place))
    }

    fn own_label(&mut self) -> Res<()> {
        if self.lexer.accept(":")? { self.skip_name("a label") } else { Ok(()) }
    }

    /// Skips a label, a note or the name of the net, which say nothing about markings.
    fn skip_name(&mut self, expected: &str) -> Res<()> {
        let token = self.lexer.take()?;
        if token.is_name() { Ok(()) } else { Err(self.lexer.unexpected(&token, expected)) }
    }

    /// Parses `NAME LABEL`. Another declaration has to name the node, perhaps a later one.
    fn label(&mut self) -> Res<()> {
        let token = self.lexer.take()?;
        let name = self.lexer.name(&token, "the name of a place or transition")?;
        if !self.is_known(&name) {
            // The limit on bytes is far below 2^32.
            self.labelled.push(u32::try_from(token.span.start).unwrap_or(0));
        }
        self.skip_name("a label")
    }

    fn check_label(&self, at: usize) -> Res<()> {
        let mut lexer = self.lexer.from(at);
        let token = lexer.take()?;
        let name = lexer.name(&token, "a name")?;
        if self.is_known(&name) {
            return Ok(());
        }
        let message = format!("there is no place or transition `{}`", printable(&name));
        let error = lexer.text.error(&codes::TINA_UNKNOWN, token.span, message).label("not declared");
        Err(error.hint("`lb` names a node of a declaration `tr` or `pl`"))
    }

    fn is_known(&self, name: &str) -> bool {
        self.place_ids.contains_key(name) || self.transition_ids.contains_key(name)
    }

    /// Parses `NAME 0|1 ANNOTATION`.
    fn note(&mut self) -> Res<()> {
        self.skip_name("the name of the note")?;
        let token = self.lexer.take()?;
        if token.kind != TokenKind::Word || !["0", "1"].contains(&token.text) {
            return Err(self.lexer.unexpected(&token, "0 or 1"));
        }
        self.skip_name("the text of the note")
    }

    /// Parses `NAME.. (< | >) NAME..`, which is refused.
    fn priority(&mut self, keyword: &Token<'a>) -> Res<()> {
        let message = "a priority between transitions";
        self.refuse(
            &codes::TINA_PRIORITY,
            keyword.span.clone(),
            message,
            "leave the line out to read the net without",
        )?;
        self.transition_names()?;
        let sign = self.lexer.take()?;
        if !sign.is("<") && !sign.is(">") {
            return Err(self.lexer.unexpected(&sign, "`<` or `>`"));
        }
        self.transition_names()
    }

    fn transition_names(&mut self) -> Res<()> {
        self.skip_name("the name of a transition")?;
        while self.lexer.peek()?.is_name() {
            self.lexer.take()?;
        }
        Ok(())
    }

    /// Parses an interval, and refuses all but `[0,w[`.
    fn interval(&mut self) -> Res<()> {
        let open = self.lexer.take()?;
        let from = self.lexer.take()?;
        let earliest = natural(self.lexer.text, self.lexer.limits, &codes::TINA_NUMBER, from.text, from.span)?;
        self.lexer.expect(",")?;
        let to = self.lexer.take()?;
        let endless = to.kind == TokenKind::Word && to.text == "w";
        if !endless {
            natural(self.lexer.text, self.lexer.limits, &codes::TINA_NUMBER, to.text, to.span)?;
        }
        let close = self.lexer.take()?;
        if !close.is("[") && (endless || !close.is("]")) {
            return Err(self.lexer.unexpected(&close, if endless { "`[`" } else { "`[` or `]`" }));
        }
        if endless && open.is("[") && earliest.is_zero() {
            return Ok(());
        }
        let span = open.span.start..close.span.end;
        self.refuse(&codes::TINA_TIME, span, "a transition with a time interval", "expected `[0,w[`, or no interval")
    }

    /// Records that the file has a feature that is not supported.
    fn refuse(&mut self, code: &'static Code, span: ops::Range<usize>, message: &str, hint: &str) -> Res<()> {
        if self.refused_codes.contains(&code.code) {
            return Ok(());
        }
        self.refused_codes.push(code.code);
        let error = self.lexer.text.error(code, span, message).label("not supported");
        self.refused.note(error.hint(hint))
    }

    /// Parses `[ARCS -> ARCS]`, the arcs of a node.
    fn arcs_of(&mut self, node: Node) -> Res<()> {
        let next = self.lexer.peek()?;
        if !next.is_name() && !next.is("->") {
            return Ok(());
        }
        self.side(node, true)?;
        self.lexer.expect("->")?;
        self.side(node, false)
    }

    /// Parses the arcs before or after the arrow.
    fn side(&mut self, node: Node, before: bool) -> Res<()> {
        while self.lexer.peek()?.is_name() {
            let token = self.lexer.take()?;
            let (transition, place, into) = match node {
                Node::Place(place) => (self.transition_called(&token)?, place, !before),
                Node::Transition(transition) => (transition, self.place_called(&token)?, before),
            };
            let Some((kind, weight)) = self.arc(&token, into)? else { continue };
            let most = self.lexer.limits.arcs;
            self.count(&token, self.arcs.len(), most, &codes::LIMIT_ARCS, "arcs")?;
            let (weight, at) = (self.weights.add(weight), u32::try_from(token.span.start).unwrap_or(0));
            self.arcs.push(Arc { transition, place, weight, kind, into, at });
        }
        Ok(())
    }

    /// Parses the kind and the weight of an arc. Returns `None` for a stopwatch arc. `into` is true if the arc
    /// leads from a place to a transition.
    fn arc(&mut self, name: &Token<'a>, into: bool) -> Res<Option<(ArcKind, BigUint)>> {
        let next = self.lexer.peek()?.clone();
        if next.is("*") {
            self.lexer.take()?;
            return Ok(Some((ArcKind::Normal, self.weight()?)));
        }
        let is_stopwatch = next.is("!");
        if !is_stopwatch && !next.is("?") {
            return Ok(Some((ArcKind::Normal, 1u8.into())));
        }
        self.lexer.take()?;
        let is_inhibitor = self.lexer.accept("-")?;
        let weight = self.weight()?;
        if !into {
            let span = name.span.start..next.span.end;
            let error = self.lexer.text.error(&codes::TINA_ARC, span, "an arc to a place that only tests tokens");
            return Err(error.label("expected a normal arc").hint("write the arc on the side from the place"));
        }
        if is_stopwatch {
            let hint = "`p?3` is a test arc, and `p?-3` an inhibitor arc";
            self.refuse(&codes::TINA_STOPWATCH, name.span.start..next.span.end, "a stopwatch arc", hint)?;
            return Ok(None);
        }
        Ok(Some((if is_inhibitor { ArcKind::Inhibitor } else { ArcKind::Read }, weight)))
    }

    fn weight(&mut self) -> Res<BigUint> {
        let (weight, span) = self.number()?;
        if weight.is_zero() {
            let error = self.lexer.text.error(&codes::TINA_NUMBER, span, "the weight of an arc is 0");
            return Err(error.label("expected 1 or more").hint("leave the arc out"));
        }
        Ok(weight)
    }

    /// Parses digits, and a letter that multiplies the number.
    fn number(&mut self) -> Res<(BigUint, ops::Range<usize>)> {
        let token = self.lexer.take()?;
        let (text, limits) = (self.lexer.text, self.lexer.limits);
        let zeros = token.text.chars().last().and_then(|c| MULTIPLIERS.find(c)).map(|at| 3 * (at + 1));
        let digits = token.text.strip_suffix(|c| MULTIPLIERS.contains(c)).filter(|d| !d.is_empty());
        let is_number = |digits: &&str| digits.bytes().all(|b| b.is_ascii_digit()) && token.kind == TokenKind::Word;
        let written = match (digits.filter(is_number), zeros) {
            (Some(digits), Some(zeros)) => Cow::Owned(format!("{digits}{}", "0".repeat(zeros))),
            // Digits in braces are a name.
            _ => Cow::Borrowed(&text.text[token.span.clone()]),
        };
        let number = natural(text, limits, &codes::TINA_NUMBER, &written, token.span.clone());
        let number = number.map_err(|error| match error.code() == codes::TINA_NUMBER.code {
            true => error.hint("a number is decimal digits, perhaps with one of the letters K, M, G, T, P and E"),
            false => error,
        })?;
        Ok((number, token.span))
    }

    fn place_called(&mut self, token: &Token<'a>) -> Res<PlaceId> {
        let name = self.lexer.name(token, "the name of a place")?;
        if let Some(place) = self.place_ids.get(&name) {
            return Ok(*place);
        }
        self.count(token, self.places.len(), self.lexer.limits.places, &codes::LIMIT_PLACES, "places")?;
        let place = PlaceId::new(self.places.len());
        self.places.push(Place { name: name.clone().into_owned(), initial: Range::from(0u8) });
        self.place_ids.insert(name, place);
        Ok(place)
    }

    fn transition_called(&mut self, token: &Token<'a>) -> Res<TransitionId> {
        let name = self.lexer.name(token, "the name of a transition")?;
        if let Some(transition) = self.transition_ids.get(&name) {
            return Ok(*transition);
        }
        let most = self.lexer.limits.transitions;
        self.count(token, self.transitions.len(), most, &codes::LIMIT_TRANSITIONS, "transitions")?;
        let transition = TransitionId::new(self.transitions.len());
        self.transitions.push(name.clone());
        self.transition_ids.insert(name, transition);
        Ok(transition)
    }

    fn count(&self, token: &Token<'a>, have: usize, most: usize, code: &'static Code, what: &str) -> Res<()> {
        if have < most {
            return Ok(());
        }
        let error = self.lexer.text.error(code, token.span.clone(), format!("the net has more than {most} {what}"));
        Err(error.label("the limit is reached here"))
    }
}
