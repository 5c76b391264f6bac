//! Maps the propositions of lemmas to literals, and chooses which of them to decide next.
//!
//! Clauses of lemmas are few and exclude more than single states do. So they are satisfied first, in order of
//! emission, and states are split only after that. A cursor stores how many clauses at the front are satisfied.
//! Backtracking restores the cursor.

use indexmap::IndexMap;
use model::{IntAtom, Prop};
use sat::{Ctx, DecidedBy, Lit, Var};

#[derive(Default)]
pub(crate) struct Props {
    /// Literals of the propositions that do not belong to the theory of transition systems.
    lits: IndexMap<Prop, Lit>,
    /// For each variable: its position in `lits`.
    positions: Vec<u32>,
    clauses: Vec<std::ops::Range<usize>>,
    literals: Vec<Lit>,
    cursor: usize,
    levels: Vec<usize>,
}

const NONE: u32 = u32::MAX;

impl Props {
    /// Returns the literal of `prop`, which is created on first use.
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

    /// Returns the proposition of a variable, if it is in this map.
    pub(crate) fn prop(&self, var: Var) -> Option<&Prop> {
        let position = self.positions.get(var.index()).copied().filter(|&p| p != NONE)?;
        self.lits.get_index(position as usize).map(|(prop, _)| prop)
    }

    /// Returns the arithmetic atom that `lit` asserts, with its token for the side theory.
    pub(crate) fn atom(&self, lit: Lit) -> Option<(u32, &IntAtom)> {
        let position = self.positions.get(lit.var().index()).copied().filter(|&p| p != NONE && lit.is_positive())?;
        match self.lits.get_index(position as usize)?.0 {
            Prop::Int(atom) => Some((position, atom)),
            _ => None,
        }
    }

    /// Returns the literal of a token.
    pub(crate) fn token_literal(&self, token: u32) -> Lit {
        *self.lits.get_index(token as usize).expect("tokens are positions").1
    }

    /// Adds a clause that must be satisfied before states are split.
    pub(crate) fn add_clause(&mut self, clause: &[Lit]) {
        let start = self.literals.len();
        self.literals.extend_from_slice(clause);
        self.clauses.push(start..self.literals.len());
    }

    /// Returns an unassigned literal of the first unsatisfied clause, positive ones first. Returns `None` if
    /// all clauses are satisfied, or if the first unsatisfied one is false. In the latter case, the solver will
    /// detect the conflict.
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

    /// Returns true if all clauses were satisfied at the last call of [`Props::next`].
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
