//! The trail without its table of values. Propagation borrows the two separately, so that the address of the table
//! stays in a register while other parts change.

use super::missed::{Missed, Notes};
use super::news::News;
use super::reason::{Packed, Reason};
use super::{Level, NO_VAR, Place};
use crate::lit::{Lit, Var};

pub(crate) struct Rest<'a> {
    pub(super) places: &'a mut [Place],
    pub(super) levels: &'a mut [Level],
    pub(super) queue: &'a mut Vec<Lit>,
    pub(super) missed: &'a mut Notes,
    pub(super) news: &'a mut News,
    pub(super) fixed: &'a mut usize,
    pub(super) assigned: &'a mut usize,
}

impl Rest<'_> {
    /// Makes an unassigned literal true at a level that exists.
    #[inline]
    pub(crate) fn assign(&mut self, values: &mut [i8], lit: Lit, level: u32, reason: Reason) {
        debug_assert_eq!(values[lit.0 as usize], 0);
        values[lit.0 as usize] = 1;
        values[(!lit).0 as usize] = -1;
        let chain = &mut self.levels[level as usize];
        let before = std::mem::replace(&mut chain.newest, lit.var().0);
        let rank = if before == NO_VAR { 0 } else { self.places[before as usize].rank + 1 };
        let reason = if level > 0 { Packed::new(reason) } else { Packed::NONE };
        self.places[lit.var().index()] = Place { level, rank, before, reason };
        *self.fixed += usize::from(level == 0);
        *self.assigned += 1;
        self.queue.push(lit);
        self.news.assigned(lit, level);
    }

    /// The level of an assigned variable.
    pub(crate) fn level_of_var(&self, var: Var) -> u32 {
        self.places[var.index()].level
    }

    /// Notes that a clause implies the true literal `lit` at `level`, if this level is lower than the literal's
    /// own level and the level of an earlier note.
    pub(crate) fn note_missed(&mut self, reason: Reason, lit: Lit, level: u32) {
        self.missed.note(Missed { lit, level, reason }, self.level_of_var(lit.var()));
    }
}
