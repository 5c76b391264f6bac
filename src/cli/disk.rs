//! Temporary files for searches, and for checks of their evidence.

use super::args::DiskArgs;
use super::limits;
use certify::{Buckets, Refusal, Storage};
use impasse::Disk;
use journal::scratch::{Scratch, ScratchError, ScratchFile, ScratchWriter};
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
        let memory = limits::memory() / SHARE / at_once.max(1);
        let lossy = args.lossy.then_some(memory);
        let Some(dir) = &args.disk else { return Ok(Self { lossy, ..Self::default() }) };
        let scratch = Scratch::new(dir, args.disk_limit.map_or(LIMIT, |limit| limit as u64))?;
        let storage: Arc<dyn Storage> = Arc::new(Files(scratch.clone()));
        Ok(Self { disk: Some(Disk { scratch, memory, block: BLOCK }), storage: Some(storage), lossy })
    }
}

/// Temporary files for the checker.
#[derive(Debug)]
struct Files(Scratch);

impl Storage for Files {
    fn buckets(&self, count: usize) -> Result<Box<dyn Buckets>, Refusal> {
        let writer = self.0.create().map_err(refusal)?;
        Ok(Box::new(Pieces { writer, file: None, places: vec![Vec::new(); count], bytes: Vec::new() }))
    }
}

/// A file with pieces of buckets, each a block.
struct Pieces {
    writer: ScratchWriter,
    /// The file with all pieces so far, if it was read after the last piece was appended.
    file: Option<ScratchFile>,
    /// For each bucket: the offsets of its pieces.
    places: Vec<Vec<u64>>,
    bytes: Vec<u8>,
}

impl Buckets for Pieces {
    fn append(&mut self, bucket: usize, words: &[u64]) -> Result<(), Refusal> {
        self.bytes.clear();
        self.bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        self.places[bucket].push(self.writer.append(&self.bytes).map_err(refusal)?);
        self.file = None;
        Ok(())
    }

    fn read(&mut self, bucket: usize, each: &mut dyn FnMut(&[u64]) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let file = match self.file.take() {
            Some(file) => file,
            None => self.writer.so_far().map_err(refusal)?,
        };
        let mut words = Vec::new();
        for &place in &self.places[bucket] {
            file.read(place, &mut self.bytes).map_err(refusal)?;
            words.clear();
            words.extend(self.bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)));
            each(&words)?;
        }
        self.file = Some(file);
        Ok(())
    }
}

/// A failure of temporary files is a limit of the check, and nothing is wrong with the evidence.
fn refusal(_: ScratchError) -> Refusal {
    Refusal::ResourceLimit
}
