//! Violating runs of reactive programs outside of the tool: the original program, compiled by gcc, stops at the
//! label in the evidence. Some of the programs have function bodies in another file.

use crate::tool::{code, command, run, scratch, stdout};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Compiles and runs the reproduction of a run. `None` if there is no gcc.
fn reproduce(source: &Path) -> Option<Output> {
    let binary = source.with_extension("out");
    let compiled = Command::new("gcc").args(["-fwrapv", "-w", "-o"]).arg(&binary).arg(source).output();
    let Ok(compiled) = compiled else {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), b"skipped: no gcc\n");
        return None;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    Some(Command::new(binary).output().expect("it starts"))
}

/// Returns the location of a failed assertion in `text` as glibc prints it: `FILE:LINE: `.
fn place_of(text: &str, label: &str) -> String {
    let line = text.lines().position(|l| l.contains(label)).expect("the label is there");
    format!(":{}: ", line + 1)
}

#[test]
fn compiled_runs_stop_at_the_label() {
    let dir = scratch("reproduction");
    let folder = dir.display().to_string();
    run(&["check", "examples/coffee.c", "--property", "error:1", "--evidence", &folder]);
    let Some(ran) = reproduce(&dir.join("coffee.error-1.repro.c")) else { return };
    let said = String::from_utf8_lossy(&ran.stderr);
    let text = fs::read_to_string("examples/coffee.c").expect("an example");
    assert!(!ran.status.success() && said.contains(&place_of(&text, "error_1:")), "{said}");
}

const TWICE: &str = "#include <stdio.h>\n#include <assert.h>\nint inputs[] = {1, 2};\nint a;\nvoid \
                     calculate_output(int input) {\n\
    a = 1;\n  printf(\"%d\\n\", 20);\n  printf(\"%d\\n\", 21);\n  if (a == 1 && input == 2) {\n    error_1: \
    assert(0);\n  }\n\
    if (a == 3) {\n    error_2: assert(0);\n  }\n}\n\
    int main() { while (1) { int input; scanf(\"%d\", &input); calculate_output(input); } }\n";

/// A call may print twice and continue. `error_1` comes after the second print, and is reachable.
#[test]
fn a_call_that_prints_twice_goes_on() {
    let dir = scratch("twice");
    let (folder, file) = (dir.display().to_string(), dir.join("twice.c").display().to_string());
    fs::write(&file, TWICE).expect("written");
    let out = run(&["check", &file, "--evidence", &folder]);
    assert!(stdout(&out).contains("error:1: UNSAFE") && stdout(&out).contains("error:2: SAFE"), "{}", stdout(&out));
    for id in ["error:1", "error:2"] {
        let replayed = run(&[
            "replay",
            &file,
            &dir.join(format!("twice.{}.evidence.json", id.replace(':', "-"))).display().to_string(),
        ]);
        assert!(stdout(&replayed).contains("ACCEPTED"), "{}", stdout(&replayed));
    }
    // A formula about such a program is violated by a run with one letter per call, or its answer is unknown.
    let formulas = dir.join("twice.ltl").display().to_string();
    fs::write(&formulas, "(G ! oT)\n").expect("written");
    let asked = run(&["check", &file, "--properties", &formulas, "--property", "ltl:0"]);
    assert!(stdout(&asked).contains("UNKNOWN (unsupported)"), "{}", stdout(&asked));
    let Some(ran) = reproduce(&dir.join("twice.error-1.repro.c")) else { return };
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "20\n21\n");
    assert!(String::from_utf8_lossy(&ran.stderr).contains(&place_of(TWICE, "error_1:")));
}

