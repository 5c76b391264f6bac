//! Computes the concurrency relation of a net: which pairs of places may be marked together, and which places
//! may hold two or more tokens. It is the least relation that all initial markings satisfy and that no
//! transition leads out of.
//!
//! The abstraction of a marking is the set of pairs of places that each hold a token, and the set of places
//! that hold two or more (the diagonal of the relation). The method goes back to the concurrency relation of
//! free-choice and safe nets (Kovalyov 1992). It is the pairwise case of abstract interpretation by small
//! subsets of processes or places (Ganty, Raskin, Van Begin 2007). It is precise enough here because slicing
//! comes first, and fast enough because it handles rows of the relation as bit vectors.
//!
//! # What is computed
//!
//! Let `P` be a relation, and let a set of places be given, those that are *known to be marked* in some
//! marking. `M(P)` is the set of all markings `m` such that
//!
//! * `m(p) >= 1` and `m(q) >= 1` for `p != q` only if `pq` is in `P`,
//! * `m(p) >= 2` only if `pp` is in `P`,
//! * `m(p) >= 1` only if `p` is known to be marked.
//!
//! The result is the least relation and the least set of marked places such that `M(P)` contains all initial
//! markings and every marking that one firing reaches from a marking in `M(P)`. So the result is closed under
//! the best transformer of this abstraction, for all kinds of guards and effects: it contains everything that
//! the transformer adds, and nothing else. For a given relation, the set of marked places is the least closed
//! one, so certificates do not list it.
//!
//! # How
//!
//! The *preset* of a transition is the set of places on which its guards require tokens; a guard requires
//! `least` tokens.
//!
//! 1. A transition can fire from `M(P)` if and only if the places of its preset are marked, `P` contains all
//!    pairs of them, and `P` contains `pp` for each place `p` that needs two or more tokens. Proof: the marking
//!    with exactly `least` tokens on every place is in `M(P)`, and it satisfies the upper bounds of the guards
//!    if any marking does. Conversely, every marking in `M(P)` that enables the transition has all these
//!    tokens.
//! 2. Other tokens may stand beside the required ones. Let `R` be the intersection of the rows of the preset
//!    (all marked places if the preset is empty). A place of `R` may hold one *extra* token above `least`,
//!    unless its guard forbids it. A place of the preset is in `R` if and only if it is on the diagonal.
//! 3. A firing without extra tokens marks certain places, the *gives*. They are paired with each other, and
//!    with every place that keeps an extra token.
//! 4. A change is a *move* if the new content of its place is not the old content plus a constant (transfers,
//!    resets, assignments, sums). The place of a move is paired with the places that may be marked beside a
//!    source with an extra token.
//! 5. No pair is missed. Proof: every pair that a firing can mark is also marked by a firing from a marking
//!    with at most two extra tokens, and claims 3 and 4 cover these firings.
//!
//! A transition is processed again when the row of a place of its preset, or of a source of one of its moves,
//! has changed since it was last processed. A transition without preset is processed again when any place
//! becomes marked.

mod shape;
#[cfg(test)]
mod tests;

use crate::rules::Rules;
use model::{Budget, ConcurrencyRelation, PlaceId};
use shape::{Move, Shapes};
use std::collections::VecDeque;

/// Maximum number of places of a net for which the relation is computed. The size of the relation is quadratic
/// in the number of places. For more places, the relation would take more than 50 MB and some seconds, even for
/// simple goals.
const MOST_PLACES: usize = 20_000;

/// Maximum number of words that are read before the computation is given up. Reading them takes about two
/// seconds.
const MOST_WORDS: u64 = 2_000_000_000;

/// Words read per unit of work.
const WORDS_PER_UNIT: u64 = 1_000;

/// The concurrency relation, and what follows from it.
#[derive(Debug)]
pub(super) struct Concurrency {
    /// The relation. Row `p` belongs to place `p`.
    pub(super) pairs: ConcurrencyRelation,
    /// Transitions that can fire according to the relation, ascending.
    pub(super) firing: Vec<u32>,
    /// For each place: true if it may be marked according to the relation.
    pub(super) marked: Vec<bool>,
}

