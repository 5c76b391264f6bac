//! The lemmas of looped threads. Each function states one fact of [`model::fact`]; its kind's comment is the formula.

use super::{Conditions, SideCondition};
use crate::clock::Clock;
use crate::lasso::{LassoSet, cover};
use model::{Constant, EventId, Fact, Goal, IntAtom, Lemma, LemmaKind, LemmaLit, LocalId, Prop, Thread, ThreadId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How many events before the end the moves of a thread with bad states are unrolled. Words that lead to bad are short (up to 3 events in the
/// corpus), and each layer adds a few literals per clock; beyond this the search itself goes on.
const DEPTH: u32 = 8;
/// Longest clause worth having: a disjunction of more residues excludes little and splits the search much.
const CLAUSE_LITERALS: usize = 512;
/// Literals of all clauses of a match: keeps the start below a few milliseconds however large the threads are.
const TOTAL_LITERALS: usize = 100_000;

/// `not Ends(Bad)` or some thread is in a bad state at T.
pub const BAD: LemmaKind = LemmaKind("looped.bad");
/// If the `back`-th event from the end is e, then T >= back + 1.
pub const EVENT: LemmaKind = LemmaKind("looped.event");
/// If e fires at step u = T-1-back, then clock i does not block it: T is a number whose f_i(u) does not block e.
pub const OPEN: LemmaKind = LemmaKind("looped.open");
/// If e fires at step u = T-1-back and only clocks request e, then some f_i(u) requests it.
pub const REQUESTED: LemmaKind = LemmaKind("looped.requested");
/// If clock i is in state s at step u = T-back, then f_i(u) = s.
pub const CLOCK_STATE: LemmaKind = LemmaKind("looped.state");
/// If a thread is in state s at step T-back, then T = back and s is initial, or some event with a move to s fired before.
pub const ENTERED: LemmaKind = LemmaKind("looped.entered");
/// If a thread got to s by event e, then it was in some state with a move on e to s before.
pub const FROM: LemmaKind = LemmaKind("looped.from");
/// In a plain deadlock at T an event that f_i(T) requests is blocked by some f_k(T), if only clocks can block it.
pub const DEAD: LemmaKind = LemmaKind("looped.dead");

/// Necessary conditions of every run that ends in a bad state.
pub(super) fn bad(threads: &[Thread], clocks: &[Option<Clock>], conditions: Conditions, out: &mut Vec<Lemma>) {
    let mut emitter = Emitter::new(threads, clocks, conditions);
    let mut bad_states = Vec::new();
    for (i, thread) in threads.iter().enumerate() {
        let reachable = &emitter.reachable[i];
        let here = (0..thread.states.len()).filter(|&s| reachable[s] && thread.states[s].bad);
        bad_states.extend(here.map(|s| (ThreadId::new(i), LocalId::new(s))));
    }
    if !conditions.keep(SideCondition::EveryBadState) {
        let first = bad_states.first().map(|&(i, _)| i);
        bad_states.retain(|&(i, _)| Some(i) == first);
    }
    let mut clause = Vec::new();
    if conditions.keep(SideCondition::GuardedByGoal) {
        clause.push(LemmaLit::no(Prop::Ends(Goal::Bad)));
    }
    clause.extend(bad_states.iter().map(|&(i, s)| LemmaLit::yes(state_back(0, i, s))));
    if emitter.emit(BAD, Fact::BadState, clause) {
        emitter.unroll(bad_states.into_iter().map(|(i, s)| (0, i, s)).collect());
    }
    out.append(&mut emitter.lemmas);
}

/// Necessary conditions of every run that ends in a plain deadlock.
pub(super) fn deadlock(threads: &[Thread], clocks: &[Option<Clock>], conditions: Conditions, out: &mut Vec<Lemma>) {
    let mut emitter = Emitter::new(threads, clocks, conditions);
    let universe = threads.first().map_or(0, |t| t.states[0].request.universe());
    for event in (0..universe).map(EventId::new) {
        emitter.dead_at(event);
    }
    if let Some(alone) = emitter.lemmas.iter().position(|lemma| lemma.clause.len() == 1) {
        let never = emitter.lemmas.swap_remove(alone);
        emitter.lemmas = vec![never];
    }
    out.append(&mut emitter.lemmas);
}

fn state_back(back: u32, thread: ThreadId, state: LocalId) -> Prop {
    Prop::StateBack { back, thread, state }
}

fn event_back(back: u32, event: EventId) -> Prop {
    Prop::EventBack { back, event }
}

/// A thread's state some events before the end: (back, thread, state).
type Place = (u32, ThreadId, LocalId);

/// For each state of `thread` the events that it mentions moving there, with the states that move and do not block it.
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

/// Collects lemmas within the budget.
struct Emitter<'a> {
    threads: &'a [Thread],
    clocks: &'a [Option<Clock>],
    conditions: Conditions,
    /// Per thread: locally reachable states.
    reachable: Vec<Vec<bool>>,
    /// Per thread that was unrolled: the drawn arrows into each state.
    arrows: BTreeMap<ThreadId, Vec<Vec<(EventId, LocalId)>>>,
    /// Events asked about by [`Emitter::constrained`], with the answer.
    constrained: BTreeMap<EventId, bool>,
    /// Clauses emitted by this match: several clocks often say the same.
    seen: BTreeSet<Vec<LemmaLit>>,
    literals_left: usize,
    lemmas: Vec<Lemma>,
}

impl<'a> Emitter<'a> {
    fn new(threads: &'a [Thread], clocks: &'a [Option<Clock>], conditions: Conditions) -> Self {
        Self {
            threads,
            clocks,
            conditions,
            reachable: threads.iter().map(Thread::locally_reachable).collect(),
            arrows: BTreeMap::new(),
            constrained: BTreeMap::new(),
            seen: BTreeSet::new(),
            literals_left: TOTAL_LITERALS,
            lemmas: Vec::new(),
        }
    }

    /// The clocks with their tables.
    fn tables(&self) -> impl Iterator<Item = (&'a Thread, &'a Clock)> + use<'a> {
        self.threads.iter().zip(self.clocks).filter_map(|(t, clock)| Some((t, clock.as_ref()?)))
    }

    /// Adds a lemma unless the budget forbids; says whether it is there now.
    fn emit(&mut self, kind: LemmaKind, fact: Fact, clause: Vec<LemmaLit>) -> bool {
        if clause.len() > self.literals_left {
            self.literals_left = 0;
        }
        if clause.len() > CLAUSE_LITERALS || self.literals_left == 0 {
            return false;
        }
        if self.seen.insert(clause.clone()) {
            self.literals_left -= clause.len();
            self.lemmas.push(Lemma { kind, clause, fact: Some(fact) });
        }
        true
    }

    /// Adds `premise -> T in sets` for T known to be at least `least`.
    fn emit_cover(&mut self, kind: LemmaKind, fact: &Fact, premise: &[Prop], sets: &[LassoSet], least: u64) {
        for atoms in cover(sets, least) {
            let mut clause: Vec<LemmaLit> = premise.iter().cloned().map(LemmaLit::no).collect();
            clause.extend(atoms.into_iter().map(|atom| LemmaLit::yes(Prop::Int(atom))));
            self.emit(kind, fact.clone(), clause);
        }
    }

    /// States what must have happened before these places, nearest to the end first.
    fn unroll(&mut self, mut work: VecDeque<Place>) {
        let mut places: BTreeSet<Place> = work.iter().copied().collect();
        let mut events = BTreeSet::new();
        while let Some((back, thread, state)) = work.pop_front() {
            if self.clocks[thread.index()].is_some() {
                self.clock_state(back, thread, state);
            }
            if back == DEPTH || self.literals_left == 0 {
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
                if back + 1 == DEPTH || sources.iter().any(|&s| self.may_idle(thread, s)) {
                    continue;
                }
                let fact = Fact::CameFrom { back, thread, state, event };
                let mut clause =
                    vec![LemmaLit::no(state_back(back, thread, state)), LemmaLit::no(event_back(back, event))];
                clause.extend(sources.iter().map(|&s| LemmaLit::yes(state_back(back + 1, thread, s))));
                if self.emit(FROM, fact, clause) {
                    let new = sources.into_iter().map(|s| (back + 1, thread, s)).filter(|&place| places.insert(place));
                    work.extend(new);
                }
            }
        }
    }

    /// Which events lead `thread` to `state`, from which of its reachable states each.
    fn moves_into(&mut self, thread: ThreadId, state: LocalId) -> BTreeMap<EventId, Vec<LocalId>> {
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
        let initial = self.threads[thread.index()].initial.contains(&state);
        if initial && self.conditions.keep(SideCondition::EmptyRun) {
            clause.push(LemmaLit::yes(Prop::Int(IntAtom::equals(Constant::RunLength, u64::from(back)))));
        }
        clause.extend(moves.keys().map(|&event| LemmaLit::yes(event_back(back, event))));
        self.emit(ENTERED, Fact::EnteredBy { back, thread, state }, clause)
    }

    fn clock_state(&mut self, back: u32, thread: ThreadId, state: LocalId) {
        let Some(clock) = &self.clocks[thread.index()] else { return };
        let set = clock.when(u64::from(back), |s| s == state);
        let premise = [state_back(back, thread, state)];
        self.emit_cover(CLOCK_STATE, &Fact::ClockState { back, thread, state }, &premise, &[set], 0);
    }

    /// What it takes for `event` to fire `back` events before the end.
    fn fires(&mut self, back: u32, event: EventId) {
        let least = u64::from(back) + 1;
        let premise = [event_back(back, event)];
        let existed = IntAtom::at_least(Constant::RunLength, least);
        let clause = vec![LemmaLit::no(premise[0].clone()), LemmaLit::yes(Prop::Int(existed))];
        self.emit(EVENT, Fact::EventExists { back, event }, clause);
        let shift = if self.conditions.keep(SideCondition::StepOfLastEvent) { least } else { least - 1 };
        for (i, clock) in self.clocks.iter().enumerate() {
            let Some(clock) = clock else { continue };
            let set = clock.when(shift, |s| !self.threads[i].state(s).block.contains(event));
            let fact = Fact::OpenAt { back, event, thread: ThreadId::new(i) };
            self.emit_cover(OPEN, &fact, &premise, &[set], shift);
        }
        if let Some(sets) = self.requesters(event, shift) {
            self.emit_cover(REQUESTED, &Fact::RequestedAt { back, event }, &premise, &sets, shift);
        }
    }

    /// When clocks request `event`, shifted; `None` if another thread may request it.
    fn requesters(&self, event: EventId, shift: u64) -> Option<Vec<LassoSet>> {
        let mut sets = Vec::new();
        for (i, thread) in self.threads.iter().enumerate() {
            let requests = |s: LocalId| thread.state(s).request.contains(event);
            match &self.clocks[i] {
                Some(clock) if clock.states().iter().any(|&s| requests(s)) => sets.push(clock.when(shift, requests)),
                Some(_) => {}
                None if !self.conditions.keep(SideCondition::ForeignRequests) => {}
                None if self.some_reachable(i, requests) => return None,
                None => {}
            }
        }
        Some(sets)
    }

    fn some_reachable(&self, thread: usize, holds: impl Fn(LocalId) -> bool) -> bool {
        let reachable = self.reachable[thread].iter().enumerate().filter(|(_, seen)| **seen);
        reachable.map(|(s, _)| LocalId::new(s)).any(holds)
    }

    /// Do clocks ever keep `event` from firing? Without that, lemmas about when it fires say nothing.
    fn constrained(&mut self, event: EventId) -> bool {
        if let Some(&known) = self.constrained.get(&event) {
            return known;
        }
        let never_blocked = self.tables().all(|(t, clock)| clock.always(|s| !t.state(s).block.contains(event)));
        let requested = self.requesters(event, 0).is_none_or(|sets| cover(&sets, 0).is_empty());
        let constrained = !(never_blocked && requested);
        self.constrained.insert(event, constrained);
        constrained
    }

    /// Can `thread` have been in `state` since the start of the run as far as lemmas can tell? Then what happened before
    /// constrains nothing and is not unrolled.
    fn may_idle(&mut self, thread: ThreadId, state: LocalId) -> bool {
        let t = &self.threads[thread.index()];
        if self.clocks[thread.index()].is_some() || !t.initial.contains(&state) {
            return false;
        }
        let here = t.state(state);
        let stays = |e: &EventId| !here.block.contains(*e) && t.targets(state, *e).any(|to| to == state);
        (0..here.block.universe()).map(EventId::new).filter(stays).any(|e| !self.constrained(e))
    }

    /// In a plain deadlock each clock that may request `event` does not, or some clock blocks it.
    fn dead_at(&mut self, event: EventId) {
        let blocks = |t: &Thread, s: LocalId| !t.state(s).bad && t.state(s).block.contains(event);
        let foreign = |i: usize| self.clocks[i].is_none() && self.some_reachable(i, |s| blocks(&self.threads[i], s));
        if self.conditions.keep(SideCondition::ForeignBlocks) && (0..self.threads.len()).any(foreign) {
            return;
        }
        let mut sets: Vec<LassoSet> = self.tables().map(|(t, clock)| clock.when(0, |s| blocks(t, s))).collect();
        for (i, (thread, clock)) in self.threads.iter().zip(self.clocks).enumerate() {
            let Some(clock) = clock else { continue };
            let requests = |s: LocalId| thread.state(s).request.contains(event);
            if clock.states().iter().any(|&s| requests(s)) {
                sets.push(clock.when(0, |s| !thread.state(s).bad && !requests(s)));
                let fact = Fact::DeadAt { thread: ThreadId::new(i), event };
                self.emit_cover(DEAD, &fact, &[Prop::Ends(Goal::Deadlock)], &sets, 0);
                sets.pop();
            }
        }
    }
}
