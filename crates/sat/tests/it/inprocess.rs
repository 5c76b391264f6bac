//! Tests that each inprocessing technique takes effect, and that the formula keeps its meaning for every
//! variable.

use impasse_sat::{DecidedBy, Lit, Modes, Options, SolveResult, Solver, Stats, Tag};
use proptest::prelude::*;

use crate::cnf::check_answer;
use crate::formula::{Formula, lit, lits, options};
use crate::rup::Checker;

/// Formulas with many binary clauses, so that there are equivalent and failing literals, and with clauses that
/// subsume others.
fn tangle(vars: usize) -> impl Strategy<Value = Formula> {
    let clause = prop_oneof![
        6 => prop::collection::vec(lit(vars), 2),
        3 => prop::collection::vec(lit(vars), 3),
        2 => prop::collection::vec(lit(vars), 4..=5),
    ];
    prop::collection::vec(clause, vars..4 * vars).prop_map(move |clauses| Formula { vars, clauses })
}

/// Number of variables of the noise formula, which shares no variable with the tested formula and causes
/// conflicts.
const NOISE: usize = 12;

struct Bench {
    solver: Solver,
    checker: Checker,
    formula: Formula,
}

impl Bench {
    /// Creates a bench for `formula`. The variables of the noise formula come after those of `formula`.
    fn new(options: Options, formula: Formula) -> Self {
        let mut solver = Solver::new(options);
        let checker = Checker::default();
        solver.set_proof(Box::new(checker.clone()));
        for _ in 0..formula.vars + NOISE {
            solver.new_var(DecidedBy::Host);
        }
        for clause in &formula.clauses {
            solver.add_clause(Tag(0), clause);
        }
        Self { solver, checker, formula }
    }

    /// Adds the noise: a pigeonhole formula that must hold if `guard` is true. It causes conflicts, and
    /// therefore restarts and inprocessing.
    fn make_noise(&mut self, guard: Lit) {
        let at = |pigeon: usize, hole: usize| impasse_sat::Var::new(self.formula.vars + pigeon * 3 + hole).positive();
        for pigeon in 0..4 {
            self.solver.add_clause(Tag(1), &[!guard, at(pigeon, 0), at(pigeon, 1), at(pigeon, 2)]);
            for other in 0..pigeon {
                for hole in 0..3 {
                    self.solver.add_clause(Tag(1), &[!guard, !at(pigeon, hole), !at(other, hole)]);
                }
            }
        }
    }

    fn ask(&mut self, assumed: &[Lit]) -> SolveResult {
        let answer = self.solver.solve(assumed);
        check_answer(&self.solver, answer, &self.formula, assumed, &self.checker);
        answer
    }

    /// Checks only the answer: with temporary clauses, the last derived clause may contain their guard.
    fn ask_in_passing(&mut self, assumed: &[Lit]) {
        let answer = self.solver.solve(assumed);
        assert_eq!(answer == SolveResult::Sat, self.formula.is_satisfiable(assumed));
    }

    fn disturb(&mut self) {
        let guard = self.solver.new_var(DecidedBy::Host).positive();
        self.make_noise(guard);
        self.solver.solve(&[guard]);
        assert_eq!(self.checker.0.lock().unwrap().wrong, Vec::<Vec<Lit>>::new(), "derived clauses follow");
    }
}

proptest! {
    #![proptest_config(testkit::config(400))]

    /// Equivalent formulas have the same models, so under all assumptions the answer is that of the given
    /// formula.
    #[test]
    fn the_formula_stays_equivalent(
        formula in tangle(9),
        more in tangle(9),
        assumed in prop::collection::vec(lits(9, 5), 1..4),
        options in options(),
    ) {
        let options = Options { inprocess_interval: 1, ..options };
        let mut bench = Bench::new(options, formula);
        bench.disturb();
        for assumed in &assumed {
            bench.ask(assumed);
        }
        for clause in more.clauses.iter().take(6) {
            bench.solver.add_clause(Tag(0), clause);
            bench.formula.clauses.push(clause.clone());
        }
        bench.disturb();
        for assumed in &assumed {
            bench.ask(assumed);
        }
        bench.ask(&[]);
    }
}

