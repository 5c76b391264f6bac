//! Recognises the shape of a task from its graph: period, work and offset from one walk, then the matrix of
//! columns and rows.
//!
//! A task that is served whenever it requests its event passes through its rows at once, and then waits for the
//! end of its period. This walk determines the parameters, whatever the names of states are. The matrix then
//! determines how every other walk must look.

use super::conditions::{Conditions, SideCondition};
use crate::requests::Requests;
use model::{EventId, EventSet, LocalId, LocalState, Task, Thread, ThreadId, WhyNot};
use std::collections::VecDeque;

/// Maximum number of events that are tried as the own event of a thread. States of a task request few other
/// events.
const OWN_EVENTS: usize = 8;

/// A thread with the parameters of a task.
#[derive(Clone, Debug)]
pub(super) struct TaskThread {
    /// The parameters of the task.
    pub(super) task: Task,
    /// Row of the initial state: 0 if the thread starts with a release. Otherwise `work`, or less if a test has
    /// dropped a side condition.
    first_row: u32,
    /// The state of column 0, row 0.
    release: LocalId,
}

/// Columns and rows of the states of a task.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    /// For each state: its column and row. `None` if it has none.
    pub(super) pairs: Vec<Option<(u32, u32)>>,
    /// Events that some thread may request and that some pending state does not block.
    pub(super) passes: EventSet,
}

impl TaskThread {
    /// Returns the task that thread `id` looks like. If there is none, returns the reason for the first own
    /// event that fails.
    pub(super) fn of(thread: &Thread, id: ThreadId, requests: &Requests, keep: Conditions) -> Result<Self, WhyNot> {
        let fail = |what: String| Err(WhyNot::new(Some(id), format!("thread `{}` is no task: {what}", thread.name)));
        if keep.keep(SideCondition::OneInitialState) && thread.initial.len() != 1 {
            return fail(format!("it has {} initial states", thread.initial.len()));
        }
        let alone = |e: &EventId| requests.by_one_thread(*e) || !keep.keep(SideCondition::OwnEvent);
        let own: Vec<EventId> = requests.of(id).iter().filter(alone).take(OWN_EVENTS).collect();
        let mut first = None;
        for event in own {
            let walk = Walk { thread, id, event, requests, keep };
            match walk.shape().and_then(|shape| shape.matrix(thread, shape.task.period, requests, keep).map(|_| shape))
            {
                Ok(shape) => return Ok(shape),
                Err(why) => first = first.or(Some(why)),
            }
        }
        first.map_or_else(|| fail("it requests no event that no other thread requests".to_owned()), Err)
    }

    /// Computes columns and rows, assuming that no job ends later than `bound` steps after its release.
    pub(super) fn matrix(
        &self,
        thread: &Thread,
        bound: u32,
        requests: &Requests,
        keep: Conditions,
    ) -> Result<Matrix, WhyNot> {
        let walk = Walk { thread, id: self.task.thread, event: self.task.event, requests, keep };
        let mut pairs = vec![None; thread.states.len()];
        let start = (self.task.offset, self.first_row);
        pairs[thread.initial[0].index()] = Some(start);
        let mut passes = EventSet::empty(requests.all().universe());
        let mut queue = VecDeque::from([(thread.initial[0], start)]);
        while let Some((s, pair)) = queue.pop_front() {
            let pending = walk.is_pending(s, pair.1 < self.task.work)?;
            let mut open = requests.all().clone();
            open.subtract(&thread.state(s).block);
            for event in open.iter().filter(|e| walk.counts(s, *e)) {
                let Some(next) = self.next(pair, event, bound, keep) else { continue };
                let to = walk.target(s, event)?;
                if next == (0, 0) && !keep.keep(SideCondition::WrapToRelease) {
                    continue;
                }
                if next == (0, 0) && to != self.release {
                    return walk.fail(s, event, "ends the period elsewhere than in the state of a release");
                }
                match pairs[to.index()] {
                    None => {
                        pairs[to.index()] = Some(next);
                        queue.push_back((to, next));
                    }
                    Some(known) if known != next => {
                        return walk.fail(s, event, "leads to a state of another column or row");
                    }
                    Some(_) => {}
                }
            }
            if pending && (pair == (0, 0) || keep.keep(SideCondition::EveryPendingState)) {
                passes.union_with(&open);
            }
        }
        Ok(Matrix { pairs, passes })
    }

    /// Returns the pair to which `event` leads. Returns `None` if the event never fires there, because the job
    /// would end after `bound`.
    fn next(&self, (column, row): (u32, u32), event: EventId, bound: u32, keep: Conditions) -> Option<(u32, u32)> {
        let work = self.task.work;
        let pending = row < work;
        let row = row + u32::from(pending && event == self.task.event);
        let end = u64::from(column) + 1;
        if end == u64::from(self.task.period) {
            return (row == work).then_some((0, 0));
        }
        let done = end + u64::from(work - row) + u64::from(!keep.keep(SideCondition::LastSlot));
        (!pending || done <= u64::from(bound)).then_some((column + 1, row))
    }
}

