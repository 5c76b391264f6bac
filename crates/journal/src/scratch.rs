//! Temporary files with a limit on their total size.
//!
//! A file is written once, block by block, and then read at any block. Each block has a checksum (XXH3 with the
//! offset of the block as seed), so a block that is damaged, or read at a wrong place, is noticed.
//!
//! A file loses its name as soon as it is created. The operating system frees it when the process ends, in
//! whatever way. A process that is killed between the two calls leaves an empty file, which the next
//! [`Scratch::new`] with the same directory removes. To remove the name of a file of another process does no harm,
//! because that process removes it too.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use twox_hash::XxHash3_64;

/// How the names of all temporary files begin.
const PREFIX: &str = "impasse-scratch-";

/// Bytes before the data of a block: its length and its checksum.
const HEAD: usize = 4 + 8;

/// Bytes that are collected before they are written.
const BUFFER: usize = 1 << 18;

/// Numbers the files of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A directory for temporary files, and the limit on their size. Clones share both.
#[derive(Clone, Debug)]
pub struct Scratch(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    dir: PathBuf,
    limit: u64,
    used: AtomicU64,
    peak: AtomicU64,
}

/// The reason why a temporary file cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ScratchError {
    /// The files would have more bytes than the limit.
    #[error("the temporary files would be larger than the limit of {0} bytes")]
    Limit(u64),
    /// The operating system reports that the disk, or the user's share of it, is full.
    #[error("{}: the disk is full", .0.display())]
    DiskFull(PathBuf),
    /// A block is not what was written.
    #[error("{}: a temporary file is damaged, at byte {at}", dir.display())]
    Damaged {
        /// The directory.
        dir: PathBuf,
        /// The offset of the block in its file.
        at: u64,
    },
    /// The operating system reports another error.
    #[error("{}: {error}", dir.display())]
    Io {
        /// The directory.
        dir: PathBuf,
        /// The error.
        error: io::Error,
    },
}

impl Scratch {
    /// Returns a store of temporary files in `dir`, which is created if it does not exist. All files together
    /// have at most `limit` bytes. Removes what an earlier process may have left there.
    ///
    /// # Errors
    /// If the directory cannot be created, read or written.
    pub fn new(dir: &Path, limit: u64) -> Result<Self, ScratchError> {
        let this = Self(Arc::new(Shared { dir: dir.to_owned(), limit, used: 0.into(), peak: 0.into() }));
        let cleared = fs::create_dir_all(dir).and_then(|()| clear(dir));
        cleared.and_then(|()| create(dir)).map_err(|error| this.error(error))?;
        Ok(this)
    }

    /// Creates an empty file.
    ///
    /// # Errors
    /// The errors of the operating system.
    pub fn create(&self) -> Result<ScratchWriter, ScratchError> {
        let file = create(&self.0.dir).map_err(|error| self.error(error))?;
        let opened = Arc::new(Opened { scratch: self.clone(), file, length: 0.into() });
        Ok(ScratchWriter { opened, buffer: Vec::new() })
    }

    /// Returns the bytes of all files that exist now.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.0.used.load(Ordering::Relaxed)
    }

    /// Returns the greatest number of bytes that existed at a time.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.0.peak.load(Ordering::Relaxed)
    }

    /// Returns the limit on [`Scratch::used`].
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.0.limit
    }

    fn reserve(&self, bytes: u64) -> Result<(), ScratchError> {
        let grown = |used: u64| used.checked_add(bytes).filter(|&used| used <= self.0.limit);
        match self.0.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown) {
            Ok(before) => {
                self.0.peak.fetch_max(before + bytes, Ordering::Relaxed);
                Ok(())
            }
            Err(_) => Err(ScratchError::Limit(self.0.limit)),
        }
    }

    fn error(&self, error: io::Error) -> ScratchError {
        let dir = self.0.dir.clone();
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ScratchError::DiskFull(dir),
            _ => ScratchError::Io { dir, error },
        }
    }
}

/// Removes temporary files that have a name.
fn clear(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX)) {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

/// Creates a file and removes its name.
fn create(dir: &Path) -> io::Result<File> {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = dir.join(format!("{PREFIX}{}-{number}", std::process::id()));
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(file),
    }
}

