//! Families of sets of local states, one per thread, that runs never leave.
//!
//! The least family F that contains some local states and is closed: an event is *alive* iff some thread has a state in its
//! F that requests it (bad states request nothing) and every thread has one in its F that does not block it; with a state
//! all its targets for alive events that it does not block are in F. Let a run be in F, thread by thread, at some step. What
//! fires is requested by a thread in a state of its F, and blocked by no thread's state, so it is alive; so the next step is
//! in F too. By induction the run stays in F.

use crate::Check;
use kernel::Work;
use kernel::program::stepper::{Stepper, bit};
use model::EventSet;

/// Per event the (thread, state) that it may take elsewhere.
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

/// The least closed family that contains `start`, the local states of each thread: per thread ascending.
/// Linear in what its states request, mention and cease to block, and in the moves of its events, after a look at all
/// threads.
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
    /// Is the local state in its thread's set? Thread after thread.
    inside: Vec<bool>,
    offsets: Vec<usize>,
    /// Per thread the events that all its states in the family block.
    shut: Vec<EventSet>,
    /// Per event how many threads have it shut.
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

    /// Puts the first states of a thread in. Nothing is alive before all threads have theirs.
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

    /// Puts a state in; is it new?
    fn insert(&mut self, thread: usize, state: u32) -> bool {
        let new = !std::mem::replace(&mut self.inside[self.offsets[thread] + state as usize], true);
        if new {
            self.sets[thread].push(state);
            self.new_states.push((thread, state));
        }
        new
    }

    /// Puts a state in, and brings to life what it requests and does not block.
    fn add(&mut self, thread: usize, state: u32, work: &mut Work<'_>) -> Check<()> {
        if self.insert(thread, state) { self.open(thread, state, work) } else { Ok(()) }
    }

    /// Adds what must follow until nothing does. A move belongs to a state and an event; whichever becomes part of the
    /// family later finds the other there.
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

    /// What a new state requests and does not block may become alive.
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

    /// Is `event` alive now?
    fn revive(&mut self, event: u32) {
        let fires = self.blockers.get(event as usize) == Some(&0) && bit(&self.requested, event);
        if fires && !bit(&self.alive, event) {
            self.alive[event as usize / 64] |= 1 << (event % 64);
            self.new_events.push(event);
        }
    }

    /// Moves all states that `event`, newly alive, moves.
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
