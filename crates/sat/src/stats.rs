//! Counters of the search, for progress lines and benchmarks.

/// The work a solver has done since it was created.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Decisions of any kind; assumptions are not counted.
    pub decisions: u64,
    /// Decisions made by `Theory::decide`.
    pub theory_decisions: u64,
    /// Conflicts: clauses found false, including lemmas and explanations.
    pub conflicts: u64,
    /// Propagated literals, that is, literals for which the watches of the negation were visited.
    pub propagations: u64,
    /// Number of restarts.
    pub restarts: u64,
    /// Lemmas queued by the theory.
    pub lemmas: u64,
    /// Explanations requested from the theory for literals it implied.
    pub explanations: u64,
    /// Clauses learnt from conflicts.
    pub learnt: u64,
    /// Backjumps over more than `Options::chrono` levels. To keep a deep search, they were shortened, usually
    /// to one level.
    pub chronological: u64,
    /// Literals reassigned at the lower level at which a clause had already implied them.
    pub reimplied: u64,
    /// Number of reductions of learnt clauses.
    pub reductions: u64,
    /// Clauses deleted by reductions, by inprocessing, because they were satisfied at level 0, or because the
    /// caller removed them.
    pub deleted: u64,
    /// Total length of learnt clauses, after shortening.
    pub learnt_literals: u64,
    /// Literals that minimisation, shrinking and strengthening removed from learnt clauses.
    pub dropped_literals: u64,
    /// Literals that shrinking removed. They are also counted in `dropped_literals`.
    pub shrunken: u64,
    /// Cache lines read by propagation and inprocessing, as an estimate.
    pub ticks: u64,
    /// Number of rephasings.
    pub rephased: u64,
    /// Number of garbage collections of the clause arena.
    pub collections: u64,
    /// Learnt clauses deleted because a clause learnt soon after subsumes them.
    pub subsumed_eagerly: u64,
    /// Number of rounds of inprocessing.
    pub inprocessed: u64,
    /// Clauses deleted by subsumption during inprocessing.
    pub subsumed: u64,
    /// Clauses shortened by self-subsuming resolution during inprocessing.
    pub strengthened: u64,
    /// Binary clauses added to tie a literal to its equivalent representative.
    pub tied: u64,
    /// Clauses in which equivalent literals were replaced.
    pub substituted: u64,
    /// Literals tried by probing.
    pub probed: u64,
    /// Conflicts found when a literal was assumed by probing.
    pub failed: u64,
    /// Clauses that vivification tried.
    pub vivify_tried: u64,
    /// Clauses that vivification shortened.
    pub vivified: u64,
    /// Clauses that vivification deleted because other clauses imply them.
    pub vivify_implied: u64,
    /// Assumptions that vivification reused from the clause tried before.
    pub vivify_shared: u64,
    /// Variables eliminated by resolution.
    pub eliminated: u64,
    /// Resolvents that elimination added.
    pub resolvents: u64,
    /// Number of local searches.
    pub walks: u64,
    /// Variables flipped by local search.
    pub flips: u64,
    /// Highest decision level reached.
    pub deepest: u64,
}
