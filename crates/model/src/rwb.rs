//! Behavioral programs: threads that request, wait for and block events (RWB; Harel, Marron, Weiss). Their file
//! format is described in `docs/rwb.md`.
//!
//! A [`Program`] is explicit: every thread is a finite transition system. A composite state has one local state
//! per thread. In a composite state, event `e` is *enabled* iff some thread requests it and no thread blocks
//! it. When `e` fires, every thread moves at the same time, each to any of its targets for `e`. A thread
//! without a move on `e` in its local state stays in this state.
//!
//! Local states may have *priorities*, as the statements of bppy's `PriorityBasedEventSelectionStrategy`. A request has
//! the priority of its local state, 0 if none is given. Among the events that are requested and not blocked, only those
//! with a request of the greatest priority are enabled. Blocks have no priority. So priorities only remove steps, and
//! they remove no state's last step: a state has an enabled event iff it has one without priorities. Proofs that no run
//! reaches a state therefore hold with priorities if they hold without them.
//!
//! A composite state without an enabled event is one of three kinds:
//! * If one of its local states is marked `bad`, it belongs to the goal `bad`.
//! * If every thread is in a state marked final, it is a *proper end*, which violates nothing.
//! * Otherwise it is a plain `deadlock`.

use crate::declarations::{Declaration, Declarations, Variables};
use crate::event_set::EventSet;
use crate::goal::Goal;
use crate::ids::{EventId, LocalId, ThreadId};
use crate::lines::Positions;
use crate::unread::Unread;
use std::collections::BTreeMap;

/// The range of priorities in programs as read. Programs that the tool makes from them have others as well.
pub const PRIORITIES: std::ops::RangeInclusive<i64> = i32::MIN as i64..=i32::MAX as i64;

/// A local state: one state of one thread. [`Program::new`] checks it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalState {
    /// The name, unique in the thread.
    pub name: String,
    /// The events that the thread requests in this state.
    pub request: EventSet,
    /// The events that the thread blocks in this state.
    pub block: EventSet,
    /// True if the state is a violation. A bad state blocks every event, requests no event and has no moves.
    pub bad: bool,
    /// The moves: for each event with a move, its targets (non-empty, ascending, no duplicates). Blocked events
    /// may have moves.
    pub on: BTreeMap<EventId, Vec<LocalId>>,
}

impl LocalState {
    /// Returns a bad state of a program with `universe` events. It blocks all of them.
    #[must_use]
    pub fn bad(name: String, universe: usize) -> Self {
        Self {
            name,
            request: EventSet::empty(universe),
            block: EventSet::full(universe),
            bad: true,
            on: BTreeMap::new(),
        }
    }
}

/// A thread: a finite transition system over the program's events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// The name, unique in the program.
    pub name: String,
    /// The local states; at least one.
    pub states: Vec<LocalState>,
    /// The initial states: non-empty, ascending, no duplicates.
    pub initial: Vec<LocalId>,
}

impl Thread {
    /// Returns the local state `s`.
    #[must_use]
    pub fn state(&self, s: LocalId) -> &LocalState {
        &self.states[s.index()]
    }

    /// Returns true if some local state is bad.
    #[must_use]
    pub fn has_bad(&self) -> bool {
        self.states.iter().any(|state| state.bad)
    }

    /// Iterates over the local states in which the thread may be after `e` fires in state `s`: its targets for
    /// `e`, or `s` itself if it has no move on `e`. Whether `e` can fire is not considered: a state that blocks
    /// `e` may still have targets.
    pub fn targets(&self, s: LocalId, e: EventId) -> impl Iterator<Item = LocalId> + '_ {
        let listed = self.state(s).on.get(&e);
        listed.into_iter().flatten().copied().chain(listed.is_none().then_some(s))
    }

    /// Returns, for each local state, true if it is locally reachable: reachable from an initial state by moves
    /// on events that the state itself does not block. Other threads are ignored, so these states include all
    /// states that the thread visits in the program. `O(states * events)`.
    #[must_use]
    pub fn locally_reachable(&self) -> Vec<bool> {
        let mut seen = vec![false; self.states.len()];
        let mut work = self.initial.clone();
        for s in &work {
            seen[s.index()] = true;
        }
        while let Some(s) = work.pop() {
            let state = self.state(s);
            for (e, targets) in &state.on {
                if state.block.contains(*e) {
                    continue;
                }
                for t in targets {
                    if !std::mem::replace(&mut seen[t.index()], true) {
                        work.push(*t);
                    }
                }
            }
        }
        seen
    }
}

