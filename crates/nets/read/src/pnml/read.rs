//! Reader for PNML files, in one pass. Open pages are counted, without recursion.

use super::arcs::{self, Arc};
use super::colour::{self, Colours};
use super::components::Tapaal;
use super::known::{self, What};
use super::nodes::{Id, Node, Nodes, Res, Resolved};
use super::order::Order;
use super::queries::queries;
use crate::xml::{Attributes, Piece, Tag, Xml, attribute, in_utf8, span};
use formats::codes::{self, Code};
use formats::error::{Error, Span, Text, printable};
use formats::format::Read;
use formats::source::{Limits, Source};
use model::{Net, Place, Problem, TransitionId};
use num_bigint::BigUint;
use std::borrow::Cow;
use std::sync;

/// The largest number of warnings of one kind that are shown. Further warnings are counted.
const WARNINGS: usize = 10;

pub(super) fn read(source: &Source, limits: &Limits) -> Res<Read> {
    read_by_content(&in_utf8(source), limits, None)
}

/// Reads a file of TAPAAL: several components, joined as TAPAAL joins them, and its queries.
pub(super) fn read_tapn(source: &Source, limits: &Limits) -> Res<Read> {
    let source = in_utf8(source);
    let mut read = read_by_content(&source, limits, Some(Tapaal::default()))?;
    queries(&source, limits, &mut read)?;
    Ok(read)
}

/// Reads a file as a net of black tokens. If colours are found, the file is read again as a coloured net: TAPAAL gives
/// nets with and without colours the same type.
fn read_by_content(source: &Source, limits: &Limits, tapaal: Option<Tapaal>) -> Res<Read> {
    let mut reader = Reader::new(source, limits, tapaal.clone())?;
    match reader.read() {
        Err(_) if reader.has_colours && reader.colours.is_none() => {
            let mut reader = Reader::new(source, limits, tapaal)?;
            reader.colours = Some(Colours::default());
            reader.read()
        }
        other => other,
    }
}

