//! The index of a program's threads by events: which threads request, block or move on each event.

use super::{Conditions, SideCondition};
use model::{Effort, EventId, EventSet, LocalId, LocalState, Thread, ThreadId};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Maximum number of pairs of an event and a thread that are stored: about 50 MB. Larger programs get no index.
const ENTRIES: usize = 4_000_000;

/// If a state has more moves than this, its moves are grouped by their effect.
const MANY: usize = if cfg!(test) { 1 } else { 16 };

/// The threads of a program, indexed by the events that they request, block or move on. Bad states and states
/// that are not locally reachable are left out.
pub(crate) struct Footprints<'a> {
    threads: &'a [Thread],
    conditions: Conditions,
    /// For each thread and state: true if the state is locally reachable.
    reachable: Vec<Vec<bool>>,
    /// For each event: the threads that request it in some state, ascending. `blockers` and `movers` are the
    /// corresponding lists of the threads that block the event, and of those that move on it.
    requesters: Vec<Vec<ThreadId>>,
    blockers: Vec<Vec<ThreadId>>,
    movers: Vec<Vec<ThreadId>>,
    /// For each thread and state: the events that some thread may request, that the state does not block, and
    /// that may lead to another state.
    moves: Vec<Vec<Vec<EventId>>>,
    /// For states with many moves: the moves, grouped by their effect. Two events are in one group if they have
    /// the same targets, and if they agree on whether the state itself or some other thread may request them.
    alike: HashMap<(ThreadId, LocalId), Vec<Vec<EventId>>>,
    /// For each thread: the events that its states mention.
    mentioned: Vec<EventSet>,
}

impl<'a> Footprints<'a> {
    /// Builds the index in `O(event sets of all states + moves)`. Returns `None` if it would be too large or
    /// the effort is spent.
    pub(crate) fn of(threads: &'a [Thread], conditions: Conditions, effort: &mut Effort) -> Option<Self> {
        let universe = threads.first()?.states[0].request.universe();
        let size = |s: &LocalState| (2 + s.request.size() + s.block.size()) as u64;
        if !effort.spend(threads.iter().flat_map(|t| &t.states).map(size).sum()) {
            return None;
        }
        let reachable: Vec<Vec<bool>> = threads.iter().map(Thread::locally_reachable).collect();
        let mut requesters = vec![Vec::new(); universe];
        let mut blockers = vec![Vec::new(); universe];
        let mut entries = 0;
        for (i, thread) in threads.iter().enumerate() {
            let (mut request, mut block) = (EventSet::empty(universe), EventSet::empty(universe));
            for (_, state) in reachable[i].iter().zip(&thread.states).filter(|(seen, state)| **seen && !state.bad) {
                request.union_with(&state.request);
                block.union_with(&state.block);
            }
            entries += request.len() + block.len();
            if entries > ENTRIES {
                return None;
            }
            request.iter().for_each(|e| requesters[e.index()].push(ThreadId::new(i)));
            block.iter().for_each(|e| blockers[e.index()].push(ThreadId::new(i)));
        }
        let mut prints = Self {
            threads,
            conditions,
            reachable,
            requesters,
            blockers,
            movers: vec![Vec::new(); universe],
            moves: Vec::new(),
            alike: HashMap::new(),
            mentioned: Vec::new(),
        };
        prints.find_moves(effort).then_some(prints)
    }

    fn find_moves(&mut self, effort: &mut Effort) -> bool {
        for (i, thread) in self.threads.iter().enumerate() {
            let mut moves = Vec::with_capacity(thread.states.len());
            let mut mentioned = EventSet::empty(self.requesters.len());
            for (s, state) in thread.states.iter().enumerate() {
                if !effort.spend(1 + state.on.len() as u64) {
                    return false;
                }
                let here = LocalId::new(s);
                mentioned.union_with(&state.request);
                mentioned.union_with(&state.block);
                state.on.keys().for_each(|event| mentioned.insert(*event));
                let mut leaving = Vec::new();
                if self.reachable[i][s] {
                    for (&event, targets) in &state.on {
                        let moves = **targets != [here] && !state.block.contains(event);
                        if moves && !self.requesters[event.index()].is_empty() {
                            leaving.push(event);
                            let movers = &mut self.movers[event.index()];
                            if movers.last() != Some(&ThreadId::new(i)) {
                                movers.push(ThreadId::new(i));
                            }
                        }
                    }
                }
                if leaving.len() > MANY {
                    let alike = self.alike(i, state, &leaving);
                    self.alike.insert((ThreadId::new(i), here), alike);
                }
                moves.push(leaving);
            }
            self.mentioned.push(mentioned);
            self.moves.push(moves);
        }
        true
    }

    /// Groups the `moves` of a state. The moves of one group look the same to threads that do not mention their
    /// events.
    fn alike(&self, i: usize, state: &LocalState, moves: &[EventId]) -> Vec<Vec<EventId>> {
        let mut classes: BTreeMap<(&[LocalId], bool), Vec<EventId>> = BTreeMap::new();
        for &event in moves {
            let fires = state.request.contains(event) || self.requested_outside(&[ThreadId::new(i)], event);
            classes.entry((state.on[&event].as_slice(), fires)).or_default().push(event);
        }
        classes.into_values().collect()
    }

