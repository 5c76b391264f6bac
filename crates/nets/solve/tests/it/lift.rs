//! Tests all reachable markings of nets of thread-transition systems as certificates, against the literal
//! definition of `model::Markings`. The tests move every thread separately.

use crate::closed::listed;
use crate::naive::explore;
use impasse_nets::reduce::Prepared;
use model::{
    Act, Certificate, Claim, Goal, Lift as _, LocalId, Markings, Node, PlaceId, Problem, Slot, ThreadTransition,
    ThreadTransitionSystem,
};
use num_traits::Signed;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The tokens on each place; `None` means any number, for places that are not kept.
type Counts = Vec<Option<u32>>;

/// Checks that the markings of the net are a certificate about the thread-transition system as read, if there
/// are few of them and none is a goal.
pub(crate) fn check_lift(system: &ThreadTransitionSystem, problem: &Problem, prepared: &Prepared, goal: Goal) -> bool {
    let task = &prepared.task;
    let part = explore(&task.net, 2, usize::MAX, 400);
    let open = !task.net.open_places().is_empty();
    if open || !part.complete || part.first(&task.net, task.formula(goal).map(|f| &**f)).is_some() {
        return false;
    }
    let (slots, potentially_marked) = (task.slots.clone(), vec![true; task.net.places().len()]);
    let states = listed(&task.slots, &part.markings);
    let certificate = Certificate::Markings(Markings { slots, potentially_marked, states });
    let lift = prepared.lift.claim(Claim::Safe { goals: vec![goal], certificate });
    let Claim::Safe { certificate: Certificate::Markings(markings), .. } = lift else { panic!("{lift:?}") };
    Lift::new(system, &markings).check(problem, goal);
    true
}

struct Lift<'a> {
    system: &'a ThreadTransitionSystem,
    potentially_marked: &'a [bool],
    kept: Vec<bool>,
    exact: Vec<bool>,
    states: BTreeSet<Counts>,
}

impl<'a> Lift<'a> {
    fn new(system: &'a ThreadTransitionSystem, markings: &'a Markings) -> Self {
        let mut kept = vec![false; system.places()];
        for slot in &markings.slots {
            match slot {
                Slot::Tokens(p) => kept[p.index()] = true,
                Slot::OneOf(places) => places.iter().for_each(|p| kept[p.index()] = true),
            }
        }
        let mut states = BTreeSet::new();
        let _ = markings.states.for_each(&mut |s| {
            let mut counts: Counts = kept.iter().map(|k| k.then_some(0)).collect();
            for (slot, n) in markings.slots.iter().zip(s) {
                match slot {
                    Slot::Tokens(p) => counts[p.index()] = Some(*n),
                    Slot::OneOf(_) if *n == 0 => {}
                    Slot::OneOf(places) => counts[places[*n as usize - 1].index()] = Some(1),
                }
            }
            assert!(states.insert(counts), "listed twice");
            ControlFlow::Continue(())
        });
        assert_eq!(states.len() as u64, markings.states.len());
        Self { system, potentially_marked: &markings.potentially_marked, exact: vec![false; kept.len()], kept, states }
    }

    fn local(&self, l: LocalId) -> usize {
        self.system.local_place(l).index()
    }

    fn asks(&self, t: &ThreadTransition) -> [usize; 2] {
        [self.system.shared_place(t.from.0).index(), self.local(t.from.1)]
    }

    fn firing(&self) -> impl Iterator<Item = &ThreadTransition> {
        self.system.transitions().iter().filter(|t| self.asks(t).iter().all(|p| self.potentially_marked[*p]))
    }

    fn flows(&self) -> Vec<(usize, usize)> {
        let pairs = self.firing().flat_map(|t| {
            let passive = t.passive.iter().flat_map(|(l, to)| to.iter().map(|to| (self.local(*l), self.local(*to))));
            passive.chain((t.act == Act::Transfer).then(|| (self.local(t.from.1), self.local(t.to.1))))
        });
        pairs.collect()
    }

    fn check(&mut self, problem: &Problem, goal: Goal) {
        match problem.formula(goal) {
            None => self.exact.clone_from(&self.kept),
            Some(f) => {
                for node in f.nodes() {
                    let Node::AtLeast(sum) = node else { continue };
                    let negative = sum.terms.iter().filter(|(_, c)| c.is_negative());
                    negative.for_each(|(p, _)| self.exact[p.index()] = self.kept[p.index()]);
                }
            }
        }
        let flows = self.flows();
        for _ in 0..self.kept.len() {
            flows.iter().for_each(|(from, to)| self.exact[*from] |= self.exact[*to] && self.kept[*from]);
        }
        let unknown =
            |(from, to): &(usize, usize)| !self.kept[*from] && self.potentially_marked[*from] && self.kept[*to];
        assert!(!flows.iter().any(unknown), "anything may come from a place that is not kept");
        let init = self.system.initial();
        let mut first: Vec<u32> = vec![0; self.kept.len()];
        first[self.system.shared_place(init.shared).index()] = 1;
        init.threads.iter().for_each(|(l, n)| first[self.local(*l)] = n.try_into().unwrap());
        assert!(init.any.iter().all(|l| !self.kept[self.local(*l)]), "it has a greatest count");
        assert!(self.covers(&first), "the initial marking is missing");
        for s in &self.states {
            let enabled = |t: &&ThreadTransition| self.asks(t).iter().all(|p| s[*p].is_none_or(|n| n > 0));
            for t in self.firing().filter(enabled) {
                assert!(self.outcomes(t, s).iter().all(|m| self.covers(m)), "a successor is missing");
            }
            let kept = |t: &ThreadTransition| self.asks(t).iter().all(|p| self.kept[*p]);
            let alive = self.firing().filter(enabled).any(kept);
            assert!(alive || goal != Goal::Deadlock, "may be a deadlock");
        }
    }

    fn covers(&self, m: &[u32]) -> bool {
        let below = |(p, n): (usize, &Option<u32>)| n.is_none_or(|n| if self.exact[p] { m[p] == n } else { m[p] <= n });
        self.states.iter().any(|s| s.iter().enumerate().all(below))
    }

    fn outcomes(&self, t: &ThreadTransition, s: &Counts) -> BTreeSet<Vec<u32>> {
        // The result on places that are not kept does not matter.
        let free = |p: PlaceId| !self.kept[p.index()];
        let mut m: Vec<u32> = s.iter().map(|n| n.unwrap_or(0)).collect();
        let (shared, local) = (self.system.shared_place(t.from.0), self.system.local_place(t.from.1));
        m[shared.index()] -= u32::from(!free(shared));
        m[self.system.shared_place(t.to.0).index()] += 1;
        let target = self.local(t.to.1);
        if t.act != Act::Move {
            let moving = if t.act == Act::Spawn { 1 } else { std::mem::take(&mut m[local.index()]) };
            m[target] += moving;
            return BTreeSet::from([m]);
        }
        m[local.index()] -= u32::from(!free(local));
        let leaving = t.passive.iter().map(|(l, to)| (std::mem::take(&mut m[self.local(*l)]), to));
        let leaving: Vec<(u32, &Vec<LocalId>)> = leaving.collect();
        m[target] += 1;
        let mut found = BTreeSet::from([m]);
        for (threads, targets) in leaving {
            for _ in 0..threads {
                let arrive = |m: &Vec<u32>, to: LocalId| {
                    let mut m = m.clone();
                    m[self.local(to)] += 1;
                    m
                };
                found = found.iter().flat_map(|m| targets.iter().map(move |to| arrive(m, *to))).collect();
            }
        }
        found
    }
}
