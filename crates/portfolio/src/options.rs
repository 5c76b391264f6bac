//! The options of a check. Each has a default that suits a first try.

use crate::efforts::Efforts;
use crate::outcome::Answer;
use crate::row::Row;
use crate::saving::Checkpoint;
use model::{Pattern, Reason, Stop};
use nets::InvariantUse;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fmt, thread};

/// Time between two looks at a time limit, which also ends when nothing has it any more.
const LOOK: Duration = Duration::from_millis(20);

/// The options of a check.
#[derive(Clone)]
pub struct Options<'a> {
    /// The engine that searches, one of [`crate::engines`]. With `None`, the default, all engines that can
    /// help take turns, and the first checked answer to each property counts.
    pub engine: Option<&'static Row>,
    /// Engines that do not take turns. For measurements: what does an engine contribute? The default is none. Some
    /// small searches do not count as turns and still run, such as the one of [`crate::engines::EXPLICIT`] on tiny
    /// systems.
    pub without: Vec<&'static Row>,
    /// Pattern matchers for the engine `dpllt`. The default is all built-in patterns. You can add your own.
    /// If there are none, `dpllt` also searches nets and thread-transition systems without invariants: the
    /// pure calculus.
    pub patterns: &'a [&'a dyn Pattern],
    /// For nets and thread-transition systems: the purposes for which `ic3.bits` and `ic3.ttscov` use
    /// invariants of the net. The default is all purposes. If there are no `patterns`, these engines use no
    /// invariants.
    pub invariants: InvariantUse,
    /// States per region of `dpllt`. 1 is the pure calculus. With `None`, the default, the number adapts.
    pub batch: Option<usize>,
    /// For nets and thread-transition systems: maximum number of tokens (threads). States beyond it are cut
    /// off.
    pub bound: Option<u64>,
    /// For nets and thread-transition systems: true if the net is sliced first. The default is true. Ignored
    /// with `explore_all`, because the counts are then those of the system as read.
    pub slice: bool,
    /// Seed of random walks and random orders. The same seed gives the same answer.
    pub seed: u64,
    /// Maximum number of threads that work on one system at the same time. Explicit search and temporal
    /// search can use more than one.
    pub jobs: usize,
    /// Where explicit searches of programs, nets and thread-transition systems go on when memory is used up. The
    /// default is none: they end with `unknown (memory)`.
    pub disk: Option<search::disk::Disk>,
    /// If given, the engine `explicit` stores three bits per state, in at most this number of bytes. It may leave
    /// states out, so it finds runs and proves nothing. The default is none.
    pub lossy: Option<usize>,
    /// True to complete the state space even if every property is settled, so that the counts are those of
    /// the whole space.
    pub explore_all: bool,
    /// True to continue after a violation until a breadth-first search has found a shortest run. The default
    /// is false. See [`Answer::shortest`].
    pub shortest: bool,
    /// Names of patterns. The lemmas of these patterns are accepted although the checker has no rule for them.
    /// The default is none.
    pub trust: Vec<String>,
    /// True to accept only what the checker's kernel confirms alone. The default is false. Other answers
    /// become `unknown (uncertified)`.
    pub kernel_only: bool,
    /// Maximum work of the checker for one claim ([`certify::Options::max_steps`]). Beyond it, the answer is
    /// `unknown (uncertified)`.
    pub check_steps: u64,
    /// Temporary storage for the check of closed sets that do not fit memory. The default is none. Without it, the
    /// answer for such a set is `unknown (uncertified)`.
    pub storage: Option<Arc<dyn certify::Storage>>,
    /// The flag that ends the work from outside: because of the time limit, the memory limit, or the user.
    pub stop: Arc<Stop>,
    /// Where engines are saved, and restored at their first turn. The default is nowhere. The caller raises
    /// [`Stop::pause`] when a checkpoint is due.
    pub checkpoint: Option<&'a dyn Checkpoint>,
    /// Called with each answer as soon as it is known. Answers that rest on the same claim come in one call.
    pub on_answers: &'a (dyn Fn(&[Answer]) + Sync),
    /// Called at the beginning of each turn, with the name of the engine.
    pub on_turn: &'a (dyn Fn(&'static str) + Sync),
    /// Where the scheduler records what each engine has done.
    pub efforts: Option<&'a Efforts>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            engine: None,
            without: Vec::new(),
            patterns: patterns::ALL,
            invariants: InvariantUse::ALL,
            batch: None,
            bound: None,
            slice: true,
            seed: 0,
            jobs: 1,
            disk: None,
            lossy: None,
            explore_all: false,
            shortest: false,
            trust: Vec::new(),
            kernel_only: false,
            check_steps: certify::Options::default().max_steps,
            storage: None,
            stop: Arc::default(),
            checkpoint: None,
            on_answers: &|_| {},
            on_turn: &|_| {},
            efforts: None,
        }
    }
}

impl Options<'_> {
    /// Ends the check after this time, counted from now: what is open then is `unknown (timeout)`. A thread watches the
    /// time, until the options and their flag are dropped.
    #[must_use]
    pub fn timeout(self, limit: Duration) -> Self {
        let (watched, end) = (Arc::downgrade(&self.stop), Instant::now().checked_add(limit));
        let watch = move || {
            while let (Some(end), Some(stop)) = (end, watched.upgrade()) {
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return stop.raise(Reason::Timeout);
                }
                drop(stop);
                thread::sleep(left.min(LOOK));
            }
        };
        // Without a thread there is no limit, and the check is as good.
        let _ = thread::Builder::new().name("timeout".to_owned()).spawn(watch);
        self
    }

    /// Returns true if this engine takes turns.
    pub(crate) fn chooses(&self, row: &Row) -> bool {
        match self.engine {
            Some(chosen) => chosen.name == row.name,
            None => self.without.iter().all(|left_out| left_out.name != row.name),
        }
    }

    /// Returns the options of the checker, with a limit of its work.
    pub(crate) fn checks(&self, max_steps: u64) -> certify::Options {
        let (trust, storage) = (self.trust.clone(), self.storage.clone());
        certify::Options { trust, max_steps, kernel_only: self.kernel_only, storage }
    }

    /// Returns the options of explicit search.
    pub(crate) fn exploration(&self, explore_all: bool) -> search::explicit::Options {
        search::explicit::Options { explore_all, jobs: self.jobs, disk: self.disk.clone() }
    }

    /// Returns these options with another engine. Its answers go to `on_answers`. `explore_all` and `shortest`
    /// are off, and engines are not saved.
    pub(crate) fn with_engine<'b>(
        &'b self,
        engine: Option<&'static Row>,
        on_answers: &'b (dyn Fn(&[Answer]) + Sync),
    ) -> Options<'b> {
        Options { engine, explore_all: false, shortest: false, checkpoint: None, on_answers, ..self.clone() }
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let patterns: Vec<&str> = self.patterns.iter().map(|p| p.name()).collect();
        f.debug_struct("Options")
            .field("engine", &self.engine)
            .field("patterns", &patterns)
            .field("invariants", &self.invariants)
            .field("batch", &self.batch)
            .field("bound", &self.bound)
            .field("slice", &self.slice)
            .field("seed", &self.seed)
            .field("explore_all", &self.explore_all)
            .field("shortest", &self.shortest)
            .field("trust", &self.trust)
            .field("kernel_only", &self.kernel_only)
            .field("check_steps", &self.check_steps)
            .finish_non_exhaustive()
    }
}
