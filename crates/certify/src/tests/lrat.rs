//! Tests of LRAT proofs: written by hand and by a small solver of this module, intact and damaged, against a
//! naive checker and truth tables.

use super::brute::Rng;
use crate::{Lrat, Options, Refusal, Refuted, check_model};
use model::Stop;
use model::cnf::{Cnf, LratStep};
use std::collections::{BTreeMap, BTreeSet};

/// A step that owns its clause and hints.
#[derive(Clone, PartialEq, Eq, Debug)]
enum ProofLine {
    Add(u64, Vec<i32>, Vec<u64>),
    Delete(Vec<u64>),
}

fn add(id: u64, clause: &[i32], hints: &[u64]) -> ProofLine {
    ProofLine::Add(id, clause.to_vec(), hints.to_vec())
}

fn cnf(vars: u32, clauses: &[&[i32]]) -> Cnf {
    Cnf { vars, clauses: clauses.iter().map(|c| c.to_vec()).collect() }
}

fn check_with(cnf: &Cnf, proof: &[ProofLine], options: &Options) -> Result<Refuted, Refusal> {
    let stop = Stop::default();
    let mut check = Lrat::new(cnf, options, &stop)?;
    for step in proof {
        check.step(&match step {
            ProofLine::Add(id, clause, hints) => LratStep::Add { id: *id, clause, hints },
            ProofLine::Delete(ids) => LratStep::Delete(ids),
        })?;
    }
    check.finish()
}

fn check(cnf: &Cnf, proof: &[ProofLine]) -> Result<Refuted, Refusal> {
    check_with(cnf, proof, &Options::default())
}

#[track_caller]
fn rejected(cnf: &Cnf, proof: &[ProofLine], reason: &str) {
    match check(cnf, proof) {
        Err(Refusal::Rejected(why)) => assert!(why.contains(reason), "rejected for another reason: {why}"),
        other => panic!("expected a rejection ({reason}), got {other:?}"),
    }
}

/// Eight clauses over three variables, and one that is always true. The proof uses units, a repeated literal,
/// and deletion.
fn by_hand() -> (Cnf, Vec<ProofLine>) {
    let formula = cnf(
        4,
        &[
            &[1, 2, 3, 2],
            &[1, 2, -3],
            &[1, -2, 3],
            &[1, -2, -3],
            &[-1, 2, 3],
            &[-1, 2, -3],
            &[-1, -2, 3],
            &[-1, -2, -3],
            &[4, -4],
        ],
    );
    let proof = vec![
        add(10, &[1, 2], &[1, 2]),
        ProofLine::Delete(vec![1, 2]),
        add(12, &[1, -2], &[3, 4]),
        add(13, &[1], &[10, 12]),
        ProofLine::Delete(vec![10, 9]),
        add(20, &[2, 2], &[13, 5, 6]),
        add(21, &[], &[13, 20, 7, 8]),
    ];
    (formula, proof)
}

#[test]
fn a_proof_by_hand_is_accepted() {
    let (formula, proof) = by_hand();
    let refuted = check(&formula, &proof).unwrap();
    assert_eq!((refuted.derived(), refuted.hints()), (5, 13));
}

