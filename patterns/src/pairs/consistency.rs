//! Arc consistency over threads: which states are left to each, given what is known of the last state of the run.
//!
//! After Mackworth 1977 (AC-3): a state of thread j goes if no state left to thread i can stand beside it. What goes is
//! remembered with its reason, so that a contradiction can be told in few clauses: those on the way to it. The clauses are
//! such that unit propagation finds it again (the support encoding: Gent 2002).

use super::known::Known;
use model::{EventId, EventSet, LocalId, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// States of which one must block an event, for that to say much: cells have few values.
const SHUT: usize = 64;

/// Some states of a thread that cannot be its last, and why.
pub(crate) struct Step {
    pub(crate) thread: ThreadId,
    pub(crate) removed: Vec<LocalId>,
    pub(crate) reason: Reason,
}

pub(crate) enum Reason {
    /// Nothing that is left to the other thread can stand beside them.
    Beside {
        other: ThreadId,
        /// What is left to it, ascending.
        left: Vec<LocalId>,
    },
    /// In a deadlock: they request an event that nobody is left to block.
    Unblocked(EventId),
    /// In a deadlock: another thread requests an event whatever is left to it, and only other states of this one are left
    /// to block it.
    NeededAsBlocker {
        event: EventId,
        requester: ThreadId,
        /// What is left to the requester, ascending.
        left: Vec<LocalId>,
    },
    /// In a deadlock: supposing the one state that is removed empties a thread in these steps.
    Supposed(Vec<Step>),
}

/// Which states are left to threads, and how that came.
#[derive(Default)]
pub(crate) struct Narrowing {
    /// Of threads that lost a state: what is left, ascending.
    left: BTreeMap<ThreadId, Vec<LocalId>>,
    pub(crate) steps: Vec<Step>,
    /// Pairs to look at, small products first: what is left to the first thread may say something about the second.
    pending: BTreeSet<(u64, ThreadId, ThreadId)>,
    /// Has nobody looked at pairs yet?
    events_only: bool,
    /// In a deadlock: events to look at again, since states that block or request them have gone.
    events: Option<EventSet>,
}

impl Narrowing {
    /// Of runs that end with `thread` in `state`.
    pub(crate) fn beside(known: &mut Known, thread: ThreadId, state: LocalId) -> Self {
        let mut narrowing = Self::default();
        narrowing.left.insert(thread, vec![state]);
        narrowing.expect_news(known, thread);
        narrowing
    }

    /// Of runs that end in a plain deadlock. Pairs are left for later.
    pub(crate) fn deadlock(known: &Known) -> Self {
        let universe = known.prints.threads()[0].states[0].request.universe();
        Self { events: Some(EventSet::full(universe)), events_only: true, ..Self::default() }
    }

    /// Of runs that end in a plain deadlock with `thread` in `state`, as far as requests and blocks tell.
    pub(crate) fn suppose(known: &Known, thread: ThreadId, state: LocalId) -> Self {
        let events = Some(known.prints.thread(thread).state(state).request.clone());
        let left = BTreeMap::from([(thread, vec![state])]);
        Self { left, events, events_only: true, ..Self::default() }
    }

    /// Looks at pairs from now on.
    pub(crate) fn with_pairs(&mut self, known: &mut Known) {
        self.events_only = false;
        for i in self.left.keys().copied().collect::<Vec<_>>() {
            self.expect_news(known, i);
        }
    }

    /// `state` of `thread` cannot be: supposing it comes to nothing by these steps.
    pub(crate) fn refute(
        &mut self,
        known: &mut Known,
        thread: ThreadId,
        state: LocalId,
        steps: Vec<Step>,
    ) -> Option<ThreadId> {
        let of = self.left(known, thread);
        self.remove(known, of, Step { thread, removed: vec![state], reason: Reason::Supposed(steps) })
    }

    /// Threads that lost states, with what is left to them.
    pub(crate) fn narrowed(&self) -> impl Iterator<Item = (ThreadId, &[LocalId])> {
        self.left.iter().map(|(&i, left)| (i, &left[..]))
    }

    /// What is left to `i`, ascending.
    pub(crate) fn left(&self, known: &mut Known, i: ThreadId) -> Vec<LocalId> {
        self.left.get(&i).cloned().unwrap_or_else(|| known.states(i).to_vec())
    }

    /// Goes on until nothing changes or the effort ends; a thread to which no state is left, if there is one.
    pub(crate) fn run(&mut self, known: &mut Known) -> Option<ThreadId> {
        while !known.effort.is_spent() {
            let event = self.events.as_ref().and_then(|events| events.iter().next());
            let empty = if let Some(event) = event {
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
        if !known.effort.spend((from.len() + of.len()) as u64) || of.is_empty() {
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
        known.effort.spend(looks);
        self.remove(known, of, Step { thread: j, removed, reason: Reason::Beside { other: i, left: from } })
    }

    fn look_at_event(&mut self, known: &mut Known, event: EventId) -> Option<ThreadId> {
        self.events.as_mut()?.remove(event);
        let blocking = self.left_to_block(known, event)?;
        for &i in known.prints.requesters(event) {
            let of = self.left(known, i);
            if !known.effort.spend(1 + (of.len() + blocking.len()) as u64) || of.is_empty() {
                return None;
            }
            let stuck = |s: &LocalId| known.needs_blocker(i, *s, event);
            let removed: Vec<LocalId> = of.iter().copied().filter(stuck).collect();
            let mut others = blocking.iter().filter(|(k, _)| *k != i);
            let step = match (others.next(), others.next()) {
                (None, _) => Step { thread: i, removed, reason: Reason::Unblocked(event) },
                (Some((k, shut)), None) if removed.len() == of.len() && shut.len() <= SHUT => {
                    let open = |u: &LocalId| shut.binary_search(u).is_err();
                    let removed = self.left(known, *k).into_iter().filter(open).collect();
                    Step { thread: *k, removed, reason: Reason::NeededAsBlocker { event, requester: i, left: of } }
                }
                _ => continue,
            };
            let of = self.left(known, step.thread);
            let empty = self.remove(known, of, step);
            if empty.is_some() {
                return empty;
            }
        }
        None
    }

    /// The states left to threads in which they block `event`, by thread; `None` if they are too many to know.
    fn left_to_block(&self, known: &mut Known, event: EventId) -> Option<Vec<(ThreadId, Vec<LocalId>)>> {
        let mut found = Vec::new();
        let blocking = known.blocking(event)?;
        let looks = blocking.len() as u64;
        for states in blocking.chunk_by(|a, b| a.0 == b.0) {
            let left = self.left.get(&states[0].0);
            let is_left = |u: &LocalId| left.is_none_or(|left| left.binary_search(u).is_ok());
            let still: Vec<LocalId> = states.iter().map(|&(_, u)| u).filter(is_left).collect();
            if !still.is_empty() {
                found.push((states[0].0, still));
            }
        }
        known.effort.spend(looks);
        Some(found)
    }

    /// Takes the step; its thread if nothing is left to that.
    fn remove(&mut self, known: &mut Known, mut of: Vec<LocalId>, step: Step) -> Option<ThreadId> {
        if step.removed.is_empty() {
            return None;
        }
        let thread = step.thread;
        of.retain(|s| step.removed.binary_search(s).is_err());
        let empty = of.is_empty();
        if let Some(events) = &mut self.events {
            let of_thread = known.prints.thread(thread);
            let shut = step.removed.iter().map(|s| of_thread.state(*s)).filter(|s| !s.bad).map(|s| &s.block);
            shut.chain(of.first().map(|s| &of_thread.state(*s).request)).for_each(|set| events.union_with(set));
            known.effort.spend(step.removed.len() as u64 * (events.universe() as u64 / 64));
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
        if self.events_only {
            return;
        }
        for j in known.neighbours(i) {
            self.pending.insert((known.product(i, j), i, j));
        }
    }

    /// The steps that emptying `thread` rests on, in order.
    pub(crate) fn explain(self, known: &mut Known, thread: ThreadId) -> Vec<Step> {
        let mut needed = BTreeSet::from([thread]);
        let mut steps = Vec::new();
        for step in self.steps.into_iter().rev() {
            if !needed.contains(&step.thread) {
                continue;
            }
            match &step.reason {
                Reason::Beside { other, .. } => drop(needed.insert(*other)),
                Reason::Unblocked(event) => needed.extend(blockers(known, *event)),
                Reason::NeededAsBlocker { event, requester, .. } => {
                    needed.insert(*requester);
                    needed.extend(blockers(known, *event));
                }
                Reason::Supposed(_) => {}
            }
            steps.push(step);
        }
        steps.reverse();
        steps
    }
}

fn blockers(known: &mut Known, event: EventId) -> impl Iterator<Item = ThreadId> {
    known.blocking(event).unwrap_or_default().iter().map(|(k, _)| *k)
}
