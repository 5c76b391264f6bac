//! The projection of a program onto a group of threads: its joint states, its moves, and the joint states that
//! are possible after each number of events.
//!
//! An event may fire in a joint state iff no member blocks it, and either a member requests it there or some
//! other thread has a locally reachable state that requests it. (Bad states request nothing.) When an event
//! fires, every member moves.
//! 1. Every run of the program, restricted to the group, is a run of the projection. Proof: an event that fires
//!    is requested by a thread in a locally reachable state, and is blocked by no thread, so by no member.
//!    Source: localization (Kurshan 1994).
//!
//! Most events that may fire move no member. So only moves are stored. For the events that do not change a
//! joint state, only their number is stored.

use crate::Check;
use crate::threads::Threads;
use hashbrown::{HashTable, hash_table::Entry};
use kernel::Work;
use kernel::keys::BuildMixer;
use kernel::program::stepper::{Stepper, bit, bits};
use std::hash::BuildHasher;

/// Limits on a lasso: it has at most this many sets plus [`SETS_PER_STATE`] times the number of joint states,
/// and all sets together have at most [`ELEMENTS`] elements. [`model::Justification::Projected`] promises these
/// limits.
const SETS: usize = 4096;
const SETS_PER_STATE: usize = 4;
const ELEMENTS: usize = 1 << 24;

/// A group of threads, with all joint states that runs of the projection visit.
pub(crate) struct Group {
    /// The threads, ascending.
    members: Vec<u32>,
    /// Events that some thread outside the group may request, 64 to a word.
    outside: Vec<u64>,
    /// The local states of the joint states: one per member, joint state after joint state, in order of
    /// discovery.
    locals: Vec<u32>,
    /// Number of initial joint states. These have the smallest numbers.
    initial: usize,
    /// The moves of joint state q are `moves[starts[q]..starts[q + 1]]`: pairs (event, next joint state),
    /// ordered by event.
    starts: Vec<usize>,
    moves: Vec<(u32, u32)>,
    /// For each joint state: the number of events that may fire there and move no member.
    idle: Vec<u32>,
    lasso: Option<Reach>,
}

/// The group clock ([`Lasso`]), if it stays within the limits.
enum Reach {
    Lasso(Lasso),
    /// The lasso exceeds the limits.
    Unknown,
}

/// The sets S(0), S(1), ..: S(u) contains the joint states that runs of the projection may be in after u
/// events.
pub(crate) struct Lasso {
    /// S(u) is `elements[starts[u]..starts[u + 1]]`, ascending.
    starts: Vec<usize>,
    elements: Vec<u32>,
    /// Index of the set that follows the last one. From this set on, the sets repeat forever.
    prefix: usize,
}

impl Group {
    /// Computes the group of `members`. They must be ascending, at least one, and threads of the program, and
    /// their [`Threads::touched`] must be computed.
    pub(crate) fn new(threads: &Threads<'_>, members: &[u32], work: &mut Work<'_>) -> Check<Self> {
        let stepper = threads.stepper;
        let mut outside = threads.requestable();
        for &member in members {
            work.spend(1 + stepper.words() as u64)?;
            for event in threads.views[member as usize].requests().iter() {
                work.spend(1)?;
                if !threads.requested_outside(members, event.0) {
                    outside[event.index() / 64] &= !(1 << (event.0 % 64));
                }
            }
        }
        let group = Self {
            members: members.to_vec(),
            outside,
            locals: Vec::new(),
            initial: 0,
            starts: vec![0],
            moves: Vec::new(),
            idle: Vec::new(),
            lasso: None,
        };
        let untouched = bits(&group.outside).count() as u32;
        let (ids, next, wheels, touched) = (HashTable::new(), Vec::new(), Vec::new(), Vec::new());
        let mut builder = Builder { stepper, group, ids, untouched, next, wheels, touched };
        builder.products(|member, _| stepper.initial(member), work, |_, _| {})?;
        builder.group.initial = builder.group.len();
        let mut at = 0;
        while at < builder.group.len() {
            builder.expand(at, threads, work)?;
            at += 1;
        }
        Ok(builder.group)
    }

    /// Number of joint states.
    pub(crate) fn len(&self) -> usize {
        self.locals.len() / self.members.len()
    }

    pub(crate) fn members(&self) -> &[u32] {
        &self.members
    }

    /// The numbers of the initial joint states.
    pub(crate) fn initial(&self) -> std::ops::Range<usize> {
        0..self.initial
    }

