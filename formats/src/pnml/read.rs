//! From the text of a PNML file to a net, in one pass; pages are a count, not a recursion.

use super::arcs::{self, Arc, Kind};
use super::nodes::{Node, Nodes};
use crate::codes::{self, Code};
use crate::digits::natural;
use crate::error::{Error, Span, printable};
use crate::registry::Read;
use crate::source::{Limits, Source};
use crate::xml::{Piece, Tag, Xml};
use model::{Net, Place, PlaceId, Problem, Range, SystemModel, TransitionId};
use num_bigint::BigUint;
use num_traits::Zero;
use std::borrow::Cow;
use std::sync;

type Res<T> = Result<T, Box<Error>>;

pub(super) fn read(source: &Source, limits: &Limits) -> Res<Read> {
    let mut reader = Reader {
        xml: Xml::new(source, limits)?,
        nodes: Nodes::default(),
        places: Vec::new(),
        transitions: Vec::new(),
        arcs: Vec::new(),
    };
    reader.file()?;
    let text = reader.xml.text;
    let transitions = arcs::transitions(text, &reader.nodes, reader.transitions, &reader.arcs)?;
    let net = Net::new(reader.places, transitions)
        .map_err(|e| Error::whole(&codes::NET_INVALID, text.name, printable(&e.to_string())))?;
    let problem = Problem {
        system: SystemModel::Net(sync::Arc::new(net)),
        formulas: Vec::new(),
        temporal: Vec::new(),
        properties: Vec::new(),
        assumptions: Vec::new(),
    };
    Ok(Read { problem, warnings: Vec::new() })
}

struct Reader<'a> {
    xml: Xml<'a>,
    nodes: Nodes<'a>,
    places: Vec<Place>,
    transitions: Vec<String>,
    arcs: Vec<Arc>,
}

impl<'a> Reader<'a> {
    fn file(&mut self) -> Res<()> {
        let root = self.xml.expect_open("the element `pnml`")?;
        if root.name != "pnml" {
            let message = format!("the file is no PNML: it begins with the element `{}`", printable(root.name));
            return Err(self.error(&codes::PNML_ROOT, &root, message).label("expected `pnml`"));
        }
        let mut found = false;
        while let Some(tag) = self.xml.child()? {
            match tag.name {
                "net" if found => {
                    let error = self.error(&codes::PNML_SEVERAL, &tag, "the file has several nets");
                    return Err(error.label("the second one").hint("put each net into a file of its own"));
                }
                "net" => {
                    found = true;
                    self.net(&tag)?;
                }
                _ => self.skippable(&tag, "pnml")?,
            }
        }
        match self.xml.next()? {
            Piece::End if found => Ok(()),
            _ => Err(self.error(&codes::PNML_ROOT, &root, "the file has no net").label("expected a `net` inside")),
        }
    }

    fn net(&mut self, tag: &Tag<'a>) -> Res<()> {
        let kind = self.xml.required(tag, "type")?;
        if !is_place_transition(&kind) {
            let message = format!("the net is not a place/transition net but of type `{}`", printable(&kind));
            let error = self.error(&codes::PNML_TYPE, tag, message).label("of this type");
            return Err(error.hint(format!("expected {PLACE_TRANSITION}; unfold other nets with a tool for them")));
        }
        self.optional_id(tag)?;
        // Pages that are open.
        let mut pages = 0usize;
        loop {
            let tag = match self.xml.next()? {
                Piece::Open(tag) => tag,
                Piece::Close if pages > 0 => {
                    pages -= 1;
                    continue;
                }
                Piece::Close | Piece::End => return Ok(()),
                Piece::Text(_, span) => return Err(self.xml.unexpected_text(span)),
            };
            match tag.name {
                "page" => {
                    self.optional_id(&tag)?;
                    pages += 1;
                }
                "place" => self.place(&tag)?,
                "transition" => self.transition(&tag)?,
                "arc" => self.arc(&tag)?,
                "referencePlace" => self.reference(&tag, true)?,
                "referenceTransition" => self.reference(&tag, false)?,
                _ => self.skippable(&tag, "net")?,
            }
        }
    }

    fn error(&self, code: &'static Code, tag: &Tag<'a>, message: impl Into<String>) -> Box<Error> {
        self.xml.text.error(code, tag.span.clone(), message)
    }

