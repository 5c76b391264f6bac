//! An artificial theory to measure the solver's share of splitting on demand. It explores no system.
//!
//! When a variable becomes true, the theory adds a lemma `not x or y_1 or .. or y_w`. There are two variants.
//! Either all of the `y` are new, and the search traverses a tree depth first. Or only the last `y` is new, and
//! the search follows a path. The other `y` are then refuted from the start, like most successors of most
//! states. After the last split, unit clauses refute the open literals and then all other literals, because a
//! search that proves safety also refutes every state.

use sat::{Ctx, DecidedBy, Lit, Solver, Tag, Theory};

const TAG: Tag = Tag(0);

pub(crate) struct Ladder {
    /// Number of splits with successors that remain.
    left: u64,
    /// Number of literals of each lemma besides the first.
    width: u64,
    fresh: bool,
    /// Literals that are permanently false.
    refuted: Vec<Lit>,
    /// The variable of the first rung. All later variables are rungs too.
    first: usize,
    /// Rungs to decide, the last first.
    open: Vec<Lit>,
    /// For each rung: true if its lemma was added.
    expanded: Vec<bool>,
    splits: u64,
    literals: u64,
    clause: Vec<Lit>,
}

impl Ladder {
    /// Creates a ladder of `splits` splits with `width` successors each.
    pub(crate) fn new(solver: &mut Solver, splits: u64, width: u64, fresh: bool) -> Self {
        let mut new_lit = || solver.new_var(DecidedBy::Theory).positive();
        let old = if fresh { 1 } else { width };
        let refuted: Vec<Lit> = (1..old).map(|_| new_lit()).collect();
        let root = new_lit();
        refuted.iter().for_each(|&lit| solver.add_clause(TAG, &[!lit]));
        solver.add_clause(TAG, &[root]);
        Self {
            left: splits,
            width,
            fresh,
            refuted,
            first: root.var().index(),
            open: Vec::new(),
            expanded: vec![false],
            splits: 0,
            literals: 0,
            clause: Vec::new(),
        }
    }

    /// Returns the number of lemmas with successors, plus the number of units at the end.
    pub(crate) fn splits(&self) -> u64 {
        self.splits
    }

    /// Returns the number of literals of all lemmas.
    pub(crate) fn literals(&self) -> u64 {
        self.literals
    }

    fn expand(&mut self, rung: Lit, ctx: &mut Ctx<'_>) {
        self.clause.clear();
        self.clause.push(!rung);
        if self.left > 0 {
            self.left -= 1;
            self.clause.extend(&self.refuted);
            for _ in 0..if self.fresh { self.width } else { 1 } {
                let successor = ctx.new_lit(DecidedBy::Theory);
                self.clause.push(successor);
                self.open.push(successor);
                self.expanded.push(false);
            }
        }
        self.splits += 1;
        self.literals += self.clause.len() as u64;
        ctx.lemma(TAG, &self.clause);
    }
}

impl Theory for Ladder {
    fn propagate(&mut self, new: &[Lit], ctx: &mut Ctx<'_>) {
        for &lit in new.iter().filter(|lit| lit.is_positive()) {
            let Some(rung) = lit.var().index().checked_sub(self.first) else { continue };
            if !std::mem::replace(&mut self.expanded[rung], true) {
                self.expand(lit, ctx);
            }
        }
    }

    /// A correct solver never calls this, because all open literals are decided first. A call makes the answer
    /// incomplete, which shows the error.
    fn final_check(&mut self, ctx: &mut Ctx<'_>) {
        ctx.incomplete();
    }

    /// Literals with a value are removed. A false literal stays false, because all refutations here are
    /// permanent.
    fn decide(&mut self, ctx: &Ctx<'_>) -> Option<Lit> {
        while let Some(&lit) = self.open.last() {
            if ctx.value(lit).is_none() {
                return Some(lit);
            }
            self.open.pop();
        }
        None
    }

    fn explain(&mut self, _lit: Lit, _why: &mut Vec<Lit>) -> Tag {
        TAG
    }

    fn push_level(&mut self) {}

    fn pop_levels(&mut self, _n: usize) {}

    fn undoes_by_level(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sat::{Limits, Options, SolveResult};

    /// In any order of events, every literal is split once and refuted.
    #[test]
    fn ladders_are_refuted() {
        for (width, fresh) in [(1, false), (5, false), (1, true), (5, true)] {
            let mut solver = Solver::new(Options::default());
            let mut ladder = Ladder::new(&mut solver, 300, width, fresh);
            assert_eq!(solver.solve_with(&mut ladder, &[], &Limits::default()), SolveResult::Unsat);
            let leaves = if fresh { 300 * (width - 1) + 1 } else { 1 };
            assert_eq!(ladder.splits(), 300 + leaves, "width {width}, fresh: {fresh}");
            assert_eq!(solver.stats().lemmas, 300 + leaves);
        }
    }
}
