//! Unit propagation with two watched literals and blockers (MiniSat), binary clauses answered by the watch alone.
//!
//! Levels may be out of order, and kept literals are never propagated twice, so the invariant is stronger than usual: when
//! a watched literal is false and propagated, some literal of the clause is true *at no higher level* (the other watch, or
//! the blocker). Then undoing levels cannot make the clause unit unnoticed. Where a clause has only one true literal, and
//! that at a higher level than the false rest, the lower implication is noted (`missed`) and made when the level ends, as in
//! lazy reimplication (Coutelier, Fleury and Kovacs 2024). In an ordinary search, in order, none of this costs anything.

use crate::clauses::ClauseRef;
use crate::lit::{Lit, Var};
use crate::solver::Solver;
use crate::trail::{Reason, Trail};

/// A clause to look at when a literal becomes false.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Watch {
    /// Some other literal of the clause: while it is true there is nothing to do.
    pub(crate) blocker: Lit,
    /// The clause, and in the lowest bit whether it is binary, so that the blocker is all the rest.
    bits: u32,
}

impl Watch {
    pub(crate) fn new(clause: ClauseRef, blocker: Lit, binary: bool) -> Self {
        Self { blocker, bits: clause.bits() << 1 | u32::from(binary) }
    }

    pub(crate) fn clause(self) -> ClauseRef {
        ClauseRef::from_bits(self.bits >> 1)
    }

    pub(crate) fn with_blocker(self, blocker: Lit) -> Self {
        Self { blocker, ..self }
    }

    pub(crate) fn move_to(&mut self, clause: ClauseRef) {
        self.bits = clause.bits() << 1 | self.bits & 1;
    }

    pub(crate) fn is_binary(self) -> bool {
        self.bits & 1 != 0
    }
}

/// For the estimate of cache lines in `Stats::ticks`.
const WATCHES_PER_LINE: usize = 8;

/// What became of a watch.
enum Visit {
    Keep(Lit),
    Move {
        to: Lit,
        blocker: Lit,
    },
    /// The clause is gone.
    Drop,
    Conflict,
}

/// The false literal whose watches are being visited.
#[derive(Clone, Copy)]
struct Falsified {
    lit: Lit,
    level: u32,
    /// Is `level` the current one, so that nothing can be higher?
    on_top: bool,
}

impl Falsified {
    /// Does this true literal outlive the falsified one?
    fn is_outlived_by(self, lit: Lit, trail: &Trail) -> bool {
        self.on_top || trail.level_of_var(lit.var()) <= self.level
    }
}

impl Solver {
    /// Propagates until nothing is left to do, or to a false clause.
    pub(crate) fn propagate(&mut self) -> Option<ClauseRef> {
        while let Some(lit) = self.trail.unpropagated() {
            self.stats.propagations += 1;
            if let Some(conflict) = self.visit_watches(!lit) {
                return Some(conflict);
            }
            self.trail.propagated();
        }
        None
    }

    fn visit_watches(&mut self, lit: Lit) -> Option<ClauseRef> {
        if self.watches[lit.0 as usize].is_empty() {
            return None;
        }
        let level = self.trail.level_of_var(lit.var());
        let falsified = Falsified { lit, level, on_top: level == self.trail.depth() };
        let mut list = std::mem::take(&mut self.watches[lit.0 as usize]);
        let mut ticks = 1 + (list.len() / WATCHES_PER_LINE) as u64;
        let mut conflict = None;
        let mut kept = 0;
        let mut next = 0;
        while let Some(&watch) = list.get(next) {
            next += 1;
            let value = self.trail.sign(watch.blocker);
            if value > 0 && falsified.is_outlived_by(watch.blocker, &self.trail) {
                list[kept] = watch;
                kept += 1;
                continue;
            }
            if value == 0 && level > 0 && self.domain.is_outside(watch.blocker) {
                list[kept] = watch;
                kept += 1;
                continue;
            }
            if watch.is_binary() {
                list[kept] = watch;
                kept += 1;
                if value < 0 {
                    conflict = Some(watch.clause());
                    break;
                }
                self.imply_by(Reason::Binary(watch.clause(), lit), watch.blocker, level);
                continue;
            }
            ticks += 1;
            match self.visit_long(watch.clause(), falsified) {
                Visit::Keep(blocker) => {
                    list[kept] = watch.with_blocker(blocker);
                    kept += 1;
                }
                Visit::Move { to, blocker } => self.watches[to.0 as usize].push(watch.with_blocker(blocker)),
                Visit::Drop => {}
                Visit::Conflict => {
                    list[kept] = watch;
                    kept += 1;
                    conflict = Some(watch.clause());
                    break;
                }
            }
        }
        self.stats.ticks += ticks;
        if kept < next {
            list.copy_within(next.., kept);
            list.truncate(kept + list.len() - next);
        }
        self.watches[lit.0 as usize] = list;
        conflict
    }

