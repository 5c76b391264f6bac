//! Data about single threads that justifications need, derived from the threads as read and cached: clock
//! tables, locally reachable states, the events that these may request and block, and the moves between them.
//!
//! "Locally reachable" takes only the thread's own blocking into account. So the locally reachable states
//! include every local state of every run.

use crate::Check;
use crate::clocks::Clock;
use crate::families::Moves;
use crate::groups::Group;
use kernel::Work;
use kernel::program::ByEvent;
use kernel::program::stepper::Stepper;
use model::{EventId, EventSet};
use std::collections::BTreeMap;

/// The cache of groups is cleared when it takes more than this many words of memory.
const GROUPS_KEPT: usize = 1 << 24;

/// All threads of a program.
pub(crate) struct Threads<'a> {
    pub(crate) stepper: &'a Stepper,
    pub(crate) views: Vec<View>,
    /// For each event: the threads that may request it, and the threads that may block it without being in a
    /// bad state.
    requesters: ByEvent,
    blockers: ByEvent,
    requestable: Vec<u64>,
    /// Cached groups of threads, and the words of memory that they take.
    groups: BTreeMap<Vec<u32>, Group>,
    groups_size: usize,
    /// Computed on first use.
    moves: Option<Moves>,
}

/// One thread.
pub(crate) struct View {
    pub(crate) clock: Option<Clock>,
    /// Locally reachable states, ascending.
    pub(crate) reachable: Vec<u32>,
    /// Events that some locally reachable state requests.
    may_request: EventSet,
    /// Events that are blocked in some locally reachable state that is not bad.
    may_block: EventSet,
    /// For each state: the pairs (event, source) that lead to it from other reachable states that do not block
    /// the event. Computed on first use. Events on which the thread stays in its state are omitted, because
    /// nearly every event and state would have such a pair.
    moves: Option<Vec<Vec<(u32, u32)>>>,
    /// For each state: the events that it requests or blocks or that may take it elsewhere. Computed on first
    /// use.
    touched: Option<Vec<Vec<u32>>>,
}

impl<'a> Threads<'a> {
    pub(crate) fn new(stepper: &'a Stepper, work: &mut Work<'_>) -> Check<Self> {
        let views = (0..stepper.width()).map(|t| View::new(stepper, t, work)).collect::<Check<Vec<_>>>()?;
        let mut requestable = vec![0; stepper.words()];
        views.iter().for_each(|view| view.may_request.add_to(&mut requestable));
        let requesters = ByEvent::new(stepper.events(), views.iter().map(|view| &view.may_request), work)?;
        let blockers = ByEvent::new(stepper.events(), views.iter().map(|view| &view.may_block), work)?;
        Ok(Self {
            stepper,
            views,
            requesters,
            blockers,
            requestable,
            groups: BTreeMap::new(),
            groups_size: 0,
            moves: None,
        })
    }

    /// True if a thread that is not in `members` may request `event`.
    pub(crate) fn requested_outside(&self, members: &[u32], event: u32) -> bool {
        let inside = members.iter().filter(|&&m| self.views[m as usize].may_request(event)).count();
        self.requesters(event).nth(inside).is_some()
    }

