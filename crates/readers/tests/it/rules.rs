//! Tests of the rules of the format for corner cases.

use crate::explore::explore;
use crate::{data, program, read_as, refusal};
use model::{EventId, Goal, LocalId, Program};

/// Returns the names of the states that thread 0 may move to from a state on an event.
fn targets(program: &Program, state: &str, event: &str) -> Vec<String> {
    let thread = &program.threads()[0];
    let s = thread.states.iter().position(|s| s.name == state).unwrap();
    let e = program.events().iter().position(|e| e == event).unwrap();
    thread.targets(LocalId::new(s), EventId::new(e)).map(|t| thread.state(t).name.clone()).collect()
}

/// Returns the requested and blocked events of each state of thread 0.
fn states(program: &Program) -> Vec<(String, Vec<&str>, Vec<&str>)> {
    let names = |set: &model::EventSet| set.iter().map(|e| program.event_name(e)).collect();
    program.threads()[0].states.iter().map(|s| (s.name.clone(), names(&s.request), names(&s.block))).collect()
}

/// Returns the events of an event expression, over `e[2][3], a, b`.
fn events(expression: &str) -> Vec<String> {
    let program = program(&format!(
        "const n = 2 set mine = a, e[0][0] event e[n][3], a, b thread T {{ state s {{ request {expression} }} }}"
    ));
    program.threads()[0].states[0].request.iter().map(|e| program.event_name(e).to_owned()).collect()
}

/// Returns the value of an expression, which must be below 100.
fn value(expression: &str) -> usize {
    program(&format!("event e[100] thread T {{ state s {{ request e[{expression}] }} }}")).threads()[0].states[0]
        .request
        .iter()
        .next()
        .unwrap()
        .index()
}

#[test]
fn the_first_clause_that_covers_an_event_wins() {
    let p = program("event a, b, c thread T { state s { on a -> x on * -> y on b -> x } state x { } state y { } }");
    assert_eq!(targets(&p, "s", "a"), ["x"]);
    assert_eq!(targets(&p, "s", "b"), ["y"]);
    assert_eq!(targets(&p, "x", "a"), ["x"], "what a state does not mention leaves it where it is");
    let p = program("event a, b thread T { body { select { on a { wait b } on request a, b { bad } } } }");
    assert_eq!(targets(&p, "L0", "a"), ["L1"]);
    assert_eq!(targets(&p, "L0", "b"), ["L2"]);
    assert_eq!(states(&p)[0].1, ["a", "b"], "requested by the branch that lost it too");
}

#[test]
fn nondeterminism_is_written_with_a_bar() {
    let p = program("event a thread T { init t | s state s { on a -> t | s | t } state t { } }");
    assert_eq!(targets(&p, "s", "a"), ["s", "t"]);
    assert_eq!(p.threads()[0].initial, [LocalId::new(0), LocalId::new(1)]);
}

#[test]
fn without_init_the_first_state_is_initial() {
    assert_eq!(program("thread T { state s { } state t { } }").threads()[0].initial, [LocalId::new(0)]);
    assert_eq!(program("thread T { init t state s { } state t { } }").threads()[0].initial, [LocalId::new(1)]);
    let twice = program("thread T { for i in 0..2 { init s[i] } for i in 0..3 { state s[i] { } } }");
    assert_eq!(twice.threads()[0].initial.len(), 2);
}

#[test]
fn names_are_unique_after_unrolling() {
    assert_eq!(refusal("for i in 0..2 { thread T { state s { } } }"), ("rwb::duplicate-name", 2));
    assert_eq!(refusal("thread T { for i in 0..2 {\nstate s[i/2] { } } }"), ("rwb::duplicate-name", 3));
    assert_eq!(program("for i in 0..2 { thread T[i] { state s { } } }").threads().len(), 2);
    assert_eq!(refusal("event e[2]\nevent e"), ("rwb::duplicate-name", 3));
    assert_eq!(refusal("const n = 1\nconst n = 1"), ("rwb::duplicate-name", 3));
    assert_eq!(refusal("event a\nset x = a\nset x = a"), ("rwb::duplicate-name", 4));
}

#[test]
fn a_thread_has_states_or_one_body() {
    for text in [
        "thread T { state s { } body { } }",
        "thread T { body { } state s { } }",
        "thread T { body { } body { } }",
        "thread T { init s body { } }",
        "thread T { for i in 0..2 { body { } } }",
    ] {
        assert_eq!(refusal(text), ("rwb::mixed-thread", 2), "{text}");
    }
    assert_eq!(refusal("thread T { }"), ("rwb::empty-thread", 2));
}

