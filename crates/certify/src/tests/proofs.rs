//! Tests of whole refutations: valid ones are confirmed, each damage to them is refused, and no random one
//! gives a wrong verdict.

use super::brute::{self, Rng};
use super::{check, rejected};
use crate::{Confirmed, EvidenceKind, Options, Refusal, confirm};
use model::{
    Axiom, Certificate, Claim, Constant, EventId, Goal, IntAtom, Justification, LemmaKind, LocalId, Meaning, Problem,
    Program, ProofStep, Prop, Refutation, StateGroup, Stop, ThreadId,
};
use std::collections::BTreeMap;
use std::sync::Arc;

const BOTH: [Goal; 2] = [Goal::Bad, Goal::Deadlock];
const KIND: LemmaKind = LemmaKind("looped.test");

fn claim(refutation: Refutation, goals: &[Goal]) -> Claim {
    Claim::Safe { goals: goals.to_vec(), certificate: Certificate::Refutation(Box::new(refutation)) }
}

fn refuted(program: &Arc<Program>, refutation: &Refutation, goals: &[Goal]) -> Result<Confirmed, Refusal> {
    check(program, &claim(refutation.clone(), goals))
}

/// Builds a refutation.
struct Writer(Refutation);

impl Writer {
    fn new(program: &Program) -> Self {
        Self(Refutation { width: program.threads().len(), ..Refutation::default() })
    }

    fn literal(&mut self, meaning: Meaning) -> i32 {
        let known = self.0.meanings.iter().position(|m| *m == meaning);
        let index = known.unwrap_or_else(|| {
            self.0.meanings.push(meaning);
            self.0.meanings.len() - 1
        });
        index as i32 + 1
    }

    fn prop(&mut self, prop: Prop) -> i32 {
        self.literal(Meaning::Prop(prop))
    }

    fn visits(&mut self, state: &[u32]) -> i32 {
        self.prop(Prop::Visits(state.into()))
    }

    fn group(&mut self, states: &[Vec<u32>], parts: &[u32]) -> i32 {
        self.0.groups.push(StateGroup { states: states.concat(), parts: parts.to_vec() });
        self.literal(Meaning::Group(self.0.groups.len() as u32 - 1))
    }

    fn axiom(&mut self, axiom: Axiom, clause: &[i32]) {
        self.0.steps.push(ProofStep::Axiom(axiom, clause.to_vec()));
    }

    fn lemma(&mut self, justification: Justification, clause: &[i32]) {
        self.axiom(Axiom::Lemma(KIND, justification), clause);
    }

    fn derived(&mut self, clause: &[i32]) {
        self.0.steps.push(ProofStep::Derived(clause.to_vec(), Vec::new()));
    }

    fn residue(&mut self, residue: u64, modulus: u64) -> i32 {
        self.prop(Prop::Int(IntAtom::congruent(Constant::RunLength, residue, modulus)))
    }
}

/// The hints of `step`, which must derive a clause.
fn hints(refutation: &mut Refutation, step: usize) -> &mut Vec<u32> {
    match &mut refutation.steps[step] {
        ProofStep::Derived(_, hints) => hints,
        other => panic!("{other:?} derives nothing"),
    }
}

/// Two clocks and a marker. One clock does not block event 1 at some even times only, the other one at some odd
/// times only.
fn clash() -> Arc<Program> {
    brute::program(2, vec![brute::clock("Four", 4, &[0]), brute::clock("Six", 6, &[1]), brute::marker()])
}

