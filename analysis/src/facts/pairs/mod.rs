//! Which places may hold tokens at the same time: the least relation that holds initially and that no transition
//! leads out of.
//!
//! Of a marking only this is kept: which pairs of places hold a token each, and which places hold two or more (the
//! diagonal). The method goes back to the concurrency relation of free-choice and safe nets (Kovalyov 1992), and is
//! the pairwise case of abstract interpretation by small subsets of processes or places (Ganty, Raskin, Van Begin
//! 2007). What makes it exact enough here is that slicing comes first, and fast enough that a row of bits is handled
//! at once.
//!
//! *What is computed.* Let `P` be a relation and `M(P)` all markings that it allows: `m(p) >= 1` and `m(q) >= 1` for
//! `p != q` only if `pq` is in `P`, `m(p) >= 2` only if `pp` is, and none of a place that is not known to be marked
//! ever. The relation and the places known to be marked are the least such that `M(P)` has all initial markings and
//! every marking that one firing makes of one in `M(P)`: they are closed under the best transformer of this
//! abstraction, no more and no less, for all that a net can do. Given the relation, the places are the least that are
//! closed, so certificates need not name them.
//!
//! *How.* A transition asks for `least` tokens of some places, its preset. It can fire from `M(P)` iff `P` has all
//! pairs of the preset and marks its places, and has `pp` where two or more are asked for (upper ends of guards are
//! met with as few tokens as possible). Beside these tokens there may be others: `R` is the intersection of the
//! preset's rows (all that may be marked if it is empty); a place of `R` may hold one *extra* token above `least`,
//! unless its guard forbids that (a place of the preset is in `R` iff it is on the diagonal). Firing without extra
//! tokens surely marks some places, the *gives*; they are paired with each other, and with every place that keeps an
//! extra token. Where a place's new content is not its old one plus a constant (transfers, resets, assignments,
//! sums), it is a *move*: it gets what stands beside its sources that may have an extra token. Every pair that firing
//! can mark is marked from a marking with at most two extra tokens, so nothing is missed.
//!
//! A transition is looked at again when the row of a place of its preset, or of a source of a move, has changed
//! since, and one without preset when any place is new.

mod shape;
#[cfg(test)]
mod tests;

use crate::rules::Rules;
use model::{Budget, Pairs, PlaceId};
use shape::{Move, Shapes};
use std::collections::VecDeque;

/// The relation is quadratic in the places: more would take fifty megabytes and some seconds, whatever is asked.
const MOST_PLACES: usize = 20_000;

/// Words looked at before giving up: about two seconds.
const MOST_WORDS: u64 = 2_000_000_000;

/// Words per unit of work.
const WORDS_PER_UNIT: u64 = 1_000;

/// What is found.
#[derive(Debug)]
pub(super) struct Found {
    /// Row `p` is that of place `p`.
    pub(super) pairs: Pairs,
    /// Transitions that can fire as far as the relation knows, ascending.
    pub(super) firing: Vec<u32>,
    /// By place: may it be marked at all, as far as the relation knows?
    pub(super) marked: Vec<bool>,
}

/// Computes the relation, in one go; `None` if it would be too dear in time or memory. It goes on when the budget's
/// work is used up, but not when all work must end.
pub(super) fn pairs(rules: &Rules, budget: &mut Budget) -> Option<Found> {
    let places = rules.places();
    // The relation itself, and the copies that certificates make of it on their way home.
    let bytes = places.div_ceil(64).checked_mul(8)?.checked_mul(places)?;
    if places > MOST_PLACES || !budget.stop.has_room(bytes.saturating_mul(4)) {
        return None;
    }
    let mut search = Search::new(rules, Shapes::new(rules));
    search.start(rules);
    search.run(budget)?;
    let firing = (0u32..).zip(&search.fired).filter(|(_, fired)| **fired).map(|(t, _)| t).collect();
    let marked = (0u32..).take(places).map(|p| contains(&search.marked, p)).collect();
    Some(Found { pairs: search.pairs, firing, marked })
}

struct Search {
    shapes: Shapes,
    pairs: Pairs,
    /// By transition: is it known that it can fire?
    fired: Vec<bool>,
    /// By transition: so many places of its preset are known to be allowed beside the whole preset.
    checked: Vec<u32>,
    /// Counts the looks at transitions.
    clock: u64,
    /// By place: the clock at the last change of its row.
    changed: Vec<u64>,
    /// By transition: the clock at the last look at it. Changes since have a greater one.
    looked: Vec<u64>,
    /// Places whose rows have changed, each once.
    work: VecDeque<u32>,
    waiting: Vec<bool>,
    /// Places that are known to be marked in some marking.
    marked: Vec<u64>,
    /// Have some been found since transitions without preset were looked at?
    grown: bool,
    /// Words looked at.
    words: u64,
    /// Places that may hold an extra token.
    extra: Vec<u64>,
    /// Places that keep it.
    beside: Vec<u64>,
    /// Places that a move's tokens may have beside them.
    around: Vec<u64>,
}

