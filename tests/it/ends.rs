//! Final states and properties on the command line, from end to end: messages, exit codes, and evidence that is
//! checked again.

use crate::tool::{code, run, run_with, scratch, stdout, transcript};
use std::fs;
use std::path::Path;

/// `A` stops after two events, and `W` waits for ever.
const GAME: &str =
    "rwb 1\nevent a, b\nthread A { body { request a request b END } }\nthread W { body { loop { MARK wait b } } }\n";

fn file(dir: &Path, name: &str, text: &str) -> String {
    let path = dir.join(name);
    fs::write(&path, text).expect("the scratch directory can be written");
    path.display().to_string()
}

/// Checks the game with or without final states. Returns the exit code and the output.
fn game(end: &str, mark: &str, args: &[&str]) -> (i32, String) {
    let text = GAME.replace("END", end).replace("MARK", mark);
    let output = run_with(&[&["check", "-", "--input-format", "rwb"], args].concat(), text.as_bytes());
    (code(&output), stdout(&output))
}

#[test]
fn an_end_that_is_meant_is_no_deadlock() {
    for engine in ["auto", "explicit", "dpllt", "thread-abstraction", "stubborn", "ic3"] {
        let of = |end: &str, mark: &str, more: &[&str]| game(end, mark, &[&["--engine", engine][..], more].concat());
        let (exit, said) = of("", "", &[]);
        assert!(exit == 11 && said.contains("no thread requests anything"), "{engine}: {said}");
        assert!(said.contains("mark it `final` in every thread, or use --ends proper"), "{engine}: {said}");
        assert!(engine == "stubborn" || of("final", "final", &[]).0 == 0, "{engine}");
        assert!(engine == "stubborn" || of("", "", &["--ends", "proper"]).0 == 0, "{engine}");
        assert_eq!(of("final", "final", &["--ends", "none"]).0, 11, "{engine}");
    }
}

#[test]
fn one_thread_that_should_not_end_here_makes_it_a_deadlock() {
    let (exit, said) = game("final", "", &[]);
    assert!(exit == 11 && said.contains("Not in a final state: W (at line 4, before wait b)."), "{said}");
    let blocked = GAME.replace("END", "final").replace("MARK wait b", "final sync wait b block a");
    let output = run_with(&["check", "-", "--input-format", "rwb", "--property", "deadlock"], blocked.as_bytes());
    assert_eq!(code(&output), 11);
    assert!(stdout(&output).contains("Not in a final state: A (at line "), "{}", stdout(&output));
}

#[test]
fn final_is_a_name_elsewhere() {
    let text = "rwb 1 event final thread final { state final { request final on final -> s } state s { final } }";
    assert_eq!(code(&run_with(&["check", "-", "--input-format", "rwb", "-q"], text.as_bytes())), 0);
}

#[test]
fn marks_survive_conversion() {
    let dir = scratch("ends_convert");
    let text = GAME.replace("END", "final").replace("MARK", "final");
    let first = file(&dir, "game.rwb", &text);
    let (json, back) = (dir.join("game.json").display().to_string(), dir.join("back.rwb").display().to_string());
    assert_eq!(code(&run(&["convert", &first, &json])), 0);
    assert_eq!(code(&run(&["convert", &json, &back])), 0);
    for path in [&json, &back] {
        assert_eq!(code(&run(&["check", path, "-q"])), 0, "{path}");
        assert_eq!(code(&run(&["check", path, "-q", "--ends", "none"])), 11, "{path}");
    }
    assert!(fs::read_to_string(&back).expect("it was written").contains("state L2 { final }"));
    // The circuit has the same final states.
    let circuit = dir.join("game.aag").display().to_string();
    assert_eq!(code(&run(&["convert", &first, &circuit])), 0);
    assert_eq!(code(&run(&["check", &circuit, "-q"])), 0);
    assert_eq!(code(&run(&["convert", &first, &circuit, "--ends", "none"])), 0);
    assert_eq!(code(&run(&["check", &circuit, "-q"])), 10);
}

