//! Pairs of places that are never marked together.
//!
//! The relation allows a marking m if it allows every two different places that m marks, and with itself every place that
//! holds two tokens or more; places that it does not speak of do not matter. It must allow all initial markings, and be closed:
//! if it allows m, and t leads from m to m', then it allows m'. With it goes the least set M of places that can be marked as far
//! as it goes: those marked at the start, and those that a transition marks that needs only places of M, which the relation
//! allows together. By induction over a run all markings are allowed, and empty outside M.
//!
//! *What m may look like.* If t is enabled in m, then m marks the places that t asks tokens of (its preset, least counts l), so
//! the relation allows these together (those with l >= 2 with themselves). A place s holds l(s) tokens and perhaps *extra* ones:
//! * one extra at s: s is in M; t's guard allows it; if l(s) = 0 then s is allowed beside each place of the preset, else with
//!   itself;
//! * extras at two places s and r: each of them alone, and s and r are allowed together;
//! * two extras at s: one is, t's guard allows two, and s is allowed with itself.
//!
//! Each of these is necessary, since m is allowed; and they are sufficient for a marking with just these tokens to be allowed,
//! so nothing more precise can be said by pairs (except where constants or upper ends of guards count beyond 2).
//!
//! *What m' may look like.* On x there are sure tokens (the sources' least counts and the constant), and the extras of its
//! sources; a place without effect is its own source. So m'(x) >= 1 needs a sure token or an extra at a source. m' marks x and
//! y only if each has a sure token or an extra, and these extras can be together: if they are at different places as above; at
//! one place s, one extra is enough where s is copied to both, but if its threads pick their targets it takes two. m'(x) >= 2
//! needs two sure tokens, or one and an extra, or an extra at a source that counts twice, or two extras. That the relation allows all
//! this is what is checked. Pairs of places without effect need no look: m marks both already.
//!
//! Checking costs a row per preset place and marked place of each transition; where effects read other places, the square of
//! the effects.

use super::Known;
use super::small::{Change, Firing, Source};
use crate::{Check, reject};
use kernel::Work;
use model::{Pairs, PlaceId};
use num_bigint::BigUint;
use num_traits::{One, Zero};

const NO_ROW: u32 = u32::MAX;

/// A relation that can be asked by place.
pub(super) struct Relation<'a> {
    pairs: &'a Pairs,
    /// By place; [`NO_ROW`]: it is not spoken of.
    row: Vec<u32>,
}

impl<'a> Relation<'a> {
    fn new(known: &Known<'_>, pairs: &'a Pairs, work: &mut Work<'_>) -> Check<Self> {
        let places = known.rules.initial.len();
        work.spend((places + pairs.places().len()) as u64)?;
        work.grow(places * size_of::<u32>())?;
        let mut row = vec![NO_ROW; places];
        let mut next = 0;
        for (number, place) in pairs.places().iter().enumerate() {
            if place.index() < next || place.index() >= places {
                return reject("the places of a relation of pairs must be known and ascending");
            }
            next = place.index() + 1;
            row[place.index()] = number as u32;
        }
        Ok(Self { pairs, row })
    }

    fn row_of(&self, place: u32) -> Option<usize> {
        let row = self.row[place as usize];
        (row != NO_ROW).then_some(row as usize)
    }

    /// May they be marked together (a place with itself: may it hold two)?
    pub(super) fn allows(&self, p: u32, q: u32) -> bool {
        match (self.row_of(p), self.row_of(q)) {
            (Some(a), Some(b)) => self.pairs.allows(a, b),
            _ => true,
        }
    }

    /// Does it allow these tokens (places ascending, no zeros)?
    pub(super) fn allows_vector(&self, vector: &[(u32, u64)]) -> bool {
        let alone = |i: usize, (p, n): (u32, u64)| {
            (n < 2 || self.allows(p, p)) && vector[..i].iter().all(|(q, _)| self.allows(p, *q))
        };
        vector.iter().enumerate().all(|(i, entry)| alone(i, *entry))
    }
}

