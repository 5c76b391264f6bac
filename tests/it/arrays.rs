//! Lemmas about arrays, from the pattern to the evidence file: the checker accepts the rules of arrays and nothing
//! else, what it accepts is true of every run, and a proof from them needs no trust.

use impasse::certify::{self, Options, Refusal};
use impasse::formats::{Limits, Source};
use impasse::model::array::{ArrayRule, ArrayTerm, ThreadArray, ThreadCell, Write};
use impasse::model::pattern::{Coverage, Match, Pattern, WhyNot};
use impasse::model::{
    Axiom, Certificate, Claim, Constant, EventId, Goal, IntAtom, IntTerm, Justification, Lemma, LemmaKind, LemmaLit,
    LocalId, Meaning, Problem, Program, ProofStep, Prop, Refutation, Stop, Thread, ThreadId, Values,
};
use impasse::patterns::{facts, kit};
use impasse::{check, engines, evidence, read_rwb};
use std::sync::Arc;

const KIND: LemmaKind = LemmaKind("test.array");

/// True if the checker accepts the lemma. Alone it refutes nothing.
fn is_accepted(program: &Arc<Program>, rule: &ArrayRule, clause: &[LemmaLit]) -> bool {
    let literals = (1..).zip(clause).map(|(v, lit)| if lit.positive { v } else { -v }).collect();
    let axiom = Axiom::Lemma(KIND, Justification::Array(rule.clone()));
    let refutation = Refutation {
        width: program.threads().len(),
        meanings: clause.iter().map(|lit| Meaning::Prop(lit.prop.clone())).collect(),
        groups: Vec::new(),
        steps: vec![ProofStep::Axiom(axiom, literals)],
    };
    let claim = Claim::Safe { goals: vec![Goal::Bad], certificate: Certificate::Refutation(Box::new(refutation)) };
    let problem = Problem::of_program(Arc::clone(program));
    match certify::confirm(&problem, &claim, &Options::default(), &Stop::default()) {
        Err(Refusal::Rejected(why)) => why.contains("does not end in the empty clause"),
        other => panic!("{other:?}"),
    }
}

/// A random array of all threads. Their states have few values.
fn array(program: &Program, random: &mut kit::Random) -> Arc<ThreadArray> {
    let cell = |(i, thread): (usize, &Thread)| {
        let mut value = || random.below(2) as i64 - 1;
        ThreadCell { thread: ThreadId::new(i), values: thread.states.iter().map(|_| value()).collect() }
    };
    let cells = program.threads().iter().enumerate().map(cell).collect();
    Arc::new(ThreadArray { back: random.below(3) as u32, cells })
}

fn term(random: &mut kit::Random) -> IntTerm {
    let small = IntTerm::number(random.below(4) as i64 - 1);
    let constant = [Constant::RunLength, Constant::Count(EventId(0)), Constant::Named("x".into())];
    let constant = IntTerm::Constant(constant[random.below(3)].clone());
    match random.below(3) {
        0 => small,
        1 => constant,
        _ => IntTerm::Sum(vec![constant, small]),
    }
}

fn rule(array: &Arc<ThreadArray>, events: usize, random: &mut kit::Random) -> ArrayRule {
    let threads = ArrayTerm::Threads(Arc::clone(array));
    let base = if random.chance(50) { threads.store(term(random), term(random)) } else { threads };
    let index = random.below(array.cells.len()) as u32;
    let write = Write { array: base.clone(), at: term(random), value: term(random), read: term(random) };
    match random.below(8) {
        0 => ArrayRule::SameIndex { array: base, first: term(random), second: term(random) },
        1 => ArrayRule::Written(write),
        2 => ArrayRule::Kept(write),
        3 => {
            let state = LocalId::new(random.below(array.cells[index as usize].values.len()));
            ArrayRule::Cell { array: Arc::clone(array), index, state }
        }
        _ => {
            let write = random.chance(50).then(|| (index, random.below(2) as i64 - 1));
            let event = EventId::new(random.below(events));
            ArrayRule::Moves { after: Arc::clone(array), event, write, read: term(random) }
        }
    }
}

