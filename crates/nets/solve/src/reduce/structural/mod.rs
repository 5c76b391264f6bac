//! Structural reductions of Petri nets: smaller nets in which a run stands for a run of the net as given.
//!
//! The rules look at the arcs of a place or transition and at what is near it, never at markings. The sources of all
//! of them: Berthelot 1987; Murata 1989; Haddad and Pradat-Peyre 2006; Boenneland et al., "Stubborn versus structural
//! reductions for Petri nets" 2019; Thierry-Mieg, "Structural reductions revisited" 2020. Each module of a rule says
//! which questions the rule preserves, and why:
//!
//! * *Formulas*: if a marking that satisfies the formula is reachable before, one is reachable afterwards, and the
//!   other way round. Rules respect the places that the formulas of the goals name.
//! * *Deadlock*: the same for markings without enabled transitions.
//!
//! Places are *fixed* if a formula names them, if their initial number of tokens is open, or if a transition that is
//! not plain (with an upper bound in a guard, or with a transfer) touches them. No rule drops a fixed place, and none
//! changes a transition that is not plain. On all other places transitions are as in a weighted net: more tokens never
//! disable anything. A net with a transition that is not plain is not reduced for deadlocks.
//!
//! Every transition of the reduced net stands for a word of transitions, which can fire in this order when the
//! transition can, and which has the same effect. So a run of the reduced net becomes a run of the net by writing out
//! the words ([`Reduced::lift`]). Proofs about the reduced net are not lifted: claims other than runs become unknown.

mod draft;
mod implied;
mod lift;
mod post;
mod pre;
mod redundant;

use draft::Draft;
use lift::Words;
use model::NetTask;
use std::sync::Arc;

/// Largest number of rounds of all rules.
const ROUNDS: usize = 20;

/// A net after structural reductions.
pub struct Reduced {
    /// The goals of the task that was reduced, on the smaller net.
    pub task: NetTask,
    /// Lifts runs to the task that was reduced.
    pub lift: Arc<dyn model::Lift>,
}

/// Reduces the net of a task by structural rules that preserve its goals. Returns `None` if no rule applies, if
/// tokens are counted against a bound, or if the numbers of the net are large. The cost is about `O(size log size)`
/// for each round, and the number of rounds is limited.
#[must_use]
pub fn structural(task: &NetTask) -> Option<Reduced> {
    let mut draft = Draft::new(task)?;
    let mut is_smaller = false;
    for _ in 0..ROUNDS {
        let mut is_changed = redundant::drop(&mut draft);
        is_changed |= implied::drop(&mut draft);
        is_changed |= post::agglomerate(&mut draft);
        is_changed |= pre::agglomerate(&mut draft);
        is_smaller |= is_changed;
        if !is_changed {
            break;
        }
    }
    if !is_smaller {
        return None;
    }
    let task = draft.task(task);
    Some(Reduced { task, lift: Arc::new(Words::of(draft)) })
}
