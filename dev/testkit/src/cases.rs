//! Number of cases that random tests try. This module decides it for all crates.
//!
//! A test states its *full* number of cases, which is enough for confidence. `cargo test` tries a tenth of it,
//! so that it takes minutes. `IMPASSE_CASES` sets another share, in percent; a nightly run may set it to 10000.

use proptest::test_runner::Config;

/// The default share of the full number, in percent.
const SHARE: u64 = 10;

/// The smallest number of cases that a test tries, if its full number is not smaller. Fewer cases would show
/// nothing.
const LEAST: u64 = 20;

/// The share that the environment variable `IMPASSE_CASES` sets, in percent.
fn share() -> u64 {
    let text = std::env::var("IMPASSE_CASES").unwrap_or_default();
    match text.parse() {
        Ok(percent) => percent,
        Err(_) if text.is_empty() => SHARE,
        Err(_) => panic!("IMPASSE_CASES is a share in percent, and not `{text}`"),
    }
}

/// Returns the number of cases to try, where `full` is the full number.
#[must_use]
pub fn count(full: u64) -> u64 {
    full.saturating_mul(share()).div_ceil(100).max(LEAST.min(full))
}

/// Returns [`count`] as a configuration of `proptest`.
#[must_use]
pub fn config(full: u32) -> Config {
    Config::with_cases(u32::try_from(count(full.into())).unwrap_or(u32::MAX))
}

/// True if the tests run at least the full number of cases. Only then do tests assert that every kind of case
/// occurred.
#[must_use]
pub fn are_full() -> bool {
    share() >= 100
}
