//! Programs of which only a part is explored: violations in it count, nothing else does, and the evidence is replayed.

use crate::tool::{code, run, scratch, stdout};
use std::fs;
use std::path::Path;

/// A list without bound, and an assertion that fails after four events.
const LAMP: &str = r#"
bp.registerBThread("Lamp", function() { while (true) bp.sync({ request: [bp.Event("on"), bp.Event("off")] }); });
bp.registerBThread("Log", function() {
  const seen = [];
  while (true) {
    seen.push(bp.sync({ waitFor: bp.all }).name);
    bp.ASSERT(seen.slice(-4).join() !== "on,off,on,off", "it flickers");
  }
});
"#;

/// Writes a model into a directory of its own.
fn written(test: &str, name: &str, text: &str) -> String {
    let path = scratch(test).join(name);
    fs::write(&path, text).expect("the scratch directory can be written");
    path.display().to_string()
}

#[test]
fn a_violation_in_a_part_is_one_of_the_program() {
    let file = written("parts_violation", "lamp.js", LAMP);
    let dir = Path::new(&file).parent().expect("a directory").display().to_string();
    let output = run(&["check", &file, "--property", "bad", "--evidence", &dir]);
    assert_eq!(code(&output), 10, "{}", stdout(&output));
    assert!(stdout(&output).contains("bad: UNSAFE"), "{}", stdout(&output));
    let evidence = format!("{dir}/lamp.bad.evidence.json");
    let replayed = run(&["replay", &file, &evidence]);
    assert_eq!(code(&replayed), 0, "{}{}", stdout(&replayed), String::from_utf8_lossy(&replayed.stderr));
    // The model has changed.
    fs::write(&file, LAMP.replace("-4", "-5")).expect("writable");
    assert_ne!(code(&run(&["replay", &file, &evidence])), 0);
}

#[test]
fn what_a_part_does_not_have_is_unknown() {
    let file = written("parts_unknown", "lamp.js", &LAMP.replace("on,off,on,off", "on,off,on,oops"));
    let output = run(&["check", &file]);
    assert_eq!(code(&output), 33, "{}", stdout(&output));
    assert!(!stdout(&output).contains("SAFE"), "{}", stdout(&output));
    assert!(stdout(&output).contains("`seen`"), "{}", stdout(&output));
    let other = format!("{file}.rwb");
    for args in [&["convert", &file, &other][..], &["info", &file]] {
        assert_eq!(code(&run(args)), 65, "{args:?}");
    }
}

/// A thread that blocks an event in a state that was not reached with it: the event must not happen there.
#[test]
fn blocks_are_known_in_a_part() {
    let text = r#"
bp.registerBThread("Count", function() {
  const seen = [];
  while (true) seen.push(bp.sync({ request: bp.Event("n") }));
});
bp.registerBThread("Never", function() { while (true) bp.sync({ waitFor: bp.Event("n"), block: bp.Event("bad") }); });
bp.registerBThread("Try", function() { bp.sync({ request: bp.Event("bad") }); bp.ASSERT(false, "it was blocked"); });
"#;
    let output = run(&["check", &written("parts_blocks", "count.js", text), "--property", "bad"]);
    assert!(!stdout(&output).contains("UNSAFE"), "{}", stdout(&output));
}