/// Computes the relation in one call. Returns `None` if it would take too much time or memory, or if the stop
/// flag is raised. The computation continues after the work of `budget` is used up.
pub(super) fn pairs(rules: &Rules, budget: &mut Budget) -> Option<Concurrency> {
    let places = rules.places();
    // Room for the relation itself, and for the copies that are made while a certificate is lifted.
    let bytes = places.div_ceil(64).checked_mul(8)?.checked_mul(places)?;
    if places > MOST_PLACES || !budget.stop.has_room(bytes.saturating_mul(4)) {
        return None;
    }
    let mut search = Search::new(rules, Shapes::new(rules));
    search.start(rules);
    search.run(budget)?;
    let firing = (0u32..).zip(&search.fired).filter(|(_, fired)| **fired).map(|(t, _)| t).collect();
    let marked = (0u32..).take(places).map(|p| contains(&search.marked, p)).collect();
    Some(Concurrency { pairs: search.pairs, firing, marked })
}

struct Search {
    shapes: Shapes,
    pairs: ConcurrencyRelation,
    /// For each transition: true if the relation is known to allow it to fire.
    fired: Vec<bool>,
    /// For each transition: the number of places of its preset that are known to be allowed beside the whole
    /// preset. These places come first in the preset.
    checked: Vec<u32>,
    /// Number of times that a transition was processed.
    clock: u64,
    /// For each place: the clock at the last change of its row.
    changed: Vec<u64>,
    /// For each transition: the clock when it was last processed. Later changes have a greater clock.
    looked: Vec<u64>,
    /// Places with a changed row that waits for processing, without duplicates.
    work: VecDeque<u32>,
    waiting: Vec<bool>,
    /// Bit vector of the places that are known to be marked in some marking.
    marked: Vec<u64>,
    /// True if a place was added to `marked` since transitions without preset were last processed.
    grown: bool,
    /// Words read so far.
    words: u64,
    /// Bit vector of the places that may hold an extra token before the firing.
    extra: Vec<u64>,
    /// Bit vector of the places of `extra` that keep the extra token in the firing.
    beside: Vec<u64>,
    /// Bit vector of the places that may be marked beside the tokens of a move.
    around: Vec<u64>,
}

impl Search {
    fn new(rules: &Rules, shapes: Shapes) -> Self {
        let (places, transitions) = (rules.places(), rules.transitions());
        let row = vec![0; places.div_ceil(64)];
        Self {
            shapes,
            pairs: ConcurrencyRelation::none((0..places).map(PlaceId::new).collect()),
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

    /// Allows the pairs of the initial markings. Each place may start with its greatest initial count,
    /// independently of the others.
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

    /// Charges the words read so far to the budget. Returns `None` if there are too many, or if the stop flag
    /// is raised.
    fn pay(&mut self, budget: &mut Budget) -> Option<()> {
        let units = self.words / WORDS_PER_UNIT;
        if units > self.shapes.paid {
            budget.spend(units - self.shapes.paid);
            self.shapes.paid = units;
        }
        (self.words <= MOST_WORDS && budget.stop.raised().is_none()).then_some(())
    }

    /// Processes a transition: allows all pairs that its firings mark.
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

    /// Returns true if the relation allows the preset (claim 1). Remembers in `checked` how many places passed,
    /// so that the next call continues there.
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

    /// Allows the pairs that a firing without extra tokens marks.
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

    /// Computes `extra`, the places that may hold an extra token, and `beside`, those of them that keep it.
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

    /// Returns the sources of a move that may hold an extra token.
    fn lively(&self, change: &Move) -> Vec<u32> {
        let (from, to) = change.sources;
        let sources = &self.shapes.sources[from as usize..to as usize];
        sources.iter().copied().filter(|s| contains(&self.extra, *s)).collect()
    }

    /// Allows the pairs of the place of a move that are due to an extra token on one of its sources.
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
        // A source that also keeps the tokens that it sends turns one token into two.
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

    /// Returns true if two tokens may arrive from these sources (ascending, with repetitions), both of them
    /// extra tokens.
    fn may_double(&mut self, t: usize, lively: &[u32]) -> bool {
        self.words += (lively.len() * lively.len()) as u64 / 8;
        lively.windows(2).any(|w| w[0] == w[1])
            || lively.iter().any(|&s| self.pairs.allows(s as usize, s as usize) && !self.shapes.has_room_for_one(t, s))
            || lively
                .iter()
                .enumerate()
                .any(|(i, &a)| lively[..i].iter().any(|&b| a != b && self.pairs.allows(a as usize, b as usize)))
    }

    /// Allows the pairs of `place` with all places in `beside`.
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

    /// Records that a place may be marked.
    fn mark(&mut self, place: u32) {
        if !contains(&self.marked, place) {
            insert(&mut self.marked, place);
            self.grown = true;
            self.touch(place);
        }
    }

    /// Records that the row of a place has changed.
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
