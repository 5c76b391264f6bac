//! Unit propagation with two watched literals and blockers (MiniSat). Binary clauses are handled by the watch
//! alone.
//!
//! A literal can get a lower level than literals that were assigned before it, and literals that stay true in a
//! step back are never propagated twice. Therefore the invariant is stronger than usual: when a watched literal
//! is false and propagated, another literal of the clause (the other watch, or the blocker) is true *at no
//! higher level*. Then undoing levels cannot leave a clause unit without notice. If a clause has only one true
//! literal, and its level is higher than the levels of the false literals, the implication at the lower level
//! is noted (`trail/missed.rs`) and made when the higher level ends. The stronger invariant costs nothing in an
//! ordinary search, in which later literals have higher levels.

use crate::bcp::{Bcp, imply_by};
use crate::clauses::{ClauseRef, Clauses};
use crate::lit::Lit;
use crate::log::Log;
use crate::order::Domain;
use crate::trail::{Reason, Trail};
use crate::watches::Watches;

/// Number of watches in a cache line, for the estimate `Stats::ticks`.
const WATCHES_PER_LINE: usize = 8;

/// What to do with a watch after its clause was visited.
enum Visit {
    Keep(Lit),
    Move {
        to: Lit,
        blocker: Lit,
    },
    /// The clause is garbage.
    Drop,
    Conflict,
}

/// The false literal that is being propagated.
#[derive(Clone, Copy)]
struct Falsified {
    lit: Lit,
    level: u32,
    /// True if `level` is the current level, so that no literal can have a higher one.
    on_top: bool,
}

impl Falsified {
    /// True if this true literal stays true at least as long as the falsified one stays false.
    fn is_outlived_by(self, lit: Lit, trail: &Trail) -> bool {
        self.on_top || trail.level_of_var(lit.var()) <= self.level
    }
}

impl Bcp<'_> {
    /// Propagates until nothing is left to propagate, or until a clause is false. Returns the false clause.
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

/// Visits the watches of a false literal. Returns a false clause if there is one. The parts of the solver are
/// separate arguments, because a struct of references would add an indirection to each access.
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
