//! Version 2 of `.rwb`: what programs with data mean, by the verdicts of brute force on the explicit program, and what
//! is refused.

use crate::read_as;
use impasse_readers::{Error, Limits, ask};
use model::{Goal, Program};
use std::sync::Arc;

fn program(text: &str) -> Arc<Program> {
    let read = read_as("t.rwb", text).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column()));
    Arc::clone(read.problem.system().as_program().expect("a program"))
}

fn error(text: &str) -> Box<Error> {
    read_as("t.rwb", text).expect_err(text)
}

/// True if a state of this kind is reachable.
fn reaches(text: &str, goal: Goal) -> bool {
    let program = program(text);
    let mut open = testkit::program::initial(&program);
    let mut seen: std::collections::BTreeSet<_> = open.iter().cloned().collect();
    while let Some(state) = open.pop() {
        if testkit::program::goal(&program, &state) == Some(goal) {
            return true;
        }
        for (_, next) in testkit::program::successors(&program, &state) {
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    false
}

fn bad(text: &str) -> bool {
    reaches(text, Goal::Bad)
}

#[test]
fn values_out_of_range_are_bad_states() {
    let counting = |range: &str, most: &str| {
        format!(
            "rwb 2 event a check deadlock thread T {{ var n: {range} = 0 \
             body {{ while n < {most} {{ request a n = n + 1 }} final }} }}"
        )
    };
    assert!(!bad(&counting("0..4", "3")));
    assert!(bad(&counting("0..3", "3")));
    assert!(!bad(&counting("0..=3", "3")));
    assert!(program(&counting("0..3", "3")).check().contains(&Goal::Bad), "asked without being listed");
    assert_eq!(program(&counting("0..4", "3")).check(), [Goal::Deadlock]);
    assert!(bad("rwb 2 event a thread T { var f[2]: bool body { request a f[1 + 1] = true request a assert f[0] } }"));
    assert!(bad("rwb 2 event a thread T { var n: 0..3 body { request a n = 2 / n } }"));
}

#[test]
fn names_are_bound_by_what_happens() {
    let last = "rwb 2 event level(v: 0..5) thread S { body { request level(*) } } \
                thread T { var last: 0..5 = 0 body { wait level(v) last = v assert last != 3 } }";
    assert!(bad(last));
    assert!(!bad(&last.replace("request level(*)", "request level(v) when v != 3")));
    // A name that not all patterns of a sync bind is not visible after it.
    let two = "rwb 2 event a, level(v: 0..5) thread T { body { sync request level(v) wait a  assert v != 3 } }";
    assert_eq!(error(two).code(), "rwb::unknown-name");
    // The value of another sync does not stay.
    let other = "rwb 2 event e(v: 0..3) thread S { body { request e(1) request e(2) } } \
                 thread T { body { wait e(v) wait e(w) assert v + w == 3 } }";
    assert!(!bad(other));
}

#[test]
fn a_name_that_is_bound_is_a_value_in_later_patterns() {
    let text = "rwb 2 event req(v: 0..3), ack(v: 0..3) thread T { body { wait req(v) request ack(v) } } \
                thread S { body { request req(1) } }";
    assert_eq!(program(text).events(), ["req(1)", "ack(1)"]);
    // Behind the block of the first sync, the name means nothing again.
    let other = "rwb 2 event e(v: 0..3) thread S { body { request e(1) request e(2) } } \
                 thread T { body { if true { wait e(v) } wait e(v) bad } }";
    assert!(bad(other));
    assert!(!bad(&other.replace("if true { wait e(v) }", "wait e(v)")));
}

#[test]
fn a_request_of_a_range_requests_only_values_of_the_parameter() {
    let text = "rwb 2 event e(v: 0..3), f[2] thread T { var n: 0..9 = 5 \
                body { request e(1..n) request f[-1..=n] request e(n..9) } }";
    assert_eq!(program(text).events(), ["e(1)", "e(2)", "f[0]", "f[1]"]);
}

#[test]
fn values_of_an_enum_without_name_are_names_in_their_thread() {
    let text = "rwb 2 event a for i in 0..2 { thread T[i] { var n: {A, B} = B body { request a assert n == B } } } \
                thread U { var m: {A, B} body { request a assert m == A } }";
    assert!(!bad(text));
    assert!(bad(&text.replace("m == A", "m == B")));
    let clash = "rwb 2 event a thread T { var A: bool var n: {A, B} body { request a } }";
    assert_eq!(error(clash).code(), "rwb::duplicate-name");
}

#[test]
fn an_argument_out_of_range_is_a_bad_state() {
    let text = "rwb 2 event e(v: 0..3) thread T { var n: 0..9 = 2 body { request e(n) n = n + 1 wait e(n) } }";
    assert!(bad(text));
    assert!(!bad(&text.replace("= 2", "= 1")));
}

#[test]
fn the_first_pattern_that_contains_the_event_binds_the_name() {
    let text = "rwb 2 event e(v: 0..3, w: 0..3) thread S { body { request e(1, 2) } } \
                thread T { body { sync wait e(v, *), e(*, v) assert v == 1 } }";
    assert!(!bad(text));
    // The patterns of `request` come first, wherever they stand.
    assert!(!bad(&text.replace("assert v == 1", "request e(1, v) when v == 2 assert v != 1")));
    assert!(bad(&text.replace("assert v == 1", "request e(1, v) when v == 2 assert v == 1")));
}

#[test]
fn blocking_by_predicates() {
    let text = "rwb 2 event move(cell: 0..4, who: {X, O}) \
                thread P { body { request move(*, *) } } \
                thread B { var least: 0..4 = 2 body { sync block move(c, w) when w == X && c < least } } \
                thread W { body { wait move(c, w) assert w == O || c >= BOUND } }";
    assert!(!bad(&text.replace("BOUND", "2")));
    assert!(bad(&text.replace("BOUND", "3")));
}

#[test]
fn interrupts_end_a_thread() {
    let text = "rwb 2 event a, stop thread E { body { choose { request a } or { request stop  request a } } } \
                thread T { body { sync wait a interrupt stop  bad } }";
    assert!(bad(text));
    assert!(!bad(&text.replace("choose { request a } or", "choose { request stop } or")));
}

#[test]
fn environment_events_happen_unless_blocked() {
    let text = "rwb 2 environment event push(v: 0..3) thread T { body { loop { wait push(v) assert v != 2 } } } ";
    assert!(bad(text));
    assert!(!bad(&format!("{text} thread B {{ body {{ loop {{ sync block push(2) }} }} }}")));
}

#[test]
fn loops_and_their_ends() {
    let text = "rwb 2 event a, b thread T { var n: 0..9 body { \
                for i in 0..4 { if i == 1 { continue } n = n + i if n > 4 { break } request a } \
                repeat 2 { n = n + 1 } while true { request b break } assert n == N } }";
    // 0, then 2, then 5: the loop ends; two more.
    assert!(!bad(&text.replace("== N", "== 7")));
    assert!(bad(&text.replace("== N", "== 6")));
}

#[test]
fn states_may_have_data() {
    let text = "rwb 2 event e(v: 0..3) thread S { state s { request e(v) when v > 0 on e(2) -> t } state t { bad } }";
    let program = program(text);
    assert_eq!(program.events(), ["e(1)", "e(2)"]);
    assert_eq!(program.threads()[0].states[0].name, "s");
    assert!(bad(text));
}

#[test]
fn values_that_are_never_read_do_not_distinguish_states() {
    let text = "rwb 2 event e(v: 0..100) thread T { var n: 0..100 body { wait e(v) n = v wait e(*) } } \
                thread S { body { loop { request e(*) } } }";
    assert_eq!(program(text).threads()[0].states.len(), 3);
}

#[test]
fn a_bound_name_is_compared_afterwards() {
    let text = "rwb 2 event e(v: 0..3) thread A { body { loop { request e(*) } } } \
                thread B { body { wait e(x) loop { sync wait e(*) block e(x) } } } \
                thread C { body { wait e(w) wait e(v) assert v WHICH w } }";
    assert!(bad(&text.replace("WHICH", "==")));
    assert!(!bad(&text.replace("WHICH", "!=")), "the first event is blocked afterwards");
}

#[test]
fn ranges_of_arguments_stay_within_the_type() {
    let text = "rwb 2 event e(v: 0..3) thread T { var m: 0..9 = 8 body { request e(RANGE) } }";
    for range in ["0..3", "0..=9", "0..m", "*"] {
        assert_eq!(program(&text.replace("RANGE", range)).events().len(), 3, "{range}");
    }
}

#[test]
fn loops_around_members_have_variables() {
    let text = "rwb 2 event e[3] thread T { for i in 1..2 { var n: 0..9 = i body { request e[i] assert n == 1 } } }";
    assert_eq!(program(text).events(), ["e[1]"]);
    assert!(!bad(text));
}

#[test]
fn bad_states_keep_their_names() {
    let text = "rwb 2 event e thread T { state s { request e on e -> L1 } state L1 { bad } }";
    let names: Vec<String> = program(text).threads()[0].states.iter().map(|s| s.name.clone()).collect();
    assert_eq!(names, ["s", "L1"]);
}

#[test]
fn an_enum_without_a_name_belongs_to_its_variable() {
    let text = "rwb 2 event e thread T { var s: {Idle, Busy} = Idle body { request e s = Busy assert s == Busy } }";
    assert!(!bad(text));
}

#[test]
fn programs_with_data_survive_conversion_to_json() {
    let text = "rwb 2 event e(v: 0..3) environment event x \
                thread T { state s { request e(*) on e(1) -> t } state t { hot } } \
                thread U { var n: 0..3 body { loop { hot wait e(v) n = v wait e(n) } } }";
    let problem = read_as("t.rwb", text).expect(text).problem;
    let mut written = Vec::new();
    impasse_readers::by_name("json").expect("known").write.expect("written")(&problem, &mut written).expect("written");
    let again = read_as("t.json", std::str::from_utf8(&written).expect("text")).expect("it is read again").problem;
    assert_eq!(again.system().as_program(), problem.system().as_program());
    assert_eq!(again.properties(), problem.properties());
}

#[test]
fn arrays_of_several_dimensions() {
    let text = "rwb 2 event go thread T { var b[2][3]: 0..9 body { \
                for i in 0..2 { for j in 0..3 { b[i][j] = 3 * i + j } } \
                request go assert b[1][0] == 3 && b[0][2] == 2 && b[1][2] == 5 } }";
    assert!(!bad(text));
    assert!(bad(&text.replace("b[0][2] == 2", "b[0][2] == 1")));
}

#[test]
fn a_thread_without_bound_is_refused_if_it_is_not_linear() {
    // A sum stays symbolic. A product of unknown numbers does not.
    let text = "rwb 2 event tick thread T { var n: int body { loop { request tick n = n + 1 } } }";
    assert!(read_as("t.rwb", text).expect("it is linear").problem.system().as_data().is_some());
    let error = error(&text.replace("n + 1", "n * n + 1"));
    assert_eq!((error.code(), error.line_column()), ("limit::values", Some((1, 73))));
    assert!(error.to_string().contains("product"), "{error}");
}

#[test]
fn finite_programs_stay_explicit_and_hot_states_are_not_lost() {
    // 5,041 joint states, with more than 64 values of each variable.
    let text = "rwb 2 event a, b, c thread R { body { loop { request {a, b} } } } \
                thread A { var x: 0..=70 = 1 var y: 0..=70 = 0 body { loop { select { \
                on a { x = (x * 7) % 71 } on b { y = (y * 5 + x) % 71 } } assert x != 0 } } } \
                thread H { body { hot request c block c } }";
    let program = program(text);
    assert_eq!(program.hot_threads().count(), 1);
    let counter = "thread N { var n: int body { loop { wait a n = n + 1 } } }";
    let error = error(&format!("{text} {counter}"));
    assert!(error.code() == "limit::values" && error.to_string().contains("hot"), "{error}");
}

#[test]
fn only_values_of_a_parameter_are_looked_at() {
    // The index is never out of range, although the argument has no bound by itself.
    let text = "rwb 2 event go(v: int), e(v: 0..=70) thread Z { body { request go(*) } } \
                thread A { var a[71]: 0..=3 = 1 body { loop { request e(v) when a[v] == 1 } } }";
    assert!(read_as("t.rwb", text).expect("it is right").problem.system().as_data().is_some());
}

/// Wrong programs, with the code and the line and column of the error.
const WRONG: &[(&str, &str, (usize, usize))] = &[
    ("rwb 2 event a thread T { var n: 0..3 body { wait a n = 1 request b } }", "rwb::undeclared-event", (1, 66)),
    ("rwb 2 event a thread T { body { wait a n = 1 } }", "rwb::unknown-name", (1, 40)),
    ("rwb 2 event a thread T { var n: 0..3 body { if n { request a } } }", "rwb::type", (1, 48)),
    ("rwb 2 event a thread T { var n: 0..3 body { if n == true { request a } } }", "rwb::type", (1, 50)),
    ("rwb 2 enum E {A} enum F {B} event a const x = A == B", "rwb::type", (1, 49)),
    ("rwb 2 event e(v: 0..3) thread T { body { request e(3) } }", "rwb::index-out-of-range", (1, 52)),
    ("rwb 2 event e(v: 0..3) thread T { body { request e(1, 2) } }", "rwb::index-count", (1, 50)),
    ("rwb 2 event e(v: 0..3) thread T { body { request e(x, x) } }", "rwb::index-count", (1, 50)),
    ("rwb 2 event e(v: 0..3, w: 0..3) thread T { body { request e(x, x) } }", "rwb::binding", (1, 64)),
    ("rwb 2 event a thread T { body { break } }", "rwb::outside-loop", (1, 33)),
    ("rwb 2 event a thread T { var n: 3..1 body { request a } }", "rwb::backward-range", (1, 33)),
    ("rwb 2 event a thread T { var n: 1..1 body { request a } }", "rwb::array-size", (1, 33)),
    ("rwb 2 event a thread T { var n[0]: bool body { request a } }", "rwb::array-size", (1, 32)),
    ("rwb 2 event a thread T { var n: 0..3 = 3 body { request a } }", "rwb::index-out-of-range", (1, 40)),
    ("rwb 2 event a thread T { var n: 0..3 var n: bool body { request a } }", "rwb::duplicate-name", (1, 42)),
    ("rwb 2 event a thread T { var a[2]: bool body { a = true request a } }", "rwb::index-count", (1, 48)),
    ("rwb 2 event a thread T { var n: Side body { request a } }", "rwb::unknown-name", (1, 33)),
    ("rwb 2 event a thread T { var n: 0..3 body { repeat n { request a } } }", "rwb::not-constant", (1, 52)),
    ("rwb 2 event a thread T { body { loop { } } }", "rwb::loop-without-sync", (1, 33)),
    ("rwb 2 event a thread T { var n: 0..3 body { while n == 0 { } request a } }", "rwb::loop-without-sync", (1, 51)),
    ("rwb 2 event a thread T { body { when 1 == 1 { request a } } }", "rwb::syntax", (1, 33)),
    ("rwb 2 event a thread T { body { request a block a block a } }", "rwb::repeated-clause", (1, 51)),
    ("rwb 2 event e(v 0..3) thread T { body { request e(1) } }", "rwb::syntax", (1, 17)),
    ("rwb 2 event e(v: 0.3) thread T { body { request e(1) } }", "rwb::unexpected-character", (1, 19)),
    ("rwb 2 const n = * event a thread T { body { request a } }", "rwb::syntax", (1, 17)),
    ("rwb 2 event a class C[i] 3 { body { request a } }", "rwb::syntax", (1, 15)),
    ("rwb 2 event a thread T { var n: 0..3 body { n == 1 } }", "rwb::syntax", (1, 47)),
    ("rwb 2 event e(v: 0..4) thread T { body { request e(v) when 6 % v == 0 } }", "rwb::fault", (1, 62)),
    ("rwb 2 event a event a thread T { body { request a } }", "rwb::duplicate-name", (1, 21)),
    ("rwb 2 event a thread T { body { request a } } thread T { body { wait a } }", "rwb::duplicate-name", (1, 54)),
    ("rwb 2 event a thread T { state s { on a -> t } }", "rwb::unknown-state", (1, 44)),
    ("rwb 2 event a thread T { state s { } body { } }", "rwb::mixed-thread", (1, 38)),
    ("rwb 2 event a thread T { }", "rwb::empty-thread", (1, 22)),
    ("rwb 2 event a check bad check deadlock thread T { body { request a } }", "rwb::repeated-check", (1, 31)),
    ("rwb 2 set S = T set T = S event a thread T { body { request S } }", "limit::nesting", (1, 25)),
    ("rwb 2 event a thread T { var n: int body { request a n = 99999999999999999999 } }", "limit::number", (1, 58)),
    ("rwb 2 event a const x = 9223372036854775807 + 1", "limit::number", (1, 25)),
    ("rwb 2 event a const x = 1 / 0", "rwb::divisor", (1, 27)),
    ("rwb 2 event a const x = 1 < 2 < 3", "rwb::chained-comparison", (1, 31)),
    ("rwb 2 event a thread T { var true: bool body { request a } }", "rwb::syntax", (1, 30)),
    ("rwb 2 event a thread T { body { hot } }", "rwb::syntax", (1, 37)),
    ("rwb 2 event a thread T { body { select block a block a { on a { } } } }", "rwb::repeated-clause", (1, 48)),
    ("rwb 2 event a thread T { body { repeat 9223372036854775807 { } } }", "limit::unrolled", (1, 40)),
    ("rwb 2 event a thread T { var n[2]: 0..9 = * body { request a } }", "rwb::endless-request", (1, 43)),
    (
        "rwb 2 event e(v: int) thread T { var n: int body { loop { request e(n) n = n * n + 1 } } }",
        "limit::values",
        (1, 78),
    ),
    ("rwb 2 event f[2] thread T { body { request f } }", "rwb::index-count", (1, 44)),
];

#[test]
fn mistakes_are_reported_at_their_places() {
    let mut wrong = Vec::new();
    for (text, code, place) in WRONG {
        let found = error(text);
        if (found.code(), found.line_column()) != (*code, Some(*place)) {
            wrong.push(format!("{text}\n    {} {:?}, expected {code} {place:?}", found.code(), found.line_column()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn several_mistakes_are_reported_together() {
    let text = "rwb 2\nevent a\nthread T { body { requst a } }\nthread U { var n: 0.. body { } }\n\
                thread V { body { request a } }\n";
    let error = error(text);
    let lines: Vec<usize> = error.all().filter_map(|e| e.line_column()).map(|(line, _)| line).collect();
    assert_eq!(lines, [3, 4]);
}

/// An event that is declared, and that no thread requests, is known in formulas and never happens.
#[test]
fn declared_events_that_no_thread_requests_are_known() {
    let text = "rwb 2 enum P { X, Y } event a, never, move(x: 0..4, by: P), e[3]\n\
        thread T { body { loop { request a request move(2, X) } } }";
    let problem = crate::read_as("t.rwb", text).unwrap().problem;
    let asked = |question: &str| {
        let mut problem = problem.clone();
        ask(&mut problem, question, 1, &Limits::default()).map_err(|error| error.code())?;
        Ok(problem.temporal().last().is_some_and(|formula| formula.letters().count() > 0))
    };
    for never in ["G !never", "G !enabled(never)", "F move(1, X)", "F move(*, Y)", "G !e[2]", "G !e"] {
        assert_eq!(asked(never), Ok(false), "{never}");
    }
    for known in ["G !a", "F move(*, X)", "F move", "F move(2, X)"] {
        assert_eq!(asked(known), Ok(true), "{known}");
    }
    for unknown in ["G !nevr", "F move(4, X)", "F move(2, Z)", "F move(2)", "G !e[3]", "G !never(1)"] {
        assert_eq!(asked(unknown), Err("ltl::proposition"), "{unknown}");
    }
    let mut fair_problem = problem.clone();
    assert!(impasse_readers::fair(&mut fair_problem, "event:never", &Limits::default()).is_ok());
    assert!(ask(&mut fair_problem, "AG !FIREABLE(never)", 1, &Limits::default()).is_ok());
}
