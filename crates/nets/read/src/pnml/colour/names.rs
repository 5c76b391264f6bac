//! The names of the places and transitions of an unfolded net, such as `p(a,b)` and `t(x=a,y=b)`.
//!
//! As in other PNML files, a name is made of ids, and the displayed name is made of names. A place of black tokens and
//! a transition without variables are *plain*: they keep their names. The ids of all other nodes of the file are names
//! of families.
//!
//! A colour with an id that contains signs of this notation is written by its number, as `#2`. So the last bracket of a
//! name begins the colours, and two instances have different names. Only a plain node may have the name of an
//! instance. The instance is then called `p(a)_`.

use super::sorts::{Class, ClassId, DOT, Kind};
use super::tokens::Domain;
use super::unfold::ColouredNet;
use crate::pnml::nodes::Res;
use formats::codes;
use formats::error::{Error, Text};
use formats::source::Limits;
use model::families::{Colours, Family, Form};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The longest text for a colour, in bytes.
const COLOUR: usize = 100;

/// The id and the displayed name (perhaps empty) of a node in the file.
pub(super) type Node = (String, String);

/// The names of the instances of all places, or of all transitions.
pub(super) struct Names<'n> {
    text: Text<'n>,
    nodes: &'n [Node],
    plain: HashSet<&'n str>,
    /// For each node: the names of its family.
    families: Vec<Vec<&'n str>>,
    known: HashSet<&'n str>,
    /// The displayed names of the instances so far.
    pub(super) called: Vec<String>,
    /// The number of bytes that the names may still have.
    left: usize,
}

impl<'n> Names<'n> {
    /// `is_plain` says of a node whether it has only one instance.
    pub(super) fn new(text: Text<'n>, nodes: &'n [Node], is_plain: impl Fn(usize) -> bool, limits: &Limits) -> Self {
        let mut times: HashMap<&str, usize> = HashMap::new();
        for (id, called) in nodes {
            *times.entry(id).or_default() += 1;
            if called != id {
                *times.entry(called).or_default() += 1;
            }
        }
        let plain = nodes.iter().enumerate().filter(|(n, _)| is_plain(*n)).map(|(_, (id, _))| id.as_str()).collect();
        let family = |(id, called): &'n Node| {
            let is_unique = !called.is_empty() && called != id && times.get(called.as_str()) == Some(&1);
            std::iter::once(id.as_str()).chain(is_unique.then_some(called.as_str())).collect()
        };
        let families: Vec<Vec<&str>> = nodes.iter().map(family).collect();
        let known = families.iter().flatten().copied().collect();
        Self { text, nodes, plain, families, known, called: Vec::new(), left: limits.bytes }
    }

    /// Returns the name of an instance. `colours` are its colours in ids and in names, `None` for a plain node.
    fn instance(&mut self, node: usize, colours: Option<[String; 2]>) -> Res<String> {
        let (id, called) = &self.nodes[node];
        let Some([ids, shown]) = colours else {
            self.called.push(called.clone());
            return Ok(id.clone());
        };
        let mut name = format!("{id}({ids})");
        while self.plain.contains(name.as_str()) {
            name.push('_');
        }
        let mut shown = format!("{}({shown})", if called.is_empty() { id } else { called });
        if self.known.contains(shown.as_str()) {
            shown.clear();
        }
        self.left = self.left.checked_sub(name.len() + shown.len()).ok_or_else(|| {
            let message = "the names of the places and transitions of the unfolded net are too long";
            let error = Error::whole(&codes::LIMIT_UNFOLDING, self.text.name, message);
            error.hint("shorter ids of colours and variables help")
        })?;
        self.called.push(shown);
        Ok(name)
    }

    /// Returns the name of the instance of a place with this tuple.
    pub(super) fn place(&mut self, net: &ColouredNet<'_>, place: usize, domain: &Domain, code: u64) -> Res<String> {
        let sort = &net.place_sorts[place];
        if is_black(sort) {
            return self.instance(place, None);
        }
        let colours = [false, true].map(|is_shown| {
            let part =
                |(at, class): (usize, &ClassId)| colour(&net.sorts.classes[*class], domain.part(code, at), is_shown);
            sort.iter().enumerate().map(part).collect::<Vec<_>>().join(",")
        });
        self.instance(place, Some(colours))
    }

    /// Returns the name of the instance of a transition with these values of its variables.
    pub(super) fn transition(&mut self, net: &ColouredNet<'_>, t: usize, values: &[u32]) -> Res<String> {
        let of = &net.transitions[t].variables;
        if of.is_empty() {
            return self.instance(t, None);
        }
        let colours = [false, true].map(|is_shown| {
            let mut text = String::new();
            for (var, value) in of.iter().zip(values) {
                let variable = &net.sorts.variables[*var];
                let name = if is_shown { &variable.name } else { &variable.id };
                let comma = if text.is_empty() { "" } else { "," };
                let value = colour(&net.sorts.classes[variable.class], *value, is_shown);
                text.push_str(&format!("{comma}{name}={value}"));
            }
            text
        });
        self.instance(t, Some(colours))
    }

    /// Returns the families, given the members of each node, the names of the members, and the components of each
    /// node's members: the texts before the colours (in ids and in names), and the classes.
    pub(super) fn families<'m, T: Copy>(
        &self,
        members: Vec<Vec<T>>,
        name: impl Fn(T) -> &'m str,
        components: impl Fn(usize) -> Vec<([String; 2], ClassId)>,
        texts: &mut Texts<'_>,
    ) -> Vec<Family<T>> {
        let mut families = Vec::new();
        for (node, (members, names)) in members.into_iter().zip(&self.families).enumerate() {
            let (id, called) = &self.nodes[node];
            if matches!(members[..], [only] if name(only) == id) {
                continue;
            }
            let mut forms = Vec::new();
            if !self.plain.contains(id.as_str()) {
                let components = components(node);
                forms.extend(texts.form(id, &components, false));
                let shown = if called.is_empty() { id } else { called };
                let is_unique = names.iter().any(|name| *name == shown);
                forms.extend(texts.form(shown, &components, true).filter(|_| is_unique && !forms.is_empty()));
            }
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            families.push(Family { names, members, forms });
        }
        families
    }
}

