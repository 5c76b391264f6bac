//! Which value a decided variable gets: its last one (phase saving), at first `Options::phase`.
//!
//! A search that backtracks out of a part of the problem then finds that part as it left it.

use crate::lit::{Lit, Var};
use crate::options::Options;

pub(crate) struct Phases {
    saved: Vec<bool>,
    first: bool,
    saving: bool,
}

impl Phases {
    pub(crate) fn new(options: &Options) -> Self {
        Self { saved: Vec::new(), first: options.phase, saving: options.phase_saving }
    }

    pub(crate) fn new_var(&mut self) {
        self.saved.push(self.first);
    }

    /// `lit` was true until now.
    pub(crate) fn save(&mut self, lit: Lit) {
        if self.saving {
            self.saved[lit.var().index()] = lit.is_positive();
        }
    }

    pub(crate) fn literal(&self, var: Var) -> Lit {
        if self.saved[var.index()] { var.positive() } else { var.negative() }
    }
}
