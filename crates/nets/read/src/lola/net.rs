//! Reader for `.lola` nets.

use super::lex::{COMMENTS, Lexer, Token, TokenKind};
use crate::weights::{Weight, Weights};
use formats::codes::{self, Code};
use formats::digits::natural;
use formats::error::{Error, Text, printable};
use formats::format::Read;
use formats::source::{Limits, Source};
use formats::{comments, suggest};
use model::{Net, Place, PlaceId, Problem, Range, Transition};
use num_bigint::BigUint;
use std::collections::{HashMap, HashSet};
use std::ops;
use std::sync::Arc;

type Res<T> = Result<T, Box<Error>>;

/// Words that are names only if they are quoted.
pub(super) const KEYWORDS: &[&str] =
    &["PLACE", "MARKING", "TRANSITION", "CONSUME", "PRODUCE", "SAFE", "STRONG", "WEAK", "FAIR"];

pub(super) fn read(source: &Source, limits: &Limits) -> Res<Read> {
    let text = comments::text(source, COMMENTS)?;
    let text = Text { name: &source.name, text: &text };
    let mut reader = Reader {
        lexer: Lexer::new(text, limits, false),
        ids: HashMap::new(),
        places: Vec::new(),
        transitions: Vec::new(),
        names: HashSet::new(),
        arcs: Arcs::default(),
        warnings: Vec::new(),
    };
    reader.file()?;
    let arcs = reader.arcs;
    let transition = |(name, pre, post): (&str, ops::Range<usize>, ops::Range<usize>)| {
        Transition::from_arcs(name.to_owned(), &arcs.get(pre), &arcs.get(post))
    };
    let transitions = reader.transitions.into_iter().map(transition).collect();
    let net = Net::new(reader.places, transitions)
        .map_err(|e| Error::whole(&codes::NET_INVALID, text.name, printable(&e.to_string())))?;
    let problem = Problem::of_net(Arc::new(net));
    Ok(Read { problem, warnings: reader.warnings })
}

/// All arcs.
#[derive(Default)]
struct Arcs {
    places: Vec<(PlaceId, Weight)>,
    weights: Weights,
}

impl Arcs {
    fn push(&mut self, place: PlaceId, weight: BigUint) {
        let weight = self.weights.add(weight);
        self.places.push((place, weight));
    }

    /// Returns the arcs of a list, without those of weight 0.
    fn get(&self, list: ops::Range<usize>) -> Vec<(PlaceId, BigUint)> {
        let arcs = self.places[list].iter().filter(|(_, weight)| !weight.is_zero());
        arcs.map(|(place, weight)| (*place, self.weights.get(*weight))).collect()
    }
}

struct Reader<'a> {
    lexer: Lexer<'a>,
    ids: HashMap<&'a str, PlaceId>,
    places: Vec<Place>,
    /// For each transition: its name, and the ranges of the arcs that it consumes and produces.
    transitions: Vec<(&'a str, ops::Range<usize>, ops::Range<usize>)>,
    names: HashSet<&'a str>,
    arcs: Arcs,
    warnings: Vec<Error>,
}

impl<'a> Reader<'a> {
    fn file(&mut self) -> Res<()> {
        if self.lexer.peek()?.kind == TokenKind::End {
            let error = self.lexer.text.error(&codes::INPUT_EMPTY, 0..0, "the file has no net");
            return Err(error.label("expected `PLACE`"));
        }
        let first = self.lexer.take()?;
        if !first.is("PLACE") {
            let error = self.lexer.unexpected(&first, "`PLACE`");
            return Err(error.hint("sorts, functions and other parts of high-level nets are not supported"));
        }
        loop {
            self.place_list()?;
            if self.lexer.accept("MARKING")? {
                break;
            }
        }
        self.marking()?;
        loop {
            let token = self.lexer.take()?;
            match token.kind {
                TokenKind::End => return Ok(()),
                _ if token.is("TRANSITION") => self.transition()?,
                _ => return Err(self.lexer.unexpected(&token, "`TRANSITION` or the end")),
            }
        }
    }

    /// Parses `[SAFE [NUMBER] :] name, name, ... ;`.
    fn place_list(&mut self) -> Res<()> {
        if self.lexer.accept("SAFE")? {
            if !self.lexer.peek()?.is(":") {
                self.number()?;
            }
            self.lexer.expect(":")?;
        }
        loop {
            let token = self.name("the name of a place")?;
            let id = self.places.len();
            self.count(&token, id, self.lexer.limits.places, &codes::LIMIT_PLACES, "places")?;
            if self.ids.insert(token.text, PlaceId::new(id)).is_some() {
                return Err(self.duplicate(&token, "place"));
            }
            self.places.push(Place { name: token.text.to_owned(), initial: Range::exactly(0u8) });
            if !self.lexer.accept(",")? {
                return self.lexer.expect(";");
            }
        }
    }