impl Search {
    fn new(rules: &Rules, shapes: Shapes) -> Self {
        let (places, transitions) = (rules.places(), rules.transitions());
        let row = vec![0; places.div_ceil(64)];
        Self {
            shapes,
            pairs: Pairs::none((0..places).map(PlaceId::new).collect()),
            fired: vec![false; transitions],
            checked: vec![0; transitions],
            clock: 1,
            changed: vec![0; places],
            looked: vec![0; transitions],
            work: VecDeque::new(),
            waiting: vec![false; places],
            words: 0,
            marked: row.clone(),
            grown: false,
            extra: row.clone(),
            beside: row.clone(),
            around: row,
        }
    }

    /// Allows what initial markings have: every place as many tokens as it can get, whatever the others get.
    fn start(&mut self, rules: &Rules) {
        let marked: Vec<u32> =
            (0u32..).zip(&rules.initial_most).filter(|(_, most)| **most >= 1).map(|(p, _)| p).collect();
        marked.iter().for_each(|p| self.mark(*p));
        self.allow_each_other(&marked);
        for p in marked.into_iter().filter(|p| rules.initial_most[*p as usize] >= 2) {
            self.allow(p, p);
        }
    }

    fn run(&mut self, budget: &mut Budget) -> Option<()> {
        for t in 0..self.fired.len() {
            self.look(t);
            self.pay(budget)?;
        }
        while let Some(place) = self.work.pop_front() {
            let place = place as usize;
            self.waiting[place] = false;
            for i in 0..self.shapes.wakes.row(place).len() {
                let t = self.shapes.wakes.row(place)[i] as usize;
                if self.changed[place] > self.looked[t] {
                    self.look(t);
                }
            }
            if std::mem::take(&mut self.grown) {
                for i in 0..self.shapes.free.len() {
                    self.look(self.shapes.free[i] as usize);
                }
            }
            self.pay(budget)?;
        }
        Some(())
    }

    /// `None` if that was too much.
    fn pay(&mut self, budget: &mut Budget) -> Option<()> {
        let units = self.words / WORDS_PER_UNIT;
        if units > self.shapes.paid {
            budget.spend(units - self.shapes.paid);
            self.shapes.paid = units;
        }
        (self.words <= MOST_WORDS && budget.stop.raised().is_none()).then_some(())
    }

    /// Allows what a transition leads to.
    fn look(&mut self, t: usize) {
        self.looked[t] = self.clock;
        self.clock += 1;
        if !self.fired[t] {
            if !self.can_fire(t) {
                return;
            }
            self.fired[t] = true;
            self.fire_alone(t);
        }
        self.find_beside(t);
        for i in 0..self.shapes.fresh.row(t).len() {
            let place = self.shapes.fresh.row(t)[i];
            self.allow_beside(place);
        }
        for i in 0..self.shapes.moves.row(t).len() {
            self.make_move(t, i);
        }
    }

    /// Does the relation allow the preset? Remembers how far it does.
    fn can_fire(&mut self, t: usize) -> bool {
        let takes = self.shapes.takes.row(t);
        if !takes.iter().all(|p| contains(&self.marked, *p)) {
            return false;
        }
        while let Some(&p) = takes.get(self.checked[t] as usize) {
            self.words += takes.len() as u64 / 8 + 1;
            let allows = |q: &u32| *q == p || self.pairs.allows(p as usize, *q as usize);
            if !takes.iter().all(allows) {
                return false;
            }
            self.checked[t] += 1;
        }
        self.shapes.twice.row(t).iter().all(|&p| self.pairs.allows(p as usize, p as usize))
    }

    /// The firing without extra tokens.
    fn fire_alone(&mut self, t: usize) {
        let gives: Vec<u32> = self.shapes.gives.row(t).iter().map(|g| g.place).collect();
        gives.iter().for_each(|p| self.mark(*p));
        self.allow_each_other(&gives);
        for i in 0..gives.len() {
            let give = self.shapes.gives.row(t)[i];
            if give.two {
                self.allow(give.place, give.place);
            }
        }
    }

