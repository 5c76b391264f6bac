//! Walks the syntax tree of a text. The scopes are those of the elaboration:
//!
//! * Events, sets, threads and enums are known in the whole text.
//! * A `for` and a class open a block, and a condition over constants does not.
//! * In version 1, a constant is known from its declaration on. In version 2, constants and values of enums outside of
//!   a `for` are known in the whole text, and a name in a pattern that means nothing at its place is bound by the
//!   pattern.

use super::{Builder, Kind, Role, Space};
use crate::rwb::ast::{
    Argument, Binary, Claim, Class, EventDecl, Expr, Item, List, Name, Node, Op, Range, Set, Type, TypeKind, Word,
};
use crate::rwb::expr::{RangeId, Scope, Value, bits_of_digits};
use crate::rwb::parse::Parsed;
use formats::error::{Span, Text};
use formats::source::Limits;
use num_bigint::BigInt;
use num_traits::Zero;
use std::collections::{BTreeMap, HashSet};

/// The largest number of digits of a value that is shown.
const DIGITS: usize = 40;

pub(super) struct Walker<'b, 'a> {
    pub(super) builder: &'b mut Builder<'a>,
    source: Text<'a>,
    limits: &'a Limits,
    is_second: bool,
    /// The constants with known values. Other names of expressions are open numbers here.
    known: Scope<'a>,
    sets: HashSet<&'a str>,
    /// The thread around the current place.
    pub(super) thread: Option<usize>,
    /// The number of loops around the current place.
    loops: usize,
}

/// The names that the patterns of one sync bind, as in `data/sets.rs`.
#[derive(Default)]
pub(super) struct Bindings<'a> {
    pub(super) symbols: BTreeMap<&'a str, usize>,
    /// The names of each pattern that events may match.
    pub(super) patterns: Vec<Vec<&'a str>>,
}

/// Walks the items of a text.
pub(super) fn walk<'a>(source: Text<'a>, limits: &'a Limits, parsed: &Parsed<'a>, builder: &mut Builder<'a>) {
    let (known, sets, is_second) = (Scope::default(), HashSet::new(), parsed.version == 2);
    let mut walker = Walker { builder, source, limits, is_second, known, sets, thread: None, loops: 0 };
    if is_second {
        walker.each(&parsed.items, &mut Walker::global);
    }
    walker.each(&parsed.items, &mut Walker::item);
}

