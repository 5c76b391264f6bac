//! Positions of the protocol: a line, and a column in UTF-16 or UTF-8 units. The rest of the server uses bytes.

use lsp_types::{Position, PositionEncodingKind, Range as Region};
use std::ops::Range;

/// The units of columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Encoding {
    #[default]
    Utf16,
    Utf8,
}

impl Encoding {
    /// Chooses UTF-8 if the client offers it.
    pub(super) fn of(offered: Option<&[PositionEncodingKind]>) -> Self {
        let has_utf8 = offered.is_some_and(|list| list.contains(&PositionEncodingKind::UTF8));
        if has_utf8 { Self::Utf8 } else { Self::Utf16 }
    }

    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf8 => PositionEncodingKind::UTF8,
        }
    }

    /// Returns the number of units of a text.
    fn units(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 if text.is_ascii() => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
        }
    }
}

/// The lines of a text. A line ends with LF, CR LF or CR.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    starts: Vec<usize>,
    encoding: Encoding,
}

impl Lines {
    pub(super) fn new(text: &str, encoding: Encoding) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        Self { starts: std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect(), encoding }
    }

    /// Returns the text of a line, without its end.
    pub(super) fn line<'t>(&self, text: &'t str, line: usize) -> Option<&'t str> {
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        Some(text[start..end].trim_end_matches(['\r', '\n']))
    }

    /// Returns the byte of a position. A column behind the end of its line stands for this end, as the protocol says,
    /// and the line after the last one for the end of the text. `None` for other lines.
    pub(super) fn offset(&self, text: &str, position: Position) -> Option<usize> {
        let line = position.line as usize;
        if line == self.starts.len() {
            return Some(text.len());
        }
        let content = self.line(text, line)?;
        let column = position.character as usize;
        let within = match self.encoding {
            _ if content.is_ascii() => column.min(content.len()),
            Encoding::Utf8 => boundary(content, column),
            Encoding::Utf16 => {
                let mut units = 0;
                let end = content.char_indices().find(|(_, c)| {
                    units += c.len_utf16();
                    units > column
                });
                end.map_or(content.len(), |(at, _)| at)
            }
        };
        Some(self.starts[line] + within)
    }

    pub(super) fn position(&self, text: &str, offset: usize) -> Position {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let before = text.get(self.starts[line]..offset).unwrap_or_default();
        let cast = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position::new(cast(line), cast(self.encoding.units(before)))
    }

    pub(super) fn region(&self, text: &str, range: Range<usize>) -> Region {
        Region::new(self.position(text, range.start), self.position(text, range.end))
    }

    /// Returns the number of the line of a byte, from 1.
    pub(super) fn number(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }
}

/// Returns the last boundary of a character that is not behind `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_units() {
        let text = "a\u{e9}\u{1f980}b\r\nx\ry";
        let utf16 = Lines::new(text, Encoding::Utf16);
        let at = |line, column| utf16.offset(text, Position::new(line, column));
        assert_eq!([at(0, 0), at(0, 1), at(0, 2), at(0, 4), at(0, 5)], [Some(0), Some(1), Some(3), Some(7), Some(8)]);
        assert_eq!(at(0, 3), Some(3), "inside of a pair");
        assert_eq!([at(0, 99), at(1, 0), at(2, 1), at(3, 0), at(4, 0)], [Some(8), Some(10), Some(13), Some(13), None]);
        assert_eq!(utf16.position(text, 7), Position::new(0, 4));
        let utf8 = Lines::new(text, Encoding::Utf8);
        assert_eq!(utf8.offset(text, Position::new(0, 2)), Some(1), "inside of a character");
        assert_eq!((utf8.position(text, 7), utf8.number(12)), (Position::new(0, 7), 3));
    }
}
