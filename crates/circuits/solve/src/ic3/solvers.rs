//! A SAT solver for each frame. It contains the gates that queries about that frame needed, and the lemmas that
//! hold there.
//!
//! Queries decide the variables of a frame in the order of their cone, not by activity (`DecidedBy::Theory`).
//! Three alternatives were tried on nets of threads: activity, all inputs first, and all inputs last. Each at
//! least doubles the time of several nets and is faster on few. On circuits, activity takes about the same
//! time.

use super::cone::Cone;
use super::source::Source;
use super::table::{GUARD, GateId, Node, Table};
use sat::{ClauseId, DecidedBy, Limits, Lit, Modes, Options, SolveResult, Solver, Tag, Var};

const TAG: Tag = Tag(0);

/// The solver of one frame.
pub(super) struct FrameSolver {
    solver: Solver,
    /// For each variable: true if the clauses of its gate have been added. There is an entry for each variable
    /// of the solver.
    encoded: Vec<bool>,
    /// Number of the source's clauses that have been added.
    clauses: usize,
    /// True for the first frame: latches have their reset values.
    is_initial: bool,
    has_temporary: bool,
    /// The latches of the lemmas added so far, in the order of adding.
    latches: Vec<Var>,
    /// For each variable: true if it is in `latches`.
    is_listed: Vec<bool>,
    scratch: Vec<Lit>,
}