#[test]
fn each_corruption_is_named() {
    let (formula, proof) = by_hand();
    let with = |index: usize, step: ProofLine| {
        let mut proof = proof.clone();
        proof[index] = step;
        proof
    };
    let without = |index: usize| {
        let mut proof = proof.clone();
        proof.remove(index);
        proof
    };
    rejected(&formula, &[], "empty clause is not derived");
    rejected(&formula, &proof[..6], "empty clause is not derived");
    rejected(&formula, &with(0, add(10, &[1, 2], &[1])), "clause 10: its hints do not lead to a conflict");
    rejected(&formula, &with(0, add(10, &[1, 2], &[])), "do not lead to a conflict");
    rejected(&formula, &with(0, add(10, &[1, 2], &[1, 2, 3])), "hint 3 comes after the conflict");
    rejected(&formula, &with(0, add(10, &[1, 2], &[1, 3, 2])), "hint 3 is a clause with more than one literal left");
    rejected(&formula, &with(0, add(10, &[1], &[1, 2])), "hint 1 is a clause with more than one literal left");
    rejected(&formula, &with(0, add(10, &[1, -2], &[1, 2])), "more than one literal left");
    rejected(&formula, &with(0, add(10, &[1, 2], &[1, 12])), "hint 12 names no clause");
    rejected(&formula, &with(0, add(10, &[1, 2], &[1, 10])), "hint 10 names no clause");
    rejected(&formula, &with(0, add(10, &[1, 2], &[1, 0])), "hint 0 names no clause");
    rejected(&formula, &with(0, add(10, &[1, 2], &[1, u64::MAX])), "names no clause");
    rejected(&formula, &with(0, add(10, &[1, 2, 3, 4, 2], &[7])), "hint 7 is a clause with more than one literal left");
    rejected(&formula, &with(0, add(10, &[1, 2, 3, 4, 2], &[])), "do not lead to a conflict");
    rejected(&formula, &with(0, add(10, &[1, 5], &[1, 2])), "no variable for literal 5");
    rejected(&formula, &with(0, add(10, &[1, 0], &[1, 2])), "no variable for literal 0");
    rejected(&formula, &with(0, add(10, &[i32::MIN], &[1, 2])), "no variable for literal -2147483648");
    rejected(&formula, &with(0, add(9, &[1, 2], &[1, 2])), "clause 9 comes after clause 9");
    rejected(&formula, &with(0, add(0, &[1, 2], &[1, 2])), "clause 0 comes after");
    rejected(&formula, &with(0, add(u64::MAX, &[1, 2], &[1, 2])), "comes after");
    rejected(&formula, &with(2, add(12, &[1, -2], &[2, 4])), "hint 2 names no clause");
    rejected(&formula, &with(3, add(13, &[1], &[12])), "do not lead to a conflict");
    rejected(&formula, &without(0), "hint 10 names no clause");
    rejected(&formula, &with(0, ProofLine::Delete(vec![3])), "hint 3 names no clause");
    rejected(&formula, &with(1, ProofLine::Delete(vec![1, 1])), "there is no clause 1 to drop");
    rejected(&formula, &with(1, ProofLine::Delete(vec![99])), "there is no clause 99 to drop");
    rejected(&formula, &with(6, add(21, &[], &[20, 7, 8, 13])), "more than one literal left");
    rejected(&formula, &without(5), "hint 20 names no clause");
    let mut fewer = formula.clone();
    fewer.clauses[6] = vec![4];
    rejected(&fewer, &proof, "do not lead to a conflict");
    let unknown = cnf(1, &[&[1], &[-2]]);
    rejected(&unknown, &[], "clause 2: there is no variable for literal -2");
    assert_eq!(
        check_with(&formula, &proof, &Options { max_steps: 40, ..Options::default() }),
        Err(Refusal::ResourceLimit)
    );
}

#[test]
fn tautologies_need_no_hints_and_empty_clauses_no_proof() {
    let formula = cnf(2, &[&[1], &[-1]]);
    let proof = [add(3, &[2, 1, -2], &[]), add(4, &[], &[1, 2])];
    assert!(check(&formula, &proof).is_ok());
    assert!(check(&cnf(0, &[&[]]), &[]).is_ok());
    assert!(check(&cnf(0, &[&[]]), &[add(2, &[], &[1])]).is_ok());
    rejected(&cnf(0, &[]), &[], "empty clause is not derived");
    rejected(&cnf(0, &[]), &[add(1, &[], &[])], "do not lead to a conflict");
}

/// A solver that splits and propagates, and records its reasons. Clauses are stored by number.
struct Prover<'a> {
    vars: i32,
    clauses: BTreeMap<u64, Vec<i32>>,
    next: u64,
    proof: Vec<ProofLine>,
    rng: &'a mut Rng,
}

