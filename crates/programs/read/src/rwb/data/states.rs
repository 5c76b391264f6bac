//! Compilation of threads that are written by states: each state is a node at which the thread waits.

use super::arms::{Arms, NodeId};
use super::compile::ThreadCompiler;
use super::machine::{Node, Sync};
use super::scope::Scope;
use super::sets::Bindings;
use crate::rwb::ast::{self, Clause, List, Member};
use crate::rwb::parse::Res;
use formats::error::{Span, printable};
use formats::{codes, suggest};
use std::collections::HashMap;
use std::rc::Rc;

impl<'a, 't> ThreadCompiler<'_, 'a, 't> {
    /// Compiles a thread that is written by states. Returns the nodes at which it begins.
    pub(super) fn states(&mut self, name: &ast::Name<'a>, members: &[(&'t Member<'a>, Scope<'a>)]) -> Res<Vec<NodeId>> {
        let (mut numbers, mut order) = (HashMap::new(), Vec::new());
        let own = self.scope.clone();
        for (member, scope) in members {
            if let Member::State(state, _) = member {
                let full = self.name_in(state, scope)?;
                let node = self.draft.hole();
                if numbers.insert(full.clone(), node).is_some() {
                    let message = format!("the state `{}` is declared twice", printable(&full));
                    let error = self.globals.error(&codes::RWB_DUPLICATE, state.span, message);
                    return Err(error.label("declared again here"));
                }
                order.push((full, node));
            }
        }
        if order.is_empty() {
            let message = format!("thread `{}` is empty", printable(name.base.text));
            let error = self.globals.error(&codes::RWB_EMPTY_THREAD, name.span, message);
            return Err(error.label("expected a `state` or a `body`"));
        }
        let (mut initial, mut at) = (Vec::new(), 0);
        for (member, scope) in members {
            self.scope = own.clone();
            // Names of loops around the member.
            self.add_loops(scope);
            match member {
                Member::Init(names) => {
                    for name in names {
                        initial.push(self.state_of(name, &numbers)?);
                    }
                }
                Member::State(state, clauses) => {
                    let (full, node) = order[at].clone();
                    at += 1;
                    self.state(state.span, full, node, clauses, &numbers)?;
                }
                _ => {}
            }
        }
        self.scope = own;
        if initial.is_empty() {
            initial.push(order[0].1);
        }
        Ok(initial)
    }

    /// Returns the full name of a state in a scope.
    fn name_in(&mut self, name: &ast::Name<'a>, scope: &Scope<'a>) -> Res<String> {
        let outer = std::mem::replace(&mut self.globals.scope, scope.clone());
        let full = self.globals.full_name(name);
        self.globals.scope = outer;
        full
    }

    fn state_of(&mut self, name: &ast::Name<'a>, numbers: &HashMap<String, NodeId>) -> Res<NodeId> {
        let scope = self.scope.clone();
        let full = self.name_in(name, &scope)?;
        if let Some(node) = numbers.get(&full) {
            return Ok(*node);
        }
        let message = format!("the thread has no state `{}`", printable(&full));
        let error =
            self.globals.error(&codes::RWB_UNKNOWN_STATE, name.span, message).label("not a state of this thread");
        let mut known: Vec<&str> = numbers.keys().map(String::as_str).collect();
        known.sort_unstable();
        Err(suggest::hinted(error, &full, known, ""))
    }

    fn state(
        &mut self,
        span: Span,
        name: String,
        node: NodeId,
        clauses: &'t List<'a, Clause<'a>>,
        numbers: &HashMap<String, NodeId>,
    ) -> Res<()> {
        let mut plain = Vec::new();
        let outer = std::mem::replace(&mut self.globals.scope, self.scope.clone());
        let unrolled = self.globals.each(clauses, &mut |globals, clause| {
            plain.push((clause, globals.scope.clone()));
            Ok(())
        });
        self.globals.scope = outer;
        unrolled?;
        let mut sync = Sync { span, name: Some(name), ..Sync::default() };
        let (mut is_bad, mut has_priority, mut arms) = (false, false, Vec::new());
        let own = self.scope.clone();
        for (clause, scope) in plain {
            self.scope = scope;
            match clause {
                Clause::Request(events) => sync.request.push(self.set(&events.set, &mut Bindings::default())?),
                Clause::Block(events) => sync.block.push(self.set(&events.set, &mut Bindings::default())?),
                Clause::Priority(expr) => {
                    let value = self.priority(expr)?;
                    if has_priority {
                        let error = self.globals.error(
                            &codes::RWB_REPEATED_CLAUSE,
                            expr.span,
                            "a second `priority` in one state",
                        );
                        let hint = "all requests of a state have the same priority";
                        return Err(error.label("expected at most one").hint(hint));
                    }
                    (sync.priority, has_priority) = (value, true);
                }
                Clause::Bad => is_bad = true,
                Clause::Final => sync.is_final = true,
                Clause::Hot => sync.is_hot = true,
                Clause::On(events, targets) => {
                    let set = self.set(&events.set, &mut Bindings::default())?;
                    let mut nodes = Vec::with_capacity(targets.len());
                    for target in targets {
                        nodes.push(self.state_of(target, numbers)?);
                    }
                    let next = self.draft.add(Node::Choose(nodes));
                    arms.push((set, next));
                }
            }
        }
        self.scope = own;
        sync.arms = Arms::new(arms);
        self.draft.nodes[node] = if is_bad { Node::Bad(span, sync.name) } else { Node::Sync(Rc::new(sync)) };
        Ok(())
    }
}
