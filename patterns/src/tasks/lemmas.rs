//! The lemmas of tasks: the steps at which a bad state is possible. T is the length of a run that ends in this
//! state. A thread with a bad state is called a *marker*.
//!
//! A lemma considers a marker alone, or together with one or two other threads. The set clock of these threads
//! ([`crate::set_clock`]) gives the steps at which the marker can be in its bad state, and T must be such a
//! step.
//!
//! Katz, Barrett and Harel 2015 consider a marker that becomes bad if task k gets m slots in a row. They derive
//! conditions on the time of these slots (the window), with these numbers:
//! * (2) No task of higher priority than k is released in the window.
//! * (3) No two such tasks are released together just before the window.
//! * (4) Task k is released inside the window if m exceeds its work.
//! * (5) No job ends later than its response time allows.
//!
//! Every T that the set clocks allow satisfies (2) to (4). Set clocks do not depend on what the marker counts,
//! or on how tasks block each other. For (5), the states that response times exclude are already removed from
//! the threads.

use super::conditions::{Conditions, SideCondition};
use crate::facts;
use crate::lasso::{LassoSet, cover};
use crate::requests::Requests;
use crate::set_clock::SetClock;
use model::{Justification, Lemma, LemmaKind, LemmaLit, LocalId, Prop, Thread, ThreadId};
use num_integer::Integer;
use std::collections::{BTreeMap, BTreeSet};

/// A run to the goal `bad` ends with some thread in a bad state: `not Ends(Bad)`, or `StateBack(0, i, s)` for
/// some thread i and bad state s.
pub const BAD: LemmaKind = LemmaKind("tasks.bad");
/// If a run of length T ends with a thread in a bad state, then the set clock of a group allows this state after
/// T events.
pub const WHEN: LemmaKind = LemmaKind("tasks.when");

/// Maximum number of bad states. Programs with more of them get no lemmas. Markers have one each, and tasks
/// have one for jobs that end too late.
const PLACES: usize = 64;
/// Maximum number of literals of a clause. The pattern `looped` has the same limit.
const CLAUSE_LITERALS: usize = 512;
/// Maximum number of threads from which pairs are formed. The number of pairs is half the square of this.
const PAIRED: usize = 32;
/// Longest cycle of two threads together that is explored. The longest one in the corpus has 323 steps (periods
/// 17 and 19).
const CYCLE: u64 = 4096;
/// Limits on the work of [`SetClock::of`]: for one set clock (`GROUP_WORK`), and for all set clocks of a match
/// (`WORK`), which take about 100 ms.
const GROUP_WORK: u64 = 1_000_000;
const WORK: u64 = 8_000_000;
/// Maximum number of values of T that are compared to find out whether a set of T excludes something new.
const COMPARED: u64 = 100_000;

/// A set of possible T, and the group with the set clock that implies it.
pub(super) struct Told {
    pub(super) group: Vec<ThreadId>,
    pub(super) times: LassoSet,
}

/// Emits necessary conditions on every run that ends in a bad state.
pub(super) fn bad(threads: &[Thread], keep: Conditions, out: &mut Vec<Lemma>) {
    let mut places = facts::bad_states(threads);
    if !keep.keep(SideCondition::EveryBadState) {
        let last = places.last().map(|&(i, _)| i);
        places.retain(|&(i, _)| Some(i) == last);
    }
    if places.len() > PLACES {
        return;
    }
    out.push(facts::ends_in_one_of(BAD, &places));
    let mut times = Times::new(threads, keep);
    for (thread, state) in places {
        for told in times.of(thread, state) {
            for atoms in cover(&BTreeSet::from([told.times]), 0).into_iter().filter(|a| a.len() < CLAUSE_LITERALS) {
                let mut clause = vec![LemmaLit::no(state_at_end(thread, state))];
                clause.extend(atoms.into_iter().map(|atom| LemmaLit::yes(Prop::Int(atom))));
                let justification = Justification::Projected { threads: told.group.clone(), back: 0, length: 0 };
                out.push(Lemma { kind: WHEN, clause, justification: Some(justification) });
            }
        }
    }
}

fn state_at_end(thread: ThreadId, state: LocalId) -> Prop {
    Prop::StateBack { back: 0, thread, state }
}

/// Computes the steps at which local states are possible, from the set clocks of groups of up to three threads.
pub(super) struct Times<'a> {
    threads: &'a [Thread],
    requests: Requests,
    /// Set clocks by group. `None` if the set clock exceeds a limit.
    clocks: BTreeMap<Vec<ThreadId>, Option<SetClock>>,
    work_left: u64,
}

impl<'a> Times<'a> {
    pub(super) fn new(threads: &'a [Thread], keep: Conditions) -> Self {
        let others = keep.keep(SideCondition::OthersRequest);
        let requests = if others { Requests::new(threads) } else { Requests::none(threads) };
        Self { threads, requests, clocks: BTreeMap::new(), work_left: WORK }
    }

    /// Returns sets of T such that a run of length T may end with `thread` in `state`. Each set excludes a T
    /// that all sets before it contain. If one of the sets is empty, only this set is returned.
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

    /// Returns the steps at which `thread` may be in `state` according to the set clock of `group`.
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
            // The cycle of the whole group is estimated: as the least common multiple of the cycles of each
            // other thread together with the marker.
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
        // Cost of reading the requests of the other threads.
        let words = (self.threads.len() * (1 + self.threads[0].states[0].block.universe() / 64)) as u64;
        let mut work = before.saturating_sub(words);
        let clock = SetClock::of(self.threads, group, &self.requests, &mut work);
        self.work_left -= before - work;
        clock
    }

    /// Returns true if `thread` blocks an event in some state, so that it may restrain other threads.
    fn restrains(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].states.iter().any(|s| !s.bad && !s.block.is_empty())
    }
}

/// Returns true if some T is in all sets of `told` but not in `times`.
fn says_more(times: &LassoSet, told: &[Told]) -> bool {
    let all = told.iter().map(|t| t.times.rhythm()).chain([times.rhythm()]);
    let (start, period) = all.fold((0, 1u64), |(start, period), (s, p)| (s.max(start), period.lcm(&p)));
    let end = start.saturating_add(period).min(COMPARED);
    (0..end).any(|t| !times.contains(t) && told.iter().all(|other| other.times.contains(t)))
}
