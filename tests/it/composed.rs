//! Questions that several answers decide (branching time, largest values), asked through the command line.

use crate::tool::{code, run, scratch, stdout, transcript};
use std::fs;

const TASKS: &str = "PLACE idle, ready, running, cpu, failed;
MARKING idle: 3, cpu: 1;
TRANSITION submit CONSUME idle: 1; PRODUCE ready: 1;
TRANSITION start CONSUME ready: 1, cpu: 1; PRODUCE running: 1;
TRANSITION finish CONSUME running: 1; PRODUCE idle: 1, cpu: 1;
TRANSITION fail CONSUME running: 1; PRODUCE failed: 1, cpu: 1;
";

/// One proof can cover a question that was asked and a part of another question. Its file of evidence is about the
/// question alone.
#[test]
fn proofs_that_cover_parts_of_other_questions_are_replayed() {
    let dir = scratch("proofs_that_cover_parts");
    let (net, place) = (dir.join("tasks.lola").display().to_string(), dir.join("evidence").display().to_string());
    fs::write(&net, TASKS).expect("the scratch directory can be written");
    let questions = ["AG running <= 1", "MAX cpu", "AG EF ready >= 1", "EF running >= 2", "A (G F cpu >= 1)"];
    let asked: Vec<&str> = questions.iter().flat_map(|question| ["--ask", *question]).collect();
    for engine in [None, Some("explicit"), Some("ic3")] {
        let chosen: Vec<&str> = engine.iter().flat_map(|name| ["--engine", *name]).collect();
        let output = run(&[&["check", &net, "--evidence", &place, "--format", "json"], &asked[..], &chosen].concat());
        assert!(code(&output) < 64, "{engine:?}: {}", transcript(&output));
        let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("a report in JSON");
        let mut replayed = 0;
        for (property, question) in report["properties"].as_array().expect("a list").iter().zip(questions) {
            let Some(file) = property["evidence"]["file"].as_str() else { continue };
            let output = run(&[&["replay", &net, file], &asked[..]].concat());
            assert_eq!(code(&output), 0, "{engine:?} {question}: {}", transcript(&output));
            replayed += 1;
        }
        assert!(replayed == questions.len() || engine.is_some() && replayed > 0, "{engine:?}: {replayed}");
    }
}

/// The threads in local state 2 choose where they go.
const CHOOSE: &str = "2 4
0 0 -> 1 1 2~>0 2~>3
1 0 -> 1 2
1 1 -> 0 0
1 3 -> 0 3
";

/// The kinds of evidence: sets of markings, markings on which a formula is evaluated, runs that end or repeat and
/// record what threads choose, and parts.
#[test]
fn evidence_about_threads_is_replayed() {
    let dir = scratch("evidence_about_threads");
    let (model, place) = (dir.join("choose.tts").display().to_string(), dir.join("evidence").display().to_string());
    fs::write(&model, CHOOSE).expect("the scratch directory can be written");
    let questions = [
        ("MAX l2 + 2 * l3", "bound", 0),
        ("AG EF l1 >= 1", "branching", 0),
        ("AG (l2 >= 2 -> AX l2 >= 2)", "branching", 13),
        ("EX EX l2 >= 1", "branching", 0),
        ("A (G F l1 >= 1)", "markings", 0),
        ("F l3 >= 3", "trace", 13),
        ("AF l2 = 2", "trace", 13),
        ("LIVENESS", "branching", 13),
    ];
    for (question, kind, exit) in questions {
        let _ = fs::remove_dir_all(&place);
        let model = [model.as_str(), "--init", "0|0,0,0"];
        let output =
            run(&[&["check"], &model[..], &["--evidence", &place, "--format", "json", "--ask", question]].concat());
        let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("a report in JSON");
        let file = report["properties"][0]["evidence"]["file"].as_str();
        let file = file.unwrap_or_else(|| panic!("{question}: {}", transcript(&output)));
        let text = fs::read_to_string(file).expect("evidence");
        assert!(text.contains(&format!("\"{kind}\"")), "{question}: {text}");
        let again = run(&[&["replay"], &model[..], &[file, "--ask", question]].concat());
        assert_eq!(code(&again), 0, "{question}: {}", transcript(&again));
        assert_eq!(code(&output), exit, "{question}: {}", transcript(&output));
    }
}

