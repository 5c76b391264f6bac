//! Tests of the tester, which must catch each solver with a planted fault, and tests of reading and writing
//! traces as text.

use std::cell::Cell;

use super::*;
use crate::lit::{Lit, Var};
use crate::options::{Limits, Options};
use crate::proof::{ClauseId, Proof};
use crate::query::SolveResult;
use crate::solver::Solver;
use crate::stats::Stats;
use crate::theory::{DecidedBy, Tag};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Plant {
    Nothing,
    DropsClause,
    DropsTemporary,
    KeepsTemporaries,
    FlipsValue,
    ForgetsAssumption,
    ForgetsCoreLiteral,
    InventsCoreLiteral,
    RefutesTooMuch,
    FixesTooMuch,
    StopsForNothing,
    SkipsHint,
    SwapsHints,
    ShortensDerived,
    InventsAxiom,
    DeletesTwice,
    TakesOutTooMuch,
    CallsMinimal,
    DependsOnTime,
    Panics,
}

/// A solver with one planted fault. The fault occurs in some of the calls that it can affect.
struct Mutant {
    solver: Solver,
    plant: Plant,
    calls: Cell<u64>,
    core: Vec<Lit>,
    taken_out: Option<Var>,
    stats: Stats,
}

thread_local! {
    /// A counter with a different value in each run.
    static TIME: Cell<u64> = const { Cell::new(0) };
}

impl Mutant {
    fn new(plant: Plant, options: Options) -> Self {
        TIME.set(TIME.get() + 1);
        let (solver, stats) = (Solver::new(options), Stats::default());
        Self { solver, plant, calls: Cell::new(0), core: Vec::new(), taken_out: None, stats }
    }

    /// True if the fault `plant` occurs in this call.
    fn strikes(&self, plant: Plant) -> bool {
        self.calls.set(self.calls.get() + u64::from(self.plant == plant));
        self.plant == plant && self.calls.get().is_multiple_of(3)
    }

    fn after(&mut self, answer: SolveResult) -> SolveResult {
        self.taken_out = None;
        self.core = self.solver.core().to_vec();
        self.stats = *self.solver.stats();
        self.stats.decisions += if self.plant == Plant::DependsOnTime { TIME.get() } else { 0 };
        if answer == SolveResult::Unsat && self.strikes(Plant::ForgetsCoreLiteral) {
            self.core.pop();
        }
        if answer == SolveResult::Unsat && self.strikes(Plant::InventsCoreLiteral) && !self.core.is_empty() {
            self.core[0] = !self.core[0];
        }
        match answer {
            SolveResult::Sat if self.strikes(Plant::RefutesTooMuch) => SolveResult::Unsat,
            SolveResult::Unsat if self.strikes(Plant::StopsForNothing) => SolveResult::Stopped,
            answer => answer,
        }
    }

    fn assumed<'a>(&self, assumptions: &'a [Lit]) -> &'a [Lit] {
        if self.strikes(Plant::ForgetsAssumption) { &assumptions[..assumptions.len() / 2] } else { assumptions }
    }
}

