//! Reader for the places and transitions of a PNML file.

use super::colour::{Colours, Label};
use super::known::{self, What};
use super::nodes::{Node, Res};
use super::read::Reader;
use crate::xml::{Attributes, Piece, Tag, attribute, span};
use formats::codes;
use formats::digits::natural;
use formats::error::printable;
use model::{Place, PlaceId, Range, TransitionId};
use num_bigint::BigUint;

impl<'a> Reader<'a> {
    pub(super) fn place(&mut self, tag: &Tag<'a>) -> Res<()> {
        self.count(tag, self.places.len(), self.xml.limits.places, &codes::LIMIT_PLACES, "places")?;
        let id = self.xml.required(tag, "id")?;
        let what = What::Node("place", &id);
        let attributes = self.attributes(tag, &known::PLACE, what)?;
        self.id(tag, &attributes, "id")?;
        let (marking, called) = self.place_content(tag, &attributes, &known::PLACE, what)?;
        let key = self.scoped(id.clone());
        if let Some(shared) = self.shared_place(&called, &id) {
            self.shared_marking(tag, shared, &marking);
            if let Some(colours) = &mut self.colours {
                colours.drop_place();
            }
            return self.nodes.node(self.xml.text, key, Node::Place(shared), span(tag));
        }
        let place = Node::Place(PlaceId::new(self.places.len()));
        self.nodes.node(self.xml.text, key, place, span(tag))?;
        let (name, called) = self.names(&id, called);
        if let Some(colours) = &mut self.colours {
            colours.complete_place(span(tag));
        }
        self.places.push(Place { name, initial: Range::exactly(marking) });
        self.places_called.push(called);
        Ok(())
    }

    /// Reads the initial marking and the name of the place with the current `place` element.
    pub(super) fn place_content(
        &mut self,
        tag: &Tag<'a>,
        attributes: &Attributes<'a>,
        known: &known::ElementSchema,
        what: What<'_>,
    ) -> Res<(BigUint, String)> {
        let mut called = self.called(attribute(attributes, "name").unwrap_or_default());
        let mut marking: Option<BigUint> = match attribute(attributes, "initialMarking") {
            Some(text) => {
                let (text, place) = (text.trim().to_owned(), tag.span.clone());
                Some(natural(self.xml.text, self.xml.limits, &codes::PNML_NUMBER, &text, place)?)
            }
            None => None,
        };
        // TAPAAL writes the tokens twice, as an attribute and as an expression.
        let (mut dots, mut is_element) = (None, false);
        while let Some(child) = self.named_child(known, what, &mut called)? {
            match child.name {
                "initialMarking" if marking.is_some() => return Err(self.twice(&child)),
                "initialMarking" => {
                    is_element = true;
                    marking = Some(self.number(&child, &codes::PNML_NUMBER)?.unwrap_or_default());
                }
                "type" | "hlinitialMarking" if self.colours.is_some() => {
                    let label = self.term(&child)?;
                    if !self.colours.as_mut().is_some_and(|colours| colours.place_label(child.name, label)) {
                        return Err(self.twice(&child));
                    }
                }
                "hlinitialMarking" => dots = Some((self.dots(&child, what)?.unwrap_or_default(), child)),
                _ => {
                    self.dots(&child, what)?;
                }
            }
        }
        // In coloured nets, this attribute of TAPAAL counts the tokens of the expression.
        if !is_element && self.colours.as_ref().is_some_and(Colours::has_marking) {
            marking = None;
        }
        let said = dots.as_ref().map(|(dots, _)| dots.clone());
        let marking = marking.or(said).unwrap_or_default();
        match dots {
            Some((dots, child)) if dots != marking => {
                let message = format!("{what}: `hlinitialMarking` says {dots} tokens, `initialMarking` {marking}");
                Err(self.error(&codes::PNML_NUMBER, &child, message).label("they differ"))
            }
            _ => Ok((marking, called)),
        }
    }

