//! Checkpoints: checks that are killed at random moments and resumed give the same report, and checkpoints that cannot
//! be used are refused.

use crate::tool::{code, command, run, scratch, stdout};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;
use testkit::Random;

/// A program with `states.pow(threads)` states: independent counters.
fn counters(threads: usize, states: usize) -> String {
    let mut text = "rwb 1\n".to_owned();
    (0..threads).for_each(|t| writeln!(text, "event e{t}").unwrap());
    for t in 0..threads {
        let state = |s: usize| format!("state s{s} {{ request e{t} on e{t} -> s{} }}", (s + 1) % states);
        let all: Vec<String> = (0..states).map(state).collect();
        writeln!(text, "thread t{t} {{ {} }}", all.join(" ")).unwrap();
    }
    text
}

/// A net with `tokens` tokens in a ring of places. Its slots are widened during the search.
fn ring(places: usize, tokens: usize) -> String {
    let names: Vec<String> = (0..places).map(|p| format!("p{p}")).collect();
    let mut text = format!("vars\n  {}\nrules\n", names.join(" "));
    for (p, name) in names.iter().enumerate() {
        let next = &names[(p + 1) % places];
        writeln!(text, "  {name} >= 1 -> {name}' = {name}-1, {next}' = {next}+1;").unwrap();
    }
    let others = names[1..].iter().map(|name| format!(", {name} = 0")).collect::<String>();
    writeln!(text, "init\n  p0 = {tokens}{others}\ntarget\n  p1 >= {}", tokens + 1).unwrap();
    text
}

/// Writes a model into an empty directory. Returns the model, and a directory for checkpoints that does not exist yet.
fn model(test: &str, name: &str, text: &str) -> (String, PathBuf) {
    let dir = scratch(test);
    let path = dir.join(name);
    fs::write(&path, text).expect("the directory is there");
    (path.to_string_lossy().into_owned(), dir.join("saved"))
}

/// Returns the parts of a JSON report that must not depend on interruptions.
fn said(report: &str) -> Vec<String> {
    let report: serde_json::Value = serde_json::from_str(report.lines().next().expect("a report")).expect("JSON");
    let answers = report["properties"].as_array().expect("answers");
    let parts = |answer: &serde_json::Value| {
        let stats = &answer["stats"];
        format!("{} {} {} {}", answer["id"], answer["verdict"], stats["states"], stats["transitions"])
    };
    answers.iter().map(parts).collect()
}

/// Runs the command for at most `time`. Returns its output if it ends by itself. Otherwise it is killed.
fn killed_after(args: &[&str], time: Duration) -> Option<std::process::Output> {
    let mut child = command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    sleep(time);
    if child.try_wait().expect("it is a child").is_none() {
        child.kill().expect("it runs");
        child.wait().expect("it was killed");
        return None;
    }
    Some(child.wait_with_output().expect("it ended"))
}

/// Kills the check at random until it is done. Returns its last output, and the number of kills.
fn interrupted(options: &[&str], model: &str, dir: &Path, random: &mut Random) -> (std::process::Output, usize) {
    let dir = dir.to_str().expect("a name in ASCII");
    let often = ["--checkpoint-every", "10ms", "--format", "json"];
    let first = [&["check", model, "--checkpoint", dir][..], options, &often].concat();
    let again = [&["resume", dir][..], &often].concat();
    let mut kills = 0;
    let mut args = &first;
    loop {
        let time = Duration::from_millis(random.between(5, 25 + 40 * kills) as u64);
        match killed_after(args, time) {
            Some(output) => return (output, kills),
            None => kills += 1,
        }
        if Path::new(dir).join("manifest").exists() {
            args = &again;
        } else {
            // It was killed before it had read the model.
            args = &first;
        }
    }
}

#[test]
fn killed_checks_end_as_if_never_interrupted() {
    let cases = [
        ("counters.rwb", counters(5, 7), vec!["--engine", "explicit", "--explore-all"]),
        ("all.rwb", counters(5, 5), vec!["--explore-all"]),
        ("ring.spec", ring(5, 14), vec!["--engine", "explicit", "--explore-all"]),
    ];
    let mut kills = 0;
    for (number, (name, text, options)) in cases.into_iter().enumerate() {
        let (model, dir) = model(&format!("checkpoint-kills-{number}"), name, &text);
        let plain = run(&[&["check", model.as_str(), "--format", "json"][..], &options].concat());
        for seed in 0..3 {
            let _ = fs::remove_dir_all(&dir);
            let (output, more) = interrupted(&options, &model, &dir, &mut Random::new(seed));
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(code(&output), code(&plain), "{name}: {errors}");
            assert_eq!(said(&stdout(&output)), said(&stdout(&plain)), "{name}: {errors}");
            kills += more;
        }
    }
    assert!(kills > 0, "no check was killed");
}

