//! Tests of clauses of a circuit, with refutations by brute force and damaged refutations.

use super::{kernel, rejected};
use crate::circuit::Encoding;
use crate::hints::Hinted;
use crate::{Encoded, Work};
use model::cnf::Cnf;
use model::{
    Bit, Certificate, Circuit, CircuitBuilder, Claim, Clausal, Clauses, Derivation, Goal, LatchId, OutputId, Problem,
    Reset, Stop,
};
use std::sync::Arc;

/// A circuit with one latch that keeps its value. The output is the latch.
fn keeper(reset: Reset) -> Circuit {
    let mut b = CircuitBuilder::default();
    let latch = b.circuit_mut().latch(reset, None);
    let value = b.circuit().latches()[latch.index()].signal;
    b.circuit_mut().set_next(latch, value);
    b.circuit_mut().output(value, None);
    b.finish()
}

/// Derives the empty clause with hints found by brute force: all clauses that become unit, in order.
fn refute(cnf: &Cnf) -> Option<Derivation> {
    let mut value = vec![0i8; cnf.vars as usize + 1];
    let mut hints = Vec::new();
    loop {
        let mut progress = false;
        for (number, clause) in (1..).zip(&cnf.clauses) {
            let holds = |l: &i32| value[l.unsigned_abs() as usize] == l.signum() as i8;
            let open: Vec<i32> = clause.iter().copied().filter(|l| value[l.unsigned_abs() as usize] == 0).collect();
            if clause.iter().any(holds) || open.len() > 1 {
                continue;
            }
            hints.push(number);
            match open.first() {
                None => return Some(Derivation { steps: vec![(Vec::new(), hints)] }),
                Some(l) => value[l.unsigned_abs() as usize] = l.signum() as i8,
            }
            progress = true;
        }
        if !progress {
            return None;
        }
    }
}

fn clausal() -> Clausal {
    Clausal { bits: vec![Bit::Latch(LatchId(0))], clauses: vec![vec![-1]], initial: None, step: None }
}

fn proven(circuit: &Circuit) -> [Option<Derivation>; 3] {
    let stop = Stop::default();
    let mut work = Work::new(1 << 30, &stop);
    let encoding = Encoding::new(circuit, &mut work).unwrap();
    let clausal = clausal();
    [
        refute(&encoding.initial(&clausal, &mut work).unwrap()),
        refute(&encoding.step(&clausal, &mut work).unwrap()),
        refute(&encoding.excluded(&clausal, Goal::Output(OutputId(0)), &mut work).unwrap()),
    ]
}

fn claim(circuit: &Circuit, [initial, step, excluded]: [Option<Derivation>; 3]) -> crate::Check<crate::Checked> {
    let invariant = Clausal { initial, step, ..clausal() };
    let clauses = Clauses { invariant, induction: None, exclusions: vec![(Goal::Output(OutputId(0)), excluded)] };
    let problem = Problem::of_circuit(Arc::new(circuit.clone()));
    let certificate = Certificate::Clauses(Box::new(clauses));
    kernel(&problem, &Claim::Safe { goals: vec![Goal::Output(OutputId(0))], certificate })
}

#[test]
fn an_invariant_needs_all_three_refutations() {
    let circuit = keeper(Reset::Zero);
    let proofs = proven(&circuit);
    assert!(proofs.iter().all(Option::is_some), "propagation does it");
    let checked = claim(&circuit, proofs.clone()).expect("the latch is never true");
    assert_eq!((checked.is_safe(), checked.length(), checked.replayed()), (true, 1, 0));
    for missing in 0..3 {
        let mut less = proofs.clone();
        less[missing] = None;
        assert!(matches!(claim(&circuit, less), Err(crate::Refusal::Unknown(_))));
        let mut empty = proofs.clone();
        empty[missing] = Some(Derivation::default());
        rejected(claim(&circuit, empty), "the empty clause is not derived");
        let last = proofs[missing].as_ref().unwrap().steps[0].1.len() - 1;
        let mut short = proofs.clone();
        short[missing].as_mut().unwrap().steps[0].1.truncate(last);
        rejected(claim(&circuit, short), "conflict");
        let mut unknown = proofs.clone();
        unknown[missing].as_mut().unwrap().steps.insert(0, (vec![99_999], vec![]));
        rejected(claim(&circuit, unknown), "variable that does not exist");
        let mut zero = proofs.clone();
        zero[missing].as_mut().unwrap().steps.insert(0, (vec![0], vec![]));
        rejected(claim(&circuit, zero), "variable that does not exist");
    }
}

#[test]
fn clauses_speak_of_bits_that_are_listed() {
    let circuit = keeper(Reset::Zero);
    let problem = Problem::of_circuit(Arc::new(circuit.clone()));
    let output = Goal::Output(OutputId(0));
    let [initial, step, excluded] = proven(&circuit);
    let with = |bits: Vec<Bit>, clauses: Vec<Vec<i32>>, goals: &[Goal]| {
        let invariant = Clausal { bits, clauses, initial: initial.clone(), step: step.clone() };
        let exclusions = goals.iter().map(|goal| (*goal, excluded.clone())).collect();
        let certificate = Certificate::Clauses(Box::new(Clauses { invariant, induction: None, exclusions }));
        kernel(&problem, &Claim::Safe { goals: vec![output], certificate })
    };
    let latch = |k: u32| Bit::Latch(LatchId(k));
    assert!(with(vec![latch(0)], vec![vec![-1]], &[output]).is_ok());
    for literal in [0, 2, -2, i32::MAX, i32::MIN] {
        rejected(with(vec![latch(0)], vec![vec![-1], vec![literal]], &[output]), "a bit that is not listed");
    }
    rejected(with(vec![latch(1)], vec![vec![-1]], &[output]), "does not have");
    rejected(with(vec![latch(0), latch(0)], vec![vec![-1]], &[output]), "listed twice");
    rejected(with(vec![latch(0)], vec![vec![-1]], &[]), "other goals than the claim names");
    rejected(with(vec![latch(0)], vec![vec![-1]], &[output, output]), "other goals than the claim names");
}

