//! Families of sets of local states, one set per thread, that runs never leave.
//!
//! A *family* F has a set of local states for each thread. An event is *alive* in F iff some thread has a state
//! in its set that requests the event (bad states request nothing), and every thread has a state in its set
//! that does not block the event. F is *closed* iff, for each state in the set of its thread, the set also
//! contains all targets of the state for alive events that the state does not block. This module computes the
//! least closed family that contains given local states.
//! 1. A run that is in a closed family F at some step, thread by thread, stays in F. Proof: by induction over
//!    the steps. The event that fires is requested by a thread in a state of its set. No thread blocks it in
//!    its current state, which is in the thread's set. So the event is alive, and the next state is in F too.

use crate::Check;
use kernel::Work;
use kernel::program::stepper::{Stepper, bit};
use model::EventSet;

/// For each event: the pairs (thread, state) such that the event may take the thread from this state to another
/// one.
pub(crate) struct Moves(Vec<Vec<(u32, u32)>>);

impl Moves {
    pub(crate) fn new(stepper: &Stepper, work: &mut Work<'_>) -> Check<Self> {
        let mut moves = vec![Vec::new(); stepper.events()];
        for thread in 0..stepper.width() {
            for state in 0..stepper.size(thread) as u32 {
                for (event, targets) in stepper.mentioned(thread, state) {
                    work.spend(1)?;
                    if targets != [state] && !stepper.blocks(thread, state, event) {
                        work.grow(size_of::<(u32, u32)>())?;
                        moves[event as usize].push((thread as u32, state));
                    }
                }
            }
        }
        Ok(Self(moves))
    }
}

/// Returns the least closed family that contains the states `start(i)` of each thread i. The set of each thread
/// is ascending.
///
/// Cost: one pass over all threads. Then linear in the number of events that the family's states request, list
/// moves for, or unblock, and in the number of moves on alive events.
pub(crate) fn closure<'a>(
    stepper: &Stepper,
    moves: &Moves,
    start: impl Fn(usize) -> &'a [u32],
    work: &mut Work<'_>,
) -> Check<Vec<Vec<u32>>> {
    let mut family = Family::new(stepper, moves, work)?;
    for thread in 0..stepper.width() {
        family.start(thread, start(thread), work)?;
    }
    family.close(work)?;
    family.sets.iter_mut().for_each(|set| set.sort_unstable());
    Ok(family.sets)
}

struct Family<'a> {
    stepper: &'a Stepper,
    moves: &'a Moves,
    sets: Vec<Vec<u32>>,
    /// For each local state, thread after thread: true if it is in the set of its thread.
    inside: Vec<bool>,
    offsets: Vec<usize>,
    /// For each thread: the events that all its states in the family block.
    shut: Vec<EventSet>,
    /// For each event: the number of threads that have it in `shut`.
    blockers: Vec<u32>,
    requested: Vec<u64>,
    alive: Vec<u64>,
    new_states: Vec<(usize, u32)>,
    new_events: Vec<u32>,
}

impl<'a> Family<'a> {
    fn new(stepper: &'a Stepper, moves: &'a Moves, work: &mut Work<'_>) -> Check<Self> {
        let mut offsets = Vec::with_capacity(stepper.width());
        let mut total = 0;
        for thread in 0..stepper.width() {
            offsets.push(total);
            total += stepper.size(thread);
        }
        let words = stepper.words();
        work.spend((total / 64 + stepper.width() + words) as u64)?;
        work.grow(total + stepper.width() * 8 * size_of::<u64>())?;
        Ok(Self {
            stepper,
            moves,
            sets: vec![Vec::new(); stepper.width()],
            inside: vec![false; total],
            offsets,
            shut: Vec::with_capacity(stepper.width()),
            blockers: vec![0; stepper.events()],
            requested: vec![0; words],
            alive: vec![0; words],
            new_states: Vec::new(),
            new_events: Vec::new(),
        })
    }

