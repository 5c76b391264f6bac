//! The global allocator of the tool. It counts allocated memory, measures the resident memory of the process,
//! and stops threads from allocating beyond a limit.
//!
//! ```
//! use impasse_meter::{Meter, pass};
//!
//! #[global_allocator]
//! static METER: Meter = Meter::new();
//!
//! METER.prepare();
//! let before = METER.used();
//! let block = vec![1u8; 8 << 20];
//! assert!(METER.peak() >= block.len());
//! assert!(METER.used() >= before + block.len());
//!
//! // Without `pass`, this thread would wait inside the allocator, because the vector does not fit below the limit.
//! METER.hold_above(METER.look() + (64 << 20));
//! let vector: Vec<u8> = pass(|| Vec::with_capacity(256 << 20));
//! assert!(!METER.is_holding());
//! assert_eq!(vector.capacity(), 256 << 20);
//! METER.hold_none();
//! ```
//!
//! Engines check the limit before they grow (`model::Stop::may_allocate`). Readers, slicing and every growing
//! `Vec` do not, and cannot all be changed to do so. Therefore a thread is *held* if its allocation would
//! exceed the limit: it waits inside the allocator until a watchdog thread has ended the process, or until the
//! allocation fits. A held thread may own locks. Work that the watchdog depends on is therefore done under
//! [`pass`], or by threads that called [`pass_always`]; such threads are never held.
//!
//! The limit applies to the resident memory of the process, as the kernel counts it. An allocator sees only a
//! part of this memory. It does not see the pages of the program itself, stacks, allocations of C libraries,
//! and memory that the system's allocator keeps after a `free`. Therefore the meter regularly asks the kernel,
//! more often when less memory is left below the limit. An allocation must fit below the limit as a whole,
//! because all of it may be used at once. As long as it is not used, it is not resident, and other allocations
//! may take the memory, except for a small reserve: a thread that uses memory allocated earlier allocates
//! nothing, so it is not held, and continues until the watchdog has ended the process. The reserve is what it may
//! use in that time.
//!
//! This crate needs `unsafe` for four purposes. `GlobalAlloc` is an unsafe trait. The functions that
//! make the C library return memory (`malloc_trim`, `mallopt`) are foreign. The function that reads the flags
//! of a file descriptor before Rust's runtime starts (`streams`) is foreign, and so is `_exit` (`end`). The unsafe
//! code passes its arguments to `std::alloc::System` unchanged. No existing crate holds threads: `cap` counts
//! allocations, but fails those beyond its limit, which aborts the process without an answer.
//!
//! [`Meter`] is the allocator. [`started_without_stdout`] is about the start of the process, [`end()`] about its end.

mod end;
mod resident;
mod streams;

pub use end::end;
pub use streams::started_without_stdout;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize};
use std::thread;
use std::time::Duration;

/// The value that means "no limit".
const NONE: usize = usize::MAX;

/// Determines how often the kernel is asked: again after half of the memory left below the limit has been
/// allocated, but not before `limit / FINEST` bytes have been allocated.
const FINEST: usize = 256;

/// Unused memory is returned only if it is more than `limit / WASTE` bytes.
const WASTE: usize = 16;

/// The largest reserve in bytes, for memory that is allocated and not used yet: 16 ms at 4 GiB per second. It is also
/// at most `limit / WASTE`.
const RESERVE: usize = 64 << 20;

/// Interval at which a held thread checks whether its allocation fits.
const HELD: Duration = Duration::from_millis(2);

thread_local! {
    /// The number of reasons why this thread must not be held. The value is constant-initialised and has no
    /// destructor, so the cell itself is never allocated.
    static PASSES: Cell<usize> = const { Cell::new(0) };
}

/// Runs `work`. The thread is not held meanwhile. Use it for work under a lock that the watchdog thread also
/// needs.
pub fn pass<T>(work: impl FnOnce() -> T) -> T {
    /// Ends the pass even if `work` panics.
    struct Pass;
    impl Drop for Pass {
        fn drop(&mut self) {
            PASSES.set(PASSES.get() - 1);
        }
    }
    PASSES.set(PASSES.get() + 1);
    let _pass = Pass;
    work()
}

/// Declares that this thread must never be held, because it is the watchdog, or prints for the watchdog.
pub fn pass_always() {
    PASSES.set(PASSES.get() + 1);
}

