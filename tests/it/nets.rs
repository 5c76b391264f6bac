//! Output of the commands about nets and thread-transition systems, as snapshots, and the effects of their
//! options.
//!
//! After an intended change: `INSTA_UPDATE=always cargo test --test it`, and read the diff.

use crate::cli::{golden, golden_with, settings};
use crate::tool::{code, command, root, run, run_with, scratch, stdout, transcript};
use insta::assert_snapshot;
use std::fs;
use std::path::Path;

/// A producer, a consumer, and a buffer for three items, which cannot overflow. It has weights.
const BUFFER: &str = "vars ready free full done
rules
  ready >= 1, free >= 1 -> ready' = ready - 1, free' = free - 1, full' = full + 1;
  full >= 2 -> full' = full - 2, free' = free + 2, done' = done + 1;
  done >= 1 -> done' = done - 1, ready' = ready + 2;
init ready = 2, free = 3, full = 0, done = 0
target full >= 4
";

/// Two targets: the first is reachable, the second is not.
const TWO_TARGETS: &str = "vars a b c
rules
  a >= 1 -> a' = a - 1, b' = b + 1;
  b >= 2 -> b' = b - 2, c' = c + 1;
init a = 4, b = 0, c = 0
target b >= 3
c >= 3
";

/// A net with all features.
const FEATURES: &str = "vars a b c d e
rules
  a >= 2 -> a' = a - 2, b' = b + 1;
  b >= 1, c = 0 -> d' = d + 1;
  d in [1, 3] -> e' = e + d, d' = 0;
  e >= 1, a >= 1 -> c' = 7, e' = 0;
init a >= 1, b in [0, 2], c = 0, d = 0, e = 0
target c >= 8, d >= 1
e >= 9
";

/// A broadcast with a choice, a spawn, a transfer.
const BROADCAST: &str = "2 4
0 0 -> 0 1
0 1 -> 1 2 1 ~> 3 1 ~> 0
1 2 +> 0 0
1 3 ~> 1 0
";

const EXPLICIT: [&str; 2] = ["--engine", "explicit"];

fn spec(name: &str, text: &str, args: &[&str]) {
    golden_with(name, &[&[args[0], "-", "--input-format", "spec"], &args[1..]].concat(), text);
}

pub(crate) fn check_spec(text: &str, more: &[&str]) -> (i32, String) {
    let args = [&["check", "-", "--input-format", "spec", "-q"], more].concat();
    let output = run_with(&args, text.as_bytes());
    (code(&output), stdout(&output))
}

/// Writes a file with this text into `dir`. Returns its path.
fn file(dir: &Path, name: &str, text: &str) -> String {
    let path = dir.join(name);
    fs::write(&path, text).expect("the scratch directory can be written");
    path.display().to_string()
}

#[test]
fn info_of_nets() {
    golden("net_info_lock", &["info", "examples/lock.spec", "examples/hasty_lock.tts"]);
    spec("net_info_features", FEATURES, &["info"]);
    golden_with("net_info_broadcast", &["info", "-", "--input-format", "tts", "--init", "0|0,1/2"], BROADCAST);
    let asked = format!("1|3\n{BROADCAST}");
    golden_with("net_info_translated", &["info", "-", "--input-format", "tts"], &asked);
}

#[test]
fn simulation_of_nets() {
    golden_with("net_simulate", &["simulate", "examples/lock.spec"], "3\n1\n1\nx\n3\nu\n2\n");
    golden("net_simulate_random", &["simulate", "examples/hasty_lock.tts", "--random", "6", "--seed", "2"]);
    let dir = scratch("net_simulate");
    let model = file(&dir, "broadcast.tts", BROADCAST);
    // The other three threads observe the first one leaving, and two of them may choose.
    let output = run_with(&["simulate", &model, "--init", "0/0"], b"4\n1\n1\n1\n2\n1\nq\n");
    let text = transcript(&output).replace(&dir.display().to_string(), "DIR");
    settings().bind(|| assert_snapshot!("net_simulate_choice", text));
    spec("net_simulate_deadlock", TWO_TARGETS, &["simulate", "--random", "20", "--seed", "1"]);
}