impl Prover<'_> {
    fn derive(&mut self, clause: Vec<i32>, hints: Vec<u64>) -> u64 {
        let id = self.next;
        self.next += 1 + u64::from(self.rng.one_in(5)) * self.rng.next() % 1000;
        self.clauses.insert(id, clause.clone());
        self.proof.push(ProofLine::Add(id, clause, hints));
        id
    }

    /// Derives a clause that is false under the assignment `path` and contains no other literals. `None` if
    /// there is a model.
    fn refute(&mut self, path: &mut Vec<i32>) -> Option<u64> {
        let negated = |path: &[i32]| path.iter().map(|l| -l).collect::<Vec<i32>>();
        let mut holds: BTreeSet<i32> = path.iter().copied().collect();
        let mut hints = Vec::new();
        loop {
            let left =
                |clause: &[i32]| -> BTreeSet<i32> { clause.iter().copied().filter(|l| !holds.contains(&-l)).collect() };
            let mut candidates = self.clauses.iter().filter(|(_, c)| !c.iter().any(|l| holds.contains(l)));
            let Some((&id, clause)) = candidates.rfind(|(_, c)| left(c).len() < 2) else { break };
            hints.push(id);
            match left(clause).first() {
                Some(&unit) => _ = holds.insert(unit),
                None => return Some(self.derive(negated(path), hints)),
            }
        }
        let split = (1..=self.vars).find(|v| !holds.contains(v) && !holds.contains(&-v))?;
        let mut halves = Vec::new();
        for literal in [split, -split] {
            path.push(literal);
            halves.push(self.refute(path)?);
            path.pop();
        }
        let whole = self.derive(negated(path), halves.clone());
        halves.iter().for_each(|half| _ = self.clauses.remove(half));
        self.proof.push(ProofLine::Delete(halves));
        Some(whole)
    }
}

fn random_formula(rng: &mut Rng) -> Cnf {
    let vars = 3 + rng.below(5);
    let literal = |rng: &mut Rng| (1 + rng.below(vars) as i32) * if rng.one_in(2) { 1 } else { -1 };
    let count = vars * 3 + rng.below(vars * 4);
    let clause = |rng: &mut Rng| (0..1 + rng.below(2) + rng.below(3)).map(|_| literal(rng)).collect();
    Cnf { vars: vars as u32, clauses: (0..count).map(|_| clause(rng)).collect() }
}

fn prove(formula: &Cnf, rng: &mut Rng) -> Option<Vec<ProofLine>> {
    let clauses: BTreeMap<u64, Vec<i32>> = (1..).zip(formula.clauses.iter().cloned()).collect();
    let next = clauses.len() as u64 + 1;
    let mut prover = Prover { vars: formula.vars as i32, clauses, next, proof: Vec::new(), rng };
    prover.refute(&mut Vec::new())?;
    Some(prover.proof)
}

fn models(formula: &Cnf) -> impl Iterator<Item = Vec<bool>> + '_ {
    let all = (0..1u32 << formula.vars).map(|m| (0..formula.vars).map(|v| m >> v & 1 == 1).collect());
    all.filter(|values: &Vec<bool>| {
        formula.clauses.iter().all(|c| c.iter().any(|l| values[l.unsigned_abs() as usize - 1] == (*l > 0)))
    })
}