/// Returns the number of bytes that the system's allocator uses for an allocation of `size` bytes. glibc adds
/// one word, rounds up, and uses at least 32 bytes. For a million short vectors this overhead is a large part
/// of the memory.
fn cost(size: usize) -> usize {
    const WORD: usize = size_of::<usize>();
    (size.saturating_add(3 * WORD - 1) & !(2 * WORD - 1)).max(4 * WORD)
}

/// The global allocator.
#[derive(Debug)]
pub struct Meter {
    /// Bytes allocated now, including the overhead of each allocation.
    allocated: AtomicUsize,
    /// The largest value of `allocated` so far.
    peak: AtomicUsize,
    /// All bytes allocated so far, without subtracting freed bytes. Determines when to ask the kernel again.
    total: AtomicUsize,
    /// The value of `total` at which the kernel is asked next.
    next_look: AtomicUsize,
    /// The limit in bytes. A thread is held if its allocation would exceed it.
    limit: AtomicUsize,
    /// Memory that counts (see [`Meter::look`]) minus allocated memory, in bytes, at the last measurement. Negative
    /// if much of the allocated memory is not used yet.
    beyond: AtomicIsize,
    /// Number of threads held now.
    held: AtomicUsize,
    /// The value of [`Meter::moved`] when memory was last returned to the system.
    moved_at_trim: AtomicUsize,
    /// True while some thread returns memory to the system.
    trimming: AtomicBool,
}

