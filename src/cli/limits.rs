//! Limits that hold: a watchdog raises the stop flag, and if the work does not stop in time, speaks the last words itself.
//!
//! Engines poll the flag, so normally the answer comes from them. The watchdog is for everything that may not poll: a parser,
//! a long memory copy, a library from outside.

use super::args::LimitArgs;
use super::evidence;
use super::exit::Exit;
use super::output;
use super::progress::Progress;
use super::tell;
use impasse::model::{Reason, Stop};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often the watchdog looks.
const TICK: Duration = Duration::from_millis(10);

/// How long work may go on after it was told to stop, before the watchdog ends it.
const GRACE: Duration = Duration::from_millis(300);

/// Memory may overshoot by this fraction before the watchdog ends the process at once.
const OVERSHOOT_DIVISOR: usize = 4;

/// Says what is known when work has to be cut off, and how the process ends then.
type LastWords = Box<dyn FnOnce(Reason) -> Exit + Send>;

/// The watch over one command.
pub(crate) struct Watch {
    shared: Arc<Shared>,
    last_words: Arc<Mutex<Option<LastWords>>>,
    over: Arc<AtomicBool>,
    flag: Arc<AtomicBool>,
    progress: Arc<Mutex<Progress>>,
}

/// What the work, the watchdog and the handler of Ctrl-C have in common.
struct Shared {
    /// Of the piece of work in hand.
    stop: Mutex<Arc<Stop>>,
    interrupts: AtomicU32,
    memory: usize,
    /// Bytes that the process held when the work in hand began without anybody using them: what an allocator keeps of the
    /// work before, and hands out again.
    idle: AtomicUsize,
}

impl Shared {
    fn stop(&self) -> Arc<Stop> {
        Arc::clone(&self.stop.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn fresh_stop(&self) -> Arc<Stop> {
        Arc::new(Stop::with_memory_limit(self.memory, allocated))
    }
}

impl Watch {
    /// Starts watching: the clock, the memory, and Ctrl-C.
    pub(crate) fn start(limits: &LimitArgs) -> Self {
        let memory = limits.memory.or_else(default_memory).unwrap_or(usize::MAX);
        let stop = Arc::new(Stop::with_memory_limit(memory, allocated));
        let shared = Arc::new(Shared {
            stop: Mutex::new(stop),
            interrupts: AtomicU32::new(0),
            memory,
            idle: AtomicUsize::new(0),
        });
        let last_words = Arc::new(Mutex::new(None));
        let over = Arc::new(AtomicBool::new(false));
        let flag = Arc::new(AtomicBool::new(false));
        let progress = Arc::new(Mutex::new(Progress::new(limits.progress)));
        on_interrupt(Arc::clone(&shared));
        let started = Instant::now();
        if let Some(end) = limits.timeout.and_then(|limit| started.checked_add(limit)) {
            tell::hurry_from(end);
        }
        let dog = Dog {
            shared: Arc::clone(&shared),
            last_words: Arc::clone(&last_words),
            over: Arc::clone(&over),
            flag: Arc::clone(&flag),
            started,
            timeout: limits.timeout,
            progress: Arc::clone(&progress),
        };
        // Without a watchdog limits would not hold, so a machine that cannot start one thread ends here.
        if thread::Builder::new().name("watchdog".to_owned()).spawn(move || dog.watch()).is_err() {
            shared.stop().raise(Reason::Memory);
        }
        Self { shared, last_words, over, flag, progress }
    }

    /// The flag that engines and the checker poll.
    pub(crate) fn stop(&self) -> Arc<Stop> {
        self.shared.stop()
    }

    /// The next piece of work begins, and nothing is left to say of the one before: what that needed too much memory for, this may
    /// have enough for. The clock and Ctrl-C are about the whole command.
    pub(crate) fn renew(&self) {
        self.take_over();
        let idle = anonymous_memory().unwrap_or(0).saturating_sub(allocated());
        self.shared.idle.store(idle, Ordering::Relaxed);
        let fresh = self.shared.fresh_stop();
        let mut stop = self.shared.stop.lock().unwrap_or_else(PoisonError::into_inner);
        if self.shared.interrupts.load(Ordering::SeqCst) > 0 {
            fresh.raise(Reason::Interrupted);
        } else if let Some(reason) = stop.raised().filter(|r| *r != Reason::Memory) {
            fresh.raise(reason);
        }
        *stop = fresh;
    }

    /// The same as a plain flag, for the SAT solver, which knows nothing of reasons.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Sets what the watchdog does when work does not stop by itself.
    pub(crate) fn set_last_words(&self, words: impl FnOnce(Reason) -> Exit + Send + 'static) {
        *self.last_words.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(words));
    }

    /// Results are being printed from here on: the watchdog keeps quiet. If it has begun to speak itself, this does not
    /// return: the process ends when it is done.
    pub(crate) fn take_over(&self) {
        self.last_words.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).pause();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // Whoever has begun to speak ends the process.
        self.take_over();
        // The watchdog may not get to it before the process ends.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).finish();
    }
}