#[test]
fn combinations_without_sense_are_refused() {
    let lock = "examples/lock.spec";
    let mut said = String::new();
    for args in [
        &["check", lock, "--bound", "5..3"][..],
        &["check", lock, "--bound", "many"],
        &["check", lock, "--bound", "18446744073709551616"],
        &["check", lock, "--bound", "-3"],
        &["check", lock, "--timeout", "-3"],
        &["check", lock, "--seed", "-1"],
        &["check", lock, "--memory", "-1"],
        &["simulate", lock, "--random", "-1"],
        &["check", lock, "--engine", "dpllt"],
        &["check", "examples/hasty_lock.tts", "--engine", "dpllt"],
        &["check", lock, "--bound", "3", "--engine", "walk"],
        &["check", lock, "--bound", "3..5", "--format", "mcc"],
        &["check", lock, "--batch", "1"],
        &["check", lock, "--batch", "1", "--engine", "walk"],
        &["check", lock, "--explore-all", "--engine", "walk"],
        &["check", lock, "--seed", "1", "--engine", "explicit"],
        &["check", lock, "--seed", "1", "--engine", "dpllt"],
        &["check", lock, "--patterns", "none"],
        &["check", lock, "--invariants", "none"],
        &["check", lock, "--invariants", "bounds,pairs", "--engine", "ic3.bits"],
        &["check", "examples/task.rwb", "--invariants", "rules", "--engine", "ic3.bits"],
        &["check", lock, "--trust", "looped"],
        &["check", lock, "--jobs", "2", "--engine", "ic3"],
        &["check", lock, "--property", "bad"],
        &["check", lock, "--property", "target:2"],
        &["check", lock, "examples/hasty_lock.tts", "--target", "examples/hasty_lock.prop"],
        &["check", lock, "--target", "a.prop", "--properties", "b.xml"],
        &["check", lock, "--target", "-"],
        &["check", lock, "examples/task.rwb", "--bound", "3"],
        &["check", lock, "examples/task.rwb", "--patterns", "none"],
        &["check", "examples/task.rwb", "--init", "x=1"],
        &["check", "examples/task.rwb", "--target", "x.prop"],
        &["check", "examples/task.rwb", "--format", "mcc"],
        &["check", "examples/task.rwb", "--property", "target"],
        &["info", "examples/task.rwb", "--init", "x=1"],
        &["simulate", "examples/task.rwb", "--init", "x=1"],
        &["convert", "examples/task.rwb", "never.json", "--target", "x.prop"],
    ] {
        let output = run(args);
        assert_eq!(code(&output), 64, "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
        let first = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned();
        said.push_str(&format!("{}\n    {first}\n", args.join(" ")));
    }
    settings().bind(|| assert_snapshot!("net_refusals", said));
}

#[test]
fn a_net_without_a_question() {
    let nothing = "2 2\n0 0 -> 0 1\n";
    golden_with("net_no_question", &["check", "-", "--input-format", "tts"], nothing);
}

/// The engine `dpllt` enumerates initial states, so it refuses nets with infinitely many of them. It accepts a
/// net if slicing removes the open places.
#[test]
fn dpllt_needs_an_end() {
    let check =
        |args: &[&str]| code(&run(&[&["check", "--engine", "dpllt", "examples/hasty_lock.tts"], args].concat()));
    assert_eq!(
        (check(&[]), check(&["--bound", "3"]), check(&["--init", "0|0"]), check(&["--init", "0|0/0"])),
        (64, 10, 0, 64)
    );
    let sliced = "vars a b c rules a >= 1 -> c' = c + 1; init a >= 1, b = 0, c = 0 target b >= 1";
    assert_eq!(check_spec(sliced, &["--engine", "dpllt"]).0, 0);
    assert_eq!(check_spec(&sliced.replace("target b", "target c"), &["--engine", "dpllt"]).0, 64);
}

/// Slicing alone proves some goals, and the output counts the potentially marked places.
#[test]
fn markable_places_are_counted() {
    let one = "vars a b rules a >= 1 -> a' = a - 1; b >= 1 -> a' = a + 1; init a = 1, b = 0 target b >= 1";
    spec("net_markable", one, &["check"]);
    spec("net_markable_none", &one.replace("a = 1", "a = 0"), &["check"]);
}

#[test]
fn a_wrong_initial_state() {
    golden("net_wrong_init", &["check", "examples/hasty_lock.tts", "--init", "x=2"]);
}

#[test]
fn check_of_nets() {
    golden("net_unsafe", &["check", "examples/hasty_lock.tts"]);
    golden("net_safe_init", &[&["check", "examples/lock.spec", "--init", "idle=4"], &EXPLICIT[..]].concat());
    golden("net_bound", &[&["check", "examples/lock.spec", "--bound", "4"], &EXPLICIT[..]].concat());
    spec(
        "net_targets",
        TWO_TARGETS,
        &["check", "--property", "target:2", "--property", "target:1", "--property", "deadlock"],
    );
    spec("net_json", TWO_TARGETS, &[&["check", "--format", "json"], &EXPLICIT[..]].concat());
    golden(
        "net_json_threads",
        &["check", "examples/hasty_lock.tts", "--format", "json", "--engine", "explicit", "--bound", "3"],
    );
    golden(
        "net_json_safe",
        &["check", "examples/lock.spec", "--format", "json", "--engine", "explicit", "--init", "idle=3"],
    );
}

/// A range of bounds gives a result for each bound, and stops when the answer is known.
#[test]
fn ranges_of_bounds() {
    let range = |bounds| ["check", "examples/hasty_lock.tts", "--engine", "explicit", "--bound", bounds];
    golden("net_range", &range("0..9"));
    golden("net_range_open", &range("0..1"));
    let (exit, said) = check_spec(BUFFER, &["--bound", "2..9", "--engine", "explicit"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(exit, 0, "{said}");
    assert!(lines.len() > 2 && lines[0].ends_with("UNKNOWN (bound) within 2"), "{said}");
    assert!(lines.last().is_some_and(|l| l.contains("SAFE within ")), "{said}");
}

/// A net in which `y` may hold arbitrarily many tokens.
const GROWS: &str = "vars x y rules x >= 1 -> y' = y + 1; init x = 1, y = 0 target y >= 3";

#[test]
fn each_bound_has_its_own_evidence() {
    let dir = scratch("bounds");
    let (net, place) = (file(&dir, "grows.spec", GROWS), dir.display().to_string());
    let output = run(&["check", &net, "--bound", "2..9", "--engine", "ic3.bits", "--evidence", &place]);
    assert_eq!(code(&output), 10, "{}", transcript(&output));
    for (name, says) in [
        ("grows.target.bound-2", "NOT WITHIN 2"),
        ("grows.target.bound-3", "NOT WITHIN 3"),
        ("grows.target", "ACCEPTED: target UNSAFE (trace of "),
    ] {
        let evidence = format!("{place}/{name}.evidence.json");
        let output = run(&["replay", &net, &evidence, "-q"]);
        assert!(stdout(&output).contains(says), "{name}: {}", transcript(&output));
    }
    assert!(!dir.join("grows.target.bound-4.evidence.json").exists());
}

/// A goal with a number that no marking within the bound reaches is accepted.
#[test]
fn goals_beyond_every_circuit_are_false() {
    let dir = scratch("beyond");
    let at = |name: &str| dir.join(name).display().to_string();
    let far = GROWS.replace("y >= 3", "y >= 1000000000000000000000000000\ny >= 3");
    let net = file(&dir, "far.spec", &far);
    for (bound, expected) in [("2", 0), ("3", 10)] {
        let output = run(&["convert", &net, &at("far.aag"), "--bound", bound]);
        assert_eq!(code(&output), 0, "{}", transcript(&output));
        let output = run(&["check", &at("far.aag"), "-q"]);
        assert_eq!(code(&output), expected, "{bound}: {}", transcript(&output));
    }
}

/// `auto` searches within each bound. Its verdicts and evidence within a bound must equal those of `ic3.bits`.
#[test]
fn within_bounds_auto_proves_what_ic3_proves() {
    for model in ["examples/lock.spec", "examples/semaphore_any.rwb", "examples/hasty_lock.tts"] {
        let verdicts = |engine: &str| {
            let output = run(&["check", model, "--engine", engine, "--bound", "1..8", "--format", "json"]);
            let said = stdout(&output);
            let reports = said.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).expect("one JSON object"));
            let mut verdicts: Vec<String> = Vec::new();
            for report in reports {
                for p in report["properties"].as_array().expect("properties") {
                    let checked = &p["evidence"]["checked"];
                    verdicts.push(format!("{} {} {} {checked}", p["id"], p["bound"], p["verdict"]));
                }
            }
            verdicts.sort();
            (code(&output), verdicts)
        };
        let (auto, alone) = (verdicts("auto"), verdicts("ic3.bits"));
        assert!(!auto.1.is_empty());
        assert_eq!(auto, alone, "{model}");
    }
}

/// For every choice of `--invariants`, the answer is the same.
#[test]
fn facts_can_be_used_for_less() {
    for invariants in ["all", "none", "clauses", "bounds", "rules", "clauses,bounds", "rules,clauses"] {
        for engine in ["ic3.bits", "ic3.ttscov"] {
            let lock = run(&[
                "check",
                "examples/lock.spec",
                "--engine",
                engine,
                "--invariants",
                invariants,
                "--timeout",
                "60s",
            ]);
            assert_eq!(code(&lock), 0, "{engine} {invariants}: {}", transcript(&lock));
            let hasty = run(&["check", "examples/hasty_lock.tts", "--engine", engine, "--invariants", invariants]);
            assert_eq!(code(&hasty), 10, "{engine} {invariants}: {}", transcript(&hasty));
        }
    }
}

#[test]
fn exit_codes_of_nets() {
    for engine in ["auto", "explicit", "dpllt"] {
        assert_eq!(check_spec(BUFFER, &["--engine", engine]).0, 0, "{engine}");
        assert_eq!(check_spec(TWO_TARGETS, &["--engine", engine]).0, 10, "{engine}");
        assert_eq!(check_spec(TWO_TARGETS, &["--engine", engine, "--property", "deadlock"]).0, 11, "{engine}");
        assert_eq!(check_spec(TWO_TARGETS, &["--engine", engine, "--property", "target:2"]).0, 0, "{engine}");
        let lock = run(&["check", "examples/lock.spec", "--bound", "3", "--engine", engine]);
        assert_eq!(code(&lock), if engine == "auto" { 0 } else { 33 }, "{engine}");
    }
    assert_eq!(check_spec(TWO_TARGETS, &["--engine", "walk", "--seed", "7"]).0, 10);
    let endless = run(&["check", "examples/lock.spec", "--engine", "walk", "--timeout", "300ms"]);
    assert_eq!(code(&endless), 31);
    assert_eq!(check_spec("vars x rules init x = 0 target y >= 1", &[]).0, 65);
}

/// Each engine alone, without a bound. It decides the kind of goal for which it is designed, and gives no
/// answer for other goals.
#[test]
fn techniques_alone() {
    let verdict = |engine: &str, model: &str| {
        let output = run(&["check", model, "--engine", engine, "--format", "json", "--timeout", "20s"]);
        let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
        let property = &report["properties"][0];
        let text = |value: &serde_json::Value| value.as_str().unwrap_or("none").to_owned();
        (code(&output), text(&property["verdict"]), text(&property["evidence"]["kind"]))
    };
    let said = |code: i32, verdict: &str, evidence: &str| (code, verdict.to_owned(), evidence.to_owned());
    let (safe, broken) = ("examples/lock.spec", "examples/hasty_lock.tts");
    for (engine, evidence) in
        [("concurrency", "pairs"), ("ic3", "pairs"), ("equation", "pairs"), ("cover.backward", "vectors")]
    {
        assert_eq!(verdict(engine, safe), said(0, "safe", evidence), "{engine}");
    }
    for engine in ["ic3", "cover.greedy", "cover.astar", "cover.backward", "cover", "walk", "auto"] {
        assert_eq!(verdict(engine, broken), said(10, "unsafe", "trace"), "{engine}");
    }
    for engine in ["concurrency", "equation"] {
        assert_eq!(verdict(engine, broken).0, 30, "{engine}");
    }
}

/// Invariants prove the goal of this net without a state. Without them `dpllt` must explore all states.
#[test]
fn without_patterns_dpllt_searches_a_net_without_facts() {
    let states = |engine: &str, patterns: &str| {
        let lock = ["check", "examples/lock.spec", "--init", "idle=8", "--engine", engine, "--patterns", patterns];
        let said = stdout(&run(&[&lock[..], &["--format", "json"]].concat()));
        let after = said.split("\"states\":").nth(1).expect("it says so");
        after.split(',').next().expect("a number").parse::<u64>().expect("a number")
    };
    assert_eq!(states("dpllt", "all"), 0);
    assert!(states("explicit", "all") > 0);
    assert_eq!(states("dpllt", "none"), states("explicit", "all"));
}

/// The names of an engine's own statistics differ from those that every report contains.
#[test]
fn counts_of_engines_have_names_of_their_own() {
    for engine in
        ["concurrency", "ic3", "equation", "cover.greedy", "cover.astar", "cover.backward", "walk", "explicit"]
    {
        let args = ["check", "examples/hasty_lock.tts", "--engine", engine, "--format", "json", "--timeout", "5s"];
        let said = stdout(&run(&args));
        let stats = said.split("\"stats\"").nth(1).and_then(|s| s.split("\"seconds\"").next()).expect("there are some");
        for key in ["states", "transitions", "lemmas", "replayed"] {
            assert_eq!(stats.matches(&format!("\"{key}\":")).count(), 1, "{engine}: {key} in {stats}");
        }
    }
}

#[test]
fn evidence_of_nets_is_replayed() {
    let dir = scratch("net_evidence");
    let place = dir.join("evidence").display().to_string();
    let two = file(&dir, "two.spec", TWO_TARGETS);
    let buffer = file(&dir, "buffer.spec", BUFFER);
    // For threads with choices, the task is a net with auxiliary places. The evidence must not contain these
    // places.
    let chosen = file(&dir, "chosen.tts", "1|1,1,1\n2 3\n1 0 -> 0 2 1 ~> 0 1 ~> 2\n0 0 -> 1 1\n");
    let never = file(&dir, "never.spec", "vars a b rules b >= 1 -> a' = a + 1; init a = 0, b = 0 target a >= 1");
    for (model, stem, property, engine, init, says) in [
        (two.as_str(), "two", "target", "explicit", None, "ACCEPTED: target UNSAFE (trace of 3 events)"),
        (&two, "two", "target:2", "explicit", None, "ACCEPTED: target:2 SAFE (state-set of "),
        (&two, "two", "target:2", "ic3", None, "ACCEPTED: target:2 SAFE ("),
        (&two, "two", "target:2", "equation", None, "ACCEPTED: target:2 SAFE (linear"),
        (&chosen, "chosen", "target", "equation", None, "ACCEPTED: target SAFE (5 pairs that can be marked together)"),
        (&two, "two", "deadlock", "auto", None, "ACCEPTED: deadlock UNSAFE (trace of "),
        (&buffer, "buffer", "target", "explicit", None, "ACCEPTED: target SAFE (state-set of "),
        (&buffer, "buffer", "target", "auto", None, "ACCEPTED: target SAFE ("),
        (&never, "never", "target", "auto", None, "ACCEPTED: target SAFE (set of 0 places that can be marked)"),
        (
            "examples/lock.spec",
            "lock",
            "target",
            "auto",
            None,
            "ACCEPTED: target SAFE (7 pairs that can be marked together)",
        ),
        ("examples/hasty_lock.tts", "hasty_lock", "target", "auto", None, "ACCEPTED: target UNSAFE (trace of "),
        (
            "examples/hasty_lock.tts",
            "hasty_lock",
            "target",
            "explicit",
            Some("0|0"),
            "ACCEPTED: target SAFE (state-set of ",
        ),
    ] {
        let init: Vec<&str> = init.map_or(Vec::new(), |init| vec!["--init", init]);
        let asked = ["check", model, "--evidence", &place, "--property", property, "--engine", engine];
        let evidence = format!("{place}/{stem}.{}.evidence.json", property.replace(':', "-"));
        let _ = fs::remove_file(&evidence); // from the previous row
        run(&[&asked, &init[..]].concat());
        let output = run(&[&["replay", model, &evidence, "-q"], &init[..]].concat());
        assert_eq!(code(&output), 0, "{stem} {property}: {}", transcript(&output));
        assert!(stdout(&output).contains(says), "{stem} {property}: {}", stdout(&output));
    }
    // Other initial states make another model.
    let evidence = format!("{place}/hasty_lock.target.evidence.json");
    let output = run(&["replay", "examples/hasty_lock.tts", &evidence]);
    assert_eq!(code(&output), 65);
    assert!(String::from_utf8_lossy(&output.stderr).contains("the same --init"), "{}", transcript(&output));
}

/// The tool warns about parts that a format cannot express, or refuses the conversion and names the place in
/// the model.
#[test]
fn conversion_says_what_is_lost() {
    let dir = scratch("net_convert_lost");
    let (two, choice, open, idle) = ("two.spec", "choice.tts", "open.spec", "idle.spec");
    file(&dir, two, TWO_TARGETS);
    file(&dir, choice, BROADCAST);
    file(&dir, open, "vars a rules init a >= 1 target a >= 2");
    file(&dir, idle, "vars a rules init a = 1 target");
    let mut said = String::new();
    for (from, to) in [
        (two, "two.pnml"),
        (two, "two.dot"),
        (two, "again.spec"),
        (idle, "idle.pnml"),
        (choice, "choice.spec"),
        (choice, "choice.pnml"),
        (open, "open.pnml"),
        (open, "open.tts"),
        (two, "missing/two.spec"),
    ] {
        // Names without directories, so that lines break equally on all machines.
        let output = command(&["convert", from, to]).current_dir(&dir).output().expect("the binary starts");
        said.push_str(&format!("{to}: {}", transcript(&output)));
    }
    settings().bind(|| assert_snapshot!("net_convert_lost", said));
    let quiet = command(&["convert", "-q", two, "two.pnml"]).current_dir(&dir).output().expect("the binary starts");
    assert_eq!((code(&quiet), quiet.stderr.len()), (0, 0));
}

#[test]
fn conversion_keeps_nets() {
    let dir = scratch("net_convert");
    let path = |name: &str| dir.join(name).display().to_string();
    let verdicts = |file: &str| {
        let output = run(&["check", file, "-q", "--timeout", "20s"]);
        (code(&output), stdout(&output).replace(file, "FILE"))
    };
    let (tts, spec) = ("examples/hasty_lock.tts", path("hasty.spec"));
    for (from, to) in [(tts, &spec), (tts, &path("again.tts")), (tts, &path("hasty.dot")), (&spec, &path("net.dot"))] {
        let output = run(&["convert", from, to]);
        assert_eq!(code(&output), 0, "{from} -> {to}: {}", transcript(&output));
    }
    assert_eq!(verdicts(tts), verdicts(&spec));
    assert!(fs::read_to_string(path("net.dot")).expect("it is written").starts_with("digraph"));
    let buffer = file(&dir, "buffer.spec", BUFFER);
    let pnml = path("buffer.pnml");
    assert_eq!(code(&run(&["convert", &buffer, &pnml])), 0);
    let lock = run(&["convert", "examples/lock.spec", &path("lock.pnml")]);
    assert_eq!(code(&lock), 65, "{}", transcript(&lock));
    assert!(!dir.join("lock.pnml").exists(), "nothing is written");
    let choice = file(&dir, "choice.tts", BROADCAST);
    assert_eq!(code(&run(&["convert", &choice, &path("choice.spec")])), 65);
    for (from, to) in
        [("examples/lock.spec", "lock.rwb"), ("examples/lock.spec", "lock.tts"), ("examples/task.rwb", "t.spec")]
    {
        assert_eq!(code(&run(&["convert", from, &path(to)])), 65, "{from} -> {to}");
    }
}

/// Files of the Model Checking Contest: the net, its formulas, and answers in the format of the contest.
#[test]
fn contest_answers() {
    let dir = scratch("net_contest");
    let net = "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\
        <net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\">\
        <place id=\"p\"><initialMarking><text>3</text></initialMarking></place><place id=\"q\"/><transition id=\"t\"/>\
        <arc id=\"a\" source=\"p\" target=\"t\"/><arc id=\"b\" source=\"t\" target=\"q\"/></page></net></pnml>";
    let count = |place: &str| format!("<tokens-count><place>{place}</place></tokens-count>");
    let constant = |n: u32| format!("<integer-constant>{n}</integer-constant>");
    let at_most = |left: String, right: String| format!("<integer-le>{left}{right}</integer-le>");
    let property = |id: &str, formula: String| {
        format!("<property><id>{id}</id><description>d</description><formula>{formula}</formula></property>")
    };
    let exists = |phi: String| format!("<exists-path><finally>{phi}</finally></exists-path>");
    let always = |phi: String| format!("<all-paths><globally>{phi}</globally></all-paths>");
    let xml = format!(
        "<property-set xmlns=\"http://mcc.lip6.fr/\">{}{}{}{}</property-set>",
        property("N-00", exists(at_most(constant(3), count("q")))),
        property("N-01", exists(at_most(constant(4), count("q")))),
        property("N-02", always(at_most(count("q"), constant(3)))),
        property("N-03", always(at_most(count("q"), count("p")))),
    );
    let (model, properties) = (file(&dir, "model.pnml", net), file(&dir, "ReachabilityCardinality.xml", &xml));
    let ask = |more: &[&str]| run(&[&["check", &model, "--properties", &properties], more].concat());
    let output = ask(&["--format", "mcc"]);
    let said: Vec<String> =
        stdout(&output).lines().map(|l| l.split(" TECHNIQUES").next().unwrap_or_default().to_owned()).collect();
    assert_eq!(said, ["FORMULA N-00 TRUE", "FORMULA N-01 FALSE", "FORMULA N-02 TRUE", "FORMULA N-03 FALSE"]);
    assert_eq!(code(&output), 10, "N-00 and N-03 have reachable goals");
    let output = ask(&["--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    let kinds: Vec<&str> =
        report["properties"].as_array().expect("a list").iter().map(|p| p["kind"].as_str().unwrap_or("")).collect();
    assert_eq!(kinds, ["cover", "cover", "cover", "reach"]);
    // The contest asks whether a deadlock can be reached.
    for (question, truth) in [
        (&["--property", "deadlock"][..], "FORMULA deadlock TRUE"),
        (&["--ask", "EF DEADLOCK"], "FORMULA ask:1 TRUE"),
        (&["--ask", "AG NOT DEADLOCK"], "FORMULA ask:1 FALSE"),
    ] {
        let output = run(&[&["check", &model, "--format", "mcc"], question].concat());
        assert!(stdout(&output).starts_with(truth), "{question:?}: {}", stdout(&output));
    }
    let one = ask(&["--format", "mcc", "--property", "N-01"]);
    assert_eq!((code(&one), stdout(&one).lines().count()), (0, 1));
    assert_eq!(code(&ask(&["--property", "N-09"])), 64);
    let none = run(&["check", &model]);
    assert_eq!(code(&none), 64, "{}", transcript(&none));
    let walk = ["--format", "mcc", "--property", "N-01", "--engine", "walk", "--timeout", "200ms"];
    assert_eq!((code(&ask(&walk)), stdout(&ask(&walk)).as_str()), (31, "FORMULA N-01 CANNOT_COMPUTE\n"));
}

/// The models of `examples/` have the verdicts in their first lines: `# impasse check FILE .. -> PROPERTY:
/// VERDICT`.
#[test]
fn examples_keep_their_promises() {
    for name in ["lock.spec", "hasty_lock.tts"] {
        let text = fs::read_to_string(root().join("examples").join(name)).expect("it is there");
        let promise = text.lines().find_map(|l| l.strip_prefix("# impasse ")).expect("a promise");
        let (command, verdict) = promise.split_once("->").expect("command -> verdict");
        let args: Vec<&str> = command.split_whitespace().collect();
        let said = stdout(&run(&args));
        assert!(said.contains(&format!(": {}", verdict.trim())), "{name} promises `{verdict}` but says\n{said}");
    }
}

/// Equal steps of a long trace are shown in one line.
#[test]
fn long_traces_of_nets() {
    let far = "vars a b c rules a >= 1 -> a' = a - 1, b' = b + 1; b >= 1000 -> b' = 0, c' = c + 1; init a = 2000, b = \
               0, c = 0 target c >= 2";
    spec("net_trace_folded", far, &[&["check"], &EXPLICIT[..]].concat());
}

/// Numbers of any size are read and shown. An engine with limited counters reports an overflow.
#[test]
fn huge_numbers() {
    let huge = "9".repeat(5_000);
    let net = format!("vars a b rules a >= 1 -> a' = a - 1, b' = b + {huge}; init a = {huge}, b = 0 target b >= 7");
    spec("net_huge", &net, &["simulate", "--random", "2"]);
    let output = run_with(&[&["check", "-", "--input-format", "spec"], &EXPLICIT[..]].concat(), net.as_bytes());
    assert_eq!(code(&output), 30, "{}", transcript(&output));
    assert!(stdout(&output).contains("UNKNOWN (overflow)"), "{}", stdout(&output));
}
