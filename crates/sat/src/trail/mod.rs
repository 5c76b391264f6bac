//! The assignment, stored by decision level instead of as one sequence.
//!
//! A literal's level is the highest level among its reasons, whatever the current level is (chronological
//! backtracking: Nadel and Ryvchin 2018, Moehle and Biere 2019). With one sequence, each step back would have
//! to handle every later literal of a lower level: move it, propagate it and tell the theory again. This is
//! quadratic for a search of depth 10^5 that learns a unit clause at each dead end. Therefore each level has a
//! chain of its literals, newest first, and ending a level touches only its own literals. In the order by
//! (level, rank in the chain), the literals of a reason come before the literal they imply. Conflict analysis
//! needs no other order.
//!
//! Invariants:
//!
//! 1. `values` has opposite signs for a literal and its negation.
//! 2. The chain of a level contains exactly the assigned literals of the level, by falling rank. It ends with
//!    the decision if the level has one.
//! 3. In a clause that is a reason, the implied literal is true and all others are false and come before it.
//!
//! The trail also contains the notes of missed implications (`missed.rs`) and the literals that the theory must
//! still be told (`news.rs`).

mod check;
mod missed;
mod news;
mod reason;
mod split;

pub(crate) use missed::Missed;
pub(crate) use reason::Reason;
pub(crate) use split::Rest;

use crate::clauses::ClauseRef;
use crate::lit::{Lit, Var};
use crate::theory::View;
use missed::Notes;
use news::News;
use reason::Packed;

const NO_VAR: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Place {
    level: u32,
    /// Rank in the chain of its level, from 0.
    rank: u32,
    /// The variable assigned before it on its level, or `NO_VAR`.
    before: u32,
    reason: Packed,
}

struct Level {
    decision: Option<Lit>,
    newest: u32,
    /// Number of literals that the theory had been told when the level began.
    told: usize,
}

#[derive(Default)]
pub(crate) struct Trail {
    /// For each literal: 1 true, -1 false, 0 unassigned.
    values: Vec<i8>,
    places: Vec<Place>,
    levels: Vec<Level>,
    /// Literals in the order of assignment. The literals from `queue_head` on wait for propagation. Some of the
    /// literals may have been unassigned since.
    queue: Vec<Lit>,
    queue_head: usize,
    missed: Notes,
    news: News,
    fixed: usize,
    assigned: usize,
}

fn is_true(values: &[i8]) -> impl Fn(Lit) -> bool + '_ {
    |lit| values[lit.0 as usize] > 0
}

impl Trail {
    pub(crate) fn new() -> Self {
        Self { levels: vec![Level { decision: None, newest: NO_VAR, told: 0 }], ..Self::default() }
    }

    pub(crate) fn new_var(&mut self) -> Var {
        let var = Var::new(self.places.len());
        self.values.extend([0, 0]);
        self.places.push(Place { level: 0, rank: 0, before: NO_VAR, reason: Packed::NONE });
        debug_assert_eq!(self.values.len(), 2 * self.places.len());
        var
    }

    /// Number of variables.
    pub(crate) fn variables_len(&self) -> usize {
        self.places.len()
    }

    /// The value of a literal: 1 true, -1 false, 0 unassigned.
    pub(crate) fn sign(&self, lit: Lit) -> i8 {
        self.values[lit.0 as usize]
    }

    pub(crate) fn is_true(&self, lit: Lit) -> bool {
        self.values[lit.0 as usize] > 0
    }

    pub(crate) fn is_false(&self, lit: Lit) -> bool {
        self.values[lit.0 as usize] < 0
    }

    pub(crate) fn is_open(&self, lit: Lit) -> bool {
        self.values[lit.0 as usize] == 0
    }

    /// The level of an assigned variable.
    pub(crate) fn level_of_var(&self, var: Var) -> u32 {
        self.places[var.index()].level
    }

    pub(crate) fn reason(&self, var: Var) -> Reason {
        self.places[var.index()].reason.reason()
    }

    /// Replaces the reason of an assigned variable.
    pub(crate) fn set_reason(&mut self, var: Var, reason: Reason) {
        debug_assert!(!self.is_open(var.positive()));
        self.places[var.index()].reason = Packed::new(reason);
    }

    /// Updates the clause references of all reasons after clauses moved in memory.
    pub(crate) fn move_reasons(&mut self, moved: impl Fn(ClauseRef) -> ClauseRef) {
        for (index, place) in self.places.iter_mut().enumerate() {
            if self.values[2 * index] != 0 {
                place.reason.move_to(&moved);
            }
        }
        self.missed.move_reasons(moved);
    }

