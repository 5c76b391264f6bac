//! Pairs of places that are never marked together.
//!
//! The relation allows a marking m if it allows every two different places that m marks, and with itself every place
//! that holds two tokens or more; places that it does not speak of do not matter. It must allow all initial markings,
//! and be closed: if it allows m, and t leads from m to m', then it allows m'. With it goes the least set M of places
//! that can be marked as far as it goes: those marked at the start, and those that a transition marks that needs only
//! places of M, which the relation allows together. By induction over a run all markings are allowed, and empty outside
//! M.
//!
//! *What m may look like.* If t is enabled in m, then m marks the places that t asks tokens of (its preset, least
//! counts l), so the relation allows these together (those with l >= 2 with themselves). A place s holds l(s) tokens
//! and perhaps *extra* ones:
//! * one extra at s: s is in M; t's guard allows it; if l(s) = 0 then s is allowed beside each place of the preset,
//!   else with itself;
//! * extras at two places s and r: each of them alone, and s and r are allowed together;
//! * two extras at s: one is, t's guard allows two, and s is allowed with itself.
//!
//! Each of these is necessary, since m is allowed; and they are sufficient for a marking with just these tokens to be
//! allowed, so nothing more precise can be said by pairs (except where constants or upper ends of guards count beyond
//! 2).
//!
//! *What m' may look like.* On x there are sure tokens (the sources' least counts and the constant), and the extras
//! of its sources; a place without effect is its own source. So m'(x) >= 1 needs a sure token or an extra at a
//! source. m' marks x and y only if each has a sure token or an extra, and these extras can be together: if they are
//! at different places as above; at one place s, one extra is enough where s is copied to both, but if its threads
//! pick their targets it takes two. m'(x) >= 2 needs two sure tokens, or one and an extra, or an extra at a source
//! that counts twice, or two extras. That the relation allows all this is what is checked, pair by pair. Pairs of
//! places without effect need no look: m marks both already.

use super::Known;
use super::firing::{Change, Firing, Source};
use crate::work::Work;
use crate::{Check, reject};
use model::{Pairs, PlaceId};
use num_bigint::BigUint;
use num_traits::{One, Zero};

const NO_ROW: u32 = u32::MAX;