impl Meter {
    /// Creates an allocator without a limit.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            allocated: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            total: AtomicUsize::new(0),
            next_look: AtomicUsize::new(NONE),
            limit: AtomicUsize::new(NONE),
            beyond: AtomicIsize::new(0),
            held: AtomicUsize::new(0),
            moved_at_trim: AtomicUsize::new(0),
            trimming: AtomicBool::new(false),
        }
    }

    /// Returns the largest number of bytes that were allocated at the same time.
    pub fn peak(&self) -> usize {
        self.peak.load(Relaxed)
    }

    /// Returns an estimate of [`Meter::look`] in bytes: the value at the last measurement plus the bytes allocated
    /// since then. Cheap.
    pub fn used(&self) -> usize {
        self.allocated.load(Relaxed).saturating_add_signed(self.beyond.load(Relaxed))
    }

    /// Configures the system's allocator, before much is allocated. Large allocations are then mapped
    /// separately, so they grow without copying and are returned to the system when they are freed.
    pub fn prepare(&self) {
        resident::prepare();
        self.look();
    }

    /// Sets the limit: from now on, a thread is held if its allocation would increase the memory of the process
    /// above `limit` bytes.
    pub fn hold_above(&self, limit: usize) {
        self.limit.store(limit, Relaxed);
        self.next_look.store(if limit == NONE { NONE } else { 0 }, Relaxed);
    }

    /// Removes the limit. Held threads continue.
    pub fn hold_none(&self) {
        self.hold_above(NONE);
    }

    /// Returns true if a thread is held.
    pub fn is_holding(&self) -> bool {
        self.held.load(Relaxed) > 0
    }

    /// Asks the kernel for the resident memory, and returns it in bytes, with the reserve for allocated memory that is
    /// not resident yet. If the memory is near the limit, unused memory is returned to the system first.
    pub fn look(&self) -> usize {
        self.look_before(0)
    }

    /// Does the same as [`Meter::look`], before an allocation of `coming` bytes.
    fn look_before(&self, coming: usize) -> usize {
        let allocated = self.allocated.load(Relaxed);
        let Some(mut now) = resident::now() else { return allocated };
        if self.is_worth_trimming(now, allocated, coming) && !self.trimming.swap(true, Relaxed) {
            self.moved_at_trim.store(self.moved(), Relaxed);
            resident::trim();
            self.trimming.store(false, Relaxed);
            now = resident::now().unwrap_or(now);
        }
        let counted = self.counted(now, allocated);
        self.beyond.store(counted.wrapping_sub(allocated).cast_signed(), Relaxed);
        counted
    }

    /// Returns the resident memory plus the reserve, in bytes.
    fn counted(&self, now: resident::Resident, allocated: usize) -> usize {
        let untouched = allocated.saturating_add(now.of_files).saturating_sub(now.total);
        let reserve = (self.limit.load(Relaxed) / WASTE).min(RESERVE);
        now.total.saturating_add(untouched.min(reserve))
    }

    /// Returns unused memory to the system. Called between two separate pieces of work.
    pub fn trim(&self) {
        resident::trim();
        self.moved_at_trim.store(self.moved(), Relaxed);
        self.look();
    }

    /// Returns the sum of all bytes allocated and all bytes freed so far.
    fn moved(&self) -> usize {
        let total = self.total.load(Relaxed);
        total.wrapping_mul(2).wrapping_sub(self.allocated.load(Relaxed))
    }

    /// Returns true if it is worthwhile to return unused memory to the system. Three conditions must hold: the
    /// memory is near the limit, much of it is unused, and enough has been allocated or freed since the last
    /// time.
    fn is_worth_trimming(&self, now: resident::Resident, allocated: usize, coming: usize) -> bool {
        let limit = self.limit.load(Relaxed);
        let waste = now.total.saturating_sub(allocated.saturating_add(now.of_files));
        let moved = self.moved().wrapping_sub(self.moved_at_trim.load(Relaxed));
        let wanted = self.counted(now, allocated).saturating_add(coming);
        let (is_near, is_over) = (wanted > limit - limit / 8, wanted > limit);
        is_near && waste > limit / WASTE && moved > limit / if is_over { FINEST / 4 } else { WASTE / 2 }
    }

    fn grow(&self, bytes: usize) {
        let total = self.total.fetch_add(bytes, Relaxed).wrapping_add(bytes);
        if total >= self.next_look.load(Relaxed) {
            self.weigh(total, bytes);
        }
        let allocated = self.allocated.fetch_add(bytes, Relaxed).wrapping_add(bytes);
        if allocated > self.peak.load(Relaxed) {
            self.peak.fetch_max(allocated, Relaxed);
        }
    }

    fn shrink(&self, bytes: usize) {
        self.allocated.fetch_sub(bytes, Relaxed);
    }

    /// Waits until `coming` more bytes fit below the limit.
    #[cold]
    fn weigh(&self, total: usize, coming: usize) {
        if PASSES.get() > 0 {
            return;
        }
        let looked_for = self.next_look.load(Relaxed);
        let has_room = || self.look_before(coming).saturating_add(coming) <= self.limit.load(Relaxed);
        if !has_room() {
            self.held.fetch_add(1, Relaxed);
            while !has_room() {
                thread::sleep(HELD);
            }
            self.held.fetch_sub(1, Relaxed);
        }
        let limit = self.limit.load(Relaxed);
        let room = limit.saturating_sub(self.used().saturating_add(coming));
        let next = if limit == NONE { NONE } else { total.saturating_add((room / 2).max(limit / FINEST)) };
        // If the limit was changed meanwhile, `next_look` was changed as well and must stay as it is, so that
        // the new limit is checked.
        let _ = self.next_look.compare_exchange(looked_for, next, Relaxed, Relaxed);
    }
}

impl Default for Meter {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: every call is passed to `System` with unchanged arguments. Counting and waiting do not access the
// allocated memory, and neither allocate nor unwind.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Meter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.grow(cost(layout.size()));
        // SAFETY: the caller guarantees that `layout` is valid.
        let place = unsafe { System.alloc(layout) };
        if place.is_null() {
            self.shrink(cost(layout.size()));
        }
        place
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.grow(cost(layout.size()));
        // SAFETY: the caller guarantees that `layout` is valid.
        let place = unsafe { System.alloc_zeroed(layout) };
        if place.is_null() {
            self.shrink(cost(layout.size()));
        }
        place
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller guarantees that `place` was allocated with `layout`, and it came from `System`.
        unsafe { System.dealloc(place, layout) };
        self.shrink(cost(layout.size()));
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let (before, after) = (cost(layout.size()), cost(size));
        self.grow(after.saturating_sub(before));
        // SAFETY: the caller guarantees that `place` was allocated with `layout` and that `size` is valid, and
        // `place` came from `System`.
        let moved = unsafe { System.realloc(place, layout, size) };
        if moved.is_null() {
            self.shrink(after.saturating_sub(before));
        } else {
            self.shrink(before.saturating_sub(after));
        }
        moved
    }
}
