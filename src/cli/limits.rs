//! Limits that hold: a watchdog raises the stop flag, and if the work does not stop in time, speaks the last words itself.
//!
//! Engines poll the flag, so normally the answer comes from them. The watchdog is for everything that may not poll: a parser,
//! a long memory copy, a library from outside.
//!
//! The memory limit has three lines, a little apart ([`Lines`]). At the first, an engine that asks for more ends by itself, and the
//! others go on. Above the second, the watchdog raises the flag. Above the third, the allocator holds the thread that asks
//! (`meter`), and the watchdog ends the process with what is known. With what that takes, all stays within 5% of the limit.

use super::args::{LimitArgs, ProgressArg};
use super::evidence;
use super::exit::Exit;
use super::output;
use super::progress::Progress;
use super::tell;
use crate::METER;
use impasse::model::{Reason, Stop};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often the watchdog looks, at least and at most.
const TICK: Duration = Duration::from_millis(10);
const SHORT_TICK: Duration = Duration::from_micros(500);

/// Bytes that a process may begin to use in a second without allocating any: memory of C libraries, and what was allocated before.
/// The watchdog looks before the room left is used up at that speed.
const GROWTH: usize = 4 << 30;

/// How long work may go on after it was told to stop, before the watchdog ends it.
const GRACE: Duration = Duration::from_millis(300);

/// What last words may take: mostly pages of the program that were not needed before.
const LAST_WORDS: usize = 3 << 19;

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

/// The memory limit as it holds, in bytes that the process holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Lines {
    /// An engine gets no more than that.
    asked: usize,
    /// Above that all work is to end.
    raised: usize,
    /// Above that no thread goes on.
    held: usize,
}

impl Lines {
    fn of(limit: usize) -> Self {
        let held = limit.saturating_add(limit / 32).saturating_sub(LAST_WORDS);
        let raised = held - held / 64;
        Self { asked: limit.min(raised), raised, held }
    }
}

/// What the work, the watchdog and the handler of Ctrl-C have in common.
struct Shared {
    /// Of the piece of work in hand.
    stop: Mutex<Arc<Stop>>,
    interrupts: AtomicU32,
    memory: Lines,
}

