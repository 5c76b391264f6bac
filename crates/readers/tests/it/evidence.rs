//! Tests of evidence: it is read back as it was written, and refused for another system.

use crate::generate;
use impasse_readers::{Limits, Source};
use model::array::{ArrayRule, ArrayTerm, ThreadArray, ThreadCell, Write};
use model::{
    Axiom, Certificate, Claim, Constant, EventId, Goal, IntAtom, IntTerm, Justification, LemmaKind, LocalId, Meaning,
    Potential, Problem, Program, Projection, ProofStep, Prop, Refutation, Restriction, StateGroup, StateSet, Task,
    ThreadId, Trace, Unreachable,
};
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;
use testkit::Listed;

/// Returns the problem of a program.
fn problem(program: &Program) -> Problem {
    Problem::of_program(Arc::new(program.clone()))
}

fn text(program: &Program, claim: &Claim) -> String {
    let mut bytes = Vec::new();
    evidence::write("model.rwb", &problem(program), claim, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn read(program: &Program, text: &str) -> Result<Claim, &'static str> {
    let source = Source { name: "t.json".to_owned(), bytes: text.as_bytes().to_vec() };
    evidence::read(&source, &problem(program), &Limits::default()).map_err(|e| e.code())
}

fn two_threads() -> Program {
    crate::program(
        "event a, b thread T { state s { request a } state t { } } thread U[0] { state x[1] { } state y { } }",
    )
}

/// Returns the events of a trace one by one, with the chosen states.
fn steps(trace: &Trace) -> Vec<(EventId, Option<Vec<u32>>)> {
    let repeated = trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| run.word.iter()));
    repeated.map(|m| (m.event, m.choice.map(|c| trace.choice(c).to_vec()))).collect()
}

fn refutation() -> Refutation {
    let (e, t, s) = (EventId(1), ThreadId(1), LocalId(0));
    let named = IntTerm::Constant(Constant::Named(Arc::from("n")));
    let large = IntTerm::number(u64::MAX);
    let cells = vec![ThreadCell { thread: t, values: vec![0, i64::MIN] }, ThreadCell { thread: t, values: Vec::new() }];
    let array = Arc::new(ThreadArray { back: 2, cells });
    let stored =
        ArrayTerm::Threads(Arc::clone(&array)).store(named.clone(), ArrayTerm::Named("f".into()).cell(named.clone()));
    let write = || Write { array: stored.clone(), at: named.clone(), value: large.clone(), read: IntTerm::number(-1) };
    let rules = [
        ArrayRule::SameIndex { array: stored.clone(), first: large.clone(), second: stored.cell(large.clone()) },
        ArrayRule::Written(write()),
        ArrayRule::Kept(write()),
        ArrayRule::Cell { array: Arc::clone(&array), index: 1, state: s },
        ArrayRule::Moves { after: Arc::clone(&array), event: e, write: Some((1, -1)), read: named.clone() },
        ArrayRule::Moves { after: array, event: e, write: None, read: named.clone() },
    ];
    let sum = IntTerm::Sum(vec![named.clone(), IntTerm::Scaled((-3).into(), Box::new(large.clone()))]);
    let props = vec![
        Prop::Visits(Box::from([0, 1])),
        Prop::Ends(Goal::Deadlock),
        Prop::Int(IntAtom::congruent(Constant::RunLength, 2, 5)),
        Prop::Int(IntAtom::Le(sum, named.clone())),
        Prop::Int(IntAtom::Eq(stored.cell(large.clone()), named)),
        Prop::Int(IntAtom::Eq(IntTerm::counts(&[(e, 2), (EventId(0), 1)]), IntTerm::number(-3))),
        Prop::EventBack { back: 0, event: e },
        Prop::StateBack { back: 3, thread: t, state: s },
    ];
    let mut meanings: Vec<Meaning> = props.into_iter().map(Meaning::Prop).collect();
    meanings.extend([Meaning::Group(0), Meaning::Auxiliary]);
    let justifications = [
        Justification::EventExists { back: 1, event: e },
        Justification::OpenAt { back: 1, event: e, thread: t },
        Justification::RequestedAt { back: 1, event: e },
        Justification::BadState,
        Justification::ClockState { back: 1, thread: t, state: s },
        Justification::EnteredBy { back: 1, thread: t, state: s },
        Justification::CameFrom { back: 1, thread: t, state: s, event: e },
        Justification::DeadAt { thread: t, event: e },
        Justification::Projected { threads: vec![ThreadId(0), t], back: 1, length: 2 },
        Justification::RequestedBy { back: 1, event: e },
        Justification::BlockedBy { thread: t, state: s, event: e },
        Justification::NeverStuck,
        Justification::Counts { threads: vec![ThreadId(0), t], length: 2 },
        Justification::Future { state: Box::from([1, 0]), thread: t },
    ];
    let mut axioms: Vec<Axiom> = justifications
        .into_iter()
        .chain(rules.map(Justification::Array))
        .map(|f| Axiom::Lemma(LemmaKind("looped.step"), f))
        .collect();
    axioms.extend([
        Axiom::Initial,
        Axiom::SomeGoal,
        Axiom::OneGoal,
        Axiom::NotClaimed(Goal::Bad),
        Axiom::GoalState,
        Axiom::Member,
        Axiom::Exit,
        Axiom::Unproven(LemmaKind("other.kind")),
        Axiom::Assumed(7),
        Axiom::IntConflict,
        Axiom::LinearConflict(vec![(3, (-2).into()), (4, num_bigint::BigInt::from(u128::MAX))]),
        Axiom::LinearConflict(Vec::new()),
    ]);
    let mut steps: Vec<ProofStep> = axioms.into_iter().map(|a| ProofStep::Axiom(a, vec![1, -2, 8])).collect();
    steps.extend([
        ProofStep::Derived(vec![-1], Vec::new()),
        ProofStep::Delete(0),
        ProofStep::Derived(Vec::new(), vec![11, 3, 2]),
    ]);
    let groups = vec![StateGroup::default(), StateGroup { states: vec![0, 1, 1, 0], parts: vec![0] }];
    Refutation { width: 2, meanings, groups, steps }
}

