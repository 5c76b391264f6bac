//! Vectors that are never covered, as invariants. A vector lists tokens on places; a marking covers it if it
//! has at least these tokens.
//!
//! Let t lead from m to m', and let m' cover a vector v. The *minimal predecessors* of v under t are the least
//! markings w with these properties:
//!
//! * On places that t does not change, w is at least v. On all places, w is at least the least count of t's
//!   guard.
//! * On each changed place x, the contents of the sources in w and the constant have a sum of at least v(x).
//!   All ways to take the missing tokens from the sources are tried. Several places may add the content of one
//!   source; each of them gets a copy, so the greatest of their demands counts. Threads that pick a target
//!   arrive only once, so the demands of different targets are added; if the active thread is one of these
//!   threads, one more token is needed.
//!
//! 1. The marking m covers a minimal predecessor of v. Proof: t is enabled in m and leads to m', so m has both
//!    properties.
//!
//! 2. A minimal predecessor above the upper end of a guard of t can be ignored. Proof: a marking that covers it
//!    is above that end too, so t is not enabled in it.
//! 3. No reachable marking covers a vector. Proof: by induction over the run. No initial marking covers a
//!    vector, because each vector needs more tokens on some place than the place may hold initially. The check
//!    shows that every minimal predecessor that is not ignored covers a vector of the same invariant, or is
//!    excluded by an earlier invariant. So if m covers no vector, m' covers none.
//!
//! A vector that earlier invariants exclude needs no test. A transition that only takes tokens away from places
//! of v needs no test either, because its predecessors cover v itself.
//!
//! 4. Clamped numbers are harmless: numbers above 64 bits are replaced by the greatest 64-bit number. Proof: in
//!    a vector this makes the vector smaller, which is a stronger claim, and the stronger claim is checked. In
//!    the demand on a predecessor it makes the demand smaller, so that more markings must be excluded. Upper
//!    ends of guards are compared with such numbers only if they fit. Constants above 100 bits are farther from
//!    0 than all these numbers.

use super::CheckedInvariants;
use super::firing::{Change, Firing, Source};
use super::forms::{Basis, Cube};
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::Vector;

/// Checks the invariant and adds it.
pub(super) fn check(known: &mut CheckedInvariants<'_>, vectors: &[Vector], work: &mut Work<'_>) -> Check<()> {
    let basis = Basis::new(known.rules.initial.len(), vectors, work)?;
    let mut near: Vec<u32> = Vec::new();
    for vector in &basis.vectors {
        if known.excludes(vector, work)? {
            continue;
        }
        if !vector.iter().any(|(p, n)| starts_below(known, *p, *n)) {
            return reject(format!("an initial marking covers a vector: {}", known.described(vector)));
        }
        near.clear();
        for (place, _) in vector {
            work.spend(known.changers[*place as usize].len() as u64)?;
            near.extend(&known.changers[*place as usize]);
        }
        near.sort_unstable();
        near.dedup();
        for &t in near.iter().filter(|t| known.can_fire[**t as usize]) {
            let firing = &known.firings[t as usize];
            if let Some(open) = open_predecessor(known, &basis, firing, vector, work)? {
                let (from, to) = (known.described(&open), known.described(vector));
                return reject(format!("transition number {} may lead from {from} to {to}", t + 1));
            }
        }
    }
    known.bases.push(basis);
    Ok(())
}

/// Returns true if the place holds fewer than `tokens` tokens in all initial markings.
fn starts_below(known: &CheckedInvariants<'_>, place: u32, tokens: u64) -> bool {
    known.rules.initial[place as usize].at_most.as_ref().is_some_and(|most| *most < tokens.into())
}

/// The demand on a predecessor, as far as it has been computed.
#[derive(Clone, Default)]
struct Partial {
    /// The least tokens on each place, in ascending order of places.
    cube: Cube,
    /// The demand of targets on sources with threads that pick: for each source, the number of threads taken,
    /// and true if the source has one more thread, which does not pick.
    picked: Vec<(u32, u64, bool)>,
}

