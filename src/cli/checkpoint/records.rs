//! The records of one engine: those of its log, and those of a new checkpoint.

use super::manifest::Log;
use impasse::model::{Save, Saved, Unrestored, Unsaved};
use journal::Damage;
use journal::log::{Reader, Writer};
use std::path::Path;
use std::{fs, io};

/// Reads the records of a log that count.
pub(super) struct Records {
    reader: Reader,
    length: u64,
}

impl Records {
    pub(super) fn open(dir: &Path, log: &Log) -> Result<Self, Damage> {
        Ok(Self { reader: Reader::open(&dir.join(&log.file))?, length: log.length() })
    }

    /// Reads all records. Returns the position after the last whole one, and what is wrong after it.
    pub(super) fn look(mut self) -> (u64, Option<String>) {
        let mut record = Vec::new();
        let wrong = loop {
            if self.reader.position() == self.length {
                break None;
            }
            match self.read(&mut record) {
                Ok(true) => {}
                Ok(false) => break Some(format!("it ends at byte {}", self.reader.position())),
                Err(damage) => break Some(damage.to_string()),
            }
        };
        (self.reader.position(), wrong)
    }

    /// Reads the next record. Returns false at the end.
    fn read(&mut self, record: &mut Vec<u8>) -> Result<bool, Damage> {
        if self.reader.position() < self.length { self.reader.next(record) } else { Ok(false) }
    }
}

impl Saved for Records {
    fn next(&mut self, record: &mut Vec<u8>) -> Result<bool, Unrestored> {
        record.clear();
        self.read(record).map_err(|damage| Unrestored::Damaged(damage.to_string()))
    }
}

/// Writes the new records of an engine.
pub(super) struct Draft<'d> {
    dir: &'d Path,
    engine: &'d str,
    /// The log that the records continue. `None` if there is none.
    log: Option<Log>,
    writer: Option<Writer>,
    error: Option<io::Error>,
}

impl<'d> Draft<'d> {
    pub(super) fn new(dir: &'d Path, engine: &'d str, log: Option<Log>) -> Self {
        Self { dir, engine, log, writer: None, error: None }
    }

    /// Waits until the records are on the disk. Returns the log with its new length. `None` if nothing was written.
    pub(super) fn finish(mut self) -> io::Result<Option<Log>> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let (Some(mut writer), Some(mut log)) = (self.writer, self.log) else { return Ok(None) };
        log.push(writer.sync()?);
        Ok(Some(log))
    }

    fn writer(&mut self) -> io::Result<&mut Writer> {
        if self.writer.is_none() {
            match &self.log {
                Some(log) => self.writer = Some(Writer::resume(&self.dir.join(&log.file), log.length())?),
                None => self.create()?,
            }
        }
        self.writer.as_mut().ok_or_else(|| io::Error::other("no log is open"))
    }

    /// Creates another log. Its name begins with a number that no file has.
    fn create(&mut self) -> io::Result<()> {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        let name: String = self.engine.chars().map(plain).take(40).collect();
        let file = format!("{}-{name}.log", free_number(self.dir)?);
        self.writer = Some(Writer::create(&self.dir.join(&file))?);
        self.log = Some(Log { file, lengths: Vec::new() });
        Ok(())
    }

    fn keep<T>(&mut self, result: io::Result<T>) -> Result<T, Unsaved> {
        result.map_err(|error| {
            self.error = Some(error);
            Unsaved
        })
    }
}

impl Save for Draft<'_> {
    fn append(&mut self, record: &[u8]) -> Result<(), Unsaved> {
        let result = self.writer().and_then(|writer| writer.append(record));
        self.keep(result)
    }

    fn begin_anew(&mut self) -> Result<(), Unsaved> {
        let result = self.create();
        self.keep(result)
    }
}

fn free_number(dir: &Path) -> io::Result<u64> {
    let mut free = 1;
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.split_once('-')?.0.parse::<u64>().ok());
        free = free.max(number.map_or(0, |number| number.saturating_add(1)));
    }
    Ok(free)
}
