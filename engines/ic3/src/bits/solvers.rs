//! A SAT solver per frame: the circuit, as far as that frame was asked about, and the lemmas that hold there.
//!
//! A frame's variables are the theory's, so that queries decide them in the order of their cone, not by activity. Tried
//! on nets of threads: by activity, all inputs first, all inputs last; each doubles the time of several, at least, and
//! wins on few. Circuits take as long by activity.

use super::cone::Cone;
use super::source::Source;
use super::table::{GUARD, GateId, Node, Table};
use sat::{Answer, ClauseId, DecidedBy, Limits, Lit, Modes, Options, Solver, Tag, Var};

const TAG: Tag = Tag(0);

/// The solver of one frame.
pub(super) struct FrameSolver {
    solver: Solver,
    /// By variable: do the clauses of its gate stand? As long as there are variables.
    encoded: Vec<bool>,
    /// How many of the source's clauses stand.
    clauses: usize,
    /// Of the first frame: latches hold their resets.
    is_initial: bool,
    has_temporary: bool,
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
        // The first temporary clause makes the guard: now, so that all solvers have it at the same place.
        solver.add_temporary(TAG, &[constant]);
        solver.drop_temporaries();
        solver.add_clause(TAG, &[constant]);
        Self { solver, encoded: vec![true; 2], clauses: 0, is_initial, has_temporary: false, scratch: Vec::new() }
    }

    /// Has it lost its guard, so that a new one would take a number that is not its own? That happens where a temporary
    /// clause contradicts all others, which is seldom: then another solver is made.
    pub(super) fn is_spoilt(&mut self) -> bool {
        self.forget();
        self.solver.is_fixed(Var::new(GUARD).negative())
    }

    /// Makes variables, resets and the source's clauses stand. New variables are decided as `by` says.
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

    /// Makes the gates of a cone stand.
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
        // One literal of each factor is false, or the gate is true.
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

    /// One of these literals holds.
    pub(super) fn add(&mut self, clause: &[Lit]) {
        self.forget();
        self.solver.add_clause(TAG, clause);
    }

    /// The cube does not hold. The name is for [`FrameSolver::include`].
    pub(super) fn exclude(&mut self, cube: &[Lit]) -> ClauseId {
        debug_assert!(!cube.is_empty());
        self.forget();
        self.scratch.clear();
        self.scratch.extend(cube.iter().map(|&lit| !lit));
        self.solver.add_removable(TAG, &self.scratch)
    }

    /// Takes back that a cube does not hold: more than that has been said since.
    pub(super) fn include(&mut self, name: ClauseId) {
        self.forget();
        self.solver.remove(name);
    }

    /// The cube does not hold, in the next query.
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

    pub(super) fn solve_in(&mut self, domain: &[Var], assumptions: &[Lit], limits: &Limits) -> Answer {
        debug_assert!(domain.iter().all(|var| self.encoded[var.index()] || var.index() == GUARD), "the cone stands");
        self.solver.solve_in(domain, assumptions, limits)
    }

    pub(super) fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        self.solver.solve(assumptions)
    }

    pub(super) fn value(&self, lit: Lit) -> Option<bool> {
        self.solver.value(lit)
    }

    pub(super) fn core(&self) -> &[Lit] {
        self.solver.core()
    }

    /// Is it known that the cube does not hold? For checks: it forgets what the last query found.
    pub(super) fn excludes(&mut self, cube: &[Lit]) -> bool {
        self.forget();
        self.solver.solve(cube) == Answer::Unsat
    }

    /// A measure of the work so far.
    pub(super) fn effort(&self) -> u64 {
        self.solver.stats().propagations
    }
}