/// A list grows without end if everything may happen at any time. The thread that requests the events does so once.
#[test]
fn a_list_is_short_if_its_events_happen_once() {
    let text = r#"
const N = 12;
for (let i = 0; i < N; i++) {
  bp.registerBThread("Door" + i, function() {
    while (true) { bp.sync({ request: bp.Event("open", i) }); bp.sync({ request: bp.Event("shut", i) }); }
  });
}
bp.registerBThread("Thief", function() { bp.sync({ request: [bp.Event("steal", "a"), bp.Event("steal", "b")] }); });
bp.registerBThread("Police", function() {
  const stolen = [];
  const steal = bp.EventSet("steal", e => e.name === "steal");
  while (true) { stolen.push(bp.sync({ waitFor: steal }).data); bp.ASSERT(stolen.length < 2, "twice"); }
});
"#;
    let file = written("parts_neighbours", "police.js", text);
    let output = run(&["check", &file]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    fs::write(
        &file,
        text.replace(
            "bp.sync({ request: [bp.Event(\"steal\"",
            "for (let k = 0; k < 2; k++) bp.sync({ request: [bp.Event(\"steal\"",
        ),
    )
    .expect("writable");
    let output = run(&["check", &file, "--property", "bad"]);
    assert_eq!(code(&output), 10, "{}", stdout(&output));
}

/// What is not known of a neighbour counts as nothing that happens. So a neighbour is explored before it is used, also
/// if all of its states are initial and its thread comes later.
#[test]
fn a_neighbour_is_known_before_it_is_used() {
    let text = r#"
bp.registerBThread("List", function() {
  const seen = [];
  while (true) {
    bp.sync({ waitFor: bp.Event("c") }); seen.push("c");
    bp.sync({ waitFor: bp.Event("b") }); seen.push("b");
    if (bp.random.nextBoolean()) bp.ASSERT(seen.length < 2, "both");
  }
});
bp.registerBThread("Two", function() {
  const k = bp.random.nextInt(3);
  if (k === 0) bp.sync({ request: bp.Event("c") });
  if (k < 2) bp.sync({ request: bp.Event("b") });
});
"#;
    let output = run(&["check", &written("parts_known", "list.js", text), "--property", "bad"]);
    assert_eq!(code(&output), 10, "{}", stdout(&output));
}

#[test]
fn a_counter_with_many_values_is_explored_as_far_as_needed() {
    let text = "rwb 2\nevent tick\nthread Count { var n: 0..1000000 = 0\n  \
                body { while true { sync request tick; n = n + 1; assert n < 7; } } }\n";
    let file = written("parts_counter", "count.rwb", text);
    let output = run(&["check", &file, "--property", "bad"]);
    assert_eq!(code(&output), 10, "{}{}", stdout(&output), String::from_utf8_lossy(&output.stderr));
}

/// Under `prioritized-bsync`, a request of the greatest priority comes first. Without a strategy, a warning says that
/// priorities are ignored.
#[test]
fn priorities_are_chosen_by_option_or_mark() {
    let text = r#"bp.registerBThread("Slow", function() { bp.sync({ request: bp.Event("slow") }); });
bp.registerBThread("Fast", function() { bp.sync({ request: bp.Event("fast") }, -3); });
bp.registerBThread("First", function() { bp.ASSERT(bp.sync({ waitFor: bp.all }).name === "fast", "slow"); });
"#;
    let plain = written("parts_priorities", "plain.js", text);
    let output = run(&["check", &plain, "--property", "bad"]);
    assert_eq!(code(&output), 10);
    assert!(String::from_utf8_lossy(&output.stderr).contains("js::priority"), "a warning");
    let output = run(&["check", &plain, "--property", "bad", "--strategy", "prioritized-bsync"]);
    assert_eq!((code(&output), output.stderr.is_empty()), (0, true), "{}", stdout(&output));
    let marked = written("parts_marked", "marked.js", &format!("// @strategy prioritized-bsync\n{text}"));
    assert_eq!(code(&run(&["check", &marked, "--property", "bad"])), 0);
    // A definition stands before the mark.
    assert_eq!(code(&run(&["check", &marked, "--property", "bad", "--define", "V=1"])), 0);
    assert_eq!(code(&run(&["check", &marked, "--property", "bad", "--strategy", "simple"])), 10);
    let wrong = written("parts_wrong", "wrong.js", &format!("// @strategy prioritised-bsync\n{text}"));
    let output = run(&["check", &wrong]);
    assert_eq!(code(&output), 65);
    assert!(String::from_utf8_lossy(&output.stderr).contains("prioritized-bsync"));
    assert_eq!(code(&run(&["check", "examples/philosophers.rwb", "--strategy", "simple"])), 64);
}

#[test]
fn global_variables_are_defined() {
    let text = "bp.registerBThread(\"T\", function() {\n\
                for (let i = 0; i < SIZE.n; i++) bp.sync({ request: bp.Event(\"e\") });\n\
                bp.ASSERT(SIZE.n === 2, \"other\"); bp.log.info(\"end of \" + bp.thread.name, new Set([1])); });\n";
    let file = written("parts_define", "size.js", text);
    let checked = |value: &str| code(&run(&["check", &file, "--property", "bad", "--define", value]));
    assert_eq!([r#"SIZE={"n":2}"#, r#"SIZE={"n":3}"#].map(checked), [0, 10]);
    assert_eq!([code(&run(&["check", &file])), checked("SIZE=oops"), checked("2=3")], [65, 64, 64]);
}

/// A default for a variable that the host of a program may set.
#[test]
fn a_test_for_a_variable_that_nothing_set_is_true_with_a_warning() {
    let text = r#"if (!SIZE) SIZE = 2;
if (!SIZE) SIZE = 7;
bp.registerBThread("T", function() { bp.sync({ request: bp.Event("e") }); bp.ASSERT(SIZE === 2, "size " + SIZE); });
"#;
    let file = written("parts_unset", "unset.js", text);
    let output = run(&["check", &file, "--property", "bad"]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    assert_eq!(String::from_utf8_lossy(&output.stderr).matches("js::unset").count(), 1);
    let output = run(&["check", &file, "--property", "bad", "--define", "SIZE=3"]);
    assert_eq!((code(&output), output.stderr.is_empty()), (10, true), "{}", stdout(&output));
    // In a function, and for a name that is not only tested, the variable must exist.
    for text in [text.replace("if (!SIZE) SIZE = 2;", "SIZE = SIZE + 1;"), text.replace("!SIZE", "SIZE > 1")] {
        assert_eq!(code(&run(&["check", &written("parts_unset_read", "read.js", &text)])), 65);
    }
}

/// A hub with a list of devices has far more lists by itself than in runs. If there are too many in runs, too, a part
/// is searched.
#[test]
fn lists_are_explored_together_or_in_part() {
    let hub = |devices: usize, most: usize| {
        format!(
            r#"function device(i) {{ bp.registerBThread("D" + i, function() {{
  while (true) {{ bp.sync({{ request: bp.Event("join", i) }}); bp.sync({{ request: bp.Event("leave", i) }}); }} }}); }}
for (var i = 0; i < {devices}; i++) device(i);
bp.registerBThread("Hub", function() {{
  let members = [];
  while (true) {{
    let block = [];
    if (members.length >= {most}) {{ for (let k = 0; k < {devices}; k++) block.push(bp.Event("join", k)); }}
    let e = bp.sync({{ waitFor: bp.all, block: block }});
    if (e.name === "join") members.push(e.data);
    else members = members.filter(member => member !== e.data);
  }}
}});
"#
        )
    };
    let small = run(&["check", &written("parts_hub", "small.js", &hub(12, 3)), "--property", "deadlock"]);
    assert_eq!(code(&small), 0, "{}", stdout(&small));
    let large = run(&["check", &written("parts_hub", "large.js", &hub(40, 3)), "--property", "deadlock"]);
    assert_eq!(code(&large), 33, "{}{}", stdout(&large), String::from_utf8_lossy(&large.stderr));
    assert!(stdout(&large).contains("`members` takes more than"), "{}", stdout(&large));
}

