//! The names of a text of version 2, for [`crate::rwb::index`]. The scopes are those of `globals.rs`, `compile.rs` and
//! `sets.rs`: constants and enums outside of a `for` are known in the whole text, and a name in a pattern that means
//! nothing at its place is bound by the pattern.

use super::ast::{Act, Argument, Branch, Clause, EventDecl, Expr, Item, List, Member, Name, Node, Op, Parameters};
use super::ast::{Set, Sync, Type, Value, Var, Word};
use super::machine::Ty;
use super::parse;
use super::scope::{Compiler, Meaning, Scope};
use crate::error::{Span, Text};
use crate::rwb::index::{Builder, Kind, Role, Space};
use crate::source::Limits;
use std::collections::{BTreeMap, HashSet};

/// The names that the patterns of one sync bind, as in `sets.rs`.
#[derive(Default)]
struct Bindings<'a> {
    symbols: BTreeMap<&'a str, usize>,
    /// The names of each pattern that events may match.
    patterns: Vec<Vec<&'a str>>,
}

struct Walker<'b, 'a> {
    builder: &'b mut Builder<'a>,
    source: Text<'a>,
    /// The constants with known values.
    known: Scope<'a>,
    enums: Vec<String>,
    sets: HashSet<&'a str>,
    thread: usize,
    /// The number of loops around the current place.
    loops: usize,
}

/// Adds the names of a text to the index. Returns true if the text has no syntax errors, and `None` if nothing can be
/// parsed.
pub(in crate::rwb) fn index<'a>(source: Text<'a>, limits: &Limits, builder: &mut Builder<'a>) -> Option<bool> {
    let (items, result) = parse::recovered(source, limits).ok()?;
    let (known, enums, sets) = (Scope::default(), Vec::new(), HashSet::new());
    let mut walker = Walker { builder, source, known, enums, sets, thread: 0, loops: 0 };
    walker.each(&items, &mut Walker::globals);
    walker.each(&items, &mut Walker::item);
    Some(result.is_ok())
}

