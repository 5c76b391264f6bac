//! The states that a worker owns.
//!
//! The table numbers states in the order in which they are found, so the states of a level are a range of numbers. No
//! parents are stored: a run is reconstructed by expanding levels again (`runs.rs`).

use crate::links::{Links, ROUND};
use crate::owner::{Sent, owner};
use crate::parcel::{pack, unpack};
use crate::{Error, Space};
use model::{ExpansionKind, Goal, Reason, Stop};
use search::{StateId, StateTable, Successors};
use serde::{Deserialize, Serialize};

/// States that are expanded between two looks at the stop flag and at what has arrived.
const AT_ONCE: usize = 256;

/// What a worker met in a level.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    /// Number of its states of this level.
    pub(crate) states: u64,
    /// Number of transitions from them.
    pub(crate) transitions: u64,
    /// For each goal that it met, by number: the least of its states of the goal.
    pub(crate) hits: Vec<(usize, Vec<u64>)>,
    /// Slots that are too narrow.
    pub(crate) slots: Vec<usize>,
    /// True if something was left out because of a bound.
    pub(crate) cut: bool,
    /// True if a number fits no slot.
    pub(crate) overflown: bool,
    /// Why the worker cannot go on: a number of [`Reason::ALL`].
    pub(crate) stuck: Option<usize>,
}

impl Report {
    fn stick(&mut self, reason: Reason) {
        self.stuck = self.stuck.or(Reason::ALL.iter().position(|other| *other == reason));
    }

    fn hit(&mut self, goal: usize, state: &[u64]) {
        match self.hits.iter_mut().find(|(other, _)| *other == goal) {
            Some((_, least)) if least.as_slice() <= state => {}
            Some((_, least)) => *least = state.to_vec(),
            None => self.hits.push((goal, state.to_vec())),
        }
    }

    /// Returns why the worker cannot go on.
    pub(crate) fn stuck(&self) -> Option<Reason> {
        self.stuck.map(|reason| Reason::ALL.get(reason).copied().unwrap_or(Reason::GaveUp))
    }

    fn merged(reports: Vec<Report>) -> Report {
        reports.into_iter().fold(Report::default(), |mut all, report| {
            all.merge(report);
            all
        })
    }

    /// Adds what another worker met.
    fn merge(&mut self, other: Report) {
        self.states += other.states;
        self.transitions += other.transitions;
        other.hits.iter().for_each(|(goal, state)| self.hit(*goal, state));
        self.slots.extend(other.slots);
        self.slots.sort_unstable();
        self.slots.dedup();
        debug_assert!(self.slots.is_sorted(), "slots are listed in order");
        self.cut |= other.cut;
        self.overflown |= other.overflown;
        self.stuck = self.stuck.or(other.stuck);
    }
}

/// The states of a worker, by level.
#[derive(Debug)]
pub(crate) struct Shard<S> {
    pub(crate) space: S,
    pub(crate) table: StateTable,
    /// The number of the first state of each level.
    pub(crate) levels: Vec<usize>,
    number: usize,
    outbox: Outbox,
    arrived: Vec<u64>,
    /// Successors that this worker owns, and that are not in the table yet.
    own: Vec<u64>,
    /// Why the last level is not complete, if a state of it arrived after the worker reported on the level before.
    pub(crate) incomplete: Option<Reason>,
}

/// States for other workers.
#[derive(Debug)]
struct Outbox {
    words: usize,
    waiting: Vec<Vec<u64>>,
    /// Bytes that wait.
    filled: usize,
    sent: Sent,
}

impl<S: Space> Shard<S> {
    /// Returns worker `number` of `peers`, with the initial states that it owns.
    pub(crate) fn new(space: S, number: usize, peers: usize) -> Self {
        let mut shard = Self::empty(space, number, peers);
        let Self { space, table, .. } = &mut shard;
        space.initial(&mut |state| {
            if owner(state, peers) == number {
                table.intern(state);
            }
        });
        shard.levels.push(0);
        shard
    }

    fn empty(space: S, number: usize, peers: usize) -> Self {
        let words = space.words();
        debug_assert!(number < peers && words > 0, "it is one of the workers, and states have words");
        Self {
            table: StateTable::new(words),
            levels: Vec::new(),
            number,
            outbox: Outbox { words, waiting: vec![Vec::new(); peers], filled: 0, sent: Sent::new(words) },
            arrived: Vec::new(),
            own: Vec::new(),
            incomplete: None,
            space,
        }
    }

    /// Returns worker `number` of `peers`, with those of these states that it owns, in the same levels.
    pub(crate) fn share(&self, number: usize, peers: usize) -> Self {
        let mut shard = Self::empty(self.space.clone(), number, peers);
        for level in 0..self.levels.len() {
            shard.levels.push(shard.table.len());
            for state in self.level(level).map(|id| self.table.get(id)) {
                if owner(state, peers) == number {
                    shard.table.intern(state);
                }
            }
        }
        debug_assert!(shard.levels.is_sorted(), "levels follow each other");
        debug_assert!(shard.table.len() <= self.table.len(), "a share is no more than the whole");
        shard
    }

    /// The states of a level.
    pub(crate) fn level(&self, level: usize) -> impl Iterator<Item = StateId> + use<S> {
        debug_assert!(level < self.levels.len(), "the level was begun");
        let end = self.levels.get(level + 1).copied().unwrap_or(self.table.len());
        (self.levels[level]..end).map(StateId::new)
    }

