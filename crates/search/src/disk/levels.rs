//! The search through levels on disk.

use super::batch::Batch;
use super::candidates::Candidates;
use super::crew::Crew;
use super::listing::Listing;
use super::merge::Merge;
use super::place::Place;
use super::run::{Cursor, Run, RunWriter};
use super::{Disk, keys, reason};
use crate::exploration::Exploration;
use crate::step::Stepper;
use crate::{Packed, Pause, Together};
use journal::scratch::{ScratchError, ScratchWriter};
use model::{Goal, Reason, StateSet, Stop};
use std::collections::VecDeque;
use std::sync::Arc;

/// The largest number of runs in which a state is looked up. When there are more, the smaller half is merged.
const RUNS: usize = 24;

/// Keys of a merge that cost as much as one expansion.
const KEYS_PER_UNIT: u64 = 64;

/// Work units after which the stop flag is checked.
const PATIENCE: u64 = 1024;

/// A search with its finished levels on disk.
#[derive(Debug)]
pub struct Levels<S: Stepper> {
    pub(super) stepper: S,
    pub(super) disk: Disk,
    /// The states of each level.
    pub(super) levels: Vec<Arc<Run>>,
    /// The file with all levels. It is with the writer of a level while one is written. One file suffices, because
    /// levels are never deleted, and a space may have more levels than a process may have files.
    pub(super) log: Option<ScratchWriter>,
    /// Runs that contain the states of all levels. They are levels, or the union of levels.
    pub(super) known: Vec<Arc<Run>>,
    /// The states of the last level that are not expanded yet.
    pub(super) frontier: Cursor,
    pub(super) next: Candidates,
    phase: Phase,
    pub(super) batch: Batch,
    pub(super) crew: Option<Crew<S>>,
    /// Number of workers.
    pub(super) jobs: usize,
    pub(super) hits: VecDeque<(Goal, Place)>,
    /// Number of states in all levels.
    states: u64,
    pub(super) transitions: u64,
    pub(super) cut: bool,
    pub(super) overflow: bool,
    /// Work other than that of expansions and tests.
    pub(super) other_work: u64,
}

/// What is done next.
#[derive(Debug)]
enum Phase {
    /// States of the frontier are expanded.
    Expand,
    /// The new states among the candidates are written.
    Subtract(Merge, RunWriter),
    /// The runs are merged to one.
    Unite(Vec<Arc<Run>>, Merge, RunWriter),
    Exhausted,
}

impl<S: Stepper + Clone> Levels<S> {
    /// Moves the states of a search in memory to disk.
    ///
    /// # Errors
    /// If the files cannot be written.
    pub(super) fn of(search: Packed<S, Together<S>>, disk: Disk) -> Result<Self, Reason> {
        let (work, cut, overflow) = (search.work(), search.is_cut(), search.is_overflown());
        let (space, order) = search.parts();
        let (next, jobs, transitions) = (order.next(), order.jobs(), space.transitions());
        Self::moved(search.into_space(), next, jobs, disk)
            .map(|this| Self { transitions, cut, overflow, other_work: work, ..this })
            .map_err(reason)
    }

    /// Writes the levels that are complete. The last of them has the state number `next`, which is the first one
    /// that is not expanded. Later states are candidates.
    fn moved(space: Exploration<S>, next: usize, jobs: usize, disk: Disk) -> Result<Self, ScratchError> {
        let (stepper, mut states, mut firsts) = space.into_levels();
        let words = stepper.words();
        let complete = firsts.partition_point(|&first| first <= next);
        firsts.push(states.len() / words);
        let write = |states: &mut [u64], file| {
            keys::sort(states, words);
            let mut writer = RunWriter::append(file, words, disk.block);
            writer.push(states)?;
            writer.end()
        };
        let end = firsts[complete];
        let (rest, _) = write(&mut states[next * words..end * words], disk.scratch.create()?)?;
        let mut levels = Vec::with_capacity(complete);
        let mut log = disk.scratch.create()?;
        for bounds in firsts[..=complete].windows(2) {
            let (level, file) = write(&mut states[bounds[0] * words..bounds[1] * words], log)?;
            levels.push(Arc::new(level));
            log = file;
        }
        let (found, _) = write(&mut states[end * words..], disk.scratch.create()?)?;
        drop(states);
        let expected = usize::try_from(2 * found.len()).unwrap_or(usize::MAX);
        let mut candidates = Candidates::new(&disk, words, expected);
        candidates.add_run(found);
        Ok(Self {
            batch: Batch::new(&stepper),
            crew: Crew::new(&stepper, jobs),
            jobs,
            stepper,
            disk,
            states: levels.iter().map(|level| level.len()).sum(),
            known: levels.clone(),
            levels,
            log: Some(log),
            frontier: Cursor::new(Arc::new(rest)),
            next: candidates,
            phase: Phase::Expand,
            hits: VecDeque::new(),
            transitions: 0,
            cut: false,
            overflow: false,
            other_work: 0,
        })
    }

