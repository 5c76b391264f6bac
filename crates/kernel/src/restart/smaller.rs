//! Steps that make a net smaller, such that the net is sound if the smaller one is (Murata, "Petri nets: Properties,
//! analysis and applications", Proceedings of the IEEE 1989, section V; Berthelot, "Transformations and decompositions
//! of nets", 1987).
//!
//! Arcs have weight 1. A net is *sound* for a marking E with one token on a place, the end, if E can be reached from
//! each reachable marking, no other reachable marking has a token on the end, and each transition is enabled in some
//! reachable marking. Let N be a net and N' the smaller one.
//!
//! 1. [`Reduction::Follow`]: t consumes from p alone, nothing else consumes from p, and t produces somewhere, not on
//!    p. p has no initial token, is not the end, and has a producer. No producer of p produces on a place on which t
//!    produces. (The net does not get more arcs. This limits the cost.)
//!    In N' t and p are left out, and the producers of p produce where t does. Proof: for a marking M of N let M' be
//!    the one in which the tokens of p are where t would put them. A step of N from M to another marking is a step of
//!    N' from M', or M' stays the same if it is a step of t. A step of N' is a step of N and, if p got a token, one of
//!    t. So each marking of N' that can be reached is reachable in N. From M, E can be reached in N: first t empties
//!    p, and then the run of N' is repeated. If M has a token on the end, so has M', which is E; then p is empty,
//!    because t produces somewhere, and M is E. Each transition of N' is enabled in a marking reachable in N, and t is
//!    after a producer of p.
//! 2. [`Reduction::Place`]: two places, not the end, have the same producers, the same consumers, and the same number
//!    of initial tokens. So they have the same number of tokens in each reachable marking, and one can be left out.
//! 3. [`Reduction::Transition`]: two transitions have the same arcs, and one is left out. Or a transition takes a token
//!    from the places on which it produces, so it has no effect, and each of them is one from which another transition
//!    consumes, so it is enabled where the other one is.

use crate::live::Ordinary;
use crate::{Check, reject};
use model::{PlaceId, Reduction, TransitionId};
use std::collections::BTreeSet;

type Places = BTreeSet<PlaceId>;

/// A net that becomes smaller.
#[derive(Clone, Debug)]
pub struct Smaller {
    end: PlaceId,
    is_marked: Vec<bool>,
    /// For each place: the transitions that produce on it, and those that consume from it. `None` if it is left out.
    places: Vec<Option<[BTreeSet<usize>; 2]>>,
    /// For each transition: the places that it consumes from, and those that it produces on. `None` if it is left out.
    arcs: Vec<Option<[Places; 2]>>,
}

impl Smaller {
    /// Begins with a net, and an end.
    #[must_use]
    pub fn new(net: &Ordinary, end: PlaceId) -> Self {
        let mut places = vec![<[BTreeSet<usize>; 2]>::default(); net.is_marked.len()];
        for (t, [from, to]) in net.arcs.iter().enumerate() {
            for (side, list) in [(1, from), (0, to)] {
                list.iter().for_each(|place| {
                    places[place.index()][side].insert(t);
                });
            }
        }
        let set = |list: &Vec<PlaceId>| list.iter().copied().collect();
        let arcs = net.arcs.iter().map(|[from, to]| Some([set(from), set(to)])).collect();
        Self { end, is_marked: net.is_marked.clone(), places: places.into_iter().map(Some).collect(), arcs }
    }

    /// Returns the places that a transition consumes from, and those that it produces on. `None` if it is left out.
    #[must_use]
    pub fn arcs(&self, transition: TransitionId) -> Option<&[Places; 2]> {
        self.arcs.get(transition.index())?.as_ref()
    }

    /// Returns the producers and the consumers of a place. `None` if it is left out.
    #[must_use]
    pub fn around(&self, place: PlaceId) -> Option<&[BTreeSet<usize>; 2]> {
        self.places.get(place.index())?.as_ref()
    }