/// Returns a minimal predecessor that is neither excluded nor ignored.
fn open_predecessor(
    known: &CheckedInvariants<'_>,
    basis: &Basis,
    firing: &Firing,
    vector: &[(u32, u64)],
    work: &mut Work<'_>,
) -> Check<Option<Cube>> {
    let mut start = Partial::default();
    let mut lacking: Vec<(&Change, u64)> = Vec::new();
    let mut grows = false;
    for &(place, count) in vector {
        let Some(change) = firing.change(place) else {
            start.cube.push((place, count));
            continue;
        };
        let lacks = u64::try_from((i128::from(count) - change.add).max(0)).unwrap_or(u64::MAX);
        grows |= !change.is_plain() || change.add > 0;
        match change.is_plain() {
            true if lacks > 0 => start.cube.push((place, lacks)),
            true => {}
            false if lacks > 0 => lacking.push((change, lacks)),
            false => {}
        }
    }
    if !grows {
        return Ok(None);
    }
    for test in firing.preset() {
        raise(&mut start.cube, test.place, test.least);
    }
    let settled = |partial: &Partial, work: &mut Work<'_>| -> Check<bool> {
        work.spend((1 + partial.cube.len() + firing.tests.len()) as u64)?;
        Ok(is_too_much(firing, &partial.cube)
            || known.excludes(&partial.cube, work)?
            || basis.has_below(&partial.cube, work)?)
    };
    if settled(&start, work)? {
        return Ok(None);
    }
    // Each demand, with the index of the changed place to handle next. A settled demand (one that is ignored,
    // is excluded, or covers a vector of the same invariant) remains settled with more tokens, so it is not
    // pursued.
    let mut open: Vec<(Partial, usize)> = vec![(start, 0)];
    let mut ways = Vec::new();
    while let Some((partial, next)) = open.pop() {
        let Some((change, lacks)) = lacking.get(next) else { return Ok(Some(partial.cube)) };
        shares(change, *lacks, &mut ways, work)?;
        for way in &ways {
            let mut more = partial.clone();
            way.iter().zip(&change.sources).filter(|(n, _)| **n > 0).for_each(|(n, source)| more.take(source, *n));
            if !settled(&more, work)? {
                work.grow(open.len() * 128)?;
                open.push((more, next + 1));
            }
        }
    }
    Ok(None)
}

/// Returns true if the cube holds more tokens than a guard allows.
fn is_too_much(firing: &Firing, cube: &[(u32, u64)]) -> bool {
    let above =
        |place: u32, most: u64| cube.binary_search_by_key(&place, |(p, _)| *p).is_ok_and(|at| cube[at].1 > most);
    firing.tests.iter().any(|test| test.most < u64::MAX && above(test.place, test.most))
}

fn raise(cube: &mut Cube, place: u32, count: u64) {
    match cube.binary_search_by_key(&place, |(p, _)| *p) {
        Ok(at) => cube[at].1 = cube[at].1.max(count),
        Err(at) if count > 0 => cube.insert(at, (place, count)),
        Err(_) => {}
    }
}

impl Partial {
    /// Adds a demand for `count` tokens of a source's content, for one more target.
    fn take(&mut self, source: &Source, count: u64) {
        debug_assert!(count > 0, "else it takes nothing");
        let mut needed = count;
        if source.picks {
            let known = self.picked.iter_mut().find(|(place, ..)| *place == source.place);
            needed = match known {
                Some((_, taken, _)) => {
                    *taken = taken.saturating_add(count);
                    *taken
                }
                None => {
                    self.picked.push((source.place, count, source.but_one));
                    count
                }
            };
            needed = needed.saturating_add(source.but_one.into());
        }
        raise(&mut self.cube, source.place, needed);
    }
}

/// Computes all least ways to take `lacks` tokens from the sources. A way has one count for each source, and
/// each count is multiplied by `times`. There are as many ways as sums of `lacks` with one term per source;
/// only the work limit restricts them.
fn shares(change: &Change, lacks: u64, ways: &mut Vec<Vec<u64>>, work: &mut Work<'_>) -> Check<()> {
    debug_assert!(lacks > 0, "else nothing is shared");
    ways.clear();
    let sources = &change.sources;
    let mut open: Vec<(Vec<u64>, u64)> = vec![(Vec::new(), lacks)];
    while let Some((taken, rest)) = open.pop() {
        let Some(source) = sources.get(taken.len()) else {
            if rest == 0 {
                ways.push(taken);
            }
            continue;
        };
        let most = rest.div_ceil(source.times);
        let last = taken.len() + 1 == sources.len();
        for count in if last { most } else { 0 }..=most {
            work.spend(1 + taken.len() as u64)?;
            let mut more = taken.clone();
            more.push(count);
            if open.len() + ways.len() > 1 << 20 {
                return Err(Refusal::ResourceLimit);
            }
            open.push((more, rest.saturating_sub(count.saturating_mul(source.times))));
        }
    }
    Ok(())
}
