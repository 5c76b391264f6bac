//! Reader for the gates of the binary form. A gate is two differences: from its own literal to the larger
//! operand, and from the larger operand to the smaller one. Each difference is written in groups of seven bits,
//! the lowest group first; every byte but the last has its highest bit set.

use super::cursor::{Cursor, Res};
use formats::codes;
use formats::error::Error;

/// The number of bits in a group.
const GROUP: u32 = 7;

/// Reads a difference and returns `from` minus this difference. If `strictly`, a difference of 0 is an error.
pub(super) fn delta(cursor: &mut Cursor<'_>, from: u32, strictly: bool) -> Res<u32> {
    let start = cursor.at;
    let (mut delta, mut shift) = (0u64, 0);
    loop {
        let Some(&byte) = cursor.source.bytes.get(cursor.at) else {
            let error = wrong(cursor, &codes::AIGER_UNFINISHED, cursor.at, "the file ends in the middle of the gates");
            return Err(error.hint("is it cut off?"));
        };
        cursor.at += 1;
        delta |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            break;
        }
        shift += GROUP;
        if shift >= u32::BITS {
            return Err(wrong(cursor, &codes::AIGER_DELTA, start, "a difference beyond 32 bits"));
        }
    }
    if delta == 0 && strictly {
        return Err(wrong(cursor, &codes::AIGER_DELTA, start, "the gate is its own operand"));
    }
    let delta = u32::try_from(delta).unwrap_or(u32::MAX);
    from.checked_sub(delta).ok_or_else(|| {
        wrong(cursor, &codes::AIGER_DELTA, start, "the difference is larger than the literal it is taken from")
    })
}

/// Makes an error about a byte. Binary gates have no lines that could be shown, so the message gives the number
/// of the byte.
fn wrong(cursor: &Cursor<'_>, code: &'static codes::Code, at: usize, message: &str) -> Box<Error> {
    Error::whole(code, &cursor.source.name, format!("byte {at} (from 0): {message}"))
}
