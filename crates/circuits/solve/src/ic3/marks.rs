//! Sets of variables for walks through the circuit. Every query needs fresh ones.

use sat::Var;

/// A set that is emptied in constant time.
#[derive(Default)]
pub(super) struct Marks {
    /// For each variable, the number of the last set that contained it.
    marks: Vec<u32>,
    mark: u32,
}

impl Marks {
    /// Empties the set and makes space for `variables` variables.
    pub(super) fn clear(&mut self, variables: usize) {
        self.marks.resize(variables.max(self.marks.len()), 0);
        if self.mark == u32::MAX {
            self.marks.fill(0);
            self.mark = 0;
        }
        self.mark += 1;
    }

    pub(super) fn has(&self, var: Var) -> bool {
        self.marks[var.index()] == self.mark
    }

    /// Adds a variable. Returns true if it was not in the set.
    pub(super) fn insert(&mut self, var: Var) -> bool {
        debug_assert!(self.mark > 0, "cleared before use");
        std::mem::replace(&mut self.marks[var.index()], self.mark) != self.mark
    }
}
