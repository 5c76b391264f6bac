//! Set clocks: the joint states of a small group of threads after each number of events, for any behavior of
//! the other threads.
//!
//! In the projection onto a group (see [`model::justification`]; localization, Kurshan 1994), an event fires if
//! and only if no member blocks it, and a member requests it or some other thread may request it at all. The
//! joint states after u events form a set S(u). S(u) determines S(u + 1), so the sequence of sets runs into a
//! cycle, as the state of a clock does. For periodic tasks, this takes few periods. A clock tells the state at
//! each step; a set clock tells the steps at which a state is possible.

use crate::lasso::LassoSet;
use crate::requests::Requests;
use model::{EventId, EventSet, LocalId, Thread, ThreadId};
use std::collections::BTreeMap;

/// Limits on the number of sets of a lasso (`SETS`) and on the total number of their elements (`ELEMENTS`).
/// The checker accepts set clocks of this size ([`model::Justification::Projected`]).
const SETS: usize = 4096;
const ELEMENTS: usize = 1 << 22;

/// The set clock of a group of threads.
#[derive(Clone, Debug)]
pub(crate) struct SetClock {
    /// Joint states: one local state for each member.
    joint: Vec<Box<[LocalId]>>,
    /// The sets S(0), S(1), .. up to the first repetition, each as ascending numbers of joint states.
    sets: Vec<Vec<u32>>,
    /// Index of the first set of the cycle.
    prefix: usize,
}

impl SetClock {
    /// Computes the set clock of `members`, which are ascending. Subtracts the cost from `work`: about the
    /// number of arrows of the joint states plus the number of elements of the sets. Returns `None` if `work`
    /// or another limit is exceeded.
    pub(crate) fn of(threads: &[Thread], members: &[ThreadId], requests: &Requests, work: &mut u64) -> Option<Self> {
        let threads: Vec<&Thread> = members.iter().map(|i| &threads[i.index()]).collect();
        let outside = requests.outside(members);
        let mut space = Space { threads, outside, joint: Vec::new(), numbers: BTreeMap::new(), after: Vec::new() };
        let mut set = Vec::new();
        let initial: Vec<&[LocalId]> = space.threads.iter().map(|t| &t.initial[..]).collect();
        for joint in product(&initial) {
            set.push(space.number(joint));
        }
        let mut known: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        let mut elements = 0;
        let prefix = loop {
            set.sort_unstable();
            set.dedup();
            if let Some(&first) = known.get(&set) {
                break first;
            }
            elements += set.len();
            if known.len() == SETS || elements > ELEMENTS {
                return None;
            }
            let mut next = Vec::new();
            for &q in &set {
                let after = space.after(q, work)?;
                *work = work.checked_sub(1 + after.len() as u64)?;
                next.extend_from_slice(after);
            }
            let number = known.len();
            known.insert(std::mem::replace(&mut set, next), number);
        };
        let mut sets = vec![Vec::new(); known.len()];
        known.into_iter().for_each(|(set, u)| sets[u] = set);
        Some(Self { joint: space.joint, sets, prefix })
    }

    /// Returns the length of the cycle.
    pub(crate) fn period(&self) -> u64 {
        (self.sets.len() - self.prefix) as u64
    }

    /// Returns the set of all `u + shift` such that some joint state of S(u) satisfies `holds`.
    pub(crate) fn when(&self, shift: u64, holds: impl Fn(&[LocalId]) -> bool) -> LassoSet {
        let held: Vec<bool> = self.joint.iter().map(|q| holds(q)).collect();
        let hits = |range: std::ops::Range<usize>| {
            let hit = |u: &usize| self.sets[*u].iter().any(|&q| held[q as usize]);
            range.filter(hit).map(|u| u as u64 + shift).collect::<Vec<_>>()
        };
        let early = hits(0..self.prefix).into_iter().collect();
        LassoSet::new(early, self.prefix as u64 + shift, self.period(), hits(self.prefix..self.sets.len()).into_iter())
    }
}

/// The joint states found so far.
struct Space<'a> {
    threads: Vec<&'a Thread>,
    /// Events that threads outside the group may request.
    outside: EventSet,
    joint: Vec<Box<[LocalId]>>,
    numbers: BTreeMap<Box<[LocalId]>, u32>,
    /// For each joint state: its successors by one event. `None` until they are needed.
    after: Vec<Option<Vec<u32>>>,
}

