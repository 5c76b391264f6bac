//! Computes which places can ever hold a token and which transitions can ever fire. The result is a least
//! fixpoint that ignores the number of tokens and the fact that firings consume them.
//!
//! This is the oldest analysis of Petri nets: a breadth-first search of the net as a directed hypergraph, or
//! Horn clauses solved by counting (Dowling and Gallier 1984). A place is potentially marked if it may be
//! marked initially, or if a transition that can fire adds tokens to it or moves tokens to it from a
//! potentially marked place. A transition can fire if all places on which its guards require tokens are
//! potentially marked. A forbidden transition never fires. Otherwise upper bounds of guards are ignored, so the
//! result is an overapproximation. The cost is linear in the size of the net: each transition counts the places of
//! its preset that are not marked yet.

use model::{Guard, Net, PlaceId, Transition};
use num_traits::{Signed, Zero};
use search::rows::Rows;

/// The places that can be marked and the transitions that can fire.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Live {
    /// For each place, indexed by [`PlaceId`]: true if it may hold a token in some reachable marking.
    pub places: Vec<bool>,
    /// For each transition: true if it may be enabled in some reachable marking.
    pub transitions: Vec<bool>,
}

impl Live {
    /// Returns the trivial result, in which every place can be marked, and every transition can fire that is not
    /// forbidden.
    #[must_use]
    pub fn everything(net: &Net) -> Self {
        let transitions = net.transitions().iter().map(|t| !t.is_forbidden()).collect();
        Self { places: vec![true; net.places().len()], transitions }
    }
}

/// Computes the fixpoint in `O(size of the net)`.
#[must_use]
pub fn live(net: &Net) -> Live {
    let mut search = Search::new(net);
    let initially = |p: &usize| net.places()[*p].initial.at_most.as_ref().is_none_or(|most| !most.is_zero());
    (0..net.places().len()).filter(initially).for_each(|p| search.mark(p));
    let free: Vec<usize> = (0..search.missing.len()).filter(|&t| search.missing[t] == 0).collect();
    free.into_iter().for_each(|t| search.fire(t));
    search.run();
    search.live
}

struct Search<'a> {
    net: &'a Net,
    /// For each place: transitions with a guard that requires tokens on it.
    needed_by: Rows<u32>,
    /// For each place: pairs of a transition and a place to which it moves the tokens.
    moved_by: Rows<(u32, PlaceId)>,
    /// For each transition: the number of guards that require tokens on a place that is not marked yet, and one more
    /// if the transition is forbidden.
    missing: Vec<u32>,
    live: Live,
    /// Marked places that are not processed yet.
    work: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(net: &'a Net) -> Self {
        let (places, transitions) = (net.places().len(), net.transitions());
        let numbered = || (0u32..).zip(transitions);
        let needs =
            numbered().flat_map(|(t, tr)| tr.guards.iter().filter(|g| asks(g)).map(move |g| (g.place.index(), t)));
        let moves = numbered().flat_map(|(t, tr)| {
            tr.effects
                .iter()
                .flat_map(move |e| e.sources.iter().filter(|&&s| s != e.place).map(move |s| (s.index(), (t, e.place))))
        });
        let count = |t: &Transition| t.guards.iter().filter(|g| asks(g)).count() + usize::from(t.is_forbidden());
        let missing = transitions.iter().map(|t| u32::try_from(count(t)).expect("each place at most once")).collect();
        let live = Live { places: vec![false; places], transitions: vec![false; transitions.len()] };
        let (needed_by, moved_by) = (Rows::grouped(places, needs), Rows::grouped(places, moves));
        Self { net, needed_by, moved_by, missing, live, work: Vec::new() }
    }

    fn mark(&mut self, place: usize) {
        if !self.live.places[place] {
            self.live.places[place] = true;
            self.work.push(place);
        }
    }

    fn fire(&mut self, transition: usize) {
        self.live.transitions[transition] = true;
        for effect in &self.net.transitions()[transition].effects {
            if effect.add.is_positive() || effect.sources.iter().any(|s| self.live.places[s.index()]) {
                self.mark(effect.place.index());
            }
        }
    }

    fn run(&mut self) {
        while let Some(place) = self.work.pop() {
            for i in 0..self.moved_by.row(place).len() {
                let (transition, to) = self.moved_by.row(place)[i];
                if self.live.transitions[transition as usize] {
                    self.mark(to.index());
                }
            }
            for i in 0..self.needed_by.row(place).len() {
                let transition = self.needed_by.row(place)[i] as usize;
                self.missing[transition] -= 1;
                if self.missing[transition] == 0 {
                    self.fire(transition);
                }
            }
        }
    }
}

/// Returns true if the guard requires at least one token.
fn asks(guard: &Guard) -> bool {
    !guard.range.at_least.is_zero()
}
