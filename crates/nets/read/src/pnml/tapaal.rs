//! Reader for TAPAAL's own files: components that share places and transitions, constants, and queries.
//!
//! Components are joined as TAPAAL's `TAPNComposer` joins them before verification. Components that are not
//! active are left out. A shared place is one place. A shared transition is one transition with the arcs of all
//! components. Transitions without arcs are left out. Nodes of a component are called `Component.node`, as in
//! TAPAAL's queries. Time and games are refused; intervals and invariants that are always satisfied are accepted.

use super::colour::Label;
use super::known::{self, What};
use super::nodes::{Res, retain};
use super::read::Reader;
use crate::xml::{Tag, attribute, span};
use formats::codes;
use formats::digits::natural;
use formats::error::{Error, printable};
use model::{Place, PlaceId, Range, TransitionId};
use num_bigint::BigUint;
use std::borrow::Cow;

impl<'a> Reader<'a> {
    /// Reads an element beside components, or an element of a net that is not a node.
    pub(super) fn beside_nets(&mut self, tag: &Tag<'a>, late: bool) -> Res<()> {
        match tag.name {
            "declaration" if self.colours.is_some() => {
                let label = self.term(tag)?;
                if let Some(colours) = &mut self.colours {
                    colours.declarations.extend(label);
                }
                Ok(())
            }
            "declaration" => self.dots(tag, What::Plain("the declarations")).map(|_| ()),
            "feature" => {
                if self.xml.attribute(tag, "isStochastic")?.is_some_and(|value| value == "true") {
                    let error = self.error(&codes::PNML_ATTRIBUTE, tag, "the net is stochastic");
                    return Err(error.label("distributions are not supported"));
                }
                self.xml.skip()
            }
            "query" | "queries" => {
                if self.tapaal.is_none() {
                    self.not_read(tag, "a query in the file is not read", "queries are read from .tapn files");
                }
                self.xml.skip()
            }
            _ if self.tapaal.is_none() => {
                let message = format!("`{}` belongs to a net of several components", printable(tag.name));
                let error = self.error(&codes::PNML_ELEMENT, tag, message).label("not read here");
                Err(error.hint("use the extension .tapn if it is a TAPAAL file"))
            }
            _ if late => {
                let message = format!("`{}` after a component", printable(tag.name));
                let error = self.error(&codes::PNML_COMPONENT, tag, message).label("expected before the first `net`");
                Err(error.hint("TAPAAL writes it there"))
            }
            "constant" => self.constant(tag),
            "shared-place" => self.declare_place(tag),
            _ => self.declare_transition(tag),
        }
    }

    fn constant(&mut self, tag: &Tag<'a>) -> Res<()> {
        let name = self.xml.required(tag, "name")?.into_owned();
        let value = self.xml.required(tag, "value")?;
        let is_other = value.contains(',') || self.xml.attribute(tag, "type")?.is_some_and(|kind| kind == "real");
        let number = || natural(self.xml.text, self.xml.limits, &codes::PNML_COMPONENT, &value, tag.span.clone());
        let value = if is_other { None } else { Some(number()?) };
        if let Some(tapaal) = &mut self.tapaal {
            tapaal.constants.insert(name, value);
        }
        self.xml.skip()
    }

    fn declare_place(&mut self, tag: &Tag<'a>) -> Res<()> {
        self.count(tag, self.places.len(), self.xml.limits.places, &codes::LIMIT_PLACES, "places")?;
        let name = self.xml.required(tag, "name")?;
        let what = What::Node("shared place", &name);
        let attributes = self.attributes(tag, &known::SHARED_PLACE, what)?;
        let (marking, _) = self.place_content(tag, &attributes, &known::SHARED_PLACE, what)?;
        let name = self.called(&name);
        let number = PlaceId::new(self.places.len());
        self.places.push(Place { name: name.clone(), initial: Range::exactly(marking) });
        self.places_called.push(String::new());
        if let Some(colours) = &mut self.colours {
            colours.complete_place(span(tag));
        }
        let known = self.tapaal.as_mut().and_then(|tapaal| tapaal.places.insert(name.clone(), number));
        if known.is_some() { Err(self.shared_twice(tag, &name)) } else { Ok(()) }
    }

    fn declare_transition(&mut self, tag: &Tag<'a>) -> Res<()> {
        let limit = self.xml.limits.transitions;
        self.count(tag, self.transitions.len(), limit, &codes::LIMIT_TRANSITIONS, "transitions")?;
        let name = self.xml.required(tag, "name")?;
        let what = What::Node("shared transition", &name);
        self.attributes(tag, &known::SHARED_TRANSITION, what)?;
        while self.child(&known::SHARED_TRANSITION, what)?.is_some() {}
        let name = self.called(&name);
        let number = TransitionId::new(self.transitions.len());
        self.transitions.push(name.clone());
        self.transitions_called.push(String::new());
        if let Some(colours) = &mut self.colours {
            colours.transitions.push((None, span(tag)));
        }
        let known = self.tapaal.as_mut().and_then(|tapaal| tapaal.transitions.insert(name.clone(), number));
        if known.is_some() { Err(self.shared_twice(tag, &name)) } else { Ok(()) }
    }

