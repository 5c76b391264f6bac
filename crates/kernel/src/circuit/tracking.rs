//! Clauses of a circuit without memories, as evidence that outputs of a circuit with memories cannot be true.
//!
//! The kernel builds the circuit without memories from the circuit as read. It follows some words by latches
//! ([`Circuit::tracking`]), or all of them ([`Circuit::expanded`]). The clauses are then checked as for any circuit
//! ([`super::clauses`]). The proof may add gates to it, which change nothing. The clauses show that an output of this
//! circuit cannot be true. Then it cannot be true in the circuit as read: `tracking.rs` and `expanded.rs` in
//! `crates/model/src/circuit/memory` have the proofs.

use super::check;
use super::clauses::Encoding;
use crate::work::Work;
use crate::{Check, Obligations, reject};
use model::{Circuit, Followed, Gate, Goal, Tracker, TrackingProof};

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
    let mut tracked = match &proof.followed {
        Followed::Some(trackers) => tracked(circuit, trackers, work)?,
        Followed::All => expanded(circuit, work)?,
    };
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
    bounded(nodes, work, || circuit.tracking(trackers))
}

/// Returns the expanded circuit.
///
/// # Errors
/// If the circuit is malformed, or if a resource limit is exceeded.
pub fn expanded(circuit: &Circuit, work: &mut Work<'_>) -> Check<Circuit> {
    check(circuit)?;
    bounded(circuit.nodes_to_expand(), work, || circuit.expanded().0)
}

/// Makes a circuit of at most this many nodes.
fn bounded(nodes: u64, work: &mut Work<'_>, make: impl FnOnce() -> Circuit) -> Check<Circuit> {
    let Some(nodes) = usize::try_from(nodes).ok().filter(|nodes| *nodes < MOST_NODES) else {
        return reject("the circuit without memories is too large");
    };
    work.spend(nodes as u64)?;
    work.grow(nodes * size_of::<Gate>())?;
    let made = make();
    assert!(made.gates().len() <= nodes, "the bound of the size holds");
    Ok(made)
}
