//! Arc consistency over threads: which states are left to each, given what is known of the last state of the run.
//!
//! After Mackworth 1977 (AC-3): a state of thread j goes if no state left to thread i can stand beside it. What goes is
//! remembered with its reason, so that a contradiction can be told in few clauses: those on the way to it. The clauses are
//! such that unit propagation finds it again (the support encoding: Gent 2002).

use super::known::Known;
use crate::group::SideCondition;
use model::{EventId, LocalId, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// Some states of a thread that cannot be its last, and why.
pub(super) struct Step {
    pub(super) thread: ThreadId,
    pub(super) removed: Vec<LocalId>,
    pub(super) reason: Reason,
}

pub(super) enum Reason {
    /// Nothing that is left to the other thread can stand beside them.
    Beside {
        other: ThreadId,
        /// What is left to it, ascending.
        left: Vec<LocalId>,
    },
    /// In a deadlock: they request an event that nobody is left to block.
    Unblocked(EventId),
}

/// Which states are left to threads, and how that came.
#[derive(Default)]
pub(super) struct Narrowing {
    /// Of threads that lost a state: what is left, ascending.
    left: BTreeMap<ThreadId, Vec<LocalId>>,
    pub(super) steps: Vec<Step>,
    /// Pairs to look at, small products first: what is left to the first thread may say something about the second.
    pending: BTreeSet<(u64, ThreadId, ThreadId)>,
    /// In a deadlock: events to look at again, since a state that blocks them has gone.
    events: BTreeSet<EventId>,
    /// Is the run one that ends in a plain deadlock?
    deadlock: bool,
}

impl Narrowing {
    /// Of runs that end with `thread` in `state`.
    pub(super) fn beside(known: &mut Known, thread: ThreadId, state: LocalId) -> Self {
        let mut narrowing = Self::default();
        narrowing.left.insert(thread, vec![state]);
        narrowing.expect_news(known, thread);
        narrowing
    }

    /// Of runs that end in a plain deadlock. `events`: those that somebody requests.
    pub(super) fn deadlock(events: BTreeSet<EventId>) -> Self {
        Self { events, deadlock: true, ..Self::default() }
    }

    /// Threads that lost states, with what is left to them.
    pub(super) fn narrowed(&self) -> impl Iterator<Item = (ThreadId, &[LocalId])> {
        self.left.iter().map(|(&i, left)| (i, &left[..]))
    }

    /// What is left to `i`, ascending.
    pub(super) fn left(&self, known: &mut Known, i: ThreadId) -> Vec<LocalId> {
        self.left.get(&i).cloned().unwrap_or_else(|| known.states(i).to_vec())
    }

    /// Goes on until nothing changes or the budget ends; a thread to which no state is left, if there is one.
    pub(super) fn run(&mut self, known: &mut Known) -> Option<ThreadId> {
        while !known.budget.is_spent() {
            let empty = if let Some(event) = self.events.pop_first() {
                self.look_at_event(known, event)
            } else if let Some((_, i, j)) = self.pending.pop_first() {
                self.look_at_pair(known, i, j)
            } else {
                return None;
            };
            if empty.is_some() {
                return empty;
            }
        }
        None
    }

    fn look_at_pair(&mut self, known: &mut Known, i: ThreadId, j: ThreadId) -> Option<ThreadId> {
        let (from, of) = (self.left(known, i), self.left(known, j));
        if !known.budget.spend((from.len() + of.len()) as u64) || of.is_empty() {
            return None;
        }
        let pair = known.pair(i, j)?;
        let mut looks = 0;
        let removed: Vec<LocalId> = of
            .iter()
            .copied()
            .filter(|&t| {
                let at = from.iter().position(|&s| pair.contains(s, t));
                looks += at.map_or(from.len(), |at| at + 1) as u64;
                at.is_none()
            })
            .collect();
        known.budget.spend(looks);
        self.remove(known, of, Step { thread: j, removed, reason: Reason::Beside { other: i, left: from } })
    }

    fn look_at_event(&mut self, known: &mut Known, event: EventId) -> Option<ThreadId> {
        let mut blocking = known.blocking(event)?.to_vec();
        blocking.retain(|(k, u)| self.left.get(k).is_none_or(|left| left.binary_search(u).is_ok()));
        let any_blocker = known.prints.conditions().keep(SideCondition::EveryBlocker);
        for &i in known.prints.requesters(event) {
            let of = self.left(known, i);
            if !known.budget.spend(1 + (of.len() + blocking.len()) as u64) || of.is_empty() {
                return None;
            }
            if blocking.iter().any(|&(k, _)| any_blocker || k != i) {
                continue;
            }
            let requests = |s: &LocalId| known.prints.thread(i).state(*s).request.contains(event);
            let removed = of.iter().copied().filter(requests).collect();
            let empty = self.remove(known, of, Step { thread: i, removed, reason: Reason::Unblocked(event) });
            if empty.is_some() {
                return empty;
            }
        }
        None
    }

    /// Takes the step; its thread if nothing is left to that.
    fn remove(&mut self, known: &mut Known, mut of: Vec<LocalId>, step: Step) -> Option<ThreadId> {
        if step.removed.is_empty() {
            return None;
        }
        let thread = step.thread;
        of.retain(|s| step.removed.binary_search(s).is_err());
        let empty = of.is_empty();
        if self.deadlock {
            for s in &step.removed {
                self.events.extend(known.prints.thread(thread).state(*s).block.iter());
            }
        }
        self.left.insert(thread, of);
        self.steps.push(step);
        if empty {
            return Some(thread);
        }
        self.expect_news(known, thread);
        None
    }

    fn expect_news(&mut self, known: &mut Known, i: ThreadId) {
        for j in known.neighbours(i) {
            self.pending.insert((known.product(i, j), i, j));
        }
    }

    /// The steps that emptying `thread` rests on, in order.
    pub(super) fn explain(&self, known: &mut Known, thread: ThreadId) -> Vec<&Step> {
        let mut needed = BTreeSet::from([thread]);
        let mut steps = Vec::new();
        for step in self.steps.iter().rev() {
            if !needed.contains(&step.thread) {
                continue;
            }
            match &step.reason {
                Reason::Beside { other, .. } => drop(needed.insert(*other)),
                Reason::Unblocked(event) => {
                    needed.extend(known.blocking(*event).unwrap_or_default().iter().map(|(k, _)| *k));
                }
            }
            steps.push(step);
        }
        steps.reverse();
        steps
    }
}