    fn visit_long(&mut self, clause: ClauseRef, falsified: Falsified) -> Visit {
        let trail = &self.trail;
        let mut open = self.clauses.open(clause);
        if open.is_garbage() {
            return Visit::Drop;
        }
        if open.lit(0) == falsified.lit {
            open.swap(0, 1);
        }
        let other = open.lit(0);
        let value = trail.sign(other);
        if value > 0 && falsified.is_outlived_by(other, trail) {
            return Visit::Keep(other);
        }
        if let Some(at) = open.find(|lit| !trail.is_false(lit)) {
            let found = open.lit(at);
            if trail.is_true(found) && falsified.is_outlived_by(found, trail) {
                return Visit::Keep(found);
            }
            open.swap(1, at);
            return Visit::Move { to: found, blocker: other };
        }
        let mut level = falsified.level;
        let mut highest = 1;
        if !falsified.on_top {
            for at in 2..open.len() {
                let its = trail.level_of_var(open.lit(at).var());
                (level, highest) = if its > level { (its, at) } else { (level, highest) };
            }
        }
        if value < 0 {
            return Visit::Conflict;
        }
        if value == 0 && level > 0 && self.domain.is_outside(other) {
            return Visit::Keep(other);
        }
        open.swap(1, highest);
        let watched = open.lit(1);
        self.imply_by(Reason::Clause(clause), other, level);
        if highest == 1 { Visit::Keep(other) } else { Visit::Move { to: watched, blocker: other } }
    }

    /// `reason` implies `lit`, which is not false, at `level`.
    pub(crate) fn imply_by(&mut self, reason: Reason, lit: Lit, level: u32) {
        if self.trail.is_true(lit) {
            self.note_missed(reason, lit, level);
            return;
        }
        if level == 0 {
            self.log_unit(reason, lit);
        }
        self.trail.assign(lit, level, reason);
    }

    /// The same by a clause of any length, of which `lit` is the first literal.
    pub(crate) fn imply(&mut self, clause: ClauseRef, lit: Lit, level: u32) {
        debug_assert_eq!(self.clauses.lit(clause, 0), lit);
        self.imply_by(self.as_reason(clause), lit, level);
    }

    /// A clause as the reason of its first literal.
    pub(crate) fn as_reason(&self, clause: ClauseRef) -> Reason {
        if self.clauses.len(clause) == 2 {
            Reason::Binary(clause, self.clauses.lit(clause, 1))
        } else {
            Reason::Clause(clause)
        }
    }

    fn note_missed(&mut self, reason: Reason, lit: Lit, level: u32) {
        let known = self.missed.get(&lit.var()).map_or(self.trail.level_of_var(lit.var()), |missed| missed.level);
        if level < known {
            self.missed.insert(lit.var(), Missed { lit, level, reason });
        }
    }

    /// The missed implication of a variable that is being unassigned, to be made if it holds at `level`.
    pub(crate) fn take_missed(&mut self, var: Var, level: u32) -> Option<Missed> {
        if self.missed.is_empty() {
            return None;
        }
        self.missed.remove(&var).filter(|missed| missed.level <= level)
    }
}

/// A true literal that a clause implies at a lower level than the one it has.
#[derive(Clone, Copy)]
pub(crate) struct Missed {
    pub(crate) lit: Lit,
    pub(crate) level: u32,
    pub(crate) reason: Reason,
}
