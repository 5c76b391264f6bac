//! The lemmas of looped threads. Each function emits lemmas with one kind of justification
//! ([`model::justification`]). The comment of the lemma's kind is the formula.

use super::users::Users;
use super::{Conditions, SideCondition};
use crate::clock::Clock;
use crate::facts;
use crate::lasso::{LassoSet, cover, cover_work};
use model::{
    Constant, EventId, Goal, IntAtom, Justification, Lemma, LemmaKind, LemmaLit, LocalId, Prop, Thread, ThreadId,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Number of events before the end for which the moves of a thread with bad states are unrolled. Words that
/// lead to bad states are short (up to 3 events in the corpus), and each layer adds a few literals for each
/// clock. States further from the end are left to the search.
const DEPTH: u32 = 8;
/// Maximum number of literals of a clause. A longer disjunction of residues excludes little and makes the
/// search split often.
const CLAUSE_LITERALS: usize = 512;
/// Maximum number of literals of all clauses of a match. The limit keeps the start below a few milliseconds for
/// threads of any size.
const TOTAL_LITERALS: usize = 100_000;
/// Work limit of all lemmas of a match, counted in reads of states, events and numbers: about half a second.
/// This is ten times the work for 60,000 threads with three states. Lemmas beyond the limit are left out. This
/// makes the result weaker but not wrong.
pub(super) const WORK: u64 = 10_000_000;

/// Clause: `not Ends(Bad)`, or some thread is in a bad state at T.
pub const BAD: LemmaKind = LemmaKind("looped.bad");
/// If the `back`-th event from the end is e, then T >= back + 1.
pub const EVENT: LemmaKind = LemmaKind("looped.event");
/// If e fires at step u = T-1-back, then clock i does not block it: T is such that f_i(u) does not block e.
pub const OPEN: LemmaKind = LemmaKind("looped.open");
/// If e fires at step u = T-1-back and only clocks request e, then some f_i(u) requests it.
pub const REQUESTED: LemmaKind = LemmaKind("looped.requested");
/// If clock i is in state s at step u = T-back, then f_i(u) = s.
pub const CLOCK_STATE: LemmaKind = LemmaKind("looped.state");
/// If a thread is in state s at step T-back, then T = back and s is initial, or an event with a move to s fired
/// before.
pub const ENTERED: LemmaKind = LemmaKind("looped.entered");
/// If a thread entered s by event e, then it was before in some state with a move on e to s.
pub const FROM: LemmaKind = LemmaKind("looped.from");
/// In a plain deadlock at T, an event that f_i(T) requests is blocked by some f_k(T), if only clocks can block
/// it.
pub const DEAD: LemmaKind = LemmaKind("looped.dead");

/// Emits necessary conditions on every run that ends in a bad state. Returns the work done.
pub(super) fn bad(threads: &[Thread], clocks: &[Option<Clock>], conditions: Conditions, out: &mut Vec<Lemma>) -> u64 {
    let mut emitter = Emitter::new(threads, clocks, conditions);
    let mut bad_states = facts::bad_states(threads);
    if !conditions.keep(SideCondition::EveryBadState) {
        let first = bad_states.first().map(|&(i, _)| i);
        bad_states.retain(|&(i, _)| Some(i) == first);
    }
    let mut clause = Vec::new();
    if conditions.keep(SideCondition::GuardedByGoal) {
        clause.push(LemmaLit::no(Prop::Ends(Goal::Bad)));
    }
    clause.extend(bad_states.iter().map(|&(i, s)| LemmaLit::yes(state_back(0, i, s))));
    if emitter.emit(BAD, Justification::BadState, clause) {
        emitter.unroll(bad_states.into_iter().map(|(i, s)| (0, i, s)).collect());
    }
    out.append(&mut emitter.lemmas);
    WORK - emitter.work_left
}

/// Emits necessary conditions on every run that ends in a plain deadlock. If a single lemma excludes deadlocks,
/// only this lemma is emitted. Returns the work done.
pub(super) fn deadlock(
    threads: &[Thread],
    clocks: &[Option<Clock>],
    conditions: Conditions,
    out: &mut Vec<Lemma>,
) -> u64 {
    let mut emitter = Emitter::new(threads, clocks, conditions);
    let universe = threads.first().map_or(0, |t| t.states[0].request.universe());
    for event in (0..universe).map(EventId::new) {
        let known = emitter.lemmas.len();
        emitter.dead_at(event);
        if let Some(alone) = emitter.lemmas[known..].iter().position(|lemma| lemma.clause.len() == 1) {
            emitter.lemmas = vec![emitter.lemmas.swap_remove(known + alone)];
            break;
        }
        if emitter.work_left == 0 {
            break;
        }
    }
    out.append(&mut emitter.lemmas);
    WORK - emitter.work_left
}

fn state_back(back: u32, thread: ThreadId, state: LocalId) -> Prop {
    Prop::StateBack { back, thread, state }
}

fn event_back(back: u32, event: EventId) -> Prop {
    Prop::EventBack { back, event }
}

/// The state of a thread some events before the end: (back, thread, state).
type Place = (u32, ThreadId, LocalId);

/// Returns for each state of `thread` its incoming arrows: the event, and a source state that does not block
/// it.
fn arrows_into(thread: &Thread) -> Vec<Vec<(EventId, LocalId)>> {
    let mut arrows = vec![Vec::new(); thread.states.len()];
    for (s, from) in thread.states.iter().enumerate() {
        for (&event, targets) in from.on.iter().filter(|(event, _)| !from.block.contains(**event)) {
            for to in targets {
                arrows[to.index()].push((event, LocalId::new(s)));
            }
        }
    }
    arrows
}

/// Collects lemmas within the limits.
struct Emitter<'a> {
    threads: &'a [Thread],
    clocks: &'a [Option<Clock>],
    conditions: Conditions,
    /// For each thread and state: true if the state is locally reachable.
    reachable: Vec<Vec<bool>>,
    /// For each thread that was unrolled: the drawn arrows into each state.
    arrows: BTreeMap<ThreadId, Vec<Vec<(EventId, LocalId)>>>,
    /// Events passed to [`Emitter::constrained`], with the result.
    constrained: BTreeMap<EventId, bool>,
    /// Clauses emitted by this match. Several clocks often lead to the same clause.
    seen: BTreeSet<Vec<LemmaLit>>,
    users: Users,
    /// For each event: the clocks that block it at some step. If several clocks block it at the same steps,
    /// only one of them is listed.
    shutting: BTreeMap<EventId, Vec<ThreadId>>,
    literals_left: usize,
    work_left: u64,
    lemmas: Vec<Lemma>,
}

