//! Tests that every code has an explanation, and that its examples give this code.

use crate::read_as;
use impasse_readers::codes::{ALL, Code, find};
use impasse_readers::{Ask, Error, Limits, Source, apply_init, ask, read_cnf, read_for, read_goals, vacuous};
use model::Problem;
use std::sync::Arc;

/// Codes with descriptions as examples, because the inputs are not text, or too large to show.
const DESCRIBED: &[&str] = &[
    "input::not-utf8",
    "input::broken-archive",
    "input::unknown-format",
    "input::invalid-program",
    "input::unreadable",
    "input::question",
    "input::nothing-asked",
    "evidence::not-written",
    "limit::bytes",
    "limit::tokens",
    "limit::evidence",
    "net::invalid",
    "spec::unchecked-invariants",
    "format::cannot-say",
    "format::no-properties",
    "goals::wrong-system",
    "init::wrong-system",
    "limit::places",
    "limit::transitions",
    "limit::arcs",
    "limit::passive-moves",
    "limit::unfolding",
    "limit::digits",
    "limit::formula",
    "ltl::too-large",
    "pnml::component",
    "ask::net",
    "vacuous::no-transition",
];

/// Codes of warnings.
const WARNINGS: &[&str] = &[
    "evidence::not-written",
    "rwb::shadowed-name",
    "rwb::unreachable-act",
    "rwb::unreachable-state",
    "rwb::never-requested",
    "rwb::unused-event",
    "rwb::no-proper-end",
    "lola::repeated-place",
    "tina::never-enabled",
    "net::never-marked",
    "tts::self-loop",
    "tts::unknown-target-state",
    "tts::transfer",
    "spec::implied-guard",
    "spec::missing-from-init",
    "spec::same-update",
    "spec::no-target",
    "spec::false-invariant",
    "aiger::liveness",
    "aiger::no-property",
    "btor2::liveness",
    "btor2::no-property",
    "pnml::no-type",
    "pnml::not-read",
    "pnml::no-weight",
    "pnml::inhibitor-weight",
    "pnml::never-enabled",
    "cnf::trailer",
    "mcc::not-reachability",
    "rwb::select-overlap",
    "vacuous::no-bad-state",
    "vacuous::constant",
    "vacuous::fixed-places",
    "vacuous::no-transition",
];

/// The net that examples of goals for nets are about.
const NET: &str = "PLACE p; MARKING p; TRANSITION t CONSUME p; PRODUCE ;";

