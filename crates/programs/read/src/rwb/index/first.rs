//! The names of a text of version 1. The scopes are those of `elaborate.rs`: a `for` and a class open a block, a `when`
//! does not, and events, sets and threads are known in the whole text.

use super::{Builder, Kind, Role, Space};
use crate::rwb::ast::{Act, Claim, Class, EventAtom, Events, Item, Member, Name, Node, Selector, Stmt, Word};
use crate::rwb::expr::{Expr, Op, RangeId, Scope, Value, bits_of_digits};
use formats::error::Text;
use formats::source::Limits;
use num_bigint::BigInt;

/// The largest number of digits of a value that is shown.
const DIGITS: usize = 40;

struct Walker<'b, 'a> {
    builder: &'b mut Builder<'a>,
    source: Text<'a>,
    limits: &'a Limits,
    /// The constants with known values. Other names of expressions are open numbers here.
    known: Scope<'a>,
    thread: Option<usize>,
}

/// Walks the items of a text.
pub(super) fn walk<'a>(source: Text<'a>, limits: &'a Limits, items: &[Node<'a, Item<'a>>], builder: &mut Builder<'a>) {
    let mut walker = Walker { builder, source, limits, known: Scope::default(), thread: None };
    walker.each(items, &mut Walker::item);
}

