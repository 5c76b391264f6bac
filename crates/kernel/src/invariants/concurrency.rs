//! Concurrency relations as invariants: they list pairs of places that are never marked together.
//!
//! The relation *allows* a marking m if it allows each pair of different places that m marks, and the pair of p
//! with itself for each place p that holds two or more tokens. Places that are not in the relation are not
//! restricted. Let M be the least set that contains
//!
//! * the places that may be marked initially, and
//! * the places that a transition may mark, for each transition that needs tokens only on places of M, if the
//!   relation allows these places together.
//!
//! The check shows that the relation allows all initial markings, and that it is closed: if it allows m, m is
//! empty outside M, and t leads from m to m', then it allows m'.
//!
//! 1. The relation allows every reachable marking, and every reachable marking is empty outside M. Proof: by
//!    induction over the run.
//!
//! 2. *What m may look like.* Let t be enabled in m. Then m marks the places that t needs tokens on, the preset
//!    of t. Let l(p) be the least count that t needs on p. So the relation allows each pair of these places,
//!    and the pair of p with itself if l(p) >= 2. A place s holds l(s) tokens and perhaps *extra* tokens, which
//!    are possible only under these conditions:
//!    * One extra token on s: s is in M, and the guard of t allows the token. If l(s) = 0, the relation allows
//!      s with each place of the preset; otherwise it allows s with itself.
//!    * Extra tokens on two places s and r: the conditions hold for s alone and for r alone, and the relation
//!      allows s with r.
//!    * Two extra tokens on s: the conditions for one extra token hold, the guard of t allows two, and the
//!      relation allows s with itself.
//!
//!    Proof: each condition is necessary because the relation allows m.
//!
//! 3. The conditions of claim 2 are as precise as pairs can be, except for constants and upper ends of guards
//!    greater than 2. Proof: they are sufficient for the relation to allow a marking with exactly these tokens.
//!
//! 4. *What m' may look like.* After t, a place x holds its sure tokens (the least counts of its sources and
//!    the constant) and the extra tokens of its sources. A place without effect is its own source. So the
//!    following conditions are necessary:
//!    * m'(x) >= 1 needs a sure token on x, or an extra token on a source of x.
//!    * m' marks x and y only if each of them has a sure token or an extra token, and these extra tokens can
//!      exist together. For two sources the condition is that of claim 2. For one source s, one extra token is
//!      enough if s is copied to both x and y; two extra tokens are needed if the threads in s pick their
//!      targets.
//!    * m'(x) >= 2 needs two sure tokens, or one sure and one extra token, or an extra token on a source that
//!      counts twice, or two extra tokens.
//!
//! 5. The relation is closed. Proof: the check tests, pair by pair, that the relation allows everything that
//!    claim 4 permits. Pairs of places without effect need no test, because m marks both places already.

use super::CheckedInvariants;
use super::firing::{Change, Firing, Source};
use super::forms::Relation;
use crate::work::Work;
use crate::{Check, reject};
use model::{ConcurrencyRelation, PlaceId};
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// Checks the relation and adds it to the invariants, with the places that are potentially marked and the
/// transitions that can fire as far as it shows.
pub(super) fn check<'a>(
    known: &mut CheckedInvariants<'a>,
    pairs: &'a ConcurrencyRelation,
    work: &mut Work<'_>,
) -> Check<()> {
    let relation = Relation::new(known.rules.initial.len(), pairs, work)?;
    let starts = |p: &&PlaceId| !known.rules.initial[p.index()].at_most.as_ref().is_some_and(Zero::is_zero);
    let start: Vec<u32> = pairs.places().iter().filter(starts).map(|p| p.0).collect();
    initial(known, &relation, &start, work)?;
    let mut fires: Vec<bool> = Vec::with_capacity(known.firings.len());
    for (t, firing) in known.firings.iter().enumerate() {
        let preset: Vec<(u32, u64)> = firing.preset().map(|test| (test.place, test.least)).collect();
        work.spend((1 + preset.len() * preset.len()) as u64)?;
        fires.push(known.can_fire[t] && relation.allows_vector(&preset));
    }
    let potentially_marked = potentially_marked(known, &relation, &mut fires, work)?;
    work.grow(potentially_marked.len() * size_of::<Source>())?;
    let own: Vec<Source> = (0..potentially_marked.len() as u32).map(Source::itself).collect();
    let rows = relation.rows_of(&potentially_marked);
    for (t, firing) in known.firings.iter().enumerate().filter(|(t, _)| fires[*t]) {
        let extras = Extras { relation: &relation, potentially_marked: &potentially_marked, firing };
        if let Some((x, y)) = extras.broken(&own, &rows, work)? {
            let (x, y) = (known.system.name(x as usize), known.system.name(y as usize));
            return reject(format!("transition number {} may mark `{x}` and `{y}` together", t + 1));
        }
    }
    for (place, can_be) in potentially_marked.iter().enumerate() {
        if *can_be && !relation.allows(place as u32, place as u32) {
            known.at_most(place, BigUint::one());
        }
    }
    known.only_marked(&potentially_marked);
    known.can_fire = fires;
    known.relations.push(relation);
    Ok(())
}

