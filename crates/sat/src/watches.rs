//! The watch lists: for each literal, the clauses to visit when it becomes false, each with a *blocker*
//! (MiniSat). A blocker is another literal of the clause. While it is true, the clause need not be visited. The
//! watch of a binary clause contains the whole clause.
//!
//! Invariants:
//!
//! 1. A clause of at least two literals is watched by its first two literals and by no other.
//! 2. A blocker is another literal of the same clause.
//! 3. Garbage binary clauses are in no list. Longer garbage clauses are removed when they are next visited, at
//!    the latest by the next `sweep`.
//!
//! `propagate.rs` states the invariant about the values of watched literals.

use crate::clauses::{ClauseRef, Clauses};
use crate::lit::Lit;
use crate::theory::View;
use crate::trail::Trail;

/// A clause to visit when a literal becomes false.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Watch {
    /// Another literal of the clause. While it is true, the clause need not be visited.
    blocker: Lit,
    /// The clause reference, and a lowest bit that is 1 if the clause is binary. A binary clause consists of
    /// the watched literal and the blocker.
    bits: u32,
}

impl Watch {
    fn new(clause: ClauseRef, blocker: Lit, binary: bool) -> Self {
        Self { blocker, bits: clause.bits() << 1 | u32::from(binary) }
    }

    pub(crate) fn blocker(self) -> Lit {
        self.blocker
    }

    pub(crate) fn clause(self) -> ClauseRef {
        ClauseRef::from_bits(self.bits >> 1)
    }

    pub(crate) fn with_blocker(self, blocker: Lit) -> Self {
        Self { blocker, ..self }
    }

    fn move_to(&mut self, clause: ClauseRef) {
        self.bits = clause.bits() << 1 | self.bits & 1;
    }

    pub(crate) fn is_binary(self) -> bool {
        self.bits & 1 != 0
    }
}

#[derive(Default)]
pub(crate) struct Watches {
    lists: Vec<Vec<Watch>>,
}

impl Watches {
    pub(crate) fn new_var(&mut self) {
        self.lists.extend([Vec::new(), Vec::new()]);
    }

    /// Number of lists, two for each variable.
    pub(crate) fn len(&self) -> usize {
        self.lists.len()
    }

    pub(crate) fn of(&self, lit: Lit) -> &[Watch] {
        &self.lists[lit.0 as usize]
    }

    /// Takes a list out, so that other lists can grow while it is read. The caller returns it with `put`.
    pub(crate) fn take(&mut self, lit: Lit) -> Vec<Watch> {
        std::mem::take(&mut self.lists[lit.0 as usize])
    }

    pub(crate) fn put(&mut self, lit: Lit, list: Vec<Watch>) {
        debug_assert!(self.of(lit).is_empty(), "nothing was watched meanwhile");
        self.lists[lit.0 as usize] = list;
    }

    pub(crate) fn push(&mut self, lit: Lit, watch: Watch) {
        debug_assert_ne!(watch.blocker, lit, "a blocker is another literal");
        self.lists[lit.0 as usize].push(watch);
    }

    /// Watches a clause by the two literals that are best under the current assignment. Unit clauses are not
    /// watched: once evaluated, their literal is true at level 0.
    pub(crate) fn attach(&mut self, clauses: &mut Clauses, trail: &Trail, clause: ClauseRef) {
        arrange(clauses, trail, clause);
        let length = clauses.len(clause);
        if length > 1 {
            let [a, b] = watched(clauses, clause);
            self.push(a, Watch::new(clause, b, length == 2));
            self.push(b, Watch::new(clause, a, length == 2));
        }
    }

    /// Finds the best watches again for a clause that is already watched.
    pub(crate) fn attach_anew(&mut self, clauses: &mut Clauses, trail: &Trail, clause: ClauseRef) {
        if clauses.len(clause) > 1 {
            self.detach(clauses, clause);
            self.attach(clauses, trail, clause);
        }
    }

