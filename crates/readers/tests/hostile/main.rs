//! Tests of hostile input: each is read exactly or refused with a code, in linear time and 256 MB, and never causes a
//! panic. They have a binary of their own, so that the allocator can enforce the memory limit.

use cap::Cap;
use std::alloc::System;
use std::sync::Mutex;

mod bpmn;
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

/// CPU seconds after which a reader counts as one that takes more than linear time: on texts of a million parts such a
/// reader takes hours, and others take a second on an idle machine. (`--nocapture` shows the seconds of each text.)
const SECONDS: f64 = 60.0;

/// Returns the CPU time of this thread so far, in seconds. Unlike the clock, it does not depend on other
/// processes.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}
