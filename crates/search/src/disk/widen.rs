//! Changes the layout of states on disk. Keys have another order then, so every run is sorted again.

use super::candidates::Candidates;
use super::crew::Crew;
use super::levels::Levels;
use super::merge::Merge;
use super::run::{Cursor, Run, RunWriter};
use super::{Disk, keys, reason};
use crate::step::Stepper;
use journal::scratch::{ScratchError, ScratchWriter};
use model::{Reason, Stop};
use std::sync::Arc;

impl<S: Stepper + Clone> Levels<S> {
    /// Replaces the stepper by one of the same states in another layout.
    pub(super) fn widen(&mut self, stepper: S, stop: &Stop) -> Result<(), Reason> {
        self.next.write(&self.disk).map_err(reason)?;
        let next = std::mem::replace(&mut self.next, Candidates::new(&self.disk, stepper.words(), 0));
        let change = Change { from: &self.stepper, to: &stepper, disk: &self.disk, stop };
        let frontier = std::mem::replace(&mut self.frontier, Cursor::new(Arc::clone(&self.levels[0])));
        let frontier = change.alone(frontier)?;
        for run in next.into_runs() {
            self.next.add_run(change.alone(Cursor::new(run))?);
        }
        let mut log = self.disk.scratch.create().map_err(reason)?;
        for level in &mut self.levels {
            let writer = RunWriter::append(log, stepper.words(), self.disk.block);
            let (changed, file) = change.of(Cursor::new(Arc::clone(level)), writer)?;
            log = file;
            let changed = Arc::new(changed);
            for known in self.known.iter_mut().filter(|known| Arc::ptr_eq(known, level)) {
                *known = Arc::clone(&changed);
            }
            self.other_work += changed.len();
            *level = changed;
        }
        for known in &mut self.known {
            if !self.levels.iter().any(|level| Arc::ptr_eq(level, known)) {
                *known = Arc::new(change.alone(Cursor::new(Arc::clone(known)))?);
                self.other_work += known.len();
            }
        }
        self.log = Some(log);
        self.frontier = Cursor::new(Arc::new(frontier));
        self.batch.resize(&stepper);
        self.crew = Crew::new(&stepper, self.jobs);
        self.stepper = stepper;
        Ok(())
    }
}

/// A change from one layout to another.
struct Change<'a, S> {
    from: &'a S,
    to: &'a S,
    disk: &'a Disk,
    stop: &'a Stop,
}

impl<S: Stepper> Change<'_, S> {
    /// Writes the rest of a run in the new layout, to a file of its own.
    fn alone(&self, run: Cursor) -> Result<Run, Reason> {
        let writer = RunWriter::new(self.disk, self.to.words()).map_err(reason)?;
        self.of(run, writer).map(|(run, _)| run)
    }

    /// Writes the rest of a run in the new layout. Returns the file, too.
    fn of(&self, mut run: Cursor, mut writer: RunWriter) -> Result<(Run, ScratchWriter), Reason> {
        let words = self.to.words();
        let most = (self.disk.memory / (8 * words)).max(1) * words;
        let (mut keys, mut parts) = (Vec::new(), Vec::new());
        let (mut unpacked, mut packed) = (Vec::new(), Vec::new());
        loop {
            let window = run.window().map_err(reason)?;
            if window.is_empty() {
                break;
            }
            if let Some(reason) = self.stop.raised() {
                return Err(reason);
            }
            let count = window.len() / self.from.words();
            for state in window.chunks_exact(self.from.words()) {
                self.from.unpack(state, &mut unpacked);
                self.to.pack(&unpacked, &mut packed);
                keys.extend_from_slice(&packed);
                if keys.len() >= most {
                    parts.push(self.sorted(&mut keys).map_err(reason)?);
                }
            }
            run.skip(count);
        }
        keys::sort(&mut keys, words);
        let mut merge = Merge::new(words, parts, keys, Vec::new());
        while let Some(keys) = merge.next().map_err(reason)? {
            writer.push(keys).map_err(reason)?;
        }
        writer.end().map_err(reason)
    }

    /// Writes keys in ascending order, and returns a reader of them.
    fn sorted(&self, keys: &mut Vec<u64>) -> Result<Cursor, ScratchError> {
        keys::sort(keys, self.to.words());
        let mut writer = RunWriter::new(self.disk, self.to.words())?;
        writer.push(keys)?;
        keys.clear();
        Ok(Cursor::new(Arc::new(writer.finish()?)))
    }
}
