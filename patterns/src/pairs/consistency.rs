//! Arc consistency over threads: the states that are left to each thread at the end of a violating run.
//!
//! The method is AC-3 (Mackworth 1977). A state of thread j is removed if it cannot occur together with any
//! state left to thread i. Each removal is stored with its reason. So a contradiction can be explained with
//! the few clauses that lead to it. From these clauses, unit propagation finds the contradiction again (the
//! support encoding: Gent 2002).

use super::known::ThreadCache;
use model::{EventId, EventSet, LocalId, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// Limit on the number of blocking states for [`Reason::NeededAsBlocker`]. With more blocking states, the
/// reason would exclude little. Cells, for example, have few values.
const SHUT: usize = 64;

/// Some states of a thread that cannot be its last state, and the reason.
pub(crate) struct Removal {
    pub(crate) thread: ThreadId,
    pub(crate) removed: Vec<LocalId>,
    pub(crate) reason: Reason,
}

pub(crate) enum Reason {
    /// The removed states cannot occur together with any state left to the other thread.
    Beside {
        other: ThreadId,
        /// States left to the other thread, ascending.
        left: Vec<LocalId>,
    },
    /// In a deadlock: the removed states request this event, and no state left to another thread blocks it.
    Unblocked(EventId),
    /// In a deadlock: all states left to `requester` request `event`. The thread that loses states is the only
    /// other thread with a state left that blocks `event`, and the removed states do not block it.
    NeededAsBlocker {
        event: EventId,
        requester: ThreadId,
        /// States left to the requester, ascending.
        left: Vec<LocalId>,
    },
    /// In a deadlock: under the assumption that the thread is in the one removed state, some thread has no
    /// state left. These steps show it.
    Supposed(Vec<Removal>),
}

/// The states left to threads, and the removals that led there.
#[derive(Default)]
pub(crate) struct Narrowing {
    /// For each thread that lost a state: the states left to it, ascending.
    left: BTreeMap<ThreadId, Vec<LocalId>>,
    pub(crate) steps: Vec<Removal>,
    /// Pairs to process, small products first. The states left to the first thread may exclude states of the
    /// second.
    pending: BTreeSet<(u64, ThreadId, ThreadId)>,
    /// True if only events are processed, and no pairs yet.
    events_only: bool,
    /// In a deadlock: events to process again, because states that block or request them were removed.
    events: Option<EventSet>,
}

impl Narrowing {
    /// Starts from runs that end with `thread` in `state`.
    pub(crate) fn beside(known: &mut ThreadCache, thread: ThreadId, state: LocalId) -> Self {
        let mut narrowing = Self::default();
        narrowing.left.insert(thread, vec![state]);
        narrowing.expect_news(known, thread);
        narrowing
    }

    /// Starts from runs that end in a plain deadlock. Pairs are not processed until [`Narrowing::with_pairs`]
    /// is called.
    pub(crate) fn deadlock(known: &ThreadCache) -> Self {
        let universe = known.prints.threads()[0].states[0].request.universe();
        Self { events: Some(EventSet::full(universe)), events_only: true, ..Self::default() }
    }

    /// Starts from runs that end in a plain deadlock with `thread` in `state`. Only requests and blocks are
    /// processed, not pairs.
    pub(crate) fn suppose(known: &ThreadCache, thread: ThreadId, state: LocalId) -> Self {
        let events = Some(known.prints.thread(thread).state(state).request.clone());
        let left = BTreeMap::from([(thread, vec![state])]);
        Self { left, events, events_only: true, ..Self::default() }
    }

    /// Processes pairs from now on, too.
    pub(crate) fn with_pairs(&mut self, known: &mut ThreadCache) {
        self.events_only = false;
        for i in self.left.keys().copied().collect::<Vec<_>>() {
            self.expect_news(known, i);
        }
    }

    /// Removes `state` of `thread`. The given steps show that assuming it leads to a contradiction.
    pub(crate) fn refute(
        &mut self,
        known: &mut ThreadCache,
        thread: ThreadId,
        state: LocalId,
        steps: Vec<Removal>,
    ) -> Option<ThreadId> {
        let of = self.left(known, thread);
        self.remove(known, of, Removal { thread, removed: vec![state], reason: Reason::Supposed(steps) })
    }

    /// Returns the threads that lost states, each with the states left to it.
    pub(crate) fn narrowed(&self) -> impl Iterator<Item = (ThreadId, &[LocalId])> {
        self.left.iter().map(|(&i, left)| (i, &left[..]))
    }

    /// Returns the states left to `i`, ascending.
    pub(crate) fn left(&self, known: &mut ThreadCache, i: ThreadId) -> Vec<LocalId> {
        self.left.get(&i).cloned().unwrap_or_else(|| known.states(i).to_vec())
    }

    /// Removes states until nothing changes or the effort is spent. Returns a thread without any state left, if
    /// there is one.
    pub(crate) fn run(&mut self, known: &mut ThreadCache) -> Option<ThreadId> {
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

    fn look_at_pair(&mut self, known: &mut ThreadCache, i: ThreadId, j: ThreadId) -> Option<ThreadId> {
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
        self.remove(known, of, Removal { thread: j, removed, reason: Reason::Beside { other: i, left: from } })
    }

    fn look_at_event(&mut self, known: &mut ThreadCache, event: EventId) -> Option<ThreadId> {
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
                (None, _) => Removal { thread: i, removed, reason: Reason::Unblocked(event) },
                (Some((k, shut)), None) if removed.len() == of.len() && shut.len() <= SHUT => {
                    let open = |u: &LocalId| shut.binary_search(u).is_err();
                    let removed = self.left(known, *k).into_iter().filter(open).collect();
                    Removal { thread: *k, removed, reason: Reason::NeededAsBlocker { event, requester: i, left: of } }
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

    /// Returns the states that are left to threads and that block `event`, grouped by thread. Returns `None`
    /// if there are too many states that block it.
    fn left_to_block(&self, known: &mut ThreadCache, event: EventId) -> Option<Vec<(ThreadId, Vec<LocalId>)>> {
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

    /// Performs a removal. Returns its thread if this thread has no state left.
    fn remove(&mut self, known: &mut ThreadCache, mut of: Vec<LocalId>, step: Removal) -> Option<ThreadId> {
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

    fn expect_news(&mut self, known: &mut ThreadCache, i: ThreadId) {
        if self.events_only {
            return;
        }
        for j in known.neighbours(i) {
            self.pending.insert((known.product(i, j), i, j));
        }
    }

    /// Returns the steps that explain why `thread` has no state left, in order.
    pub(crate) fn explain(self, known: &mut ThreadCache, thread: ThreadId) -> Vec<Removal> {
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

fn blockers(known: &mut ThreadCache, event: EventId) -> impl Iterator<Item = ThreadId> {
    known.blocking(event).unwrap_or_default().iter().map(|(k, _)| *k)
}
