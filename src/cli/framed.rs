//! Messages with a header that has their length, as the protocols of editors frame them.

use std::io::{BufRead, Read};

/// The largest number of bytes of a message. Texts of models are at most half as long.
const LONGEST: usize = 1 << 28;
/// The largest number of bytes of a line of a header.
const HEADER: u64 = 1 << 12;

/// Reads the next message. `None` at the end of the input, or if its frame is wrong, after which nothing can be read.
pub(crate) fn next(input: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        input.by_ref().take(HEADER).read_until(b'\n', &mut line).ok()?;
        let line = std::str::from_utf8(&line).ok()?.strip_suffix('\n')?.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':')?;
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse::<usize>().ok()?);
        }
    }
    let length = length.filter(|length| *length <= LONGEST)?;
    let mut text = Vec::new();
    let count = input.take(length as u64).read_to_end(&mut text).ok()?;
    (count == length).then_some(text)
}