    /// Returns moves of `i` out of `s` that suffice to explore the projection onto `i` and `others`. Moves on an
    /// event that a thread of `others` mentions are all returned. Among the moves that have the same effect (see
    /// `alike`) and an event that no thread of `others` mentions, one suffices. The result may contain more
    /// moves.
    pub(crate) fn telling_moves(&self, i: ThreadId, s: LocalId, others: &[ThreadId]) -> Cow<'_, [EventId]> {
        let moves = self.moves(i, s);
        let mentions: usize = others.iter().map(|j| self.mentioned[j.index()].len()).sum();
        let Some(alike) =
            self.alike.get(&(i, s)).filter(|_| self.conditions == Conditions::ALL && mentions < moves.len())
        else {
            return Cow::Borrowed(moves);
        };
        let mentioned = others.iter().flat_map(|j| self.mentioned[j.index()].iter());
        let mut telling: Vec<EventId> = mentioned.filter(|&e| self.moves_on(i, s, e)).collect();
        let is_unknown = |e: &&EventId| others.iter().all(|j| !self.mentioned[j.index()].contains(**e));
        telling.extend(alike.iter().filter_map(|class| class.iter().find(is_unknown)));
        telling.sort_unstable();
        telling.dedup();
        Cow::Owned(telling)
    }

    pub(crate) fn threads(&self) -> &'a [Thread] {
        self.threads
    }

    pub(crate) fn conditions(&self) -> Conditions {
        self.conditions
    }

    pub(crate) fn thread(&self, i: ThreadId) -> &'a Thread {
        &self.threads[i.index()]
    }

    /// Returns the locally reachable states of `i`, ascending.
    pub(crate) fn reachable(&self, i: ThreadId) -> impl Iterator<Item = LocalId> + '_ {
        self.reachable[i.index()].iter().enumerate().filter(|(_, seen)| **seen).map(|(s, _)| LocalId::new(s))
    }

    /// Returns the events that may move `i` out of `s`, ascending.
    pub(crate) fn moves(&self, i: ThreadId, s: LocalId) -> &[EventId] {
        &self.moves[i.index()][s.index()]
    }

    /// Returns true if `event` may move `i` out of `s`.
    pub(crate) fn moves_on(&self, i: ThreadId, s: LocalId, event: EventId) -> bool {
        self.moves(i, s).binary_search(&event).is_ok()
    }

    /// Returns the threads with a state that requests `event`, ascending.
    pub(crate) fn requesters(&self, event: EventId) -> &[ThreadId] {
        &self.requesters[event.index()]
    }

    /// Returns the threads with a state that blocks `event`, ascending.
    pub(crate) fn blockers(&self, event: EventId) -> &[ThreadId] {
        &self.blockers[event.index()]
    }

    /// Returns true if a thread outside `group` may request `event`.
    pub(crate) fn requested_outside(&self, group: &[ThreadId], event: EventId) -> bool {
        let requesters = self.requesters(event);
        self.conditions.keep(SideCondition::RequestsOfOthers)
            && (requesters.len() > group.len() || requesters.iter().any(|i| !group.contains(i)))
    }

    /// Returns true if a projection onto `group` assumes that a thread outside it keeps `event` from firing.
    /// Only a pattern that a test creates without [`SideCondition::BlocksOfOthers`] makes this assumption.
    pub(crate) fn blocked_outside(&self, group: &[ThreadId], event: EventId) -> bool {
        !self.conditions.keep(SideCondition::BlocksOfOthers) && self.blockers(event).iter().any(|i| !group.contains(i))
    }

    /// Returns the threads that may constrain the state of `i`, ascending. A thread j may constrain `i` if, for
    /// some event, one of the threads `i` and j moves on the event, and the other one moves on it, blocks it, or
    /// is the only other thread that may request it. Returns `None` if the effort is spent.
    pub(crate) fn neighbours(&self, i: ThreadId, effort: &mut Effort) -> Option<Vec<ThreadId>> {
        let mut found = BTreeSet::new();
        let universe = self.requesters.len();
        let (mut moved, mut used) = (EventSet::empty(universe), EventSet::empty(universe));
        for s in self.reachable(i) {
            self.moves(i, s).iter().for_each(|&e| moved.insert(e));
            let state = self.thread(i).state(s);
            if !state.bad {
                used.union_with(&state.block);
                used.union_with(&state.request);
            }
        }
        if !effort.spend((self.thread(i).states.len() + moved.size() + used.size()) as u64) {
            return None;
        }
        for event in moved.iter() {
            let (movers, blockers) = (&self.movers[event.index()], self.blockers(event));
            if !effort.spend((movers.len() + blockers.len()) as u64) {
                return None;
            }
            found.extend(movers.iter().chain(blockers));
            found.extend(self.lone_requester(i, event));
        }
        for event in used.iter() {
            let (movers, blocks) = (&self.movers[event.index()], self.blockers(event).binary_search(&i).is_ok());
            if !effort.spend(1 + movers.len() as u64) {
                return None;
            }
            found.extend(movers.iter().filter(|&&j| blocks || self.lone_requester(j, event) == Some(i)));
        }
        found.remove(&i);
        Some(found.into_iter().collect())
    }

    /// Returns the only thread besides `i` that may request `event`.
    fn lone_requester(&self, i: ThreadId, event: EventId) -> Option<ThreadId> {
        match *self.requesters(event) {
            [j] if j != i => Some(j),
            [j, k] if k == i => Some(j),
            [k, j] if k == i => Some(j),
            _ => None,
        }
    }
}