#[test]
fn a_body_has_one_state_for_each_sync() {
    let p = program("event a, b, c thread T { body { sync wait a request b block c repeat 2 { wait c } } }");
    let names: Vec<_> = states(&p).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names, ["L0", "L1", "L2", "L3"]);
    assert_eq!(states(&p)[0], ("L0".to_owned(), vec!["b"], vec!["c"]));
    assert_eq!(targets(&p, "L0", "a"), ["L1"], "a sync proceeds on what it waits for");
    assert_eq!(targets(&p, "L0", "b"), ["L1"], "and on what it requests");
    assert_eq!(targets(&p, "L0", "c"), ["L0"]);
    assert_eq!(states(&p)[3], ("L3".to_owned(), vec![], vec![]), "falling off the end is the end");
    assert_eq!(targets(&p, "L3", "a"), ["L3"]);
}

#[test]
fn falling_off_the_end_equals_end() {
    let end = program("event a thread T { body { wait a end } }");
    assert_eq!(end, program("event a thread T { body { wait a } }"));
    assert_eq!(program("thread T { body { } }").threads()[0].states.len(), 1);
    assert_eq!(program("event a thread T { body { loop { wait a } } }").threads()[0].states.len(), 1);
}

#[test]
fn a_loop_that_can_run_without_a_sync_is_an_error() {
    for text in [
        "event a thread T { body { loop { } } }",
        "event a thread T { body { loop { repeat 0 { wait a } } } }",
        "event a thread T { body { loop { choose { wait a } or { } } } }",
        "event a thread T { body { loop { when 0 { wait a } } } }",
    ] {
        assert_eq!(refusal(text), ("rwb::loop-without-sync", 2), "{text}");
    }
    program("event a thread T { body { loop { choose { wait a } or { end } } } }");
    program("event a thread T { body { loop { loop { wait a } } } }");
}

#[test]
fn choose_is_several_targets_or_several_beginnings() {
    let p = program("event a, b thread T { body { choose { request a } or { request b } or { } wait a } }");
    assert_eq!(p.threads()[0].initial.len(), 3);
    let p = program("event a, b thread T { body { wait a choose { request a } or { request b } } }");
    assert_eq!(targets(&p, "L0", "a"), ["L1", "L2"]);
    let p = program("event a, b thread T { body { loop { request a choose { wait b } or { bad } } } }");
    assert_eq!(targets(&p, "L0", "a"), ["L1", "L2"]);
    assert_eq!(targets(&p, "L1", "b"), ["L0"]);
}

#[test]
fn select_is_one_sync_with_a_continuation_for_each_branch() {
    let p = program(
        "event a, b, c thread T { body { select block c { on a { } on wait b { wait b } on request c { end } } wait c \
         } }",
    );
    assert_eq!(states(&p)[0], ("L0".to_owned(), vec!["c"], vec!["c"]));
    assert_eq!(targets(&p, "L0", "a"), ["L3"], "an empty branch goes straight on");
    assert_eq!(targets(&p, "L0", "b"), ["L1"]);
    assert_eq!(targets(&p, "L1", "b"), ["L3"]);
    assert_eq!(targets(&p, "L0", "c"), ["L2"]);
    assert_eq!(targets(&p, "L3", "c"), ["L2"], "all ends are one state");
    assert_eq!(p.threads()[0].states.len(), 4);
}

#[test]
fn a_sync_takes_each_clause_once_and_a_semicolon_ends_it() {
    let sizes = |body: &str| {
        let p = program(&format!("event a, b, c thread T {{ body {{ {body} }} }}"));
        states(&p).into_iter().map(|(_, request, block)| (request.len(), block.len())).collect::<Vec<_>>()
    };
    assert_eq!(sizes("sync request a wait b block c"), [(1, 1), (0, 0)]);
    assert_eq!(sizes("sync request a; wait b block c"), [(1, 0), (0, 1), (0, 0)]);
    assert_eq!(sizes("sync wait a block c wait b"), [(0, 1), (0, 0), (0, 0)], "a second wait begins the next sync");
    assert_eq!(sizes("request a wait b"), [(1, 0), (0, 0), (0, 0)], "the short form has no wait beside its request");
    assert_eq!(sizes("request a request b block c"), [(1, 0), (1, 1), (0, 0)]);
    assert_eq!(refusal("event a thread T { body { request a block a block a } }"), ("rwb::repeated-clause", 2));
}