    /// Returns the next child that the reader interprets. The text of a `name` is stored in `called`.
    fn named_child(
        &mut self,
        known: &known::ElementSchema,
        what: What<'_>,
        called: &mut String,
    ) -> Res<Option<Tag<'a>>> {
        // The table of elements accepts a name everywhere, so it is handled here.
        loop {
            match self.xml.child()? {
                Some(tag) if tag.name == "name" => {
                    let text = self.text()?;
                    *called = self.called(&text);
                }
                Some(tag) => {
                    if self.means(&tag, known, what)? {
                        return Ok(Some(tag));
                    }
                }
                None => return Ok(None),
            }
        }
    }

    pub(super) fn transition(&mut self, tag: &Tag<'a>) -> Res<()> {
        let limit = self.xml.limits.transitions;
        self.count(tag, self.transitions.len(), limit, &codes::LIMIT_TRANSITIONS, "transitions")?;
        let id = self.xml.required(tag, "id")?;
        let what = What::Node("transition", &id);
        let attributes = self.attributes(tag, &known::TRANSITION, what)?;
        self.id(tag, &attributes, "id")?;
        let mut called = self.called(attribute(&attributes, "name").unwrap_or_default());
        let own = |name| attribute(&attributes, name).map(|value| value.trim().to_owned());
        let (mut timed, mut priority) = (own("timed"), own("priority"));
        let mut condition: Option<Label<'a>> = None;
        while let Some(child) = self.transition_child(what, &mut called)? {
            match child.name {
                "timed" => timed = Some(self.value(&child, what)?),
                "priority" => priority = Some(self.value(&child, what)?),
                "condition" if condition.is_some() => return Err(self.twice(&child)),
                "condition" => condition = Some(self.condition(&child, what)?),
                "placeHolder" => self.place_holder(what)?,
                _ => self.delay(&child, what)?,
            }
        }
        self.order.note(&id, timed, priority, span(tag));
        let key = self.scoped(id.clone());
        if let Some(shared) = self.shared_transition(&called, &id) {
            self.shared_condition(tag, shared, condition.flatten())?;
            return self.nodes.node(self.xml.text, key, Node::Transition(shared), span(tag));
        }
        let transition = Node::Transition(TransitionId::new(self.transitions.len()));
        self.nodes.node(self.xml.text, key, transition, span(tag))?;
        let (name, called) = self.names(&id, called);
        if let Some(colours) = &mut self.colours {
            colours.transitions.push((condition.flatten(), span(tag)));
        }
        self.transitions.push(name);
        self.transitions_called.push(called);
        Ok(())
    }

    /// Reads the condition of a transition of a coloured net.
    fn condition(&mut self, tag: &Tag<'a>, what: What<'_>) -> Res<Label<'a>> {
        if self.colours.is_some() {
            return self.term(tag);
        }
        self.has_colours = true;
        let message = format!("{what}: `condition` may change what the net does");
        Err(self.error(&codes::PNML_ELEMENT, tag, message).label("only nets with colours have conditions"))
    }

    /// Reads the element that TAPAAL writes where a transition has no condition. Refuses an element inside.
    fn place_holder(&mut self, what: What<'_>) -> Res<()> {
        let Some(inner) = self.xml.child()? else { return Ok(()) };
        let message = format!("{what}: `{}` in `placeHolder`", printable(inner.name));
        Err(self.error(&codes::PNML_ELEMENT, &inner, message).label("expected nothing inside"))
    }

    fn transition_child(&mut self, what: What<'_>, called: &mut String) -> Res<Option<Tag<'a>>> {
        loop {
            match self.xml.child()? {
                Some(tag) if tag.name == "name" => {
                    let text = self.text()?;
                    *called = self.called(&text);
                }
                Some(tag) if tag.name == "toolspecific" => self.transition_tool(&tag, what)?,
                Some(tag) => {
                    if self.means(&tag, &known::TRANSITION, what)? {
                        return Ok(Some(tag));
                    }
                }
                None => return Ok(None),
            }
        }
    }

    /// Reads a tool specific part of a transition. A WoPeD transition that stands for a whole net is refused,
    /// WoPeD's operators and the silent transitions of ProM and pm4py are recorded, and distributions are ignored with
    /// a warning.
    fn transition_tool(&mut self, tag: &Tag<'a>, what: What<'_>) -> Res<()> {
        let outside = self.xml.depth() - 1;
        if self.xml.attribute(tag, "tool")?.is_some_and(|tool| tool == "StochasticPetriNet") {
            let message = format!("{what}: the distribution is not read");
            self.not_read(tag, message, "every enabled transition may fire, as in pm4py without simulation");
        }
        if self.xml.attribute(tag, "activity")?.is_some_and(|activity| activity == "$invisible$") {
            self.silent.push(TransitionId::new(self.transitions.len()));
        }
        while self.xml.depth() > outside {
            let Piece::Open(tag) = self.xml.next()? else { continue };
            if tag.name == "operator" {
                // The operator belongs to the transition that gets the next number. (A shared transition has
                // another number, but WoPeD has no shared transitions.)
                let number = TransitionId::new(self.transitions.len());
                match self.xml.attribute(&tag, "type")?.as_deref() {
                    Some("104") => self.choices.push((number, true, span(&tag))),
                    Some("105") => self.choices.push((number, false, span(&tag))),
                    _ => {}
                }
            }
            if tag.name == "subprocess" && self.text()? == "true" {
                let message = format!("{what}: it stands for a whole net (a subprocess)");
                let error = self.error(&codes::PNML_ELEMENT, &tag, message).label("not supported");
                return Err(error.hint("flatten the net in WoPeD, or export the subprocess alone"));
            }
        }
        Ok(())
    }

    /// Checks a firing interval of Tina. The interval from 0 without end has no effect; all other intervals are
    /// refused.
    fn delay(&mut self, tag: &Tag<'a>, what: What<'_>) -> Res<()> {
        let outside = self.xml.depth() - 1;
        let (mut void, mut numbers) = (false, Vec::new());
        while self.xml.depth() > outside {
            match self.xml.next()? {
                Piece::Open(inner) if inner.name == "interval" => {
                    void = self.xml.attribute(&inner, "closure")?.is_some_and(|closure| closure == "closed-open");
                }
                Piece::Open(inner) if matches!(inner.name, "cn" | "ci") => {
                    numbers.push(self.xml.content(&inner)?.0.into_owned());
                }
                Piece::Open(inner) if inner.name == "graphics" => self.xml.skip()?,
                _ => {}
            }
        }
        if void && numbers == ["0", "infty"] {
            return Ok(());
        }
        let message = format!("{what}: `delay` may change what the net does");
        let error = self.error(&codes::PNML_ELEMENT, tag, message).label("time is not supported");
        Err(error.hint("expected the interval from 0 on, without end, or no delay"))
    }
}