/// Refutes a violation of [`clash`] without visiting a state.
fn clash_by_lemmas() -> Refutation {
    let mut w = Writer::new(&clash());
    let (four, six, marker) = (ThreadId(0), ThreadId(1), ThreadId(2));
    let bad = w.prop(Prop::Ends(Goal::Bad));
    let deadlock = w.prop(Prop::Ends(Goal::Deadlock));
    let in_bad = w.prop(Prop::StateBack { back: 0, thread: marker, state: LocalId(1) });
    let last = w.prop(Prop::EventBack { back: 0, event: EventId(1) });
    let (one, two) = (w.residue(1, 4), w.residue(2, 6));
    w.axiom(Axiom::SomeGoal, &[bad, deadlock]);
    w.lemma(Justification::DeadAt { thread: four, event: EventId(0) }, &[-deadlock]);
    w.lemma(Justification::BadState, &[-bad, in_bad]);
    w.lemma(Justification::EnteredBy { back: 0, thread: marker, state: LocalId(1) }, &[-in_bad, last]);
    w.lemma(Justification::OpenAt { back: 0, event: EventId(1), thread: four }, &[-last, one]);
    w.lemma(Justification::OpenAt { back: 0, event: EventId(1), thread: six }, &[-last, two]);
    w.axiom(Axiom::IntConflict, &[-one, -two]);
    w.derived(&[]);
    w.0
}

/// Refutes a violation of [`clash`] by expanding its states: a chain of twelve, with a loop formula.
fn clash_by_states() -> Refutation {
    let p = clash();
    let mut w = Writer::new(&p);
    let states: Vec<_> = brute::reachable(&p).into_iter().collect();
    let first = w.visits(&[0, 0, 0]);
    let region = w.group(&states[..6], &[]);
    let inner = w.group(&states[6..11], &[]);
    let all = w.group(&states[11..], &[0, 1]);
    w.axiom(Axiom::Initial, &[first]);
    w.axiom(Axiom::Member, &[-first, region]);
    w.axiom(Axiom::Member, &[-region, all]);
    w.axiom(Axiom::Exit, &[-all]);
    w.axiom(Axiom::Exit, &[-inner, region, all]);
    w.derived(&[-region]);
    w.derived(&[]);
    w.0
}

#[test]
fn valid_refutations_are_confirmed() {
    for (refutation, expanded) in [(clash_by_lemmas(), 0), (clash_by_states(), 17)] {
        let confirmed = refuted(&clash(), &refutation, &BOTH).unwrap();
        assert!(confirmed.verdict.is_safe());
        assert_eq!(confirmed.evidence, EvidenceKind::Lemmas);
        assert_eq!(confirmed.length, refutation.steps.len() as u64);
        assert_eq!(confirmed.replayed, expanded);
        assert!(confirmed.trusted.is_empty());
    }
}

/// Each axiom of the lemma proof is needed, and each literal of each axiom.
#[test]
fn nothing_can_be_missed() {
    let good = clash_by_lemmas();
    for step in 0..good.steps.len() {
        let mut less = good.clone();
        less.steps.remove(step);
        assert!(matches!(refuted(&clash(), &less, &BOTH), Err(Refusal::Rejected(_))), "without step {step}");
        let ProofStep::Axiom(_, clause) = &good.steps[step] else { continue };
        for literal in 0..clause.len() {
            let mut less = good.clone();
            let ProofStep::Axiom(_, clause) = &mut less.steps[step] else { continue };
            clause.remove(literal);
            let name = format!("step {step} without literal {literal}");
            let got = refuted(&clash(), &less, &BOTH);
            assert!(matches!(&got, Err(Refusal::Rejected(why)) if why.contains("proof step")), "{name}: {got:?}");
        }
    }
}

