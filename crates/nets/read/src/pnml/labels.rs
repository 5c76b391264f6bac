//! Reader for texts and numbers in labels, in the notations of the various tools.

use super::known::{self, ElementSchema, Sense, What};
use super::nodes::Res;
use super::read::Reader;
use crate::xml::{Attributes, Piece, Tag};
use formats::codes::{self, Code};
use formats::digits::natural;
use formats::error::{Error, printable};
use num_bigint::BigUint;
use num_traits::Zero;

impl<'a> Reader<'a> {
    pub(super) fn error(&self, code: &'static Code, tag: &Tag<'a>, message: impl Into<String>) -> Box<Error> {
        self.xml.text.error(code, tag.span.clone(), message)
    }

    /// Returns the attributes of `tag` that the reader interprets. Drops attributes without effect, and refuses
    /// all other attributes. `what` names the element in errors.
    pub(super) fn attributes(&mut self, tag: &Tag<'a>, known: &ElementSchema, what: What<'_>) -> Res<Attributes<'a>> {
        let mut read = self.xml.attributes(tag)?;
        let mut wrong = None;
        read.retain(|(name, value)| match known.attribute(name) {
            Some(Sense::Read) => true,
            Some(Sense::Void) => false,
            _ if *name == "xmlns" || ["xmlns:", "xml:", "xsi:"].iter().any(|p| name.starts_with(p)) => false,
            Some(Sense::Usual(values, _)) if values.contains(&value.trim()) => false,
            sense => {
                wrong.get_or_insert((*name, value.clone(), sense));
                false
            }
        });
        let Some((name, value, sense)) = wrong else { return Ok(read) };
        let written = format!("{}=\"{}\"", printable(name), printable(&value));
        if sense.is_none() && known.lenient {
            let message = format!("the attribute `{written}` is not known, and not read");
            let warning = self.error(&codes::PNML_NOT_READ, tag, message).label("this one").warning();
            self.warn(*warning);
            return Ok(read);
        }
        let message = format!("{what}: the attribute `{written}` may change what the net does");
        let error = self.error(&codes::PNML_ATTRIBUTE, tag, message);
        Err(match sense {
            Some(Sense::Usual(values, why)) => {
                error.label(why).hint(format!("expected {name}=\"{}\", or no such attribute", values[0]))
            }
            Some(Sense::Refused(why)) => error.label(why),
            _ => error.label("not known").hint("remove it if it means nothing"),
        })
    }

    /// Returns the next child of the open element that the reader interprets. Skips children without effect,
    /// and refuses all other children.
    pub(super) fn child(&mut self, known: &ElementSchema, what: What<'_>) -> Res<Option<Tag<'a>>> {
        while let Some(tag) = self.xml.child()? {
            if self.means(&tag, known, what)? {
                return Ok(Some(tag));
            }
        }
        Ok(None)
    }

    /// True if the reader interprets the element that `tag` opens. An element without effect is skipped; every
    /// other element is refused.
    pub(super) fn means(&mut self, tag: &Tag<'a>, known: &ElementSchema, what: What<'_>) -> Res<bool> {
        match known.element(tag.name) {
            Some(Sense::Read) => Ok(true),
            Some(Sense::Void) => self.xml.skip().map(|()| false),
            Some(Sense::Usual(values, why)) => {
                let value = self.value(tag, what)?;
                if values.contains(&value.as_str()) {
                    return Ok(false);
                }
                let message = format!("{what}: `{}` is `{}`", printable(tag.name), printable(&value));
                let error = self.error(&codes::PNML_ELEMENT, tag, message).label(why);
                Err(error.hint(format!("expected {}, or no such element", values[0])))
            }
            Some(Sense::Refused(why)) => {
                let message = format!("{what}: `{}` may change what the net does", printable(tag.name));
                Err(self.error(&codes::PNML_ELEMENT, tag, message).label(why))
            }
            None => {
                let message = format!("{what}: `{}` is not supported", printable(tag.name));
                let error = self.error(&codes::PNML_ELEMENT, tag, message);
                let error = error.label("not part of place/transition nets");
                Err(error.hint("it may change what the net does, so it is not skipped"))
            }
        }
    }

    /// Reads the value of the open element: its attribute `value`, or its text.
    pub(super) fn value(&mut self, tag: &Tag<'a>, what: What<'_>) -> Res<String> {
        let attributes = self.attributes(tag, &known::VALUE, what)?;
        let attribute = attributes.into_iter().next().map(|(_, value)| value.trim().to_owned());
        let text = self.text()?;
        match attribute {
            Some(value) if !text.is_empty() && value != text => Err(self.twice(tag)),
            Some(value) => Ok(value),
            None => Ok(text),
        }
    }

    /// Reads the text of the open element, directly or in an element `text` or `value`, trimmed. Without text
    /// the result is empty.
    pub(super) fn text(&mut self) -> Res<String> {
        let mut found = String::new();
        loop {
            match self.xml.next()? {
                Piece::Text(text, _) => found.push_str(&text),
                Piece::Open(tag) if matches!(tag.name, "text" | "value") => found.push_str(&self.xml.content(&tag)?.0),
                Piece::Open(_) => self.xml.skip()?,
                Piece::Close | Piece::End => return Ok(found.trim().to_owned()),
            }
        }
    }

    /// Returns the displayed name of a node, on one line. It is empty if the text is too long for a name.
    pub(super) fn called(&self, text: &str) -> String {
        let words: Vec<&str> = text.split_whitespace().collect();
        let name = words.join(" ").replace(char::is_control, "\u{fffd}");
        if name.len() > self.xml.limits.name_length { String::new() } else { name }
    }

    /// Reads the number in the `text` or `value` of a label. Returns `None` for an empty `value`, which PIPE
    /// writes for zero tokens.
    pub(super) fn number(&mut self, label: &Tag<'a>, code: &'static Code) -> Res<Option<BigUint>> {
        let (number, seen) = self.optional_number(label, code)?;
        if seen {
            return Ok(number);
        }
        let message = format!("`{}` has no number", printable(label.name));
        Err(self.error(code, label, message).label("expected <text>...</text> inside"))
    }

    /// Reads the number of a label, and returns true as the second value if the label has a `text` or `value`.
    pub(super) fn optional_number(&mut self, label: &Tag<'a>, code: &'static Code) -> Res<(Option<BigUint>, bool)> {
        self.attributes(label, &known::LABEL, What::Plain("the label"))?;
        let (mut number, mut seen) = (None, false);
        while let Some(child) = self.child(&known::LABEL, What::Plain("the label"))? {
            if std::mem::replace(&mut seen, true) {
                return Err(self.twice(&child));
            }
            let (digits, place) = self.xml.content(&child)?;
            if !(digits.is_empty() && child.name == "value") {
                number = Some(self.tokens(&digits, place, code)?);
            }
        }
        Ok((number, seen))
    }

    /// Parses a number of tokens: digits, or PIPE's list of token classes with their numbers (`Default,2`). All
    /// tokens must be of one class.
    pub(super) fn tokens(&mut self, text: &str, span: std::ops::Range<usize>, code: &'static Code) -> Res<BigUint> {
        if !text.contains(',') {
            return natural(self.xml.text, self.xml.limits, code, text, span);
        }
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        if !parts.len().is_multiple_of(2) {
            let message = format!("`{}` is not a list of classes with their numbers", printable(text));
            return Err(self.xml.text.error(code, span, message).label("expected for example Default,2"));
        }
        let mut number = BigUint::zero();
        for pair in parts.chunks_exact(2) {
            let count = natural(self.xml.text, self.xml.limits, code, pair[1], span.clone())?;
            if count.is_zero() {
                continue;
            }
            let class = self.class.get_or_insert_with(|| pair[0].to_owned());
            if class != pair[0] {
                let message = format!("tokens of two classes, `{}` and `{}`", printable(class), printable(pair[0]));
                let error = self.xml.text.error(&codes::PNML_COLOUR, span, message);
                return Err(error.label("the second class").hint("unfold the net with a tool for coloured nets"));
            }
            number = count;
        }
        Ok(number)
    }

    pub(super) fn twice(&self, tag: &Tag<'a>) -> Box<Error> {
        let message = format!("a second `{}`", printable(tag.name));
        self.error(&codes::PNML_ELEMENT, tag, message).label("again here")
    }

    /// Reads an element in the notation of coloured nets, which TAPAAL also writes for black tokens. Returns the
    /// number of black tokens, if the element contains any. Every other colour is an error, after which the file is
    /// read again as a coloured net.
    pub(super) fn dots(&mut self, label: &Tag<'a>, what: What<'_>) -> Res<Option<BigUint>> {
        let outside = self.xml.depth() - 1;
        let (mut number, mut sum, mut dots) = (None, BigUint::zero(), 0usize);
        while self.xml.depth() > outside {
            let Piece::Open(tag) = self.xml.next()? else { continue };
            let fine = match tag.name {
                "text" | "graphics" => {
                    self.xml.skip()?;
                    true
                }
                "structure" | "declarations" | "subterm" | "positive" | "numberof" | "add" | "dot" => true,
                "useroperator" if !is_dot(&self.xml.required(&tag, "declaration")?) => false,
                "namedsort" => {
                    let around = self.xml.depth() - 1;
                    let inner = self.xml.child()?;
                    self.xml.skip_to(around)?;
                    inner.is_some_and(|t| t.name == "dot")
                }
                "usersort" => is_dot(&self.xml.required(&tag, "declaration")?),
                "dotconstant" | "useroperator" | "all" => {
                    sum += number.take().unwrap_or_else(|| BigUint::from(1u8));
                    dots += 1;
                    true
                }
                "numberconstant" => {
                    let value = self.xml.required(&tag, "value")?;
                    let place = tag.span.clone();
                    let value = natural(self.xml.text, self.xml.limits, &codes::PNML_COLOUR, &value, place)?;
                    number.replace(value).is_none()
                }
                _ => false,
            };
            if !fine {
                self.has_colours = true;
                let message =
                    format!("{what}: `{}` in `{}` is for colours", printable(tag.name), printable(label.name));
                let error = self.error(&codes::PNML_COLOUR, &tag, message);
                return Err(error.label("not about black tokens"));
            }
        }
        Ok((dots > 0).then_some(sum))
    }
}

/// True if a declaration is that of black tokens. TAPAAL gives their sort and their only colour this name.
pub(super) fn is_dot(declaration: &str) -> bool {
    declaration.eq_ignore_ascii_case("dot")
}
