//! Tests of evidence about nets and thread-transition systems: it is read back as it was written, and refused
//! for another system.

use crate::pnml::{plain_net, problem};
use crate::{generate, read_as};
use impasse_readers::{Limits, Source, apply_init};
use model::{
    AtMost, CaseLemma, Cases, Certificate, Claim, ConcurrencyRelation, EventId, Exclusion, Formula, FormulaId, Goal,
    InvariantCertificate, Linear, Markings, Net, NetInvariant, Place, PlaceId, PotentiallyMarked, Problem, Property,
    Questions, Range, Slot, Trace, Transition, Why,
};
use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;
use std::sync::Arc;
use testkit::Listed;

fn text(problem: &Problem, claim: &Claim) -> String {
    let mut bytes = Vec::new();
    evidence::write("model", problem, claim, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn read(problem: &Problem, text: &str) -> Result<Claim, &'static str> {
    let source = Source { name: "t.json".to_owned(), bytes: text.as_bytes().to_vec() };
    evidence::read(&source, problem, &Limits::default()).map_err(|e| e.code())
}

fn certificates(places: usize) -> Vec<Certificate> {
    let markings = || Markings {
        slots: vec![Slot::Tokens(PlaceId(0)), Slot::OneOf(vec![PlaceId(2), PlaceId(1)])],
        potentially_marked: (0..places).map(|p| p != 1).collect(),
        states: Box::new(Listed(vec![vec![0, 0], vec![7, 2], vec![u32::MAX, 1]])),
    };
    vec![
        Certificate::PotentiallyMarked(PotentiallyMarked { places: vec![true; places] }),
        Certificate::Markings(markings()),
        Certificate::ReducedMarkings(markings()),
        Certificate::Invariant(Box::new(certificate(places))),
    ]
}

/// Returns a certificate with one invariant of each kind, and both ways to exclude a goal.
fn certificate(places: usize) -> InvariantCertificate {
    let large = || BigUint::from(1u8) << 100;
    let mut pairs = ConcurrencyRelation::none(vec![PlaceId(0), PlaceId(2)]);
    pairs.allow(0, 1);
    pairs.allow(1, 1);
    let terms = vec![(PlaceId(0), BigInt::from(-3)), (PlaceId(2), BigInt::from(large()))];
    let lemmas = vec![
        CaseLemma { atoms: vec![1, 2], why: Why::Excluded },
        CaseLemma { atoms: vec![1], why: Why::Sum { multipliers: vec![large()], invariants: vec![(2, 7u8.into())] } },
    ];
    let splits = vec![Linear { terms: terms.clone(), at_least: (-1).into() }];
    let cases = Exclusion::Cases(Cases { splits, lemmas, steps: vec![vec![-1, 2], vec![]] });
    InvariantCertificate {
        invariants: vec![
            NetInvariant::PotentiallyMarked((0..places).map(|p| p != 1).collect()),
            NetInvariant::ConcurrencyRelation(pairs),
            NetInvariant::AtMost(AtMost { terms, at_most: 12.into() }),
            NetInvariant::SomeMarked(vec![PlaceId(0), PlaceId(2)]),
            NetInvariant::NeverCovered(vec![
                vec![(PlaceId(2), large())],
                vec![(PlaceId(0), 1u8.into()), (PlaceId(2), 2u8.into())],
            ]),
        ],
        exclusions: vec![(Goal::Formula(FormulaId(0)), Exclusion::Minimal), (Goal::Deadlock, cases)],
    }
}

fn claims(mut trace: Trace, to: Option<Box<[u32]>>, places: usize) -> Vec<Claim> {
    trace.push(EventId(1), to);
    trace.push_repeat(vec![EventId(0), EventId(1)], u64::MAX / 2);
    trace.push(EventId(0), None);
    let goal = Goal::Formula(FormulaId(0));
    let mut claims = vec![Claim::Unsafe { goal, trace, candidate: false }];
    let safe = |certificate| Claim::Safe { goals: vec![goal, Goal::Deadlock], certificate };
    claims.extend(certificates(places).into_iter().map(safe));
    claims
}

/// Returns a net and one claim of each kind about it.
pub(crate) fn net_examples() -> (Problem, Vec<Claim>) {
    let spec = "vars a b c rules a >= 1 -> a' = a - 1, b' = b + 1; b >= 1 -> c' = 0;
        init a >= 3, b = 0, c in [1, 18446744073709551616] target c >= 2";
    let problem = read_as("t.spec", spec).unwrap().problem;
    (problem, claims(Trace::new(Box::from([0, u32::MAX])), None, 3))
}

/// Returns a thread-transition system and one claim of each kind about it.
pub(crate) fn thread_examples() -> (Problem, Vec<Claim>) {
    let tts = "1|1\n2 2\n0 0 -> 1 1\n0 1 -> 0 0 1 ~> 0 1 ~> 1\n";
    let mut problem = read_as("t.tts", tts).unwrap().problem;
    apply_init(&mut problem, "0|1/0,1").unwrap();
    (problem, claims(Trace::new(Box::from([5, 0])), Some(Box::from([1, 7, 0])), 4))
}

#[test]
fn claims_come_back() {
    for (problem, claims) in [net_examples(), thread_examples()] {
        for claim in claims {
            let text = text(&problem, &claim);
            let back = read(&problem, &text).unwrap_or_else(|code| panic!("{code} in {text}"));
            assert_eq!(self::text(&problem, &back), text);
            match (claim, back) {
                (Claim::Unsafe { goal, trace, .. }, Claim::Unsafe { goal: g, trace: t, candidate: true }) => {
                    assert_eq!((goal, trace), (g, t));
                }
                (Claim::Safe { goals, certificate: a }, Claim::Safe { goals: g, certificate: b }) => {
                    assert_eq!(goals, g);
                    match (a, b) {
                        (Certificate::PotentiallyMarked(a), Certificate::PotentiallyMarked(b)) => assert_eq!(a, b),
                        (Certificate::Invariant(a), Certificate::Invariant(b)) => assert_eq!(a, b),
                        (Certificate::Markings(a), Certificate::Markings(b))
                        | (Certificate::ReducedMarkings(a), Certificate::ReducedMarkings(b)) => {
                            assert_eq!(
                                (a.slots, a.potentially_marked, a.states.len()),
                                (b.slots, b.potentially_marked, b.states.len())
                            );
                        }
                        _ => panic!("another kind of certificate"),
                    }
                }
                _ => panic!("another kind of claim"),
            }
        }
    }
}

/// Evidence about very many goals. The test would take too long if each goal were found by searching all names,
/// or if each warning needed a check of all transitions.
#[test]
fn a_hundred_thousand_goals_are_named_and_found() {
    let goals = 100_000u32;
    let place = |i| Place { name: format!("p{i}"), initial: Range::exactly(1u8) };
    let take = |i| Transition::from_arcs(format!("t{i}"), &[(PlaceId(i), 1u8.into())], &[]);
    let net = Net::new((0..goals).map(place).collect(), (0..goals).map(take).collect()).unwrap();
    let goal = |i| Goal::Formula(FormulaId(i));
    let problem = Problem::new(
        Arc::new(net),
        Questions {
            formulas: (0..goals).map(|i| Arc::new(Formula::cover(&[(PlaceId(i), 2u8.into())]))).collect(),
            properties: (0..goals).map(|i| Property::never(format!("q{i}"), goal(i))).collect(),
            ..Questions::default()
        },
    )
    .expect("it fits");
    let exclusions = (0..goals).map(|i| (goal(i), Exclusion::Minimal)).collect();
    let certificate = Certificate::Invariant(Box::new(InvariantCertificate { invariants: Vec::new(), exclusions }));
    let claim = Claim::Safe { goals: (0..goals).map(goal).collect(), certificate };
    let Ok(Claim::Safe { goals: found, .. }) = read(&problem, &text(&problem, &claim)) else { panic!("evidence") };
    assert!(found.into_iter().eq((0..goals).map(goal)));
    assert!(impasse_readers::vacuous("t", &problem).is_empty());
}

#[test]
fn starts_are_written_with_all_their_tokens() {
    let (problem, claims) = net_examples();
    assert!(text(&problem, &claims[0]).contains("\"start\":{\"a\":3,\"c\":4294967296}"));
    let (problem, claims) = thread_examples();
    let text = text(&problem, &claims[0]);
    assert!(text.contains("\"start\":{\"0\":5,\"1\":"), "{text}");
    assert!(text.contains("{\"event\":1,\"to\":[1,7,0]}"), "{text}");
}

#[test]
fn evidence_is_for_one_system_and_names_its_goals() {
    let (problem, claims) = net_examples();
    let text = text(&problem, &claims[1]);
    assert!(text.contains("\"goals\":[\"target\",\"deadlock\"]"), "{text}");
    let mut other = problem.clone();
    apply_init(&mut other, "a=3,c=1").unwrap();
    assert_eq!(read(&other, &text).err(), Some("evidence::other-model"));
    let renamed = problem.clone().changed(|asked| asked.properties[0].id = "safety".to_owned()).expect("it fits");
    assert_eq!(evidence::hash(&renamed), evidence::hash(&problem), "what is asked does not matter");
    assert_eq!(read(&renamed, &text).err(), Some("evidence::kind"));
    let stuck = Property::never("stuck", Goal::Deadlock);
    let renamed = renamed.changed(|asked| asked.properties.push(stuck)).expect("it fits");
    assert!(self::text(&renamed, &claims[1]).contains("\"goals\":[\"safety\",\"stuck\"]"));
    assert!(evidence::write("x", &renamed.only(|_| false), &claims[0], &mut Vec::new()).is_err());
    let program = crate::evidence::examples().0;
    let program = Problem::of_program(std::sync::Arc::new(program));
    assert!(evidence::write("x", &program, &claims[1], &mut Vec::new()).is_err());
}

#[test]
fn wrong_evidence_is_refused() {
    let (net, net_claims) = net_examples();
    let (threads, thread_claims) = thread_examples();
    let change = |problem: &Problem, claim: &Claim, from: &str, to: &str| {
        let text = text(problem, claim);
        assert!(text.contains(from), "{text}");
        read(problem, &text.replacen(from, to, 1)).err().unwrap_or("")
    };
    let trace = |from, to| change(&net, &net_claims[0], from, to);
    assert_eq!(trace("{\"a\":3,", "{\"a\":2,"), "evidence::shape");
    assert_eq!(trace("{\"a\":3,", "{\"a\":-3,"), "evidence::shape");
    assert_eq!(trace("{\"a\":3,", "{\"a\":3.0,"), "evidence::shape");
    assert_eq!(trace("{\"a\":3,", "{\"a\":99999999999999999999,"), "evidence::shape");
    assert_eq!(trace("{\"a\":3,", "{"), "evidence::shape");
    assert_eq!(trace("{\"a\":3,", "{\"b\":3,"), "evidence::unknown-name");
    assert_eq!(trace("{\"a\":3,", "{\"a\":3,\"a\":3,"), "json::duplicate-key");
    assert_eq!(trace("\"r2\"", "\"r3\""), "evidence::unknown-name");
    assert_eq!(trace("\"r2\"", "2"), "json::wrong-type");
    assert_eq!(trace("\"r2\"", "{\"event\":\"r2\",\"to\":[0,0,0]}"), "evidence::shape");
    assert_eq!(trace("[\"target\"]", "[\"target\",\"target\"]"), "evidence::kind");
    assert_eq!(trace("[\"target\"]", "[\"bad\"]"), "evidence::kind");
    assert_eq!(trace("\"trace\":", "\"markable\":[],\"trace\":"), "evidence::kind");
    assert_eq!(trace("\"trace\":", "\"state_set\":"), "evidence::kind");
    let steps = |from, to| change(&threads, &thread_claims[0], from, to);
    assert_eq!(steps("\"event\":1", "\"event\":2"), "evidence::unknown-name");
    assert_eq!(steps("\"event\":1", "\"event\":\"1\""), "evidence::shape");
    assert_eq!(steps("[1,7,0]", "[2,7,0]"), "evidence::shape");
    assert_eq!(steps("[1,7,0]", "[1,7]"), "evidence::shape");
    let potentially_marked = |from, to| change(&net, &net_claims[1], from, to);
    assert_eq!(potentially_marked("[\"a\",", "[\"d\",\"a\","), "evidence::unknown-name");
    assert_eq!(potentially_marked("[\"a\",", "[\"a\",\"a\","), "evidence::shape");
    let markings = |from, to| change(&net, &net_claims[2], from, to);
    assert_eq!(markings("[7,2]", "[7]"), "evidence::shape");
    assert_eq!(markings("[7,2]", "[7,2,0]"), "evidence::shape");
    assert_eq!(markings("[7,2]", "[7,-2]"), "evidence::shape");
    assert_eq!(markings("[\"a\",[", "[\"a\",\"a\",["), "evidence::shape");
    assert_eq!(markings("[\"a\",[", "[\"a\",[\"a\"],["), "evidence::shape");
    assert_eq!(markings("\"markable\":", "\"marked\":"), "evidence::shape");
    let invariants = |from, to| change(&net, &net_claims[4], from, to);
    assert_eq!(invariants("[\"a\",\"c\"]", "[\"c\",\"a\"]"), "evidence::shape");
    assert_eq!(invariants("[\"a\",\"c\"]", "[\"a\",\"d\"]"), "evidence::unknown-name");
    assert_eq!(invariants("{\"markable\":[0,1]}", "{\"markable\":[0,2]}"), "evidence::shape");
    assert_eq!(invariants("{\"markable\":[0,1]}", "{\"markable\":[1,0]}"), "evidence::shape");
    assert_eq!(invariants("{\"markable\":[0,1]}", "{\"marked\":[0,1]}"), "evidence::shape");
    assert_eq!(invariants("\"rows\":[[],[0,1]]", "\"rows\":[[],[0,2]]"), "evidence::shape");
    assert_eq!(invariants("\"rows\":[[],[0,1]]", "\"rows\":[[]]"), "evidence::shape");
    assert_eq!(invariants("[[1,\"1267650600228229401496703205376\"]]", "[[1,\"-5\"]]"), "evidence::shape");
    assert_eq!(invariants("[[1,\"1267650600228229401496703205376\"]]", "[[1,\"x\"]]"), "evidence::shape");
    assert_eq!(invariants("[[1,\"1267650600228229401496703205376\"]]", "[[1,1.5]]"), "evidence::shape");
    assert_eq!(invariants("\"goal\":\"target\"", "\"goal\":\"targets\""), "evidence::kind");
    assert_eq!(invariants("\"why\":\"minimal\"", "\"why\":\"maximal\""), "evidence::shape");
    assert_eq!(invariants("\"steps\":[[-1,2],[]]", "\"steps\":[[4294967296]]"), "evidence::shape");
}

proptest! {
    #![proptest_config(generate::config(100))]

    #[test]
    fn hashes_tell_nets_apart(a in plain_net(), b in plain_net()) {
        let same = a == b;
        prop_assert_eq!(evidence::hash(&problem(a)) == evidence::hash(&problem(b)), same);
    }
}
