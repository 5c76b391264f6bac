//! Tests of AIGER files: their meaning, what is refused, and that written files are read back unchanged.

use crate::generate;
use impasse_readers::{Error, Limits, Read, Source, by_name, read};
use model::{Circuit, Gate, Goal, JusticeId, LatchId, OutputId, Problem, Property, Reset, Signal, SystemModel};
use proptest::prelude::*;
use std::sync::Arc;

fn read_bytes(name: &str, bytes: &[u8]) -> Result<Read, Box<Error>> {
    let source = Source { name: name.to_owned(), bytes: bytes.to_vec() };
    read(source, None, &Limits::default())
}

fn ok(text: &str) -> Read {
    read_bytes("t.aag", text.as_bytes()).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column()))
}

pub(crate) fn circuit(problem: &Problem) -> &Circuit {
    let SystemModel::Circuit(circuit) = problem.system() else { panic!("no circuit") };
    circuit
}

fn refusal(bytes: &[u8]) -> (&'static str, usize) {
    let error = read_bytes("t.aag", bytes).expect_err(&String::from_utf8_lossy(bytes));
    (error.code(), error.line_column().map_or(0, |(line, _)| line))
}

fn problem(circuit: &Circuit) -> Problem {
    Problem::of(Arc::new(circuit.clone()))
}

fn written(format: &str, circuit: &Circuit) -> Vec<u8> {
    let mut bytes = Vec::new();
    by_name(format).unwrap().write.unwrap()(&problem(circuit), &mut bytes).unwrap();
    bytes
}

fn node(number: usize) -> Signal {
    Signal::new(number, false)
}

#[test]
fn text_in_any_order_is_a_circuit() {
    let text = "aag 9 2 2 0 3 1 1\n18\n4\n6 12 1\n8 9 8\r\n15\n1\n14 13 6\n10 4 18\n12 11 8\n\
                i1 request\nl0 turn [0]\nb0 both\nc0 fair\nc\nanything \u{7}\n";
    let Read { problem, warnings } = ok(text);
    assert!(warnings.is_empty());
    let mut expected = Circuit::default();
    let (a, b) = (expected.input(None), expected.input(Some("request".to_owned())));
    let turn = expected.latch(Reset::One, Some("turn [0]".to_owned()));
    let open = expected.latch(Reset::Open, None);
    let ten = expected.and(a, b);
    let twelve = expected.and(node(4), !ten);
    let fourteen = expected.and(node(3), !twelve);
    expected.set_next(turn, twelve);
    expected.set_next(open, !node(4));
    expected.output(!fourteen, Some("both".to_owned()));
    expected.constrain(Signal::TRUE);
    assert_eq!(circuit(&problem), &expected);
    assert_eq!(problem.properties(), [Property::never("both", Goal::Output(OutputId(0)))]);
}

#[test]
fn outputs_are_asked_where_nothing_is_bad() {
    let ids = |text: &str| ok(text).problem.properties().iter().map(|p| p.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids("aag 1 1 0 2 0\n2\n3\n2\n"), ["o0", "o1"]);
    assert_eq!(ids("aag 1 1 0 1 0 2\n2\n1\n3\n2\n"), ["b0", "b1"]);
    let both = ok("aag 1 1 0 1 0 1\n2\n1\n3\n").problem;
    assert_eq!(circuit(&both).outputs()[0].signal, !node(1), "the output itself is not asked");
    // A name is the id of a property if it is one word, unique, and not the number of another property.
    assert_eq!(
        ids("aag 1 1 0 0 0 4\n2\n3\n2\n2\n2\nb0 b1\nb1 x\nb2 x\nb3 mutex\no\u{301}\n"
            .replace("\no\u{301}", "")
            .as_str()),
        ["b0", "b1", "b2", "mutex"]
    );
    assert_eq!(ids("aag 1 1 0 0 0 2\n2\n3\n2\nb0 two words\nb1 \u{e4}\n"), ["b0", "b1"]);
}

#[test]
fn justice_and_fairness_are_read() {
    let text = "aag 2 2 0 1 0 1 1 3 1\n2\n4\n2\n4\n3\n1\n2\n0\n4\n2\n3\n4\nj0 again\nj1 j7\nf0 fair\n";
    let read = ok(text);
    assert!(read.warnings.is_empty());
    let properties: Vec<_> = read.problem.properties().iter().map(|p| (p.id.as_str(), p.goal)).collect();
    let justice = |number| Goal::Justice(JusticeId(number));
    let expected = [("b0", Goal::Output(OutputId(0))), ("again", justice(0)), ("j1", justice(1)), ("j2", justice(2))];
    assert_eq!(properties, expected, "outputs are no properties beside bad states");
    let SystemModel::Circuit(circuit) = read.problem.system() else { panic!("no circuit") };
    let [a, b] = [0, 1].map(|input: usize| circuit.inputs()[input].signal);
    let signals: Vec<&[Signal]> = circuit.justices().iter().map(|justice| justice.signals.as_slice()).collect();
    assert_eq!(signals, [&[b][..], &[a, !a], &[]]);
    assert_eq!((circuit.fairness(), circuit.recurring(JusticeId(0))), (&[b][..], vec![b, b]));
    let back = ok(std::str::from_utf8(&written("aag", circuit)).unwrap());
    assert_eq!(back.problem.properties(), read.problem.properties());
    assert_eq!(back.problem.system().as_circuit(), read.problem.system().as_circuit());
}

