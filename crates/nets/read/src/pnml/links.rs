//! Reader for the arcs of a PNML file: their ends, type and weight. Tools write each of these in several ways.

use super::arcs::Arc;
use super::colour::Label;
use super::known::{self, What};
use super::nodes::Res;
use super::read::Reader;
use crate::join::ArcKind;
use crate::xml::{Attributes, Piece, Tag, attribute, span};
use formats::codes;
use formats::error::printable;
use num_bigint::BigUint;
use num_traits::Zero;

/// The information about an arc so far.
struct Said<'a> {
    kind: Option<ArcKind>,
    weight: Option<BigUint>,
    /// True if the weight is that of an element.
    is_element: bool,
    /// An inscription without a number.
    silent: Option<Tag<'a>>,
    /// The type in pm4py's notation.
    special: Option<Tag<'a>>,
    /// Black tokens in the notation of coloured nets, and the element.
    dots: Option<(BigUint, Tag<'a>)>,
    /// The inscription of a coloured net.
    coloured: Option<Label<'a>>,
}

impl<'a> Reader<'a> {
    pub(super) fn arc(&mut self, tag: &Tag<'a>) -> Res<()> {
        self.count(tag, self.arcs.len(), self.xml.limits.arcs, &codes::LIMIT_ARCS, "arcs")?;
        let (from, to) = (self.xml.required(tag, "source")?, self.xml.required(tag, "target")?);
        let what = What::Arc(&from, &to);
        let attributes = self.attributes(tag, &known::ARC, what)?;
        self.id(tag, &attributes, "source")?;
        self.id(tag, &attributes, "target")?;
        let mut said = self.arc_attributes(tag, &attributes, what)?;
        self.arc_elements(&mut said, what)?;
        let coloured = said.coloured.take().flatten();
        // In coloured nets, TAPAAL reads the expression and not this attribute.
        if coloured.is_some() && !said.is_element && said.kind != Some(ArcKind::Inhibitor) {
            said.weight = None;
        }
        let (kind, weight) = self.arc_meaning(tag, said, what)?;
        if let Some(colours) = &mut self.colours {
            colours.arcs.push(coloured);
        }
        let (source, target) = (self.scoped(from), self.scoped(to));
        let (source, target) = (self.nodes.named(source), self.nodes.named(target));
        self.arcs.push(Arc { source, target, weight, kind, span: span(tag) });
        Ok(())
    }

