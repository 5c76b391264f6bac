//! The construction of groups from the threads of a program, see [`crate::groups`].

use crate::Check;
use crate::groups::Group;
use crate::threads::Threads;
use hashbrown::{HashTable, hash_table::Entry};
use kernel::Work;
use kernel::keys::BuildMixer;
use kernel::program::stepper::{Stepper, bit, bits};
use std::hash::BuildHasher;

/// Returns the group of these threads (ascending, at least one), from the cache if it is there. The caller must
/// return it with [`Threads::keep`] unless the check fails.
pub(crate) fn take_group(threads: &mut Threads<'_>, members: &[u32], work: &mut Work<'_>) -> Check<Group> {
    if let Some(group) = threads.take_kept(members) {
        return Ok(group);
    }
    for &member in members {
        threads.touch(member, work)?;
    }
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
    let group = Group::empty(members.to_vec(), outside);
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
