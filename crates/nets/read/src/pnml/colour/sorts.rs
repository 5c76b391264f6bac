//! The declarations of a coloured net: sorts, variables and partitions.
//!
//! A sort is a list of *classes*: the finite sets of which products are built. A product of products is the list of all
//! their classes. A variable of a product stands for one variable for each class.

use super::tree::Tree;
use crate::pnml::nodes::Res;
use formats::error::{Error, Span, Text, printable};
use formats::{codes, suggest};
use num_bigint::BigInt;
use std::collections::HashMap;

/// The largest number of classes of a sort.
const WIDTH: usize = 100;
/// The number of a class.
pub(super) type ClassId = usize;
/// The number of a variable.
pub(super) type VarId = usize;

/// What distinguishes classes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Dot,
    Bool,
    /// An enumeration. The flag is true if it is cyclic.
    Enumeration(bool),
    /// The integers from this one on.
    Integers(BigInt),
}

/// A finite set of basic colours, which are numbered from 0.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub(super) kind: Kind,
    pub(super) size: u32,
    /// The ids and names of the elements of an enumeration.
    elements: Vec<(String, String)>,
}

impl Class {
    fn plain(kind: Kind, size: u32) -> Self {
        Self { kind, size, elements: Vec::new() }
    }

    /// Returns the text for an element: its id, or its name if `is_shown`.
    pub(super) fn element(&self, value: u32, is_shown: bool) -> String {
        match (&self.kind, self.elements.get(value as usize)) {
            (_, Some((_, name))) if is_shown && !name.is_empty() => name.clone(),
            (_, Some((id, _))) => id.clone(),
            (Kind::Integers(start), None) => (start + value).to_string(),
            (Kind::Bool, None) => (value == 1).to_string(),
            _ => "dot".to_owned(),
        }
    }
}

/// A variable.
pub(super) struct Variable {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) class: ClassId,
}

/// A partition: the part of each element of its class.
pub(super) struct Partition {
    pub(super) class: ClassId,
    pub(super) parts: Vec<u32>,
}

/// Everything that is declared.
pub(super) struct Sorts<'a> {
    pub(super) text: Text<'a>,
    pub(super) classes: Vec<Class>,
    ranges: HashMap<(BigInt, u32), ClassId>,
    named: HashMap<String, Vec<ClassId>>,
    pub(super) constants: HashMap<String, (ClassId, u32)>,
    pub(super) variables: Vec<Variable>,
    pub(super) variable_ids: HashMap<String, Vec<VarId>>,
    pub(super) partitions: Vec<Partition>,
    pub(super) partition_ids: HashMap<String, usize>,
    /// The partition and the colours of each of its elements.
    pub(super) partition_elements: HashMap<String, (usize, Vec<u32>)>,
    /// The number of components of products that may still be made.
    left: usize,
}

/// The class of black tokens, and of Booleans.
pub(super) const DOT: ClassId = 0;
pub(super) const BOOL: ClassId = 1;

/// A sort, or the id of another sort that must be known first.
enum Sorted {
    Known(Vec<ClassId>),
    Waits(String),
}