    fn shared_twice(&self, tag: &Tag<'a>, name: &str) -> Box<Error> {
        let message = format!("a second shared node `{}`", printable(name));
        self.error(&codes::PNML_COMPONENT, tag, message).label("again here")
    }

    /// Reads a component, unless it is not active.
    pub(super) fn component(&mut self, tag: &Tag<'a>) -> Res<()> {
        let attributes = self.xml.attributes(tag)?;
        let name = attribute(&attributes, "name").filter(|name| !name.is_empty());
        let name = name.or(attribute(&attributes, "id")).unwrap_or_default().to_owned();
        if attribute(&attributes, "active").is_some_and(|active| !active.is_empty() && active != "true") {
            let message = format!("the component `{}` is not active", printable(&name));
            self.not_read(tag, message, "left out, as TAPAAL leaves it out");
            return self.xml.skip();
        }
        if let Some(tapaal) = &mut self.tapaal {
            tapaal.component = name;
            tapaal.components += 1;
        }
        self.net(tag)
    }

    /// Returns the id of a node with its component, which is unique in the whole file.
    pub(super) fn scoped(&self, id: Cow<'a, str>) -> Cow<'a, str> {
        match &self.tapaal {
            // The number distinguishes components with the same name.
            Some(tapaal) => Cow::Owned(format!("{}.{}.{id}", tapaal.components, tapaal.component)),
            None => id,
        }
    }

    /// Returns the name that identifies a node, and its displayed name.
    pub(super) fn names(&self, id: &str, called: String) -> (String, String) {
        match &self.tapaal {
            Some(tapaal) if called.is_empty() => (format!("{}.{id}", tapaal.component), id.to_owned()),
            Some(tapaal) => (format!("{}.{called}", tapaal.component), called),
            None => (id.to_owned(), called),
        }
    }

    /// Returns the shared place for a component's place with this name. Without a name, the id counts as the
    /// name.
    pub(super) fn shared_place(&mut self, called: &str, id: &str) -> Option<PlaceId> {
        let name = if called.is_empty() { id } else { called };
        self.tapaal.as_ref()?.places.get(name).copied()
    }

    /// Returns the shared transition for a component's transition with this name. Without a name, the id counts
    /// as the name.
    pub(super) fn shared_transition(&mut self, called: &str, id: &str) -> Option<TransitionId> {
        let name = if called.is_empty() { id } else { called };
        self.tapaal.as_ref()?.transitions.get(name).copied()
    }

    /// Adds the condition of a component's transition to that of the shared transition. TAPAAL writes the same
    /// condition in all components.
    pub(super) fn shared_condition(&mut self, tag: &Tag<'a>, shared: TransitionId, condition: Label<'a>) -> Res<()> {
        let shared = self.colours.as_mut().and_then(|colours| colours.transitions.get_mut(shared.index()));
        match (shared, condition) {
            (Some((known @ None, _)), condition) => *known = condition,
            (Some((Some(known), _)), Some(other)) if !known.is_like(&other) => {
                let error = self.error(&codes::PNML_COMPONENT, tag, "a shared transition with several conditions");
                return Err(error.label("its condition is another one in a component before"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Parses a weight: a number, or the name of a constant.
    pub(super) fn weight_called(&self, tag: &Tag<'a>, text: &str) -> Res<BigUint> {
        match self.tapaal.as_ref().and_then(|tapaal| tapaal.constants.get(text)) {
            Some(Some(constant)) => Ok(constant.clone()),
            Some(None) => {
                let message = format!("the constant `{}` is not one natural number", printable(text));
                Err(self.error(&codes::PNML_WEIGHT, tag, message).label("used as a weight here"))
            }
            None => natural(self.xml.text, self.xml.limits, &codes::PNML_WEIGHT, text, tag.span.clone()),
        }
    }

    /// Completes a TAPAAL file: removes transitions without arcs. If there are several components, clears the
    /// displayed names, so that nodes are shown by their full names.
    pub(super) fn drop_orphans<T>(&mut self, transitions: &mut Vec<T>, name: impl Fn(&T) -> &str, linked: &[bool]) {
        for (transition, _) in transitions.iter().zip(linked).filter(|(_, linked)| !**linked) {
            let message = format!("the transition `{}` has no arcs", printable(name(transition)));
            let warning = Error::whole(&codes::PNML_NOT_READ, self.xml.text.name, message).warning();
            self.warn(*warning.hint("it is left out, as TAPAAL leaves it out"));
        }
        retain(transitions, linked);
        retain(&mut self.transitions_called, linked);
        if self.tapaal.as_ref().is_some_and(|tapaal| tapaal.components > 1) {
            self.places_called.iter_mut().chain(&mut self.transitions_called).for_each(String::clear);
        }
    }

    /// Warns if a component gives a shared place another initial marking than `shared-place` does. The marking
    /// of `shared-place` counts.
    pub(super) fn shared_marking(&mut self, tag: &Tag<'a>, shared: PlaceId, marking: &BigUint) {
        if self.places[shared.index()].initial.at_least != *marking {
            let name = printable(&self.places[shared.index()].name);
            let message = format!("the component gives the shared place `{name}` another initial marking");
            self.not_read(tag, message, "the tokens are those of `shared-place`, as in TAPAAL");
        }
    }
}
