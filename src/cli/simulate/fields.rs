//! Values of fields as a user types them: the name of an option, or a number.

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::One;
use view::machine::views::FieldView;

/// Returns the number of the value that `text` names.
///
/// # Errors
/// A message for the user.
pub(super) fn value(field: &FieldView, text: &str) -> Result<BigUint, String> {
    if let Some(index) = field.options.iter().position(|option| option == text) {
        return Ok(index.into());
    }
    if !field.options.is_empty() {
        let beginning = |option: &&String| option.starts_with(text);
        return match field.options.iter().filter(beginning).collect::<Vec<_>>()[..] {
            [only] if !text.is_empty() => value(field, only),
            _ => Err(format!("`{text}` is not one of {}", field.options.join(", "))),
        };
    }
    let given: BigInt = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    let number = match field.signed {
        true => folded(&given),
        false => (given - BigInt::from(parsed(&field.least))).to_biguint(),
    };
    let is_possible = |number: &BigUint| *number < parsed(&field.count);
    number.filter(is_possible).ok_or_else(|| format!("`{text}` is not possible: {}", range(field)))
}

/// Returns the number of an integer in the order 0, -1, 1, -2, ..
fn folded(given: &BigInt) -> Option<BigUint> {
    let (sign, size) = (given.sign(), given.magnitude());
    Some(if sign == Sign::Minus { size * 2u8 - 1u8 } else { size * 2u8 })
}

/// Returns the values of a field in words.
pub(super) fn range(field: &FieldView) -> String {
    if !field.options.is_empty() {
        return field.options.join(", ");
    }
    let (least, count) = (parsed(&field.least), parsed(&field.count));
    if field.signed {
        let half = &count / 2u8;
        return format!("-{half}..{}", BigInt::from(&count - &half) - 1);
    }
    format!("{least}..{}", BigInt::from(&least + &count) - 1)
}

/// Returns the outcome with these values, the first field the lowest digit.
pub(super) fn outcome(fields: &[FieldView], values: &[BigUint]) -> BigUint {
    let (mut sum, mut weight) = (BigUint::ZERO, BigUint::one());
    for (field, value) in fields.iter().zip(values) {
        sum += &weight * value;
        weight *= parsed(&field.count);
    }
    sum
}

fn parsed(digits: &str) -> BigUint {
    digits.parse().expect("the machine writes digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(count: u32, least: u32, signed: bool, options: &[&str]) -> FieldView {
        FieldView {
            name: "f".to_owned(),
            count: count.to_string(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            least: least.to_string(),
            signed,
        }
    }

    #[test]
    fn values_are_numbers_or_names() {
        let named = field(3, 0, false, &["left", "right", "lower"]);
        assert_eq!(value(&named, "right"), Ok(1u8.into()));
        assert_eq!(value(&named, "r"), Ok(1u8.into()));
        assert!(value(&named, "l").is_err() && value(&named, "").is_err());
        let counted = field(5, 3, false, &[]);
        assert_eq!(value(&counted, "7"), Ok(4u8.into()));
        assert!(value(&counted, "8").is_err() && value(&counted, "2").is_err());
        assert_eq!(range(&counted), "3..7");
        let signed = field(8, 0, true, &[]);
        let numbers: Vec<_> = ["0", "-1", "1", "-4"].iter().map(|text| value(&signed, text)).collect();
        assert_eq!(numbers, [0u8, 1, 2, 7].map(|n| Ok(n.into())));
        assert_eq!(range(&signed), "-4..3");
        assert!(value(&signed, "4").is_err());
    }

    #[test]
    fn the_first_field_is_the_lowest_digit() {
        let fields = [field(3, 0, false, &[]), field(4, 0, false, &[])];
        assert_eq!(outcome(&fields, &[2u8.into(), 3u8.into()]), BigUint::from(11u8));
    }
}
