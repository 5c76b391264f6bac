//! Which threads to keep next: best-first search over sets of threads.
//!
//! A set that excludes all violations found so far is worth exploring; from one that does not, the search goes on to the
//! sets with one more remedy. (Reiter 1987: hitting-set trees that use conflicts again; as implicit hitting sets: Davies and
//! Bacchus 2011.) The order is by cost: how many joint states there may be, and more for threads that have nothing to do
//! with each other, since they exclude nothing together that they do not exclude apart.

use crate::spurious::Spurious;
use crate::threads::Threads;
use model::{EventId, ThreadId};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Cost factor for each further group of threads that share no event with the others.
const APART: u128 = 32;

/// At most so many of the cheapest remedies of a violation are tried on a set.
const REMEDIES: usize = 64;

/// Thread-event pairs compared in a unit of work.
const PAIRS_PER_UNIT: u64 = 32;

/// A set of threads to keep, with the allowance its exploration gets.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Candidate {
    cost: u128,
    /// How often its exploration was given up so far.
    pub(crate) level: u32,
    /// Ascending.
    pub(crate) kept: Vec<ThreadId>,
}

/// The search.
#[derive(Debug)]
pub(crate) struct KeptSets {
    queue: BinaryHeap<Reverse<Candidate>>,
    /// All sets that were ever queued.
    seen: BTreeSet<Vec<ThreadId>>,
    violations: Vec<Spurious>,
}

impl KeptSets {
    /// Starts from the set of threads that must be kept.
    pub(crate) fn new(threads: &Threads, must: &[ThreadId]) -> Self {
        let mut this = Self { queue: BinaryHeap::new(), seen: BTreeSet::new(), violations: Vec::new() };
        this.add(threads, must.to_vec());
        this
    }

    /// The next set to explore, and the units of work the search took; none if all are through, or the search has used
    /// `most` units (then it may go on).
    pub(crate) fn next(&mut self, threads: &Threads, most: u64) -> (Option<Candidate>, u64) {
        let mut work = 0;
        while work <= most {
            let Some(Reverse(candidate)) = self.queue.pop() else { break };
            work += 1 + (self.violations.len() * candidate.kept.len()) as u64 / PAIRS_PER_UNIT;
            match self.violations.iter().position(|v| !v.is_excluded_by(&candidate.kept)) {
                None => return (Some(candidate), work),
                Some(found) => work += self.branch(threads, &candidate.kept, found),
            }
        }
        (None, work)
    }

    /// Is nothing left to explore?
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// The exploration of `candidate` took too long: it comes back later.
    pub(crate) fn postpone(&mut self, candidate: Candidate) {
        let Candidate { cost, level, kept } = candidate;
        self.queue.push(Reverse(Candidate { cost: cost.saturating_mul(8), level: level + 1, kept }));
    }

    /// The projection onto `kept` has this violation, which the program has not. Returns the units of work it took.
    pub(crate) fn learn(&mut self, threads: &Threads, kept: &[ThreadId], violation: Spurious) -> u64 {
        self.violations.push(violation);
        self.branch(threads, kept, self.violations.len() - 1)
    }

    /// Bytes that the next [`KeptSets::next`] or [`KeptSets::learn`] may add, about.
    pub(crate) fn growth_bytes(kept: usize) -> usize {
        REMEDIES * 2 * (4 * (kept + 4) + 64)
    }

    fn branch(&mut self, threads: &Threads, kept: &[ThreadId], violation: usize) -> u64 {
        let known: BTreeSet<Vec<ThreadId>> =
            self.violations[violation].remedies(kept).filter(|r| !r.is_empty()).collect();
        let mut work = 1;
        let mut children: Vec<(u128, Vec<ThreadId>)> = Vec::with_capacity(known.len());
        for remedy in known {
            let mut child = [kept, &remedy].concat();
            child.sort_unstable();
            let (cost, pairs) = cost(threads, &child);
            work += 1 + pairs / PAIRS_PER_UNIT;
            children.push((cost, child));
        }
        children.sort_unstable();
        for (cost, kept) in children.into_iter().take(REMEDIES) {
            self.queue_once(cost, kept);
        }
        work
    }

    fn add(&mut self, threads: &Threads, kept: Vec<ThreadId>) {
        let (cost, _) = cost(threads, &kept);
        self.queue_once(cost, kept);
    }

    fn queue_once(&mut self, cost: u128, kept: Vec<ThreadId>) {
        if self.seen.insert(kept.clone()) {
            self.queue.push(Reverse(Candidate { cost, level: 0, kept }));
        }
    }
}

/// The cost of keeping `kept`, and how many thread-event pairs that took to find out.
fn cost(threads: &Threads, kept: &[ThreadId]) -> (u128, u64) {
    let states = kept.iter().fold(1u128, |product, t| product.saturating_mul(threads.outline(*t).size.into()));
    let (groups, pairs) = groups(threads, kept);
    let apart = APART.saturating_pow(u32::try_from(groups.saturating_sub(1)).unwrap_or(u32::MAX));
    (states.saturating_mul(apart), pairs)
}

/// Into how many groups `kept` falls that share no event, markers (which watch everybody) left out.
fn groups(threads: &Threads, kept: &[ThreadId]) -> (usize, u64) {
    let members: Vec<ThreadId> = kept.iter().copied().filter(|t| threads.markers().binary_search(t).is_err()).collect();
    let mut pairs: Vec<(EventId, usize)> = Vec::new();
    for (i, &t) in members.iter().enumerate() {
        pairs.extend(threads.mentions(t).iter().map(|&e| (e, i)));
    }
    pairs.sort_unstable();
    let mut leader: Vec<usize> = (0..members.len()).collect();
    let find = |leader: &[usize], mut i: usize| {
        while leader[i] != i {
            i = leader[i];
        }
        i
    };
    for two in pairs.windows(2).filter(|two| two[0].0 == two[1].0) {
        let (a, b) = (find(&leader, two[0].1), find(&leader, two[1].1));
        leader[a.max(b)] = a.min(b);
    }
    ((0..members.len()).filter(|&i| leader[i] == i).count(), pairs.len() as u64)
}