impl<'a> Emitter<'a> {
    fn new(threads: &'a [Thread], clocks: &'a [Option<Clock>], conditions: Conditions) -> Self {
        let reachable: Vec<Vec<bool>> = threads.iter().map(Thread::locally_reachable).collect();
        Self {
            threads,
            clocks,
            conditions,
            users: Users::new(threads, clocks, &reachable),
            shutting: BTreeMap::new(),
            reachable,
            arrows: BTreeMap::new(),
            constrained: BTreeMap::new(),
            seen: BTreeSet::new(),
            literals_left: TOTAL_LITERALS,
            work_left: WORK,
            lemmas: Vec::new(),
        }
    }

    /// Subtracts `work` from the work that is left. If less is left, sets it to 0 and returns false.
    fn spend(&mut self, work: u64) -> bool {
        let left = self.work_left.checked_sub(work);
        self.work_left = left.unwrap_or(0);
        left.is_some()
    }

    /// Subtracts the cost of an iteration over all states of `thread`.
    fn spend_walk(&mut self, thread: ThreadId) -> bool {
        self.spend(2 * self.threads[thread.index()].states.len() as u64)
    }

    /// Adds a lemma if it fits the limits. Returns true if the lemma is now present.
    fn emit(&mut self, kind: LemmaKind, justification: Justification, clause: Vec<LemmaLit>) -> bool {
        if clause.len() > self.literals_left {
            self.literals_left = 0;
        }
        if clause.len() > CLAUSE_LITERALS || self.literals_left == 0 {
            return false;
        }
        if self.seen.insert(clause.clone()) {
            self.literals_left -= clause.len();
            self.lemmas.push(Lemma { kind, clause, justification: Some(justification) });
        }
        true
    }