/// Returns the codes of the error or of the warnings that an example gives.
fn outcome(code: &Code, text: &str) -> Vec<&'static str> {
    let only = |result: Result<(), Box<Error>>| result.err().map(|e| e.code()).into_iter().collect();
    if text.starts_with("p ") {
        let source = Source { name: "t.cnf".to_owned(), bytes: text.as_bytes().to_vec() };
        return match read_cnf(source, &Limits::default()) {
            Ok((_, warnings)) => warnings.iter().map(Error::code).collect(),
            Err(error) => vec![error.code()],
        };
    }
    if code.code.starts_with("lrat::") {
        return only(crate::lrat::read(text.as_bytes()).map(|_| ()));
    }
    if code.code.starts_with("evidence::") {
        let problem = Problem::of_program(Arc::new(crate::program("event a thread T { state s { request a } }")));
        let text = text.replace("fnv1a64:HASH", &evidence::hash(&problem));
        let source = Source { name: "t.json".to_owned(), bytes: text.into_bytes() };
        return only(evidence::read(&source, &problem, &Limits::default()).map(|_| ()));
    }
    if code.code.starts_with("ask::") {
        let (name, model) = match code.code {
            "ask::program" => ("t.rwb", "rwb 1 thread T { state s { } }"),
            "ask::variable" => ("t.rwb", "rwb 2 enum Side { North, South } thread T { var side: Side body { } }"),
            _ => ("t.spec", "vars x y rules init x >= 1, y = 0 target x >= 2"),
        };
        let source = Source { name: name.to_owned(), bytes: model.as_bytes().to_vec() };
        let mut problem = read_for(source, None, &Limits::default(), &[text]).unwrap().problem;
        return match ask(&mut problem, text, 1, &Limits::default()) {
            Ok(Ask::Unsupported { error, .. }) | Err(error) => vec![error.code()],
            Ok(Ask::Property(_)) => Vec::new(),
        };
    }
    if code.code.starts_with("mcc::") || text.starts_with("EF") || text.starts_with("AF") {
        let name = if text.starts_with('<') { "t.xml" } else { "t.formula" };
        let source = Source { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
        let mut problem = read_as("t.lola", NET).unwrap().problem;
        return match read_goals(source, None, &mut problem, &Limits::default()) {
            Ok(warnings) if code.code.starts_with("vacuous::") => {
                assert!(warnings.is_empty());
                vacuous("t", &problem).iter().map(|w| w.code()).collect()
            }
            Ok(warnings) => warnings.iter().map(|w| w.code()).collect(),
            Err(error) => vec![error.code()],
        };
    }
    if code.code.starts_with("ltl::") {
        let source = Source { name: "t.txt".to_owned(), bytes: text.as_bytes().to_vec() };
        let mut problem = read_as("t.c", find("c::main").unwrap().right).unwrap().problem;
        return only(read_goals(source, None, &mut problem, &Limits::default()).map(|_| ()));
    }
    if code.code.starts_with("init::") {
        let mut problem = read_as("t.spec", "vars x y rules init x >= 1, y = 0 target x >= 2").unwrap().problem;
        return only(apply_init(&mut problem, text).map(|_| ()));
    }
    let name = if code.code.starts_with("c::") {
        "t.c"
    } else if code.code.starts_with("js::") {
        "t.js"
    } else if text.starts_with("vars") {
        "t.spec"
    } else if code.code.starts_with("btor2::") {
        "t.btor2"
    } else if text.starts_with(|c: char| c.is_ascii_digit()) {
        "t.tts"
    } else if code.code.starts_with("bpmn::") {
        "t.bpmn"
    } else if text.starts_with('<') {
        "t.pnml"
    } else if text.starts_with("PLACE") {
        "t.lola"
    } else if text.starts_with("tr ") {
        "t.net"
    } else if text.starts_with("aag ") || text.starts_with("aig ") {
        "t.aag"
    } else if text.starts_with('{') {
        "t.json"
    } else {
        "t.rwb"
    };
    match read_as(name, text) {
        Ok(read) if code.code.starts_with("vacuous::") => {
            vacuous("t", &read.problem).iter().map(|w| w.code()).collect()
        }
        Ok(read) => read.warnings.iter().map(|w| w.code()).collect(),
        Err(error) => vec![error.code()],
    }
}

#[test]
fn examples_do_what_they_say() {
    for code in ALL.iter().filter(|c| !DESCRIBED.contains(&c.code)) {
        assert_eq!(outcome(code, code.wrong), [code.code], "the wrong example of {}", code.code);
        let right = outcome(code, code.right);
        let is_error = |c: &&str| !WARNINGS.contains(c);
        assert!(
            !right.contains(&code.code) && !right.iter().any(is_error),
            "the right example of {}: {right:?}",
            code.code
        );
    }
}

#[test]
fn codes_are_distinct_and_explained() {
    for (i, code) in ALL.iter().enumerate() {
        assert!(ALL[..i].iter().all(|c| c.code != code.code), "{}", code.code);
        assert!(
            code.text.trim_end_matches(')').ends_with('.') && !code.title.is_empty() && !code.wrong.is_empty(),
            "{}",
            code.code
        );
        assert_eq!(find(code.code), Some(code));
    }
    assert!(DESCRIBED.iter().all(|code| find(code).is_some()));
    assert_eq!(find("rwb::nothing"), None);
}
