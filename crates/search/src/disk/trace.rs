//! Runs to states on disk, found backwards.

use super::levels::Levels;
use super::reason;
use super::run::Cursor;
use crate::step::{Stepper, Successors};
use model::{EventId, Move, Reason, Stop, Trace};
use std::sync::Arc;

/// A step of a run: the label, and the packed target if the label has several.
type Step = (u32, Option<Box<[u64]>>);

impl<S: Stepper + Clone> Levels<S> {
    /// Returns a shortest run to a state of a level. Expands each state of earlier levels once at most.
    ///
    /// # Errors
    /// If a file cannot be read, there is no memory for the run, or `stop` is raised.
    pub(super) fn run_to(&mut self, level: usize, state: &[u64], stop: &Stop) -> Result<Trace, Reason> {
        // A move, and a target, in vectors that may be doubling their capacity.
        let each = 3 * size_of::<Move>() + 8 * self.stepper.words() + 2 * size_of::<Step>();
        if !stop.may_allocate(level.saturating_mul(each)) {
            return Err(Reason::Memory);
        }
        let mut steps: Vec<Step> = Vec::with_capacity(level);
        let mut target: Box<[u64]> = state.into();
        for level in (0..level).rev() {
            let (source, step) = self.step_to(level, &target, stop)?;
            steps.push(step);
            target = source;
        }
        let mut unpacked = Vec::new();
        self.stepper.unpack(&target, &mut unpacked);
        let mut trace = Trace::new(unpacked.as_slice().into());
        for (label, choice) in steps.into_iter().rev() {
            let choice = choice.map(|packed| {
                self.stepper.unpack(&packed, &mut unpacked);
                unpacked.as_slice().into()
            });
            trace.push(EventId(label), choice);
        }
        Ok(trace)
    }

    /// Returns the least state of a level that has `target` as a successor, and the step.
    fn step_to(&mut self, level: usize, target: &[u64], stop: &Stop) -> Result<(Box<[u64]>, Step), Reason> {
        let words = self.stepper.words();
        let mut cursor = Cursor::new(Arc::clone(&self.levels[level]));
        let mut successors = Successors::new(words);
        loop {
            let window = cursor.window().map_err(reason)?;
            assert!(!window.is_empty(), "each state of a level is a successor of a state of the level before");
            if let Some(reason) = stop.raised() {
                return Err(reason);
            }
            for source in window.chunks_exact(words) {
                self.stepper.expand_all(source, &mut successors);
                let Some((label, has_choice)) = successors.step_to(target) else { continue };
                return Ok((source.into(), (label, has_choice.then(|| target.into()))));
            }
            let count = window.len() / words;
            cursor.skip(count);
        }
    }
}
