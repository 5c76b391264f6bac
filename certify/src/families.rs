//! Families of sets of local states, one per thread, that runs never leave.
//!
//! The least family F that contains some local states and is closed: an event is *alive* iff some thread has a state in its
//! F that requests it (bad states request nothing) and every thread has one in its F that does not block it; with a state
//! all its targets for alive events that it does not block are in F. Let a run be in F, thread by thread, at some step. What
//! fires is requested by a thread in a state of its F, and blocked by no thread's state, so it is alive; so the next step is
//! in F too. By induction the run stays in F.

use crate::Check;
use crate::stepper::{Stepper, bit, bits};
use crate::work::Work;

/// The least closed family that contains `start`, the local states of each thread: per thread ascending.
/// Linear in what its states request, mention and cease to block, after a look at all threads.
pub(crate) fn closure<'a>(
    stepper: &Stepper,
    start: impl Fn(usize) -> &'a [u32],
    work: &mut Work<'_>,
) -> Check<Vec<Vec<u32>>> {
    let mut family = Family::new(stepper, work)?;
    for thread in 0..stepper.width() {
        family.start(thread, start(thread), work)?;
    }
    family.close(work)?;
    family.sets.iter_mut().for_each(|set| set.sort_unstable());
    Ok(family.sets)
}

struct Family<'a> {
    stepper: &'a Stepper,
    sets: Vec<Vec<u32>>,
    /// Is the local state in its thread's set? Thread after thread.
    inside: Vec<bool>,
    offsets: Vec<usize>,
    /// Per thread the events that all its states in the family block, 64 to a word.
    shut: Vec<u64>,
    /// Per event how many threads have it shut.
    blockers: Vec<u32>,
    requested: Vec<u64>,
    alive: Vec<u64>,
    new_states: Vec<(usize, u32)>,
    new_events: Vec<u32>,
}

impl<'a> Family<'a> {
    fn new(stepper: &'a Stepper, work: &mut Work<'_>) -> Check<Self> {
        let mut offsets = Vec::with_capacity(stepper.width());
        let mut total = 0;
        for thread in 0..stepper.width() {
            offsets.push(total);
            total += stepper.size(thread);
        }
        let words = stepper.words();
        work.spend((total / 64 + stepper.width() * (1 + words)) as u64)?;
        work.grow(total + stepper.width() * (words + 4) * size_of::<u64>())?;
        Ok(Self {
            stepper,
            sets: vec![Vec::new(); stepper.width()],
            inside: vec![false; total],
            offsets,
            shut: vec![u64::MAX; stepper.width() * words],
            blockers: vec![0; stepper.events()],
            requested: vec![0; words],
            alive: vec![0; words],
            new_states: Vec::new(),
            new_events: Vec::new(),
        })
    }

    /// Puts the first states of a thread in. Nothing is alive before all threads have theirs.
    fn start(&mut self, thread: usize, states: &[u32], work: &mut Work<'_>) -> Check<()> {
        let Self { stepper, shut, blockers, requested, .. } = self;
        let words = stepper.words();
        let shut = &mut shut[thread * words..(thread + 1) * words];
        for &state in states {
            work.spend(1 + words as u64)?;
            shut.iter_mut().zip(stepper.block_words(thread, state)).for_each(|(shut, blocked)| *shut &= blocked);
            requested.iter_mut().zip(stepper.request_words(thread, state)).for_each(|(all, more)| *all |= more);
        }
        for event in bits(shut) {
            work.spend(1)?;
            if let Some(blockers) = blockers.get_mut(event as usize) {
                *blockers += 1;
            }
        }
        states.iter().for_each(|&state| self.insert(thread, state));
        Ok(())
    }

    fn insert(&mut self, thread: usize, state: u32) {
        if !std::mem::replace(&mut self.inside[self.offsets[thread] + state as usize], true) {
            self.sets[thread].push(state);
            self.new_states.push((thread, state));
        }
    }

    /// Adds what must follow until nothing does. A move belongs to a state and an event; whichever becomes part of the
    /// family later finds the other there.
    fn close(&mut self, work: &mut Work<'_>) -> Check<()> {
        for event in 0..self.stepper.events() as u32 {
            self.revive(event);
        }
        loop {
            if let Some((thread, state)) = self.new_states.pop() {
                self.open(thread, state, work)?;
                for (event, targets) in self.stepper.mentioned(thread, state) {
                    work.spend(1)?;
                    if bit(&self.alive, event) && !self.stepper.blocks(thread, state, event) {
                        targets.iter().for_each(|&to| self.insert(thread, to));
                    }
                }
            } else if let Some(event) = self.new_events.pop() {
                for &thread in self.stepper.movers(event) {
                    self.fire(thread as usize, event, work)?;
                }
            } else {
                return Ok(());
            }
        }
    }

    /// What a new state requests and does not block may become alive.
    fn open(&mut self, thread: usize, state: u32, work: &mut Work<'_>) -> Check<()> {
        let words = self.stepper.words();
        work.spend(1 + words as u64)?;
        for word in 0..words {
            let wanted = self.stepper.request_words(thread, state)[word] & !self.requested[word];
            let opened = self.shut[thread * words + word] & !self.stepper.block_words(thread, state)[word];
            self.requested[word] |= wanted;
            self.shut[thread * words + word] &= !opened;
            for bit in bits(&[opened]) {
                let event = word * 64 + bit as usize;
                if let Some(blockers) = self.blockers.get_mut(event) {
                    *blockers -= 1;
                }
            }
            for bit in bits(&[wanted | opened]) {
                self.revive(word as u32 * 64 + bit);
            }
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

    /// Moves all states of the thread that `event`, newly alive, moves.
    fn fire(&mut self, thread: usize, event: u32, work: &mut Work<'_>) -> Check<()> {
        let stepper = self.stepper;
        for at in 0..self.sets[thread].len() {
            work.spend(1)?;
            let from = self.sets[thread][at];
            if !stepper.blocks(thread, from, event) {
                stepper.targets(thread, from, event).iter().for_each(|&to| self.insert(thread, to));
            }
        }
        Ok(())
    }
}
