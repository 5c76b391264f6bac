//! Limits that hold: a watchdog raises the stop flag, and if the work does not stop in time, speaks the last words itself.
//!
//! Engines poll the flag, so normally the answer comes from them. The watchdog is for everything that may not poll: a parser,
//! a long memory copy, a library from outside.
//!
//! `check` has a piece of work for each file, and several of them at work at once: each has a flag and a time limit of its own. A piece
//! whose own limit is over and that does not end is left behind (no thread can be ended from outside); one that the limit of the
//! whole command ends, or memory, ends with the process.
//!
//! The memory limit has three lines, a little apart ([`Lines`]). At the first, an engine that asks for more ends by itself, and the
//! others go on. Above the second, the watchdog raises the flag. Above the third, the allocator holds the thread that asks
//! (`meter`), and the watchdog ends the process with what is known. With what that takes, all stays within 5% of the limit.

use super::args::{LimitArgs, ProgressArg};
use super::evidence;
use super::exit::Exit;
use super::lines::{self, Lines};
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

/// Says what is known when work has to be cut off, and how the process ends then.
type LastWords = Box<dyn FnOnce(Reason) -> Exit + Send>;

/// Reports a piece of work that did not end in time.
type Late = Box<dyn FnOnce(Reason) + Send>;

/// A piece of work in hand.
struct Piece {
    stop: Arc<Stop>,
    /// When its own time is over.
    deadline: Option<Instant>,
    /// Since when it is to end.
    raised_at: Option<Instant>,
    late: Late,
}

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
    /// Of the whole command.
    stop: Arc<Stop>,
    /// What is at work now, if the command works piece by piece.
    pieces: Mutex<Vec<Piece>>,
    /// The command works piece by piece: too much memory ends pieces, and not the whole.
    has_pieces: AtomicBool,
    interrupts: AtomicU32,
    memory: Lines,
}

impl Shared {
    fn pieces(&self) -> MutexGuard<'_, Vec<Piece>> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The memory limit of this command.
static MEMORY: OnceLock<usize> = OnceLock::new();

/// What the process may use, where commands without limits are about the same files.
pub(crate) fn memory() -> usize {
    *MEMORY.get_or_init(|| lines::default_memory().unwrap_or(usize::MAX))
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
        let memory =
            Lines::of(*MEMORY.get_or_init(|| limits.memory.or_else(lines::default_memory).unwrap_or(usize::MAX)));
        METER.prepare();
        tell::prepare();
        let stop = Arc::new(Stop::with_memory_limit(memory.asked, used));
        let (pieces, has_pieces) = (Mutex::default(), AtomicBool::new(false));
        let shared = Arc::new(Shared { stop, pieces, has_pieces, interrupts: AtomicU32::new(0), memory });
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
            Err(_) => shared.stop.raise(Reason::Memory),
        }
        Self { shared, last_words, over, flag, progress }
    }

    /// The flag of the whole command, which engines and the checker poll.
    pub(crate) fn stop(&self) -> Arc<Stop> {
        Arc::clone(&self.shared.stop)
    }

    /// The flag of a piece of work that begins now and may take so much time. If it does not end in time, `late` reports it. What the
    /// pieces before it needed too much memory for, this one may have enough for.
    pub(crate) fn begin_piece(&self, time: Option<Duration>, late: impl FnOnce(Reason) + Send + 'static) -> Arc<Stop> {
        self.shared.has_pieces.store(true, Ordering::Relaxed);
        METER.trim();
        let stop = Arc::new(Stop::with_memory_limit(self.shared.memory.asked, used));
        if let Some(reason) = self.shared.stop.raised() {
            stop.raise(reason);
        }
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        let piece = Piece { stop: Arc::clone(&stop), deadline, raised_at: None, late: Box::new(late) };
        meter::pass(|| self.shared.pieces().push(piece));
        stop
    }

    /// This piece of work has ended.
    pub(crate) fn end_piece(&self, stop: &Arc<Stop>) {
        meter::pass(|| self.shared.pieces().retain(|piece| !Arc::ptr_eq(&piece.stop, stop)));
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

impl Watch {
    /// The command is done.
    pub(crate) fn finish(&self) {
        self.over.store(true, Ordering::Relaxed);
        // If the watchdog has begun to speak, it ends the process.
        self.take_over();
        // The watchdog may not get to it before the process ends.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).finish();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.finish();
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
        shared.stop.raise(Reason::Interrupted);
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

/// Since when something is so, if it is.
#[derive(Default)]
struct Since(Option<Instant>);

impl Since {
    /// For how long it has been so.
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

impl Dog {
    fn watch(self) {
        let (mut held, mut raised) = (Since::default(), Since::default());
        while !self.over.load(Ordering::Relaxed) {
            let stop = &self.shared.stop;
            let used = METER.look();
            if self.timeout.is_some_and(|limit| self.started.elapsed() >= limit) {
                stop.raise(Reason::Timeout);
            }
            let (is_holding, is_over) = (METER.is_holding(), used > self.shared.memory.held);
            let is_short = is_holding || used > self.shared.memory.raised;
            let by_pieces = self.shared.has_pieces.load(Ordering::Relaxed);
            if is_short && !by_pieces {
                stop.raise(Reason::Memory);
            }
            let (states, several, overdue) = self.look_at_pieces(is_short);
            // While several pieces are at work, those that may still give memory back have time for that.
            let held_for = held.look(is_holding);
            let too_much = is_over || is_holding && (!several || held_for >= GRACE);
            match stop.raised().or(overdue).or(too_much.then_some(Reason::Memory)) {
                None => self.progress().tick(self.started.elapsed(), stop.reported_states() + states, used),
                Some(reason) => {
                    self.flag.store(stop.raised().is_some(), Ordering::Relaxed);
                    self.progress().pause();
                    let raised_for = raised.look(stop.raised().is_some());
                    if too_much || overdue.is_some() || raised_for >= GRACE {
                        self.speak(reason);
                    }
                }
            }
            thread::sleep(self.tick(used));
        }
    }

    /// Ends pieces of work whose time is over, or all of them if memory is short. How many states they have visited, whether they are
    /// several, and why the process has to end, if one of them does not.
    fn look_at_pieces(&self, is_short: bool) -> (u64, bool, Option<Reason>) {
        let now = Instant::now();
        let mut pieces = self.shared.pieces();
        for piece in pieces.iter_mut() {
            if let Some(reason) = self.shared.stop.raised() {
                piece.stop.raise(reason);
            }
            if is_short {
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
        let is_overdue = |p: &mut Piece| p.raised_at.is_some_and(|at| now.duration_since(at) >= GRACE);
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
        // What reports them needs the list, too.
        drop(pieces);
        late.into_iter().for_each(|late| late(Reason::Timeout));
        (states, several, overdue)
    }

    /// How long to look away.
    fn tick(&self, used: usize) -> Duration {
        let room = self.shared.memory.held.saturating_sub(used);
        TICK.min(Duration::from_secs_f64(room as f64 / GROWTH as f64)).max(SHORT_TICK)
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the process with what is known, unless results are being printed already.
    fn speak(&self, reason: Reason) {
        // Held to the end, so that nothing else begins to print.
        let mut last_words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(words) = last_words.take() {
            tell::hurry_from(Instant::now());
            evidence::end(output::finish(words(reason)));
        }
    }
}
