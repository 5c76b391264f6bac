//! The terms of a coloured net as the file writes them: lists of elements in the order of the file, so that no
//! function recurses. Declarations may follow the terms that use them, so terms are read first and understood later.

use crate::pnml::read::{Reader, Res, span};
use crate::xml::{Attributes, Piece, Tag};
use formats::codes;
use formats::error::{Error, Span, Text, printable};
use std::borrow::Cow;

/// The attributes of terms and declarations.
const ATTRIBUTES: &[&str] = &["id", "name", "declaration", "refvariable", "refpartition", "value", "start", "end"];

/// Attributes without a meaning. TAPAAL notes with `isSimple` how it shows a condition.
const VOID: &[&str] = &["isSimple"];

/// An element with its attributes.
pub(super) struct Element<'a> {
    pub(super) name: &'a str,
    attributes: Vec<(&'a str, Cow<'a, str>)>,
    pub(super) span: Span,
    /// The number of the first element after this one and all elements inside.
    end: u32,
}

/// The content of an element `structure`. The wrappers `subterm` are left out.
#[derive(Default)]
pub(in crate::pnml) struct Tree<'a> {
    pub(super) elements: Vec<Element<'a>>,
    pub(super) span: Span,
}

impl<'a> Element<'a> {
    /// Returns the value of an attribute, without blanks around it.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| value.trim())
    }

    /// Returns the value of an attribute that must be there.
    pub(super) fn required(&self, text: Text<'a>, name: &str) -> Res<&str> {
        self.attribute(name).filter(|value| !value.is_empty()).ok_or_else(|| {
            let message = format!("`{}` has no `{name}`", printable(self.name));
            let error = text.error(&codes::XML_ATTRIBUTE, self.span.range(), message);
            error.label(format!("expected {name}=\"...\""))
        })
    }
}

impl<'a> Tree<'a> {
    /// Returns the numbers of the elements directly inside of element `at`.
    pub(super) fn children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.between(at + 1, self.elements[at].end as usize)
    }

    /// Returns the numbers of the outermost elements.
    pub(super) fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        self.between(0, self.elements.len())
    }

    /// True if both have the same elements.
    pub(in crate::pnml) fn is_like(&self, other: &Self) -> bool {
        let same =
            |(a, b): (&Element<'a>, &Element<'a>)| (a.name, &a.attributes, a.end) == (b.name, &b.attributes, b.end);
        self.elements.len() == other.elements.len() && self.elements.iter().zip(&other.elements).all(same)
    }

    fn between(&self, first: usize, end: usize) -> impl Iterator<Item = usize> + '_ {
        let next = move |at: &usize| Some(self.elements[*at].end as usize).filter(|next| *next < end);
        std::iter::successors((first < end).then_some(first), next)
    }
}

impl<'a> Reader<'a> {
    /// Reads a label of a coloured net, such as `hlinscription`. Its `text` is for people; the meaning is in
    /// `structure`. Returns `None` if the label is empty.
    pub(in crate::pnml) fn term(&mut self, label: &Tag<'a>) -> Res<Option<Tree<'a>>> {
        let (mut tree, mut text) = (None, None);
        while let Some(child) = self.xml.child()? {
            match child.name {
                "structure" if tree.is_some() => return Err(self.twice(&child)),
                "structure" => tree = Some(self.tree(&child)?).filter(|tree| !tree.elements.is_empty()),
                "text" => text = Some(self.xml.content(&child)?.0).filter(|text| !text.is_empty()),
                "graphics" | "toolspecific" | "name" => self.xml.skip()?,
                _ => {
                    let message = format!("`{}` in `{}`", printable(child.name), printable(label.name));
                    let error = self.error(&codes::PNML_ELEMENT, &child, message);
                    return Err(error.label("expected `text` and `structure`"));
                }
            }
        }
        if tree.is_none() && text.is_some() {
            let error = self.error(&codes::PNML_TERM, label, format!("`{}` has no `structure`", printable(label.name)));
            return Err(error.label("only text").hint("the text is for people and is not read"));
        }
        Ok(tree)
    }

    fn tree(&mut self, tag: &Tag<'a>) -> Res<Tree<'a>> {
        let mut tree = Tree { elements: Vec::new(), span: span(tag) };
        // The open elements. `None` for wrappers.
        let mut open: Vec<Option<usize>> = Vec::new();
        loop {
            match self.xml.next()? {
                Piece::Open(tag) if tag.name == "subterm" => open.push(None),
                Piece::Open(tag) => {
                    open.push(Some(tree.elements.len()));
                    let element = self.element(&tag)?;
                    tree.elements.push(element);
                }
                Piece::Text(_, span) => return Err(self.xml.unexpected_text(span)),
                Piece::Close | Piece::End => match open.pop() {
                    Some(Some(at)) => tree.elements[at].end = tree.elements.len() as u32,
                    Some(None) => {}
                    None => return Ok(tree),
                },
            }
        }
    }

    fn element(&mut self, tag: &Tag<'a>) -> Res<Element<'a>> {
        self.parts += 1;
        // An element takes about as much memory as four words of a text.
        let most = self.xml.limits.tokens / 4;
        if self.parts > most {
            let message = format!("the terms have more than {most} elements");
            return Err(self.error(&codes::LIMIT_TOKENS, tag, message).label("the limit is reached here"));
        }
        let is_void = |name: &str| {
            VOID.contains(&name) || name == "xmlns" || ["xmlns:", "xml:", "xsi:"].iter().any(|p| name.starts_with(p))
        };
        let all: Attributes<'a> = self.xml.attributes(tag)?;
        let mut attributes = Vec::with_capacity(all.len());
        for (name, value) in all.into_iter().filter(|(name, _)| !is_void(name)) {
            if !ATTRIBUTES.contains(&name) {
                return Err(self.unknown_attribute(tag, name));
            }
            if value.len() > self.xml.limits.name_length.max(self.xml.limits.token_digits) {
                return Err(self.error(&codes::LIMIT_NAME, tag, "a value is too long").label("too long"));
            }
            attributes.push((name, value));
        }
        Ok(Element { name: tag.name, attributes, span: span(tag), end: 0 })
    }

    fn unknown_attribute(&self, tag: &Tag<'a>, name: &str) -> Box<Error> {
        let message = format!("the attribute `{}` of `{}` is not known", printable(name), printable(tag.name));
        let error = self.error(&codes::PNML_ATTRIBUTE, tag, message).label("not known");
        error.hint("remove it if it means nothing")
    }
}