    /// Returns the work done so far.
    pub(super) fn work(&self) -> u64 {
        let merging = match &self.phase {
            Phase::Subtract(merge, _) | Phase::Unite(_, merge, _) => merge.seen() / KEYS_PER_UNIT,
            Phase::Expand | Phase::Exhausted => 0,
        };
        self.other_work + self.batch.work() + merging
    }

    /// Returns the number of states in the levels found.
    pub(super) fn len(&self) -> u64 {
        self.states
    }

    /// Searches, as [`Packed::advance`] does.
    pub(super) fn advance(&mut self, means: u64, open: &[Goal], stop: &Stop) -> Pause<(Goal, Place)> {
        let end = self.work().saturating_add(means.min(PATIENCE));
        loop {
            while let Some((goal, place)) = self.hits.pop_front() {
                if open.contains(&goal) {
                    self.stepper.settle(goal);
                    return Pause::Hit((goal, place));
                }
            }
            if matches!(self.phase, Phase::Exhausted) {
                return Pause::Exhausted;
            }
            if self.work() >= end || stop.raised().is_some() {
                return Pause::Turn;
            }
            if let Err(reason) = self.step(open, stop) {
                return Pause::Stuck(reason);
            }
        }
    }

    fn step(&mut self, open: &[Goal], stop: &Stop) -> Result<(), Reason> {
        match &mut self.phase {
            Phase::Expand => {
                if self.expand(open, stop)? {
                    return Ok(());
                }
                self.end_level()
            }
            Phase::Subtract(merge, writer) | Phase::Unite(_, merge, writer) => match merge.next().map_err(reason)? {
                Some(new) => writer.push(new).map_err(reason),
                None => self.end_merge(),
            },
            Phase::Exhausted => Ok(()),
        }
    }

    /// Called when all states of the last level are expanded.
    fn end_level(&mut self) -> Result<(), Reason> {
        let words = self.stepper.words();
        let expected = self.next.in_table().saturating_mul(2);
        let candidates = std::mem::replace(&mut self.next, Candidates::new(&self.disk, words, expected));
        self.phase = if candidates.is_empty() {
            Phase::Exhausted
        } else {
            let log = self.log.take().map_or_else(|| self.disk.scratch.create(), Ok).map_err(reason)?;
            Phase::Subtract(candidates.into_new(&self.known), RunWriter::append(log, words, self.disk.block))
        };
        Ok(())
    }

    fn end_merge(&mut self) -> Result<(), Reason> {
        self.other_work = self.work() - self.batch.work();
        match std::mem::replace(&mut self.phase, Phase::Expand) {
            Phase::Subtract(merge, writer) => {
                drop(merge);
                let (level, log) = writer.end().map_err(reason)?;
                self.log = Some(log);
                self.begin_level(level)
            }
            Phase::Unite(parts, _, writer) => {
                let united = Arc::new(writer.finish().map_err(reason)?);
                debug_assert_eq!(united.len(), parts.iter().map(|part| part.len()).sum::<u64>(), "levels are disjoint");
                self.known.retain(|run| !parts.iter().any(|part| Arc::ptr_eq(part, run)));
                self.known.push(united);
                Ok(())
            }
            Phase::Expand | Phase::Exhausted => Ok(()),
        }
    }

    /// Adds a level, which may be empty.
    fn begin_level(&mut self, level: Run) -> Result<(), Reason> {
        if level.len() == 0 {
            self.phase = Phase::Exhausted;
            return Ok(());
        }
        let level = Arc::new(level);
        self.states += level.len();
        self.frontier = Cursor::new(Arc::clone(&level));
        self.known.push(Arc::clone(&level));
        self.levels.push(level);
        if self.known.len() <= RUNS {
            return Ok(());
        }
        self.known.sort_by_key(|run| run.len());
        let parts = self.known[..RUNS / 2].to_vec();
        let cursors = parts.iter().map(|part| Cursor::new(Arc::clone(part))).collect();
        let merge = Merge::new(self.stepper.words(), cursors, Vec::new(), Vec::new());
        let writer = RunWriter::new(&self.disk, self.stepper.words()).map_err(reason)?;
        self.phase = Phase::Unite(parts, merge, writer);
        Ok(())
    }

    /// Ends an exhausted search and returns its states.
    pub(super) fn into_states(self) -> Box<dyn StateSet>
    where
        S: 'static,
    {
        Box::new(Listing::new(self.stepper, self.levels))
    }
}
