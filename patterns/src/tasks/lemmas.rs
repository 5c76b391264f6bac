//! The lemmas of tasks: at which steps a bad state can be reached beside one or two of the other threads.
//!
//! The paper derives conditions on the time t at which, say, task k gets its m-th slot in a row: no release of a task that
//! outranks k in the window (2), none of two tasks together just before it (3), a release of k inside it if m exceeds its
//! work (4). All of them are what the set clocks of the marker with one or two tasks say ([`crate::set_clock`]), whatever the
//! marker counts and however tasks block each other. What its own response time keeps a task from (5) is no longer in the
//! threads when this is asked.

use super::conditions::{Conditions, SideCondition};
use crate::lasso::{LassoSet, cover};
use crate::requests::Requests;
use crate::set_clock::SetClock;
use model::{Fact, Goal, Lemma, LemmaKind, LemmaLit, LocalId, Prop, Thread, ThreadId};
use num_integer::Integer;
use std::collections::{BTreeMap, BTreeSet};

/// `not Ends(Bad)` or some thread is in a bad state at T.
pub const BAD: LemmaKind = LemmaKind("tasks.bad");
/// If a thread is in its bad state at T, then T is a number at which it can be, beside some other threads.
pub const WHEN: LemmaKind = LemmaKind("tasks.when");

/// Bad states worth asking about: markers have one each, tasks one for what is too late.
const PLACES: usize = 64;
/// Longest clause worth having, as for looped threads.
const CLAUSE_LITERALS: usize = 512;
/// Threads to put beside a bad state in twos; there are half the square of it.
const PAIRED: usize = 32;
/// Longest cycle of two threads together that is worth a look; the corpus has 323 (periods 17 and 19).
const CYCLE: u64 = 4096;
/// What one set clock, and all set clocks of a match may cost (looks at arrows and elements): some 100 ms.
const GROUP_WORK: u64 = 1_000_000;
const WORK: u64 = 8_000_000;
/// Numbers looked at to see whether a set of T says something new.
const COMPARED: u64 = 100_000;

/// A set of T, and the group whose set clock it is from.
pub(super) struct Told {
    pub(super) group: Vec<ThreadId>,
    pub(super) times: LassoSet,
}

/// Necessary conditions of every run that ends in a bad state.
pub(super) fn bad(threads: &[Thread], keep: Conditions, out: &mut Vec<Lemma>) {
    let mut places = bad_places(threads);
    if !keep.keep(SideCondition::EveryBadState) {
        let last = places.last().map(|&(i, _)| i);
        places.retain(|&(i, _)| Some(i) == last);
    }
    if places.len() > PLACES {
        return;
    }
    let mut clause = vec![LemmaLit::no(Prop::Ends(Goal::Bad))];
    clause.extend(places.iter().map(|&(i, s)| LemmaLit::yes(state_at_end(i, s))));
    out.push(Lemma { kind: BAD, clause, fact: Some(Fact::BadState) });
    let mut times = Times::new(threads, keep);
    for (thread, state) in places {
        for told in times.of(thread, state) {
            for atoms in cover(&BTreeSet::from([told.times]), 0).into_iter().filter(|a| a.len() < CLAUSE_LITERALS) {
                let mut clause = vec![LemmaLit::no(state_at_end(thread, state))];
                clause.extend(atoms.into_iter().map(|atom| LemmaLit::yes(Prop::Int(atom))));
                let fact = Fact::Projected { threads: told.group.clone(), back: 0, length: 0 };
                out.push(Lemma { kind: WHEN, clause, fact: Some(fact) });
            }
        }
    }
}

fn state_at_end(thread: ThreadId, state: LocalId) -> Prop {
    Prop::StateBack { back: 0, thread, state }
}

/// Locally reachable bad states.
pub(super) fn bad_places(threads: &[Thread]) -> Vec<(ThreadId, LocalId)> {
    let mut places = Vec::new();
    for (i, thread) in threads.iter().enumerate() {
        let reachable = thread.locally_reachable();
        let bad = (0..thread.states.len()).filter(|&s| reachable[s] && thread.states[s].bad);
        places.extend(bad.map(|s| (ThreadId::new(i), LocalId::new(s))));
    }
    places
}

