//! Garbage collection of clauses: copies live clauses into a new arena, and updates all clause references in
//! the watches, the trail and the lists.
//!
//! Clauses are copied in the order in which propagation visits them, so that the clauses watched by one literal
//! are adjacent in memory.

use super::Clauses;
use super::reference::ClauseRef;
use crate::stats::Stats;
use crate::trail::Trail;
use crate::watches::Watches;

/// Removes garbage clauses from the watches and lists, and compacts the arena if enough of it is garbage. A
/// clause that is a reason, or noted for a missed implication, must not be garbage.
pub(crate) fn collect(clauses: &mut Clauses, watches: &mut Watches, trail: &mut Trail, stats: &mut Stats) {
    watches.sweep(clauses);
    clauses.retain();
    if clauses.is_wasteful() {
        copy(clauses, watches, trail);
        stats.collections += 1;
    }
}

fn copy(old: &mut Clauses, watches: &mut Watches, trail: &mut Trail) {
    let mut new = old.successor();
    watches.move_clauses(|clause| old.copy_to(&mut new, clause));
    // Unit clauses are not watched.
    let rest: Vec<ClauseRef> = old.iter().collect();
    for clause in rest {
        old.copy_to(&mut new, clause);
    }
    debug_assert_eq!(new.words.len(), old.words.len() - old.garbage_words, "nothing is lost, nothing is twice there");
    trail.move_reasons(|clause| old.moved(clause));
    new.lists = std::mem::take(&mut old.lists).moved(|clause| old.moved(clause));
    *old = new;
}
