//! Temporary files for searches, and for checks of their evidence.

use super::args::DiskArgs;
use super::memory;
use super::storage::OnDisk;
use impasse::Disk;
use impasse::certify::Storage;
use journal::scratch::{Scratch, ScratchError};
use std::sync::Arc;

/// The limit on temporary files if none is given.
const LIMIT: u64 = 50 << 30;

/// The part of the memory limit that the states of a search may use. Evidence is checked after the search has
/// released its states.
const SHARE: usize = 2;

/// The size of the blocks of a file in bytes.
const BLOCK: usize = 1 << 16;

/// Where a check stores what does not fit memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stores {
    /// For the explicit search.
    pub(crate) disk: Option<Disk>,
    /// For the check of closed sets.
    pub(crate) storage: Option<Arc<dyn Storage>>,
    /// Bytes for the bits of a search that may leave states out.
    pub(crate) lossy: Option<usize>,
}

impl Stores {
    /// Returns what `args` ask for, for `at_once` checks at a time.
    ///
    /// # Errors
    /// If the directory cannot be used.
    pub(crate) fn new(args: &DiskArgs, at_once: usize) -> Result<Self, ScratchError> {
        let memory = memory::limit() / SHARE / at_once.max(1);
        let lossy = args.lossy.then_some(memory);
        let Some(dir) = &args.disk else { return Ok(Self { lossy, ..Self::default() }) };
        let scratch = Scratch::new(dir, args.disk_limit.map_or(LIMIT, |limit| limit as u64))?;
        let storage: Arc<dyn Storage> = Arc::new(OnDisk(scratch.clone()));
        Ok(Self { disk: Some(Disk { scratch, memory, block: BLOCK }), storage: Some(storage), lossy })
    }
}
