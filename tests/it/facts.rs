//! Every lemma of `patterns::facts` is accepted by the checker, for random programs.

use impasse::certify::{self, Options, Refusal};
use impasse::model::{
    Axiom, Certificate, Claim, EventId, Goal, Lemma, LemmaKind, LocalId, Meaning, Problem, ProofStep, Refutation, Stop,
    ThreadId,
};
use impasse::patterns::{facts, kit};
use std::sync::Arc;

const KIND: LemmaKind = LemmaKind("test.fact");

/// A refutation that consists of these lemmas only. If all are accepted, it is rejected because it derives nothing.
fn of_lemmas(width: usize, lemmas: Vec<Lemma>) -> Refutation {
    let mut refutation = Refutation { width, ..Refutation::default() };
    for lemma in lemmas {
        let mut clause = Vec::new();
        for literal in lemma.clause {
            refutation.meanings.push(Meaning::Prop(literal.prop));
            let variable = i32::try_from(refutation.meanings.len()).expect("few lemmas");
            clause.push(if literal.positive { variable } else { -variable });
        }
        let justification = lemma.justification.expect("facts have justifications");
        refutation.steps.push(ProofStep::Axiom(Axiom::Lemma(KIND, justification), clause));
    }
    refutation
}

#[test]
fn the_checker_derives_every_fact_again() {
    let mut random = kit::Random::new(31);
    let mut bounds = 0;
    for _ in 0..300 {
        let program = Arc::new(kit::program(&mut random));
        let (threads, events) = (program.threads(), program.events().len());
        let mut lemmas = vec![facts::bad_state(KIND, threads), facts::total(KIND, threads)];
        lemmas.extend(
            (0..3)
                .flat_map(|back| (0..events).map(move |e| (back, EventId::new(e))))
                .map(|(back, event)| facts::has_fired(KIND, threads, back, event)),
        );
        let counts = facts::Counts::new(threads);
        for (i, thread) in threads.iter().enumerate() {
            let i = ThreadId::new(i);
            for state in (0..thread.states.len()).map(LocalId::new) {
                lemmas.push(facts::entered_by(KIND, threads, 1, i, state));
            }
            for _ in 0..8 {
                let weights: Vec<_> = (0..events).map(|e| (EventId::new(e), random.below(5) as i64 - 3)).collect();
                let end = random.chance(50).then(|| LocalId::new(random.below(thread.states.len())));
                let bound = counts.at_most(KIND, i, end, &weights);
                bounds += usize::from(bound.is_some());
                lemmas.extend(bound);
            }
        }
        let refutation = of_lemmas(threads.len(), lemmas);
        let claim = Claim::Safe { goals: vec![Goal::Bad], certificate: Certificate::Refutation(Box::new(refutation)) };
        let problem = Problem::of_program(Arc::clone(&program));
        let answer = certify::confirm(&problem, &claim, &Options::default(), &Stop::default());
        let Err(Refusal::Rejected(why)) = answer else { panic!("lemmas alone refute nothing") };
        assert!(why.contains("does not end in the empty clause"), "{why}\n{}", kit::describe(&program));
    }
    assert!(bounds > 1_000, "{bounds}");
}