/// Returns a restriction for each reason.
fn restrictions() -> Vec<Restriction> {
    let (t, u) = (ThreadId(0), ThreadId(1));
    let tasks = vec![
        Task { thread: t, event: EventId(0), period: 5, work: 2, offset: 0 },
        Task { thread: u, event: EventId(1), period: u32::MAX, work: 1, offset: 3 },
    ];
    let weights = vec![vec![0, -1], vec![i64::MAX, i64::MIN]];
    let two = Potential { weights: vec![vec![0, 0], vec![1, 2]] };
    let because = |kind, excluded: &[(ThreadId, u32)], why| Restriction {
        kind: LemmaKind(kind),
        excluded: excluded.iter().map(|&(thread, state)| (thread, LocalId(state))).collect(),
        why,
    };
    vec![
        because("tasks.response", &[(t, 0), (t, 1), (u, 1)], Unreachable::ResponseTimes(tasks)),
        because("pairs.cartesian", &[], Unreachable::Cartesian),
        because("potential.weights", &[(u, 0)], Unreachable::Potential(vec![Potential { weights }, two])),
    ]
}

/// Returns certificates of the kinds that [`examples`] does not list itself.
fn certificates() -> Vec<Certificate> {
    let set = |rows: &[&[u32]]| -> Box<dyn StateSet> { Box::new(Listed(rows.iter().map(|r| r.to_vec()).collect())) };
    let kept = |kept: &[u32], rows: &[&[u32]]| {
        let kept = kept.iter().copied().map(ThreadId).collect();
        Certificate::Projection(Projection { kept, states: set(rows) })
    };
    let restricted = |inner| Certificate::Restricted(restrictions(), Box::new(inner));
    vec![
        kept(&[], &[&[]]),
        kept(&[1], &[&[0], &[1]]),
        kept(&[0, 1], &[&[0, 0]]),
        Certificate::Reduced(set(&[&[0, 0], &[1, 0]])),
        Certificate::Restricted(Vec::new(), Box::new(Certificate::StateSet(set(&[])))),
        restricted(Certificate::StateSet(set(&[&[1, 1]]))),
        restricted(Certificate::Reduced(set(&[&[1, 1]]))),
        restricted(kept(&[0], &[&[1]])),
        restricted(Certificate::Refutation(Box::new(refutation()))),
    ]
}

