//! Subsumption: a clause is redundant if it contains all literals of another clause. If it contains all of them
//! but one, and the negation of that literal, then the resolvent of the two clauses is the first clause without
//! the negated literal. The resolvent replaces the first clause: self-subsuming resolution (Een and Biere
//! 2005).
//!
//! *Eager*: a newly learnt clause is compared with the few clauses learnt just before it. It often subsumes
//! them, because the search was close to the same conflict (as in CaDiCaL; after Zhang 2005). On some formulas
//! half of all learnt clauses are subsumed in this way.
//!
//! *In full*, during inprocessing: clauses are visited from short to long, and each is compared with those
//! before it. Each clause is indexed by one of its literals, the rarest (Bayardo and Panda 2011; CaDiCaL). Only
//! clauses added since the last time can give new results. Therefore a clause is visited only if at least two
//! of its variables occur in such clauses, and it is indexed only if all of them do.

use super::{Effort, Round};
use crate::bcp::Bcp;
use crate::clauses::{ClauseKind, ClauseRef, Clauses};
use crate::lit::Lit;
use crate::options::Options;
use crate::proof::ClauseId;
use crate::signs::Signs;

/// Number of latest learnt clauses compared with a new one.
const LATEST: usize = 20;
/// Longer clauses are ignored.
const LENGTH: usize = 100;
/// A clause with more than two literals is left out of the index if each of its literals already has this many
/// entries.
const CROWDED: u32 = 100;

/// Number of binary clauses that are compared for the cost of one tick. The comparison does not read a binary
/// clause, because the index contains it.
const BINARIES_PER_TICK: u64 = 4;
/// Number of passes: a clause that was shortened is compared again in the next pass.
const PASSES: usize = 3;

/// An index of clauses, each under one of its literals: linked lists in one vector.
struct Index {
    /// For each literal: its newest entry, counted from 1, and the number of its entries in `counts`.
    newest: Vec<u32>,
    counts: Vec<u32>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    clause: ClauseRef,
    /// The other literal, if the clause is binary.
    other: Option<Lit>,
    before: u32,
}

impl Index {
    fn new(literals: usize) -> Self {
        Self { newest: vec![0; literals], counts: vec![0; literals], entries: Vec::new() }
    }

    fn add(&mut self, clause: ClauseRef, literals: &[Lit]) {
        let Some(&lit) = literals.iter().min_by_key(|lit| self.counts[lit.0 as usize]) else { return };
        let other = if let &[a, b] = literals { Some(if a == lit { b } else { a }) } else { None };
        let at = lit.0 as usize;
        if other.is_none() && self.counts[at] >= CROWDED {
            return;
        }
        self.counts[at] += 1;
        self.entries.push(Entry { clause, other, before: self.newest[at] });
        self.newest[at] = self.entries.len() as u32;
    }

    fn of(&self, lit: Lit) -> impl Iterator<Item = &Entry> {
        let mut next = self.newest[lit.0 as usize];
        std::iter::from_fn(move || {
            let entry = self.entries.get((next as usize).checked_sub(1)?)?;
            next = entry.before;
            Some(entry)
        })
    }
}

/// The effect of one clause on another clause.
#[derive(Clone, Copy)]
pub(super) enum Relation {
    Subsumes,
    /// The two clauses imply the other clause without this literal.
    Removes(Lit),
}

impl Bcp<'_> {
    /// Deletes those of the latest learnt clauses that `new`, the newest one, subsumes.
    pub(crate) fn subsume_latest(&mut self, new: ClauseRef) {
        let length = self.clauses.len(new);
        self.signs.set(self.clauses.lits(new));
        let mut left = LATEST;
        for at in (0..self.clauses.learnt().len()).rev() {
            let old = self.clauses.learnt()[at];
            if old == new {
                continue;
            }
            if left == 0 {
                break;
            }
            left -= 1;
            let is_candidate = !self.clauses.is_garbage(old)
                && self.clauses.len(old) > length.max(2)
                && self.clauses.kind(old) == ClauseKind::Learnt;
            if is_candidate && self.signs.count(self.clauses.lits(old)) == length && !self.is_locked(old) {
                self.delete(old);
                self.stats.subsumed_eagerly += 1;
            }
        }
        self.signs.unset(self.clauses.lits(new));
    }
}