/// The same rules as the checker's, implemented with sets.
fn naive(formula: &Cnf, proof: &[ProofLine]) -> bool {
    let mut clauses: BTreeMap<u64, &[i32]> = (1..).zip(formula.clauses.iter().map(Vec::as_slice)).collect();
    let mut last = clauses.len() as u64;
    let mut refuted = formula.clauses.iter().any(Vec::is_empty);
    for step in proof {
        match step {
            ProofLine::Delete(ids) => {
                if !ids.iter().all(|id| clauses.remove(id).is_some()) {
                    return false;
                }
            }
            ProofLine::Add(id, clause, hints) => {
                let mut holds: BTreeSet<i32> = clause.iter().map(|l| -l).collect();
                let tautology = holds.iter().any(|l| holds.contains(&-l));
                let mut conflict = tautology;
                for hint in hints.iter().filter(|_| !tautology) {
                    let Some(hinted) = clauses.get(hint).filter(|_| !conflict) else { return false };
                    let left: BTreeSet<i32> = hinted.iter().copied().filter(|l| !holds.contains(&-l)).collect();
                    conflict = left.is_empty();
                    if left.len() > 1 {
                        return false;
                    }
                    holds.extend(left);
                }
                if !conflict || *id <= last || clause.iter().any(|l| l.unsigned_abs() > formula.vars) {
                    return false;
                }
                last = *id;
                clauses.insert(*id, clause);
                refuted |= clause.is_empty();
            }
        }
    }
    refuted
}

/// Changes a proof in one small way, or not at all.
fn damage(proof: &mut Vec<ProofLine>, rng: &mut Rng) {
    let ids: Vec<u64> =
        proof.iter().flat_map(|s| if let ProofLine::Add(id, ..) = s { vec![*id] } else { vec![] }).collect();
    let at = rng.below(proof.len());
    let kind = rng.below(12);
    let other = ids[rng.below(ids.len())];
    let number = rng.next();
    let pick = |length: usize| (number as usize) % length;
    match (&mut proof[at], kind) {
        (ProofLine::Add(_, _, hints), 0) if !hints.is_empty() => _ = hints.remove(pick(hints.len())),
        (ProofLine::Add(_, _, hints), 1) if hints.len() > 1 => {
            let index = pick(hints.len());
            hints.swap(0, index);
        }
        (ProofLine::Add(_, _, hints), 2) if !hints.is_empty() => {
            let index = pick(hints.len());
            hints[index] = other;
        }
        (ProofLine::Add(_, _, hints), 3) => hints.insert(pick(hints.len() + 1), 1 + number % other),
        (ProofLine::Add(_, clause, _), 4) if !clause.is_empty() => {
            let index = pick(clause.len());
            clause[index] = -clause[index];
        }
        (ProofLine::Add(_, clause, _), 5) if !clause.is_empty() => _ = clause.remove(pick(clause.len())),
        (ProofLine::Add(_, clause, _), 6) => clause.push(1 + (number % 4) as i32),
        (ProofLine::Add(id, _, _), 7) => *id = other,
        (ProofLine::Delete(dropped), 8) => dropped.push(other),
        (_, 9) => {
            let to = pick(proof.len());
            let step = proof.remove(at);
            proof.insert(to, step);
        }
        (_, 10 | 11) => {
            let literal = |rng: &mut Rng| (1 + rng.below(3) as i32) * if rng.one_in(2) { 1 } else { -1 };
            let clause = (0..rng.below(8)).map(|_| literal(rng)).collect();
            let hints = (0..rng.below(4)).map(|_| 1 + rng.below(40) as u64).collect();
            let before =
                proof[..at].iter().rev().find_map(|s| if let ProofLine::Add(id, ..) = s { Some(*id) } else { None });
            proof.insert(at, ProofLine::Add(before.unwrap_or(100) + 1, clause, hints));
        }
        _ => _ = proof.remove(at),
    }
}

#[test]
fn proofs_of_random_formulas_are_accepted_and_damaged_ones_judged_as_by_definition() {
    let mut rng = Rng(9);
    let (mut proven, mut refused, mut harmless) = (0, 0, 0);
    for round in 0..1500 {
        let formula = random_formula(&mut rng);
        let Some(proof) = prove(&formula, &mut rng) else {
            assert!(models(&formula).next().is_some(), "round {round}: the prover is wrong about {formula:?}");
            continue;
        };
        proven += 1;
        let accepted = check(&formula, &proof);
        assert!(accepted.is_ok(), "round {round}: {accepted:?} of {formula:?} by {proof:?}");
        for _ in 0..6 {
            let mut damaged = proof.clone();
            for _ in 0..1 + rng.below(2) {
                if !damaged.is_empty() && damaged.iter().any(|s| matches!(s, ProofLine::Add(..))) {
                    damage(&mut damaged, &mut rng);
                }
            }
            let got = check(&formula, &damaged);
            assert_eq!(got.is_ok(), naive(&formula, &damaged), "round {round}: {got:?} of {formula:?} by {damaged:?}");
            *(if got.is_ok() { &mut harmless } else { &mut refused }) += 1;
        }
    }
    assert!(
        proven > 500 && refused > 2000 && harmless > 100,
        "{proven} {refused} {harmless}: the generator is too weak"
    );
}

