//! `--timeout`, `--memory` and Ctrl-C are obeyed. Margins are generous, because the machine may be busy.

use crate::tool::{PATIENCE, code, command, run, run_with, scratch, stdout};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// Returns a binary counter that ends after 2^48 - 1 steps, with one possible step at a time. No part of it
/// shows how far it has counted, so abstractions do not help.
pub(crate) fn endless() -> String {
    const BITS: usize = 48;
    let mut text = format!("rwb 1  event carry[{BITS}], full  check bad, deadlock\n");
    let _ = writeln!(text, "thread Marker {{ body {{ wait full bad }} }}");
    for i in 0..BITS {
        let above = format!("carry[{}..{BITS}]", i + 1);
        let _ = writeln!(
            text,
            "thread Bit{i} {{ state zero {{ request carry[{i}] block full, {above} on carry[{i}] -> one }} \
             state one {{ request full block carry[{i}] on {above} -> zero }} }}"
        );
    }
    text
}

/// Checks the counter for bad states.
fn check_endless(engine: &str, limit: [&str; 2]) -> Output {
    let args = ["check", "-", "--input-format", "rwb", "--property", "bad", "--format", "json", "--engine", engine];
    run_with(&[&args[..], &limit].concat(), endless().as_bytes())
}

#[test]
fn time() {
    for engine in ["explicit", "dpllt", "auto"] {
        let started = Instant::now();
        let args =
            ["check", "-", "--input-format", "rwb", "--engine", engine, "--timeout", "500ms", "--format", "json"];
        let output = run_with(&args, endless().as_bytes());
        let took = started.elapsed();
        assert_eq!(code(&output), 31, "{engine}");
        assert!(stdout(&output).contains(r#""reason":"timeout""#), "{engine}: {}", stdout(&output));
        assert!(took < PATIENCE, "{engine} took {took:?}");
    }
}

#[test]
fn memory() {
    for engine in ["explicit", "dpllt", "auto"] {
        let output = check_endless(engine, ["--memory", "64M"]);
        assert_eq!(code(&output), 32, "{engine}: {}", String::from_utf8_lossy(&output.stderr));
        let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
        let peak = report["peak_bytes"].as_u64().expect("a number");
        assert!(peak <= 64 << 20, "{engine} held {peak} bytes");
        for property in report["properties"].as_array().expect("a list") {
            assert_eq!(property["reason"], "memory", "{engine}");
        }
    }
}

/// Work that does not check the stop flag is cut off: here, waiting for input that never comes.
#[test]
fn time_while_reading() {
    let started = Instant::now();
    let mut child = command(&["check", "-", "--input-format", "rwb", "--timeout", "300ms"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let stdin = child.stdin.take();
    let output = child.wait_with_output().expect("it ends");
    drop(stdin);
    assert_eq!(code(&output), 31);
    assert!(String::from_utf8_lossy(&output.stderr).contains("stopped before it was read"));
    assert!(started.elapsed() < PATIENCE, "it took {:?}", started.elapsed());
}

/// Runs the tool with a stderr that is full and is never read. The tool gets `input`; without `input`, its
/// standard input stays open. Returns the exit code and standard output if the tool ends on its own.
#[cfg(unix)]
fn unread(args: &[&str], input: Option<String>) -> Option<(i32, String)> {
    let (unread, full) = std::io::pipe().expect("a pipe");
    let mut filling = full.try_clone().expect("another end");
    let filler = thread::spawn(move || while filling.write_all(b"full").is_ok() {});
    // Now the pipe is full, so not even the first message can be written.
    thread::sleep(Duration::from_millis(100));
    let started = Instant::now();
    let mut child =
        command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(full).spawn().expect("the binary starts");
    let mut stdin = child.stdin.take();
    if let Some(input) = input {
        stdin.take().expect("it was asked for").write_all(input.as_bytes()).expect("it reads");
    }
    let ended = loop {
        match child.try_wait().expect("it is a child of ours") {
            None if started.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(20)),
            ended => break ended,
        }
    };
    child.kill().expect("it is a child of ours");
    let output = child.wait_with_output().expect("it ends");
    drop(unread);
    filler.join().expect("the reader is closed");
    let code = ended?.code().expect("no signal ended it");
    Some((code, stdout(&output)))
}

/// Unread progress messages do not delay the watchdog.
#[cfg(unix)]
#[test]
fn time_while_output_is_unread() {
    let args = ["check", "-", "--input-format", "rwb", "--engine", "dpllt", "--timeout", "2s", "--progress", "ndjson"];
    assert_eq!(unread(&args, Some(endless())).expect("it ends by itself").0, 31);
}

/// Unread messages about the end of the work do not delay the end. Results are complete, and the tool waits for
/// the reader at most once.
#[cfg(unix)]
#[test]
fn unread_last_words() {
    let files = ["examples/task.rwb"; 60];
    let args = ["check", "-", "--input-format", "rwb", "--timeout", "300ms", "--property", "bad"];
    let (exit, results) = unread(&[&args[..], &files].concat(), None).expect("it ends by itself");
    assert_eq!((exit, results.matches("bad: UNKNOWN (timeout)").count()), (31, 61), "{results}");
    let args = ["convert", "-", "unread_last_words.json", "--input-format", "rwb", "--timeout", "300ms"];
    assert_eq!(unread(&args, None).expect("it ends by itself").0, 31);
}

/// Unread warnings and errors do not delay the end. The exit code shows how the command ended.
#[cfg(unix)]
#[test]
fn unread_remarks() {
    let dir = scratch("unread_remarks");
    let written = dir.join("lock.dot").display().to_string();
    let convert = ["convert", "examples/lock.spec", &written, "--timeout", "1s"];
    assert_eq!(unread(&convert, None).expect("it ends by itself").0, 0, "what the format leaves out is a warning");
    assert!(Path::new(&written).is_file());
    let formula = dir.join("one.cnf").display().to_string();
    fs::write(&formula, "p cnf 1 1\n1 0\n").expect("the scratch directory can be written");
    let (exit, results) = unread(&["sat", &formula, "-v", "--timeout", "1s"], None).expect("it ends by itself");
    assert_eq!((exit, results.lines().next()), (10, Some("s SATISFIABLE")), "{results}");
    let broken = |args: &[&str]| unread(&[args, &["--input-format", "rwb", "--timeout", "1s"]].concat(), None);
    assert_eq!(broken(&["check", &formula]), Some((65, String::new())));
    assert_eq!(broken(&["replay", &formula, &formula]), Some((65, String::new())));
    let (exit, results) = broken(&["check", &formula, "examples/task.rwb"]).expect("it ends by itself");
    assert_eq!((exit, results.matches("bad: UNKNOWN (timeout)").count()), (65, 1), "{results}");
}

/// If the model of a replay never arrives, the report names the time limit, not the evidence.
#[test]
fn time_while_replaying() {
    let mut child = command(&["replay", "-", "no.evidence.json", "--input-format", "rwb", "--timeout", "300ms"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let stdin = child.stdin.take();
    let output = child.wait_with_output().expect("it ends");
    drop(stdin);
    assert_eq!((code(&output), stdout(&output).as_str()), (1, "NOT ACCEPTED: the time limit ended the check\n"));
}

#[cfg(unix)]
#[test]
fn interrupt() {
    let mut child = command(&["check", "-", "--input-format", "rwb", "--property", "bad"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("it was asked for");
    stdin.write_all(endless().as_bytes()).expect("it reads its input");
    drop(stdin);
    std::thread::sleep(Duration::from_millis(700));
    let sent = Instant::now();
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("there is a kill command").success());
    let output = child.wait_with_output().expect("it ends");
    assert!(sent.elapsed() < PATIENCE, "it took {:?}", sent.elapsed());
    assert_eq!(code(&output), 130);
    assert!(stdout(&output).contains("UNKNOWN (interrupted)"), "{}", stdout(&output));
}

/// Files that were not read in time are unknown, and so are the files after them. JSON output has an object for
/// each file.
#[test]
fn unread_files_are_reported() {
    let mut child = command(&["check", "-", "examples/task.rwb", "--input-format", "rwb", "--timeout", "300ms"])
        .args(["--format", "json", "--property", "bad"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let stdin = child.stdin.take();
    let output = child.wait_with_output().expect("it ends");
    drop(stdin);
    assert_eq!(code(&output), 31);
    let reports = reports(&output);
    assert_eq!(reports.iter().map(|r| &r["file"]).collect::<Vec<_>>(), ["<stdin>", "examples/task.rwb"]);
    for report in reports {
        assert!(report["model"].is_null(), "{report}");
        assert_eq!(report["properties"].as_array().map(Vec::len), Some(1), "{report}");
        assert_eq!(report["properties"][0]["reason"], "timeout");
    }
}

/// A circuit with a unary adder for thousands of tokens, which takes long to write.
#[test]
fn a_conversion() {
    let dir = scratch("a_conversion");
    let (net, circuit) = (dir.join("flush.spec"), dir.join("flush.aag"));
    let text = "vars a b rules a >= 1 -> a' = 0, b' = b + a; b >= 1 -> b' = b - 1, a' = a + 1; init a = 1, b = 0 \
                target b >= 3";
    fs::write(&net, text).expect("the scratch directory can be written");
    let (net, written) = (net.display().to_string(), circuit.display().to_string());
    for (limit, exit, said) in [(["--timeout", "50ms"], 31, "time limit"), (["--memory", "64M"], 32, "memory limit")] {
        let started = Instant::now();
        let output = run(&[&["convert", &net, &written, "--total", "10000"][..], &limit].concat());
        let (took, stderr) = (started.elapsed(), String::from_utf8_lossy(&output.stderr));
        assert_eq!(code(&output), exit, "{stderr}");
        assert!(stderr.contains(said) && stderr.contains("nothing was written"), "{stderr}");
        assert!(took < PATIENCE, "{took:?}");
        assert_eq!(fs::read_dir(&dir).expect("it is there").count(), 1, "the net is all there is");
    }
}

/// Returns the reports about files in the JSON output, without the summary.
fn reports(output: &Output) -> Vec<serde_json::Value> {
    crate::schema::check_report(&stdout(output));
    let text = stdout(output);
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("one JSON object per line"));
    lines.filter(|line: &serde_json::Value| line.get("file").is_some()).collect()
}

/// The memory limit applies to each file, the time limit to all of them together.
#[test]
fn a_small_file_after_a_large_one() {
    let dir = scratch("a_small_file_after_a_large_one");
    let large = dir.join("large.rwb");
    fs::write(&large, endless()).expect("the scratch directory can be written");
    let (large, small) = (large.display().to_string(), "examples/water_tank.rwb");
    let check = |limit: [&str; 2]| {
        run(&[&["check", &large, small, "--format", "json", "--property", "bad"], &limit[..]].concat())
    };
    let verdicts = |output: &Output| -> Vec<String> {
        reports(output).iter().map(|r| r["properties"][0]["verdict"].as_str().expect("text").to_owned()).collect()
    };
    let memory = check(["--memory", "64M"]);
    assert_eq!((code(&memory), verdicts(&memory)), (32, vec!["unknown".to_owned(), "safe".to_owned()]));
    let time = check(["--timeout", "300ms"]);
    assert_eq!((code(&time), verdicts(&time)), (31, vec!["unknown".to_owned(); 2]));
}

/// A program that starts a check holds its standard input. If the program is killed, the check ends, too.
#[test]
fn a_check_ends_with_its_standard_input() {
    let file = scratch("while_stdin").join("endless.spec");
    fs::write(&file, "vars x y rules x >= 0 -> x' = x + 1, y' = y + 1; init x = 0, y = 0 target y >= 1, x = 0\n")
        .expect("the model is written");
    let mut child = command(&["check", "--while-stdin", "--engine", "walk", file.to_str().expect("a plain path")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().expect("a child"), None, "it goes on while standard input is open");
    let begun = Instant::now();
    drop(child.stdin.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(code(&output), 130, "{}", stdout(&output));
    assert!(begun.elapsed() < PATIENCE);
}
