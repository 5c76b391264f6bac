//! Compares counts with brute force, and with closed forms.

use crate::counts;
use model::SystemModel;
use num_bigint::BigUint;
use std::sync::Arc;
use testkit::Random;
use testkit::marked::branching::Graph;
use testkit::net::net;

#[test]
fn counts_are_those_of_brute_force() {
    let (mut compared, mut seed) = (0, 0);
    while compared < testkit::count(20_000) {
        seed += 1;
        let net = Arc::new(net(&mut Random::new(seed)));
        let Some(graph) = Graph::of(&SystemModel::from(Arc::clone(&net)), 300) else { continue };
        compared += 1;
        let found = counts(&net, u64::MAX, &Arc::default());
        let Ok(Some(found)) = found else { panic!("seed {seed}: {found:?}") };
        assert_eq!(found.markings, graph.markings.len().into(), "seed {seed}");
        assert_eq!(found.arcs, graph.next.iter().map(Vec::len).sum::<usize>().into(), "seed {seed}");
        let most = graph.markings.iter().flatten().max().cloned().unwrap_or_default();
        assert_eq!(found.place, most, "seed {seed}");
        let sums = graph.markings.iter().map(|m| m.iter().sum::<BigUint>());
        assert_eq!(found.marking, sums.max().unwrap_or_default(), "seed {seed}");
    }
}