/// Adds the relation to what is known, with what can be marked and fire as far as it goes.
pub(super) fn check<'a>(known: &mut Known<'a>, pairs: &'a Pairs, work: &mut Work<'_>) -> Check<()> {
    let relation = Relation::new(known, pairs, work)?;
    initial(known, &relation, work)?;
    let mut fires: Vec<bool> = Vec::with_capacity(known.firings.len());
    for (t, firing) in known.firings.iter().enumerate() {
        let preset = firing.preset().count() as u64;
        work.spend(1 + preset * preset)?;
        fires.push(known.can_fire[t] && preset_allowed(&relation, firing));
    }
    let markable = markable(known, &relation, &mut fires, work)?;
    let closed = Closed::new(&relation, &markable);
    for (t, firing) in known.firings.iter().enumerate().filter(|(t, _)| fires[*t]) {
        if let Some((x, y)) = closed.broken(firing, work)? {
            let (x, y) = (known.system.name(x as usize), known.system.name(y as usize));
            return reject(format!("transition number {} may mark `{x}` and `{y}` together, said to be never", t + 1));
        }
    }
    for (place, can_be) in markable.iter().enumerate() {
        if *can_be && !relation.allows(place as u32, place as u32) {
            known.at_most(place, BigUint::one());
        }
    }
    known.only_marked(&markable);
    known.can_fire = fires;
    known.relations.push(relation);
    Ok(())
}

fn preset_allowed(relation: &Relation<'_>, firing: &Firing) -> bool {
    let tests = &firing.tests;
    tests.iter().enumerate().filter(|(_, a)| a.least > 0).all(|(i, a)| {
        (a.least < 2 || relation.allows(a.place, a.place))
            && tests[..i].iter().all(|b| b.least == 0 || relation.allows(a.place, b.place))
    })
}

/// Places that may hold tokens at the start are allowed together.
fn initial(known: &Known<'_>, relation: &Relation<'_>, work: &mut Work<'_>) -> Check<()> {
    let words = relation.pairs.words();
    let may = |place: &PlaceId| !known.rules.initial[place.index()].at_most.as_ref().is_some_and(Zero::is_zero);
    let rows: Vec<usize> =
        relation.pairs.places().iter().enumerate().filter(|(_, p)| may(p)).map(|(row, _)| row).collect();
    let mut marked = vec![0u64; words];
    rows.iter().for_each(|row| set(&mut marked, *row));
    for &row in &rows {
        work.spend(1 + words as u64)?;
        let place = relation.pairs.places()[row];
        let two = known.rules.initial[place.index()].at_most.as_ref().is_none_or(|most| !most.is_one());
        let missing = missing_but(&marked, relation.pairs.row(row), row);
        if let Some(other) = missing.or_else(|| (two && !relation.pairs.allows(row, row)).then_some(row)) {
            let (x, y) = (known.system.name(place.index()), relation.pairs.places()[other].index());
            return reject(format!("`{x}` and `{}` may be marked together at the start", known.system.name(y)));
        }
    }
    Ok(())
}

/// The first bit of `needed`, but for that of `row`, that `allowed` does not have.
fn missing_but(needed: &[u64], allowed: &[u64], row: usize) -> Option<usize> {
    let own = |word: usize| if word == row / 64 { 1u64 << (row % 64) } else { 0 };
    let lacking = |(word, (n, a)): (usize, (&u64, &u64))| {
        let lacking = n & !a & !own(word);
        (lacking != 0).then(|| word * 64 + lacking.trailing_zeros() as usize)
    };
    needed.iter().zip(allowed).enumerate().find_map(lacking)
}

fn first_missing(needed: &[u64], allowed: &[u64]) -> Option<usize> {
    missing_but(needed, allowed, usize::MAX)
}

fn set(bits: &mut [u64], at: usize) {
    bits[at / 64] |= 1 << (at % 64);
}

fn clear(bits: &mut [u64], at: usize) {
    bits[at / 64] &= !(1 << (at % 64));
}

