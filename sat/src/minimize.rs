//! Drops literals of a learnt clause that the others imply (Sorensson and Biere 2009), looking through reasons of reasons.
//!
//! With a stack of our own: reasons are as deep as the search. A literal on a level that the clause does not touch cannot
//! be implied by it, which ends most walks early.

use crate::analyze::Mark;
use crate::clauses::ClauseRef;
use crate::lit::{Lit, Var};
use crate::solver::Solver;
use crate::trail::Reason;

/// A variable whose reason is being walked.
struct Frame {
    var: Var,
    clause: ClauseRef,
    next: usize,
}

impl Solver {
    /// Minimises `learnt`, whose variables are marked `Seen`, and clears all marks.
    pub(crate) fn minimize(&mut self) {
        let mut learnt = std::mem::take(&mut self.learnt);
        self.stamps.renew();
        for lit in &learnt {
            self.stamps.set(self.trail.level_of_var(lit.var()));
        }
        let before = learnt.len();
        let mut first = true;
        learnt.retain(|lit| std::mem::take(&mut first) || !self.is_implied(lit.var()));
        self.stats.minimized += (before - learnt.len()) as u64;
        self.clear_marks();
        self.learnt = learnt;
    }

    /// The reason to look into, if there is one that may lead somewhere.
    fn walkable(&self, var: Var) -> Option<ClauseRef> {
        match self.trail.reason(var) {
            Reason::Clause(clause) if self.clauses.len(clause) <= self.options.minimize_length => Some(clause),
            _ => None,
        }
    }

    fn is_implied(&mut self, var: Var) -> bool {
        let Some(clause) = self.walkable(var) else { return false };
        let mut stack = vec![Frame { var, clause, next: 0 }];
        while let Some(frame) = stack.last_mut() {
            if frame.next == self.clauses.len(frame.clause) {
                let done = frame.var;
                stack.pop();
                // The literal asked about is in the clause and stays `Seen`, so that others may lean on it: reasons are acyclic.
                if !stack.is_empty() {
                    self.mark(done, Mark::Implied);
                }
                continue;
            }
            let lit = self.clauses.lit(frame.clause, frame.next);
            frame.next += 1;
            if lit.var() == frame.var || self.leads_back(lit) {
                continue;
            }
            let level = self.trail.level_of_var(lit.var());
            let fresh = self.marks[lit.var().index()] == Mark::Unknown && self.stamps.has(level);
            match self.walkable(lit.var()).filter(|_| fresh) {
                Some(clause) => stack.push(Frame { var: lit.var(), clause, next: 0 }),
                None => {
                    self.give_up(lit.var(), &stack);
                    return false;
                }
            }
        }
        true
    }

    fn leads_back(&self, lit: Lit) -> bool {
        self.trail.level_of_var(lit.var()) == 0 || matches!(self.marks[lit.var().index()], Mark::Seen | Mark::Implied)
    }

    /// Nothing on the stack leads back: remember it for the literals to come.
    fn give_up(&mut self, end: Var, stack: &[Frame]) {
        for var in stack.iter().skip(1).map(|frame| frame.var).chain([end]) {
            self.mark(var, Mark::Free);
        }
    }
}
