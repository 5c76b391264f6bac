//! Expansion of the states of a level.

use super::batch::{BATCH_SUCCESSORS, Stepped};
use super::chunk::Chunk;
use super::crew::{Crew, ROOM, WORTH_SHARING};
use super::levels::Levels;
use super::place::Place;
use super::reason;
use crate::exploration::SMALL_FAN_OUT;
use crate::step::{Stepper, Successors};
use crate::{may_grow, table};
use model::{ExpansionKind, Goal, Reason, Stop};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

impl<S: Stepper + Clone> Levels<S> {
    /// Tests and expands the next states of the frontier. Returns false if there are none.
    pub(super) fn expand(&mut self, open: &[Goal], stop: &Stop) -> Result<bool, Reason> {
        let words = self.stepper.words();
        let waiting = self.frontier.window().map_err(reason)?.len() / words;
        if waiting == 0 {
            return Ok(false);
        }
        if self.crew.is_some() && self.expand_together(open, stop)? > 0 {
            return Ok(true);
        }
        let most = waiting.min(self.batch.stepped.len());
        self.may_step(most, stop)?;
        let (count, successors) = self.step_batch(most, open);
        if count == 0 {
            // The hits of the state that overflows are reported before its layout changes.
            return if self.hits.is_empty() { self.overflow(stop).map(|()| true) } else { Ok(true) };
        }
        self.next.reserve(successors, &self.disk, stop)?;
        self.record(count);
        self.frontier.skip(count);
        Ok(true)
    }

    /// Requests memory for the successors of states that may have very many.
    fn may_step(&self, most: usize, stop: &Stop) -> Result<(), Reason> {
        let words = self.stepper.words();
        if most > 1 || self.stepper.max_fan_out() <= SMALL_FAN_OUT {
            return Ok(());
        }
        let fan_out = self.stepper.fan_out(&self.frontier.rest()[..words]);
        // State, label and hash of a successor, in vectors that may be doubling their capacity.
        let bytes = usize::try_from(fan_out).unwrap_or(usize::MAX).saturating_mul(2 * (words * 8 + 4 + 8));
        if fan_out <= SMALL_FAN_OUT || may_grow(bytes, stop) { Ok(()) } else { Err(Reason::Memory) }
    }

    /// Tests and steps at most `most` states of the frontier, up to one that overflows. Returns the number of states
    /// stepped, and the number of their successors.
    fn step_batch(&mut self, most: usize, open: &[Goal]) -> (usize, usize) {
        let Self { stepper, batch, frontier, hits, levels, .. } = self;
        let level = levels.len() - 1;
        let has_tests = stepper.has_tests();
        let (mut count, mut successors) = (0, 0);
        for state in frontier.rest().chunks_exact(stepper.words()).take(most) {
            let mut hit = |goal| note(hits, goal, level, state, open);
            if has_tests {
                batch.tests += stepper.test_cost();
                stepper.test(state, &mut hit);
            }
            let stepped = &mut batch.stepped[count];
            stepped.kind = stepper.expand(state, &mut stepped.successors);
            match stepped.kind {
                ExpansionKind::Overflow => break,
                ExpansionKind::Goal(goal) => hit(goal),
                ExpansionKind::Inner | ExpansionKind::Cut => {}
            }
            stepped.hashes.clear();
            stepped.hashes.extend(stepped.successors.iter().map(|(_, state)| table::hash(state)));
            count += 1;
            successors += stepped.successors.len();
            if successors >= BATCH_SUCCESSORS {
                break;
            }
        }
        (count, successors)
    }

    /// Collects the successors of the first `count` states of the batch.
    fn record(&mut self, count: usize) {
        let Self { next, batch, cut, transitions, .. } = self;
        let stepped = &batch.stepped[..count];
        stepped.iter().for_each(|stepped| next.warm(&stepped.hashes));
        for Stepped { kind, successors, hashes } in stepped {
            next.add(successors, hashes);
            *cut |= *kind == ExpansionKind::Cut;
            *transitions += successors.len() as u64;
            batch.successors += successors.len() as u64;
        }
        batch.expanded += count as u64;
    }

    /// Tests a state of the frontier.
    pub(super) fn test(&mut self, state: &[u64], open: &[Goal]) {
        let Self { stepper, batch, hits, levels, .. } = self;
        batch.tests += stepper.test_cost();
        stepper.test(state, &mut |goal| note(hits, goal, levels.len() - 1, state, open));
    }

