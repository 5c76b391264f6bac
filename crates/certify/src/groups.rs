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
use hashbrown::HashTable;
use kernel::Work;
use kernel::keys::BuildMixer;
use kernel::program::stepper::{Stepper, bit};
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
    pub(super) members: Vec<u32>,
    /// Events that some thread outside the group may request, 64 to a word.
    pub(super) outside: Vec<u64>,
    /// The local states of the joint states: one per member, joint state after joint state, in order of
    /// discovery.
    pub(super) locals: Vec<u32>,
    /// Number of initial joint states. These have the smallest numbers.
    pub(super) initial: usize,
    /// The moves of joint state q are `moves[starts[q]..starts[q + 1]]`: pairs (event, next joint state),
    /// ordered by event.
    pub(super) starts: Vec<usize>,
    pub(super) moves: Vec<(u32, u32)>,
    /// For each joint state: the number of events that may fire there and move no member.
    pub(super) idle: Vec<u32>,
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
    /// A group without joint states.
    pub(crate) fn empty(members: Vec<u32>, outside: Vec<u64>) -> Self {
        let (locals, moves, idle) = (Vec::new(), Vec::new(), Vec::new());
        Self { members, outside, locals, initial: 0, starts: vec![0], moves, idle, lasso: None }
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

    pub(super) fn fires(&self, stepper: &Stepper, q: usize, event: u32) -> bool {
        !self.at(q).any(|(m, s)| stepper.blocks(m, s, event))
            && (bit(&self.outside, event) || self.at(q).any(|(m, s)| stepper.requests(m, s, event)))
    }

    pub(super) fn stays(&self, stepper: &Stepper, q: usize, event: u32) -> bool {
        self.at(q).all(|(m, s)| stepper.targets(m, s, event) == [s])
    }

    /// The members with their local states.
    pub(super) fn at(&self, q: usize) -> impl Iterator<Item = (usize, u32)> {
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