/// A formula that has a model is never refuted: not by the proof for a formula with more clauses, and not by a
/// damaged proof.
#[test]
fn formulas_with_models_are_never_refuted() {
    let mut rng = Rng(10);
    let mut tried = 0;
    for round in 0..3000 {
        let formula = random_formula(&mut rng);
        let Some(mut proof) = prove(&formula, &mut rng) else { continue };
        let mut less = formula.clone();
        while models(&less).next().is_none() {
            let at = rng.below(less.clauses.len());
            less.clauses[at] = vec![1, -1];
        }
        assert!(check(&less, &proof).is_err(), "round {round}: {less:?} by {proof:?}");
        for _ in 0..8 {
            if proof.iter().any(|s| matches!(s, ProofLine::Add(..))) {
                damage(&mut proof, &mut rng);
                assert!(check(&less, &proof).is_err(), "round {round}: {less:?} by {proof:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 5000, "only {tried} were tried");
}

#[test]
fn models_are_checked_clause_by_clause() {
    let mut rng = Rng(11);
    for _ in 0..300 {
        let formula = random_formula(&mut rng);
        let good: BTreeSet<Vec<bool>> = models(&formula).collect();
        for m in 0..1u32 << formula.vars {
            let values: Vec<bool> = (0..formula.vars).map(|v| m >> v & 1 == 1).collect();
            assert_eq!(check_model(&formula, &values).is_ok(), good.contains(&values));
        }
    }
    let why = check_model(&cnf(2, &[&[1], &[-2, -1]]), &[true, true]).unwrap_err().to_string();
    assert!(why.contains("clause 2 is not satisfied"), "{why}");
    assert!(check_model(&cnf(2, &[&[2]]), &[true]).is_err(), "too few values");
    assert!(check_model(&cnf(2, &[&[0]]), &[true, true]).is_err());
}

/// Hundreds of thousands of clauses are added and deleted. Their numbers have no gaps, small gaps, or large
/// gaps. The memory in use is that for a few clauses.
#[test]
fn memory_is_for_the_living() {
    let stop = Stop::default();
    let formula = cnf(3, &[&[1, 2], &[1, -2], &[-1, 2], &[-1, -2]]);
    for stride in [1, 3, 1 << 40] {
        let mut work = kernel::Work::new(u64::MAX, &stop);
        let mut clauses = kernel::hints::Hinted::new(3, &work).unwrap();
        for (id, clause) in formula.clauses.iter().enumerate() {
            clauses.add(id as u64, clause, &mut work).unwrap();
        }
        for n in 0..100_000u64 {
            let id = 4 + n * stride;
            clauses.add(id, &[1, 3, -3, 3, 2, 2], &mut work).unwrap();
            if n >= 50 {
                assert!(clauses.delete(id - 50 * stride, &mut work).unwrap());
                assert!(!clauses.delete(id - 50 * stride, &mut work).unwrap());
            }
            assert!(clauses.has(id) && clauses.has(0));
        }
        assert!(clauses.words() < 10_000, "{} words for 54 clauses", clauses.words());
        clauses.check(&[], [0u64].into_iter(), &mut work).unwrap_err();
        clauses.check(&[1], [0u64, 1].into_iter(), &mut work).unwrap();
        clauses.check(&[1, 2, 3], [4 + 99_999 * stride, 0].into_iter(), &mut work).unwrap();
    }
}
