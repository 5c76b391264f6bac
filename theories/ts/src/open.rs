//! The depth-first order of the search: which exit of which true set to split on next.
//!
//! Sets with a true literal are on a stack, the newest on top. The next split is the first unassigned exit of
//! the topmost set that has one. So unexpanded successors are visited before back edges are decided. As a
//! result, a component is usually found as a whole, and components seldom nest. Sets without unassigned exits
//! leave the stack, and backtracking restores them. Every operation is recorded in an undo log, so a split
//! costs amortised constant time at any depth.

use crate::sets::{SetId, Sets};
use sat::{Ctx, Lit};

#[derive(Clone, Copy, Debug)]
struct Entry {
    set: SetId,
    /// All exits before this index are assigned.
    cursor: u32,
}

#[derive(Clone, Copy, Debug)]
enum Undo {
    Entered,
    Left(Entry),
    /// The cursor of the top entry moved. The number is its previous value.
    Moved(u32),
}

#[derive(Default)]
pub(crate) struct Open {
    stack: Vec<Entry>,
    undo: Vec<Undo>,
    levels: Vec<usize>,
}

impl Open {
    /// Adds a set that has become true.
    pub(crate) fn enter(&mut self, set: SetId, sets: &Sets) {
        if !sets.exits(set).is_empty() {
            self.stack.push(Entry { set, cursor: 0 });
            self.log(Undo::Entered);
        }
    }

    /// The next literal to split on, or `None` if no true set has an unassigned exit.
    pub(crate) fn next_exit(&mut self, sets: &Sets, ctx: &Ctx<'_>) -> Option<Lit> {
        while let Some(&top) = self.stack.last() {
            debug_assert!((top.cursor as usize) < sets.exits(top.set).len(), "a set without exits does not enter");
            let exits = &sets.exits(top.set)[top.cursor as usize..];
            let Some(skipped) = exits.iter().position(|&lit| ctx.value(lit).is_none()) else {
                self.stack.pop();
                self.log(Undo::Left(top));
                continue;
            };
            if skipped > 0 {
                self.log(Undo::Moved(top.cursor));
                let cursor = top.cursor + skipped as u32;
                *self.stack.last_mut().expect("the top was just read") = Entry { cursor, ..top };
            }
            return Some(exits[skipped]);
        }
        None
    }

    pub(crate) fn push_level(&mut self) {
        self.levels.push(self.undo.len());
    }

    pub(crate) fn pop_levels(&mut self, n: usize) {
        debug_assert!(n <= self.levels.len(), "only levels that began are taken back");
        let level = self.levels.len() - n;
        let keep = self.levels[level];
        self.levels.truncate(level);
        for undo in self.undo.drain(keep..).rev() {
            match undo {
                Undo::Entered => drop(self.stack.pop()),
                Undo::Left(entry) => self.stack.push(entry),
                Undo::Moved(cursor) => self.stack.last_mut().expect("the moved entry is on top again").cursor = cursor,
            }
        }
    }

    /// Writes an operation into the undo log, for `pop_levels`. Operations at level 0 are never undone, so they
    /// are not recorded.
    fn log(&mut self, undo: Undo) {
        if !self.levels.is_empty() {
            self.undo.push(undo);
        }
    }
}
