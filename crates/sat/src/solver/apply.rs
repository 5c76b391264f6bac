//! Applies the requests that a theory made during a callback. This is the only code that adds variables and
//! lemmas during a search.

use super::{Lent, Solver};
use crate::clauses::ClauseRef;
use crate::lit::Lit;
use crate::theory::{Ctx, Theory, View};
use crate::trail::Reason;

/// The effect of a callback.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Effect {
    /// True if the callback made a request that lets the search continue: a variable, a lemma, an implied
    /// literal, or an unassigned preferred literal.
    pub(super) changed: bool,
    pub(super) incomplete: bool,
    pub(super) stop: bool,
}

impl Solver {
    /// Calls `callback` and then applies its requests in this order: variables, implied literals, lemmas.
    /// Implied literals come before lemmas because the theory can explain them only in its current state.
    /// Conflicts are resolved as they occur.
    pub(super) fn consult(
        &mut self,
        theory: &mut dyn Theory,
        callback: impl FnOnce(&mut dyn Theory, &mut Ctx<'_>),
    ) -> Effect {
        let mut queue = self.hook.take_queue();
        callback(theory, &mut Ctx { view: &self.trail, queue: &mut queue });
        let mut changed = !(queue.new_vars.is_empty() && queue.implied.is_empty() && queue.lemmas.is_empty());
        for by in queue.new_vars.drain(..) {
            self.new_var(by);
        }
        changed |= queue.preferred.iter().any(|&lit| self.trail.is_open(lit));
        self.hook.prefer(&mut queue.preferred);
        let mut conflict = self.apply_implied(&mut queue.implied, theory);
        for (tag, range) in queue.lemmas.drain(..) {
            self.stats.lemmas += 1;
            if let Some(conflict) = conflict.take() {
                self.resolve_unless_refuted(conflict, theory);
            }
            conflict = self.bcp().add_axiom(tag, &queue.literals[range]);
        }
        if let Some(conflict) = conflict {
            self.resolve_unless_refuted(conflict, theory);
        }
        queue.literals.clear();
        let effect = Effect {
            changed,
            incomplete: std::mem::take(&mut queue.incomplete),
            stop: std::mem::take(&mut queue.stop),
        };
        self.hook.put_queue(queue);
        effect
    }

    /// Tells the theory the literals that became true.
    pub(super) fn tell(&mut self, theory: &mut dyn Theory) -> Effect {
        let news = self.hook.take_news(&mut self.trail);
        debug_assert!(news.iter().all(|&lit| self.trail.is_true(lit)));
        let effect = self.consult(theory, |theory, ctx| theory.propagate(&news, ctx));
        self.hook.put_news(news);
        effect
    }

    fn explain(&mut self, lit: Lit, theory: &mut dyn Theory) -> ClauseRef {
        let Lent { mut bcp, analysis, .. } = self.lend();
        analysis.explain(&mut bcp, lit, theory)
    }

    fn resolve_unless_refuted(&mut self, conflict: ClauseRef, theory: &mut dyn Theory) {
        if !self.log.is_refuted() {
            self.resolve(conflict, theory);
        }
    }

    /// Makes implied literals true, in order. If a literal is already false, its explanation is the conflict,
    /// and the later literals are dropped.
    fn apply_implied(&mut self, implied: &mut Vec<Lit>, theory: &mut dyn Theory) -> Option<ClauseRef> {
        let mut conflict = None;
        for lit in implied.drain(..) {
            match self.trail.value(lit) {
                _ if conflict.is_some() => {}
                Some(true) => {}
                Some(false) => conflict = Some(self.explain(lit, theory)),
                None => conflict = self.assign_implied(lit, theory),
            }
        }
        conflict
    }

    /// Assigns an implied literal at the current level. This level can be higher than the levels of its
    /// reasons, because the theory is not asked for the explanation yet. At level 0 the explanation is
    /// requested at once if a proof is logged, because analysis does not ask for explanations of fixed literals
    /// later.
    fn assign_implied(&mut self, lit: Lit, theory: &mut dyn Theory) -> Option<ClauseRef> {
        if self.trail.depth() == 0 && self.log.is_on() {
            let clause = self.explain(lit, theory);
            return self.bcp().evaluate(clause);
        }
        self.trail.assign(lit, self.trail.depth(), Reason::Theory);
        None
    }
}
