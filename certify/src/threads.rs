//! What facts ask about single threads, derived from the threads as read and kept: clock tables, locally reachable
//! states, what these may request and block, and what leads where.
//!
//! "Locally reachable" respects only the thread's own blocking, so that it contains every local state of every run.

use crate::Check;
use crate::clocks::Clock;
use crate::families::Moves;
use crate::groups::Group;
use crate::stepper::{Stepper, bit, bits};
use crate::work::Work;
use std::collections::BTreeMap;

/// Groups are forgotten when they take more than this many words of memory.
const GROUPS_KEPT: usize = 1 << 24;

/// All threads of a program.
pub(crate) struct Threads<'a> {
    pub(crate) stepper: &'a Stepper,
    pub(crate) views: Vec<View>,
    /// Per event the number of threads that may request it.
    requesters: Vec<u32>,
    requestable: Vec<u64>,
    /// Groups of threads that facts have spoken of, and the words they take.
    groups: BTreeMap<Vec<u32>, Group>,
    groups_size: usize,
    /// Computed when first asked for.
    moves: Option<Moves>,
}

/// One thread.
pub(crate) struct View {
    pub(crate) clock: Option<Clock>,
    /// Locally reachable states, ascending.
    pub(crate) reachable: Vec<u32>,
    /// Events that some locally reachable state requests, 64 to a word.
    may_request: Vec<u64>,
    /// Events that some locally reachable state that is not bad blocks, 64 to a word.
    may_block: Vec<u64>,
    /// Per state the (event, source) pairs that lead to it from other reachable states that do not block the event;
    /// computed when first asked for. Staying is left out: it would be a pair for nearly every event and state.
    moves: Option<Vec<Vec<(u32, u32)>>>,
    /// Per state the events that it requests or blocks or that may take it elsewhere; computed when first asked for.
    touched: Option<Vec<Vec<u32>>>,
}

impl<'a> Threads<'a> {
    pub(crate) fn new(stepper: &'a Stepper, work: &mut Work<'_>) -> Check<Self> {
        let views = (0..stepper.width()).map(|t| View::new(stepper, t, work)).collect::<Check<Vec<_>>>()?;
        let mut requesters = vec![0; stepper.events()];
        for view in &views {
            work.spend(1 + view.may_request.len() as u64)?;
            bits(&view.may_request).for_each(|e| requesters[e as usize] += 1);
        }
        let mut requestable = vec![0; stepper.words()];
        views.iter().for_each(|view| unite(&mut requestable, &view.may_request));
        Ok(Self { stepper, views, requesters, requestable, groups: BTreeMap::new(), groups_size: 0, moves: None })
    }

    /// May a thread that is none of `members` request `event`?
    pub(crate) fn requested_outside(&self, members: &[u32], event: u32) -> bool {
        let inside = members.iter().filter(|&&m| self.views[m as usize].may_request(event)).count();
        self.requesters[event as usize] as usize > inside
    }

    /// Per event the states that it moves.
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

    /// The events that a state of the thread requests or blocks or that may take it elsewhere, ascending. Nothing of bad
    /// states, and of threads that are in no group yet.
    pub(crate) fn touched(&self, thread: u32, local: u32) -> &[u32] {
        self.views[thread as usize].touched.as_ref().map_or(&[], |touched| &touched[local as usize])
    }

    /// The group of these threads (ascending), to be handed back to [`Threads::keep`] unless something goes wrong.
    pub(crate) fn take_group(&mut self, members: &[u32], work: &mut Work<'_>) -> Check<Group> {
        if let Some(group) = self.groups.remove(members) {
            self.groups_size -= group.size();
            return Ok(group);
        }
        for &member in members {
            let view = &mut self.views[member as usize];
            if view.touched.is_none() {
                view.touched = Some(touched(self.stepper, member as usize, &view.reachable, work)?);
            }
        }
        Group::new(self, members, work)
    }

    pub(crate) fn keep(&mut self, group: Group) {
        if self.groups_size.saturating_add(group.size()) > GROUPS_KEPT {
            self.groups.clear();
            self.groups_size = 0;
        }
        self.groups_size += group.size();
        self.groups.insert(group.members().to_vec(), group);
    }

