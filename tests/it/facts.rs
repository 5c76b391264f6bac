//! Lemmas about counts, from the pattern to the evidence file: every lemma of `patterns::facts` is accepted by the
//! checker, and damaged evidence is refused.

use impasse::certify::{self, Options, Refusal};
use impasse::formats::{Limits, Source};
use impasse::model::pattern::{Coverage, Match, Pattern, WhyNot};
use impasse::model::{
    Axiom, Certificate, Claim, Constant, EventId, Goal, IntAtom, IntTerm, Lemma, LemmaKind, LemmaLit, LocalId, Meaning,
    Problem, ProofStep, Prop, Refutation, Stop, Thread, ThreadId,
};
use impasse::patterns::{facts, kit};
use impasse::{check, engines, evidence, read_rwb};
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

/// States what its threads say about `up` (event 0) and `down` (event 1) in all of them. The last thread is a marker.
struct Counting;

struct Said(Vec<Lemma>);

impl Pattern for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        let counts = facts::Counts::new(threads);
        let pair = |i: u32| [(EventId(2 * i), 1), (EventId(2 * i + 1), -1)];
        let mut lemmas = vec![facts::bad_state(LemmaKind("counting.bad"), threads)];
        for i in 0..2 {
            lemmas.extend(counts.at_most(LemmaKind("counting.pair"), ThreadId(i), None, &pair(i)));
        }
        let negated = [pair(0), pair(1)].concat().into_iter().map(|(event, by)| (event, -by)).collect::<Vec<_>>();
        let (marker, bad) =
            (ThreadId::new(threads.len() - 1), LocalId::new(threads[threads.len() - 1].states.len() - 1));
        lemmas.extend(counts.at_most(LemmaKind("counting.marker"), marker, Some(bad), &negated));
        if goal == Goal::Bad { Ok(Box::new(Said(lemmas))) } else { Err(WhyNot::new(None, "bad states only")) }
    }
}

impl Match for Said {
    fn coverage(&self) -> Coverage {
        Coverage { goal: Goal::Bad, threads: vec![ThreadId(0), ThreadId(1)] }
    }

    fn on_start(&mut self, out: &mut Vec<Lemma>) {
        out.append(&mut self.0);
    }
}

/// A thread that goes up and down through `most` + 1 states on these events, and blocks what would leave them.
fn counter(name: &str, ups: &str, downs: &str, most: usize, request: &str, top: &str) -> String {
    let state = |s: usize| {
        let up = if s < most || !top.is_empty() { format!("on {ups} -> s{}", s + 1) } else { format!("block {ups}") };
        let down = if s > 0 { format!("on {downs} -> s{}", s - 1) } else { format!("block {downs}") };
        format!("state s{s} {{ {request} {up} {down} }} ")
    };
    format!("thread {name} {{ {} {top} }} ", (0..=most).map(state).collect::<String>())
}

/// Two counters up to 2, and a marker that is bad above `limit`.
fn counters(limit: usize) -> Problem {
    let one = |i: usize| {
        counter(&format!("C{i}"), &format!("up{i}"), &format!("down{i}"), 2, &format!("request up{i}, down{i}"), "")
    };
    let bad = format!("state s{} {{ bad }}", limit + 1);
    let marker = counter("Marker", "up0, up1", "down0, down1", limit, "", &bad);
    let text = format!("rwb 1 event up0, down0, up1, down1 check bad {}{}{marker}", one(0), one(1));
    read_rwb(&text).expect("it is well formed")
}

