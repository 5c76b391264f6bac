//! Output of the commands as snapshots: text, JSON, help, errors. Times and memory are filtered out.
//!
//! After an intended change: `INSTA_UPDATE=always cargo test --test it`, and read the diff.

use crate::tool::{code, command, run, run_with, scratch, stdout, transcript};
use insta::{Settings, assert_snapshot};
use std::fs;
use std::process::Stdio;

/// Returns settings that replace values which differ between runs.
pub(crate) fn settings() -> Settings {
    let mut settings = Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.add_filter(r"\d+\.\d{3} s", "[time]");
    settings.add_filter(r#""seconds":[0-9.e-]+"#, r#""seconds":[time]"#);
    settings.add_filter(r#""peak_bytes":\d+"#, r#""peak_bytes":[bytes]"#);
    settings.add_filter(r"at most \d+ \w+ of memory", "at most [bytes] of memory");
    settings.add_filter(r"[\d,]+ lines of its code", "[many] lines of its code");
    settings
}

pub(crate) fn golden(name: &str, args: &[&str]) {
    settings().bind(|| assert_snapshot!(name, transcript(&run(args))));
}

pub(crate) fn golden_with(name: &str, args: &[&str], input: &str) {
    settings().bind(|| assert_snapshot!(name, transcript(&run_with(args, input.as_bytes()))));
}

const EXPLICIT: [&str; 2] = ["--engine", "explicit"];

#[test]
fn help() {
    golden("help", &["--help"]);
    for command in ["check", "info", "replay", "simulate", "explore", "dap", "lsp", "draw", "convert", "sat", "explain"]
    {
        golden(&format!("help_{command}"), &[command, "--help"]);
    }
    golden("help_check_short", &["check", "-h"]);
}

#[test]
fn check_text() {
    let check = |name: &str, file: &str, more: &[&str]| golden(name, &[&["check", file], &EXPLICIT[..], more].concat());
    check("check_bad", "examples/water_tank_free.rwb", &[]);
    check("check_deadlock", "examples/philosophers.rwb", &[]);
    check("check_safe", "examples/water_tank.rwb", &[]);
    check("check_verbose", "examples/array.rwb", &["-v", "--explore-all"]);
    check("check_quiet", "examples/numbers.rwb", &["-q"]);
    golden("check_auto", &["check", "examples/numbers.rwb"]);
    golden("check_two_files", &["check", "-q", "examples/task.rwb", "examples/numbers.rwb"]);
}

#[test]
fn check_lemmas() {
    golden("check_lemmas", &["check", "--engine", "dpllt", "examples/clocks_clash.rwb", "--property", "bad"]);
}

#[test]
fn check_json() {
    let json = |name: &str, file: &str, more: &[&str]| {
        golden(name, &[&["check", file, "--format", "json"], &EXPLICIT[..], more].concat());
    };
    json("json_bad", "examples/water_tank_free.rwb", &[]);
    json("json_safe", "examples/water_tank.rwb", &[]);
    json("json_one_property", "examples/philosophers.rwb", &["--property", "deadlock", "--explore-all"]);
    json("json_two_files", "examples/task.rwb", &["examples/numbers.rwb"]);
}

/// The formats for other programs report a violation, a proof, a warning and an unreadable file.
#[test]
fn check_junit_and_sarif() {
    let dir = scratch("junit_and_sarif");
    let wrong = dir.join("wrong.rwb");
    fs::write(&wrong, "rwb 1\nevent hot, cold\nthread T {\n  state s { request hto }\n}\n").expect("it can be written");
    let wrong = wrong.display().to_string();
    let files = ["examples/water_tank_free.rwb", &wrong, "no/such/file.rwb"];
    for format in ["junit", "sarif"] {
        let output = run(&[&["check", "--format", format], &files[..], &EXPLICIT].concat());
        let mut settings = settings();
        settings.add_filter(&regex(&wrong), "wrong.rwb");
        settings.add_filter(r#"time="[0-9.]+""#, r#"time="[time]""#);
        settings.add_filter(r#""version":"[^"]+"\}\}"#, r#""version":"[version]"}}"#);
        settings.bind(|| assert_snapshot!(format!("check_{format}"), transcript(&output)));
    }
}

/// Returns the path as a filter, with or without the prefix that makes it a URL.
fn regex(path: &str) -> String {
    format!("(file://)?{}", path.replace('.', "[.]"))
}

/// Traces with thousands of equal events, a choice of initial states, and nondeterminism.
#[test]
fn long_and_ambiguous_traces() {
    let far = "rwb 1  event e[2]
        thread Clock { for k in 0..500 { state s[k] { request e[0] when k == 499 { request e[1] } else { block e[1] } \
        on * -> s[(k+1)%500] } } }
        thread Marker { body { wait e[1] bad } }";
    golden_with(
        "trace_folded",
        &["check", "-", "--input-format", "rwb", "--engine", "explicit", "--property", "bad"],
        far,
    );
    let counter = "rwb 1  const n = 7  event flip[n]  event go
        for i in 0..n { thread Bit[i] {
            state zero { when i > 0 { block go } on flip[i] -> one when i > 0 { on flip[i-1] -> zero } }
            state one  { on flip[i] -> zero } } }
        thread Order { for k in 0..60 { state t[k] { request flip[k % n] on flip[k % n] -> t[k+1] } }
            state t[60] { bad } }";
    golden_with(
        "trace_elided",
        &["check", "-", "--input-format", "rwb", "--engine", "explicit", "--property", "bad"],
        counter,
    );
    let choice = "rwb 1  event a
        thread Coin { init heads | tails state heads { request a on a -> heads | tails | fell } state tails {} state \
        fell { bad } }";
    golden_with("trace_choice", &["check", "-", "--input-format", "rwb", "--engine", "explicit"], choice);
}

#[test]
fn bad_input() {
    golden_with(
        "error_undeclared",
        &["check", "-", "--input-format", "rwb"],
        "rwb 1\nevent hot\nthread T {\n  state s { request hto }\n}\n",
    );
    golden("error_no_file", &["check", "no/such/file.rwb"]);
    golden("error_no_format", &["check", "README.md"]);
    golden("error_later", &["check", "examples/task.rwb", "--bound", "3"]);
    golden("error_usage", &["check", "examples/task.rwb", "--engine", "invariants"]);
}

#[test]
fn info() {
    golden("info", &["info", "examples/numbers.rwb", "examples/philosophers.rwb"]);
}

#[test]
fn simulate() {
    golden_with("simulate", &["simulate", "examples/water_tank_free.rwb"], "1\n7\nu\n1\n1\n1\n");
    golden("simulate_random", &["simulate", "examples/array.rwb", "--random", "8", "--seed", "3"]);
    golden_with("simulate_steps", &["simulate", "examples/numbers.rwb", "--steps", "2"], "1\n1\n1\n");
}

#[test]
fn sat() {
    golden_with("sat", &["sat", "-"], "c three variables\np cnf 3 3\n1 2 0\n-1 0\n-2 3 0\n");
    let dir = scratch("sat_proof");
    let proof = dir.join("proof.drat");
    let unsatisfiable = "p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n";
    let output = run_with(&["sat", "-", "--proof", &proof.display().to_string()], unsatisfiable.as_bytes());
    assert_eq!((code(&output), stdout(&output).as_str()), (20, "s UNSATISFIABLE\n"));
    let lines = fs::read_to_string(&proof).expect("the proof is written");
    assert_eq!(lines.lines().filter(|l| l.trim() == "0").count(), 1, "a proof ends in the empty clause:\n{lines}");
    let output = run_with(&["sat", "-", "--proof", &dir.join("none").display().to_string()], b"p cnf 1 1\n1 0\n");
    assert_eq!((code(&output), stdout(&output).as_str()), (10, "s SATISFIABLE\nv 1 0\n"));
    assert!(!dir.join("none").exists(), "a satisfiable formula has no proof");
}

const FOUR: &str = "p cnf 3 5\n3 0\n1 2 -3 0\n1 -2 0\n-1 2 0\n-1 -2 0\n";

#[test]
fn answers_of_sat_are_checked() {
    let output = run_with(&["sat", "-", "--check"], FOUR.as_bytes());
    assert_eq!(code(&output), 20);
    let text = stdout(&output);
    assert!(text.starts_with("c checked: LRAT proof of ") && text.ends_with("\ns UNSATISFIABLE\n"), "{text}");
    let output = run_with(&["sat", "-", "--check"], b"p cnf 2 2\n1 2 0\n-1 0\n");
    let expected = "c checked: the model satisfies 2 clauses\ns SATISFIABLE\nv -1 2 0\n";
    assert_eq!((code(&output), stdout(&output).as_str()), (10, expected));
    let output = run_with(&["sat", "-", "--check", "--quiet"], FOUR.as_bytes());
    assert_eq!((code(&output), stdout(&output).as_str()), (20, "s UNSATISFIABLE\n"));
    let output = run_with(&["sat", "-", "--check", "--verbose"], FOUR.as_bytes());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    for time in ["c solve_seconds ", "c check_seconds "] {
        let seconds = told.lines().find_map(|line| line.strip_prefix(time)).expect(time);
        assert!(seconds.parse::<f64>().is_ok_and(|s| s >= 0.0), "{told}");
    }
}

#[test]
fn proofs_of_formulas_are_replayed() {
    let dir = scratch("sat_replay");
    let path = |name: &str| dir.join(name).display().to_string();
    fs::write(path("four.cnf"), FOUR).expect("the scratch directory can be written");
    let replay = |formula: &str, proof: &str| run(&["replay", &path(formula), &path(proof)]);
    for format in ["lrat", "lrat-binary", "drat", "drat-binary"] {
        let args = ["sat", &path("four.cnf"), "--proof", &path(format), "--proof-format", format, "--check"];
        assert_eq!(code(&run(&args)), 20);
    }
    assert!(fs::read(path("drat-binary")).expect("it is written").starts_with(b"a"));
    // The name of the file tells the format.
    assert_eq!(code(&run(&["sat", &path("four.cnf"), "--proof", &path("named.lrat")])), 20);
    assert_eq!(fs::read(path("named.lrat")).expect("it is written"), fs::read(path("lrat")).expect("it is written"));
    assert!(fs::read(path("drat")).expect("it is written").ends_with(b"\n0\n"));
    for format in ["lrat", "lrat-binary"] {
        let output = replay("four.cnf", format);
        let text = stdout(&output);
        assert_eq!(code(&output), 0, "{text}");
        assert!(text.starts_with("ACCEPTED: UNSATISFIABLE (LRAT proof of "), "{text}");
    }
    let proof = fs::read_to_string(path("lrat")).expect("it is written");
    fs::write(path("cut"), &proof[..proof.trim_end().rfind('\n').map_or(0, |end| end + 1)]).expect("it can be written");
    let output = replay("four.cnf", "cut");
    assert_eq!((code(&output), stdout(&output).contains("REJECTED: ")), (1, true));
    fs::write(path("less.cnf"), FOUR.replace("-1 -2 0", "-1 -2 -3 3 0")).expect("it can be written");
    assert_eq!(code(&replay("less.cnf", "lrat")), 1);
    fs::write(path("broken"), "6 1 x 0").expect("it can be written");
    let output = replay("four.cnf", "broken");
    assert_eq!(code(&output), 65);
    assert!(String::from_utf8_lossy(&output.stderr).contains("lrat::syntax"));
    assert_eq!(code(&run(&["replay", &path("four.cnf"), &path("lrat"), "--init", "0|0"])), 64);
    assert_eq!(code(&run(&["sat", &path("four.cnf"), "--proof-format", "lrat"])), 64, "no `--proof`");
    let bytes = FOUR.as_bytes();
    assert_eq!(code(&run_with(&["replay", "-", &path("lrat"), "--input-format", "cnf"], bytes)), 0);
}

#[test]
fn evidence_is_replayed() {
    let dir = scratch("evidence");
    let place = dir.display().to_string();
    for (model, property, engine, says) in [
        ("water_tank_free", "bad", "explicit", "ACCEPTED: bad UNSAFE (trace of 3 events)"),
        ("philosophers", "deadlock", "dpllt", "ACCEPTED: deadlock UNSAFE (trace of "),
        ("water_tank", "bad", "explicit", "SAFE (state-set of 13 states)"),
        ("clocks_clash", "bad", "dpllt", "SAFE (lemmas of "),
    ] {
        let file = format!("examples/{model}.rwb");
        run(&["check", &file, "--engine", engine, "--evidence", &place]);
        let evidence = dir.join(format!("{model}.{property}.evidence.json")).display().to_string();
        let output = run(&["replay", &file, &evidence, "-q"]);
        assert_eq!(code(&output), 0, "{model}: {}", transcript(&output));
        assert!(stdout(&output).contains(says), "{model}: {}", stdout(&output));
    }
}

/// Each answer has its own file of evidence, even if one certificate proves both properties, and if two models
/// have the same name. No other files are left behind.
#[test]
fn every_answer_has_its_evidence() {
    let dir = scratch("every_answer");
    let (place, copy) = (dir.join("evidence"), dir.join("water_tank.rwb"));
    fs::copy(crate::tool::root().join("examples/water_tank_free.rwb"), &copy)
        .expect("the scratch directory can be written");
    let copy = copy.display().to_string();
    let output = run(&[
        "check",
        "examples/water_tank.rwb",
        &copy,
        "--format",
        "json",
        "--evidence",
        &place.display().to_string(),
    ]);
    let mut named = Vec::new();
    for (model, line) in ["examples/water_tank.rwb", &copy].into_iter().zip(stdout(&output).lines()) {
        let report: serde_json::Value = serde_json::from_str(line).expect("one JSON object per line");
        for property in report["properties"].as_array().expect("a list") {
            let file = property["evidence"]["file"].as_str().expect("evidence of every answer").to_owned();
            assert_eq!(code(&run(&["replay", model, &file])), 0, "{file}");
            named.push(file);
        }
    }
    assert!(named[0].ends_with("water_tank.deadlock.evidence.json"), "{named:?}");
    named.sort();
    let mut there: Vec<String> = fs::read_dir(&place)
        .expect("it was made")
        .map(|entry| entry.expect("it can be listed").path().display().to_string())
        .collect();
    there.sort();
    assert_eq!(named, there, "each its own, and no others");
}

#[test]
fn sizes_beyond_words() {
    let program = "rwb 1  event a  for i in 0..64 { thread T[i] { state s { request a } state t {} } }";
    let info = stdout(&run_with(&["info", "-", "--input-format", "rwb", "-q"], program.as_bytes()));
    assert!(info.contains("at most 2^64 composite states"), "{info}");
    let info =
        stdout(&run_with(&["info", "-", "--input-format", "rwb", "-q"], b"rwb 1 event a thread T { state s {} }"));
    assert!(info.contains("at most 1 composite state\n"), "{info}");
}

#[test]
fn conversion_keeps_the_program() {
    let dir = scratch("convert");
    let path = |name: &str| dir.join(name).display().to_string();
    for model in ["array", "task", "philosophers"] {
        let file = format!("examples/{model}.rwb");
        let (json, back, dot) =
            (path(&format!("{model}.json")), path(&format!("{model}.rwb")), path(&format!("{model}.dot")));
        for (from, to) in [(&file, &json), (&json, &back), (&file, &dot)] {
            let output = run(&["convert", from, to]);
            assert_eq!(code(&output), 0, "{from} -> {to}: {}", transcript(&output));
        }
        assert!(fs::read_to_string(&dot).expect("it is written").starts_with("digraph"));
        let verdicts = |file: &str| {
            let output = run(&["check", file, "-q", "--engine", "explicit"]);
            (code(&output), stdout(&output).replace(file, "FILE"))
        };
        assert_eq!(verdicts(&file), verdicts(&json), "{model}");
        assert_eq!(verdicts(&file), verdicts(&back), "{model}");
    }
    let broken = path("broken.rwb");
    fs::write(&broken, "rwb 1 thread").expect("the scratch directory can be written");
    assert_eq!(code(&run(&["convert", &broken, &path("never.json")])), 65);
    assert!(!dir.join("never.json").exists(), "nothing is written for bad input");
}

/// Nets, thread-transition systems and programs are converted to circuits, and IC3 gives the right verdicts on
/// them.
#[test]
fn everything_becomes_a_circuit() {
    let dir = scratch("convert_circuit");
    let (net, out) = (dir.join("ring.spec"), dir.join("out.aag"));
    fs::write(
        &net,
        "vars a b rules a >= 1 -> a' = a - 1, b' = b + 1; b >= 1 -> b' = b - 1, a' = a + 1; init a >= 1, b = 0 target \
         b >= 3",
    )
    .expect("the scratch directory can be written");
    let assumes = dir.join("assumes.rwb");
    fs::write(
        &assumes,
        "rwb 1\nevent a\nthread T { state s0 { request a on a -> s1 } state s1 { bad } }\nassume length >= 5\n",
    )
    .expect("as above");
    let (net, out, assumes) = (net.display().to_string(), out.display().to_string(), assumes.display().to_string());
    let says = |bound: &str, encoding: &str| {
        let output = run(&["convert", &net, &out, "--bound", bound, "--encoding", encoding]);
        assert_eq!(code(&output), 0, "{}", transcript(&output));
        code(&run(&["check", &out]))
    };
    for encoding in ["thermometer", "one-hot", "binary"] {
        assert_eq!((says("2", encoding), says("3", encoding)), (0, 10), "{encoding}");
    }
    for (args, why) in [
        (vec!["convert", &net, &out], "`--bound N`"),
        (vec!["convert", &net, &out, "--bound", "0"], "initial marking"),
        (vec!["convert", "examples/task.rwb", &out, "--bound", "1"], "behavioral program"),
        (vec!["convert", "examples/task.rwb", &out, "--encoding", "thermometer"], "not counts"),
        (vec!["convert", &assumes, &out], "assumes"),
        (vec!["convert", "examples/ring.aag", &out, "--encoding", "binary"], "as it is"),
        (vec!["convert", &net, "never.pnml", "--bound", "1"], "for circuits"),
    ] {
        let output = run(&args);
        assert_eq!(code(&output), 64, "{args:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(why), "{}", transcript(&output));
    }
    for encoding in ["one-hot", "binary"] {
        let output = run(&["convert", "examples/philosophers.rwb", &out, "--encoding", encoding]);
        assert_eq!(code(&output), 0, "{}", transcript(&output));
        // In a circuit, a deadlock is an output like any other.
        assert_eq!(code(&run(&["check", &out])), 10, "{encoding}");
    }
}

#[test]
fn every_code_is_explained() {
    let list = stdout(&run(&["explain"]));
    let listed = list.lines().filter(|line| line.starts_with("    "));
    let codes: Vec<&str> = listed.filter_map(|l| l.trim_start().split("  ").next()).collect();
    assert!(codes.len() > 100, "{list}");
    for name in codes {
        let output = run(&["explain", name]);
        assert_eq!(code(&output), 0);
        assert!(stdout(&output).starts_with(name), "{name}");
    }
}

/// A reader that closes its end early, as in `impasse .. | head`, is no error.
#[test]
fn readers_may_leave() {
    let all = [&["explain"][..], &["info", "examples/philosophers.rwb"], &["check", "examples/water_tank.rwb"]];
    for args in all {
        let mut child = command(args).stdout(Stdio::piped()).spawn().expect("the binary starts");
        drop(child.stdout.take());
        let status = child.wait().expect("it ends");
        assert_eq!(status.code(), Some(0), "{args:?}");
    }
}

/// With `--progress ndjson` one JSON object per second is written to stderr.
#[test]
fn progress_as_json() {
    let model = crate::limits::endless();
    let args = ["check", "-", "--input-format", "rwb", "--timeout", "2500ms", "--progress", "ndjson"];
    let output = run_with(&args, model.as_bytes());
    let told = String::from_utf8_lossy(&output.stderr);
    let objects: Vec<serde_json::Value> = told.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
    assert!(!objects.is_empty(), "{told}");
    assert!(objects.iter().all(|o| o["event"] == "progress" && o["states"].is_u64()), "{told}");
}

/// The JSON report has the field names on which other programs rely.
#[test]
fn json_has_the_promised_fields() {
    let output = run(&["check", "examples/philosophers.rwb", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    let keys = |value: &serde_json::Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(report["schema"], 1);
    for key in ["schema", "file", "model", "nondeterministic", "properties", "seconds", "peak_bytes"] {
        assert!(keys(&report).contains(&key.to_owned()), "{key}");
    }
    for property in report["properties"].as_array().expect("a list") {
        for key in ["id", "kind", "verdict", "reason", "bound", "engine", "evidence", "stats", "seconds"] {
            assert!(keys(property).contains(&key.to_owned()), "{key}");
        }
        for key in ["kind", "length", "checked", "file"] {
            assert!(keys(&property["evidence"]).contains(&key.to_owned()), "{key}");
        }
        for key in ["states", "transitions", "lemmas", "replayed"] {
            assert!(keys(&property["stats"]).contains(&key.to_owned()), "{key}");
        }
    }
}

/// Evidence must satisfy the assumptions of the given model, not only of the model for which it was found.
#[test]
fn replay_holds_evidence_to_the_assumptions() {
    let dir = crate::tool::scratch("replay_holds_evidence_to_the_assumptions");
    let file = |name: &str, text: &str| {
        let path = dir.join(name);
        std::fs::write(&path, text).expect("the scratch directory can be written");
        path.display().to_string()
    };
    let thread = "thread T { state s { request a on a -> t } state t { bad } }";
    let plain = file("plain.rwb", &format!("rwb 1 event a check bad {thread}"));
    let long = file("long.rwb", &format!("rwb 1 event a check bad assume length >= 5 {thread}"));
    let never =
        file("never.rwb", &format!("rwb 1 event a check bad assume length % 2 == 0 assume length % 2 == 1 {thread}"));
    let out = dir.display().to_string();
    assert_eq!(code(&run(&["check", &plain, "--evidence", &out])), 10);
    let trace = dir.join("plain.bad.evidence.json").display().to_string();
    assert_eq!(code(&run(&["replay", &plain, &trace])), 0);
    assert_eq!(code(&run(&["replay", &long, &trace])), 1, "it has one event");
    assert_eq!(code(&run(&["check", &never, "--evidence", &out])), 0, "no number is even and odd");
    let refutation = dir.join("never.bad.evidence.json").display().to_string();
    assert_eq!(code(&run(&["replay", &never, &refutation])), 0);
    assert_eq!(code(&run(&["replay", &plain, &refutation])), 1, "it rests on what is not assumed here");
}
