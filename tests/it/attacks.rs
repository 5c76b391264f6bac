//! Regression tests against wrong or missing answers, hanging processes, and properties that affect each other.

use crate::tool::{code, command, run, run_with, scratch, stdout};
use std::fs;
use std::process::Stdio;

const NET: &str = r#"<pnml><net id="n" type="ptnet"><page id="g">
<place id="p"><initialMarking><text>1</text></initialMarking></place><place id="q"/><place id="r"/>
<transition id="t"/><arc id="a" source="p" target="t"/><arc id="b" source="t" target="q"/></page></net></pnml>"#;

fn property(id: &str, formula: &str) -> String {
    format!("<property><id>{id}</id><formula>{formula}</formula></property>\n")
}

/// The formula `EF place >= n`.
fn at_least(place: &str, n: u32) -> String {
    let sides = format!("<tokens-count><place>{place}</place></tokens-count><integer-constant>{n}</integer-constant>");
    format!("<exists-path><finally><integer-ge>{sides}</integer-ge></finally></exists-path>")
}

fn files(dir: &str, properties: &[String]) -> (String, String) {
    let dir = scratch(dir);
    let (net, asked) = (dir.join("net.pnml"), dir.join("asked.xml"));
    fs::write(&net, NET).expect("it can be written");
    fs::write(&asked, format!("<property-set>\n{}</property-set>", properties.concat())).expect("it can be written");
    (net.display().to_string(), asked.display().to_string())
}

