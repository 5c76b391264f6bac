//! Bounded variable elimination (Een and Biere 2005): the clauses of a variable are replaced by their resolvents on
//! it, if there are not many more resolvents than clauses. `extension.rs` computes the value of the variable in a
//! model.
//!
//! Variables with the fewest resolvents are tried first. A variable is tried again when clauses of it were deleted or
//! became shorter, or when the *bound* was raised. The bound is the number of clauses that one elimination may add. It
//! rises step by step (as in CaDiCaL), all in the first pass if its effort suffices. This pass comes before the search
//! unless the formula is large, because learnt clauses of an eliminated variable are lost. Each resolvent is compared
//! with the clauses of its rarest literal (`backward.rs`).
//!
//! If some clauses of the variable define it as a gate, only resolvents of a gate clause and another clause are needed
//! (`gates.rs`). A variable that no gate defines is eliminated only if there are no more resolvents than clauses, and
//! no more literals in them, at any bound. Without the rule for literals, refutations of tournaments take four times as
//! many conflicts. If hardly any such variable is eliminated, the auxiliary variables of counters stay, and knights on
//! a board take a third more conflicts.
//!
//! The proof has each resolvent with its two parents as hints. The formula does not stay equivalent, so this runs
//! only with [`Options::eliminate`](crate::Options::eliminate).
//!
//! Invariants during a pass:
//!
//! 1. The occurrence lists contain every given clause that is not garbage, under each of its literals.
//! 2. Learnt clauses of an eliminated variable are deleted together with its given clauses, so that propagation
//!    cannot assign it.

mod backward;
mod gates;
mod occurrences;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Effort, Round};
use crate::clauses::{ClauseKind, ClauseRef};
use crate::lit::{Lit, Var};
use crate::proof::ClauseId;
use crate::propagate::WATCHES_PER_LINE;
use gates::Gate;
use occurrences::Occurrences;

/// A variable with more clauses of one sign is not tried.
const MOST_CLAUSES: usize = 100;
/// A variable with a longer clause is not tried, and a longer resolvent ends the attempt.
const MOST_LITERALS: usize = 100;
/// The least effort of a pass, in ticks: about a tenth of a second.
const LEAST_EFFORT: u64 = 5_000_000;
/// The least effort doubles after each pass that was cut short, up to this many times.
const MOST_DOUBLINGS: u32 = 2;

/// The progress of elimination between rounds.
#[derive(Default)]
pub(super) struct Progress {
    /// Ticks spent on search when elimination last ran.
    ran: u64,
    /// Number of clauses that an elimination may add.
    bound: usize,
    /// For each variable: 1 plus the number of literals in its given clauses when it was last tried with this
    /// bound; 0 if it was not tried.
    tried: Vec<u64>,
    /// True after all given clauses were compared with each other.
    compared: bool,
    /// Number of passes that were cut short since the last one that tried everything.
    cut: u32,
}

/// The variables to try, those with the fewest resolvents first.
#[derive(Default)]
struct Candidates {
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Candidates {
    fn push(&mut self, var: Var, occurrences: &Occurrences) {
        self.heap.push(Reverse((occurrences.resolvents(var), var.0)));
    }

    /// The next variable. An entry is out of date and is skipped if the number of resolvents has changed since, because
    /// a change of a variable's clauses adds a new entry.
    fn pop(&mut self, occurrences: &Occurrences) -> Option<Var> {
        while let Some(Reverse((resolvents, var))) = self.heap.pop() {
            if occurrences.resolvents(Var(var)) == resolvents {
                return Some(Var(var));
            }
        }
        None
    }
}

/// The state of one pass.
struct Pass {
    occurrences: Occurrences,
    candidates: Candidates,
    effort: Effort,
    /// Resolvents and shortened clauses that were not compared with other clauses yet.
    fresh: Vec<ClauseRef>,
}

impl Round<'_> {
    /// Eliminates variables until the effort is spent. Level 0, propagated, without fixed literals in clauses.
    pub(super) fn eliminate(&mut self) {
        let share = self.bcp.options.eliminate_effort;
        let now = self.search_ticks();
        let last = std::mem::replace(&mut self.schedule.elimination.ran, now);
        let mut effort = self.effort(share, last);
        let progress = &mut self.schedule.elimination;
        let least = LEAST_EFFORT << progress.cut.min(MOST_DOUBLINGS);
        progress.cut += 1;
        effort.until = effort.until.max(self.bcp.stats.ticks + least);
        let occurrences = Occurrences::new(self.bcp.clauses, self.bcp.watches.len());
        self.bcp.stats.ticks += self.bcp.clauses.words() as u64 / 16;
        let mut pass = Pass { occurrences, candidates: Candidates::default(), effort, fresh: Vec::new() };
        self.schedule.elimination.tried.resize(self.bcp.trail.variables_len(), 0);
        if !self.schedule.elimination.compared {
            self.compare_all(&mut pass);
            self.schedule.elimination.compared = !pass.effort.is_spent(self.bcp.stats.ticks);
        }
        loop {
            self.collect_candidates(&mut pass);
            if !self.try_candidates(&mut pass) {
                return;
            }
            if self.schedule.elimination.bound >= self.bcp.options.eliminate_bound {
                self.schedule.elimination.cut = 0;
                return;
            }
            self.raise_bound();
        }
    }

