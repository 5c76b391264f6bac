//! Counts the reachable markings of a net, by visiting all of them.

use super::system::{NetSystem, Whole};
use crate::Unsteppable;
use model::{Counts, ExpansionKind, NetTask, Reason, Stop};
use num_bigint::BigUint;
use search::{Exploration, StateId, Stepper};
use std::sync::Arc;

/// Markings between two looks at the stop flag.
const BATCH: usize = 256;

/// Counts the markings of a task without bound and reductions. `None` if there are more than `most`.
///
/// # Errors
/// The reason why the markings were not all visited. A net with infinitely many markings ends with the limit of time or
/// memory, or because a number becomes too large.
pub fn counts(task: NetTask, most: usize, stop: &Arc<Stop>) -> Result<Option<Counts>, Reason> {
    let system = NetSystem::new(Arc::new(task), &[], false, Whole).map_err(|why| match why {
        Unsteppable::Overflow => Reason::Overflow,
        Unsteppable::Endless => Reason::Unsupported,
    })?;
    let mut space = Exploration::new(system);
    if !stop.may_allocate(space.growth_bytes_initial()) {
        return Err(Reason::Memory);
    }
    space.add_initial();
    let (mut arcs, mut in_place, mut in_marking) = (BigUint::ZERO, 0u64, 0u64);
    let (mut marking, mut at) = (Vec::new(), 0);
    while at < space.len() {
        if at % BATCH == 0 {
            stop.report_states(space.len() as u64);
            if space.len() > most {
                return Ok(None);
            }
            if let Some(reason) = stop.raised() {
                return Err(reason);
            }
        }
        let id = StateId::new(at);
        let growth = space.growth_bytes_of(id);
        if growth > 0 && !stop.has_room(growth) {
            return Err(Reason::Memory);
        }
        let mut enabled = 0u64;
        match space.expand(id, |_, _, _| enabled += 1) {
            ExpansionKind::Overflow => {
                let wider = space.stepper().widened(true).ok_or(Reason::Overflow)?;
                if !stop.has_room(space.repack_bytes(wider.words())) {
                    return Err(Reason::Memory);
                }
                space.repack(wider);
                continue;
            }
            ExpansionKind::Cut => return Err(Reason::Overflow),
            _ => {}
        }
        space.state(id, &mut marking);
        arcs += enabled;
        in_place = in_place.max(marking.iter().copied().max().unwrap_or(0).into());
        in_marking = in_marking.max(marking.iter().map(|tokens| u64::from(*tokens)).sum());
        at += 1;
    }
    let markings = space.len().into();
    Ok(Some(Counts { markings, arcs, place: in_place.into(), marking: in_marking.into() }))
}