    /// The local states of joint state `q`, by member.
    pub(crate) fn locals(&self, q: usize) -> &[u32] {
        let width = self.members.len();
        &self.locals[q * width..(q + 1) * width]
    }

    /// The moves of `q`: pairs (event, next joint state), ordered by event.
    pub(crate) fn moves(&self, q: usize) -> &[(u32, u32)] {
        &self.moves[self.starts[q]..self.starts[q + 1]]
    }

    /// Number of events that may fire in `q` and move no member.
    pub(crate) fn idle(&self, q: usize) -> usize {
        self.idle[q] as usize
    }

    /// True if `event` may fire in `q` and moves no member.
    pub(crate) fn idles_on(&self, stepper: &Stepper, q: usize, event: u32) -> bool {
        self.fires(stepper, q, event) && self.stays(stepper, q, event)
    }

    fn fires(&self, stepper: &Stepper, q: usize, event: u32) -> bool {
        !self.at(q).any(|(m, s)| stepper.blocks(m, s, event))
            && (bit(&self.outside, event) || self.at(q).any(|(m, s)| stepper.requests(m, s, event)))
    }

    fn stays(&self, stepper: &Stepper, q: usize, event: u32) -> bool {
        self.at(q).all(|(m, s)| stepper.targets(m, s, event) == [s])
    }

    /// The members with their local states.
    fn at(&self, q: usize) -> impl Iterator<Item = (usize, u32)> {
        self.members.iter().map(|&m| m as usize).zip(self.locals(q).iter().copied())
    }

    /// Approximate memory use, in words.
    pub(crate) fn size(&self) -> usize {
        let lasso = match &self.lasso {
            Some(Reach::Lasso(lasso)) => lasso.starts.len() + lasso.elements.len() / 2,
            _ => 0,
        };
        self.locals.len() + self.idle.len() + self.starts.len() + self.moves.len() + self.outside.len() + lasso
    }

    /// The group clock. `None` if it exceeds the limits.
    pub(crate) fn lasso(&mut self, work: &mut Work<'_>) -> Check<Option<&Lasso>> {
        if self.lasso.is_none() {
            self.lasso = Some(match Lasso::of(self, work)? {
                Some(lasso) => Reach::Lasso(lasso),
                None => Reach::Unknown,
            });
        }
        match &self.lasso {
            Some(Reach::Lasso(lasso)) => Ok(Some(lasso)),
            _ => Ok(None),
        }
    }
}

/// A group under construction.
struct Builder<'a> {
    stepper: &'a Stepper,
    group: Group,
    /// The numbers of the joint states found so far, by their local states.
    ids: HashTable<u32>,
    /// Number of events that other threads may request.
    untouched: u32,
    next: Vec<u32>,
    /// For each member: the index of its current local state, see [`Builder::products`].
    wheels: Vec<usize>,
    /// Events that some member requests, blocks or moves on.
    touched: Vec<u32>,
}

impl<'a> Builder<'a> {
    /// Finds the moves of joint state `q`. Joint states must be expanded in the order of their numbers.
    fn expand(&mut self, q: usize, threads: &Threads<'a>, work: &mut Work<'_>) -> Check<()> {
        let stepper = self.stepper;
        let mut touched = std::mem::take(&mut self.touched);
        touched.clear();
        let mut idle = 0;
        if !self.group.at(q).any(|(m, s)| stepper.is_bad(m, s)) {
            idle = self.untouched;
            touched.extend(self.group.at(q).flat_map(|(m, s)| threads.touched(m as u32, s)));
            touched.sort_unstable();
            touched.dedup();
        }
        work.spend(1 + (touched.len() * self.group.members.len()) as u64)?;
        for &event in &touched {
            idle -= u32::from(bit(&self.group.outside, event));
            if !self.group.fires(stepper, q, event) {
                continue;
            }
            if self.group.stays(stepper, q, event) {
                idle += 1;
            } else {
                self.moves(q, event, work)?;
            }
        }
        self.touched = touched;
        self.group.idle.push(idle);
        self.group.starts.push(self.group.moves.len());
        Ok(())
    }

    fn moves(&mut self, q: usize, event: u32, work: &mut Work<'_>) -> Check<()> {
        let stepper = self.stepper;
        let from = self.group.locals(q).to_vec();
        let targets = |member: usize, slot: usize| stepper.targets(member, from[slot], event);
        self.products(targets, work, |group, to| group.moves.push((event, to)))
    }