/// A proof that uses final states is evidence only for a program with these final states.
#[test]
fn evidence_about_ends_is_for_these_ends() {
    let dir = scratch("ends_evidence");
    let unmarked = file(&dir, "plain.rwb", &GAME.replace("END", "").replace("MARK", ""));
    let marked = file(&dir, "game.rwb", &GAME.replace("END", "final").replace("MARK", "final"));
    for engine in ["explicit", "dpllt", "thread-abstraction", "ic3"] {
        let out = dir.join(engine).display().to_string();
        assert_eq!(code(&run(&["check", &marked, "--engine", engine, "--evidence", &out])), 0, "{engine}");
        let proof = format!("{out}/game.deadlock.evidence.json");
        assert_eq!(code(&run(&["replay", &marked, &proof])), 0, "{engine}");
        assert_eq!(code(&run(&["replay", &marked, &proof, "--ends", "none"])), 65, "{engine}");
        assert_eq!(code(&run(&["replay", &unmarked, &proof])), 65, "{engine}");
    }
    let out = dir.join("proper").display().to_string();
    assert_eq!(code(&run(&["check", &unmarked, "--ends", "proper", "--evidence", &out])), 0);
    let proof = format!("{out}/plain.deadlock.evidence.json");
    assert_eq!(code(&run(&["replay", &unmarked, &proof, "--ends", "proper"])), 0);
    assert_eq!(code(&run(&["replay", &unmarked, &proof])), 65);
    // The hash is forged: evidence about one program is checked on the other program, and refused.
    let text = fs::read_to_string(&proof).expect("it was written");
    let other = run(&["check", &unmarked, "--evidence", &out]);
    assert_eq!(code(&other), 11);
    let trace = fs::read_to_string(format!("{out}/plain.deadlock.evidence.json")).expect("it was written");
    let hash = |text: &str| text[text.find("fnv1a64:").expect("a hash")..][..24].to_owned();
    let forged = file(&dir, "forged.json", &text.replace(&hash(&text), &hash(&trace)));
    assert_ne!(code(&run(&["replay", &unmarked, &forged])), 0);
    let forged = file(&dir, "forged.json", &trace.replace(&hash(&trace), &hash(&text)));
    assert_eq!(code(&run(&["replay", &unmarked, &forged, "--ends", "proper"])), 1);
}

const WORKFLOW: &str = r#"<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="i"><initialMarking><text>1</text></initialMarking></place><place id="o"/><place id="x"/>
<transition id="t"/><transition id="u"/>
<arc id="a" source="i" target="t"/><arc id="b" source="t" target="o"/>
<arc id="c" source="i" target="u"/><arc id="d" source="u" target="TARGET"/></page>
<finalmarkings><marking><place idref="o"><text>1</text></place></marking></finalmarkings></net></pnml>"#;

