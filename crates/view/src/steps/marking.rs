//! Single steps of nets and thread-transition systems with exact numbers, computed directly from their
//! definitions. This code shows traces and simulates. No verdict depends on it: searches use compiled steppers
//! (crate `search`), and the checker has its own steppers (crate `certify`).
//!
//! A marking contains the token count of every place. A thread-transition system has a place for each shared
//! state, followed by a place for each local state.

use model::{
    Act, Effect, LocalId, Marked, Net, PlaceId, Range, SystemModel, ThreadTransition, ThreadTransitionSystem,
    TransitionId,
};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeMap;

/// The number of tokens on each place, by [`PlaceId`].
pub type Marking = Vec<BigUint>;

/// The places with changed token counts, ascending, and their counts.
pub type Changes = Vec<(PlaceId, BigUint)>;

/// A function that chooses how the passive threads in a local state move, that is, all threads there except the
/// active one. Its arguments are the local state, the number of passive threads in it, and the possible targets.
/// It returns the number of threads that move to each target.
pub type Spread<'a> = &'a mut dyn FnMut(LocalId, &BigUint, &[LocalId]) -> Vec<BigUint>;

/// Largest number of passive moves shown for a broadcast.
const PASSIVE: usize = 4;

/// A stepper for a net or a thread-transition system.
#[derive(Clone, Copy, Debug)]
pub enum Stepper<'p> {
    /// A net.
    Net(&'p Net),
    /// A thread-transition system.
    Threads(&'p ThreadTransitionSystem),
}

impl<'p> Stepper<'p> {
    /// Creates a stepper for `system`; `None` if its states are not markings.
    #[must_use]
    pub fn new(system: &'p SystemModel) -> Option<Self> {
        system.as_marked().map(|marked| match marked {
            Marked::Net(net) => Self::Net(net),
            Marked::Threads(threads) => Self::Threads(threads),
        })
    }

    /// Iterates over all transitions, in order.
    pub fn transitions(self) -> impl Iterator<Item = TransitionId> {
        let count = match self {
            Self::Net(net) => net.transitions().len(),
            Self::Threads(threads) => threads.transitions().len(),
        };
        (0..count).map(TransitionId::new)
    }

    /// Returns the text shown for a place.
    #[must_use]
    pub fn place_name(self, place: PlaceId) -> String {
        match self {
            Self::Net(net) => net.shown_place(place).to_owned(),
            Self::Threads(threads) if place.0 < threads.shared() => format!("shared {}", place.0),
            Self::Threads(threads) => format!("local {}", place.0 - threads.shared()),
        }
    }

    /// Returns the text shown for a transition. Transitions of nets have names; those of thread-transition
    /// systems are shown as written in the file.
    #[must_use]
    pub fn transition_name(self, transition: TransitionId) -> String {
        match self {
            Self::Net(net) => net.shown_transition(transition).to_owned(),
            Self::Threads(threads) => written(&threads.transitions()[transition.index()]),
        }
    }

    /// Returns the places with more than one possible initial count, with the possible counts.
    #[must_use]
    pub fn open_places(self) -> Vec<(PlaceId, Range)> {
        match self {
            Self::Net(net) => net.open_places().into_iter().map(|p| (p, net.place(p).initial.clone())).collect(),
            Self::Threads(threads) => {
                let initial = threads.initial();
                let least = |l: &LocalId| initial.threads.get(l).cloned().unwrap_or_default();
                initial.any.iter().map(|l| (threads.local_place(*l), Range::from(least(l)))).collect()
            }
        }
    }

    /// Returns the initial marking with the given numbers of tokens beyond the least count, one for each place
    /// of [`Stepper::open_places`].
    #[must_use]
    pub fn start(self, extra: &[u32]) -> Marking {
        let mut at = match self {
            Self::Net(net) => net.places().iter().map(|p| p.initial.at_least.clone()).collect(),
            Self::Threads(threads) => {
                let mut at = vec![BigUint::ZERO; threads.places()];
                at[threads.shared_place(threads.initial().shared).index()] += 1u32;
                for (local, count) in &threads.initial().threads {
                    at[threads.local_place(*local).index()] += count;
                }
                at
            }
        };
        for ((place, _), extra) in self.open_places().iter().zip(extra) {
            at[place.index()] += *extra;
        }
        at
    }

    /// Returns true if `transition` is enabled.
    #[must_use]
    pub fn is_enabled(self, at: &[BigUint], transition: TransitionId) -> bool {
        match self {
            Self::Net(net) => net.transition(transition).guards.iter().all(|g| g.range.contains(&at[g.place.index()])),
            Self::Threads(threads) => {
                let (s, l) = threads.transitions()[transition.index()].from;
                [threads.shared_place(s), threads.local_place(l)].iter().all(|p| at[p.index()] != BigUint::ZERO)
            }
        }
    }

    /// Returns the changes when an enabled transition fires. The function `spread` chooses the targets of
    /// passive moves.
    pub fn fire(self, at: &[BigUint], transition: TransitionId, spread: Spread<'_>) -> Changes {
        let new = match self {
            Self::Net(net) => {
                let effects = &net.transition(transition).effects;
                effects.iter().map(|e| (e.place, after(at, e))).collect()
            }
            Self::Threads(threads) => step(threads, at, &threads.transitions()[transition.index()], spread),
        };
        let mut new: Changes = new;
        new.retain(|(place, count)| at[place.index()] != *count);
        new
    }

    /// Returns the changes from `at` to a recorded state of a thread-transition system: the shared state, then
    /// the number of threads in each local state.
    #[must_use]
    pub fn towards(self, at: &[BigUint], recorded: &[u32]) -> Changes {
        let Self::Threads(threads) = self else { return Vec::new() };
        let Some((&shared, locals)) = recorded.split_first() else { return Vec::new() };
        let shared = (0..threads.shared()).map(|s| BigUint::from(u32::from(s == shared)));
        let all = shared.chain(locals.iter().map(|n| BigUint::from(*n)));
        let changed = all.enumerate().filter(|(i, n)| at.get(*i).is_some_and(|old| old != n));
        changed.map(|(i, n)| (PlaceId::new(i), n)).collect()
    }

    /// Returns the changes of token counts that a transition always makes; `None` if they depend on the
    /// marking. A place may occur several times, and its changes add up.
    #[must_use]
    pub fn deltas(self, transition: TransitionId) -> Option<Vec<(PlaceId, BigInt)>> {
        match self {
            Self::Net(net) => {
                let effects = &net.transition(transition).effects;
                effects.iter().map(|e| Some((e.place, e.delta()?.clone()))).collect()
            }
            Self::Threads(threads) => {
                let t = &threads.transitions()[transition.index()];
                if t.act == Act::Transfer || !t.passive.is_empty() {
                    return None;
                }
                let mut all = vec![
                    (threads.shared_place(t.from.0), BigInt::from(-1)),
                    (threads.shared_place(t.to.0), BigInt::from(1)),
                    (threads.local_place(t.to.1), BigInt::from(1)),
                ];
                if t.act == Act::Move {
                    all.push((threads.local_place(t.from.1), BigInt::from(-1)));
                }
                Some(all)
            }
        }
    }
}

/// Returns a transition as written in a `.tts` file.
fn written(t: &ThreadTransition) -> String {
    let arrow = match t.act {
        Act::Move => "->",
        Act::Spawn => "+>",
        Act::Transfer => "~>",
    };
    let mut text = format!("{} {} {arrow} {} {}", t.from.0.0, t.from.1.0, t.to.0.0, t.to.1.0);
    let moves = t.passive.iter().flat_map(|(from, all)| all.iter().map(move |to| (from.0, to.0)));
    for (from, to) in moves.clone().take(PASSIVE) {
        text.push_str(&format!(" {from} ~> {to}"));
    }
    let more = moves.count().saturating_sub(PASSIVE);
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// Returns the new token count of an effect's place. The guards ensure that it is not negative.
fn after(at: &[BigUint], effect: &Effect) -> BigUint {
    let sum: BigUint = effect.sources.iter().map(|p| &at[p.index()]).sum();
    BigUint::try_from(BigInt::from(sum) + &effect.add).unwrap_or_default()
}

fn step(threads: &ThreadTransitionSystem, at: &[BigUint], t: &ThreadTransition, spread: Spread<'_>) -> Changes {
    let place = |l: LocalId| threads.local_place(l);
    let tokens = |l: LocalId| at[place(l).index()].clone();
    let ((s, l), (s2, l2)) = (t.from, t.to);
    let mut new: BTreeMap<PlaceId, BigUint> = BTreeMap::new();
    new.insert(threads.shared_place(s), BigUint::ZERO);
    new.insert(threads.shared_place(s2), BigUint::from(1u32));
    let mut put = |l: LocalId, count: &BigUint| *new.entry(place(l)).or_insert_with(|| tokens(l)) += count;
    match t.act {
        Act::Spawn => put(l2, &BigUint::from(1u32)),
        Act::Transfer if l == l2 => {}
        Act::Transfer => {
            put(l2, &tokens(l));
            new.insert(place(l), BigUint::ZERO);
        }
        Act::Move => {
            // All threads leave before any arrive, because a source may also be a target.
            let mut arriving: Vec<(LocalId, BigUint)> = vec![(l2, BigUint::from(1u32))];
            new.insert(place(l), tokens(l) - 1u32);
            for (&source, targets) in &t.passive {
                let others = tokens(source) - u32::from(source == l);
                if others != BigUint::ZERO {
                    let counts =
                        if let [_] = targets[..] { vec![others.clone()] } else { spread(source, &others, targets) };
                    arriving.extend(targets.iter().copied().zip(counts));
                }
                new.insert(place(source), BigUint::ZERO);
            }
            for (target, count) in arriving {
                *new.entry(place(target)).or_insert_with(|| tokens(target)) += count;
            }
        }
    }
    new.into_iter().collect()
}
