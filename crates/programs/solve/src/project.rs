//! Reduces programs to some *kept* threads. The other threads become an environment that blocks nothing and
//! requests every event that one of these threads may request.
//!
//! 1. Restrict a run of the program to the kept threads, and leave out the events that move no kept thread. The
//!    result is a run of the projection (Kurshan 1994: localization).
//!
//! The events that the environment may request, and those that it certainly requests and never blocks, are
//! computed for each thread alone ([`Outline`]), from its locally reachable states that are not bad. Bad states
//! can be ignored because no event fires while a thread is in one.

use model::{EventId, EventSet, LocalId, LocalState, Program, Thread, ThreadId};
use std::collections::BTreeMap;

/// What one thread does in its locally reachable states that are not bad. Lists of events are in ascending
/// order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outline {
    /// Number of locally reachable states, including bad ones.
    pub size: u64,
    /// True if a locally reachable state is bad.
    pub can_be_bad: bool,
    /// The events that at least one of the states requests.
    pub may_request: Vec<EventId>,
    /// The events that all of the states request; empty if there is no such state.
    pub must_request: Vec<EventId>,
    /// The events that at least one of the states blocks.
    pub may_block: Vec<EventId>,
    /// The events on which at least one of the states may move to another state, where the state does not block
    /// the event.
    pub moves: Vec<EventId>,
}

impl Outline {
    fn new(thread: &Thread, universe: usize) -> Self {
        let reachable = thread.locally_reachable();
        let here = || thread.states.iter().enumerate().filter(|(s, _)| reachable[*s]);
        let mut may_request = EventSet::empty(universe);
        let mut may_block = EventSet::empty(universe);
        let mut moves = EventSet::empty(universe);
        let mut must_request: Option<EventSet> = None;
        for (s, state) in here().filter(|(_, state)| !state.bad) {
            may_request.union_with(&state.request);
            may_block.union_with(&state.block);
            must_request.get_or_insert_with(|| state.request.clone()).intersect_with(&state.request);
            for (event, targets) in &state.on {
                if !state.block.contains(*event) && *targets != [LocalId::new(s)] {
                    moves.insert(*event);
                }
            }
        }
        let list = |set: &EventSet| set.iter().collect();
        Self {
            size: here().count() as u64,
            can_be_bad: here().any(|(_, state)| state.bad),
            may_request: list(&may_request),
            must_request: must_request.as_ref().map(list).unwrap_or_default(),
            may_block: list(&may_block),
            moves: list(&moves),
        }
    }

    /// Returns the events that the thread may request, may block or may move on, in ascending order.
    #[must_use]
    pub fn mentions(&self) -> Vec<EventId> {
        let mut all = [&self.may_request[..], &self.may_block, &self.moves].concat();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The events that are offered to kept threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offers {
    /// The kept threads and the environment. No thread moves.
    pub projected: Projected,
    /// For each event of the program in `projected`: the one thread that is not kept and may block the event,
    /// if there is one.
    pub blocker: Vec<Option<ThreadId>>,
}

/// The outlines of all threads. For each event, also the threads that may block it and the numbers of threads
/// that may or must request it.
#[derive(Clone, Debug)]
pub struct Outlines {
    threads: Vec<Outline>,
    may_request: Vec<u32>,
    must_request: Vec<u32>,
    /// For each event: the threads that may block it, in ascending order.
    blockers: Vec<Vec<ThreadId>>,
}

/// A program made of kept threads and an environment, which is the last thread and has one state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Projected {
    /// The kept threads in the given order, with all their local states under the same numbers, then the
    /// environment.
    pub program: Program,
    /// For each event of `program`: the event of the whole program.
    pub events: Vec<EventId>,
}

impl Outlines {
    /// Computes the outline of each thread of `program`. The cost is linear in the size of the program.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        let universe = program.events().len();
        let threads: Vec<Outline> = program.threads().iter().map(|t| Outline::new(t, universe)).collect();
        let count = |events: fn(&Outline) -> &[EventId]| {
            let mut counts = vec![0; universe];
            threads.iter().flat_map(events).for_each(|e| counts[e.index()] += 1);
            counts
        };
        let mut blockers = vec![Vec::new(); universe];
        for (t, outline) in threads.iter().enumerate() {
            outline.may_block.iter().for_each(|e| blockers[e.index()].push(ThreadId::new(t)));
        }
        Self { blockers, may_request: count(|t| &t.may_request), must_request: count(|t| &t.must_request), threads }
    }

    /// Returns the outline of `thread`.
    #[must_use]
    pub fn thread(&self, thread: ThreadId) -> &Outline {
        &self.threads[thread.index()]
    }

    /// Returns the outlines of all threads.
    #[must_use]
    pub fn threads(&self) -> &[Outline] {
        &self.threads
    }

