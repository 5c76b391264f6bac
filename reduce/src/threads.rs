//! Thread systems as nets: a place per shared state, then one per local state, a transition per transition.
//!
//! The counter abstraction of symmetric threads (German and Sistla 1992); with transfers for broadcasts (Esparza, Finkel, Mayr
//! 1999). It is exact where every passive move has one target: each place's new content is then a sum of old ones.
//!
//! Where a passive move has several targets, each thread chooses, which no sum can say. Such a broadcast becomes a chain
//! through fresh places: *start* takes the shared token to a place of this transition and the threads that choose to a
//! place for their source; *give* moves one of them to one of its targets; *end* sets the shared state.
//!
//! * If all goals are upward-closed, *end* drops the threads that have not chosen: a run with fewer threads, which the
//!   system can follow with more, as nothing in a thread system is disabled by threads. On the way home ([`crate::Back`])
//!   they take their first target.
//! * For other goals *end* waits until all have chosen (a zero test): exact, but no longer monotone.
//!
//! Markings in the midst of a chain are none of the thread system. An upward-closed goal holds there only if it also holds
//! after *end*: till then local states gain threads only, and shared places hold nothing; so the way home finishes the
//! chain and the goal still holds. Other goals are strengthened by "no chain is running". A deadlock there is impossible:
//! either somebody has still to choose, or *end* is enabled.

use model::{Act, Effect, Guard, LocalId, Net, Place, PlaceId, Range, ThreadSystem, ThreadTransition, Transition};
use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// A passive move has several targets: only a chain of transitions says that, not one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("transition {transition} lets passive threads choose between several targets")]
pub struct SeveralTargets {
    /// The number of the first such transition.
    pub transition: usize,
}

/// The net of a thread system whose passive moves have one target each: shared states, then local states as places,
/// transitions in the same order.
///
/// # Errors
/// If a passive move has several targets.
pub fn thread_net(system: &ThreadSystem) -> Result<Net, SeveralTargets> {
    match system.transitions().iter().position(chooses) {
        Some(transition) => Err(SeveralTargets { transition }),
        None => Ok(convert(system, Leftover::Dropped).net),
    }
}

/// What *end* does with threads that have not chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leftover {
    /// It drops them.
    Dropped,
    /// It waits for them.
    Awaited,
}

/// What a transition of the net does of a transition of the thread system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// All of it.
    Whole(u32),
    /// The start of its chain.
    Start(u32),
    /// A passive thread chooses its target.
    Give(u32, LocalId, LocalId),
    /// The end of its chain.
    End(u32),
}

/// A thread system as a net.
pub(crate) struct ThreadNet {
    pub(crate) net: Net,
    /// Places of which exactly one holds a token: shared states and running chains.
    pub(crate) control: Vec<PlaceId>,
    /// The running chains among them.
    pub(crate) chains: Vec<PlaceId>,
    /// By transition of the net.
    pub(crate) roles: Vec<Role>,
}

/// Has a passive move of `t` several targets?
pub(crate) fn chooses(t: &ThreadTransition) -> bool {
    t.passive.values().any(|to| to.len() > 1)
}

pub(crate) fn convert(system: &ThreadSystem, leftover: Leftover) -> ThreadNet {
    let mut maker =
        Maker { system, places: places(system), transitions: Vec::new(), roles: Vec::new(), waiting: BTreeMap::new() };
    let mut chains = Vec::new();
    for (i, t) in (0u32..).zip(system.transitions()) {
        if chooses(t) {
            chains.push(maker.chain(i, t, leftover));
        } else {
            let (guards, effects) = maker.step(t, system.shared_place(t.to.0));
            maker.push(format!("r{}", i + 1), guards, effects, Role::Whole(i));
        }
    }
    let control = (0..system.shared()).map(PlaceId).chain(chains.iter().copied()).collect();
    let net = Net::new(maker.places, maker.transitions).expect("names are unique, and guards ask for what is taken");
    ThreadNet { net, control, chains, roles: maker.roles }
}

fn places(system: &ThreadSystem) -> Vec<Place> {
    let init = system.initial();
    let shared = (0..system.shared())
        .map(|s| Place { name: format!("s{s}"), initial: Range::exactly(u8::from(s == init.shared.0)) });
    let local = (0..system.locals()).map(|l| {
        let least = init.threads.get(&LocalId(l)).cloned().unwrap_or_default();
        let any = init.any.binary_search(&LocalId(l)).is_ok();
        let initial = if any { Range::from(least) } else { Range::exactly(least) };
        Place { name: format!("l{l}"), initial }
    });
    shared.chain(local).collect()
}