/// A relation that can be asked by place.
#[derive(Debug)]
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
    fn allows(&self, p: u32, q: u32) -> bool {
        match (self.row_of(p), self.row_of(q)) {
            (Some(a), Some(b)) => {
                debug_assert_eq!(self.pairs.allows(a, b), self.pairs.allows(b, a), "it is symmetric");
                self.pairs.allows(a, b)
            }
            _ => true,
        }
    }

    /// The rows of these places, as bits.
    fn rows_of(&self, places: &[bool]) -> Vec<u64> {
        let mut rows = vec![0; self.pairs.words()];
        for (row, place) in self.pairs.places().iter().enumerate().filter(|(_, place)| places[place.index()]) {
            debug_assert!(self.row_of(place.0) == Some(row), "rows and places are numbered alike");
            rows[row / 64] |= 1 << (row % 64);
        }
        rows
    }

    /// Does it allow these tokens (each place once, no zeros)?
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
    let starts = |p: &&PlaceId| !known.rules.initial[p.index()].at_most.as_ref().is_some_and(Zero::is_zero);
    let start: Vec<u32> = pairs.places().iter().filter(starts).map(|p| p.0).collect();
    initial(known, &relation, &start, work)?;
    let mut fires: Vec<bool> = Vec::with_capacity(known.firings.len());
    for (t, firing) in known.firings.iter().enumerate() {
        let preset: Vec<(u32, u64)> = firing.preset().map(|test| (test.place, test.least)).collect();
        work.spend((1 + preset.len() * preset.len()) as u64)?;
        fires.push(known.can_fire[t] && relation.allows_vector(&preset));
    }
    let markable = markable(known, &relation, &mut fires, work)?;
    work.grow(markable.len() * size_of::<Source>())?;
    let own: Vec<Source> = (0..markable.len() as u32).map(Source::itself).collect();
    let rows = relation.rows_of(&markable);
    for (t, firing) in known.firings.iter().enumerate().filter(|(t, _)| fires[*t]) {
        let extras = Extras { relation: &relation, markable: &markable, firing };
        if let Some((x, y)) = extras.broken(&own, &rows, work)? {
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

/// Places that may hold tokens at the start are allowed together.
fn initial(known: &Known<'_>, relation: &Relation<'_>, start: &[u32], work: &mut Work<'_>) -> Check<()> {
    for (number, &x) in start.iter().enumerate() {
        work.spend(1 + number as u64)?;
        let two = known.rules.initial[x as usize].at_most.as_ref().is_none_or(|most| !most.is_one());
        let others = start[..number].iter().copied().chain(two.then_some(x));
        if let Some(y) = others.into_iter().find(|&y| !relation.allows(x, y)) {
            let (x, y) = (known.system.name(x as usize), known.system.name(y as usize));
            return reject(format!("`{x}` and `{y}` may be marked together at the start"));
        }
    }
    Ok(())
}

/// The least set of markable places; in `fires` only transitions stay that need no other.
fn markable(known: &Known<'_>, relation: &Relation<'_>, fires: &mut [bool], work: &mut Work<'_>) -> Check<Vec<bool>> {
    let initial = known.rules.initial.iter();
    let mut marked: Vec<bool> = initial.map(|range| !range.at_most.as_ref().is_some_and(Zero::is_zero)).collect();
    let mut open: Vec<u32> = (0..known.firings.len() as u32).filter(|&t| fires[t as usize]).collect();
    // By place the transitions that ask tokens of it or take its content elsewhere.
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); marked.len()];
    for &t in &open {
        let firing = &known.firings[t as usize];
        let sources = firing.changes.iter().flat_map(|c| &c.sources).map(|s| s.place);
        firing.preset().map(|test| test.place).chain(sources).for_each(|p| users[p as usize].push(t));
    }
    while let Some(t) = open.pop() {
        let firing = &known.firings[t as usize];
        work.spend(firing.size())?;
        let extras = Extras { relation, markable: &marked, firing };
        if !extras.has_preset() {
            continue;
        }
        let gets = |c: &&Change| c.surely > 0 || c.sources.iter().any(|s| extras.one(s.place));
        let could = |c: &&Change| !marked[c.place as usize] && known.markable[c.place as usize];
        let new: Vec<u32> = firing.changes.iter().filter(could).filter(gets).map(|c| c.place).collect();
        for place in new {
            marked[place as usize] = true;
            work.spend(users[place as usize].len() as u64)?;
            open.extend(&users[place as usize]);
        }
    }
    for (fires, firing) in fires.iter_mut().zip(&known.firings) {
        *fires &= Extras { relation, markable: &marked, firing }.has_preset();
    }
    let stays = |c: &Change| c.surely == 0 || !known.markable[c.place as usize] || marked[c.place as usize];
    let closed = |firing: &Firing| firing.changes.iter().all(stays);
    debug_assert!(known.firings.iter().zip(&*fires).all(|(f, fires)| !fires || closed(f)), "what is put is in the set");
    Ok(marked)
}

/// Tokens that there may be besides those that a transition asks for.
struct Extras<'a> {
    relation: &'a Relation<'a>,
    markable: &'a [bool],
    firing: &'a Firing,
}

/// How a place comes to hold tokens: so many surely, and extras of these sources, if there may be some.
type After<'a> = (u8, &'a [Source]);