    /// Watches a false clause by its two literals with the highest levels, because a step back unassigns these
    /// literals first.
    pub(crate) fn attach_highest(&mut self, clauses: &mut Clauses, trail: &Trail, clause: ClauseRef) {
        debug_assert!(clauses.lits(clause).all(|lit| trail.is_false(lit)));
        let length = clauses.len(clause);
        if length <= 2 {
            arrange(clauses, trail, clause);
            return;
        }
        let ranks = watched(clauses, clause).map(|lit| rank(trail, lit));
        let lowest = ranks[0].min(ranks[1]);
        if (2..length).any(|at| rank(trail, clauses.lit(clause, at)) > lowest) {
            self.attach_anew(clauses, trail, clause);
        } else {
            clauses.swap(clause, 0, usize::from(ranks[0] < ranks[1]));
        }
    }

    fn detach(&mut self, clauses: &Clauses, clause: ClauseRef) {
        for lit in watched(clauses, clause) {
            self.lists[lit.0 as usize].retain(|watch| watch.clause() != clause);
        }
    }

    /// Removes a binary clause from the watch lists. Long clauses are removed when they are next visited, but
    /// binary clauses are never read during propagation.
    pub(crate) fn detach_if_binary(&mut self, clauses: &Clauses, clause: ClauseRef) {
        if clauses.len(clause) == 2 {
            self.detach(clauses, clause);
        }
    }

    /// Removes garbage clauses from all lists.
    pub(crate) fn sweep(&mut self, clauses: &Clauses) {
        for list in &mut self.lists {
            list.retain(|watch| !clauses.is_garbage(watch.clause()));
        }
    }

    /// Updates all clause references after clauses moved in memory. Calls `moved` for each watch, list by list.
    pub(crate) fn move_clauses(&mut self, mut moved: impl FnMut(ClauseRef) -> ClauseRef) {
        for watch in self.lists.iter_mut().flatten() {
            watch.move_to(moved(watch.clause()));
        }
    }

    /// All watches, each with the literal that is watched.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Lit, Watch)> + '_ {
        let lists = self.lists.iter().enumerate();
        lists.flat_map(|(index, list)| list.iter().map(move |&watch| (Lit(index as u32), watch)))
    }

    /// Panics if the lists do not match the clauses.
    pub(crate) fn check(&self, clauses: &Clauses) {
        let mut count = 0_isize;
        for (lit, watch) in self.iter() {
            let clause = watch.clause();
            if clauses.is_garbage(clause) {
                assert!(!watch.is_binary(), "a binary clause that is garbage is watched");
                continue;
            }
            count += 1;
            let in_front = clauses.lits(clause).take(2).any(|front| front == lit);
            assert!(in_front, "{lit:?} watches a clause and is not in front");
            let is_other = watch.blocker != lit && clauses.lits(clause).any(|other| other == watch.blocker);
            assert!(is_other, "the blocker of {lit:?} is not another literal of the clause");
            assert_eq!(watch.is_binary(), clauses.len(clause) == 2, "a watch knows whether its clause is binary");
        }
        for clause in clauses.iter().filter(|&clause| clauses.len(clause) > 1) {
            count -= 2;
            for lit in watched(clauses, clause) {
                let times = self.of(lit).iter().filter(|watch| watch.clause() == clause).count();
                assert_eq!(times, 1, "{lit:?} is watched once in its clause");
            }
        }
        assert_eq!(count, 0, "a clause is watched by its first two literals only");
    }
}

fn watched(clauses: &Clauses, clause: ClauseRef) -> [Lit; 2] {
    [clauses.lit(clause, 0), clauses.lit(clause, 1)]
}

/// Rank of a literal as a watch, higher is better: first true literals (lower levels are better), then
/// unassigned ones, then false ones (higher levels are better).
fn rank(trail: &Trail, lit: Lit) -> u64 {
    let level = u64::from(trail.level_of_var(lit.var()));
    match trail.value(lit) {
        Some(true) => (3 << 32) - level,
        None => 1 << 32,
        Some(false) => level,
    }
}

/// Moves the two best literals to the front.
fn arrange(clauses: &mut Clauses, trail: &Trail, clause: ClauseRef) {
    for front in 0..clauses.len(clause).min(2) {
        let mut best = (front, rank(trail, clauses.lit(clause, front)));
        for at in front + 1..clauses.len(clause) {
            let its = rank(trail, clauses.lit(clause, at));
            best = if its > best.1 { (at, its) } else { best };
        }
        clauses.swap(clause, front, best.0);
    }
}
