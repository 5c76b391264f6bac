//! Tests of reverse unit propagation against a naive implementation and against truth tables.

use super::brute::Rng;
use crate::rup::Rup;
use kernel::Work;
use model::Stop;

const VARIABLES: usize = 6;

fn random_clause(rng: &mut Rng) -> Vec<i32> {
    let literal = |rng: &mut Rng| (1 + rng.below(VARIABLES) as i32) * if rng.one_in(2) { 1 } else { -1 };
    (0..1 + rng.below(4)).map(|_| literal(rng)).collect()
}

fn holds(clause: &[i32], model: usize) -> bool {
    clause.iter().any(|&l| (model >> (l.unsigned_abs() - 1) & 1 == 1) == (l > 0))
}

fn follows(clauses: &[&Vec<i32>], clause: &[i32]) -> bool {
    (0..1 << VARIABLES).all(|m| holds(clause, m) || !clauses.iter().all(|c| holds(c, m)))
}

/// Unit propagation that inspects all clauses again and again.
fn naive(clauses: &[&Vec<i32>], clause: &[i32]) -> bool {
    let mut truth: Vec<i32> = clause.iter().map(|l| -l).collect();
    loop {
        if truth.iter().any(|l| truth.contains(&-l)) {
            return true;
        }
        let unit = clauses.iter().find_map(|c| {
            if c.iter().any(|l| truth.contains(l)) {
                return None;
            }
            let mut free: Vec<i32> = c.iter().copied().filter(|l| !truth.contains(&-l)).collect();
            free.dedup();
            (free.len() <= 1 || free.iter().all(|l| *l == free[0])).then_some(free.first().copied())
        });
        match unit {
            Some(Some(literal)) => truth.push(literal),
            Some(None) => return true,
            None => return false,
        }
    }
}

#[test]
fn it_agrees_with_naive_propagation() {
    let stop = Stop::default();
    let mut rng = Rng(3);
    for round in 0..4000 {
        let clauses: Vec<Vec<i32>> = (0..rng.below(16)).map(|_| random_clause(&mut rng)).collect();
        let mut work = Work::new(u64::MAX, &stop);
        let mut rup = Rup::new(VARIABLES);
        let mut known: Vec<&Vec<i32>> = Vec::new();
        for clause in &clauses {
            let question = random_clause(&mut rng);
            let expected = naive(&known, &question);
            assert_eq!(
                rup.implies(&question, &mut work).unwrap(),
                expected,
                "round {round}: {known:?} |- {question:?}"
            );
            assert!(!expected || follows(&known, &question));
            rup.add(clause, &mut work).unwrap();
            known.push(clause);
        }
        assert_eq!(rup.implies(&[], &mut work).unwrap(), naive(&known, &[]), "round {round}: {known:?}");
    }
}

#[test]
fn deletion_never_makes_more_follow_than_did() {
    let stop = Stop::default();
    let mut rng = Rng(4);
    for round in 0..2000 {
        let clauses: Vec<Vec<i32>> = (0..4 + rng.below(14)).map(|_| random_clause(&mut rng)).collect();
        let questions: Vec<Vec<i32>> = (0..8).map(|_| random_clause(&mut rng)).collect();
        let mut work = Work::new(u64::MAX, &stop);
        let mut rup = Rup::new(VARIABLES);
        let names: Vec<_> = clauses.iter().map(|c| rup.add(c, &mut work).unwrap()).collect();
        let all: Vec<&Vec<i32>> = clauses.iter().collect();
        let kept: Vec<bool> = clauses.iter().map(|_| rng.one_in(2)).collect();
        names.iter().zip(&kept).filter(|(_, k)| !**k).for_each(|(&n, _)| rup.delete(n));
        let left: Vec<&Vec<i32>> = all.iter().zip(&kept).filter(|(_, k)| **k).map(|(c, _)| *c).collect();
        for question in &questions {
            let got = rup.implies(question, &mut work).unwrap();
            assert!(!got || follows(&all, question), "round {round}: {all:?} |- {question:?}");
            assert!(got || !naive(&left, question), "round {round}: {left:?} |- {question:?} was missed");
        }
    }
}

#[test]
fn propagation_over_long_clauses_is_not_quadratic() {
    let n = 20_000;
    let long: Vec<i32> = (1..=n).collect();
    let units: Vec<[i32; 1]> = (1..=n).map(|v| [-v]).collect();
    let stop = Stop::default();
    let mut work = Work::new(20 * n as u64, &stop);
    let mut rup = Rup::new(n as usize);
    rup.add(&long, &mut work).unwrap();
    for unit in &units {
        rup.add(unit, &mut work).unwrap();
    }
    assert!(rup.implies(&[], &mut work).unwrap());
}