    /// Adds `premise -> T in sets`, where the premise implies that T is at least `least`.
    fn emit_cover(
        &mut self,
        kind: LemmaKind,
        justification: &Justification,
        premise: &[Prop],
        sets: &BTreeSet<LassoSet>,
        least: u64,
    ) {
        if !self.spend(cover_work(sets)) {
            return;
        }
        for atoms in cover(sets, least) {
            let mut clause: Vec<LemmaLit> = premise.iter().cloned().map(LemmaLit::no).collect();
            clause.extend(atoms.into_iter().map(|atom| LemmaLit::yes(Prop::Int(atom))));
            self.emit(kind, justification.clone(), clause);
        }
    }

    /// Emits the conditions on what happened before these states of threads, nearest to the end first.
    fn unroll(&mut self, mut work: VecDeque<Place>) {
        let mut places: BTreeSet<Place> = work.iter().copied().collect();
        let mut events = BTreeSet::new();
        while let Some((back, thread, state)) = work.pop_front() {
            if self.clocks[thread.index()].is_some() {
                self.clock_state(back, thread, state);
            }
            let looks = self.threads[thread.index()].states[0].block.universe() as u64;
            if back == DEPTH || self.literals_left == 0 || !self.spend(looks) {
                continue;
            }
            let moves = self.moves_into(thread, state);
            if !self.entered_by(back, thread, state, &moves) {
                continue;
            }
            for (event, sources) in moves {
                if events.insert((back, event)) {
                    self.fires(back, event);
                }
                let too_long = sources.len() > CLAUSE_LITERALS;
                if back + 1 == DEPTH || too_long || sources.iter().any(|&s| self.may_idle(thread, s)) {
                    continue;
                }
                let justification = Justification::CameFrom { back, thread, state, event };
                let mut clause =
                    vec![LemmaLit::no(state_back(back, thread, state)), LemmaLit::no(event_back(back, event))];
                clause.extend(sources.iter().map(|&s| LemmaLit::yes(state_back(back + 1, thread, s))));
                if self.emit(FROM, justification, clause) {
                    let new = sources.into_iter().map(|s| (back + 1, thread, s)).filter(|&place| places.insert(place));
                    work.extend(new);
                }
            }
        }
    }

    /// Returns the events that lead `thread` to `state`, each with the reachable source states.
    fn moves_into(&mut self, thread: ThreadId, state: LocalId) -> BTreeMap<EventId, Vec<LocalId>> {
        if !self.arrows.contains_key(&thread) {
            self.spend_walk(thread);
        }
        let any_source = self.conditions.keep(SideCondition::WholeWordOfMarker);
        let t = &self.threads[thread.index()];
        let reachable = &self.reachable[thread.index()];
        let is_source = |s: LocalId| reachable[s.index()] && (any_source || t.initial.contains(&s));
        let arrows = self.arrows.entry(thread).or_insert_with(|| arrows_into(t));
        let mut moves: BTreeMap<EventId, Vec<LocalId>> = BTreeMap::new();
        for &(event, from) in arrows[state.index()].iter().filter(|(_, from)| is_source(*from)) {
            moves.entry(event).or_default().push(from);
        }
        if is_source(state) {
            let here = t.state(state);
            let stays = |e: &EventId| !here.block.contains(*e) && !here.on.contains_key(e);
            for event in (0..here.block.universe()).map(EventId::new).filter(stays) {
                moves.entry(event).or_default().push(state);
            }
        }
        moves
    }