/// A walk through a thread, in which `event` fires whenever the thread requests it.
#[derive(Clone, Copy)]
struct Walk<'a> {
    thread: &'a Thread,
    id: ThreadId,
    event: EventId,
    requests: &'a Requests,
    keep: Conditions,
}

impl Walk<'_> {
    fn why(&self, what: &str) -> WhyNot {
        WhyNot::new(Some(self.id), format!("thread `{}` is no task of ", self.thread.name)).event(self.event).text(what)
    }

    fn fail<T>(&self, s: LocalId, event: EventId, what: &str) -> Result<T, WhyNot> {
        let place = format!(": in state `{}` ", self.thread.state(s).name);
        Err(self.why(&place).event(event).text(format!(" {what}")))
    }

    /// Determines the parameters from the walk: the steps to the first release, then one period.
    fn shape(&self) -> Result<TaskThread, WhyNot> {
        let initial = self.thread.initial[0];
        let (mut lead_in, mut served_before) = (0, 0);
        let mut release = initial;
        let mut round = self.round(release);
        // If a test has dropped `StartsDone`, an initial state in the middle of a job is accepted, and it is
        // not taken as a release.
        let planted = round.is_err() && !self.keep.keep(SideCondition::StartsDone);
        if planted || !self.asks(initial) {
            let mut asked_before = true;
            while asked_before || !self.asks(release) {
                asked_before = self.asks(release);
                served_before += u32::from(asked_before);
                lead_in += 1;
                release = self.step(release)?;
                if lead_in as usize > self.thread.states.len() {
                    return Err(self.why(": it never asks for it"));
                }
            }
            round = self.round(release);
        }
        let (period, work) = round?;
        let offset = if lead_in == 0 { 0 } else { period.saturating_sub(lead_in) };
        if lead_in > 0 && offset == 0 || served_before > work {
            return Err(self.why(": its first release is later than a period"));
        }
        let task = Task { thread: self.id, event: self.event, period, work, offset };
        let first_row = if lead_in == 0 { 0 } else { work - served_before };
        Ok(TaskThread { task, first_row, release })
    }

    /// Returns the number of steps from `release` back to it, and how many of them at the beginning serve the
    /// task.
    fn round(&self, release: LocalId) -> Result<(u32, u32), WhyNot> {
        let (mut period, mut work) = (0, 0);
        let mut now = release;
        loop {
            if self.asks(now) {
                if period > work {
                    return Err(self.why(": a job ends in another state than the first one"));
                }
                work += 1;
            }
            now = self.step(now)?;
            period += 1;
            if now == release {
                return Ok((period, work));
            }
            if period as usize > self.thread.states.len() {
                return Err(self.why(": it never comes back to its first state"));
            }
        }
    }

    fn asks(&self, s: LocalId) -> bool {
        self.thread.state(s).request.contains(self.event)
    }

    /// Returns `pending`, which is true if the row of `s` has work left. Returns an error if the requests of
    /// `s` do not agree with this.
    fn is_pending(&self, s: LocalId, pending: bool) -> Result<bool, WhyNot> {
        let state = self.thread.state(s);
        if state.bad || pending != self.asks(s) {
            let what = if state.bad {
                "is bad in time"
            } else if pending {
                "has work to do and does not ask for it"
            } else {
                "asks for it after its work is done"
            };
            return Err(self.why(&format!(": state `{}` {what}", state.name)));
        }
        Ok(pending)
    }

    /// Returns true if the move on `event` counts. All moves do, unless a test has dropped a side condition.
    fn counts(&self, s: LocalId, event: EventId) -> bool {
        self.keep.keep(SideCondition::InvisibleSelfLoops) || self.thread.state(s).on.contains_key(&event)
    }

    /// Returns the state after the own event if the thread requests it in `s`, else the state after any event.
    fn step(&self, s: LocalId) -> Result<LocalId, WhyNot> {
        let state: &LocalState = self.thread.state(s);
        let open = |e: &EventId| !state.block.contains(*e);
        let event = if self.asks(s) { Some(self.event) } else { self.requests.all().iter().find(open) };
        match event.filter(open) {
            Some(event) => self.target(s, event),
            None => Err(self.why(&format!(": state `{}` blocks everything", state.name))),
        }
    }

    /// Returns the one state to which `event` leads.
    fn target(&self, s: LocalId, event: EventId) -> Result<LocalId, WhyNot> {
        let mut targets = self.thread.targets(s, event);
        let to = targets.next().expect("every event has a target");
        if self.keep.keep(SideCondition::SingleTargets) && targets.next().is_some() {
            return self.fail(s, event, "leads to several states");
        }
        Ok(to)
    }
}
