//! Tests of hostile input: each is read exactly or refused with a code, within a second and 256 MB, and never causes a
//! panic. They have a binary of their own, so that the allocator can enforce the memory limit.

use cap::Cap;
use std::alloc::System;
use std::sync::Mutex;

mod circuits;
mod nets;
mod texts;
mod xml;

/// Allocations beyond the limit fail and abort the test.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);
const MEMORY: usize = 256 << 20;
/// Held by each test, because the memory of all is counted together.
static ALONE: Mutex<()> = Mutex::new(());

/// The time limit on an idle machine. A build with assertions has little optimisation.
const SECONDS: f64 = if cfg!(debug_assertions) { 3.0 } else { 1.0 };
/// CPU seconds that [`is_slow`] takes to sort on an idle machine.
const SORTING: f64 = 0.06;

/// Returns true if this took too long for this machine now: other processes share its caches, and some machines are
/// slower. Sorting says how much slower it is.
fn is_slow(seconds: f64) -> bool {
    if seconds < SECONDS {
        return false;
    }
    let before = cpu_seconds();
    let mut numbers: Vec<u64> = (0..1 << 20).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20).collect();
    numbers.sort_unstable();
    assert!(numbers.is_sorted());
    seconds >= SECONDS * ((cpu_seconds() - before) / SORTING).max(1.0)
}

/// Returns the CPU time of this thread so far, in seconds. Unlike the clock, it does not depend on other
/// processes.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}
