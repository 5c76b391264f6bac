//! The global allocator of the tool: it counts what is allocated, knows what the process really holds, and lets no thread
//! allocate beyond a limit.
//!
//! Engines ask before they grow (`model::Stop::may_allocate`). Readers, slicing and every `Vec` that doubles do not, and cannot
//! all be made to. So a thread whose allocation would break the limit is *held*: it waits inside the allocator, until a watching
//! thread has ended the process, or there is room again. A held thread may hold locks. What the watching thread needs is
//! therefore done under [`pass`] or by threads that said [`pass_always`]: those are never held.
//!
//! The limit is about resident memory, as the kernel counts it for the process. An allocator sees only a part of that (not the
//! pages of the program itself, stacks, what C libraries allocate, and what the system's allocator keeps after a `free`). So now
//! and then the kernel is asked, the more often the less room there is. What a thread asks for must fit as a whole, as it may be
//! used at once; as long as it is not, later requests have the room.
//!
//! `unsafe` is needed here and nowhere else: `GlobalAlloc` is an unsafe trait, and the calls that make the C library give memory
//! back (`malloc_trim`, `mallopt`), or ask for a file descriptor before Rust's runtime begins (`streams`), are foreign. The unsafe code passes
//! its arguments on to `std::alloc::System` unchanged. No crate
//! does this: `cap` counts, and fails allocations beyond its limit, which aborts the process without an answer.

mod resident;
mod streams;

pub use streams::started_without_stdout;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// There is no limit.
const NONE: usize = usize::MAX;

/// The kernel is asked at least once while this part of the limit is allocated, and at most once while less than that is.
const FINEST: usize = 256;

/// Unused memory is given back once it is this part of the limit.
const WASTE: usize = 16;

/// How often a held thread looks whether there is room again.
const HELD: Duration = Duration::from_millis(2);

thread_local! {
    /// How many reasons this thread has for not being held. Constant and without a destructor: such a cell is never allocated.
    static PASSES: Cell<usize> = const { Cell::new(0) };
}