/// Returns a program and claims of each kind about it.
pub(crate) fn examples() -> (Program, Vec<Claim>) {
    let mut trace = Trace::new(Box::from([0, 1]));
    trace.push(EventId(1), Some(Box::from([1, 0])));
    trace.push_repeat(vec![EventId(0), EventId(1)], u64::MAX / 2);
    trace.push(EventId(0), None);
    let set = Certificate::StateSet(Box::new(Listed(vec![vec![0, 0], vec![1, 1], vec![0, 1]])));
    let mut claims = vec![
        Claim::Unsafe { goal: Goal::Bad, trace, candidate: false },
        Claim::Safe { goals: vec![Goal::Deadlock, Goal::Bad], certificate: set },
        Claim::Safe { goals: vec![Goal::Bad], certificate: Certificate::Refutation(Box::new(refutation())) },
    ];
    claims.extend(certificates().into_iter().map(|certificate| Claim::Safe { goals: vec![Goal::Bad], certificate }));
    (two_threads(), claims)
}

/// Returns a certificate as text with its states listed, for comparisons.
fn spelled(certificate: &Certificate) -> String {
    let rows = |set: &dyn StateSet| {
        let mut rows = Vec::new();
        let _ = set.for_each(&mut |row| {
            rows.push(row.to_vec());
            ControlFlow::Continue(())
        });
        assert_eq!(set.len(), rows.len() as u64);
        rows
    };
    match certificate {
        Certificate::StateSet(set) => format!("all {:?}", rows(set.as_ref())),
        Certificate::Reduced(set) => format!("reduced {:?}", rows(set.as_ref())),
        Certificate::Projection(p) => format!("projection {:?} {:?}", p.kept, rows(p.states.as_ref())),
        Certificate::Restricted(list, inner) => format!("{list:?} {}", spelled(inner)),
        other => format!("{other:?}"),
    }
}

#[test]
fn claims_come_back() {
    let (program, claims) = examples();
    for claim in claims {
        let text = text(&program, &claim);
        let back = read(&program, &text).unwrap_or_else(|code| panic!("{code} in {text}"));
        assert_eq!(self::text(&program, &back), text);
        match (claim, back) {
            (Claim::Unsafe { goal, trace, .. }, Claim::Unsafe { goal: g, trace: t, candidate: true }) => {
                assert_eq!((goal, trace), (g, t));
            }
            (Claim::Safe { goals, certificate: a }, Claim::Safe { goals: g, certificate: b }) => {
                assert_eq!(goals, g);
                assert_eq!(spelled(&a), spelled(&b));
            }
            _ => panic!("another kind of claim"),
        }
    }
}

proptest! {
    #![proptest_config(generate::config(200))]

    #[test]
    fn random_traces_come_back(
        program in generate::program(),
        events in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), 1u64..4), 0..20),
    ) {
        let start: Box<[u32]> = program.threads().iter().map(|t| t.initial[0].0).collect();
        let mut trace = Trace::new(start.clone());
        for (event, choice, times) in events.into_iter().filter(|_| !program.events().is_empty()) {
            let event = EventId::new(event.index(program.events().len()));
            if choice {
                trace.push(event, Some(start.clone()));
            } else {
                trace.push_repeat(vec![event; times as usize], times);
            }
        }
        let claim = Claim::Unsafe { goal: Goal::Deadlock, trace: trace.clone(), candidate: false };
        let Ok(Claim::Unsafe { goal: Goal::Deadlock, trace: back, .. }) = read(&program, &text(&program, &claim)) else {
            panic!("{}", text(&program, &claim));
        };
        prop_assert_eq!(&back.start, &trace.start);
        prop_assert_eq!(steps(&back), steps(&trace));
    }
}

#[test]
fn evidence_is_for_one_program() {
    let (program, claims) = examples();
    let other = crate::program(
        "event a, b thread T { state s { request b } state t { } } thread U[0] { state x[1] { } state y { } }",
    );
    assert_eq!(read(&other, &text(&program, &claims[0])).err(), Some("evidence::other-model"));
    let other_check = crate::program(
        "check bad event a, b thread T { state s { request a } state t { } } thread U[0] { state x[1] { } state y { } \
         }",
    );
    assert_eq!(
        evidence::hash(&problem(&program)),
        evidence::hash(&problem(&other_check)),
        "what is asked does not matter"
    );
}

