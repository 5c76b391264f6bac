//! The queries of the search: whether a frame has a step into a cube, whether the bad signal can be true in a
//! frame, and whether a cube contains an initial state.

use super::Bits;
use super::cone::Cone;
use super::cube::{Cube, cube};
use super::search::Name;
use super::solvers::Origin;
use super::source::Source;
use super::table::Node;
use sat::{DecidedBy, Limits, Lit, SolveResult};

/// Propagations per work unit.
const PROPAGATIONS_PER_UNIT: u64 = 16;
/// Visited variables per work unit.
const VARIABLES_PER_UNIT: u64 = 64;

impl<S: Source> Bits<S> {
    /// Checks whether there is a step from frame `level` into the cube. After `Unsat`, [`Bits::core`] returns a core.
    /// After `Sat`, [`Bits::predecessor`] returns a predecessor.
    pub(super) fn step_into(&mut self, level: usize, cube: &[Lit], from: Origin, limits: &Limits) -> SolveResult {
        debug_assert!(level < self.solvers.len());
        self.stats.queries += 1;
        self.order(cube);
        self.roots.clear();
        for at in 0..self.asked.len() {
            let next = self.table.next(self.asked[at]);
            self.roots.push(next);
        }
        self.begin(level);
        for &lit in cube {
            self.cone.add(&self.table, lit.var());
        }
        match from {
            Origin::Outside => self.solvers[level].exclude_once(cube),
            Origin::Frame => {
                for &latch in self.solvers[level].latches() {
                    self.cone.add(&self.table, latch);
                }
            }
        }
        self.solve(level, limits)
    }

    /// Sorts the assumptions of a query: literals with low activity go last. Generalisation removes them first,
    /// so consecutive queries share a long prefix.
    fn order(&mut self, cube: &[Lit]) {
        self.asked.clear();
        self.asked.extend_from_slice(cube);
        let activity = &self.activity;
        self.asked.sort_unstable_by(|a, b| activity.order(b.var(), a.var()).then(b.cmp(a)));
    }

    /// Checks whether frame `level` has a state in which the bad signal can be true.
    pub(super) fn reaches_bad(&mut self, level: usize, limits: &Limits) -> SolveResult {
        self.roots.clear();
        self.roots.push(self.bad);
        self.begin(level);
        self.solve(level, limits)
    }

    /// Starts the cone of a query with the assumptions `roots`.
    fn begin(&mut self, level: usize) {
        self.hear_clauses();
        if self.solvers[level].is_spoilt() {
            self.solvers[level] = self.solver_for(level);
        }
        self.solvers[level].grow(&self.table, &self.clauses, self.by);
        self.cone.clear(self.table.len());
        for root in self.constraints.iter().chain(&self.roots).chain(self.demands.iter().flatten()) {
            self.cone.add(&self.table, root.var());
        }
    }

    fn solve(&mut self, level: usize, limits: &Limits) -> SolveResult {
        debug_assert!(self.roots.iter().all(|root| root.var().index() < self.table.len()));
        self.add_names();
        let solver = &mut self.solvers[level];
        solver.encode(&self.table, &self.cone);
        let before = solver.effort();
        let answer = solver.solve_in(self.cone.vars(), &self.roots, limits);
        let propagations = solver.effort() - before;
        self.spend_query(propagations);
        answer
    }

    /// Completes the cone: if a name is in it, so is its gate, and if all latches of a gate are, so is its name.
    fn add_names(&mut self) {
        for Name { name, gate, latches, .. } in &self.names {
            if self.cone.has(*name) || latches.iter().all(|latch| self.cone.has(*latch)) {
                self.cone.add(&self.table, gate.var());
                self.cone.add(&self.table, *name);
            }
        }
    }

    /// Records the work of a query with this number of propagations.
    pub(super) fn spend_query(&mut self, propagations: u64) {
        let vars = self.cone.vars().len() as u64;
        self.work += propagations / PROPAGATIONS_PER_UNIT + vars / VARIABLES_PER_UNIT + 1;
    }

