//! The propositions of pattern lemmas as literals, and which of them to decide next.
//!
//! Lemma clauses are few and say more than states do, so they are satisfied first, in the order they came: the search
//! prefers what lemmas have just introduced, and only then splits on states. A cursor remembers how many clauses in front
//! are satisfied; levels put it back.

use indexmap::IndexMap;
use model::{IntAtom, Prop};
use sat::{Ctx, DecidedBy, Lit, Var};

#[derive(Default)]
pub(crate) struct Props {
    /// Literals of the propositions that are not the transition-system theory's own.
    lits: IndexMap<Prop, Lit>,
    /// By variable: position in `lits`.
    positions: Vec<u32>,
    clauses: Vec<std::ops::Range<usize>>,
    literals: Vec<Lit>,
    cursor: usize,
    levels: Vec<usize>,
}

const NONE: u32 = u32::MAX;

impl Props {
    /// The literal of `prop`, created on first use.
    pub(crate) fn literal(&mut self, prop: &Prop, ctx: &mut Ctx<'_>) -> Lit {
        if let Some(&lit) = self.lits.get(prop) {
            return lit;
        }
        let lit = ctx.new_lit(DecidedBy::Theory);
        let (position, _) = self.lits.insert_full(prop.clone(), lit);
        let var = lit.var().index();
        if var >= self.positions.len() {
            self.positions.resize(var + 1, NONE);
        }
        self.positions[var] = u32::try_from(position).expect("fewer propositions than variables");
        lit
    }

    /// The proposition of a variable, if it is one of these.
    pub(crate) fn prop(&self, var: Var) -> Option<&Prop> {
        let position = self.positions.get(var.index()).copied().filter(|&p| p != NONE)?;
        self.lits.get_index(position as usize).map(|(prop, _)| prop)
    }

    /// The arithmetic atom that `lit` asserts, with its token for the side theory.
    pub(crate) fn atom(&self, lit: Lit) -> Option<(u32, &IntAtom)> {
        let position = self.positions.get(lit.var().index()).copied().filter(|&p| p != NONE && lit.is_positive())?;
        match self.lits.get_index(position as usize)?.0 {
            Prop::Int(atom) => Some((position, atom)),
            _ => None,
        }
    }

    /// The literal behind a token.
    pub(crate) fn token_literal(&self, token: u32) -> Lit {
        *self.lits.get_index(token as usize).expect("tokens are positions").1
    }

    /// Adds a clause to be satisfied before states are split on.
    pub(crate) fn add_clause(&mut self, clause: &[Lit]) {
        let start = self.literals.len();
        self.literals.extend_from_slice(clause);
        self.clauses.push(start..self.literals.len());
    }

    /// An unassigned literal of the first clause that is not satisfied, positive ones first; `None` if all clauses are
    /// satisfied (or false: then a conflict is on its way).
    pub(crate) fn next(&mut self, ctx: &Ctx<'_>) -> Option<Lit> {
        while let Some(range) = self.clauses.get(self.cursor) {
            let clause = &self.literals[range.clone()];
            if clause.iter().any(|&lit| ctx.value(lit) == Some(true)) {
                self.cursor += 1;
                continue;
            }
            let free = || clause.iter().copied().filter(|&lit| ctx.value(lit).is_none());
            return free().find(|lit| lit.is_positive()).or_else(|| free().next());
        }
        None
    }

    /// Are all clauses satisfied? (As of the last [`Props::next`].)
    pub(crate) fn all_satisfied(&self) -> bool {
        self.cursor == self.clauses.len()
    }

    pub(crate) fn push_level(&mut self) {
        self.levels.push(self.cursor);
    }

    pub(crate) fn pop_levels(&mut self, n: usize) {
        let level = self.levels.len() - n;
        self.cursor = self.levels[level];
        self.levels.truncate(level);
    }
}
