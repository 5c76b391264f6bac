//! Counts the reachable markings of a net, by visiting all of them.

use super::system::{NetSystem, Whole};
use model::{ExpansionKind, NetTask, Reason, Stop};
use std::sync::Arc;
use store::{Exploration, StateId, Stepper, Unsteppable};

/// Markings between two looks at the stop flag.
const BATCH: usize = 256;

/// The counts that the Model Checking Contest asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Number of reachable markings.
    pub markings: u64,
    /// Number of pairs of a reachable marking and a transition that is enabled there.
    pub arcs: u64,
    /// The largest number of tokens on a place.
    pub place: u64,
    /// The largest number of tokens in a marking.
    pub marking: u64,
}

/// Counts the markings of a task without bound and reductions.
///
/// # Errors
/// The reason why the markings were not all visited. A net with infinitely many markings ends with the limit of time or
/// memory, or because a number becomes too large.
pub fn counts(task: NetTask, stop: &Arc<Stop>) -> Result<Counts, Reason> {
    let system = NetSystem::new(Arc::new(task), &[], false, Whole).map_err(|why| match why {
        Unsteppable::Overflow => Reason::Overflow,
        Unsteppable::Endless => Reason::Unsupported,
    })?;
    let mut space = Exploration::new(system);
    if !stop.may_allocate(space.growth_bytes_initial()) {
        return Err(Reason::Memory);
    }
    space.add_initial();
    let (mut counts, mut marking, mut at) = (Counts::default(), Vec::new(), 0);
    while at < space.len() {
        if at % BATCH == 0 {
            stop.report_states(space.len() as u64);
            if let Some(reason) = stop.raised() {
                return Err(reason);
            }
        }
        let id = StateId::new(at);
        let growth = space.growth_bytes_of(id);
        if growth > 0 && !stop.has_room(growth) {
            return Err(Reason::Memory);
        }
        let mut arcs = 0;
        match space.expand(id, |_, _, _| arcs += 1) {
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
        counts.arcs += arcs;
        counts.place = counts.place.max(marking.iter().copied().max().unwrap_or(0).into());
        counts.marking = counts.marking.max(marking.iter().map(|tokens| u64::from(*tokens)).sum());
        at += 1;
    }
    counts.markings = space.len() as u64;
    Ok(counts)
}
