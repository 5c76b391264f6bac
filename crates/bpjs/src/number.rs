//! Numbers as text, text as numbers, and integers of 32 bits, as ECMAScript defines them.

/// Returns the text of a number (`Number::toString` with radix 10).
pub(super) fn text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    // The shortest digits that give the number again, as `d.ddde-n`.
    let shortest = format!("{:e}", number.abs());
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    let sign = if number < 0.0 { "-" } else { "" };
    format!("{sign}{}", layout(&digits, point))
}

/// Writes digits with the decimal point after `point` digits.
fn layout(digits: &str, point: i32) -> String {
    let length = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    if (length..=21).contains(&point) {
        return format!("{digits}{}", zeros(point - length));
    }
    if (1..=21).contains(&point) {
        let (whole, part) = digits.split_at(usize::try_from(point).unwrap_or(0));
        return format!("{whole}.{part}");
    }
    if (-5..=0).contains(&point) {
        return format!("0.{}{digits}", zeros(-point));
    }
    let (first, rest) = digits.split_at(1);
    let part = if rest.is_empty() { String::new() } else { format!(".{rest}") };
    format!("{first}{part}e{:+}", point - 1)
}

/// True for the white space and line ends of JavaScript.
pub(super) fn is_space(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

/// Returns the number that a text as a whole stands for.
pub(super) fn parse(text: &str) -> f64 {
    let text = text.trim_matches(is_space);
    if text.is_empty() {
        return 0.0;
    }
    for (sign, radix) in [("0x", 16), ("0X", 16), ("0o", 8), ("0O", 8), ("0b", 2), ("0B", 2)] {
        if let Some(digits) = text.strip_prefix(sign) {
            let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
            return if is_number { whole(digits, radix) } else { f64::NAN };
        }
    }
    match text {
        "Infinity" | "+Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        _ if text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b)) => text.parse().unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}

fn whole(digits: &str, radix: u32) -> f64 {
    digits.chars().fold(0.0, |n, c| n * f64::from(radix) + f64::from(c.to_digit(radix).unwrap_or(0)))
}

/// `parseInt`.
pub(super) fn parse_int(text: &str, radix: i32) -> f64 {
    let text = text.trim_start_matches(is_space);
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (radix, text) = match (radix, hex) {
        (0 | 16, Some(rest)) => (16, rest),
        (0, None) => (10, text),
        _ => (radix, text),
    };
    let Some(radix) = u32::try_from(radix).ok().filter(|r| (2..=36).contains(r)) else { return f64::NAN };
    let end = text.find(|c: char| !c.is_digit(radix)).unwrap_or(text.len());
    let digits = &text[..end];
    match digits {
        "" => f64::NAN,
        _ if radix == 10 => sign * digits.parse().unwrap_or(f64::NAN),
        _ => sign * whole(digits, radix),
    }
}

/// `parseFloat`.
pub(super) fn parse_float(text: &str) -> f64 {
    let text = text.trim_start_matches(is_space);
    let unsigned = text.trim_start_matches(['+', '-']);
    if unsigned.starts_with("Infinity") && text.len() - unsigned.len() <= 1 {
        return if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && !"+-.eE".contains(c)).unwrap_or(text.len());
    // The longest beginning that is a number. Long texts of signs and points are cut.
    let end = end.min(400);
    (1..=end).rev().find_map(|n| text[..n].parse::<f64>().ok()).unwrap_or(f64::NAN)
}

/// `ToInt32`.
pub(super) fn int32(number: f64) -> i32 {
    uint32(number).cast_signed()
}

/// `ToUint32`.
pub(super) fn uint32(number: f64) -> u32 {
    if !number.is_finite() {
        return 0;
    }
    // The remainder is exact and less than 2^32.
    let rest = number.trunc().rem_euclid(4_294_967_296.0);
    rest as u32
}

/// The value of an array index, if the text is one.
pub(super) fn index(text: &str) -> Option<u32> {
    let is_plain = text == "0" || (!text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit()));
    if !is_plain { None } else { text.parse().ok().filter(|n| *n != u32::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_javascript_writes_them() {
        let cases = [
            (0.1, "0.1"),
            (-1.5, "-1.5"),
            (1e21, "1e+21"),
            (123e18, "123000000000000000000"),
            (1e-7, "1e-7"),
            (1.25e-6, "0.00000125"),
            (100.0, "100"),
            (1.5e300, "1.5e+300"),
        ];
        for (number, expected) in cases {
            assert_eq!(text(number), expected);
        }
    }

    #[test]
    fn texts_are_read_as_javascript_reads_them() {
        assert_eq!(parse(" 12 "), 12.0);
        assert_eq!(parse("0x1F"), 31.0);
        assert!(parse("inf").is_nan() && parse("1x").is_nan() && parse("1e").is_nan());
        assert_eq!(parse_int("12px", 0), 12.0);
        assert_eq!(parse_int("-0x1f", 0), -31.0);
        assert_eq!(parse_float("1.5.2"), 1.5);
        assert_eq!((int32(4_294_967_295.0), int32(-1.0), uint32(-1.0)), (-1, -1, u32::MAX));
        assert_eq!((index("0"), index("01"), index("12")), (Some(0), None, Some(12)));
    }
}
