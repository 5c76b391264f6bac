//! Times and sizes: parsing of arguments and output in tables.

use std::time::Duration;

/// Parses `60s`, `5m`, `500ms`, or plain seconds.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split_unit(text);
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        _ => return Err("expected a time such as 60s, 5m or 500ms".to_owned()),
    };
    let number: f64 = number.parse().map_err(|_| "expected a time such as 60s, 5m or 500ms".to_owned())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| "this time is out of range".to_owned())
}

/// Parses `512M`, `2G` (powers of 1024), or plain bytes.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let (number, unit) = split_unit(text);
    let unit: u64 = match unit {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return Err("expected a size such as 512M or 2G".to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| "expected a size such as 512M or 2G".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "this size is out of range".to_owned())
}

fn split_unit(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len()))
}

/// Returns seconds with as many digits as are meaningful.
pub(crate) fn seconds(value: f64) -> String {
    if value < 10.0 { format!("{value:.3}") } else { format!("{value:.1}") }
}

/// Returns bytes as MiB.
pub(crate) fn mebibytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / (1 << 20) as f64)
}

/// Returns a large number with three digits: `950`, `12.3 k`, `4.56 M`.
pub(crate) fn short(value: f64) -> String {
    let (scaled, unit) = match value {
        v if v >= 999_500.0 => (v / 1e6, " M"),
        v if v >= 999.5 => (v / 1e3, " k"),
        v => (v, ""),
    };
    match scaled {
        s if s >= 100.0 => format!("{s:.0}{unit}"),
        s if s >= 10.0 => format!("{s:.1}{unit}"),
        s if unit.is_empty() => format!("{s:.0}"),
        s => format!("{s:.2}{unit}"),
    }
}

/// Returns `count` per second, unless the time is too short to be meaningful.
pub(crate) fn rate(count: u64, seconds: f64) -> Option<f64> {
    const TOO_SHORT: f64 = 0.02;
    (seconds >= TOO_SHORT && count > 0).then(|| count as f64 / seconds)
}

/// Returns the median. For an even number of values, this is the mean of the two in the middle. `None` if there
/// are no values.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// Returns the geometric mean, for which a factor of two cancels a factor of one half. `None` if there are no
/// values.
pub(crate) fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.into_iter().fold((0.0, 0u32), |(sum, count), v| (sum + v.ln(), count + 1));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(parse_duration("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_size("2G"), Ok(2 << 30));
        for wrong in ["", "s", "5 parsecs", "-1"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "G", "1.5G", "99999999999G"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> =
            [7.0, 999.0, 1_000.0, 12_345.0, 999_600.0, 4_560_000.0].into_iter().map(short).collect();
        assert_eq!(shown, ["7", "999", "1.00 k", "12.3 k", "1.00 M", "4.56 M"]);
    }

    #[test]
    fn averages() {
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median([]), None);
        let mean = geometric_mean([0.5, 2.0, 8.0]).expect("three values");
        assert!((mean - 2.0).abs() < 1e-9, "{mean}");
        assert_eq!(geometric_mean([]), None);
    }

    #[test]
    fn no_rate_from_a_blink() {
        assert_eq!(rate(1000, 0.001), None);
        assert_eq!(rate(1000, 0.5), Some(2000.0));
    }
}