proptest! {
    #![proptest_config(testkit::config(300))]

    /// Temporary clauses, and removable clauses that follow from the others, are added and removed during
    /// inprocessing. Clauses that stay must not depend on temporary clauses, and the removal of a removable
    /// clause must not weaken the formula.
    #[test]
    fn what_comes_and_goes_leaves_nothing_behind(
        formula in tangle(8),
        visits in prop::collection::vec((tangle(8), any::<bool>(), lits(8, 4)), 1..4),
        options in options(),
    ) {
        let options = Options { inprocess_interval: 1, ..options };
        let mut bench = Bench::new(options, formula);
        let given = bench.formula.clauses.len();
        for (visit, is_removable, assumed) in visits {
            // The caller of `remove` guarantees that learnt clauses still hold, so only clauses that follow
            // from the others are removable.
            let implied: Vec<_> =
                bench.formula.clauses.iter().map(|clause| [&clause[..], &assumed[..]].concat()).collect();
            let mut names = Vec::new();
            if is_removable {
                names.extend(implied.iter().map(|clause| bench.solver.add_removable(Tag(2), clause)));
            } else {
                for clause in visit.clauses.iter().take(8) {
                    bench.solver.add_temporary(Tag(3), clause);
                    bench.formula.clauses.push(clause.clone());
                }
            }
            bench.disturb();
            bench.ask_in_passing(&assumed);
            for name in names {
                bench.solver.remove(name);
            }
            bench.solver.drop_temporaries();
            bench.formula.clauses.truncate(given);
            bench.disturb();
            bench.ask(&assumed);
        }
    }
}

fn clauses(numbers: &[&[i32]]) -> Vec<Vec<Lit>> {
    numbers.iter().map(|clause| clause.iter().map(|&number| Lit::from_dimacs(number)).collect()).collect()
}

/// Options that inprocess at the first opportunity, with every technique off.
fn eager() -> Options {
    Options {
        inprocess_interval: 1,
        restart_interval: 0,
        restart_margin: 0.1,
        subsume: false,
        subsume_effort: 100.0,
        equivalent: false,
        probe: false,
        probe_effort: 100.0,
        vivify: false,
        ..Options::default()
    }
}

/// Solves a formula with the techniques that `switch` enables, and no others. Returns the counters.
fn stats_of(vars: usize, numbers: &[&[i32]], switch: impl Fn(&mut Options)) -> Stats {
    let mut options = eager();
    switch(&mut options);
    let mut bench = Bench::new(options, Formula { vars, clauses: clauses(numbers) });
    bench.disturb();
    bench.ask(&[]);
    *bench.solver.stats()
}

#[test]
fn a_clause_with_more_literals_goes() {
    let numbers: &[&[i32]] = &[&[1, 2, 3], &[3, 4, 2, 1], &[4, 5], &[5, 6, 4], &[4, 5]];
    let stats = stats_of(6, numbers, |options| options.subsume = true);
    assert!(stats.subsumed >= 3, "{stats:?}");
    assert_eq!(stats_of(6, numbers, |_| {}).subsumed, 0);
}

#[test]
fn a_clause_is_shortened_by_one_that_differs_in_a_sign() {
    let numbers: &[&[i32]] = &[&[1, 2, 3], &[1, 2, -3, 4], &[5, 6], &[5, -6, 2]];
    let stats = stats_of(6, numbers, |options| options.subsume = true);
    assert!(stats.strengthened >= 2, "{stats:?}");
}

/// A cycle of four equivalent literals, and clauses that contain them.
#[test]
fn equivalent_literals_become_one() {
    let numbers: &[&[i32]] =
        &[&[-1, 2], &[-2, 3], &[-3, -4], &[4, 1], &[2, 5, 6], &[-3, 5, 7], &[-4, 6, 7], &[4, 5, -6, -7]];
    let stats = stats_of(7, numbers, |options| options.equivalent = true);
    // Two ties are existing clauses: 1 implies 2, and -1 implies 4. Four ties are added: 1 implies 3 and -4,
    // and -1 implies -3 and -2.
    assert_eq!(stats.tied, 4, "{stats:?}");
    assert!(stats.substituted >= 4, "{stats:?}");
}