    /// The threads that may request `event`.
    pub(crate) fn requesters(&self, event: u32) -> impl Iterator<Item = usize> + '_ {
        self.requesters.of(event, move |thread| self.views[thread].may_request(event))
    }

    /// The threads that may block `event` without being in a bad state.
    pub(crate) fn blockers(&self, event: u32) -> impl Iterator<Item = usize> + '_ {
        self.blockers.of(event, move |thread| self.views[thread].may_block(event))
    }

    /// For each event: the states that it moves.
    pub(crate) fn moves(&mut self, work: &mut Work<'_>) -> Check<&Moves> {
        let moves = match self.moves.take() {
            Some(moves) => moves,
            None => Moves::new(self.stepper, work)?,
        };
        Ok(self.moves.insert(moves))
    }

    /// The events that some thread may request, 64 to a word.
    pub(crate) fn requestable(&self) -> Vec<u64> {
        self.requestable.clone()
    }

    /// The events that a state of the thread requests or blocks or that may take it elsewhere, ascending. Empty
    /// for bad states, and for threads that are in no group yet.
    pub(crate) fn touched(&self, thread: u32, local: u32) -> &[u32] {
        self.views[thread as usize].touched.as_ref().map_or(&[], |touched| &touched[local as usize])
    }

    /// Takes the group of these threads (ascending) from the cache, if it is there.
    pub(crate) fn take_kept(&mut self, members: &[u32]) -> Option<Group> {
        let group = self.groups.remove(members)?;
        self.groups_size -= group.size();
        Some(group)
    }

    /// Computes [`Threads::touched`] for the states of a thread.
    pub(crate) fn touch(&mut self, thread: u32, work: &mut Work<'_>) -> Check<()> {
        let view = &mut self.views[thread as usize];
        if view.touched.is_none() {
            view.touched = Some(touched(self.stepper, thread as usize, &view.reachable, work)?);
        }
        Ok(())
    }

    pub(crate) fn keep(&mut self, group: Group) {
        if self.groups_size.saturating_add(group.size()) > GROUPS_KEPT {
            self.groups.clear();
            self.groups_size = 0;
        }
        self.groups_size += group.size();
        self.groups.insert(group.members().to_vec(), group);
    }

    /// Returns the moves into `local` from other states: every (event, source) such that the source is locally
    /// reachable, does not block the event, and has `local` among its targets for it.
    pub(crate) fn ways_into(&mut self, thread: usize, local: u32, work: &mut Work<'_>) -> Check<Vec<(u32, u32)>> {
        let stepper = self.stepper;
        let view = &mut self.views[thread];
        let moves = match view.moves.take() {
            Some(moves) => moves,
            None => moves_of(stepper, thread, &view.reachable, work)?,
        };
        let ways = view.moves.insert(moves)[local as usize].clone();
        work.spend(1 + ways.len() as u64)?;
        Ok(ways)
    }

    /// True if `local` is locally reachable and the thread may stay in `local` when `event` fires.
    pub(crate) fn may_stay(&self, thread: usize, local: u32, event: u32) -> bool {
        let stepper = self.stepper;
        self.views[thread].reachable.binary_search(&local).is_ok()
            && !stepper.blocks(thread, local, event)
            && stepper.targets(thread, local, event).contains(&local)
    }
}

impl View {
    fn new(stepper: &Stepper, thread: usize, work: &mut Work<'_>) -> Check<Self> {
        let clock = Clock::of(stepper, thread, work)?;
        let reachable = stepper.locally_reachable(thread, work)?;
        let (mut may_request, mut may_block) = (stepper.none(), stepper.none());
        for &local in &reachable {
            let (requests, blocks) = (stepper.request(thread, local), stepper.block(thread, local));
            work.spend(1 + (requests.size() + blocks.size()) as u64)?;
            may_request.union_with(requests);
            if !stepper.is_bad(thread, local) {
                may_block.union_with(blocks);
            }
        }
        Ok(Self { clock, reachable, may_request, may_block, moves: None, touched: None })
    }

    /// Events that some locally reachable state requests.
    pub(crate) fn requests(&self) -> &EventSet {
        &self.may_request
    }

    pub(crate) fn may_request(&self, event: u32) -> bool {
        self.may_request.contains(EventId(event))
    }

    /// True if the thread may block `event` without being in a bad state.
    pub(crate) fn may_block(&self, event: u32) -> bool {
        self.may_block.contains(EventId(event))
    }
}

fn touched(stepper: &Stepper, thread: usize, reachable: &[u32], work: &mut Work<'_>) -> Check<Vec<Vec<u32>>> {
    let mut touched = vec![Vec::new(); stepper.size(thread)];
    for &local in reachable.iter().filter(|&&s| !stepper.is_bad(thread, s)) {
        let events: &mut Vec<u32> = &mut touched[local as usize];
        events.extend(stepper.request(thread, local).iter().chain(stepper.block(thread, local).iter()).map(|e| e.0));
        events.extend(stepper.mentioned(thread, local).filter(|&(_, to)| to != [local]).map(|(event, _)| event));
        work.spend(1 + events.len() as u64)?;
        events.sort_unstable();
        events.dedup();
        work.grow(events.len() * size_of::<u32>())?;
    }
    Ok(touched)
}

fn moves_of(stepper: &Stepper, thread: usize, reachable: &[u32], work: &mut Work<'_>) -> Check<Vec<Vec<(u32, u32)>>> {
    let mut moves = vec![Vec::new(); stepper.size(thread)];
    for &from in reachable {
        for (event, targets) in stepper.mentioned(thread, from) {
            work.spend(1 + targets.len() as u64)?;
            work.grow(targets.len() * 2 * size_of::<(u32, u32)>())?;
            if !stepper.blocks(thread, from, event) {
                targets.iter().filter(|&&to| to != from).for_each(|&to| moves[to as usize].push((event, from)));
            }
        }
    }
    moves.iter_mut().for_each(|ways| ways.sort_unstable());
    Ok(moves)
}
