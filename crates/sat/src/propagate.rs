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
//!
//! Most visits are *plain*: the falsified literal is on the current level, so no literal outlives it, and the query
//! has no domain. The code for plain visits is compiled separately, without these checks.

use crate::bcp::{Bcp, imply_by};
use crate::clauses::{ClauseRef, Clauses};
use crate::lit::Lit;
use crate::log::Log;
use crate::order::Domain;
use crate::trail::{Reason, Rest};
use crate::watches::Watches;

/// Number of watches in a cache line, for the estimate `Stats::ticks`.
pub(crate) const WATCHES_PER_LINE: usize = 8;

/// What to do with a watch after its clause was visited.
enum Visit {
    Keep(Lit),
    Move {
        to: Lit,
        blocker: Lit,
    },
    /// The clause implies the literal, at a level. Its second watch stays.
    Imply {
        lit: Lit,
        level: u32,
    },
    /// The clause implies the literal, at the level of the literal `to`, which is the second watch now.
    ImplyAndMove {
        lit: Lit,
        level: u32,
        to: Lit,
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
}

impl Bcp<'_> {
    /// Propagates until nothing is left to propagate, or until a clause is false. Returns the false clause.
    pub(crate) fn propagate(&mut self) -> Option<ClauseRef> {
        while let Some(lit) = self.trail.unpropagated() {
            self.stats.propagations += 1;
            let level = self.trail.level_of_var(lit.var());
            let is_plain = level == self.trail.depth() && !self.order.domain().skips();
            let falsified = Falsified { lit: !lit, level };
            let conflict = if is_plain { self.visit::<true>(falsified) } else { self.visit::<false>(falsified) };
            if conflict.is_some() {
                return conflict;
            }
            self.trail.propagated();
        }
        None
    }

    fn visit<const PLAIN: bool>(&mut self, falsified: Falsified) -> Option<ClauseRef> {
        let (values, rest) = self.trail.split();
        let (clauses, watches) = (&mut *self.clauses, &mut *self.watches);
        let (domain, ticks) = (self.order.domain(), &mut self.stats.ticks);
        visit_watches::<PLAIN>(falsified, values, rest, clauses, watches, domain, self.log, ticks)
    }
}

/// Visits the watches of a false literal. Returns a false clause if there is one. The parts of the solver are
/// separate arguments, because a struct of references would add an indirection to each access.
#[expect(clippy::too_many_arguments, reason = "each is a part of the solver")]
fn visit_watches<const PLAIN: bool>(
    falsified: Falsified,
    values: &mut [i8],
    mut rest: Rest<'_>,
    clauses: &mut Clauses,
    watches: &mut Watches,
    domain: &Domain,
    log: &mut Log,
    ticks: &mut u64,
) -> Option<ClauseRef> {
    let Falsified { lit, level } = falsified;
    debug_assert!(values[lit.0 as usize] < 0);
    let mut taken = watches.take(lit);
    let list = taken.as_mut_slice();
    let mut spent = 1 + (list.len() / WATCHES_PER_LINE) as u64;
    let mut conflict = None;
    let (mut kept, mut next) = (0, 0);
    while next < list.len() {
        let watch = list[next];
        next += 1;
        let blocker = watch.blocker();
        let value = values[blocker.0 as usize];
        let is_done = value > 0 && (PLAIN || rest.level_of_var(blocker.var()) <= level);
        if is_done || (!PLAIN && value == 0 && level > 0 && domain.is_outside(blocker)) {
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
            imply_by(values, &mut rest, clauses, log, Reason::Binary(watch.clause(), lit), blocker, level);
            continue;
        }
        spent += 1;
        let reason = Reason::Clause(watch.clause());
        match visit_long::<PLAIN>(watch.clause(), falsified, values, &rest, clauses, domain) {
            Visit::Keep(blocker) => {
                list[kept] = watch.with_blocker(blocker);
                kept += 1;
            }
            Visit::Move { to, blocker } => watches.push(to, watch.with_blocker(blocker)),
            Visit::Imply { lit, level } => {
                list[kept] = watch.with_blocker(lit);
                kept += 1;
                imply_by(values, &mut rest, clauses, log, reason, lit, level);
            }
            Visit::ImplyAndMove { lit, level, to } => {
                watches.push(to, watch.with_blocker(lit));
                imply_by(values, &mut rest, clauses, log, reason, lit, level);
            }
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
        let end = list.len();
        list.copy_within(next..end, kept);
        taken.truncate(kept + end - next);
    }
    watches.put(lit, taken);
    conflict
}

#[inline]
fn visit_long<const PLAIN: bool>(
    clause: ClauseRef,
    falsified: Falsified,
    values: &[i8],
    rest: &Rest<'_>,
    clauses: &mut Clauses,
    domain: &Domain,
) -> Visit {
    let value_of = |lit: Lit| values[lit.0 as usize];
    let is_outlived_by = |lit: Lit| PLAIN || rest.level_of_var(lit.var()) <= falsified.level;
    let mut open = clauses.open(clause);
    if open.is_garbage() {
        return Visit::Drop;
    }
    let other = open.other_watch(falsified.lit);
    let value = value_of(other);
    if value > 0 && is_outlived_by(other) {
        return Visit::Keep(other);
    }
    if let Some(at) = open.find(|lit| value_of(lit) >= 0) {
        let found = open.lit(at);
        if value_of(found) > 0 && is_outlived_by(found) {
            return Visit::Keep(found);
        }
        open.watch(other, at, falsified.lit);
        return Visit::Move { to: found, blocker: other };
    }
    let mut level = falsified.level;
    let mut highest = None;
    if !PLAIN {
        for at in 2..open.len() {
            let its = rest.level_of_var(open.lit(at).var());
            (level, highest) = if its > level { (its, Some(at)) } else { (level, highest) };
        }
    }
    if value < 0 {
        return Visit::Conflict;
    }
    if !PLAIN && value == 0 && level > 0 && domain.is_outside(other) {
        return Visit::Keep(other);
    }
    let Some(at) = highest else {
        open.put_first(other, falsified.lit);
        return Visit::Imply { lit: other, level };
    };
    let to = open.lit(at);
    open.watch(other, at, falsified.lit);
    Visit::ImplyAndMove { lit: other, level, to }
}