#[test]
fn a_literal_equivalent_to_its_negation_refutes() {
    let numbers: &[&[i32]] = &[&[-1, 2], &[-2, -1], &[1, 3], &[-3, 4], &[-4, 1]];
    let mut bench = Bench::new(
        Options { inprocess_interval: 1, ..Options::default() },
        Formula { vars: 4, clauses: clauses(numbers) },
    );
    bench.disturb();
    assert_eq!(bench.ask(&[]), SolveResult::Unsat);
}

/// 1 and 2 are equivalent, but one of the binary clauses that make them equivalent is removed later. This
/// clause must not become a tie.
#[test]
fn no_tie_hangs_on_a_removable_clause() {
    let numbers: &[&[i32]] = &[&[-1, 2, 3], &[-1, 2, -3], &[-2, 1], &[2, 4, 5], &[1, -4, 5], &[-2, -4, -5]];
    let options = Options { equivalent: true, ..eager() };
    let mut bench = Bench::new(options, Formula { vars: 5, clauses: clauses(numbers) });
    let name = bench.solver.add_removable(Tag(0), &[Lit::from_dimacs(-1), Lit::from_dimacs(2)]);
    bench.disturb();
    bench.solver.remove(name);
    bench.disturb();
    for (a, b) in [(1, 2), (1, -2), (-1, 2), (-1, -2)] {
        bench.ask(&[Lit::from_dimacs(a), Lit::from_dimacs(b)]);
    }
}

/// 1 implies 2 and 3, which together imply 4 and its negation, through clauses of three literals.
#[test]
fn a_failing_root_is_false() {
    let numbers: &[&[i32]] = &[&[-1, 2], &[-2, 3], &[-2, -3, 4], &[-3, -4, 5], &[-2, -4, -5]];
    let stats = stats_of(5, numbers, |options| options.probe = true);
    assert!(stats.failed >= 1, "{stats:?}");
}

/// Learnt clauses from a grid of parities have many literals on few levels.
#[test]
fn literals_of_one_level_become_one() {
    let width = 4;
    let numbers: Vec<Vec<i32>> = (0..width * width)
        .flat_map(|at| {
            let (row, column) = (at / width, at % width);
            let edges = [at, 16 + at, (row * width + (column + 1) % width), 16 + ((row + 1) % width * width + column)];
            let parity = i32::from(at == 0);
            (0..16u32).filter(move |signs| signs.count_ones() as i32 % 2 != parity).map(move |signs| {
                (0..4).map(|edge| (edges[edge] + 1) * if signs >> edge & 1 == 1 { -1 } else { 1 }).collect()
            })
        })
        .collect();
    let mut solver =
        Solver::new(Options { modes: Modes::Focused, inprocess_interval: 0, shrink: true, ..Options::default() });
    let checker = Checker::default();
    solver.set_proof(Box::new(checker.clone()));
    for _ in 0..2 * width * width {
        solver.new_var(DecidedBy::Host);
    }
    for clause in &numbers {
        let clause: Vec<Lit> = clause.iter().map(|&number| Lit::from_dimacs(number)).collect();
        solver.add_clause(Tag(0), &clause);
    }
    assert_eq!(solver.solve(&[]), SolveResult::Unsat);
    assert_eq!(checker.0.lock().unwrap().wrong, Vec::<Vec<Lit>>::new());
    assert!(solver.stats().shrunken > 0, "{:?}", solver.stats());
}

