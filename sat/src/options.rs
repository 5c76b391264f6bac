//! All knobs in one table, with defaults and reasons; and the limits of one `solve`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Knobs of the search. None changes an answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// 100: a backjump over more levels goes back one level only. A theory's deep search is dear to redo, and a hundred
    /// decisions are cheap (Nadel and Ryvchin 2018 found the same value for SAT problems). 0: always one level.
    pub chrono: u32,
    /// false: the value a variable is tried with first. Most encodings make few things true.
    pub phase: bool,
    /// true: a variable is tried with its last value first (Pipatsrisawat and Darwiche 2007).
    pub phase_saving: bool,
    /// 0.95: a variable's activity counts this much less after each conflict.
    pub variable_decay: f64,
    /// 0.999: the same for learnt clauses.
    pub clause_decay: f32,
    /// true: restart at all.
    pub restarts: bool,
    /// 1.1: restart when recent glue is this much worse than the long-run average (Biere and Froehlich 2015).
    pub restart_margin: f64,
    /// 10: conflicts between restarts, at least.
    pub restart_interval: u64,
    /// 2000: conflicts before the first reduction of learnt clauses.
    pub reduce_first: u64,
    /// 300: each reduction waits this many conflicts longer than the one before.
    pub reduce_step: u64,
    /// 2: learnt clauses of at most this glue are kept for good (Audemard and Simon 2009).
    pub keep_glue: u32,
    /// 1000: minimisation does not look into reasons longer than this, so that huge clauses cannot make it quadratic.
    pub minimize_length: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            chrono: 100,
            phase: false,
            phase_saving: true,
            variable_decay: 0.95,
            clause_decay: 0.999,
            restarts: true,
            restart_margin: 1.1,
            restart_interval: 10,
            reduce_first: 2000,
            reduce_step: 300,
            keep_glue: 2,
            minimize_length: 1000,
        }
    }
}

/// When one call of `solve_with` must give up. Checked between conflicts and decisions.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// At most this many conflicts in this call.
    pub conflicts: Option<u64>,
    /// Raised from outside.
    pub stop: Option<Arc<AtomicBool>>,
}