    /// Expands the last level, and returns what the workers met in it. Its successors begin a new level, which is
    /// complete unless this worker is [incomplete](Shard::incomplete). All workers must call this at the same time.
    pub(crate) fn expand(
        &mut self,
        links: &mut Links<'_>,
        open: &[(usize, Goal)],
        stop: &Stop,
    ) -> Result<Report, Error> {
        let mut report = self.expand_own(open, stop, |shard, report| {
            links.turn();
            shard.take(links, report, stop);
            if shard.outbox.filled >= ROUND {
                shard.send(links, report, stop);
            }
        });
        self.send(links, &mut report, stop);
        let mut late = Report { stuck: report.stuck, ..Report::default() };
        let reports = links.agree_after(&report, |links| self.take(links, &mut late, stop))?;
        self.incomplete = late.stuck();
        Ok(Report::merged(reports))
    }

    /// Like [`Shard::expand`], for the only worker.
    pub(crate) fn expand_alone(&mut self, open: &[(usize, Goal)], stop: &Stop) -> Report {
        self.expand_own(open, stop, |_, _| {})
    }

    /// Expands the states of this worker in the last level. Calls `between` now and then.
    fn expand_own(
        &mut self,
        open: &[(usize, Goal)],
        stop: &Stop,
        mut between: impl FnMut(&mut Self, &mut Report),
    ) -> Report {
        let (from, end) = (*self.levels.last().expect("there is a level"), self.table.len());
        debug_assert!(from <= end, "a level ends where the next one begins");
        let mut report = Report { states: (end - from) as u64, ..Report::default() };
        if let Some(reason) = self.incomplete {
            report.stick(reason);
        }
        self.levels.push(end);
        let mut successors = Successors::new(self.space.words());
        let mut at = from;
        while at < end && report.stuck.is_none() {
            let to = end.min(at + AT_ONCE);
            (at..to).for_each(|index| self.expand_state(StateId::new(index), open, &mut successors, &mut report));
            at = to;
            self.add_own(&mut report, stop);
            if let Some(reason) = stop.raised() {
                report.stick(reason);
            }
            between(self, &mut report);
        }
        report.overflown = self.space.has_overflown();
        report
    }

    fn expand_state(&mut self, id: StateId, open: &[(usize, Goal)], successors: &mut Successors, report: &mut Report) {
        let Self { space, table, outbox, number, own, .. } = self;
        let mut hit = |goal: Goal, state: &[u64]| {
            if let Some((number, _)) = open.iter().find(|(_, other)| *other == goal) {
                report.hit(*number, state);
            }
        };
        if space.has_tests() {
            let state = table.get(id);
            space.test(state, &mut |goal| hit(goal, state));
        }
        match space.expand(table.get(id), successors) {
            ExpansionKind::Inner => {}
            ExpansionKind::Goal(goal) => hit(goal, table.get(id)),
            ExpansionKind::Cut => report.cut = true,
            ExpansionKind::Overflow => report.slots.extend(space.overflown()),
        }
        report.transitions += successors.len() as u64;
        let peers = outbox.waiting.len();
        for (_, state) in successors.iter() {
            let to = owner(state, peers);
            if to == *number {
                own.extend_from_slice(state);
            } else {
                outbox.put(to, state);
            }
        }
    }

    /// Adds the successors that this worker owns.
    fn add_own(&mut self, report: &mut Report, stop: &Stop) {
        debug_assert!(self.own.len().is_multiple_of(self.outbox.words), "whole states are added");
        match stop.may_allocate(self.table.growth_bytes_for(self.own.len() / self.outbox.words)) {
            true => self.table.intern_all(&self.own),
            false => report.stick(Reason::Memory),
        }
        self.own.clear();
    }

    /// Sends what waits, and waits itself while too much is on its way.
    fn send(&mut self, links: &mut Links<'_>, report: &mut Report, stop: &Stop) {
        for (to, states) in self.outbox.waiting.iter_mut().enumerate().filter(|(_, states)| !states.is_empty()) {
            links.send_states(to, pack(states, self.outbox.words));
            states.clear();
        }
        self.outbox.filled = 0;
        links.turn();
        while links.is_behind() {
            links.step();
            self.take(links, report, stop);
        }
    }

    /// Adds the states that have arrived.
    fn take(&mut self, links: &mut Links<'_>, report: &mut Report, stop: &Stop) {
        let Self { table, arrived, outbox, .. } = self;
        links.receive_states(|data| {
            arrived.clear();
            if unpack(data, outbox.words, arrived).is_none() {
                return report.stick(Reason::GaveUp);
            }
            if report.stuck.is_some() {
                return; // The level is not complete, so what arrives does not count.
            }
            if !stop.may_allocate(table.growth_bytes_for(arrived.len() / outbox.words)) {
                return report.stick(Reason::Memory);
            }
            table.intern_all(arrived);
        });
    }

    /// Returns the least state of this worker in a level that has `target` as a successor.
    pub(crate) fn predecessor(&mut self, level: usize, target: &[u64]) -> Option<Vec<u64>> {
        let mut successors = Successors::new(self.space.words());
        let mut least: Option<Vec<u64>> = None;
        for id in self.level(level) {
            let state = self.table.get(id);
            if least.as_deref().is_some_and(|least| least <= state) {
                continue;
            }
            self.space.expand(state, &mut successors);
            if successors.iter().any(|(_, next)| next == target) {
                least = Some(state.to_vec());
            }
        }
        least
    }
}

impl Outbox {
    #[inline]
    fn put(&mut self, to: usize, state: &[u64]) {
        debug_assert_eq!(state.len(), self.words, "all states have the same number of words");
        if !self.sent.has(state) {
            self.waiting[to].extend_from_slice(state);
            self.filled += size_of_val(state);
        }
    }
}
