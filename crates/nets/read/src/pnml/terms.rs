//! Reader for the terms of a coloured net.

use super::colour::{Element, Tree};
use super::nodes::Res;
use super::read::Reader;
use crate::xml::{Attributes, Piece, Tag, span};
use formats::codes;
use formats::error::{Error, printable};

/// The attributes of terms and declarations.
const ATTRIBUTES: &[&str] = &["id", "name", "declaration", "refvariable", "refpartition", "value", "start", "end"];

/// Attributes without a meaning. TAPAAL notes with `isSimple` how it shows a condition.
const VOID: &[&str] = &["isSimple"];

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
