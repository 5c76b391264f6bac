//! The small part of the corpus of behavioral programs: verdicts, kinds and counts. The benchmark runs the
//! large programs.
//!
//! The corpus is in `IMPASSE_CORPUS`, by default `../shared/corpus` beside the repository. The tests are
//! skipped without it.

use crate::tool::root;
use impasse::model::{Goal, Pattern, Problem, Reason};
use impasse::{Options, check, engines};
use std::fs;
use std::path::PathBuf;

/// Programs with more states are left to the benchmark, because these tests run without optimisation.
const MOST_STATES: u64 = 20_000;

/// Limit for the pure calculus, which creates a literal and a clause per state.
const MOST_STATES_PURE: u64 = 2_000;

/// A line of `expected.csv`.
struct Expected {
    name: String,
    /// The reachable goal. `None` if both goals are safe.
    violated: Option<Goal>,
    shortest: Option<u64>,
    states: u64,
    edges: u64,
}

// A skipped test prints a message, which the lints do not allow elsewhere.
#[allow(clippy::print_stdout)]
fn corpus() -> Option<PathBuf> {
    let dir =
        std::env::var_os("IMPASSE_CORPUS").map_or_else(|| root().join("../shared/corpus"), PathBuf::from).join("rwb");
    if dir.join("expected.csv").exists() {
        return Some(dir);
    }
    println!("skipped: no corpus");
    None
}

fn expected(dir: &std::path::Path) -> Vec<Expected> {
    let text = fs::read_to_string(dir.join("expected.csv")).expect("it can be read");
    let lines = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let violated = match (cells[1], cells[2]) {
            ("SAFE", _) => None,
            ("UNSAFE", "bad") => Some(Goal::Bad),
            ("UNSAFE", "deadlock") => Some(Goal::Deadlock),
            other => panic!("unknown verdict {other:?}"),
        };
        let number = |cell: &str| cell.parse::<u64>().expect("a number");
        let shortest = (!cells[3].is_empty()).then(|| number(cells[3]));
        Expected { name: cells[0].to_owned(), violated, shortest, states: number(cells[4]), edges: number(cells[5]) }
    });
    lines.collect()
}

fn problem(dir: &std::path::Path, name: &str) -> Problem {
    let path = dir.join(format!("{name}.rwb"));
    let bytes = fs::read(&path).expect("it can be read");
    let source = impasse::formats::Source { name: name.to_owned(), bytes };
    impasse::formats::read(source, Some("rwb"), &impasse::formats::Limits::default())
        .expect("it is well formed")
        .problem
}

/// Checks the verdict on the property that the corpus scores. For safe programs, checks all verdicts.
fn agree(expected: &Expected, problem: &Problem, options: &Options<'_>, how: &str) {
    let outcome = check(problem, options);
    for answer in &outcome.answers {
        let scored = expected.violated.is_none_or(|goal| goal == answer.property.goal);
        let gave_up = matches!(answer.finding, impasse::Finding::Unknown { reason: Reason::GaveUp, .. });
        if how == "stubborn" && gave_up {
            continue;
        }
        let right = if expected.violated.is_some() { answer.is_unsafe() } else { answer.is_safe() };
        assert!(right || !scored, "{} {how}: {:?}", expected.name, answer.finding);
        if how == "explicit" {
            let counts = (answer.stats.states, answer.stats.transitions);
            assert_eq!(counts, (expected.states, expected.edges), "{} counts", expected.name);
            if let (true, impasse::Finding::Settled(c), Some(length)) = (scored, &answer.finding, expected.shortest) {
                assert_eq!(c.length, length, "{} shortest run", expected.name);
            }
        }
    }
}

fn all(how: &str, most: u64, options: &Options<'_>) {
    let Some(dir) = corpus() else { return };
    let small: Vec<Expected> = expected(&dir).into_iter().filter(|e| e.states <= most).collect();
    assert!(small.len() > 30, "only {} programs", small.len());
    for expected in &small {
        agree(expected, &problem(&dir, &expected.name), options, how);
    }
}

#[test]
fn explicit() {
    let options = Options { engine: Some(&engines::EXPLICIT), explore_all: true, ..Options::default() };
    all("explicit", MOST_STATES, &options);
}

#[test]
fn dpllt_without_patterns() {
    let options = Options { engine: Some(&engines::DPLLT), patterns: &[], ..Options::default() };
    all("dpllt", MOST_STATES, &options);
}

#[test]
fn dpllt_pure() {
    let options = Options { engine: Some(&engines::DPLLT), patterns: &[], batch: Some(1), ..Options::default() };
    all("dpllt --batch 1", MOST_STATES_PURE, &options);
}

#[test]
fn dpllt_with_patterns() {
    let options = Options { engine: Some(&engines::DPLLT), ..Options::default() };
    all("dpllt with patterns", MOST_STATES, &options);
}

