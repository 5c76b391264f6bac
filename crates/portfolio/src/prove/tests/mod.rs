//! Tests of proofs for clauses. Proven claims are compared with an enumeration of all states.

mod circuits;
mod nets;
mod programs;

use super::*;
use certify::{Options, Refusal, confirm};
use testkit::Random;

/// Returns at most `most` random clauses of one to three literals over `bits` bits.
fn random_clauses(random: &mut Random, bits: usize, most: usize) -> Vec<Vec<i32>> {
    let literal = |r: &mut Random| (r.below(bits) as i32 + 1) * if r.chance(70) { -1 } else { 1 };
    (0..random.below(most + 1)).map(|_| (0..=random.below(3)).map(|_| literal(random)).collect()).collect()
}

/// Returns true if all clauses hold for these bits.
fn hold(clauses: &[Vec<i32>], bit: impl Fn(usize) -> bool) -> bool {
    clauses.iter().all(|clause| clause.iter().any(|&l| bit(l.unsigned_abs() as usize - 1) == (l > 0)))
}

/// Adds proofs to the claim, and sends it to the checker.
fn proven(problem: &Problem, claim: &mut Claim) -> Result<certify::Confirmed, Refusal> {
    complete(problem, claim, &Options::default(), &Stop::default());
    confirm(problem, claim, &Options::default(), &Stop::default())
}

/// Returns true if the claim was accepted. Otherwise the refusal must say that the claim is not proven.
#[track_caller]
fn accepted(result: &Result<certify::Confirmed, Refusal>) -> bool {
    match result {
        Ok(confirmed) => confirmed.verdict.is_safe(),
        Err(Refusal::Unknown(why)) => {
            assert!(why.contains("not proven"), "{why}");
            false
        }
        Err(other) => panic!("{other}"),
    }
}

/// Returns all derivations of a claim.
fn derivations(claim: &mut Claim) -> Vec<&mut Derivation> {
    fn of(certificate: &mut Certificate) -> Vec<&mut Derivation> {
        match certificate {
            Certificate::Clauses(clauses) => {
                let exclusions = clauses.exclusions.iter_mut().map(|(_, why)| why);
                let own = [&mut clauses.invariant.initial, &mut clauses.invariant.step];
                let first = clauses.induction.iter_mut().map(|induction| &mut induction.first);
                own.into_iter().chain(first).chain(exclusions).flatten().collect()
            }
            Certificate::Invariant(invariant) => {
                let mut all = Vec::new();
                for invariant in &mut invariant.invariants {
                    if let NetInvariant::Clauses(clausal) = invariant {
                        all.extend(clausal.initial.iter_mut().chain(clausal.step.iter_mut()));
                    }
                }
                for (_, why) in &mut invariant.exclusions {
                    if let Exclusion::Refuted(why) = why {
                        all.extend(why.iter_mut());
                    }
                }
                all
            }
            _ => Vec::new(),
        }
    }
    if let Claim::Safe { certificate, .. } = claim { of(certificate) } else { Vec::new() }
}

/// Damages one derivation of an accepted claim. The claim is still true, so it may still be accepted, but
/// nothing may panic. Without the last step of a derivation, the claim must be rejected.
fn damage(problem: &Problem, claim: &mut Claim, random: &mut Random) {
    let checked = |claim: &Claim| confirm(problem, claim, &Options::default(), &Stop::default());
    let count = derivations(claim).len();
    let at = random.below(count);
    let whole = derivations(claim).remove(at).clone();
    let mut damaged = whole.clone();
    if damaged.steps.is_empty() {
        return;
    }
    let step = random.below(damaged.steps.len());
    match random.below(5) {
        0 => drop(damaged.steps.remove(step)),
        1 => damaged.steps[step].0.push([0, i32::MIN, i32::MAX, 1, -1][random.below(5)]),
        2 => damaged.steps[step].1.push([0, u64::MAX, 1, 7][random.below(4)]),
        3 => drop(damaged.steps[step].1.pop()),
        _ => drop(damaged.steps[step].0.pop()),
    }
    *derivations(claim).remove(at) = damaged;
    let _ = checked(claim);
    let mut short = whole.clone();
    short.steps.pop();
    *derivations(claim).remove(at) = short;
    assert!(matches!(checked(claim), Err(Refusal::Rejected(_))), "a derivation without end is no refutation");
    *derivations(claim).remove(at) = whole;
    assert!(checked(claim).is_ok());
}
