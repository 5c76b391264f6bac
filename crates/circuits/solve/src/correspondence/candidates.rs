//! Nodes that have equal or opposite values in random runs.

use super::classes::Classes;
use crate::simulate::Simulation;
use model::{Circuit, Reset, Signal};
use search::rng::{Rng, mix};
use std::sync::Arc;

/// Frames between two counts of the classes. A series ends when they have not become more.
const FRAMES: u64 = 128;

/// Maximum number of nodes simulated in a series, over all frames. One block of frames is simulated in any case.
const MOST: u64 = 1 << 26;

/// How many words are combined to draw an input in each series: 0 gives uniform inputs, 2 inputs that are rarely true.
const SERIES: [u32; 3] = [0, 2, 0];

/// Returns the classes of nodes that random runs do not distinguish. `nodes` must contain the nodes on which they
/// depend, and node 0.
pub(super) fn candidates(circuit: &Arc<Circuit>, nodes: &[usize]) -> Classes {
    debug_assert_eq!(nodes.first(), Some(&0));
    let mut random = Rng(1);
    let mut simulation = Simulation::new(Arc::clone(circuit), nodes);
    let mut signatures = vec![0u64; circuit.gates().len()];
    let mut opposite = vec![false; circuit.gates().len()];
    for (number, &rare) in SERIES.iter().enumerate() {
        let latches = circuit.latches().iter().map(|latch| match latch.reset {
            Reset::Zero => 0,
            Reset::One => u64::MAX,
            Reset::Open => random.word(),
        });
        simulation.start(latches.collect());
        // The runs in which all constraints held before this frame.
        let mut alive = u64::MAX;
        let mut classes = 0;
        for frame in 0.. {
            if frame % FRAMES == 0 {
                let distinct = distinct(nodes, &signatures);
                if frame > 0 && (distinct == classes || frame * nodes.len() as u64 > MOST) {
                    break;
                }
                classes = distinct;
            }
            if alive == 0 {
                break;
            }
            let inputs: Vec<u64> = circuit.inputs().iter().map(|_| rarely(&mut random, rare)).collect();
            simulation.frame(&inputs);
            for &node in nodes {
                if number == 0 && frame == 0 {
                    opposite[node] = simulation.value(Signal::new(node, false)) & 1 == 1;
                }
                let word = simulation.value(Signal::new(node, opposite[node])) & alive;
                signatures[node] = mix(signatures[node] ^ word);
            }
            alive &= simulation.kept();
            simulation.step();
        }
    }
    let signatures: Vec<(usize, u64)> = nodes.iter().map(|&node| (node, signatures[node])).collect();
    Classes::by_signature(circuit.gates().len(), &signatures, opposite)
}

/// Number of different signatures.
fn distinct(nodes: &[usize], signatures: &[u64]) -> usize {
    let mut list: Vec<u64> = nodes.iter().map(|&node| signatures[node]).collect();
    list.sort_unstable();
    list.dedup();
    list.len()
}

/// A word in which each bit is true with probability 2^-(rare + 1).
fn rarely(random: &mut Rng, rare: u32) -> u64 {
    (0..rare).fold(random.word(), |word, _| word & random.word())
}
