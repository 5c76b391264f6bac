//! Parsers of values on the command line: times, sizes, numbers, ranges of bounds, and uses of invariants. Each
//! parser returns an error that names the expected form, because clap prints this error to the user.

use impasse::InvariantUse;
use impasse::formats::Strategy;
use std::fmt;
use std::num::{IntErrorKind, ParseIntError};
use std::time::Duration;

/// A range of bounds, to be tried in order. Both ends belong to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub(crate) first: u64,
    pub(crate) last: u64,
}

/// A part of the jobs of a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shard {
    /// Number of the shard, from 1.
    pub(crate) number: usize,
    /// Number of shards.
    pub(crate) of: usize,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shard {}/{}:", self.number, self.of)
    }
}

/// Parses `2/8`.
pub(super) fn parse_shard(text: &str) -> Result<Shard, String> {
    let expected = || "expected a shard such as 2/8: its number, from 1, and the number of shards".to_owned();
    let (number, of) = text.split_once('/').ok_or_else(expected)?;
    let (number, of) = (number.parse().map_err(|_| expected())?, of.parse().map_err(|_| expected())?);
    if number == 0 || number > of { Err(expected()) } else { Ok(Shard { number, of }) }
}

/// Parses `60s`, `5m`, `1h`, `500ms`, or plain seconds.
pub(super) fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split_unit(text);
    let seconds_per_unit = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("expected a time such as 60s, 5m, 1h or 500ms".to_owned()),
    };
    let number: f64 = number.parse().map_err(|_| "expected a time such as 60s, 5m, 1h or 500ms".to_owned())?;
    if number < 0.0 {
        return Err("a time must not be negative".to_owned());
    }
    let time = Duration::try_from_secs_f64(number * seconds_per_unit);
    let time = time.map_err(|_| "this time is out of range".to_owned())?;
    if time.is_zero() { Err("a time limit must be more than zero".to_owned()) } else { Ok(time) }
}

/// Parses a number of 64 bits.
pub(super) fn parse_number(text: &str) -> Result<u64, String> {
    number_or(text, "expected a number, at least 0")
}

/// Parses the number in `text`. The error is `expected`, or says that the number is too large.
fn number_or(text: &str, expected: &str) -> Result<u64, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => format!("this is too large: at most {}", u64::MAX),
        _ => expected.to_owned(),
    })
}

/// Parses the name of a strategy of BPjs.
pub(super) fn parse_strategy(text: &str) -> Result<Strategy, String> {
    let known = Strategy::ALL.map(Strategy::name);
    let found = Strategy::ALL.into_iter().find(|strategy| strategy.name() == text);
    found.ok_or_else(|| format!("the strategies are {}", known.join(", ")))
}

/// Parses `NAME=JSON`.
pub(super) fn parse_define(text: &str) -> Result<(String, String), String> {
    let (name, json) = text.split_once('=').ok_or("expected NAME=JSON, for example SIZE=5")?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    if name.is_empty() || !name.chars().all(is_part) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(format!("`{name}` is not the name of a variable"));
    }
    match serde_json::from_str::<serde_json::Value>(json) {
        Ok(value) => Ok((name.to_owned(), value.to_string())),
        Err(error) => Err(format!("the value is not JSON ({error}); a text is written SIZE='\"large\"'")),
    }
}

/// Parses `5`, or `2..8` (both ends are tried).
pub(super) fn parse_bounds(text: &str) -> Result<Bounds, String> {
    let number = |text| number_or(text, "expected a number such as 5 or a range such as 2..8");
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let bounds = Bounds { first: number(first)?, last: number(last)? };
    if bounds.first > bounds.last {
        Err("the range is empty: the smaller bound comes first".to_owned())
    } else {
        Ok(bounds)
    }
}

/// Parses `all`, `none`, or a list of uses.
pub(super) fn parse_invariants(text: &str) -> Result<InvariantUse, String> {
    match text {
        "all" => return Ok(InvariantUse::ALL),
        "none" => return Ok(InvariantUse::NONE),
        _ => {}
    }
    let mut invariants = InvariantUse::NONE;
    for name in text.split(',') {
        match name {
            "clauses" => invariants.clauses = true,
            "bounds" => invariants.bounds = true,
            "rules" => invariants.rules = true,
            _ => return Err("expected `all`, `none`, or some of `clauses`, `bounds`, `rules`".to_owned()),
        }
    }
    Ok(invariants)
}

/// Minimum memory limit in bytes. A smaller limit is a mistake, such as a missing unit, because the process
/// needs more before it begins to work.
const LEAST_MEMORY: usize = 1 << 20;

/// Parses `64M`, `512M`, `2G` (powers of 1024, also written `MiB`), or plain bytes.
pub(super) fn parse_size(text: &str) -> Result<usize, String> {
    let (number, unit) = split_unit(text);
    let shift = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "" => 0,
        "K" | "k" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("expected a size such as 512M or 2G".to_owned()),
    };
    let number: usize = number.parse().map_err(|_| "expected a size such as 512M or 2G".to_owned())?;
    let bytes = number.checked_mul(1 << shift).ok_or_else(|| "this size is out of range".to_owned())?;
    if bytes < LEAST_MEMORY { Err("the limit must be at least 1M".to_owned()) } else { Ok(bytes) }
}

fn split_unit(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_numbers_or_ranges() {
        assert_eq!(parse_bounds("5"), Ok(Bounds { first: 5, last: 5 }));
        assert_eq!(parse_bounds("0..12"), Ok(Bounds { first: 0, last: 12 }));
        for wrong in ["", "..", "3..", "..3", "3..2", "-1", "1...3", "99999999999999999999"] {
            assert!(parse_bounds(wrong).is_err(), "{wrong}");
        }
        let why = parse_bounds("18446744073709551616").expect_err("it is 2^64");
        assert!(why.contains("too large"), "{why}");
    }

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(parse_duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_size("64MiB"), Ok(64 << 20));
        assert_eq!(parse_size("2G"), Ok(2 << 30));
        for wrong in ["", "s", "5 parsecs", "-1", "1e99h"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "G", "0", "-1", "99999999999T", "1.5G"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
