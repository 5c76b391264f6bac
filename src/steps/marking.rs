//! Nets and thread systems one marking at a time, in exact numbers, straight from their definitions: for showing traces and
//! for simulating. Searches have compiled steppers (`store`), the checker has its own (`certify`): this one proves nothing.
//!
//! A marking has the tokens of every place; a thread system is seen as a net with a place per shared state, then one per local
//! state.

use model::{
    Act, Effect, LocalId, Marked, Net, PlaceId, Range, SystemModel, ThreadSystem, ThreadTransition, TransitionId,
};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeMap;

/// Tokens by place.
pub type Marking = Vec<BigUint>;

/// New contents of the places that change, ascending.
pub type Changes = Vec<(PlaceId, BigUint)>;

/// How the other threads in a local state (so many of them) spread over the targets they may choose: a count for each.
pub type Spread<'a> = &'a mut dyn FnMut(LocalId, &BigUint, &[LocalId]) -> Vec<BigUint>;

/// Passive moves shown of a broadcast.
const PASSIVE: usize = 4;

/// Steps through a net or a thread system.
#[derive(Clone, Copy, Debug)]
pub enum Stepper<'p> {
    /// Of a net.
    Net(&'p Net),
    /// Of a thread system.
    Threads(&'p ThreadSystem),
}

impl<'p> Stepper<'p> {
    /// For `system`, if it has markings.
    #[must_use]
    pub fn new(system: &'p SystemModel) -> Option<Self> {
        system.as_marked().map(|marked| match marked {
            Marked::Net(net) => Self::Net(net),
            Marked::Threads(threads) => Self::Threads(threads),
        })
    }

    /// All transitions, in order.
    pub fn transitions(self) -> impl Iterator<Item = TransitionId> {
        let count = match self {
            Self::Net(net) => net.transitions().len(),
            Self::Threads(threads) => threads.transitions().len(),
        };
        (0..count).map(TransitionId::new)
    }

    /// What people call a place.
    #[must_use]
    pub fn place_name(self, place: PlaceId) -> String {
        match self {
            Self::Net(net) => net.shown_place(place).to_owned(),
            Self::Threads(threads) if place.0 < threads.shared() => format!("shared {}", place.0),
            Self::Threads(threads) => format!("local {}", place.0 - threads.shared()),
        }
    }

    /// A net's transitions have names; those of thread systems are shown as they are written.
    #[must_use]
    pub fn transition_name(self, transition: TransitionId) -> String {
        match self {
            Self::Net(net) => net.shown_transition(transition).to_owned(),
            Self::Threads(threads) => written(&threads.transitions()[transition.index()]),
        }
    }

    /// Places whose initial content is left open, with the counts they may have.
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

    /// The initial marking with so many tokens beyond the least on open places.
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

    /// Can `transition` fire?
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

    /// What firing an enabled transition changes.
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

    /// What leads from `at` to a recorded state of a thread system: the shared state, then threads by local state.
    #[must_use]
    pub fn towards(self, at: &[BigUint], recorded: &[u32]) -> Changes {
        let Self::Threads(threads) = self else { return Vec::new() };
        let Some((&shared, locals)) = recorded.split_first() else { return Vec::new() };
        let shared = (0..threads.shared()).map(|s| BigUint::from(u32::from(s == shared)));
        let all = shared.chain(locals.iter().map(|n| BigUint::from(*n)));
        let changed = all.enumerate().filter(|(i, n)| at.get(*i).is_some_and(|old| old != n));
        changed.map(|(i, n)| (PlaceId::new(i), n)).collect()
    }

    /// The changes that a transition always makes, if they do not depend on the marking.
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

/// As in a `.tts` file.
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

/// The new content of an effect's place. Guards see to it that it is not negative.
fn after(at: &[BigUint], effect: &Effect) -> BigUint {
    let sum: BigUint = effect.sources.iter().map(|p| &at[p.index()]).sum();
    BigUint::try_from(BigInt::from(sum) + &effect.add).unwrap_or_default()
}

fn step(threads: &ThreadSystem, at: &[BigUint], t: &ThreadTransition, spread: Spread<'_>) -> Changes {
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
            // First all leave, then all arrive: a source may be another one's target.
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
