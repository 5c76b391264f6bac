//! Equivalent literals: if binary clauses imply each of two literals from the other, one of them, the
//! representative, replaces both (Li 2000; as in CaDiCaL, "decompose").
//!
//! Two binary clauses still *tie* each literal to its representative. These two clauses become permanent. So
//! the formula stays equivalent over all variables, and assumptions, later clauses and theories may still use
//! either literal.

use super::Round;
use super::binary::Implications;
use crate::clauses::{ClauseKind, ClauseRef};
use crate::lit::Lit;
use crate::signs::Distinct;

/// For each literal: its representative, and, if the two differ, the clause that implies the literal from its
/// representative.
struct Classes {
    representatives: Vec<Lit>,
    ties: Vec<Option<ClauseRef>>,
}

impl Classes {
    fn of(&self, lit: Lit) -> Lit {
        self.representatives[lit.0 as usize]
    }

    fn tie(&self, lit: Lit) -> Option<ClauseRef> {
        self.ties[lit.0 as usize]
    }
}

impl Round<'_> {
    /// Finds and replaces equivalent literals. Level 0, propagated. Does nothing if there is no new binary
    /// clause.
    pub(super) fn find_equivalent(&mut self) {
        let last = self.schedule.tied;
        let clauses = &self.bcp.clauses;
        if !clauses.iter().any(|clause| clauses.len(clause) == 2 && clauses.id(clause) > last) {
            return;
        }
        let graph = self.implications();
        let representatives = graph.representatives();
        let literals = (0..representatives.len() as u32).map(Lit);
        let members: Vec<Lit> = literals.filter(|&lit| representatives[lit.0 as usize] != lit).collect();
        if let Some(&lit) =
            members.iter().find(|&&lit| representatives[lit.0 as usize] == representatives[(!lit).0 as usize])
        {
            // The literal implies its own negation, and the negation implies the literal.
            self.fail(lit);
            return;
        }
        let ties = vec![None; representatives.len()];
        let mut classes = Classes { representatives, ties };
        for &member in &members {
            let first = classes.of(member);
            debug_assert_eq!(classes.of(first), first, "a representative represents itself");
            if classes.tie(member).is_none() {
                self.tie(first, &graph, &mut classes);
            }
            debug_assert!(classes.tie(member).is_some(), "a component is connected");
        }
        if !members.is_empty() {
            self.substitute(&classes);
        }
        self.schedule.tied = self.bcp.log.last();
    }

    /// Ties all literals of a component to its representative, breadth first. A tie is an existing clause, or
    /// is derived from the tie of the literal from which the search reached this literal.
    fn tie(&mut self, first: Lit, graph: &Implications, classes: &mut Classes) {
        let mut queue = vec![first];
        let mut next = 0;
        while let Some(&lit) = queue.get(next) {
            next += 1;
            for edge in graph.successors(lit) {
                if classes.of(edge.to) != first || edge.to == first || classes.tie(edge.to).is_some() {
                    continue;
                }
                let tie = match classes.tie(lit) {
                    None => edge.clause,
                    Some(before) => {
                        self.bcp.log.hint(self.bcp.clauses, before);
                        self.bcp.log.hint(self.bcp.clauses, edge.clause);
                        self.add_tie(first, edge.to)
                    }
                };
                self.bcp.clauses.set_given(tie);
                classes.ties[edge.to.0 as usize] = Some(tie);
                queue.push(edge.to);
            }
        }
    }

    fn add_tie(&mut self, from: Lit, to: Lit) -> ClauseRef {
        self.bcp.stats.tied += 1;
        let literals = [!from, to];
        let id = self.bcp.log.derive(&literals);
        self.bcp.add(&literals, id, ClauseKind::Given, 1)
    }

    /// Replaces literals by their representatives in all clauses except ties.
    fn substitute(&mut self, classes: &Classes) {
        let is_concerned = |&clause: &ClauseRef| {
            self.may_change(clause) && self.bcp.clauses.lits(clause).any(|lit| classes.of(lit) != lit)
        };
        let concerned: Vec<ClauseRef> = self.bcp.clauses.iter().filter(is_concerned).collect();
        for clause in concerned {
            if self.is_refuted() {
                return;
            }
            let is_tie = self.bcp.clauses.lits(clause).any(|lit| classes.tie(lit) == Some(clause));
            if !is_tie && self.bcp.clauses.lits(clause).all(|lit| self.bcp.trail.is_open(lit)) {
                self.represent(clause, classes);
            }
        }
    }

    /// Replaces the literals of one clause by their representatives.
    fn represent(&mut self, clause: ClauseRef, classes: &Classes) {
        self.bcp.stats.substituted += 1;
        let mapped: Vec<Lit> = self.bcp.clauses.lits(clause).map(|lit| classes.of(lit)).collect();
        let Distinct { literals, is_tautology } = self.bcp.signs.distinct(&mapped);
        if is_tautology {
            self.bcp.withdraw(clause);
            return;
        }
        let literals = literals.to_vec();
        for lit in self.bcp.clauses.lits(clause) {
            if let Some(tie) = classes.tie(!lit) {
                self.bcp.log.hint(self.bcp.clauses, tie);
            }
        }
        self.bcp.log.hint(self.bcp.clauses, clause);
        let id = self.bcp.log.derive(&literals);
        self.replace(clause, &literals, id);
    }
}
