//! The graph of binary clauses: from each literal to those that a binary clause implies from it; and its strongly
//! connected components, which are the literals it makes equivalent (Tarjan 1972, with a stack of our own: implications
//! are deep).

use super::Round;
use crate::clauses::ClauseRef;
use crate::lit::Lit;

#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) to: Lit,
    pub(super) clause: ClauseRef,
}

pub(super) struct Implications {
    /// By literal: where its edges begin; then the end of all.
    starts: Vec<usize>,
    edges: Vec<Edge>,
}

const UNSEEN: u32 = 0;
const DONE: u32 = u32::MAX;

/// A literal whose successors are being looked at.
struct Visit {
    lit: Lit,
    next: usize,
    entered: u32,
}

/// A depth-first search for components.
struct Search {
    /// By literal: when it was entered, from 1, or the earliest such time that is known to be reached from it.
    seen: Vec<u32>,
    now: u32,
    visits: Vec<Visit>,
    /// Seen, but not yet in a component.
    open: Vec<Lit>,
    representatives: Vec<Lit>,
}

impl Implications {
    pub(super) fn successors(&self, lit: Lit) -> &[Edge] {
        &self.edges[self.starts[lit.0 as usize]..self.starts[lit.0 as usize + 1]]
    }

    /// By literal: the one of the first variable in its component. Negations have negated representatives, unless a
    /// literal is equivalent to its own negation.
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

    /// Visits all that is reached from what was entered.
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

    /// All successors of the newest visit were seen. If none of them leads further back, what is open from there on is
    /// a component.
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
    /// The graph of all binary clauses that inprocessing may lean on.
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
