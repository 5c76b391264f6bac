//! Collects the cases in which an event fires, with the moves of each thread. A potential must not grow in any
//! of these cases.

use model::{EventId, EventSet, LocalId, Thread, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// Limit on the number of moves: for each thread, its events times its states. Programs with more moves are
/// skipped.
const MOVES: usize = 20_000;

/// Limit on the number of cases. Programs with more cases are skipped.
const CASES: usize = 3_000;

/// A local state of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Place {
    pub(super) thread: ThreadId,
    pub(super) state: LocalId,
}

/// Pairs of a state and its successor. A thread that stays in its state has a move from the state to itself.
pub(super) type Moves = Vec<(LocalId, LocalId)>;

/// A case: an event fires because a thread requests it in one of its states.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Case {
    /// The thread that requests the event, and its state.
    pub(super) requester: Place,
    /// Successors of the requesting state by the event.
    pub(super) targets: Vec<LocalId>,
    /// The other threads that may move on the event or block it. Each comes with the number of its list of
    /// moves ([`Firings::moves`]).
    pub(super) others: Vec<(ThreadId, usize)>,
}

/// All cases of a program.
pub(super) struct Firings {
    /// For each thread and state: true if the state is locally reachable.
    pub(super) reachable: Vec<Vec<bool>>,
    /// For each thread: its initial states.
    pub(super) initial: Vec<Vec<LocalId>>,
    /// For each thread: its different lists of moves over all events. Events with the same effect on a thread
    /// share a list.
    moves: Vec<Vec<Moves>>,
    /// All cases, ascending, without duplicates.
    pub(super) cases: Vec<Case>,
}

impl Firings {
    /// Computes the cases of `threads`. Returns `None` if there are too many.
    pub(super) fn of(threads: &[Thread], omit: Option<Omitted>) -> Option<Self> {
        let universe = threads.first()?.states[0].request.universe();
        let reachable: Vec<Vec<bool>> = threads.iter().map(Thread::locally_reachable).collect();
        let touched: Vec<EventSet> = threads.iter().zip(&reachable).map(|(t, r)| touched(t, r, universe)).collect();
        let size: usize = touched.iter().zip(threads).map(|(events, t)| events.len() * t.states.len()).sum();
        if size > MOVES {
            return None;
        }
        let mut initial: Vec<Vec<LocalId>> = threads.iter().map(|t| t.initial.clone()).collect();
        if omit == Some(Omitted::OtherInitial) {
            initial.iter_mut().for_each(|states| states.truncate(1));
        }
        let mut firings = Self { reachable, initial, moves: vec![Vec::new(); threads.len()], cases: Vec::new() };
        let mut numbers: Vec<BTreeMap<Moves, usize>> = vec![BTreeMap::new(); threads.len()];
        let mut cases = BTreeSet::new();
        let mut touchers: Vec<Vec<usize>> = vec![Vec::new(); universe];
        touched.iter().enumerate().for_each(|(i, events)| events.iter().for_each(|e| touchers[e.index()].push(i)));
        let requesters = firings.requesters(threads, universe, omit);
        for (event, requesters) in (0..universe).map(EventId::new).zip(requesters) {
            if requesters.is_empty() {
                continue;
            }
            let mut reacting = Vec::new();
            for &i in &touchers[event.index()] {
                let moves = firings.moves_on(&threads[i], i, event, omit);
                let (known, list) = (&mut numbers[i], &mut firings.moves[i]);
                let number = *known.entry(moves).or_insert_with_key(|moves| {
                    list.push(moves.clone());
                    list.len() - 1
                });
                reacting.push((ThreadId::new(i), number));
            }
            for requester in requesters {
                let mut targets: Vec<LocalId> =
                    threads[requester.thread.index()].targets(requester.state, event).collect();
                if omit == Some(Omitted::OtherTargets) {
                    targets.truncate(1);
                }
                let others = reacting.iter().copied().filter(|(i, _)| *i != requester.thread).collect();
                cases.insert(Case { requester, targets, others });
                if cases.len() > CASES {
                    return None;
                }
            }
        }
        firings.cases = cases.into_iter().collect();
        Some(firings)
    }

    /// Returns for each event the locally reachable states that request it and do not block it.
    fn requesters(&self, threads: &[Thread], universe: usize, omit: Option<Omitted>) -> Vec<Vec<Place>> {
        let mut places = vec![Vec::new(); universe];
        for (i, thread) in threads.iter().enumerate() {
            let considered = if omit == Some(Omitted::LaterRequests) { 1 } else { thread.states.len() };
            for (s, state) in thread.states.iter().enumerate().take(considered) {
                if self.reachable[i][s] && !state.bad {
                    let fires = state.request.iter().filter(|e| !state.block.contains(*e));
                    let place = Place { thread: ThreadId::new(i), state: LocalId::new(s) };
                    fires.for_each(|event| places[event.index()].push(place));
                }
            }
        }
        places
    }

