//! Computes traps of nets: sets of places that stay marked once one of their places is marked.
//!
//! Traps are due to F. Commoner (1972). Their use as refinements of the state equation is due to J. Esparza and
//! S. Melzer (2000) and to Esparza et al. (CAV 2014). Here they are defined for all kinds of transitions. A
//! firing leaves the set marked if it marks one of its places in any case, or if a single token on any of its
//! places becomes a token on one of its places. Traps are closed under union. So the greatest trap within a set
//! of places is a fixpoint: places that can lose the last token are removed until there is no such place.

use crate::rules::Rules;
use search::rows::Rows;

/// The index of a net for computing traps.
#[derive(Debug)]
pub struct Traps {
    /// For each transition: places that are marked after every firing.
    sure: Rows<u32>,
    /// For each transition: places from which the transition may take or move tokens.
    loses: Rows<Loss>,
    /// The array that [`Loss::carriers`] refers to.
    carriers: Vec<u32>,
    /// For each place: transitions for which the place is in `sure` or is a carrier.
    helps: Rows<u32>,
    /// For each place: true if it may belong to a trap.
    allowed: Vec<bool>,
    initial: Vec<bool>,
    transitions: u32,
}

/// A place that may lose its tokens in a firing.
#[derive(Clone, Copy, Debug)]
struct Loss {
    place: u32,
    /// Range in `Traps::carriers` of the places that are marked after the firing if this place was marked
    /// before it.
    carriers: (u32, u32),
}

impl Traps {
    /// Builds the index. The cost is linear in the size of the net, times the number of sources of an effect.
    #[must_use]
    pub fn new(rules: &Rules, whole: &[bool]) -> Self {
        let (mut sure, mut loses, mut carriers, mut helps) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for t in 0..rules.transitions() {
            let effects = Effects::new(rules, t);
            helps.extend(effects.sure.iter().map(|p| (*p, t as u32)));
            let mut row = Vec::new();
            for (place, becomes) in effects.loses {
                helps.extend(becomes.iter().map(|p| (*p, t as u32)));
                let from = carriers.len() as u32;
                carriers.extend(becomes);
                row.push(Loss { place, carriers: (from, carriers.len() as u32) });
            }
            sure.push(effects.sure);
            loses.push(row);
        }
        helps.sort_unstable();
        helps.dedup();
        Self {
            sure: Rows::in_order(sure.into_iter()),
            loses: Rows::in_order(loses.into_iter()),
            carriers,
            helps: Rows::sorted(rules.places(), helps),
            allowed: whole.to_vec(),
            transitions: rules.transitions() as u32,
            initial: rules.initial.iter().map(|n| *n > 0).collect(),
        }
    }

    /// Returns the greatest trap within these places. The cost is about linear in the size of the net.
    #[must_use]
    pub fn greatest(&self, within: &[bool]) -> Vec<bool> {
        let mut trap: Vec<bool> = within.iter().zip(&self.allowed).map(|(a, b)| *a && *b).collect();
        let mut work: Vec<u32> = (0..self.transitions).collect();
        let mut waiting = vec![true; work.len()];
        while let Some(t) = work.pop() {
            waiting[t as usize] = false;
            if self.sure.row(t as usize).iter().any(|p| trap[*p as usize]) {
                continue;
            }
            for loss in self.loses.row(t as usize) {
                let (from, to) = loss.carriers;
                let carried = self.carriers[from as usize..to as usize].iter().any(|p| trap[*p as usize]);
                if trap[loss.place as usize] && !carried {
                    trap[loss.place as usize] = false;
                    for other in self.helps.row(loss.place as usize) {
                        if !std::mem::replace(&mut waiting[*other as usize], true) {
                            work.push(*other);
                        }
                    }
                }
            }
        }
        trap
    }

    /// Returns true if one of these places is marked in every initial marking.
    #[must_use]
    pub fn is_marked(&self, places: &[bool]) -> bool {
        places.iter().zip(&self.initial).any(|(a, b)| *a && *b)
    }

    /// Returns a trap within these places that is marked initially (ascending), if there is one. To make it
    /// small, up to `tries` attempts remove a place from it.
    #[must_use]
    pub fn marked(&self, within: &[bool], tries: usize) -> Option<Vec<u32>> {
        let mut trap = self.greatest(within);
        if !self.is_marked(&trap) {
            return None;
        }
        let places: Vec<u32> = (0..).zip(&trap).filter(|(_, in_trap)| **in_trap).map(|(p, _)| p).collect();
        // One place that is marked initially is enough, so these places are removed first.
        let (first, then): (Vec<u32>, Vec<u32>) = places.into_iter().partition(|p| self.initial[*p as usize]);
        for p in first.into_iter().chain(then).take(tries) {
            if trap[p as usize] {
                let mut without = trap.clone();
                without[p as usize] = false;
                let smaller = self.greatest(&without);
                if self.is_marked(&smaller) {
                    trap = smaller;
                }
            }
        }
        Some((0..).zip(&trap).filter(|(_, in_trap)| **in_trap).map(|(p, _)| p).collect())
    }
}

/// The effect of a transition on which places are marked.
struct Effects {
    sure: Vec<u32>,
    /// Pairs of a place and the places that hold its tokens after the firing.
    loses: Vec<(u32, Vec<u32>)>,
}

impl Effects {
    fn new(rules: &Rules, t: usize) -> Self {
        let guard = |p: u32| rules.guards.row(t).iter().find(|g| g.place == p);
        let least = |p: u32| guard(p).map_or(0, |g| g.least);
        let mut sure: Vec<u32> = Vec::new();
        let mut loses: Vec<(u32, Vec<u32>)> = Vec::new();
        for g in rules.guards.row(t) {
            if g.least > 0 && !rules.changes.row(t).iter().any(|c| c.place == g.place) {
                sure.push(g.place);
            }
        }
        for change in rules.changes.row(t) {
            let own = [change.place];
            let sources = change.sources.map_or(&own[..], |(a, b)| &rules.sources[a as usize..b as usize]);
            let sum = sources.iter().map(|s| i128::from(least(*s))).sum::<i128>() + i128::from(change.add);
            if sum >= 1 {
                sure.push(change.place);
            }
        }
        for change in rules.changes.row(t) {
            let place = change.place;
            // A place that must be empty has no tokens to lose.
            if guard(place).is_some_and(|g| g.most == 0) {
                continue;
            }
            let carries = |c: &&crate::rules::Change| {
                let own = [c.place];
                let sources = c.sources.map_or(&own[..], |(a, b)| &rules.sources[a as usize..b as usize]);
                let tokens = |s: &u32| i128::from(least(*s)).max(i128::from(*s == place));
                sources.contains(&place) && sources.iter().map(tokens).sum::<i128>() + i128::from(c.add) >= 1
            };
            let becomes: Vec<u32> = rules.changes.row(t).iter().filter(carries).map(|c| c.place).collect();
            loses.push((place, becomes));
        }
        sure.sort_unstable();
        sure.dedup();
        Self { sure, loses }
    }
}