#[test]
fn each_damage_to_meanings_is_refused() {
    let good = clash_by_lemmas();
    for variable in 0..good.meanings.len() {
        for (other, meaning) in good.meanings.iter().enumerate().filter(|(other, _)| *other != variable) {
            let mut wrong = good.clone();
            wrong.meanings[variable] = meaning.clone();
            assert!(refuted(&clash(), &wrong, &BOTH).is_err(), "variable {variable} taken for {other}");
        }
        let mut nothing = good.clone();
        nothing.meanings[variable] = Meaning::Auxiliary;
        assert!(refuted(&clash(), &nothing, &BOTH).is_err());
    }
    let residues =
        (0..4).map(|r| (r, 4)).chain((0..6).map(|r| (r, 6))).chain([(1, 2), (0, 2), (1, 8), (5, 8), (2, 12)]);
    for (residue, modulus) in residues {
        for (variable, right) in [(4, (1, 4)), (5, (2, 6))] {
            let mut wrong = good.clone();
            let atom = IntAtom::congruent(Constant::RunLength, residue, modulus);
            wrong.meanings[variable] = Meaning::Prop(Prop::Int(atom));
            let fine = (residue, modulus) == right || (residue == right.0 % 2 && modulus == 2);
            assert_eq!(refuted(&clash(), &wrong, &BOTH).is_ok(), fine, "{residue} mod {modulus} for {variable}");
        }
    }
}

/// The justifications are about the program as read: with other clocks the same proof is wrong.
#[test]
fn another_program_needs_another_proof() {
    let marker = brute::marker;
    let variants = [
        vec![brute::clock("Four", 4, &[1]), brute::clock("Six", 6, &[1]), marker()],
        vec![brute::clock("Four", 4, &[0, 2, 3]), brute::clock("Six", 6, &[1]), marker()],
        vec![brute::clock("Four", 5, &[0]), brute::clock("Six", 6, &[1]), marker()],
        vec![brute::clock("Four", 4, &[0]), brute::clock("Six", 6, &[2]), marker()],
        vec![brute::clock("Four", 4, &[0]), brute::clock("Six", 6, &[1]), marker(), marker_of_event(0)],
        vec![brute::clock("Four", 4, &[0]), brute::clock("Six", 6, &[1]), marker_of_event(0)],
    ];
    for threads in variants {
        let mut threads = threads;
        threads.iter_mut().enumerate().for_each(|(i, t)| t.name = format!("t{i}"));
        let p = brute::program(2, threads);
        let mut refutation = clash_by_lemmas();
        refutation.width = p.threads().len();
        assert!(matches!(refuted(&p, &refutation, &BOTH), Err(Refusal::Rejected(_))), "{p:#?}");
    }
}

fn marker_of_event(event: u32) -> model::Thread {
    let wait = brute::local("wait", 2, &[], &[], &[(event, &[1])]);
    brute::thread("Marker", &[0], vec![wait, model::LocalState::bad("bad".to_owned(), 2)])
}

/// With hints there is no search: each hint matters, and so does their order.
#[test]
fn hints_are_followed_to_the_letter() {
    let p = clash();
    let with = |given: &[u32]| {
        let mut refutation = clash_by_lemmas();
        *hints(&mut refutation, 7) = given.to_vec();
        refuted(&p, &refutation, &BOTH)
    };
    let good = [1, 0, 2, 3, 4, 5, 6];
    assert!(with(&good).is_ok());
    for dropped in 0..good.len() {
        let less: Vec<u32> = good.iter().copied().filter(|&h| h != good[dropped]).collect();
        assert!(matches!(with(&less), Err(Refusal::Rejected(why)) if why.contains("proof step 7 (derived)")));
    }
    rejected(with(&[0, 1, 2, 3, 4, 5, 6]), "hint 0 is a clause with more than one literal left");
    rejected(with(&[1, 0, 2, 3, 4, 5]), "do not lead to a conflict");
    rejected(with(&[1, 0, 2, 3, 4, 5, 6, 0]), "hint 0 comes after the conflict");
    rejected(with(&[1, 0, 2, 3, 4, 5, 7]), "hint 7 names no clause");
    rejected(with(&[1, 0, 2, 3, 4, 5, u32::MAX]), "names no clause");
}

