//! Clock tables, derived from the threads as read: which threads have a state that is a function of the time,
//! and this state at each time.
//!
//! A *clock* is a thread with one initial state such that, in each state it goes through, all events that the
//! state does not block lead to one single successor. f(u) is its state after u events.
//! 1. Every run of the program has the thread in f(u) after u events. Proof: by induction over u. The event
//!    that fires is not blocked by f(u), so f(u + 1) is the single successor.
//! 2. f is a lasso (it repeats from some point on), or ends in a state that blocks everything. No run continues
//!    after such a state.
//!
//! Source: Katz, Barrett, Harel 2015, section IV. The definition here is exact for events that a thread does
//! not mention: they leave the thread in its state, which is a successor like any other.

use crate::Check;
use kernel::Work;
use kernel::program::stepper::Stepper;

/// The states of a clock, in order of time.
pub(crate) struct Clock {
    /// f(0), f(1), .., each state once.
    states: Vec<u32>,
    /// The index from which on the states repeat forever. If the last state blocks everything: the length of
    /// `states`.
    prefix: usize,
}

impl Clock {
    /// Computes the table of `thread`. `None` if the thread is not a clock.
    pub(crate) fn of(stepper: &Stepper, thread: usize, work: &mut Work<'_>) -> Check<Option<Self>> {
        let &[first] = stepper.initial(thread) else { return Ok(None) };
        let mut time_of = vec![None; stepper.size(thread)];
        let mut states = Vec::new();
        let mut local = first;
        loop {
            if let Some(prefix) = time_of[local as usize] {
                return Ok(Some(Self { states, prefix }));
            }
            time_of[local as usize] = Some(states.len());
            states.push(local);
            match only_successor(stepper, thread, local, work)? {
                Successor::One(next) => local = next,
                Successor::None => return Ok(Some(Self { prefix: states.len(), states })),
                Successor::Several => return Ok(None),
            }
        }
    }

    /// A clock with these states that repeats from `prefix` on.
    #[cfg(test)]
    pub(crate) fn for_test(states: Vec<u32>, prefix: usize) -> Self {
        Self { states, prefix }
    }

    /// The set of all T such that f(T - shift) is defined and satisfies `member`.
    pub(crate) fn times(&self, shift: u64, member: impl Fn(u32) -> bool) -> LassoSet {
        LassoSet { shift, members: self.states.iter().map(|&s| member(s)).collect(), prefix: self.prefix }
    }
}

enum Successor {
    None,
    One(u32),
    Several,
}

fn only_successor(stepper: &Stepper, thread: usize, local: u32, work: &mut Work<'_>) -> Check<Successor> {
    let mut only = Successor::None;
    let mut open = stepper.events() - stepper.block(thread, local).len();
    work.spend(1 + stepper.block(thread, local).size() as u64)?;
    for (event, targets) in stepper.mentioned(thread, local) {
        work.spend(1)?;
        if stepper.blocks(thread, local, event) {
            continue;
        }
        open -= 1;
        let &[next] = targets else { return Ok(Successor::Several) };
        match only {
            Successor::One(known) if known != next => return Ok(Successor::Several),
            _ => only = Successor::One(next),
        }
    }
    // The other events that are not blocked are not mentioned, so the thread stays in its state.
    match only {
        _ if open == 0 => Ok(only),
        Successor::One(next) if next != local => Ok(Successor::Several),
        _ => Ok(Successor::One(local)),
    }
}

/// A set of run lengths T that is finite, or repeats forever from some point on.
pub(crate) struct LassoSet {
    shift: u64,
    /// `members[i]` is true if `shift + i` is in the set, for the prefix and one round of the cycle.
    members: Vec<bool>,
    prefix: usize,
}

impl LassoSet {
    /// The set of `shift + i` for each i with `members[i]`. From index `prefix` on, `members` repeats forever.
    pub(crate) fn new(shift: u64, members: Vec<bool>, prefix: usize) -> Self {
        Self { shift, members, prefix }
    }

    /// The set of all T from `bound` on.
    pub(crate) fn from(bound: u64) -> Self {
        Self { shift: bound, members: vec![true], prefix: 0 }
    }

    /// The set with the only member `value`.
    pub(crate) fn only(value: u64) -> Self {
        Self { shift: value, members: vec![true], prefix: 1 }
    }

    /// The members before the cycle.
    pub(crate) fn prefix_members(&self) -> impl Iterator<Item = u128> + '_ {
        let at = |i| u128::from(self.shift) + i as u128;
        (0..self.prefix).filter(|&i| self.members[i]).map(at)
    }

    /// Length of the cycle; 0 if the set is finite.
    pub(crate) fn period(&self) -> u128 {
        (self.members.len() - self.prefix) as u128
    }

    /// For each residue class of the cycle that is in the set: its first member that is at least `low`.
    pub(crate) fn cycle_members(&self, low: u128) -> impl Iterator<Item = u128> + '_ {
        let at = |i| u128::from(self.shift) + i as u128;
        (self.prefix..self.members.len()).filter(|&i| self.members[i]).map(at).map(move |first| {
            let rounds = low.saturating_sub(first).div_ceil(self.period());
            first + rounds * self.period()
        })
    }
}
