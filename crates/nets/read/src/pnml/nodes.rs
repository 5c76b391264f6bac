//! The table of the ids of a PNML file. An id is a place, a transition, or a reference to another id.

use formats::error::{Error, Span, Text, printable};
use formats::{codes, suggest};
use hashbrown::HashMap;
use model::{PlaceId, TransitionId};
use std::borrow::Cow;

pub(super) type Res<T> = Result<T, Box<Error>>;

/// The position of an id in the table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Id(u32);

/// A node of the net.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Node {
    Place(PlaceId),
    Transition(TransitionId),
}

/// The meaning of an id.
#[derive(Clone, Copy)]
enum Entry {
    /// The id was used, but not declared so far.
    Named,
    Node(Node),
    /// A reference to another id. The flag is true if the other id must be a place, and false if it must be a
    /// transition.
    Reference(Id, bool),
}

#[derive(Default)]
pub(super) struct Nodes<'a> {
    /// The table uses a faster hasher than the standard one, because a net may have millions of ids.
    table: HashMap<Cow<'a, str>, Id>,
    entries: Vec<(Entry, Span)>,
}

impl<'a> Nodes<'a> {
    /// Returns the id called `name`, which may be declared later.
    pub(super) fn named(&mut self, name: Cow<'a, str>) -> Id {
        let next = Id(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        let id = *self.table.entry(name).or_insert(next);
        if id == next {
            self.entries.push((Entry::Named, Span::default()));
        }
        id
    }

    pub(super) fn node(&mut self, text: Text<'a>, name: Cow<'a, str>, node: Node, span: Span) -> Res<()> {
        self.declare(text, name, Entry::Node(node), span)
    }

    pub(super) fn reference(
        &mut self,
        text: Text<'a>,
        name: Cow<'a, str>,
        to: Cow<'a, str>,
        place: bool,
        span: Span,
    ) -> Res<()> {
        let to = self.named(to);
        self.declare(text, name, Entry::Reference(to, place), span)
    }

    fn declare(&mut self, text: Text<'a>, name: Cow<'a, str>, what: Entry, span: Span) -> Res<()> {
        let id = self.named(name);
        let (entry, first) = &mut self.entries[id.0 as usize];
        if !matches!(entry, Entry::Named) {
            let message = format!("the id `{}` stands here again", printable(self.name(id)));
            let line = text.line(self.entries[id.0 as usize].1.start as usize);
            let error = text.error(&codes::PNML_DUPLICATE_ID, span.range(), message).label("declared again");
            return Err(error.hint(format!("it was declared first in line {line}")));
        }
        (*entry, *first) = (what, span);
        Ok(())
    }

    /// Returns the name of an id. It searches the whole table, so only errors use it.
    fn name(&self, id: Id) -> &str {
        self.table.iter().find(|(_, i)| **i == id).map_or("", |(name, _)| name)
    }

    /// Follows all references, and returns the node of each id, or `None` for ids that were not declared.
    pub(super) fn resolve(&self, text: Text<'a>) -> Res<Resolved<'_, 'a>> {
        let mut nodes: Vec<Option<Node>> = vec![None; self.entries.len()];
        for (at, (entry, _)) in self.entries.iter().enumerate() {
            if let Entry::Node(node) = entry {
                nodes[at] = Some(*node);
            }
        }
        let mut chain = Vec::new();
        for (at, (entry, _)) in self.entries.iter().enumerate() {
            let mut here = at;
            let mut next = *entry;
            chain.clear();
            while let (Entry::Reference(to, _), None) = (next, nodes[here]) {
                chain.push(here);
                here = to.0 as usize;
                next = self.entries[here].0;
                if chain.len() > self.entries.len() {
                    return Err(self.bad_reference(text, at, "leads back to itself"));
                }
            }
            if chain.is_empty() {
                continue;
            }
            let Some(end) = nodes[here] else {
                return Err(self.bad_reference(text, *chain.last().unwrap_or(&at), "leads to no place or transition"));
            };
            for &link in &chain {
                if let Entry::Reference(_, place) = self.entries[link].0
                    && place != matches!(end, Node::Place(_))
                {
                    return Err(self.bad_reference(text, link, "leads to a node of the other kind"));
                }
                nodes[link] = Some(end);
            }
        }
        Ok(Resolved { nodes, table: self })
    }

    fn bad_reference(&self, text: Text<'a>, at: usize, what: &str) -> Box<Error> {
        let id = Id(u32::try_from(at).unwrap_or(u32::MAX));
        let message = format!("the reference `{}` {what}", printable(self.name(id)));
        text.error(&codes::PNML_REFERENCE, self.entries[at].1.range(), message).label("this reference")
    }
}

/// The table with all references followed.
pub(super) struct Resolved<'n, 'a> {
    nodes: Vec<Option<Node>>,
    table: &'n Nodes<'a>,
}

impl<'a> Resolved<'_, 'a> {
    /// Returns the node of `id`, which is used at `span`.
    pub(super) fn get(&self, text: Text<'a>, id: Id, span: Span) -> Res<Node> {
        self.nodes[id.0 as usize].ok_or_else(|| {
            let name = self.table.name(id);
            let message = format!("there is no place or transition `{}`", printable(name));
            let error = text.error(&codes::PNML_UNKNOWN_NODE, span.range(), message).label("named here");
            let mut known: Vec<&str> = Vec::new();
            known
                .extend(self.table.table.iter().filter(|(_, i)| self.nodes[i.0 as usize].is_some()).map(|(n, _)| &**n));
            known.sort_unstable();
            suggest::hinted(error, name, known, "")
        })
    }
}

/// Keeps the elements of a list for which the other list is true.
pub(super) fn retain<T>(list: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    list.retain(|_| keep.next() == Some(&true));
}
