//! Selects the clauses about pairs that are emitted: those that refute the goal, or those about threads near
//! the ones that the violation narrows down.

use super::clauses::{Clauses, Kinds};
use super::consistency::{Narrowing, Reason, Removal};
use super::known::ThreadCache;
use crate::group::{Footprints, SideCondition};
use model::{Effort, EventId, LocalId, ThreadId, WhyNot};
use std::collections::{BTreeSet, VecDeque};

/// Maximum number of literals of clauses that do not refute the goal. They suffice for some hundred pairs, and
/// cost little compared to the search.
pub(crate) const OPEN_LITERALS: usize = 20_000;
/// Limit on the number of states left to a thread. Up to this limit, clauses state that the thread is in at
/// most one of them.
const EXCLUSIVE: usize = 24;

/// Finds clauses within an effort.
pub(crate) struct Finder<'a> {
    pub(crate) known: ThreadCache<'a>,
    pub(crate) clauses: Clauses,
}

/// A bad state that pairs do not exclude.
pub(crate) struct Open {
    pub(crate) marker: ThreadId,
    pub(crate) state: LocalId,
    pub(crate) narrowing: Narrowing,
}

impl<'a> Finder<'a> {
    pub(crate) fn new(prints: &'a Footprints<'a>, effort: Effort, kinds: Kinds) -> Self {
        Self { known: ThreadCache::new(prints, effort), clauses: Clauses::new(kinds) }
    }

    pub(super) fn bad(&mut self) -> Result<(), WhyNot> {
        let (bad_states, open) = self.bad_states();
        let narrowings: Vec<&Narrowing> = open.iter().map(|open| &open.narrowing).collect();
        self.near(&narrowings);
        if self.clauses.lemmas.len() > 1 || bad_states.is_empty() {
            return Ok(());
        }
        Err(self.alone(bad_states[0]))
    }

    /// Explains why there is no match: this bad state excludes no state of another thread.
    pub(crate) fn alone(&self, (i, s): (ThreadId, LocalId)) -> WhyNot {
        let thread = self.known.prints.thread(i);
        let text = format!("no thread's state is ruled out beside `{}` of `{}`", thread.state(s).name, thread.name);
        WhyNot::new(Some(i), text)
    }

    /// Returns all bad states, and the open ones among them, which pairs do not exclude. Clauses refute the
    /// other bad states. If the effort is spent or the clauses are full, some bad states may be neither open
    /// nor refuted.
    pub(crate) fn bad_states(&mut self) -> (Vec<(ThreadId, LocalId)>, Vec<Open>) {
        let prints = self.known.prints;
        let mut bad_states = Vec::new();
        for i in (0..prints.threads().len()).map(ThreadId::new) {
            bad_states.extend(prints.reachable(i).filter(|&s| prints.thread(i).state(s).bad).map(|s| (i, s)));
        }
        if !prints.conditions().keep(SideCondition::EveryBadState) {
            let first = bad_states.first().map(|&(i, _)| i);
            bad_states.retain(|&(i, _)| Some(i) == first);
        }
        self.clauses.bad(&self.known, &bad_states);
        let mut open = Vec::new();
        for &(marker, state) in &bad_states {
            let possible = self.known.states(marker).contains(&state);
            if self.known.effort.is_spent() || self.clauses.is_full() {
                break;
            }
            if !possible {
                self.clauses.never(marker, state);
                continue;
            }
            let mut narrowing = Narrowing::beside(&mut self.known, marker, state);
            match narrowing.run(&mut self.known) {
                Some(empty) => {
                    let steps = narrowing.explain(&mut self.known, empty);
                    self.steps(&steps);
                }
                None => open.push(Open { marker, state, narrowing }),
            }
        }
        (bad_states, open)
    }

    pub(super) fn deadlock(&mut self) -> Result<(), WhyNot> {
        let mut narrowing = Narrowing::deadlock(&self.known);
        let mut empty = self.suppose(&mut narrowing);
        if empty.is_none() {
            narrowing.with_pairs(&mut self.known);
            empty = self.suppose(&mut narrowing);
        }
        if let Some(empty) = empty {
            let steps = narrowing.explain(&mut self.known, empty);
            self.steps(&steps);
            return Ok(());
        }
        self.clauses.limit(OPEN_LITERALS);
        self.requests(&narrowing);
        self.near(&[&narrowing]);
        Ok(())
    }

    /// Removes states from threads. Also assumes a deadlock in each remaining state, one state at a time. If
    /// the assumption leads to a contradiction, the state is removed.
    fn suppose(&mut self, narrowing: &mut Narrowing) -> Option<ThreadId> {
        let empty = narrowing.run(&mut self.known);
        if empty.is_some() {
            return empty;
        }
        for i in (0..self.known.prints.threads().len()).map(ThreadId::new) {
            for s in narrowing.left(&mut self.known, i) {
                if !self.known.effort.spend(1) {
                    return None;
                }
                let mut supposed = Narrowing::suppose(&self.known, i, s);
                let Some(empty) = supposed.run(&mut self.known) else { continue };
                let steps = supposed.explain(&mut self.known, empty);
                let empty = narrowing.refute(&mut self.known, i, s, steps);
                if empty.is_some() {
                    return empty;
                }
            }
        }
        narrowing.run(&mut self.known)
    }