/// What the checker accepts is true of every violating run, and it accepts no rule of which a literal is missing or
/// another one.
#[test]
fn what_the_checker_accepts_is_true_of_every_run() {
    let mut random = kit::Random::new(47);
    let (mut accepted, mut refused, mut evaluated) = (0, 0, 0);
    for _ in 0..300 {
        let program = Arc::new(kit::program(&mut random));
        let runs = kit::violating_runs(&program, kit::Sample::default(), &mut random);
        for _ in 0..20 {
            let array = array(&program, &mut random);
            let rule = rule(&array, program.events().len(), &mut random);
            let clause = rule.clause();
            let fewer = random.below(clause.len());
            let without: Vec<LemmaLit> =
                clause.iter().enumerate().filter(|(i, _)| *i != fewer).map(|(_, l)| l.clone()).collect();
            let is_twice = without.contains(&clause[fewer]);
            assert!(is_twice || !is_accepted(&program, &rule, &without), "{rule:?} without literal {fewer}");
            if !is_accepted(&program, &rule, &clause) {
                assert!(matches!(rule, ArrayRule::Moves { .. }), "{rule:?}");
                refused += 1;
                continue;
            }
            accepted += usize::from(matches!(rule, ArrayRule::Moves { .. }));
            for run in &runs {
                for x in -1..3_i64 {
                    let mut values: Values = run.values(program.events().len());
                    values.insert(Constant::Named("x".into()), x.into());
                    let lemma = Lemma { kind: KIND, clause: clause.clone(), justification: None };
                    assert!(kit::holds(&lemma, run, &values), "{rule:?} {run:?}\n{}", kit::describe(&program));
                    evaluated += 1;
                }
            }
        }
    }
    assert!(accepted > 100 && refused > 100 && evaluated > 10_000, "{accepted} {refused} {evaluated}");
}

/// The cell is 1 after `fill`, and blocks `go` then. For the marker, `go` right after `fill` is an error.
const PROGRAM: &str = "rwb 1 event fill, go, clear check bad
    thread Cell { state s0 { on fill -> s1 } state s1 { block go on clear -> s0 } }
    thread Env { state run { request fill, clear, go } }
    thread Marker { state idle { on fill -> ready } state ready { on fill -> ready on clear -> idle on go -> wrong }
        state wrong { bad } }";

/// Follows the value of the cell from `fill` to the end, as if `fill` wrote `write`.
struct Memory {
    write: i64,
}

struct Lemmas(Vec<Lemma>);

impl Pattern for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        if goal != Goal::Bad {
            return Err(WhyNot::new(None, "bad states only"));
        }
        let (fill, go, cell, marker) = (EventId(0), EventId(1), ThreadId(0), ThreadId(2));
        let (ready, wrong) = (LocalId(1), LocalId(2));
        let at = |back| Arc::new(ThreadArray { back, cells: vec![ThreadCell { thread: cell, values: vec![0, 1] }] });
        let first = || IntTerm::number(0);
        let kind = LemmaKind("memory.step");
        let state = |back, thread, state| Prop::StateBack { back, thread, state };
        let fired = |back, event| Prop::EventBack { back, event };
        let came = Lemma {
            kind,
            clause: vec![
                LemmaLit::no(state(0, marker, wrong)),
                LemmaLit::no(fired(0, go)),
                LemmaLit::yes(state(1, marker, ready)),
            ],
            justification: Some(Justification::CameFrom { back: 0, thread: marker, state: wrong, event: go }),
        };
        let open = Lemma {
            kind,
            clause: vec![LemmaLit::no(fired(0, go)), LemmaLit::yes(state(0, cell, LocalId(0)))],
            justification: Some(Justification::Projected { threads: vec![cell], back: 0, length: 1 }),
        };
        let rules = [
            ArrayRule::Moves { after: at(1), event: fill, write: Some((0, self.write)), read: first() },
            ArrayRule::Moves { after: at(0), event: go, write: None, read: first() },
            ArrayRule::Cell { array: at(0), index: 0, state: LocalId(0) },
        ];
        let mut lemmas = vec![facts::bad_state(kind, threads), came, open];
        lemmas.push(facts::entered_by(kind, threads, 0, marker, wrong));
        lemmas.push(facts::entered_by(kind, threads, 1, marker, ready));
        lemmas.extend(rules.map(|rule| facts::array(kind, rule)));
        Ok(Box::new(Lemmas(lemmas)))
    }
}

