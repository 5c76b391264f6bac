//! What is declared outside of threads: constants, enums, events and event sets. `for` and `if` around items are
//! unrolled here.

use super::domain::{Domain, Ty};
use super::events::{Declared, Events};
use super::scope::{Compiler, Meaning, Scope};
use crate::rwb::ast::{EventDecl, Expr, Item, List, Name, Node, Range, Set, Type, TypeKind, Word};
use crate::rwb::elaborate::repeated_check;
use crate::rwb::parse::Res;
use crate::rwb::warn::Warnings;
use formats::codes::{self, Code};
use formats::error::{Error, Span, Text, printable};
use formats::meter::Meter;
use formats::suggest;
use model::Goal;
use std::collections::HashMap;

/// The largest number of elements of an array, and of values of a range that must be listed.
const LARGEST: i64 = 1 << 16;

/// An event set, with the names that were visible at its declaration.
pub(super) struct NamedSet<'a, 't> {
    pub(super) set: &'t Set<'a>,
    pub(super) scope: Scope<'a>,
    span: Span,
}

pub(super) struct Globals<'a, 't> {
    pub(super) source: Text<'a>,
    pub(super) meter: Meter<'a>,
    pub(super) scope: Scope<'a>,
    pub(super) events: Events,
    pub(super) event_numbers: HashMap<&'a str, usize>,
    pub(super) sets: HashMap<&'a str, NamedSet<'a, 't>>,
    pub(super) enum_names: Vec<String>,
    enum_numbers: HashMap<&'a str, usize>,
    pub(super) check: Option<Vec<Goal>>,
    pub(super) warnings: Warnings<'a>,
}

impl<'a, 't> Globals<'a, 't> {
    pub(super) fn new(source: Text<'a>, meter: Meter<'a>) -> Self {
        Self {
            source,
            meter,
            scope: Scope::default(),
            events: Events::default(),
            event_numbers: HashMap::new(),
            sets: HashMap::new(),
            enum_names: Vec::new(),
            enum_numbers: HashMap::new(),
            check: None,
            warnings: Warnings::new(source),
        }
    }

    pub(super) fn error(&self, code: &'static Code, span: Span, message: impl Into<String>) -> Box<Error> {
        self.source.error(code, span.range(), message)
    }

    /// Returns a compiler for expressions outside of threads.
    pub(super) fn compiler(&self) -> Compiler<'_, 'a> {
        Compiler { source: self.source, scope: &self.scope, variables: &[], enums: &self.enum_names }
    }

    pub(super) fn number(&self, expr: &Expr<'a>) -> Res<i64> {
        self.compiler().constant(expr, Ty::Int)
    }

    pub(super) fn duplicate(&self, what: &str, name: &str, span: Span, first: Span) -> Box<Error> {
        let line = self.source.line(first.range().start);
        self.error(&codes::RWB_DUPLICATE, span, format!("the {what} `{}` is declared twice", printable(name)))
            .label("declared again here")
            .hint(format!("the first declaration is in line {line}"))
    }

    /// Declares a name of expressions.
    pub(super) fn declare(&mut self, name: Word<'a>, meaning: Meaning) -> Res<()> {
        if let Some(old) = self.scope.get(name.text) {
            return Err(self.duplicate("name", name.text, name.span, old.name.span));
        }
        self.scope.push(name, meaning);
        Ok(())
    }

