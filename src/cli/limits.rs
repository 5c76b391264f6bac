//! Enforces the limits. A watchdog thread raises the stop flag. If the work does not stop in time, the
//! watchdog prints what is known and ends the process.
//!
//! Engines poll the flag, so the answer normally comes from them. The watchdog is for code that may not poll:
//! a parser, a long copy of memory, a foreign library.
//!
//! `check` has a piece of work for each file, and several pieces may be in progress at once. Each piece has
//! its own flag and its own time limit. If a piece does not end after its own time limit, its thread is left
//! behind, because no thread can be ended from outside. If a piece does not end after the time limit of the
//! whole command, or because of memory, the process ends.
//!
//! The memory limit has three lines at small distances ([`Lines`]). At the first line, an engine that asks for
//! more memory ends by itself, and the other engines continue. Above the second line, the watchdog raises the
//! flag. Above the third line, the allocator suspends ("holds") each thread that asks for memory (`meter`), and
//! the watchdog prints what is known and ends the process. Including the memory for this output, the process
//! stays within 5% of the limit.

use super::args::{LimitArgs, ProgressArg};
use super::exit::Exit;
use super::host::meter;
use super::memory::{self, Lines};
use super::progress::Progress;
use super::saving::Saving;
use super::{drafts, output, tell};
use impasse::Efforts;
use impasse::model::{Reason, Stop};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum interval (`TICK`) and minimum interval (`SHORT_TICK`) between two checks of the watchdog.
const TICK: Duration = Duration::from_millis(10);
const SHORT_TICK: Duration = Duration::from_micros(500);

/// Bytes per second by which the memory of the process may grow without allocations that the allocator counts.
/// Memory of C libraries grows in this way, and memory that was allocated earlier but is first used now. The
/// watchdog checks again before memory could reach the limit at this speed.
const GROWTH: usize = 4 << 30;

/// Prints what is known when work is cut off, and returns the result of the command.
type LastWords = Box<dyn FnOnce(Reason) -> Exit + Send>;

/// Reports a piece of work that did not end in time.
type Late = Box<dyn FnOnce(Reason) + Send>;

/// A piece of work in progress.
struct Piece {
    stop: Arc<Stop>,
    begun: Instant,
    /// What the engines have done.
    efforts: Arc<Efforts>,
    /// End of the piece's own time limit.
    deadline: Option<Instant>,
    /// Time at which the watchdog found the flag raised.
    raised_at: Option<Instant>,
    late: Late,
}

/// The watch over the limits of one command.
pub(crate) struct Watch {
    shared: Arc<Shared>,
    last_words: Arc<Mutex<Option<LastWords>>>,
    over: Arc<AtomicBool>,
    flag: Arc<AtomicBool>,
    progress: Arc<Mutex<Progress>>,
}

/// The data that the work, the watchdog and the handler of Ctrl-C share.
struct Shared {
    /// The flag of the whole command.
    stop: Arc<Stop>,
    /// The pieces in progress, if the command works piece by piece.
    pieces: Mutex<Vec<Piece>>,
    /// True if the command works piece by piece. Too much memory then ends the pieces in progress, and not the
    /// whole command.
    has_pieces: AtomicBool,
    interrupts: AtomicU32,
    memory: Lines,
    saving: Saving,
}

impl Shared {
    fn pieces(&self) -> MutexGuard<'_, Vec<Piece>> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch {
    /// Starts to watch the time, the memory, and Ctrl-C.
    pub(crate) fn start(limits: &LimitArgs) -> Self {
        let watch = Self::begin(limits);
        on_interrupt(Arc::clone(&watch.shared));
        watch
    }

    /// Watches only the memory, for a command without verdicts. `command` is its name in the error message.
    pub(crate) fn memory(memory: Option<usize>, command: &'static str) -> Self {
        let watch = Self::begin(&LimitArgs { timeout: None, memory, progress: ProgressArg::Never });
        watch.set_last_words(move |reason| {
            tell!("error: {}", ended(command, reason));
            Exit::of_reason(reason)
        });
        watch
    }

    fn begin(limits: &LimitArgs) -> Self {
        let memory = Lines::of(memory::set_limit(limits.memory));
        meter().prepare();
        tell::prepare();
        let stop = Arc::new(Stop::with_memory_limit(memory.asked, memory::used));
        let (pieces, has_pieces) = (Mutex::default(), AtomicBool::new(false));
        let shared = Arc::new(Shared {
            stop,
            pieces,
            has_pieces,
            interrupts: AtomicU32::new(0),
            memory,
            saving: Saving::default(),
        });
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
        // A new thread allocates before it can exempt itself from being held by the allocator. So this thread
        // waits until the watchdog has begun.
        let (begun, begins) = sync_channel(1);
        let watch = move || {
            meter::pass_always();
            let _ = begun.try_send(());
            dog.watch();
        };
        // Without a watchdog, limits would not be enforced. So if the machine cannot start a thread, the
        // command ends.
        match thread::Builder::new().name("watchdog".to_owned()).spawn(watch) {
            Ok(_thread) => drop(begins.recv()),
            Err(_) => shared.stop.raise(Reason::Memory),
        }
        Self { shared, last_words, over, flag, progress }
    }