#[test]
fn constants_indices_and_members_are_checked_with_their_line() {
    assert_eq!(refusal("event a\nthread T { state s {\nrequest b } }"), ("rwb::undeclared-event", 4));
    assert_eq!(refusal("event e[2]\nset x = e[2]"), ("rwb::index-out-of-range", 3));
    assert_eq!(refusal("event e[2]\nset x = e[0-1]"), ("rwb::index-out-of-range", 3));
    assert_eq!(refusal("event e[2]\nset x = e"), ("rwb::index-count", 3));
    assert_eq!(refusal("event e[2]\nset x = e[0][0]"), ("rwb::index-count", 3));
    assert_eq!(refusal("event e[2] set x = e[*]\nset y = x[0]"), ("rwb::index-count", 3));
    assert_eq!(refusal("event e[2]\nset x = e[0..3]"), ("rwb::index-out-of-range", 3));
    assert_eq!(refusal("event e[2]\nset x = e[2..1]"), ("rwb::backward-range", 3));
    assert_eq!(refusal("event a\nthread T { state s { on a -> t } }"), ("rwb::unknown-state", 3));
    assert_eq!(refusal("thread T { init t state s { } }"), ("rwb::unknown-state", 2));
    assert_eq!(refusal("const n = m"), ("rwb::undeclared-constant", 2));
    assert_eq!(refusal("for i in 0..2 { }\nconst n = i"), ("rwb::undeclared-constant", 3), "gone after the loop");
    assert_eq!(
        refusal("set x = later\nset later = none"),
        ("rwb::undeclared-event", 2),
        "sets are declared before use"
    );
}

#[test]
fn events_may_be_declared_after_their_use() {
    let p = program("thread T { state s { request * } } event a, b");
    assert_eq!(states(&p)[0].1, ["a", "b"]);
}

#[test]
fn bad_blocks_everything_and_requests_nothing() {
    for text in [
        "event a, b thread T { state s { request a bad on a -> s } }",
        "event a, b thread T { body { bad } }",
        "event a, b thread T { state s { when 1 { bad } on * -> s } }",
    ] {
        let p = program(text);
        let state = &p.threads()[0].states[0];
        assert!(state.bad && state.block.is_full() && state.request.is_empty() && state.on.is_empty(), "{text}");
    }
}

#[test]
fn check_asks_by_default_for_what_may_occur() {
    assert_eq!(program("").check(), [Goal::Deadlock]);
    assert_eq!(program("event e thread T { state s { bad } }").check(), [Goal::Deadlock, Goal::Bad]);
    assert_eq!(program("check bad").check(), [Goal::Bad]);
    assert_eq!(program("check bad, deadlock").check(), [Goal::Bad, Goal::Deadlock]);
    assert_eq!(refusal("check bad, bad"), ("rwb::repeated-check", 2));
    assert_eq!(refusal("check bad\ncheck deadlock"), ("rwb::repeated-check", 3));
}

#[test]
fn event_expressions() {
    assert_eq!(events("e[1][*]"), ["e[1][0]", "e[1][1]", "e[1][2]"]);
    assert_eq!(events("e[*][2], b"), ["e[0][2]", "e[1][2]", "b"]);
    assert_eq!(events("e[0..n][1..3] - e[1][2]"), ["e[0][1]", "e[0][2]", "e[1][1]"]);
    assert_eq!(events("* - e[*][*] - a"), ["b"]);
    assert_eq!(events("b, a - b"), ["a", "b"], "the difference binds tighter than the comma");
    assert_eq!(events("{ b, a } - b"), ["a"]);
    assert_eq!(events("mine - a"), ["e[0][0]"]);
    assert_eq!(events("none"), [""; 0]);
    assert_eq!(events("e[0][1..1]"), [""; 0], "an empty range");
}

#[test]
fn integer_expressions() {
    assert_eq!(value("2 + 3 * 4 - 1"), 13);
    assert_eq!(value("(2 + 3) * 4"), 20);
    assert_eq!(value("10 - 3 - 2"), 5);
    assert_eq!(value("(0 - 7) / 2 + 4"), 0, "division rounds down");
    assert_eq!(value("-7 % 3"), 2, "the remainder is never negative");
    assert_eq!(value("1 < 2 == 3 >= 3"), 1);
    assert_eq!(value("!5 + 3 && 2 || 0"), 1);
    assert_eq!(value("1 + (0 || 7) + (4 && 0)"), 2);
    assert_eq!(value("0 && 1 / 0"), 0, "the right side is not evaluated");
    assert_eq!(value("1 || 1 / 0"), 1);
    assert_eq!(value("--3"), 3);
    assert_eq!(value("100000000000000000000 * 3 % 7"), (100_000_000_000_000_000_000u128 * 3 % 7) as usize);
    for wrong in ["1 / 0", "1 % 0", "1 / (0-1)", "1 % -2"] {
        assert_eq!(refusal(&format!("const n = {wrong}")), ("rwb::divisor", 2), "{wrong}");
    }
    assert_eq!(refusal("const n = 1 == 1 == 1"), ("rwb::chained-comparison", 2));
}