impl<'a> Walker<'_, 'a> {
    pub(super) fn each<T>(&mut self, list: &List<'a, T>, visit: &mut dyn FnMut(&mut Self, &T)) {
        for node in list {
            match node {
                Node::Plain(element) => visit(self, element),
                Node::For(inner) => {
                    self.range(&inner.range);
                    let numbers = self.numbers(&inner.range);
                    let head = inner.range.to.span.end;
                    self.looped(inner.variable, head, numbers, &mut |w| w.each(&inner.body, visit));
                }
                Node::If(inner) => {
                    self.expr(&inner.condition);
                    let outer = self.builder.conditional(true);
                    for list in [&inner.then, &inner.otherwise] {
                        let height = self.builder.height();
                        self.each(list, visit);
                        // What acts bind is visible in their branch, and constants are visible behind it.
                        if self.thread.is_some() {
                            self.builder.truncate(height);
                        }
                    }
                    self.builder.conditional(outer);
                }
                Node::Broken => {}
            }
        }
    }

    /// Walks a block in which a loop variable is visible. `head` is the end of its head.
    fn looped(&mut self, variable: Word<'a>, head: u32, numbers: Option<String>, inner: &mut dyn FnMut(&mut Self)) {
        let outer = self.builder.open(self.builder.block_end(head));
        let height = self.known.height();
        let symbol = self.builder.bind(Kind::Loop, variable, head as usize);
        self.builder.set_value(symbol, numbers);
        self.known.bind(variable, Value::Any(RangeId(variable.span)), true);
        self.loops += 1;
        inner(self);
        self.loops -= 1;
        self.known.truncate(height);
        self.builder.close(outer);
    }

    /// Notes what is known in the whole text of version 2.
    fn global(&mut self, item: &Item<'a>) {
        match item {
            Item::Set(name, _) => _ = self.sets.insert(name.text),
            Item::Const(..) | Item::Enum(..) | Item::Events(_) => self.item(item),
            _ => {}
        }
    }

    fn item(&mut self, item: &Item<'a>) {
        match item {
            Item::Const(name, expr) => self.constant(*name, expr),
            Item::Any(name) => {
                let head = self.builder.after(name.span.end as usize, "*");
                self.builder.bind(Kind::Constant, *name, head);
                self.known.bind(*name, Value::Any(RangeId(name.span)), false);
            }
            Item::Enum(name, values) => {
                let head = self.builder.after(name.span.end as usize, "}");
                let symbol = self.builder.declare(Space::Type, Kind::Enum, *name, head);
                let outer = self.builder.enter(symbol);
                self.values(values);
                self.builder.leave(outer);
            }
            Item::Events(list) => list.iter().for_each(|event| self.event(event)),
            Item::Set(name, events) => {
                let symbol = self.builder.declare(Space::Event, Kind::Set, *name, events.span.end as usize);
                let outer = self.builder.enter(symbol);
                self.set(&events.set, Role::Member, &mut Bindings::default());
                self.builder.leave(outer);
            }
            Item::Check(goals) => {
                self.builder.goals.extend(goals.iter().map(|(goal, span)| (*goal, span.range())));
            }
            Item::Thread(name, members) => {
                self.indices(name);
                let symbol = self.builder.declare(Space::Thread, Kind::Thread, name.base, name.span.end as usize);
                self.thread(symbol, name.span.end, members);
            }
            Item::Class(class) => self.class(class),
            Item::Assume(assume) => self.claim(&assume.claim),
        }
    }

    fn constant(&mut self, name: Word<'a>, expr: &Expr<'a>) {
        self.expr(expr);
        let symbol = self.builder.bind(Kind::Constant, name, expr.span.end as usize);
        let is_conditional = self.builder.conditional(false);
        self.builder.conditional(is_conditional);
        let value = self.number(expr).filter(|_| !is_conditional);
        self.builder.set_value(symbol, value.as_ref().and_then(|value| self.shown(expr, value)));
        self.bind_value(name, symbol, value);
    }

    /// Makes the value of a constant known. A constant of version 2 outside of loops is visible in the whole text.
    fn bind_value(&mut self, name: Word<'a>, symbol: usize, value: Option<BigInt>) {
        if self.is_second && self.loops == 0 {
            self.builder.widen(symbol);
        }
        self.known.bind(name, value.map_or(Value::Any(RangeId(name.span)), Value::Number), false);
    }

    /// Returns a value as the text writes it.
    fn shown(&self, expr: &Expr<'a>, value: &BigInt) -> Option<String> {
        use Binary::{Minus, Modulo, Over, Plus, Times};
        match expr.code.last() {
            Some((Op::Name(name), _)) if self.is_second => self.builder.shown(name),
            Some((Op::Truth(_) | Op::Not, _)) if self.is_second => Some((!value.is_zero()).to_string()),
            Some((Op::Binary(op), _)) if self.is_second && !matches!(op, Plus | Minus | Times | Over | Modulo) => {
                Some((!value.is_zero()).to_string())
            }
            _ => Some(digits(value)),
        }
    }

    /// Declares the values of an enum of the whole text. Those inside of a `for` are visible nowhere else.
    fn values(&mut self, values: &[Word<'a>]) {
        for (at, value) in values.iter().enumerate() {
            if self.loops > 0 {
                self.builder.bind_apart(Kind::Value, *value, None);
                continue;
            }
            let symbol = self.builder.bind(Kind::Value, *value, value.span.end as usize);
            self.bind_value(*value, symbol, Some(BigInt::from(at)));
        }
    }

    fn event(&mut self, event: &EventDecl<'a>) {
        self.indices(&event.name);
        let symbol = self.builder.declare(Space::Event, Kind::Event, event.name.base, event.span.end as usize);
        let outer = self.builder.enter(symbol);
        for (name, kind) in event.parameters.iter().flatten() {
            let head = kind.span.end as usize;
            self.builder.declare(Space::Parameter(symbol), Kind::Parameter, *name, head);
            self.kind(kind);
            if let TypeKind::Values(values) = &kind.kind {
                self.values(values);
            }
        }
        self.builder.leave(outer);
    }

    /// Notes the names in a type, without those that it declares.
    pub(super) fn kind(&mut self, kind: &Type<'a>) {
        match &kind.kind {
            TypeKind::Range(range) => self.range(range),
            TypeKind::Named(name) => _ = self.builder.name(Space::Type, *name, Role::Name),
            TypeKind::Int | TypeKind::Bool | TypeKind::Values(_) => {}
        }
    }

    fn class(&mut self, class: &Class<'a>) {
        self.expr(&class.count);
        let head = class.count.span.end;
        let symbol = self.builder.declare(Space::Thread, Kind::Class, class.base, head as usize);
        let numbers = self.number(&class.count).map(|count| format!("0..{}", digits(&count)));
        self.looped(class.index, head, numbers, &mut |w| w.thread(symbol, head, &class.members));
    }

    fn claim(&mut self, claim: &Claim<'a>) {
        match claim {
            Claim::Length(atoms) => {
                for atom in atoms {
                    atom.modulus.iter().for_each(|modulus| self.expr(modulus));
                    self.expr(&atom.right);
                }
            }
            Claim::End(thread, states) => {
                let symbol = self.builder.name(Space::Thread, thread.base, Role::Name);
                self.indices(thread);
                states.iter().for_each(|state| self.state(symbol, state));
            }
        }
    }

    /// Notes a use of a state of a thread.
    pub(super) fn state(&mut self, thread: usize, name: &Name<'a>) {
        self.builder.name(Space::State(thread), name.base, Role::Name);
        self.indices(name);
    }

    pub(super) fn set(&mut self, set: &Set<'a>, role: Role, names: &mut Bindings<'a>) {
        match set {
            Set::All => {
                names.patterns.push(Vec::new());
                self.builder.star(role);
            }
            Set::None => {}
            Set::Union(sets) => sets.iter().for_each(|set| self.set(set, role, names)),
            Set::Minus(sets) => {
                for (at, set) in sets.iter().enumerate() {
                    match at {
                        0 => self.set(set, role, names),
                        _ => self.set(set, Role::Except, &mut Bindings::default()),
                    }
                }
            }
            Set::Named { name, arguments, filter, .. } => {
                self.builder.name(Space::Event, *name, role);
                let arguments = arguments.as_deref().unwrap_or_default();
                let is_set = self.sets.contains(name.text) && arguments.is_empty() && filter.is_none();
                self.pattern(if is_set { &[] } else { arguments }, filter.as_deref(), names);
            }
        }
    }

    fn pattern(&mut self, arguments: &[Argument<'a>], filter: Option<&Expr<'a>>, names: &mut Bindings<'a>) {
        let mut bound = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Any => {}
                Argument::Range(range) => self.range(range),
                Argument::One(expr) => match &expr.code[..] {
                    [(Op::Name(name), span)] if self.is_second && self.builder.value(name).is_none() => {
                        bound.push((*name, self.bound(name, *span, names)));
                    }
                    _ => self.expr(expr),
                },
            }
        }
        let height = self.builder.height();
        bound.iter().for_each(|(name, symbol)| self.builder.show(name, *symbol));
        filter.iter().for_each(|filter| self.expr(filter));
        self.builder.truncate(height);
        names.patterns.push(bound.into_iter().map(|(name, _)| name).collect());
    }

    /// Returns the symbol of a name that patterns of one sync bind.
    fn bound(&mut self, name: &'a str, span: Span, names: &mut Bindings<'a>) -> usize {
        let word = Word { text: name, span };
        let symbol = self.builder.bind_apart(Kind::Bound, word, names.symbols.get(name).copied());
        names.symbols.insert(name, symbol);
        symbol
    }

    pub(super) fn indices(&mut self, name: &Name<'a>) {
        name.indices.iter().for_each(|index| self.expr(index));
    }

    pub(super) fn range(&mut self, range: &Range<'a>) {
        self.expr(&range.from);
        self.expr(&range.to);
    }

    pub(super) fn expr(&mut self, expr: &Expr<'a>) {
        for (op, span) in &expr.code {
            if let Op::Name(name) | Op::Element(name, _) = op {
                self.builder.read(name, *span, Role::Read);
            }
        }
    }

    /// Returns the value of an expression over known constants.
    fn number(&self, expr: &Expr<'a>) -> Option<BigInt> {
        expr.eval(&self.known, self.source, bits_of_digits(self.limits.number_digits)).ok()
    }

    /// Returns a range with known ends.
    pub(super) fn numbers(&self, range: &Range<'a>) -> Option<String> {
        let sign = if range.closed { "..=" } else { ".." };
        Some(format!("{}{sign}{}", self.number(&range.from)?, self.number(&range.to)?))
    }
}

/// Returns the digits of a number, shortened if there are many.
fn digits(number: &BigInt) -> String {
    let text = number.to_string();
    if text.len() <= DIGITS { text } else { format!("{}.. ({} digits)", &text[..DIGITS], text.len()) }
}