/// Hints are step numbers. Older evidence has no hints.
#[test]
fn hints_come_back_and_may_be_missing() {
    let (program, claims) = examples();
    let text = text(&program, &claims[2]);
    let hinted = "{\"hinted\":[[],[11,3,2]]}";
    let with = |step: &str| {
        assert!(text.contains(hinted), "{text}");
        let Claim::Safe { certificate: Certificate::Refutation(refutation), .. } =
            read(&program, &text.replace(hinted, step))?
        else {
            panic!("a refutation");
        };
        Ok(refutation.steps.last().cloned())
    };
    assert_eq!(with("{\"derived\":[]}"), Ok(Some(ProofStep::Derived(Vec::new(), Vec::new()))));
    assert_eq!(with("{\"hinted\":[[1],[4294967295]]}"), Ok(Some(ProofStep::Derived(vec![1], vec![u32::MAX]))));
    for wrong in ["[[]]", "[[],[-1]]", "[[],[4294967296]]", "[[],[1.5]]", "[[],[\"1\"]]", "[[],[1],[2]]", "[]"] {
        assert_eq!(with(&format!("{{\"hinted\":{wrong}}}")), Err("evidence::shape"), "{wrong}");
    }
    let within = |limit: usize, text: &str| {
        let source = Source { name: "t.json".to_owned(), bytes: text.as_bytes().to_vec() };
        let limits = Limits { evidence_numbers: limit, ..Limits::default() };
        evidence::read(&source, &problem(&program), &limits).map(drop).map_err(|e| e.code())
    };
    let enough = (0..1000).find(|&limit| within(limit, &text).is_ok()).expect("the example is small");
    assert_eq!(within(enough, &text.replace("[11,3,2]", "[11,3,2,1]")), Err("limit::evidence"), "hints count");
}

#[test]
fn names_of_lemma_kinds_are_plain() {
    let (program, claims) = examples();
    let text = text(&program, &claims[2]);
    for kind in ["looped.step", "other.kind"] {
        let renamed = |name: &str| {
            let renamed = text.replace(&format!("\"{kind}\""), &format!("\"{name}\""));
            assert_ne!(renamed, text);
            read(&program, &renamed).map(drop)
        };
        assert_eq!(renamed("An-0ther_k1nd.of.lemmas"), Ok(()));
        for bad in ["", "\\u001b[2Jkind", "a b", "a\\nb", "a\\u0000", "a\\u009b1m", "\u{202e}kind", "kind\u{e9}"] {
            assert_eq!(renamed(bad), Err("evidence::shape"), "{bad:?}");
        }
    }
}

#[test]
fn wrong_evidence_is_refused() {
    let (program, claims) = examples();
    let change = |claim: usize, from: &str, to: &str| {
        let text = text(&program, &claims[claim]);
        assert!(text.contains(from), "{text}");
        read(&program, &text.replacen(from, to, 1)).err().unwrap_or("")
    };
    assert_eq!(change(0, "\"schema\":1", "\"schema\":2"), "evidence::schema");
    assert_eq!(change(0, "[\"bad\"]", "[]"), "evidence::kind");
    assert_eq!(change(0, "[\"bad\"]", "[\"bad\",\"deadlock\"]"), "evidence::kind");
    assert_eq!(change(0, "\"trace\":", "\"state_set\":"), "evidence::shape");
    assert_eq!(change(0, "\"start\":[\"s\"", "\"start\":[\"z\""), "evidence::unknown-name");
    assert_eq!(change(0, "\"start\":[\"s\",", "\"start\":["), "evidence::shape");
    assert_eq!(change(0, "\"times\":1", "\"times\":2"), "evidence::shape");
    assert_eq!(change(0, "\"times\":1", "\"times\":0"), "evidence::shape");
    assert_eq!(change(0, "\"times\":1", "\"times\":1,\"times\":1"), "evidence::shape");
    assert_eq!(change(1, "[0,0]", "[0,0,0]"), "evidence::shape");
    assert_eq!(change(1, "[0,0]", "[0]"), "evidence::shape");
    assert_eq!(change(1, "[0,0]", "[0,-1]"), "evidence::shape");
    assert_eq!(change(1, "\"width\":2", "\"width\":3"), "evidence::shape");
    assert_eq!(change(2, "\"some_goal\"", "\"some_gaol\""), "evidence::shape");
    assert_eq!(change(2, "[\"T\",5]", "[\"T\",0]"), "evidence::shape");
    let source = Source { name: "t.json".to_owned(), bytes: text(&program, &claims[1]).into_bytes() };
    let small = Limits { evidence_numbers: 4, ..Limits::default() };
    assert!(evidence::read(&source, &problem(&program), &small).is_err());
    let nested = Certificate::Restricted(Vec::new(), Box::new(certificates().pop().unwrap()));
    let nested = Claim::Safe { goals: vec![Goal::Bad], certificate: nested };
    assert!(evidence::write("x", &problem(&program), &nested, &mut Vec::new()).is_err());
    let unknown = Claim::Unknown { goals: vec![Goal::Bad], reason: model::Reason::GaveUp };
    assert!(evidence::write("x", &problem(&program), &unknown, &mut Vec::new()).is_err());
}

