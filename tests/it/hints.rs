//! Hints about commands that ask for something else than is meant.

use crate::tool::{code, run, scratch, stdout};
use std::fs;
use std::process::Output;

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_model_without_a_command_is_checked() {
    let output = run(&["examples/nim.rwb"]);
    assert_eq!(code(&output), 64);
    assert!(stderr(&output).contains("`impasse check examples/nim.rwb`"), "{}", stderr(&output));
    assert!(!stderr(&run(&["chekc"])).contains("impasse check chekc"));
}

#[test]
fn a_model_is_no_evidence() {
    let output = run(&["replay", "examples/nim.rwb", "examples/nim.rwb"]);
    assert_eq!(code(&output), 65);
    assert!(stderr(&output).contains("has the name of a model, not of evidence"), "{}", stderr(&output));
}

#[test]
fn runs_of_programs_are_asked_without_a_quantifier() {
    let output = run(&["check", "examples/nim.rwb", "--ask", "AF Last.a"]);
    assert!(stderr(&output).contains("`F T.s` instead of `AF T.s`"), "{}", stderr(&output));
}

/// The formats of other tools point to the pages for their users, before anything is read.
#[test]
fn models_of_other_tools_are_named() {
    let dir = scratch("other_tools");
    for (name, page) in [("m.pml", "docs/coming_from/spin.md"), ("m.smv", "docs/coming_from/aiger.md")] {
        let path = dir.join(name).display().to_string();
        fs::write(&path, "MODULE main\n").expect("a file of this test");
        let output = run(&["check", &path]);
        assert_eq!(code(&output), 65);
        let said = stderr(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(page), "{said}");
        assert!(crate::tool::root().join(page).is_file(), "{page}");
    }
    let output = run(&["simulate", "/dev/zero"]);
    assert!(stderr(&output).contains("input::unknown-format"), "{}", stderr(&output));
}

/// A dead end on places from which nothing takes tokens may be the end of a workflow.
#[test]
fn a_dead_end_in_a_sink_offers_final() {
    let path = scratch("sink").join("flow.lola").display().to_string();
    let net = |more: &str| {
        format!(
            "PLACE a, b, c;\nMARKING a:1;\nTRANSITION t CONSUME a:1; PRODUCE b:1;\n\
             TRANSITION u CONSUME {more}; PRODUCE ;\n"
        )
    };
    fs::write(&path, net("c:1")).expect("a file of this test");
    let said = stdout(&run(&["check", &path, "--property", "deadlock"]));
    assert!(said.contains("If the net may end there, `--final 'b >= 1'` says so."), "{said}");
    let told = stdout(&run(&["check", &path, "--property", "deadlock", "--final", "b >= 1"]));
    assert!(told.contains("deadlock: SAFE"), "{told}");
    fs::write(&path, net("b:2")).expect("a file of this test");
    let stuck = stdout(&run(&["check", &path, "--property", "deadlock"]));
    assert!(stuck.contains("UNSAFE") && !stuck.contains("--final"), "{stuck}");
}

/// A run without events is a shortest one, whichever engine has found it.
#[test]
fn a_run_of_no_events_has_the_fewest() {
    let path = scratch("no_events").join("here.lola").display().to_string();
    fs::write(&path, "PLACE a;\nMARKING a:1;\nTRANSITION t CONSUME a:1; PRODUCE a:2;\n").expect("a file of this test");
    for engine in ["walk", "cover", "explicit"] {
        let said = stdout(&run(&["check", &path, "--ask", "EF a >= 1", "--shortest", "--engine", engine]));
        assert!(said.contains("after 0 events, as few as there can be"), "{engine}: {said}");
    }
}
