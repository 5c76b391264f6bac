//! Proofs of the solver as LRAT in both forms, read by the reader and checked by the checker, and damaged
//! proofs.

use impasse::certify::{Lrat, Options, Refusal, check_model};
use impasse::formats::{LratReader, Source};
use impasse::model::cnf::Cnf;
use impasse::model::{Budget, Certificate, Claim, Engine, Goal, ProgramTask, ProofStep, Stop, Turn};
use sat::proof_files::{Both, Form, Lrat as Writer};
use sat::{DecidedBy, Lit, SolveResult, Solver, Tag};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use testkit::Random;

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no thread panics while writing").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Memory {
    fn source(&self) -> Source {
        Source { name: "proof".to_owned(), bytes: self.0.lock().expect("no thread panicked").clone() }
    }
}

/// Solves with two proof writers. Returns the answer, the values of the variables, and the proof as text and in
/// binary form.
fn solve(cnf: &Cnf, options: sat::Options) -> (SolveResult, Vec<bool>, [Source; 2]) {
    let (text, binary) = (Memory::default(), Memory::default());
    let mut solver = Solver::new(options);
    let (first, _) = Writer::new(text.clone(), Form::Text, cnf.clauses.len());
    let (second, _) = Writer::new(binary.clone(), Form::Binary, cnf.clauses.len());
    solver.set_proof(Box::new(Both(Box::new(first), Box::new(second))));
    let vars: Vec<_> = (0..cnf.vars).map(|_| solver.new_var(DecidedBy::Host)).collect();
    for clause in &cnf.clauses {
        let literals: Vec<Lit> = clause.iter().map(|&l| Lit::from_dimacs(l)).collect();
        solver.add_clause(Tag(0), &literals);
    }
    let answer = solver.solve(&[]);
    let values = vars.iter().map(|var| solver.value(var.positive()) == Some(true)).collect();
    drop(solver);
    (answer, values, [text.source(), binary.source()])
}

fn check(cnf: &Cnf, proof: &Source) -> Result<u64, Refusal> {
    let stop = Stop::default();
    let mut check = Lrat::new(cnf, &Options::default(), &stop)?;
    let mut steps = LratReader::new(proof);
    while let Some(step) = steps.next_step().expect("what the writer writes the reader reads") {
        check.step(&step)?;
    }
    check.finish().map(|refuted| refuted.derived())
}

/// Returns a formula with three-literal clauses near the threshold of satisfiability, and with some clauses of
/// one and two literals among them.
fn formula(random: &mut Random) -> Cnf {
    let vars = random.between(10, 60);
    let mut clauses = Vec::new();
    let units = random.between(0, 3);
    for _ in 0..vars * random.between(32, 48) / 10 {
        let length = if random.chance(10) { 2 } else { 3 };
        let literal = |random: &mut Random| random.between(1, vars) as i32 * if random.chance(50) { 1 } else { -1 };
        clauses.push((0..length).map(|_| literal(random)).collect());
    }
    for _ in 0..units {
        let at = random.below(clauses.len());
        clauses.insert(at, vec![random.between(1, vars) as i32]);
    }
    Cnf { vars: vars as u32, clauses }
}

/// Options with frequent reductions, so that clauses are deleted in small formulas too.
fn busy() -> sat::Options {
    sat::Options { reduce_interval: 20, ..sat::Options::default() }
}

#[test]
fn every_answer_of_the_solver_is_accepted() {
    let (mut refuted, mut deleted) = (0, 0);
    for seed in 0..300 {
        let cnf = formula(&mut Random::new(seed));
        let (answer, values, proofs) = solve(&cnf, busy());
        match answer {
            SolveResult::Sat => check_model(&cnf, &values).unwrap_or_else(|why| panic!("seed {seed}: {why}")),
            SolveResult::Unsat => {
                let [text, binary] = proofs.each_ref().map(|proof| check(&cnf, proof));
                assert!(text.is_ok(), "seed {seed}: {text:?}");
                assert_eq!(text, binary, "seed {seed}");
                refuted += 1;
                deleted += proofs[0].bytes.windows(3).filter(|three| three == b" d ").count();
            }
            other => panic!("seed {seed}: {other:?} without limits"),
        }
    }
    assert!((50..250).contains(&refuted) && deleted > 50, "{refuted} refuted, {deleted} lines of deletions");
}

/// Proofs without one word of a line are mostly refused. A proof is never accepted for a formula that has a
/// model.
#[test]
fn damaged_proofs_are_refused() {
    let (mut refused, mut accepted) = (0, 0);
    for seed in 0..60 {
        let random = &mut Random::new(1000 + seed);
        let cnf = formula(random);
        let (SolveResult::Unsat, _, [text, _]) = solve(&cnf, busy()) else { continue };
        let lines = String::from_utf8(text.bytes).expect("text");
        let lines: Vec<&str> = lines.lines().collect();
        for _ in 0..20 {
            let at = random.below(lines.len());
            let mut words: Vec<&str> = lines[at].split(' ').collect();
            if words.len() > 3 {
                words.remove(random.between(1, words.len() - 2));
            }
            let line = words.join(" ");
            let damaged: Vec<&str> = lines.iter().enumerate().map(|(i, l)| if i == at { &line } else { *l }).collect();
            let source = Source { name: "damaged".to_owned(), bytes: damaged.join("\n").into_bytes() };
            match checked(&cnf, &source) {
                Some(Ok(_)) => accepted += 1,
                Some(Err(Refusal::Rejected(_))) | None => refused += 1,
                Some(Err(other)) => panic!("seed {seed}: {other}"),
            }
        }
        let mut less = cnf.clone();
        while solve(&less, busy()).0 == SolveResult::Unsat {
            less.clauses[random.below(cnf.clauses.len())] = vec![1, -1];
        }
        let source = Source { name: "proof".to_owned(), bytes: lines.join("\n").into_bytes() };
        assert!(matches!(check(&less, &source), Err(Refusal::Rejected(_))), "seed {seed}");
    }
    assert!(refused > 300 && refused > 4 * accepted, "{refused} refused, {accepted} accepted");
}

/// Like `check`, but returns `None` if the file is not a proof.
fn checked(cnf: &Cnf, proof: &Source) -> Option<Result<u64, Refusal>> {
    let mut steps = LratReader::new(proof);
    while steps.next_step().ok()?.is_some() {}
    Some(check(cnf, proof))
}

/// In refutations of programs, every derived clause has hints.
#[test]
fn refutations_of_programs_have_hints() {
    let text = std::fs::read("examples/clocks_clash.rwb").expect("tests run at the root");
    let source = Source { name: "clocks_clash.rwb".to_owned(), bytes: text };
    let read = impasse::formats::read(source, None, &impasse::formats::Limits::default()).expect("a good example");
    let task = ProgramTask::of(&read.problem).expect("it is a program").asking([Goal::Bad]);
    let mut engine = programs::dpllt::Dpllt::new(&task, impasse::patterns::ALL, programs::dpllt::Options::default());
    let mut budget = Budget::unlimited(Arc::new(Stop::default()));
    let turn = engine.run(&mut budget);
    let Turn::Claims(Claim::Safe { certificate: Certificate::Refutation(refutation), .. }) = &turn else {
        panic!("lemmas refute it: {turn:?}")
    };
    let derived = || {
        refutation.steps.iter().filter_map(|s| if let ProofStep::Derived(_, hints) = s { Some(hints) } else { None })
    };
    assert!(derived().count() > 0);
    assert!(derived().all(|hints| !hints.is_empty()), "{:?}", refutation.steps);
}
