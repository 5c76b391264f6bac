//! Batches of jobs: however they are split and interrupted, the sorted lines of results are the same.

use crate::tool::{code, command, root, run, scratch, stdout};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Writes a file of jobs: examples with different seeds, a missing file, and a question that does not fit.
fn jobs(dir: &Path, rounds: usize) -> String {
    let mut text = String::new();
    for seed in 0..rounds {
        for name in ["nim", "philosophers", "task", "array", "clocks_clash"] {
            let model = root().join("examples").join(name).with_extension("rwb");
            text += &format!(
                "{{\"model\": {:?}, \"name\": \"{name}-{seed}\", \"seed\": {seed}}}\n",
                model.display().to_string()
            );
        }
    }
    text += "{\"model\": \"missing.rwb\"}\n";
    text +=
        &format!("{{\"model\": {:?}, \"property\": \"x\"}}\n", root().join("examples/nim.rwb").display().to_string());
    let path = dir.join("jobs.jsonl");
    fs::write(&path, text).expect("it can be written");
    path.display().to_string()
}

fn sorted(paths: &[String]) -> Vec<String> {
    let text: String = paths.iter().map(|path| fs::read_to_string(path).expect("results")).collect();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

fn batch(jobs: &str, results: &str, more: &[&str]) -> String {
    let output = run(&[&["batch", jobs, "--results", results], more].concat());
    assert_eq!(code(&output), 0, "{output:?}");
    stdout(&output)
}

#[test]
fn shards_and_jobs_change_no_line() {
    let dir = scratch("batch_shards");
    let jobs = jobs(&dir, 4);
    let path = |name: &str| dir.join(name).display().to_string();
    let whole = batch(&jobs, &path("whole"), &[]);
    assert!(whole.contains("22 jobs, 0 recorded before, 22 now") && whole.contains("2 with errors"), "{whole}");
    batch(&jobs, &path("a"), &["--shard", "1/2", "--jobs", "2"]);
    batch(&jobs, &path("b"), &["--shard", "2/2", "--times", &path("times")]);
    let lines = sorted(&[path("whole")]);
    assert_eq!(lines.len(), 22);
    assert_eq!(sorted(&[path("a"), path("b")]), lines);
    assert_eq!(fs::read_to_string(path("times")).expect("times").lines().count(), 11);
    assert!(batch(&jobs, &path("whole"), &[]).contains("all recorded before"));
    // A changed option makes another job.
    assert!(batch(&jobs, &path("whole"), &["--", "--kernel-only"]).contains("0 recorded before"));
}

#[test]
fn a_killed_batch_goes_on_where_it_was() {
    let dir = scratch("batch_killed");
    let jobs = jobs(&dir, 30);
    let path = |name: &str| dir.join(name).display().to_string();
    batch(&jobs, &path("whole"), &["--jobs", "2"]);
    let (killed, mut kills) = (path("killed"), 0);
    for pause in 1..40 {
        let mut child = command(&["batch", &jobs, "--results", &killed, "--jobs", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        std::thread::sleep(Duration::from_millis(10 * pause));
        match child.try_wait().expect("it can be asked") {
            Some(_) => break,
            None => child.kill().expect("it can be killed"),
        }
        child.wait().expect("it ended");
        kills += 1;
        if pause % 3 == 0 {
            // The machine stopped while a line was written.
            let torn = fs::read_to_string(&killed).unwrap_or_default() + "{\"id\":\"12";
            fs::write(&killed, torn).expect("it can be written");
        }
    }
    batch(&jobs, &killed, &[]);
    assert!(kills > 0, "it was killed");
    assert_eq!(sorted(&[killed]), sorted(&[path("whole")]));
}

/// Models that are too large, endless, or never come. They are neither read whole for the ids nor waited for.
#[cfg(target_os = "linux")]
#[test]
fn models_that_cannot_be_hashed_are_recorded() {
    let dir = scratch("batch_endless");
    let path = |name: &str| dir.join(name).display().to_string();
    let (large, pipe) = (path("large.lola"), path("pipe.lola"));
    fs::File::create(&large).and_then(|file| file.set_len(3 << 30)).expect("a sparse file");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    std::os::unix::fs::symlink("/dev/zero", dir.join("zero.lola")).expect("a link");
    let job = |model: &str| format!("{{\"model\": {model:?}, \"ask\": \"EF a = 1\", \"timeout_each\": \"200ms\"}}\n");
    let text = [job(&large), job(&pipe), job(&path("zero.lola")), job(&path("small.lola"))].concat();
    let small = "PLACE a;\nMARKING a:1;\nTRANSITION t CONSUME a:1; PRODUCE a:1;\n";
    fs::write(path("small.lola"), small).expect("it can be written");
    fs::write(path("jobs.jsonl"), text).expect("it can be written");
    let said = batch(&path("jobs.jsonl"), &path("results"), &["--memory", "300M"]);
    assert!(said.contains("4 jobs, 0 recorded before, 4 now"), "{said}");
    let lines = sorted(&[path("results")]);
    let of = |name: &str| lines.iter().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {lines:?}"));
    assert!(of("large.lola").contains("limit::bytes"), "{lines:?}");
    assert!(of("pipe.lola").contains("\"reason\":\"timeout\""), "{lines:?}");
    let zero = of("zero.lola");
    assert!(["unreadable", "timeout", "limit::bytes"].iter().any(|why| zero.contains(why)), "{lines:?}");
    assert!(of("small.lola").contains("\"verdict\":\"safe\""), "{lines:?}");
    let again = batch(&path("jobs.jsonl"), &path("results"), &["--memory", "300M"]);
    assert!(again.contains("all recorded before"), "{again}");
}

#[test]
fn wrong_jobs_are_refused_with_their_place() {
    let dir = scratch("batch_wrong");
    let (jobs, results) = (dir.join("jobs.jsonl"), dir.join("results"));
    let (jobs, results) = (jobs.display().to_string(), results.display().to_string());
    let good = "{\"model\": \"a.rwb\"}\n";
    for (line, place, why) in [
        ("{\"model\": 3}", ":2:1", "`model` is the path"),
        ("{\"name\": \"x\"}", ":2:1", "names no `model`"),
        ("{\"model\": \"a\", \"engin\": \"ic3\"}", ":2:1", "`engin` is not an option of `impasse check`"),
        ("{\"model\": \"a\", \"engine\": \"ic3\"", ":2:", "EOF"),
        ("{\"model\": \"a\", \"memory\": \"1G\"}", ":2:1", "whole batch"),
        ("{\"model\": \"a\", \"evidence\": \"x\"}", ":2:1", "evidence"),
        ("[1]", ":2:", "expected"),
    ] {
        fs::write(&jobs, format!("{good}{line}\n")).expect("it can be written");
        let output = run(&["batch", &jobs, "--results", &results]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(code(&output), 65, "{line}: {text}");
        assert!(text.contains(place) && text.contains(why), "{line}: {text}");
        assert!(!Path::new(&results).exists(), "nothing was begun");
    }
    fs::write(&jobs, good).expect("it can be written");
    let output = run(&["batch", &jobs, "--results", &jobs]);
    assert_eq!(code(&output), 65);
    assert_eq!(fs::read_to_string(&jobs).expect("jobs"), good, "what is not a file of results is not touched");
}
