//! Records of an engine in memory.

use model::{Save, Saved, Unrestored, Unsaved};

/// The records of an engine that is saved and restored in a test.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The records of complete checkpoints.
    pub records: Vec<Vec<u8>>,
    /// The mark of the last complete checkpoint.
    pub mark: u64,
    fresh: Vec<Vec<u8>>,
    is_anew: bool,
    read: usize,
}

impl Log {
    /// Returns a log with these records.
    #[must_use]
    pub fn of(records: Vec<Vec<u8>>) -> Self {
        Self { records, ..Self::default() }
    }

    /// Calls `save` with the mark of the last checkpoint. The records count only if `is_kept` is true, as if the disk
    /// was full otherwise. Returns true if the engine could be saved.
    pub fn save(
        &mut self,
        is_kept: bool,
        save: impl FnOnce(u64, &mut dyn Save) -> Result<Option<u64>, Unsaved>,
    ) -> bool {
        (self.fresh, self.is_anew) = (Vec::new(), false);
        let saved = save(self.mark, self).expect("memory has room");
        if let (Some(mark), true) = (saved, is_kept) {
            if self.is_anew {
                self.records.clear();
            }
            self.records.append(&mut self.fresh);
            self.mark = mark;
        }
        saved.is_some()
    }

    /// Calls `restore` with all records.
    ///
    /// # Errors
    /// The error of `restore`.
    pub fn restore(
        &mut self,
        restore: impl FnOnce(&mut dyn Saved) -> Result<Option<u64>, Unrestored>,
    ) -> Result<bool, Unrestored> {
        self.read = 0;
        let mark = restore(self)?;
        self.mark = mark.unwrap_or(0);
        Ok(mark.is_some())
    }
}

impl Save for Log {
    fn append(&mut self, record: &[u8]) -> Result<(), Unsaved> {
        self.fresh.push(record.to_vec());
        Ok(())
    }

    fn begin_anew(&mut self) -> Result<(), Unsaved> {
        self.fresh.clear();
        self.is_anew = true;
        Ok(())
    }
}

impl Saved for Log {
    fn next(&mut self, record: &mut Vec<u8>) -> Result<bool, Unrestored> {
        record.clear();
        let Some(next) = self.records.get(self.read) else { return Ok(false) };
        record.extend_from_slice(next);
        self.read += 1;
        Ok(true)
    }
}
