//! Random imported programs. The explicit program of the reader is compared with an interpreter of the JSON values
//! (`meaning`), by what is seen after each word of events: bad states, deadlocks, proper ends, the enabled events, and
//! which threads are hot. The program is also written and read again: the same explicit program must come out.

mod draw;
mod meaning;

use crate::read_as;
use impasse_readers::import::Program as Import;
use impasse_readers::{Limits, Source};
use meaning::{Meaning, Place};
use model::{LocalId, Program, ThreadId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use testkit::Random;

/// The most joint states of a program, and the most sets of states that are compared.
const STATES: usize = 3000;
const SETS: usize = 300;

/// What is seen of a state, and where its events lead.
type Look<S> = (String, Vec<(String, Vec<S>)>);

#[derive(Default)]
struct Graph {
    seen: Vec<String>,
    next: Vec<BTreeMap<String, BTreeSet<usize>>>,
    first: BTreeSet<usize>,
}

/// Explores states. `None` if there are too many.
fn explore<S: Clone + Eq + std::hash::Hash>(first: Vec<S>, look: impl Fn(&S) -> Look<S>) -> Option<Graph> {
    let (mut graph, mut numbers, mut states) = (Graph::default(), HashMap::new(), Vec::<S>::new());
    let mut number = |state: S, states: &mut Vec<S>| {
        *numbers.entry(state.clone()).or_insert_with(|| {
            states.push(state);
            states.len() - 1
        })
    };
    graph.first = first.into_iter().map(|state| number(state, &mut states)).collect();
    while graph.seen.len() < states.len() {
        if states.len() > STATES {
            return None;
        }
        let (seen, next) = look(&states[graph.seen.len()].clone());
        let mut edges: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (event, to) in next {
            edges.entry(event).or_default().extend(to.into_iter().map(|state| number(state, &mut states)));
        }
        graph.seen.push(seen);
        graph.next.push(edges);
    }
    Some(graph)
}

fn seen(is_bad: bool, enabled: &[String], are_final: bool, hot: &[usize]) -> String {
    match (is_bad, enabled.is_empty(), are_final) {
        (true, ..) => "bad".to_owned(),
        (_, true, true) => format!("end, hot {hot:?}"),
        (_, true, false) => format!("deadlock, hot {hot:?}"),
        _ => format!("live {enabled:?}, hot {hot:?}"),
    }
}

fn meant(meaning: &Meaning<'_>) -> Option<Graph> {
    let first: Vec<Vec<Place>> = (0..meaning.threads()).map(|t| meaning.first(t)).collect();
    explore(testkit::choices(first), |joint: &Vec<Place>| {
        let marks: Vec<(bool, bool, bool)> =
            joint.iter().enumerate().map(|(t, place)| meaning.marks(t, place)).collect();
        let hot: Vec<usize> = (0..joint.len()).filter(|t| marks[*t].2).collect();
        if marks.iter().any(|marks| marks.0) {
            return (seen(true, &[], false, &hot), Vec::new());
        }
        let places = || joint.iter().enumerate();
        let mut next = Vec::new();
        for event in &meaning.universe {
            let is_requested = places().any(|(t, place)| meaning.requests(t, place, event));
            if is_requested && !places().any(|(t, place)| meaning.blocks(t, place, event)) {
                let to: Vec<Vec<Place>> = places().map(|(t, place)| meaning.after(t, place, event)).collect();
                next.push((meaning.name(event), testkit::choices(to)));
            }
        }
        let mut names: Vec<String> = next.iter().map(|(name, _)| name.clone()).collect();
        names.sort();
        (seen(false, &names, marks.iter().all(|marks| marks.1), &hot), next)
    })
}

fn explicit(program: &Program) -> Option<Graph> {
    use testkit::program::{after, enabled, initial};
    explore(initial(program), |joint| {
        let locals: Vec<(ThreadId, LocalId)> =
            joint.iter().enumerate().map(|(t, s)| (ThreadId::new(t), LocalId(*s))).collect();
        let hot: Vec<usize> = (0..locals.len()).filter(|t| program.is_hot(locals[*t].0, locals[*t].1)).collect();
        if locals.iter().any(|(t, s)| program.thread(*t).state(*s).bad) {
            return (seen(true, &[], false, &hot), Vec::new());
        }
        let next = enabled(program, joint).into_iter();
        let next: Vec<_> = next.map(|e| (program.event_name(e).to_owned(), after(program, joint, e))).collect();
        let mut names: Vec<String> = next.iter().map(|(name, _)| name.clone()).collect();
        names.sort();
        (seen(false, &names, locals.iter().all(|(t, s)| program.is_final(*t, *s)), &hot), next)
    })
}

/// Compares what is seen after each word.
fn compare(one: &Graph, other: &Graph) -> Result<(), String> {
    let mut open = vec![(Vec::<String>::new(), one.first.clone(), other.first.clone())];
    let (mut done, mut at) = (BTreeSet::new(), 0);
    while at < open.len().min(SETS) {
        let (word, ours, theirs) = open[at].clone();
        at += 1;
        let of = |graph: &Graph, set: &BTreeSet<usize>| -> BTreeSet<String> {
            set.iter().map(|s| graph.seen[*s].clone()).collect()
        };
        let (meant, found) = (of(one, &ours), of(other, &theirs));
        if meant != found {
            return Err(format!("after {word:?}: meant {meant:?}, read {found:?}"));
        }
        let step = |graph: &Graph, set: &BTreeSet<usize>| {
            let mut next: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
            for (event, to) in set.iter().flat_map(|s| &graph.next[*s]) {
                next.entry(event.clone()).or_default().extend(to);
            }
            next
        };
        let theirs = step(other, &theirs);
        for (event, ours) in step(one, &ours) {
            let theirs = theirs.get(&event).cloned().unwrap_or_default();
            if done.insert((ours.clone(), theirs.clone())) {
                open.push((word.iter().cloned().chain([event]).collect(), ours, theirs));
            }
        }
    }
    Ok(())
}

fn read(name: &str, text: &str) -> Result<std::sync::Arc<Program>, String> {
    let read = read_as(name, text).map_err(|e| format!("{} {e} {:?}", e.code(), e.pointer()))?;
    Ok(std::sync::Arc::clone(read.problem.system().as_program().ok_or("no explicit program")?))
}

/// Checks one program. Returns the kinds of its states.
fn check(seed: u64) -> Result<Vec<&'static str>, String> {
    let json = draw::program(&mut Random::new(seed));
    let text = serde_json::to_string_pretty(&json).expect("JSON");
    let failed = |message: String| format!("seed {seed}: {message}\n{text}");
    let program = read("t.json", &text).map_err(failed)?;
    // Written and read again.
    let source = Source { name: "t.json".to_owned(), bytes: text.clone().into_bytes() };
    let import = Import::from_json(&source, &Limits::default()).map_err(|e| failed(e.to_string()))?;
    let written = import.to_json();
    let again = read("again.json", &written).map_err(failed)?;
    if program != again {
        return Err(failed(format!("another program after writing\n{written}")));
    }
    let (Some(meant), Some(found)) = (meant(&Meaning::of(&json)), explicit(&program)) else {
        return Ok(vec!["large"]);
    };
    compare(&meant, &found).map_err(failed)?;
    let kinds = ["bad", "deadlock", "end", "live"];
    Ok(kinds.into_iter().filter(|kind| found.seen.iter().any(|seen| seen.starts_with(kind))).collect())
}

#[test]
fn random_programs_mean_what_the_json_says() {
    let programs = testkit::count(4000);
    let first = std::env::var("IMPASSE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in first..first + programs {
        for kind in check(seed).unwrap_or_else(|message| panic!("{message}")) {
            *counts.entry(kind).or_default() += 1;
        }
    }
    eprintln!("{counts:?}");
    let share = |kind: &str| counts.get(kind).copied().unwrap_or(0) as f64 / programs as f64;
    assert!(share("large") < 0.05, "{counts:?}");
    for (kind, least) in [("bad", 0.08), ("deadlock", 0.2), ("end", 0.02), ("live", 0.5)] {
        assert!(share(kind) > least, "{kind}: {counts:?}");
    }
}