/// A behavioral program. [`Program::new`] checks the rules in the documentation of its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    events: Vec<String>,
    threads: Vec<Thread>,
    check: Vec<Goal>,
    /// The positions of the local states in the text.
    pub(crate) positions: Positions,
    /// The declarations of events with data, if the text has some.
    declarations: Declarations,
    /// The variables of the threads in the text.
    pub(crate) variables: Variables,
    /// For each thread, the states in which it may end: ascending, none of them bad. The list is empty if no
    /// thread has such a state.
    pub(crate) finals: Vec<Vec<LocalId>>,
    /// For each thread, the states in which the program may end, whatever the other threads do: ascending, none of them
    /// bad, and all of them block all events. The list is empty if no thread has such a state.
    pub(crate) stops: Vec<Vec<LocalId>>,
    /// For each thread, the states of several threads of the text that block all events only together. The list is
    /// empty if no thread has such a state.
    pub(crate) joint: Vec<Vec<LocalId>>,
    /// For each thread, the states that it must leave: ascending, none of them bad. The list is empty if no thread has
    /// such a state.
    pub(crate) hot: Vec<Vec<LocalId>>,
    /// For each thread and local state, the priority of its requests. Empty if all priorities are 0.
    priorities: Vec<Vec<i64>>,
    /// `None` if the whole text was read.
    pub(crate) unread: Option<Unread>,
}

/// The reason why lists of events and threads do not form a program. Readers report it as a user error with a
/// location.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Invalid {
    /// Two events, two threads, or two states of a thread have the same name.
    #[error("the {what} `{name}` is declared twice")]
    Duplicate {
        /// `event`, `thread` or `state`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A thread has no states.
    #[error("thread `{0}` has no state")]
    NoState(String),
    /// A thread has no initial states.
    #[error("thread `{0}` has no initial state")]
    NoInitial(String),
    /// An id is out of range, an event set has another universe, or a list of targets is empty or not sorted.
    #[error("thread `{thread}`, state `{state}`: {what}")]
    Malformed {
        /// The name of the thread.
        thread: String,
        /// The name of the state.
        state: String,
        /// The violated rule.
        what: &'static str,
    },
    /// The list of goals is empty, contains a goal twice, or contains goals other than `bad` and `deadlock`.
    #[error("the list of goals to check is empty, repeats one, or has others than `bad` and `deadlock`")]
    Check,
}

impl Program {
    /// Creates a program after checking its parts. `check` lists the goals to check by default, in order. Bad
    /// states are normalised: they block every event, request no event and have no moves.
    ///
    /// # Errors
    /// Returns the first violated rule of [`Program`], [`Thread`] or [`LocalState`]. `O(size)`.
    pub fn new(events: Vec<String>, mut threads: Vec<Thread>, check: Vec<Goal>) -> Result<Self, Invalid> {
        unique("event", events.iter())?;
        unique("thread", threads.iter().map(|t| &t.name))?;
        for thread in &mut threads {
            normalise_bad(thread, events.len());
            check_thread(thread, events.len())?;
        }
        let repeated = check.iter().enumerate().any(|(i, g)| check[..i].contains(g));
        let other = check.iter().any(|goal| !matches!(goal, Goal::Bad | Goal::Deadlock));
        if check.is_empty() || repeated || other {
            return Err(Invalid::Check);
        }
        Ok(Self {
            events,
            threads,
            check,
            finals: Vec::new(),
            stops: Vec::new(),
            joint: Vec::new(),
            hot: Vec::new(),
            priorities: Vec::new(),
            unread: None,
            positions: Positions::default(),
            declarations: Declarations::default(),
            variables: Variables::default(),
        })
    }

    /// Sets the declarations of events, also of those that no thread requests.
    #[must_use]
    pub fn with_declarations(mut self, declarations: Vec<Declaration>) -> Self {
        self.declarations = Declarations(declarations.into());
        self
    }

    /// Returns the declarations of events, if the text has declarations of events with data.
    #[must_use]
    pub fn declarations(&self) -> &[Declaration] {
        &self.declarations.0
    }

