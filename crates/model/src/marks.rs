//! Marks of local states: in which the threads or the whole program may end, and which a thread must leave.

use crate::ids::{LocalId, ThreadId};
use crate::rwb::{Program, Thread};

impl Program {
    /// Sets the states in which the threads may end, for each thread in order. Bad states in the list are
    /// ignored. Without this list, no composite state is a proper end. `O(size of the list)`.
    ///
    /// # Panics
    /// Panics if the list contains threads or states that do not exist.
    #[must_use]
    pub fn with_finals(mut self, finals: Vec<Vec<LocalId>>) -> Self {
        self.finals = self.marks(finals);
        self
    }

    /// Sets the states of threads that stand for several threads of the text, none of which blocks all events alone.
    /// The program does not stop in them ([`Program::with_stops`]). `O(size of the list)`.
    ///
    /// # Panics
    /// Panics if the list contains threads or states that do not exist.
    #[must_use]
    pub fn with_joint_blocks(mut self, joint: Vec<Vec<LocalId>>) -> Self {
        self.joint = self.marks(joint);
        self
    }

    /// Returns true if the program may be declared to end in this state of the thread ([`Program::with_stops`]): it
    /// blocks all events, and is not bad.
    #[must_use]
    pub fn may_stop(&self, t: ThreadId, s: LocalId) -> bool {
        let state = self.thread(t).state(s);
        let is_joint = || is_in(&self.joint, t, s);
        !state.bad && state.block.is_full() && !is_joint()
    }

    /// Sets the states of a thread in which the program may end, whatever the other threads do. States in which it may
    /// not stop ([`Program::may_stop`]) are ignored. `O(size of the list)`.
    ///
    /// # Panics
    /// Panics if the list contains threads or states that do not exist.
    #[must_use]
    pub fn with_stops(mut self, mut stops: Vec<Vec<LocalId>>) -> Self {
        for (t, stops) in stops.iter_mut().enumerate() {
            stops.retain(|s| self.may_stop(ThreadId::new(t), *s));
        }
        self.stops = self.marks(stops);
        self
    }

    /// Returns marks of states, one sorted list for each thread and without bad states, or no list at all.
    fn marks(&self, mut marks: Vec<Vec<LocalId>>) -> Vec<Vec<LocalId>> {
        assert!(marks.len() <= self.threads().len(), "the program has these threads");
        for (thread, marks) in self.threads().iter().zip(&mut marks) {
            marks.retain(|s| !thread.state(*s).bad);
            marks.sort_unstable();
            marks.dedup();
        }
        marks.resize(self.threads().len(), Vec::new());
        if marks.iter().all(Vec::is_empty) { Vec::new() } else { marks }
    }

    /// Sets the hot states of the threads, for each thread in order. A thread must not stay in hot states for ever, and
    /// must not end in one ([`crate::Goal::Hot`]). Bad states in the list are ignored. `O(size of the list)`.
    ///
    /// # Panics
    /// Panics if the list contains threads or states that do not exist.
    #[must_use]
    pub fn with_hot(mut self, hot: Vec<Vec<LocalId>>) -> Self {
        self.hot = self.marks(hot);
        self
    }

    /// Returns true if this state of the thread is hot.
    #[must_use]
    pub fn is_hot(&self, t: ThreadId, s: LocalId) -> bool {
        is_in(&self.hot, t, s)
    }

    /// Returns true if some local state is hot.
    #[must_use]
    pub fn has_hot(&self) -> bool {
        !self.hot.is_empty()
    }

    /// Iterates over the threads with hot states.
    pub fn hot_threads(&self) -> impl Iterator<Item = ThreadId> + '_ {
        let hot = self.hot.iter().enumerate().filter(|(_, hot)| !hot.is_empty());
        hot.map(|(t, _)| ThreadId::new(t))
    }

    /// Sets the final states to all states that request no event, in place of the states marked final. The
    /// proper ends are then exactly the composite states in which no thread requests an event. `O(local
    /// states)`.
    #[must_use]
    pub fn with_quiet_ends(self) -> Self {
        let quiet = |thread: &Thread| {
            let ids = (0..thread.states.len()).map(LocalId::new);
            ids.filter(|s| thread.state(*s).request.is_empty()).collect()
        };
        let finals = self.threads().iter().map(quiet).collect();
        self.with_finals(finals)
    }

    /// Does the same as [`Program::with_quiet_ends`]. In addition, each composite state is a proper end in which some
    /// thread blocks all events. `O(local states)`.
    #[must_use]
    pub fn with_stopped_ends(self) -> Self {
        let all = self.threads().iter().map(|thread| (0..thread.states.len()).map(LocalId::new).collect()).collect();
        self.with_quiet_ends().with_stops(all)
    }

    /// Returns true if the program may end in some composite state.
    #[must_use]
    pub fn has_ends(&self) -> bool {
        self.has_finals() || self.has_stops()
    }

    /// Returns true if the program may end in some state of a thread, whatever the other threads do.
    #[must_use]
    pub fn has_stops(&self) -> bool {
        !self.stops.is_empty()
    }

    /// Returns true if the program may end in this state of the thread, whatever the other threads do.
    #[must_use]
    pub fn is_stop(&self, t: ThreadId, s: LocalId) -> bool {
        is_in(&self.stops, t, s)
    }

    /// Returns true if some local state is marked final.
    #[must_use]
    pub fn has_finals(&self) -> bool {
        !self.finals.is_empty()
    }

    /// Returns true if this thread may end in this state.
    #[must_use]
    pub fn is_final(&self, t: ThreadId, s: LocalId) -> bool {
        is_in(&self.finals, t, s)
    }

    /// Returns true if every thread is in a state in which it may end, or some thread is in one in which the program
    /// may end. (The composite state is a proper end if, in addition, no event is enabled.)
    #[must_use]
    pub fn may_end(&self, state: &[u32]) -> bool {
        let locals = || (0..).zip(state).map(|(t, s)| (ThreadId(t), LocalId(*s)));
        let is_stopped = || self.has_stops() && locals().any(|(t, s)| self.is_stop(t, s));
        (self.has_finals() && locals().all(|(t, s)| self.is_final(t, s))) || is_stopped()
    }
}

/// Returns true if the marks, one sorted list for each thread or no list at all, have this state.
fn is_in(marks: &[Vec<LocalId>], t: ThreadId, s: LocalId) -> bool {
    marks.get(t.index()).is_some_and(|own| own.binary_search(&s).is_ok())
}
