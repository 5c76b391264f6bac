//! Reasons ([`impasse::why`]) for failing questions about nets as a whole, against all markings of random nets: the run
//! can be taken, what is said to be lost is lost after it, and after no shorter run.

use super::global::{MOST, answer, leading_to};
use impasse::model::{Net, PlaceId, SystemModel};
use impasse::why::{self, Why};
use num_bigint::BigUint;
use std::sync::Arc;
use testkit::Random;
use testkit::marked::branching::Graph;
use testkit::net::workflow::workflow;

/// Returns the reason for a question that fails; `None` if it does not fail.
fn reason(net: &Arc<Net>, question: &str) -> Option<Why> {
    let (problem, answer) = answer(Arc::clone(net), question)?;
    let claim = answer.claim.as_deref().filter(|_| answer.is_unsafe())?;
    Some(why::of(&problem, claim, answer.property.goal).unwrap_or_else(|| panic!("{question}: no reason: {net:?}")))
}

/// Returns the number of the marking at the end of the run.
fn end(net: &Arc<Net>, graph: &Graph, why: &Why) -> usize {
    let system: SystemModel = Arc::clone(net).into();
    let mut at = graph.markings[0].clone();
    for step in why.trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| &run.word)) {
        let next = testkit::marked::fire(&system, step.event.index(), &at);
        at = next.into_iter().next().unwrap_or_else(|| panic!("the run cannot be taken: {why:?}"));
    }
    graph.markings.iter().position(|marking| *marking == at).expect("it was reached")
}

/// Returns for each marking its distance from the first one.
fn distances(graph: &Graph) -> Vec<usize> {
    let mut distances = vec![usize::MAX; graph.markings.len()];
    distances[0] = 0;
    let mut open = std::collections::VecDeque::from([0]);
    while let Some(at) = open.pop_front() {
        for &to in &graph.next[at] {
            if distances[to] == usize::MAX {
                distances[to] = distances[at] + 1;
                open.push_back(to);
            }
        }
    }
    distances
}

/// Asserts that the run is a shortest one to a marking that does not lead to one with `goal`.
fn assert_lost(net: &Arc<Net>, graph: &Graph, why: &Why, goal: impl Fn(usize) -> bool) {
    let (end, leads) = (end(net, graph, why), leading_to(graph, goal));
    assert!(!leads[end], "it is not lost: {why:?} {net:?}");
    let distances = distances(graph);
    let least = (0..leads.len()).filter(|m| !leads[*m]).map(|m| distances[m]).min();
    assert_eq!(why.trace.len(), least.map(|least| least as u64), "{why:?} {net:?}");
}

/// Returns the transitions in quotation marks of a sentence.
fn quoted(net: &Net, sentence: &str) -> Vec<usize> {
    let names = sentence.split('`').skip(1).step_by(2);
    names.filter_map(|name| net.transitions().iter().position(|t| t.name == name)).collect()
}

fn enabled(net: &Arc<Net>, graph: &Graph, t: usize, m: usize) -> bool {
    !testkit::marked::fire(&Arc::clone(net).into(), t, &graph.markings[m]).is_empty()
}

#[test]
fn reasons_of_random_nets_are_true() {
    let mut seen = [0; 3];
    for seed in 0..testkit::count(3_000) {
        let random = &mut Random::new(seed ^ 0x7265_6173);
        let net = Arc::new(testkit::net::up_to(4, random));
        let Some(graph) = Graph::of(&Arc::clone(&net).into(), MOST).filter(|graph| graph.initial == 1) else {
            continue;
        };
        if let Some(why) = reason(&net, "REVERSIBLE") {
            assert_lost(&net, &graph, &why, |m| m == 0);
            seen[0] += 1;
        }
        if let Some(why) = reason(&net, "LIVENESS") {
            let said = why.sentences.iter().find(|said| said.contains("can never be enabled")).expect("it is said");
            let t = quoted(&net, said)[0];
            assert_lost(&net, &graph, &why, |m| enabled(&net, &graph, t, m));
            seen[1] += 1;
        }
        if let Some(why) = reason(&net, "QUASILIVENESS") {
            let said = why.sentences.first().expect("something is said");
            let (dead, markings) = (quoted(&net, said), 0..graph.markings.len());
            assert!(!dead.is_empty(), "{why:?}");
            assert!(dead.iter().all(|t| markings.clone().all(|m| !enabled(&net, &graph, *t, m))), "{why:?} {net:?}");
            seen[2] += 1;
        }
    }
    assert!(!testkit::are_full() || seen.iter().all(|n| *n > 200), "{seen:?}");
}

#[test]
fn reasons_of_workflows_are_true() {
    let mut seen = [0; 3];
    for seed in 0..testkit::count(900) {
        let random = &mut Random::new(seed ^ 0x666c_6f77);
        let size = random.between(1, 8);
        let net = Arc::new(workflow(random, size, false));
        let Some(graph) = Graph::of(&Arc::clone(&net).into(), MOST) else { continue };
        let one = BigUint::from(1u8);
        let is_final = |m: usize| graph.markings[m][1] == one && graph.markings[m].iter().sum::<BigUint>() == one;
        if let Some(why) = reason(&net, "WEAKSOUND") {
            assert_lost(&net, &graph, &why, is_final);
            assert!(why.sentences.iter().any(|said| said.contains("no option to complete")), "{why:?}");
            seen[0] += 1;
        }
        let Some(why) = reason(&net, "SOUND") else { continue };
        let says = |text: &str| why.sentences.iter().any(|said| said.contains(text));
        if says("no option to complete") {
            assert_lost(&net, &graph, &why, is_final);
            seen[1] += 1;
        } else if let Some(said) = why.sentences.iter().find(|said| said.contains("dead transition")) {
            let never = |t: &usize| (0..graph.markings.len()).all(|m| !enabled(&net, &graph, *t, m));
            assert!(quoted(&net, said).iter().all(never), "{why:?} {net:?}");
            seen[2] += 1;
        } else {
            let end = end(&net, &graph, &why);
            assert!(graph.markings[end][1] > BigUint::ZERO && !is_final(end), "{why:?} {net:?}");
        }
        let last = PlaceId::new(1);
        assert_eq!(net.place(last).initial.at_least, BigUint::ZERO, "the last place is empty at the start");
    }
    assert!(!testkit::are_full() || seen.iter().all(|n| *n > 10), "{seen:?}");
}
