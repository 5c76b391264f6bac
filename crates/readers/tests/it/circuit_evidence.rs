//! Tests of evidence about circuits, and of clauses about programs: it is read back as it was written, and
//! refused for another system.

use crate::aiger::any_circuit;
use crate::{generate, read_as};
use evidence::witness;
use impasse_readers::{Limits, Source};
use model::{
    Bit, Certificate, Circuit, Claim, Clausal, Clauses, Derivation, EventId, Followed, Goal, Induction, JusticeId,
    JusticeProof, LatchId, LemmaKind, LocalId, OutputId, PortId, Problem, Property, Reset, Restriction, SystemModel,
    ThreadId, Trace, Tracker, TrackingProof, Translation, Unreachable,
};
use proptest::prelude::*;
use std::sync::Arc;

fn text(problem: &Problem, claim: &Claim) -> String {
    let mut bytes = Vec::new();
    evidence::write("model", problem, claim, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn read(problem: &Problem, text: &str) -> Result<Claim, &'static str> {
    let source = Source { name: "t.json".to_owned(), bytes: text.as_bytes().to_vec() };
    evidence::read(&source, problem, &Limits::default()).map_err(|e| e.code())
}

fn derivation() -> Derivation {
    Derivation { steps: vec![(vec![3, -700], vec![1, u64::MAX]), (Vec::new(), vec![5, 2])] }
}

fn clauses(bits: [Bit; 2], goals: &[Goal]) -> Clauses {
    Clauses {
        invariant: Clausal {
            bits: bits.to_vec(),
            clauses: vec![vec![-1, 2], vec![-2], Vec::new()],
            initial: Some(derivation()),
            step: None,
        },
        induction: None,
        exclusions: goals.iter().enumerate().map(|(i, goal)| (*goal, (i == 0).then(derivation))).collect(),
    }
}

fn safe(clauses: Clauses) -> Claim {
    let goals = clauses.exclusions.iter().map(|(goal, _)| *goal).collect();
    Claim::Safe { goals, certificate: Certificate::Clauses(Box::new(clauses)) }
}

/// Returns a circuit, and claims about it with a trace and with clauses.
pub(crate) fn examples() -> (Problem, Vec<Claim>) {
    let file = "aag 4 1 3 0 0 2\n2\n4 2\n6 4 6\n8 6 8\n6\n8\nb1 second\n";
    let problem = read_as("t.aag", file).unwrap().problem;
    let (first, second) = (Goal::Output(OutputId(0)), Goal::Output(OutputId(1)));
    let mut trace = Trace::new(Box::from([2]));
    trace.push(EventId(0), Some(Box::from([1])));
    trace.push(EventId(0), Some(Box::from([0])));
    let trace = Claim::Unsafe { goal: second, trace, candidate: false };
    let bits = [Bit::Latch(LatchId(2)), Bit::Latch(LatchId(0))];
    let plain = clauses(bits, &[second, first]);
    let induction = |first| Some(Induction { frames: 3, first });
    let proven = Clauses { induction: induction(Some(derivation())), ..plain.clone() };
    let unproven = Clauses { induction: induction(None), ..plain.clone() };
    (problem, vec![trace, safe(plain), safe(proven), safe(unproven)])
}

fn program() -> (Problem, Vec<Claim>) {
    let file = "rwb 1 event a thread T { state s { request a } } thread U[1] { state x { } state y { } }";
    let problem = read_as("t.rwb", file).unwrap().problem;
    let bits = [Bit::In(ThreadId(1), LocalId(1)), Bit::In(ThreadId(0), LocalId(0))];
    let plain = clauses(bits, &[Goal::Deadlock, Goal::Bad]);
    let excluded = vec![(ThreadId(1), LocalId(1))];
    let restriction = Restriction { kind: LemmaKind("cartesian.closure"), excluded, why: Unreachable::Cartesian };
    let inner = Box::new(Certificate::Clauses(Box::new(plain.clone())));
    let certificate = Certificate::Restricted(vec![restriction], inner);
    let restricted = Claim::Safe { goals: vec![Goal::Deadlock], certificate };
    (problem, vec![safe(plain), restricted])
}

fn inner(certificate: &Certificate) -> &Clauses {
    match certificate {
        Certificate::Clauses(clauses) => clauses,
        Certificate::Restricted(_, certificate) => inner(certificate),
        _ => panic!("no clauses"),
    }
}

#[test]
fn claims_come_back() {
    for (problem, claims) in [examples(), program()] {
        for claim in claims {
            let text = text(&problem, &claim);
            let back = read(&problem, &text).unwrap_or_else(|code| panic!("{code} in {text}"));
            assert_eq!(self::text(&problem, &back), text);
            match (&claim, &back) {
                (Claim::Unsafe { goal, trace, .. }, Claim::Unsafe { goal: g, trace: t, candidate: true }) => {
                    assert_eq!((goal, trace), (g, t));
                }
                (Claim::Safe { goals, certificate: a }, Claim::Safe { goals: g, certificate: b }) => {
                    assert_eq!((goals, inner(a)), (g, inner(b)));
                }
                _ => panic!("another kind of claim"),
            }
        }
    }
}

/// Evidence about a justice property: a run that repeats, and clauses of translated circuits. Any latch and any node of
/// these may be named.
#[test]
fn evidence_about_justice_comes_back() {
    let file = "aag 2 1 1 0 0 0 0 2 1\n2\n4 2\n1\n1\n4\n5\n2\nj1 again\n";
    let problem = read_as("t.aag", file).unwrap().problem;
    let goal = Goal::Justice(JusticeId(1));
    let mut trace = Trace::new(Box::from([]));
    [0, 1, 1].into_iter().for_each(|input: u32| trace.push(EventId(0), Some(Box::from([input]))));
    trace.repeats_from = Some(1);
    let claim = Claim::Unsafe { goal, trace: trace.clone(), candidate: false };
    let written = text(&problem, &claim);
    assert!(written.contains("\"repeats_from\":1"), "{written}");
    assert!(matches!(read(&problem, &written), Ok(Claim::Unsafe { trace: t, .. }) if t == trace), "{written}");
    for (translation, name) in [(Translation::Loop, "\"loop\""), (Translation::Count(3), "{\"count\":3}")] {
        let bits = [Bit::Latch(LatchId(9)), Bit::Node(model::Signal::new(40, false))];
        let proof = JusticeProof { translation, clauses: clauses(bits, &[goal]) };
        let certificate = Certificate::Justice(Box::new(proof.clone()));
        let written = text(&problem, &Claim::Safe { goals: vec![goal], certificate });
        assert!(written.contains(&format!("\"justice\":{{\"translation\":{name},")), "{written}");
        let back = read(&problem, &written).unwrap();
        assert_eq!(text(&problem, &back), written);
        let Claim::Safe { goals, certificate: Certificate::Justice(other) } = back else { panic!("{back:?}") };
        assert_eq!((goals, &*other), (vec![goal], &proof));
        for (good, wrong) in [(name, "\"forever\""), ("40", "1073741824"), ("40", "-1"), ("\"excluded\"", "\"goals\"")]
        {
            let damaged = written.replacen(good, wrong, 1);
            assert_eq!(read(&problem, &damaged).err(), Some("evidence::shape"), "{wrong}");
        }
    }
}

/// Evidence about a circuit with a memory: clauses of a circuit that follows a word, with a gate that is added.
#[test]
fn evidence_about_memories_comes_back() {
    let file =
        "1 sort bitvec 1\n2 sort bitvec 32\n3 sort array 2 1\n4 input 2 at\n5 state 3 mem\n6 read 1 5 4\n7 bad 6\n";
    let problem = read_as("t.btor2", file).unwrap().problem;
    let goal = Goal::Output(OutputId(0));
    let bits = [Bit::Latch(LatchId(9)), Bit::Node(model::Signal::new(40, false))];
    let trackers = vec![Tracker { port: PortId(0), delay: 3 }];
    let gates = vec![(model::Signal::new(7, true), model::Signal::new(50, false))];
    let proof = TrackingProof { followed: Followed::Some(trackers), gates, clauses: clauses(bits, &[goal]) };
    let certificate = Certificate::Tracking(Box::new(proof.clone()));
    let written = text(&problem, &Claim::Safe { goals: vec![goal], certificate });
    assert!(written.contains("\"tracking\":{\"trackers\":[[0,3]],\n\"gates\":[[15,100]],"), "{written}");
    let back = read(&problem, &written).unwrap();
    assert_eq!(text(&problem, &back), written);
    let Claim::Safe { goals, certificate: Certificate::Tracking(other) } = back else { panic!("{back:?}") };
    assert_eq!((goals, &*other), (vec![goal], &proof));
    for (good, wrong) in [("[0,3]", "[0]"), ("[0,3]", "[0,-3]"), ("[15,100]", "[15,\"x\"]"), ("\"gates\"", "\"nodes\"")]
    {
        let damaged = written.replacen(good, wrong, 1);
        assert_eq!(read(&problem, &damaged).err(), Some("evidence::shape"), "{wrong}");
    }
    let all = written.replacen("[[0,3]]", "\"all\"", 1);
    let Claim::Safe { certificate: Certificate::Tracking(of_all), .. } = read(&problem, &all).unwrap() else {
        panic!()
    };
    assert_eq!(*of_all, TrackingProof { followed: Followed::All, ..proof });
    assert_eq!(text(&problem, &read(&problem, &all).unwrap()), all);
    assert_eq!(read(&problem, &written.replacen("[[0,3]]", "\"most\"", 1)).err(), Some("evidence::shape"));
    // The contents of the memory are part of the model.
    let other = read_as("t.btor2", &file.replace("6 read", "9 next 3 5 5\n6 read")).unwrap().problem;
    assert_eq!(read(&other, &written).err(), Some("evidence::other-model"));
}

/// Node 1 is the input, and the nodes 2 to 4 are the latches.
#[test]
fn clauses_of_circuits_speak_of_gates_and_inputs() {
    let (circuit, _) = examples();
    let input = Bit::Node(model::Signal::new(1, false));
    let claim = safe(clauses([Bit::Latch(LatchId(2)), input], &[Goal::Output(OutputId(1))]));
    let written = text(&circuit, &claim);
    assert!(written.contains("\"bits\":[2,{\"node\":1}]"), "{written}");
    assert_eq!(text(&circuit, &read(&circuit, &written).expect("it comes back")), written);
    for wrong in ["2", "5", "-1", "4294967296", "\"1\"", "1,\"latch\":2"] {
        let damaged = written.replacen("{\"node\":1}", &format!("{{\"node\":{wrong}}}"), 1);
        assert_eq!(read(&circuit, &damaged).err(), Some("evidence::shape"), "{wrong}");
    }
    for wrong in [model::Signal::new(2, false), model::Signal::new(1, true), model::Signal::new(5, false)] {
        let claim = safe(clauses([Bit::Latch(LatchId(0)), Bit::Node(wrong)], &[Goal::Output(OutputId(1))]));
        assert!(evidence::write("x", &circuit, &claim, &mut Vec::new()).is_err(), "{wrong:?}");
    }
}

#[test]
fn circuits_and_programs_are_named_as_people_know_them() {
    let (circuit, claims) = examples();
    let trace = text(&circuit, &claims[0]);
    assert!(trace.contains("\"start\":[2]") && trace.contains("{\"event\":\"frame\",\"to\":[1]}"), "{trace}");
    let proof = text(&circuit, &claims[1]);
    assert!(proof.contains("\"bits\":[2,0]") && proof.contains("\"goal\":\"second\""), "{proof}");
    let (program, claims) = program();
    let proof = text(&program, &claims[0]);
    assert!(proof.contains("\"bits\":[[\"U[1]\",\"y\"],[\"T\",\"s\"]]"), "{proof}");
}

#[test]
fn wrong_evidence_is_refused() {
    let (circuit, circuit_claims) = examples();
    let (program, program_claims) = program();
    let change = |problem: &Problem, claim: &Claim, from: &str, to: &str| {
        let text = text(problem, claim);
        assert!(text.contains(from), "{text}");
        read(problem, &text.replacen(from, to, 1)).err().unwrap_or("")
    };
    let trace = |from, to| change(&circuit, &circuit_claims[0], from, to);
    assert_eq!(trace("\"start\":[2]", "\"start\":[]"), "evidence::shape");
    assert_eq!(trace("\"start\":[2]", "\"start\":{}"), "evidence::shape");
    assert_eq!(trace("\"start\":[2]", "\"start\":[4294967296]"), "evidence::shape");
    assert_eq!(trace("\"to\":[1]", "\"to\":[1,0]"), "evidence::shape");
    assert_eq!(trace("\"frame\"", "\"framed\""), "evidence::kind");
    assert_eq!(trace("[\"second\"]", "[\"first\"]"), "evidence::kind");
    assert_eq!(trace("\"trace\"", "\"state_set\""), "evidence::kind");
    let proof = |from, to| change(&circuit, &circuit_claims[1], from, to);
    assert_eq!(proof("\"bits\":[2,0]", "\"bits\":[3,0]"), "evidence::shape");
    assert_eq!(proof("\"bits\":[2,0]", "\"bits\":[2]"), "evidence::shape");
    assert_eq!(proof("\"bits\":[2,0]", "\"bits\":[[\"T\",\"s\"],0]"), "evidence::shape");
    assert_eq!(proof("[[-1,2],", "[[-1,0],"), "evidence::shape");
    assert_eq!(proof("[[-1,2],", "[[-1,3],"), "evidence::shape");
    assert_eq!(proof("[[-1,2],", "[[-1,-2147483648],"), "evidence::shape");
    assert_eq!(proof("\"goal\":\"second\"", "\"goal\":\"third\""), "evidence::kind");
    assert_eq!(proof("\"why\":null", "\"why\":[[1,2]]"), "evidence::shape");
    assert_eq!(proof("\"why\":null", "\"because\":null"), "evidence::shape");
    assert_eq!(proof("\"clauses\":{\"inv", "\"restrictions\":[],\"clauses\":{\"inv"), "evidence::kind");
    let states = |from, to| change(&program, &program_claims[0], from, to);
    assert_eq!(states("[\"T\",\"s\"]", "[\"T\",\"x\"]"), "evidence::shape");
    assert_eq!(states("[\"T\",\"s\"]", "[\"V\",\"s\"]"), "evidence::shape");
    assert_eq!(states("[\"T\",\"s\"]", "0"), "evidence::shape");
    let net = read_as("t.spec", "vars x rules init x = 0 target x >= 1").unwrap().problem;
    let foreign = text(&circuit, &circuit_claims[1]).replace(&evidence::hash(&circuit), &evidence::hash(&net));
    assert_eq!(read(&net, &foreign.replace("second", "target")).err(), Some("evidence::kind"));
    assert!(evidence::write("x", &net, &circuit_claims[1], &mut Vec::new()).is_err());
    assert!(evidence::write("x", &program, &circuit_claims[1], &mut Vec::new()).is_err());
    assert!(evidence::write("x", &circuit, &program_claims[0], &mut Vec::new()).is_err());
}

/// Returns a problem with all outputs of a circuit as goals. There is at least one.
fn problem(mut circuit: Circuit) -> Problem {
    if circuit.outputs().is_empty() {
        circuit.output(model::Signal::FALSE, None);
    }
    let ask = |i| Property::never(format!("b{i}"), Goal::Output(OutputId::new(i)));
    let properties = (0..circuit.outputs().len()).map(ask).collect();
    let system = SystemModel::Circuit(Arc::new(circuit));
    Problem::of(system).asking(properties).expect("it fits")
}

proptest! {
    #![proptest_config(generate::config(200))]

    #[test]
    fn random_runs_of_circuits_come_back(
        circuit in any_circuit(),
        bits in prop::collection::vec(any::<u32>(), 0..20),
    ) {
        let open = circuit.latches().iter().filter(|l| l.reset == Reset::Open).count().div_ceil(32);
        let inputs = circuit.inputs().len().div_ceil(32);
        let problem = problem(circuit);
        let mut trace = Trace::new(vec![7; open].into());
        for word in bits {
            trace.push(EventId(0), Some(vec![word; inputs].into()));
        }
        let claim = Claim::Unsafe { goal: Goal::Output(OutputId(0)), trace: trace.clone(), candidate: true };
        match read(&problem, &text(&problem, &claim)) {
            Ok(Claim::Unsafe { trace: back, .. }) => prop_assert_eq!(back, trace),
            other => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn random_clauses_come_back(
        circuit in any_circuit(),
        picks in prop::collection::vec(prop::collection::vec((any::<u32>(), any::<bool>()), 0..5), 0..6),
        steps in prop::option::of(prop::collection::vec(
            (prop::collection::vec(1i32..9, 0..4), prop::collection::vec(1u64..99, 0..4)),
            0..4,
        )),
    ) {
        let latches = circuit.latches().len();
        let problem = problem(circuit);
        let literal = |(pick, negated): (u32, bool)| {
            let variable = i32::try_from(pick as usize % latches.max(1)).unwrap() + 1;
            if negated { -variable } else { variable }
        };
        let clauses: Vec<Vec<i32>> = picks.into_iter().map(|c| c.into_iter().map(literal).collect()).collect();
        let proof = steps.map(|steps| Derivation { steps });
        let bits = (0..latches.max(1)).map(|i| Bit::Latch(LatchId::new(i))).collect();
        let invariant = Clausal { bits, clauses, initial: proof.clone(), step: proof.clone() };
        prop_assume!(latches > 0);
        let clauses = Clauses { invariant, induction: None, exclusions: vec![(Goal::Output(OutputId(0)), proof)] };
        let back = read(&problem, &text(&problem, &safe(clauses.clone()))).unwrap();
        let Claim::Safe { certificate, .. } = back else { panic!("no proof") };
        prop_assert_eq!(inner(&certificate), &clauses);
    }
}

#[test]
fn runs_are_written_as_witnesses() {
    let (problem, claims) = examples();
    let Claim::Unsafe { goal, trace, .. } = &claims[0] else { panic!("no run") };
    let mut out = Vec::new();
    assert!(!witness::run(&problem, Goal::Deadlock, trace, &mut out).unwrap());
    assert!(witness::run(&problem, *goal, trace, &mut out).unwrap());
    assert_eq!(String::from_utf8(out).unwrap(), "1\nb1\n001\n1\n0\n.\n");
    let mut long = trace.clone();
    long.push_repeat(vec![EventId(0)], u64::MAX);
    assert!(!witness::run(&problem, *goal, &long, &mut Vec::new()).unwrap());
    let foreign = Trace::new(Box::from([]));
    assert!(!witness::run(&problem, *goal, &foreign, &mut Vec::new()).unwrap());
}

#[test]
fn clauses_are_written_as_circuits() {
    let (problem, claims) = examples();
    let Claim::Safe { certificate, .. } = &claims[1] else { panic!("no proof") };
    let mut out = Vec::new();
    assert!(witness::circuit(&problem, Goal::Output(OutputId(0)), certificate, &mut out).unwrap());
    // The property is `not l1`, the clauses are `not l2 or l0`, `not l0`, and the empty one, which is never true.
    let expected = "aag 8 1 3 0 4 1\n2\n4 2\n6 4 6\n8 6 8\n17\n10 8 5\n12 11 7\n14 5 0\n16 14 12\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}