/// BPjs keeps the first value of a `const` in a loop, and one variable for all rounds of `for (let ..)`.
#[test]
fn variables_of_loops_that_bpjs_shares_are_warned_about() {
    let warnings = |body: &str| {
        let text = format!("bp.registerBThread(\"T\", function() {{ {body} }});");
        let output = run(&["check", &written("parts_rounds", "rounds.js", &text), "--property", "deadlock"]);
        String::from_utf8_lossy(&output.stderr).matches("js::round").count()
    };
    let sync = "bp.sync({ request: bp.Event(\"e\") })";
    assert_eq!(warnings(&format!("while (true) {{ const e = {sync}; }}")), 1);
    assert_eq!(warnings(&format!("let f; for (let i = 0; i < 2; i++) f = () => i; {sync}; bp.log.info(f());")), 1);
    assert_eq!(warnings(&format!("let f; for (let x of [1, 2]) f = () => x; {sync}; bp.log.info(f());")), 1);
    assert_eq!(warnings(&format!("while (true) {{ let e; {sync}; e = 1; }}")), 1);
    assert_eq!(warnings(&format!("while (true) {{ const k = 5; {sync}; }}")), 0);
    assert_eq!(warnings(&format!("while (true) {{ let e = {sync}; }}")), 0);
    assert_eq!(warnings(&format!("const n = 2; for (let i = 0; i < n; i++) {sync};")), 0);
    assert_eq!(warnings(&format!("[1, 2].forEach(x => {{ const y = x; bp.log.info(() => y); }}); {sync};")), 0);
}

