//! All knobs in one table, with defaults and reasons; and the limits of one `solve`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Which ways to search take turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Modes {
    /// Restarts all the time, and decides what was last in a conflict.
    Focused,
    /// Restarts rarely, and decides the most active.
    Stable,
    /// Both by turns, focused first.
    Both,
}

/// Knobs of the search. None changes an answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Both: neither wins everywhere.
    pub modes: Modes,
    /// 1000: conflicts of the first focused phase; later ones are measured by what it cost.
    pub mode_first: u64,
    /// 100: a backjump over more levels goes back one level only. A theory's deep search is dear to redo, and a hundred
    /// decisions are cheap (Nadel and Ryvchin 2018 found the same value for SAT problems). 0: always one level.
    pub chrono: u32,
    /// false: the value a variable is tried with first. Most encodings make few things true.
    pub phase: bool,
    /// true: a variable is tried with its last value first.
    pub phase_saving: bool,
    /// true: in stable mode, with its value in the largest consistent assignment lately.
    pub target_phases: bool,
    /// 1000: conflicts between two rephasings, times their number. 0: never.
    pub rephase_interval: u64,
    /// 0.95: a variable's activity counts this much less after each conflict (stable mode).
    pub variable_decay: f64,
    /// true: variables that imply literals of a learnt clause count as seen in the conflict too.
    pub bump_reasons: bool,
    /// 10: at most so many of these per variable seen; where there are more, none, for a while.
    pub bump_reasons_most: usize,
    /// true: restart at all.
    pub restarts: bool,
    /// 1.1: focused mode restarts when recent glue is this much worse than the long-run average (Biere and Froehlich
    /// 2015).
    pub restart_margin: f64,
    /// 2: conflicts between restarts, at least.
    pub restart_interval: u64,
    /// 1024: conflicts that the unit of reluctant doubling stands for (stable mode).
    pub restart_reluctant: u64,
    /// 300: conflicts between two reductions of learnt clauses, times their number. 0 counts as 1.
    pub reduce_interval: u64,
    /// 0.75: how much of what looks useless goes.
    pub reduce_fraction: f64,
    /// 2: learnt clauses of at most this glue are kept for good (Audemard and Simon 2009).
    pub tier1: u32,
    /// 6: learnt clauses of at most this glue get a second chance (Oh 2015).
    pub tier2: u32,
    /// 1000: minimisation does not look into reasons longer than this, so that huge clauses cannot make it quadratic.
    pub minimize_length: usize,
    /// false: literals of one level in a learnt clause are replaced by one that all of them follow from. Takes a
    /// quarter off graph colouring and a twentieth off the rest, but pigeons then take ten times as long (in CaDiCaL
    /// too).
    pub shrink: bool,
    /// true: learnt clauses are shortened by binary clauses.
    pub strengthen: bool,
    /// true: a clause just learnt is compared with those learnt before it.
    pub subsume_eagerly: bool,
    /// 2000: conflicts between two rounds of inprocessing, times their number. 0: never.
    pub inprocess_interval: u64,
    /// true: clauses that others subsume go, and those that others can shorten are shortened.
    pub subsume: bool,
    /// 0.05: its effort, as a share of the search's.
    pub subsume_effort: f64,
    /// true: literals that binary clauses make equivalent are replaced by one of them.
    pub equivalent: bool,
    /// true: literals that others follow from, and that follow from none, are tried.
    pub probe: bool,
    /// 0.05: its effort, as a share of the search's.
    pub probe_effort: f64,
    /// true: clauses are shortened by propagation.
    pub vivify: bool,
    /// 0.08: its effort, as a share of the search's, for clauses of low glue; others get a quarter of that.
    pub vivify_effort: f64,
    /// false: propagation goes everywhere in queries about a domain, too. true: variables outside it stay open where
    /// they can; see `order/domain.rs`. Only where `chrono` is `u32::MAX`, so that levels end all at once, and without
    /// inprocessing, which would put variables from outside into clauses about the domain.
    pub confined: bool,
    /// false, true with the feature `invariants`: panics where the solver's state is inconsistent, whenever propagation
    /// is through and after each collection. Costs time quadratic in the formula: for fuzzing. Debug builds check small
    /// formulas in any case.
    pub check_invariants: bool,
    /// 0: seed of what little is random (values, now and then).
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            modes: Modes::Both,
            mode_first: 1000,
            chrono: 100,
            phase: false,
            phase_saving: true,
            target_phases: true,
            rephase_interval: 1000,
            variable_decay: 0.95,
            bump_reasons: true,
            bump_reasons_most: 10,
            restarts: true,
            restart_margin: 1.1,
            restart_interval: 2,
            restart_reluctant: 1024,
            reduce_interval: 300,
            reduce_fraction: 0.75,
            tier1: 2,
            tier2: 6,
            minimize_length: 1000,
            shrink: false,
            strengthen: true,
            subsume_eagerly: true,
            inprocess_interval: 2000,
            subsume: true,
            subsume_effort: 0.05,
            equivalent: true,
            probe: true,
            probe_effort: 0.05,
            vivify: true,
            vivify_effort: 0.08,
            confined: false,
            check_invariants: cfg!(feature = "invariants"),
            seed: 0,
        }
    }
}

impl Options {
    pub(crate) fn is_confined(&self) -> bool {
        self.confined && self.chrono == u32::MAX && self.inprocess_interval == 0
    }
}

/// When one query must give up. Checked between conflicts and decisions.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// At most this many conflicts in this call.
    pub conflicts: Option<u64>,
    /// Raised from outside.
    pub stop: Option<Arc<AtomicBool>>,
}
