//! Append-only logs of records.
//!
//! A log begins with 8 bytes that name the format and its version. Each record has a length (4 bytes, little
//! endian), a checksum (8 bytes) and its data. The checksum is XXH3 with the offset of the record as seed, so a
//! record that was moved or repeated does not match. A checksum protects against accidents and not against
//! attackers: a program that can write the file can write matching checksums.

use crate::{Damage, Wrong};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// The name of the format, and its version.
const HEADER: &[u8; 8] = b"impjrnl\x01";

/// Bytes before the data of a record: its length and its checksum.
const PREFIX: u64 = 4 + 8;

const BUFFER: usize = 1 << 18;

/// Returns the checksum of a record that begins at byte `at`.
fn checksum(at: u64, data: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(at, data)
}

/// Writes a log.
#[derive(Debug)]
pub struct Writer {
    file: BufWriter<File>,
    length: u64,
    /// True after an error of the operating system. What follows in the file is unknown then.
    is_broken: bool,
}

impl Writer {
    /// Creates a log without records. A file with this name must not exist.
    ///
    /// # Errors
    /// The errors of the operating system.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        let mut file = BufWriter::with_capacity(BUFFER, file);
        file.write_all(HEADER)?;
        Ok(Self { file, length: HEADER.len() as u64, is_broken: false })
    }

    /// Opens a log to append records after byte `length`, which is the end of a record. Later bytes are removed.
    ///
    /// # Errors
    /// The errors of the operating system, or if the file is shorter.
    pub fn resume(path: &Path, length: u64) -> io::Result<Self> {
        let mut file = OpenOptions::new().write(true).open(path)?;
        if file.metadata()?.len() < length {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the log is shorter than its manifest says"));
        }
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        Ok(Self { file: BufWriter::with_capacity(BUFFER, file), length, is_broken: false })
    }

    /// Appends a record.
    ///
    /// # Errors
    /// The errors of the operating system, for example that the disk is full. The log takes no more records
    /// then; [`Writer::resume`] at the length of the last [`Writer::sync`] repairs it.
    ///
    /// # Panics
    /// If the record has 4 GiB or more.
    pub fn append(&mut self, data: &[u8]) -> io::Result<()> {
        self.unbroken()?;
        let length = u32::try_from(data.len()).expect("a record is shorter than 4 GiB");
        self.is_broken = true;
        self.file.write_all(&length.to_le_bytes())?;
        self.file.write_all(&checksum(self.length, data).to_le_bytes())?;
        self.file.write_all(data)?;
        self.is_broken = false;
        self.length += PREFIX + u64::from(length);
        Ok(())
    }

    /// Waits until all records are on the disk. Returns the length of the file.
    ///
    /// # Errors
    /// The errors of the operating system, as for [`Writer::append`].
    pub fn sync(&mut self) -> io::Result<u64> {
        self.unbroken()?;
        self.is_broken = true;
        self.file.flush()?;
        self.file.get_ref().sync_data()?;
        self.is_broken = false;
        Ok(self.length)
    }

    /// Returns the length of the log in bytes, with records that may not be on the disk yet.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    fn unbroken(&self) -> io::Result<()> {
        if self.is_broken { Err(io::Error::other("an earlier record could not be written")) } else { Ok(()) }
    }
}

/// Reads a log from its beginning.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    file: BufReader<File>,
    size: u64,
    at: u64,
}

impl Reader {
    /// Opens a log.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a log of this version.
    pub fn open(path: &Path) -> Result<Self, Damage> {
        let damage = |what| Damage::new(path, 0, what);
        let file = File::open(path).map_err(|e| damage(e.into()))?;
        let size = file.metadata().map_err(|e| damage(e.into()))?.len();
        let mut file = BufReader::with_capacity(BUFFER, file);
        let mut header = [0; HEADER.len()];
        match file.read_exact(&mut header) {
            Ok(()) if &header == HEADER => {}
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(damage(error.into())),
            _ => return Err(damage(Wrong::Header)),
        }
        Ok(Self { path: path.to_owned(), file, size, at: HEADER.len() as u64 })
    }

    /// Reads the next record into `data`, which is cleared first. Returns false at the end of the file.
    ///
    /// # Errors
    /// If the file ends within a record, or a record does not match its checksum. The position is then the end
    /// of the last whole record, and further calls return errors too.
    pub fn next(&mut self, data: &mut Vec<u8>) -> Result<bool, Damage> {
        data.clear();
        let left = self.size.saturating_sub(self.at);
        if left == 0 {
            return Ok(false);
        }
        match self.record(data, left) {
            Ok(length) => {
                self.at += length;
                Ok(true)
            }
            Err(what) => {
                data.clear();
                self.size = u64::MAX;
                Err(Damage::new(&self.path, self.at, what))
            }
        }
    }

    /// Reads a record of at most `left` bytes. Returns its length with the prefix.
    fn record(&mut self, data: &mut Vec<u8>, left: u64) -> Result<u64, Wrong> {
        if left == u64::MAX - self.at || left < PREFIX {
            return Err(Wrong::Torn);
        }
        let (mut length, mut check) = ([0; 4], [0; 8]);
        self.file.read_exact(&mut length)?;
        self.file.read_exact(&mut check)?;
        let length = u32::from_le_bytes(length);
        if u64::from(length) > left - PREFIX {
            return Err(Wrong::Torn);
        }
        data.resize(length as usize, 0);
        self.file.read_exact(data)?;
        match checksum(self.at, data) == u64::from_le_bytes(check) {
            true => Ok(PREFIX + u64::from(length)),
            false => Err(Wrong::Checksum),
        }
    }

    /// Returns the offset after the last record that was read.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.at
    }
}
