//! The names inside of threads: variables, states, acts, and the names that patterns of events bind.

use super::walk::{Bindings, Walker};
use super::{Kind, Role, Space};
use crate::rwb::ast::{Act, Branch, Clause, List, Member, Sync, TypeKind, Value, Var};

impl<'a> Walker<'_, 'a> {
    /// Walks a thread or class. `head` is the end of its head.
    pub(super) fn thread(&mut self, thread: usize, head: u32, members: &List<'a, Member<'a>>) {
        let outer = (self.builder.enter(thread), self.thread.replace(thread));
        let block = self.builder.open(self.builder.block_end(head));
        // Variables are known in the whole thread, also those inside of a `for`.
        let mut variables = Vec::new();
        self.each(members, &mut |w, member| {
            if let Member::Var(var) = member {
                w.variable(var, &mut variables);
            }
        });
        for (name, symbol) in variables {
            if self.builder.value(name).is_none() {
                self.builder.show(name, symbol);
            }
        }
        self.each(members, &mut |w, member| w.member(thread, member));
        self.builder.close(block);
        self.builder.leave(outer.0);
        self.thread = outer.1;
    }

    /// Declares a variable. Adds its symbol, and those of the values that its type declares, to `declared`.
    fn variable(&mut self, var: &Var<'a>, declared: &mut Vec<(&'a str, usize)>) {
        self.indices(&var.name);
        self.kind(&var.kind);
        let at = declared.len();
        if let TypeKind::Values(values) = &var.kind.kind {
            for value in values {
                let known = self.builder.value(value.text);
                let symbol = self.builder.bind_apart(Kind::Value, *value, known);
                if known.is_none() {
                    self.builder.show(value.text, symbol);
                }
                declared.push((value.text, symbol));
            }
        }
        let head = match &var.initial {
            Some(Value::One(expr)) => {
                self.expr(expr);
                expr.span.end
            }
            Some(Value::Any(span)) => span.end,
            None => var.kind.span.end,
        };
        let name = var.name.base;
        let known = self.builder.value(name.text);
        let symbol = self.builder.bind_apart_to(Kind::Variable, name, known, head as usize);
        let numbers = match &var.kind.kind {
            TypeKind::Range(range) => self.numbers(range),
            _ => None,
        };
        self.builder.set_value(symbol, numbers);
        if known.is_none() {
            self.builder.show(name.text, symbol);
        }
        declared.insert(at, (name.text, symbol));
    }

    fn member(&mut self, thread: usize, member: &Member<'a>) {
        match member {
            Member::Var(_) => {}
            Member::Init(names) => names.iter().for_each(|name| self.state(thread, name)),
            Member::State(name, clauses) => {
                self.indices(name);
                let end = name.span.end as usize;
                self.builder.declare(Space::State(thread), Kind::State, name.base, end);
                self.each(clauses, &mut |w, clause| w.clause(thread, clause));
            }
            Member::Body(_, acts) => self.acts(acts),
        }
    }

    fn clause(&mut self, thread: usize, clause: &Clause<'a>) {
        let mut names = Bindings::default();
        match clause {
            Clause::Request(events) => self.set(&events.set, Role::Request, &mut names),
            Clause::Block(events) => self.set(&events.set, Role::Block, &mut names),
            Clause::On(events, targets) => {
                self.set(&events.set, Role::Wait, &mut names);
                targets.iter().for_each(|target| self.state(thread, target));
            }
            Clause::Priority(expr) => self.expr(expr),
            Clause::Bad | Clause::Final | Clause::Hot => {}
        }
    }

    fn acts(&mut self, acts: &List<'a, Act<'a>>) {
        let height = self.builder.height();
        self.each(acts, &mut Self::act);
        self.builder.truncate(height);
    }

    fn act(&mut self, act: &Act<'a>) {
        match act {
            Act::Sync(sync) => {
                let mut names = Bindings::default();
                for (events, role) in [(&sync.request, Role::Request), (&sync.wait, Role::Wait)] {
                    events.iter().for_each(|events| self.set(&events.set, role, &mut names));
                }
                self.rest(sync);
                self.show(&names);
            }
            Act::Select(sync, branches) => {
                branches.iter().for_each(|branch| self.branch(branch));
                self.rest(sync);
            }
            Act::Assign(name, value) => {
                self.builder.read(name.base.text, name.base.span, Role::Write);
                self.indices(name);
                if let Value::One(expr) = value {
                    self.expr(expr);
                }
            }
            Act::While(head, acts) | Act::Repeat(head, acts) => {
                self.expr(head);
                self.acts(acts);
            }
            Act::Loop(_, acts) => self.acts(acts),
            Act::Choose(ways) => ways.iter().for_each(|way| self.acts(way)),
            Act::Assert(expr) => self.expr(expr),
            Act::Bad(_) | Act::End(_) | Act::Final(_) | Act::Break(_) | Act::Continue(_) => {}
        }
    }

    fn branch(&mut self, branch: &Branch<'a>) {
        let mut names = Bindings::default();
        let role = if branch.requests { Role::Request } else { Role::Wait };
        self.set(&branch.events.set, role, &mut names);
        let height = self.builder.height();
        self.show(&names);
        self.acts(&branch.acts);
        self.builder.truncate(height);
    }

    /// Notes the clauses of a sync that bind nothing outside of them.
    fn rest(&mut self, sync: &Sync<'a>) {
        for (events, role) in [(&sync.block, Role::Block), (&sync.interrupt, Role::Interrupt)] {
            events.iter().for_each(|events| self.set(&events.set, role, &mut Bindings::default()));
        }
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
}
