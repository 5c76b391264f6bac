//! Checks whether lemmas refute a goal, for tiny programs, by brute force over run lengths and a simple case
//! split. It is the reference for "refuted means unreachable" and uses no solver of the project.

use super::runs::{enabled, initial_states, kind_of, successors};
use model::{Constant, Goal, Lemma, LemmaLit, Program, Prop, Values};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

/// Returns true if no length in `0..lengths` and no assignment satisfies `lemmas` and `Ends(goal)`. The length
/// must be the only constant in the lemmas. The result is conclusive if the truth of the lemmas is periodic in
/// the length and the period ends below `lengths`.
#[must_use]
pub fn refutes(lemmas: &[Lemma], goal: Goal, lengths: u64) -> bool {
    (0..lengths).all(|length| refutes_at(lemmas, goal, length))
}

fn refutes_at(lemmas: &[Lemma], goal: Goal, length: u64) -> bool {
    let values = Values::from([(Constant::RunLength, BigInt::from(length))]);
    let mut clauses: Vec<Vec<LemmaLit>> = vec![vec![LemmaLit::yes(Prop::Ends(goal))]];
    for lemma in lemmas {
        let is_int = |l: &LemmaLit| matches!(l.prop, Prop::Int(_));
        let true_int = |l: &LemmaLit| matches!(&l.prop, Prop::Int(atom) if atom.eval(&values) == Some(l.positive));
        if !lemma.clause.iter().any(true_int) {
            clauses.push(lemma.clause.iter().filter(|l| !is_int(l)).cloned().collect());
        }
    }
    // Open branches of the case split. Each is an assignment that includes the split literal.
    let mut open: Vec<BTreeMap<Prop, bool>> = vec![BTreeMap::new()];
    while let Some(mut assigned) = open.pop() {
        match propagate(&clauses, &mut assigned) {
            Outcome::Conflict => {}
            Outcome::Satisfied => return false,
            Outcome::Split(prop) => {
                for value in [true, false] {
                    let mut next = assigned.clone();
                    next.insert(prop.clone(), value);
                    open.push(next);
                }
            }
        }
    }
    true
}

enum Outcome {
    Conflict,
    Satisfied,
    Split(Prop),
}

fn propagate(clauses: &[Vec<LemmaLit>], assigned: &mut BTreeMap<Prop, bool>) -> Outcome {
    loop {
        let mut split = None;
        let mut unit = None;
        for clause in clauses {
            if clause.iter().any(|l| assigned.get(&l.prop) == Some(&l.positive)) {
                continue;
            }
            let mut free = clause.iter().filter(|l| !assigned.contains_key(&l.prop));
            match (free.next(), free.next()) {
                (None, _) => return Outcome::Conflict,
                (Some(l), None) => unit = Some(l),
                (Some(l), Some(_)) => split = Some(l.prop.clone()),
            }
        }
        match (unit, split) {
            (Some(l), _) => drop(assigned.insert(l.prop.clone(), l.positive)),
            (None, Some(prop)) => return Outcome::Split(prop),
            (None, None) => return Outcome::Satisfied,
        }
    }
}

/// Returns the goals that are reachable, by exploring the whole product.
#[must_use]
pub fn reachable(program: &Program) -> BTreeSet<Goal> {
    reachable_states(program).iter().filter_map(|state| kind_of(program, state)).collect()
}

/// Returns all composite states that runs visit. Goal states end a run.
#[must_use]
pub fn reachable_states(program: &Program) -> BTreeSet<Box<[u32]>> {
    let mut work = initial_states(program);
    let mut seen: BTreeSet<Box<[u32]>> = work.iter().cloned().collect();
    while let Some(state) = work.pop() {
        if kind_of(program, &state).is_some() {
            continue;
        }
        for event in enabled(program, &state) {
            work.extend(successors(program, &state, event).into_iter().filter(|next| seen.insert(next.clone())));
        }
    }
    seen
}