impl Round<'_> {
    /// Full subsumption, in several passes.
    pub(crate) fn subsume(&mut self) {
        let last = self.schedule.subsumed;
        self.schedule.subsumed = self.search_ticks();
        let effort = self.effort(self.bcp.options.subsume_effort, last);
        for _ in 0..PASSES {
            let before = self.bcp.stats.strengthened;
            let now = self.bcp.log.last();
            if !self.subsume_once(&effort) {
                break;
            }
            debug_assert!(self.schedule.compared <= now);
            self.schedule.compared = now;
            if self.bcp.stats.strengthened == before {
                break;
            }
        }
    }

    /// Makes one pass. Returns true if the pass was completed.
    fn subsume_once(&mut self, effort: &Effort) -> bool {
        let fresh = self.fresh_variables(self.schedule.compared);
        let mut index = Index::new(2 * fresh.len());
        let mut literals = Vec::new();
        for (_, clause) in by_length(self.bcp.clauses, self.bcp.options, &fresh) {
            if self.is_refuted() || effort.is_spent(self.bcp.stats.ticks) {
                return false;
            }
            literals.clear();
            literals.extend(self.bcp.clauses.lits(clause));
            // A clause with a literal that was fixed during this pass is skipped. The next call of `subsume`
            // handles it.
            if !literals.iter().all(|&lit| self.bcp.trail.is_open(lit)) {
                continue;
            }
            let (clauses, signs) = (&*self.bcp.clauses, &mut *self.bcp.signs);
            let relation = index.relation(clauses, signs, &literals, &mut self.bcp.stats.ticks);
            match relation {
                None if literals.iter().all(|lit| fresh[lit.var().index()]) => index.add(clause, &literals),
                None => {}
                Some((by, Relation::Subsumes)) => {
                    inherit(self.bcp.clauses, by, clause);
                    self.bcp.withdraw(clause);
                    self.bcp.stats.subsumed += 1;
                }
                Some((by, Relation::Removes(lit))) => {
                    self.bcp.log.hint(self.bcp.clauses, by);
                    self.bcp.log.hint(self.bcp.clauses, clause);
                    literals.retain(|&other| other != lit);
                    debug_assert_eq!(literals.len() + 1, self.bcp.clauses.len(clause));
                    let id = self.bcp.log.derive(&literals);
                    self.replace(clause, &literals, id);
                    self.bcp.stats.strengthened += 1;
                }
            }
        }
        true
    }

    /// For each variable: true if it occurs in a clause added after `last`.
    fn fresh_variables(&self, last: ClauseId) -> Vec<bool> {
        let clauses = &self.bcp.clauses;
        let mut fresh = vec![false; self.bcp.watches.len() / 2];
        for clause in clauses.iter().filter(|&clause| clauses.id(clause) > last) {
            for lit in clauses.lits(clause) {
                fresh[lit.var().index()] = true;
            }
        }
        fresh
    }
}

/// The clauses to visit: shorter clauses first, then older clauses first.
fn by_length(clauses: &Clauses, options: &Options, fresh: &[bool]) -> Vec<(usize, ClauseRef)> {
    let is_candidate = |&clause: &ClauseRef| {
        let is_fresh = |lit: &Lit| fresh[lit.var().index()];
        (2..=LENGTH).contains(&clauses.len(clause))
            && will_stay(clauses, options, clause)
            && clauses.lits(clause).filter(is_fresh).take(2).count() == 2
    };
    let candidates = clauses.iter().filter(is_candidate);
    let mut sorted: Vec<_> = candidates.map(|clause| (clauses.len(clause), clause)).collect();
    sorted.sort_unstable();
    sorted
}

/// True if the clause is worth comparing: it is permanent, or probably kept by reductions.
fn will_stay(clauses: &Clauses, options: &Options, clause: ClauseRef) -> bool {
    match clauses.kind(clause) {
        ClauseKind::Given => true,
        ClauseKind::Learnt => clauses.glue(clause) <= options.tier2 || clauses.used(clause) > 0,
        ClauseKind::Removable | ClauseKind::Temporary => false,
    }
}

impl Index {
    /// Returns a clause of the index that subsumes or shortens the clause with these literals.
    fn relation(
        &self,
        clauses: &Clauses,
        signs: &mut Signs,
        literals: &[Lit],
        ticks: &mut u64,
    ) -> Option<(ClauseRef, Relation)> {
        signs.set(literals.iter().copied());
        let mut keys = literals.iter().flat_map(|&lit| [lit, !lit]);
        let found = keys.find_map(|key| self.related(clauses, signs, key, ticks));
        signs.unset(literals.iter().copied());
        found
    }

    /// Like `relation`, but only for clauses indexed under `key`.
    fn related(&self, clauses: &Clauses, signs: &Signs, key: Lit, ticks: &mut u64) -> Option<(ClauseRef, Relation)> {
        let mut found = None;
        let mut spent = u64::from(key.is_positive());
        let mut binaries = 0;
        for entry in self.of(key) {
            let relation = match entry.other {
                Some(other) => {
                    binaries += 1;
                    compare(signs, [key, other].into_iter())
                }
                None => {
                    spent += 1;
                    compare(signs, clauses.lits(entry.clause))
                }
            };
            found = relation.map(|relation| (entry.clause, relation)).filter(|_| !clauses.is_garbage(entry.clause));
            if found.is_some() {
                break;
            }
        }
        *ticks += spent + binaries / BINARIES_PER_TICK;
        found
    }
}

/// The effect of a clause with these literals on the recorded clause.
fn compare(signs: &Signs, literals: impl Iterator<Item = Lit>) -> Option<Relation> {
    let mut relation = Relation::Subsumes;
    for lit in literals {
        if signs.has(lit)? {
            continue;
        }
        if matches!(relation, Relation::Removes(_)) {
            return None;
        }
        relation = Relation::Removes(!lit);
    }
    Some(relation)
}

/// Prepares the deletion of `clause`, which `by` subsumes. If `by` is a given clause, nothing changes. If only
/// `clause` is given, `by` becomes a given clause. Otherwise `by` takes the lower glue of the two clauses, and
/// the larger number of reductions to survive.
fn inherit(clauses: &mut Clauses, by: ClauseRef, clause: ClauseRef) {
    debug_assert!(by != clause && clauses.len(by) <= clauses.len(clause));
    if clauses.kind(by) == ClauseKind::Given {
        return;
    }
    if clauses.kind(clause) == ClauseKind::Given {
        clauses.set_given(by);
    } else {
        clauses.set_glue(by, clauses.glue(by).min(clauses.glue(clause)));
        clauses.set_used(by, clauses.used(by).max(clauses.used(clause)));
    }
}
