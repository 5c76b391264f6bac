//! Vectors that are never covered.
//!
//! No initial marking covers one: each vector asks more of some place than it may hold at the start. And if t leads
//! from m to m', and m' covers a vector v, then m covers one of the *minimal predecessors* of v under t, the least
//! markings w with:
//! * w is at least v on places that t leaves as they are, and at least the least counts of t's guards;
//! * on a changed place x, the sources' contents in w and the constant add up to v(x). All ways to take what is
//!   lacking from the sources are tried. Of one content as many copies arrive as there are places that add it, so
//!   between places the greatest counts; but threads that pick a target arrive once, so what different targets take
//!   of them adds up (and the active thread, if it is one of them, comes on top).
//!
//! If w is above the upper end of one of t's guards then so is m, and t is not enabled: that predecessor is none.
//! Every other one must cover a vector of the same fact or be excluded by a fact before it. Then m' covers no vector
//! if m covers none. A transition that only takes tokens away on v's places has predecessors that cover v itself, so
//! it needs no look; nor does a vector that earlier facts exclude.
//!
//! Numbers beyond 64 bits become the greatest there are. In a vector this makes it smaller: more is claimed than was,
//! and that is what is checked. In what a predecessor must hold it makes that smaller, so that more must be excluded.
//! Upper ends are compared with such numbers only if they fit. Constants beyond 100 bits are farther from 0 than all
//! of these.

use super::Known;
use super::firing::{Change, Firing, Source, saturated};
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::Vector;
use num_traits::Zero;

/// Tokens by place: ascending, no zeros.
type Cube = Vec<(u32, u64)>;

/// Vectors that are never covered, to be looked up: each stands at that of its places that fewest others have.
#[derive(Debug)]
pub(super) struct Basis {
    /// By place.
    at: Vec<Vec<u32>>,
    vectors: Vec<Cube>,
    /// By vector a bit for each of its places, modulo 128: the places of what covers it have all of them.
    marks: Vec<u128>,
}

fn marks(vector: &[(u32, u64)]) -> u128 {
    vector.iter().fold(0, |marks, (p, _)| marks | 1 << (p.wrapping_mul(0x9E37_79B1) >> 25))
}

/// Is every marking above `large` above `small`? Both are ascending.
fn covers(large: &[(u32, u64)], small: &[(u32, u64)]) -> bool {
    debug_assert!(large.is_sorted_by(|a, b| a.0 < b.0) && small.is_sorted_by(|a, b| a.0 < b.0), "places ascend");
    let mut rest = large.iter();
    small.iter().all(|(p, n)| rest.by_ref().find(|(q, _)| q >= p).is_some_and(|(q, m)| q == p && m >= n))
}

impl Basis {
    fn new(known: &Known<'_>, vectors: &[Vector], work: &mut Work<'_>) -> Check<Self> {
        let places = known.rules.initial.len();
        let mut counts = vec![0u32; places];
        let mut cubes = Vec::with_capacity(vectors.len());
        for vector in vectors {
            work.spend(1 + vector.len() as u64)?;
            let ascending = vector.windows(2).all(|w| w[0].0 < w[1].0);
            if !ascending || vector.iter().any(|(p, n)| p.index() >= places || n.is_zero()) {
                return reject("the places of a vector must be known and ascending, its numbers positive");
            }
            vector.iter().for_each(|(p, _)| counts[p.index()] += 1);
            cubes.push(vector.iter().map(|(p, n)| (p.0, saturated(n))).collect::<Cube>());
        }
        let mut at = vec![Vec::new(); places];
        for (number, cube) in cubes.iter().enumerate() {
            match cube.iter().min_by_key(|(p, _)| counts[*p as usize]) {
                Some((place, _)) => at[*place as usize].push(number as u32),
                None => return reject("every marking covers the empty vector"),
            }
        }
        let marks = cubes.iter().map(|cube| marks(cube)).collect();
        Ok(Self { at, vectors: cubes, marks })
    }

    /// Does this cover one of the vectors?
    pub(super) fn has_below(&self, cube: &[(u32, u64)], work: &mut Work<'_>) -> Check<bool> {
        let marks = marks(cube);
        for (place, _) in cube {
            let here = &self.at[*place as usize];
            work.spend(1 + here.len() as u64 / 4)?;
            let below = |v: &&u32| self.marks[**v as usize] & !marks == 0 && covers(cube, &self.vectors[**v as usize]);
            if here.iter().find(below).is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Adds the fact to what is known.
pub(super) fn check(known: &mut Known<'_>, vectors: &[Vector], work: &mut Work<'_>) -> Check<()> {
    let basis = Basis::new(known, vectors, work)?;
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

/// Is this more than the place holds at the start?
fn starts_below(known: &Known<'_>, place: u32, tokens: u64) -> bool {
    known.rules.initial[place as usize].at_most.as_ref().is_some_and(|most| *most < tokens.into())
}

/// What a predecessor must hold, as far as it has been found out.
#[derive(Clone, Default)]
struct Partial {
    /// Ascending by place.
    cube: Cube,
    /// What targets take of threads that pick: by source, with whether one more is there that does not.
    picked: Vec<(u32, u64, bool)>,
}

/// A predecessor that is not excluded.
fn open_predecessor(
    known: &Known<'_>,
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
    // Each with the changed place to look at next. What is settled already stays so with more tokens.
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

/// Does it hold more than a guard allows?
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
    /// Another target needs `count` of a source's content.
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

/// All least ways to take `lacks` from the sources: by source its count, which counts `times`. As many as sums of
/// `lacks` with as many terms as there are sources, so the work limit is what ends it.
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
                return Err(Refusal::TooDear);
            }
            open.push((more, rest.saturating_sub(count.saturating_mul(source.times))));
        }
    }
    Ok(())
}
