//! Imported programs (JSON, version 2): what graphs, predicates and assignments mean, what reports show of them, and
//! what is refused, with code, path, place and hint.

use crate::read_as;
use impasse_readers::import::{
    EventDeclaration, EventSet, ImportedState, Move, Program as Import, Sort, Thread, Value,
};
use impasse_readers::{Error, Limits};
use miette::Diagnostic;
use model::{Goal, LocalId, Program, ThreadId};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

fn made(import: &Import) -> Arc<Program> {
    let read =
        import.read(&Limits::default()).unwrap_or_else(|e| panic!("{e} {:?}\n{}", e.pointer(), import.to_json()));
    Arc::clone(read.problem.system().as_program().expect("a program"))
}

fn error(text: &str) -> Box<Error> {
    read_as("t.json", text).expect_err(text)
}

/// A thread with one state of each kind.
fn all_kinds() -> Import {
    let go = || EventSet::event("go");
    Import::default()
        .event(EventDeclaration::new("go"))
        .event(
            EventDeclaration::new("level").parameter("v", Sort::Range(0, 3)).parameter("who", Sort::Named("P".into())),
        )
        .event(EventDeclaration::new("tick").environment())
        .sort("P", Sort::Values(vec!["X".into(), "a player".into()]))
        .thread(
            Thread::new("T")
                .variable("x", Sort::Range(0, 3), 1.into())
                .state(
                    ImportedState::new("s")
                        .request(go())
                        .to("t")
                        .set("x", "(+ x 1)")
                        .at("a.py", 7)
                        .values("n = 3")
                        .hot(),
                )
                .state(
                    ImportedState::new("t")
                        .wait(EventSet::values("level", [Value::Any, "a player".into()]))
                        .to("s")
                        .on(Move::on(EventSet::such_that("level", "(and (> v x) (= who X))")).to("bad").set("x", "v"))
                        .block(go().minus(EventSet::All))
                        .interrupt("tick")
                        .may_end(),
                )
                .state(ImportedState::new("bad").bad("v is above x").at("b.py", 9)),
        )
        .thread(Thread::new("U").state(ImportedState::new("s").request("level")))
}

#[test]
fn names_places_and_marks_are_kept() {
    let program = made(&all_kinds());
    let thread = program.thread(ThreadId::new(0));
    let names: Vec<&str> = thread.states.iter().map(|state| state.name.as_str()).collect();
    assert_eq!(
        names,
        ["s[n = 3][x = 1]", "t[x = 2]", "s[n = 3][x = 2]", "bad", "(end)", "t[x = 3]", "s[n = 3][x = 3]", "(fault 7)"]
    );
    let position = |s: usize| program.position(ThreadId::new(0), LocalId::new(s)).unwrap();
    assert_eq!((position(0).file, position(0).line), (Some("a.py"), 7));
    assert_eq!((position(3).file, position(3).line, position(3).values), (Some("b.py"), 9, "v is above x"));
    assert_eq!(position(1).file, None, "a state without a place has its line in the text");
    assert!(program.is_hot(ThreadId::new(0), LocalId::new(0)) && program.is_final(ThreadId::new(0), LocalId::new(1)));
    assert!(program.events().contains(&"level(2,a player)".to_owned()));
}

#[test]
fn json_is_a_fixed_point() {
    let json = all_kinds().to_json();
    let source = impasse_readers::Source { name: "t.json".to_owned(), bytes: json.clone().into_bytes() };
    assert_eq!(Import::from_json(&source, &Limits::default()).unwrap().to_json(), json);
}

#[test]
fn the_first_move_decides_and_assignments_are_simultaneous() {
    let swap = Thread::new("T")
        .variable("x", Sort::Range(0, 1), 0.into())
        .variable("y", Sort::Range(0, 1), 1.into())
        .state(
            ImportedState::new("s")
                .request("go")
                .on(Move::on(EventSet::such_that("go", "(= x y)")).to("equal"))
                .on(Move::on("go").to("s").set("x", "y").set("y", "x")),
        )
        .state(ImportedState::new("equal").bad(""));
    let program = made(&Import::default().event(EventDeclaration::new("go")).thread(swap));
    assert_eq!(program.thread(ThreadId::new(0)).states.len(), 2, "x and y are exchanged, and never equal");
}