impl<'a> Sorts<'a> {
    /// Reads all declarations, which may be in any order.
    pub(super) fn new(text: Text<'a>, trees: &[Tree<'a>], most: usize) -> Res<Self> {
        let mut sorts = Self {
            text,
            classes: vec![Class::plain(Kind::Dot, 1), Class::plain(Kind::Bool, 2)],
            ranges: HashMap::new(),
            named: HashMap::new(),
            constants: HashMap::new(),
            variables: Vec::new(),
            variable_ids: HashMap::new(),
            partitions: Vec::new(),
            partition_ids: HashMap::new(),
            partition_elements: HashMap::new(),
            left: most,
        };
        let mut all: Vec<(&Tree<'a>, usize)> = Vec::new();
        for tree in trees {
            for root in tree.roots() {
                match tree.elements[root].name {
                    "declarations" => all.extend(tree.children(root).map(|at| (tree, at))),
                    _ => all.push((tree, root)),
                }
            }
        }
        sorts.named_sorts(&all)?;
        for (tree, at) in &all {
            match tree.elements[*at].name {
                "namedsort" => {}
                "variabledecl" => sorts.variable(tree, *at)?,
                "partition" => sorts.partition(tree, *at)?,
                other => {
                    let message = format!("the declaration `{}` is not supported", printable(other));
                    let error = sorts.error(&codes::PNML_SORT, tree.elements[*at].span, message);
                    return Err(error.label("expected `namedsort`, `variabledecl` or `partition`"));
                }
            }
        }
        Ok(sorts)
    }

    pub(super) fn error(&self, code: &'static codes::Code, span: Span, message: impl Into<String>) -> Box<Error> {
        self.text.error(code, span.range(), message)
    }

    /// Counts components of products. A short text may stand for many of them.
    pub(super) fn spend(&mut self, count: usize, span: Span) -> Res<()> {
        self.left = self.left.checked_sub(count).ok_or_else(|| {
            let error = self.error(&codes::LIMIT_TOKENS, span, "the products in the terms have too many components");
            error.label("the limit is reached here")
        })?;
        Ok(())
    }

    fn named_sorts(&mut self, all: &[(&Tree<'a>, usize)]) -> Res<()> {
        let mut ids: HashMap<&str, usize> = HashMap::new();
        for (n, (tree, at)) in all.iter().enumerate() {
            if tree.elements[*at].name == "namedsort" {
                let id = tree.elements[*at].required(self.text, "id")?;
                if ids.insert(id, n).is_some() {
                    return Err(self.again(tree.elements[*at].span, id));
                }
            }
        }
        for (n, (tree, at)) in all.iter().enumerate() {
            if tree.elements[*at].name != "namedsort" {
                continue;
            }
            // The sorts that wait for the next one in the list.
            let mut waiting = vec![n];
            while let Some(n) = waiting.last().copied() {
                let (tree, at) = all[n];
                let id = tree.elements[at].required(self.text, "id")?;
                if self.named.contains_key(id) {
                    waiting.pop();
                    continue;
                }
                match self.sort(tree, self.only_child(tree, at)?)? {
                    Sorted::Known(classes) => {
                        self.named.insert(id.to_owned(), classes);
                        waiting.pop();
                    }
                    Sorted::Waits(other) => match ids.get(other.as_str()) {
                        Some(next) if waiting.len() <= all.len() => waiting.push(*next),
                        Some(_) => {
                            let message = format!("the sort `{}` is declared by itself", printable(id));
                            let error = self.error(&codes::PNML_SORT, tree.elements[at].span, message);
                            return Err(error.label("this declaration"));
                        }
                        None => return Err(self.unknown("sort", &other, tree.elements[at].span, ids.keys().copied())),
                    },
                }
            }
        }
        Ok(())
    }

    pub(super) fn only_child(&self, tree: &Tree<'a>, at: usize) -> Res<usize> {
        let mut children = tree.children(at);
        match (children.next(), children.next()) {
            (Some(child), None) => Ok(child),
            _ => {
                let message = format!("`{}` does not have one sort", printable(tree.elements[at].name));
                Err(self.error(&codes::PNML_SORT, tree.elements[at].span, message).label("expected one sort inside"))
            }
        }
    }

    pub(super) fn again(&self, span: Span, id: &str) -> Box<Error> {
        let message = format!("the id `{}` is declared again", printable(id));
        self.error(&codes::PNML_DUPLICATE_ID, span, message).label("declared again")
    }

    pub(super) fn unknown<'n>(
        &self,
        what: &str,
        name: &str,
        span: Span,
        known: impl Iterator<Item = &'n str>,
    ) -> Box<Error> {
        let message = format!("there is no {what} `{}`", printable(name));
        let error = self.error(&codes::PNML_UNDECLARED, span, message).label("not declared");
        let mut known: Vec<&str> = known.collect();
        known.sort_unstable();
        suggest::hinted(error, name, known, "")
    }

    /// Returns the sort of a place, of a variable, or of the term `all`. All named sorts must be known.
    pub(super) fn sort_of(&mut self, tree: &Tree<'a>, at: usize) -> Res<Vec<ClassId>> {
        match self.sort(tree, at)? {
            Sorted::Known(classes) => Ok(classes),
            Sorted::Waits(id) => {
                Err(self.unknown("sort", &id, tree.elements[at].span, self.named.keys().map(String::as_str)))
            }
        }
    }

    fn sort(&mut self, tree: &Tree<'a>, at: usize) -> Res<Sorted> {
        if tree.elements[at].name != "productsort" {
            return self.factor(tree, at);
        }
        let mut classes = Vec::new();
        for child in tree.children(at) {
            if tree.elements[child].name.ends_with("enumeration") {
                let error = self.error(&codes::PNML_SORT, tree.elements[child].span, "an enumeration in a product");
                return Err(error.label("not supported here").hint("declare it with `namedsort`"));
            }
            match self.factor(tree, child)? {
                Sorted::Known(more) => classes.extend(more),
                waits @ Sorted::Waits(_) => return Ok(waits),
            }
            if classes.len() > WIDTH {
                let message = format!("a product of more than {WIDTH} sorts");
                return Err(self.error(&codes::PNML_SORT, tree.elements[at].span, message).label("too long"));
            }
        }
        if classes.is_empty() {
            let error = self.error(&codes::PNML_SORT, tree.elements[at].span, "a product of no sorts");
            return Err(error.label("expected sorts inside"));
        }
        Ok(Sorted::Known(classes))
    }

    fn factor(&mut self, tree: &Tree<'a>, at: usize) -> Res<Sorted> {
        let element = &tree.elements[at];
        let class = match element.name {
            "dot" => DOT,
            "bool" => BOOL,
            "finiteintrange" => self.range(tree, at)?,
            "cyclicenumeration" | "finiteenumeration" => self.enumeration(tree, at)?,
            "usersort" => {
                let id = element.required(self.text, "declaration")?;
                let width = self.named.get(id).map_or(0, Vec::len);
                self.spend(width, element.span)?;
                return Ok(match self.named.get(id) {
                    Some(classes) => Sorted::Known(classes.clone()),
                    None if id.eq_ignore_ascii_case("dot") => Sorted::Known(vec![DOT]),
                    None => Sorted::Waits(id.to_owned()),
                });
            }
            other => {
                let message = format!("the sort `{}` is not supported here", printable(other));
                let error = self.error(&codes::PNML_SORT, element.span, message).label("not supported");
                return Err(error.hint("expected dot, bool, an enumeration, finiteintrange, usersort or productsort"));
            }
        };
        Ok(Sorted::Known(vec![class]))
    }

    fn range(&mut self, tree: &Tree<'a>, at: usize) -> Res<ClassId> {
        let element = &tree.elements[at];
        let start = self.integer(element.required(self.text, "start")?, element.span)?;
        let end = self.integer(element.required(self.text, "end")?, element.span)?;
        let size: BigInt = &end - &start + 1;
        let size = u32::try_from(&size).ok().filter(|size| (1..u32::MAX).contains(size)).ok_or_else(|| {
            let error = self.error(&codes::PNML_SORT, element.span, "not a range of integers");
            error.label("expected `start` at most `end`, and fewer than 2^32 integers")
        })?;
        let next = self.classes.len();
        let class = *self.ranges.entry((start.clone(), size)).or_insert(next);
        if class == next {
            self.classes.push(Class::plain(Kind::Integers(start), size));
        }
        Ok(class)
    }

    pub(super) fn integer(&self, digits: &str, span: Span) -> Res<BigInt> {
        let is_number = digits.strip_prefix('-').unwrap_or(digits).bytes().all(|b| b.is_ascii_digit());
        digits.parse().ok().filter(|_| is_number).ok_or_else(|| {
            let message = format!("`{}` is not an integer", printable(digits));
            self.error(&codes::PNML_TERM, span, message).label("expected decimal digits")
        })
    }

    fn enumeration(&mut self, tree: &Tree<'a>, at: usize) -> Res<ClassId> {
        let class = self.classes.len();
        let mut elements = Vec::new();
        for child in tree.children(at) {
            let element = &tree.elements[child];
            if element.name != "feconstant" {
                let message = format!("`{}` in an enumeration", printable(element.name));
                return Err(self.error(&codes::PNML_SORT, element.span, message).label("expected `feconstant`"));
            }
            let id = element.required(self.text, "id")?;
            if self.constants.insert(id.to_owned(), (class, elements.len() as u32)).is_some() {
                return Err(self.again(element.span, id));
            }
            elements.push((id.to_owned(), element.attribute("name").unwrap_or_default().to_owned()));
        }
        let element = &tree.elements[at];
        if elements.is_empty() {
            let error = self.error(&codes::PNML_SORT, element.span, "an enumeration without elements");
            return Err(error.label("expected `feconstant` inside"));
        }
        // TAPAAL gives all elements the name of their sort.
        let mut names: Vec<&str> = elements.iter().map(|(_, name)| name.as_str()).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            elements.iter_mut().for_each(|(_, name)| name.clear());
        }
        let kind = Kind::Enumeration(element.name == "cyclicenumeration");
        self.classes.push(Class { kind, size: elements.len() as u32, elements });
        Ok(class)
    }

    fn variable(&mut self, tree: &Tree<'a>, at: usize) -> Res<()> {
        let element = &tree.elements[at];
        let id = element.required(self.text, "id")?.to_owned();
        let sort = self.sort_of(tree, self.only_child(tree, at)?)?;
        let name = element.attribute("name").filter(|name| !name.is_empty()).unwrap_or(&id).to_owned();
        self.spend((sort.len() - 1) * (id.len() + name.len()), element.span)?;
        let mut parts = Vec::with_capacity(sort.len());
        for (n, class) in sort.iter().enumerate() {
            let part = |text: &str| if sort.len() == 1 { text.to_owned() } else { format!("{text}.{}", n + 1) };
            parts.push(self.variables.len());
            self.variables.push(Variable { id: part(&id), name: part(&name), class: *class });
        }
        match self.variable_ids.insert(id.clone(), parts) {
            Some(_) => Err(self.again(element.span, &id)),
            None => Ok(()),
        }
    }
}
