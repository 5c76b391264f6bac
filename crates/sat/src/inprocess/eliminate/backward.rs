//! Backward subsumption: a new clause is compared with the given clauses of its rarest literal. A clause that it
//! subsumes is deleted. A clause from which it removes a literal by self-subsuming resolution is replaced (Een and
//! Biere 2005).

use super::{Pass, Round};
use crate::clauses::{ClauseKind, ClauseRef};
use crate::inprocess::subsume::Relation;
use crate::lit::Lit;
use crate::signs::Signs;

/// Longer clauses are not compared with others.
const MOST_LITERALS: usize = 20;
/// Longer clauses are not deleted or shortened. A clause of n literals that is shortened n times would cost n^2 words,
/// in memory and in the proof.
const MOST_OLD_LITERALS: usize = 100;
/// A clause is not compared if each of its literals has more clauses than this.
const MOST_CLAUSES: usize = 200;

impl Round<'_> {
    /// Compares all new clauses with the others.
    pub(super) fn compare_fresh(&mut self, pass: &mut Pass) {
        while let Some(clause) = pass.fresh.pop() {
            if self.is_refuted() {
                return;
            }
            let is_there = !self.bcp.clauses.is_garbage(clause) && !pass.effort.is_spent(self.bcp.stats.ticks);
            if is_there && self.bcp.clauses.len(clause) <= MOST_LITERALS {
                self.compare(clause, pass);
            }
        }
    }

    fn compare(&mut self, new: ClauseRef, pass: &mut Pass) {
        debug_assert_eq!(self.bcp.clauses.kind(new), ClauseKind::Given);
        let literals: Vec<Lit> = self.bcp.clauses.lits(new).collect();
        if literals.iter().any(|&lit| !self.bcp.trail.is_open(lit)) {
            return;
        }
        let Some(&rarest) = literals.iter().min_by_key(|&&lit| pass.occurrences.count(lit)) else { return };
        if pass.occurrences.count(rarest) > MOST_CLAUSES {
            return;
        }
        self.bcp.signs.set(literals.iter().copied());
        let (mut subsumed, mut shortened) = (Vec::new(), Vec::new());
        for &old in pass.occurrences.of(rarest) {
            let clauses = &self.bcp.clauses;
            self.bcp.stats.ticks += 1;
            let fits = (literals.len()..=MOST_OLD_LITERALS).contains(&clauses.len(old));
            if old == new || !fits || clauses.is_garbage(old) {
                continue;
            }
            match effect(self.bcp.signs, literals.len(), clauses.lits(old)) {
                Some(Relation::Subsumes) => subsumed.push(old),
                Some(Relation::Removes(lit)) => shortened.push((old, lit)),
                None => {}
            }
        }
        self.bcp.signs.unset(literals.iter().copied());
        for old in subsumed {
            self.bcp.stats.subsumed += 1;
            self.drop_given(old, pass);
        }
        for (old, lit) in shortened {
            self.shorten(old, lit, new, pass);
        }
    }

    /// Removes `lit` from `old` by resolution with `by`.
    fn shorten(&mut self, old: ClauseRef, lit: Lit, by: ClauseRef, pass: &mut Pass) {
        let clauses = &self.bcp.clauses;
        if self.is_refuted() || clauses.is_garbage(old) || clauses.is_garbage(by) {
            return;
        }
        let literals: Vec<Lit> = clauses.lits(old).filter(|&other| other != lit).collect();
        if literals.iter().any(|&lit| !self.bcp.trail.is_open(lit)) {
            return;
        }
        self.bcp.log.hint(clauses, by);
        self.bcp.log.hint(clauses, old);
        let id = self.bcp.log.derive(&literals);
        self.bcp.stats.strengthened += 1;
        self.drop_given(old, pass);
        self.add_given(&literals, id, pass);
    }
}

/// The effect of the clause in the table of signs, which has `length` literals, on a clause with these literals.
fn effect(signs: &Signs, length: usize, literals: impl Iterator<Item = Lit>) -> Option<Relation> {
    let (mut same, mut opposite) = (0, None);
    for lit in literals {
        match signs.has(lit) {
            Some(true) => same += 1,
            Some(false) if opposite.is_some() => return None,
            Some(false) => opposite = Some(lit),
            None => {}
        }
    }
    match opposite {
        None => (same == length).then_some(Relation::Subsumes),
        Some(lit) => (same + 1 == length).then_some(Relation::Removes(lit)),
    }
}