/// An index outside its table does not end a run, because the compiled program continues. No label after such
/// an access may be reported as unreachable.
#[test]
fn behind_what_is_not_defined_nothing_is_safe() {
    let dir = scratch("undefined");
    let file = dir.join("undefined.c").display().to_string();
    let text = "int inputs[] = {1, 2};\nint x; int t[2] = {1, 2};\nvoid f(int input) {\n  x = t[x + input];\n\
                if (x == 77) { error_1: assert(0); }\n  if (x == 2) { error_2: assert(0); }\n}\n\
                int main() { while (1) { int input; scanf(\"%d\", &input); f(input); } }\n";
    fs::write(&file, text).expect("written");
    for engine in ["auto", "explicit", "explicit.dfs", "explicit.restart", "explicit.jumpstart", "intervals"] {
        let out = run(&["check", &file, "--engine", engine]);
        let said = stdout(&out);
        assert!(said.contains("error:1: UNKNOWN (undefined)") && said.contains("error:2: UNSAFE"), "{engine}: {said}");
    }
}

const LOCK: &str = "#include <stdio.h>\n#include <assert.h>\nint inputs[] = {1, 2};\nint open = 0;\nextern void \
                    turn(int input);\n\
    void calculate_output(int input) {\n  if (open == 1 && input == 2) {\n    error_5: assert(0);\n  }\n  \
    turn(input);\n\
    printf(\"%d\\n\", 20 + open);\n}\n\
    int main() { while (1) { int input; scanf(\"%d\", &input); calculate_output(input); } }\n";

const LIBRARY: &str = "int turns = 0;\nvoid turn(int input) {\n  if (input == 1) { turns = turns + 1; }\n  if (turns \
                       == 3) { open = 1; turns = 0; }\n}\n";

#[test]
fn of_a_packed_program_the_compiler_has_to_be_told_the_place() {
    let dir = scratch("packed-reproduction");
    let packed = dir.join("coffee.c.gz");
    let text = fs::read("examples/coffee.c").expect("an example");
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gz, &text).expect("in memory");
    fs::write(&packed, gz.finish().expect("in memory")).expect("written");
    let (packed, folder) = (packed.display().to_string(), dir.display().to_string());
    run(&["check", &packed, "--property", "error:1", "--evidence", &folder]);
    let source = dir.join("coffee.error-1.repro.c");
    let told = || fs::read_to_string(&source).expect("written");
    assert!(told().contains("#error give the path of the program: -DPROGRAM="), "{}", told());
    fs::write(dir.join("coffee.c"), text).expect("written");
    run(&["check", &packed, "--property", "error:1", "--evidence", &folder]);
    assert!(told().contains("/coffee.c\"\n#endif"), "{}", told());
}

#[test]
fn bodies_may_be_in_another_file() {
    let dir = scratch("externs");
    let file = |name: &str| dir.join(name).display().to_string();
    fs::write(dir.join("lock.c"), LOCK).expect("written");
    fs::write(dir.join("library.c"), LIBRARY).expect("written");
    let (lock, library) = (file("lock.c"), file("library.c"));
    let refused = run(&["check", &lock]);
    assert_eq!(code(&refused), 65);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--extern FILE"));
    let evidence = file("evidence");
    let found = run(&["check", &lock, "--extern", &library, "--evidence", &evidence]);
    assert_eq!(code(&found), 10, "{}", stdout(&found));
    let saved = format!("{evidence}/lock.error-5.evidence.json");
    assert_eq!(code(&run(&["replay", &lock, &saved, "--extern", &library])), 0);
    if let Some(ran) = reproduce(Path::new(&format!("{evidence}/lock.error-5.repro.c"))) {
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(!ran.status.success() && said.contains(&place_of(LOCK, "error_5:")), "{said}");
    }
}

#[test]
fn a_file_of_bodies_that_is_not_there_or_for_another_model() {
    let said = |args: &[&str]| {
        let output = command(args).output().expect("it starts");
        (code(&output), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (exit, text) = said(&["check", "examples/coffee.c", "--extern", "examples/nothing.c"]);
    assert!(exit == 65 && text.contains("cannot read examples/nothing.c"), "{exit} {text}");
    let (exit, text) = said(&["check", "examples/numbers.rwb", "--extern", "examples/coffee.c"]);
    assert!(exit == 64 && text.contains("`--extern` is for reactive C programs"), "{exit} {text}");
    let (exit, text) = said(&["check", "examples/coffee.c", "--extern", "-"]);
    assert!(exit == 64 && text.contains("standard input"), "{exit} {text}");
}
