//! What analysis and minimisation have found out about variables.
//!
//! Invariants: the variables that are not `Unknown` are those listed, each once; between two analyses there are none.

use crate::lit::Var;

/// What is known of a variable. `Unknown` is the resting state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Mark {
    #[default]
    Unknown,
    /// In the learnt clause, or resolved away.
    Seen,
    /// Implied by literals of the learnt clause.
    Implied,
    /// Certainly, or for all that is known, not implied.
    Free,
    /// Fixed at level 0, and its unit is a hint already.
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

    /// All variables with a mark, in the order in which they got their first.
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

    /// Panics if a mark is left.
    pub(super) fn check(&self) {
        assert!(self.marked.is_empty(), "marks are left of an analysis");
        assert!(self.by_var.iter().all(|&mark| mark == Mark::Unknown), "a mark is not listed");
    }
}
