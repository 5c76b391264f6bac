//! Tests that steps without hints see the clauses that are alive, at whatever point they come.

use crate::derivations::Derivations;
use kernel::Work;
use model::{Axiom, ProofStep, Stop};

const WRONG: [u32; 1] = [77];

/// Takes the steps in order. Returns for each derived clause whether it follows. Clauses that do not follow are
/// added all the same.
fn outcomes(steps: &[ProofStep]) -> Vec<bool> {
    let stop = Stop::default();
    let mut work = Work::new(u64::MAX, &stop);
    let mut clauses = Derivations::new(steps, 4, &work).unwrap();
    let mut outcomes = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        match step {
            ProofStep::Axiom(..) => clauses.add(number, &mut work).unwrap(),
            ProofStep::Derived(clause, hints) => {
                outcomes.push(clauses.check(number, clause, hints, &mut work).is_ok());
                clauses.add(number, &mut work).unwrap();
            }
            ProofStep::Delete(dropped) => assert!(clauses.delete(*dropped, &mut work).unwrap()),
        }
    }
    outcomes
}

fn axiom(clause: &[i32]) -> ProofStep {
    ProofStep::Axiom(Axiom::Exit, clause.to_vec())
}

fn derived(clause: &[i32], hints: &[u32]) -> ProofStep {
    ProofStep::Derived(clause.to_vec(), hints.to_vec())
}

#[test]
fn what_was_dropped_is_gone_before_and_after_propagation_begins() {
    let (a, b, c, d) = (1, 2, 3, 4);
    let begin = [axiom(&[a, b, c]), axiom(&[-a, b, c]), axiom(&[a, b, d]), axiom(&[-a, b, d])];
    let with = |rest: &[ProofStep]| outcomes(&[&begin[..], rest].concat());
    assert_eq!(with(&[derived(&[b, c], &[])]), [true]);
    assert_eq!(with(&[ProofStep::Delete(1), derived(&[b, c], &[])]), [false]);
    // The tautology makes the checker set up propagation.
    let set_up = derived(&[a, b, c, d, -a], &[]);
    assert_eq!(with(&[set_up.clone(), ProofStep::Delete(1), derived(&[b, c], &[])]), [true, false]);
    assert_eq!(with(&[set_up.clone(), ProofStep::Delete(0), derived(&[b, d], &[])]), [true, true]);
    // Clauses that are added after a deletion, and are deleted later.
    let later = [set_up, ProofStep::Delete(0), axiom(&[a, b, c]), axiom(&[c, -d])];
    let then = |rest: &[ProofStep]| with(&[&later[..], rest].concat());
    assert_eq!(then(&[derived(&[b, c], &[])]), [true, true]);
    assert_eq!(then(&[ProofStep::Delete(7), derived(&[b, c], &[])]), [true, true], "by the others");
    assert_eq!(then(&[ProofStep::Delete(6), derived(&[b, c], &[])]), [true, true], "by the others");
    assert_eq!(then(&[ProofStep::Delete(6), ProofStep::Delete(7), derived(&[b, c], &[])]), [true, false]);
    assert_eq!(then(&[ProofStep::Delete(6), ProofStep::Delete(2), derived(&[b, c], &[])]), [true, false]);
    assert_eq!(then(&[ProofStep::Delete(1), ProofStep::Delete(7), derived(&[b, c], &[])]), [true, false]);
}

/// Wrong hints are rejected, even where propagation would accept the clause.
#[test]
fn hints_come_first() {
    let steps = [axiom(&[1, 2]), axiom(&[-1, 2]), derived(&[2], &WRONG), derived(&[2], &[0, 1]), derived(&[2], &[])];
    assert_eq!(outcomes(&steps), [false, true, true]);
}
