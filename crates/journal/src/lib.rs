//! Files that survive the end of a process: append-only logs of records with checksums, and small files that are
//! replaced atomically. Also temporary files with a limit ([`scratch`]).
//!
//! A search that is saved writes its states to a [`log`], and then replaces a [`manifest`] that says how much of
//! the log counts. After a crash, the manifest is the old one or the new one, and records beyond its length are
//! cut off. A record that is torn, or of which a bit has changed, does not match its checksum. It is reported as
//! [`Damage`], and never read as data.
//!
//! The crate has no notion of systems or searches. A record is a sequence of bytes, and its user defines what it
//! means. A [`digest`] is a fingerprint. This crate and the command line are the only ones that use files.
//!
//! ```
//! use impasse_journal::{log, manifest};
//!
//! let dir = tempfile::tempdir()?;
//! let (path, index) = (dir.path().join("states.log"), dir.path().join("manifest"));
//! let mut writer = log::Writer::create(&path)?;
//! writer.append(b"first")?;
//! manifest::replace(&index, &writer.sync()?.to_le_bytes())?;
//! writer.append(b"second, which does not count, because the manifest was not replaced")?;
//! drop(writer);
//!
//! let length = u64::from_le_bytes(manifest::read(&index)?.try_into().unwrap());
//! let mut reader = log::Reader::open(&path)?;
//! let mut record = Vec::new();
//! while reader.position() < length && reader.next(&mut record)? {
//!     assert_eq!(record, b"first");
//! }
//! let mut writer = log::Writer::resume(&path, reader.position())?;
//! writer.append(b"second")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod digest;
pub mod log;
pub mod manifest;
pub mod scratch;

use std::io;
use std::path::{Path, PathBuf};

/// The reason why a file cannot be read as a log or manifest.
#[derive(Debug, thiserror::Error)]
#[error("{}: {what}, at byte {at}", path.display())]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// The offset of the first byte of the damaged record.
    pub at: u64,
    /// What is wrong.
    pub what: Wrong,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum Wrong {
    /// The file has no header of this format and version.
    #[error("the file is no journal of this version of Impasse")]
    Header,
    /// The file ends within a record.
    #[error("the file ends within a record")]
    Torn,
    /// The checksum of a record does not match.
    #[error("a record does not match its checksum")]
    Checksum,
    /// The operating system reports an error.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl Damage {
    fn new(path: &Path, at: u64, what: impl Into<Wrong>) -> Self {
        Self { path: path.to_owned(), at, what: what.into() }
    }
}