    /// Which places may hold an extra token, and which of them keep it.
    fn find_beside(&mut self, t: usize) {
        let takes = self.shapes.takes.row(t);
        self.words += ((takes.len() + 1) * self.extra.len()) as u64;
        match takes.split_first() {
            Some((first, others)) => {
                self.extra.copy_from_slice(self.pairs.row(*first as usize));
                for p in others {
                    self.extra.iter_mut().zip(self.pairs.row(*p as usize)).for_each(|(a, b)| *a &= b);
                }
            }
            None => {
                self.extra.copy_from_slice(&self.marked);
            }
        }
        self.shapes.full.row(t).iter().for_each(|p| remove(&mut self.extra, *p));
        self.beside.copy_from_slice(&self.extra);
        self.shapes.moves.row(t).iter().for_each(|m| remove(&mut self.beside, m.place));
    }

    /// Sources of a move that may have an extra token.
    fn lively(&self, change: &Move) -> Vec<u32> {
        let (from, to) = change.sources;
        let sources = &self.shapes.sources[from as usize..to as usize];
        sources.iter().copied().filter(|s| contains(&self.extra, *s)).collect()
    }

    /// What a place gets that is no longer what it was, by extra tokens in its sources.
    fn make_move(&mut self, t: usize, number: usize) {
        let change = self.shapes.moves.row(t)[number];
        let lively = self.lively(&change);
        if lively.is_empty() {
            return;
        }
        self.mark(change.place);
        self.words += ((lively.len() + 1) * self.around.len()) as u64;
        self.around.fill(0);
        for &s in &lively {
            self.around.iter_mut().zip(self.pairs.row(s as usize)).for_each(|(a, b)| *a |= b);
        }
        // Where a place keeps what it sends, one token makes two.
        lively.iter().for_each(|s| insert(&mut self.around, *s));
        if self.may_double(t, &lively) {
            self.allow(change.place, change.place);
        }
        for i in 0..self.shapes.gives.row(t).len() {
            let place = self.shapes.gives.row(t)[i].place;
            self.allow(change.place, place);
        }
        for i in number + 1..self.shapes.moves.row(t).len() {
            let other = self.shapes.moves.row(t)[i];
            let (from, to) = other.sources;
            let sources = &self.shapes.sources[from as usize..to as usize];
            self.words += sources.len() as u64 / 8 + 1;
            if sources.iter().any(|s| contains(&self.extra, *s) && contains(&self.around, *s)) {
                self.allow(change.place, other.place);
            }
        }
        self.beside.iter_mut().zip(&mut self.around).for_each(|(b, a)| *a &= *b);
        std::mem::swap(&mut self.beside, &mut self.around);
        self.allow_beside(change.place);
        std::mem::swap(&mut self.beside, &mut self.around);
    }

    /// May two tokens arrive from these sources (with repetitions, ascending), all of them extra ones?
    fn may_double(&mut self, t: usize, lively: &[u32]) -> bool {
        self.words += (lively.len() * lively.len()) as u64 / 8;
        lively.windows(2).any(|w| w[0] == w[1])
            || lively.iter().any(|&s| self.pairs.allows(s as usize, s as usize) && !self.shapes.has_room_for_one(t, s))
            || lively
                .iter()
                .enumerate()
                .any(|(i, &a)| lively[..i].iter().any(|&b| a != b && self.pairs.allows(a as usize, b as usize)))
    }

    /// Allows a place together with all that are `beside`.
    fn allow_beside(&mut self, place: u32) {
        self.words += self.beside.len() as u64;
        for word in 0..self.beside.len() {
            let mut new = self.beside[word] & !self.pairs.row(place as usize)[word];
            while new != 0 {
                self.allow(place, word as u32 * 64 + new.trailing_zeros());
                new &= new - 1;
            }
        }
    }

    /// Allows all pairs of different places of a list.
    fn allow_each_other(&mut self, places: &[u32]) {
        self.words += (places.len() * places.len()) as u64 / 2;
        for (i, &p) in places.iter().enumerate() {
            places[..i].iter().for_each(|&q| self.allow(p, q));
        }
    }

    /// A place is known to be marked.
    fn mark(&mut self, place: u32) {
        if !contains(&self.marked, place) {
            insert(&mut self.marked, place);
            self.grown = true;
            self.touch(place);
        }
    }

    /// The row of a place has changed.
    fn touch(&mut self, place: u32) {
        let p = place as usize;
        self.changed[p] = self.clock;
        if !std::mem::replace(&mut self.waiting[p], true) {
            self.work.push_back(place);
        }
    }

    fn allow(&mut self, a: u32, b: u32) {
        if self.pairs.allow(a as usize, b as usize) {
            self.words += 2;
            self.touch(a);
            self.touch(b);
        }
    }
}

fn contains(row: &[u64], place: u32) -> bool {
    row[place as usize / 64] >> (place % 64) & 1 == 1
}

fn insert(row: &mut [u64], place: u32) {
    row[place as usize / 64] |= 1 << (place % 64);
}

fn remove(row: &mut [u64], place: u32) {
    row[place as usize / 64] &= !(1 << (place % 64));
}
