//! Reader for lines of numbers, which the text form and the binary form of AIGER share.

use formats::codes::{self, Code};
use formats::error::{Error, printable};
use formats::source::Source;
use std::ops::Range;

pub(super) type Res<T> = Result<T, Box<Error>>;

/// The largest number of numbers on one line: the header has nine.
const MOST: usize = 9;

/// The position of the reader in the file.
pub(super) struct Cursor<'a> {
    pub(super) source: &'a Source,
    pub(super) at: usize,
}

/// The numbers of a line. A number beyond 32 bits is stored as `u32::MAX`, which exceeds every limit.
pub(super) struct Numbers {
    pub(super) at: usize,
    numbers: [u32; MOST],
    count: usize,
}

impl Numbers {
    pub(super) fn get(&self) -> &[u32] {
        &self.numbers[..self.count]
    }
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self { source, at: 0 }
    }

    /// True if all bytes are consumed.
    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.source.bytes.len()
    }

    /// Consumes the next line and returns its range, without the line end.
    pub(super) fn line(&mut self) -> Range<usize> {
        let line = line_at(&self.source.bytes, self.at);
        let rest = &self.source.bytes[line.end..];
        self.at = rest.iter().position(|b| *b == b'\n').map_or(self.source.bytes.len(), |i| line.end + i + 1);
        line
    }

    /// Reads a line of `least` to `most` numbers, separated by single blanks. `expected` describes the numbers
    /// in errors.
    pub(super) fn numbers(&mut self, least: usize, most: usize, expected: &str) -> Res<Numbers> {
        let (bytes, at) = (&self.source.bytes, self.at);
        if self.is_at_end() {
            let error = self.error(&codes::AIGER_UNFINISHED, at..at, "the file ends too early");
            return Err(error.label(format!("expected {expected}")).hint("is it cut off?"));
        }
        let mut line = Numbers { at, numbers: [0; MOST], count: 0 };
        loop {
            let start = self.at;
            let mut number = 0u32;
            while let Some(digit) = bytes.get(self.at).filter(|b| b.is_ascii_digit()) {
                number = number.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
                self.at += 1;
            }
            if self.at == start || line.count == most.min(MOST) {
                return Err(self.syntax(start, expected));
            }
            line.numbers[line.count] = number;
            line.count += 1;
            match bytes.get(self.at) {
                Some(b' ') => self.at += 1,
                Some(b'\r') if bytes.get(self.at + 1) == Some(&b'\n') => {
                    self.at += 2;
                    break;
                }
                Some(b'\n') => {
                    self.at += 1;
                    break;
                }
                None => break,
                Some(_) => return Err(self.syntax(self.at, expected)),
            }
        }
        if line.count < least {
            return Err(self.syntax(line_at(bytes, at).end, expected));
        }
        Ok(line)
    }

    fn syntax(&self, at: usize, expected: &str) -> Box<Error> {
        let end = line_at(&self.source.bytes, at).end.max(at);
        let found = String::from_utf8_lossy(&self.source.bytes[at.min(end)..end]);
        let message = if found.is_empty() {
            "the line ends too early".to_owned()
        } else {
            format!("`{}` does not belong here", printable(&found))
        };
        self.error(&codes::AIGER_SYNTAX, at..end, message).label(format!("expected {expected}"))
    }

    /// Makes an error about the bytes in `span`.
    pub(super) fn error(&self, code: &'static Code, span: Range<usize>, message: impl Into<String>) -> Box<Error> {
        Error::at(code, &self.source.name, &self.source.bytes, span, message)
    }
}

/// Returns the range from `start` to the end of its line, without `\n` or `\r\n`.
pub(super) fn line_at(bytes: &[u8], start: usize) -> Range<usize> {
    let start = start.min(bytes.len());
    let end = bytes[start..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |i| start + i);
    let end = if end > start && bytes[end - 1] == b'\r' { end - 1 } else { end };
    start..end
}