#[test]
fn final_markings_of_a_net_are_no_deadlocks() {
    let dir = scratch("ends_nets");
    let sound = file(&dir, "sound.pnml", &WORKFLOW.replace("TARGET", "o"));
    let stuck = file(&dir, "stuck.pnml", &WORKFLOW.replace("TARGET", "x"));
    for engine in ["auto", "explicit", "dpllt", "stubborn", "equation", "ic3.bits"] {
        let check = |path: &str, more: &[&str]| {
            let args = [&["check", path, "--property", "deadlock", "--engine", engine][..], more].concat();
            let output = run(&args);
            (code(&output), stdout(&output))
        };
        let (exit, said) = check(&sound, &[]);
        assert!(exit == 0 || (engine == "stubborn" && exit == 30), "{engine}: {said}");
        if engine != "equation" {
            let (exit, said) = check(&stuck, &[]);
            assert!(exit == 11 && said.contains("no transition is enabled"), "{engine}: {said}");
        }
        let (exit, said) = check(&stuck, &["--final", "o + x = 1"]);
        assert!(exit == 0 || (engine == "stubborn" && exit == 30), "{engine}: {said}");
    }
    let walked = run(&["check", &stuck, "--property", "deadlock", "--engine", "walk"]);
    assert_eq!(code(&walked), 11);
    // Evidence is checked against the final markings of the given options.
    let out = dir.join("evidence").display().to_string();
    let args = ["check", &stuck, "--property", "deadlock", "--final", "o + x = 1", "--evidence", &out];
    assert_eq!(code(&run(&args)), 0);
    let proof = format!("{out}/stuck.deadlock.evidence.json");
    assert_eq!(code(&run(&["replay", &stuck, &proof, "--final", "o + x = 1"])), 0);
    assert_ne!(code(&run(&["replay", &stuck, &proof])), 0);
    let spec =
        file(&dir, "sum.spec", "vars x y rules x >= 1 -> x' = x - 1, y' = y + 1; init x = 2, y = 0 target y >= 3");
    assert_eq!(code(&run(&["check", &spec, "--property", "deadlock"])), 11);
    assert_eq!(code(&run(&["check", &spec, "--property", "deadlock", "--final", "y = 2"])), 0);
    let threads = file(&dir, "one.tts", "2 2\n0 0 -> 1 1\n");
    let deadlock = ["check", &threads, "--property", "deadlock", "--init", "0|0"];
    assert_eq!(code(&run(&deadlock)), 11);
    assert_eq!(code(&run(&[&deadlock[..], &["--final", "s1 = 1 AND l1 >= 1"]].concat())), 0);
}

#[test]
fn any_number_of_threads_may_end() {
    let text =
        "rwb 1 const n = * event go[n] class P[i] n { state s { request go[i] on go[i] -> t } state t { MARK } }";
    let check = |mark: &str| {
        let text = text.replace("MARK", mark);
        let args = ["check", "-", "--input-format", "rwb", "--property", "deadlock", "--timeout", "60s"];
        let output = run_with(&args, text.as_bytes());
        (code(&output), stdout(&output))
    };
    let (exit, said) = check("");
    assert_eq!(exit, 11, "{said}");
    let (exit, said) = check("final");
    assert_eq!(exit, 0, "{said}");
}

#[test]
fn questions_about_programs() {
    let args = [
        "check",
        "examples/philosophers.rwb",
        "--ask",
        "AG !(Phil[0].L1 & Phil[1].L1)",
        "--ask",
        "two: EF Phil[0].L1 & Phil[1].L1",
        "--ask",
        "AG Phil[0].L1 + Phil[0].L0 >= 1",
        "--ask",
        "AF Phil[0].L1",
        "--ask",
        "EF DEADLOCK",
        "-q",
    ];
    insta::assert_snapshot!("ask_program", transcript(&run(&args)));
    let holds =
        ["check", "examples/nim.rwb", "-q", "--ask", "EF Pile.left[0] & Last.a", "--ask", "AG !(Turn.L0 & Turn.L1)"];
    assert_eq!(code(&run(&holds)), 0, "what is expected holds");
    let fails = ["check", "examples/nim.rwb", "-q", "--ask", "EF Pile.left[0] & Last.nobody", "--ask", "EF Last.b"];
    assert_eq!(code(&run(&fails)), 12);
    let beside = ["check", "examples/nim.rwb", "-q", "--ask", "EF Last.b", "--property", "deadlock"];
    assert_eq!(stdout(&run(&beside)), "examples/nim.rwb: deadlock: SAFE\nexamples/nim.rwb: ask:1: REACHABLE\n");
    for engine in ["explicit", "dpllt", "thread-abstraction", "ic3"] {
        let one =
            ["check", "examples/nim.rwb", "-q", "--engine", engine, "--ask", "AG !(A.L0 & Last.b & Pile.left[0])"];
        assert_eq!(code(&run(&one)), 10, "{engine}");
    }
}

