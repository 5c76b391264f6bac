//! Programs with unbounded numbers (`tests/data/unbounded`): known answers, by construction and by Spacer on Horn
//! clauses of an independent description; random predicates over arguments, compared with explicit values; damaged
//! evidence.

use crate::tool::root;
use impasse::formats::{Limits, Source, read};
use impasse::model::{Claim, Goal, Problem, Stop};
use impasse::{Options, check, read_rwb};
use std::fmt::Write;
use std::fs;
use std::sync::Arc;
use std::time::Duration;
use testkit::{Random, count};

/// Checks a problem, for at most some seconds.
fn checked(problem: &Problem, seconds: u64) -> impasse::Outcome {
    checked_by(None, problem, seconds)
}

/// Checks a problem with this engine, or with all, for at most some seconds.
fn checked_by(engine: Option<&'static impasse::Row>, problem: &Problem, seconds: u64) -> impasse::Outcome {
    let options = Options { engine, ..Options::default() };
    let stop = Arc::clone(&options.stop);
    let (done, ended) = std::sync::mpsc::channel::<()>();
    std::thread::spawn(move || {
        if ended.recv_timeout(Duration::from_secs(seconds)) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            stop.raise(impasse::model::Reason::Timeout);
        }
    });
    let outcome = check(problem, &options);
    drop(done);
    outcome
}

fn problem(name: &str) -> Problem {
    let path = root().join("tests/data/unbounded").join(name);
    let source = Source { name: name.to_owned(), bytes: fs::read(path).expect("the file is there") };
    read(source, None, &Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}")).problem
}

