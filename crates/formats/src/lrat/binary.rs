//! The binary form: `a ID LITERALS 0 HINTS 0` and `d IDS 0` without blanks. A number is written as twice its
//! absolute value, plus one if it is negative, in groups of seven bits, the lowest group first; every byte but
//! the last has its highest bit set.

use super::step::{Buffers, RecordKind, rat};
use crate::codes;
use crate::error::Error;
use crate::source::Source;

pub(super) struct Binary<'a> {
    source: &'a Source,
    at: usize,
}

/// The number of bits in a group.
const GROUP: u32 = 7;

impl<'a> Binary<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self { source, at: 0 }
    }

    pub(super) fn next(&mut self, step: &mut Buffers) -> Result<Option<RecordKind>, Box<Error>> {
        let start = self.at;
        let Some(letter) = self.source.bytes.get(start) else { return Ok(None) };
        self.at += 1;
        match letter {
            b'a' => {
                step.id = self.id()?.ok_or_else(|| self.wrong(start + 1, "the number of a clause, from 1"))?;
                while let Some(literal) = self.literal()? {
                    step.clause.push(literal);
                }
                while let Some(hint) = self.id()? {
                    step.ids.push(hint);
                }
                Ok(Some(RecordKind::Add))
            }
            b'd' => {
                while let Some(id) = self.id()? {
                    step.ids.push(id);
                }
                Ok(Some(RecordKind::Delete))
            }
            _ => Err(self.wrong(start, "a step, `a` or `d`")),
        }
    }

    /// Reads the number of a clause, or `None` for the 0 that ends a list.
    fn id(&mut self) -> Result<Option<u64>, Box<Error>> {
        let start = self.at;
        match self.number()? {
            0 => Ok(None),
            1 => Err(self.wrong(start, "a number")),
            code if code & 1 == 0 => Ok(Some(code >> 1)),
            code => Err(rat(|kind, message| self.error(kind, start, &message), code >> 1)),
        }
    }

    fn literal(&mut self) -> Result<Option<i32>, Box<Error>> {
        let start = self.at;
        let code = self.number()?;
        let magnitude = i32::try_from(code >> 1).map_err(|_| self.wrong(start, "a literal below 2^31"))?;
        match (magnitude, code & 1) {
            (0, 0) => Ok(None),
            (0, _) => Err(self.wrong(start, "a literal")),
            (_, 0) => Ok(Some(magnitude)),
            _ => Ok(Some(-magnitude)),
        }
    }

    fn number(&mut self) -> Result<u64, Box<Error>> {
        let start = self.at;
        let (mut number, mut shift) = (0u64, 0);
        loop {
            let Some(&byte) = self.source.bytes.get(self.at) else {
                let error = self.error(&codes::LRAT_UNFINISHED, self.at, "the last step has no end");
                return Err(error.hint("is the file cut off?"));
            };
            self.at += 1;
            let group = u64::from(byte & 0x7F);
            let placed = group.checked_shl(shift).filter(|placed| placed >> shift == group);
            number |= placed.ok_or_else(|| self.wrong(start, "a number below 2^63"))?;
            if byte < 0x80 {
                return Ok(number);
            }
            shift += GROUP;
        }
    }

    fn wrong(&self, at: usize, expected: &str) -> Box<Error> {
        self.error(&codes::LRAT_SYNTAX, at, &format!("expected {expected}"))
    }

    /// Makes an error about a byte. Binary files have no lines that could be shown, so the message gives the
    /// number of the byte.
    fn error(&self, code: &'static codes::Code, at: usize, message: &str) -> Box<Error> {
        Error::whole(code, &self.source.name, format!("byte {at} (from 0): {message}"))
    }
}
