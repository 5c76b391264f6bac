//! Constants in binary, decimal and hexadecimal digits, as bits.

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{Num, One};

/// Returns the `width` bits of a constant, lowest first. `base` is 2, 10 or 16. On failure, says what is wrong.
///
/// Binary constants have one digit for each bit. Decimal constants may be negative, and stand for their two's
/// complement.
pub(super) fn bits(digits: &str, base: u32, width: u32) -> Result<Vec<bool>, String> {
    let (is_negative, plain) = match digits.strip_prefix('-') {
        Some(rest) if base == 10 => (true, rest),
        _ => (false, digits),
    };
    if plain.is_empty() || !plain.chars().all(|digit| digit.is_digit(base)) {
        return Err(format!("not a number in base {base}"));
    }
    if base == 2 {
        if plain.len() != width as usize {
            return Err(format!("{} digits for {width} bits", plain.len()));
        }
        return Ok(plain.bytes().rev().map(|digit| digit == b'1').collect());
    }
    let number = BigUint::from_str_radix(plain, base).map_err(|error| error.to_string())?;
    if is_negative {
        negative(&number, width)
    } else if number.bits() > u64::from(width) {
        Err(format!("more than {width} bits"))
    } else {
        Ok((0..width).map(|bit| number.bit(u64::from(bit))).collect())
    }
}

/// Returns the bits of `-number`, which must be at least `-2^(width - 1)`.
fn negative(number: &BigUint, width: u32) -> Result<Vec<bool>, String> {
    let least = BigUint::one() << (width - 1);
    if *number > least {
        return Err(format!("less than -2^{}", width - 1));
    }
    let complement = BigInt::from_biguint(Sign::Minus, number.clone());
    Ok((0..width).map(|bit| complement.bit(u64::from(bit))).collect())
}

#[cfg(test)]
mod tests {
    use super::bits;

    fn value(digits: &str, base: u32, width: u32) -> Result<u64, String> {
        bits(digits, base, width).map(|bits| bits.iter().rev().fold(0, |sum, bit| 2 * sum + u64::from(*bit)))
    }

    #[test]
    fn constants_have_their_width() {
        assert_eq!(value("0110", 2, 4), Ok(6));
        assert_eq!(value("15", 10, 4), Ok(15));
        assert_eq!(value("-8", 10, 4), Ok(8));
        assert_eq!(value("-1", 10, 1), Ok(1));
        assert_eq!(value("-0", 10, 3), Ok(0));
        assert_eq!(value("001f", 16, 5), Ok(31));
        assert_eq!(value("A", 16, 4), Ok(10));
        for (digits, base, width) in
            [("011", 2, 4), ("16", 10, 4), ("-9", 10, 4), ("20", 16, 5), ("", 10, 4), ("-", 10, 4), ("-1", 2, 2)]
        {
            assert!(bits(digits, base, width).is_err(), "{digits}");
        }
        assert!(bits("12", 2, 2).is_err() && bits("+1", 10, 2).is_err() && bits("1_0", 10, 9).is_err());
    }
}
