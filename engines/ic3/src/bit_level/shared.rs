//! Searches for different outputs of a circuit share proofs.
//!
//! The clauses that prove an output hold in every frame of every run, and every step keeps all of them together.
//! Therefore a search for another output may add them to all its frames: they are pushed like its own lemmas, and its
//! proof contains them. Outputs with the same reasons (two of n requests are never granted together) are then proven
//! about as fast as the first of them. Only clauses about latches of the other output's cone are given, because all
//! others would be in its queries and in its proof without need.

use super::cube::Cube;
use super::saved::Values;
use super::search::Phase;
use super::{Bits, CircuitIc3, Source};
use model::{Circuit, Gate, LatchId, Signal};

/// A search gets at most this many clauses from others. A proof contains all of them, and the checker reads each proof.
const MOST: usize = 2_000;

impl<S: Source> Bits<S> {
    /// Adds cubes that no run reaches, and that every step excludes if all of them are excluded before it.
    pub(super) fn adopt(&mut self, unreachable: &[Values]) {
        let cubes: Vec<Cube> = unreachable.iter().map(|values| self.cube_of(values)).collect();
        if let Phase::Restore(waiting) = &mut self.phase {
            waiting.extend(cubes);
            return;
        }
        if self.frames.top() == 0 {
            self.open();
        }
        let top = self.frames.top();
        for cube in cubes {
            if self.frames.blocked(&cube, top).is_none() {
                self.add_lemma(cube, top);
            }
        }
    }
}

impl CircuitIc3 {
    /// Gives the clauses that prove an output to the searches for the others.
    pub(super) fn share(&mut self, clauses: &[Values]) {
        let unreachable: Vec<Values> = clauses.iter().map(excluded).collect();
        let circuit = self.source.circuit();
        for asked in &mut self.open {
            let model::Goal::Output(output) = asked.goal else { continue };
            let cone = asked.cone.get_or_insert_with(|| latches_of(circuit, circuit.outputs()[output.index()].signal));
            let is_inside = |cube: &&Values| cube.iter().all(|(latch, _)| cone.binary_search(latch).is_ok());
            let fitting: Vec<Values> = unreachable.iter().filter(is_inside).cloned().collect();
            if fitting.len() + asked.adopted <= MOST {
                asked.adopted += fitting.len();
                asked.bits.adopt(&fitting);
            }
        }
    }
}

/// The cube that a clause excludes.
fn excluded(clause: &Values) -> Values {
    clause.iter().map(|&(latch, value)| (latch, !value)).collect()
}

/// The latches on which the signal or a constraint depends in some frame, ascending.
fn latches_of(circuit: &Circuit, signal: Signal) -> Vec<LatchId> {
    let latch = |node: usize| match circuit.gates()[node] {
        Gate::Latch(latch) => Some(latch),
        _ => None,
    };
    let mut latches: Vec<LatchId> = circuit.cone([signal]).into_iter().filter_map(latch).collect();
    latches.sort_unstable();
    latches
}
