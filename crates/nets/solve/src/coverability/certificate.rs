//! The certificate: invariants that exclude the goals, without lemmas that are not needed.
//!
//! Lemmas are collected backwards from the targets. Each target needs an invariant that excludes it, and each
//! lemma in the certificate needs invariants that exclude its predecessors. Lemmas that are already in the
//! certificate are preferred, then short ones.

use crate::coverability::frames::FOREVER;
use crate::coverability::invariants::{Excluded, excluded};
use crate::coverability::predecessors::{BackwardNet, Net, Predecessors};
use crate::coverability::search::FrameSearch;
use crate::coverability::vector::Dense;
use model::{NetInvariant, PlaceId};
use num_bigint::BigUint;

/// The invariants in the certificate, and the lemmas with predecessors still to be excluded.
struct Taken {
    pairs: bool,
    bounds: Vec<bool>,
    lemmas: Vec<bool>,
    work: Vec<u32>,
}

impl FrameSearch {
    /// Returns invariants that exclude all `targets`. They consist of lemmas that hold forever, the concurrency
    /// relation, and linear bounds. Returns `None` if these do not exclude the targets.
    pub(crate) fn certify<'a>(
        &mut self,
        net: Net<'_>,
        targets: impl Iterator<Item = &'a [(u32, u32)]>,
    ) -> Option<Vec<NetInvariant>> {
        let bounds = vec![false; self.bounds.len()];
        let mut taken = Taken { pairs: false, bounds, lemmas: vec![false; self.frames.width()], work: Vec::new() };
        for target in targets {
            self.asked.load(target);
            if !taken.take(net, self, &self.asked) {
                return None;
            }
        }
        let net = Net { shape: &BackwardNet::whole(net.rules), ..net };
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
        complete.then(|| self.invariants(net, &taken))
    }

    fn invariants(&self, net: Net<'_>, taken: &Taken) -> Vec<NetInvariant> {
        let pairs = net.pairs.filter(|_| taken.pairs).map(|pairs| NetInvariant::ConcurrencyRelation(pairs.clone()));
        let bounds = (0..taken.bounds.len()).filter(|&i| taken.bounds[i]);
        let bounds = bounds.map(|i| NetInvariant::AtMost(self.bounds.invariant(i).clone()));
        let big = |&(p, n): &(u32, u32)| (PlaceId(p), BigUint::from(n));
        let lemmas = self.frames.ids().filter(|(id, _)| taken.lemmas[*id as usize]);
        let vectors: Vec<model::Vector> =
            lemmas.map(|(id, _)| self.frames.lemma(id).vector.iter().map(big).collect()).collect();
        let never = (!vectors.is_empty()).then_some(NetInvariant::NeverCovered(vectors));
        pairs.into_iter().chain(bounds).chain(never).collect()
    }
}

impl Taken {
    /// Adds an invariant that excludes `vector`. Returns false if no invariant excludes it.
    fn take(&mut self, net: Net<'_>, search: &FrameSearch, vector: &Dense) -> bool {
        match excluded(net, &search.bounds, vector) {
            Some(Excluded::ConcurrencyRelation) => {
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
