//! The interface by which an engine saves its state and gets it back.
//!
//! An engine writes records to a [`Save`] and reads them from a [`Saved`]. It does not know where they are kept. An
//! engine may append records to those of earlier checkpoints. So it gets the *mark* of the last complete checkpoint,
//! and returns the mark of the new one. If the new one cannot be completed, because the disk is full, the next call
//! gets the old mark again. A mark is a number that the engine defines, and 0 means that nothing is saved.
//!
//! Records are kept with checksums, so accidents are found before an engine reads them. Still an engine checks what
//! it reads, and returns [`Unrestored::Damaged`] instead of panicking. What an engine restores is no evidence: its
//! claims go to the checker like those of any engine.

use crate::claim::Reason;
use crate::goal::Goal;
use crate::ids::{BoundId, BranchingId, ErrorId, FormulaId, JusticeId, OutputId, PredicateId, TemporalId, ThreadId};
use std::fmt;

/// Says that a record could not be written. The place where records are kept knows the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unsaved;

/// Receives the records of one engine.
pub trait Save {
    /// Appends a record.
    ///
    /// # Errors
    /// If it cannot be written. The engine must return the error.
    fn append(&mut self, record: &[u8]) -> Result<(), Unsaved>;

    /// Removes all earlier records of the engine, because the next records do not continue them. They stay valid
    /// until this checkpoint is complete.
    ///
    /// # Errors
    /// As for [`Save::append`].
    fn begin_anew(&mut self) -> Result<(), Unsaved>;
}

/// Returns the records of one engine, in the order in which they were appended.
pub trait Saved {
    /// Reads the next record into `record`, which is cleared first. Returns false after the last record.
    ///
    /// # Errors
    /// If the record cannot be read.
    fn next(&mut self, record: &mut Vec<u8>) -> Result<bool, Unrestored>;
}

/// No records. An engine that is restored from them starts anew, and knows that it is going to be saved.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

impl Saved for Nothing {
    fn next(&mut self, record: &mut Vec<u8>) -> Result<bool, Unrestored> {
        record.clear();
        Ok(false)
    }
}

/// Why an engine could not be restored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unrestored {
    /// The records are not those of this engine and this task.
    Damaged(String),
    /// Work had to stop before everything was read.
    Stopped(Reason),
}

impl Unrestored {
    /// Returns the error that says what is wrong with the records.
    #[must_use]
    pub fn damaged(what: &str) -> Self {
        Self::Damaged(what.to_owned())
    }
}

impl fmt::Display for Unrestored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged(what) => f.write_str(what),
            Self::Stopped(reason) => write!(f, "stopped ({reason})"),
        }
    }
}

impl std::error::Error for Unrestored {}

/// Appends numbers to a record.
#[derive(Debug, Default)]
pub struct Record(Vec<u8>);

impl Record {
    /// Begins a record. `tag` says what it is.
    #[must_use]
    pub fn new(tag: u8) -> Self {
        Self(vec![tag])
    }

    /// Returns the bytes of the record.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Appends a number in 8 bytes.
    pub fn word(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Appends a number that is usually small, in groups of 7 bits (LEB128).
    pub fn small(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Appends bytes and their number.
    pub fn text(&mut self, bytes: &[u8]) {
        self.small(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Appends a goal.
    pub fn goal(&mut self, goal: Goal) {
        let (kind, number) = code(goal);
        self.small(kind);
        self.small(number);
    }
}

/// Reads the numbers of a record.
#[derive(Debug)]
pub struct Parts<'r>(&'r [u8]);

impl<'r> Parts<'r> {
    /// Returns the tag of a record, and its parts.
    ///
    /// # Errors
    /// If the record is empty.
    pub fn of(record: &'r [u8]) -> Result<(u8, Self), Unrestored> {
        let (&tag, rest) = record.split_first().ok_or_else(|| Unrestored::damaged("a record is empty"))?;
        Ok((tag, Self(rest)))
    }

    fn take(&mut self, count: usize) -> Result<&'r [u8], Unrestored> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(short)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Reads a number that [`Record::word`] appended.
    ///
    /// # Errors
    /// If the record is too short.
    pub fn word(&mut self) -> Result<u64, Unrestored> {
        let bytes = self.take(8)?.try_into().map_err(|_| short())?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Reads a number that [`Record::small`] appended.
    ///
    /// # Errors
    /// If the record is too short, or the number too large.
    pub fn small(&mut self) -> Result<u64, Unrestored> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                break;
            }
            number |= part << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Unrestored::damaged("a number is too large"))
    }

    /// Reads a number like [`Parts::small`], as an index.
    ///
    /// # Errors
    /// As for [`Parts::small`].
    pub fn index(&mut self) -> Result<usize, Unrestored> {
        usize::try_from(self.small()?).map_err(|_| Unrestored::damaged("a number is too large"))
    }

    /// Reads a number that is 0 or 1.
    ///
    /// # Errors
    /// If it is another one.
    pub fn flag(&mut self) -> Result<bool, Unrestored> {
        match self.small()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Unrestored::damaged("a flag is neither 0 nor 1")),
        }
    }

    /// Reads bytes that [`Record::text`] appended.
    ///
    /// # Errors
    /// If the record is too short.
    pub fn text(&mut self) -> Result<&'r [u8], Unrestored> {
        let count = self.index()?;
        self.take(count)
    }

    /// Reads a goal.
    ///
    /// # Errors
    /// If there is none.
    pub fn goal(&mut self) -> Result<Goal, Unrestored> {
        let (kind, number) = (self.small()?, self.small()?);
        decoded(kind, number).ok_or_else(|| Unrestored::damaged("a record names no goal"))
    }

    /// Reads `count` numbers that [`Record::word`] appended.
    ///
    /// # Errors
    /// If the record is too short.
    pub fn words(&mut self, count: usize) -> Result<impl Iterator<Item = u64> + use<'r>, Unrestored> {
        let taken = self.0.as_chunks::<8>().0.get(..count).ok_or_else(short)?;
        self.0 = &self.0[count * 8..];
        Ok(taken.iter().map(|bytes| u64::from_le_bytes(*bytes)))
    }

    /// Ends the record.
    ///
    /// # Errors
    /// If parts are left.
    pub fn end(self) -> Result<(), Unrestored> {
        if self.0.is_empty() { Ok(()) } else { Err(Unrestored::damaged("a record is too long")) }
    }
}

