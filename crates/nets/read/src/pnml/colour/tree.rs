//! The terms of a coloured net as the file writes them: lists of elements in the order of the file, so that no
//! function recurses. Declarations may follow the terms that use them, so terms are read first and understood later.

use crate::pnml::nodes::Res;
use formats::codes;
use formats::error::{Span, Text, printable};
use std::borrow::Cow;

/// An element with its attributes.
pub(in crate::pnml) struct Element<'a> {
    pub(in crate::pnml) name: &'a str,
    pub(in crate::pnml) attributes: Vec<(&'a str, Cow<'a, str>)>,
    pub(in crate::pnml) span: Span,
    /// The number of the first element after this one and all elements inside.
    pub(in crate::pnml) end: u32,
}

/// The content of an element `structure`. The wrappers `subterm` are left out.
#[derive(Default)]
pub(in crate::pnml) struct Tree<'a> {
    pub(in crate::pnml) elements: Vec<Element<'a>>,
    pub(in crate::pnml) span: Span,
}

impl<'a> Element<'a> {
    /// Returns the value of an attribute, without blanks around it.
    pub(in crate::pnml) fn attribute(&self, name: &str) -> Option<&str> {
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