    fn arc_attributes(&self, tag: &Tag<'a>, attributes: &Attributes<'a>, what: What<'_>) -> Res<Said<'a>> {
        let own = (tag.name == "inhibitorArc").then_some(ArcKind::Inhibitor);
        let kind = match attribute(attributes, "type") {
            Some(name) => Some(self.kind_called(tag, name, what)?),
            None => own,
        };
        if own.is_some() && kind != own {
            let message = format!("{what}: `inhibitorArc` has another type");
            return Err(self
                .error(&codes::PNML_ARC_TYPE, tag, message)
                .label("expected type=\"inhibitor\", or no type"));
        }
        let weight = match attribute(attributes, "weight") {
            Some(text) => Some(self.weight_called(tag, text.trim())?),
            None => None,
        };
        if let Some(inscription) = attribute(attributes, "inscription") {
            self.inscription(tag, inscription, what)?;
        }
        Ok(Said { kind, weight, is_element: false, silent: None, special: None, dots: None, coloured: None })
    }

    fn arc_elements(&mut self, said: &mut Said<'a>, what: What<'_>) -> Res<()> {
        let mut inscribed = false;
        while let Some(child) = self.arc_child(what, &mut said.kind)? {
            match child.name {
                "inscription" if std::mem::replace(&mut inscribed, true) => return Err(self.twice(&child)),
                "inscription" => match (self.optional_number(&child, &codes::PNML_WEIGHT)?.0, &said.weight) {
                    (Some(number), Some(weight)) if number != *weight => {
                        let message = format!("{what}: `inscription` says {number}, the attribute `weight` {weight}");
                        return Err(self.error(&codes::PNML_WEIGHT, &child, message).label("they differ"));
                    }
                    (Some(number), _) => (said.weight, said.is_element) = (Some(number), true),
                    (None, None) => said.silent = Some(child),
                    (None, Some(_)) => {}
                },
                "hlinscription" if said.coloured.is_some() => return Err(self.twice(&child)),
                "hlinscription" if self.colours.is_some() => said.coloured = Some(self.term(&child)?),
                "hlinscription" => said.dots = self.dots(&child, what)?.map(|dots| (dots, child)),
                _ => {
                    let found = self.kind(&child, what)?;
                    self.one_kind(&mut said.kind, found, &child)?;
                    said.special = said.special.take().or((child.name == "arctype").then_some(child));
                }
            }
        }
        Ok(())
    }

    /// Combines the information about an arc to its kind and weight.
    fn arc_meaning(&mut self, tag: &Tag<'a>, said: Said<'a>, what: What<'_>) -> Res<(ArcKind, Option<BigUint>)> {
        let (kind, mut weight) = (said.kind.unwrap_or(ArcKind::Normal), said.weight);
        // In tools that write `arctype`, an inhibitor arc requires an empty place, whatever its weight.
        if let (Some(child), ArcKind::Inhibitor) = (said.special, kind)
            && weight.as_ref().is_some_and(|weight| *weight > BigUint::from(1u8))
        {
            let message = format!("{what}: the weight of this inhibitor arc is not read");
            let warning = self.error(&codes::PNML_INHIBITOR, &child, message).warning();
            let warning = warning.label("the place has to be empty, as in pm4py");
            self.warn(*warning.hint("write <type value=\"inhibitor\"/> if fewer tokens than the weight are enough"));
            weight = None;
        }
        // PIPE's inhibitor arcs have no number.
        if let Some(child) = said.silent.filter(|_| kind != ArcKind::Inhibitor) {
            let message = format!("{what}: `inscription` has no number");
            let warning = self.error(&codes::PNML_NO_WEIGHT, &child, message).label("read as 1").warning();
            self.warn(*warning);
        }
        // For inhibitor arcs, verifypn reads only the attribute, if there is one.
        if let Some((dots, child)) = said.dots
            && (kind != ArcKind::Inhibitor || weight.is_none())
        {
            let weight = weight.get_or_insert_with(|| dots.clone());
            if *weight != dots {
                let message = format!("{what}: `hlinscription` says {dots} tokens, the weight is {weight}");
                return Err(self.error(&codes::PNML_WEIGHT, &child, message).label("they differ"));
            }
        }
        if weight.as_ref().is_some_and(Zero::is_zero) {
            let error = self.error(&codes::PNML_WEIGHT, tag, format!("{what}: its weight is 0"));
            return Err(error.label("expected 1 or more").hint("leave the arc out"));
        }
        Ok((kind, weight))
    }

    /// Records the type of an arc. A file may write the type several times, but must write the same type each
    /// time.
    fn one_kind(&self, kind: &mut Option<ArcKind>, found: ArcKind, tag: &Tag<'a>) -> Res<()> {
        match kind.replace(found) {
            Some(before) if before != found => Err(self.twice(tag)),
            _ => Ok(()),
        }
    }

    fn arc_child(&mut self, what: What<'_>, kind: &mut Option<ArcKind>) -> Res<Option<Tag<'a>>> {
        loop {
            match self.xml.child()? {
                Some(tag) if tag.name == "toolspecific" => self.arc_tool(what, kind)?,
                Some(tag) => {
                    if self.means(&tag, &known::ARC, what)? {
                        return Ok(Some(tag));
                    }
                }
                None => return Ok(None),
            }
        }
    }

    /// Reads a tool specific part of an arc. Some tools write the type of the arc there.
    fn arc_tool(&mut self, what: What<'_>, kind: &mut Option<ArcKind>) -> Res<()> {
        let outside = self.xml.depth() - 1;
        while self.xml.depth() > outside {
            if let Piece::Open(tag) = self.xml.next()?
                && matches!(tag.name, "type" | "arctype")
            {
                let found = self.kind(&tag, what)?;
                self.one_kind(kind, found, &tag)?;
            }
        }
        Ok(())
    }

    /// Checks the attribute `inscription` of TAPAAL: a time interval, or `1` on arcs to places.
    fn inscription(&self, tag: &Tag<'a>, text: &str, what: What<'_>) -> Res<()> {
        let packed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        if packed == "[0,inf)" || packed == "1" || packed.is_empty() {
            return Ok(());
        }
        let message =
            format!("{what}: the attribute `inscription=\"{}\"` may change what the net does", printable(text));
        let error = self.error(&codes::PNML_ATTRIBUTE, tag, message);
        Err(if packed.bytes().all(|b| b.is_ascii_digit()) {
            error.label("not a weight in the tool that writes it").hint("weights stand in the attribute `weight`")
        } else {
            error.label("time is not supported").hint("expected inscription=\"[0,inf)\", or no such attribute")
        })
    }

    /// Reads the type in an element: its attribute `value`, or its text.
    fn kind(&mut self, tag: &Tag<'a>, what: What<'_>) -> Res<ArcKind> {
        let name = self.value(tag, what)?;
        self.kind_called(tag, &name, what)
    }

    fn kind_called(&self, tag: &Tag<'a>, name: &str, what: What<'_>) -> Res<ArcKind> {
        match name.trim() {
            "normal" => Ok(ArcKind::Normal),
            // TAPAAL's arcs from places have an interval, which `inscription` checks.
            "timed" => Ok(ArcKind::Normal),
            "inhibitor" | "tapnInhibitor" => Ok(ArcKind::Inhibitor),
            "read" | "test" => Ok(ArcKind::Read),
            "reset" => Ok(ArcKind::Reset),
            other => {
                let message = format!("{what}: the type `{}`", printable(other));
                let error = self.error(&codes::PNML_ARC_TYPE, tag, message).label("not supported");
                Err(error.hint("expected normal, inhibitor, read, test or reset"))
            }
        }
    }
}