#[test]
fn programs_keep_their_answers_in_json() {
    let table = fs::read_to_string(root().join("tests/data/unbounded/expected.csv")).expect("the table is there");
    let quick = ["safe", "unsafe"];
    let (mut last, mut answered) = (None, 0);
    for line in table.lines().skip(1) {
        let [name, property, verdict, _, "yes"] = line.split(',').collect::<Vec<_>>()[..] else { continue };
        assert!(quick.contains(&verdict), "{line}");
        if last.as_ref().is_none_or(|(other, _)| *other != name) {
            let mut json = Vec::new();
            let write = impasse::formats::by_name("json").and_then(|format| format.write).expect("it is written");
            if let Err(error) = write(&problem(name), &mut json) {
                // The first state of a few depends on tests.
                assert!(error.to_string().contains("a first state that depends on tests"), "{name}: {error}");
                continue;
            }
            let source = Source { name: format!("{name}.json"), bytes: json };
            let read = read(source, None, &Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
            last = Some((name, checked(&read.problem, 5)));
        }
        let (_, outcome) = last.as_ref().expect("it was checked");
        let answer = outcome.answers.iter().find(|answer| answer.property.id == property).expect("it is asked");
        let is_other = (answer.is_safe() && verdict == "unsafe") || (answer.is_unsafe() && verdict == "safe");
        assert!(!is_other, "{line}");
        answered += usize::from(answer.is_safe() || answer.is_unsafe());
    }
    assert!(!has_z3() || answered > 20, "{answered} answers");
}

/// True if Z3 is there. What needs it is unknown otherwise.
// A skipped test prints a message, which the lints do not allow elsewhere.
#[allow(clippy::print_stdout)]
pub(crate) fn has_z3() -> bool {
    let found = impasse::z3::find();
    if let Err(why) = &found {
        println!("skipped: {why}");
    }
    found.is_ok()
}

#[test]
fn known_answers() {
    let table = fs::read_to_string(root().join("tests/data/unbounded/expected.csv")).expect("the table is there");
    let (mut last, mut rows) = (None, 0);
    for line in table.lines().skip(1) {
        let [name, property, verdict, shortest, answered] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        // The table also has questions that are answered slowly, or not at all.
        if answered != "yes" {
            continue;
        }
        if last.as_ref().is_none_or(|(other, _)| *other != name) {
            last = Some((name, checked(&problem(name), 60)));
        }
        let (_, outcome) = last.as_ref().expect("it was checked");
        let answer = outcome.answers.iter().find(|answer| answer.property.id == property).expect("it is asked");
        let found = if answer.is_safe() {
            "safe"
        } else if answer.is_unsafe() {
            "unsafe"
        } else {
            "unknown"
        };
        if !has_z3() && found == "unknown" {
            continue;
        }
        assert_eq!(found, verdict, "{name}: {property}");
        let length = answer.trace().and_then(impasse::model::Trace::len);
        let is_right = |found: u64| {
            let known: u64 = shortest.parse().expect("a number");
            if answer.shortest { found == known } else { found >= known }
        };
        assert!(shortest.is_empty() || length.is_none_or(is_right), "{name}: {length:?}");
        rows += 1;
    }
    assert!(rows > if has_z3() { 70 } else { 10 }, "{rows} answers");
}

/// A random program with threads that compare arguments and the last arguments with constants. `domain` is the type of
/// all numbers: with `int` and with a range that contains all constants and their neighbours, the answers are the same.
fn random_text(seed: u64, domain: &str) -> String {
    let mut random = Random::new(seed);
    let mut text = format!("rwb 2\ncheck deadlock, bad\nevent e(v: {domain}), f(v: {domain}, w: {domain})\n");
    for thread in 0..2 + random.below(3) {
        let _ = writeln!(text, "thread T{thread} {{\n  var x: {domain} = {}\n  body {{ loop {{", random.below(3));
        for _ in 0..1 + random.below(2) {
            let act = act(&mut random);
            let _ = writeln!(text, "    {act}");
        }
        text += "  } }\n}\n";
    }
    text
}

fn condition(random: &mut Random, names: &[&str]) -> String {
    let one = |random: &mut Random| {
        let sign = ["<", "<=", ">", ">=", "==", "!="][random.below(6)];
        format!("{} {sign} {}", names[random.below(names.len())], random.below(5))
    };
    let (a, b) = (one(random), one(random));
    match random.below(4) {
        0 => format!("{a} && {b}"),
        1 => format!("({a} || {b})"),
        2 => format!("!({a})"),
        _ => a,
    }
}

fn pattern(random: &mut Random) -> (String, Vec<&'static str>) {
    match random.below(3) {
        0 => (format!("e({})", random.below(4)), Vec::new()),
        1 => ("e(a)".to_owned(), vec!["a"]),
        _ => ("f(a, b)".to_owned(), vec!["a", "b"]),
    }
}

fn act(random: &mut Random) -> String {
    let kind = ["request", "wait"][random.below(2)];
    let (set, names) = pattern(random);
    let all: Vec<&str> = names.iter().copied().chain(["x"]).collect();
    let filter = if random.chance(70) { format!(" when {}", condition(random, &all)) } else { String::new() };
    let mut text = format!("{kind} {set}{filter}");
    if random.chance(40) {
        let _ = write!(text, " block e(c) when {}", condition(random, &["c", "x"]));
    }
    match names.first() {
        Some(name) if random.chance(60) => {
            let _ = write!(text, "  x = {name}");
        }
        _ => {}
    }
    if random.chance(40) {
        let _ = write!(text, "  assert {}", condition(random, &["x"]));
    }
    text
}

#[test]
#[expect(clippy::print_stderr, reason = "the counts of a long run")]
fn random_predicates_agree_with_explicit_values() {
    let (mut programs, mut safe, mut violated, mut shortest, mut unknown) = (0, 0, 0, 0, 0);
    let first = std::env::var("IMPASSE_SEED").ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    for seed in first..first + count(400) {
        let symbolic = read_rwb(&random_text(seed, "int")).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        if symbolic.system().as_data().is_none() {
            continue; // few values were reached, and it was made explicit
        }
        programs += 1;
        let explicit = read_rwb(&random_text(seed, "-1..=5")).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(explicit.system().as_program().is_some());
        let (found, known) =
            (checked(&symbolic, 5), check(&explicit, &Options { shortest: true, ..Options::default() }));
        for goal in [Goal::Bad, Goal::Deadlock] {
            let (found, known) = (found.about(goal).expect("asked"), known.about(goal).expect("asked"));
            match (found.is_safe(), found.is_unsafe()) {
                (false, false) => unknown += 1,
                (true, _) => {
                    assert!(known.is_safe(), "seed {seed}: {goal} is reachable\n{}", random_text(seed, "int"));
                    safe += 1;
                }
                (_, true) => {
                    let length = |answer: &impasse::Answer| answer.trace().and_then(impasse::model::Trace::len);
                    let is_right =
                        if found.shortest { length(found) == length(known) } else { length(found) >= length(known) };
                    assert!(is_right, "seed {seed}: {goal}\n{}", random_text(seed, "int"));
                    shortest += u32::from(found.shortest);
                    violated += 1;
                }
            }
        }
    }
    eprintln!("{programs} programs: {safe} safe, {violated} violated ({shortest} shortest), {unknown} unknown");
    assert!(shortest * 2 > violated || !has_z3(), "{shortest} of {violated}");
    assert!(unknown <= (safe + violated) / 4 || !has_z3(), "{safe} {violated} {unknown}");
}

/// Writes the evidence of a claim.
fn written(problem: &Problem, claim: &Claim) -> String {
    let mut bytes = Vec::new();
    impasse::evidence::write("program", problem, claim, &mut bytes).expect("it is written");
    String::from_utf8(bytes).expect("it is text")
}

/// True if the checker accepts evidence that is read from this text.
fn accepts(problem: &Problem, text: &str) -> bool {
    let source = Source { name: "evidence".to_owned(), bytes: text.as_bytes().to_vec() };
    impasse::evidence::read(&source, problem, &Limits::default()).is_ok_and(|claim| {
        impasse::certify::confirm(problem, &claim, &impasse::certify::Options::default(), &Stop::default()).is_ok()
    })
}

#[test]
fn evidence_is_read_back_and_damage_is_refused() {
    for name in ["03_credit_safe.rwb", "09_ticket_safe.rwb", "08_account_unsafe.rwb"] {
        let problem = problem(name);
        for answer in &checked(&problem, 60).answers {
            let Some(claim) = answer.claim.as_deref() else { continue };
            let text = written(&problem, claim);
            assert!(accepts(&problem, &text), "{name}: {}", answer.property.id);
            if !matches!(claim, Claim::Safe { .. }) {
                continue;
            }
            for (from, to) in [("\"done\"", "\"step\""), ("decide 0", "decide 1"), ("*1", "*-1"), ("\"step\",", "")] {
                if text.contains(from) {
                    assert!(!accepts(&problem, &text.replace(from, to)), "{name}: {from} -> {to}");
                }
            }
        }
    }
}

/// Evidence about a part of the program: the skeleton without values, or projections onto few threads.
#[test]
fn evidence_about_parts_is_read_back_and_damage_is_refused() {
    if !has_z3() {
        return;
    }
    let skeleton = ("57_clocks_safe.rwb", "refutation", Some(&impasse::engines::DPLLT));
    for (name, kind, engine) in [skeleton, ("58_many_safe.rwb", "data_projections", None)] {
        let path = root().join("tests/data/unbounded").join(name);
        let text = fs::read_to_string(path).expect("the file is there");
        let problem = read_rwb(&text.replace("check bad", "check bad, deadlock")).expect("a program");
        let outcome = checked_by(engine, &read_rwb(&text).expect("a program"), 60);
        let claim = outcome.answers[0].claim.as_deref().expect("it has evidence");
        let text = written(&problem, claim);
        assert!(text.contains(&format!("\"{kind}\":")) && accepts(&problem, &text), "{name}");
        assert!(!accepts(&problem, &text.replace("\"goals\":[\"bad\"]", "\"goals\":[\"deadlock\"]")), "{name}");
        assert!(!accepts(&problem, &text.replace("\"goals\":[\"bad\"]", "\"goals\":[\"bad\",\"deadlock\"]")), "{name}");
        let known: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        let damaged = |damage: &dyn Fn(&mut serde_json::Value)| {
            let mut other = known.clone();
            damage(&mut other[kind]);
            assert_ne!(other, known, "{name}: something is damaged");
            assert!(!accepts(&problem, &other.to_string()), "{name}: {other}");
        };
        if kind == "refutation" {
            damaged(&|all| all["steps"] = serde_json::json!([]));
            continue;
        }
        let count = known[kind].as_array().map_or(0, Vec::len);
        assert!(count > 20, "a projection for each assertion");
        for part in 0..count {
            damaged(&|all| drop(all.as_array_mut().expect("a list").remove(part)));
            damaged(&|all| all[part]["targets"] = serde_json::json!([]));
            damaged(&|all| all[part]["kept"] = serde_json::json!([]));
            damaged(&|all| all[part]["controls"] = serde_json::json!([]));
            damaged(&|all| {
                let kept = all[part]["kept"].as_array_mut().expect("a list");
                let first = kept[0].as_u64().expect("a number");
                kept[0] = serde_json::json!(if first == 0 { 23 } else { first - 1 });
            });
        }
    }
}

/// Runs that the skeleton has and the program does not have are no violations: the search with stubborn sets works on
/// the skeleton only, and must not call a program safe that is not, nor unsafe at all.
#[test]
fn the_skeleton_alone_answers_safe_or_nothing() {
    let (mut safe, mut unknown) = (0, 0);
    for seed in 0..count(400) as u64 {
        let symbolic = read_rwb(&random_text(seed, "int")).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        if symbolic.system().as_data().is_none() {
            continue;
        }
        let outcome = checked_by(Some(&impasse::engines::STUBBORN), &symbolic, 60);
        let answer = outcome.about(Goal::Bad).expect("asked");
        assert!(!answer.is_unsafe(), "seed {seed}");
        assert!(!outcome.about(Goal::Deadlock).is_some_and(impasse::Answer::is_safe), "seed {seed}");
        if answer.is_safe() {
            let values = read_rwb(&random_text(seed, "-1..=5")).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            assert!(check(&values, &Options::default()).about(Goal::Bad).expect("asked").is_safe(), "seed {seed}");
            safe += 1;
        } else {
            unknown += 1;
        }
    }
    assert!(safe * 10 > count(400) / 4 && unknown > 0, "{safe} {unknown}");
}

/// Only the reader finds out that numbers have no bound, so the command line cannot refuse the engine by the name of
/// the file.
#[test]
fn the_engine_for_unbounded_numbers_can_be_named() {
    let output = crate::tool::run(&["check", "tests/data/unbounded/09_ticket_safe.rwb", "--engine", "symbolic", "-q"]);
    let expected = if has_z3() { 0 } else { 30 };
    assert_eq!(crate::tool::code(&output), expected, "{}", crate::tool::stdout(&output));
}

/// Loading Z3 takes longer than most checks, and looking for it may start other programs.
#[cfg(target_os = "linux")]
#[test]
fn z3_is_loaded_only_by_checks_that_ask_it() {
    let loads = |model: &str| {
        let output = crate::tool::command(&["check", model, "-q"]).env("LD_DEBUG", "files").output();
        let said = String::from_utf8_lossy(&output.expect("it runs").stderr).into_owned();
        // Other C libraries than glibc say nothing.
        said.contains("calling init").then(|| said.contains("libz3"))
    };
    for model in ["philosophers.rwb", "claims.pnml", "coffee.c", "ring.aag", "hasty_lock.tts"] {
        assert_ne!(loads(&format!("examples/{model}")), Some(true), "{model}");
    }
    if has_z3() {
        assert_ne!(loads("tests/data/unbounded/01_sensor_safe.rwb"), Some(false));
    }
}