/// The least set of markable places; in `fires` only transitions stay that need no other.
fn markable(known: &Known<'_>, relation: &Relation<'_>, fires: &mut [bool], work: &mut Work<'_>) -> Check<Vec<bool>> {
    let places = known.rules.initial.len();
    let mut marked = vec![false; places];
    let mut open: Vec<u32> = Vec::new();
    // By place: transitions that ask tokens of it, and those that take its content elsewhere.
    let mut asked: Vec<Vec<u32>> = vec![Vec::new(); places];
    let mut read: Vec<Vec<u32>> = vec![Vec::new(); places];
    let mut lacking: Vec<u32> = vec![0; known.firings.len()];
    let candidate = |p: u32| known.markable[p as usize];
    for (t, firing) in known.firings.iter().enumerate().filter(|(t, _)| fires[*t]) {
        for test in firing.preset() {
            asked[test.place as usize].push(t as u32);
            lacking[t] += 1;
        }
        for change in firing.changes.iter().filter(|c| !c.is_plain()) {
            work.spend(change.sources.len() as u64)?;
            change.sources.iter().for_each(|s| read[s.place as usize].push(t as u32));
        }
    }
    for (place, range) in known.rules.initial.iter().enumerate() {
        if !range.at_most.as_ref().is_some_and(Zero::is_zero) {
            marked[place] = true;
            open.push(place as u32);
        }
    }
    let fire = |t: u32, marked: &mut [bool], open: &mut Vec<u32>, work: &mut Work<'_>| -> Check<()> {
        let firing = &known.firings[t as usize];
        let extras = Extras { relation, markable: marked, firing };
        let mut new: Vec<u32> = Vec::new();
        for change in firing.changes.iter().filter(|c| !marked[c.place as usize] && candidate(c.place)) {
            work.spend((1 + change.sources.len() * firing.tests.len()) as u64)?;
            if change.surely > 0 || change.sources.iter().any(|s| extras.one(s.place)) {
                new.push(change.place);
            }
        }
        new.iter().for_each(|p| marked[*p as usize] = true);
        open.append(&mut new);
        Ok(())
    };
    for t in (0..lacking.len()).filter(|&t| fires[t] && lacking[t] == 0) {
        fire(t as u32, &mut marked, &mut open, work)?;
    }
    while let Some(place) = open.pop() {
        for &t in &asked[place as usize] {
            lacking[t as usize] -= 1;
            if lacking[t as usize] == 0 {
                fire(t, &mut marked, &mut open, work)?;
            }
        }
        for &t in read[place as usize].iter().filter(|t| lacking[**t as usize] == 0) {
            fire(t, &mut marked, &mut open, work)?;
        }
    }
    for (t, fires) in fires.iter_mut().enumerate() {
        *fires &= lacking[t] == 0;
    }
    Ok(marked)
}

/// Tokens that there may be besides those that a transition asks for.
struct Extras<'a> {
    relation: &'a Relation<'a>,
    markable: &'a [bool],
    firing: &'a Firing,
}

impl Extras<'_> {
    /// May there be an extra token at `s`? Costs a look at the guards.
    fn one(&self, s: u32) -> bool {
        self.markable[s as usize]
            && self.firing.spare(s) > 0
            && match self.firing.least(s) {
                0 => self.firing.preset().all(|test| self.relation.allows(s, test.place)),
                _ => self.relation.allows(s, s),
            }
    }

    /// Two, if there may be one?
    fn two(&self, s: u32) -> bool {
        self.firing.spare(s) > 1 && self.relation.allows(s, s)
    }

    /// May these two sources give `x` and `y` an extra each, if each of them may give one?
    fn together(&self, s: &Source, r: &Source) -> bool {
        match s.place == r.place {
            false => self.relation.allows(s.place, r.place),
            true => !(s.picks && r.picks) || self.two(s.place),
        }
    }
}

/// Looks for pairs that a transition brings about and the relation does not allow.
struct Closed<'a> {
    relation: &'a Relation<'a>,
    markable: &'a [bool],
    /// The rows of places that can be marked.
    rows: Vec<u64>,
}

/// What a transition may find and leave.
struct Around<'a> {
    extras: Extras<'a>,
    /// Rows of places without effect that may be marked when it fires.
    unchanged: Vec<u64>,
    /// Rows of places that may be marked afterwards.
    after: Vec<u64>,
    /// By change: the sources that may have an extra.
    given: Vec<Vec<Source>>,
}

impl<'a> Closed<'a> {
    fn new(relation: &'a Relation<'a>, markable: &'a [bool]) -> Self {
        let mut rows = vec![0; relation.pairs.words()];
        for (row, place) in relation.pairs.places().iter().enumerate() {
            if markable[place.index()] {
                set(&mut rows, row);
            }
        }
        Self { relation, markable, rows }
    }

    fn broken(&self, firing: &Firing, work: &mut Work<'_>) -> Check<Option<(u32, u32)>> {
        let changed = firing.changes.iter().filter(|c| self.relation.row_of(c.place).is_some());
        if changed.clone().all(|c| c.is_plain() && c.surely == 0) {
            // It takes tokens away.
            return Ok(None);
        }
        let around = self.around(firing, work)?;
        for (number, change) in firing.changes.iter().enumerate() {
            let Some(row) = self.relation.row_of(change.place) else { continue };
            let missing = match self.missing(&around, number, change, row, work)? {
                Some(other) => Some(self.relation.pairs.places()[other].0),
                None if change.surely == 0 && !change.is_plain() => self.crossed(&around, firing, number, work)?,
                None => None,
            };
            if let Some(other) = missing {
                return Ok(Some((change.place, other)));
            }
            if !self.relation.pairs.allows(row, row) && may_hold_two(&around, number, change) {
                return Ok(Some((change.place, change.place)));
            }
        }
        Ok(None)
    }