impl Subject for Mutant {
    fn set_proof(&mut self, proof: Box<dyn Proof>) {
        self.solver.set_proof(Box::new(Twisted { proof, plant: self.plant, told: 0 }));
    }
    fn new_var(&mut self, by: DecidedBy) -> Var {
        self.solver.new_var(by)
    }
    fn add_clause(&mut self, tag: Tag, clause: &[Lit]) {
        if self.strikes(Plant::Panics) {
            // This unwinds without the panic hook, because the hook would print a message.
            std::panic::resume_unwind(Box::new("planted"));
        }
        if !self.strikes(Plant::DropsClause) {
            self.solver.add_clause(tag, clause);
        }
    }
    fn solve(&mut self, assumptions: &[Lit]) -> SolveResult {
        let answer = self.solver.solve(self.assumed(assumptions));
        self.after(answer)
    }
    fn solve_with(&mut self, theory: &mut Lazy, assumptions: &[Lit], limits: &Limits) -> SolveResult {
        let answer = self.solver.solve_with(theory, self.assumed(assumptions), limits);
        self.after(answer)
    }
    fn solve_within(&mut self, assumptions: &[Lit], limits: &Limits) -> SolveResult {
        let answer = self.solver.solve_within(self.assumed(assumptions), limits);
        self.after(answer)
    }
    fn solve_in(&mut self, domain: &[Var], assumptions: &[Lit], limits: &Limits) -> SolveResult {
        let answer = self.solver.solve_in(domain, self.assumed(assumptions), limits);
        self.after(answer)
    }
    fn add_temporary(&mut self, tag: Tag, clause: &[Lit]) {
        if !self.strikes(Plant::DropsTemporary) {
            self.solver.add_temporary(tag, clause);
        }
    }
    fn drop_temporaries(&mut self) {
        if !self.strikes(Plant::KeepsTemporaries) {
            self.solver.drop_temporaries();
        }
    }
    fn add_removable(&mut self, tag: Tag, clause: &[Lit]) -> ClauseId {
        self.solver.add_removable(tag, clause)
    }
    fn remove(&mut self, id: ClauseId) {
        self.solver.remove(id);
    }
    fn minimize_core(&mut self, limits: &Limits) -> bool {
        if self.plant == Plant::CallsMinimal {
            return true;
        }
        let is_minimal = self.solver.minimize_core(limits);
        self.core = self.solver.core().to_vec();
        is_minimal
    }
    fn flip_to_none(&mut self, var: Var) -> bool {
        let is_free = self.solver.flip_to_none(var);
        if !is_free && self.strikes(Plant::TakesOutTooMuch) {
            self.taken_out = Some(var);
            return true;
        }
        is_free
    }
    fn value(&self, lit: Lit) -> Option<bool> {
        if self.taken_out == Some(lit.var()) {
            return None;
        }
        let is_flipped = lit.var().index() == 1 && self.plant == Plant::FlipsValue;
        self.solver.value(lit).map(|value| value != is_flipped)
    }
    fn is_fixed(&self, lit: Lit) -> bool {
        self.solver.is_fixed(lit) || self.solver.value(lit) == Some(true) && self.strikes(Plant::FixesTooMuch)
    }
    fn core(&self) -> &[Lit] {
        &self.core
    }
    fn stats(&self) -> &Stats {
        &self.stats
    }
}

/// Forwards the proof, with the planted fault.
struct Twisted {
    proof: Box<dyn Proof>,
    plant: Plant,
    told: usize,
}

impl Proof for Twisted {
    fn axiom(&mut self, id: ClauseId, tag: Tag, clause: &[Lit]) {
        self.told += 1;
        let mut clause = clause.to_vec();
        if self.plant == Plant::InventsAxiom && self.told.is_multiple_of(5) {
            clause.pop();
        }
        self.proof.axiom(id, tag, &clause);
    }
    fn derived(&mut self, id: ClauseId, clause: &[Lit], hints: &[ClauseId]) {
        let (mut clause, mut hints) = (clause.to_vec(), hints.to_vec());
        match self.plant {
            Plant::SkipsHint => drop(hints.pop()),
            Plant::SwapsHints => hints.reverse(),
            Plant::ShortensDerived => drop(clause.pop()),
            _ => {}
        }
        self.proof.derived(id, &clause, &hints);
    }
    fn delete(&mut self, id: ClauseId) {
        self.proof.delete(id);
        if self.plant == Plant::DeletesTwice {
            self.proof.delete(id);
        }
    }
    fn wants_hints(&self) -> bool {
        self.proof.wants_hints()
    }
}

fn check(plant: Plant, trace: &Trace) -> Result<Summary, Fault> {
    twice(trace, &|options| Box::new(Mutant::new(plant, options)))
}

const SEEDS: std::ops::Range<u64> = 0..6000;

