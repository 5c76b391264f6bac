//! Many files in one command: directories, patterns, several files at once. Each file has a result.

use crate::limits::endless;
use crate::tool::{code, command, run, scratch, stdout};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

const SAFE: &str = "rwb 1  event a  check deadlock, bad  thread T { state s { request a } }";
const BAD: &str = "rwb 1  event a  thread T { state s { request a on a -> v } state v { bad } }";

/// Creates a directory with models and with many files that are not models.
fn forest(name: &str) -> String {
    let dir = scratch(name);
    let put = |path: &str, text: &str| {
        let path = dir.join(path);
        fs::create_dir_all(path.parent().expect("it is below")).expect("the scratch directory can be written");
        fs::write(path, text).expect("likewise");
    };
    put("b.rwb", BAD);
    put("a/z.rwb", SAFE);
    put("a/y.spec", "vars x rules x >= 1 -> x' = x - 1; init x = 3 target x >= 4");
    put("a/y.spec.txt", "no model");
    put("c/w.rwb", "rwb 1 thread");
    for other in ["read.me", "a/n.prop", "a/n.xml", "a/n.ltl", "c/old.bad.evidence.json", ".git/x.rwb", "c/.hidden.rwb"]
    {
        put(other, "no model");
    }
    dir.display().to_string()
}

/// Returns the files of a JSON report with their verdicts, and the summary.
fn files(output: &Output) -> (Vec<(String, String)>, Value) {
    let text = stdout(output);
    crate::schema::check_report(&text);
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let end = lines.pop().expect("there is a summary");
    let verdict = |report: &Value| {
        let all = report["properties"].as_array().expect("a list").iter().map(|p| p["verdict"].as_str().unwrap_or("?"));
        all.collect::<Vec<_>>().join(" ")
    };
    let name = |report: &Value| {
        Path::new(report["file"].as_str().expect("a name")).file_name().map(|n| n.to_string_lossy().into_owned())
    };
    (lines.iter().map(|r| (name(r).unwrap_or_default(), verdict(r))).collect(), end["summary"].clone())
}

#[test]
fn directories_have_all_models_in_order() {
    let dir = forest("directories");
    let output = run(&["check", &dir, "--format", "json"]);
    assert_eq!(code(&output), 65, "one has an error");
    let (found, summary) = files(&output);
    let expected = [("y.spec", "safe"), ("z.rwb", "safe safe"), ("b.rwb", "safe unsafe"), ("w.rwb", "")];
    assert_eq!(found, expected.map(|(file, verdict)| (file.to_owned(), verdict.to_owned())));
    let counts = ["files", "safe", "unsafe", "unknown", "not_read"].map(|key| summary[key].as_u64());
    assert_eq!(counts, [4, 2, 1, 0, 1].map(Some));
    let text = stdout(&run(&["check", &dir]));
    let last = text.lines().last().expect("a summary");
    assert!(last.starts_with("4 files: 2 safe, 1 unsafe, 1 not read; ") && last.ends_with(" s"), "{last}");
    let told = run(&["check", &dir, "-v"]);
    let told = String::from_utf8_lossy(&told.stderr);
    for skipped in ["read.me", "n.prop", "n.xml", "n.ltl", "y.spec.txt", "old.bad.evidence.json"] {
        assert!(told.lines().any(|l| l.starts_with("skipped ") && l.contains(skipped)), "{skipped}: {told}");
    }
    assert!(!told.contains("hidden"), "{told}");
}