/// One proof may mix steps with hints and steps without, in any way.
#[test]
fn hints_and_propagation_mix() {
    let p = clash();
    let mut refutation = clash_by_states();
    let (first, region) = (1, 2);
    refutation.steps.truncate(5);
    let proof = |hinted: [bool; 3]| {
        let derived = |which: usize, clause: &[i32], hints: &[u32]| {
            let hints = if hinted[which] { hints.to_vec() } else { Vec::new() };
            ProofStep::Derived(clause.to_vec(), hints)
        };
        let mut proof = refutation.clone();
        proof.steps.extend([
            derived(0, &[-region], &[2, 3]),
            ProofStep::Delete(2),
            derived(1, &[-first], &[1, 5]),
            ProofStep::Delete(5),
            derived(2, &[], &[0, 7]),
        ]);
        proof
    };
    for mixture in 0..8 {
        let hinted = [0, 1, 2].map(|bit| mixture >> bit & 1 == 1);
        assert!(refuted(&p, &proof(hinted), &BOTH).is_ok(), "{hinted:?}");
        for (which, step) in [5, 7, 9].into_iter().enumerate().filter(|(which, _)| hinted[*which]) {
            let mut wrong = proof(hinted);
            hints(&mut wrong, step)[0] = [1, 5, 5][which];
            assert!(matches!(refuted(&p, &wrong, &BOTH), Err(Refusal::Rejected(_))), "{hinted:?}, step {step}");
        }
    }
    let mut late = refutation.clone();
    late.steps.extend([ProofStep::Delete(1), ProofStep::Derived(vec![], vec![])]);
    rejected(refuted(&p, &late, &BOTH), "does not follow by unit propagation");
}

#[test]
fn hostile_proofs_are_refused() {
    let p = clash();
    let tampered = |change: &dyn Fn(&mut Refutation)| {
        let mut refutation = clash_by_states();
        change(&mut refutation);
        refuted(&p, &refutation, &BOTH)
    };
    rejected(tampered(&|r| r.width = 2), "width 2");
    rejected(tampered(&|r| r.steps.clear()), "does not end in the empty clause");
    rejected(tampered(&|r| r.steps.truncate(r.steps.len() - 1)), "does not end in the empty clause");
    rejected(tampered(&|r| r.steps.push(ProofStep::Derived(vec![1], Vec::new()))), "does not end in the empty clause");
    rejected(tampered(&|r| r.steps.push(ProofStep::Delete(99))), "no clause 99");
    rejected(tampered(&|r| r.steps.push(ProofStep::Delete(u32::MAX))), "no clause");
    rejected(tampered(&|r| r.steps.insert(5, ProofStep::Derived(vec![0], Vec::new()))), "no variable for literal 0");
    rejected(
        tampered(&|r| r.steps.insert(5, ProofStep::Derived(vec![i32::MIN], Vec::new()))),
        "no variable for literal",
    );
    rejected(tampered(&|r| r.steps.insert(5, ProofStep::Derived(vec![5], Vec::new()))), "no variable for literal 5");
    rejected(tampered(&|r| r.groups[0].parts.push(0)), "does not come before");
    rejected(tampered(&|r| r.groups[2].parts.push(7)), "does not come before");
    rejected(tampered(&|r| r.groups[0].states.truncate(4)), "broken state");
    rejected(tampered(&|r| r.groups[0].states[0] = 77), "which is not a state");
    rejected(tampered(&|r| r.meanings[0] = Meaning::Prop(Prop::Visits([0, 0].into()))), "which is not a state");
    rejected(tampered(&|r| r.meanings[0] = Meaning::Group(3)), "does not exist");
    let event = Prop::EventBack { back: 0, event: EventId(9) };
    rejected(tampered(&|r| r.meanings.push(Meaning::Prop(event.clone()))), "does not exist");
    let state = Prop::StateBack { back: 0, thread: ThreadId(0), state: LocalId(4) };
    rejected(tampered(&|r| r.meanings.push(Meaning::Prop(state.clone()))), "does not exist");
    rejected(tampered(&|r| _ = r.groups[1].states.drain(..3)), "leads to");
    rejected(tampered(&|r| r.groups[2].states.extend([0, 0, 1])), "is of goal `bad`");
    rejected(tampered(&|r| _ = r.groups[2].parts.pop()), "leads to");
    rejected(tampered(&|r| r.steps.extend([ProofStep::Delete(2), ProofStep::Delete(2)])), "no clause 2");
    rejected(tampered(&|r| r.steps.extend([ProofStep::Delete(2), ProofStep::Delete(7)])), "no clause 7");
}

