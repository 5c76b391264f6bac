//! `--memory` is obeyed within 5 % by the measurement of the kernel (`wait4`), for models that are large in
//! different ways.
//!
//! This is a separate binary. The kernel's peak of a child includes the size of the process that started it, so
//! this process must stay small. Models are written to files piece by piece.

#![cfg(target_os = "linux")]

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use wait4::Wait4;

const LIMIT: u64 = 64 << 20;

/// The exit code after the memory limit.
const MEMORY: i32 = 32;

/// Returns a path in the directory that the tests share. Every model has a different name.
fn path(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory");
    fs::create_dir_all(&dir).expect("the target directory can be written");
    dir.join(name)
}

/// Writes a model. Returns its path.
fn model(name: &str, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> String {
    let path = path(name);
    let mut out = BufWriter::new(File::create(&path).expect("the target directory can be written"));
    write(&mut out).and_then(|()| out.flush()).expect("there is room on the disk");
    path.display().to_string()
}

/// Writes the items one after the other, separated by `between`.
fn list<T: Display>(out: &mut dyn Write, items: impl Iterator<Item = T>, between: &str) -> std::io::Result<()> {
    for (i, item) in items.enumerate() {
        write!(out, "{}{item}", if i > 0 { between } else { "" })?;
    }
    Ok(())
}

/// Runs the command with a limit. It must end with `code`, and its peak memory must come near the limit without
/// exceeding it.
fn holds(args: &[&str], code: i32) -> String {
    let args = [args, &["--memory", "64M"]].concat();
    let mut child = Command::new(env!("CARGO_BIN_EXE_impasse"))
        .args(&args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let mut said = String::new();
    child.stdout.take().expect("it was asked for").read_to_string(&mut said).expect("results are text");
    let end = child.wait4().expect("it is a child of ours");
    assert_eq!(end.status.code(), Some(code), "{args:?}: {said}");
    let peak = end.rusage.maxrss;
    assert!(peak <= LIMIT + LIMIT / 20, "{args:?}: {peak} bytes, {:.3} times the limit", peak as f64 / LIMIT as f64);
    assert!(peak >= LIMIT / 3, "{args:?}: {peak} bytes, so the limit was never met");
    said
}

/// Runs a check that must report memory as the reason.
fn ends_for_memory(args: &[&str]) {
    let said = holds(args, MEMORY);
    assert!(said.contains("UNKNOWN (memory)"), "{args:?}: {said}");
}

#[test]
fn searching_within_the_limit() {
    const BITS: usize = 40;
    // A counter that reaches its end after 2^40 - 1 steps.
    let counter = model("counter.rwb", |out| {
        writeln!(out, "rwb 1  event carry[{BITS}], full  check bad\nthread Marker {{ body {{ wait full bad }} }}")?;
        (0..BITS).try_for_each(|i| {
            let above = format!("carry[{}..{BITS}]", i + 1);
            writeln!(
                out,
                "thread Bit{i} {{ state zero {{ request carry[{i}] block full, {above} on carry[{i}] -> one }} \
                 state one {{ request full block carry[{i}] on {above} -> zero }} }}"
            )
        })
    });
    for engine in ["explicit", "dpllt", "auto"] {
        ends_for_memory(&["check", &counter, "--property", "bad", "--engine", engine]);
    }
}

/// Reading and slicing alone exceed the limit, so the engines do not start.
#[test]
fn wide_nets() {
    const PLACES: usize = 150_000;
    let wide = model("wide.spec", |out| {
        write!(out, "vars ")?;
        list(out, (0..PLACES).map(|i| format!("p{i}")), " ")?;
        writeln!(out, "\nrules")?;
        (1..PLACES)
            .try_for_each(|i| writeln!(out, "p{0} >= 1 -> p{0}' = p{0} - 1, p{i}' = p{i} + 1;", i - 1))
            .and_then(|()| write!(out, "init p0 = 1, "))?;
        list(out, (1..PLACES).map(|i| format!("p{i} = 0")), ", ")?;
        writeln!(out, "\ntarget p{} >= 2", PLACES - 1)
    });
    ends_for_memory(&["check", &wide]);
    ends_for_memory(&["check", &wide, "--engine", "ic3"]);
    let written = path("wide.pnml");
    let _ = fs::remove_file(&written);
    holds(&["convert", &wide, &written.display().to_string()], MEMORY);
    assert!(!written.exists(), "nothing partial is left");
    holds(&["info", &wide], MEMORY);
    holds(&["simulate", &wide, "--random", "3"], MEMORY);
}

#[test]
fn long_thread_systems() {
    const STATES: usize = 400_000;
    let long = model("long.tts", |out| {
        writeln!(out, "{STATES} 2")?;
        (1..STATES).try_for_each(|i| writeln!(out, "{} 0 -> {i} 1", i - 1))
    });
    fs::write(path("long.prop"), format!("{}|1,1", STATES - 1)).expect("there is room on the disk");
    ends_for_memory(&["check", &long]);
}

#[test]
fn programs_with_many_inputs() {
    let inputs = model("inputs.c", |out| {
        write!(out, "#include <stdio.h>\nint inputs[] = {{")?;
        list(out, 1..=1_000_000, ", ")?;
        write!(
            out,
            "}};\nint a = 0;\nvoid calculate_output(int input) {{\n if (input == 1 && a == 0) {{ a = 1; \
             printf(\"%d\\n\", 20); }}\n\
             else {{ fprintf(stderr, \"Invalid input: %d\\n\", input); }}\n}}\n\
             int main() {{ while (1) {{ int input; scanf(\"%d\", &input); calculate_output(input); }} }}\n"
        )
    });
    ends_for_memory(&["check", &inputs]);
}

#[test]
fn huge_circuits() {
    const GATES: usize = 1_000_000;
    let huge = model("huge.aag", |out| {
        writeln!(out, "aag {} 2 0 1 {GATES}\n2\n4\n{}", GATES + 2, 2 * (GATES + 2))?;
        (0..GATES).try_for_each(|i| writeln!(out, "{} {} {}", 2 * (i + 3), 2 * (i + 2), 2 * (i + 1) + 1))
    });
    ends_for_memory(&["check", &huge]);
}

/// The events alone exceed the limit.
#[test]
fn programs_with_many_events() {
    let events = model("events.rwb", |out| {
        writeln!(out, "rwb 1  event e[1047552]  check bad")?;
        writeln!(out, "thread T {{ body {{ request e[0] bad }} }}")
    });
    ends_for_memory(&["check", &events]);
}

/// A small file that unpacks to a large one.
#[test]
fn archives_that_blow_up() {
    let spaces = vec![b' '; 1 << 20];
    let packed = model("bomb.rwb.gz", |out| {
        let mut gz = flate2::write::GzEncoder::new(out, flate2::Compression::fast());
        gz.write_all(b"rwb 1 ")?;
        (0..60).try_for_each(|_| gz.write_all(&spaces))?;
        gz.finish().map(drop)
    });
    ends_for_memory(&["check", &packed]);
}

#[test]
fn formulas() {
    const VARIABLES: usize = 400_000;
    let chain = model("chain.cnf", |out| {
        writeln!(out, "p cnf {VARIABLES} {}", 3 * (VARIABLES - 1))?;
        (1..VARIABLES)
            .try_for_each(|i| writeln!(out, "{i} -{j} 0\n-{i} {j} 0\n{i} {j} -{} 0", i * 7 % VARIABLES + 1, j = i + 1))
    });
    for more in [&[][..], &["--check"]] {
        let said = holds(&[&["sat", &chain][..], more].concat(), 0);
        assert!(said.contains("s UNKNOWN"), "{said}");
    }
}

/// Large evidence about a small program.
#[test]
fn large_evidence() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/philosophers.rwb");
    let dir = path("evidence");
    let check = ["check", program, "--property", "deadlock", "--evidence"];
    let checked =
        Command::new(env!("CARGO_BIN_EXE_impasse")).args(check).arg(&dir).output().expect("the binary starts");
    assert_eq!(checked.status.code(), Some(11));
    let short = fs::read_to_string(dir.join("philosophers.deadlock.evidence.json")).expect("it was written");
    let (head, tail) = short.split_once("\"runs\":[").expect("a trace has runs");
    let large = model("large.evidence.json", |out| {
        write!(out, "{head}\"runs\":[")?;
        (0..600_000).try_for_each(|_| writeln!(out, "{{\"word\":[\"pick[0][0]\",\"pick[1][0]\"],\"times\":1}},"))?;
        write!(out, "{tail}")
    });
    let said = holds(&["replay", program, &large], 1);
    assert!(said.contains("NOT ACCEPTED") && said.contains("memory limit"), "{said}");
}
