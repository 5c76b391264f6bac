//! The certificate: facts that exclude the goals, trimmed to what they need.
//!
//! Backwards from the targets: each needs a fact that excludes it, and each lemma taken needs facts that exclude its
//! predecessors. Lemmas that are taken already go first, then short ones.

use crate::markings::frames::FOREVER;
use crate::markings::known::{Excluded, excluded};
use crate::markings::predecessors::{Net, Predecessors, Shape};
use crate::markings::search::Search;
use crate::markings::vector::Dense;
use model::{NetFact, PlaceId};
use num_bigint::BigUint;

/// What has been taken.
struct Taken {
    pairs: bool,
    bounds: Vec<bool>,
    lemmas: Vec<bool>,
    work: Vec<u32>,
}

impl Search {
    /// Facts that exclude all `targets`, which lemmas that hold forever and what is known exclude; `None` if they do
    /// not.
    pub(crate) fn certify<'a>(
        &mut self,
        net: Net<'_>,
        targets: impl Iterator<Item = &'a [(u32, u32)]>,
    ) -> Option<Vec<NetFact>> {
        let bounds = vec![false; self.bounds.len()];
        let mut taken = Taken { pairs: false, bounds, lemmas: vec![false; self.frames.width()], work: Vec::new() };
        for target in targets {
            self.asked.load(target);
            if !taken.take(net, self, &self.asked) {
                return None;
            }
        }
        let net = Net { shape: &Shape::whole(net.rules), ..net };
        let mut predecessors = Predecessors::new(net.rules);
        let mut complete = true;
        while let Some(id) = taken.work.pop() {
            debug_assert_eq!(self.frames.lemma(id).level, FOREVER, "evidence holds in every reachable marking");
            let vector = &self.frames.lemma(id).vector;
            let missing = predecessors.find(net, vector, 0, |found| !taken.take(net, self, found));
            complete &= missing == Ok(None);
        }
        self.predecessors.effort += predecessors.effort;
        debug_assert!(complete, "lemmas that hold forever are inductive together");
        complete.then(|| self.facts(net, &taken))
    }

    fn facts(&self, net: Net<'_>, taken: &Taken) -> Vec<NetFact> {
        let pairs = net.pairs.filter(|_| taken.pairs).map(|pairs| NetFact::Pairs(pairs.clone()));
        let bounds = (0..taken.bounds.len()).filter(|&i| taken.bounds[i]);
        let bounds = bounds.map(|i| NetFact::AtMost(self.bounds.fact(i).clone()));
        let big = |&(p, n): &(u32, u32)| (PlaceId(p), BigUint::from(n));
        let lemmas = self.frames.ids().filter(|(id, _)| taken.lemmas[*id as usize]);
        let vectors: Vec<model::Vector> =
            lemmas.map(|(id, _)| self.frames.lemma(id).vector.iter().map(big).collect()).collect();
        let never = (!vectors.is_empty()).then_some(NetFact::NeverCovered(vectors));
        pairs.into_iter().chain(bounds).chain(never).collect()
    }
}

impl Taken {
    /// Takes a fact that excludes `vector`; false if there is none.
    fn take(&mut self, net: Net<'_>, search: &Search, vector: &Dense) -> bool {
        match excluded(net, &search.bounds, vector) {
            Some(Excluded::Pairs) => {
                self.pairs = true;
                return true;
            }
            Some(Excluded::Bound(i)) => {
                self.bounds[i] = true;
                return true;
            }
            None => {}
        }
        let mut best: Option<(usize, u32)> = None;
        let taken = search.frames.find(vector, FOREVER, |id| {
            let size = search.frames.lemma(id).vector.len();
            best = Some(best.map_or((size, id), |best| best.min((size, id))));
            self.lemmas[id as usize]
        });
        if taken.is_some() {
            return true;
        }
        let Some((_, id)) = best else { return false };
        self.lemmas[id as usize] = true;
        self.work.push(id);
        true
    }
}