/// An open file, and the bytes reserved for it, which are given back when it is closed.
#[derive(Debug)]
struct Opened {
    scratch: Scratch,
    file: File,
    length: AtomicU64,
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.scratch.0.used.fetch_sub(self.length.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// Writes a temporary file.
#[derive(Debug)]
pub struct ScratchWriter {
    opened: Arc<Opened>,
    buffer: Vec<u8>,
}

impl ScratchWriter {
    /// Appends a block. Returns its offset, by which [`ScratchFile::read`] finds it.
    ///
    /// # Errors
    /// If the limit would be exceeded, the disk is full, or the operating system reports another error. The file
    /// is of no use then.
    ///
    /// # Panics
    /// If the block has 4 GiB or more.
    pub fn append(&mut self, data: &[u8]) -> Result<u64, ScratchError> {
        let at = self.length();
        let length = u32::try_from(data.len()).expect("a block is shorter than 4 GiB");
        let bytes = HEAD as u64 + u64::from(length);
        self.opened.scratch.reserve(bytes)?;
        self.opened.length.store(at + bytes, Ordering::Relaxed);
        self.buffer.extend_from_slice(&length.to_le_bytes());
        self.buffer.extend_from_slice(&checksum(at, data).to_le_bytes());
        self.buffer.extend_from_slice(data);
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(at)
    }

    /// Returns the bytes of the file so far.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.opened.length.load(Ordering::Relaxed)
    }

    /// Returns the file with the blocks so far, to read them. More blocks may be appended.
    ///
    /// # Errors
    /// As [`ScratchWriter::append`].
    pub fn so_far(&mut self) -> Result<ScratchFile, ScratchError> {
        self.flush()?;
        Ok(ScratchFile { opened: Arc::clone(&self.opened), length: self.length() })
    }

    /// Ends the writing. The file can be read then.
    ///
    /// # Errors
    /// As [`ScratchWriter::append`].
    pub fn finish(mut self) -> Result<ScratchFile, ScratchError> {
        self.so_far()
    }

    fn flush(&mut self) -> Result<(), ScratchError> {
        let written = (&self.opened.file).write_all(&self.buffer);
        self.buffer.clear();
        written.map_err(|error| self.opened.scratch.error(error))
    }
}

/// A temporary file, which several threads may read at a time. It is deleted when its writer and all readers are
/// dropped.
#[derive(Clone, Debug)]
pub struct ScratchFile {
    opened: Arc<Opened>,
    length: u64,
}

impl ScratchFile {
    /// Reads the block at offset `at` into `data`, which is cleared first. Returns the offset of the next block,
    /// or the length of the file after the last one.
    ///
    /// # Errors
    /// If no block was written at this offset, the block is damaged, or the operating system reports an error.
    /// `data` is empty then.
    pub fn read(&self, at: u64, data: &mut Vec<u8>) -> Result<u64, ScratchError> {
        let next = self.read_block(at, data);
        if next.is_err() {
            data.clear();
        }
        next
    }

    fn read_block(&self, at: u64, data: &mut Vec<u8>) -> Result<u64, ScratchError> {
        let damaged = || self.damaged(at);
        let body = at.checked_add(HEAD as u64).filter(|&body| body <= self.length).ok_or_else(damaged)?;
        let mut head = [0; HEAD];
        self.read_at(&mut head, at)?;
        let (length, check) = head.split_at(4);
        let length = length.iter().rev().fold(0u64, |length, &byte| length << 8 | u64::from(byte));
        let check = check.iter().rev().fold(0u64, |check, &byte| check << 8 | u64::from(byte));
        let next = Some(body + length).filter(|&next| next <= self.length).ok_or_else(damaged)?;
        data.clear();
        data.resize(usize::try_from(length).map_err(|_| damaged())?, 0);
        self.read_at(data, body)?;
        if checksum(at, data) == check { Ok(next) } else { Err(damaged()) }
    }

    fn read_at(&self, data: &mut [u8], at: u64) -> Result<(), ScratchError> {
        read_exact_at(&self.opened.file, data, at).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => self.damaged(at),
            _ => self.opened.scratch.error(error),
        })
    }

    /// Returns the error that says that the block at offset `at` is damaged. It is for users of the file that find
    /// more than a checksum does.
    #[must_use]
    pub fn damaged(&self, at: u64) -> ScratchError {
        ScratchError::Damaged { dir: self.opened.scratch.0.dir.clone(), at }
    }

    /// Returns the bytes of the file.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }
}

fn checksum(at: u64, data: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(at, data)
}

#[cfg(unix)]
fn read_exact_at(file: &File, data: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, data, at)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut data: &mut [u8], mut at: u64) -> io::Result<()> {
    while !data.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, data, at) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                data = &mut data[read..];
                at += read as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