#[test]
fn sorts_that_are_built_in_keep_their_meaning() {
    for name in ["Int", "Bool"] {
        let text = format!(r#"{{"rwb": 2, "sorts": {{"{name}": {{"range": [0, 3]}}}}, "events": [], "threads": []}}"#);
        assert_eq!(read_as("t.json", &text).unwrap_err().code(), "rwb::duplicate-name", "{name}");
    }
}

#[test]
fn priorities_of_states_come_before_those_of_threads() {
    let of = |own: i64| {
        let state = |name: &str| ImportedState::new(name).request("go");
        let thread = Thread::new("T").priority(2).state(state("s").to("t").priority(own)).state(state("t").to("t"));
        Import::default().event(EventDeclaration::new("go")).thread(thread)
    };
    let program = made(&of(3));
    assert_eq!([0, 1].map(|s| program.priority(ThreadId::new(0), LocalId::new(s))), [3, 2]);
    let error = of(1 << 31).read(&Limits::default()).unwrap_err();
    assert_eq!((error.code(), error.pointer()), ("rwb::priority", Some("/threads/0/states/0/priority")));
}

#[test]
fn an_event_is_a_valuation_of_many_constants() {
    // As in bppy's SMT mode: every thread talks about the same constants.
    let names: Vec<String> = (0..6).map(|i| format!("b{i}")).collect();
    let event = names.iter().fold(EventDeclaration::new("sync"), |event, name| event.parameter(name, Sort::Int));
    let sum = format!("(= 1 (+ {}))", names.join(" "));
    let thread = |name: &str, predicate: &str| {
        Thread::new(name).state(ImportedState::new("s").request(EventSet::such_that("sync", predicate)).to("s"))
    };
    let import = Import::default()
        .event(event)
        .thread(thread("Sum", &sum))
        .thread(Thread::new("Positive").state(ImportedState::new("s").block(EventSet::such_that("sync", "(< b0 0)"))));
    let read = import.read(&Limits::default()).unwrap();
    assert!(read.problem.system().as_program().is_none(), "unbounded numbers are not enumerated");
}

#[test]
fn large_graphs_are_read_in_time_in_proportion() {
    const STATES: usize = 100_000;
    // A chain with an event of its own for each step, and another thread in lockstep.
    let event = |i: usize| format!("e{i}");
    let mut json = String::from("{\"rwb\":2,\"check\":[\"bad\"],\"events\":[");
    json += &(0..STATES).map(|i| format!("\"{}\"", event(i))).collect::<Vec<_>>().join(",");
    json += "],\"threads\":[";
    for (name, verb) in [("A", "request"), ("B", "wait")] {
        let _ = write!(json, "{}{{\"name\":\"{name}\",\"states\":[", if name == "A" { "" } else { "," });
        let state = |i: usize| {
            format!("{{\"name\":\"s{i}\",\"{verb}\":[\"{}\"],\"to\":[\"s{}\"]}}", event(i), (i + 1) % STATES)
        };
        json += &(0..STATES).map(state).collect::<Vec<_>>().join(",\n");
        json += "]}";
    }
    // All events in one set.
    json += ",{\"name\":\"C\",\"states\":[{\"name\":\"s\",\"on\":[";
    let one = |i: usize| format!("{{\"events\":[\"{}\"],\"to\":[\"s\"]}}", event(i));
    json += &(0..STATES).map(one).collect::<Vec<_>>().join(",");
    json += "]}]}]}";
    let limits = Limits::within(1 << 30);
    let source = impasse_readers::Source { name: "t.json".to_owned(), bytes: json.into_bytes() };
    let start = Instant::now();
    let read = impasse_readers::read(source, None, &limits).unwrap_or_else(|e| panic!("{e}"));
    eprintln!("read in {:?}", start.elapsed());
    assert_eq!(read.problem.system().as_program().unwrap().threads()[0].states.len(), STATES);
    assert!(read.problem.goals().any(|goal| goal == Goal::Bad));
    assert!(start.elapsed().as_secs() < 60, "no step is quadratic");
}

/// Wrong programs. In those that are no whole text, `@` is a state of the thread of this frame.
const FRAME: &str = r#"{"rwb": 2, "sorts": {"P": ["X", "O"]},
 "events": ["go", {"name": "level", "parameters": [{"name": "v", "sort": "Int"}]},
  {"name": "move", "parameters": [{"name": "cell", "sort": {"range": [0, 8]}}, {"name": "who", "sort": "P"}]}],
 "threads": [{"name": "T", "variables": [{"name": "x", "sort": {"range": [0, 3]}}], "states": [
  {"name": "t"},
  @]}]}"#;