struct Maker<'a> {
    system: &'a ThreadSystem,
    places: Vec<Place>,
    transitions: Vec<Transition>,
    roles: Vec<Role>,
    /// By source: the place of threads that have to choose.
    waiting: BTreeMap<LocalId, PlaceId>,
}

/// Effects under construction: sources and constant, by place.
type Effects = BTreeMap<PlaceId, (SmallVec<[PlaceId; 1]>, i32)>;

impl Maker<'_> {
    fn push(&mut self, name: String, guards: Vec<Guard>, effects: Effects, role: Role) {
        let effects = effects.into_iter().map(|(place, (mut sources, add))| {
            sources.sort_unstable();
            Effect { place, sources, add: BigInt::from(add) }
        });
        self.transitions.push(Transition { name, guards, effects: effects.collect() });
        self.roles.push(role);
    }

    fn fresh(&mut self, name: String) -> PlaceId {
        self.places.push(Place { name, initial: Range::exactly(0u8) });
        PlaceId::new(self.places.len() - 1)
    }

    /// All that `t` does at once, with the shared token put on `to`; threads that choose are put on their waiting places.
    fn step(&self, t: &ThreadTransition, to: PlaceId) -> (Vec<Guard>, Effects) {
        let (shared, active) = (self.system.shared_place(t.from.0), self.system.local_place(t.from.1));
        let mut effects = Effects::new();
        if shared != to {
            add(&mut effects, shared, -1);
            add(&mut effects, to, 1);
        }
        let target = self.system.local_place(t.to.1);
        match t.act {
            Act::Move => self.broadcast(t, active, target, &mut effects),
            Act::Spawn => add(&mut effects, target, 1),
            Act::Transfer if active != target => {
                effects.insert(active, (SmallVec::new(), 0));
                effects.insert(target, (SmallVec::from_slice(&[active, target]), 0));
            }
            Act::Transfer => {}
        }
        let guard = |place| Guard { place, range: Range::from(1u8) };
        (vec![guard(shared), guard(active)], effects)
    }

    fn broadcast(&self, t: &ThreadTransition, active: PlaceId, target: PlaceId, effects: &mut Effects) {
        let mut touched: BTreeMap<PlaceId, SmallVec<[PlaceId; 1]>> = BTreeMap::new();
        for (source, targets) in &t.passive {
            let from = self.system.local_place(*source);
            let to = match targets.as_slice() {
                [one] => self.system.local_place(*one),
                _ => self.waiting[source],
            };
            touched.entry(from).or_default();
            // Who is not passive at a target stays there; waiting places start empty.
            let stays = to.index() < self.system.places() && !self.is_passive(t, to);
            let sources =
                touched.entry(to).or_insert_with(|| if stays { SmallVec::from_elem(to, 1) } else { SmallVec::new() });
            sources.push(from);
        }
        // The active thread is not among those that a source sends away.
        let sent_to: Vec<PlaceId> = touched.iter().filter(|(_, s)| s.contains(&active)).map(|(p, _)| *p).collect();
        effects.extend(touched.into_iter().map(|(place, sources)| (place, (sources, 0))));
        match sent_to.as_slice() {
            [] => add(effects, active, -1),
            _ => sent_to.iter().for_each(|p| add(effects, *p, -1)),
        }
        add(effects, target, 1);
    }

    fn is_passive(&self, t: &ThreadTransition, place: PlaceId) -> bool {
        place.0.checked_sub(self.system.shared()).is_some_and(|l| t.passive.contains_key(&LocalId(l)))
    }

    /// The chain of a transition that lets threads choose; gives the place that says that it is running.
    fn chain(&mut self, i: u32, t: &ThreadTransition, leftover: Leftover) -> PlaceId {
        let running = self.fresh(format!("chain{}", i + 1));
        let choosers: Vec<(LocalId, &Vec<LocalId>)> =
            t.passive.iter().filter(|(_, to)| to.len() > 1).map(|(l, to)| (*l, to)).collect();
        for (source, _) in &choosers {
            if !self.waiting.contains_key(source) {
                let place = self.fresh(format!("wait{}", source.0));
                self.waiting.insert(*source, place);
            }
        }
        let (guards, effects) = self.step(t, running);
        self.push(format!("r{}_start", i + 1), guards, effects, Role::Start(i));
        for (source, targets) in &choosers {
            for target in *targets {
                let (from, to) = (self.waiting[source], self.system.local_place(*target));
                let mut effects = Effects::new();
                add(&mut effects, from, -1);
                add(&mut effects, to, 1);
                let name = format!("r{}_{}_{}", i + 1, source.0, target.0);
                self.push(name, both(running, from), effects, Role::Give(i, *source, *target));
            }
        }
        let mut effects = Effects::new();
        add(&mut effects, running, -1);
        add(&mut effects, self.system.shared_place(t.to.0), 1);
        let mut guards = vec![Guard { place: running, range: Range::from(1u8) }];
        let waiting = choosers.iter().map(|(source, _)| self.waiting[source]);
        match leftover {
            Leftover::Dropped => effects.extend(waiting.map(|p| (p, (SmallVec::new(), 0)))),
            Leftover::Awaited => guards.extend(waiting.map(|place| Guard { place, range: Range::exactly(0u8) })),
        }
        guards.sort_by_key(|g| g.place);
        self.push(format!("r{}_end", i + 1), guards, effects, Role::End(i));
        running
    }
}