    fn around(&self, firing: &'a Firing, work: &mut Work<'_>) -> Check<Around<'a>> {
        let words = self.rows.len() as u64;
        let mut unchanged = self.rows.clone();
        for test in &firing.tests {
            let Some(row) = self.relation.row_of(test.place) else { continue };
            work.spend(words)?;
            if test.least > 0 {
                // Its own bit is about a second token: that it is marked is certain.
                let own = unchanged[row / 64] & (1 << (row % 64));
                unchanged.iter_mut().zip(self.relation.pairs.row(row)).for_each(|(bits, beside)| *bits &= beside);
                unchanged[row / 64] |= own;
            } else if test.most == 0 {
                clear(&mut unchanged, row);
            }
        }
        for change in &firing.changes {
            self.relation.row_of(change.place).into_iter().for_each(|row| clear(&mut unchanged, row));
        }
        let extras = Extras { relation: self.relation, markable: self.markable, firing };
        let mut after = unchanged.clone();
        let mut given = Vec::with_capacity(firing.changes.len());
        for change in &firing.changes {
            work.spend((1 + change.sources.len() * firing.tests.len()) as u64)?;
            let sources: Vec<Source> = change.sources.iter().filter(|s| extras.one(s.place)).copied().collect();
            if let Some(row) = self.relation.row_of(change.place)
                && (change.surely > 0 || !sources.is_empty())
            {
                set(&mut after, row);
            }
            given.push(sources);
        }
        Ok(Around { extras, unchanged, after, given })
    }

    /// A place that is not allowed beside that of the change (`row`): any after a sure token, places without effect beside
    /// an extra.
    fn missing(
        &self,
        around: &Around<'_>,
        number: usize,
        change: &Change,
        row: usize,
        work: &mut Work<'_>,
    ) -> Check<Option<usize>> {
        let allowed = self.relation.pairs.row(row);
        work.spend(1 + allowed.len() as u64)?;
        if change.surely > 0 {
            return Ok(missing_but(&around.after, allowed, row));
        }
        // What its own extra is beside is allowed already.
        for source in around.given[number].iter().filter(|s| s.place != change.place) {
            work.spend(1 + allowed.len() as u64)?;
            let missing = match self.relation.row_of(source.place) {
                None => first_missing(&around.unchanged, allowed),
                Some(from) => {
                    let mut beside = around.unchanged.clone();
                    beside.iter_mut().zip(self.relation.pairs.row(from)).for_each(|(bits, with)| *bits &= with);
                    // Where the source keeps its tokens too, one is enough for both.
                    let copied = around.unchanged[from / 64] >> (from % 64) & 1 == 1;
                    if copied {
                        set(&mut beside, from);
                    }
                    first_missing(&beside, allowed)
                }
            };
            if missing.is_some() {
                return Ok(missing);
            }
        }
        Ok(None)
    }

    /// A place that may get an extra too and is not allowed beside that of the change, which has no sure token.
    fn crossed(&self, around: &Around<'_>, firing: &Firing, number: usize, work: &mut Work<'_>) -> Check<Option<u32>> {
        let place = firing.changes[number].place;
        for (other, change) in firing.changes.iter().enumerate() {
            work.spend(1)?;
            // A sure token was looked at from there.
            if other == number || change.surely > 0 || self.relation.allows(place, change.place) {
                continue;
            }
            let (these, those) = (&around.given[number], &around.given[other]);
            work.spend((these.len() * those.len()) as u64)?;
            if these.iter().any(|s| those.iter().any(|r| around.extras.together(s, r))) {
                return Ok(Some(change.place));
            }
        }
        Ok(None)
    }
}

fn may_hold_two(around: &Around<'_>, number: usize, change: &Change) -> bool {
    let given = &around.given[number];
    match change.surely {
        2.. => true,
        1 => !given.is_empty(),
        0 => given.iter().enumerate().any(|(i, s)| {
            s.times > 1
                || around.extras.two(s.place)
                || given[..i].iter().any(|r| r.place == s.place || around.extras.relation.allows(s.place, r.place))
        }),
    }
}
