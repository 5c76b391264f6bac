//! Questions about systems as a whole (`LIVENESS` and the like), against their definitions on all markings of random
//! nets and thread-transition systems, and soundness of workflow nets as process mining discovers them
//! ([`testkit::net::workflow`]).

use impasse::formats::{Ask, Limits, ask};
use impasse::model::{Net, Problem, SystemModel};
use impasse::{Answer, Options, check};
use num_bigint::BigUint;
use std::sync::Arc;
use testkit::Random;
use testkit::marked::branching::Graph;
use testkit::net::workflow::workflow;

/// Nets with more markings are left out.
pub(super) const MOST: usize = 200;
/// Thread-transition systems are left out if they have more markings, or more threads in a state.
const MOST_OF_THREADS: usize = 60;

/// Asks one question about a system. `None` if the question does not fit it.
pub(super) fn answer(system: impl Into<SystemModel>, question: &str) -> Option<(Problem, Answer)> {
    let mut problem = Problem::of(system);
    let asked = ask(&mut problem, question, 1, &Limits::default()).ok()?;
    let Ask::Property(property) = asked else { panic!("{question} is a question about systems as a whole") };
    let problem = problem.asking(vec![property]).expect("it fits");
    let answer = check(&problem, &Options::default()).answers.pop()?;
    Some((problem, answer))
}

/// For each marking: true for the markings that lead to it.
pub(super) fn leading_to(graph: &Graph, goal: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut leads: Vec<bool> = (0..graph.next.len()).map(goal).collect();
    loop {
        let more: Vec<bool> = (0..leads.len()).map(|m| leads[m] || graph.next[m].iter().any(|to| leads[*to])).collect();
        if more == leads {
            return leads;
        }
        leads = more;
    }
}

/// The truth of a question by its definition.
fn truth(system: &SystemModel, graph: &Graph, question: &str) -> bool {
    let transitions = || 0..testkit::marked::transitions(system);
    let enabled = |t: usize, m: usize| !testkit::marked::fire(system, t, &graph.markings[m]).is_empty();
    let all = |list: Vec<bool>| list.into_iter().all(|value| value);
    match question {
        "ONESAFE" => graph.markings.iter().flatten().all(|tokens| *tokens < BigUint::from(2u8)),
        "QUASILIVENESS" => transitions().all(|t| (0..graph.markings.len()).any(|m| enabled(t, m))),
        "LIVENESS" => transitions().all(|t| all(leading_to(graph, |m| enabled(t, m)))),
        "REVERSIBLE" => all(leading_to(graph, |m| m == 0)),
        "STABLEMARKING" => {
            (0..graph.markings[0].len()).any(|p| graph.markings.iter().all(|m| m[p] == graph.markings[0][p]))
        }
        other => panic!("{other}"),
    }
}

#[test]
fn questions_about_random_systems_agree_with_their_definitions() {
    let mut count = [[0; 2]; 2];
    for seed in 0..testkit::count(4_000) {
        let random = &mut Random::new(seed ^ 0x676c_6f62);
        let has_threads = seed % 2 == 1;
        let system: SystemModel = match has_threads {
            false => Arc::new(testkit::net::up_to(4, random)).into(),
            true => Arc::new(testkit::threads::system(random)).into(),
        };
        let Some(graph) = Graph::of(&system, if has_threads { MOST_OF_THREADS } else { MOST }) else { continue };
        for question in ["ONESAFE", "QUASILIVENESS", "LIVENESS", "REVERSIBLE", "STABLEMARKING"] {
            let is_about_start = ["REVERSIBLE", "STABLEMARKING"].contains(&question);
            let Some((_, answer)) = answer(system.clone(), question) else {
                assert!(is_about_start && graph.initial > 1, "seed {seed}: {question} is refused");
                continue;
            };
            // With several initial markings the question is about runs from each of them.
            let expected = match (question, graph.initial) {
                ("QUASILIVENESS", 2..) => continue,
                _ => truth(&system, &graph, question),
            };
            let found = (answer.is_safe(), answer.is_unsafe());
            assert_eq!(found, (expected, !expected), "seed {seed}: {question}: {:?}", answer.finding);
            count[usize::from(has_threads)][usize::from(expected)] += 1;
        }
    }
    assert!(!testkit::are_full() || count.iter().flatten().all(|n| *n > 300), "{count:?}");
}

/// Soundness by its definition. The final marking has one token, on place 1.
fn is_sound(net: &Arc<Net>, graph: &Graph) -> bool {
    let is_final = |m: usize| {
        let marking = &graph.markings[m];
        marking[1] == 1u8.into() && marking.iter().sum::<BigUint>() == 1u8.into()
    };
    let proper = (0..graph.markings.len()).all(|m| graph.markings[m][1] == BigUint::ZERO || is_final(m));
    let quasi_live = truth(&Arc::clone(net).into(), graph, "QUASILIVENESS");
    proper && quasi_live && leading_to(graph, is_final).into_iter().all(|leads| leads)
}

#[test]
fn soundness_agrees_with_its_definition() {
    let (mut sound, mut unsound) = (0, 0);
    for seed in 0..testkit::count(600) {
        let random = &mut Random::new(seed ^ 0x776f_726b);
        let size = random.between(1, 8);
        let net = Arc::new(workflow(random, size, seed % 3 == 0));
        let Some(graph) = Graph::of(&Arc::clone(&net).into(), MOST) else { continue };
        let Some((_, answer)) = answer(Arc::clone(&net), "SOUND") else { continue };
        let expected = is_sound(&net, &graph);
        assert_eq!((answer.is_safe(), answer.is_unsafe()), (expected, !expected), "seed {seed}: {net:?}");
        assert!(expected || seed % 3 != 0, "seed {seed}: a process tree is sound");
        if expected { sound += 1 } else { unsound += 1 }
    }
    assert!(!testkit::are_full() || sound > 100 && unsound > 100, "{sound} {unsound}");
}
