//! The assignment, kept by decision level instead of in one row.
//!
//! A literal's level is the highest among its reasons, whatever the current level is (chronological backtracking: Nadel
//! and Ryvchin 2018, Moehle and Biere 2019). In one row, each step back would have to move, propagate and tell again
//! every lower literal behind the place it cuts: quadratic when a search of depth 10^5 learns a fact for good at each
//! dead end. So each level has a chain of its literals, newest first, and ending a level touches its own literals only.
//! A reason comes before its consequence by (level, place in the chain), which is all that conflict analysis needs.
//!
//! Invariants: a literal and its negation have opposite signs; a chain holds exactly the assigned literals of its
//! level, by falling rank, and ends with the decision if the level has one; a clause that is a reason has its literal
//! true and all others false, each of them before it. Beside the assignment go the notes of missed implications
//! (`missed.rs`) and what the theory is to be told of it (`news.rs`).

mod check;
mod missed;
mod news;
mod reason;

pub(crate) use missed::Missed;
pub(crate) use reason::Reason;

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
    /// Place in the chain of its level, from 0.
    rank: u32,
    /// The literal assigned before it on its level.
    before: u32,
    reason: Packed,
}

struct Level {
    decision: Option<Lit>,
    newest: u32,
    /// How much the theory had been told when the level began.
    told: usize,
}

#[derive(Default)]
pub(crate) struct Trail {
    /// By literal: 1 true, -1 false, 0 unassigned.
    values: Vec<i8>,
    places: Vec<Place>,
    levels: Vec<Level>,
    /// Literals that wait for propagation begin at `queue_head`. Some may have been unassigned since.
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

    /// 1 true, -1 false, 0 unassigned.
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

    /// Of an assigned variable.
    pub(crate) fn level_of_var(&self, var: Var) -> u32 {
        self.places[var.index()].level
    }

    pub(crate) fn reason(&self, var: Var) -> Reason {
        self.places[var.index()].reason.reason()
    }

    /// The same literal for a better-known reason.
    pub(crate) fn set_reason(&mut self, var: Var, reason: Reason) {
        debug_assert!(!self.is_open(var.positive()));
        self.places[var.index()].reason = Packed::new(reason);
    }

    /// Clauses moved in memory.
    pub(crate) fn move_reasons(&mut self, moved: impl Fn(ClauseRef) -> ClauseRef) {
        for (index, place) in self.places.iter_mut().enumerate() {
            if self.values[2 * index] != 0 {
                place.reason.move_to(&moved);
            }
        }
        self.missed.move_reasons(moved);
    }

    /// Reasons compare less than what they imply.
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

    /// The one assigned before `var` on its level.
    pub(crate) fn before(&self, var: Var) -> Option<Lit> {
        let before = self.places[var.index()].before;
        (before != NO_VAR).then(|| self.true_literal(Var(before)))
    }

    /// Of an assigned variable.
    pub(crate) fn true_literal(&self, var: Var) -> Lit {
        if self.is_true(var.positive()) { var.positive() } else { var.negative() }
    }

    /// Begins a level. Everything has been propagated and told (or no theory listens).
    pub(crate) fn push_level(&mut self, decision: Option<Lit>) {
        debug_assert!(self.is_at_rest(), "a level begins when everything is propagated");
        let told = self.news.begin_level(self.depth() == 0);
        self.levels.push(Level { decision, newest: NO_VAR, told });
    }

    /// Makes an unassigned literal true at a level that exists.
    pub(crate) fn assign(&mut self, lit: Lit, level: u32, reason: Reason) {
        debug_assert!(self.is_open(lit));
        debug_assert!(level <= self.depth());
        self.values[lit.0 as usize] = 1;
        self.values[(!lit).0 as usize] = -1;
        let chain = &mut self.levels[level as usize];
        let before = std::mem::replace(&mut chain.newest, lit.var().0);
        let rank = if before == NO_VAR { 0 } else { self.places[before as usize].rank + 1 };
        let reason = if level > 0 { Packed::new(reason) } else { Packed::NONE };
        self.places[lit.var().index()] = Place { level, rank, before, reason };
        self.fixed += usize::from(level == 0);
        self.assigned += 1;
        self.queue.push(lit);
        self.news.assigned(lit, level);
    }

    /// Ends the newest level, on the way to `floor`, and tells which literals are unassigned thereby, newest first.
    /// `forget` must follow, and then what is due (`next_due`).
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

    /// After levels were popped: the theory no longer knows what it was told from `start` on. What of that is still
    /// true it will hear again, unless `once` says that it remembers. Answers how many it will hear again.
    pub(crate) fn forget(&mut self, start: usize, once: bool) -> usize {
        self.news.forget(start, once, is_true(&self.values))
    }

    /// A clause implies `lit`, which is true, at `level`: noted if that is lower than what is known.
    pub(crate) fn note_missed(&mut self, reason: Reason, lit: Lit, level: u32) {
        debug_assert!(self.is_true(lit));
        self.missed.note(Missed { lit, level, reason }, self.level_of_var(lit.var()));
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

    /// A missed implication that is to be made now, after levels were popped.
    pub(crate) fn next_due(&mut self) -> Option<Missed> {
        self.missed.next_due()
    }

    /// How much had been told when `level` began.
    pub(crate) fn told_before(&self, level: u32) -> usize {
        self.levels[level as usize].told
    }

    /// The literal whose watches are to be visited next.
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

    /// All its watches were visited.
    pub(crate) fn propagated(&mut self) {
        debug_assert!(self.queue_head < self.queue.len());
        self.queue_head += 1;
    }

    pub(crate) fn is_propagated(&self) -> bool {
        self.queue_head == self.queue.len()
    }

    /// Is nothing to be propagated, and nothing due?
    fn is_at_rest(&self) -> bool {
        !self.missed.is_any_due() && !self.queue[self.queue_head..].iter().any(|&lit| self.is_true(lit))
    }

    /// Moves what the theory is to be told into `news`.
    pub(crate) fn take_news(&mut self, news: &mut Vec<Lit>) {
        self.news.take(news, self.places.len(), is_true(&self.values));
    }

    /// Is there anything that the theory is to be told?
    pub(crate) fn has_news(&mut self) -> bool {
        self.news.is_any(is_true(&self.values))
    }

    /// From now on a theory listens, or none does. Level 0 only: a theory that comes back is told what has been fixed
    /// meanwhile, one that goes will be told what was still to be told.
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

    /// What has been fixed while no theory listened becomes news.
    pub(crate) fn tell_fixed(&mut self) {
        if self.news.listens() {
            let fixed: Vec<Lit> = self.chain(0).take(self.fixed - self.news.heard()).collect();
            self.news.tell_fixed(&fixed);
        }
    }

    /// Between `mute(true)` and `mute(false)` the theory is not told what is assigned: those levels end before it is
    /// asked.
    pub(crate) fn mute(&mut self, muted: bool) {
        debug_assert_eq!(self.depth(), 0);
        self.news.mute(muted);
    }

    /// Takes a literal's value away, for a while; nothing else changes.
    pub(crate) fn hide(&mut self, lit: Lit) {
        debug_assert!(self.is_true(lit) && self.level_of_var(lit.var()) > 0);
        self.values[lit.0 as usize] = 0;
        self.values[(!lit).0 as usize] = 0;
    }

    /// Gives it back.
    pub(crate) fn unhide(&mut self, lit: Lit) {
        debug_assert!(self.is_open(lit));
        self.values[lit.0 as usize] = 1;
        self.values[(!lit).0 as usize] = -1;
    }

    /// Does a theory listen?
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