    fn moves_on(&self, thread: &Thread, i: usize, event: EventId, omit: Option<Omitted>) -> Moves {
        let mut moves = Moves::new();
        for (s, state) in thread.states.iter().enumerate().filter(|(s, _)| self.reachable[i][*s]) {
            let stays = !state.on.contains_key(&event);
            if state.block.contains(event) || stays && omit == Some(Omitted::Staying) {
                continue;
            }
            let count = if omit == Some(Omitted::OtherTargets) { 1 } else { usize::MAX };
            moves.extend(thread.targets(LocalId::new(s), event).take(count).map(|t| (LocalId::new(s), t)));
        }
        moves
    }

    /// Returns the moves of `thread` with this number.
    pub(super) fn moves(&self, thread: ThreadId, number: usize) -> &Moves {
        &self.moves[thread.index()][number]
    }

    /// Returns the locally reachable bad states.
    pub(super) fn bad_states(&self, threads: &[Thread]) -> Vec<Place> {
        let mut places = Vec::new();
        for (i, thread) in threads.iter().enumerate() {
            let reached = thread.states.iter().enumerate().filter(|(s, state)| state.bad && self.reachable[i][*s]);
            places.extend(reached.map(|(s, _)| Place { thread: ThreadId::new(i), state: LocalId::new(s) }));
        }
        places
    }

    /// Returns true if some thread handles requests of different threads in the same way, and a case concerns
    /// at most half of the threads on average. Such a thread counts, and potentials can express counting. For
    /// other programs, potentials rarely exclude anything.
    pub(super) fn count_something(&self) -> bool {
        let concerned: usize = self.cases.iter().map(|case| case.others.len() + 1).sum();
        if 2 * concerned > self.cases.len() * self.reachable.len() {
            return false;
        }
        let mut first: BTreeMap<(ThreadId, usize), ThreadId> = BTreeMap::new();
        let others = |case: &Case| case.others.iter().map(|other| (*other, case.requester.thread)).collect::<Vec<_>>();
        self.cases.iter().flat_map(others).any(|((thread, number), requester)| {
            let moves_on = self.moves(thread, number).iter().any(|(s, t)| s != t);
            moves_on && *first.entry((thread, number)).or_insert(requester) != requester
        })
    }

    /// Estimates the number of rows of a linear program.
    pub(super) fn size(&self) -> usize {
        let moves: usize = self.moves.iter().flatten().map(Vec::len).sum();
        self.cases.len() + moves + self.reachable.iter().map(Vec::len).sum::<usize>()
    }

    /// Returns states that stay unchanged on an event on which their thread moves in another state. Each comes
    /// with the states of other threads that request the event or react to it. In such a combination, a single
    /// sum does not capture the effect of the event.
    pub(super) fn reactions(&self) -> Vec<(Place, Vec<Place>)> {
        let mut partners: BTreeMap<Place, BTreeSet<Place>> = BTreeMap::new();
        for case in &self.cases {
            for &(thread, number) in &case.others {
                let moves = self.moves(thread, number);
                if moves.iter().all(|(s, t)| s == t) {
                    continue;
                }
                let beside = case.others.iter().filter(|(other, _)| *other != thread);
                let states = beside.flat_map(|&(thread, number)| {
                    self.moves(thread, number).iter().map(move |&(state, _)| Place { thread, state })
                });
                let others: Vec<Place> = states.chain([case.requester]).collect();
                for &(state, _) in moves.iter().filter(|(s, t)| s == t) {
                    partners.entry(Place { thread, state }).or_default().extend(&others);
                }
            }
        }
        partners.into_iter().map(|(place, with)| (place, with.into_iter().collect())).collect()
    }
}

/// Returns the events that some locally reachable state of the thread blocks or moves on. Bad states are left
/// out.
fn touched(thread: &Thread, reachable: &[bool], universe: usize) -> EventSet {
    let mut events = EventSet::empty(universe);
    for (s, state) in thread.states.iter().enumerate().filter(|(s, state)| reachable[*s] && !state.bad) {
        events.union_with(&state.block);
        let here = LocalId::new(s);
        state.on.iter().filter(|(_, targets)| targets[..] != [here]).for_each(|(event, _)| events.insert(*event));
    }
    events
}

/// A part of the rule that a test leaves out. The pattern is then unsound, and the test must detect this.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Omitted {
    /// The requests of all states of a thread except the first one.
    LaterRequests,
    /// The moves from a state to itself on events that the state does not mention.
    Staying,
    /// All targets of an event except the first one.
    OtherTargets,
    /// All initial states of a thread except the first one.
    OtherInitial,
    /// The least weight of each thread, which other threads contribute to a sum at least. Without this part, all
    /// least weights are taken as 0.
    LeastWeights,
}