    /// Compares all given clauses with each other, the short ones first.
    fn compare_all(&mut self, pass: &mut Pass) {
        let clauses = &self.bcp.clauses;
        let is_given = |&clause: &ClauseRef| clauses.kind(clause) == ClauseKind::Given && clauses.len(clause) > 1;
        pass.fresh = clauses.iter().filter(is_given).collect();
        pass.fresh.sort_by_key(|&clause| std::cmp::Reverse(clauses.len(clause)));
        self.compare_fresh(pass);
    }

    /// Raises the bound after a pass that tried everything.
    fn raise_bound(&mut self) {
        let progress = &mut self.schedule.elimination;
        progress.bound = (2 * progress.bound).max(1);
        progress.tried.fill(0);
    }

    fn collect_candidates(&mut self, pass: &mut Pass) {
        pass.candidates.heap.clear();
        for index in 0..self.bcp.trail.variables_len() {
            let var = Var::new(index);
            if self.may_eliminate(var, &pass.occurrences) {
                pass.candidates.push(var, &pass.occurrences);
            }
        }
    }

    /// True if the variable is there, occurs rarely, and was not tried with the same clauses and bound.
    fn may_eliminate(&self, var: Var, occurrences: &Occurrences) -> bool {
        let tried = self.schedule.elimination.tried[var.index()];
        self.bcp.trail.is_open(var.positive())
            && !self.extension.is_eliminated(var)
            && [var.positive(), var.negative()].iter().all(|&lit| occurrences.count(lit) <= MOST_CLAUSES)
            && tried != occurrences.weight(var) + 1
    }

    /// Tries all candidates. Returns true if none is left: the effort was not spent, and the formula is not refuted.
    fn try_candidates(&mut self, pass: &mut Pass) -> bool {
        while let Some(var) = pass.candidates.pop(&pass.occurrences) {
            if pass.effort.is_spent(self.bcp.stats.ticks) {
                return false;
            }
            if !self.may_eliminate(var, &pass.occurrences) {
                continue;
            }
            self.try_to_eliminate(var, pass);
            self.compare_fresh(pass);
            if self.is_refuted() {
                return false;
            }
        }
        true
    }

    fn try_to_eliminate(&mut self, var: Var, pass: &mut Pass) {
        if [var.positive(), var.negative()].iter().any(|&lit| self.is_in_long(lit, pass)) {
            self.schedule.elimination.tried[var.index()] = pass.occurrences.weight(var) + 1;
            return;
        }
        let sides = [var.positive(), var.negative()].map(|lit| self.side(lit, pass));
        self.schedule.elimination.tried[var.index()] = pass.occurrences.weight(var) + 1;
        let clauses = &self.bcp.clauses;
        self.bcp.stats.ticks += 1 + sides.iter().map(|side| side.len() as u64).sum::<u64>();
        let gate = gates::find(clauses, var, &sides);
        if let Some(resolvents) = self.resolvents(var, &sides, gate.as_ref()) {
            self.replace_by(var, &sides, resolvents, pass);
        }
    }

    /// True if a given clause with this literal is too long for an attempt. Reads no literals.
    fn is_in_long(&self, lit: Lit, pass: &Pass) -> bool {
        let clauses = &self.bcp.clauses;
        let is_long = |&clause: &ClauseRef| clauses.len(clause) > MOST_LITERALS && !clauses.is_garbage(clause);
        pass.occurrences.of(lit).iter().any(is_long)
    }

    /// The given clauses with this literal that are not satisfied.
    fn side(&mut self, lit: Lit, pass: &mut Pass) -> Vec<ClauseRef> {
        let mut side = pass.occurrences.take(lit);
        side.retain(|&clause| !self.bcp.clauses.is_garbage(clause));
        pass.occurrences.put(lit, side.clone());
        let (satisfied, rest) = side.into_iter().partition(|&clause| self.is_satisfied(clause));
        for clause in satisfied {
            self.drop_given(clause, pass);
        }
        rest
    }

    fn is_satisfied(&self, clause: ClauseRef) -> bool {
        self.bcp.clauses.lits(clause).any(|lit| self.bcp.trail.is_true(lit))
    }

    /// The pairs of clauses that have resolvents on `var`, or `None` if there are too many or one is too long.
    fn resolvents(
        &mut self,
        var: Var,
        sides: &[Vec<ClauseRef>; 2],
        gate: Option<&Gate>,
    ) -> Option<Vec<(ClauseRef, ClauseRef)>> {
        let clauses = sides.iter().flatten().copied();
        let (most, mut room) = match gate {
            Some(_) => (clauses.count() + self.schedule.elimination.bound, usize::MAX),
            None => (clauses.clone().count(), clauses.map(|clause| self.bcp.clauses.len(clause)).sum()),
        };
        let mut pairs = Vec::new();
        for &first in &sides[0] {
            let clauses = &self.bcp.clauses;
            self.bcp.signs.set(clauses.lits(first));
            let mut is_short = true;
            for &second in &sides[1] {
                if !gate.is_none_or(|gate| gate.needs(first, second)) {
                    continue;
                }
                self.bcp.stats.ticks += 1;
                if let Some(length) = self.resolvent_length(var, first, second) {
                    is_short &= length <= MOST_LITERALS.min(room);
                    room -= length.min(room);
                    pairs.push((first, second));
                }
                if pairs.len() > most || !is_short {
                    break;
                }
            }
            self.bcp.signs.unset(self.bcp.clauses.lits(first));
            if pairs.len() > most || !is_short {
                return None;
            }
        }
        Some(pairs)
    }