    /// Returns the threads that block `event` in some locally reachable state that is not bad, in ascending
    /// order.
    #[must_use]
    pub fn blockers(&self, event: EventId) -> &[ThreadId] {
        &self.blockers[event.index()]
    }

    /// Returns true if some thread requests `event` in all of its locally reachable states that are not bad.
    #[must_use]
    pub fn is_always_requested(&self, event: EventId) -> bool {
        self.must_request[event.index()] > 0
    }

    /// Returns the projection of `program` onto `kept`. In it an event can fire iff no kept thread blocks it,
    /// and a kept thread requests it or another thread may request it. It has only those events that can move a
    /// kept thread; all other events leave the kept threads unchanged.
    ///
    /// # Panics
    /// If these are not the outlines of `program`, or the program does not have the threads in `kept`.
    #[must_use]
    pub fn project(&self, program: &Program, kept: &[ThreadId]) -> Projected {
        let mut events: Vec<EventId> = kept.iter().flat_map(|t| &self.thread(*t).moves).copied().collect();
        events.sort_unstable();
        events.dedup();
        let requested = self.without(&self.may_request, kept, |t| &t.may_request);
        let request = events.iter().map(|e| requested[e.index()] > 0).collect();
        Self::build(program, kept, events, request, true)
    }

    /// Returns the threads `kept` with the events offered to them; no thread moves. An event is enabled in a
    /// state of the result iff these conditions hold: a kept thread requests it there or another thread always
    /// does, no kept thread blocks it there, and at most one other thread ever blocks it.
    ///
    /// # Panics
    /// In the same cases as [`Outlines::project`].
    #[must_use]
    pub fn offers(&self, program: &Program, kept: &[ThreadId]) -> Offers {
        let counts: Vec<u32> = self.blockers.iter().map(|b| b.len() as u32).collect();
        let blocked = self.without(&counts, kept, |t| &t.may_block);
        let requested = self.without(&self.must_request, kept, |t| &t.must_request);
        let mut offered: Vec<bool> = requested.iter().map(|&count| count > 0).collect();
        kept.iter().flat_map(|t| &self.thread(*t).may_request).for_each(|e| offered[e.index()] = true);
        let events = (0..offered.len()).filter(|&e| offered[e] && blocked[e] <= 1).map(EventId::new);
        let events: Vec<EventId> = events.collect();
        let request = events.iter().map(|e| requested[e.index()] > 0).collect();
        let blocker = events.iter().map(|e| (blocked[e.index()] > 0).then(|| self.blocker(*e, kept))).collect();
        Offers { blocker, projected: Self::build(program, kept, events, request, false) }
    }

    /// Returns the first thread that is not kept and may block `event`. There must be one.
    fn blocker(&self, event: EventId, kept: &[ThreadId]) -> ThreadId {
        let mut others = self.blockers(event).iter().copied().filter(|t| kept.binary_search(t).is_err());
        others.next().expect("counted before")
    }

    /// Returns `counts` minus the contributions of the kept threads.
    fn without(&self, counts: &[u32], kept: &[ThreadId], events: fn(&Outline) -> &[EventId]) -> Vec<u32> {
        let mut counts = counts.to_vec();
        kept.iter().flat_map(|t| events(self.thread(*t))).for_each(|e| counts[e.index()] -= 1);
        counts
    }

    fn build(
        program: &Program,
        kept: &[ThreadId],
        events: Vec<EventId>,
        request: Vec<bool>,
        moving: bool,
    ) -> Projected {
        let mut threads: Vec<Thread> =
            kept.iter().map(|&t| restricted(program.thread(t), t.index(), &events, moving)).collect();
        threads.push(environment(&request));
        let names = events.iter().map(|e| e.0.to_string()).collect();
        let program = Program::new(names, threads, program.check().to_vec()).expect("parts of a program");
        Projected { program, events }
    }
}

/// Returns `thread` restricted to `events`. Its states do not move unless `moving` is true. Names are numbers.
fn restricted(thread: &Thread, number: usize, events: &[EventId], moving: bool) -> Thread {
    let universe = events.len();
    let renumbered = |set: &EventSet| {
        let inside = events.iter().enumerate().filter(|(_, e)| set.contains(**e));
        EventSet::from_events(universe, inside.map(|(new, _)| EventId::new(new)))
    };
    let moves = |state: &LocalState| -> BTreeMap<EventId, Vec<LocalId>> {
        let inside = state.on.iter().filter_map(|(e, to)| Some((events.binary_search(e).ok()?, to)));
        inside.map(|(new, to)| (EventId::new(new), to.clone())).collect()
    };
    let states = thread.states.iter().enumerate().map(|(s, state)| match state.bad {
        true => LocalState::bad(s.to_string(), universe),
        false => LocalState {
            name: s.to_string(),
            request: renumbered(&state.request),
            block: renumbered(&state.block),
            bad: false,
            on: if moving { moves(state) } else { BTreeMap::new() },
        },
    });
    Thread { name: number.to_string(), states: states.collect(), initial: thread.initial.clone() }
}

