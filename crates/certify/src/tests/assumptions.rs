//! Tests of assumptions: as axioms of refutations, and as conditions on traces.

use super::brute;
use crate::{Confirmed, Options, Refusal, confirm};
use model::certificate::Counted;
use model::{
    Assumption, Axiom, Certificate, Claim, Constant, EventId, Goal, IntAtom, IntTerm, Lengths, LocalId, Meaning,
    Problem, ProofStep, Prop, Refutation, StateSet, Stop, ThreadId, Trace,
};
use std::ops::ControlFlow;

fn length(residue: u64, modulus: u64) -> IntAtom {
    IntAtom::congruent(Constant::RunLength, residue, modulus)
}

/// A clock that runs forever, with event 1 unblocked in state 1 of 2, and a marker that becomes bad after 2, 4,
/// 6, .. events.
fn problem(assumptions: Vec<Assumption>) -> Problem {
    let program = brute::program(2, vec![brute::clock("Two", 2, &[1]), brute::marker()]);
    Problem::of_program_with(program, &[Goal::Bad]).expect("goals of programs").assuming(assumptions).expect("it fits")
}

fn confirmed(problem: &Problem, claim: &Claim) -> Result<Confirmed, Refusal> {
    confirm(problem, claim, &Options::default(), &Stop::default())
}

fn run(problem: &Problem, zeros: u64) -> Result<Confirmed, Refusal> {
    let mut trace = Trace::new(Box::from([0, 0]));
    trace.push_repeat(vec![EventId(0)], zeros);
    trace.push(EventId(1), None);
    confirmed(problem, &Claim::Unsafe { goal: Goal::Bad, trace, candidate: false })
}

#[test]
fn a_trace_must_satisfy_all_assumptions() {
    let number = |zeros, assumptions| match run(&problem(assumptions), zeros) {
        Ok(confirmed) => format!("{} events", confirmed.length),
        Err(Refusal::Assumption(which)) => which,
        Err(other) => panic!("{other:?}"),
    };
    let int = |atoms: &[IntAtom]| Assumption::Int(atoms.to_vec());
    let end = |thread, states: &[u32]| Assumption::Final {
        thread: ThreadId(thread),
        states: states.iter().map(|&s| LocalId(s)).collect(),
    };
    assert_eq!(number(3, vec![]), "4 events");
    assert_eq!(number(3, vec![int(&[length(1, 3)]), end(0, &[0]), end(1, &[1])]), "4 events");
    assert_eq!(number(5, vec![int(&[length(1, 3)])]), "assumption number 1");
    assert_eq!(number(5, vec![int(&[length(1, 3), length(0, 3)])]), "6 events");
    assert_eq!(
        number(5, vec![int(&[length(0, 3)]), int(&[IntAtom::at_least(Constant::RunLength, 7)])]),
        "assumption number 2"
    );
    assert_eq!(number(3, vec![end(0, &[1])]), "assumption number 1");
    assert_eq!(number(3, vec![int(&[])]), "assumption number 1");
}

/// The proof says that a bad state comes after an even number of events only, so never under these assumptions.
fn odd(assumed: &[IntAtom], axiom: u32, clause: &[IntAtom]) -> Result<Confirmed, Refusal> {
    let problem = problem(vec![Assumption::Int(assumed.to_vec())]);
    let bad = Prop::StateBack { back: 0, thread: ThreadId(1), state: LocalId(1) };
    let last = Prop::EventBack { back: 0, event: EventId(1) };
    let mut props = vec![Prop::Ends(Goal::Bad), bad, last, Prop::Int(length(0, 2))];
    props.extend(clause.iter().cloned().map(Prop::Int));
    let atoms: Vec<i32> = (0..clause.len() as i32).map(|i| 5 + i).collect();
    let lemma = |justification, clause: &[i32]| {
        ProofStep::Axiom(Axiom::Lemma(model::LemmaKind("test.fact"), justification), clause.to_vec())
    };
    let mut steps = vec![
        ProofStep::Axiom(Axiom::SomeGoal, vec![1]),
        lemma(model::Justification::BadState, &[-1, 2]),
        lemma(model::Justification::EnteredBy { back: 0, thread: ThreadId(1), state: LocalId(1) }, &[-2, 3]),
        lemma(model::Justification::OpenAt { back: 0, event: EventId(1), thread: ThreadId(0) }, &[-3, 4]),
        ProofStep::Axiom(Axiom::Assumed(axiom), atoms.clone()),
    ];
    steps.extend(atoms.iter().map(|&atom| ProofStep::Axiom(Axiom::IntConflict, vec![-4, -atom])));
    steps.push(ProofStep::Derived(Vec::new(), Vec::new()));
    let meanings = props.into_iter().map(Meaning::Prop).collect();
    let refutation = Box::new(Refutation { width: 2, meanings, groups: Vec::new(), steps });
    confirmed(&problem, &Claim::Safe { goals: vec![Goal::Bad], certificate: Certificate::Refutation(refutation) })
}