/// The texts of the colours of all classes, computed when they are first needed.
pub(super) struct Texts<'n> {
    classes: &'n [Class],
    known: HashMap<(ClassId, bool), Option<Colours>>,
}

impl<'n> Texts<'n> {
    pub(super) fn new(classes: &'n [Class]) -> Self {
        Self { classes, known: HashMap::new() }
    }

    /// Returns the names that begin with `prefix`. `None` if two colours have the same text.
    fn form(&mut self, prefix: &str, components: &[([String; 2], ClassId)], is_shown: bool) -> Option<Form> {
        let mut of = |(before, class): &([String; 2], ClassId)| {
            Some((before[usize::from(is_shown)].clone(), self.of(*class, is_shown)?))
        };
        let components = components.iter().map(&mut of).collect::<Option<_>>()?;
        Some(Form { prefix: prefix.to_owned(), components })
    }

    fn of(&mut self, class: ClassId, is_shown: bool) -> Option<Colours> {
        let colours = &self.classes[class];
        let texts = || match &colours.kind {
            Kind::Integers(first) => Some(Colours::Integers(first.clone()..=first + (colours.size.max(1) - 1))),
            _ => {
                let texts: HashSet<String> = (0..colours.size).map(|value| colour(colours, value, is_shown)).collect();
                (texts.len() == colours.size as usize).then(|| Colours::Texts(Arc::new(texts)))
            }
        };
        self.known.entry((class, is_shown)).or_insert_with(texts).clone()
    }
}

/// True if a place with this sort has only one instance, which keeps the name.
pub(super) fn is_black(sort: &[ClassId]) -> bool {
    sort.iter().all(|class| *class == DOT)
}

fn colour(class: &Class, value: u32, is_shown: bool) -> String {
    let text = class.element(value, is_shown);
    let is_odd = |c: char| matches!(c, ',' | '(' | ')' | '=' | '#') || c.is_control();
    if text.len() > COLOUR || text.contains(is_odd) { format!("#{}", value + 1) } else { text }
}