impl<'a> Walker<'_, 'a> {
    fn each<T>(&mut self, list: &List<'a, T>, visit: &mut dyn FnMut(&mut Self, &T)) {
        for node in list {
            match node {
                Node::Plain(element) => visit(self, element),
                Node::For { variable, from, to, closed, body } => {
                    self.looped(*variable, from, to, *closed, &mut |w| w.each(body, visit));
                }
                Node::If { condition, then, otherwise } => {
                    self.expr(condition);
                    let outer = self.builder.conditional(true);
                    self.each(then, visit);
                    self.each(otherwise, visit);
                    self.builder.conditional(outer);
                }
            }
        }
    }

    /// Walks the body of a `for`.
    fn looped(
        &mut self,
        variable: Word<'a>,
        from: &Expr<'a>,
        to: &Expr<'a>,
        closed: bool,
        inner: &mut dyn FnMut(&mut Self),
    ) {
        self.expr(from);
        self.expr(to);
        let numbers = self.range(from, to, closed);
        let outer = self.builder.open(self.builder.block_end(to.span.end));
        let symbol = self.builder.bind(Kind::Loop, variable, to.span.end as usize);
        self.builder.set_value(symbol, numbers);
        self.loops += 1;
        inner(self);
        self.loops -= 1;
        self.builder.close(outer);
    }

    /// Notes what is known in the whole text.
    fn globals(&mut self, item: &Item<'a>) {
        match item {
            Item::Const(name, expr) => self.constant(*name, expr),
            Item::Enum(name, values) => {
                let head = self.builder.after(name.span.end as usize, "}");
                let symbol = self.builder.declare(Space::Type, Kind::Enum, *name, head);
                let outer = self.builder.enter(symbol);
                self.values(name.text.to_owned(), values);
                self.builder.leave(outer);
            }
            Item::Events(list) => list.iter().for_each(|event| self.event(event)),
            Item::Set(name, _) => _ = self.sets.insert(name.text),
            Item::Check(_) | Item::Thread(..) => {}
        }
    }

    fn constant(&mut self, name: Word<'a>, expr: &Expr<'a>) {
        self.expr(expr);
        let symbol = self.builder.bind(Kind::Constant, name, expr.span.end as usize);
        let is_conditional = self.builder.conditional(false);
        self.builder.conditional(is_conditional);
        let found = self.compiler().any_constant(expr).ok().filter(|_| !is_conditional);
        self.builder.set_value(symbol, found.map(|(value, ty)| self.shown(value, ty)));
        if self.loops == 0 {
            self.builder.widen(symbol);
            let (value, ty) = found.unwrap_or((0, Ty::Int));
            if found.is_some() && self.known.get(name.text).is_none() {
                self.known.push(name, Meaning::Constant(ty, value));
            }
        }
    }

    /// Returns a value as the text writes it.
    fn shown(&self, value: i64, ty: Ty) -> String {
        match ty {
            Ty::Int => value.to_string(),
            Ty::Bool => (value != 0).to_string(),
            Ty::Enum(_) => {
                let named = self.known.list().iter().find(|entry| entry.meaning == Meaning::Constant(ty, value));
                named.map_or_else(|| value.to_string(), |entry| entry.name.text.to_owned())
            }
        }
    }

    /// Declares the values of an enum of the whole text. Those inside of a `for` are visible nowhere else.
    fn values(&mut self, name: String, values: &[Word<'a>]) {
        self.enums.push(name);
        let ty = Ty::Enum(self.enums.len() - 1);
        for (at, value) in (0..).zip(values) {
            if self.loops > 0 {
                self.builder.bind_apart(Kind::Value, *value, None);
                continue;
            }
            let symbol = self.builder.bind(Kind::Value, *value, value.span.end as usize);
            self.builder.widen(symbol);
            if self.known.get(value.text).is_none() {
                self.known.push(*value, Meaning::Constant(ty, at));
            }
        }
    }

    fn event(&mut self, event: &EventDecl<'a>) {
        let after_name = event.name.span.end as usize;
        let (head, typed): (usize, &[(Word<'a>, Type<'a>)]) = match &event.parameters {
            Parameters::Sizes(sizes) => {
                sizes.iter().for_each(|size| self.expr(size));
                (sizes.last().map_or(after_name, |size| self.builder.after(size.span.end as usize, "]")), &[])
            }
            Parameters::Typed(typed) => {
                let end = typed.last().map_or(after_name, |(name, kind)| self.type_end(kind, name.span.end));
                (self.builder.after(end, ")"), typed)
            }
        };
        let symbol = self.builder.declare(Space::Event, Kind::Event, event.name, head);
        let outer = self.builder.enter(symbol);
        for (name, kind) in typed {
            let end = self.type_end(kind, name.span.end);
            self.builder.declare(Space::Parameter(symbol), Kind::Parameter, *name, end);
            self.kind(kind);
            if let Type::Values(values) = kind {
                self.values("{}".to_owned(), values);
            }
        }
        self.builder.leave(outer);
    }

    /// Returns the end of a type that stands after `position`.
    fn type_end(&self, kind: &Type<'a>, position: u32) -> usize {
        match kind {
            Type::Int => self.builder.after(position as usize, "int"),
            Type::Bool => self.builder.after(position as usize, "bool"),
            Type::Range(_, to, _) => to.span.end as usize,
            Type::Named(name) => name.span.end as usize,
            Type::Values(values) => {
                let last = values.last().map_or(position, |value| value.span.end);
                self.builder.after(last as usize, "}")
            }
        }
    }

    /// Notes the names in a type, without those that it declares.
    fn kind(&mut self, kind: &Type<'a>) {
        match kind {
            Type::Range(from, to, _) => {
                self.expr(from);
                self.expr(to);
            }
            Type::Named(name) => _ = self.builder.name(Space::Type, *name, Role::Name),
            Type::Int | Type::Bool | Type::Values(_) => {}
        }
    }

    /// Notes what needs the names of the whole text.
    fn item(&mut self, item: &Item<'a>) {
        match item {
            Item::Const(name, expr) => self.constant(*name, expr),
            Item::Set(name, set) => {
                let head = self.builder.line_end(name.span.end as usize);
                let symbol = self.builder.declare(Space::Event, Kind::Set, *name, head);
                let outer = self.builder.enter(symbol);
                self.set(set, Role::Member, &mut Bindings::default());
                self.builder.leave(outer);
            }
            Item::Check(goals) => {
                self.builder.goals.extend(goals.iter().map(|(goal, span)| (*goal, span.range())));
            }
            Item::Thread(name, members) => self.thread(name, members),
            Item::Enum(..) | Item::Events(_) => {}
        }
    }

    fn thread(&mut self, name: &Name<'a>, members: &List<'a, Member<'a>>) {
        self.indices(&name.indices);
        self.thread = self.builder.declare(Space::Thread, Kind::Thread, name.base, name.span.end as usize);
        let outer = self.builder.enter(self.thread);
        let block = self.builder.open(self.builder.block_end(name.span.end));
        // Variables are known in the whole thread, also those inside of a `for`.
        let mut variables = Vec::new();
        self.each(members, &mut |w, member| {
            if let Member::Var(var) = member {
                variables.push((var.name.text, w.variable(var)));
            }
        });
        variables.into_iter().flat_map(|(name, (own, values))| std::iter::once((name, own)).chain(values)).for_each(
            |(name, symbol)| {
                if self.builder.value(name).is_none() {
                    self.builder.show(name, symbol);
                }
            },
        );
        self.each(members, &mut Self::member);
        self.builder.close(block);
        self.builder.leave(outer);
    }

    /// Declares a variable. Returns its symbol, and those of the values that its type declares.
    fn variable(&mut self, var: &Var<'a>) -> (usize, Vec<(&'a str, usize)>) {
        self.indices(&var.sizes);
        self.kind(&var.kind);
        let mut declared = Vec::new();
        if let Type::Values(values) = &var.kind {
            for value in values {
                let known = self.builder.value(value.text);
                let symbol = self.builder.bind_apart(Kind::Value, *value, known);
                if known.is_none() {
                    self.builder.show(value.text, symbol);
                }
                declared.push((value.text, symbol));
            }
        }
        if let Some(Value::One(expr)) = &var.initial {
            self.expr(expr);
        }
        let after_sizes = var.sizes.last().map_or(var.name.span.end, |size| size.span.end);
        let head = match &var.initial {
            Some(Value::One(expr)) => expr.span.end as usize,
            Some(Value::Any(span)) => span.end as usize,
            None => self.type_end(&var.kind, after_sizes),
        };
        let known = self.builder.value(var.name.text);
        let symbol = self.builder.bind_apart_to(Kind::Variable, var.name, known, head);
        let numbers = match &var.kind {
            Type::Range(from, to, closed) => self.range(from, to, *closed),
            _ => None,
        };
        self.builder.set_value(symbol, numbers);
        if known.is_none() {
            self.builder.show(var.name.text, symbol);
        }
        (symbol, declared)
    }

    fn member(&mut self, member: &Member<'a>) {
        match member {
            Member::Var(_) => {}
            Member::Init(names) => names.iter().for_each(|name| self.state(name)),
            Member::State(name, clauses) => {
                self.indices(&name.indices);
                let end = name.span.end as usize;
                self.builder.declare(Space::State(self.thread), Kind::State, name.base, end);
                self.each(clauses, &mut Self::clause);
            }
            Member::Body(_, acts) => self.acts(acts),
        }
    }

    fn state(&mut self, name: &Name<'a>) {
        self.builder.name(Space::State(self.thread), name.base, Role::Name);
        self.indices(&name.indices);
    }

    fn clause(&mut self, clause: &Clause<'a>) {
        let mut names = Bindings::default();
        match clause {
            Clause::Request(events) => self.set(events, Role::Request, &mut names),
            Clause::Block(events) => self.set(events, Role::Block, &mut names),
            Clause::On(events, targets) => {
                self.set(events, Role::Wait, &mut names);
                targets.iter().for_each(|target| self.state(target));
            }
            Clause::Priority(expr) => self.expr(expr),
            Clause::Bad | Clause::Final | Clause::Hot => {}
        }
    }

    fn acts(&mut self, acts: &[Act<'a>]) {
        let height = self.builder.height();
        acts.iter().for_each(|act| self.act(act));
        self.builder.truncate(height);
    }

    fn act(&mut self, act: &Act<'a>) {
        match act {
            Act::Sync(sync) => {
                let mut names = Bindings::default();
                sync.request.iter().for_each(|set| self.set(set, Role::Request, &mut names));
                sync.wait.iter().for_each(|set| self.set(set, Role::Wait, &mut names));
                self.rest(sync);
                self.show(&names);
            }
            Act::Select(sync, branches) => {
                branches.iter().for_each(|branch| self.branch(branch));
                self.rest(sync);
            }
            Act::Assign { name, indices, value, .. } => {
                self.builder.read(name.text, name.span, Role::Write);
                self.indices(indices);
                if let Value::One(expr) = value {
                    self.expr(expr);
                }
            }
            Act::If { condition, then, otherwise } => {
                self.expr(condition);
                self.acts(then);
                self.acts(otherwise);
            }
            Act::While { condition: head, acts } | Act::Repeat(head, acts) => {
                self.expr(head);
                self.acts(acts);
            }
            Act::Loop(_, acts) => self.acts(acts),
            Act::For { variable, from, to, closed, acts } => {
                self.looped(*variable, from, to, *closed, &mut |w| w.acts(acts));
            }
            Act::Choose(ways) => ways.iter().for_each(|way| self.acts(way)),
            Act::Assert(expr) => self.expr(expr),
            Act::Bad(_) | Act::End(_) | Act::Final(_) | Act::Break(_) | Act::Continue(_) => {}
        }
    }

    fn branch(&mut self, branch: &Branch<'a>) {
        let mut names = Bindings::default();
        self.set(&branch.events, if branch.requests { Role::Request } else { Role::Wait }, &mut names);
        let height = self.builder.height();
        self.show(&names);
        self.acts(&branch.acts);
        self.builder.truncate(height);
    }

    /// Notes the clauses of a sync that bind nothing outside of them.
    fn rest(&mut self, sync: &Sync<'a>) {
        sync.block.iter().for_each(|set| self.set(set, Role::Block, &mut Bindings::default()));
        sync.interrupt.iter().for_each(|set| self.set(set, Role::Interrupt, &mut Bindings::default()));
        sync.priority.iter().for_each(|expr| self.expr(expr));
    }

    /// Makes the names that every pattern binds visible.
    fn show(&mut self, names: &Bindings<'a>) {
        for (name, symbol) in &names.symbols {
            if !names.patterns.is_empty() && names.patterns.iter().all(|pattern| pattern.contains(name)) {
                self.builder.show(name, *symbol);
            }
        }
    }

    fn set(&mut self, set: &Set<'a>, role: Role, names: &mut Bindings<'a>) {
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
                self.pattern(if is_set { &[] } else { arguments }, filter.as_ref(), names);
            }
        }
    }

    fn pattern(&mut self, arguments: &[Argument<'a>], filter: Option<&Expr<'a>>, names: &mut Bindings<'a>) {
        let mut bound = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Any => {}
                Argument::Range(from, to, _) => {
                    self.expr(from);
                    self.expr(to);
                }
                Argument::One(expr) => match &expr.code[..] {
                    [(Op::Name(name), span)] if self.builder.value(name).is_none() => {
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

    fn indices(&mut self, indices: &[Expr<'a>]) {
        indices.iter().for_each(|index| self.expr(index));
    }

    fn expr(&mut self, expr: &Expr<'a>) {
        for (op, span) in &expr.code {
            if let Op::Name(name) | Op::Element(name, _) = op {
                self.builder.read(name, *span, Role::Read);
            }
        }
    }

    fn compiler(&self) -> Compiler<'_, 'a> {
        Compiler { source: self.source, scope: &self.known, variables: &[], enums: &self.enums }
    }

    /// Returns a range with known ends.
    fn range(&self, from: &Expr<'a>, to: &Expr<'a>, closed: bool) -> Option<String> {
        let number = |expr| self.compiler().constant(expr, Ty::Int).ok();
        Some(format!("{}{}{}", number(from)?, if closed { "..=" } else { ".." }, number(to)?))
    }
}
