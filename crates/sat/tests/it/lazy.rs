//! A test theory that contains a hidden formula and reveals it step by step. It reveals clauses as lemmas at
//! arbitrary moments (the lemma is true, unit or false at this moment; it is whole, or split in two by a new
//! literal), and as implied literals, with explanations that it gives later. It also checks that the host calls
//! it correctly.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use impasse_sat::{Ctx, DecidedBy, Limits, Lit, Options, SolveResult, Solver, Tag, Theory};
use proptest::prelude::*;
use testkit::Random;

use crate::cnf::check_answer;
use crate::formula::{Formula, formula, lits, options};
use crate::rup::Checker;

/// How often the theory does each action: one time in the given number.
#[derive(Clone, Debug)]
struct Temper {
    seed: u64,
    lemma: usize,
    split: usize,
    imply: usize,
    decide: usize,
    stop: usize,
    by_level: bool,
}

fn temper() -> impl Strategy<Value = Temper> {
    (any::<u64>(), 1..12usize, 1..4usize, 1..4usize, 1..6usize, 3..30usize, any::<bool>()).prop_map(
        |(seed, lemma, split, imply, decide, stop, by_level)| Temper {
            seed,
            lemma,
            split,
            imply,
            decide,
            stop,
            by_level,
        },
    )
}

struct Lazy {
    hidden: Vec<Vec<Lit>>,
    revealed: Vec<bool>,
    temper: Temper,
    random: Random,
    /// For each level: the literals told. The level of a literal is the level at which the theory was told, or
    /// the literal's own level if `by_level` is true.
    told: Vec<Vec<Lit>>,
    own: Vec<Lit>,
}

impl Lazy {
    fn new(hidden: &Formula, temper: Temper) -> Self {
        let revealed = vec![false; hidden.clauses.len()];
        let random = Random::new(temper.seed);
        Self { hidden: hidden.clauses.clone(), revealed, temper, random, told: vec![Vec::new()], own: Vec::new() }
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.random.one_in(n)
    }

    fn is_told(&self, lit: Lit) -> bool {
        self.told.iter().flatten().any(|&told| told == lit)
    }

    fn reveal(&mut self, index: usize, ctx: &mut Ctx<'_>) {
        self.revealed[index] = true;
        let clause = self.hidden[index].clone();
        let tag = Tag(index as u32);
        if clause.len() < 3 || !self.one_in(self.temper.split) {
            ctx.lemma(tag, &clause);
            return;
        }
        let by = if self.one_in(2) { DecidedBy::Host } else { DecidedBy::Theory };
        let bridge = ctx.new_lit(by);
        self.own.push(bridge);
        let (left, right) = clause.split_at(2);
        ctx.lemma(tag, &[left, &[bridge]].concat());
        ctx.lemma(tag, &[right, &[!bridge]].concat());
        if self.one_in(3) {
            ctx.prefer(!bridge);
        }
    }

    /// If the literals told make all literals of the hidden clause false except one: this one. Otherwise
    /// `None`.
    fn unit(&self, index: usize) -> Option<Lit> {
        let mut open = self.hidden[index].iter().copied().filter(|&lit| !self.is_told(!lit));
        let unit = open.next()?;
        (open.all(|lit| lit == unit)).then_some(unit)
    }
}

impl Theory for Lazy {
    fn propagate(&mut self, new: &[Lit], ctx: &mut Ctx<'_>) {
        assert!(!new.is_empty());
        for &lit in new {
            assert_eq!(ctx.value(lit), Some(true), "only true literals are told");
            assert!(!self.is_told(lit), "{lit:?} is told twice");
            let level = if self.temper.by_level { ctx.level_of(lit).unwrap() } else { ctx.level() };
            self.told[level].push(lit);
        }
        assert_eq!(self.told.len(), ctx.level() + 1, "levels are in step");
        for index in 0..self.hidden.len() {
            if self.one_in(self.temper.lemma) && !self.revealed[index] {
                self.reveal(index, ctx);
            } else if self.one_in(self.temper.imply)
                && let Some(unit) = self.unit(index)
            {
                ctx.imply(unit);
            }
        }
        if self.one_in(self.temper.stop) {
            ctx.stop();
        }
    }

    fn final_check(&mut self, ctx: &mut Ctx<'_>) {
        for index in 0..self.hidden.len() {
            for lit in &self.hidden[index] {
                assert_ne!(ctx.value(*lit), None, "all base variables are assigned");
                assert_eq!(ctx.value(*lit), Some(self.is_told(*lit)), "what is assigned was told");
            }
            if !self.hidden[index].iter().any(|&lit| self.is_told(lit)) {
                self.reveal(index, ctx);
            }
        }
    }

    fn decide(&mut self, ctx: &Ctx<'_>) -> Option<Lit> {
        if !self.one_in(self.temper.decide) {
            return None;
        }
        let open = self.own.iter().copied().find(|&lit| ctx.value(lit).is_none());
        open.or_else(|| self.hidden.first().and_then(|clause| clause.first()).copied())
    }

    fn explain(&mut self, lit: Lit, why: &mut Vec<Lit>) -> Tag {
        // A hidden clause with `lit` is an explanation if the theory was told that its other literals are false
        // before it was told `lit`.
        let order: Vec<Lit> = self.told.iter().flatten().copied().collect();
        let before = order.iter().position(|&told| told == lit).unwrap_or(order.len());
        let is_reason = |clause: &Vec<Lit>| {
            clause.contains(&lit) && clause.iter().all(|&other| other == lit || order[..before].contains(&!other))
        };
        let index = self.hidden.iter().position(is_reason).expect("it implied this literal");
        why.extend(self.hidden[index].iter().filter(|&&other| other != lit).map(|&other| !other));
        Tag(index as u32)
    }