    /// Position of an assigned variable as (level, rank). Every reason has a smaller position than the literal
    /// it implies.
    pub(crate) fn order(&self, var: Var) -> (u32, u32) {
        let place = &self.places[var.index()];
        (place.level, place.rank)
    }

    pub(crate) fn depth(&self) -> u32 {
        (self.levels.len() - 1) as u32
    }

    pub(crate) fn decision(&self, level: u32) -> Option<Lit> {
        self.levels[level as usize].decision
    }

    /// Number of true literals.
    pub(crate) fn assigned(&self) -> usize {
        self.assigned
    }

    /// Number of true literals on a level.
    pub(crate) fn on_level(&self, level: u32) -> usize {
        let newest = self.levels[level as usize].newest;
        if newest == NO_VAR { 0 } else { self.places[newest as usize].rank as usize + 1 }
    }

    /// Number of literals true at level 0.
    pub(crate) fn fixed(&self) -> usize {
        self.fixed
    }

    /// The assigned literals of a level, newest first.
    pub(crate) fn chain(&self, level: u32) -> impl Iterator<Item = Lit> + '_ {
        let mut next = self.levels[level as usize].newest;
        std::iter::from_fn(move || {
            let lit = self.true_literal((next != NO_VAR).then_some(Var(next))?);
            next = self.places[lit.var().index()].before;
            Some(lit)
        })
    }

    /// The newest literal of a level.
    pub(crate) fn newest(&self, level: u32) -> Option<Lit> {
        self.chain(level).next()
    }

    /// The literal assigned before `var` on the same level.
    pub(crate) fn before(&self, var: Var) -> Option<Lit> {
        let before = self.places[var.index()].before;
        (before != NO_VAR).then(|| self.true_literal(Var(before)))
    }

    /// The true literal of an assigned variable.
    pub(crate) fn true_literal(&self, var: Var) -> Lit {
        if self.is_true(var.positive()) { var.positive() } else { var.negative() }
    }

    /// Begins a level. All literals must have been propagated. If a theory listens, it must have been told all
    /// of them.
    pub(crate) fn push_level(&mut self, decision: Option<Lit>) {
        debug_assert!(self.is_at_rest(), "a level begins when everything is propagated");
        let told = self.news.begin_level(self.depth() == 0);
        self.levels.push(Level { decision, newest: NO_VAR, told });
    }

    /// Makes an unassigned literal true at a level that exists.
    pub(crate) fn assign(&mut self, lit: Lit, level: u32, reason: Reason) {
        let (values, mut rest) = self.split();
        rest.assign(values, lit, level, reason);
    }

    /// The values, and everything else that an assignment changes; see `split.rs`.
    pub(crate) fn split(&mut self) -> (&mut [i8], Rest<'_>) {
        let rest = Rest {
            places: &mut self.places,
            levels: &mut self.levels,
            queue: &mut self.queue,
            missed: &mut self.missed,
            news: &mut self.news,
            fixed: &mut self.fixed,
            assigned: &mut self.assigned,
        };
        (&mut self.values, rest)
    }

    /// Ends the newest level on the way down to `floor`, and calls `undone` for each literal that becomes
    /// unassigned, newest first. The caller must then call `forget`, and make the missed implications that are
    /// due (`next_due`).
    pub(crate) fn pop_level(&mut self, floor: u32, mut undone: impl FnMut(Lit)) {
        debug_assert!(self.depth() > floor, "level 0 is for good");
        let Some(level) = self.levels.pop() else { return };
        let mut next = level.newest;
        while next != NO_VAR {
            let lit = self.true_literal(Var(next));
            self.values[lit.0 as usize] = 0;
            self.values[(!lit).0 as usize] = 0;
            self.assigned -= 1;
            self.missed.unassigned(lit.var(), floor);
            undone(lit);
            next = self.places[next as usize].before;
        }
    }

    /// Called after levels were popped: the theory has forgotten the literals that it was told from index
    /// `start` on. It will be told those of them that are still true again, unless `once` is true, that is, the
    /// theory undoes by level. Returns how many literals will be told again.
    pub(crate) fn forget(&mut self, start: usize, once: bool) -> usize {
        self.news.forget(start, once, is_true(&self.values))
    }

    /// The level of the missed implication noted for a variable.
    pub(crate) fn missed_level(&self, var: Var) -> Option<u32> {
        self.missed.level(var)
    }

    /// The clauses noted for missed implications.
    pub(crate) fn missed_clauses(&self) -> impl Iterator<Item = ClauseRef> + '_ {
        self.missed.iter().filter_map(|missed| missed.reason.clause())
    }

    pub(crate) fn misses_none(&self) -> bool {
        self.missed.is_empty()
    }

    /// Removes and returns the next missed implication that is due after levels were popped.
    pub(crate) fn next_due(&mut self) -> Option<Missed> {
        self.missed.next_due()
    }

    /// Number of literals that the theory had been told when `level` began.
    pub(crate) fn told_before(&self, level: u32) -> usize {
        self.levels[level as usize].told
    }

    /// The next literal to propagate.
    pub(crate) fn unpropagated(&mut self) -> Option<Lit> {
        while let Some(&lit) = self.queue.get(self.queue_head) {
            if self.is_true(lit) {
                return Some(lit);
            }
            self.queue_head += 1;
        }
        self.queue.clear();
        self.queue_head = 0;
        None
    }

    /// Marks the current literal as propagated: all its watches were visited.
    pub(crate) fn propagated(&mut self) {
        debug_assert!(self.queue_head < self.queue.len());
        self.queue_head += 1;
    }

    pub(crate) fn is_propagated(&self) -> bool {
        self.queue_head == self.queue.len()
    }

    /// True if nothing is left to propagate, and no missed implication is due.
    fn is_at_rest(&self) -> bool {
        !self.missed.is_any_due() && !self.queue[self.queue_head..].iter().any(|&lit| self.is_true(lit))
    }

    /// Moves the literals that the theory must be told into `news`.
    pub(crate) fn take_news(&mut self, news: &mut Vec<Lit>) {
        self.news.take(news, self.places.len(), is_true(&self.values));
    }

    /// True if the theory must be told some literal.
    pub(crate) fn has_news(&mut self) -> bool {
        self.news.is_any(is_true(&self.values))
    }

    /// Starts or stops the listening of a theory. Only at level 0. A theory that starts listening is told the
    /// fixed literals that it was not told before.
    pub(crate) fn listen(&mut self, listens: bool) {
        debug_assert_eq!(self.depth(), 0);
        if listens == self.news.listens() {
            return;
        }
        if listens {
            self.news.begin();
            self.tell_fixed();
        } else {
            self.news.end(self.places.len(), is_true(&self.values));
        }
    }

    /// If a theory listens, queues the literals for it that were fixed while no theory listened.
    pub(crate) fn tell_fixed(&mut self) {
        if self.news.listens() {
            let fixed: Vec<Lit> = self.chain(0).take(self.fixed - self.news.heard()).collect();
            self.news.tell_fixed(&fixed);
        }
    }

    /// Literals assigned between `mute(true)` and `mute(false)` are not told to the theory, because their
    /// levels end before its next callback.
    pub(crate) fn mute(&mut self, muted: bool) {
        debug_assert_eq!(self.depth(), 0);
        self.news.mute(muted);
    }

    /// Removes a literal's value temporarily. Nothing else changes.
    pub(crate) fn hide(&mut self, lit: Lit) {
        debug_assert!(self.is_true(lit) && self.level_of_var(lit.var()) > 0);
        self.values[lit.0 as usize] = 0;
        self.values[(!lit).0 as usize] = 0;
    }

    /// Restores the value removed by `hide`.
    pub(crate) fn unhide(&mut self, lit: Lit) {
        debug_assert!(self.is_open(lit));
        self.values[lit.0 as usize] = 1;
        self.values[(!lit).0 as usize] = -1;
    }

    /// True if a theory listens.
    pub(crate) fn listens(&self) -> bool {
        self.news.listens()
    }
}

impl View for Trail {
    fn value(&self, lit: Lit) -> Option<bool> {
        match self.values[lit.0 as usize] {
            0 => None,
            value => Some(value > 0),
        }
    }

    fn is_fixed(&self, lit: Lit) -> bool {
        self.is_true(lit) && self.level_of_var(lit.var()) == 0
    }

    fn level(&self) -> usize {
        self.depth() as usize
    }

    fn level_of(&self, lit: Lit) -> Option<usize> {
        (!self.is_open(lit)).then(|| self.level_of_var(lit.var()) as usize)
    }

    fn variables(&self) -> usize {
        self.places.len()
    }
}