/// Does `work`, and is not held meanwhile: for what is done under a lock that the watching thread needs, too.
pub fn pass<T>(work: impl FnOnce() -> T) -> T {
    /// A panic takes the pass back, too.
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

/// This thread is never held: it watches, or says what the watching thread has to say.
pub fn pass_always() {
    PASSES.set(PASSES.get() + 1);
}

/// What the system's allocator takes for `size` bytes. That of glibc adds a word and rounds up, and has no pieces below 32 bytes:
/// of a million short vectors much of the memory is that.
fn cost(size: usize) -> usize {
    const WORD: usize = size_of::<usize>();
    (size.saturating_add(3 * WORD - 1) & !(2 * WORD - 1)).max(4 * WORD)
}

/// The allocator.
#[derive(Debug)]
pub struct Meter {
    /// Bytes allocated now, with what each piece costs beside them.
    allocated: AtomicUsize,
    /// The most that was allocated at a time.
    peak: AtomicUsize,
    /// All bytes ever allocated: what tells when to look again.
    total: AtomicUsize,
    /// The total at which the kernel is asked next.
    next_look: AtomicUsize,
    /// Above this threads are held.
    limit: AtomicUsize,
    /// What the process held beyond what was allocated, at the last look; negative if much of that is not in use yet.
    beyond: AtomicIsize,
    /// Threads held now.
    held: AtomicUsize,
    /// Bytes allocated and freed until memory was given back the last time.
    moved_at_trim: AtomicUsize,
    /// Some thread is giving memory back.
    trimming: AtomicBool,
}

impl Meter {
    /// An allocator without a limit.
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

    /// The most bytes that were ever allocated at a time.
    pub fn peak(&self) -> usize {
        self.peak.load(Relaxed)
    }

    /// What the process holds: what it held at the last look, and what was allocated since. Cheap.
    pub fn used(&self) -> usize {
        self.allocated.load(Relaxed).saturating_add_signed(self.beyond.load(Relaxed))
    }

    /// Makes the system's allocator predictable, before much is allocated: large pieces are mapped one by one, so that they grow
    /// without a copy and are given back when freed.
    pub fn prepare(&self) {
        resident::prepare();
        self.look();
    }

    /// From here on threads are held that would make the process hold more than `limit` bytes.
    pub fn hold_above(&self, limit: usize) {
        self.limit.store(limit, Relaxed);
        self.next_look.store(if limit == NONE { NONE } else { 0 }, Relaxed);
    }

    /// From here on no thread is held. Those that are go on.
    pub fn hold_none(&self) {
        self.hold_above(NONE);
    }

    /// Is a thread held?
    pub fn is_holding(&self) -> bool {
        self.held.load(Relaxed) > 0
    }

    /// Asks the kernel what the process holds. Near the limit, what is not in use is given back first.
    pub fn look(&self) -> usize {
        self.look_before(0)
    }

    /// The same, where `coming` bytes are to be allocated next.
    fn look_before(&self, coming: usize) -> usize {
        let allocated = self.allocated.load(Relaxed);
        let Some(mut now) = resident::now() else { return allocated };
        if self.is_worth_trimming(now, allocated, coming) && !self.trimming.swap(true, Relaxed) {
            self.moved_at_trim.store(self.moved(), Relaxed);
            resident::trim();
            self.trimming.store(false, Relaxed);
            now = resident::now().unwrap_or(now);
        }
        self.beyond.store(now.total.wrapping_sub(allocated).cast_signed(), Relaxed);
        now.total
    }

    /// Gives back what is not in use: another piece of work begins.
    pub fn trim(&self) {
        resident::trim();
        self.moved_at_trim.store(self.moved(), Relaxed);
        self.look();
    }

    /// Bytes allocated and bytes freed so far.
    fn moved(&self) -> usize {
        let total = self.total.load(Relaxed);
        total.wrapping_mul(2).wrapping_sub(self.allocated.load(Relaxed))
    }

    /// Is there much to be had, the need for it, and has enough changed since the last time?
    fn is_worth_trimming(&self, now: resident::Resident, allocated: usize, coming: usize) -> bool {
        let limit = self.limit.load(Relaxed);
        let waste = now.total.saturating_sub(allocated.saturating_add(now.of_files));
        let moved = self.moved().wrapping_sub(self.moved_at_trim.load(Relaxed));
        let wanted = now.total.saturating_add(coming);
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

    /// Waits until there is room for `coming` bytes more.
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
        // If the limit has changed meanwhile, so has this: the new one is to be looked at.
        let _ = self.next_look.compare_exchange(looked_for, next, Relaxed, Relaxed);
    }
}

impl Default for Meter {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: every call goes to `System` with the arguments it came with; counting and waiting touch none of that memory, and neither
// allocate nor unwind.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Meter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.grow(cost(layout.size()));
        // SAFETY: the caller's promise about `layout`.
        let place = unsafe { System.alloc(layout) };
        if place.is_null() {
            self.shrink(cost(layout.size()));
        }
        place
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.grow(cost(layout.size()));
        // SAFETY: the caller's promise about `layout`.
        let place = unsafe { System.alloc_zeroed(layout) };
        if place.is_null() {
            self.shrink(cost(layout.size()));
        }
        place
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise about `place`, which came from `System`.
        unsafe { System.dealloc(place, layout) };
        self.shrink(cost(layout.size()));
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let (before, after) = (cost(layout.size()), cost(size));
        self.grow(after.saturating_sub(before));
        // SAFETY: the caller's promise about `place`, which came from `System`, and `size`.
        let moved = unsafe { System.realloc(place, layout, size) };
        if moved.is_null() {
            self.shrink(after.saturating_sub(before));
        } else {
            self.shrink(before.saturating_sub(after));
        }
        moved
    }
}
