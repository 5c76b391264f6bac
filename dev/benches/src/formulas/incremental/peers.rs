//! MiniSat and CaDiCaL as libraries, through the crates of the RustSAT project (Jabs 2024).

use super::machine::Machine;
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Clause, Lit, TernaryVal, Var};
use std::io;

pub(super) type Minisat = Peer<rustsat_minisat::core::Minisat>;
pub(super) type Cadical = Peer<rustsat_cadical::CaDiCaL<'static, 'static>>;

/// Number of temporary clauses after which a new solver is started. Each temporary clause leaves a variable and
/// a unit clause in the solver (`Switched`). Other tools that use these solvers in this way also start a new
/// solver after hundreds of temporary clauses.
pub(super) const REBUILD_AFTER: i32 = 1000;

/// A solver of RustSAT.
pub(super) struct Peer<S> {
    solver: S,
    lits: Vec<Lit>,
    vars: u32,
}

impl<S: Solve + SolveIncremental + Default> Machine for Peer<S> {
    fn new() -> Self {
        Self { solver: S::default(), lits: Vec::new(), vars: 0 }
    }

    fn new_vars(&mut self, count: i32) {
        self.vars += count.unsigned_abs();
        // Solvers create variables on first use. Reserving them is only a hint.
        let _ = self.solver.reserve(Var::new(self.vars - 1));
    }

    fn clause(&mut self, clause: &[i32]) {
        let clause: Clause = clause.iter().filter_map(|&l| Lit::from_ipasir(l).ok()).collect();
        self.solver.add_clause_ref(&clause).expect("clauses can be added between queries");
    }

    fn solve(&mut self, assumptions: &[i32]) -> io::Result<bool> {
        self.lits.clear();
        self.lits.extend(assumptions.iter().filter_map(|&l| Lit::from_ipasir(l).ok()));
        match self.solver.solve_assumps(&self.lits).map_err(io::Error::other)? {
            SolverResult::Sat => Ok(true),
            SolverResult::Unsat => Ok(false),
            SolverResult::Interrupted => Err(io::Error::other("a query without an answer")),
        }
    }

    fn value(&mut self, var: i32) -> io::Result<bool> {
        let lit = Lit::from_ipasir(var).map_err(io::Error::other)?;
        Ok(self.solver.lit_val(lit).map_err(io::Error::other)? == TernaryVal::True)
    }

    fn core_len(&mut self) -> io::Result<usize> {
        Ok(self.solver.core().map_err(io::Error::other)?.len())
    }
}