    /// The ways into `local`: every (event, source) such that the source is locally reachable, does not block the event and
    /// has `local` among its targets for it.
    pub(crate) fn ways_into(&mut self, thread: usize, local: u32, work: &mut Work<'_>) -> Check<Vec<(u32, u32)>> {
        let stepper = self.stepper;
        let view = &mut self.views[thread];
        let moves = match view.moves.take() {
            Some(moves) => moves,
            None => moves_of(stepper, thread, &view.reachable, work)?,
        };
        let mut ways = view.moves.insert(moves)[local as usize].clone();
        work.spend((ways.len() + stepper.events()) as u64)?;
        if view.reachable.binary_search(&local).is_ok() {
            let events = 0..stepper.events() as u32;
            let stays =
                |&e: &u32| !stepper.blocks(thread, local, e) && stepper.targets(thread, local, e).contains(&local);
            ways.extend(events.filter(stays).map(|e| (e, local)));
        }
        Ok(ways)
    }
}

impl View {
    fn new(stepper: &Stepper, thread: usize, work: &mut Work<'_>) -> Check<Self> {
        let clock = Clock::of(stepper, thread, work)?;
        let reachable = locally_reachable(stepper, thread, work)?;
        let words = stepper.events().div_ceil(64);
        let (mut may_request, mut may_block) = (vec![0; words], vec![0; words]);
        for &local in &reachable {
            unite(&mut may_request, stepper.request_words(thread, local));
            if !stepper.is_bad(thread, local) {
                unite(&mut may_block, stepper.block_words(thread, local));
            }
        }
        Ok(Self { clock, reachable, may_request, may_block, moves: None, touched: None })
    }

    /// Events that some locally reachable state requests, 64 to a word.
    pub(crate) fn requests(&self) -> &[u64] {
        &self.may_request
    }

    pub(crate) fn may_request(&self, event: u32) -> bool {
        bit(&self.may_request, event)
    }

    /// May it block `event` without being in a bad state?
    pub(crate) fn may_block(&self, event: u32) -> bool {
        bit(&self.may_block, event)
    }
}

fn unite(all: &mut [u64], more: &[u64]) {
    all.iter_mut().zip(more).for_each(|(a, b)| *a |= b);
}

fn locally_reachable(stepper: &Stepper, thread: usize, work: &mut Work<'_>) -> Check<Vec<u32>> {
    let mut seen = vec![false; stepper.size(thread)];
    let mut open = stepper.initial(thread).to_vec();
    open.iter().for_each(|&s| seen[s as usize] = true);
    while let Some(local) = open.pop() {
        for (event, targets) in stepper.mentioned(thread, local) {
            work.spend(1)?;
            if stepper.blocks(thread, local, event) {
                continue;
            }
            for &to in targets {
                if !std::mem::replace(&mut seen[to as usize], true) {
                    open.push(to);
                }
            }
        }
    }
    Ok((0..seen.len() as u32).filter(|&s| seen[s as usize]).collect())
}

fn touched(stepper: &Stepper, thread: usize, reachable: &[u32], work: &mut Work<'_>) -> Check<Vec<Vec<u32>>> {
    let mut touched = vec![Vec::new(); stepper.size(thread)];
    for &local in reachable.iter().filter(|&&s| !stepper.is_bad(thread, s)) {
        let events: &mut Vec<u32> = &mut touched[local as usize];
        events.extend(bits(stepper.request_words(thread, local)));
        events.extend(bits(stepper.block_words(thread, local)));
        events.extend(stepper.mentioned(thread, local).filter(|&(_, to)| to != [local]).map(|(event, _)| event));
        work.spend((stepper.words() + events.len()) as u64)?;
        events.sort_unstable();
        events.dedup();
        work.grow(events.len() * size_of::<u32>())?;
    }
    Ok(touched)
}

fn moves_of(stepper: &Stepper, thread: usize, reachable: &[u32], work: &mut Work<'_>) -> Check<Vec<Vec<(u32, u32)>>> {
    let mut moves = vec![Vec::new(); stepper.size(thread)];
    for event in 0..stepper.events() as u32 {
        work.grow(reachable.len() * 2 * size_of::<(u32, u32)>())?;
        for &from in reachable.iter().filter(|&&s| !stepper.blocks(thread, s, event)) {
            let targets = stepper.targets(thread, from, event);
            work.spend(targets.len() as u64)?;
            targets.iter().filter(|&&to| to != from).for_each(|&to| moves[to as usize].push((event, from)));
        }
    }
    Ok(moves)
}
