//! The depth-first order of the search: which exit of which true set to split on next.
//!
//! A stack of the sets whose literals are true, newest on top; the next split is the first unassigned exit of the topmost
//! set that has one. Unexpanded successors are thus taken before anything is said about back edges, so that components are
//! found whole and seldom nest. Sets without unassigned exits leave the stack; backtracking brings them back. Every
//! operation is written to an undo log, so a split costs amortised constant time however deep the search is.

use crate::sets::{SetId, Sets};
use sat::{Ctx, Lit};

#[derive(Clone, Copy, Debug)]
struct Entry {
    set: SetId,
    /// Exits before this one are assigned.
    cursor: u32,
}

#[derive(Clone, Copy, Debug)]
enum Undo {
    Entered,
    Left(Entry),
    /// The top entry's cursor was here.
    Moved(u32),
}

#[derive(Default)]
pub(crate) struct Open {
    stack: Vec<Entry>,
    undo: Vec<Undo>,
    levels: Vec<usize>,
}

impl Open {
    /// `set` has become true.
    pub(crate) fn enter(&mut self, set: SetId, sets: &Sets) {
        if !sets.exits(set).is_empty() {
            self.stack.push(Entry { set, cursor: 0 });
            self.log(Undo::Entered);
        }
    }

    /// The next literal to split on, if a true set has an unassigned exit.
    pub(crate) fn next_exit(&mut self, sets: &Sets, ctx: &Ctx<'_>) -> Option<Lit> {
        while let Some(&top) = self.stack.last() {
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

    /// At level 0 nothing is ever undone, so nothing is written down.
    fn log(&mut self, undo: Undo) {
        if !self.levels.is_empty() {
            self.undo.push(undo);
        }
    }
}