impl Match for Lemmas {
    fn coverage(&self) -> Coverage {
        Coverage { goal: Goal::Bad, threads: vec![ThreadId(0), ThreadId(2)] }
    }

    fn on_start(&mut self, out: &mut Vec<Lemma>) {
        out.append(&mut self.0);
    }
}

#[test]
fn a_proof_from_arrays_needs_no_trust_and_is_refused_if_damaged() {
    let problem = read_rwb(PROGRAM).expect("it is well formed");
    let with = |pattern: &dyn Pattern| {
        let patterns: &[&dyn Pattern] = &[pattern];
        check(&problem, &impasse::Options { engine: Some(&engines::DPLLT), patterns, ..impasse::Options::default() })
    };
    let outcome = with(&Memory { write: 1 });
    let answer = outcome.about(Goal::Bad).expect("it was asked");
    assert!(answer.is_safe() && answer.stats.states <= 1, "{:?}", answer.finding);
    assert!(answer.stats.lemmas.contains_key("side.arrays"), "{:?}", answer.stats.lemmas);
    let mut bytes = Vec::new();
    evidence::write("p", &problem, answer.claim.as_ref().expect("it is settled"), &mut bytes).expect("it is written");
    let text = String::from_utf8(bytes).expect("it is text");
    let confirm = |text: &str| {
        let source = Source { name: "p.json".to_owned(), bytes: text.as_bytes().to_vec() };
        let read = evidence::read(&source, &problem, &Limits::default()).expect("it can be read");
        certify::confirm(&problem, &read, &Options::default(), &Stop::default())
    };
    confirm(&text).expect("it is accepted");
    for (from, to) in [
        ("\"write\":[0,1]", "\"write\":[0,0]"),
        ("\"write\":[0,1]", "\"write\":null"),
        ("\"written\":{", "\"kept\":{"),
        ("\"values\":[0,1]", "\"values\":[0,0]"),
        ("\"state\":0", "\"state\":1"),
    ] {
        let damaged = text.replacen(from, to, 1);
        assert_ne!(damaged, text, "{from} is there:\n{text}");
        assert!(matches!(confirm(&damaged), Err(Refusal::Rejected(_))), "{from} {to}");
    }
    // The engine believes a wrong value, and the checker does not.
    let outcome = with(&Memory { write: 2 });
    let answer = outcome.about(Goal::Bad).expect("it was asked");
    let finding = format!("{:?}", answer.finding);
    assert!(!answer.is_safe() && finding.contains("the event gives cell 0 another value"), "{finding}");
}

/// An unknown function: equal arguments have equal values.
#[test]
fn an_array_that_nothing_writes_is_a_function() {
    struct Function;
    impl Pattern for Function {
        fn name(&self) -> &'static str {
            "function"
        }

        fn recognize(&self, _: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
            let f = ArrayTerm::Named("f".into());
            let apply = |times: u32| (0..times).fold(IntTerm::number(0), |term, _| f.cell(term));
            // f^3(0) = 0, f^5(0) = 0, and f(0) is not 0.
            let atoms = [
                IntAtom::Eq(apply(3), IntTerm::number(0)),
                IntAtom::Eq(apply(5), IntTerm::number(0)),
                IntAtom::Le(IntTerm::number(1), apply(1)),
            ];
            let lemma = |atom| Lemma {
                kind: LemmaKind("function.wrong"),
                clause: vec![LemmaLit::no(Prop::Ends(goal)), LemmaLit::yes(Prop::Int(atom))],
                justification: None,
            };
            Ok(Box::new(Lemmas(atoms.map(lemma).into())))
        }
    }
    let problem = read_rwb(PROGRAM).expect("it is well formed");
    let trust = vec!["function".to_owned()];
    let patterns: &[&dyn Pattern] = &[&Function];
    let options = impasse::Options { engine: Some(&engines::DPLLT), patterns, trust, ..impasse::Options::default() };
    let outcome = check(&problem, &options);
    let answer = outcome.about(Goal::Bad).expect("it was asked");
    assert!(answer.is_safe(), "the lemmas contradict each other: {:?}", answer.finding);
}