#[test]
fn for_and_when_stand_anywhere() {
    let p = program(
        "const n = 2 for i in 0..n { when i == 0 { event a } else { event b } }
         for i in 0..n { for j in i..n { thread T[i][j] { when i != j { state s { } } else { state t { } state u { } \
         } } } }
         for i in 3..3 { thread Never { state s { } } }",
    );
    assert_eq!(p.events(), ["a", "b"]);
    let threads: Vec<_> = p.threads().iter().map(|t| (t.name.as_str(), t.states.len())).collect();
    assert_eq!(threads, [("T[0][0]", 2), ("T[0][1]", 1), ("T[1][1]", 2)]);
    assert_eq!(refusal("for i in 2..0 { }"), ("rwb::backward-range", 2));
    let p = program("when 1 { const m = 3 } event e[m]");
    assert_eq!(p.events().len(), 3, "a constant of a `when` is visible after it");
}

#[test]
fn syntax_errors_tell_what_was_expected() {
    let cases = [
        (
            "theard T { }",
            "expected `const`, `event`, `set`, `check`, `thread`, `class`, `assume`, `for` or `when`, found `theard`",
        ),
        ("thread T { stat s { } }", "expected `init`, `state`, `body`, `for`, `when` or `}`, found `stat`"),
        ("thread loop { }", "expected the name of a thread, found the reserved word `loop`"),
        ("const n = ", "expected a number, a name or `(`, found the end of the file"),
        ("event a[", "expected a number, a name or `(`, found the end of the file"),
    ];
    for (text, message) in cases {
        let error = read_as("t.rwb", &format!("rwb 1 {text}")).unwrap_err();
        assert_eq!((error.code(), error.headed().to_string().as_str()), ("rwb::syntax", message));
    }
    let error = read_as("t.rwb", "rwb 1 theard T { }").unwrap_err();
    let help = miette::Diagnostic::help(error.as_ref()).unwrap().to_string();
    assert_eq!(help, "did you mean `thread`?");
    assert_eq!(error.line_column(), Some((1, 7)));
    assert_eq!(error.source_name(), "t.rwb");
}

#[test]
fn warnings_are_few_and_useful() {
    let warnings =
        |text: &str| -> Vec<&str> { read_as("t.rwb", text).unwrap().warnings.iter().map(|w| w.code()).collect() };
    assert_eq!(warnings("rwb 1 event e[2], f[2] thread T { state s { request e[0] } }"), ["rwb::unused-event"]);
    assert_eq!(warnings("rwb 1 event a thread T { for i in 0..3 { state s[i] { request a } } }"), [""; 0]);
    assert_eq!(warnings("rwb 1 event a thread T { state s { request a } state t { } }"), ["rwb::unreachable-state"]);
    assert_eq!(warnings("rwb 1 event a thread T { state s { request a } state never { bad } }"), [""; 0]);
    for path in data("rwb").iter().filter(|p| !p.ends_with("everything.rwb")) {
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(warnings(&text), [""; 0], "{}", path.display());
    }
}

#[test]
fn worked_examples_have_their_known_spaces() {
    let expected =
        [("array", true, false), ("assumed", true, false), ("numbers", true, false), ("philosophers", false, true)];
    let sizes = [("numbers", 7), ("tank", 13), ("philosophers", 35)];
    for path in data("rwb") {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let read = read_as("t.rwb", &text).unwrap_or_else(|e| panic!("{name}: {e} {:?}", e.line_column()));
        let (states, bad, deadlock) = explore(read.problem.system().as_program().expect("a program"), 100_000).unwrap();
        if let Some((_, size)) = sizes.iter().find(|(n, _)| *n == name) {
            assert_eq!(states, *size, "{name}");
        }
        if name == "everything" {
            continue;
        }
        let kinds = expected.iter().find(|(n, ..)| *n == name).map_or((false, false), |(_, b, d)| (*b, *d));
        assert_eq!((bad, deadlock), kinds, "{name}");
    }
}

#[test]
fn the_page_of_the_format_tells_the_truth() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rwb.md");
    let page = std::fs::read_to_string(path).unwrap();
    let blocks: Vec<&str> = page.split("```").skip(1).step_by(2).collect();
    let mut read = 0;
    for block in blocks {
        let (name, text) = match block.strip_prefix("json") {
            Some(text) => ("t.json", text),
            None => ("t.rwb", block.trim_start()),
        };
        if name == "t.json" || text.starts_with("rwb 1") {
            read_as(name, text).unwrap_or_else(|e| panic!("{e} in {text}"));
            read += 1;
        }
    }
    assert_eq!(read, 5);
    let words = page.split("Reserved: `").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
    let words: Vec<&str> = words.split_whitespace().collect();
    assert_eq!(words.len(), 27);
    for word in words {
        assert_eq!(refusal(&format!("thread {word} {{ state s {{ }} }}")), ("rwb::syntax", 2), "{word}");
    }
}