#[test]
fn stubborn() {
    let options = Options { engine: Some(&engines::STUBBORN), ..Options::default() };
    all("stubborn", MOST_STATES, &options);
}

/// For independent writers, tanks and connections, a small part of the states is enough.
#[test]
fn stubborn_sets_leave_out_most_of_what_is_independent() {
    let Some(dir) = corpus() else { return };
    for (name, most) in [("arr_bin8", 300), ("arr_quad4", 1_000), ("tank_2x5", 50), ("tank_skew", 50), ("web_3_p1", 10)]
    {
        let options = Options { engine: Some(&engines::STUBBORN), ..Options::default() };
        for answer in &check(&problem(&dir, name), &options).answers {
            assert!(answer.stats.states <= most, "{name}: {} states", answer.stats.states);
        }
    }
}

/// The test uses only programs for which the engine soon finds that a few threads suffice. For other programs,
/// the search may take long, or all threads are needed.
#[test]
fn few_threads_are_enough() {
    let Some(dir) = corpus() else { return };
    for (name, most) in
        [("web_3_p1", 4), ("web_4_p8", 6), ("tank_2x5", 21), ("sem_8_3", 577), ("word_2", 7), ("arr_bin12_no", 20)]
    {
        let options = Options { engine: Some(&engines::THREAD_ABSTRACTION), ..Options::default() };
        for answer in &check(&problem(&dir, name), &options).answers {
            assert!(answer.is_safe(), "{name}: {:?}", answer.finding);
            assert!(answer.stats.states <= most, "{name}: {} states", answer.stats.states);
        }
    }
}

#[test]
fn auto() {
    all("auto", MOST_STATES, &Options::default());
}

/// Lemmas prove the safe programs of the family `loop_`. The search visits few states, whatever the periods
/// are.
#[test]
fn safe_loops_need_no_search() {
    let Some(dir) = corpus() else { return };
    let looped: &[&dyn Pattern] = impasse::patterns::ALL;
    for name in [
        "loop_4_6_clash",
        "loop_clash_2520",
        "loop_clash_wide",
        "loop_clash_big",
        "loop_same",
        "loop_sets_1",
        "loop_sets_2",
    ] {
        let problem = problem(&dir, name);
        let options = Options { engine: Some(&engines::DPLLT), patterns: looped, ..Options::default() };
        for answer in &check(&problem, &options).answers {
            assert!(answer.is_safe(), "{name}: {:?}", answer.finding);
            assert!(answer.stats.states <= 16, "{name}: {} states", answer.stats.states);
        }
    }
}

/// Nets of the contest of which all formulas of linear temporal logic are answered at once.
const CONTEST: &[(&str, &str)] = &[
    ("CSRepetitions-PT-02", "LTLCardinality"),
    ("CircularTrains-PT-012", "LTLCardinality"),
    ("CloudDeployment-PT-2a", "LTLCardinality"),
    ("DatabaseWithMutex-PT-02", "LTLCardinality"),
    ("HypertorusGrid-PT-d2k1p8b00", "LTLCardinality"),
    ("CircularTrains-PT-012", "LTLFireability"),
    ("DatabaseWithMutex-PT-02", "LTLFireability"),
    ("HypertorusGrid-PT-d2k1p8b00", "LTLFireability"),
];

#[test]
fn temporal_formulas_of_the_contest() {
    use impasse::formats::{Limits, Source, read, read_goals};
    let Some(dir) = corpus().map(|dir| dir.with_file_name("mcc")).filter(|dir| dir.exists()) else { return };
    let answers = fs::read_to_string(dir.join("expected_more.csv")).expect("it can be read");
    let mut count = [0; 2];
    for (net, examination) in CONTEST {
        let source = |file: String| {
            let path = dir.join(net).join(file);
            Source { bytes: fs::read(&path).expect("it can be read"), name: path.display().to_string() }
        };
        let limits = Limits::default();
        let mut problem = read(source("model.pnml.xz".to_owned()), None, &limits).expect("a net").problem;
        read_goals(source(format!("{examination}.xml.xz")), None, &mut problem, &limits).expect("formulas");
        let outcome = check(&problem, &Options::default());
        for answer in &outcome.answers {
            let id = &answer.property.id;
            let row = answers.lines().find(|line| line.split(',').nth(2) == Some(id)).expect("it is in the table");
            let expected = match row.split(',').nth(3) {
                Some("TRUE") => true,
                Some("FALSE") => false,
                _ => continue,
            };
            assert_eq!((answer.is_safe(), answer.is_unsafe()), (expected, !expected), "{id}");
            count[usize::from(expected)] += 1;
        }
    }
    assert!(count.iter().all(|n| *n > 20), "{count:?}");
}