#[test]
fn an_assumption_is_an_axiom() {
    let odd_number = [length(1, 2)];
    let several = [length(1, 4), length(3, 6)];
    assert!(odd(&odd_number, 0, &odd_number).unwrap().verdict.is_safe());
    assert!(odd(&several, 0, &several).unwrap().verdict.is_safe());
    assert!(odd(&several[..1], 0, &several).unwrap().verdict.is_safe(), "more literals only weaken it");
    super::rejected(odd(&odd_number, 1, &odd_number), "there is no assumption 1");
    super::rejected(odd(&several, 0, &several[1..]), "assumption 0 says more than the clause");
    super::rejected(odd(&several, 0, &odd_number), "assumption 0 says more than the clause");
    super::rejected(odd(&[length(0, 2)], 0, &[length(0, 2)]), "do not contradict each other");
    let odd_form = IntAtom::Eq(IntTerm::residue(Constant::RunLength, 2), IntTerm::Sum(vec![IntTerm::number(1)]));
    super::rejected(odd(&[odd_form], 0, &odd_number), "assumption 0 says more than the clause");
}

/// States of the clock and its marker with the classes of lengths. Runs may not be longer than 2.
fn counted(lengths: Lengths, states: &[[u32; 3]], assumed: &[IntAtom]) -> Result<Confirmed, Refusal> {
    #[derive(Debug)]
    struct Rows(Vec<[u32; 3]>);
    impl StateSet for Rows {
        fn len(&self) -> u64 {
            self.0.len() as u64
        }
        fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
            self.0.iter().try_for_each(|state| visit(state))
        }
    }
    let problem = problem(vec![Assumption::Int(assumed.to_vec())]);
    let counted = Counted { lengths, states: Box::new(Rows(states.to_vec())) };
    confirmed(&problem, &Claim::Safe { goals: vec![Goal::Bad], certificate: Certificate::Counted(counted) })
}

/// The clock is a cycle, and the marker is bad after an even number of events only. No such number is odd.
#[test]
fn sets_count_lengths_as_far_as_is_assumed() {
    let parity = Lengths { exact: 0, modulus: 2 };
    let all = [[0, 0, 0], [1, 0, 1], [0, 1, 0]];
    let odd = [length(1, 2)];
    assert!(counted(parity, &all, &odd).unwrap().verdict.is_safe());
    super::rejected(counted(parity, &all, &[length(0, 2)]), "at a length that is asked about");
    super::rejected(counted(parity, &all[..2], &odd), "the set is not closed");
    super::rejected(counted(parity, &all[1..], &odd), "is missing from the set");
    super::rejected(counted(parity, &[[0, 0, 1], [1, 0, 0], [0, 1, 1]], &odd), "is missing from the set");
    super::rejected(counted(parity, &[[0, 0, 2], [1, 0, 1], [0, 1, 0]], &odd), "is not a state of the program");
    super::rejected(counted(Lengths { exact: 0, modulus: 0 }, &all, &odd), "does not count the lengths");
    let at_once = Lengths { exact: 2, modulus: 0 };
    super::rejected(
        counted(at_once, &[[0, 0, 0], [1, 0, 1]], &odd),
        "a run goes on beyond the lengths that the evidence counts",
    );
    for blind in [length(1, 3), IntAtom::at_least(Constant::RunLength, 1), IntAtom::equals(Constant::RunLength, 0)] {
        assert!(matches!(counted(parity, &all, &[blind]), Err(Refusal::Assumption(_))));
    }
}
