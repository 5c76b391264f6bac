//! Exact minimal predecessors (Abdulla, Cerans, Jonsson, Tsay 1996): the least vectors from which one transition leads
//! above a given vector.
//!
//! A place of the vector asks for tokens on the sources of the effect on it; with several sources there are several
//! minimal ways. Where a guard has an upper end, a predecessor above it is left out and others stand for all that is
//! above them: that is the upward closure of the exact predecessors, right for `safe`, while runs must be replayed.
//!
//! Predecessors that cover the vector itself never matter here: only transitions that can put tokens on one of its
//! places are looked at.

use crate::markings::start::Start;
use crate::markings::vector::{Dense, MOST, TooLarge, Vector};
use analysis::Rows;
use analysis::rules::{Change, Rules};
use model::Pairs;

/// Most ways for one transition.
const WAYS: usize = 20_000;

/// What backward search reads of a net.
pub(crate) struct Shape {
    pub(crate) start: Start,
    /// By place: transitions that can put tokens there.
    increasing: Rows<u32>,
    beside: Option<Beside>,
}

/// By transition, as bits of places: those that it changes or asks for, and those that may be marked beside all that it
/// asks for. Vectors with other places have no predecessor by it that pairs allow, which is seen here at a glance.
struct Beside {
    bits: Vec<u64>,
    words: usize,
}

/// Most bytes that [`Beside`] may take.
const BESIDE_BYTES: usize = 16 << 20;

impl Beside {
    fn new(rules: &Rules, firing: &[u32], pairs: &Pairs) -> Option<Self> {
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

impl Shape {
    /// Other transitions than those `firing` never fire.
    pub(crate) fn new(rules: &Rules, firing: &[u32], pairs: Option<&Pairs>) -> Self {
        let beside = pairs.and_then(|pairs| Beside::new(rules, firing, pairs));
        Self { beside, ..Self::with(rules, firing, Start::new(rules)) }
    }

    /// Nothing left out: transitions that never fire, and places that never run short, must be seen to be so.
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

/// A net and what is known of it.
#[derive(Clone, Copy)]
pub(crate) struct Net<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) shape: &'a Shape,
    pub(crate) pairs: Option<&'a Pairs>,
    /// By place: may it be marked, as far as pairs go? With them, if they are there.
    pub(crate) marked: Option<&'a [bool]>,
}

/// Where a search for predecessors has stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Hit {
    pub(crate) transition: u32,
    /// Start here to see this transition again first.
    pub(crate) position: u32,
}

/// Enumerates predecessors. One for all, as it needs room by place.
pub(crate) struct Predecessors {
    /// The one looked at.
    pub(crate) found: Dense,
    /// By transition: the last vector for which it was looked at.
    seen: Vec<u32>,
    now: u32,
    /// Sources (repeated ones repeatedly) that must hold so many tokens together.
    sums: Vec<(u32, u32, u32)>,
    /// Work done, in units of some nanoseconds.
    pub(crate) effort: u64,
}

enum Least {
    Impossible,
    Found,
    /// It depends on how `sums` are shared.
    Shared,
}

impl Predecessors {
    pub(crate) fn new(rules: &Rules) -> Self {
        let seen = vec![0; rules.transitions()];
        Self { found: Dense::new(rules.places()), seen, now: 0, sums: Vec::new(), effort: 0 }
    }

    /// Hands minimal predecessors of `vector`, but for some that pairs exclude, to `stop` until it says yes; that one
    /// stays in `found`. Starts at `position` of an earlier [`Hit`] for the same vector, or 0.
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

    /// What every predecessor needs, into `found` and `sums`.
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

    /// All ways to share the sums, above what is in `found`. Some may not be minimal.
    fn ways(&self, net: Net<'_>) -> Result<Vec<Vector>, TooLarge> {
        let mut ways = vec![self.found.vector().into_vec()];
        for &(from, to, needed) in &self.sums {
            let sources = &net.rules.sources[from as usize..to as usize];
            // Each source but the last takes any share, the last one takes the rest.
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

    /// Can the transition fire from there as far as upper ends of guards tell, and is it no marking above `vector`
    /// itself?
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

/// The change of a place. Changes ascend by place.
fn change_of(changes: &[Change], place: u32) -> Option<Change> {
    if changes.len() <= 8 {
        return changes.iter().find(|c| c.place == place).copied();
    }
    changes.binary_search_by_key(&place, |c| c.place).ok().map(|i| changes[i])
}