    fn push_level(&mut self) {
        self.told.push(Vec::new());
    }

    fn pop_levels(&mut self, n: usize) {
        assert!(n > 0 && n < self.told.len());
        self.told.truncate(self.told.len() - n);
    }

    fn undoes_by_level(&self) -> bool {
        self.temper.by_level
    }
}

fn solve_to_the_end(solver: &mut Solver, theory: &mut Lazy, assumed: &[Lit]) -> SolveResult {
    loop {
        let limits = Limits { conflicts: Some(20), stop: Some(Arc::new(AtomicBool::new(false))) };
        match solver.solve_with(theory, assumed, &limits) {
            SolveResult::Stopped => {}
            answer => return answer,
        }
    }
}

fn run(known: &Formula, hidden: &Formula, rounds: &[(Vec<Lit>, Vec<Lit>)], temper: Temper, options: Options) {
    let mut solver = Solver::new(options);
    let checker = Checker::default();
    solver.set_proof(Box::new(checker.clone()));
    for _ in 0..hidden.vars {
        solver.new_var(DecidedBy::Host);
    }
    for clause in &known.clauses {
        solver.add_clause(Tag(99), clause);
    }
    let mut all = Formula { vars: hidden.vars, clauses: [&known.clauses[..], &hidden.clauses[..]].concat() };
    let mut theory = Lazy::new(hidden, temper);
    for (assumed, clause) in rounds {
        // A stopped query keeps its trail. On this trail, the solver must handle a new clause, or a query with
        // other assumptions.
        let first = solver.solve_with(&mut theory, assumed, &Limits { conflicts: Some(2), stop: None });
        if first == SolveResult::Stopped && !clause.is_empty() {
            solver.add_clause(Tag(98), clause);
            all.clauses.push(clause.clone());
        }
        if first == SolveResult::Stopped && clause.len() == 1 {
            let opposite: Vec<Lit> = assumed.iter().map(|&lit| !lit).collect();
            let other = solve_to_the_end(&mut solver, &mut theory, &opposite);
            check_answer(&solver, other, &all, &opposite, &checker);
        } else if first == SolveResult::Stopped && clause.len() == 2 {
            // This query is without the theory. The theory hears in its next query that levels have ended.
            solver.solve(assumed);
        }
        let answer = solve_to_the_end(&mut solver, &mut theory, assumed);
        check_answer(&solver, answer, &all, assumed, &checker);
        if answer == SolveResult::Unsat && first != SolveResult::Stopped {
            let again = solve_to_the_end(&mut solver, &mut theory, &[]);
            check_answer(&solver, again, &all, &[], &checker);
        }
        let plain = solver.solve(assumed);
        assert!(
            plain == SolveResult::Sat || !all.is_satisfiable(assumed),
            "without the theory there are more models, not fewer"
        );
    }
}

proptest! {
    #![proptest_config(testkit::config(1500))]

    #[test]
    fn a_hidden_formula_comes_out(
        known in formula(3),
        hidden in formula(8),
        rounds in prop::collection::vec((lits(8, 3), lits(8, 3)), 1..4),
        temper in temper(),
        options in options(),
    ) {
        run(&known, &hidden, &rounds, temper, options);
    }
}

/// Calls `incomplete` once, and stops.
struct Unsure {
    calls: usize,
}

impl Theory for Unsure {
    fn propagate(&mut self, _: &[Lit], ctx: &mut Ctx<'_>) {
        self.calls += 1;
        if self.calls == 1 {
            ctx.incomplete();
            ctx.stop();
        }
    }
    fn final_check(&mut self, _: &mut Ctx<'_>) {}
    fn decide(&mut self, _: &Ctx<'_>) -> Option<Lit> {
        None
    }
    fn explain(&mut self, _: Lit, _: &mut Vec<Lit>) -> Tag {
        panic!("it implies nothing")
    }
    fn push_level(&mut self) {}
    fn pop_levels(&mut self, _: usize) {}
}

#[test]
fn doubts_outlive_a_stop() {
    let mut solver = Solver::new(Options::default());
    let (a, b) = (solver.new_var(DecidedBy::Host).positive(), solver.new_var(DecidedBy::Host).positive());
    let mut theory = Unsure { calls: 0 };
    let limits = Limits::default();
    assert_eq!(solver.solve_with(&mut theory, &[a], &limits), SolveResult::Stopped);
    assert_eq!(solver.solve_with(&mut theory, &[a], &limits), SolveResult::Unknown);
    assert_eq!(solver.solve_with(&mut theory, &[b], &limits), SolveResult::Sat);
}

/// The solver must forget an answer that depends on temporary clauses when these clauses are removed.
#[test]
#[should_panic(expected = "there is no core")]
fn a_core_goes_with_its_temporary_clauses() {
    let mut solver = Solver::new(Options::default());
    let [p, q] = [0; 2].map(|_| solver.new_var(DecidedBy::Host).positive());
    solver.add_temporary(Tag(0), &[!p, !q]);
    assert_eq!(solver.solve(&[p, q]), SolveResult::Unsat);
    assert!(solver.minimize_core(&Limits::default()));
    assert_eq!(solver.core().len(), 2);
    solver.drop_temporaries();
    solver.minimize_core(&Limits::default());
}
