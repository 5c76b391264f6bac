//! Chooses the next set of threads to keep, by best-first search over sets.
//!
//! A set is explored if it excludes all violations found so far. If it does not exclude a violation, the
//! search continues with the sets that add one of the violation's remedies, which are sets of threads that
//! exclude it ([`Spurious`]). (Reiter 1987: hitting-set trees that use conflicts again; as implicit hitting
//! sets: Davies and Bacchus 2011.) The order is by cost: the greatest possible number of joint states,
//! multiplied by a factor for threads that share no event. Such threads exclude nothing together that they do
//! not exclude separately.

use crate::thread_abstraction::spurious::Spurious;
use crate::thread_abstraction::threads::Threads;
use model::{EventId, ThreadId};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Cost factor for each further group of threads that shares no event with the others.
const APART: u128 = 32;

/// Maximal number of remedies of a violation that are added to a set, cheapest first.
const REMEDIES: usize = 64;

/// Work units for the choice of a set between two looks at the stop flag and the memory.
pub(crate) const CHOOSING: u64 = 256;

/// Thread-event pairs compared per work unit.
const PAIRS_PER_UNIT: u64 = 32;

/// A set of threads to keep, with its cost and level.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Candidate {
    cost: u128,
    /// The number of times that its exploration has been postponed.
    pub(crate) level: u32,
    /// Ascending.
    pub(crate) kept: Vec<ThreadId>,
}

/// The search over sets of threads.
#[derive(Debug)]
pub(crate) struct KeptSets {
    queue: BinaryHeap<Reverse<Candidate>>,
    /// All sets that have ever been queued.
    seen: BTreeSet<Vec<ThreadId>>,
    violations: Vec<Spurious>,
}

impl KeptSets {
    /// Starts with the set `must` of threads that must be kept.
    pub(crate) fn new(threads: &Threads, must: &[ThreadId]) -> Self {
        let mut this = Self { queue: BinaryHeap::new(), seen: BTreeSet::new(), violations: Vec::new() };
        this.add(threads, must.to_vec());
        this
    }

    /// Returns the next set to be explored, and the work units spent. The set is `None` if none is left, or if
    /// the search has spent `most` units and may be continued.
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

    /// True if no set is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Queues `candidate` again with a higher level, because its exploration took too long.
    pub(crate) fn postpone(&mut self, candidate: Candidate) {
        let Candidate { cost, level, kept } = candidate;
        self.queue.push(Reverse(Candidate { cost: cost.saturating_mul(8), level: level + 1, kept }));
    }

    /// Adds a spurious violation of the abstraction that keeps `kept`. Returns the work units spent.
    pub(crate) fn learn(&mut self, threads: &Threads, kept: &[ThreadId], violation: Spurious) -> u64 {
        self.violations.push(violation);
        self.branch(threads, kept, self.violations.len() - 1)
    }

    /// Estimates the bytes that the next call of [`KeptSets::next`] with [`CHOOSING`] units, or of
    /// [`KeptSets::learn`], may allocate, for sets of this size.
    pub(crate) fn growth_bytes(&self, kept: usize) -> usize {
        // Each new set costs a unit at least. The last violation may get all its remedies.
        let more = CHOOSING as usize + REMEDIES;
        let is_full = self.queue.capacity() - self.queue.len() < more;
        let queue = if is_full { 2 * (self.queue.capacity() + more) * size_of::<Candidate>() } else { 0 };
        more * 2 * (4 * (kept + 4) + 64) + queue
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

/// Returns the cost of keeping `kept`, and the number of thread-event pairs compared to compute it.
fn cost(threads: &Threads, kept: &[ThreadId]) -> (u128, u64) {
    let states = kept.iter().fold(1u128, |product, t| product.saturating_mul(threads.outline(*t).size.into()));
    let (groups, pairs) = groups(threads, kept);
    let apart = APART.saturating_pow(u32::try_from(groups.saturating_sub(1)).unwrap_or(u32::MAX));
    (states.saturating_mul(apart), pairs)
}

/// Returns the number of groups in `kept` that share no event, and the number of pairs compared. Markers are
/// left out, because they are related to every thread.
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
