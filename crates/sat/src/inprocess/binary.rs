//! The graph of binary clauses, and its strongly connected components. An edge leads from a literal to another
//! if a binary clause says that the first implies the second. The literals of a component are equivalent
//! (Tarjan 1972). The search uses an explicit stack, because chains of implications are long.

use super::Round;
use crate::clauses::ClauseRef;
use crate::lit::Lit;

#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) to: Lit,
    pub(super) clause: ClauseRef,
}

pub(super) struct Implications {
    /// For each literal: index of its first edge in `edges`. One more entry contains the end of all edges.
    starts: Vec<usize>,
    edges: Vec<Edge>,
}

const UNSEEN: u32 = 0;
const DONE: u32 = u32::MAX;

/// An entry of the search stack: a literal, the index of its next successor, and the time it was entered.
struct Visit {
    lit: Lit,
    next: usize,
    entered: u32,
}

/// A depth-first search for components.
struct Search {
    /// For each literal: the time at which the search entered it, from 1, or the earliest such time among the
    /// literals found to be reachable from it. `UNSEEN` before the literal is entered, `DONE` once its
    /// component is known.
    seen: Vec<u32>,
    now: u32,
    visits: Vec<Visit>,
    /// Literals that were entered and are not yet in a component.
    open: Vec<Lit>,
    representatives: Vec<Lit>,
}

impl Implications {
    pub(super) fn successors(&self, lit: Lit) -> &[Edge] {
        &self.edges[self.starts[lit.0 as usize]..self.starts[lit.0 as usize + 1]]
    }

    /// For each literal: its representative, the literal with the smallest index in its component. The
    /// representative of a negation is the negated representative, unless a literal is equivalent to its own
    /// negation.
    pub(super) fn representatives(&self) -> Vec<Lit> {
        let literals = self.starts.len() - 1;
        let mut search = Search {
            seen: vec![UNSEEN; literals],
            now: 0,
            visits: Vec::new(),
            open: Vec::new(),
            representatives: (0..literals as u32).map(Lit).collect(),
        };
        for root in (0..literals as u32).map(Lit) {
            if search.seen[root.0 as usize] == UNSEEN && !self.successors(root).is_empty() {
                search.enter(root);
                search.run(self);
            }
        }
        search.representatives
    }
}

impl Search {
    fn enter(&mut self, lit: Lit) {
        debug_assert_eq!(self.seen[lit.0 as usize], UNSEEN);
        self.now += 1;
        self.seen[lit.0 as usize] = self.now;
        self.visits.push(Visit { lit, next: 0, entered: self.now });
        self.open.push(lit);
    }

    /// Visits all literals reachable from the literals entered.
    fn run(&mut self, graph: &Implications) {
        while let Some(visit) = self.visits.last_mut() {
            let lit = visit.lit;
            let Some(edge) = graph.successors(lit).get(visit.next) else {
                self.leave();
                continue;
            };
            let earliest = self.seen[edge.to.0 as usize];
            if earliest == UNSEEN {
                self.enter(edge.to);
                continue;
            }
            visit.next += 1;
            let seen = &mut self.seen[lit.0 as usize];
            *seen = (*seen).min(earliest);
        }
    }

    /// Ends the newest visit after all its successors were visited. If no successor leads to a literal that was
    /// entered earlier, the visited literal and the literals after it in `open` are a component.
    fn leave(&mut self) {
        let Some(Visit { lit, entered, .. }) = self.visits.pop() else { return };
        if self.seen[lit.0 as usize] != entered {
            return;
        }
        let start = self.open.iter().rposition(|&open| open == lit).unwrap_or(0);
        let component = &self.open[start..];
        if let Some(&first) = component.iter().min() {
            for &lit in component {
                self.seen[lit.0 as usize] = DONE;
                self.representatives[lit.0 as usize] = first;
            }
        }
        self.open.truncate(start);
    }
}

impl Round<'_> {
    /// The graph of all binary clauses that inprocessing may use.
    pub(super) fn implications(&mut self) -> Implications {
        let clauses = &self.bcp.clauses;
        let is_edge = |&clause: &ClauseRef| clauses.len(clause) == 2 && self.may_change(clause);
        let binary: Vec<ClauseRef> = clauses.iter().filter(is_edge).collect();
        let ends = |clause: ClauseRef| [0, 1].map(|at| (!clauses.lit(clause, at), clauses.lit(clause, 1 - at)));
        let mut starts = vec![0; self.bcp.watches.len() + 1];
        for (from, _) in binary.iter().flat_map(|&clause| ends(clause)) {
            starts[from.0 as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        debug_assert_eq!(starts.last(), Some(&(2 * binary.len())));
        let mut free = starts.clone();
        let mut edges = Vec::new();
        if let Some(&some) = binary.first() {
            edges.resize(2 * binary.len(), Edge { to: clauses.lit(some, 0), clause: some });
        }
        for &clause in &binary {
            for (from, to) in ends(clause) {
                let at = &mut free[from.0 as usize];
                edges[*at] = Edge { to, clause };
                *at += 1;
            }
        }
        self.bcp.stats.ticks += ((edges.len() + starts.len()) / 8) as u64;
        Implications { starts, edges }
    }
}