#[test]
fn patterns_stand_for_what_they_match() {
    let dir = forest("patterns");
    let names = |pattern: &str| {
        let output = run(&["check", &format!("{dir}/{pattern}"), "--format", "json"]);
        files(&output).0.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(names("**/*.rwb"), ["z.rwb", "b.rwb", "w.rwb"]);
    assert_eq!(names("[ab]"), ["y.spec", "z.rwb"], "a directory");
    // A pattern without matches is reported as a missing file.
    let output = run(&["check", &format!("{dir}/*.tts"), &format!("{dir}/b.rwb")]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(code(&output) == 65 && told.contains("*.tts: No such file"), "{told}");
    // A directory without models is an error.
    fs::create_dir_all(format!("{dir}/empty")).expect("it can be written");
    let output = run(&["check", &format!("{dir}/empty")]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(code(&output) == 65 && told.contains("it is a directory without models"), "{told}");
}

/// With several jobs, verdicts and their order stay the same, whichever file ends first.
#[test]
fn jobs_change_no_verdict_and_no_order() {
    let dir = scratch("jobs");
    for i in 0..40 {
        fs::write(dir.join(format!("{i:02}.rwb")), if i % 3 == 0 { BAD } else { SAFE }).expect("it can be written");
    }
    let dir = dir.display().to_string();
    let one = run(&["check", &dir, "examples", "--format", "json"]);
    let four = run(&["check", &dir, "examples", "--format", "json", "--jobs", "4"]);
    assert_eq!(code(&one), code(&four));
    assert_eq!(files(&one).0, files(&four).0);
    let engine = ["--engine", "dpllt"];
    assert_eq!(
        code(&run(&[&["check", "examples/task.rwb", "--jobs", "2"], &engine[..]].concat())),
        64,
        "it works alone"
    );
}

/// With `--timeout-each`, a file that runs out of time does not end the others.
#[test]
fn time_for_each_file() {
    let dir = scratch("time_for_each_file");
    let (endless_file, bad) = (dir.join("a.rwb"), dir.join("b.rwb"));
    fs::write(&endless_file, endless()).expect("it can be written");
    fs::write(&bad, BAD).expect("likewise");
    for jobs in ["1", "2"] {
        let args = ["--format", "json", "--property", "bad", "--timeout-each", "500ms", "--jobs", jobs];
        let output = run(&[&["check", &dir.display().to_string()][..], &args].concat());
        let (found, summary) = files(&output);
        let verdicts: Vec<&str> = found.iter().map(|(_, verdict)| verdict.as_str()).collect();
        assert_eq!((code(&output), verdicts), (10, vec!["unknown", "unsafe"]));
        assert_eq!((&summary["unknown"], &summary["unsafe"]), (&1.into(), &1.into()));
    }
}

/// Work that cannot be ended is abandoned: here, waiting for input that never comes.
#[test]
fn what_does_not_end_is_left_behind() {
    let dir = scratch("left_behind");
    fs::write(dir.join("b.rwb"), BAD).expect("it can be written");
    let b = dir.join("b.rwb").display().to_string();
    let mut child =
        command(&["check", "-", &b, "--input-format", "rwb", "--timeout-each", "300ms", "--format", "json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
    let stdin = child.stdin.take();
    let output = child.wait_with_output().expect("it ends");
    drop(stdin);
    let (found, _) = files(&output);
    let verdicts: Vec<&str> = found.iter().map(|(_, verdict)| verdict.as_str()).collect();
    assert_eq!((code(&output), verdicts), (10, vec!["unknown unknown", "safe unsafe"]));
}

/// When the time for all files is over, every file has its line, and the output is complete in every format.
#[test]
fn none_is_lost_when_time_is_over() {
    let dir = scratch("none_is_lost");
    for i in 0..30 {
        fs::write(dir.join(format!("{i:02}.rwb")), if i == 0 { BAD.to_owned() } else { endless() }).expect("written");
    }
    let dir = dir.display().to_string();
    let args = |format: &'static str, jobs: &'static str| {
        run(&["check", &dir, "--property", "bad", "--timeout", "700ms", "--format", format, "--jobs", jobs])
    };
    for jobs in ["1", "3"] {
        let output = args("json", jobs);
        let (found, summary) = files(&output);
        assert_eq!((code(&output), found.len(), &summary["files"]), (10, 30, &30.into()));
        assert_eq!(found.iter().filter(|(_, verdict)| verdict == "unknown").count(), 29);
        let junit = stdout(&args("junit", jobs));
        assert!(junit.trim_end().ends_with("</testsuites>"), "{junit}");
        assert_eq!(junit.matches("type=\"unknown.timeout\"").count(), 29);
        let sarif: Value = serde_json::from_str(&stdout(&args("sarif", jobs))).expect("it is whole");
        assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(30));
    }
    // The output is also complete if the work does not end on its own.
    let mut child = command(&["check", "-", &dir, "--input-format", "rwb", "--timeout", "300ms", "--format", "sarif"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let stdin = child.stdin.take();
    let output = child.wait_with_output().expect("it ends");
    drop(stdin);
    let sarif: Value = serde_json::from_str(&stdout(&output)).expect("it is whole");
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    assert_eq!((code(&output), results.len()), (31, 62));
}

/// A file that runs out of memory only because of the others is checked again alone.
#[test]
fn files_share_the_memory() {
    let dir = scratch("files_share_the_memory");
    for i in 0..3 {
        let mut file = fs::File::create(dir.join(format!("{i}.rwb"))).expect("it can be written");
        file.write_all(if i == 1 { endless() } else { BAD.to_owned() }.as_bytes()).expect("likewise");
    }
    let dir = dir.display().to_string();
    let args = ["--property", "bad", "--engine", "explicit", "--memory", "64M", "--format", "json", "--jobs", "3"];
    let output = run(&[&["check", &dir][..], &args].concat());
    let (found, _) = files(&output);
    let verdicts: Vec<&str> = found.iter().map(|(_, verdict)| verdict.as_str()).collect();
    assert_eq!((code(&output), verdicts), (10, vec!["unsafe", "unknown", "unsafe"]));
}

/// Among several files, a net without properties is unknown and has a hint, and the other files are checked.
#[test]
fn a_net_that_asks_nothing_is_one_of_several() {
    let dir = scratch("asks_nothing");
    fs::write(dir.join("a.spec"), "vars x rules x >= 1 -> x' = x - 1; init x = 3 target").expect("it can be written");
    fs::write(dir.join("b.rwb"), SAFE).expect("likewise");
    let dir = dir.display().to_string();
    let output = run(&["check", &dir, "--format", "json"]);
    let (found, summary) = files(&output);
    let expected = [("a.spec", ""), ("b.rwb", "safe safe")].map(|(file, v)| (file.to_owned(), v.to_owned()));
    assert_eq!((code(&output), found), (30, expected.to_vec()));
    let counts = ["safe", "unknown", "not_read"].map(|key| summary[key].as_u64());
    assert_eq!(counts, [1, 1, 0].map(Some));
    let first: Value = serde_json::from_str(stdout(&output).lines().next().expect("a line")).expect("JSON");
    let warnings = first["warnings"].as_array().expect("a list");
    let asked = warnings.iter().find(|w| w["code"] == "input::nothing-asked").expect("a warning");
    assert!(asked["help"].as_str().is_some_and(|help| help.contains("--property deadlock")), "{asked}");
    let output = run(&["check", &dir]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(stdout(&output).contains("a.spec: UNKNOWN (nothing is asked)\n"), "{}", stdout(&output));
    assert!(!told.contains("For more information"), "{told}");
    assert_eq!(code(&run(&["check", &format!("{dir}/a.spec")])), 64, "alone there is nothing to do");
}

/// Links to a parent directory are skipped. Each model is found without following them.
#[cfg(unix)]
#[test]
fn links_that_lead_in_circles_are_left_out() {
    let dir = scratch("circles");
    fs::create_dir_all(dir.join("in")).expect("it can be written");
    fs::write(dir.join("in/b.rwb"), SAFE).expect("likewise");
    for (link, to) in [("self", "."), ("in/up", "..")] {
        let _ = fs::remove_file(dir.join(link));
        std::os::unix::fs::symlink(to, dir.join(link)).expect("links can be made");
    }
    let dir = dir.display().to_string();
    let output = run(&["check", &dir, "--format", "json"]);
    let (found, _) = files(&output);
    assert_eq!((code(&output), found), (0, vec![("b.rwb".to_owned(), "safe safe".to_owned())]));
    let told = run(&["check", &dir, "-v"]);
    let told = String::from_utf8_lossy(&told.stderr);
    assert_eq!(told.matches("it is a link back to").count(), 2, "{told}");
}

/// File names are bytes. Invalid text in them is replaced in the output, but the files are opened, and so is
/// the file of goals beside the model.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text_can_be_opened() {
    use std::os::unix::ffi::OsStrExt;
    let dir = scratch("no_text");
    let name = |ending: &[u8]| dir.join(std::ffi::OsStr::from_bytes(&[b"caf\xe9", ending].concat()));
    fs::write(name(b".spec"), "vars x rules x >= 1 -> x' = x - 1; init x = 3 target").expect("it can be written");
    fs::write(name(b".formula"), "EF x = 0").expect("likewise");
    let output = run(&["check", &dir.display().to_string(), "--format", "json"]);
    let (found, _) = files(&output);
    assert_eq!(found, [("caf\u{fffd}.spec".to_owned(), "unsafe".to_owned())], "{}", stdout(&output));
    let output = command(&["check", "-q"]).arg(name(b".spec")).output().expect("it starts");
    assert!(stdout(&output).ends_with("REACHABLE\n"), "{}", stdout(&output));
}

/// If the first files use up all the time, the summary suggests `--timeout-each`.
#[test]
fn files_that_were_not_begun_are_counted() {
    let dir = scratch("not_begun");
    for name in ["a.rwb", "b.rwb", "c.rwb"] {
        fs::write(dir.join(name), endless()).expect("it can be written");
    }
    let dir = dir.display().to_string();
    let args = ["check", &dir, "--property", "bad", "--timeout", "500ms"];
    let output = run(&[&args[..], &["--format", "json"]].concat());
    assert_eq!(files(&output).1["not_begun"], 2);
    let said = stdout(&run(&args));
    assert!(said.contains("before 2 were begun: `--timeout-each TIME`"), "{said}");
}

/// SARIF contains the exact name of a file, with control characters encoded.
#[cfg(unix)]
#[test]
fn control_characters_in_names_are_encoded() {
    let dir = scratch("control");
    fs::write(dir.join("a\u{7}b.rwb"), "rwb 1 thread").expect("it can be written");
    let output = run(&["check", &dir.display().to_string(), "--format", "sarif"]);
    assert!(stdout(&output).contains("/a%07b.rwb\""), "{}", stdout(&output));
}

/// `a+b/x.js+a+b/y.js` was four files.
#[test]
fn a_plus_in_the_name_of_a_folder_separates_nothing() {
    let dir = scratch("plus").join("a+b");
    fs::create_dir_all(&dir).expect("it can be written");
    fs::write(dir.join("x.js"), "const hello = bp.Event('hello');").expect("likewise");
    fs::write(dir.join("y.js"), "bp.registerBThread(() => bp.sync({request: hello}));").expect("likewise");
    let dir = dir.display().to_string();
    assert_eq!(code(&run(&["check", &format!("{dir}/x.js+{dir}/y.js")])), 0);
    let output = run(&["check", &format!("{dir}/typo.js")]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(code(&output) == 65 && told.contains("a+b/typo.js"), "{told}");
}
