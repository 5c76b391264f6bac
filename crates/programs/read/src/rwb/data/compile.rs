//! Compilation of threads to state machines. Each act is compiled between two nodes: where it begins and where it goes
//! on. `for` and `repeat` are unrolled, so their bounds are constants.

use super::arms::NodeId;
use super::domain::{Domain, Ty};
use super::draft::{Compiled, Draft};
use super::eval::Code;
use super::globals::{Globals, range_of};
use super::live;
use super::machine::{Node, Target, Variable};
use super::scope::{Compiler, Meaning, Scope, fits};
use crate::rwb::ast::{self, Act, List, Member, Node as Written, TypeKind, Value};
use crate::rwb::parse::Res;
use formats::codes;
use formats::error::{Error, Span, printable};
use std::collections::HashMap;

/// The largest number of rounds of `for` and `repeat`.
const MOST_ROUNDS: u64 = 1 << 20;
/// The largest number of slots of a thread.
const SLOTS: usize = 1 << 16;

/// The loop around an act.
#[derive(Clone, Copy)]
struct Around {
    again: NodeId,
    out: NodeId,
}

pub(super) struct ThreadCompiler<'g, 'a, 't> {
    pub(super) globals: &'g mut Globals<'a, 't>,
    pub(super) scope: Scope<'a>,
    pub(super) draft: Draft,
    loops: Vec<Around>,
    /// The number of patterns so far.
    pub(super) patterns: usize,
    depth: usize,
    /// The number of names outside of the thread.
    outer: usize,
}

/// Compiles a thread.
pub(super) fn compile<'a, 't>(
    globals: &mut Globals<'a, 't>,
    name: &ast::Name<'a>,
    members: &'t List<'a, Member<'a>>,
) -> Res<Compiled<'a>> {
    let mut plain: Vec<(&'t Member<'a>, Scope<'a>)> = Vec::new();
    globals.each(members, &mut |globals, member| {
        plain.push((member, globals.scope.clone()));
        Ok(())
    })?;
    let scope = globals.scope.clone();
    let outer = scope.height();
    let compiler = ThreadCompiler {
        globals,
        scope,
        draft: Draft::new(name.span),
        loops: Vec::new(),
        patterns: 0,
        depth: 0,
        outer,
    };
    compiler.thread(name, &plain)
}