fn both(a: PlaceId, b: PlaceId) -> Vec<Guard> {
    let guard = |place| Guard { place, range: Range::from(1u8) };
    vec![guard(a.min(b)), guard(a.max(b))]
}

/// Adds `n` to what an effect leaves on `place`.
fn add(effects: &mut Effects, place: PlaceId, n: i32) {
    effects.entry(place).or_insert_with(|| (SmallVec::from_elem(place, 1), 0)).1 += n;
}

/// A state of a thread system, for following runs home.
pub(crate) struct Threads<'a> {
    system: &'a ThreadSystem,
    shared: u32,
    counts: Vec<BigUint>,
}

/// How many threads of a source chose a target.
pub(crate) type Choices = BTreeMap<(LocalId, LocalId), u64>;

impl<'a> Threads<'a> {
    /// The initial state with `extra` threads in the local states that the system leaves open.
    pub(crate) fn initial(system: &'a ThreadSystem, extra: &[u32]) -> Self {
        let init = system.initial();
        let mut counts = vec![BigUint::zero(); system.locals() as usize];
        init.threads.iter().for_each(|(l, n)| counts[l.index()] += n);
        init.any.iter().zip(extra).for_each(|(l, n)| counts[l.index()] += *n);
        Self { system, shared: init.shared.0, counts }
    }

    /// Takes transition `t` with the choices given, everybody else choosing the first target. Says whether somebody had a
    /// choice; `None` if the transition is not enabled.
    pub(crate) fn step(&mut self, t: u32, choices: &Choices) -> Option<bool> {
        let t = &self.system.transitions()[t as usize];
        let one = BigUint::from(1u8);
        if self.shared != t.from.0.0 || self.counts[t.from.1.index()] < one {
            return None;
        }
        self.shared = t.to.0.0;
        let mut chosen = false;
        match t.act {
            Act::Spawn => self.counts[t.to.1.index()] += &one,
            Act::Transfer => {
                let all = std::mem::take(&mut self.counts[t.from.1.index()]);
                self.counts[t.to.1.index()] += all;
            }
            Act::Move => {
                self.counts[t.from.1.index()] -= &one;
                chosen = self.passive(t, choices)?;
                self.counts[t.to.1.index()] += &one;
            }
        }
        Some(chosen)
    }

    fn passive(&mut self, t: &ThreadTransition, choices: &Choices) -> Option<bool> {
        let mut chosen = false;
        let mut arrivals: Vec<(LocalId, BigUint)> = Vec::new();
        for (source, targets) in &t.passive {
            let mut left = std::mem::take(&mut self.counts[source.index()]);
            chosen |= targets.len() > 1 && !left.is_zero();
            for target in targets {
                let n = BigUint::from(choices.get(&(*source, *target)).copied().unwrap_or(0));
                if n > left {
                    return None;
                }
                left -= &n;
                arrivals.push((*target, n));
            }
            arrivals.push((targets[0], left));
        }
        arrivals.into_iter().for_each(|(l, n)| self.counts[l.index()] += n);
        Some(chosen)
    }

    /// The state as traces record it: shared state, then the threads in each local state. `None` if a count does not fit.
    pub(crate) fn recorded(&self) -> Option<Box<[u32]>> {
        let counts = self.counts.iter().map(|n| u32::try_from(n).ok());
        std::iter::once(Some(self.shared)).chain(counts).collect()
    }
}