/// `-0` as data is `0`, as in BPjs.
#[test]
fn data_has_one_zero() {
    let text = r#"bp.registerBThread("T", function() { bp.sync({ request: bp.Event("e", 0 * -1) }); });
bp.registerBThread("U", function() { bp.sync({ waitFor: bp.Event("e", 0) }); bp.ASSERT(false, "met"); });
"#;
    assert_eq!(code(&run(&["check", &written("parts_zero", "zero.js", text), "--property", "bad"])), 10);
}

/// `this` in the function of a b-thread is the function, so a property of the function says what a copy is about.
#[test]
fn a_thread_reads_properties_of_its_function() {
    let text = r#"for (let i = 0; i < 2; i++) {
  const f = function() { bp.sync({ request: bp.Event("e" + this.number) }); };
  f.number = i;
  bp.registerBThread("T" + i, f);
}
bp.registerBThread("Watch", function() { bp.sync({ waitFor: bp.Event("e1") }); bp.ASSERT(false, "e1 happens"); });
"#;
    let file = written("parts_this", "this.js", text);
    let output = run(&["check", &file, "--property", "bad"]);
    assert_eq!(code(&output), 10, "{}{}", stdout(&output), String::from_utf8_lossy(&output.stderr));
}

/// The threads together followed events that no run selects, so that there were too many states.
#[test]
fn a_list_that_priorities_stop_from_growing_is_short() {
    let text = r#"
// @strategy prioritized-bsync
bp.registerBThread("Tick", function() { while (true) bp.sync({ request: bp.Event("tick") }, 2); });
bp.registerBThread("More", function() { while (true) bp.sync({ request: bp.Event("more") }, 1); });
bp.registerBThread("Log", function() {
  const seen = [];
  while (true) {
    seen.push(bp.sync({ waitFor: bp.Event("more") }).name);
    bp.ASSERT(seen.join() !== "oops", "never");
  }
});
"#;
    let file = written("parts_priorities", "tick.js", text);
    let output = run(&["check", &file]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    // A blocked request has no priority over others.
    let three = text.replace("seen.join() !== \"oops\"", "seen.length < 3");
    let blocked = three.replace("\"tick\") }, 2)", "\"tick\"), block: bp.Event(\"tick\") }, 2)");
    for (name, text, verdict) in [("three", &three, 0), ("blocked", &blocked, 10)] {
        let output = run(&["check", &written("parts_priorities", name, text), "--input-format", "bpjs"]);
        assert_eq!(code(&output), verdict, "{name}: {}", stdout(&output));
    }
}
