//! Random programs of version 2 of `.rwb` with variables and hot marks: the answers of all engines against a
//! brute-force search for ends and cycles. The search works on the joint states of the interpreter of the generator
//! (`crates/readers/tests/it/data_random`), so it shares no code with the reader, the engines and the checker.
//!
//! `IMPASSE_CASES` (a share in percent) and `IMPASSE_SEED` choose the number of programs, and which ones. Only programs
//! with variables and hot states count.

#[path = "../../crates/readers/tests/it/data_random/code.rs"]
#[expect(dead_code, reason = "the tests of the reader tell why texts are refused")]
mod code;
#[path = "../../crates/readers/tests/it/data_random/draw.rs"]
mod draw;
#[path = "../../crates/readers/tests/it/data_random/draw_events.rs"]
mod draw_events;
#[path = "../../crates/readers/tests/it/data_random/draw_states.rs"]
mod draw_states;
#[path = "../../crates/readers/tests/it/data_random/joint.rs"]
#[expect(dead_code, reason = "the tests of the reader compare graphs, too")]
mod joint;
#[path = "../../crates/readers/tests/it/data_random/meaning.rs"]
mod meaning;
#[path = "../../crates/readers/tests/it/data_random/print.rs"]
mod print;
#[path = "../../crates/readers/tests/it/data_random/sets.rs"]
mod sets;
#[path = "../../crates/readers/tests/it/data_random/tree.rs"]
mod tree;

use impasse::model::{Goal, Property, ThreadId};
use impasse::{Options, check, read_rwb};
use joint::{Graph, Seen};
use meaning::{Meaning, Stopped};

/// The most joint states of a program.
const STATES: usize = 4000;

/// True if some run ends, or goes on for ever, with all its states from some point on in the set. Bad states are not
/// hot. States without a successor in the set are removed again and again: what is left lies on a cycle, or leads to
/// one.
fn stays(graph: &Graph, is_hot: &dyn Fn(usize) -> bool) -> bool {
    let count = graph.seen.len();
    if (0..count).any(|s| is_hot(s) && matches!(graph.seen[s], Seen::Deadlock | Seen::End)) {
        return true;
    }
    let mut left: Vec<bool> = (0..count).map(is_hot).collect();
    loop {
        let goes = |s: usize| left[s] && graph.next[s].values().flatten().any(|to| left[*to]);
        let rest: Vec<bool> = (0..count).map(goes).collect();
        if rest == left {
            return left.contains(&true);
        }
        left = rest;
    }
}

/// The answers of brute force that were compared.
#[derive(Default, Debug)]
struct Compared {
    programs: u64,
    refused: u64,
    large: u64,
    /// For each kind of question: the number of answers `safe`, and of answers `unsafe`.
    bad: [u64; 2],
    deadlock: [u64; 2],
    hot: [u64; 2],
    some_hot: [u64; 2],
}

/// Checks the program for the seed, if it has variables and hot marks.
fn compare(seed: u64, compared: &mut Compared) {
    let case = draw::case(seed);
    let meaning = Meaning { case: &case, threads: code::threads(&case) };
    let text = print::text(&case);
    if meaning.threads.iter().all(|thread| thread.variables.is_empty()) || !text.contains("hot ") {
        return;
    }
    let Ok(problem) = read_rwb(&text) else {
        compared.refused += 1;
        return;
    };
    let graph = match joint::joint(&meaning, STATES) {
        Ok((graph, _)) => graph,
        Err(Stopped::Large) => {
            compared.large += 1;
            return;
        }
        Err(stopped) => panic!("seed {seed}: the reader accepts {stopped:?}\n{text}"),
    };
    let program = problem.system().as_program().expect("a program");
    let hot: Vec<ThreadId> = program.hot_threads().collect();
    if hot.is_empty() {
        return;
    }
    let threads = program.threads().len();
    for t in (0..threads).map(ThreadId::new).filter(|t| !hot.contains(t)) {
        assert!(!graph.hot.iter().any(|there| there.contains(&t.index())), "seed {seed}: {t:?} is hot\n{text}");
    }
    let mut properties = vec![Property::never("bad", Goal::Bad), Property::never("deadlock", Goal::Deadlock)];
    properties.extend(hot.iter().map(|t| Property::never(format!("hot:{}", t.index()), Goal::Hot(*t))));
    properties.push(Property::never("hot", Goal::SomeHot));
    let problem = problem.asking(properties).expect("it fits");
    let outcome = check(&problem, &Options::default());
    for goal in problem.goals() {
        let (expected, count) = match goal {
            Goal::Bad => (graph.shortest(&Seen::Bad).is_some(), &mut compared.bad),
            Goal::Deadlock => (graph.shortest(&Seen::Deadlock).is_some(), &mut compared.deadlock),
            Goal::Hot(t) => (stays(&graph, &|s| graph.hot[s].contains(&t.index())), &mut compared.hot),
            _ => (stays(&graph, &|s| !graph.hot[s].is_empty()), &mut compared.some_hot),
        };
        let answer = outcome.about(goal).expect("it was asked");
        let found = (answer.is_unsafe(), answer.is_safe());
        assert_eq!(found, (expected, !expected), "seed {seed}: {goal}\n{text}");
        count[usize::from(expected)] += 1;
    }
    compared.programs += 1;
}

#[test]
#[expect(clippy::print_stderr, reason = "the counts of a long run")]
fn random_programs_with_data_and_hot_marks_agree_with_brute_force() {
    let first = std::env::var("IMPASSE_SEED").ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let programs = testkit::count(10_000);
    let mut compared = Compared::default();
    let mut seed = first;
    while compared.programs < programs {
        compare(seed, &mut compared);
        seed += 1;
    }
    eprintln!("{compared:?}");
    // The test says something only if each answer is common.
    for [safe, violated] in [compared.bad, compared.deadlock, compared.hot, compared.some_hot] {
        assert!(safe.min(violated) * 10 > programs, "{compared:?}");
    }
    assert!((compared.refused + compared.large) * 5 < programs, "{compared:?}");
}