#[test]
fn facts_with_strange_indices_are_refused() {
    let p = clash();
    let (thread, state, event, back) = (ThreadId(77), LocalId(77), EventId(77), u32::MAX);
    let justifications = [
        Justification::EventExists { back, event },
        Justification::OpenAt { back: 0, event: EventId(1), thread },
        Justification::RequestedAt { back, event },
        Justification::ClockState { back, thread, state },
        Justification::ClockState { back, thread: ThreadId(0), state },
        Justification::EnteredBy { back, thread, state },
        Justification::EnteredBy { back, thread: ThreadId(0), state },
        Justification::CameFrom { back, thread: ThreadId(0), state: LocalId(0), event },
        Justification::DeadAt { thread, event },
        Justification::DeadAt { thread: ThreadId(0), event },
    ];
    for justification in justifications {
        let mut refutation = clash_by_lemmas();
        let every: Vec<i32> = (1..=refutation.meanings.len() as i32).flat_map(|v| [v, -v]).collect();
        refutation.steps.insert(0, ProofStep::Axiom(Axiom::Lemma(KIND, justification.clone()), every));
        assert!(matches!(refuted(&p, &refutation, &BOTH), Err(Refusal::Rejected(_))), "{justification:?}");
    }
}

#[test]
fn unproven_lemmas_need_trust() {
    let p = clash();
    let mut refutation = clash_by_lemmas();
    let ProofStep::Axiom(axiom, _) = &mut refutation.steps[4] else { panic!("an axiom") };
    *axiom = Axiom::Unproven(KIND);
    let problem = Problem::of_program(p);
    let with = |trust: &[&str]| {
        let options = Options { trust: trust.iter().map(|&s| s.to_owned()).collect(), ..Options::default() };
        confirm(&problem, &claim(refutation.clone(), &BOTH), &options, &Stop::default())
    };
    assert!(matches!(with(&[]), Err(Refusal::Unknown(why)) if why.contains("--trust looped")));
    for name in ["loop", "looped.test", "test", ""] {
        assert!(matches!(with(&[name]), Err(Refusal::Unknown(_))), "{name}");
    }
    assert_eq!(with(&["other", "looped"]).unwrap().trusted, [KIND]);
}

#[test]
fn limits_end_long_proofs() {
    let problem = Problem::of_program(clash());
    for limit in 0..100 {
        let options = Options { max_steps: limit, ..Options::default() };
        let got = confirm(&problem, &claim(clash_by_states(), &BOTH), &options, &Stop::default());
        assert_eq!(got, Err(Refusal::ResourceLimit));
    }
}

/// Goals that are not claimed may be reachable, and their states may be expanded.
#[test]
fn claims_for_one_goal_leave_the_other_open() {
    let end = brute::thread(
        "End",
        &[0],
        vec![brute::local("s", 2, &[0], &[], &[(0, &[1])]), brute::local("t", 2, &[], &[], &[])],
    );
    let p = brute::program(2, vec![end, brute::marker()]);
    let mut w = Writer::new(&p);
    let (first, last) = (w.visits(&[0, 0]), w.visits(&[1, 0]));
    let (bad, deadlock) = (w.prop(Prop::Ends(Goal::Bad)), w.prop(Prop::Ends(Goal::Deadlock)));
    w.axiom(Axiom::Initial, &[first]);
    w.axiom(Axiom::Exit, &[-first, last]);
    w.axiom(Axiom::GoalState, &[-last, deadlock]);
    w.axiom(Axiom::NotClaimed(Goal::Deadlock), &[-deadlock]);
    w.axiom(Axiom::SomeGoal, &[bad]);
    w.derived(&[]);
    assert!(refuted(&p, &w.0, &[Goal::Bad]).is_ok());
    rejected(refuted(&p, &w.0, &[Goal::Deadlock]), "`deadlock` is claimed");
    rejected(refuted(&p, &w.0, &BOTH), "`deadlock` is claimed");
}