/// Without bad states, outputs are no properties if there are justice properties: such a file is not in the old format.
#[test]
fn outputs_beside_justice_are_no_properties() {
    let read = ok("aag 1 1 0 1 0 0 0 1\n2\n2\n1\n3\n");
    assert_eq!(read.problem.properties(), [Property::never("j0", Goal::Justice(JusticeId(0)))]);
}

#[test]
fn a_name_that_two_properties_have_is_no_id() {
    let read = ok("aag 1 1 0 0 0 1 0 1\n2\n2\n1\n3\nb0 same\nj0 same\n");
    assert_eq!(read.problem.properties().iter().map(|p| p.id.as_str()).collect::<Vec<_>>(), ["b0", "j0"]);
}

#[test]
fn fairness_alone_is_passed_over_with_a_warning() {
    let read = ok("aag 1 1 0 0 0 1 0 0 2\n2\n2\n2\n3\n");
    let warnings: Vec<_> = read.warnings.iter().map(|w| (w.code(), w.line_column().unwrap().0)).collect();
    assert_eq!(warnings, [("aiger::liveness", 4)]);
    assert_eq!(read.problem.properties().len(), 1);
    assert_eq!(ok("aag 0 0 0 0 0\n").warnings[0].code(), "aiger::no-property");
}

#[test]
fn errors_have_codes_and_lines() {
    let cases = [
        ("", "input::empty", 1),
        ("\n", "aiger::header", 1),
        ("p cnf 1 1\n", "aiger::header", 1),
        ("aag\n", "aiger::header", 1),
        ("aag 1 1 0 0\n2\n", "aiger::header", 1),
        ("aag 1 1 0 0 0 0 0 0 0 0\n2\n", "aiger::header", 1),
        ("aag 1 1 0 0 x\n2\n", "aiger::header", 1),
        ("aag 1  1 0 0 0\n2\n", "aiger::header", 1),
        ("aag 1 1 0 0 -1\n2\n", "aiger::header", 1),
        ("aag 1 1 0 0 1\n2\n", "aiger::header", 1),
        ("aig 2 1 0 0 0\n", "aiger::header", 1),
        ("aag 1 4294967295 4294967295 4294967295 4294967295\n", "limit::ports", 1),
        ("aag 4294967295 0 0 0 0\n", "limit::nodes", 1),
        ("aag 99999999999999999999 0 0 0 0\n", "limit::nodes", 1),
        ("aag 1 1 0 0 0\n", "aiger::unfinished", 2),
        ("aag 1 1 0 0 0\n4\n", "aiger::literal", 2),
        ("aag 1 1 0 0 0\n3\n", "aiger::literal", 2),
        ("aag 1 1 0 0 0\n0\n", "aiger::literal", 2),
        ("aag 1 1 0 0 0\n99999999999\n", "aiger::literal", 2),
        ("aag 1 1 0 0 0\n2 2\n", "aiger::syntax", 2),
        ("aag 1 1 0 0 0\n 2\n", "aiger::syntax", 2),
        ("aag 1 1 0 0 0\n2 \n", "aiger::syntax", 2),
        ("aag 1 1 0 0 0\n\n", "aiger::syntax", 2),
        ("aag 2 2 0 0 0\n2\n2\n", "aiger::defined-twice", 3),
        ("aag 2 1 1 0 0\n2\n2 2\n", "aiger::defined-twice", 3),
        ("aag 2 0 1 0 1\n2 2\n2 1 1\n", "aiger::defined-twice", 3),
        ("aag 1 0 1 0 0\n2\n", "aiger::syntax", 2),
        ("aag 1 0 1 0 0\n2 4\n", "aiger::literal", 2),
        ("aag 2 0 1 0 0\n2 4\n", "aiger::undefined", 2),
        ("aag 1 0 1 0 0\n2 2 3\n", "aiger::reset", 2),
        ("aag 1 0 1 0 0\n2 2 4294967295\n", "aiger::reset", 2),
        ("aag 2 0 0 1 0\n5\n", "aiger::undefined", 2),
        ("aag 2 0 0 1 0 1\n5\n1\n", "aiger::undefined", 2),
        ("aag 2 0 0 0 0 0 1\n5\n", "aiger::undefined", 2),
        ("aag 2 0 0 0 2\n2 4 1\n4 3 1\n", "aiger::cycle", 3),
        ("aag 1 0 0 0 1\n2 2 1\n", "aiger::cycle", 2),
        ("aag 2 0 0 0 1\n2 4 1\n", "aiger::undefined", 2),
        ("aag 1 0 0 0 1\n3 0 1\n", "aiger::literal", 2),
        ("aag 1 1 0 0 0\n2\nx\n", "aiger::symbol", 3),
        ("aag 1 1 0 0 0\n2\ni1 x\n", "aiger::symbol", 3),
        ("aag 1 1 0 0 0\n2\ni0 x\ni0 x\n", "aiger::symbol", 4),
        ("aag 1 1 0 0 0\n2\ni99999999999999999999999 x\n", "aiger::symbol", 3),
        ("aag 1 1 0 0 0\n2\n\n", "aiger::symbol", 3),
        ("aag 0 0 0 0 0 0 0 2 0\n4294967295\n4294967295\n", "limit::ports", 2),
        ("aag 0 0 0 0 0 0 0 1 0\n2\n1\n", "aiger::unfinished", 4),
    ];
    for (text, code, line) in cases {
        assert_eq!(refusal(text.as_bytes()), (code, line), "{text}");
    }
    assert_eq!(refusal(b"aag 1 1 0 0 0\n2\ni0 \xff\n"), ("input::not-utf8", 3));
    let long = format!("aag 1 1 0 0 0\n2\ni0 {}\n", "x".repeat(2000));
    assert_eq!(refusal(long.as_bytes()), ("limit::name", 3));
    let binary: [(&[u8], &str); 5] = [
        (b"aig 1 0 0 0 1\n", "aiger::unfinished"),
        (b"aig 1 0 0 0 1\n\x01", "aiger::unfinished"),
        (b"aig 1 0 0 0 1\n\x00\x00", "aiger::delta"),
        (b"aig 1 0 0 0 1\n\x03\x00", "aiger::delta"),
        (b"aig 1 0 0 0 1\n\xff\xff\xff\xff\xff\xff", "aiger::delta"),
    ];
    for (bytes, code) in binary {
        let error = read_bytes("t.aig", bytes).expect_err(code);
        assert_eq!(error.code(), code);
        assert!(error.to_string().contains("byte "), "{error}");
    }
}