impl<'g, 'a, 't> ThreadCompiler<'g, 'a, 't> {
    fn thread(mut self, name: &ast::Name<'a>, members: &[(&'t Member<'a>, Scope<'a>)]) -> Res<Compiled<'a>> {
        for (member, scope) in members {
            if let Member::Var(var) = member {
                self.variable(var, scope)?;
            }
        }
        let declared = self.draft.variables.len();
        let mut body = None;
        for (member, scope) in members {
            if let Member::Body(span, acts) = member {
                body = Some((*span, acts, scope));
            }
        }
        let has_states = members.iter().any(|(m, _)| matches!(m, Member::State(..) | Member::Init(_)));
        let bodies = members.iter().filter(|(m, _)| matches!(m, Member::Body(..))).count();
        let entry = match body {
            Some((span, ..)) if has_states || bodies > 1 => {
                let error =
                    self.globals.error(&codes::RWB_MIXED_THREAD, span, "a `body` beside states or another body");
                return Err(error.label("expected either states or one `body`").hint("make it a thread of its own"));
            }
            Some((span, acts, scope)) => {
                self.draft.nodes[0] = Node::End(span);
                self.add_loops(scope);
                let entry = self.draft.hole();
                self.acts(acts, entry, 0)?;
                vec![entry]
            }
            None => self.states(name, members)?,
        };
        if self.draft.slots > SLOTS {
            let message = "a thread with too many variables, bound names and acts together";
            return Err(self.globals.error(&codes::LIMIT_UNROLLED, name.span, message).label("too large"));
        }
        self.unused_names();
        self.draft.finish(self.globals.source, name.span, entry, declared, HashMap::new())
    }

    /// Warns about names that patterns bind and nothing reads.
    fn unused_names(&mut self) {
        let read = live::ever_read(&self.draft.nodes, &self.draft.variables, self.draft.slots);
        let unused = self.draft.variables.iter().zip(&read).filter(|(v, read)| !**read && !v.name.starts_with('_'));
        for (variable, _) in unused.map(|(v, r)| (v.clone(), r)).collect::<Vec<_>>() {
            let message = format!("`{}` is never read", printable(&variable.name));
            self.globals.warnings.add(&codes::RWB_UNUSED_NAME, variable.span, message, "bound or declared here");
        }
    }

    /// Runs `inner` inside of a named set. Sets name only other sets; a limit on the depth keeps the
    /// stack small and refuses sets that name themselves.
    pub(super) fn depth<T>(&mut self, inner: impl FnOnce(&mut Self) -> Res<T>, span: Span) -> Res<T> {
        if self.depth == 100 {
            let error =
                self.globals.error(&codes::LIMIT_NESTING, span, "event sets that name each other more than 100 deep");
            return Err(error.label("one level too deep"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    pub(super) fn compiler(&self) -> Compiler<'_, 'a> {
        let (scope, variables) = (&self.scope, &self.draft.variables);
        Compiler { source: self.globals.source, scope, variables, enums: &self.globals.enum_names }
    }

    pub(super) fn typed(&mut self, expr: &ast::Expr<'a>, ty: Ty) -> Res<Code> {
        self.globals.meter.work(1 + expr.code.len() / 8, expr.span)?;
        self.compiler().typed(expr, ty)
    }

    /// Adds the variables of the loops around a member to the scope.
    pub(super) fn add_loops(&mut self, scope: &Scope<'a>) {
        for entry in &scope.list()[self.outer..] {
            self.scope.push(entry.name, entry.meaning);
        }
    }

    /// Returns the domain and the sizes of a variable. Values of an enum without a name become names of the thread.
    fn kind_of(&mut self, var: &ast::Var<'a>, scope: &Scope<'a>) -> Res<(Domain, Vec<usize>)> {
        let outer = std::mem::replace(&mut self.globals.scope, scope.clone());
        let found =
            self.globals.domain(&var.kind).and_then(|domain| Ok((domain, self.globals.sizes(&var.name.indices)?)));
        self.globals.scope = outer;
        let (domain, sizes) = found?;
        self.values_of(&var.kind, domain.ty)?;
        Ok((domain, sizes))
    }

    /// Makes the values of an enum without a name visible in the thread that declares a variable of this type.
    fn values_of(&mut self, kind: &ast::Type<'a>, ty: Ty) -> Res<()> {
        let TypeKind::Values(values) = &kind.kind else { return Ok(()) };
        for (at, value) in (0..).zip(values) {
            let meaning = Meaning::Constant(ty, at);
            match self.scope.get(value.text) {
                Some(entry) if entry.meaning == meaning => {}
                Some(entry) => return Err(self.globals.duplicate("name", value.text, value.span, entry.name.span)),
                None => _ = self.scope.push(*value, meaning),
            }
        }
        Ok(())
    }

    fn variable(&mut self, var: &ast::Var<'a>, scope: &Scope<'a>) -> Res<()> {
        let own = var.name.base;
        if let Some(old) = self.scope.get(own.text) {
            return Err(self.globals.duplicate("name", own.text, own.span, old.name.span));
        }
        let (domain, sizes) = self.kind_of(var, scope)?;
        let first = domain.range.map_or(0, |(least, most)| if least <= 0 && most >= 0 { 0 } else { least });
        let first = match &var.initial {
            Some(Value::One(expr)) => {
                let outer = self.scope.clone();
                self.add_loops(scope);
                let value = self.compiler().constant(expr, domain.ty);
                self.scope = outer;
                let value = value?;
                fits(self.globals.source, &domain, value, &format!("`{}`", printable(own.text)), expr.span)?;
                value
            }
            Some(Value::Any(span)) if !sizes.is_empty() => return Err(self.any_of(*span)),
            _ => first,
        };
        let (name, span) = (own.text.to_owned(), own.span);
        let number = self.draft.add_variable(Variable { name, span, domain, sizes, base: 0 });
        if self.draft.slots > SLOTS {
            let message = format!("the variables of a thread have more than {SLOTS} elements");
            return Err(self.globals.error(&codes::LIMIT_VALUES, span, message).label("one too many"));
        }
        self.draft.values.resize(self.draft.slots, first);
        self.scope.push(own, Meaning::Variable(number));
        self.draft.choices.extend(matches!(var.initial, Some(Value::Any(_))).then_some(number));
        Ok(())
    }

    fn any_of(&self, span: Span) -> Box<Error> {
        let error = self.globals.error(&codes::RWB_ENDLESS_REQUEST, span, "`= *` is for single variables");
        error.label("this is an array").hint("assign `*` to the elements in the body, one at a time")
    }

    /// Compiles acts between two nodes.
    pub(super) fn acts(&mut self, acts: &'t List<'a, Act<'a>>, entry: NodeId, exit: NodeId) -> Res<()> {
        let height = self.scope.height();
        let mut at = entry;
        let mut is_over = false;
        for act in acts {
            let span = act.place().unwrap_or_default();
            self.globals.meter.work(1, span)?;
            if is_over {
                let message = "nothing leads to this act".to_owned();
                self.globals.warnings.add(
                    &codes::RWB_UNREACHABLE_ACT,
                    span,
                    message,
                    "after an act that never goes on",
                );
                is_over = false;
            }
            let next = self.draft.hole();
            self.node(act, at, next)?;
            at = next;
            is_over |= matches!(act, Written::Plain(act) if is_last(act));
        }
        self.draft.nodes[at] = Node::Goto(exit);
        self.scope.truncate(height);
        Ok(())
    }

    fn node(&mut self, node: &'t Written<'a, Act<'a>>, at: NodeId, next: NodeId) -> Res<()> {
        match node {
            Written::Plain(act) => self.act(act, at, next),
            Written::For(inner) => {
                let range = range_of(&self.compiler(), &inner.range)?;
                let variable = inner.variable;
                self.unrolled(range, Some(&variable), &inner.body, (at, next), variable.span)
            }
            Written::If(inner) => {
                let (yes, no) = (self.draft.hole(), self.draft.hole());
                self.draft.nodes[at] = Node::Branch(self.typed(&inner.condition, Ty::Bool)?, yes, no);
                self.acts(&inner.then, yes, next)?;
                self.acts(&inner.otherwise, no, next)
            }
            Written::Broken => Ok(()),
        }
    }

    fn act(&mut self, act: &'t Act<'a>, at: NodeId, next: NodeId) -> Res<()> {
        match act {
            Act::Sync(sync) => return self.sync(sync, at, next),
            Act::Select(sync, branches) => return self.select(sync, branches, at, next),
            Act::Assign(name, value) => {
                let target = self.target(name, act.place())?;
                let domain = self.draft.variables[target.variable].domain;
                self.draft.nodes[at] = match value {
                    Value::One(expr) => Node::Assign(target, self.typed(expr, domain.ty)?, next),
                    Value::Any(_) => Node::AssignAny(target, next),
                };
            }
            Act::While(condition, acts) => {
                let inside = self.draft.hole();
                self.draft.nodes[at] = Node::Branch(self.typed(condition, Ty::Bool)?, inside, next);
                self.looped(acts, inside, at, next)?;
            }
            Act::Loop(span, acts) => {
                let inside = self.draft.hole();
                self.draft.nodes[at] = Node::Loop(inside, *span);
                self.looped(acts, inside, at, next)?;
            }
            Act::Repeat(count, acts) => {
                let times = self.compiler().constant(count, Ty::Int)?;
                if times < 0 {
                    let error = self.globals.error(&codes::RWB_NEGATIVE_REPEAT, count.span, format!("{times} times"));
                    return Err(error.label("expected 0 or more"));
                }
                self.unrolled(0..=times - 1, None, acts, (at, next), count.span)?;
            }
            Act::Choose(ways) => {
                let mut first = Vec::with_capacity(ways.len());
                for way in ways {
                    let entry = self.draft.hole();
                    first.push(entry);
                    self.acts(way, entry, next)?;
                }
                self.draft.nodes[at] = Node::Choose(first);
            }
            Act::Assert(condition) => {
                let bad = self.draft.add(Node::Bad(condition.span, None));
                self.draft.nodes[at] = Node::Branch(self.typed(condition, Ty::Bool)?, next, bad);
            }
            Act::Bad(span) => self.draft.nodes[at] = Node::Bad(*span, None),
            Act::End(span) => self.draft.nodes[at] = Node::End(*span),
            Act::Final(span) => self.draft.nodes[at] = Node::Final(*span),
            Act::Break(span) | Act::Continue(span) => {
                let Some(around) = self.loops.last().copied() else {
                    let error = self.globals.error(&codes::RWB_OUTSIDE_LOOP, *span, "there is no loop around this");
                    let error = error.label("expected inside of `loop`, `while`, `for` or `repeat`");
                    return Err(error.hint("`end` ends the thread"));
                };
                self.draft.nodes[at] = Node::Goto(if matches!(act, Act::Break(_)) { around.out } else { around.again });
            }
        }
        Ok(())
    }

    /// Compiles the acts of a loop, which begin at `inside`.
    fn looped(&mut self, acts: &'t List<'a, Act<'a>>, inside: NodeId, again: NodeId, out: NodeId) -> Res<()> {
        self.loops.push(Around { again, out });
        let result = self.acts(acts, inside, again);
        self.loops.pop();
        result
    }

    /// Compiles acts once for each value of a range.
    fn unrolled(
        &mut self,
        range: std::ops::RangeInclusive<i64>,
        variable: Option<&ast::Word<'a>>,
        acts: &'t List<'a, Act<'a>>,
        (mut at, out): (NodeId, NodeId),
        span: Span,
    ) -> Res<()> {
        let rounds = if range.is_empty() { 0 } else { range.end().abs_diff(*range.start()) };
        if rounds >= MOST_ROUNDS {
            let message = format!("more than {MOST_ROUNDS} rounds are written out");
            return Err(self.globals.error(&codes::LIMIT_UNROLLED, span, message).label("too many"));
        }
        for value in range {
            self.globals.meter.work(1, span)?;
            let next = self.draft.hole();
            let height = self.scope.height();
            if let Some(variable) = variable {
                self.scope.push(*variable, Meaning::Constant(Ty::Int, value));
            }
            self.loops.push(Around { again: next, out });
            let result = self.acts(acts, at, next);
            self.loops.pop();
            self.scope.truncate(height);
            result?;
            at = next;
        }
        self.draft.nodes[at] = Node::Goto(out);
        Ok(())
    }

    fn target(&mut self, name: &ast::Name<'a>, span: Span) -> Res<Target> {
        let ast::Name { base, indices, .. } = name;
        let entry = self.scope.get(base.text).ok_or_else(|| self.compiler().unknown(base.text, base.span))?;
        let (Meaning::Variable(variable) | Meaning::Bound(variable)) = entry.meaning else {
            let message = format!("`{}` is a constant", printable(base.text));
            let error = self.globals.error(&codes::RWB_TYPE, base.span, message).label("cannot be assigned");
            return Err(error.hint("variables are declared in the thread, before its body: `var n: 0..10 = 0`"));
        };
        self.compiler().dimensions(&self.draft.variables[variable], indices.len(), span)?;
        let mut codes = Vec::with_capacity(indices.len());
        for index in indices {
            codes.push(self.typed(index, Ty::Int)?);
        }
        Ok(Target { variable, indices: codes, span })
    }
}

/// True if the act never goes on.
fn is_last(act: &Act<'_>) -> bool {
    match act {
        Act::Bad(_) | Act::End(_) | Act::Final(_) | Act::Break(_) | Act::Continue(_) => true,
        Act::Loop(_, inner) => !leaves(inner),
        _ => false,
    }
}

/// True if a `break` in these acts leaves the loop around them.
fn leaves(acts: &List<'_, Act<'_>>) -> bool {
    acts.iter().any(|node| match node {
        Written::Plain(Act::Break(_)) => true,
        Written::Plain(Act::Choose(ways)) => ways.iter().any(leaves),
        Written::Plain(Act::Select(_, branches)) => branches.iter().any(|branch| leaves(&branch.acts)),
        Written::If(inner) => leaves(&inner.then) || leaves(&inner.otherwise),
        _ => false,
    })
}
