//! Formats numbers, names and colours for people.

/// Adds colours to text, if colours are on.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// Returns a value that adds colours if `on` is true.
    pub fn new(on: bool) -> Self {
        Self { on }
    }

    /// Creates a value that adds no colours.
    pub fn plain() -> Self {
        Self { on: false }
    }

    /// Returns true if it adds colours.
    pub fn is_on(self) -> bool {
        self.on
    }

    /// Returns the text in green.
    pub fn green(self, text: &str) -> String {
        self.wrap("1;32", text)
    }

    /// Returns the text in red.
    pub fn red(self, text: &str) -> String {
        self.wrap("1;31", text)
    }

    /// Returns the text in yellow.
    pub fn yellow(self, text: &str) -> String {
        self.wrap("1;33", text)
    }

    /// Returns the text in a dim colour.
    pub fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Formats `1234567` as `1,234,567`.
pub fn count(n: u64) -> String {
    grouped(&n.to_string())
}

/// Formats the digits `1234567` as `1,234,567`.
pub fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Maximum number of digits that are shown in full.
const DIGITS: usize = 40;

/// Formats a number of any size. If it is very long, only its first and last digits are shown.
pub fn number(n: &impl ToString) -> String {
    let digits = n.to_string();
    if digits.len() <= DIGITS {
        return digits;
    }
    let (head, tail) = (&digits[..8], &digits[digits.len() - 8..]);
    format!("{head}..{tail} ({} digits)", count(digits.trim_start_matches('-').len() as u64))
}

/// Formats a count: `1 state`, `13 states`.
pub fn plural(n: u64, what: &str) -> String {
    format!("{} {what}{}", count(n), if n == 1 { "" } else { "s" })
}

/// Formats a size in binary units.
pub fn bytes(n: usize) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (n, 0);
    while value >= 10 * 1024 && unit + 1 < UNITS.len() {
        value /= 1024;
        unit += 1;
    }
    format!("{value} {}", UNITS[unit])
}

/// Joins names. Only the first `most` names are shown.
pub fn names<'a>(all: impl IntoIterator<Item = &'a str>, most: usize) -> String {
    let all: Vec<&str> = all.into_iter().collect();
    let shown = all.len().min(most.max(1));
    let mut out = all[..shown].join(", ");
    if shown < all.len() {
        out.push_str(&format!(" and {} more", all.len() - shown));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(10_810_800), "10,810,800");
        assert_eq!(plural(1, "state"), "1 state");
        assert_eq!(bytes(64 << 20), "64 MiB");
        assert_eq!(bytes(9000), "9000 B");
    }

    #[test]
    fn long_numbers_are_cut() {
        assert_eq!(number(&u128::MAX), "340282366920938463463374607431768211455");
        assert_eq!(number(&format!("-1{}", "0".repeat(4999))), "-1000000..00000000 (5,000 digits)");
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(names(["a", "b", "c"], 2), "a, b and 1 more");
        assert_eq!(names(["a", "b"], 2), "a, b");
        assert_eq!(names([], 2), "");
    }
}
