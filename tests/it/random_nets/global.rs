//! Questions about systems as a whole (`LIVENESS` and the like), against their definitions on all markings of random
//! nets and thread-transition systems, and soundness of workflow nets as process mining discovers them.
//!
//! Workflow nets are made from random process trees, as the inductive miner makes them (Leemans, Fahland and van der
//! Aalst, "Discovering block-structured process models from event logs", PETRI NETS 2013). Such a net is sound. Arcs
//! are then added or moved in some of them.

use impasse::formats::{Ask, Limits, ask};
use impasse::model::{Net, Place, PlaceId, Problem, Range, SystemModel, Transition};
use impasse::{Answer, Options, check};
use num_bigint::BigUint;
use std::sync::Arc;
use testkit::Random;
use testkit::marked::branching::Graph;

/// Nets with more markings are left out.
const MOST: usize = 200;
/// Thread-transition systems are left out if they have more markings, or more threads in a state.
const MOST_OF_THREADS: usize = 60;

/// Asks one question about a system. `None` if the question does not fit it.
fn answer(system: impl Into<SystemModel>, question: &str) -> Option<Answer> {
    let mut problem = Problem::of(system);
    let asked = ask(&mut problem, question, 1, &Limits::default()).ok()?;
    let Ask::Property(property) = asked else { panic!("{question} is a question about systems as a whole") };
    let problem = problem.asking(vec![property]).expect("it fits");
    check(&problem, &Options::default()).answers.pop()
}

/// For each marking: true for the markings that lead to it.
fn leading_to(graph: &Graph, goal: impl Fn(usize) -> bool) -> Vec<bool> {
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
            let Some(answer) = answer(system.clone(), question) else {
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

/// A workflow net that is being made.
struct Workflow {
    places: usize,
    arcs: Vec<(Vec<usize>, Vec<usize>)>,
}

impl Workflow {
    fn place(&mut self) -> usize {
        self.places += 1;
        self.places - 1
    }

    fn step(&mut self, from: &[usize], to: &[usize]) {
        self.arcs.push((from.to_vec(), to.to_vec()));
    }

    /// Adds a random process with about this many activities between two places.
    fn process(&mut self, random: &mut Random, from: usize, to: usize, size: usize) {
        let mut open = vec![(from, to, size)];
        while let Some((from, to, size)) = open.pop() {
            if size <= 1 {
                self.step(&[from], &[to]);
                continue;
            }
            let (left, right) = (random.between(1, size - 1), size);
            let right = right - left;
            match random.below(4) {
                0 => {
                    let between = self.place();
                    open.extend([(from, between, left), (between, to, right)]);
                }
                1 => open.extend([(from, to, left), (from, to, right)]),
                2 => {
                    let [a, b, c, d] = [self.place(), self.place(), self.place(), self.place()];
                    self.step(&[from], &[a, c]);
                    self.step(&[b, d], &[to]);
                    open.extend([(a, b, left), (c, d, right)]);
                }
                _ => {
                    let [a, b] = [self.place(), self.place()];
                    self.step(&[from], &[a]);
                    self.step(&[b], &[to]);
                    open.extend([(a, b, left), (b, a, right)]);
                }
            }
        }
    }

    fn net(&self, first: usize) -> Net {
        let place = |p| Place { name: format!("p{p}"), initial: Range::exactly(u8::from(p == first)) };
        let side = |list: &[usize]| list.iter().map(|p| (PlaceId::new(*p), 1u8.into())).collect::<Vec<_>>();
        let step = |(t, (from, to)): (usize, &(Vec<usize>, Vec<usize>))| {
            Transition::from_arcs(format!("t{t}"), &side(from), &side(to))
        };
        let steps = self.arcs.iter().enumerate().map(step).collect();
        Net::new((0..self.places).map(place).collect(), steps).expect("a net")
    }
}

/// Returns a workflow net with about this many activities. If it is not `plain`, arcs were changed.
fn workflow(random: &mut Random, size: usize, plain: bool) -> Net {
    let mut workflow = Workflow { places: 2, arcs: Vec::new() };
    workflow.process(random, 0, 1, size);
    if !plain {
        for _ in 0..random.between(1, 2) {
            let (t, inner) = (random.below(workflow.arcs.len()), workflow.places.saturating_sub(2));
            if inner > 0 {
                let p = 2 + random.below(inner);
                let (from, to) = &mut workflow.arcs[t];
                let side = if random.below(2) == 0 { from } else { to };
                if !side.contains(&p) {
                    side.push(p);
                }
            }
        }
    }
    workflow.net(0)
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
        let Some(answer) = answer(Arc::clone(&net), "SOUND") else { continue };
        let expected = is_sound(&net, &graph);
        assert_eq!((answer.is_safe(), answer.is_unsafe()), (expected, !expected), "seed {seed}: {net:?}");
        assert!(expected || seed % 3 != 0, "seed {seed}: a process tree is sound");
        if expected { sound += 1 } else { unsound += 1 }
    }
    assert!(!testkit::are_full() || sound > 100 && unsound > 100, "{sound} {unsound}");
}
