//! Generalising: the fewer tokens the vector of a lemma has, the more the lemma excludes. For each place of the
//! vector, all tokens are removed, or as many as possible (by bisection), such that the vector stays inductive
//! and is covered by no initial marking.

use crate::coverability::predecessors::Net;
use crate::coverability::search::FrameSearch;
use crate::coverability::vector::Vector;

impl FrameSearch {
    /// Returns a vector below `vector` that is inductive at `level`. The vector `vector` itself must also be
    /// inductive at `level`.
    pub(crate) fn generalize(&mut self, net: Net<'_>, vector: &Vector, level: u32) -> Vector {
        let start = &net.shape.start;
        debug_assert!(level > 0 && !start.meets(vector), "no initial marking covers what is blocked");
        let mut best = vector.to_vec();
        let mut i = best.len();
        while i > 0 {
            i -= 1;
            let (place, count) = best[i];
            let needed = !best.iter().any(|&(p, n)| p != place && start.excludes(p, n));
            if !needed {
                let mut without = best.clone();
                without.remove(i);
                if self.is_inductive(net, &without, level) {
                    best = without;
                    continue;
                }
            }
            let (mut low, mut high) = (1, count);
            while low < high {
                let middle = low + (high - low) / 2;
                best[i].1 = middle;
                if (!needed || start.excludes(place, middle)) && self.is_inductive(net, &best, level) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            best[i].1 = high;
        }
        debug_assert!(best.iter().all(|e| vector.iter().any(|of| of.0 == e.0 && of.1 >= e.1)), "a lemma says more");
        best.into()
    }
}
