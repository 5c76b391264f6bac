//! The operations of a recorded stream, and their implementation by solvers without temporary clauses.

use sat::{DecidedBy, Limits, Options, SolveResult, Solver, Tag};
use std::io;

const TAG: Tag = Tag(0);

/// An interface that answers a stream of queries.
pub(super) trait Stream {
    /// Starts a session: a new solver with the variables 1..=`vars`.
    fn begin(&mut self, vars: i32);
    fn clause(&mut self, clause: &[i32]);
    /// True if there is a model with the assumptions and the temporary clause (no clause if empty). Only
    /// variables of `domain` need values.
    fn query(&mut self, domain: &[i32], temporary: &[i32], assumptions: &[i32]) -> io::Result<bool>;
    /// After a model: returns the value of the variable.
    fn value(&mut self, var: i32) -> io::Result<bool>;
    /// After a refutation: returns the number of literals in the core.
    fn core_len(&mut self) -> io::Result<usize>;
    /// Ends a query after its answer was read. The temporary clause may be deleted.
    fn done(&mut self);
}

/// A stream that answers nothing. It shows the cost of reading the stream.
pub(super) struct ReadOnly;

impl Stream for ReadOnly {
    fn begin(&mut self, _vars: i32) {}
    fn clause(&mut self, _clause: &[i32]) {}
    fn query(&mut self, _domain: &[i32], _temporary: &[i32], _assumptions: &[i32]) -> io::Result<bool> {
        Ok(false)
    }
    fn value(&mut self, _var: i32) -> io::Result<bool> {
        Ok(false)
    }
    fn core_len(&mut self) -> io::Result<usize> {
        Ok(0)
    }
    fn done(&mut self) {}
}

/// Our solver with its features for such streams: temporary clauses and domains.
pub(super) struct Ours {
    plain: OurMachine,
    vars: Vec<sat::Var>,
}

impl Ours {
    pub(super) fn new() -> Self {
        Self { plain: OurMachine::new(), vars: Vec::new() }
    }
}

impl Stream for Ours {
    fn begin(&mut self, vars: i32) {
        self.plain = OurMachine::new();
        self.plain.new_vars(vars);
    }

    fn clause(&mut self, clause: &[i32]) {
        self.plain.clause(clause);
    }

    fn query(&mut self, domain: &[i32], temporary: &[i32], assumptions: &[i32]) -> io::Result<bool> {
        if !temporary.is_empty() {
            self.plain.set_lits(temporary);
            self.plain.solver.add_temporary(TAG, &self.plain.lits);
        }
        self.plain.set_lits(assumptions);
        self.vars.clear();
        self.vars.extend(domain.iter().map(|&v| sat::Lit::from_dimacs(v).var()));
        is_sat(self.plain.solver.solve_in(&self.vars, &self.plain.lits, &Limits::default()))
    }

    fn value(&mut self, var: i32) -> io::Result<bool> {
        self.plain.value(var)
    }

    fn core_len(&mut self) -> io::Result<usize> {
        self.plain.core_len()
    }

    fn done(&mut self) {
        self.plain.solver.drop_temporaries();
    }
}

/// The operations of every incremental SAT solver. Literals are as in DIMACS.
pub(super) trait Machine {
    fn new() -> Self;
    fn new_vars(&mut self, count: i32);
    fn clause(&mut self, clause: &[i32]);
    fn solve(&mut self, assumptions: &[i32]) -> io::Result<bool>;
    fn value(&mut self, var: i32) -> io::Result<bool>;
    fn core_len(&mut self) -> io::Result<usize>;
}

/// Temporary clauses by the usual method: a fresh variable enables the clause, and a unit clause disables it
/// for good.
pub(super) struct Switched<M> {
    machine: M,
    /// The variable that enables the current temporary clause.
    switch: Option<i32>,
    vars: i32,
    switches: i32,
    /// Number of switches after which the permanent clauses are given to a new solver. 0 means never.
    rebuild_after: i32,
    /// The permanent clauses, each followed by a 0. Stored only if `rebuild_after` is not 0.
    kept: Vec<i32>,
    assumed: Vec<i32>,
}