impl FrameSolver {
    pub(super) fn new(is_initial: bool) -> Self {
        let options = Options {
            modes: Modes::Stable,
            rephase_interval: 0,
            inprocess_interval: 0,
            chrono: u32::MAX,
            confined: true,
            ..Options::default()
        };
        let mut solver = Solver::new(options);
        let constant = solver.new_var(DecidedBy::Theory).negative();
        // The first temporary clause creates the guard variable. It is added now, so that the guard has the
        // same number in all solvers.
        solver.add_temporary(TAG, &[constant]);
        solver.drop_temporaries();
        solver.add_clause(TAG, &[constant]);
        Self {
            solver,
            encoded: vec![true; 2],
            clauses: 0,
            is_initial,
            has_temporary: false,
            latches: Vec::new(),
            is_listed: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// True if the guard is fixed to false, so that the solver would make a new guard, with a number that
    /// belongs to another variable. This happens if a temporary clause contradicts the other clauses, which is
    /// rare. The caller then makes a new solver.
    pub(super) fn is_spoilt(&mut self) -> bool {
        self.forget();
        self.solver.is_fixed(Var::new(GUARD).negative())
    }

    /// Adds variables, resets and the source's clauses that are missing so far. New variables are decided as
    /// `by` says.
    pub(super) fn grow<S: Source>(&mut self, table: &Table<S>, clauses: &[Vec<Lit>], by: DecidedBy) {
        self.forget();
        while self.encoded.len() < table.len() {
            let var = self.solver.new_var(by);
            debug_assert_eq!(var.index(), self.encoded.len(), "all solvers number alike");
            if let Some(reset) = table.reset(var).filter(|_| self.is_initial) {
                self.solver.add_clause(TAG, &[reset]);
            }
            self.encoded.push(false);
        }
        debug_assert!(self.clauses <= clauses.len(), "the source's clauses only grow");
        for clause in &clauses[self.clauses..] {
            self.solver.add_clause(TAG, clause);
        }
        self.clauses = clauses.len();
    }

    /// Adds the clauses of the gates of a cone.
    pub(super) fn encode<S: Source>(&mut self, table: &Table<S>, cone: &Cone) {
        for &var in cone.vars() {
            if std::mem::replace(&mut self.encoded[var.index()], true) {
                continue;
            }
            if let Node::Gate(gate) = table.node(var) {
                self.encode_gate(table, var.positive(), gate);
            }
        }
    }

    fn encode_gate<S: Source>(&mut self, table: &Table<S>, output: Lit, gate: GateId) {
        debug_assert!(
            table.operands(gate).iter().all(|lit| lit.var() < output.var()),
            "variables are in topological order"
        );
        // These clauses state that the gate is true, or some factor has only false literals. There is one
        // clause for each choice of a literal from each factor.
        let mut choices: Vec<Vec<Lit>> = vec![vec![output]];
        for factor in table.factors(gate) {
            self.scratch.clear();
            self.scratch.push(!output);
            self.scratch.extend_from_slice(factor);
            self.solver.add_clause(TAG, &self.scratch);
            match factor {
                [lit] => choices.iter_mut().for_each(|choice| choice.push(!*lit)),
                lits => {
                    let with = |choice: &Vec<Lit>, lit: Lit| choice.iter().copied().chain([!lit]).collect();
                    choices = choices.iter().flat_map(|c| lits.iter().map(move |&lit| with(c, lit))).collect();
                }
            }
        }
        for clause in &choices {
            self.solver.add_clause(TAG, clause);
        }
    }

    /// Adds a clause.
    pub(super) fn add(&mut self, clause: &[Lit]) {
        self.forget();
        self.solver.add_clause(TAG, clause);
    }

    /// Excludes a cube. The returned name can be passed to [`FrameSolver::include`].
    pub(super) fn exclude(&mut self, cube: &[Lit]) -> ClauseId {
        debug_assert!(!cube.is_empty());
        self.forget();
        self.is_listed.resize(self.encoded.len(), false);
        for var in cube.iter().map(|lit| lit.var()) {
            if !std::mem::replace(&mut self.is_listed[var.index()], true) {
                self.latches.push(var);
            }
        }
        self.scratch.clear();
        self.scratch.extend(cube.iter().map(|&lit| !lit));
        self.solver.add_removable(TAG, &self.scratch)
    }

    /// The latches of all lemmas that hold in this frame, and perhaps of some that were removed.
    pub(super) fn latches(&self) -> &[Var] {
        &self.latches
    }

    /// Removes the exclusion of a cube, because a stronger one has been added since.
    pub(super) fn include(&mut self, name: ClauseId) {
        self.forget();
        self.solver.remove(name);
    }

    /// Excludes a cube in the next query only.
    pub(super) fn exclude_once(&mut self, cube: &[Lit]) {
        self.forget();
        self.scratch.clear();
        self.scratch.extend(cube.iter().map(|&lit| !lit));
        self.solver.add_temporary(TAG, &self.scratch);
        self.has_temporary = true;
    }

    fn forget(&mut self) {
        if std::mem::take(&mut self.has_temporary) {
            self.solver.drop_temporaries();
        }
    }

    pub(super) fn solve_in(&mut self, domain: &[Var], assumptions: &[Lit], limits: &Limits) -> SolveResult {
        debug_assert!(domain.iter().all(|var| self.encoded[var.index()] || var.index() == GUARD), "the cone stands");
        self.solver.solve_in(domain, assumptions, limits)
    }

    pub(super) fn solve(&mut self, assumptions: &[Lit]) -> SolveResult {
        self.solver.solve(assumptions)
    }

    pub(super) fn value(&self, lit: Lit) -> Option<bool> {
        self.solver.value(lit)
    }

    pub(super) fn core(&self) -> &[Lit] {
        self.solver.core()
    }

    /// True if the solver's clauses exclude the cube. For checks only: the call overwrites the result of the
    /// last query.
    pub(super) fn excludes(&mut self, cube: &[Lit]) -> bool {
        self.forget();
        self.solver.solve(cube) == SolveResult::Unsat
    }

    /// Number of propagations so far, a measure of work.
    pub(super) fn effort(&self) -> u64 {
        self.solver.stats().propagations
    }
}

/// The states from which a query looks for a step into a cube.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// Those outside the cube. Lemmas about latches outside the query's cone may be overlooked, so that the states
    /// may lie outside the frame; see [`cone`](super::cone).
    Outside,
    /// All states of the frame: the latches of all its lemmas are decided, too.
    Frame,
}

/// Conflict limit of a query made for generalisation.
const CONFLICTS: u64 = 1000;

pub(super) fn limits() -> Limits {
    Limits { conflicts: Some(CONFLICTS), stop: None }
}
