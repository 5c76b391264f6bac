//! The value that a decided variable gets: its last value (phase saving, Pipatsrisawat and Darwiche 2007), or
//! in stable mode its value in the largest recent assignment without conflict (target phases, Biere and Fleury
//! 2020).
//!
//! From time to time all saved values are replaced (rephasing): by the first value, its opposite, the best
//! assignment, random values, or their own opposites. So a search that repeats itself continues in a different
//! part of the search space.
//!
//! Invariant: each table has a value for every variable.

use crate::lit::{Lit, Var};
use crate::mode::Mode;
use crate::options::Options;
use crate::rng::Rng;
use crate::trail::Trail;

pub(super) struct Phases {
    saved: Vec<bool>,
    target: Assignment,
    best: Assignment,
    first: bool,
    saving: bool,
    targets: bool,
    /// Number of conflicts before the first rephasing; 0 if there is none. `next` is the number of conflicts at
    /// which the next rephasing is due, `count` is the number of rephasings so far.
    interval: u64,
    next: u64,
    count: u64,
    rng: Rng,
}

/// For each variable: 1 true, -1 false, 0 unknown. `size` is the number of variables that were assigned when it
/// was copied.
#[derive(Default)]
struct Assignment {
    signs: Vec<i8>,
    size: usize,
}

/// A rephasing that took place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rephased {
    /// True if the saved values are the best assignment now.
    pub(crate) to_best: bool,
}

impl Assignment {
    fn forget(&mut self) {
        self.signs.fill(0);
        self.size = 0;
    }

    /// Copies the values of variables assigned below `level`.
    fn copy(&mut self, trail: &Trail, level: u32, size: usize) {
        for (index, sign) in self.signs.iter_mut().enumerate() {
            let lit = Var::new(index).positive();
            if !trail.is_open(lit) && trail.level_of_var(lit.var()) < level {
                *sign = trail.sign(lit);
            }
        }
        self.size = size;
    }
}

impl Phases {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            saved: Vec::new(),
            target: Assignment::default(),
            best: Assignment::default(),
            first: options.phase,
            saving: options.phase_saving,
            targets: options.target_phases,
            interval: options.rephase_interval,
            next: options.rephase_interval,
            count: 0,
            rng: Rng(options.seed),
        }
    }

    pub(super) fn new_var(&mut self) {
        self.saved.push(self.first);
        self.target.signs.push(0);
        self.best.signs.push(0);
    }

    /// Saves the value of `lit`, which was true until now.
    pub(super) fn save(&mut self, lit: Lit) {
        if self.saving {
            self.saved[lit.var().index()] = lit.is_positive();
        }
    }

    pub(super) fn literal(&self, var: Var, mode: Mode) -> Lit {
        let target = if mode == Mode::Stable && self.targets { self.target.signs[var.index()] } else { 0 };
        let value = if target == 0 { self.saved[var.index()] } else { target > 0 };
        if value { var.positive() } else { var.negative() }
    }

    /// Replaces all saved values. The new values are chosen in a different way in each of six consecutive
    /// calls.
    fn rephase(&mut self) {
        let first = self.first;
        match self.count % 6 {
            0 => self.saved.fill(first),
            1 => self.saved.fill(!first),
            3 => self.saved.iter_mut().for_each(|value| *value = self.rng.chance(2)),
            5 => self.saved.iter_mut().for_each(|value| *value = !*value),
            _ => {
                for (value, &best) in self.saved.iter_mut().zip(&self.best.signs) {
                    *value = if best == 0 { *value } else { best > 0 };
                }
            }
        }
        self.count += 1;
        self.target.forget();
        self.best.forget();
    }

    /// Copies the assignment below `top` to `target` and to `best`, to each if it is larger than the assignment
    /// stored there.
    pub(super) fn note_consistent(&mut self, trail: &Trail, top: u32) {
        if !self.targets {
            return;
        }
        let above: usize = (top..=trail.depth()).map(|level| trail.on_level(level)).sum();
        debug_assert!(above <= trail.assigned());
        let size = trail.assigned() - above;
        for assignment in [&mut self.target, &mut self.best] {
            if size > assignment.size {
                assignment.copy(trail, top, size);
            }
        }
    }

    /// Rephases if it is due. `None` if it is not.
    pub(super) fn rephase_if_due(&mut self, conflicts: u64) -> Option<Rephased> {
        if self.interval == 0 || !self.saving || conflicts < self.next {
            return None;
        }
        self.rephase();
        self.next = conflicts + self.interval * (self.count + 1);
        Some(Rephased { to_best: matches!(self.count % 6, 3 | 5) })
    }

    pub(super) fn saved(&self) -> &[bool] {
        &self.saved
    }

    /// Replaces all saved values.
    pub(super) fn set_saved(&mut self, values: Vec<bool>) {
        debug_assert_eq!(values.len(), self.saved.len());
        self.saved = values;
    }

    /// Panics if a table lacks a variable.
    pub(super) fn check(&self, variables: usize) {
        assert_eq!(self.saved.len(), variables);
        for assignment in [&self.target, &self.best] {
            assert_eq!(assignment.signs.len(), variables);
            let known = assignment.signs.iter().filter(|&&sign| sign != 0).count();
            assert!(known >= assignment.size, "what was copied is known");
        }
    }
}
