//! The names inside of threads: variables, states, acts, and the names that patterns of events bind.

use super::{Bindings, Walker};
use crate::rwb::data::ast::{
    Act, Argument, Branch, Clause, Expr, List, Member, Name, Op, Set, Sync, Type, Value, Var, Word,
};
use crate::rwb::index::{Kind, Role, Space};
use formats::error::Span;

impl<'a> Walker<'_, 'a> {
    pub(super) fn thread(&mut self, name: &Name<'a>, members: &List<'a, Member<'a>>) {
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
}