impl<'a> Walker<'_, 'a> {
    fn each<T>(&mut self, list: &[Node<'a, T>], visit: &mut dyn FnMut(&mut Self, &T)) {
        for node in list {
            match node {
                Node::Plain(element) => visit(self, element),
                Node::For(inner) => {
                    self.expr(&inner.from);
                    self.expr(&inner.to);
                    let numbers = self.number(&inner.from).zip(self.number(&inner.to));
                    let numbers = numbers.map(|(from, to)| format!("{from}..{to}"));
                    self.block(inner.var, inner.to.span.end, numbers, &mut |w| w.each(&inner.body, visit));
                }
                Node::When(inner) => {
                    self.expr(&inner.condition);
                    let outer = self.builder.conditional(true);
                    self.each(&inner.then, visit);
                    self.each(&inner.otherwise, visit);
                    self.builder.conditional(outer);
                }
                Node::Broken => {}
            }
        }
    }

    /// Walks a block in which a loop variable is visible. `head` is the end of its head.
    fn block(&mut self, var: Word<'a>, head: u32, numbers: Option<String>, inner: &mut dyn FnMut(&mut Self)) {
        let outer = self.builder.open(self.builder.block_end(head));
        let height = self.known.height();
        let symbol = self.builder.bind(Kind::Loop, var, head as usize);
        self.builder.set_value(symbol, numbers);
        self.known.bind(var, Value::Any(RangeId(var.span)), true);
        inner(self);
        self.known.truncate(height);
        self.builder.close(outer);
    }

    fn item(&mut self, item: &Item<'a>) {
        match item {
            Item::Const(name, expr) => self.constant(*name, expr),
            Item::Any(name) => {
                let head = self.builder.after(name.span.end as usize, "*");
                self.builder.bind(Kind::Constant, *name, head);
                self.known.bind(*name, Value::Any(RangeId(name.span)), false);
            }
            Item::Event(names) => {
                for name in names {
                    self.builder.declare(Space::Event, Kind::Event, name.base, name.span.end as usize);
                    name.indices.iter().for_each(|size| self.expr(size));
                }
            }
            Item::Set(name, events) => {
                let symbol = self.builder.declare(Space::Event, Kind::Set, *name, events.span.end as usize);
                let outer = self.builder.enter(symbol);
                self.events(events, Role::Member);
                self.builder.leave(outer);
            }
            Item::Check(goals) => {
                self.builder.goals.extend(goals.iter().map(|(goal, span)| (*goal, span.range())));
            }
            Item::Thread(name, members) => {
                let symbol = self.builder.declare(Space::Thread, Kind::Thread, name.base, name.span.end as usize);
                name.indices.iter().for_each(|index| self.expr(index));
                self.members(symbol, members);
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
        self.builder.set_value(symbol, value.as_ref().map(shown));
        let value = value.map_or(Value::Any(RangeId(name.span)), Value::Number);
        self.known.bind(name, value, false);
    }

    fn class(&mut self, class: &Class<'a>) {
        self.expr(&class.count);
        let head = class.count.span.end;
        let symbol = self.builder.declare(Space::Thread, Kind::Class, class.base, head as usize);
        let numbers = self.number(&class.count).map(|count| format!("0..{}", shown(&count)));
        self.block(class.index, head, numbers, &mut |w| w.members(symbol, &class.members));
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
                thread.indices.iter().for_each(|index| self.expr(index));
                states.iter().for_each(|state| self.state(symbol, state));
            }
        }
    }

    fn members(&mut self, thread: usize, members: &[Node<'a, Member<'a>>]) {
        let outer = (self.builder.enter(thread), self.thread.replace(thread));
        self.each(members, &mut |w, member| match member {
            Member::Init(names) => names.iter().for_each(|name| w.state(thread, name)),
            Member::State(name, statements) => {
                name.indices.iter().for_each(|index| w.expr(index));
                w.builder.declare(Space::State(thread), Kind::State, name.base, name.span.end as usize);
                w.each(statements, &mut Self::statement);
            }
            Member::Body(_, acts) => w.each(acts, &mut Self::act),
        });
        self.builder.leave(outer.0);
        self.thread = outer.1;
    }

    /// Notes a use of a state.
    fn state(&mut self, thread: usize, name: &Name<'a>) {
        self.builder.name(Space::State(thread), name.base, Role::Name);
        name.indices.iter().for_each(|index| self.expr(index));
    }

    fn statement(&mut self, statement: &Stmt<'a>) {
        match statement {
            Stmt::Request(events) => self.events(events, Role::Request),
            Stmt::Block(events) => self.events(events, Role::Block),
            Stmt::On(events, targets) => {
                self.events(events, Role::Wait);
                if let Some(thread) = self.thread {
                    targets.iter().for_each(|target| self.state(thread, target));
                }
            }
            Stmt::Priority(expr) => self.expr(expr),
            Stmt::Bad | Stmt::Final => {}
        }
    }

    fn act(&mut self, act: &Act<'a>) {
        match act {
            Act::Sync { request, wait, block, .. } => {
                for (events, role) in [(request, Role::Request), (wait, Role::Wait), (block, Role::Block)] {
                    events.iter().for_each(|events| self.events(events, role));
                }
            }
            Act::Loop(_, acts) => self.each(acts, &mut Self::act),
            Act::Repeat(count, acts) => {
                self.expr(count);
                self.each(acts, &mut Self::act);
            }
            Act::Choose(ways) => ways.iter().for_each(|way| self.each(way, &mut Self::act)),
            Act::Select { block, branches, .. } => {
                block.iter().for_each(|events| self.events(events, Role::Block));
                for branch in branches {
                    self.events(&branch.events, if branch.requests { Role::Request } else { Role::Wait });
                    self.each(&branch.acts, &mut Self::act);
                }
            }
            Act::Bad(_) | Act::End(_) | Act::Final(_) => {}
        }
    }

    fn events(&mut self, events: &Events<'a>, role: Role) {
        for part in &events.parts {
            for (at, atom) in part.iter().enumerate() {
                let role = if at == 0 { role } else { Role::Except };
                match atom {
                    EventAtom::All => self.builder.star(role),
                    EventAtom::None => {}
                    EventAtom::Group(events) => self.events(events, role),
                    EventAtom::Named { base, selectors, .. } => {
                        self.builder.name(Space::Event, *base, role);
                        selectors.iter().for_each(|selector| self.selector(selector));
                    }
                }
            }
        }
    }

    fn selector(&mut self, selector: &Selector<'a>) {
        match selector {
            Selector::All => {}
            Selector::One(expr) => self.expr(expr),
            Selector::Range(from, to) => {
                self.expr(from);
                self.expr(to);
            }
        }
    }

    fn expr(&mut self, expr: &Expr<'a>) {
        for (op, span) in &expr.code {
            if let Op::Name(name) = op {
                self.builder.read(name, *span, Role::Read);
            }
        }
    }

    /// Returns the value of an expression over known constants.
    fn number(&self, expr: &Expr<'a>) -> Option<BigInt> {
        expr.eval(&self.known, self.source, bits_of_digits(self.limits.number_digits)).ok()
    }
}

/// Returns the digits of a number, shortened if there are many.
fn shown(number: &BigInt) -> String {
    let text = number.to_string();
    if text.len() <= DIGITS { text } else { format!("{}.. ({} digits)", &text[..DIGITS], text.len()) }
}
