//! Simple brute force: upward-closed sets are lists, and certificates are checked on every small marking.

use model::{Goal, InvariantCertificate, NetInvariant, NetTask};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use testkit::net::{Marking, boxed, invariant_holds, is_goal_of, may_start, successors};

/// Checks the certificate on small markings: the invariants hold in initial markings, they hold after each step
/// from a marking where they hold, and they exclude the goal. Random nets have numbers small enough for this
/// check to be meaningful.
pub(crate) fn holds_on_small_markings(task: &NetTask, invariant: &InvariantCertificate) -> bool {
    let places = task.net.places().len();
    let largest = invariant.invariants.iter().filter_map(|f| match f {
        NetInvariant::NeverCovered(vectors) => vectors.iter().flatten().filter_map(|(_, n)| n.to_usize()).max(),
        _ => None,
    });
    let most = (largest.max().unwrap_or(0) + 2).max(4).min(match places {
        0..=3 => 12,
        4 => 8,
        _ => 5,
    });
    // The concurrency relation comes with the places that it allows to be marked. The tests of the relation
    // check that these are right.
    let invariants = crate::invariants::Invariants::new(task).expect("small numbers");
    let with_pairs = invariant.invariants.iter().any(|f| matches!(f, NetInvariant::ConcurrencyRelation(_)));
    let mut budget = model::Budget::unlimited(std::sync::Arc::default());
    let marked = invariants.marked(&mut budget).filter(|_| with_pairs);
    let empty = |m: &Marking| {
        marked.is_none_or(|marked| marked.iter().zip(m).all(|(can_be, n)| *can_be || *n == BigUint::ZERO))
    };
    let all_hold = |m: &Marking| empty(m) && invariant.invariants.iter().all(|f| invariant_holds(f, m));
    for marking in boxed::<BigUint>(places, most as u32) {
        if may_start(&task.net, &marking) && !all_hold(&marking) {
            return false;
        }
        if !all_hold(&marking) {
            continue;
        }
        if invariant.exclusions.iter().any(|e| is_goal_of(task, e.0, &marking)) {
            return false;
        }
        if !successors(&task.net, &marking).all(|next| all_hold(&next)) {
            return false;
        }
    }
    true
}

/// Backward search (Abdulla, Cerans, Jonsson, Tsay 1996) that finds predecessors by trying all small markings.
pub(crate) struct Brute<'a> {
    task: &'a NetTask,
}

impl<'a> Brute<'a> {
    pub(crate) fn new(task: &'a NetTask) -> Self {
        Self { task }
    }

    /// Decides whether the goal is safe. Returns `None` if this takes more than `limit` vectors.
    pub(crate) fn is_safe(&self, goal: Goal, limit: usize) -> Option<bool> {
        let cubes = crate::targets::minimal(self.task.formula(goal)?, 1000)?;
        let places = self.task.net.places().len();
        let mut known: Vec<Vec<u64>> = Vec::new();
        let mut work: Vec<Vec<u64>> = Vec::new();
        for cube in cubes {
            let mut vector = vec![0; places];
            cube.iter().for_each(|(p, n)| vector[*p as usize] = *n);
            work.push(vector);
        }
        while let Some(vector) = work.pop() {
            if known.iter().any(|k| k.iter().zip(&vector).all(|(k, v)| k <= v)) {
                continue;
            }
            known.retain(|k| !vector.iter().zip(k).all(|(v, k)| v <= k));
            let fits =
                |(p, n): (&model::Place, &u64)| p.initial.at_most.as_ref().is_none_or(|m| BigUint::from(*n) <= *m);
            if self.task.net.places().iter().zip(&vector).all(fits) {
                return Some(false);
            }
            if known.len() >= limit || vector.iter().any(|n| *n > 40) {
                return None;
            }
            for t in 0..self.task.net.transitions().len() {
                work.extend(self.before(t, &vector));
            }
            known.push(vector);
        }
        Some(true)
    }

    /// Returns minimal markings from which `t` leads to a marking that covers `vector`, and some that are not
    /// minimal. Only markings that have no more tokens than guards and vector can require are considered.
    fn before(&self, t: usize, vector: &[u64]) -> Vec<Vec<u64>> {
        let transition = &self.task.net.transitions()[t];
        let mut base: Vec<u64> = vec![0; vector.len()];
        for g in &transition.guards {
            base[g.place.index()] = g.range.at_least.to_u64().expect("small");
        }
        let mut partial = vec![base];
        for (p, &n) in vector.iter().enumerate().filter(|(_, n)| **n > 0) {
            let effect = transition.effects.iter().find(|e| e.place.index() == p);
            let (sources, add) = match effect {
                Some(e) => (e.sources.iter().map(|s| s.index()).collect(), e.add.to_i64().expect("small")),
                None => (vec![p], 0),
            };
            // Add tokens one by one to any of the sources until the sum suffices.
            let mut done = Vec::new();
            while let Some(marking) = partial.pop() {
                let sum: u64 = sources.iter().map(|s| marking[*s]).sum();
                if i64::try_from(sum).expect("small") + add >= i64::try_from(n).expect("small") {
                    done.push(marking);
                    continue;
                }
                let mut distinct: Vec<usize> = sources.clone();
                distinct.dedup();
                for s in distinct {
                    let mut more = marking.clone();
                    more[s] += 1;
                    partial.push(more);
                }
                partial.sort_unstable();
                partial.dedup();
            }
            partial = done;
        }
        let fits = |m: &Vec<u64>| {
            let most = |g: &model::Guard| g.range.at_most.as_ref().and_then(ToPrimitive::to_u64).unwrap_or(u64::MAX);
            transition.guards.iter().all(|g| m[g.place.index()] <= most(g))
        };
        partial.retain(fits);
        partial
    }
}