impl<M: Machine> Switched<M> {
    pub(super) fn new(rebuild_after: i32) -> Self {
        let (kept, assumed) = (Vec::new(), Vec::new());
        Self { machine: M::new(), switch: None, vars: 0, switches: 0, rebuild_after, kept, assumed }
    }

    fn rebuild(&mut self) {
        self.machine = M::new();
        self.machine.new_vars(self.vars);
        self.switches = 0;
        for clause in self.kept.split(|&l| l == 0).filter(|c| !c.is_empty()) {
            self.machine.clause(clause);
        }
    }
}

impl<M: Machine> Stream for Switched<M> {
    fn begin(&mut self, vars: i32) {
        self.kept.clear();
        self.vars = vars;
        self.rebuild();
    }

    fn clause(&mut self, clause: &[i32]) {
        if self.rebuild_after > 0 {
            self.kept.extend(clause.iter().chain(&[0]));
        }
        self.machine.clause(clause);
    }

    fn query(&mut self, _domain: &[i32], temporary: &[i32], assumptions: &[i32]) -> io::Result<bool> {
        if temporary.is_empty() {
            return self.machine.solve(assumptions);
        }
        self.machine.new_vars(1);
        self.switches += 1;
        let switch = self.vars + self.switches;
        self.switch = Some(switch);
        self.assumed.clear();
        self.assumed.extend(temporary.iter().chain(&[-switch]));
        self.machine.clause(&self.assumed);
        self.assumed.clear();
        self.assumed.extend(assumptions.iter().chain(&[switch]));
        self.machine.solve(&self.assumed)
    }

    fn value(&mut self, var: i32) -> io::Result<bool> {
        self.machine.value(var)
    }

    fn core_len(&mut self) -> io::Result<usize> {
        self.machine.core_len()
    }

    fn done(&mut self) {
        if let Some(switch) = self.switch.take() {
            if self.rebuild_after > 0 && self.switches >= self.rebuild_after {
                self.rebuild();
            } else {
                self.machine.clause(&[-switch]);
            }
        }
    }
}

/// Our solver, used like any other solver.
pub(super) struct OurMachine {
    solver: Solver,
    lits: Vec<sat::Lit>,
}

impl OurMachine {
    fn set_lits(&mut self, literals: &[i32]) {
        self.lits.clear();
        self.lits.extend(literals.iter().map(|&l| sat::Lit::from_dimacs(l)));
    }
}

impl Machine for OurMachine {
    fn new() -> Self {
        Self { solver: Solver::new(Options::default()), lits: Vec::new() }
    }

    fn new_vars(&mut self, count: i32) {
        for _ in 0..count {
            self.solver.new_var(DecidedBy::Host);
        }
    }

    fn clause(&mut self, clause: &[i32]) {
        self.set_lits(clause);
        self.solver.add_clause(TAG, &self.lits);
    }

    fn solve(&mut self, assumptions: &[i32]) -> io::Result<bool> {
        self.set_lits(assumptions);
        is_sat(self.solver.solve(&self.lits))
    }

    fn value(&mut self, var: i32) -> io::Result<bool> {
        Ok(self.solver.value(sat::Lit::from_dimacs(var)) == Some(true))
    }

    fn core_len(&mut self) -> io::Result<usize> {
        Ok(self.solver.core().len())
    }
}

fn is_sat(answer: SolveResult) -> io::Result<bool> {
    match answer {
        SolveResult::Sat => Ok(true),
        SolveResult::Unsat => Ok(false),
        SolveResult::Unknown | SolveResult::Stopped => Err(io::Error::other("a query without an answer")),
    }
}