/// Checks that the relation allows together all places that may hold tokens initially.
fn initial(known: &CheckedInvariants<'_>, relation: &Relation<'_>, start: &[u32], work: &mut Work<'_>) -> Check<()> {
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

/// Returns the set M of the module's head. Clears `fires` for each transition that needs tokens on a place
/// outside M.
fn potentially_marked(
    known: &CheckedInvariants<'_>,
    relation: &Relation<'_>,
    fires: &mut [bool],
    work: &mut Work<'_>,
) -> Check<Vec<bool>> {
    let initial = known.rules.initial.iter();
    let mut marked: Vec<bool> = initial.map(|range| !range.at_most.as_ref().is_some_and(Zero::is_zero)).collect();
    let mut open: Vec<u32> = (0..known.firings.len() as u32).filter(|&t| fires[t as usize]).collect();
    // For each place: the transitions that need tokens on it or move its content.
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); marked.len()];
    for &t in &open {
        let firing = &known.firings[t as usize];
        let sources = firing.changes.iter().flat_map(|c| &c.sources).map(|s| s.place);
        firing.preset().map(|test| test.place).chain(sources).for_each(|p| users[p as usize].push(t));
    }
    while let Some(t) = open.pop() {
        let firing = &known.firings[t as usize];
        work.spend(firing.size())?;
        let extras = Extras { relation, potentially_marked: &marked, firing };
        if !extras.has_preset() {
            continue;
        }
        let gets = |c: &&Change| c.surely > 0 || c.sources.iter().any(|s| extras.one(s.place));
        let could = |c: &&Change| !marked[c.place as usize] && known.potentially_marked[c.place as usize];
        let new: Vec<u32> = firing.changes.iter().filter(could).filter(gets).map(|c| c.place).collect();
        for place in new {
            marked[place as usize] = true;
            work.spend(users[place as usize].len() as u64)?;
            open.extend(&users[place as usize]);
        }
    }
    for (fires, firing) in fires.iter_mut().zip(&known.firings) {
        *fires &= Extras { relation, potentially_marked: &marked, firing }.has_preset();
    }
    let stays = |c: &Change| c.surely == 0 || !known.potentially_marked[c.place as usize] || marked[c.place as usize];
    let closed = |firing: &Firing| firing.changes.iter().all(stays);
    debug_assert!(known.firings.iter().zip(&*fires).all(|(f, fires)| !fires || closed(f)), "what is put is in the set");
    Ok(marked)
}

/// The extra tokens that may exist besides the tokens that a transition needs.
struct Extras<'a> {
    relation: &'a Relation<'a>,
    potentially_marked: &'a [bool],
    firing: &'a Firing,
}

/// The content of a place after a transition: the number of sure tokens, and the sources that may add extra
/// tokens.
type After<'a> = (u8, &'a [Source]);

impl Extras<'_> {
    /// Returns true if all places of the preset are potentially marked.
    fn has_preset(&self) -> bool {
        self.firing.preset().all(|test| self.potentially_marked[test.place as usize])
    }

    /// Returns true if there may be an extra token on `s`. Costs a pass over the guards.
    fn one(&self, s: u32) -> bool {
        self.potentially_marked[s as usize]
            && self.firing.spare(s) > 0
            && match self.firing.least(s) {
                0 => self.firing.preset().all(|test| self.relation.allows(s, test.place)),
                _ => self.relation.allows(s, s),
            }
    }

    /// Returns true if there may be two extra tokens on `s`, given that there may be one.
    fn two(&self, s: u32) -> bool {
        self.firing.spare(s) > 1 && self.relation.allows(s, s)
    }

    /// Returns true if these two sources may give one extra token each to two different places, given that each
    /// source alone may give one.
    fn together(&self, s: &Source, r: &Source) -> bool {
        match s.place == r.place {
            false => self.relation.allows(s.place, r.place),
            true => !(s.picks && r.picks) || self.two(s.place),
        }
    }

    /// Returns a superset, as rows, of the places that may be marked afterwards. It contains the places with an
    /// effect, the preset, and those places of `rows` (the potentially marked places) that the relation allows
    /// with each place of the preset. This is a superset because a place outside the preset without an effect
    /// is marked afterwards only by an extra token, for which [`Extras::one`] requires these conditions.
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

    /// Returns a pair that the transition may mark together although the relation does not allow it.
    fn broken(&self, own: &[Source], rows: &[u64], work: &mut Work<'_>) -> Check<Option<(u32, u32)>> {
        let spoken = || self.firing.changes.iter().filter_map(|c| Some((c, self.relation.row_of(c.place)?)));
        if spoken().all(|(c, _)| c.is_plain() && c.surely == 0) {
            // The transition adds no token to a place of the relation.
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

    /// Returns true if two different places may both be marked afterwards.
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