    /// Builds the joint state of each combination of one local state of `items` per member, and passes the
    /// number of the joint state to `visit`. Combinations are enumerated like the readings of an odometer.
    fn products(
        &mut self,
        items: impl Fn(usize, usize) -> &'a [u32],
        work: &mut Work<'_>,
        mut visit: impl FnMut(&mut Group, u32),
    ) -> Check<()> {
        let width = self.group.members.len();
        self.wheels.clear();
        self.wheels.resize(width, 0);
        self.next.clear();
        for slot in 0..width {
            self.next.push(items(self.group.members[slot] as usize, slot)[0]);
        }
        loop {
            let number = self.intern(work)?;
            visit(&mut self.group, number);
            let mut slot = 0;
            loop {
                let Some(wheel) = self.wheels.get_mut(slot) else { return Ok(()) };
                let list = items(self.group.members[slot] as usize, slot);
                *wheel = (*wheel + 1) % list.len();
                self.next[slot] = list[*wheel];
                if *wheel != 0 {
                    break;
                }
                slot += 1;
            }
        }
    }

    /// Returns the number of the joint state `next`. A joint state without number gets a new one.
    fn intern(&mut self, work: &mut Work<'_>) -> Check<u32> {
        let Self { group, ids, next, .. } = self;
        let width = next.len();
        work.spend(1 + width as u64)?;
        let hasher = BuildMixer::default();
        let locals = &group.locals;
        let of = |number: u32| &locals[number as usize * width..(number as usize + 1) * width];
        let found = ids.entry(hasher.hash_one(&*next), |&n| of(n) == next.as_slice(), |&n| hasher.hash_one(of(n)));
        match found {
            Entry::Occupied(entry) => Ok(*entry.get()),
            Entry::Vacant(entry) => {
                work.grow((2 * width + 8) * size_of::<u32>())?;
                let number = u32::try_from(group.locals.len() / width).map_err(|_| crate::Refusal::ResourceLimit)?;
                entry.insert(number);
                group.locals.extend_from_slice(next);
                Ok(number)
            }
        }
    }
}

impl Lasso {
    /// Computes the sets of `group` up to their first repetition. `None` if they exceed the limits.
    fn of(group: &Group, work: &mut Work<'_>) -> Check<Option<Self>> {
        let most = SETS.saturating_add(SETS_PER_STATE.saturating_mul(group.len()));
        let hasher = BuildMixer::default();
        let mut known: HashTable<u32> = HashTable::new();
        let mut lasso = Self { starts: vec![0], elements: Vec::new(), prefix: 0 };
        let mut set: Vec<u32> = group.initial().map(|q| q as u32).collect();
        let mut seen = vec![0; group.len()];
        for round in 1.. {
            if let Some(&earlier) = known.find(hasher.hash_one(&set), |&u| lasso.set(u as usize) == set) {
                lasso.prefix = earlier as usize;
                break;
            }
            if lasso.len() == most || lasso.elements.len() + set.len() > ELEMENTS {
                return Ok(None);
            }
            work.grow((set.len() + 4) * size_of::<u32>())?;
            let number = lasso.len() as u32;
            lasso.elements.extend_from_slice(&set);
            lasso.starts.push(lasso.elements.len());
            known.insert_unique(hasher.hash_one(&set), number, |&u| hasher.hash_one(lasso.set(u as usize)));
            set = after(group, &set, round, &mut seen, work)?;
        }
        Ok(Some(lasso))
    }

    /// Number of different sets.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn prefix(&self) -> usize {
        self.prefix
    }

    /// S(u), ascending, for u below [`Lasso::len`].
    pub(crate) fn set(&self, u: usize) -> &[u32] {
        &self.elements[self.starts[u]..self.starts[u + 1]]
    }
}

/// Returns the joint states that one more event may lead to from `set`, ascending. Joint states that are found
/// are marked with `round` in `seen`.
fn after(group: &Group, set: &[u32], round: u32, seen: &mut [u32], work: &mut Work<'_>) -> Check<Vec<u32>> {
    let mut next = Vec::new();
    for &q in set {
        let moves = group.moves(q as usize);
        work.spend(1 + moves.len() as u64)?;
        let stays = (group.idle(q as usize) > 0).then_some(q);
        for to in moves.iter().map(|&(_, to)| to).chain(stays) {
            if std::mem::replace(&mut seen[to as usize], round) != round {
                next.push(to);
            }
        }
    }
    next.sort_unstable();
    Ok(next)
}