    /// Notes that a state of the frontier is one of a goal.
    pub(super) fn hit(&mut self, goal: Goal, state: &[u64], open: &[Goal]) {
        note(&mut self.hits, goal, self.levels.len() - 1, state, open);
    }

    /// Handles the overflow of the next state of the frontier: changes the layout of all states, or leaves out what
    /// does not fit.
    fn overflow(&mut self, stop: &Stop) -> Result<(), Reason> {
        if let Some(stepper) = self.stepper.widened(true) {
            return self.widen(stepper, stop);
        }
        (self.overflow, self.cut) = (true, true);
        let stepped = &mut self.batch.stepped[0];
        stepped.hashes.clear();
        stepped.hashes.extend(stepped.successors.iter().map(|(_, state)| table::hash(state)));
        let successors = stepped.successors.len();
        self.next.reserve(successors, &self.disk, stop)?;
        self.record(1);
        self.frontier.skip(1);
        Ok(())
    }
}

/// Notes that a state of a level is one of an open goal, unless another one is noted.
fn note(hits: &mut VecDeque<(Goal, Place)>, goal: Goal, level: usize, state: &[u64], open: &[Goal]) {
    if open.contains(&goal) && !hits.iter().any(|(other, _)| *other == goal) {
        hits.push_back((goal, Place::OnDisk(level, state.into())));
    }
}

impl<S: Stepper + Clone> Levels<S> {
    /// Expands the states of a window together. Returns how many were expanded: 0 if one worker should go on.
    pub(super) fn expand_together(&mut self, open: &[Goal], stop: &Stop) -> Result<usize, Reason> {
        let words = self.stepper.words();
        let window = self.frontier.rest();
        if window.len() / words < WORTH_SHARING || !stop.has_room(ROOM) {
            return Ok(0);
        }
        let Some(mut crew) = self.crew.take() else { return Ok(0) };
        let used = crew.fill(window, words);
        let Crew { others, pool, chunks, successors } = &mut crew;
        let (chunks, next) = (&chunks[..used], AtomicUsize::new(0));
        let expanded = pool.in_place_scope(|scope| {
            for (stepper, successors) in others {
                let next = &next;
                scope.spawn(move |_| {
                    while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                        chunk.lock().unwrap_or_else(PoisonError::into_inner).step(stepper, successors);
                    }
                });
            }
            let collected = self.collect_all(chunks, successors, open, stop);
            next.store(used, Ordering::Relaxed);
            collected
        })?;
        self.crew = Some(crew);
        self.frontier.skip(expanded);
        Ok(expanded)
    }

    /// Collects the successors of all chunks, in order, up to a state that overflows or was not stepped. Returns the
    /// number of states expanded.
    fn collect_all(
        &mut self,
        chunks: &[Mutex<Chunk>],
        successors: &mut Successors,
        open: &[Goal],
        stop: &Stop,
    ) -> Result<usize, Reason> {
        let mut expanded = 0;
        for chunk in chunks {
            let mut chunk = chunk.lock().unwrap_or_else(PoisonError::into_inner);
            chunk.step(&mut self.stepper, successors);
            let collected = self.collect(&chunk, open, stop)?;
            expanded += collected;
            if collected < chunk.len(self.stepper.words()) {
                break;
            }
        }
        Ok(expanded)
    }

    fn collect(&mut self, chunk: &Chunk, open: &[Goal], stop: &Stop) -> Result<usize, Reason> {
        let words = self.stepper.words();
        self.next.reserve(chunk.found(), &self.disk, stop)?;
        for at in 0..chunk.len(words) {
            let Some((kind, hashes, states)) = chunk.successors(at, words) else { return Ok(at) };
            if kind == ExpansionKind::Overflow {
                return Ok(at);
            }
            let state = chunk.source(at, words);
            if self.stepper.has_tests() {
                self.test(state, open);
            }
            if let ExpansionKind::Goal(goal) = kind {
                self.hit(goal, state, open);
            }
            self.cut |= kind == ExpansionKind::Cut;
            self.next.warm(hashes);
            self.next.add_flat(states, hashes);
            self.transitions += hashes.len() as u64;
            self.batch.note(hashes.len());
        }
        Ok(chunk.len(words))
    }
}
