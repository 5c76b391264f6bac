//! Compilation of syncs: the nodes at which a body waits.

use super::arms::{Arms, NodeId};
use super::compile::ThreadCompiler;
use super::domain::Ty;
use super::events::PatternSet;
use super::machine::{Node, Sync};
use super::scope::Meaning;
use super::sets::Bindings;
use crate::rwb::ast::{self, Branch};
use crate::rwb::parse::Res;
use formats::codes;
use model::PRIORITIES;
use std::rc::Rc;

impl<'a, 't> ThreadCompiler<'_, 'a, 't> {
    pub(super) fn sync(&mut self, sync: &'t ast::Sync<'a>, at: NodeId, next: NodeId) -> Res<()> {
        let mut names = Bindings::default();
        let request = self.clause(sync.request.as_ref(), &mut names)?;
        let wait = self.clause(sync.wait.as_ref(), &mut names)?;
        let arms = request.iter().chain(&wait).map(|set| (set.clone(), next)).collect();
        self.wait(sync, request, arms, at)?;
        self.show(&names);
        Ok(())
    }

    pub(super) fn select(
        &mut self,
        sync: &'t ast::Sync<'a>,
        branches: &'t [Branch<'a>],
        at: NodeId,
        next: NodeId,
    ) -> Res<()> {
        let (mut request, mut arms) = (Vec::new(), Vec::new());
        for branch in branches {
            let mut names = Bindings::default();
            let set = self.set(&branch.events.set, &mut names)?;
            if branch.requests {
                request.push(set.clone());
            }
            let entry = self.draft.hole();
            arms.push((set, entry));
            let height = self.scope.height();
            self.show(&names);
            let result = self.acts(&branch.acts, entry, next);
            self.scope.truncate(height);
            result?;
        }
        self.wait(sync, request, arms, at)
    }

    /// Makes `at` the node that waits, with the other clauses of the sync.
    fn wait(
        &mut self,
        sync: &ast::Sync<'a>,
        request: Vec<PatternSet>,
        arms: Vec<(PatternSet, NodeId)>,
        at: NodeId,
    ) -> Res<()> {
        let block = self.clause(sync.block.as_ref(), &mut Bindings::default())?;
        let interrupt = self.clause(sync.interrupt.as_ref(), &mut Bindings::default())?;
        let (is_final, is_hot, span) = (sync.is_final, sync.is_hot, sync.span);
        let priority = sync.priority.as_ref().map_or(Ok(0), |expr| self.priority(expr))?;
        let arms = Arms::new(arms);
        let node = Sync { request, block, interrupt, arms, is_final, is_hot, priority, span, name: None };
        self.draft.nodes[at] = Node::Sync(Rc::new(node));
        Ok(())
    }

    /// Returns the value of a priority.
    pub(super) fn priority(&mut self, expr: &ast::Expr<'a>) -> Res<i64> {
        let value = self.compiler().constant(expr, Ty::Int)?;
        if PRIORITIES.contains(&value) {
            return Ok(value);
        }
        let error =
            self.globals.error(&codes::RWB_PRIORITY, expr.span, format!("the priority {value} is out of range"));
        Err(error.label("expected a number from -2^31 to 2^31 - 1"))
    }

    /// Makes the names that every pattern binds visible.
    fn show(&mut self, names: &Bindings<'a>) {
        for (name, variable) in names.shared() {
            let span = self.draft.variables[variable].span;
            self.scope.push(ast::Word { text: name, span }, Meaning::Bound(variable));
        }
    }
}