/// A derivation may mention the last variable of a formula, but not the next one.
#[test]
fn derivations_name_all_variables() {
    let cnf = Cnf { vars: 3, clauses: vec![vec![1, 2], vec![-1, 3], vec![-2, 3], vec![-3]] };
    let stop = Stop::default();
    let prove = |steps: Vec<(Vec<i32>, Vec<u64>)>| {
        let mut work = Work::new(1 << 20, &stop);
        let derivation = Derivation { steps };
        crate::Obligations::Check.refuted(crate::Proved::Step(0), cnf.clone(), Some(&derivation), &mut work)
    };
    assert_eq!(prove(vec![(vec![1, 3], vec![1, 3]), (vec![3], vec![5, 2]), (vec![], vec![6, 4])]), Ok(()));
    let wrong = |result: crate::Check<()>, why: &str| match result {
        Err(crate::Refusal::Rejected(text)) => assert!(text.contains(why), "{text}"),
        other => panic!("{other:?}"),
    };
    wrong(prove(vec![(vec![4], vec![])]), "that every step keeps the clauses: step 1 names a variable");
    wrong(prove(vec![(vec![3], vec![1])]), "that every step keeps the clauses: step 1");
    wrong(prove(vec![(vec![1, 3], vec![1, 3])]), "the empty clause is not derived");
}

#[test]
fn what_does_not_hold_has_no_refutation() {
    for (reset, which) in [(Reset::One, 0), (Reset::Open, 0)] {
        let proofs = proven(&keeper(reset));
        assert!(proofs[which].is_none(), "a latch may start true");
        assert!(proofs[1].is_some() && proofs[2].is_some());
    }
}

#[test]
fn deleted_clauses_make_room_and_prove_nothing() {
    let stop = Stop::default();
    let mut work = Work::new(1 << 30, &stop);
    let mut clauses = Hinted::new(2, &work).unwrap();
    for id in 0..20_000 {
        clauses.add(id, &[1, -2], &mut work).unwrap();
        if id >= 10 {
            assert_eq!(clauses.delete(id - 10, &mut work), Ok(true));
            assert!(!clauses.has(id - 10) && clauses.has(id));
        }
    }
    assert!(clauses.words() < 20_000, "{}", clauses.words());
    clauses.add(1 << 40, &[1, 2], &mut work).unwrap();
    assert!(clauses.has(1 << 40));
    assert_eq!(clauses.check(&[1], [19_999, 1 << 40].into_iter(), &mut work), Ok(()));
    assert!(clauses.check(&[1], [19_000, 1 << 40].into_iter(), &mut work).is_err());
    assert!(clauses.check(&[2], [19_999, 1 << 40].into_iter(), &mut work).is_err());
    assert_eq!(clauses.check(&[2, -2], [].into_iter(), &mut work), Ok(()));
    assert_eq!(clauses.delete(5, &mut work), Ok(false));
}

/// A hint may have one literal that is not false, even if this literal occurs several times, but never two
/// different such literals.
#[test]
fn hints_have_one_literal_left() {
    let stop = Stop::default();
    let mut work = Work::new(1 << 20, &stop);
    let mut clauses = Hinted::new(3, &work).unwrap();
    for (id, clause) in [(1, &[1, 2][..]), (2, &[2, 2, 1]), (3, &[-2]), (4, &[1, 2, 3])] {
        clauses.add(id, clause, &mut work).unwrap();
    }
    let mut check = |clause: &[i32], hints: &[u64]| clauses.check(clause, hints.iter().copied(), &mut work).is_ok();
    assert!(check(&[1], &[2, 3]) && check(&[1], &[3, 1]) && check(&[1], &[1, 3]));
    assert!(!check(&[], &[1, 3]) && !check(&[], &[2, 3]), "1 or 2 is no unit");
    assert!(!check(&[1], &[4, 3]), "2 or 3 is no unit");
    assert!(check(&[1, 3], &[4, 3]));
    assert!(!check(&[1], &[2]), "no conflict");
    assert!(!check(&[1], &[2, 3, 1]), "a hint after the conflict");
    assert!(!check(&[1], &[5]), "no such clause");
}

/// Clause numbers beyond 32 bits survive when live clauses are moved together.
#[test]
fn large_numbers_survive_a_collection() {
    let stop = Stop::default();
    let mut work = Work::new(1 << 30, &stop);
    let mut clauses = Hinted::new(2, &work).unwrap();
    let large = (1 << 40) + 7;
    clauses.add(0, &[2], &mut work).unwrap();
    clauses.add(large, &[1, -2], &mut work).unwrap();
    for id in 1..5000 {
        clauses.add(id, &[1, 2], &mut work).unwrap();
    }
    (1..5000).for_each(|id| assert_eq!(clauses.delete(id, &mut work), Ok(true)));
    assert!(clauses.words() < 8000, "{}", clauses.words());
    assert!(clauses.has(large) && clauses.has(0) && !clauses.has(7));
    assert_eq!(clauses.check(&[1], [0, large].into_iter(), &mut work), Ok(()));
}
