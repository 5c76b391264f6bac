//! Which literals of a model matter: a variable whose value no clause needs can be taken out of it.
//!
//! For lifting in IC3. A clause that a literal satisfies alone must be found among that literal's watches; blockers break
//! this (a clause is left alone while its blocker is true, watched or not), so before the first question about a model every
//! clause with a false watch gets a true one, if it has not. Values come back before the search goes on.

use crate::lit::{Lit, Var};
use crate::solver::{Answer, Solver};
use crate::theory::View;

#[derive(Default)]
pub(crate) struct Flips {
    /// Literals of the model taken out of it.
    flipped: Vec<Lit>,
    /// Have all satisfied clauses a true watch?
    is_ready: bool,
    /// By variable: is it assumed? Only while ready.
    assumed: Vec<bool>,
}

impl Solver {
    /// After `Sat` of a query without theory, before anything else is done: is every clause satisfied whatever the value of
    /// `var` is, and is it not assumed? Then it has no value from now on, until something is added or asked. Cost: the
    /// variable's watches; once per model, those of all assigned ones. After a query in a domain, a clause with two open literals
    /// may count as satisfied.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn flip_to_none(&mut self, var: Var) -> bool {
        assert!(self.last_answer() == Some(Answer::Sat) && self.is_model_kept(), "there is no model to take it out of");
        let lit = self.trail.true_literal(var);
        if self.trail.is_open(lit) {
            return true;
        }
        // Units are not watched. One that came while its literal was true is noted.
        let is_fixed = self.missed.get(&var).is_some_and(|missed| missed.level == 0);
        if is_fixed || self.trail.level_of_var(var) == 0 {
            return false;
        }
        self.make_ready();
        if self.flips.assumed[var.index()] || !self.find_other_witnesses(lit) {
            return false;
        }
        self.flips.flipped.push(lit);
        self.trail.hide(lit);
        true
    }

    /// Gives flipped variables their values back.
    pub(crate) fn unflip(&mut self) {
        for lit in self.flips.flipped.drain(..) {
            self.trail.unhide(lit);
        }
        if std::mem::take(&mut self.flips.is_ready) {
            for lit in &self.assumptions {
                self.flips.assumed[lit.var().index()] = false;
            }
        }
    }

    fn make_ready(&mut self) {
        if std::mem::replace(&mut self.flips.is_ready, true) {
            return;
        }
        self.flips.assumed.resize(self.trail.variables(), false);
        for lit in &self.assumptions {
            self.flips.assumed[lit.var().index()] = true;
        }
        let mut lits = std::mem::take(&mut self.learnt);
        lits.clear();
        lits.extend((0..=self.trail.depth()).flat_map(|level| self.trail.chain(level)));
        for &lit in &lits {
            self.find_other_witnesses(!lit);
        }
        self.learnt = lits;
    }

    /// Finds every clause that watches `lit`, but has no other true watch, a true literal to watch instead of it. Answers
    /// whether each has one or the other; if `lit` is true, the first clause that has not ends the search.
    fn find_other_witnesses(&mut self, lit: Lit) -> bool {
        let trail = &self.trail;
        let stops = trail.is_true(lit);
        let mut list = std::mem::take(&mut self.watches[lit.0 as usize]);
        let mut found_all = true;
        list.retain(|&watch| {
            if stops && !found_all {
                return true;
            }
            if watch.is_binary() {
                found_all &= trail.is_true(watch.blocker);
                return true;
            }
            let mut open = self.clauses.open(watch.clause());
            if open.is_garbage() {
                return false;
            }
            let own = usize::from(open.lit(1) == lit);
            if trail.is_true(open.lit(1 - own)) {
                return true;
            }
            let Some(at) = (2..open.len()).find(|&at| trail.is_true(open.lit(at))) else {
                found_all = false;
                return true;
            };
            open.swap(own, at);
            let to = open.lit(own);
            self.watches[to.0 as usize].push(watch.with_blocker(open.lit(1 - own)));
            false
        });
        self.watches[lit.0 as usize] = list;
        found_all
    }
}
