//! Unit propagation with two watched literals and blockers (MiniSat), binary clauses answered by the watch alone.
//!
//! Levels may be out of order, and kept literals are never propagated twice, so the invariant is stronger than usual:
//! when a watched literal is false and propagated, some literal of the clause is true *at no higher level* (the other
//! watch, or the blocker). Then undoing levels cannot make the clause unit unnoticed. Where a clause has only one true
//! literal, and that at a higher level than the false rest, the lower implication is noted (`trail/missed.rs`) and made
//! when the level ends. In an ordinary search, in order, none of this costs anything.

use crate::bcp::{Bcp, imply_by};
use crate::clauses::{ClauseRef, Clauses};
use crate::lit::Lit;
use crate::log::Log;
use crate::order::Domain;
use crate::trail::{Reason, Trail};
use crate::watches::Watches;

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

impl Bcp<'_> {
    /// Propagates until nothing is left to do, or to a false clause.
    pub(crate) fn propagate(&mut self) -> Option<ClauseRef> {
        while let Some(lit) = self.trail.unpropagated() {
            self.stats.propagations += 1;
            let (trail, clauses, watches) = (&mut *self.trail, &mut *self.clauses, &mut *self.watches);
            let domain = self.order.domain();
            let conflict = visit_watches(!lit, trail, clauses, watches, domain, self.log, &mut self.stats.ticks);
            if conflict.is_some() {
                return conflict;
            }
            self.trail.propagated();
        }
        None
    }
}

/// What one false literal leads to. The parts come one by one: behind a struct of references, each access would be one
/// more.
fn visit_watches(
    lit: Lit,
    trail: &mut Trail,
    clauses: &mut Clauses,
    watches: &mut Watches,
    domain: &Domain,
    log: &mut Log,
    ticks: &mut u64,
) -> Option<ClauseRef> {
    debug_assert!(trail.is_false(lit));
    if watches.of(lit).is_empty() {
        return None;
    }
    let level = trail.level_of_var(lit.var());
    let falsified = Falsified { lit, level, on_top: level == trail.depth() };
    let mut list = watches.take(lit);
    let mut spent = 1 + (list.len() / WATCHES_PER_LINE) as u64;
    let mut conflict = None;
    let mut kept = 0;
    let mut next = 0;
    while let Some(&watch) = list.get(next) {
        next += 1;
        let blocker = watch.blocker();
        let value = trail.sign(blocker);
        if value > 0 && falsified.is_outlived_by(blocker, trail) {
            list[kept] = watch;
            kept += 1;
            continue;
        }
        if value == 0 && level > 0 && domain.is_outside(blocker) {
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
            imply_by(trail, clauses, log, Reason::Binary(watch.clause(), lit), blocker, level);
            continue;
        }
        spent += 1;
        match visit_long(watch.clause(), falsified, trail, clauses, domain, log) {
            Visit::Keep(blocker) => {
                list[kept] = watch.with_blocker(blocker);
                kept += 1;
            }
            Visit::Move { to, blocker } => watches.push(to, watch.with_blocker(blocker)),
            Visit::Drop => {}
            Visit::Conflict => {
                list[kept] = watch;
                kept += 1;
                conflict = Some(watch.clause());
                break;
            }
        }
    }
    *ticks += spent;
    if kept < next {
        list.copy_within(next.., kept);
        list.truncate(kept + list.len() - next);
    }
    watches.put(lit, list);
    conflict
}

fn visit_long(
    clause: ClauseRef,
    falsified: Falsified,
    trail: &mut Trail,
    clauses: &mut Clauses,
    domain: &Domain,
    log: &mut Log,
) -> Visit {
    let mut open = clauses.open(clause);
    if open.is_garbage() {
        return Visit::Drop;
    }
    if open.lit(0) == falsified.lit {
        open.swap(0, 1);
    }
    debug_assert_eq!(open.lit(1), falsified.lit, "a clause is watched by its first two literals");
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
    if value == 0 && level > 0 && domain.is_outside(other) {
        return Visit::Keep(other);
    }
    open.swap(1, highest);
    let watched = open.lit(1);
    imply_by(trail, clauses, log, Reason::Clause(clause), other, level);
    if highest == 1 { Visit::Keep(other) } else { Visit::Move { to: watched, blocker: other } }
}