/// A pigeonhole formula alone: learnt clauses are shortened and subsumed.
#[test]
fn learnt_clauses_are_vivified_strengthened_and_subsumed() {
    let options = Options { inprocess_interval: 50, vivify_effort: 10.0, ..Options::default() };
    let (holes, off) = (7, Options { vivify: false, subsume_eagerly: false, ..options.clone() });
    let stats = [options, off].map(|options| {
        let mut solver = Solver::new(options);
        let checker = Checker::default();
        solver.set_proof(Box::new(checker.clone()));
        let at = |pigeon: usize, hole: usize| impasse_sat::Var::new(pigeon * holes + hole).positive();
        (0..(holes + 1) * holes).for_each(|_| _ = solver.new_var(DecidedBy::Host));
        for pigeon in 0..=holes {
            solver.add_clause(Tag(0), &(0..holes).map(|hole| at(pigeon, hole)).collect::<Vec<_>>());
            for other in 0..pigeon {
                (0..holes).for_each(|hole| solver.add_clause(Tag(0), &[!at(pigeon, hole), !at(other, hole)]));
            }
        }
        assert_eq!(solver.solve(&[]), SolveResult::Unsat);
        assert!(checker.0.lock().unwrap().wrong.is_empty());
        *solver.stats()
    });
    let [on, off]: [Stats; 2] = stats;
    assert!(on.vivify_tried > 0 && on.vivified > 0 && on.subsumed_eagerly > 0, "{on:?}");
    assert_eq!((off.vivify_tried, off.vivified, off.subsumed_eagerly), (0, 0, 0));
}

/// Options with which elimination, local search and inprocessing run early and often.
fn one_shot(options: Options) -> Options {
    Options {
        phase: true, // the guard of the noise is true first
        restarts: true,
        restart_interval: 1,
        restart_margin: 0.0,
        inprocess_interval: 1,
        rephase_interval: 5,
        walk_effort: 1.0,
        eliminate: true,
        walk: true,
        confined: false,
        ..options
    }
}

/// Asks about the formula and about noise that can be switched off. Returns the counters of the solver.
fn ask_once(options: Options, formula: Formula) -> Stats {
    let mut bench = Bench::new(options, formula);
    let guard = bench.solver.new_var(DecidedBy::Host).positive();
    bench.make_noise(guard);
    bench.ask(&[]);
    *bench.solver.stats()
}

proptest! {
    #![proptest_config(testkit::config(1000))]

    /// The answer stays the same without eliminated variables, the model has their values, and every clause of the
    /// proof follows. With `first`, elimination begins before the search, and otherwise among learnt clauses.
    #[test]
    fn eliminated_variables_change_no_answer(
        formula in prop_oneof![tangle(9), tangle(14)],
        options in options(),
        bound in 0_usize..20,
        first in any::<bool>(),
    ) {
        let eliminate_first = if first { usize::MAX } else { 0 };
        ask_once(Options { eliminate_bound: bound, eliminate_first, ..one_shot(options) }, formula);
    }
}

/// A learnt clause may subsume a given one. When the given one is deleted, reductions could delete the learnt one, too.
/// So elimination, which begins among learnt clauses here, compares given clauses only.
#[test]
fn a_learnt_clause_takes_no_given_one_away() {
    for seed in 0..testkit::count(60) {
        let mut random = testkit::Random::new(seed);
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        // Parities of five variables on a ring, one of them wrong.
        let vars = 16;
        for first in 0..vars {
            let chosen: Vec<usize> = [0, 1, 3, 4].iter().map(|step| (first + step) % vars).collect();
            let odd = random.chance(50);
            for signs in (0_u32..16).filter(|signs| (signs.count_ones() % 2 == 1) != odd) {
                let lit = |at: usize| impasse_sat::Var::new(chosen[at]).positive();
                clauses.push((0..4).map(|at| if signs >> at & 1 == 1 { !lit(at) } else { lit(at) }).collect());
            }
        }
        let options = Options { eliminate_first: 0, reduce_interval: 1, ..one_shot(Options::default()) };
        ask_once(options, Formula { vars, clauses });
    }
}