const WRONG: &[&str] = &[
    r#"{"rwb": 2, "threads": []}"#,
    r#"{"rwb": 2, "events": [], "threads": [], "thread": []}"#,
    r#"{"rwb": 2, "events": [{"name": "e", "parameters": [{"name": "v", "sort": "Real"}]}], "threads": []}"#,
    r#"{"rwb": 2, "events": [{"name": "e", "parameters": [{"name": "v", "sort": "(_ BitVec 8)"}]}], "threads": []}"#,
    r#"{"rwb": 2, "events": [{"name": "e", "parameters": [{"name": "v", "sort": "int"}]}], "threads": []}"#,
    r#"{"rwb": 2, "events": [{"name": "e", "parameters": [{"name": "v", "sort": {"range": [3, 1]}}]}], "threads": []}"#,
    r#"{"rwb": 2, "events": [{"name": "e", "parameters": [{"name": "v", "sort": ["X", "X"]}]}], "threads": []}"#,
    r#"{"rwb": 2, "events": ["a", "b", "a"], "threads": []}"#,
    r#"{"rwb": 2, "events": ["a"], "threads": [{"name": "T", "states": []}]}"#,
    r#"{"rwb": 2, "events": ["a"], "threads": [{"name": "T", "init": ["x"], "states": [{"name": "s"}]}]}"#,
    r#"{"rwb": 2, "events": ["a"], "threads": [{"name": "T", "states": [{"name": "s"}],
  "variables": [{"name": "x", "sort": "Bool", "initial": 1}]}]}"#,
    r#"{"name": "t"}"#,
    r#"{"name": "s", "request": "go"}"#,
    r#"{"name": "s", "request": ["goo"]}"#,
    r#"{"name": "s", "request": [{"event": "move", "values": [1]}]}"#,
    r#"{"name": "s", "request": [{"event": "move", "values": [9, "X"]}]}"#,
    r#"{"name": "s", "request": [{"event": "move", "values": [1, "Z"]}]}"#,
    r#"{"name": "s", "request": [{"event": "move", "values": [1, "X"], "when": "true"}]}"#,
    r#"{"name": "s", "wait": ["go"]}"#,
    r#"{"name": "s", "on": [{"events": ["go"], "to": []}]}"#,
    r#"{"name": "s", "on": [{"events": ["go"], "to": ["u"]}]}"#,
    r#"{"name": "s", "on": [{"events": ["go"]}]}"#,
    r#"{"name": "s", "block": [{"event": "level", "when": "(< v 5"}]}"#,
    r#"{"name": "s", "block": [{"event": "level", "when": "(< v 5) x"}]}"#,
    r#"{"name": "s", "block": [{"event": "level", "when": "(< v -5)"}]}"#,
    r#"{"name": "s", "block": [{"event": "level", "when": "(bvult v 5)"}]}"#,
    r#"{"name": "s", "block": [{"event": "level", "when": "(adn (< v 5) true)"}]}"#,
    r#"{"name": "s", "block": [{"event": "level", "when": "(not (< v 5) true)"}]}"#,
    r#"{"name": "s", "block": [{"event": "level", "when": "(< w 5)"}]}"#,
    r#"{"name": "s", "block": [{"event": "level", "when": "(+ v 5)"}]}"#,
    r#"{"name": "s", "block": [{"event": "level", "when": "(and v true)"}]}"#,
    r#"{"name": "s", "block": [{"event": "level", "when": "(= (mod v x) 0)"}]}"#,
    r#"{"name": "s", "block": [{"event": "level", "when": "(< v 99999999999999999999)"}]}"#,
    r#"{"name": "s", "block": [{"event": "move", "when": "(= who \"Z\")"}]}"#,
    r#"{"name": "s", "block": [{"event": "move", "when": "(= who 3)"}]}"#,
    r#"{"name": "s", "block": [{"event": "move", "when": "(let ((a)) true)"}]}"#,
    r#"{"name": "s", "block": [{"event": "move", "when": "(let ((a true) (a false)) a)"}]}"#,
    r#"{"name": "s", "on": [{"events": ["level"], "to": ["t"], "set": {"y": "v"}}]}"#,
    r#"{"name": "s", "on": [{"events": ["level", "go"], "to": ["t"], "set": {"x": "v"}}]}"#,
    r#"{"name": "s", "on": [{"events": ["level"], "to": ["t"], "set": {"x": "true"}}]}"#,
    r#"{"name": "s", "to": ["t"], "priority": 4000000000, "request": ["go"]}"#,
    r#"{"name": "s", "file": "a.py"}"#,
    r#"{"name": "s", "file": "a.py", "line": 0}"#,
    r#"{"name": "s", "set": {"x": "1"}}"#,
    r#"{"name": "s", "bad": 3}"#,
    r#"{"name": "", "bad": true}"#,
];

