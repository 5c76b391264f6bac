//! Tests all reachable markings of slices as certificates, against the literal definition of `model::Markings`.

use crate::naive::{Marking, explore, initial};
use impasse_nets::reduce::Prepared;
use model::{Certificate, Claim, Goal, Lift as _, Markings, Net, PlaceId, Problem, Slot, StateSet};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, Zero};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use testkit::Listed;

/// Checks that the markings of the slice are a certificate about the net as read, if there are few of them and
/// none is a goal.
pub(crate) fn check_closed(net: &Net, problem: &Problem, prepared: &Prepared) {
    let task = &prepared.task;
    let part = explore(&task.net, 2, usize::MAX, 300);
    if !part.complete {
        return;
    }
    let goals: Vec<Goal> = (task.goals.iter().copied())
        .filter(|g| part.first(&task.net, task.formula(*g).map(|f| &**f)).is_none())
        .collect();
    if goals.is_empty() {
        return;
    }
    let states = listed(&task.slots, &part.markings);
    let (slots, potentially_marked) = (task.slots.clone(), vec![true; task.net.places().len()]);
    let certificate = Certificate::Markings(Markings { slots, potentially_marked, states });
    let lift = prepared.lift.claim(Claim::Safe { goals, certificate });
    let Claim::Safe { goals, certificate: Certificate::Markings(markings) } = lift else { panic!("{lift:?}") };
    let check = Check::new(net, problem, &goals, &markings);
    let is_upward_closed = |g: &Goal| task.formula(*g).is_some_and(|f| f.is_upward_closed());
    if !task.exact && task.net.is_monotone() && goals.iter().all(is_upward_closed) {
        assert!(!check.exact.contains(&true), "engines may leave out what is covered, but counts matter");
    }
    check.run();
}

/// Returns markings of a net as engines list them.
pub(crate) fn listed(slots: &[Slot], markings: &[Marking]) -> Box<dyn StateSet> {
    Box::new(Listed(markings.iter().map(|m| slots.iter().map(|s| value(s, m)).collect()).collect()))
}

fn value(slot: &Slot, marking: &Marking) -> u32 {
    match slot {
        Slot::Tokens(p) => u32::try_from(&marking[p.index()]).unwrap(),
        Slot::OneOf(places) => {
            let marked: Vec<usize> = (0..places.len()).filter(|&i| !marking[places[i].index()].is_zero()).collect();
            assert!(marked.len() <= 1);
            marked.first().map_or(0, |i| u32::try_from(*i).unwrap() + 1)
        }
    }
}

struct Check<'a> {
    net: &'a Net,
    problem: &'a Problem,
    goals: &'a [Goal],
    potentially_marked: &'a [bool],
    kept: Vec<bool>,
    exact: Vec<bool>,
    states: BTreeSet<Marking>,
}

impl<'a> Check<'a> {
    fn new(net: &'a Net, problem: &'a Problem, goals: &'a [Goal], markings: &'a Markings) -> Self {
        let places = net.places().len();
        let mut kept = vec![false; places];
        for slot in &markings.slots {
            let Slot::Tokens(p) = slot else { panic!("plain nets have plain slots") };
            kept[p.index()] = true;
        }
        let mut states = BTreeSet::new();
        let _ = markings.states.for_each(&mut |s| {
            let mut marking = vec![BigUint::zero(); places];
            for (slot, n) in markings.slots.iter().zip(s) {
                let Slot::Tokens(p) = slot else { unreachable!() };
                marking[p.index()] = BigUint::from(*n);
            }
            states.insert(marking);
            ControlFlow::Continue(())
        });
        let mut check = Self {
            net,
            problem,
            goals,
            potentially_marked: &markings.potentially_marked,
            exact: vec![false; places],
            kept,
            states,
        };
        check.exact();
        check
    }

    fn firing(&self) -> impl Iterator<Item = &'a model::Transition> {
        let potentially_marked = self.potentially_marked;
        let can = move |t: &&model::Transition| {
            t.guards.iter().all(|g| g.range.at_least.is_zero() || potentially_marked[g.place.index()])
        };
        self.net.transitions().iter().filter(can)
    }

    fn exact(&mut self) {
        let mut exact: Vec<PlaceId> = Vec::new();
        for t in self.firing() {
            exact.extend(t.guards.iter().filter(|g| g.range.at_most.is_some()).map(|g| g.place));
        }
        for goal in self.goals {
            match self.problem.formula(*goal) {
                None => exact.extend((0..self.kept.len()).map(PlaceId::new)),
                Some(f) => {
                    for node in f.nodes() {
                        let model::Node::AtLeast(sum) = node else { continue };
                        exact.extend(sum.terms.iter().filter(|(_, c)| c.is_negative()).map(|(p, _)| *p));
                    }
                }
            }
        }
        while let Some(p) = exact.pop() {
            if self.kept[p.index()] && !std::mem::replace(&mut self.exact[p.index()], true) {
                exact.extend(self.firing().filter_map(|t| t.effect(p)).flat_map(|e| e.sources.iter().copied()));
            }
        }
    }

    fn covers(&self, marking: &Marking) -> bool {
        self.states.iter().any(|s| {
            (0..s.len()).all(|p| !self.kept[p] || if self.exact[p] { marking[p] == s[p] } else { marking[p] <= s[p] })
        })
    }

    fn run(&self) {
        for (_, marking) in initial(self.net, 2) {
            assert!(self.covers(&marking), "an initial marking is missing");
        }
        for s in &self.states {
            for t in self.firing() {
                // A place that is not kept may hold any number of tokens if it is potentially marked, and none
                // otherwise.
                let free = |p: PlaceId| !self.kept[p.index()] && self.potentially_marked[p.index()];
                if t.guards.iter().all(|g| free(g.place) || g.range.contains(&s[g.place.index()])) {
                    let mut next = s.clone();
                    for e in t.effects.iter().filter(|e| self.kept[e.place.index()]) {
                        assert!(!e.sources.iter().any(|p| free(*p)), "anything may come from a place that is not kept");
                        let sum: BigInt = e.sources.iter().map(|p| BigInt::from(s[p.index()].clone())).sum();
                        next[e.place.index()] = (sum + &e.add).to_biguint().unwrap_or_default();
                    }
                    assert!(self.covers(&next), "a successor is missing");
                }
            }
        }
    }
}