    /// Sets the priorities of the requests of the local states, for each thread in order. Missing entries are 0, and so
    /// are the priorities of states without requests. `O(local states)`.
    ///
    /// # Panics
    /// Panics if the list contains threads or states that do not exist.
    #[must_use]
    pub fn with_priorities(mut self, mut priorities: Vec<Vec<i64>>) -> Self {
        assert!(priorities.len() <= self.threads.len(), "the program has these threads");
        priorities.resize(self.threads.len(), Vec::new());
        for (thread, own) in self.threads.iter().zip(&mut priorities) {
            assert!(own.len() <= thread.states.len(), "the thread has these states");
            own.resize(thread.states.len(), 0);
            let silent = thread.states.iter().zip(own).filter(|(state, _)| state.request.is_empty());
            silent.for_each(|(_, priority)| *priority = 0);
        }
        let is_plain = priorities.iter().flatten().all(|priority| *priority == 0);
        self.priorities = if is_plain { Vec::new() } else { priorities };
        self
    }

    /// Returns the priority of the requests of this state of the thread.
    #[must_use]
    pub fn priority(&self, t: ThreadId, s: LocalId) -> i64 {
        self.priorities.get(t.index()).map_or(0, |own| own[s.index()])
    }

    /// Returns true if some local state has a priority other than 0.
    #[must_use]
    pub fn has_priorities(&self) -> bool {
        !self.priorities.is_empty()
    }

    /// Returns the priorities, for each thread and local state. Empty if all priorities are 0.
    #[must_use]
    pub fn priorities(&self) -> &[Vec<i64>] {
        &self.priorities
    }

    /// Returns the number of the first place of each thread, and the number of all places. Formulas about
    /// programs use *places*: one for each local state of each thread, in order. A place holds one token while
    /// the thread is in this local state.
    #[must_use]
    pub fn places(&self) -> (Vec<usize>, usize) {
        let (mut first, mut next) = (Vec::with_capacity(self.threads.len()), 0);
        for thread in &self.threads {
            first.push(next);
            next += thread.states.len();
        }
        (first, next)
    }

    /// The names of the events, by [`EventId`].
    #[must_use]
    pub fn events(&self) -> &[String] {
        &self.events
    }

    /// The threads, by [`ThreadId`].
    #[must_use]
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// The goals to check by default.
    #[must_use]
    pub fn check(&self) -> &[Goal] {
        &self.check
    }

    /// Returns the name of `e`.
    #[must_use]
    pub fn event_name(&self, e: EventId) -> &str {
        &self.events[e.index()]
    }

    /// Returns the thread `t`.
    #[must_use]
    pub fn thread(&self, t: ThreadId) -> &Thread {
        &self.threads[t.index()]
    }
}

fn unique<'a>(what: &'static str, names: impl Iterator<Item = &'a String>) -> Result<(), Invalid> {
    let mut sorted: Vec<&String> = names.collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|w| w[0] == w[1]) {
        Some(w) => Err(Invalid::Duplicate { what, name: w[0].clone() }),
        None => Ok(()),
    }
}

fn normalise_bad(thread: &mut Thread, universe: usize) {
    for state in thread.states.iter_mut().filter(|s| s.bad) {
        *state = LocalState::bad(std::mem::take(&mut state.name), universe);
    }
}

fn check_thread(thread: &Thread, universe: usize) -> Result<(), Invalid> {
    if thread.states.is_empty() {
        return Err(Invalid::NoState(thread.name.clone()));
    }
    if thread.initial.is_empty() {
        return Err(Invalid::NoInitial(thread.name.clone()));
    }
    unique("state", thread.states.iter().map(|s| &s.name))?;
    let in_order = |ids: &[LocalId]| {
        ids.windows(2).all(|w| w[0] < w[1]) && ids.last().is_some_and(|s| s.index() < thread.states.len())
    };
    let malformed =
        |state: &str, what| Err(Invalid::Malformed { thread: thread.name.clone(), state: state.to_owned(), what });
    if !in_order(&thread.initial) {
        return malformed("(initial)", "initial states must be known, ascending and distinct");
    }
    for state in &thread.states {
        if state.request.universe() != universe || state.block.universe() != universe {
            return malformed(&state.name, "event sets must range over the program's events");
        }
        if state.on.keys().any(|e| e.index() >= universe) {
            return malformed(&state.name, "moves on an event the program does not have");
        }
        if !state.on.values().all(|targets| in_order(targets)) {
            return malformed(&state.name, "targets must be known, non-empty, ascending and distinct");
        }
    }
    Ok(())
}
