//! Behavioral programs: threads that request, wait for and block events (RWB; Harel, Marron, Weiss; format:
//! `docs/rwb.md`).
//!
//! A [`Program`] is explicit: every thread is a finite transition system. Meaning, for a composite state (one local
//! state per thread): event `e` is *enabled* iff some thread requests it and no thread blocks it. On `e` every thread
//! moves at once, each to any of its targets for `e`; a thread whose state does not mention `e` stays where it is. A
//! state with no enabled event is a *deadlock*; if one of its local states is marked `bad` it is of kind `bad`, else
//! a plain `deadlock`. Except for *proper ends*: no event is enabled, and every thread is in a state marked final.
//! They violate nothing.

use crate::event_set::EventSet;
use crate::goal::Goal;
use crate::ids::{EventId, LocalId, ThreadId};
use crate::positions::Positions;
use std::collections::BTreeMap;

/// One state of one thread. Built through [`Program::new`], which checks it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalState {
    /// Name, unique in the thread.
    pub name: String,
    /// Events this state asks for.
    pub request: EventSet,
    /// Events this state forbids.
    pub block: EventSet,
    /// Marks a violation. A bad state blocks every event, requests none and never moves.
    pub bad: bool,
    /// Where the thread goes on each event it mentions: non-empty, ascending, no duplicates. May mention blocked
    /// events.
    pub on: BTreeMap<EventId, Vec<LocalId>>,
}

impl LocalState {
    /// A bad state: blocks all of `universe` events.
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
    /// Name, unique in the program.
    pub name: String,
    /// Local states; at least one.
    pub states: Vec<LocalState>,
    /// Initial states: non-empty, ascending, no duplicates.
    pub initial: Vec<LocalId>,
}

impl Thread {
    /// The local state `s`.
    #[must_use]
    pub fn state(&self, s: LocalId) -> &LocalState {
        &self.states[s.index()]
    }

    /// Where the thread may be after `e` fires in state `s`: its targets, or `s` itself where it does not mention `e`.
    /// Says nothing about whether `e` can fire: a state that blocks `e` still has targets here.
    pub fn targets(&self, s: LocalId, e: EventId) -> impl Iterator<Item = LocalId> + '_ {
        let listed = self.state(s).on.get(&e);
        listed.into_iter().flatten().copied().chain(listed.is_none().then_some(s))
    }

    /// The states this thread can be in when only its own blocking is respected: reachable from an initial state over
    /// events that the state itself does not block. A superset of the states it takes in the composite program.
    /// Indexed by state; `O(states * events)`.
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

/// A whole behavioral program. Its parts satisfy the rules in their own documentation; see [`Program::new`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    events: Vec<String>,
    threads: Vec<Thread>,
    check: Vec<Goal>,
    /// Where its states are in a text.
    pub(crate) positions: Positions,
    /// By thread the states in which it may end: ascending, none of them bad. Empty if no thread has any.
    finals: Vec<Vec<LocalId>>,
}

/// Why a list of events and threads is not a program. Readers report these as user errors with a place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Invalid {
    /// Two events, threads or states of a thread share a name.
    #[error("the {what} `{name}` is declared twice")]
    Duplicate {
        /// `event`, `thread` or `state`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A thread without states.
    #[error("thread `{0}` has no state")]
    NoState(String),
    /// A thread without initial states.
    #[error("thread `{0}` has no initial state")]
    NoInitial(String),
    /// An id outside its list, a set over another universe, an empty or unsorted target list.
    #[error("thread `{thread}`, state `{state}`: {what}")]
    Malformed {
        /// Thread name.
        thread: String,
        /// State name.
        state: String,
        /// The rule that is broken.
        what: &'static str,
    },
    /// The list of goals is empty, repeats one, or has others than `bad` and `deadlock`.
    #[error("the list of goals to check is empty, repeats one, or has others than `bad` and `deadlock`")]
    Check,
}

impl Program {
    /// Checks the parts and makes them a program. `check` lists the goals asked for by default, in the order asked.
    /// Bad states are put into their normal form (block everything, request nothing, no moves).
    ///
    /// # Errors
    /// The first broken rule of [`Program`], [`Thread`] or [`LocalState`]. `O(size)`.
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
        Ok(Self { events, threads, check, finals: Vec::new(), positions: Positions::default() })
    }

    /// The program whose threads may end in these states, by thread; bad ones among them do not count. Without such a
    /// list no end is proper. `O(size of the list)`.
    ///
    /// # Panics
    /// If the list names threads or states that are not there.
    #[must_use]
    pub fn with_finals(mut self, mut finals: Vec<Vec<LocalId>>) -> Self {
        assert!(finals.len() <= self.threads.len(), "the program has these threads");
        for (thread, finals) in self.threads.iter().zip(&mut finals) {
            finals.retain(|s| !thread.state(*s).bad);
            finals.sort_unstable();
            finals.dedup();
        }
        finals.resize(self.threads.len(), Vec::new());
        self.finals = if finals.iter().all(Vec::is_empty) { Vec::new() } else { finals };
        self
    }

    /// The program whose threads may end wherever they request nothing, instead of in the states that are marked: the
    /// states in which no thread requests anything are the proper ends, and no others. `O(local states)`.
    #[must_use]
    pub fn with_quiet_ends(self) -> Self {
        let quiet = |thread: &Thread| {
            let ids = (0..thread.states.len()).map(LocalId::new);
            ids.filter(|s| thread.state(*s).request.is_empty()).collect()
        };
        let finals = self.threads.iter().map(quiet).collect();
        self.with_finals(finals)
    }

    /// Is some local state marked final?
    #[must_use]
    pub fn has_finals(&self) -> bool {
        !self.finals.is_empty()
    }

    /// May this thread end in this state?
    #[must_use]
    pub fn is_final(&self, t: ThreadId, s: LocalId) -> bool {
        self.finals.get(t.index()).is_some_and(|finals| finals.binary_search(&s).is_ok())
    }

    /// Is every thread in a state in which it may end? (A proper end if moreover no event is enabled.)
    #[must_use]
    pub fn all_final(&self, state: &[u32]) -> bool {
        self.has_finals() && (0..).zip(state).all(|(t, &s)| self.is_final(ThreadId(t), LocalId(s)))
    }

    /// By thread the number of its first place, and the number of all places. Formulas about programs speak of
    /// *places*: one for each local state of each thread, in their order, which holds one token while the thread is
    /// in that state.
    #[must_use]
    pub fn places(&self) -> (Vec<usize>, usize) {
        let (mut first, mut next) = (Vec::with_capacity(self.threads.len()), 0);
        for thread in &self.threads {
            first.push(next);
            next += thread.states.len();
        }
        (first, next)
    }

    /// Event names, by [`EventId`].
    #[must_use]
    pub fn events(&self) -> &[String] {
        &self.events
    }

    /// Threads, by [`ThreadId`].
    #[must_use]
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// The goals the program asks for by default.
    #[must_use]
    pub fn check(&self) -> &[Goal] {
        &self.check
    }

    /// The name of `e`.
    #[must_use]
    pub fn event_name(&self, e: EventId) -> &str {
        &self.events[e.index()]
    }

    /// The thread `t`.
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
