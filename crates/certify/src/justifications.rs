//! Checks justifications of lemmas: a clause must be an instance of the shape that its justification names, and
//! the side condition must hold.
//!
//! 1. An accepted clause is true of every run rho = s_0 e_0 .. e_{T-1} s_T that ends in its first goal state.
//!    Proof: suppose that everything the clause negates holds of rho. Otherwise a negated literal is true. Each
//!    rule below shows that then one of the positive literals it requires holds of rho. The argument stands at
//!    the rule, after "Sound". More literals only weaken a clause.
//!
//! The event at distance `back` from the end fires at time u = T - 1 - back. The state at distance `back` is
//! that of time T - back. For a clock, f(u) is its state at time u. It is defined for every time of every run
//! (see [`crate::clocks`]).

use crate::clauses::View as Clause;
use crate::clocks::{Clock, LassoSet};
use crate::threads::Threads;
use crate::{Check, arrays, counts, families, never_stuck, projected, reject};
use kernel::Work;
use model::{EventId, EventSet, Goal, Justification, LocalId, ThreadId};

/// Accepts `clause` if the justification makes it true of every violating run.
pub(crate) fn check(
    justification: &Justification,
    clause: &Clause<'_>,
    threads: &mut Threads<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    if let Justification::Projected { threads: members, back, length } = justification {
        return projected::check(members, *back, *length, clause, threads, work);
    }
    if let Justification::Counts { threads: members, length } = justification {
        return counts::check(members, *length, clause, threads, work);
    }
    if let Justification::Array(rule) = justification {
        return arrays::check(rule, clause, threads, work);
    }
    let mut checker = Checker { clause, threads, work };
    match *justification {
        Justification::EventExists { back, event } => checker.event_exists(back, event),
        Justification::OpenAt { back, event, thread } => checker.open_at(back, event, thread),
        Justification::RequestedAt { back, event } => checker.requested_at(back, event),
        Justification::BadState => checker.bad_state(),
        Justification::ClockState { back, thread, state } => checker.clock_state(back, thread, state),
        Justification::EnteredBy { back, thread, state } => checker.entered_by(back, thread, state),
        Justification::CameFrom { back, thread, state, event } => checker.came_from(back, thread, state, event),
        Justification::DeadAt { thread, event } => checker.dead_at(thread, event),
        Justification::RequestedBy { back, event } => checker.requested_by(back, event),
        Justification::BlockedBy { thread, state, event } => checker.blocked_by(thread, state, event),
        Justification::Future { ref state, thread } => checker.future(state, thread),
        Justification::NeverStuck => checker.never_stuck(),
        Justification::Projected { .. } | Justification::Counts { .. } | Justification::Array(_) => {
            unreachable!("seen to above")
        }
    }
}

struct Checker<'a, 'b, 'c> {
    clause: &'a Clause<'a>,
    threads: &'a mut Threads<'b>,
    work: &'a mut Work<'c>,
}