    fn entered_by(
        &mut self,
        back: u32,
        thread: ThreadId,
        state: LocalId,
        moves: &BTreeMap<EventId, Vec<LocalId>>,
    ) -> bool {
        let mut clause = vec![LemmaLit::no(state_back(back, thread, state))];
        let initial = self.threads[thread.index()].initial.binary_search(&state).is_ok();
        if initial && self.conditions.keep(SideCondition::EmptyRun) {
            clause.push(LemmaLit::yes(Prop::Int(IntAtom::equals(Constant::RunLength, u64::from(back)))));
        }
        clause.extend(moves.keys().map(|&event| LemmaLit::yes(event_back(back, event))));
        self.emit(ENTERED, Justification::EnteredBy { back, thread, state }, clause)
    }

    fn clock_state(&mut self, back: u32, thread: ThreadId, state: LocalId) {
        let Some(clock) = self.clocks[thread.index()].as_ref().filter(|_| self.spend_walk(thread)) else { return };
        let set = clock.when(u64::from(back), |s| s == state);
        let premise = [state_back(back, thread, state)];
        self.emit_cover(
            CLOCK_STATE,
            &Justification::ClockState { back, thread, state },
            &premise,
            &BTreeSet::from([set]),
            0,
        );
    }

    /// Emits the conditions under which `event` may fire as the event `back` from the end.
    fn fires(&mut self, back: u32, event: EventId) {
        let least = u64::from(back) + 1;
        let premise = [event_back(back, event)];
        let existed = IntAtom::at_least(Constant::RunLength, least);
        let clause = vec![LemmaLit::no(premise[0].clone()), LemmaLit::yes(Prop::Int(existed))];
        self.emit(EVENT, Justification::EventExists { back, event }, clause);
        let shift = if self.conditions.keep(SideCondition::StepOfLastEvent) { least } else { least - 1 };
        for thread in self.shutting(event) {
            let Some(clock) = self.clocks[thread.index()].as_ref().filter(|_| self.spend_walk(thread)) else { return };
            let t = &self.threads[thread.index()];
            let set = clock.when(shift, |s| !t.state(s).block.contains(event));
            self.emit_cover(
                OPEN,
                &Justification::OpenAt { back, event, thread },
                &premise,
                &BTreeSet::from([set]),
                shift,
            );
        }
        if let Some(sets) = self.requesters(event, shift) {
            self.emit_cover(REQUESTED, &Justification::RequestedAt { back, event }, &premise, &sets, shift);
        }
    }

    /// Returns the clocks that block `event` at some step. If several clocks block it at the same steps, only
    /// one of them is returned.
    fn shutting(&mut self, event: EventId) -> Vec<ThreadId> {
        if let Some(known) = self.shutting.get(&event) {
            return known.clone();
        }
        let mut seen = BTreeSet::new();
        let mut shutting = Vec::new();
        for thread in self.users.blocking(event) {
            let Some(clock) = &self.clocks[thread.index()] else { continue };
            if !self.spend_walk(thread) {
                break;
            }
            let t = &self.threads[thread.index()];
            if seen.insert(clock.when(0, |s| !t.state(s).block.contains(event))) {
                shutting.push(thread);
            }
        }
        self.shutting.insert(event, shutting.clone());
        shutting
    }

    /// Returns the steps at which clocks request `event`, shifted. Returns `None` if another thread may request
    /// it or the work limit is reached.
    fn requesters(&mut self, event: EventId, shift: u64) -> Option<BTreeSet<LassoSet>> {
        let mut sets = BTreeSet::new();
        for thread in self.users.requesting(event) {
            if !self.spend_walk(thread) {
                return None;
            }
            let t = &self.threads[thread.index()];
            let requests = |s: LocalId| t.state(s).request.contains(event);
            match &self.clocks[thread.index()] {
                Some(clock) => drop(sets.insert(clock.when(shift, requests))),
                None if !self.conditions.keep(SideCondition::ForeignRequests) => {}
                None if self.some_reachable(thread.index(), requests) => return None,
                None => {}
            }
        }
        sets.retain(|set| !set.is_empty());
        Some(sets)
    }

