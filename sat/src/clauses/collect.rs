//! Garbage collection of clauses: copies what is alive into a new arena, and corrects whatever names a clause: the
//! watches, the trail and the lists.
//!
//! Copied in the order in which propagation meets them: the clauses that one literal watches then lie together.

use super::{ClauseRef, Clauses};
use crate::stats::Stats;
use crate::trail::Trail;
use crate::watches::Watches;

/// Unwatches what was deleted, and collects when that pays. A clause that is a reason, or noted as one, must not be
/// garbage.
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
    // Units are not watched.
    let rest: Vec<ClauseRef> = old.iter().collect();
    for clause in rest {
        old.copy_to(&mut new, clause);
    }
    debug_assert_eq!(new.words.len(), old.words.len() - old.garbage_words, "nothing is lost, nothing is twice there");
    trail.move_reasons(|clause| old.moved(clause));
    new.lists = std::mem::take(&mut old.lists).moved(|clause| old.moved(clause));
    *old = new;
}