    /// Skips what says nothing about what the net does, and refuses everything else.
    fn skippable(&mut self, tag: &Tag<'a>, parent: &str) -> Res<()> {
        if matches!(tag.name, "name" | "graphics" | "toolspecific") {
            return self.xml.skip();
        }
        let message = format!("`{}` in a `{parent}` is not supported", printable(tag.name));
        let error = self.error(&codes::PNML_ELEMENT, tag, message).label("not part of place/transition nets");
        Err(error.hint("it may change what the net does, so it is not skipped"))
    }

    /// An id as a name that is not too long.
    fn id(&self, tag: &Tag<'a>, attribute: &str) -> Res<Cow<'a, str>> {
        let id = self.xml.required(tag, attribute)?;
        if id.len() > self.xml.limits.name_length {
            let message = format!("the id has more than {} bytes", self.xml.limits.name_length);
            return Err(self.error(&codes::LIMIT_NAME, tag, message).label("too long"));
        }
        Ok(id)
    }

    /// Notes the id of a thing that nothing refers to; some tools leave it out.
    fn optional_id(&mut self, tag: &Tag<'a>) -> Res<()> {
        match self.xml.attribute(tag, "id")? {
            Some(id) => self.nodes.other(self.xml.text, id, span(tag)),
            None => Ok(()),
        }
    }

    fn count(&self, tag: &Tag<'a>, have: usize, most: usize, code: &'static Code, what: &str) -> Res<()> {
        if have < most {
            return Ok(());
        }
        let message = format!("the net has more than {most} {what}");
        Err(self.error(code, tag, message).label("the limit is reached here"))
    }

    fn place(&mut self, tag: &Tag<'a>) -> Res<()> {
        self.count(tag, self.places.len(), self.xml.limits.places, &codes::LIMIT_PLACES, "places")?;
        let name = self.id(tag, "id")?;
        let place = Node::Place(PlaceId::new(self.places.len()));
        self.nodes.node(self.xml.text, name.clone(), place, span(tag))?;
        let mut marking: Option<BigUint> = None;
        while let Some(child) = self.xml.child()? {
            match child.name {
                "initialMarking" if marking.is_some() => return Err(self.twice(&child)),
                "initialMarking" => marking = Some(self.number(&child, &codes::PNML_NUMBER)?),
                _ => self.skippable(&child, "place")?,
            }
        }
        self.places.push(Place { name: name.into_owned(), initial: Range::exactly(marking.unwrap_or_default()) });
        Ok(())
    }

    fn transition(&mut self, tag: &Tag<'a>) -> Res<()> {
        let limit = self.xml.limits.transitions;
        self.count(tag, self.transitions.len(), limit, &codes::LIMIT_TRANSITIONS, "transitions")?;
        let name = self.id(tag, "id")?;
        let transition = Node::Transition(TransitionId::new(self.transitions.len()));
        self.nodes.node(self.xml.text, name.clone(), transition, span(tag))?;
        while let Some(child) = self.xml.child()? {
            self.skippable(&child, "transition")?;
        }
        self.transitions.push(name.into_owned());
        Ok(())
    }

    fn reference(&mut self, tag: &Tag<'a>, place: bool) -> Res<()> {
        let (name, to) = (self.id(tag, "id")?, self.id(tag, "ref")?);
        self.nodes.reference(self.xml.text, name, to, place, span(tag))?;
        while let Some(child) = self.xml.child()? {
            self.skippable(&child, tag.name)?;
        }
        Ok(())
    }

    fn arc(&mut self, tag: &Tag<'a>) -> Res<()> {
        self.count(tag, self.arcs.len(), self.xml.limits.arcs, &codes::LIMIT_ARCS, "arcs")?;
        self.optional_id(tag)?;
        let (source, target) = (self.id(tag, "source")?, self.id(tag, "target")?);
        let (source, target) = (self.nodes.named(source), self.nodes.named(target));
        let (mut weight, mut kind): (Option<BigUint>, Option<Kind>) = (None, None);
        while let Some(child) = self.xml.child()? {
            match child.name {
                "inscription" if weight.is_some() => return Err(self.twice(&child)),
                "inscription" => weight = Some(self.weight(&child)?),
                "type" | "arctype" if kind.is_some() => return Err(self.twice(&child)),
                "type" | "arctype" => kind = Some(self.kind(&child)?),
                "toolspecific" => self.tool_specific(&mut kind)?,
                _ => self.skippable(&child, "arc")?,
            }
        }
        let kind = kind.unwrap_or(Kind::Normal);
        self.arcs.push(Arc { source, target, weight, kind, span: span(tag) });
        Ok(())
    }

    /// Some tools hide the type of an arc in a part of their own.
    fn tool_specific(&mut self, kind: &mut Option<Kind>) -> Res<()> {
        let mut depth = 1usize;
        while depth > 0 {
            match self.xml.next()? {
                Piece::Open(tag) if matches!(tag.name, "type" | "arctype") => {
                    let found = self.kind(&tag)?;
                    if kind.is_some_and(|k| k != found) {
                        return Err(self.twice(&tag));
                    }
                    *kind = Some(found);
                }
                Piece::Open(_) => depth += 1,
                Piece::Close => depth -= 1,
                Piece::Text(..) | Piece::End => {}
            }
        }
        Ok(())
    }

    fn twice(&self, tag: &Tag<'a>) -> Box<Error> {
        let message = format!("a second `{}`", printable(tag.name));
        self.error(&codes::PNML_ELEMENT, tag, message).label("again here")
    }

    /// The weight of an arc, not 0.
    fn weight(&mut self, tag: &Tag<'a>) -> Res<BigUint> {
        let weight = self.number(tag, &codes::PNML_WEIGHT)?;
        if weight.is_zero() {
            let error = self.error(&codes::PNML_WEIGHT, tag, "an arc of weight 0").label("expected 1 or more");
            return Err(error.hint("leave the arc out"));
        }
        Ok(weight)
    }

    /// The number that a label says, in its `text`.
    fn number(&mut self, label: &Tag<'a>, code: &'static Code) -> Res<BigUint> {
        let mut number = None;
        while let Some(child) = self.xml.child()? {
            match child.name {
                "text" if number.is_some() => return Err(self.twice(&child)),
                "text" => {
                    let (digits, place) = self.xml.content(&child)?;
                    number = Some(natural(self.xml.text, self.xml.limits, code, &digits, place)?);
                }
                _ => self.skippable(&child, label.name)?,
            }
        }
        number.ok_or_else(|| {
            let message = format!("`{}` says no number", printable(label.name));
            self.error(code, label, message).label("expected <text>...</text> inside")
        })
    }

    fn kind(&mut self, tag: &Tag<'a>) -> Res<Kind> {
        let name = match self.xml.attribute(tag, "value")? {
            Some(value) => {
                self.xml.skip()?;
                value
            }
            None => self.type_text()?,
        };
        match name.trim() {
            "normal" => Ok(Kind::Normal),
            "inhibitor" => Ok(Kind::Inhibitor),
            "read" | "test" => Ok(Kind::Read),
            "reset" => Ok(Kind::Reset),
            other => {
                let message = format!("an arc of the type `{}`", printable(other));
                let error = self.error(&codes::PNML_ARC_TYPE, tag, message).label("not supported");
                Err(error.hint("expected normal, inhibitor, read, test or reset"))
            }
        }
    }

    /// The text of a type, directly or in an element `text`.
    fn type_text(&mut self) -> Res<Cow<'a, str>> {
        let mut found = Cow::Borrowed("");
        loop {
            match self.xml.next()? {
                Piece::Text(text, _) => found = text,
                Piece::Open(tag) if tag.name == "text" => found = self.xml.content(&tag)?.0,
                Piece::Open(_) => self.xml.skip()?,
                Piece::Close | Piece::End => return Ok(found),
            }
        }
    }
}

fn span(tag: &Tag<'_>) -> Span {
    Span::new(tag.span.clone())
}

/// The type of place/transition nets in the standard.
pub(super) const PLACE_TRANSITION: &str = "http://www.pnml.org/version-2009/grammar/ptnet";

/// Is it the type of place/transition nets, today's or one of older tools?
fn is_place_transition(kind: &str) -> bool {
    let last = kind.trim().rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    matches!(last.as_str(), "ptnet" | "ptnet.pntd" | "ptnetb") || kind.trim().eq_ignore_ascii_case("P/T net")
}
