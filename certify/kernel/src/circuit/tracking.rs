//! Clauses of a tracked circuit, as evidence that outputs of a circuit with memories cannot be true.
//!
//! The kernel builds the tracked circuit from the circuit as read ([`Circuit::tracking`]). The clauses are then
//! checked as for any circuit ([`super::clauses`]). The proof may add gates to it, which change nothing. The clauses
//! show that an output of the tracked circuit cannot be true. Then it cannot be true in the circuit as read:
//! `model/src/circuit/memory/tracking.rs` has the proof.

use super::check;
use super::clauses::Encoding;
use crate::work::Work;
use crate::{Check, Obligations, reject};
use model::{Circuit, Gate, Goal, Tracker, TrackingProof};

/// The largest number of nodes, plus one: signals are numbers of 32 bits with a bit for the sign.
const MOST_NODES: usize = 1 << 30;

/// Checks that the clauses of the tracked circuit hold in each of its frames and exclude the goals.
///
/// # Errors
/// If they do not, if a goal is no output, or if a resource limit is exceeded.
pub fn check_proof(
    circuit: &Circuit,
    proof: &TrackingProof,
    goals: &[Goal],
    obligation: &mut Obligations<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let mut tracked = tracked(circuit, &proof.trackers, work)?;
    work.spend(proof.gates.len() as u64)?;
    work.grow(proof.gates.len() * size_of::<Gate>())?;
    for &(a, b) in &proof.gates {
        let nodes = tracked.gates().len();
        if a.node() >= nodes || b.node() >= nodes || nodes >= MOST_NODES {
            return reject("a gate comes before its operands");
        }
        tracked.and(a, b);
    }
    crate::clauses::check(&Encoding::new(&tracked, work)?, &proof.clauses, goals, obligation, work)
}

/// Returns the tracked circuit.
///
/// # Errors
/// If there is no such port, if the circuit is malformed, or if a resource limit is exceeded.
pub fn tracked(circuit: &Circuit, trackers: &[Tracker], work: &mut Work<'_>) -> Check<Circuit> {
    check(circuit)?;
    if trackers.len() > Tracker::MOST || trackers.iter().any(|tracker| tracker.delay > Tracker::LONGEST) {
        return reject("the proof tracks too many words");
    }
    // Each output gets a condition, which is a conjunction over all trackers.
    let mut nodes = (circuit.gates().len() + circuit.outputs().len() + trackers.len()) as u64;
    for tracker in trackers {
        if tracker.port.index() >= circuit.memories().ports.len() {
            return reject("there is no such port");
        }
        nodes = nodes.saturating_add(circuit.nodes_to_track(*tracker));
    }
    let Some(nodes) = usize::try_from(nodes).ok().filter(|nodes| *nodes < MOST_NODES) else {
        return reject("the tracked circuit is too large");
    };
    work.spend(nodes as u64)?;
    work.grow(nodes * size_of::<Gate>())?;
    let tracked = circuit.tracking(trackers);
    assert!(tracked.gates().len() <= nodes, "the bound of the size holds");
    Ok(tracked)
}
