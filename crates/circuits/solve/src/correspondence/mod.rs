//! Equal signals of a circuit, by induction (signal correspondence: van Eijk 2000; with merged copies and refinement
//! by counterexamples as in Mishchenko, Case, Brayton and Jang 2008).
//!
//! 1. `candidates`: nodes that have equal values, or opposite values, in all frames of random runs form classes.
//!    The constant false is a node, too.
//! 2. `induction`: a SAT solver shows that each class holds in the first frame, and in a frame after a frame in
//!    which all classes and all constraints hold. A counterexample splits classes, and the induction begins again.
//! 3. `merge`: each node is replaced by the first of its class. The circuit that is left may be much smaller, up to
//!    the point where an output is the constant false.
//! 4. [`Corresponding`] hosts an engine: it works on the circuit as read for a while, then classes are computed, and
//!    if nodes have been merged, a new engine works on the smaller circuit.
//!
//! Soundness. *Claim*: if all constraints hold in the frames before some frame of a run, then all classes hold in
//! that frame. Proof by induction over the frames: step 2 shows the first frame without constraints, and each further
//! frame with the constraints of the frame before it, and no others. So in each frame the merged circuit has the
//! values of the circuit as read, for the same inputs, as long as no constraint has been broken *before*. Constraints
//! may thus be built from merged nodes: both circuits have the same runs, and the same outputs in them. Clauses that
//! are inductive in the merged circuit are, together with the clauses that say that the classes hold, inductive in
//! the circuit as read. Nothing rests on this claim: runs are replayed and clauses are checked on the circuit as
//! read.

mod candidates;
mod classes;
mod engine;
mod induction;
mod merge;
#[cfg(test)]
mod tests;

use candidates::candidates;
pub use engine::{Corresponding, Host};
use induction::{Induction, Progress};
use merge::Merged;
