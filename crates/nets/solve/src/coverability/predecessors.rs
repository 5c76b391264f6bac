//! Exact minimal predecessors (Abdulla, Cerans, Jonsson, Tsay 1996): the least vectors from which one
//! transition leads to a marking that covers a given vector.
//!
//! To put the required tokens on a place of the vector, a transition needs tokens on the sources of its effect
//! on that place. With several sources there are several minimal ways. Where a guard has an upper limit,
//! predecessors that break it are left out, and every other predecessor stands for all markings that cover it.
//! The result is then the upward closure of the exact predecessors. This closure is sound for `safe`, but runs
//! must be replayed.
//!
//! Predecessors that cover the vector itself never matter for the search. Therefore only transitions that can
//! put tokens on a place of the vector are considered.

use crate::coverability::start::Start;
use crate::coverability::vector::{Dense, MOST, TooLarge, Vector};
use crate::rules::{Change, Rules};
use model::ConcurrencyRelation;
use search::Rows;

/// Maximum number of ways to distribute required tokens over sources, for one transition.
const WAYS: usize = 20_000;

/// The data of a net that backward search needs.
pub(crate) struct BackwardNet {
    pub(crate) start: Start,
    /// For each place, the transitions that can put tokens on it.
    increasing: Rows<u32>,
    beside: Option<Beside>,
}

/// For each transition, a bit set of places: the places that it changes or requires tokens on, and the places
/// that may be marked together with all places it requires tokens on.
///
/// If a vector has a place outside this set, the concurrency relation excludes all its predecessors by the
/// transition. The bit set shows this without computing them.
struct Beside {
    bits: Vec<u64>,
    words: usize,
}

/// Maximal size of [`Beside`] in bytes.
const BESIDE_BYTES: usize = 16 << 20;

impl Beside {
    fn new(rules: &Rules, firing: &[u32], pairs: &ConcurrencyRelation) -> Option<Self> {
        let words = pairs.words();
        let size = rules.transitions().checked_mul(words).filter(|n| *n <= BESIDE_BYTES / 8)?;
        let mut bits = vec![0; size];
        for &t in firing {
            let row = &mut bits[t as usize * words..][..words];
            row.fill(u64::MAX);
            let asked = || rules.guards.row(t as usize).iter().filter(|g| g.least > 0).map(|g| g.place as usize);
            for p in asked() {
                row.iter_mut().zip(pairs.row(p)).for_each(|(bits, allowed)| *bits &= allowed);
            }
            let changed = rules.changes.row(t as usize).iter().map(|c| c.place as usize);
            asked().chain(changed).for_each(|p| row[p / 64] |= 1 << (p % 64));
        }
        Some(Self { bits, words })
    }

    fn allows(&self, t: u32, vector: &[(u32, u32)]) -> bool {
        debug_assert!(vector.iter().all(|e| (e.0 as usize) < 64 * self.words));
        let row = &self.bits[t as usize * self.words..][..self.words];
        vector.iter().all(|(p, _)| row[*p as usize / 64] >> (p % 64) & 1 == 1)
    }
}

impl BackwardNet {
    /// Makes the data for a net in which only the transitions `firing` ever fire.
    pub(crate) fn new(rules: &Rules, firing: &[u32], pairs: Option<&ConcurrencyRelation>) -> Self {
        let beside = pairs.and_then(|pairs| Beside::new(rules, firing, pairs));
        Self { beside, ..Self::with(rules, firing, Start::new(rules)) }
    }

    /// Makes the data for all transitions and all places. Certificates need this: their invariants must show
    /// by themselves that transitions never fire, and that free places (see [`Start`]) never run short of
    /// tokens.
    pub(crate) fn whole(rules: &Rules) -> Self {
        let every: Vec<u32> = (0u32..).take(rules.transitions()).collect();
        Self::with(rules, &every, Start::with_all(rules))
    }

