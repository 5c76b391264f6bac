//! Parser for natural numbers of any size, as formats write token counts.

use crate::codes::{self, Code};
use crate::error::{Error, Text, printable};
use crate::number;
use crate::source::Limits;
use num_bigint::BigUint;
use std::ops::Range;

/// Returns the number that `digits` represent. `code` is the code of the error about a text that is not a
/// natural number.
pub fn natural(
    text: Text<'_>,
    limits: &Limits,
    code: &'static Code,
    digits: &str,
    span: Range<usize>,
) -> Result<BigUint, Box<Error>> {
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        let message = match digits.strip_prefix('-') {
            Some(rest) if !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()) => {
                format!("`{}` is negative", printable(digits))
            }
            _ => format!("`{}` is not a number", printable(digits)),
        };
        return Err(text.error(code, span, message).label("expected a natural number"));
    }
    if digits.len() > limits.token_digits {
        let message = format!("the number has more than {} digits", limits.token_digits);
        return Err(text.error(&codes::LIMIT_DIGITS, span, message).label("too long"));
    }
    Ok(number::natural(digits))
}