    fn marking(&mut self) -> Res<()> {
        let mut seen: HashSet<PlaceId> = HashSet::new();
        let mut marks = Vec::new();
        self.list(&mut |place, count, _| {
            marks.push((place, count));
            Ok(seen.insert(place))
        })?;
        for (place, count) in marks {
            let initial = &mut self.places[place.index()].initial;
            *initial = Range::exactly(initial.at_least.clone() + count);
        }
        Ok(())
    }

    /// Parses `name [: NUMBER], ... ;` or just `;`. `add` returns true if the place is new in the list.
    fn list(&mut self, add: &mut dyn FnMut(PlaceId, BigUint, &Token<'a>) -> Res<bool>) -> Res<()> {
        if self.lexer.accept(";")? {
            return Ok(());
        }
        loop {
            let token = self.name("the name of a place")?;
            let place = self.place(&token)?;
            let count = if self.lexer.accept(":")? { self.number()? } else { 1u8.into() };
            if !add(place, count, &token)? {
                let message = format!("`{}` stands twice in one list", printable(token.text));
                let error = self.lexer.text.error(&codes::LOLA_REPEATED, token.span.clone(), message);
                self.warnings.push(*error.label("again here").hint("the numbers are added up").warning());
            }
            if !self.lexer.accept(",")? {
                return self.lexer.expect(";");
            }
        }
    }

    fn transition(&mut self) -> Res<()> {
        let token = self.name("the name of a transition")?;
        let limit = self.lexer.limits.transitions;
        self.count(&token, self.transitions.len(), limit, &codes::LIMIT_TRANSITIONS, "transitions")?;
        if !self.names.insert(token.text) {
            return Err(self.duplicate(&token, "transition"));
        }
        if self.lexer.accept("STRONG")? || self.lexer.accept("WEAK")? {
            self.lexer.expect("FAIR")?;
        }
        self.lexer.expect("CONSUME")?;
        let start = self.arcs.places.len();
        let middle = self.arc_list()?;
        self.lexer.expect("PRODUCE")?;
        let end = self.arc_list()?;
        self.transitions.push((token.text, start..middle, middle..end));
        Ok(())
    }

    /// Stores the arcs of a list, and returns their end in the list of all arcs.
    fn arc_list(&mut self) -> Res<usize> {
        let mut seen = HashSet::new();
        let (text, most, mut arcs) = (self.lexer.text, self.lexer.limits.arcs, std::mem::take(&mut self.arcs));
        self.list(&mut |place, count, token| {
            if arcs.places.len() >= most {
                let message = format!("the net has more than {most} arcs");
                let error = text.error(&codes::LIMIT_ARCS, token.span.clone(), message);
                return Err(error.label("the limit is reached here"));
            }
            arcs.push(place, count);
            Ok(seen.insert(place))
        })?;
        self.arcs = arcs;
        Ok(self.arcs.places.len())
    }

    fn name(&mut self, expected: &str) -> Res<Token<'a>> {
        let token = self.lexer.take()?;
        let good = match token.kind {
            TokenKind::Word => !KEYWORDS.contains(&token.text),
            TokenKind::Quoted => is_quotable(token.text),
            TokenKind::Sign | TokenKind::End => false,
        };
        if !good {
            return Err(self.lexer.unexpected(&token, expected));
        }
        if token.text.len() > self.lexer.limits.name_length {
            let message = format!("the name has more than {} bytes", self.lexer.limits.name_length);
            return Err(self.lexer.text.error(&codes::LIMIT_NAME, token.span, message).label("too long"));
        }
        Ok(token)
    }

    fn number(&mut self) -> Res<BigUint> {
        let token = self.lexer.take()?;
        natural(self.lexer.text, self.lexer.limits, &codes::LOLA_NUMBER, token.text, token.span)
    }

    fn place(&self, token: &Token<'a>) -> Res<PlaceId> {
        self.ids.get(token.text).copied().ok_or_else(|| {
            let message = format!("there is no place `{}`", printable(token.text));
            let error = self.lexer.text.error(&codes::LOLA_UNKNOWN, token.span.clone(), message);
            suggest::hinted(error.label("not declared"), token.text, self.places.iter().map(|p| p.name.as_str()), "")
        })
    }

    fn count(&self, token: &Token<'a>, have: usize, most: usize, code: &'static Code, what: &str) -> Res<()> {
        if have < most {
            return Ok(());
        }
        let error = self.lexer.text.error(code, token.span.clone(), format!("the net has more than {most} {what}"));
        Err(error.label("the limit is reached here"))
    }

    fn duplicate(&self, token: &Token<'a>, what: &str) -> Box<Error> {
        let message = format!("the {what} `{}` is declared twice", printable(token.text));
        self.lexer.text.error(&codes::LOLA_DUPLICATE, token.span.clone(), message).label("again here")
    }
}

/// True if this text is a name when it stands between quotation marks.
pub(super) fn is_quotable(name: &str) -> bool {
    !name.is_empty() && !name.contains(char::is_control)
}