impl Space<'_> {
    fn number(&mut self, joint: Box<[LocalId]>) -> u32 {
        let next = u32::try_from(self.joint.len()).expect("the budget ends long before");
        *self.numbers.entry(joint).or_insert_with_key(|joint| {
            self.joint.push(joint.clone());
            self.after.push(None);
            next
        })
    }

    /// Returns the successors of `q` by one event, ascending.
    fn after(&mut self, q: u32, work: &mut u64) -> Option<&[u32]> {
        if self.after[q as usize].is_none() {
            let after = self.find_after(q, work)?;
            self.after[q as usize] = Some(after);
        }
        self.after[q as usize].as_deref()
    }

    fn find_after(&mut self, q: u32, work: &mut u64) -> Option<Vec<u32>> {
        let from = self.joint[q as usize].clone();
        let mut open = self.outside.clone();
        let states = || self.threads.iter().zip(&from).map(|(t, s)| t.state(*s));
        states().for_each(|s| open.union_with(&s.request));
        states().for_each(|s| open.subtract(&s.block));
        let mut moving: Vec<EventId> = states().flat_map(|s| s.on.keys().copied()).collect();
        moving.sort_unstable();
        moving.dedup();
        moving.retain(|e| open.contains(*e));
        *work = work.checked_sub(open.universe() as u64 / 64 + 1)?;
        let mut after = Vec::new();
        if moving.len() < open.len() {
            after.push(q);
        }
        for event in moving {
            let targets: Vec<Vec<LocalId>> =
                self.threads.iter().zip(&from).map(|(t, s)| t.targets(*s, event).collect()).collect();
            let ways = targets.iter().fold(1u64, |n, t| n.saturating_mul(t.len() as u64));
            *work = work.checked_sub(ways.saturating_mul(from.len() as u64))?;
            let lists: Vec<&[LocalId]> = targets.iter().map(Vec::as_slice).collect();
            for joint in product(&lists) {
                let to = self.number(joint);
                after.push(to);
            }
        }
        after.sort_unstable();
        after.dedup();
        Some(after)
    }
}

/// Returns all combinations of one item of each list.
fn product(lists: &[&[LocalId]]) -> Vec<Box<[LocalId]>> {
    let mut all: Vec<Vec<LocalId>> = vec![Vec::new()];
    for list in lists {
        all = all.iter().flat_map(|head| list.iter().map(|s| [&head[..], &[*s]].concat())).collect();
    }
    all.into_iter().map(Vec::into_boxed_slice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit;

    #[test]
    fn set_clocks_contain_what_runs_do_and_little_more() {
        let mut random = kit::Random::new(5);
        let (mut compared, mut exact, mut loose) = (0, 0, 0);
        for round in 0..600 {
            let program = if round % 2 == 0 { kit::program(&mut random) } else { kit::task_program(&mut random) };
            let threads = program.threads();
            let requests = Requests::new(threads);
            let all: Vec<ThreadId> = (0..threads.len()).map(ThreadId::new).collect();
            let groups = [vec![all[random.below(all.len())]], all.clone()];
            let runs = kit::violating_runs(&program, kit::Sample::default(), &mut random);
            for members in groups {
                let clock = SetClock::of(threads, &members, &requests, &mut 1_000_000).expect("small");
                for run in &runs {
                    for (u, q) in run.states.iter().enumerate() {
                        let here: Vec<LocalId> = members.iter().map(|i| LocalId(q[i.index()])).collect();
                        let when = clock.when(3, |joint| joint == here.as_slice());
                        assert!(when.contains(u as u64 + 3), "{members:?} at {u}: {}", kit::describe(&program));
                        compared += 1;
                    }
                }
                if members.len() == threads.len() {
                    // The group is the whole program, so the sets contain exactly the states that runs visit.
                    let visits = kit::reachable_states(&program);
                    assert!(
                        clock.joint.iter().all(|q| visits.contains(&q.iter().map(|s| s.0).collect::<Box<[u32]>>()))
                    );
                    exact += 1;
                } else {
                    loose += 1;
                }
            }
        }
        assert!(compared > 10_000 && exact > 500 && loose > 500, "{compared} {exact} {loose}");
    }
}
