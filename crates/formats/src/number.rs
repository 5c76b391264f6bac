//! Parser for numbers of tokens, exact at any size.

use num_bigint::BigUint;
use std::str::FromStr;

/// Returns the number that `digits` represent. The caller must have checked that all characters are decimal
/// digits, and limited their number.
pub fn natural(digits: &str) -> BigUint {
    match digits.parse::<u64>() {
        Ok(small) => BigUint::from(small),
        Err(_) => BigUint::from_str(digits).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_size() {
        assert_eq!(natural("007"), BigUint::from(7u8));
        assert_eq!(natural("18446744073709551616"), BigUint::from(1u8) << 64);
        let long = format!("1{}", "0".repeat(5000));
        assert_eq!(natural(&long), BigUint::from(10u8).pow(5000));
    }
}
