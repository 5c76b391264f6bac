//! All tuning options in one table, with defaults and reasons, and the limits of one `solve`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The search modes that are used; see `mode.rs`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Modes {
    /// Restarts often, and decides the variables that were in the latest conflicts.
    Focused,
    /// Restarts rarely, and decides the most active variables.
    Stable,
    /// Both modes in alternation, focused first.
    Both,
}

/// Tuning options of the search. No option changes an answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Search modes. Default: `Both`, because neither mode is better on all formulas.
    pub modes: Modes,
    /// Length of the first focused phase in conflicts. The cost of this phase in ticks is the unit for the
    /// lengths of the later phases. Default: 1000.
    pub mode_first: u64,
    /// Longest backjump in levels. A longer backjump is shortened to one level, because a theory's deep search
    /// is expensive to redo. A hundred decisions are cheap, so shorter backjumps are made in full. Nadel and
    /// Ryvchin (2018) found the same value for SAT problems. 0: every backjump ends one level. Default: 100.
    pub chrono: u32,
    /// First value that is tried for a variable. Default: false, because most encodings make few variables
    /// true.
    pub phase: bool,
    /// True if a decision tries the last value of the variable first. Default: true.
    pub phase_saving: bool,
    /// True if a decision in stable mode first tries the value of the variable in the largest recent assignment
    /// without conflict. Default: true.
    pub target_phases: bool,
    /// Conflicts before the first rephasing; the wait before the k-th one is k times as long. 0: never.
    /// Default: 1000.
    pub rephase_interval: u64,
    /// Factor by which a variable's activity decays after each conflict in stable mode. Default: 0.95.
    pub variable_decay: f64,
    /// True if variables that imply literals of a learnt clause count as seen in the conflict. Default: true.
    pub bump_reasons: bool,
    /// The largest number of variables that `bump_reasons` may add for each variable seen in the conflict. If
    /// there are more, no variable is added, and the next conflicts skip the attempt. Default: 10.
    pub bump_reasons_most: usize,
    /// True if the search restarts. Default: true.
    pub restarts: bool,
    /// Focused mode restarts when the recent average of glue exceeds the long-run average by this factor (Biere
    /// and Froehlich 2015). Default: 1.1.
    pub restart_margin: f64,
    /// Minimum number of conflicts between two restarts in focused mode. Default: 2.
    pub restart_interval: u64,
    /// Conflicts for one unit of reluctant doubling in stable mode. Default: 1024.
    pub restart_reluctant: u64,
    /// Conflicts before the first reduction of learnt clauses; the wait before the k-th one is k times as long.
    /// 0 counts as 1. Default: 300.
    pub reduce_interval: u64,
    /// Fraction of the learnt clauses without recent use that a reduction deletes. Default: 0.75.
    pub reduce_fraction: f64,
    /// Learnt clauses of at most this glue are never deleted by reductions (Audemard and Simon 2009). Default:
    /// 2.
    pub tier1: u32,
    /// Learnt clauses of at most this glue survive two reductions after they took part in a conflict. Clauses
    /// of higher glue survive one (Oh 2015). Default: 6.
    pub tier2: u32,
    /// Minimisation ignores reasons with more literals than this, because huge clauses would make it quadratic.
    /// Default: 1000.
    pub minimize_length: usize,
    /// True if the literals of one level in a learnt clause are replaced by one literal that each of them implies. This
    /// saves a third of the time on covers, dominating sets and timetables. Some pigeonhole formulas take five times as
    /// long. Default: false, because queries with few conflicts do not gain.
    pub shrink: bool,
    /// True if learnt clauses are shortened by binary clauses. Default: true.
    pub strengthen: bool,
    /// True if a newly learnt clause is compared with the clauses learnt just before it, and the clauses that
    /// it subsumes are deleted. Default: true.
    pub subsume_eagerly: bool,
    /// Conflicts before the first round of inprocessing; the wait after the k-th round is k times as long. 0:
    /// never. Default: 2000.
    pub inprocess_interval: u64,
    /// True if inprocessing deletes clauses that other clauses subsume, and shortens clauses by self-subsuming
    /// resolution. Default: true.
    pub subsume: bool,
    /// Effort of subsumption, as a fraction of the cost of search. Default: 0.05.
    pub subsume_effort: f64,
    /// True if literals that are equivalent because of binary clauses are replaced by one of them. Default:
    /// true.
    pub equivalent: bool,
    /// True if inprocessing probes the roots of the binary implication graph for failed literals. Default:
    /// true.
    pub probe: bool,
    /// Effort of probing, as a fraction of the cost of search. Default: 0.05.
    pub probe_effort: f64,
    /// True if inprocessing shortens clauses by propagation (vivification). Default: true.
    pub vivify: bool,
    /// Effort of vivification for learnt clauses of glue at most `tier2`, as a fraction of the cost of search.
    /// Learnt clauses of higher glue and given clauses get a quarter of this effort each. Default: 0.08.
    pub vivify_effort: f64,
    /// True if inprocessing may eliminate variables (`inprocess/eliminate/`). The formula then keeps its models only
    /// for the variables that are left, and [`crate::Solver::value`] computes values of the others. Meant for formulas
    /// that are complete before the first query: assuming a literal, using a theory, adding a temporary or removable
    /// clause, or adding a clause or removing a value from the model after an elimination panics. Default: false.
    pub eliminate: bool,
    /// Effort of elimination, as a fraction of the cost of search. Default: 0.5.
    pub eliminate_effort: f64,
    /// Number of clauses that the elimination of a gate may add. Default: 8.
    pub eliminate_bound: usize,
    /// Size of the clauses in words up to which elimination runs before the search, too. The search in a larger formula
    /// may need less time than elimination. Default: 500,000.
    pub eliminate_first: usize,
    /// True if local search improves the saved phases at some rephasings, and tries uniform formulas before the first
    /// decision (`walk.rs`). Queries with a theory do without. Default: false, because it pays only in long searches.
    pub walk: bool,
    /// Effort of local search, as a fraction of the cost of search. Default: 0.05.
    pub walk_effort: f64,
    /// True if propagation in queries about a domain skips clauses with unassigned variables outside the domain
    /// where it can; see `order/domain.rs`. This has no effect unless `chrono` is `u32::MAX`, so that levels
    /// end all at once, and inprocessing is off. Inprocessing would put variables from outside the domain into
    /// clauses about the domain. Default: false.
    pub confined: bool,
    /// True if the solver checks its state after propagation and after a garbage collection, and panics if the
    /// state is inconsistent. The checks cost time quadratic in the formula, so they are meant for fuzzing.
    /// Debug builds check small formulas in any case. Default: false; true with the feature `invariants`.
    pub check_invariants: bool,
    /// Seed of the random values of rephasing. Default: 0.
    pub seed: u64,
}

impl Options {
    /// Options for a formula that is complete before its only query: techniques that exclude later clauses and
    /// assumptions, or that pay only in long searches.
    #[must_use]
    pub fn for_one_formula() -> Self {
        Self { eliminate: true, shrink: true, walk: true, ..Self::default() }
    }
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
            eliminate: false,
            eliminate_effort: 0.5,
            eliminate_bound: 8,
            eliminate_first: 500_000,
            walk: false,
            walk_effort: 0.05,
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

/// Limits of one query, checked between conflicts and decisions.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Maximum number of conflicts in this call.
    pub conflicts: Option<u64>,
    /// Flag that another thread sets to stop the query.
    pub stop: Option<Arc<AtomicBool>>,
}