    /// Unrolls a list, and handles each element.
    pub(super) fn each<T>(
        &mut self,
        list: &'t List<'a, T>,
        handle: &mut dyn FnMut(&mut Self, &'t T) -> Res<()>,
    ) -> Res<()> {
        for node in list {
            match node {
                Node::Plain(element) => handle(self, element)?,
                Node::For(inner) => {
                    for value in range_of(&self.compiler(), &inner.range)? {
                        self.meter.work(1, inner.variable.span)?;
                        let height = self.scope.height();
                        self.declare(inner.variable, Meaning::Constant(Ty::Int, value))?;
                        self.each(&inner.body, handle)?;
                        self.scope.truncate(height);
                    }
                }
                Node::If(inner) => {
                    let holds = self.compiler().constant(&inner.condition, Ty::Bool)? != 0;
                    self.each(if holds { &inner.then } else { &inner.otherwise }, handle)?;
                }
                Node::Broken => {}
            }
        }
        Ok(())
    }

    /// Handles what the events need: constants, enums and events.
    pub(super) fn first_pass(&mut self, item: &'t Item<'a>) -> Res<()> {
        match item {
            Item::Const(name, expr) => self.constant(*name, expr),
            Item::Enum(name, values) => {
                if let Some(first) = self.enum_numbers.get(name.text) {
                    let message = format!("the enum `{}` is declared twice", self.enum_names[*first]);
                    return Err(self.error(&codes::RWB_DUPLICATE, name.span, message).label("declared again here"));
                }
                let number = self.add_enum(name.text.to_owned(), values)?;
                self.enum_numbers.insert(name.text, number);
                Ok(())
            }
            Item::Events(list) => list.iter().try_for_each(|event| self.event(event)),
            _ => Ok(()),
        }
    }

    /// Handles a constant in a later pass, if it is local to a round of a `for`.
    pub(super) fn local_constant(&mut self, item: &'t Item<'a>) -> Res<()> {
        match item {
            Item::Const(name, expr) if self.scope.get(name.text).is_none_or(|old| old.name.span != name.span) => {
                self.constant(*name, expr)
            }
            _ => Ok(()),
        }
    }

    /// Handles what needs the events.
    pub(super) fn second_pass(&mut self, item: &'t Item<'a>) -> Res<()> {
        match item {
            Item::Const(..) => self.local_constant(item),
            Item::Set(name, events) => {
                if let Some(number) = self.event_numbers.get(name.text) {
                    let first = self.events.list[*number].span;
                    return Err(self
                        .duplicate("event", name.text, name.span, first)
                        .hint("sets and events share their names"));
                }
                if let Some(old) = self.sets.get(name.text) {
                    return Err(self.duplicate("event set", name.text, name.span, old.span));
                }
                let (set, scope) = (&events.set, self.scope.clone());
                self.sets.insert(name.text, NamedSet { set, scope, span: name.span });
                Ok(())
            }
            Item::Check(goals) => self.declare_check(goals),
            _ => Ok(()),
        }
    }

    fn constant(&mut self, name: Word<'a>, expr: &Expr<'a>) -> Res<()> {
        let (value, ty) = self.compiler().any_constant(expr)?;
        self.declare(name, Meaning::Constant(ty, value))
    }

    /// Adds an enum, and returns its number. An enum without a name and with the same values as another one is the same
    /// type.
    fn add_enum(&mut self, name: String, values: &[Word<'a>]) -> Res<usize> {
        let names: Vec<String> = values.iter().map(|value| value.text.to_owned()).collect();
        if let Some(same) = self.events.enums.iter().position(|other| *other == names).filter(|_| name.starts_with('{'))
        {
            return Ok(same);
        }
        let number = self.events.enums.len();
        for (at, value) in (0..).zip(values) {
            self.declare(*value, Meaning::Constant(Ty::Enum(number), at))?;
        }
        self.events.enums.push(names);
        self.enum_names.push(name);
        Ok(number)
    }

    /// Returns the domain of a type.
    pub(super) fn domain(&mut self, kind: &Type<'a>) -> Res<Domain> {
        let of_enum = |number: usize, events: &Events| {
            let most = i64::try_from(events.enums[number].len()).unwrap_or(i64::MAX) - 1;
            Domain { ty: Ty::Enum(number), range: Some((0, most)) }
        };
        match &kind.kind {
            TypeKind::Int => Ok(Domain { ty: Ty::Int, range: None }),
            TypeKind::Bool => Ok(Domain { ty: Ty::Bool, range: Some((0, 1)) }),
            TypeKind::Range(bounds) => {
                let range = range_of(&self.compiler(), bounds)?;
                if range.is_empty() {
                    let error = self.error(&codes::RWB_ARRAY_SIZE, bounds.span(), "a type without values");
                    return Err(error.label("the range is empty").hint("`0..4` ends with 3, and `0..=4` with 4"));
                }
                Ok(Domain { ty: Ty::Int, range: Some((*range.start(), *range.end())) })
            }
            TypeKind::Values(values) => {
                let names: Vec<&str> = values.iter().map(|value| value.text).collect();
                let number = self.add_enum(format!("{{{}}}", names.join(", ")), values)?;
                Ok(of_enum(number, &self.events))
            }
            TypeKind::Named(name) => match self.enum_numbers.get(name.text) {
                Some(number) => Ok(of_enum(*number, &self.events)),
                None => {
                    let message = format!("there is no type `{}`", printable(name.text));
                    let error = self.error(&codes::RWB_UNKNOWN_NAME, name.span, message).label("not an enum");
                    let known = self.enum_numbers.keys().copied().chain(["int", "bool"]);
                    let mut known: Vec<&str> = known.collect();
                    known.sort_unstable();
                    Err(suggest::hinted(
                        error,
                        name.text,
                        known,
                        "a type is `int`, `bool`, a range `0..10`, an enum or `{A, B}`",
                    ))
                }
            },
        }
    }

    /// Returns the sizes of an array.
    pub(super) fn sizes(&self, sizes: &[Expr<'a>]) -> Res<Vec<usize>> {
        let mut result = Vec::with_capacity(sizes.len());
        let mut all: i64 = 1;
        for size in sizes {
            let number = self.number(size)?;
            if number < 1 {
                let error = self.error(&codes::RWB_ARRAY_SIZE, size.span, format!("an array of {number} elements"));
                return Err(error.label("expected 1 or more").hint("leave it out, or give it elements"));
            }
            all = all.saturating_mul(number);
            if all > LARGEST {
                let message = format!("an array of more than {LARGEST} elements");
                return Err(self.error(&codes::LIMIT_VALUES, size.span, message).label("too large"));
            }
            result.push(usize::try_from(number).unwrap_or(1));
        }
        Ok(result)
    }

    fn event(&mut self, event: &EventDecl<'a>) -> Res<()> {
        let own = event.name.base;
        self.meter.work(1, own.span)?;
        if let Some(number) = self.event_numbers.get(own.text) {
            return Err(self.duplicate("event", own.text, own.span, self.events.list[*number].span));
        }
        let (parameters, is_array) = match &event.parameters {
            Some(list) => {
                let mut domains = Vec::with_capacity(list.len());
                for (_, kind) in list {
                    domains.push(self.domain(kind)?);
                }
                (domains, false)
            }
            None => {
                let domain = |size| {
                    let most = i64::try_from(size).unwrap_or(i64::MAX) - 1;
                    Domain { ty: Ty::Int, range: Some((0, most)) }
                };
                (self.sizes(&event.name.indices)?.into_iter().map(domain).collect(), true)
            }
        };
        self.event_numbers.insert(own.text, self.events.list.len());
        let (name, span, is_external) = (own.text.to_owned(), own.span, event.is_external);
        self.events.list.push(Declared { name, span, parameters, is_array, is_external });
        Ok(())
    }

    fn declare_check(&mut self, goals: &[(Goal, Span)]) -> Res<()> {
        if let Some((span, message, label)) = repeated_check(self.check.is_some(), goals) {
            return Err(self.error(&codes::RWB_REPEATED_CHECK, span, message).label(label));
        }
        self.check = Some(goals.iter().map(|(goal, _)| *goal).collect());
        Ok(())
    }

    /// Returns the name of a thread or state with its indices: `T[3][0]`.
    pub(super) fn full_name(&mut self, name: &Name<'a>) -> Res<String> {
        let mut text = name.base.text.to_owned();
        for index in &name.indices {
            let value = self.number(index)?;
            if value < 0 {
                let message = format!("index {value} of a name is negative");
                return Err(self.error(&codes::RWB_NEGATIVE_INDEX, index.span, message).label("expected 0 or more"));
            }
            text.push_str(&format!("[{value}]"));
        }
        self.meter.name(&text, name.span)?;
        Ok(text)
    }
}

/// Returns the values of a constant range.
pub(super) fn range_of<'a>(compiler: &Compiler<'_, 'a>, range: &Range<'a>) -> Res<std::ops::RangeInclusive<i64>> {
    let (first, end) = (compiler.constant(&range.from, Ty::Int)?, compiler.constant(&range.to, Ty::Int)?);
    let last = if range.closed { end } else { end.saturating_sub(1) };
    if last < first.saturating_sub(1) {
        let message = format!("the range {first}..{end} runs backwards");
        let error = compiler.source.error(&codes::RWB_BACKWARD_RANGE, range.span().range(), message);
        return Err(error.label("the first number is larger").hint("a range begins with its smallest number"));
    }
    Ok(first..=last)
}