#[test]
fn long_chains_in_any_order_are_read_without_recursion() {
    let count = 100_000;
    let mut text = format!("aag {} 1 0 1 {count}\n2\n{}\n", count + 1, 2 * (count + 1));
    for gate in (2..=count + 1).rev() {
        text.push_str(&format!("{} {} {}\n", 2 * gate, 2 * gate - 2, 2 * gate - 1));
    }
    assert_eq!(circuit(&ok(&text).problem).ands(), count);
    let ring = text.replace("\n4 2 3\n", &format!("\n4 2 {}\n", 2 * count));
    assert_eq!(refusal(ring.as_bytes()).0, "aiger::cycle");
}

#[test]
fn the_first_word_tells_the_form() {
    let mut small = Circuit::default();
    let input = small.input(None);
    let gate = small.and(input, input);
    small.output(gate, None);
    for (name, format) in [("x.aag", "aig"), ("x.aig", "aag")] {
        let read = read_bytes(name, &written(format, &small)).unwrap();
        assert_eq!(circuit(&read.problem), &small);
    }
    assert_eq!(written("aig", &small), b"aig 2 1 0 0 1 1\n4\n\x02\x00");
}

#[test]
fn what_is_no_whole_circuit_is_not_written() {
    let mut open = Circuit::default();
    open.latch(Reset::Zero, None);
    for format in ["aag", "aig"] {
        let error = by_name(format).unwrap().write.unwrap()(&problem(&open), &mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("without next"), "{error}");
    }
    let mut named = Circuit::default();
    named.input(Some("two\nlines".to_owned()));
    assert_eq!(written("aag", &named), b"aag 1 1 0 0 0 0\n2\n", "such a name is left out");
}

