//! A cache of data about threads that is used repeatedly: their own states, their neighbours, and the joint
//! states of two threads.

use crate::group::{Footprints, Relation, SideCondition};
use model::{Effort, EventId, LocalId, ThreadId};
use std::collections::BTreeMap;

/// Maximum number of blocking states of an event that are listed in a clause.
const BLOCKERS: usize = 4096;

/// Data about threads, each computed once and within the effort.
pub(crate) struct ThreadCache<'a> {
    pub(crate) prints: &'a Footprints<'a>,
    pub(crate) effort: Effort,
    states: BTreeMap<ThreadId, Vec<LocalId>>,
    neighbours: BTreeMap<ThreadId, Vec<ThreadId>>,
    relations: BTreeMap<(ThreadId, ThreadId), Option<Relation>>,
    blocking: BTreeMap<EventId, Option<Vec<(ThreadId, LocalId)>>>,
}

impl<'a> ThreadCache<'a> {
    pub(crate) fn new(prints: &'a Footprints<'a>, effort: Effort) -> Self {
        let (states, neighbours) = (BTreeMap::new(), BTreeMap::new());
        Self { prints, effort, states, neighbours, relations: BTreeMap::new(), blocking: BTreeMap::new() }
    }

    /// Returns the states that the projection onto `i` alone takes, ascending. Returns no state if the effort
    /// is spent.
    pub(crate) fn states(&mut self, i: ThreadId) -> &[LocalId] {
        let effort = &mut self.effort;
        let prints = self.prints;
        self.states.entry(i).or_insert_with(|| {
            let Some(alone) = Relation::of(prints, &[i], effort) else { return Vec::new() };
            prints.reachable(i).filter(|&s| alone.contains(&[s])).collect()
        })
    }

    /// Returns the threads that may constrain the state of `i`. Returns none if the effort is spent.
    pub(crate) fn neighbours(&mut self, i: ThreadId) -> Vec<ThreadId> {
        let (prints, effort) = (self.prints, &mut self.effort);
        self.neighbours.entry(i).or_insert_with(|| prints.neighbours(i, effort).unwrap_or_default()).clone()
    }

    /// Returns the number of states in the product of two threads.
    pub(crate) fn product(&self, i: ThreadId, j: ThreadId) -> u64 {
        let size = |i: ThreadId| self.prints.thread(i).states.len() as u64;
        size(i).saturating_mul(size(j))
    }

    /// Returns the joint states of `i` and `j`. Returns `None` if there are too many.
    pub(crate) fn pair(&mut self, i: ThreadId, j: ThreadId) -> Option<Pair<'_>> {
        let (prints, effort) = (self.prints, &mut self.effort);
        let group = (i.min(j), i.max(j));
        let relation = self
            .relations
            .entry(group)
            .or_insert_with(|| Relation::of(prints, &[group.0, group.1], effort))
            .as_ref()?;
        Some(Pair { relation, turned: j < i })
    }

    /// Returns the states that block `event` and are not bad. Returns `None` if there are too many for a
    /// clause.
    pub(crate) fn blocking(&mut self, event: EventId) -> Option<&[(ThreadId, LocalId)]> {
        let (prints, effort) = (self.prints, &mut self.effort);
        let found = self.blocking.entry(event).or_insert_with(|| blocking_states(prints, event, effort));
        found.as_deref()
    }

    /// Returns true if another thread must block `event` in a deadlock with `i` in `s`.
    pub(crate) fn needs_blocker(&self, i: ThreadId, s: LocalId, event: EventId) -> bool {
        let state = self.prints.thread(i).state(s);
        let counts = self.prints.conditions().keep(SideCondition::OwnBlocks);
        state.request.contains(event) && !(counts && state.block.contains(event))
    }
}

fn blocking_states(prints: &Footprints, event: EventId, effort: &mut Effort) -> Option<Vec<(ThreadId, LocalId)>> {
    let mut found = Vec::new();
    for &i in prints.blockers(event) {
        if !effort.spend(prints.thread(i).states.len() as u64) {
            return None;
        }
        let blocks = |s: &LocalId| {
            let state = prints.thread(i).state(*s);
            !state.bad && state.block.contains(event)
        };
        found.extend(prints.reachable(i).filter(blocks).map(|s| (i, s)));
        if found.len() > BLOCKERS {
            return None;
        }
    }
    Some(found)
}

/// The joint states of two threads.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'k> {
    relation: &'k Relation,
    turned: bool,
}

impl Pair<'_> {
    /// Returns true if the first thread may be in `s` while the second is in `t`.
    pub(crate) fn contains(self, s: LocalId, t: LocalId) -> bool {
        self.relation.contains(&if self.turned { [t, s] } else { [s, t] })
    }
}
