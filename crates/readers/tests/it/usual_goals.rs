//! What is asked of programs that ask nothing themselves: `bad` only where a thread may have a bad state.

use crate::read_as;
use model::Goal;

fn goals(name: &str, text: &str) -> Vec<Goal> {
    let read = read_as(name, text).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column()));
    read.problem.goals().collect()
}

#[test]
fn bad_is_asked_where_a_thread_may_be_bad() {
    let without = [
        ("t.rwb", "rwb 1 event a thread T { body { loop { request a } } }"),
        ("t.rwb", "rwb 2 event a thread T { var n: 0..3 body { loop { request a  if n == 0 { n = 1 } } } }"),
        ("t.rwb", "rwb 2 event a(n: int) thread T { var n: int body { loop { wait a(x)  n = x  request a(n) } } }"),
        ("t.json", r#"{"rwb":1,"events":["a"],"threads":[{"name":"T","states":[{"name":"s","request":["a"]}]}]}"#),
        ("t.json", r#"{"rwb":2,"events":["a"],"threads":[{"name":"T","states":[{"name":"s","request":["a"]}]}]}"#),
        ("t.js", "bp.registerBThread('T', () => { while (true) bp.sync({request: bp.Event('a')}); });"),
    ];
    for (name, text) in without {
        assert_eq!(goals(name, text), [Goal::Deadlock], "{text}");
    }
    let with = [
        ("t.rwb", "rwb 1 event a thread T { state s { request a } state t { bad } }"),
        ("t.rwb", "rwb 1 event a check deadlock, bad thread T { body { loop { request a } } }"),
        // A condition that never fails is asked about: the text has it.
        ("t.rwb", "rwb 2 event a thread T { var n: 0..3 body { loop { request a  assert n < 3 } } }"),
        ("t.rwb", "rwb 2 event a thread T { var n: 0..3 body { loop { request a  n = n + 1 } } }"),
        ("t.js", "bp.registerBThread('T', () => { bp.ASSERT(1 < 2, 'no'); bp.sync({request: bp.Event('a')}); });"),
        ("t.js", "bp.registerBThread('T', () => { bp.sync({request: bp.Event('a')}); null.x; });"),
    ];
    for (name, text) in with {
        assert_eq!(goals(name, text), [Goal::Deadlock, Goal::Bad], "{text}");
    }
    // A value out of range is a bad state, whatever is listed.
    let text = "rwb 2 event a check deadlock thread T { var n: 0..3 body { loop { request a  n = n + 1 } } }";
    assert_eq!(goals("t.rwb", text), [Goal::Deadlock, Goal::Bad]);
}

/// The counter is bounded by the other thread only. By itself, it has too many states, and may leave its range.
#[test]
fn bad_is_asked_where_only_other_threads_prevent_a_fault() {
    let text = "rwb 2 event a
        thread T { var n: 0..1000000 body { loop { request a  n = n + 1 } } }
        thread U { body { repeat 3 { wait a } sync block a } }";
    assert_eq!(goals("t.rwb", text), [Goal::Deadlock, Goal::Bad]);
}
