//! Questions that several answers decide (branching time, largest values), asked through the command line.

use crate::tool::{code, run, scratch, stdout, transcript};
use std::fs;

const TASKS: &str = "PLACE idle, ready, running, cpu, failed;
MARKING idle: 3, cpu: 1;
TRANSITION submit CONSUME idle: 1; PRODUCE ready: 1;
TRANSITION start CONSUME ready: 1, cpu: 1; PRODUCE running: 1;
TRANSITION finish CONSUME running: 1; PRODUCE idle: 1, cpu: 1;
TRANSITION fail CONSUME running: 1; PRODUCE failed: 1, cpu: 1;
";

/// One proof can cover a question that was asked and a part of another question. Its file of evidence is about the
/// question alone.
#[test]
fn proofs_that_cover_parts_of_other_questions_are_replayed() {
    let dir = scratch("proofs_that_cover_parts");
    let (net, place) = (dir.join("tasks.lola").display().to_string(), dir.join("evidence").display().to_string());
    fs::write(&net, TASKS).expect("the scratch directory can be written");
    let questions = ["AG running <= 1", "MAX cpu", "AG EF ready >= 1", "EF running >= 2", "A (G F cpu >= 1)"];
    let asked: Vec<&str> = questions.iter().flat_map(|question| ["--ask", *question]).collect();
    for engine in [None, Some("explicit"), Some("ic3")] {
        let chosen: Vec<&str> = engine.iter().flat_map(|name| ["--engine", *name]).collect();
        let output = run(&[&["check", &net, "--evidence", &place, "--format", "json"], &asked[..], &chosen].concat());
        assert!(code(&output) < 64, "{engine:?}: {}", transcript(&output));
        let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("a report in JSON");
        let mut replayed = 0;
        for (property, question) in report["properties"].as_array().expect("a list").iter().zip(questions) {
            let Some(file) = property["evidence"]["file"].as_str() else { continue };
            let output = run(&["replay", &net, file, "--ask", question]);
            assert_eq!(code(&output), 0, "{engine:?} {question}: {}", transcript(&output));
            replayed += 1;
        }
        assert!(replayed == questions.len() || engine.is_some() && replayed > 0, "{engine:?}: {replayed}");
    }
}