    /// Returns the flag of the whole command, which engines and the checker poll.
    pub(crate) fn stop(&self) -> Arc<Stop> {
        Arc::clone(&self.shared.stop)
    }

    /// Begins a piece of work that may take `time`, and returns its flag. If the piece does not end in time,
    /// `late` reports it. The flag is a new one: memory may suffice for this piece even if it did not suffice
    /// for earlier pieces.
    pub(crate) fn begin_piece(
        &self,
        time: Option<Duration>,
        efforts: &Arc<Efforts>,
        late: impl FnOnce(Reason) + Send + 'static,
    ) -> Arc<Stop> {
        self.shared.has_pieces.store(true, Ordering::Relaxed);
        meter().trim();
        let stop = Arc::new(Stop::with_memory_limit(self.shared.memory.asked, memory::used));
        if let Some(reason) = self.shared.stop.raised() {
            stop.raise(reason);
        }
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        let (stop_of_piece, efforts) = (Arc::clone(&stop), Arc::clone(efforts));
        let begun = Instant::now();
        let piece = Piece { stop: stop_of_piece, begun, efforts, deadline, raised_at: None, late: Box::new(late) };
        meter::pass(|| self.shared.pieces().push(piece));
        stop
    }

    /// Records that this piece of work has ended.
    pub(crate) fn end_piece(&self, stop: &Arc<Stop>) {
        meter::pass(|| self.shared.pieces().retain(|piece| !Arc::ptr_eq(&piece.stop, stop)));
    }

    /// Makes the watchdog wait while this flag is raised, because the work is being saved.
    pub(crate) fn wait_for(&self, saving: Arc<AtomicBool>) {
        self.shared.saving.wait_for(saving);
    }

    /// Returns the flag of the whole command as a plain boolean. The SAT solver polls it, because it needs no
    /// reason for the stop.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Sets what the watchdog does if work does not stop by itself. From this call on, the memory limit is
    /// enforced.
    pub(crate) fn set_last_words(&self, words: impl FnOnce(Reason) -> Exit + Send + 'static) {
        *self.last_words.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(words));
        meter().hold_above(self.shared.memory.held);
    }

    /// Prevents output of the watchdog, because the caller prints results next. If the watchdog has already
    /// begun its output, this function does not return, because the watchdog then ends the process.
    pub(crate) fn take_over(&self) {
        self.last_words.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Otherwise a thread that the allocator holds now would never be released.
        meter().hold_none();
        // The watchdog may be about to show progress: it shows nothing more.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).finish();
    }
}