/// Questions about markings are refused where the model has none.
#[test]
fn programs_have_no_largest_values() {
    let dir = scratch("programs_have_no_largest_values");
    let model = dir.join("a.rwb").display().to_string();
    fs::write(&model, "rwb 2\nevent e\nthread T { body { loop { request e } } }\n").expect("it can be written");
    for question in ["MAX T.L0 + T.L1", "LIVENESS"] {
        let output = run(&["check", &model, "--ask", question]);
        assert_eq!(code(&output), 65, "{}", transcript(&output));
        let said = transcript(&output);
        for part in ["goals::wrong-system", "about nets and thread-transition systems", "--ask:1:1", "help:"] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
}

/// An order: it is checked, possibly more than once, while its invoice is written; then it is sent or refused.
const ORDER: &str = "PLACE start, goods, bill, checked, written, both, end;
MARKING start: 1;
TRANSITION split CONSUME start: 1; PRODUCE goods: 1, bill: 1;
TRANSITION check CONSUME goods: 1; PRODUCE checked: 1;
TRANSITION again CONSUME checked: 1; PRODUCE goods: 1;
TRANSITION write CONSUME bill: 1; PRODUCE written: 1;
TRANSITION join CONSUME checked: 1, written: 1; PRODUCE both: 1;
TRANSITION send CONSUME both: 1; PRODUCE end: 1;
TRANSITION refuse CONSUME both: 1; PRODUCE end: 1;
";

/// A workflow net is shown to be sound by steps to a smaller net. A file without one of the steps is refused.
#[test]
fn steps_to_a_smaller_net_are_replayed() {
    let dir = scratch("steps_to_a_smaller_net");
    let (net, place) = (dir.join("order.lola").display().to_string(), dir.join("evidence").display().to_string());
    fs::write(&net, ORDER).expect("the scratch directory can be written");
    let asked = ["--ask", "order: SOUND"];
    let output = run(&[&["check", &net, "--engine", "siphons", "--evidence", &place], &asked[..]].concat());
    assert_eq!(code(&output), 0, "{}", transcript(&output));
    let file = dir.join("evidence/order.order.evidence.json");
    let replay = || run(&[&["replay", &net, &file.display().to_string()], &asked[..]].concat());
    assert_eq!(code(&replay()), 0, "{}", transcript(&replay()));
    let text = fs::read_to_string(&file).expect("evidence");
    let step = "[\"follow\",\"write\"]";
    assert!(text.contains(step), "{text}");
    fs::write(&file, text.replacen(step, "[\"follow\",\"again\"]", 1)).expect("it can be written");
    let refused = replay();
    assert_ne!(code(&refused), 0, "{}", transcript(&refused));
    assert!(transcript(&refused).contains("smaller net"), "{}", transcript(&refused));
}

/// Soundness is about one token at the start, so nothing is concluded from it for two: the engine that looks for it
/// gives up, and others answer.
#[test]
fn two_tokens_at_the_start_do_not_begin_again() {
    let net = scratch("two_tokens_at_the_start").join("two.spec").display().to_string();
    let text = "vars start fin rules start >= 1 -> start' = start - 1, fin' = fin + 1; init start = 2, fin = 0 \
                target start >= 9";
    fs::write(&net, text).expect("the scratch directory can be written");
    for (engine, exit) in [("siphons", 30), ("auto", 0)] {
        let output = run(&["check", &net, "--ask", "AG EF fin >= 1", "--engine", engine]);
        assert_eq!(code(&output), exit, "{}", transcript(&output));
    }
}

/// A net in the format of Tina, with its name; questions about it, and whether they hold.
type Asked = (&'static str, &'static str, &'static [(&'static str, bool)]);

/// Nets with unbounded places.
const UNBOUNDED: [Asked; 4] = [
    ("source", "tr t -> a\n", &[("AG EF a >= 1", true), ("REVERSIBLE", false), ("AG EF a <= 0", false)]),
    (
        "machine",
        "pl p (1)\ntr t p -> p a\ntr u a -> b\ntr v b*2 -> c\n",
        &[("LIVENESS", true), ("AG EF a >= 1", true), ("AG EF c <= 1", false)],
    ),
    // The switch may break, and then nothing more is made.
    (
        "switch",
        "pl on (1)\ntr stop on -> off\ntr start off -> on\ntr make on -> on a\ntr fail off -> broken\n",
        &[("LIVENESS", false), ("AG EF a >= 1", false), ("AG EF (on >= 1 OR broken >= 1)", true)],
    ),
    // Each b is used as soon as two of them are there, so one may be left for ever.
    ("pairs", "pl p (1)\ntr t p -> p a*2\ntr u a*3 p -> p b\ntr v b*2 -> \n", &[("LIVENESS", true)]),
];

/// Formulas about unbounded nets are decided, and their evidence is replayed. Evidence with another marking is refused.
#[test]
fn unbounded_nets_are_decided_by_backward_search() {
    let dir = scratch("unbounded_nets");
    let place = dir.join("evidence").display().to_string();
    let mut refused = 0;
    for (name, text, questions) in UNBOUNDED {
        let net = dir.join(format!("{name}.net")).display().to_string();
        fs::write(&net, format!("net {name}\n{text}")).expect("the scratch directory can be written");
        for (number, (question, holds)) in questions.iter().enumerate() {
            for engine in ["auto", "recurrence"] {
                let asked = format!("q{number}: {question}");
                let chosen = ["--engine", engine, "--timeout", "60s", "--evidence", &place, "--ask", &asked];
                let output = run(&[&["check", &net], &chosen[..]].concat());
                assert_eq!(code(&output), if *holds { 0 } else { 13 }, "{question}: {}", transcript(&output));
                let file = dir.join(format!("evidence/{name}.q{number}.evidence.json"));
                let replay = || run(&["replay", &net, &file.display().to_string(), "--ask", &asked]);
                assert_eq!(code(&replay()), 0, "{question}: {}", transcript(&replay()));
                let text = fs::read_to_string(&file).expect("evidence");
                for (right, wrong) in
                    [("[[[\"p\",1]],\"t\"", "[[[\"c\",1]],\"t\""), ("\"word\":[\"t\"]", "\"word\":[\"u\"]")]
                {
                    if text.contains(right) {
                        fs::write(&file, text.replacen(right, wrong, 1)).expect("it can be written");
                        assert_ne!(code(&replay()), 0, "{question}: {}", transcript(&replay()));
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(refused >= 4, "{refused} files were damaged");
}