/// A chain of gates of each kind. All variables but few can be eliminated.
#[test]
fn gates_are_eliminated() {
    let gates: &[&[i32]] = &[
        // 4 = 1 and 2; 5 = 4 xor 3; 6 = if 1 then 5 else 3
        &[-4, 1],
        &[-4, 2],
        &[4, -1, -2],
        &[-5, 4, 3],
        &[-5, -4, -3],
        &[5, -4, 3],
        &[5, 4, -3],
        &[-6, -1, 5],
        &[-6, 1, 3],
        &[6, -1, -5],
        &[6, 1, -3],
        &[6, 5, 4],
        &[-6, -5, -4],
    ];
    let clauses = gates.iter().map(|clause| clause.iter().map(|&lit| Lit::from_dimacs(lit)).collect()).collect();
    let stats = ask_once(one_shot(Options::default()), Formula { vars: 6, clauses });
    assert!(stats.eliminated >= 4, "{stats:?}");
}

/// One clause of 3,000 literals, each of which a chain of binary clauses could remove. Shortening it one by one would
/// write ten million literals.
#[test]
fn a_long_clause_is_not_shortened_literal_by_literal() {
    let mut solver = Solver::new(Options::for_one_formula());
    let vars: Vec<Lit> = (0..3000).map(|_| solver.new_var(DecidedBy::Host).positive()).collect();
    solver.add_clause(Tag(0), &vars);
    let others: Vec<Lit> = (0..3).map(|_| solver.new_var(DecidedBy::Host).positive()).collect();
    for pair in vars.windows(2) {
        solver.add_clause(Tag(0), &[!pair[0], pair[1]]);
        // The second literal is the rarest of the binary clause.
        solver.add_clause(Tag(0), &[!pair[0], others[0], others[1]]);
        solver.add_clause(Tag(0), &[!pair[0], !others[0], others[2]]);
    }
    assert_eq!(solver.solve(&[]), SolveResult::Sat);
    assert!(solver.stats().strengthened < 100, "{:?}", solver.stats());
}

/// The variable of an assumed literal could be eliminated before it is assumed.
#[test]
#[should_panic(expected = "may be eliminated")]
fn literals_are_not_assumed_where_variables_may_go() {
    let mut solver = Solver::new(Options::for_one_formula());
    let (a, b) = (solver.new_var(DecidedBy::Host).positive(), solver.new_var(DecidedBy::Host).positive());
    solver.add_clause(Tag(0), &[a, b]);
    solver.solve(&[!a]);
}

/// Random clauses of three literals, all with a positive one: local search finds a model before the first decision.
#[test]
fn local_search_solves_uniform_formulas() {
    let mut random = testkit::Random::new(3);
    let mut solver = Solver::new(Options::for_one_formula());
    let vars: Vec<Lit> = (0..200).map(|_| solver.new_var(DecidedBy::Host).positive()).collect();
    let clauses: Vec<Vec<Lit>> = (0..800)
        .map(|_| {
            let mut clause: Vec<Lit> = random.sample(vars.len(), 3).into_iter().map(|index| vars[index]).collect();
            for lit in &mut clause[1..] {
                *lit = if random.chance(50) { *lit } else { !*lit };
            }
            clause
        })
        .collect();
    clauses.iter().for_each(|clause| solver.add_clause(Tag(0), clause));
    assert_eq!(solver.solve(&[]), SolveResult::Sat);
    assert!(clauses.iter().all(|clause| clause.iter().any(|&lit| solver.value(lit) == Some(true))));
    let stats = solver.stats();
    assert!(stats.walks == 1 && stats.flips > 0 && stats.conflicts == 0, "{stats:?}");
}

/// A clause that comes after an elimination could be about a variable without clauses.
#[test]
#[should_panic(expected = "after an elimination")]
fn a_formula_with_eliminated_variables_does_not_change() {
    let mut bench = Bench::new(one_shot(Options::default()), Formula { vars: 2, clauses: Vec::new() });
    let guard = bench.solver.new_var(DecidedBy::Host).positive();
    bench.make_noise(guard);
    bench.solver.solve(&[]);
    assert!(bench.solver.stats().eliminated > 0);
    bench.solver.add_clause(Tag(0), &[guard]);
}
