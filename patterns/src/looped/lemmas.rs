//! The lemmas of looped threads. Each function states one fact of [`model::fact`]; its kind's comment is the formula.

use super::users::Users;
use super::{Conditions, SideCondition};
use crate::clock::Clock;
use crate::lasso::{LassoSet, cover, cover_work};
use model::{Constant, EventId, Fact, Goal, IntAtom, Lemma, LemmaKind, LemmaLit, LocalId, Prop, Thread, ThreadId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How many events before the end the moves of a thread with bad states are unrolled. Words that lead to bad are short (up to 3 events in the
/// corpus), and each layer adds a few literals per clock; beyond this the search itself goes on.
const DEPTH: u32 = 8;
/// Longest clause worth having: a disjunction of more residues excludes little and splits the search much.
const CLAUSE_LITERALS: usize = 512;
/// Literals of all clauses of a match: keeps the start below a few milliseconds however large the threads are.
const TOTAL_LITERALS: usize = 100_000;
/// Looks at states, events and numbers that all lemmas of a match may cost: some half a second, ten times what 60,000
/// threads of three states take. What does not fit is left out: fewer lemmas are weaker, never wrong.
pub(super) const WORK: u64 = 10_000_000;

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

/// Necessary conditions of every run that ends in a bad state. Returns the work it took.
pub(super) fn bad(threads: &[Thread], clocks: &[Option<Clock>], conditions: Conditions, out: &mut Vec<Lemma>) -> u64 {
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
    WORK - emitter.work_left
}

/// Necessary conditions of every run that ends in a plain deadlock: a single lemma if that rules it out. Returns the work
/// it took.
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
    users: Users,
    /// Per event clocks that say all that clocks say about when it is not blocked.
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

    /// Takes `work` from what is left; false, and nothing is left, if that is too little.
    fn spend(&mut self, work: u64) -> bool {
        let left = self.work_left.checked_sub(work);
        self.work_left = left.unwrap_or(0);
        left.is_some()
    }

    /// Spends what a walk over all states of `thread` costs.
    fn spend_walk(&mut self, thread: ThreadId) -> bool {
        self.spend(2 * self.threads[thread.index()].states.len() as u64)
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
    fn emit_cover(&mut self, kind: LemmaKind, fact: &Fact, premise: &[Prop], sets: &BTreeSet<LassoSet>, least: u64) {
        if !self.spend(cover_work(sets)) {
            return;
        }
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
        self.emit(ENTERED, Fact::EnteredBy { back, thread, state }, clause)
    }

    fn clock_state(&mut self, back: u32, thread: ThreadId, state: LocalId) {
        let Some(clock) = self.clocks[thread.index()].as_ref().filter(|_| self.spend_walk(thread)) else { return };
        let set = clock.when(u64::from(back), |s| s == state);
        let premise = [state_back(back, thread, state)];
        self.emit_cover(CLOCK_STATE, &Fact::ClockState { back, thread, state }, &premise, &BTreeSet::from([set]), 0);
    }

    /// What it takes for `event` to fire `back` events before the end.
    fn fires(&mut self, back: u32, event: EventId) {
        let least = u64::from(back) + 1;
        let premise = [event_back(back, event)];
        let existed = IntAtom::at_least(Constant::RunLength, least);
        let clause = vec![LemmaLit::no(premise[0].clone()), LemmaLit::yes(Prop::Int(existed))];
        self.emit(EVENT, Fact::EventExists { back, event }, clause);
        let shift = if self.conditions.keep(SideCondition::StepOfLastEvent) { least } else { least - 1 };
        for thread in self.shutting(event) {
            let Some(clock) = self.clocks[thread.index()].as_ref().filter(|_| self.spend_walk(thread)) else { return };
            let t = &self.threads[thread.index()];
            let set = clock.when(shift, |s| !t.state(s).block.contains(event));
            self.emit_cover(OPEN, &Fact::OpenAt { back, event, thread }, &premise, &BTreeSet::from([set]), shift);
        }
        if let Some(sets) = self.requesters(event, shift) {
            self.emit_cover(REQUESTED, &Fact::RequestedAt { back, event }, &premise, &sets, shift);
        }
    }

    /// Clocks that block `event` at times, one of those that do at the same times.
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

    /// When clocks request `event`, shifted; `None` if another thread may request it or the work is too much.
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

    /// Do clocks ever keep `event` from firing? Without that, lemmas about when it fires say nothing.
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

    /// Can `thread` have been in `state` since the start of the run as far as lemmas can tell? Then what happened before
    /// constrains nothing and is not unrolled.
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

    /// In a plain deadlock each clock that may request `event` does not, or some clock blocks it.
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
                self.emit_cover(DEAD, &Fact::DeadAt { thread, event }, &[Prop::Ends(Goal::Deadlock)], &sets, 0);
                if added {
                    sets.remove(&idle);
                }
            }
        }
    }

    /// When clocks block `event` in a plain deadlock; `None` if another thread may block it or the work is too much.
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
