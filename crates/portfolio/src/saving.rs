//! Checkpoints of the engines in their turns.
//!
//! This crate knows no files and no clock. The caller of a check gives a [`Checkpoint`], and raises [`Stop::pause`]
//! when a checkpoint is due. The engine at work then ends its turn, all engines that have begun are saved, and the
//! turn goes on with the rest of its budget. So checkpoints do not change the order of turns. Engines are also saved
//! when work must stop, and before an engine ends because memory is short.
//!
//! Answers of an earlier process are given again if the checker still accepts their evidence. An engine with saved
//! records is restored at its first turn. Its claims, also those about runs that it had found
//! before, go to the checker like all others. Engines without records start anew.
//!
//! [`Stop::pause`]: model::Stop::pause

use model::{Claim, Engine, Save, Saved, Stop, Unrestored, Unsaved};

/// Saves an engine with what is new since a mark ([`Engine::save`]).
pub type SaveEngine<'s> = dyn FnMut(u64, &mut dyn Save) -> Result<Option<u64>, Unsaved> + 's;

/// Restores an engine from its records ([`Engine::restore`]).
pub type RestoreEngine<'s> = dyn FnMut(&mut dyn Saved) -> Result<Option<u64>, Unrestored> + 's;

/// The place where a check is saved.
pub trait Checkpoint: Sync {
    /// Calls `restore` with the records of the engine, once. There may be none.
    fn restore(&self, engine: &str, restore: &mut RestoreEngine<'_>);

    /// Returns claims that the checker has accepted in an earlier process. They are checked again.
    fn claims(&self) -> Vec<Claim>;

    /// Begins a checkpoint.
    fn begin(&self);

    /// Calls `save` with the mark of the last complete checkpoint of the engine, at most once.
    fn save(&self, engine: &str, save: &mut SaveEngine<'_>);

    /// Completes the checkpoint, and withdraws the pause.
    fn end(&self);
}

/// A checkpoint for the engines of one list of entrants.
#[derive(Clone)]
pub(crate) struct Keeper<'a> {
    pub(crate) place: &'a dyn Checkpoint,
    /// The name of the list, because a check may have several lists.
    pub(crate) stage: String,
}

impl Keeper<'_> {
    /// Returns the name under which an engine is saved. The plan of a problem is the same each time, so the number of
    /// the entrant in the plan identifies it.
    fn name(&self, number: usize, engine: &dyn Engine) -> String {
        format!("{}{number}-{}", self.stage, engine.name())
    }

    /// Restores an engine before its first turn. Returns false if work had to stop before it was complete. Then the
    /// engine must not run, because it would replace what is saved.
    pub(crate) fn restore(&self, number: usize, engine: &mut dyn Engine, stop: &Stop) -> bool {
        let mut is_stopped = false;
        self.place.restore(&self.name(number, engine), &mut |from| {
            let restored = engine.restore(from, stop);
            is_stopped = matches!(restored, Err(Unrestored::Stopped(_)));
            restored
        });
        !is_stopped
    }

    /// Saves engines with their numbers.
    pub(crate) fn save<'e, 'b: 'e>(&self, engines: impl Iterator<Item = (usize, &'e mut (dyn Engine + 'b))>) {
        self.place.begin();
        for (number, engine) in engines {
            let name = self.name(number, engine);
            self.place.save(&name, &mut |since, to| engine.save(since, to));
        }
        self.place.end();
    }
}