/// Returns a thread with one state that requests the marked events.
fn environment(request: &[bool]) -> Thread {
    let universe = request.len();
    let marked = request.iter().enumerate().filter(|(_, marked)| **marked).map(|(e, _)| EventId::new(e));
    let state = LocalState {
        name: "any".to_owned(),
        request: EventSet::from_events(universe, marked),
        block: EventSet::empty(universe),
        bad: false,
        on: BTreeMap::new(),
    };
    Thread { name: "others".to_owned(), states: vec![state], initial: vec![LocalId(0)] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Goal;

    fn state(request: &[u32], block: &[u32], on: &[(u32, &[u32])]) -> LocalState {
        let set = |list: &[u32]| EventSet::from_events(3, list.iter().map(|&e| EventId(e)));
        LocalState {
            name: String::new(),
            request: set(request),
            block: set(block),
            bad: false,
            on: on.iter().map(|(e, to)| (EventId(*e), to.iter().map(|&t| LocalId(t)).collect())).collect(),
        }
    }

    fn program(threads: Vec<Vec<LocalState>>) -> Program {
        let named = |(t, mut states): (usize, Vec<LocalState>)| {
            states.iter_mut().enumerate().for_each(|(s, state)| state.name = format!("s{s}"));
            Thread { name: format!("t{t}"), states, initial: vec![LocalId(0)] }
        };
        let threads = threads.into_iter().enumerate().map(named).collect();
        Program::new(vec!["a".into(), "b".into(), "c".into()], threads, vec![Goal::Bad]).unwrap()
    }

    fn ids(list: &[u32]) -> Vec<EventId> {
        list.iter().map(|&e| EventId(e)).collect()
    }

    /// A state behind a blocked event, a bad state and a self-loop do not appear in the outline.
    #[test]
    fn outlines_look_at_locally_reachable_states_that_are_not_bad() {
        let bad = LocalState { bad: true, ..state(&[], &[], &[]) };
        let thread = vec![
            state(&[0, 1], &[2], &[(0, &[1]), (1, &[0]), (2, &[3])]),
            state(&[0], &[], &[(1, &[2])]),
            bad,
            state(&[2], &[0], &[]),
        ];
        let outline = Outlines::new(&program(vec![thread])).thread(ThreadId(0)).clone();
        assert_eq!((outline.size, outline.can_be_bad), (3, true));
        assert_eq!(outline.may_request, ids(&[0, 1]));
        assert_eq!(outline.must_request, ids(&[0]));
        assert_eq!(outline.may_block, ids(&[2]));
        assert_eq!(outline.moves, ids(&[0, 1]));
    }

    /// Thread 0 moves on a and b. Thread 1 may request a, always requests c, and may block b.
    #[test]
    fn the_environment_requests_what_it_may_and_offers_what_it_must() {
        let zero = vec![state(&[1], &[], &[(0, &[1]), (1, &[0])]), state(&[], &[2], &[(1, &[0])])];
        let one = vec![state(&[2], &[], &[(2, &[1])]), state(&[0, 2], &[1], &[])];
        let program = program(vec![zero, one]);
        let outlines = Outlines::new(&program);
        let kept = [ThreadId(0)];
        let may = outlines.project(&program, &kept);
        assert_eq!(may.events, ids(&[0, 1]));
        let others = &may.program.threads()[1].states[0];
        assert_eq!(others.request.iter().collect::<Vec<_>>(), ids(&[0]));
        let Offers { projected: sure, blocker } = outlines.offers(&program, &kept);
        assert_eq!(sure.events, ids(&[1, 2]), "a need not be requested");
        assert_eq!(blocker, [Some(ThreadId(1)), None]);
        assert!(sure.program.threads()[1].states[0].request.contains(EventId(1)), "c is always requested");
        assert!(!sure.program.threads()[1].states[0].request.contains(EventId(0)));
        assert!(sure.program.threads()[0].states[1].block.contains(EventId(1)), "thread 0 blocks c in state 1");
        assert!(outlines.is_always_requested(EventId(2)) && !outlines.is_always_requested(EventId(0)));
    }

    #[test]
    fn nothing_kept_is_one_state() {
        let program = program(vec![vec![state(&[0], &[], &[])]]);
        let outlines = Outlines::new(&program);
        assert_eq!(outlines.project(&program, &[]).program.threads().len(), 1);
        assert_eq!(outlines.offers(&program, &[]).projected.events, ids(&[0]));
    }
}