/// Without threads the only state is a deadlock. It has no slots, so groups cannot list it.
#[test]
fn programs_without_threads_are_no_exception() {
    let p = brute::program(1, vec![]);
    let mut w = Writer::new(&p);
    let first = w.visits(&[]);
    w.axiom(Axiom::Initial, &[first]);
    w.axiom(Axiom::Exit, &[-first]);
    w.derived(&[]);
    assert!(refuted(&p, &w.0, &[Goal::Bad]).is_ok());
    rejected(refuted(&p, &w.0, &BOTH), "is of goal `deadlock`");
    w.0.groups.push(StateGroup { states: vec![0], parts: vec![] });
    rejected(refuted(&p, &w.0, &[Goal::Bad]), "broken state");
}

/// Proofs by states and groups for random programs, intact or damaged. Confirmed proofs are right about the
/// program. Intact proofs of safe programs are confirmed.
#[test]
fn random_proofs_never_give_a_wrong_verdict() {
    let mut rng = Rng(21);
    let mut confirmed = 0;
    for round in 0..4000 {
        let p = brute::random_program(&mut rng);
        let goals = [&BOTH[..], &BOTH[..1], &BOTH[1..]][rng.below(3)];
        let damaged = rng.one_in(2);
        let proof = proof_by_states(&mut rng, &p, goals, damaged);
        let states = brute::reachable(&p);
        let violated = states.iter().filter_map(|s| brute::goal(&p, s)).any(|g| goals.contains(&g));
        let got = refuted(&p, &proof, goals);
        assert!(!(violated && got.is_ok()), "round {round}: a wrong verdict for {p:#?}");
        assert!(violated || damaged || got.is_ok(), "round {round}: {got:?}\n{p:#?}");
        confirmed += usize::from(got.is_ok());
    }
    assert!(confirmed > 200, "only {confirmed} proofs were good: the generator is too weak");
}

/// Expands the reachable states. States of claimed goals are left out, as by a search that missed them.
fn proof_by_states(rng: &mut Rng, p: &Program, goals: &[Goal], damaged: bool) -> Refutation {
    let mut w = Writer::new(p);
    let mut states: Vec<Vec<u32>> = brute::reachable(p).into_iter().collect();
    states.retain(|s| brute::goal(p, s).is_none_or(|g| !goals.contains(&g)));
    if damaged && !states.is_empty() {
        states.remove(rng.below(states.len()));
    }
    let split = rng.below(states.len() + 1);
    let low = w.group(&states[..split], &[]);
    let all = w.group(&states[split..], &[0]);
    let visits: BTreeMap<Vec<u32>, i32> = states.iter().map(|s| (s.clone(), w.visits(s))).collect();
    let initial: Vec<i32> = brute::initial(p).iter().filter_map(|s| visits.get(s).copied()).collect();
    w.axiom(Axiom::Initial, &initial);
    for (state, &literal) in &visits {
        let events = brute::enabled(p, state);
        let next = events.iter().flat_map(|&e| brute::targets(p, state, e)).filter(|n| n != state);
        let mut clause = vec![-literal];
        clause.extend(next.filter_map(|n| visits.get(&n).copied()));
        if rng.one_in(2) {
            w.axiom(Axiom::Exit, &clause);
        }
        w.axiom(Axiom::Member, &[-literal, all]);
    }
    w.axiom(Axiom::Member, &[-low, all]);
    w.axiom(Axiom::Exit, &[-all]);
    w.derived(&[]);
    w.0
}