/// Generates circuits with inputs, latches and gates in any order, with any names.
pub(crate) fn any_circuit() -> impl Strategy<Value = Circuit> {
    let kind = (0..6u8, any::<[u32; 2]>(), proptest::option::of("[ -~]{0,6}"));
    let ends = (proptest::collection::vec(any::<u32>(), 12), 0..3usize, 0..2usize, 0..3usize);
    (proptest::collection::vec(kind, 0..24), ends).prop_map(|(nodes, (picks, outputs, constraints, justices))| {
        let mut circuit = Circuit::default();
        let signal =
            |circuit: &Circuit, pick: u32| Signal::new(pick as usize / 2 % circuit.gates().len(), pick % 2 == 1);
        for (kind, [a, b], name) in nodes {
            match kind {
                0 => {
                    circuit.input(name);
                }
                1 => {
                    circuit.latch([Reset::Zero, Reset::One, Reset::Open][a as usize % 3], name);
                }
                _ => {
                    let (a, b) = (signal(&circuit, a), signal(&circuit, b));
                    circuit.and(a.min(b), a.max(b));
                }
            }
        }
        let mut picks = picks.into_iter().cycle();
        let mut any = |circuit: &Circuit| signal(circuit, picks.next().unwrap_or(0));
        for latch in 0..circuit.latches().len() {
            let next = any(&circuit);
            circuit.set_next(LatchId::new(latch), next);
        }
        for number in 0..outputs {
            let bad = any(&circuit);
            circuit.output(bad, (number == 0).then(|| "first".to_owned()));
        }
        for _ in 0..constraints {
            let constraint = any(&circuit);
            circuit.constrain(constraint);
        }
        for number in 0..justices {
            let signals = (0..number + constraints).map(|_| any(&circuit)).collect();
            circuit.justice(signals, (number == 1).then(|| "again".to_owned()));
            let fair = any(&circuit);
            circuit.add_fairness(fair);
        }
        circuit
    })
}

/// Returns the same circuit with inputs first, then latches, then gates.
fn in_order(circuit: &Circuit) -> Circuit {
    let mut order: Vec<usize> = (1..circuit.gates().len()).collect();
    order.sort_by_key(|node| match circuit.gates()[*node] {
        Gate::Input(_) => 0,
        Gate::Latch(_) => 1,
        _ => 2,
    });
    let mut now = vec![0; circuit.gates().len()];
    order.iter().enumerate().for_each(|(i, node)| now[*node] = i + 1);
    let moved = |s: Signal| Signal::new(now[s.node()], s.is_negated());
    let mut sorted = Circuit::default();
    for &node in &order {
        match circuit.gates()[node] {
            Gate::Input(i) => {
                sorted.input(circuit.inputs()[i as usize].name.clone());
            }
            Gate::Latch(id) => {
                let latch = &circuit.latches()[id.index()];
                sorted.latch(latch.reset, latch.name.clone());
            }
            Gate::And(a, b) => {
                let (a, b) = (moved(a), moved(b));
                sorted.and(a.min(b), a.max(b));
            }
            Gate::False => unreachable!("node 0 only"),
        }
    }
    for (i, latch) in circuit.latches().iter().enumerate() {
        sorted.set_next(LatchId::new(i), moved(latch.next.unwrap()));
    }
    circuit.outputs().iter().for_each(|o| {
        sorted.output(moved(o.signal), o.name.clone());
    });
    circuit.constraints().iter().for_each(|s| sorted.constrain(moved(*s)));
    for justice in circuit.justices() {
        sorted.justice(justice.signals.iter().map(|s| moved(*s)).collect(), justice.name.clone());
    }
    circuit.fairness().iter().for_each(|s| sorted.add_fairness(moved(*s)));
    sorted
}

proptest! {
    #![proptest_config(generate::config(400))]

    #[test]
    fn random_circuits(circuit_before in any_circuit()) {
        let expected = in_order(&circuit_before);
        for format in ["aag", "aig"] {
            let bytes = written(format, &circuit_before);
            let read = read_bytes(&format!("t.{format}"), &bytes).unwrap_or_else(|e| panic!("{e} \
                {:?}", e.line_column()));
            let back = circuit(&read.problem);
            prop_assert_eq!(back, &expected);
            prop_assert_eq!(written(format, back), bytes, "equal circuits are equal files");
        }
    }

    #[test]
    fn mutated_files_are_read_or_refused(
        circuit in any_circuit(),
        binary in any::<bool>(),
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>(), 0..3u8), 1..6),
    ) {
        let mut bytes = written(if binary { "aig" } else { "aag" }, &circuit);
        for (at, byte, how) in edits {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes[at] = b"0123456789 \n"[byte as usize % 12],
                _ => bytes.truncate(at + 1),
            }
        }
        if let Ok(read) = read_bytes("t.aag", &bytes) {
            let SystemModel::Circuit(back) = read.problem.system() else { panic!("no circuit") };
            let text = String::from_utf8(written("aag", back)).unwrap();
            prop_assert_eq!(ok(&text).problem.properties().len(), back.outputs().len() + back.justices().len());
        }
    }
}