/// When local states can be, asked of groups of up to three threads.
pub(super) struct Times<'a> {
    threads: &'a [Thread],
    requests: Requests,
    /// Set clocks by group; `None` where they cost too much.
    clocks: BTreeMap<Vec<ThreadId>, Option<SetClock>>,
    work_left: u64,
}

impl<'a> Times<'a> {
    pub(super) fn new(threads: &'a [Thread], keep: Conditions) -> Self {
        let others = keep.keep(SideCondition::OthersRequest);
        let requests = if others { Requests::new(threads) } else { Requests::none(threads) };
        Self { threads, requests, clocks: BTreeMap::new(), work_left: WORK }
    }

    /// Sets of T at whose end `thread` can be in `state`; each says something that those before do not. If one of them is
    /// empty, only that one.
    pub(super) fn of(&mut self, thread: ThreadId, state: LocalId) -> Vec<Told> {
        let others: Vec<ThreadId> = (0..self.threads.len()).map(ThreadId::new).filter(|&i| i != thread).collect();
        let others: Vec<ThreadId> = others.into_iter().filter(|&i| self.restrains(i)).collect();
        let mut told: Vec<Told> = Vec::new();
        let mut groups = vec![vec![thread]];
        groups.extend(others.iter().map(|&i| vec![i, thread]));
        let paired = &others[..others.len().min(PAIRED)];
        let pairs = paired.iter().enumerate().flat_map(|(k, &i)| paired[..k].iter().map(move |&j| (j, i)));
        groups.extend(pairs.map(|(j, i)| vec![j, i, thread]));
        for mut group in groups {
            if self.work_left == 0 {
                break;
            }
            group.sort_unstable();
            let Some(times) = self.when(&group, thread, state) else { continue };
            if times.is_empty() {
                return vec![Told { group, times }];
            }
            if says_more(&times, &told) {
                told.push(Told { group, times });
            }
        }
        told
    }

    /// When `thread` can be in `state`, as the set clock of `group` has it.
    pub(super) fn when(&mut self, group: &[ThreadId], thread: ThreadId, state: LocalId) -> Option<LassoSet> {
        let position = group.iter().position(|&i| i == thread)?;
        Some(self.clock(group, thread)?.when(0, |joint| joint[position] == state))
    }

    fn clock(&mut self, group: &[ThreadId], marker: ThreadId) -> Option<&SetClock> {
        if !self.clocks.contains_key(group) {
            let clock = self.build(group, marker);
            self.clocks.insert(group.to_vec(), clock);
        }
        self.clocks[group].as_ref()
    }

    fn build(&mut self, group: &[ThreadId], marker: ThreadId) -> Option<SetClock> {
        if group.len() > 2 {
            // Two threads together take at least as long as each of them: look whether that can be afforded.
            let mut cycle = 1u64;
            for &i in group.iter().filter(|&&i| i != marker) {
                let mut pair = vec![i, marker];
                pair.sort_unstable();
                cycle = cycle.lcm(&self.clock(&pair, marker)?.period());
            }
            if cycle > CYCLE {
                return None;
            }
        }
        let before = GROUP_WORK.min(self.work_left);
        // Looking up what the others request.
        let words = (self.threads.len() * (1 + self.threads[0].states[0].block.universe() / 64)) as u64;
        let mut work = before.saturating_sub(words);
        let clock = SetClock::of(self.threads, group, &self.requests, &mut work);
        self.work_left -= before - work;
        clock
    }

    /// Does `thread` ever block anything, so that it may keep others from something?
    fn restrains(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].states.iter().any(|s| !s.bad && !s.block.is_empty())
    }
}

/// Is there a T in all of `told` that is not in `times`?
fn says_more(times: &LassoSet, told: &[Told]) -> bool {
    let all = told.iter().map(|t| t.times.rhythm()).chain([times.rhythm()]);
    let (start, period) = all.fold((0, 1u64), |(start, period), (s, p)| (s.max(start), period.lcm(&p)));
    let end = start.saturating_add(period).min(COMPARED);
    (0..end).any(|t| !times.contains(t) && told.iter().all(|other| other.times.contains(t)))
}
