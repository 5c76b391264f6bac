//! Makes nets smaller for soundness: applies the steps of `crates/kernel/src/restart/smaller.rs` as long as there are
//! any. Workflow nets of nested blocks become a single transition.

use certify::{Ordinary, Smaller};
use model::{Budget, PlaceId, Reduction, TransitionId};
use std::collections::{BTreeSet, HashMap};

/// Returns the steps, and the net after them. Each round is linear, except for sorting; a step makes further steps
/// possible, and there are about as many rounds as blocks are nested.
pub(super) fn steps(net: &Ordinary, end: PlaceId, budget: &mut Budget) -> (Vec<Reduction>, Smaller) {
    let mut search = Search { smaller: Smaller::new(net, end), steps: Vec::new() };
    loop {
        let before = search.steps.len();
        budget.spend(1 + (net.arcs.len() + net.consumers.len()) as u64 / 8);
        search.follow(net.arcs.len());
        search.places(net.consumers.len());
        search.transitions(net.arcs.len());
        if search.steps.len() == before || budget.stop.raised().is_some() {
            return (search.steps, search.smaller);
        }
    }
}

struct Search {
    smaller: Smaller,
    steps: Vec<Reduction>,
}

impl Search {
    /// Makes a step if its conditions are met.
    fn step(&mut self, step: Reduction) -> bool {
        let is_made = self.smaller.step(step).is_ok();
        self.steps.extend(is_made.then_some(step));
        is_made
    }

    fn follow(&mut self, count: usize) {
        for t in (0..count).map(TransitionId::new) {
            if self.smaller.arcs(t).is_some_and(|[from, _]| from.len() == 1) {
                self.step(Reduction::Follow(t));
            }
        }
    }

    fn places(&mut self, count: usize) {
        let mut known: HashMap<[BTreeSet<usize>; 2], PlaceId> = HashMap::new();
        for removed in (0..count).map(PlaceId::new) {
            let Some(around) = self.smaller.around(removed) else { continue };
            let kept = *known.entry(around.clone()).or_insert(removed);
            if kept != removed {
                self.step(Reduction::Place { removed, kept });
            }
        }
    }

    fn transitions(&mut self, count: usize) {
        let mut known: HashMap<[BTreeSet<PlaceId>; 2], TransitionId> = HashMap::new();
        for removed in (0..count).map(TransitionId::new) {
            let Some(arcs) = self.smaller.arcs(removed) else { continue };
            let kept = *known.entry(arcs.clone()).or_insert(removed);
            let [from, to] = arcs;
            let first = from.first().filter(|_| from == to);
            let others = first.and_then(|place| self.smaller.around(*place)).map(|[_, consumers]| consumers.clone());
            if kept == removed || !self.step(Reduction::Transition { removed, kept }) {
                let _ = others
                    .into_iter()
                    .flatten()
                    .map(TransitionId::new)
                    .find(|kept| self.step(Reduction::Transition { removed, kept: *kept }));
            }
        }
    }
}
