//! Reader for the names at the end of a file. It stops at the comment that may follow them.

use super::cursor::{Cursor, Res};
use super::header::Header;
use formats::codes;
use formats::source::Limits;
use std::ops::Range;

/// The names of inputs, latches, outputs, bad states and justice properties. The names of constraints and fairness
/// constraints are checked but not stored.
#[derive(Default)]
pub(super) struct Symbols {
    pub(super) inputs: Names,
    pub(super) latches: Names,
    pub(super) outputs: Names,
    pub(super) bad: Names,
    pub(super) justice: Names,
}

/// For each position: the name, if there is one.
#[derive(Default)]
pub(super) struct Names(Vec<Option<String>>);

impl Names {
    /// Returns the name at this position.
    pub(super) fn get(&self, position: usize) -> Option<String> {
        self.0.get(position).cloned().flatten()
    }

    fn set(&mut self, position: usize, name: String) -> Result<(), ()> {
        if self.0.len() <= position {
            self.0.resize(position + 1, None);
        }
        match self.0[position].replace(name) {
            None => Ok(()),
            Some(_) => Err(()),
        }
    }
}

/// Reads lines like `i0 name`, up to the end of the file or a line that begins with `c` and no digit.
pub(super) fn symbols(cursor: &mut Cursor<'_>, header: &Header, limits: &Limits) -> Res<Symbols> {
    let mut symbols = Symbols::default();
    let mut others: [Names; 2] = Default::default();
    while !cursor.is_at_end() {
        let line = cursor.line();
        let bytes = &cursor.source.bytes[line.clone()];
        if bytes.first() == Some(&b'c') && !bytes.get(1).is_some_and(u8::is_ascii_digit) {
            break;
        }
        let Some((kind, position, name)) = parts(bytes) else {
            let error = cursor.error(&codes::AIGER_SYMBOL, line, "this line names nothing");
            return Err(error.label("expected a line like `i0 name`, or `c` before a comment"));
        };
        let [constraints, fairness] = &mut others;
        let (names, count) = match kind {
            b'i' => (&mut symbols.inputs, header.inputs),
            b'l' => (&mut symbols.latches, header.latches),
            b'o' => (&mut symbols.outputs, header.outputs),
            b'b' => (&mut symbols.bad, header.bad),
            b'c' => (constraints, header.constraints),
            b'j' => (&mut symbols.justice, header.justice),
            _ => (fairness, header.fairness),
        };
        if position >= count as usize {
            let message = format!("the file has {count} of this kind, counted from 0");
            return Err(cursor.error(&codes::AIGER_SYMBOL, line, message).label("names nothing"));
        }
        let name_at = line.start + name.start..line.start + name.end;
        if name_at.len() > limits.name_length {
            let message = format!("the name has more than {} bytes", limits.name_length);
            return Err(cursor.error(&codes::LIMIT_NAME, name_at, message).label("too long"));
        }
        let Ok(name) = std::str::from_utf8(&bytes[name]) else {
            return Err(cursor
                .error(&codes::INPUT_NOT_UTF8, name_at, "the name is not UTF-8 text")
                .label("expected UTF-8"));
        };
        if names.set(position, name.to_owned()).is_err() {
            return Err(cursor
                .error(&codes::AIGER_SYMBOL, line, "a second name for the same thing")
                .label("again here"));
        }
    }
    Ok(symbols)
}

/// Splits a line into kind, position and range of the name.
fn parts(line: &[u8]) -> Option<(u8, usize, Range<usize>)> {
    let blank = line.iter().position(|b| *b == b' ')?;
    let kind = *line.first().filter(|kind| b"ilobcjf".contains(kind))?;
    let digits = line.get(1..blank)?;
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // The text is all digits, so a number that does not parse is too large, hence beyond every count.
    let position = std::str::from_utf8(digits).ok()?.parse().unwrap_or(usize::MAX);
    Some((kind, position, blank + 1..line.len()))
}