#[test]
fn wrong_projections_and_restrictions_are_refused() {
    let (program, claims) = examples();
    let text_of = |certificate: Certificate| text(&program, &Claim::Safe { goals: vec![Goal::Bad], certificate });
    let change = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from} in {text}");
        read(&program, &text.replacen(from, to, 1)).err().unwrap_or("")
    };
    let mut all = certificates().into_iter().map(text_of);
    let (empty, both) = (all.next().unwrap(), all.nth(1).unwrap());
    assert_eq!(change(&both, "[0,1]", "[0,1]"), "");
    for kept in ["[1,0]", "[0,0]", "[0,2]", "[0,-1]", "[0,4294967296]", "[0]", "[]", "0", "{}", "[0,1,2]"] {
        assert_eq!(change(&both, "[0,1]", kept), "evidence::shape", "{kept}");
    }
    assert_eq!(change(&both, "[0,0]", "[0]"), "evidence::shape");
    assert_eq!(change(&both, "\"states\":", "\"rows\":"), "evidence::shape");
    assert_eq!(change(&empty, "\"kept\":[]", "\"kept\":[0]"), "evidence::shape");
    assert_eq!(change(&empty, "[]]", "[0]]"), "evidence::shape");
    let restricted = all.next_back().unwrap();
    for (from, to) in [
        ("[[0,0],[0,1],[1,1]]", "[[0,1],[0,0],[1,1]]"),
        ("[[0,0],[0,1],[1,1]]", "[[0,0],[0,0],[1,1]]"),
        ("[[0,0],[0,1],[1,1]]", "[[0,0],[0,1],[1,2]]"),
        ("[[0,0],[0,1],[1,1]]", "[[0,0],[0,1],[2,0]]"),
        ("[[0,0],[0,1],[1,1]]", "[[0,0],[0,1],[1]]"),
        ("\"thread\":1,\"event\":1", "\"thread\":2,\"event\":1"),
        ("\"thread\":1,\"event\":1", "\"thread\":1,\"event\":2"),
        ("\"period\":5", "\"period\":-5"),
        ("\"period\":5", "\"period\":4294967296"),
        ("\"period\":5", "\"period\":5,\"deadline\":5"),
        ("\"cartesian\"", "\"karthesian\""),
        ("[0,-1]", "[0,-1,0]"),
        ("[0,-1]", "[0]"),
        ("[0,-1]", "[0,-1],[]"),
        ("9223372036854775807", "9223372036854775808"),
        ("9223372036854775807", "1.5"),
        ("tasks.response", "tasks\\u001bresponse"),
        ("tasks.response", ""),
    ] {
        assert_eq!(change(&restricted, from, to), "evidence::shape", "{from} -> {to}");
    }
    assert_eq!(change(&restricted, "\"restrictions\":", "\"restriction\":"), "json::unknown-key");
    assert_eq!(change(&text(&program, &claims[0]), "\"trace\":", "\"restrictions\":[],\"trace\":"), "evidence::kind");
    assert_eq!(change(&both, "\"projection\":", "\"reduced\":null,\"projection\":"), "evidence::kind");
    let small = |numbers: usize| {
        let source = Source { name: "t.json".to_owned(), bytes: restricted.clone().into_bytes() };
        let limits = Limits { evidence_numbers: numbers, ..Limits::default() };
        evidence::read(&source, &problem(&program), &limits).map(drop).map_err(|e| e.code())
    };
    // One of the restrictions counts two pairs and a task of five numbers for each of them.
    assert_eq!(small(15), Err("limit::evidence"));
}