    /// Reads clauses that the source has added. Clauses that must be in the cone of every query are also added
    /// to `demands`.
    pub(super) fn hear_clauses(&mut self) {
        while let Some(clause) = self.table.source.clauses().get(self.clauses.len() - 2 * self.names.len()) {
            let signals = clause.clone();
            let clause: Vec<Lit> = signals.into_iter().map(|signal| self.table.lit(signal)).collect();
            let node = |lit: &Lit| self.table.node(lit.var());
            debug_assert!(!clause.is_empty(), "some initial state has the clauses of the source true");
            let are_latches = clause.iter().all(|lit| matches!(node(lit), Node::Latch(_)));
            let is_false_input = |lit: &Lit| !lit.is_positive() && matches!(node(lit), Node::Input(_));
            if are_latches {
                self.meanings.push(clause.clone());
            } else if !clause.iter().all(is_false_input) {
                self.demands.push(clause.clone());
            }
            self.clauses.push(clause);
        }
    }

    /// Returns a part of the cube, after [`Bits::step_into`] returned `Unsat`. It contains no initial state,
    /// and there is no step from frame `level` into it.
    pub(super) fn core(&mut self, level: usize) -> Cube {
        debug_assert_eq!(self.asked.len(), self.roots.len(), "a query assumes what its cube is after a step");
        let core = self.solvers[level].core();
        let mut open: Vec<Lit> = core.to_vec();
        let mut rest = Vec::new();
        for (&lit, &next) in self.asked.iter().zip(&self.roots) {
            if let Some(at) = open.iter().position(|&failed| failed == next) {
                // Latches with the same next function have equal values after every step, so one of them is
                // enough.
                open.swap_remove(at);
                rest.push(lit);
            }
        }
        debug_assert!(open.is_empty(), "a core is of what was assumed");
        if !self.excludes_start(&rest) {
            let contradicts = |lit: &&Lit| self.table.reset(lit.var()) == Some(!**lit);
            let best = self.asked.iter().find(contradicts);
            match best {
                Some(&lit) => rest.push(lit),
                None => rest = self.asked.clone(),
            }
        }
        debug_assert!(rest.iter().all(|lit| self.asked.contains(lit)));
        cube(rest)
    }

    /// Returns a cube and literals of inputs, after a query returned `Sat`. With these inputs, every state of
    /// the cube steps into the queried cube, or makes the bad signal true. The cube may lie outside the frame,
    /// see [`cone`](super::cone).
    pub(super) fn predecessor(&mut self, level: usize) -> (Cube, Box<[Lit]>) {
        let lifted = if self.options.lift && self.demands.is_empty() { self.lift(level) } else { None };
        lifted.unwrap_or_else(|| self.justified(level))
    }

    fn justified(&mut self, level: usize) -> (Cube, Box<[Lit]>) {
        let solver = &self.solvers[level];
        let value = |lit: Lit| solver.value(lit);
        self.justifier.begin(&self.table, &self.cone, value);
        for &root in self.roots.iter().chain(&self.constraints) {
            self.justifier.add(&self.table, root, value);
        }
        for clause in &self.demands {
            let holds = clause.iter().copied().filter(|&lit| value(lit) == Some(true));
            if let Some(lit) = holds.min_by_key(|&lit| self.justifier.cost(lit)) {
                self.justifier.add(&self.table, lit, value);
            }
        }
        debug_assert!(self.justifier.latches.iter().all(|&lit| self.table.value_of(lit).is_some()));
        self.work += self.cone.vars().len() as u64 / VARIABLES_PER_UNIT;
        (cube(self.justifier.latches.clone()), self.justifier.inputs.clone().into_boxed_slice())
    }

    /// True if the cube contains no initial state.
    pub(super) fn excludes_start(&mut self, cube: &[Lit]) -> bool {
        if cube.iter().any(|lit| self.table.reset(lit.var()) == Some(!*lit)) {
            return true;
        }
        self.hear_clauses();
        if self.meanings.is_empty() || cube.iter().all(|lit| self.table.reset(lit.var()).is_some()) {
            return false;
        }
        self.prepare_start();
        self.start.solve(cube) == SolveResult::Unsat
    }

    /// Gives the solver for initial states what it lacks: new variables, clauses over latches, and named gates.
    pub(super) fn prepare_start(&mut self) {
        self.hear_clauses();
        self.start.grow(&self.table, &self.meanings, DecidedBy::Host);
        if !std::mem::replace(&mut self.start_has_names, true) {
            let mut cone = Cone::default();
            cone.clear(self.table.len());
            self.names.iter().for_each(|name| cone.add(&self.table, name.gate.var()));
            self.start.encode(&self.table, &cone);
        }
    }
}
