//! Tests of obligations as SMT-LIB: an evaluator of the written text tries small numbers.

use crate::read_as;
use evidence::smt;
use impasse_readers::apply_init;
use model::{
    AtMost, Certificate, Claim, ConcurrencyRelation, Exclusion, FormulaBuilder, FormulaId, Goal, InvariantCertificate,
    NetInvariant, PlaceId, Problem,
};
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
enum Term {
    Atom(String),
    List(Vec<Term>),
}

fn parse(text: &str) -> Vec<Term> {
    let text: String = text.lines().map(|line| line.split(';').next().unwrap()).collect::<Vec<_>>().join(" ");
    let text = text.replace('(', " ( ").replace(')', " ) ");
    let mut open: Vec<Vec<Term>> = vec![Vec::new()];
    for word in text.split_whitespace() {
        match word {
            "(" => open.push(Vec::new()),
            ")" => {
                let list = open.pop().unwrap();
                open.last_mut().unwrap().push(Term::List(list));
            }
            atom => open.last_mut().unwrap().push(Term::Atom(atom.to_owned())),
        }
    }
    assert_eq!(open.len(), 1, "parentheses match");
    open.pop().unwrap()
}

fn value(term: &Term, env: &BTreeMap<String, i64>, named: &BTreeMap<String, Term>) -> i64 {
    match term {
        Term::Atom(atom) => match atom.as_str() {
            "true" => 1,
            "false" => 0,
            atom => match (atom.parse(), env.get(atom)) {
                (Ok(number), _) => number,
                (_, Some(number)) => *number,
                _ => value(&named[atom], env, named),
            },
        },
        Term::List(list) => {
            let Term::Atom(operator) = &list[0] else { panic!("{list:?}") };
            let of: Vec<i64> = list[1..].iter().map(|t| value(t, env, named)).collect();
            match (operator.as_str(), of.as_slice()) {
                ("and", of) => of.iter().all(|v| *v == 1).into(),
                ("or", of) => of.contains(&1).into(),
                ("not", [a]) => 1 - a,
                ("=>", [a, b]) => (*a == 0 || *b == 1).into(),
                ("=", [a, b]) => (a == b).into(),
                ("<", [a, b]) => (a < b).into(),
                ("<=", [a, b]) => (a <= b).into(),
                (">=", [a, b]) => (a >= b).into(),
                ("+", of) => of.iter().sum(),
                ("*", [a, b]) => a * b,
                ("-", [a]) => -a,
                ("-", [a, b]) => a - b,
                _ => panic!("{list:?}"),
            }
        }
    }
}

/// The constants, assertions and definitions of a level.
type Frame = (Vec<String>, Vec<Term>, BTreeMap<String, Term>);

/// Returns for each `check-sat`: true if there is a model with constants from 0 to 3.
fn satisfiable(text: &str) -> Vec<bool> {
    let mut frames: Vec<Frame> = vec![Frame::default()];
    let mut answers = Vec::new();
    for command in parse(text) {
        let Term::List(list) = command else { panic!("{command:?}") };
        let atom = |at: usize| if let Term::Atom(atom) = &list[at] { atom.clone() } else { panic!("{list:?}") };
        match atom(0).as_str() {
            "set-logic" => assert_eq!(atom(1), "QF_LIA"),
            "declare-const" => frames.last_mut().unwrap().0.push(atom(1)),
            "assert" => frames.last_mut().unwrap().1.push(list[1].clone()),
            "define-fun" => drop(frames.last_mut().unwrap().2.insert(atom(1), list[4].clone())),
            "push" => frames.push(Default::default()),
            "pop" => drop(frames.pop()),
            "check-sat" => {
                let constants: Vec<&String> = frames.iter().flat_map(|f| &f.0).collect();
                let named: BTreeMap<String, Term> = frames.iter().flat_map(|f| f.2.clone()).collect();
                let holds = |code: u64| {
                    let digit = |i: usize| (code >> (2 * i) & 3) as i64;
                    let env = constants.iter().enumerate().map(|(i, c)| ((*c).clone(), digit(i))).collect();
                    frames.iter().flat_map(|f| &f.1).all(|t| value(t, &env, &named) == 1)
                };
                answers.push((0..1u64 << (2 * constants.len())).any(holds));
            }
            other => panic!("{other}"),
        }
    }
    answers
}

fn obligations(problem: &Problem, invariants: Vec<NetInvariant>, goals: &[Goal]) -> Vec<bool> {
    let exclusions = goals.iter().map(|goal| (*goal, Exclusion::Minimal)).collect();
    let certificate = Certificate::Invariant(Box::new(InvariantCertificate { invariants, exclusions }));
    let mut bytes = Vec::new();
    smt::write(problem, &Claim::Safe { goals: goals.to_vec(), certificate }, &mut bytes).unwrap();
    satisfiable(&String::from_utf8(bytes).unwrap())
}

const TARGET: Goal = Goal::Formula(FormulaId(0));

fn at_most(terms: &[(u32, i64)], bound: i64) -> NetInvariant {
    NetInvariant::AtMost(AtMost {
        terms: terms.iter().map(|&(p, c)| (PlaceId(p), c.into())).collect(),
        at_most: bound.into(),
    })
}

