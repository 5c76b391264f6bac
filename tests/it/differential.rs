//! Random small programs through every engine. `cargo run --release --example differential` does millions.

use crate::compare::{Tally, compare, text};
use crate::generate;
use std::sync::Arc;

/// Enough to meet every shape with every change some dozens of times, within seconds.
const PROGRAMS: u64 = 3_000;

#[test]
fn engines_agree_with_brute_force() {
    let mut tally = Tally::default();
    for seed in 0..PROGRAMS {
        let program = Arc::new(generate::program(seed));
        if let Err(wrong) = compare(&program, seed, &mut tally) {
            panic!("seed {seed}: {wrong}\n{}", text(&program));
        }
    }
    // A generator that makes only one kind of program would test nothing.
    assert!(tally.skipped * 20 < PROGRAMS, "{tally:?}");
    for (what, count) in [("bad", tally.unsafe_bad), ("deadlock", tally.unsafe_deadlock), ("matched", tally.matched)] {
        assert!(count * 20 > PROGRAMS, "too few programs with {what}: {tally:?}");
        assert!(count * 20 < PROGRAMS * 19, "nearly all programs with {what}: {tally:?}");
    }
    assert!(tally.by_lemmas > 20, "lemmas alone prove next to nothing: {tally:?}");
}
