//! Marks on variables, set by conflict analysis and minimisation.
//!
//! Invariants: the list `marked` contains each variable that is not `Unknown` once, and no other variable;
//! between two analyses it is empty.

use crate::lit::Var;

/// The state of a variable during analysis. `Unknown` is the default between two analyses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Mark {
    #[default]
    Unknown,
    /// In the learnt clause, or resolved away.
    Seen,
    /// Implied by literals of the learnt clause.
    Implied,
    /// Minimisation tried to show that the variable is implied by the learnt clause, and failed.
    Free,
    /// Fixed at level 0, and its unit clause is already a hint.
    Fixed,
}

#[derive(Default)]
pub(super) struct Marks {
    by_var: Vec<Mark>,
    marked: Vec<Var>,
}

impl Marks {
    pub(super) fn new_var(&mut self) {
        self.by_var.push(Mark::Unknown);
    }

    pub(super) fn of(&self, var: Var) -> Mark {
        self.by_var[var.index()]
    }

    pub(super) fn is(&self, var: Var, mark: Mark) -> bool {
        self.of(var) == mark
    }

    pub(super) fn set(&mut self, var: Var, mark: Mark) {
        debug_assert_ne!(mark, Mark::Unknown, "marks are forgotten all at once");
        let known = &mut self.by_var[var.index()];
        if *known == Mark::Unknown {
            self.marked.push(var);
        }
        *known = mark;
    }

    /// All marked variables, in the order in which they were first marked.
    pub(super) fn all(&self) -> &[Var] {
        &self.marked
    }

    pub(super) fn with(&self, mark: Mark) -> impl Iterator<Item = Var> + '_ {
        self.marked.iter().copied().filter(move |&var| self.is(var, mark))
    }

    pub(super) fn clear(&mut self) {
        for var in self.marked.drain(..) {
            debug_assert_ne!(self.by_var[var.index()], Mark::Unknown, "a variable is listed once");
            self.by_var[var.index()] = Mark::Unknown;
        }
    }

    /// Panics if a variable is still marked.
    pub(super) fn check(&self) {
        assert!(self.marked.is_empty(), "marks are left of an analysis");
        assert!(self.by_var.iter().all(|&mark| mark == Mark::Unknown), "a mark is not listed");
    }
}
