//! The transitions that certificates are checked against: guards and effects over places. A net has them as
//! read. A thread-transition system is translated here, from the definition in `model::threads`.
//!
//! The place of a shared state holds one token iff it is the current shared state. The place of a local state
//! holds the number of threads in it. A transition needs a token on its shared state and on its local state,
//! and moves the shared token. If the active thread moves from l to l', the local states change as follows:
//! * *move* without passive moves: one token goes from l to l'. *Spawn*: l' gets one more token. *Transfer*: l'
//!   gets all tokens of l.
//! * *broadcast* (a move with passive moves): the other threads in x (all but the active thread) are the tokens
//!   of x, minus one if x is l. A local state y ends up with the other threads of all x that move to y, and one
//!   more if y is l'. Threads in y itself stay there unless y has a passive move. The guard `l >= 1` guarantees
//!   that the subtracted thread exists.
//!
//! Where threads in x pick one of several targets, the effects describe everything else. A [`Scatter`] says
//! that the other threads in x arrive at its targets, in any numbers with the right sum.

use super::Marked;
use crate::Check;
use crate::work::Work;
use model::{Act, Effect, Guard, PlaceId, Range, ThreadTransition, ThreadTransitionSystem, Transition};
use num_bigint::{BigInt, BigUint};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The transitions of a net, or of a thread-transition system translated to a net.
#[derive(Debug)]
pub struct Rules<'a> {
    /// For each place: the range of its initial tokens.
    pub initial: Vec<Cow<'a, Range>>,
    /// Guards and effects. The moves of threads that pick a target are in `scatters` instead.
    pub transitions: Cow<'a, [Transition]>,
    /// The threads that pick a target, in ascending order of transitions.
    pub scatters: Vec<Scatter>,
}

/// A choice of targets: when `transition` fires, each thread in `source` (except the active one) moves to one
/// of `targets`.
#[derive(Debug)]
pub struct Scatter {
    /// The index of the transition.
    pub transition: usize,
    /// The place that the threads leave.
    pub source: PlaceId,
    /// True if the active thread is one of the threads in `source`.
    pub but_one: bool,
    /// The places that the threads can go to.
    pub targets: Vec<PlaceId>,
}

impl<'a> Rules<'a> {
    /// Creates the transitions of this system.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn new(system: Marked<'a>, work: &mut Work<'_>) -> Check<Self> {
        match system {
            Marked::Net(net) => Ok(Self {
                initial: net.places().iter().map(|p| Cow::Borrowed(&p.initial)).collect(),
                transitions: Cow::Borrowed(net.transitions()),
                scatters: Vec::new(),
            }),
            Marked::Threads(system) => of_threads(system, work),
        }
    }

    /// Returns the choices of targets that threads have when this transition fires.
    #[must_use]
    pub fn scatters_of(&self, transition: usize) -> &[Scatter] {
        let start = self.scatters.partition_point(|s| s.transition < transition);
        let end = self.scatters.partition_point(|s| s.transition <= transition);
        &self.scatters[start..end]
    }
}

fn of_threads<'a>(system: &ThreadTransitionSystem, work: &mut Work<'_>) -> Check<Rules<'a>> {
    let initial = system.initial();
    let mut ranges = vec![Range::exactly(0u8); system.places()];
    ranges[system.shared_place(initial.shared).index()] = Range::exactly(1u8);
    for (&l, n) in &initial.threads {
        ranges[system.local_place(l).index()] = Range::exactly(n.clone());
    }
    for &l in &initial.any {
        ranges[system.local_place(l).index()].at_most = None;
    }
    let mut transitions = Vec::with_capacity(system.transitions().len());
    let mut scatters = Vec::new();
    for (number, t) in system.transitions().iter().enumerate() {
        work.spend(4 + t.passive.values().map(|targets| 1 + targets.len() as u64).sum::<u64>())?;
        transitions.push(translated(system, t));
        for (&source, targets) in t.passive.iter().filter(|(_, targets)| targets.len() > 1) {
            let targets = targets.iter().map(|&l| system.local_place(l)).collect();
            let (but_one, source) = (source == t.from.1, system.local_place(source));
            scatters.push(Scatter { transition: number, source, but_one, targets });
        }
    }
    assert_eq!(transitions.len(), system.transitions().len(), "transitions keep their numbers");
    debug_assert!(scatters.is_sorted_by_key(|s| s.transition));
    let initial = ranges.into_iter().map(Cow::Owned).collect();
    Ok(Rules { initial, transitions: Cow::Owned(transitions), scatters })
}

fn translated(system: &ThreadTransitionSystem, t: &ThreadTransition) -> Transition {
    let (s, s_after) = (system.shared_place(t.from.0), system.shared_place(t.to.0));
    let (l, l_after) = (system.local_place(t.from.1), system.local_place(t.to.1));
    let one = |place| Guard { place, range: Range::from(BigUint::from(1u8)) };
    // `gets[p]`: the places from which place `p` gets tokens, and a constant.
    let mut gets: BTreeMap<PlaceId, (Vec<PlaceId>, i32)> = BTreeMap::new();
    if s != s_after {
        gets.insert(s, (vec![s], -1));
        gets.insert(s_after, (vec![s_after], 1));
    }
    match t.act {
        Act::Spawn => {
            gets.insert(l_after, (vec![l_after], 1));
        }
        Act::Transfer if l == l_after => {}
        Act::Transfer => {
            gets.insert(l, (vec![], 0));
            gets.insert(l_after, (vec![l, l_after], 0));
        }
        Act::Move => {
            let leaves: BTreeSet<PlaceId> = t.passive.keys().map(|&x| system.local_place(x)).collect();
            let stays = |x: PlaceId| if leaves.contains(&x) { vec![] } else { vec![x] };
            for x in leaves.iter().copied().chain([l, l_after]) {
                gets.entry(x).or_insert_with(|| (stays(x), 0));
            }
            for (&x, targets) in &t.passive {
                if let [y] = targets.as_slice() {
                    let y = system.local_place(*y);
                    gets.entry(y).or_insert_with(|| (stays(y), 0)).0.push(system.local_place(x));
                }
            }
            for (place, (sources, add)) in &mut gets {
                *add += i32::from(*place == l_after);
                // This is right for shared places too, because l is none of their sources.
                *add -= i32::from(sources.contains(&l));
            }
        }
    }
    let effect = |(place, (mut sources, add)): (PlaceId, (Vec<PlaceId>, i32))| {
        sources.sort_unstable();
        Effect { place, sources: sources.into(), add: BigInt::from(add) }
    };
    let effects = gets.into_iter().map(effect).filter(|e| !e.is_identity()).collect();
    Transition { name: String::new(), guards: vec![one(s), one(l)], effects }
}