#[test]
fn evidence_for_questions_is_checked_again() {
    let dir = scratch("ask_evidence");
    let out = dir.display().to_string();
    let (yes, no) = ("yes: EF Pile.left[0] & Last.a", "no: EF Pile.left[0] & Last.nobody");
    assert_eq!(code(&run(&["check", "examples/nim.rwb", "--ask", yes, "--ask", no, "--evidence", &out])), 12);
    for (question, id, said) in [(yes, "yes", "REACHABLE"), (no, "no", "UNREACHABLE")] {
        let evidence = format!("{out}/nim.{id}.evidence.json");
        let output = run(&["replay", "examples/nim.rwb", &evidence, "--ask", question]);
        assert!(code(&output) == 0 && stdout(&output).contains(&format!("{id} {said}")), "{}", transcript(&output));
        // A proof for one property is not accepted for another property of the same name.
        let other =
            if id == "yes" { "yes: EF Pile.left[3] & Last.nobody" } else { "no: EF Pile.left[9] & Last.nobody" };
        assert_ne!(code(&run(&["replay", "examples/nim.rwb", &evidence, "--ask", other])), 0, "{id}");
        assert_eq!(code(&run(&["replay", "examples/nim.rwb", &evidence])), 65);
    }
}

#[test]
fn questions_about_nets_and_others() {
    let ask = |path: &str, asks: &[&str]| {
        let asks: Vec<&str> = asks.iter().flat_map(|ask| ["--ask", ask]).collect();
        run(&[&["check", path, "-q"], &asks[..]].concat())
    };
    let output = ask("examples/lock.spec", &["one: AG crit <= 1", "EF crit = 1", "EF crit >= 2"]);
    assert_eq!(code(&output), 12, "{}", transcript(&output));
    let lines = "lock.spec: one: SAFE\nexamples/lock.spec: ask:2: REACHABLE\nexamples/lock.spec: ask:3: UNREACHABLE\n";
    assert!(stdout(&output).ends_with(lines), "{}", stdout(&output));
    let output = ask("examples/hasty_lock.tts", &["AG l1 <= 1"]);
    assert!([0, 10].contains(&code(&output)), "{}", transcript(&output));
    let output = ask("examples/coffee.c", &["G true", "never: F false"]);
    assert_eq!(code(&output), 13, "{}", transcript(&output));
    assert_eq!(stdout(&output), "examples/coffee.c: ask:1: SAFE\nexamples/coffee.c: never: UNSAFE\n");
    assert_eq!(code(&ask("examples/ring.aag", &["EF x"])), 64);
}

#[test]
fn wrong_questions() {
    let dir = scratch("ask_wrong");
    let net = file(&dir, "n.spec", "vars x y rules x >= 1 -> x' = x - 1; init x = 2, y = 0 target y >= 3");
    let asked = |args: &[&str]| code(&run(&[&["check", "-q"], args].concat()));
    assert_eq!(asked(&[&net, "--ask", "AG z <= 1"]), 65);
    assert_eq!(asked(&[&net, "--ask", "x <= 1"]), 13, "a temporal formula, which the initial marking violates");
    assert_eq!(asked(&[&net, "--ask", "deadlock: AG x <= 1"]), 65);
    assert_eq!(asked(&[&net, "--ask", "a: AG x <= 2", "--ask", "a: AG x <= 3"]), 64);
    assert_eq!(asked(&[&net, "--ask", "AF x <= 1"]), 0);
    assert_eq!(asked(&[&net, "--ask", "A ((G F x <= 1) AND E (F x = 0))"]), 30, "two sorts of formulas");
    assert_eq!(asked(&[&net, "--ends", "proper"]), 64);
    assert_eq!(asked(&["examples/nim.rwb", "--final", "x = 1"]), 64);
    assert_eq!(asked(&["examples/semaphore_any.rwb", "--ends", "proper"]), 64);
    assert_eq!(code(&run(&["convert", "examples/nim.rwb", "x.json", "--ask", "EF Last.b"])), 64);
    let output = run(&["check", "examples/nim.rwb", "--ask", "EF Lost.b"]);
    insta::assert_snapshot!("ask_unknown", transcript(&output));
}