    /// Emits the clauses that state the results of these steps.
    pub(crate) fn steps(&mut self, steps: &[Removal]) {
        for step in steps {
            // The steps of an assumption contain no assumptions themselves.
            if let Reason::Supposed(inner) = &step.reason {
                inner.iter().for_each(|step| self.step(step));
            }
            self.step(step);
        }
    }

    fn step(&mut self, step: &Removal) {
        let j = step.thread;
        self.clauses.some(&mut self.known, j);
        match &step.reason {
            Reason::Unblocked(event) => {
                step.removed.iter().for_each(|&t| self.clauses.blocked(&mut self.known, j, t, *event));
            }
            Reason::NeededAsBlocker { event, requester, left } => {
                self.clauses.some(&mut self.known, *requester);
                left.iter().for_each(|&s| self.clauses.blocked(&mut self.known, *requester, s, *event));
                let blocking = self.known.blocking(*event).unwrap_or_default();
                for &(_, u) in blocking.iter().filter(|(k, _)| *k == j) {
                    step.removed.iter().for_each(|&t| self.clauses.not_both(j, u, t));
                }
            }
            Reason::Beside { other, left } => {
                for &t in &step.removed {
                    let Some(supports) = self.supports(j, t, *other) else { continue };
                    match left[..] {
                        [s] if !supports.is_empty() => self.clauses.apart((*other, s), (j, t)),
                        _ => self.clauses.support((j, t), *other, &supports),
                    }
                }
            }
            Reason::Supposed(_) => {}
        }
    }

    /// Returns the states of `i` that may occur together with `t` of `j`. Returns `None` if the effort did not
    /// suffice.
    fn supports(&mut self, j: ThreadId, t: LocalId, i: ThreadId) -> Option<Vec<LocalId>> {
        let states = self.known.states(i).to_vec();
        self.known.effort.spend(states.len() as u64);
        let pair = self.known.pair(i, j).filter(|_| !states.is_empty())?;
        Some(states.into_iter().filter(|&s| pair.contains(s, t)).collect())
    }

    /// Emits the clauses about deadlocks for every state that is left.
    fn requests(&mut self, narrowing: &Narrowing) {
        for i in (0..self.known.prints.threads().len()).map(ThreadId::new) {
            for s in narrowing.left(&mut self.known, i) {
                let request: Vec<EventId> = self.known.prints.thread(i).state(s).request.iter().collect();
                for event in request {
                    if self.clauses.is_full() || !self.known.effort.spend(1) {
                        return;
                    }
                    self.clauses.blocked(&mut self.known, i, s, event);
                }
            }
        }
    }

    /// Emits the clauses of the steps of `open`, which belong to bad states or deadlocks that were not
    /// refuted. Then emits clauses about the neighbours of the threads that lost states, nearest first.
    fn near(&mut self, open: &[&Narrowing]) {
        self.clauses.limit(OPEN_LITERALS);
        open.iter().for_each(|narrowing| self.steps(&narrowing.steps));
        for narrowing in open {
            let mut queue: VecDeque<ThreadId> = narrowing.narrowed().map(|(i, _)| i).collect();
            let mut seen: BTreeSet<ThreadId> = queue.iter().copied().collect();
            while let Some(i) = queue.pop_front() {
                for j in self.known.neighbours(i) {
                    if self.clauses.is_full() || self.known.effort.is_spent() {
                        return;
                    }
                    self.around(narrowing, i, j);
                    if seen.insert(j) {
                        queue.push_back(j);
                    }
                }
            }
        }
    }

    /// Emits clauses about the states left to `i` and `j`, unless all pairs of them are possible.
    fn around(&mut self, narrowing: &Narrowing, i: ThreadId, j: ThreadId) {
        let (mine, theirs) = (narrowing.left(&mut self.known, i), narrowing.left(&mut self.known, j));
        if mine.len() < 2 || theirs.len() < 2 || !self.known.effort.spend((mine.len() * theirs.len()) as u64) {
            return;
        }
        let Some(pair) = self.known.pair(i, j) else { return };
        let apart: Vec<Vec<LocalId>> =
            theirs.iter().map(|&t| mine.iter().copied().filter(|&s| !pair.contains(s, t)).collect()).collect();
        let mut exclusive = false;
        for (&t, apart) in theirs.iter().zip(&apart).filter(|(_, apart)| !apart.is_empty()) {
            let Some(supports) = self.supports(j, t, i) else { return };
            if 2 * apart.len() <= 1 + supports.len() || mine.len() > EXCLUSIVE {
                apart.iter().for_each(|&s| self.clauses.apart((i, s), (j, t)));
            } else {
                self.clauses.support((j, t), i, &supports);
                exclusive = true;
            }
        }
        if apart.iter().any(|apart| !apart.is_empty()) {
            self.clauses.some(&mut self.known, i);
            self.clauses.some(&mut self.known, j);
        }
        if exclusive {
            for (at, &s) in mine.iter().enumerate() {
                mine[at + 1..].iter().for_each(|&t| self.clauses.not_both(i, s, t));
            }
        }
    }
}