#[test]
fn mistakes_have_code_path_place_and_hint() {
    let mut shown = String::new();
    for wrong in WRONG {
        let text = if wrong.starts_with("{\"rwb\"") { (*wrong).to_owned() } else { FRAME.replace('@', wrong) };
        let error = error(&text);
        let _ = writeln!(
            shown,
            "{wrong}\n  {} {:?} {:?}",
            error.code(),
            error.pointer().unwrap_or("-"),
            error.line_column()
        );
        let _ = writeln!(shown, "  {}", error.headed());
        if let Some(help) = error.help() {
            let _ = writeln!(shown, "  {}", help.to_string().replace('\n', " | "));
        }
    }
    insta::assert_snapshot!("import_mistakes", shown);
}

#[test]
fn several_mistakes_are_reported_together() {
    let states = r#"{"name": "a", "request": ["gp"]}, {"name": "b", "block": [{"event": "level", "when": "(< w 1)"}]}"#;
    let error = error(&FRAME.replace('@', states));
    assert_eq!(error.all().map(Error::code).collect::<Vec<_>>(), ["rwb::undeclared-event", "rwb::unknown-name"]);
}

#[test]
fn deep_and_large_terms_are_refused_in_time() {
    let deep = format!("{}true{}", "(not ".repeat(5000), ")".repeat(5000));
    // Each name stands for two of the one before it.
    let mut doubled = String::from("(let ((a0 x)) ");
    for i in 1..100 {
        let _ = write!(doubled, "(let ((a{i} (+ a{} a{}))) ", i - 1, i - 1);
    }
    let doubled = format!("(= 1 {doubled}a99{})", ")".repeat(100));
    let strings = format!("(= who {})", (0..200).fold("\"X\"".to_owned(), |t, _| format!("(ite (= x 1) {t} \"O\")")));
    for (event, term, code) in
        [("level", deep.as_str(), "limit::nesting"), ("level", doubled.as_str(), "limit::unrolled")]
    {
        let text =
            FRAME.replace('@', &format!(r#"{{"name": "s", "block": [{{"event": "{event}", "when": "{term}"}}]}}"#));
        assert_eq!(error(&text).code(), code);
    }
    let text =
        format!(r#"{{"name": "s", "block": [{{"event": "move", "when": "{}"}}]}}"#, strings.replace('"', "\\\""));
    assert!(read_as("t.json", &FRAME.replace('@', &text)).is_ok());
}

#[test]
fn a_program_built_in_memory_obeys_the_limit_on_bytes() {
    let program = all_kinds();
    let bytes = program.to_json().len();
    assert!(program.read(&Limits { bytes, ..Limits::default() }).is_ok());
    let Err(error) = program.read(&Limits { bytes: bytes - 1, ..Limits::default() }) else { panic!("over the limit") };
    assert_eq!(error.code(), "limit::bytes");
}