impl Extras<'_> {
    /// Can all places be marked that the transition asks tokens of?
    fn has_preset(&self) -> bool {
        self.firing.preset().all(|test| self.markable[test.place as usize])
    }

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

    /// May these two sources give two places an extra each, if each of them may give one?
    fn together(&self, s: &Source, r: &Source) -> bool {
        match s.place == r.place {
            false => self.relation.allows(s.place, r.place),
            true => !(s.picks && r.picks) || self.two(s.place),
        }
    }

    /// The rows of places that may be marked afterwards, and perhaps of others: those that have an effect, those that
    /// tokens are asked of, and of `rows`, which can be marked at all, those that are allowed beside all of the
    /// preset. (Without effect and outside the preset, a place is marked afterwards only by an extra token, and that
    /// is when [`Extras::one`] has one.)
    fn perhaps(&self, rows: &[u64], work: &mut Work<'_>) -> Check<Vec<u64>> {
        let mut perhaps = rows.to_vec();
        let preset = || self.firing.preset().filter_map(|test| self.relation.row_of(test.place));
        for row in preset() {
            work.spend(1 + rows.len() as u64)?;
            perhaps.iter_mut().zip(self.relation.pairs.row(row)).for_each(|(bits, beside)| *bits &= beside);
        }
        let changed = self.firing.changes.iter().filter_map(|change| self.relation.row_of(change.place));
        preset().chain(changed).for_each(|row| perhaps[row / 64] |= 1 << (row % 64));
        Ok(perhaps)
    }

    /// A pair that the transition may bring about and the relation does not allow.
    fn broken(&self, own: &[Source], rows: &[u64], work: &mut Work<'_>) -> Check<Option<(u32, u32)>> {
        let spoken = || self.firing.changes.iter().filter_map(|c| Some((c, self.relation.row_of(c.place)?)));
        if spoken().all(|(c, _)| c.is_plain() && c.surely == 0) {
            // It takes tokens away.
            return Ok(None);
        }
        let perhaps = self.perhaps(rows, work)?;
        for (change, row) in spoken() {
            let x = change.place;
            for (word, (perhaps, allowed)) in perhaps.iter().zip(self.relation.pairs.row(row)).enumerate() {
                let mut others = perhaps & !allowed;
                while others != 0 {
                    let y = self.relation.pairs.places()[word * 64 + others.trailing_zeros() as usize].0;
                    others &= others - 1;
                    work.spend(self.firing.tests.len() as u64)?;
                    if y != x && self.meet((change.surely, &change.sources), self.after(y, own)) {
                        return Ok(Some((x, y)));
                    }
                }
            }
            work.spend((own.len() / 64 + change.sources.len() * change.sources.len()) as u64)?;
            if !self.relation.allows(x, x) && self.may_hold_two(change) {
                return Ok(Some((x, x)));
            }
        }
        Ok(None)
    }

    fn after<'s>(&'s self, place: u32, own: &'s [Source]) -> After<'s> {
        match self.firing.change(place) {
            Some(change) => (change.surely, &change.sources),
            None => (u8::from(self.firing.least(place) > 0), &own[place as usize..][..1]),
        }
    }

    /// May two different places be marked together afterwards?
    fn meet(&self, (x, of_x): After<'_>, (y, of_y): After<'_>) -> bool {
        let given = |s: &&Source| self.one(s.place);
        match (x > 0, y > 0) {
            (true, true) => true,
            (true, false) => of_y.iter().any(|s| given(&s)),
            (false, true) => of_x.iter().any(|s| given(&s)),
            (false, false) => {
                let with = |s: &Source| of_y.iter().filter(given).any(|r| self.together(s, r));
                of_x.iter().filter(given).any(with)
            }
        }
    }

    fn may_hold_two(&self, change: &Change) -> bool {
        let given: Vec<&Source> = change.sources.iter().filter(|s| self.one(s.place)).collect();
        match change.surely {
            2.. => true,
            1 => !given.is_empty(),
            0 => given.iter().enumerate().any(|(i, s)| {
                s.times > 1
                    || self.two(s.place)
                    || given[..i].iter().any(|r| r.place == s.place || self.relation.allows(s.place, r.place))
            }),
        }
    }
}