fn short() -> Unrestored {
    Unrestored::damaged("a record is too short")
}

/// Returns the kind and the number of a goal.
fn code(goal: Goal) -> (u64, u64) {
    match goal {
        Goal::Bad => (0, 0),
        Goal::Deadlock => (1, 0),
        Goal::Formula(id) => (2, id.0.into()),
        Goal::Hot(id) => (3, id.0.into()),
        Goal::SomeHot => (4, 0),
        Goal::Output(id) => (5, id.0.into()),
        Goal::Error(id) => (6, id.0.into()),
        Goal::Temporal(id) => (7, id.0.into()),
        Goal::Predicate(id) => (8, id.0.into()),
        Goal::Unsupported(number) => (9, number.into()),
        Goal::Branching(id) => (10, id.0.into()),
        Goal::Bound(id) => (11, id.0.into()),
        Goal::Justice(id) => (12, id.0.into()),
    }
}

/// Returns the goal of this kind and number.
fn decoded(kind: u64, number: u64) -> Option<Goal> {
    let number = u32::try_from(number).ok()?;
    let goal = match kind {
        0 => Goal::Bad,
        1 => Goal::Deadlock,
        2 => Goal::Formula(FormulaId(number)),
        3 => Goal::Hot(ThreadId(number)),
        4 => Goal::SomeHot,
        5 => Goal::Output(OutputId(number)),
        6 => Goal::Error(ErrorId(number)),
        7 => Goal::Temporal(TemporalId(number)),
        8 => Goal::Predicate(PredicateId(number)),
        9 => Goal::Unsupported(number),
        10 => Goal::Branching(BranchingId(number)),
        11 => Goal::Bound(BoundId(number)),
        12 => Goal::Justice(JusticeId(number)),
        _ => return None,
    };
    (code(goal) == (kind, number.into())).then_some(goal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_they_were_written() {
        let goals = [Goal::Bad, Goal::SomeHot, Goal::Error(ErrorId(7)), Goal::Unsupported(u32::MAX)];
        let numbers = [0, 1, 127, 128, 16_383, 16_384, u64::MAX / 2, u64::MAX];
        let mut record = Record::new(b'x');
        numbers.iter().for_each(|&number| record.small(number));
        record.word(u64::MAX - 1);
        record.text(b"text");
        goals.iter().for_each(|&goal| record.goal(goal));
        let (tag, mut parts) = Parts::of(record.bytes()).unwrap();
        assert_eq!(tag, b'x');
        assert_eq!(numbers.map(|_| parts.small().unwrap()), numbers);
        assert_eq!(parts.word(), Ok(u64::MAX - 1));
        assert_eq!(parts.text(), Ok(&b"text"[..]));
        assert_eq!(goals.map(|_| parts.goal().unwrap()), goals);
        assert!(parts.end().is_ok());
        for end in 0..record.bytes().len() {
            let read = Parts::of(&record.bytes()[..end]).and_then(|(_, mut parts)| {
                numbers.iter().try_for_each(|_| parts.small().map(|_| ()))?;
                parts.word()?;
                parts.text()?;
                goals.iter().try_for_each(|_| parts.goal().map(|_| ()))
            });
            assert!(read.is_err(), "{end} bytes are too few");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for bytes in [&[0xff; 10][..], &[0x80; 11], &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]] {
            let record = [&[0][..], bytes].concat();
            assert!(Parts::of(&record).unwrap().1.small().is_err(), "{bytes:?}");
        }
        assert!(Parts::of(&[]).is_err());
        assert!(Parts::of(&[0, 2]).unwrap().1.flag().is_err());
        assert!(Parts::of(&[0, 13, 0]).unwrap().1.goal().is_err());
        assert!(Parts::of(&[0, 0, 1]).unwrap().1.goal().is_err(), "`bad` has no number");
    }
}