impl Watch {
    /// Ends the watch, because the command is done.
    pub(crate) fn finish(&self) {
        self.over.store(true, Ordering::Relaxed);
        // If the watchdog has begun its output, it ends the process.
        self.take_over();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Returns a sentence that says what ended `work`.
pub(crate) fn ended(work: &str, reason: Reason) -> String {
    match reason {
        Reason::Timeout => format!("the time limit ended the {work}"),
        Reason::Memory => format!("the memory limit ended the {work}"),
        reason => format!("stopped ({reason})"),
    }
}

/// Sets the handler for Ctrl-C. The first Ctrl-C asks the work to stop, and the second one ends the process.
fn on_interrupt(shared: Arc<Shared>) {
    let handler = move || {
        meter::pass_always();
        if shared.interrupts.fetch_add(1, Ordering::SeqCst) > 0 {
            drafts::end(Exit::Interrupted);
        }
        shared.stop.raise(Reason::Interrupted);
        tell::hurry_from(Instant::now());
    };
    // If the handler cannot be set, Ctrl-C kills the process, as it does by default.
    let _ = ctrlc::set_handler(handler);
}

/// The watchdog thread.
struct Dog {
    shared: Arc<Shared>,
    last_words: Arc<Mutex<Option<LastWords>>>,
    over: Arc<AtomicBool>,
    flag: Arc<AtomicBool>,
    started: Instant,
    timeout: Option<Duration>,
    progress: Arc<Mutex<Progress>>,
}

/// Time since which a condition holds. `None` if it does not hold.
#[derive(Default)]
struct Since(Option<Instant>);

impl Since {
    /// Updates the condition, and returns for how long it has held.
    fn look(&mut self, is_so: bool) -> Duration {
        match is_so {
            true => self.0.get_or_insert_with(Instant::now).elapsed(),
            false => {
                self.0 = None;
                Duration::ZERO
            }
        }
    }
}

/// What the pieces in progress are like.
struct Look {
    /// Number of states that the pieces have visited.
    states: u64,
    /// True if there are several pieces.
    several: bool,
    /// What the engines do, if there is one piece.
    only: Option<Arc<Efforts>>,
    /// The reason to end the process, if a piece does not end.
    overdue: Option<Reason>,
}

impl Dog {
    fn watch(self) {
        let (mut held, mut raised) = (Since::default(), Since::default());
        while !self.over.load(Ordering::Relaxed) {
            let stop = &self.shared.stop;
            // Memory that was measured before a piece began says nothing about this piece.
            let looked = Instant::now();
            let used = meter().look();
            if self.timeout.is_some_and(|limit| self.started.elapsed() >= limit) {
                stop.raise(Reason::Timeout);
            }
            let (is_holding, is_over) = (meter().is_holding(), used > self.shared.memory.held);
            let is_short = is_holding || used > self.shared.memory.raised;
            let by_pieces = self.shared.has_pieces.load(Ordering::Relaxed);
            if is_short && !by_pieces {
                stop.raise(Reason::Memory);
            }
            let Look { states, several, only, overdue } = self.look_at_pieces(is_short.then_some(looked));
            // If several pieces are in progress, they get the grace period to release memory.
            let held_for = held.look(is_holding);
            let too_much = is_over || is_holding && (!several || held_for >= self.shared.saving.grace());
            match stop.raised().or(overdue).or(too_much.then_some(Reason::Memory)) {
                None => {
                    let states = stop.reported_states() + states;
                    self.progress().tick(self.started.elapsed(), states, used, only.as_deref());
                }
                Some(reason) => {
                    self.flag.store(stop.raised().is_some(), Ordering::Relaxed);
                    self.progress().pause();
                    let raised_for = raised.look(stop.raised().is_some());
                    let is_late = too_much || overdue.is_some() || raised_for >= self.shared.saving.grace();
                    if is_late && !self.shared.saving.goes_on() {
                        self.speak(reason);
                    }
                }
            }
            thread::sleep(self.tick(used));
        }
    }

    /// Raises the flags of pieces that have exceeded their time limit, and of all pieces that had begun when memory was
    /// found short.
    fn look_at_pieces(&self, short_at: Option<Instant>) -> Look {
        let now = Instant::now();
        let mut pieces = self.shared.pieces();
        for piece in pieces.iter_mut() {
            if let Some(reason) = self.shared.stop.raised() {
                piece.stop.raise(reason);
            }
            if short_at.is_some_and(|short| piece.begun <= short) {
                piece.stop.raise(Reason::Memory);
            }
            if piece.deadline.is_some_and(|deadline| now >= deadline) {
                piece.stop.raise(Reason::Timeout);
            }
            if piece.stop.raised().is_some() {
                piece.raised_at.get_or_insert(now);
            }
        }
        let states = pieces.iter().map(|p| p.stop.reported_states()).sum();
        let several = pieces.len() > 1;
        let only = pieces.first().filter(|_| !several).map(|piece| Arc::clone(&piece.efforts));
        let grace = self.shared.saving.grace();
        let is_overdue = |p: &mut Piece| p.raised_at.is_some_and(|at| now.duration_since(at) >= grace);
        let mut overdue = None;
        let mut late = Vec::new();
        if self.shared.stop.raised().is_none() {
            for piece in pieces.extract_if(.., is_overdue) {
                match piece.stop.raised() {
                    Some(Reason::Timeout) => late.push(piece.late),
                    reason => overdue = overdue.or(reason),
                }
            }
        }
        // The reports of late pieces also lock the list.
        drop(pieces);
        late.into_iter().for_each(|late| late(Reason::Timeout));
        Look { states, several, only, overdue }
    }

    /// Returns the time until the next check.
    fn tick(&self, used: usize) -> Duration {
        let room = self.shared.memory.held.saturating_sub(used);
        TICK.min(Duration::from_secs_f64(room as f64 / GROWTH as f64)).max(SHORT_TICK)
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the process with what is known, unless results are being printed already.
    fn speak(&self, reason: Reason) {
        // The lock is held until the process ends, so that nothing else begins to print.
        let mut last_words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(words) = last_words.take() {
            tell::hurry_from(Instant::now());
            drafts::end(output::finish(words(reason)));
        }
    }
}
