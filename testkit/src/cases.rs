//! How many cases the random tests try: the one place that decides it, for all crates.
//!
//! A test names the number that gives confidence, the *full* one. `cargo test` tries a tenth of it, so that it takes
//! minutes; `IMPASSE_CASES` is another share in percent. `.ci/run` sets it to 100, and a night may set it to 10000.

use proptest::test_runner::Config;

/// The share of the full number that is tried by default, in percent.
const SHARE: u64 = 10;

/// Fewer cases than this say nothing.
const LEAST: u64 = 20;

/// What the environment asks for, in percent.
fn share() -> u64 {
    let text = std::env::var("IMPASSE_CASES").unwrap_or_default();
    match text.parse() {
        Ok(percent) => percent,
        Err(_) if text.is_empty() => SHARE,
        Err(_) => panic!("IMPASSE_CASES is a share in percent, and not `{text}`"),
    }
}

/// How many cases to try where `full` is the full number.
#[must_use]
pub fn count(full: u64) -> u64 {
    full.saturating_mul(share()).div_ceil(100).max(LEAST.min(full))
}

/// [`count`] for `proptest`.
#[must_use]
pub fn config(full: u32) -> Config {
    Config::with_cases(u32::try_from(count(full.into())).unwrap_or(u32::MAX))
}

/// Are there enough cases to ask whether they were varied? Only then tests assert that each kind of case was met.
#[must_use]
pub fn are_full() -> bool {
    share() >= 100
}