    fn with(rules: &Rules, firing: &[u32], start: Start) -> Self {
        let mut increasing = Vec::new();
        for &t in firing {
            let changes = rules.changes.row(t as usize).iter();
            let puts = changes.filter(|c| increases(rules, **c) && !start.is_free(c.place));
            increasing.extend(puts.map(|c| (c.place, t)));
        }
        Self { start, increasing: Rows::sorted(rules.places(), increasing), beside: None }
    }
}

fn increases(rules: &Rules, change: Change) -> bool {
    let others = |(from, to): (u32, u32)| {
        let sources = &rules.sources[from as usize..to as usize];
        !sources.is_empty() && sources != [change.place]
    };
    change.add > 0 || change.sources.is_some_and(others)
}

/// A net, with the invariants known about it.
#[derive(Clone, Copy)]
pub(crate) struct Net<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) shape: &'a BackwardNet,
    pub(crate) pairs: Option<&'a ConcurrencyRelation>,
    /// For each place, true if the concurrency relation allows it to be marked. Present only together with
    /// `pairs`.
    pub(crate) marked: Option<&'a [bool]>,
}

/// The point where a search for predecessors has stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Hit {
    pub(crate) transition: u32,
    /// A search that starts at this position considers this transition first.
    pub(crate) position: u32,
}

/// Enumerates predecessors. One instance is shared, because its buffers have an entry for each place and
/// transition.
pub(crate) struct Predecessors {
    /// The current predecessor.
    pub(crate) found: Dense,
    /// For each transition, the number of the last search that considered it.
    seen: Vec<u32>,
    now: u32,
    /// Sums that must be distributed over sources: a range of sources (possibly with repetitions), and the
    /// number of tokens that they must have in total.
    sums: Vec<(u32, u32, u32)>,
    /// Work done, in units of a few nanoseconds.
    pub(crate) effort: u64,
}

enum Least {
    Impossible,
    Found,
    /// The predecessors depend on how `sums` are distributed.
    Shared,
}

impl Predecessors {
    pub(crate) fn new(rules: &Rules) -> Self {
        let seen = vec![0; rules.transitions()];
        Self { found: Dense::new(rules.places()), seen, now: 0, sums: Vec::new(), effort: 0 }
    }