/// One token moves between a and b; the target is two tokens.
#[test]
fn obligations_of_right_facts_are_unsatisfiable_and_of_wrong_ones_not() {
    let spec = "vars a b rules a >= 1 -> a' = a - 1, b' = b + 1; b >= 1 -> b' = b - 1, a' = a + 1;
        init a = 1, b = 0 target a >= 2";
    let problem = read_as("t.spec", spec).unwrap().problem;
    let mut builder = FormulaBuilder::default();
    let two = builder.at_least([(PlaceId(0), 1.into()), (PlaceId(1), 1.into())], 2.into());
    let two = builder.finish(two).into();
    let problem = problem.changed(|asked| asked.formulas[0] = two).expect("it has these places");
    let both = [TARGET, Goal::Deadlock];
    let pairs = |allowed: &[(usize, usize)]| {
        let mut pairs = ConcurrencyRelation::none(vec![PlaceId(0), PlaceId(1)]);
        for &(a, b) in allowed {
            pairs.allow(a, b);
        }
        NetInvariant::ConcurrencyRelation(pairs)
    };
    let trap = || NetInvariant::SomeMarked(vec![PlaceId(0), PlaceId(1)]);
    let never = |vectors: &[&[(u32, u8)]]| {
        NetInvariant::NeverCovered(
            vectors.iter().map(|v| v.iter().map(|&(p, n)| (PlaceId(p), n.into())).collect()).collect(),
        )
    };
    assert_eq!(obligations(&problem, vec![pairs(&[]), trap()], &both), [false; 4]);
    assert_eq!(obligations(&problem, vec![pairs(&[])], &both), [false, false, false, true]);
    assert_eq!(obligations(&problem, vec![pairs(&[(0, 0)])], &[TARGET]), [false, true, true]);
    assert_eq!(obligations(&problem, vec![pairs(&[(0, 1)])], &[TARGET]), [false, true, true]);
    assert_eq!(obligations(&problem, vec![at_most(&[(0, 1), (1, 1)], 1)], &[TARGET]), [false; 3]);
    assert_eq!(obligations(&problem, vec![at_most(&[(0, 1), (1, 1)], 0)], &[TARGET]), [true, false, false]);
    assert_eq!(obligations(&problem, vec![at_most(&[(0, -1), (1, -1)], -1)], &both), [false, false, true, false]);
    let all: [&[(u32, u8)]; 3] = [&[(0, 2)], &[(1, 2)], &[(0, 1), (1, 1)]];
    assert_eq!(obligations(&problem, vec![never(&all)], &[TARGET]), [false; 3]);
    assert_eq!(obligations(&problem, vec![never(&all[..2])], &[TARGET]), [false, true, true]);
    let marked = |b: bool| NetInvariant::PotentiallyMarked(vec![true, b]);
    assert_eq!(obligations(&problem, vec![marked(false)], &[TARGET]), [false, true, true]);
    assert_eq!(obligations(&problem, vec![marked(true)], &[TARGET])[..2], [false, false]);
}

/// Only a place that is never marked could mark q. The obligations must say so, because a solver cannot find it out.
#[test]
fn pairs_say_what_is_never_marked() {
    let spec = "vars p q rules q >= 1 -> q' = q + 1; p >= 2 -> q' = q + 1; init p = 1, q = 0 target q >= 1";
    let problem = read_as("t.spec", spec).unwrap().problem;
    let pairs = NetInvariant::ConcurrencyRelation(ConcurrencyRelation::none(vec![PlaceId(0), PlaceId(1)]));
    assert_eq!(obligations(&problem, vec![pairs], &[TARGET]), [false; 3]);
}

/// In a broadcast in which the passive threads choose, no thread is lost, and none is added.
#[test]
fn threads_that_pick_are_conserved() {
    let mut problem = read_as("t.tts", "1 2\n0 0 -> 0 1 0 ~> 0 0 ~> 1\n").unwrap().problem;
    apply_init(&mut problem, "0|0,0").unwrap();
    let sum = |sign: i64, bound: i64| at_most(&[(1, sign), (2, sign)], bound);
    for invariant in [sum(1, 2), sum(-1, -2)] {
        assert_eq!(obligations(&problem, vec![invariant], &[])[..2], [false, false]);
    }
    assert_eq!(obligations(&problem, vec![at_most(&[(2, 1)], 1)], &[])[..2], [false, true]);
    assert_eq!(obligations(&problem, vec![at_most(&[(1, -1)], -1)], &[])[..2], [false, true]);
}

#[test]
fn other_claims_have_no_obligations() {
    let problem = read_as("t.spec", "vars a rules a >= 1 -> a' = a + 1; init a = 0 target a >= 1").unwrap().problem;
    let potentially_marked = Certificate::PotentiallyMarked(model::PotentiallyMarked { places: vec![false] });
    let claim = Claim::Safe { goals: vec![TARGET], certificate: potentially_marked };
    assert!(smt::write(&problem, &claim, &mut Vec::new()).is_err());
    let invariants = vec![NetInvariant::SomeMarked(vec![PlaceId(7)])];
    let certificate = Certificate::Invariant(Box::new(InvariantCertificate { invariants, exclusions: vec![] }));
    let claim = Claim::Safe { goals: vec![], certificate };
    assert!(smt::write(&problem, &claim, &mut Vec::new()).is_err());
}