/// A `.formula` file beside a net of any format is found. A true `EF` gives `REACHABLE` and exit code 10.
#[test]
fn formulas_beside_nets() {
    let dir = scratch("ask_beside");
    for (name, text) in [
        ("a.spec", "vars x y rules x >= 1 -> x' = x - 1, y' = y + 1; init x = 2, y = 0 target y >= 3"),
        ("b.lola", "PLACE x, y; MARKING x: 2; TRANSITION t CONSUME x: 1; PRODUCE y: 1;"),
        ("c.pnml", &WORKFLOW.replace("TARGET", "x").replace("\"o\"", "\"y\"")),
    ] {
        let path = file(&dir, name, text);
        file(&dir, &format!("{name}.formula"), "EF y = 1");
        let output = run(&["check", &path, "-q"]);
        assert_eq!((code(&output), stdout(&output)), (10, format!("{path}: target: REACHABLE\n")));
    }
}

#[test]
fn the_json_report_says_how_it_was_asked() {
    let args = [
        "check",
        "examples/nim.rwb",
        "--format",
        "json",
        "--ask",
        "EF Last.b",
        "--ask",
        "AG Last.b",
        "--ask",
        "AF Last.b",
    ];
    let output = run(&args);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
    let of = |key: &str| -> Vec<String> {
        let properties = report["properties"].as_array().expect("a list");
        properties.iter().map(|p| p[key].as_str().unwrap_or("null").to_owned()).collect()
    };
    assert_eq!(of("id"), ["ask:1", "ask:2", "ask:3"]);
    assert_eq!(of("asked"), ["EF", "AG", "never"]);
    assert_eq!(of("verdict"), ["unsafe", "unsafe", "unknown"]);
    assert_eq!(of("answer"), ["reachable", "unsafe", "unknown"]);
    assert_eq!(of("reason"), ["null", "null", "unsupported"]);
    assert_eq!(of("kind"), ["reach", "reach", "unsupported"]);
}

/// A thread that requests a blocked event does not end properly, even if its state is marked `final`.
#[test]
fn ends_that_request_are_not_read_as_proper() {
    let text = "rwb 1 event a, b, x\nthread T { state s { request a on a -> t } state t { final request x } }\n\
                thread W { state w { block x } }";
    for (ends, exit) in [("proper", 11), ("final", 11), ("none", 11)] {
        let args = ["check", "-", "--input-format", "rwb", "--property", "deadlock", "--ends", ends];
        assert_eq!(code(&run_with(&args, text.as_bytes())), exit, "{ends}");
    }
}

/// Counts are those of the program as read, without the parts that a property or final states add for the
/// search.
#[test]
fn counts_are_of_the_program_as_read() {
    let dir = scratch("counts_as_read");
    let body =
        "event a, b  thread T { state s { request a on a -> t } state t { request b on b -> u } state u { END } }";
    let counts = |end: &str, more: &[&str]| {
        let path = file(&dir, "p.rwb", &format!("rwb 1  {}", body.replace("END", end)));
        let args = ["check", &path, "--engine", "explicit", "--explore-all", "--format", "json"];
        let report: serde_json::Value =
            serde_json::from_str(&stdout(&run(&[&args[..], more].concat()))).expect("one JSON text");
        let stats = &report["properties"][0]["stats"];
        (stats["states"].as_u64(), stats["transitions"].as_u64())
    };
    let plain = counts("", &[]);
    assert_eq!(plain, (Some(3), Some(2)));
    assert_eq!(counts("final", &[]), plain, "a proper end goes on for ever");
    assert_eq!(counts("", &["--ask", "EF T.t"]), plain, "a question is a thread more");
    assert_eq!(counts("", &["--ask", "AG !(T.s & T.u)"]), plain);
}

/// With several `--ask`, an error names the one to which it belongs.
#[test]
fn errors_name_their_question() {
    let ask = |asks: &[&str]| {
        let args: Vec<&str> = asks.iter().flat_map(|ask| ["--ask", ask]).collect();
        let output = run(&[&["check", "examples/nim.rwb"], &args[..]].concat());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(ask(&["EF Turn.L0", "EF nothing"]).contains("[--ask 2:1:4]"));
    assert!(ask(&["EF nothing"]).contains("[--ask:1:4]"));
}