    /// Passes minimal predecessors of `vector` to `stop` until it returns true; the last one remains in
    /// `found`. Some predecessors that the concurrency relation excludes are left out. Starts at `position`,
    /// which is 0 or comes from an earlier [`Hit`] for the same vector.
    pub(crate) fn find(
        &mut self,
        net: Net<'_>,
        vector: &[(u32, u32)],
        position: u32,
        mut stop: impl FnMut(&Dense) -> bool,
    ) -> Result<Option<Hit>, TooLarge> {
        self.now = self.now.checked_add(1).unwrap_or_else(|| {
            self.seen.fill(0);
            1
        });
        let mut at = 0;
        for &(p, _) in vector {
            for &transition in net.shape.increasing.row(p as usize) {
                if std::mem::replace(&mut self.seen[transition as usize], self.now) == self.now {
                    continue;
                }
                at += 1;
                if at <= position {
                    continue;
                }
                self.effort += 1;
                if net.shape.beside.as_ref().is_some_and(|beside| !beside.allows(transition, vector)) {
                    continue;
                }
                let hit = Hit { transition, position: at - 1 };
                debug_assert!(hit.position >= position);
                self.effort += 4 + vector.len() as u64;
                match self.least(net, transition, vector)? {
                    Least::Impossible => {}
                    Least::Found => {
                        if self.counts(net, transition, vector) && stop(&self.found) {
                            return Ok(Some(hit));
                        }
                    }
                    Least::Shared => {
                        for way in self.ways(net)? {
                            self.found.load(&way);
                            if self.counts(net, transition, vector) && stop(&self.found) {
                                return Ok(Some(hit));
                            }
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// Computes the tokens that every predecessor by transition `t` needs, into `found` and `sums`.
    fn least(&mut self, net: Net<'_>, t: u32, vector: &[(u32, u32)]) -> Result<Least, TooLarge> {
        self.found.clear();
        self.sums.clear();
        for guard in net.rules.guards.row(t as usize) {
            self.need(net, guard.place, number(guard.least)?);
        }
        let changes = net.rules.changes.row(t as usize);
        for &(p, n) in vector {
            let Some(change) = change_of(changes, p) else {
                self.need(net, p, n);
                continue;
            };
            let needed = i64::from(n) - change.add;
            if needed <= 0 {
                continue;
            }
            let needed = u32::try_from(needed).ok().filter(|n| *n < MOST).ok_or(TooLarge)?;
            let Some((from, to)) = change.sources else {
                self.need(net, p, needed);
                continue;
            };
            match &net.rules.sources[from as usize..to as usize] {
                [] => return Ok(Least::Impossible),
                [first, rest @ ..] if rest.iter().all(|s| s == first) => {
                    self.need(net, *first, needed.div_ceil(to - from));
                }
                _ => self.sums.push((from, to, needed)),
            }
        }
        Ok(if self.sums.is_empty() { Least::Found } else { Least::Shared })
    }

    fn need(&mut self, net: Net<'_>, place: u32, n: u32) {
        if !net.shape.start.is_free(place) {
            self.found.raise(place, n);
        }
    }

    /// Returns all distributions of the sums over their sources, above the tokens in `found`. Some may not be
    /// minimal.
    fn ways(&self, net: Net<'_>) -> Result<Vec<Vector>, TooLarge> {
        let mut ways = vec![self.found.vector().into_vec()];
        for &(from, to, needed) in &self.sums {
            let sources = &net.rules.sources[from as usize..to as usize];
            // Each group of equal sources takes any share, and the last group takes the rest.
            let mut open: Vec<(Vec<(u32, u32)>, u32)> = ways.into_iter().map(|way| (way, needed)).collect();
            ways = Vec::new();
            let groups: Vec<&[u32]> = sources.chunk_by(|a, b| a == b).collect();
            for (i, group) in groups.iter().enumerate() {
                let times = u32::try_from(group.len()).map_err(|_| TooLarge)?;
                let mut next = Vec::new();
                for (way, needed) in open {
                    let there = way.iter().find(|e| e.0 == group[0]).map_or(0, |e| e.1);
                    let most = needed.div_ceil(times).max(there);
                    let least = if i + 1 == groups.len() { most } else { there };
                    if (most - least) as usize > WAYS {
                        return Err(TooLarge);
                    }
                    for n in least..=most {
                        let mut way = way.clone();
                        way.retain(|e| e.0 != group[0]);
                        way.extend((n > 0).then_some((group[0], n)));
                        next.push((way, needed.saturating_sub(n.saturating_mul(times))));
                    }
                    if next.len() > WAYS {
                        return Err(TooLarge);
                    }
                }
                open = next;
            }
            ways.extend(open.into_iter().map(|(way, _)| way));
        }
        debug_assert!(ways.iter().flatten().all(|e| e.1 >= self.found.get(e.0)), "a share is above what is needed");
        Ok(ways.into_iter().map(Vec::into_boxed_slice).collect())
    }

    /// True if `found` allows the transition to fire as far as upper limits of guards are concerned, and does
    /// not cover `vector` itself.
    fn counts(&self, net: Net<'_>, t: u32, vector: &[(u32, u32)]) -> bool {
        let fits = || {
            let guards = net.rules.guards.row(t as usize);
            guards.iter().all(|g| u64::from(self.found.get(g.place)) <= g.most)
        };
        !self.found.covers(vector) && (net.rules.monotone || fits())
    }
}

fn number(n: u64) -> Result<u32, TooLarge> {
    u32::try_from(n).ok().filter(|n| *n < MOST).ok_or(TooLarge)
}

/// Returns the change of a place. Changes ascend by place.
fn change_of(changes: &[Change], place: u32) -> Option<Change> {
    if changes.len() <= 8 {
        return changes.iter().find(|c| c.place == place).copied();
    }
    changes.binary_search_by_key(&place, |c| c.place).ok().map(|i| changes[i])
}
