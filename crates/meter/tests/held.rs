//! Tests that a thread is held if it would exceed the limit, and continues when the limit allows it. The meter
//! is the global allocator of the test process, so there is only one test.

use impasse_meter as meter;
use impasse_meter::Meter;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

#[global_allocator]
static METER: Meter = Meter::new();

const MEGABYTE: usize = 1 << 20;

/// Waits until `holds` returns true. Returns false if this takes more than 60 seconds.
fn eventually(holds: impl Fn() -> bool) -> bool {
    let started = Instant::now();
    while !holds() && started.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(1));
    }
    holds()
}

/// Removes the limit however the test ends: a held thread could otherwise prevent the harness from reporting
/// the result.
struct Released;

impl Drop for Released {
    fn drop(&mut self) {
        METER.hold_none();
    }
}

#[test]
fn threads_are_held_at_the_limit() {
    static STEPS: AtomicUsize = AtomicUsize::new(0);
    let _released = Released;
    METER.prepare();
    meter::pass_always();
    let before = METER.look();
    let pieces = vec![1u8; MEGABYTE];
    assert!(METER.used() >= before + MEGABYTE, "what is allocated counts");
    assert!(METER.peak() >= MEGABYTE);
    drop(pieces);

    // Tests large and small allocations. Only the allocating thread can be held.
    for size in [8 * MEGABYTE, MEGABYTE, 10_000, 24] {
        STEPS.store(0, SeqCst);
        let start = METER.look();
        METER.hold_above(start + 32 * MEGABYTE);
        let (free, wanted) = channel::<()>();
        let worker = thread::spawn(move || {
            let mut kept = Vec::new();
            for _ in 0..64 * MEGABYTE / size {
                kept.push(vec![1u8; size].into_boxed_slice());
                STEPS.fetch_add(1, SeqCst);
            }
            wanted.recv().expect("it is asked to end");
        });
        assert!(eventually(|| METER.is_holding()), "pieces of {size}: not held");
        let reached = STEPS.load(SeqCst);
        assert!(METER.look() <= start + 33 * MEGABYTE, "pieces of {size}: {} over", METER.look() - start);
        // A short allocation takes twice its size, and its entry in the list takes as much again.
        assert!(reached * size >= 6 * MEGABYTE, "pieces of {size}: held after {reached}");
        // This thread passes always, so it is not held.
        assert_eq!(vec![1u8; 8 * MEGABYTE].len(), 8 * MEGABYTE);
        thread::sleep(Duration::from_millis(20));
        assert_eq!(STEPS.load(SeqCst), reached, "pieces of {size}: a held thread goes on");
        METER.hold_none();
        assert!(eventually(|| STEPS.load(SeqCst) == 64 * MEGABYTE / size), "pieces of {size}: held for ever");
        assert!(!METER.is_holding());
        free.send(()).expect("it waits");
        worker.join().expect("it ends");
        METER.trim();
    }

    // Freed memory must not count against later allocations.
    let start = METER.look();
    METER.hold_above(start + 24 * MEGABYTE);
    let worker = thread::spawn(|| {
        for round in 0..16usize {
            let kept: Vec<Box<[u8]>> = (0..1_000).map(|i| vec![1u8; 4_000 + 8 * (round + i % 7)].into()).collect();
            assert_eq!(kept.len(), 1_000);
        }
        meter::pass(|| drop(vec![1u8; 64 * MEGABYTE]));
    });
    worker.join().expect("it was not held");
    METER.hold_none();
}