/// Makes a checkpoint that is not at its end.
fn saved(test: &str) -> (String, PathBuf) {
    let (model, dir) = model(test, "counters.rwb", &counters(6, 9));
    let options = ["--engine", "explicit", "--explore-all", "--checkpoint-every", "10ms", "--timeout", "300ms"];
    let output = run(&[&["check", model.as_str(), "--checkpoint", dir.to_str().unwrap()][..], &options].concat());
    assert_eq!(code(&output), 31, "{}", String::from_utf8_lossy(&output.stderr));
    (model, dir)
}

/// Returns exit code and stderr of `impasse resume`.
fn resumed(dir: &Path, more: &[&str]) -> (i32, String) {
    let output = run(&[&["resume", dir.to_str().unwrap()][..], more].concat());
    (code(&output), String::from_utf8(output.stderr).expect("text"))
}

#[test]
fn a_checkpoint_is_made_when_time_is_over_and_is_not_replaced() {
    let (model, dir) = saved("checkpoint-time");
    let again = run(&["check", &model, "--checkpoint", dir.to_str().unwrap()]);
    let errors = String::from_utf8_lossy(&again.stderr).into_owned();
    assert_eq!(code(&again), 65);
    assert!(errors.contains("has a checkpoint already") && errors.contains("impasse resume"), "{errors}");
    let whole = run(&["resume", dir.to_str().unwrap(), "--timeout", "1h", "--format", "json"]);
    assert_eq!(code(&whole), 0, "{}", String::from_utf8_lossy(&whole.stderr));
    assert!(stdout(&whole).contains("531441"), "{}", stdout(&whole));
}

#[test]
fn what_cannot_be_used_is_refused() {
    let (model, dir) = saved("checkpoint-refused");
    // Another model.
    let text = fs::read_to_string(&model).unwrap();
    fs::write(&model, text.replace("on e5 -> s1 ", "on e5 -> s2 ")).unwrap();
    let (exit, errors) = resumed(&dir, &[]);
    assert!(exit == 65 && errors.contains("changed since the checkpoint"), "{exit}: {errors}");
    fs::write(&model, &text).unwrap();
    // A changed manifest, and one of another version.
    let manifest = dir.join("manifest");
    let bytes = fs::read(&manifest).unwrap();
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 4;
    fs::write(&manifest, flipped).unwrap();
    let (exit, errors) = resumed(&dir, &[]);
    assert!(exit == 65 && errors.contains("damaged"), "{exit}: {errors}");
    // The beginning of the only log.
    fs::write(&manifest, &bytes).unwrap();
    let log = fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "log"))
        .expect("a log");
    let whole = fs::read(&log).unwrap();
    let mut flipped = whole.clone();
    flipped[100] ^= 1;
    fs::write(&log, flipped).unwrap();
    let (exit, errors) = resumed(&dir, &[]);
    assert!(exit == 65 && errors.contains("damaged"), "{exit}: {errors}");
    // The end of the log: an earlier checkpoint is used.
    fs::write(&log, &whole[..whole.len() - 10]).unwrap();
    let (exit, errors) = resumed(&dir, &["--timeout", "1h"]);
    assert!(exit == 0 && errors.contains("an earlier checkpoint"), "{exit}: {errors}");
}

#[test]
fn two_processes_do_not_share_a_checkpoint() {
    let (_, dir) = saved("checkpoint-lock");
    let args = ["resume", dir.to_str().unwrap(), "--timeout", "1m", "--checkpoint-every", "5ms"];
    let mut first = command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    sleep(Duration::from_millis(100));
    let (exit, errors) = resumed(&dir, &[]);
    let is_running = first.try_wait().expect("a child").is_none();
    first.kill().expect("it was started");
    first.wait().expect("it was started");
    assert!(!is_running || exit == 65 && errors.contains("another process"), "{exit}: {errors}");
    // The lock ends with the process.
    assert_eq!(resumed(&dir, &["--timeout", "1h"]).0, 0);
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let (model, dir) = model("checkpoint-usage", "lock.rwb", &counters(2, 2));
    let (model, dir) = (model.as_str(), dir.to_str().unwrap());
    for (args, why) in [
        (vec!["check", model, model, "--checkpoint", dir], "for one model"),
        (vec!["check", "-", "--input-format", "rwb", "--checkpoint", dir], "read again"),
        (vec!["check", "examples/lock.spec", "--bound", "1..3", "--checkpoint", dir], "one bound"),
        (vec!["check", model, "--checkpoint-every", "1s"], "--checkpoint"),
    ] {
        let output = run(&args);
        assert!(code(&output) == 64 && String::from_utf8_lossy(&output.stderr).contains(why), "{args:?}");
    }
    let (exit, errors) = resumed(Path::new(dir), &[]);
    assert!(exit == 65 && errors.contains("has no checkpoint"), "{errors}");
}
