//! Occurrence lists: for each literal its given clauses, and for each variable its learnt clauses.
//!
//! Lists may contain garbage, which readers skip. The numbers of clauses and literals are exact.

use crate::clauses::{ClauseKind, ClauseRef, Clauses};
use crate::lit::{Lit, Var};

pub(super) struct Occurrences {
    lists: Vec<Vec<ClauseRef>>,
    /// For each literal: number of given clauses that are not garbage.
    counts: Vec<u32>,
    /// For each variable: number of literals in its given clauses.
    weights: Vec<u64>,
    learnt: Vec<Vec<ClauseRef>>,
}

impl Occurrences {
    /// The lists of all clauses. `literals` is twice the number of variables. Cost: linear.
    pub(super) fn new(clauses: &Clauses, literals: usize) -> Self {
        let mut new = Self {
            lists: vec![Vec::new(); literals],
            counts: vec![0; literals],
            weights: vec![0; literals / 2],
            learnt: vec![Vec::new(); literals / 2],
        };
        for clause in clauses.iter().filter(|&clause| clauses.len(clause) > 1) {
            match clauses.kind(clause) {
                ClauseKind::Given => new.add(clauses, clause),
                ClauseKind::Learnt => {
                    clauses.lits(clause).for_each(|lit| new.learnt[lit.var().index()].push(clause));
                }
                ClauseKind::Removable | ClauseKind::Temporary => {
                    unreachable!("clauses that come and go exclude elimination")
                }
            }
        }
        new
    }

    /// Adds a given clause.
    pub(super) fn add(&mut self, clauses: &Clauses, clause: ClauseRef) {
        for lit in clauses.lits(clause) {
            self.lists[lit.0 as usize].push(clause);
            self.counts[lit.0 as usize] += 1;
            self.weights[lit.var().index()] += clauses.len(clause) as u64;
        }
    }

    /// Subtracts a given clause that is garbage now.
    pub(super) fn removed(&mut self, clauses: &Clauses, clause: ClauseRef) {
        for lit in clauses.lits(clause) {
            self.counts[lit.0 as usize] -= 1;
            self.weights[lit.var().index()] -= clauses.len(clause) as u64;
        }
    }

    pub(super) fn of(&self, lit: Lit) -> &[ClauseRef] {
        &self.lists[lit.0 as usize]
    }

    pub(super) fn take(&mut self, lit: Lit) -> Vec<ClauseRef> {
        std::mem::take(&mut self.lists[lit.0 as usize])
    }

    pub(super) fn put(&mut self, lit: Lit, list: Vec<ClauseRef>) {
        self.lists[lit.0 as usize] = list;
    }

    pub(super) fn take_learnt(&mut self, var: Var) -> Vec<ClauseRef> {
        std::mem::take(&mut self.learnt[var.index()])
    }

    pub(super) fn count(&self, lit: Lit) -> usize {
        self.counts[lit.0 as usize] as usize
    }

    /// The number of literals in the given clauses of a variable.
    pub(super) fn weight(&self, var: Var) -> u64 {
        self.weights[var.index()]
    }

    /// An upper bound on the number of resolvents on a variable, which orders the candidates.
    pub(super) fn resolvents(&self, var: Var) -> u64 {
        self.count(var.positive()) as u64 * self.count(var.negative()) as u64
    }
}