#[test]
fn every_mutant_is_caught() {
    for (plant, rules) in [
        (Plant::DropsClause, &[Rule::Model][..]),
        (Plant::DropsTemporary, &[Rule::Model]),
        (Plant::KeepsTemporaries, &[Rule::Refutes]),
        (Plant::FlipsValue, &[Rule::Model]),
        (Plant::ForgetsAssumption, &[Rule::Model]),
        (Plant::ForgetsCoreLiteral, &[Rule::Core]),
        (Plant::InventsCoreLiteral, &[Rule::Core]),
        (Plant::RefutesTooMuch, &[Rule::Refutes]),
        (Plant::FixesTooMuch, &[Rule::Fixed]),
        (Plant::StopsForNothing, &[Rule::Ends]),
        (Plant::SkipsHint, &[Rule::Proof]),
        (Plant::SwapsHints, &[Rule::Proof]),
        (Plant::ShortensDerived, &[Rule::Proof]),
        (Plant::InventsAxiom, &[Rule::Proof]),
        (Plant::DeletesTwice, &[Rule::Proof]),
        (Plant::TakesOutTooMuch, &[Rule::Flip]),
        (Plant::CallsMinimal, &[Rule::Core]),
        (Plant::DependsOnTime, &[Rule::Repeats]),
        (Plant::Panics, &[Rule::Panics]),
    ] {
        let is_caught = |seed: u64| check(plant, &Trace::random(seed)).is_err_and(|fault| rules.contains(&fault.rule));
        assert!(SEEDS.clone().any(is_caught), "{plant:?} is never caught");
    }
}

#[test]
fn the_solver_passes() {
    for seed in 0..400 {
        let trace = Trace::random(seed);
        let fault = check(Plant::Nothing, &trace).err();
        assert_eq!(fault, None, "seed {seed}:\n{trace}");
    }
}

/// One clause and one query suffice to detect a dropped clause, so shrinking must remove almost everything
/// else.
#[test]
fn shrinking_leaves_what_matters() {
    let mut is_bad = |trace: &Trace| check(Plant::DropsClause, trace).is_err_and(|fault| fault.rule == Rule::Model);
    let found = SEEDS.map(Trace::random).find(|trace| is_bad(trace) && trace.len() > 20);
    let small = shrink(&found.expect("some long trace finds it"), 5000, &mut is_bad);
    let clauses = small.ops.iter().filter(|op| matches!(op.kind, op::Kind::Clause | op::Kind::Temporary)).count();
    assert!(clauses <= 3 && small.len() <= 5, "{small}");
    assert!(small.ops.iter().flat_map(|op| &op.names).count() <= 6, "{small}");
}

#[test]
fn texts_come_back() {
    for seed in SEEDS.take(200) {
        let trace = Trace::random(seed);
        assert_eq!(trace.to_string().parse(), Ok(trace));
    }
}

#[test]
fn wrong_texts_are_refused() {
    let first = "impasse-sat-trace 1\n";
    assert!(format!("# note\n{first}# note\n\nhost_var 1\nclause -1\nsolve_with @3 1\n").parse::<Trace>().is_ok());
    for wrong in ["clause 1", "host_var 1\nhost_var 1", "host_var -1", "host_var 0", "host_var x", "pop", "fly 1"] {
        assert!(format!("{first}{wrong}\n").parse::<Trace>().is_err(), "{wrong}");
    }
    for wrong in ["option chrono x", "option fly 1", "proof maybe", "theory fly 1", "theory lemma x", "solve_with @x"] {
        let error = format!("{first}{wrong}\n").parse::<Trace>().map(drop).map_err(|error| error.line);
        assert_eq!(error, Err(2), "{wrong}");
    }
    assert!("solve\n".parse::<Trace>().is_err());
}

/// Every field of `Options` is in the table.
#[test]
fn every_knob_is_turned() {
    let shown = format!("{:#?}", Options::default());
    let fields = shown.lines().filter(|line| line.starts_with("    ") && !line.starts_with("     "));
    for field in fields.filter_map(|line| line.trim().split_once(':')) {
        assert!(knobs::find(field.0).is_some(), "the knob `{}` is not in `knobs::TABLE`", field.0);
    }
    for knob in knobs::TABLE {
        assert!(knob.values.iter().all(|value| knob.set(&mut Options::default(), value)), "{}", knob.name);
    }
}