/// What ended `work`.
pub(crate) fn ended(work: &str, reason: Reason) -> String {
    match reason {
        Reason::Timeout => format!("the time limit ended the {work}"),
        Reason::Memory => format!("the memory limit ended the {work}"),
        reason => format!("stopped ({reason})"),
    }
}

/// Bytes allocated now.
pub(crate) fn allocated() -> usize {
    crate::ALLOCATOR.allocated()
}

/// The most bytes ever allocated at a time.
pub(crate) fn peak_allocated() -> usize {
    crate::ALLOCATOR.max_allocated()
}

/// The first Ctrl-C asks the work to stop; the second ends the process.
fn on_interrupt(shared: Arc<Shared>) {
    let handler = move || {
        if shared.interrupts.fetch_add(1, Ordering::SeqCst) > 0 {
            evidence::end(Exit::Interrupted);
        }
        shared.stop().raise(Reason::Interrupted);
        tell::hurry_from(Instant::now());
    };
    // If the handler cannot be set, Ctrl-C kills the process as it always did.
    let _ = ctrlc::set_handler(handler);
}

/// The watching thread.
struct Dog {
    shared: Arc<Shared>,
    last_words: Arc<Mutex<Option<LastWords>>>,
    over: Arc<AtomicBool>,
    flag: Arc<AtomicBool>,
    started: Instant,
    timeout: Option<Duration>,
    progress: Arc<Mutex<Progress>>,
}

impl Dog {
    fn watch(self) {
        let mut raised_at: Option<(Arc<Stop>, Instant)> = None;
        let memory = self.shared.memory;
        while !self.over.load(Ordering::Relaxed) {
            let stop = self.shared.stop();
            let used = memory_used(self.shared.idle.load(Ordering::Relaxed));
            if self.timeout.is_some_and(|limit| self.started.elapsed() >= limit) {
                stop.raise(Reason::Timeout);
            }
            if used > memory {
                stop.raise(Reason::Memory);
            }
            match stop.raised() {
                None => self.progress().tick(self.started.elapsed(), stop.reported_states(), used),
                Some(reason) => {
                    self.flag.store(true, Ordering::Relaxed);
                    self.progress().pause();
                    // Each piece of work has its own grace.
                    let (_, since) = match raised_at.take() {
                        Some(known) if Arc::ptr_eq(&known.0, &stop) => raised_at.insert(known),
                        _ => raised_at.insert((stop, Instant::now())),
                    };
                    let too_much = used > memory.saturating_add(memory / OVERSHOOT_DIVISOR);
                    if too_much || since.elapsed() >= GRACE {
                        self.speak(reason);
                    }
                }
            }
            thread::sleep(TICK);
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the process with what is known, unless results are being printed already.
    fn speak(&self, reason: Reason) {
        // Held to the end, so that nobody else begins to print.
        let mut last_words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(words) = last_words.take() {
            tell::hurry_from(Instant::now());
            evidence::end(output::finish(words(reason)));
        }
    }
}

/// The larger of what our allocator handed out and what the process really holds (libraries allocate for themselves),
/// without what was `idle` when the work began.
fn memory_used(idle: usize) -> usize {
    allocated().max(anonymous_memory().unwrap_or(0).saturating_sub(idle))
}

/// Anonymous resident memory of this process, where the system tells (Linux).
fn anonymous_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    kibibytes(&status, "RssAnon:")
}

/// 80% of the machine's memory or of what its control group allows, where the system tells.
fn default_memory() -> Option<usize> {
    let machine = kibibytes(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")?;
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|s| s.trim().parse().ok());
    Some(machine.min(group.unwrap_or(usize::MAX)) / 5 * 4)
}

/// The value in bytes of a line `key   1234 kB`.
fn kibibytes(text: &str, key: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::kibibytes;

    #[test]
    fn memory_lines_are_read() {
        assert_eq!(kibibytes("VmPeak:\t 10 kB\nRssAnon:\t    2048 kB\n", "RssAnon:"), Some(2 << 20));
        assert_eq!(kibibytes("RssAnon: lots", "RssAnon:"), None);
    }
}