impl Shared {
    fn stop(&self) -> Arc<Stop> {
        Arc::clone(&self.stop.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn fresh_stop(&self) -> Arc<Stop> {
        Arc::new(Stop::with_memory_limit(self.memory.asked, used))
    }
}

/// The memory limit of this command.
static MEMORY: OnceLock<usize> = OnceLock::new();

/// What the process may use, where commands without limits are about the same files.
pub(crate) fn memory() -> usize {
    *MEMORY.get_or_init(|| default_memory().unwrap_or(usize::MAX))
}

impl Watch {
    /// Starts watching: the clock, the memory, and Ctrl-C.
    pub(crate) fn start(limits: &LimitArgs) -> Self {
        let watch = Self::begin(limits);
        on_interrupt(Arc::clone(&watch.shared));
        watch
    }

    /// Watches the memory of a `command` that answers nothing.
    pub(crate) fn memory(memory: Option<usize>, command: &'static str) -> Self {
        let watch = Self::begin(&LimitArgs { timeout: None, memory, progress: ProgressArg::Never });
        watch.set_last_words(move |reason| {
            tell!("error: {}", ended(command, reason));
            Exit::of_reason(reason)
        });
        watch
    }

    fn begin(limits: &LimitArgs) -> Self {
        let memory = Lines::of(*MEMORY.get_or_init(|| limits.memory.or_else(default_memory).unwrap_or(usize::MAX)));
        METER.prepare();
        tell::prepare();
        let stop = Arc::new(Stop::with_memory_limit(memory.asked, used));
        let shared = Arc::new(Shared { stop: Mutex::new(stop), interrupts: AtomicU32::new(0), memory });
        let last_words = Arc::new(Mutex::new(None));
        let over = Arc::new(AtomicBool::new(false));
        let flag = Arc::new(AtomicBool::new(false));
        let progress = Arc::new(Mutex::new(Progress::new(limits.progress)));
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
        // A thread allocates before it does anything, and the allocator holds whoever is not known to it: so it has to have begun.
        let (begun, begins) = sync_channel(1);
        let watch = move || {
            meter::pass_always();
            let _ = begun.try_send(());
            dog.watch();
        };
        // Without a watchdog limits would not hold, so a machine that cannot start one thread ends here.
        match thread::Builder::new().name("watchdog".to_owned()).spawn(watch) {
            Ok(_thread) => drop(begins.recv()),
            Err(_) => shared.stop().raise(Reason::Memory),
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
        METER.trim();
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

    /// Sets what the watchdog does when work does not stop by itself. From here on the memory limit holds.
    pub(crate) fn set_last_words(&self, words: impl FnOnce(Reason) -> Exit + Send + 'static) {
        *self.last_words.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(words));
        METER.hold_above(self.shared.memory.held);
    }

    /// Results are being printed from here on: the watchdog keeps quiet. If it has begun to speak itself, this does not
    /// return: the process ends when it is done.
    pub(crate) fn take_over(&self) {
        self.last_words.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A thread held now would be held for ever.
        METER.hold_none();
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

/// What the process holds, as far as it is known.
fn used() -> usize {
    METER.used()
}

/// The most bytes ever allocated at a time.
pub(crate) fn peak_allocated() -> usize {
    METER.peak()
}

/// The first Ctrl-C asks the work to stop; the second ends the process.
fn on_interrupt(shared: Arc<Shared>) {
    let handler = move || {
        meter::pass_always();
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
        while !self.over.load(Ordering::Relaxed) {
            let stop = self.shared.stop();
            let used = METER.look();
            if self.timeout.is_some_and(|limit| self.started.elapsed() >= limit) {
                stop.raise(Reason::Timeout);
            }
            let too_much = METER.is_holding() || used > self.shared.memory.held;
            if too_much || used > self.shared.memory.raised {
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
                        _ => raised_at.insert((Arc::clone(&stop), Instant::now())),
                    };
                    if too_much || since.elapsed() >= GRACE {
                        self.speak(&stop, reason);
                    }
                }
            }
            thread::sleep(self.tick(used));
        }
    }

    /// How long to look away.
    fn tick(&self, used: usize) -> Duration {
        let room = self.shared.memory.held.saturating_sub(used);
        TICK.min(Duration::from_secs_f64(room as f64 / GROWTH as f64)).max(SHORT_TICK)
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the process with what is known, unless results are being printed already, or `stop` is about work before this.
    fn speak(&self, stop: &Arc<Stop>, reason: Reason) {
        // Held to the end, so that nobody else begins to print.
        let mut last_words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(stop, &self.shared.stop())
            && let Some(words) = last_words.take()
        {
            tell::hurry_from(Instant::now());
            evidence::end(output::finish(words(reason)));
        }
    }
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
    use super::{Lines, kibibytes};

    #[test]
    fn lines_are_in_order_and_close() {
        for limit in [1, 1 << 20, 16 << 20, 64 << 20, 1 << 40, usize::MAX] {
            let Lines { asked, raised, held } = Lines::of(limit);
            assert!(asked <= limit && asked <= raised && raised <= held, "{limit}");
            assert!(held <= limit.saturating_add(limit / 32), "{limit}");
        }
        assert!(Lines::of(64 << 20).asked > 63 << 20, "engines get nearly all of it");
    }

    #[test]
    fn memory_lines_are_read() {
        assert_eq!(kibibytes("VmPeak:\t 10 kB\nRssAnon:\t    2048 kB\n", "RssAnon:"), Some(2 << 20));
        assert_eq!(kibibytes("RssAnon: lots", "RssAnon:"), None);
    }
}
