//! Tasks without reductions, for questions in which each step counts: formulas about branching time and about runs.
//!
//! Slicing would change them, because a step that changes nothing that a formula is about is a step, too. A
//! thread-transition system is translated to a net ([`crate::reduce::threads`]). If threads choose, the net gets chains
//! ([`model::Chains`]), and each chain waits until all threads have chosen. So it ends in exactly the markings to which
//! the transition of the system leads.

use crate::reduce::prepare::slots;
use crate::reduce::threads::{Leftover, Role, ThreadNet, chooses, convert};
use model::{Chains, Formula, Marked, Net, NetTask, PlaceId, ThreadTransitionSystem};
use std::sync::Arc;

/// Returns a task without goals about the system, with these formulas over its places. The result has chains if threads
/// of the system choose between several targets.
#[must_use]
pub fn unreduced(system: Marked<'_>, formulas: Vec<Arc<Formula>>) -> (NetTask, Option<Chains>) {
    let threads = match system {
        Marked::Net(net) => return (NetTask::plain(Arc::clone(net), formulas, Vec::new()), None),
        Marked::Threads(threads) => threads,
    };
    let ThreadNet { net, control, roles, .. } = convert(threads, Leftover::Awaited);
    let chains = threads.transitions().iter().any(chooses).then(|| Chains {
        part_of: roles.iter().map(|role| part_of(*role)).collect(),
        is_last: roles.iter().map(|role| matches!(role, Role::Whole(_) | Role::End(_))).collect(),
        shared: threads.shared() as usize,
        places: threads.places(),
    });
    let all: Vec<Option<PlaceId>> = (0..net.places().len()).map(|p| Some(PlaceId::new(p))).collect();
    let slots = slots(&control, &all, all.len());
    let plain = NetTask::plain(Arc::new(net), formulas, Vec::new());
    (NetTask { slots, ..plain }, chains)
}

fn part_of(role: Role) -> u32 {
    let (Role::Whole(t) | Role::Start(t) | Role::Give(t, ..) | Role::End(t)) = role;
    t
}

/// Translates a thread-transition system to a net in which each thread that chooses takes its first target. The places
/// are the shared states, then the local states; the transitions are in the same order.
#[must_use]
pub fn first_choices(system: &ThreadTransitionSystem) -> Net {
    let mut transitions = system.transitions().to_vec();
    transitions.iter_mut().flat_map(|t| t.passive.values_mut()).for_each(|targets| targets.truncate(1));
    let (shared, locals, initial) = (system.shared(), system.locals(), system.initial().clone());
    let first = ThreadTransitionSystem::new(shared, locals, initial, transitions);
    convert(&first.expect("fewer targets keep the rules"), Leftover::Awaited).net
}