#[test]
fn evidence_about_counts_comes_back_and_is_refused_if_damaged() {
    let (problem, patterns): (Problem, &[&dyn Pattern]) = (counters(4), &[&Counting]);
    let options = impasse::Options { engine: Some(&engines::DPLLT), patterns, ..impasse::Options::default() };
    let outcome = check(&problem, &options);
    let answer = outcome.about(Goal::Bad).expect("it was asked");
    assert!(answer.is_safe() && answer.stats.states == 1, "{:?}", answer.finding);
    let claim = answer.claim.as_ref().expect("an answer has evidence");
    let mut bytes = Vec::new();
    evidence::write("p", &problem, claim, &mut bytes).expect("it can be written");
    let text = String::from_utf8(bytes).expect("it is text");
    let confirm = |text: &str| {
        let source = Source { name: "p.json".to_owned(), bytes: text.as_bytes().to_vec() };
        let read = evidence::read(&source, &problem, &Limits::default()).expect("it can be read");
        certify::confirm(&problem, &read, &Options::default(), &Stop::default())
    };
    confirm(&text).expect("it is accepted");
    assert!(text.contains("\"linear_conflict\":[[") && text.contains("\"counts\":{") && text.contains("{\"count\":0}"));
    // Another multiplier, another bound, another event, another thread.
    for (from, to) in [
        (",\"1\"]", ",\"2\"]"),
        ("{\"number\":\"2\"}", "{\"number\":\"1\"}"),
        ("{\"count\":0}", "{\"count\":2}"),
        ("\"counts\":{\"threads\":[0]", "\"counts\":{\"threads\":[1]"),
    ] {
        let damaged = text.replacen(from, to, 1);
        assert_ne!(damaged, text, "{from} is there:\n{text}");
        let refusal = confirm(&damaged).expect_err("it is damaged");
        assert!(matches!(refusal, Refusal::Rejected(_)), "{from} {refusal:?}");
    }
    // With a lower limit, the program is unsafe.
    let outcome = check(&counters(3), &options);
    assert!(outcome.about(Goal::Bad).expect("it was asked").is_unsafe());
}

/// A pattern with two statements that contradict each other only for integers: a remainder of a count, an equation.
struct OddAndEven;

impl Pattern for OddAndEven {
    fn name(&self) -> &'static str {
        "odd_and_even"
    }

    fn recognize(&self, _: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        let count = |event| IntTerm::Constant(Constant::Count(EventId(event)));
        let twice = IntTerm::Scaled(2.into(), Box::new(count(1)));
        let atoms = [IntAtom::congruent(Constant::Count(EventId(0)), 1, 2), IntAtom::Eq(count(0), twice)];
        let lemma = |atom| {
            let clause = vec![LemmaLit::no(Prop::Ends(Goal::Bad)), LemmaLit::yes(Prop::Int(atom))];
            Lemma { kind: LemmaKind("odd_and_even.wrong"), clause, justification: None }
        };
        if goal == Goal::Bad { Ok(Box::new(Said(atoms.map(lemma).into()))) } else { Err(WhyNot::new(None, "")) }
    }
}

/// What only Z3 can refute is not believed without `--trust z3`, and the reason says so.
#[test]
fn contradictions_of_integers_need_trust_in_z3() {
    if !crate::unbounded::has_z3() {
        return;
    }
    let patterns: &[&dyn Pattern] = &[&OddAndEven];
    let problem = counters(4);
    let with = |trust: &[&str]| {
        let trust = trust.iter().map(|name| (*name).to_owned()).collect();
        impasse::Options { engine: Some(&engines::DPLLT), patterns, trust, ..impasse::Options::default() }
    };
    let outcome = check(&problem, &with(&["odd_and_even"]));
    let answer = outcome.about(Goal::Bad).expect("it was asked");
    assert!(
        answer.unknown().is_some() && format!("{:?}", answer.finding).contains("--trust z3"),
        "{:?}",
        answer.finding
    );
    let outcome = check(&problem, &with(&["odd_and_even", "z3"]));
    let answer = outcome.about(Goal::Bad).expect("it was asked");
    let impasse::Finding::Settled(confirmed) = &answer.finding else { panic!("{:?}", answer.finding) };
    assert!(answer.is_safe() && confirmed.trusted.contains(&LemmaKind("z3.arithmetic")), "{:?}", confirmed.trusted);
}
