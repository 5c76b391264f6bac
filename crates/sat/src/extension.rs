//! Values of eliminated variables.
//!
//! Bounded variable elimination replaces the clauses of a variable by their resolvents
//! (`inprocess/eliminate/`). Any model of the resolvents can be extended to a model of the deleted clauses
//! (Davis and Putnam 1960). This module keeps the deleted clauses that are needed for this, each with its *witness*,
//! the literal of the eliminated variable. The clauses are visited from the last to the first. A clause that is false
//! makes its witness true (Jarvisalo and Biere 2010). A clause is kept for one sign of the variable only. A unit
//! clause with the other sign comes after these clauses, and so gives the variable its value first (as in MiniSat).
//!
//! Invariant: when a clause is kept, its variables are not eliminated, except that of its witness.

use crate::lit::{Lit, Var};

#[derive(Default)]
pub(crate) struct Extension {
    /// The literals of all kept clauses, the witness first in each.
    literals: Vec<Lit>,
    /// For each kept clause: the index after its last literal.
    ends: Vec<usize>,
    /// For each variable: true if it is eliminated. Variables after the last entry are not eliminated.
    gone: Vec<bool>,
}

impl Extension {
    /// True if no variable is eliminated.
    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(crate) fn is_eliminated(&self, var: Var) -> bool {
        self.gone.get(var.index()).copied().unwrap_or(false)
    }

    /// Keeps a clause with its witness. It comes before the `eliminate` of the witness's variable.
    pub(crate) fn keep(&mut self, witness: Lit, clause: impl Iterator<Item = Lit>) {
        debug_assert!(!self.is_eliminated(witness.var()));
        self.literals.push(witness);
        self.literals.extend(clause.filter(|&lit| lit != witness));
        self.ends.push(self.literals.len());
    }

    /// Marks the variable of `first` as eliminated. `first` becomes true if no kept clause needs its negation.
    pub(crate) fn eliminate(&mut self, first: Lit) {
        self.keep(first, std::iter::empty());
        let index = first.var().index();
        if self.gone.len() <= index {
            self.gone.resize(index + 1, false);
        }
        self.gone[index] = true;
    }

    /// Gives values to the eliminated variables. `model` has the value of each variable.
    pub(crate) fn extend(&self, model: &mut [Option<bool>]) {
        let mut end = self.literals.len();
        for last in (0..self.ends.len()).rev() {
            let start = if last == 0 { 0 } else { self.ends[last - 1] };
            let clause = &self.literals[start..end];
            let is_true = |lit: &Lit| model[lit.var().index()] == Some(lit.is_positive());
            if !clause.iter().any(is_true) {
                model[clause[0].var().index()] = Some(clause[0].is_positive());
            }
            end = start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_clauses_are_visited_first() {
        let lit = Lit::from_dimacs;
        let mut extension = Extension::default();
        // Variable 1 equals the conjunction of 2 and 3; then 2 is eliminated, which equals 3.
        extension.keep(lit(1), [lit(1), lit(-2), lit(-3)].into_iter());
        extension.eliminate(lit(-1));
        extension.keep(lit(2), [lit(-3), lit(2)].into_iter());
        extension.eliminate(lit(-2));
        assert!(extension.is_eliminated(lit(1).var()) && !extension.is_eliminated(lit(3).var()));
        for value in [false, true] {
            let mut model = [None, None, Some(value)];
            extension.extend(&mut model);
            assert_eq!(model, [Some(value); 3]);
        }
    }
}
