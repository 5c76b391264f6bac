//! Translates thread-transition systems to nets: one place per shared state, then one place per local state,
//! and one transition per transition of the system.
//!
//! This is the counter abstraction of symmetric threads (German and Sistla 1992), with transfers for broadcasts
//! (Esparza, Finkel, Mayr 1999). It is exact if every passive move has one target, because the new content of
//! each place is then a sum of old contents.
//!
//! If a passive move has several targets, each thread chooses one, which no sum can express. Such a broadcast
//! becomes a chain through fresh places. Let a *source* be a local state from which a passive move starts.
//! *start* moves the shared token to a place that belongs to this transition. It also moves each thread that has
//! to choose to the waiting place of its source. *give* moves one thread from a waiting place to one of its
//! targets. *end* sets the shared state.
//!
//! * If all goals are upward-closed, *end* drops the threads that have not chosen. The run of the net is then
//!   like a run of the system without the dropped threads. The system has the same run with these threads,
//!   because threads never disable anything in a thread-transition system. When the run is lifted
//!   ([`crate::reduce::TaskLift`]), the dropped threads take their first target.
//! * For other goals *end* waits until all threads have chosen (a zero test). This is exact, but the net is no
//!   longer monotone.
//!
//! Markings in the middle of a chain do not belong to the thread-transition system.
//!
//! 1. An upward-closed goal that holds in such a marking also holds after *end*. Proof: until then local states
//!    only gain threads, and shared places hold nothing. So the lift completes the chain, and the goal still
//!    holds.
//! 2. Other goals hold in no such marking. Proof: they are strengthened by "no chain is running".
//! 3. No such marking is a deadlock. Proof: either some thread has still to choose, or *end* is enabled.

use model::{
    Act, Effect, Guard, LocalId, Net, Place, PlaceId, Range, ThreadTransition, ThreadTransitionSystem, Transition,
};
use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// The error that a passive move has several targets. A single transition of a net cannot express this; a chain
/// of transitions can.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("transition {transition} lets passive threads choose between several targets")]
pub struct SeveralTargets {
    /// The index of the first such transition.
    pub transition: usize,
}

/// Translates a thread-transition system in which each passive move has one target. The places are the shared
/// states, then the local states; the transitions are in the same order.
///
/// # Errors
/// If a passive move has several targets.
pub fn thread_net(system: &ThreadTransitionSystem) -> Result<Net, SeveralTargets> {
    match system.transitions().iter().position(chooses) {
        Some(transition) => Err(SeveralTargets { transition }),
        None => Ok(convert(system, Leftover::Dropped).net),
    }
}

/// What *end* does with threads that have not chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leftover {
    /// *end* drops them.
    Dropped,
    /// *end* waits for them.
    Awaited,
}

/// The part of a transition of the thread-transition system that a transition of the net performs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// The whole transition.
    Whole(u32),
    /// The start of its chain.
    Start(u32),
    /// One passive thread, in the first local state, chooses the second as its target.
    Give(u32, LocalId, LocalId),
    /// The end of its chain.
    End(u32),
}

/// A thread-transition system translated to a net.
pub(crate) struct ThreadNet {
    pub(crate) net: Net,
    /// The places of which exactly one holds a token: shared states and running chains.
    pub(crate) control: Vec<PlaceId>,
    /// The places of `control` that are marked while a chain is running.
    pub(crate) chains: Vec<PlaceId>,
    /// For each transition of the net: its role.
    pub(crate) roles: Vec<Role>,
}

/// Returns true if a passive move of `t` has several targets.
pub(crate) fn chooses(t: &ThreadTransition) -> bool {
    t.passive.values().any(|to| to.len() > 1)
}

pub(crate) fn convert(system: &ThreadTransitionSystem, leftover: Leftover) -> ThreadNet {
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

fn places(system: &ThreadTransitionSystem) -> Vec<Place> {
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
    system: &'a ThreadTransitionSystem,
    places: Vec<Place>,
    transitions: Vec<Transition>,
    roles: Vec<Role>,
    /// For each source with several targets: its waiting place.
    waiting: BTreeMap<LocalId, PlaceId>,
}

/// Effects under construction: for each place its sources and its constant.
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

    /// Returns the guards and effects of everything that `t` does at once, with the shared token moved to `to`.
    /// Threads that choose are moved to their waiting places.
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
            // If the threads at a target are not passive, they stay there. Waiting places start empty.
            let stays = to.index() < self.system.places() && !self.is_passive(t, to);
            let sources =
                touched.entry(to).or_insert_with(|| if stays { SmallVec::from_elem(to, 1) } else { SmallVec::new() });
            sources.push(from);
        }
        // The new contents that include the place of the active thread count this thread, too. It is subtracted
        // there, because the active thread moves to `target` instead.
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

    /// Adds the chain of a transition that lets threads choose. Returns the place that is marked while the
    /// chain is running.
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

/// Adds `n` to the constant of the effect on `place`.
fn add(effects: &mut Effects, place: PlaceId, n: i32) {
    effects.entry(place).or_insert_with(|| (SmallVec::from_elem(place, 1), 0)).1 += n;
}

/// A state of a thread-transition system, for lifting runs.
pub(crate) struct Threads<'a> {
    system: &'a ThreadTransitionSystem,
    shared: u32,
    counts: Vec<BigUint>,
}

/// For each source and target: the number of threads that chose this target.
pub(crate) type Choices = BTreeMap<(LocalId, LocalId), u64>;

impl<'a> Threads<'a> {
    /// Returns an initial state. `extra` belongs to the local states in which arbitrarily many threads may
    /// start: it contains one number of additional threads for each of them.
    pub(crate) fn initial(system: &'a ThreadTransitionSystem, extra: &[u32]) -> Self {
        let init = system.initial();
        let mut counts = vec![BigUint::zero(); system.locals() as usize];
        init.threads.iter().for_each(|(l, n)| counts[l.index()] += n);
        init.any.iter().zip(extra).for_each(|(l, n)| counts[l.index()] += *n);
        Self { system, shared: init.shared.0, counts }
    }

    /// Takes transition `t` with these choices; all other threads choose their first target. Returns true if
    /// some thread had a choice, and `None` if the transition is not enabled.
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

    /// Returns the state as traces record it: the shared state, then the number of threads in each local state.
    /// Returns `None` if a number does not fit into 32 bits.
    pub(crate) fn recorded(&self) -> Option<Box<[u32]>> {
        let counts = self.counts.iter().map(|n| u32::try_from(n).ok());
        std::iter::once(Some(self.shared)).chain(counts).collect()
    }
}