pub(super) struct Reader<'a> {
    pub(super) xml: Xml<'a>,
    pub(super) nodes: Nodes<'a>,
    pub(super) places: Vec<Place>,
    /// The displayed names of places. An empty name stands for the id.
    pub(super) places_called: Vec<String>,
    pub(super) transitions: Vec<String>,
    pub(super) transitions_called: Vec<String>,
    pub(super) arcs: Vec<Arc>,
    pub(super) order: Order,
    /// Final markings: places with their tokens.
    pub(super) finals: Vec<Vec<(Id, BigUint, Span)>>,
    /// Transitions that are no activities, ascending.
    pub(super) silent: Vec<TransitionId>,
    /// WoPeD's XOR operators: the transition, and true for a split (which chooses one of its outgoing arcs),
    /// false for a join (which chooses one of its incoming arcs).
    pub(super) choices: Vec<(TransitionId, bool, Span)>,
    /// The class of all tokens, after the first token in PIPE's notation.
    pub(super) class: Option<String>,
    /// The state of reading a TAPAAL file; `None` for other files.
    pub(super) tapaal: Option<Tapaal>,
    /// The terms of a coloured net; `None` for other nets.
    pub(super) colours: Option<Colours<'a>>,
    /// True if the file has colours, or conditions.
    pub(super) has_colours: bool,
    /// The number of elements in terms so far.
    pub(super) parts: usize,
    warnings: Vec<Error>,
    /// Warnings that are not shown, by code.
    more: Vec<(&'static str, usize)>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source, limits: &'a Limits, tapaal: Option<Tapaal>) -> Res<Self> {
        Ok(Self {
            xml: Xml::new(source, limits)?,
            nodes: Nodes::default(),
            places: Vec::new(),
            places_called: Vec::new(),
            transitions: Vec::new(),
            transitions_called: Vec::new(),
            arcs: Vec::new(),
            order: Order::default(),
            finals: Vec::new(),
            silent: Vec::new(),
            choices: Vec::new(),
            class: None,
            tapaal,
            colours: None,
            has_colours: false,
            parts: 0,
            warnings: Vec::new(),
            more: Vec::new(),
        })
    }

    fn read(&mut self) -> Res<Read> {
        self.file()?;
        self.order.check(self.xml.text)?;
        let net = match self.colours.take() {
            Some(colours) => self.coloured(&colours)?,
            None => self.black()?,
        };
        for (code, count) in std::mem::take(&mut self.more) {
            let message = format!("{count} more warnings like these");
            let code = codes::find(code).unwrap_or(&codes::PNML_NOT_READ);
            self.warnings.push(*Error::whole(code, self.xml.text.name, message).warning());
        }
        let problem = Problem::of_net(sync::Arc::new(net));
        Ok(Read { problem, warnings: std::mem::take(&mut self.warnings) })
    }

    /// Returns the net of a coloured file.
    fn coloured(&mut self, colours: &Colours<'a>) -> Res<Net> {
        let text = self.xml.text;
        let choice = self.choices.first().map(|(_, _, span)| *span);
        let last = self.finals.iter().flatten().next().map(|(_, _, span)| *span);
        if let Some(span) = choice.or(last) {
            let message = "final markings and operators of WoPeD in a coloured net";
            return Err(text.error(&codes::PNML_ELEMENT, span.range(), message).label("not supported"));
        }
        let nodes = std::mem::take(&mut self.nodes);
        let resolved = nodes.resolve(text)?;
        let mut names = std::mem::take(&mut self.transitions);
        let mut kept = vec![self.tapaal.is_none(); names.len()];
        for arc in &self.arcs {
            kept[arcs::link(text, &resolved, arc)?.transition.index()] = true;
        }
        self.drop_orphans(&mut names, String::as_str, &kept);
        let transitions = names.into_iter().zip(std::mem::take(&mut self.transitions_called)).collect();
        let initial = self.places.iter().map(|place| place.initial.at_least.clone()).collect();
        let names = std::mem::take(&mut self.places).into_iter().map(|place| place.name);
        let places = names.zip(std::mem::take(&mut self.places_called)).collect();
        let plain = colour::Plain { text, resolved: &resolved, arcs: &self.arcs, initial, places, transitions, kept };
        colour::net(plain, colours, self.xml.limits)
    }

    /// Returns the net of a file without colours.
    fn black(&mut self) -> Res<Net> {
        let text = self.xml.text;
        let resolved = self.nodes.resolve(text)?;
        let names = std::mem::take(&mut self.transitions);
        let mut built = arcs::transitions(text, &resolved, names, &self.arcs)?;
        self.choices(&built.ends)?;
        let finals = finals(text, &resolved, &self.finals)?;
        drop(resolved);
        built.never.into_iter().for_each(|warning| self.warn(warning));
        if self.tapaal.is_some() {
            let linked: Vec<bool> = built.ends.iter().map(|ends| *ends != [0, 0]).collect();
            self.drop_orphans(&mut built.transitions, |transition| &transition.name, &linked);
        }
        let invalid =
            |e: model::net::InvalidNet| Error::whole(&codes::NET_INVALID, text.name, printable(&e.to_string()));
        let net = Net::new(std::mem::take(&mut self.places), built.transitions).map_err(invalid)?;
        self.places_called.resize(net.places().len(), String::new());
        Ok(net
            .with_called(&self.places_called, &self.transitions_called)
            .with_finals(finals)
            .with_silent(std::mem::take(&mut self.silent)))
    }

    /// Refuses XOR operators with several arcs to choose from. WoPeD normally writes one transition for each
    /// choice.
    fn choices(&self, ends: &[[u32; 2]]) -> Res<()> {
        for (transition, split, span) in &self.choices {
            if ends.get(transition.index()).is_some_and(|ends| ends[usize::from(*split)] > 1) {
                let message = "an XOR operator of WoPeD with several arcs to choose from";
                let error = self.xml.text.error(&codes::PNML_ELEMENT, span.range(), message);
                let error = error.label("a transition takes all of its arcs");
                return Err(error.hint("expected a transition for each choice, as WoPeD writes them"));
            }
        }
        Ok(())
    }

    pub(super) fn warn(&mut self, warning: Error) {
        let code = warning.code();
        if self.warnings.iter().filter(|w| w.code() == code).count() < WARNINGS {
            self.warnings.push(warning);
        } else if let Some((_, count)) = self.more.iter_mut().find(|(c, _)| *c == code) {
            *count += 1;
        } else {
            self.more.push((code, 1));
        }
    }

    /// Warns that a part of the file is not read. `why` is the reason why the net is correct without this part.
    pub(super) fn not_read(&mut self, tag: &Tag<'a>, message: impl Into<String>, why: &str) {
        let warning = self.error(&codes::PNML_NOT_READ, tag, message).label(why).warning();
        self.warn(*warning);
    }

    fn file(&mut self) -> Res<()> {
        let root = self.xml.expect_open("the element `pnml`")?;
        if root.name != "pnml" {
            let message = format!("the file is not PNML: it begins with the element `{}`", printable(root.name));
            return Err(self.error(&codes::PNML_ROOT, &root, message).label("expected `pnml`"));
        }
        self.attributes(&root, &known::FILE, What::Plain("the file"))?;
        let mut nets = 0usize;
        while let Some(tag) = self.child(&known::FILE, What::Plain("the file"))? {
            match tag.name {
                "net" if self.tapaal.is_some() => {
                    nets += 1;
                    self.component(&tag)?;
                }
                "net" if nets > 0 => {
                    let error = self.error(&codes::PNML_SEVERAL, &tag, "the file has several nets");
                    let error = error.label("the second one").hint("put each net into a file of its own");
                    return Err(error.hint("TAPAAL's components are read from files with the extension .tapn"));
                }
                "net" => {
                    nets += 1;
                    self.net(&tag)?;
                }
                _ => self.beside_nets(&tag, nets > 0)?,
            }
        }
        match self.xml.next()? {
            Piece::End if nets > 0 => Ok(()),
            _ => Err(self.error(&codes::PNML_ROOT, &root, "the file has no net").label("expected a `net` inside")),
        }
    }

    /// Reads a net, or a component of a net.
    pub(super) fn net(&mut self, tag: &Tag<'a>) -> Res<()> {
        let attributes = self.attributes(tag, &known::NET, What::Plain("the net"))?;
        self.check_type(tag, attribute(&attributes, "type"))?;
        if attribute(&attributes, "active").is_some_and(|active| active != "true") {
            self.not_read(tag, "the net is not active, and it is read all the same", "only .tapn files leave nets out");
        }
        // The number of open pages.
        let mut pages = 0usize;
        loop {
            let Some(tag) = self.child(&known::NET, What::Plain("the net"))? else {
                if pages == 0 {
                    return Ok(());
                }
                pages -= 1;
                continue;
            };
            match tag.name {
                "page" => {
                    self.attributes(&tag, &known::NET, What::Plain("the page"))?;
                    pages += 1;
                }
                "place" => self.place(&tag)?,
                "transition" => self.transition(&tag)?,
                "arc" | "inputArc" | "outputArc" | "inhibitorArc" => self.arc(&tag)?,
                "referencePlace" => self.reference(&tag, true)?,
                "referenceTransition" => self.reference(&tag, false)?,
                "finalmarkings" => self.final_markings()?,
                _ => self.beside_nets(&tag, true)?,
            }
        }
    }

    /// Returns the attribute `name`: the id of a node, or a reference to one. Refuses empty and too long ids.
    pub(super) fn id(&self, tag: &Tag<'a>, attributes: &Attributes<'a>, name: &str) -> Res<Cow<'a, str>> {
        let Some(id) = attribute(attributes, name).filter(|id| !id.is_empty()) else {
            let message = format!("`{}` has no `{name}`", printable(tag.name));
            let error = self.error(&codes::XML_ATTRIBUTE, tag, message);
            return Err(error.label(format!("expected {name}=\"...\"")));
        };
        if id.len() > self.xml.limits.name_length {
            let message = format!("the id has more than {} bytes", self.xml.limits.name_length);
            return Err(self.error(&codes::LIMIT_NAME, tag, message).label("too long"));
        }
        let found = attributes.iter().find(|(key, _)| *key == name);
        Ok(found.map_or(Cow::Borrowed(""), |(_, id)| id.clone()))
    }

    pub(super) fn count(&self, tag: &Tag<'a>, have: usize, most: usize, code: &'static Code, what: &str) -> Res<()> {
        if have < most {
            return Ok(());
        }
        let message = format!("the net has more than {most} {what}");
        Err(self.error(code, tag, message).label("the limit is reached here"))
    }

    fn reference(&mut self, tag: &Tag<'a>, place: bool) -> Res<()> {
        let attributes = self.attributes(tag, &known::REFERENCE, What::Plain("the reference"))?;
        let (name, to) = (self.id(tag, &attributes, "id")?, self.id(tag, &attributes, "ref")?);
        let (name, to) = (self.scoped(name), self.scoped(to));
        self.nodes.reference(self.xml.text, name, to, place, span(tag))?;
        while self.child(&known::REFERENCE, What::Plain("the reference"))?.is_some() {}
        Ok(())
    }

    /// Reads `finalmarkings / marking / place idref=".." / text`, as pm4py and ProM write them.
    fn final_markings(&mut self) -> Res<()> {
        while let Some(marking) = self.xml.child()? {
            if marking.name != "marking" {
                self.not_read(&marking, "not a final marking", "expected `marking`");
                self.xml.skip()?;
                continue;
            }
            let mut places = Vec::new();
            while let Some(place) = self.xml.child()? {
                if place.name != "place" {
                    let message = format!("`{}` in a final marking", printable(place.name));
                    return Err(self.error(&codes::PNML_FINAL, &place, message).label("expected `place`"));
                }
                let id = self.xml.required(&place, "idref")?;
                let id = self.scoped(id);
                let id = self.nodes.named(id);
                let tokens = self.number(&place, &codes::PNML_NUMBER)?.unwrap_or_default();
                places.push((id, tokens, span(&place)));
            }
            self.finals.push(places);
        }
        Ok(())
    }
}

/// Returns the final markings, each sorted by place.
fn finals(
    text: Text<'_>,
    resolved: &Resolved<'_, '_>,
    all: &[Vec<(Id, BigUint, Span)>],
) -> Res<Vec<model::FinalMarking>> {
    let mut finals = Vec::with_capacity(all.len());
    for places in all {
        let mut marking = Vec::with_capacity(places.len());
        for (id, tokens, span) in places {
            match resolved.get(text, *id, *span)? {
                Node::Place(place) => marking.push((place, tokens.clone())),
                Node::Transition(_) => {
                    let error = text.error(&codes::PNML_FINAL, span.range(), "a transition in a final marking");
                    return Err(error.label("expected the id of a place"));
                }
            }
        }
        marking.sort_by_key(|(place, _)| *place);
        if marking.windows(2).any(|w| w[0].0 == w[1].0) {
            let place = places.first().map_or(0..0, |(_, _, span)| span.range());
            let error = text.error(&codes::PNML_FINAL, place, "a final marking has a place twice");
            return Err(error.label("expected each place once"));
        }
        finals.push(marking);
    }
    Ok(finals)
}