    fn some_reachable(&self, thread: usize, holds: impl Fn(LocalId) -> bool) -> bool {
        let reachable = self.reachable[thread].iter().enumerate().filter(|(_, seen)| **seen);
        reachable.map(|(s, _)| LocalId::new(s)).any(holds)
    }

    /// Returns true if clocks ever keep `event` from firing. Otherwise, lemmas about the steps at which
    /// `event` fires would exclude nothing.
    fn constrained(&mut self, event: EventId) -> bool {
        if let Some(&known) = self.constrained.get(&event) {
            return known;
        }
        let may_block = self.users.blocking(event);
        self.spend(may_block.len() as u64);
        let never_blocked = may_block.iter().all(|i| {
            let t = &self.threads[i.index()];
            self.clocks[i.index()].as_ref().is_none_or(|c| c.always(|s| !t.state(s).block.contains(event)))
        });
        let requesters = self.requesters(event, 0).filter(|sets| self.spend(cover_work(sets)));
        let requested = requesters.is_none_or(|sets| cover(&sets, 0).is_empty());
        let constrained = !(never_blocked && requested);
        self.constrained.insert(event, constrained);
        constrained
    }

    /// Returns true if, as far as the lemmas can tell, `thread` may have been in `state` since the start of the
    /// run. Then earlier events constrain nothing, and they are not unrolled.
    fn may_idle(&mut self, thread: ThreadId, state: LocalId) -> bool {
        let t = &self.threads[thread.index()];
        if self.clocks[thread.index()].is_some() || t.initial.binary_search(&state).is_err() {
            return false;
        }
        if !self.spend(t.states[0].block.universe() as u64) {
            return true;
        }
        let here = t.state(state);
        let stays = |e: &EventId| !here.block.contains(*e) && t.targets(state, *e).any(|to| to == state);
        (0..here.block.universe()).map(EventId::new).filter(stays).any(|e| !self.constrained(e))
    }

    /// Emits for each clock that may request `event`: in a plain deadlock, the clock does not request it, or
    /// some clock blocks it.
    fn dead_at(&mut self, event: EventId) {
        let requesting = self.users.requesting(event);
        if requesting.is_empty() {
            return;
        }
        let Some(mut sets) = self.blockers(event) else { return };
        if !self.spend(cover_work(&sets)) || cover(&sets, 0).is_empty() {
            return;
        }
        let mut seen = BTreeSet::new();
        for thread in requesting {
            let Some(clock) = &self.clocks[thread.index()] else { continue };
            if !self.spend_walk(thread) {
                return;
            }
            let t = &self.threads[thread.index()];
            let requests = |s: LocalId| t.state(s).request.contains(event);
            let idle = clock.when(0, |s| !t.state(s).bad && !requests(s));
            if clock.states().iter().any(|&s| requests(s)) && seen.insert(idle.clone()) {
                let added = sets.insert(idle.clone());
                self.emit_cover(
                    DEAD,
                    &Justification::DeadAt { thread, event },
                    &[Prop::Ends(Goal::Deadlock)],
                    &sets,
                    0,
                );
                if added {
                    sets.remove(&idle);
                }
            }
        }
    }

    /// Returns the steps at which clocks block `event` in a plain deadlock. Returns `None` if another thread
    /// may block it or the work limit is reached.
    fn blockers(&mut self, event: EventId) -> Option<BTreeSet<LassoSet>> {
        let mut sets = BTreeSet::new();
        for thread in self.users.blocking(event) {
            if !self.spend_walk(thread) {
                return None;
            }
            let t = &self.threads[thread.index()];
            let blocks = |s: LocalId| !t.state(s).bad && t.state(s).block.contains(event);
            match &self.clocks[thread.index()] {
                Some(clock) => drop(sets.insert(clock.when(0, blocks))),
                None if !self.conditions.keep(SideCondition::ForeignBlocks) => {}
                None if self.some_reachable(thread.index(), blocks) => return None,
                None => {}
            }
        }
        sets.retain(|set| !set.is_empty());
        Some(sets)
    }
}