/// A property of an unsupported kind does not make the whole file an error.
#[test]
fn one_property_of_another_kind_leaves_the_others() {
    let next = "<exists-path><next><true/></next></exists-path>";
    let bound = "<place-bound><place>q</place></place-bound>";
    let inside =
        "<exists-path><finally><exists-path><globally><true/></globally></exists-path></finally></exists-path>";
    let mixed = "<exists-path><all-paths><finally><true/></finally></all-paths></exists-path>";
    let asked = [
        property("next", next),
        property("one", &at_least("q", 1)),
        property("bound", bound),
        property("two", &at_least("q", 2)),
        property("inside", inside),
        property("mixed", mixed),
    ];
    let (net, asked) = files("one_property_of_another_kind", &asked);
    let mcc = run(&["check", &net, "--properties", &asked, "--format", "mcc"]);
    let lines: Vec<String> =
        stdout(&mcc).lines().map(|l| l.split_whitespace().take(3).collect::<Vec<_>>().join(" ")).collect();
    let expected = [
        "FORMULA next TRUE",
        "FORMULA one TRUE",
        "FORMULA bound 1",
        "FORMULA two FALSE",
        "FORMULA inside TRUE",
        "FORMULA mixed CANNOT_COMPUTE",
    ];
    assert_eq!(lines, expected);
    let said = String::from_utf8_lossy(&mcc.stderr);
    assert_eq!(said.matches("mcc::not-reachability").count(), 1, "{said}");
    assert_eq!(code(&mcc), 10);
    let text = run(&["check", &net, "--properties", &asked, "--property", "two", "--property", "mixed"]);
    assert_eq!(code(&text), 30, "{}", stdout(&text));
    assert!(stdout(&text).contains("mixed: UNKNOWN (unsupported)") && stdout(&text).contains("two: UNREACHABLE"));
    let json = run(&["check", &net, "--properties", &asked, "--format", "json", "--bound", "1..3"]);
    let report: serde_json::Value = serde_json::from_str(&stdout(&json)).expect("it is JSON");
    let unsupported = |p: &&serde_json::Value| p["kind"] == "unsupported" && p["reason"] == "unsupported";
    assert_eq!(report["properties"].as_array().expect("a list").iter().filter(unsupported).count(), 1, "{report}");
    for other in ["info", "convert"] {
        let to = format!("{net}.aag");
        let more: &[&str] = if other == "convert" { &[&to, "--bound", "1"] } else { &[] };
        let output = run(&[&[other, &net, "--properties", &asked], more].concat());
        assert!([0, 65].contains(&code(&output)), "{other}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn answers_that_say_nothing_of_runs_are_told() {
    let asked = [property("always", &at_least("q", 0)), property("fixed", &at_least("r", 1))];
    let real = [property("real", &at_least("q", 1))];
    let warned = |output: &std::process::Output| String::from_utf8_lossy(&output.stderr).matches("vacuous::").count();
    let (net, asked) = files("answers_that_say_nothing", &asked);
    let output = run(&["check", &net, "--properties", &asked]);
    assert_eq!((code(&output), warned(&output)), (10, 2), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(warned(&run(&["check", &net, "--properties", &asked, "-q"])), 0);
    let (net, real) = files("answers_that_say_something", &real);
    assert_eq!(warned(&run(&["check", &net, "--properties", &real])), 0);
    let program = |text: &str| run_with(&["check", "-", "--input-format", "rwb"], text.as_bytes());
    let good = program("rwb 1 event a check deadlock, bad thread T { state s { request a } }");
    assert_eq!((code(&good), warned(&good)), (0, 1));
    let said = String::from_utf8_lossy(&good.stderr);
    assert!(said.contains("no thread has a bad state"), "{said}");
    assert_eq!(warned(&program("rwb 1 event a check deadlock thread T { state s { request a } }")), 0);
    assert_eq!(warned(&program("rwb 1 event a thread T { state s { request a } state t { bad } }")), 0);
}

/// A run with 2^63 - 1 repetitions is neither stepped through nor expanded in memory.
#[test]
fn runs_of_huge_length_are_not_stepped_through() {
    let dir = scratch("runs_of_huge_length");
    let evidence = dir.display().to_string();
    run(&["check", "examples/coffee.c", "--properties", "examples/coffee.ltl", "--evidence", &evidence]);
    let replay = |name: &str, from: &str, to: &str| {
        let text = fs::read_to_string(dir.join(name)).expect("there is evidence");
        assert!(text.contains(from), "{text}");
        let path = dir.join("changed.json");
        fs::write(&path, text.replacen(from, to, 1)).expect("it can be written");
        let path = path.display().to_string();
        let limits = ["--properties", "examples/coffee.ltl", "--timeout", "100s"];
        let output = run(&[&["replay", "examples/coffee.c", &path], &limits[..]].concat());
        let text = format!("{}{}", stdout(&output), String::from_utf8_lossy(&output.stderr));
        assert!(!text.contains("time limit"), "{text}");
        (code(&output), text)
    };
    let huge = r#""times":9223372036854775807"#;
    let (exit, text) =
        replay("coffee.ltl-3.evidence.json", r#""times":1}],"repeats_from""#, &format!("{huge}}}],\"repeats_from\""));
    assert_eq!(exit, 1, "{text}");
    // Two coins are enough, and more coins do no harm: complete rounds are skipped.
    let (exit, text) = replay("coffee.error-1.evidence.json", r#""times":2"#, huge);
    assert_eq!(exit, 0, "{text}");
}

/// If a repeated word leads back to its start, complete rounds are skipped, and the result stays the same.
#[test]
fn rounds_of_a_reactive_run_are_skipped() {
    let dir = scratch("rounds_of_a_reactive_run");
    let program = dir.join("round.c");
    let text = "#include <assert.h>\n#include <stdio.h>\nint inputs[] = {1,2};\nint a = 0;\nvoid calculate_output(int \
                input) {\n\
        if (input == 1) { a = (a + 1) % 3; printf(\"%d\\n\", 20); }\n\
        else if (a == 1) { error_1: assert(0); }\n}\n\
        int main(void) { while(1) { int input; scanf(\"%d\", &input); calculate_output(input); } }\n";
    fs::write(&program, text).expect("it can be written");
    let (program, evidence) = (program.display().to_string(), dir.display().to_string());
    let output = run(&["check", &program, "--evidence", &evidence]);
    assert_eq!(code(&output), 10, "{}", String::from_utf8_lossy(&output.stderr));
    let written = fs::read_to_string(dir.join("round.error-1.evidence.json")).expect("there is evidence");
    let start = written.find("\"runs\":[").expect("it has runs");
    for (times, exit) in [(1u64, 0), (3, 1), (4, 0), (9_000_000_000_000_000_001, 0), (9_000_000_000_000_000_002, 1)] {
        // 3 divides 9 * 10^18, so one more repetition is one step beyond complete rounds.
        let runs =
            format!("\"runs\":[\n{{\"word\":[\"A\"],\"times\":{times}}},\n{{\"word\":[\"B\"],\"times\":1}}]}}}}\n");
        let path = dir.join("changed.json");
        fs::write(&path, format!("{}{runs}", &written[..start])).expect("it can be written");
        let output = run(&["replay", &program, &path.display().to_string(), "--timeout", "100s"]);
        assert_eq!(code(&output), exit, "{times}: {}{}", stdout(&output), String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn limits_of_nothing_are_usage_errors() {
    for limit in [["--timeout", "0s"], ["--timeout", "0"], ["--memory", "1"], ["--memory", "0"], ["--memory", "64K"]] {
        for rest in [&["check", "examples/lock.spec"][..], &["convert", "examples/lock.spec", "-"][..]] {
            let output = run(&[rest, &limit[..]].concat());
            assert_eq!(code(&output), 64, "{rest:?} {limit:?}");
        }
    }
}

/// The process ends under a limit below its initial memory. It would hang if the watchdog started after the
/// work, because the watchdog would then wait for the allocator.
#[test]
fn limits_that_hardly_hold_the_process_end_it() {
    for limit in ["1M", "4M", "8M", "9M", "10M", "11M", "12M", "14M", "16M", "20M"] {
        for _ in 0..3 {
            let output = run(&["check", "examples/numbers.rwb", "-q", "--memory", limit]);
            assert!([10, 11, 32].contains(&code(&output)), "{limit}: {}", code(&output));
        }
    }
}

/// If there is no standard output, Rust opens `/dev/null` instead. The command must report an error and not
/// treat its results as written.
#[cfg(target_os = "linux")]
#[test]
fn no_standard_output_is_an_error() {
    let binary = env!("CARGO_BIN_EXE_impasse");
    for arguments in
        ["check examples/lock.spec", "info examples/lock.spec", "explain", "--version", "explore examples/lock.spec"]
    {
        let script = format!("exec {binary} {arguments} >&-");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script]).current_dir(crate::tool::root()).stdin(Stdio::null());
        let output = shell.output().expect("it starts");
        assert_eq!(code(&output), 65, "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let to_nothing = command(&["check", "examples/lock.spec"]).stdout(Stdio::null()).status().expect("it starts");
    assert_eq!(to_nothing.code(), Some(0), "results may be discarded");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_over_a_symbolic_link() {
    let dir = scratch("nothing_over_a_link");
    let target = dir.join("precious");
    fs::write(&target, "kept").expect("it can be written");
    for name in ["lock.target.evidence.json", "out.spec"] {
        std::os::unix::fs::symlink(&target, dir.join(name)).expect("links can be made");
    }
    let path = |name: &str| dir.join(name).display().to_string();
    let check = run(&["check", "examples/lock.spec", "--evidence", &dir.display().to_string()]);
    assert_eq!(code(&check), 65, "{}", String::from_utf8_lossy(&check.stderr));
    let convert = run(&["convert", "examples/lock.spec", &path("out.spec")]);
    assert_eq!(code(&convert), 65);
    for name in ["lock.target.evidence.json", "out.spec"] {
        assert!(fs::symlink_metadata(dir.join(name)).expect("it is there").is_symlink(), "{name}");
    }
    assert_eq!(fs::read_to_string(&target).expect("it is there"), "kept");
}