    /// Inserts the first states of a thread. No event is alive before all threads have their first states.
    fn start(&mut self, thread: usize, states: &[u32], work: &mut Work<'_>) -> Check<()> {
        let mut shut = EventSet::full(self.stepper.events());
        for &state in states {
            let (requests, blocks) = (self.stepper.request(thread, state), self.stepper.block(thread, state));
            work.spend(1 + (shut.size() + requests.size() + blocks.size()) as u64)?;
            shut.intersect_with(blocks);
            requests.add_to(&mut self.requested);
        }
        for event in shut.iter() {
            work.spend(1)?;
            self.blockers[event.index()] += 1;
        }
        debug_assert_eq!(self.shut.len(), thread, "threads start one after the other");
        self.shut.push(shut);
        states.iter().for_each(|&state| _ = self.insert(thread, state));
        Ok(())
    }

    /// Inserts a state. Returns true if it is new.
    fn insert(&mut self, thread: usize, state: u32) -> bool {
        let new = !std::mem::replace(&mut self.inside[self.offsets[thread] + state as usize], true);
        if new {
            self.sets[thread].push(state);
            self.new_states.push((thread, state));
        }
        new
    }

    /// Inserts a state. If it is new, updates the events that it requests or does not block.
    fn add(&mut self, thread: usize, state: u32, work: &mut Work<'_>) -> Check<()> {
        if self.insert(thread, state) { self.open(thread, state, work) } else { Ok(()) }
    }

    /// Applies the closure rule until nothing changes. A move belongs to a state and an event. It is applied
    /// when the state is in the family and the event is alive, at whichever of the two happens later.
    fn close(&mut self, work: &mut Work<'_>) -> Check<()> {
        for event in 0..self.stepper.events() as u32 {
            self.revive(event);
        }
        loop {
            if let Some((thread, state)) = self.new_states.pop() {
                let stepper = self.stepper;
                for (event, targets) in stepper.mentioned(thread, state) {
                    work.spend(1)?;
                    if bit(&self.alive, event) && !stepper.blocks(thread, state, event) {
                        targets.iter().try_for_each(|&to| self.add(thread, to, work))?;
                    }
                }
            } else if let Some(event) = self.new_events.pop() {
                self.fire(event, work)?;
            } else {
                return Ok(());
            }
        }
    }

    /// Records the events that a new state requests or does not block, and marks the events that become alive.
    fn open(&mut self, thread: usize, state: u32, work: &mut Work<'_>) -> Check<()> {
        let (requests, blocks) = (self.stepper.request(thread, state), self.stepper.block(thread, state));
        work.spend(1 + (requests.size() + blocks.size() + self.shut[thread].size()) as u64)?;
        for event in requests.iter() {
            work.spend(1)?;
            self.requested[event.index() / 64] |= 1 << (event.0 % 64);
            self.revive(event.0);
        }
        let mut opened = self.shut[thread].clone();
        opened.subtract(blocks);
        self.shut[thread].intersect_with(blocks);
        for event in opened.iter() {
            work.spend(1)?;
            self.blockers[event.index()] -= 1;
            self.revive(event.0);
        }
        Ok(())
    }

    /// Marks `event` as alive if it now is.
    fn revive(&mut self, event: u32) {
        let fires = self.blockers.get(event as usize) == Some(&0) && bit(&self.requested, event);
        if fires && !bit(&self.alive, event) {
            self.alive[event as usize / 64] |= 1 << (event % 64);
            self.new_events.push(event);
        }
    }

    /// Adds the targets of all moves on `event`, which has just become alive.
    fn fire(&mut self, event: u32, work: &mut Work<'_>) -> Check<()> {
        let (stepper, moves) = (self.stepper, self.moves);
        for &(thread, from) in &moves.0[event as usize] {
            work.spend(1)?;
            let thread = thread as usize;
            if self.inside[self.offsets[thread] + from as usize] {
                stepper.targets(thread, from, event).iter().try_for_each(|&to| self.add(thread, to, work))?;
            }
        }
        Ok(())
    }
}