    /// Makes a step. Returns its cost: the number of arcs that it looked at.
    ///
    /// # Errors
    /// If its conditions are not met. Then nothing has changed.
    pub fn step(&mut self, step: Reduction) -> Check<u64> {
        let done = match step {
            Reduction::Follow(transition) => self.follow(transition),
            Reduction::Place { removed, kept } => self.remove_place(removed, kept),
            Reduction::Transition { removed, kept } => self.remove_transition(removed, kept),
        };
        done.map_or_else(|| reject("a step to a smaller net does not meet its conditions"), |arcs| Ok(arcs as u64))
    }

    fn follow(&mut self, t: TransitionId) -> Option<usize> {
        let [from, to] = self.arcs(t)?.clone();
        let p = *from.first().filter(|_| from.len() == 1)?;
        let [producers, consumers] = self.around(p)?.clone();
        // A step does not make the net larger.
        let [taken, given] = [producers.len() + to.len() + 1, producers.len().saturating_mul(to.len())];
        let gives_twice = |u: &usize| self.arcs[*u].as_ref().is_some_and(|[_, own]| !own.is_disjoint(&to));
        let is_meant = consumers.len() == 1 && !to.is_empty() && !to.contains(&p) && !producers.is_empty();
        if !is_meant || given > taken || self.is_marked[p.index()] || p == self.end || producers.iter().any(gives_twice)
        {
            return None;
        }
        for u in producers {
            let [_, own] = self.arcs[u].as_mut()?;
            own.remove(&p);
            own.extend(&to);
            for place in &to {
                self.places[place.index()].as_mut()?[0].insert(u);
            }
        }
        for place in to {
            self.places[place.index()].as_mut()?[0].remove(&t.index());
        }
        (self.arcs[t.index()], self.places[p.index()]) = (None, None);
        Some(taken)
    }

    fn remove_place(&mut self, removed: PlaceId, kept: PlaceId) -> Option<usize> {
        let [producers, consumers] = self.around(removed)?.clone();
        let same = self.around(kept)? == self.around(removed)?;
        let same = same && self.is_marked[removed.index()] == self.is_marked[kept.index()];
        if !same || removed == kept || [removed, kept].contains(&self.end) {
            return None;
        }
        let arcs = producers.len() + consumers.len();
        for (side, transitions) in [(1, producers), (0, consumers)] {
            for t in transitions {
                self.arcs[t].as_mut()?[side].remove(&removed);
            }
        }
        self.places[removed.index()] = None;
        Some(arcs)
    }

    fn remove_transition(&mut self, removed: TransitionId, kept: TransitionId) -> Option<usize> {
        let [from, to] = self.arcs(removed)?.clone();
        let other = self.arcs(kept)?;
        let is_idle = from == to && from.is_subset(&other[0]);
        if removed == kept || !(is_idle || *other == [from.clone(), to.clone()]) {
            return None;
        }
        let arcs = from.len() + to.len();
        for (side, places) in [(1, from), (0, to)] {
            for place in places {
                self.places[place.index()].as_mut()?[side].remove(&removed.index());
            }
        }
        self.arcs[removed.index()] = None;
        Some(arcs)
    }

    /// Returns the smaller net. Places that are left out have no arcs there ([`Ordinary::is_left_out`]).
    #[must_use]
    pub fn net(self) -> Ordinary {
        let list = |set: Places| set.into_iter().collect::<Vec<_>>();
        let arcs = self.arcs.into_iter().flatten().map(|[from, to]| [list(from), list(to)]).collect();
        let is_left_out: Vec<bool> = self.places.iter().map(Option::is_none).collect();
        let is_marked = self.is_marked.iter().zip(&is_left_out).map(|(marked, out)| *marked && !out).collect();
        Ordinary::new(arcs, is_marked, is_left_out)
    }
}
