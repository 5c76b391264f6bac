//! What each thread has to do with each event: who requests it, who blocks it, whom it moves.

use super::{Conditions, SideCondition};
use model::{Effort, EventId, EventSet, LocalId, LocalState, Thread, ThreadId};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Pairs of an event and a thread worth keeping: some 50 MB. Programs with more of them are not looked at.
const ENTRIES: usize = 4_000_000;

/// States with more moves than this have them sorted by what they do.
const MANY: usize = if cfg!(test) { 1 } else { 16 };

/// The threads of a program, indexed by what they have to do with events. States that are bad or out of reach leave no footprints.
pub(crate) struct Footprints<'a> {
    threads: &'a [Thread],
    conditions: Conditions,
    /// Per thread: locally reachable states.
    reachable: Vec<Vec<bool>>,
    /// Per event the threads that request it, block it, move on it in some state, ascending.
    requesters: Vec<Vec<ThreadId>>,
    blockers: Vec<Vec<ThreadId>>,
    movers: Vec<Vec<ThreadId>>,
    /// Per thread and state the events that somebody may request, the state does not block and that may lead elsewhere.
    moves: Vec<Vec<Vec<EventId>>>,
    /// The same where they are many, by what they do: alike are those with the same targets that the thread alone, or only others
    /// may request.
    alike: HashMap<(ThreadId, LocalId), Vec<Vec<EventId>>>,
    /// Per thread the events that its states mention.
    mentioned: Vec<EventSet>,
}

impl<'a> Footprints<'a> {
    /// `None` if the threads have too much to do with events. `O(event sets of all states + moves)`.
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

    /// `moves` of a state, those together that look the same to threads that do not mention them.
    fn alike(&self, i: usize, state: &LocalState, moves: &[EventId]) -> Vec<Vec<EventId>> {
        let mut classes: BTreeMap<(&[LocalId], bool), Vec<EventId>> = BTreeMap::new();
        for &event in moves {
            let fires = state.request.contains(event) || self.requested_outside(&[ThreadId::new(i)], event);
            classes.entry((state.on[&event].as_slice(), fires)).or_default().push(event);
        }
        classes.into_values().collect()
    }

    /// Of the events that may move `i` out of `s` those that make a difference to a group of threads, the `others` in which are
    /// as given: all that one of them mentions, and of those alike one.
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

    /// The locally reachable states of `i`, ascending.
    pub(crate) fn reachable(&self, i: ThreadId) -> impl Iterator<Item = LocalId> + '_ {
        self.reachable[i.index()].iter().enumerate().filter(|(_, seen)| **seen).map(|(s, _)| LocalId::new(s))
    }

    /// The events that may move `i` out of `s`, ascending.
    pub(crate) fn moves(&self, i: ThreadId, s: LocalId) -> &[EventId] {
        &self.moves[i.index()][s.index()]
    }

    /// Does `event` move `i` out of `s`, if it fires?
    pub(crate) fn moves_on(&self, i: ThreadId, s: LocalId, event: EventId) -> bool {
        self.moves(i, s).binary_search(&event).is_ok()
    }

    /// Threads with a state that requests `event`, ascending.
    pub(crate) fn requesters(&self, event: EventId) -> &[ThreadId] {
        &self.requesters[event.index()]
    }

    /// Threads with a state that blocks `event`, ascending.
    pub(crate) fn blockers(&self, event: EventId) -> &[ThreadId] {
        &self.blockers[event.index()]
    }

    /// May a thread outside `group` request `event`?
    pub(crate) fn requested_outside(&self, group: &[ThreadId], event: EventId) -> bool {
        let requesters = self.requesters(event);
        self.conditions.keep(SideCondition::RequestsOfOthers)
            && (requesters.len() > group.len() || requesters.iter().any(|i| !group.contains(i)))
    }

    /// Does some thread outside `group` keep `event` from firing, as far as a projection onto it can tell? Never: only a
    /// mutant says so.
    pub(crate) fn blocked_outside(&self, group: &[ThreadId], event: EventId) -> bool {
        !self.conditions.keep(SideCondition::BlocksOfOthers) && self.blockers(event).iter().any(|i| !group.contains(i))
    }

    /// Threads whose state may say something about the state of `i`, because one of the two moves on an event that the
    /// other moves on, blocks, or alone may request. Ascending. `None` if the effort is spent.
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

    /// The only thread besides `i` that may request `event`.
    fn lone_requester(&self, i: ThreadId, event: EventId) -> Option<ThreadId> {
        match *self.requesters(event) {
            [j] if j != i => Some(j),
            [j, k] if k == i => Some(j),
            [k, j] if k == i => Some(j),
            _ => None,
        }
    }
}
