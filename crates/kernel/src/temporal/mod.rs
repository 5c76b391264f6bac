//! Temporal formulas about the runs of a program or a net (`model::ltl`). Questions about hot threads are formulas as
//! well.
//!
//! A run counts if it is maximal and satisfies the fairness assumptions (`model::fairness`). It is maximal if it is
//! infinite, or ends in a state without a step. A run that ends stays in its last state for ever, without an event. So
//! every run that counts is an infinite sequence of *positions*, and each position is a state together with an event or
//! none. A kind of system says what its positions are: [`Positions`] for sets of states, [`replay::Played`] for runs.
//!
//! **A formula is violated.** A run is replayed, and the formula is evaluated at all of its positions, by the
//! definition of its operators ([`crate::trace::holds`]). The run ends in a state without a step; or its loop
//! leads back to the same state, so that it can be repeated for ever. The positions that repeat show whether
//! the run satisfies an assumption: those that happen infinitely often are exactly these.
//!
//! **A formula holds.** A set of states is listed ([`crate::closed`]). The kernel builds a *tableau*
//! of the formula, which is an automaton ([`tableau`]), and the product of the set with it ([`product`]). A node of the
//! product is a state of the set and a set of *obligations*: formulas that the rest of the run must satisfy. Some
//! obligations are eventualities. A step of the product may *postpone* some of them. Nodes are removed in rounds. In
//! each round the nodes that are left get numbers, and no step between them leads to a greater number (this is
//! checked).
//! 1. Each violating run has a run of the product along it that postpones no eventuality from some point on for ever.
//!    Proof: claim 3 of [`tableau`]. All states of the run are in the set: the first one is initial. If a node of the
//!    run has a step of the tableau, all next states of its state are in the set, or the set is refused. Where the
//!    tableau has no step, the product ends, and what the run does afterwards does not matter. But by claim 3 there
//!    is a step at each position of a violating run.
//! 2. A node of a number is removed in these cases: no step leads from a node of the number to one of the same number;
//!    all these steps postpone the same eventuality; at all of them the subject of a weak assumption can go on, but
//!    does not; at none of them the subject of a strong assumption goes on, and in this node it can go on.
//! 3. Along a run of 1 that satisfies the assumptions, each node that was removed is visited only finitely often.
//!    Proof: by induction over the rounds. From some point on the run visits only nodes that are left, and takes only
//!    steps between them. The numbers never rise, so from some point on they stay the same. The nodes of all other
//!    numbers are visited only finitely often. For this number the first case is impossible, the second one by 1, and
//!    the third one because the run is fair. In the fourth case the subject goes on only finitely often. The run is
//!    fair, so its subject can go on only finitely often.
//! 4. If all nodes are removed, no run that counts violates the formula. Proof: such a run has a run of 1. It visits
//!    some node infinitely often, because there are finitely many. By 3 this node was not removed.
//!
//! The numbers are those of the strongly connected components, but the proof does not depend on this.

mod product;
pub mod replay;
mod steps;
pub mod tableau;

use crate::closed::Set;
use crate::work::Work;
use crate::{Check, reject};
use model::{Goal, Ltl, Problem};
use product::{Graph, Product};
pub use steps::formula;
pub use steps::{Positions, Steps};
use tableau::Tableau;

/// Checks that no run violates the formula of a goal, given as it is or as one with the same truth at all positions of
/// runs. The set must contain the initial states, and all next states where the product needs them.
///
/// # Errors
/// If a run violates the formula or leaves the set, or if a resource limit is exceeded.
pub fn check<P: Positions>(
    problem: &Problem,
    positions: &mut P,
    set: &Set,
    (goal, formula): (Goal, &Ltl),
    work: &mut Work<'_>,
) -> Check<()> {
    let mut tableau = Tableau::new(formula)?;
    let graph = Graph::new(positions, set, problem.fairness(), work)?;
    let mut product = Product::new(graph, &mut tableau);
    product.visit(work)?;
    match product.remain(work)? {
        None => Ok(()),
        Some(place) => {
            let mut state = Vec::new();
            set.layout.unpack(set.table.key(place), &mut state);
            let state = positions.describe(&state);
            let id = problem.properties().iter().find(|p| p.goal == goal).map_or(goal.id(), |p| p.id.as_str());
            reject(format!("`{id}` is violated, by a run that ends in, or comes back to, {state}"))
        }
    }
}