impl Checker<'_, '_, '_> {
    /// Sound: an event fired at distance `back`, so T > back.
    fn event_exists(&mut self, back: u32, event: EventId) -> Check<()> {
        self.not_event(back, event)?;
        self.covered(&LassoSet::from(u64::from(back) + 1), "the run has that many events")
    }

    /// Sound: the clock is in f(u) when the event fires, so f(u) does not block the event.
    fn open_at(&mut self, back: u32, event: EventId, thread: ThreadId) -> Check<()> {
        self.not_event(back, event)?;
        let stepper = self.threads.stepper;
        let clock = self.clock(thread)?;
        let open = clock.times(u64::from(back) + 1, |s| !stepper.blocks(thread.index(), s, event.0));
        self.covered(&open, "the clock does not block the event")
    }

    /// Sound: some thread requests the event when it fires. By the condition this thread is a clock, so it is
    /// in f(u) then.
    fn requested_at(&mut self, back: u32, event: EventId) -> Check<()> {
        self.not_event(back, event)?;
        let stepper = self.threads.stepper;
        for thread in self.threads.requesters(event.0).collect::<Vec<_>>() {
            self.work.spend(1)?;
            let Some(clock) = &self.threads.views[thread].clock else {
                return reject(format!("thread {thread} may request the event and is no clock"));
            };
            let requested = clock.times(u64::from(back) + 1, |s| stepper.requests(thread, s, event.0));
            self.covered(&requested, "a clock requests the event")?;
        }
        Ok(())
    }

    /// Sound: s_T has a bad local state, which is locally reachable.
    fn bad_state(&mut self) -> Check<()> {
        self.not_end(Goal::Bad)?;
        for (thread, view) in self.threads.views.iter().enumerate() {
            self.work.spend(view.reachable.len() as u64)?;
            let bad = view.reachable.iter().filter(|&&s| self.threads.stepper.is_bad(thread, s));
            for &state in bad {
                if !self.clause.has_state(true, 0, thread as u32, state) {
                    return reject(format!("the bad state {state} of thread {thread} is missing"));
                }
            }
        }
        Ok(())
    }

    /// Sound: no run ends in a plain deadlock ([`crate::never_stuck`]).
    fn never_stuck(&mut self) -> Check<()> {
        self.not_end(Goal::Deadlock)?;
        if never_stuck::holds(self.threads, self.work)? {
            return Ok(());
        }
        reject("no thread always requests an event of the ranked set")
    }

    /// Sound: the clock is in f(T - back) at distance `back`.
    fn clock_state(&mut self, back: u32, thread: ThreadId, state: LocalId) -> Check<()> {
        self.not_state(back, thread, state)?;
        let there = self.clock(thread)?.times(u64::from(back), |s| s == state.0);
        self.covered(&there, "the clock is in the state")
    }

    /// Sound: if T = back, the state is the thread's state in s_0, so it is initial. Otherwise the event before
    /// led to it, from a state that is locally reachable and does not block the event, since the event fired.
    fn entered_by(&mut self, back: u32, thread: ThreadId, state: LocalId) -> Check<()> {
        self.not_state(back, thread, state)?;
        if self.threads.stepper.initial(thread.index()).contains(&state.0) {
            self.covered(&LassoSet::only(u64::from(back)), "the state is initial")?;
        }
        for (event, _) in self.threads.ways_into(thread.index(), state.0, self.work)? {
            if !self.clause.has_event(true, back, event) {
                return reject(format!("event {event} leads to the state and is missing"));
            }
        }
        let mut open = EventSet::full(self.threads.stepper.events());
        open.subtract(self.threads.stepper.block(thread.index(), state.0));
        for event in open.iter() {
            self.work.spend(1)?;
            if self.threads.may_stay(thread.index(), state.0, event.0) && !self.clause.has_event(true, back, event.0) {
                return reject(format!("event {} leaves the thread in the state and is missing", event.0));
            }
        }
        Ok(())
    }

    /// Sound: T > back, since there is an event at distance `back`. The state one step earlier is locally
    /// reachable. It does not block the event, since the event fired, and has the later state among its
    /// targets.
    fn came_from(&mut self, back: u32, thread: ThreadId, state: LocalId, event: EventId) -> Check<()> {
        self.not_state(back, thread, state)?;
        self.not_event(back, event)?;
        let Some(earlier) = back.checked_add(1) else { return reject("the distance is too large") };
        let ways = self.threads.ways_into(thread.index(), state.0, self.work)?;
        let stays = self.threads.may_stay(thread.index(), state.0, event.0).then_some((event.0, state.0));
        for (_, from) in ways.into_iter().filter(|&(e, _)| e == event.0).chain(stays) {
            if !self.clause.has_state(true, earlier, thread.0, from) {
                return reject(format!("the event leads to the state from state {from}, which is missing"));
            }
        }
        Ok(())
    }

    /// Sound: in a plain deadlock s_T no thread is in a bad state. `thread` is in f(T). If f(T) requests the
    /// event, then some thread k blocks it, in a state that is not bad. By the condition k is a clock, so it is
    /// in f_k(T).
    fn dead_at(&mut self, thread: ThreadId, event: EventId) -> Check<()> {
        self.not_end(Goal::Deadlock)?;
        let stepper = self.threads.stepper;
        if event.index() >= stepper.events() {
            return reject(format!("there is no event {}", event.0));
        }
        let requester = thread.index();
        let silent =
            self.clock(thread)?.times(0, |s| !stepper.is_bad(requester, s) && !stepper.requests(requester, s, event.0));
        self.covered(&silent, "the clock does not request the event")?;
        for k in self.threads.blockers(event.0).collect::<Vec<_>>() {
            self.work.spend(1)?;
            let Some(clock) = &self.threads.views[k].clock else {
                return reject(format!("thread {k} may block the event and is no clock"));
            };
            let blocked = clock.times(0, |s| !stepper.is_bad(k, s) && stepper.blocks(k, s, event.0));
            self.covered(&blocked, "a clock blocks the event")?;
        }
        Ok(())
    }

    /// Sound: when the event fires, some thread requests it, in a state at distance `back + 1`. That state is
    /// locally reachable, and not bad, since bad states request nothing.
    fn requested_by(&mut self, back: u32, event: EventId) -> Check<()> {
        self.not_event(back, event)?;
        let Some(earlier) = back.checked_add(1) else { return reject("the distance is too large") };
        let stepper = self.threads.stepper;
        let requests = |thread, s| stepper.requests(thread, s, event.0);
        let threads = self.threads.requesters(event.0).collect();
        self.listed(earlier, threads, requests, "requests")
    }

    /// Sound: in a plain deadlock s_T no thread is in a bad state. `thread` is in `state`, which requests the
    /// event and does not block it. So another thread blocks it, in a locally reachable state that is not bad.
    fn blocked_by(&mut self, thread: ThreadId, state: LocalId, event: EventId) -> Check<()> {
        self.not_end(Goal::Deadlock)?;
        self.not_state(0, thread, state)?;
        let stepper = self.threads.stepper;
        if event.index() >= stepper.events() || !stepper.requests(thread.index(), state.0, event.0) {
            return reject(format!("state {} of thread {} does not request event {}", state.0, thread.0, event.0));
        }
        if stepper.blocks(thread.index(), state.0, event.0) {
            return reject(format!("state {} of thread {} blocks event {} itself", state.0, thread.0, event.0));
        }
        let blocks = |k, s| k != thread.index() && !stepper.is_bad(k, s) && stepper.blocks(k, s, event.0);
        let threads = self.threads.blockers(event.0).collect();
        self.listed(0, threads, blocks, "blocks")
    }

    /// Sound: after it visits the state, rho stays in the least closed family that contains the state
    /// ([`crate::families`]).
    fn future(&mut self, state: &[u32], thread: ThreadId) -> Check<()> {
        let stepper = self.threads.stepper;
        if !stepper.knows(state) || !self.clause.has_not_visited(state) || thread.index() >= stepper.width() {
            return reject("the clause does not exclude a visit to the state");
        }
        let moves = self.threads.moves(self.work)?;
        let family = families::closure(stepper, moves, |t| std::slice::from_ref(&state[t]), self.work)?;
        let missing = |&&s: &&u32| !self.clause.has_state(true, 0, thread.0, s);
        match family[thread.index()].iter().find(missing) {
            Some(s) => reject(format!("the thread may still get to state {s}, which is missing")),
            None => Ok(()),
        }
    }

    /// Checks that the clause has `StateBack(back, i, s)` for every locally reachable state s of every thread i
    /// for which `does(i, s)` is true. `threads` must include all threads that have such a state.
    fn listed(&mut self, back: u32, threads: Vec<usize>, does: impl Fn(usize, u32) -> bool, what: &str) -> Check<()> {
        for thread in threads {
            let view = &self.threads.views[thread];
            self.work.spend(1 + view.reachable.len() as u64)?;
            let missing = |&&s: &&u32| does(thread, s) && !self.clause.has_state(true, back, thread as u32, s);
            if let Some(state) = view.reachable.iter().find(missing) {
                return reject(format!("state {state} of thread {thread} {what} the event and is missing"));
            }
        }
        Ok(())
    }

    fn clock(&self, thread: ThreadId) -> Check<&Clock> {
        match self.threads.views.get(thread.index()).and_then(|view| view.clock.as_ref()) {
            Some(clock) => Ok(clock),
            None => reject(format!("thread {} is no clock", thread.0)),
        }
    }

    fn covered(&mut self, set: &LassoSet, what: &str) -> Check<()> {
        if self.clause.cover.covers(set, self.work)? {
            return Ok(());
        }
        reject(format!("the clause does not cover every run length at which {what}"))
    }

    fn not_event(&self, back: u32, event: EventId) -> Check<()> {
        if event.index() < self.threads.stepper.events() && self.clause.has_event(false, back, event.0) {
            return Ok(());
        }
        reject(format!("the clause does not exclude event {} at distance {back}", event.0))
    }

    fn not_state(&self, back: u32, thread: ThreadId, state: LocalId) -> Check<()> {
        let stepper = self.threads.stepper;
        let known = thread.index() < stepper.width() && state.index() < stepper.size(thread.index());
        if known && self.clause.has_state(false, back, thread.0, state.0) {
            return Ok(());
        }
        reject(format!("the clause does not exclude state {} of thread {} at distance {back}", state.0, thread.0))
    }

    fn not_end(&self, goal: Goal) -> Check<()> {
        if self.clause.has_end(false, goal) {
            return Ok(());
        }
        reject(format!("the clause does not exclude the goal `{goal}`"))
    }
}