    /// The length of the resolvent of two clauses on `var`, or `None` if it is a tautology or satisfied. The
    /// literals of `first` are in the table of signs.
    fn resolvent_length(&self, var: Var, first: ClauseRef, second: ClauseRef) -> Option<usize> {
        let clauses = &self.bcp.clauses;
        let mut length = clauses.len(first) - 1;
        for lit in clauses.lits(second).filter(|lit| lit.var() != var) {
            match self.bcp.signs.has(lit) {
                Some(true) => {}
                Some(false) => return None,
                None if self.bcp.trail.is_true(lit) => return None,
                None => length += 1,
            }
        }
        Some(length)
    }

    /// Replaces the clauses of `var` by the resolvents of these pairs.
    fn replace_by(
        &mut self,
        var: Var,
        sides: &[Vec<ClauseRef>; 2],
        pairs: Vec<(ClauseRef, ClauseRef)>,
        pass: &mut Pass,
    ) {
        for (first, second) in pairs {
            self.add_resolvent(var, first, second, pass);
            if self.is_refuted() || !self.bcp.trail.is_open(var.positive()) {
                return;
            }
        }
        let kept = usize::from(sides[0].len() > sides[1].len());
        let witness = if kept == 0 { var.positive() } else { var.negative() };
        for &clause in &sides[kept] {
            self.extension.keep(witness, self.bcp.clauses.lits(clause));
        }
        self.extension.eliminate(!witness);
        self.bcp.order.remove(var);
        self.bcp.stats.eliminated += 1;
        for &clause in sides.iter().flatten() {
            if !self.bcp.clauses.is_garbage(clause) {
                self.drop_given(clause, pass);
            }
        }
        for clause in pass.occurrences.take_learnt(var) {
            if !self.bcp.clauses.is_garbage(clause) {
                self.withdraw(clause);
            }
        }
    }

    fn add_resolvent(&mut self, var: Var, first: ClauseRef, second: ClauseRef, pass: &mut Pass) {
        let clauses = &self.bcp.clauses;
        let others = |clause| clauses.lits(clause).filter(move |lit: &Lit| lit.var() != var);
        let mut literals: Vec<Lit> = Vec::with_capacity(clauses.len(first) + clauses.len(second));
        literals.extend(others(first).chain(others(second)));
        literals.sort_unstable();
        literals.dedup();
        if literals.iter().any(|&lit| self.bcp.trail.is_true(lit)) {
            return;
        }
        for &lit in literals.iter().filter(|&&lit| self.bcp.trail.is_false(lit)) {
            self.bcp.log.hint_unit(lit.var());
        }
        literals.retain(|&lit| self.bcp.trail.is_open(lit));
        self.bcp.log.hint(clauses, first);
        self.bcp.log.hint(clauses, second);
        let id = self.bcp.log.derive(&literals);
        self.bcp.stats.resolvents += 1;
        if !literals.is_empty() {
            self.add_given(&literals, id, pass);
        }
    }

    /// Stores a derived clause as a given one. All its literals are unassigned.
    fn add_given(&mut self, literals: &[Lit], id: ClauseId, pass: &mut Pass) {
        let clause = self.bcp.add(literals, id, ClauseKind::Given, 0);
        if literals.len() == 1 {
            self.bcp.evaluate(clause);
            self.bcp.propagate_fixed();
            return;
        }
        self.bcp.stats.ticks += 2;
        pass.occurrences.add(self.bcp.clauses, clause);
        for lit in literals {
            pass.candidates.push(lit.var(), &pass.occurrences);
        }
        pass.fresh.push(clause);
    }

    /// Deletes a given clause, and puts its variables among the candidates.
    fn drop_given(&mut self, clause: ClauseRef, pass: &mut Pass) {
        self.withdraw(clause);
        pass.occurrences.removed(self.bcp.clauses, clause);
        for lit in self.bcp.clauses.lits(clause) {
            pass.candidates.push(lit.var(), &pass.occurrences);
        }
    }

    /// Deletes a clause. A binary clause costs as much as reading the watches of its literals.
    fn withdraw(&mut self, clause: ClauseRef) {
        if self.bcp.clauses.len(clause) == 2 {
            let watches: usize = self.bcp.clauses.lits(clause).map(|lit| self.bcp.watches.of(lit).len()).sum();
            self.bcp.stats.ticks += (watches / WATCHES_PER_LINE) as u64;
        }
        self.bcp.withdraw(clause);
    }
}
