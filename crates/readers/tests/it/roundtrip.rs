//! Tests that reading a written problem gives the same problem.

use crate::{data, generate, generate_nets, read_as, spec, tts};
use impasse_readers::{ALL, by_name};
use model::{EventSet, Goal, LocalId, LocalState, Net, PlaceId, Problem, Program, Thread};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

fn written(format: &str, program: &Program) -> String {
    let problem = Problem::of_program(Arc::new(program.clone()));
    let mut bytes = Vec::new();
    by_name(format).unwrap().write.unwrap()(&problem, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn assert_round_trip(program: &Program) {
    for format in ["rwb", "json"] {
        let text = written(format, program);
        let back = read_as(&format!("t.{format}"), &text).unwrap_or_else(|e| panic!("{e} in\n{text}"));
        assert_eq!(&**back.problem.system().as_program().expect("a program"), program, "{text}");
    }
}

fn assert_net_round_trip(format: &str, net: &Net) {
    let text = spec::written(format, &Problem::of_net(Arc::new(net.clone()))).unwrap();
    let name = format!("t.{}", by_name(format).unwrap().extensions[0]);
    let back = read_as(&name, &text).unwrap_or_else(|e| panic!("{e} in\n{text}"));
    assert!(back.warnings.is_empty(), "{text}");
    let back = spec::net(&back.problem);
    assert_eq!((back.places(), back.transitions()), (net.places(), net.transitions()), "{text}");
    let shown =
        |net: &Net| (0..net.places().len()).map(|p| net.shown_place(PlaceId::new(p)).to_owned()).collect::<Vec<_>>();
    assert_eq!(shown(back), shown(net), "{text}");
}

proptest! {
    #![proptest_config(generate::config(400))]

    #[test]
    fn random_programs(program in generate::program()) {
        assert_round_trip(&program);
        prop_assert!(written("dot", &program).starts_with("digraph"));
    }
}

proptest! {
    #![proptest_config(generate::config(400))]

    #[test]
    fn random_nets(problem in generate_nets::net()) {
        let text = spec::written("spec", &problem);
        // A goal that never holds cannot be written.
        prop_assume!(!text.as_ref().is_err_and(|e| e.contains("never holds")));
        let text = text.map_err(TestCaseError::fail)?;
        let back = read_as("t.spec", &text).unwrap_or_else(|e| panic!("{e} in\n{text}")).problem;
        prop_assert_eq!(spec::net(&back), spec::net(&problem), "{}", text);
        prop_assert_eq!(back.formulas(), problem.formulas(), "{}", text);
        prop_assert_eq!(back.properties(), problem.properties());
    }

    #[test]
    fn random_petri_nets(net in generate_nets::plain_net(false)) {
        for format in ["lola", "tina", "pnml"] {
            assert_net_round_trip(format, &net);
        }
    }

    #[test]
    fn random_nets_with_inhibitor_arcs(net in generate_nets::plain_net(true)) {
        assert_net_round_trip("tina", &net);
    }

    #[test]
    fn random_thread_systems(problem in generate_nets::threads()) {
        let text = spec::written("tts", &problem).map_err(TestCaseError::fail)?;
        let read = read_as("t.tts", &text).unwrap_or_else(|e| panic!("{e} in\n{text}"));
        prop_assert_eq!(tts::threads(&read.problem), tts::threads(&problem), "{}", text);
        prop_assert_eq!(read.problem.formulas(), problem.formulas(), "{}", text);
        prop_assert!(read.warnings.iter().all(|w| w.code() == "tts::transfer"));
    }
}

#[test]
fn example_files() {
    for path in data("rwb") {
        let text = std::fs::read_to_string(&path).unwrap();
        assert_round_trip(read_as("t.rwb", &text).unwrap().problem.system().as_program().expect("a program"));
    }
}

#[test]
fn names_that_text_cannot_carry_are_replaced() {
    let state = |name: &str| LocalState {
        name: name.to_owned(),
        request: EventSet::full(3),
        block: EventSet::empty(3),
        bad: false,
        on: BTreeMap::new(),
    };
    let thread = |name: &str| Thread {
        name: name.to_owned(),
        states: vec![state("a b"), state("a_b"), state("end")],
        initial: vec![LocalId::new(2)],
    };
    let events = ["e[1]", "on", ""].map(str::to_owned).to_vec();
    let program = Program::new(events, vec![thread("x"), thread("\u{1b}")], vec![Goal::Bad]).unwrap();
    let text = written("rwb", &program);
    let back = read_as("t.rwb", &text).unwrap_or_else(|e| panic!("{e} in\n{text}"));
    let names: Vec<&str> = back.problem.system().as_program().expect("a program").threads()[1]
        .states
        .iter()
        .map(|s| s.name.as_str())
        .collect();
    assert_eq!(names, ["a_b_2", "a_b", "end_2"]);
    assert_eq!(back.problem.system().as_program().expect("a program").events(), ["e_1_", "on_2", "_"]);
    assert_eq!(back.problem.system().as_program().expect("a program").threads()[0].initial, [LocalId::new(2)]);
}

#[test]
fn json_fills_in_what_is_left_out() {
    let text = r#"{"rwb": 1, "events": ["a", "b"], "threads": [{"name": "T", "states": [
        {"name": "s", "on": {"b": ["t", "s", "t"]}}, {"name": "t", "block": "all"},
        {"name": "\u0075", "bad": true}]}]}"#;
    let program = read_as("t.json", text).unwrap().problem;
    let text = "check deadlock, bad event a, b
        thread T { state s { on b -> s | t } state t { block * } state u { bad } }";
    assert_eq!(**program.system().as_program().expect("a program"), crate::program(text));
}

#[test]
fn graphs_have_a_cluster_for_each_thread() {
    let program =
        crate::program("event a thread T { state s { request a on a -> t } state t { bad } } thread U { body { } }");
    insta::assert_snapshot!("dot", written("dot", &program));
}

#[test]
fn every_format_is_described_once() {
    for (i, format) in ALL.iter().enumerate() {
        assert!(format.doc.ends_with('.') && !format.extensions.is_empty(), "{}", format.name);
        assert!(ALL[..i].iter().all(|f| f.name != format.name), "{}", format.name);
        assert!(format.read.is_some() || format.write.is_some(), "{}", format.name);
    }
}
