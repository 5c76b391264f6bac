//! Computes smaller automata that accept the same words.
//!
//! There are three steps, repeated while they help (Etessami and Holzmann 2000; Somenzi and Bloem 2000):
//!
//! 1. States and transitions are removed if no accepted word that a run may spell needs them. (The letters of a
//!    run alternate: an output follows an input.)
//! 2. Marks outside accepting components are removed.
//! 3. States that simulate each other are merged, and transitions that another transition simulates are
//!    removed.

use crate::automaton::{Automaton, AutomatonState, Edge};
use crate::scc::components;

/// The largest number of states for which simulation is computed. The relation has one bit for each pair of
/// states.
const MOST_SIMULATED: usize = 256;

/// Returns an automaton that accepts the same words among those that runs may spell.
pub(crate) fn reduce(mut automaton: Automaton) -> Automaton {
    loop {
        let (states, edges) = size(&automaton);
        automaton = forget_marks(&trim(&automaton));
        if automaton.len() <= MOST_SIMULATED {
            automaton = merge(&automaton);
        }
        automaton.check_invariants();
        if size(&automaton) == (states, edges) {
            return automaton;
        }
    }
}

fn size(automaton: &Automaton) -> (usize, usize) {
    let states = 0..automaton.len();
    (automaton.len(), states.map(|q| automaton.row(q as AutomatonState).iter().map(Vec::len).sum::<usize>()).sum())
}

/// The automaton with two nodes for each state q, depending on the letter before it. Node 2q + 1 is state q
/// after an input, so an output may follow. Node 2q is state q otherwise.
struct Alternating<'a>(&'a Automaton);

impl Alternating<'_> {
    fn edges(&self, node: usize) -> impl Iterator<Item = (usize, &Edge)> {
        let classes = (0..self.0.alphabet.len()).filter(move |&c| self.0.alphabet.is_input(c) || node % 2 == 1);
        classes.flat_map(move |c| {
            let kind = usize::from(self.0.alphabet.is_input(c));
            self.0.edges((node / 2) as AutomatonState, c).iter().map(move |e| (2 * e.to as usize + kind, e))
        })
    }

    /// Returns for each node whether it is on a path from an initial node to an accepting component.
    fn useful(&self) -> Vec<bool> {
        let count = 2 * self.0.len();
        let component = components(count, |node| self.edges(node).map(|(to, _)| to).collect());
        let mut marks = vec![None; count];
        for node in 0..count {
            for (to, edge) in self.edges(node).filter(|(to, _)| component[*to] == component[node]) {
                debug_assert_eq!(component[to], component[node]);
                *marks[component[node]].get_or_insert(0) |= edge.marks;
            }
        }
        let accepting: Vec<bool> = component.iter().map(|&c| marks[c] == Some(self.0.all)).collect();
        // A component has a smaller number than the components that reach it, so it is handled before them.
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_unstable_by_key(|&node| component[node]);
        let mut good = vec![false; count];
        for group in order.chunk_by(|&a, &b| component[a] == component[b]) {
            let is_good = group.iter().any(|&n| accepting[n] || self.edges(n).any(|(to, _)| good[to]));
            group.iter().for_each(|&n| good[n] = is_good);
        }
        let mut reached = vec![false; count];
        let mut todo: Vec<usize> = self.0.initial.iter().map(|&q| 2 * q as usize).filter(|&n| good[n]).collect();
        todo.iter().for_each(|&n| reached[n] = true);
        while let Some(node) = todo.pop() {
            for (to, _) in self.edges(node) {
                if good[to] && !reached[to] {
                    reached[to] = true;
                    todo.push(to);
                }
            }
        }
        reached
    }
}

fn trim(automaton: &Automaton) -> Automaton {
    let nodes = Alternating(automaton);
    let useful = nodes.useful();
    let mut rows: Vec<Vec<Vec<Edge>>> = vec![vec![Vec::new(); automaton.alphabet.len()]; automaton.len()];
    for (q, row) in rows.iter_mut().enumerate() {
        for (class, kept) in row.iter_mut().enumerate() {
            let kind = usize::from(automaton.alphabet.is_input(class));
            let may_read = useful[2 * q + 1] || (kind == 1 && useful[2 * q]);
            let edges = automaton
                .edges(q as AutomatonState, class)
                .iter()
                .filter(|e| may_read && useful[2 * e.to as usize + kind]);
            kept.extend(edges.copied());
        }
    }
    let is_kept: Vec<bool> = (0..automaton.len()).map(|q| useful[2 * q] || useful[2 * q + 1]).collect();
    // A state that is useless as an initial state may still be needed after an input.
    let initial = automaton.initial.iter().copied().filter(|&q| useful[2 * q as usize]).collect();
    renumber(automaton, &is_kept, initial, rows)
}

/// Returns the automaton of the kept states with the transitions `rows`, which must all be between kept states.
fn renumber(old: &Automaton, is_kept: &[bool], initial: Vec<AutomatonState>, rows: Vec<Vec<Vec<Edge>>>) -> Automaton {
    let mut number = Vec::with_capacity(is_kept.len());
    let mut next: AutomatonState = 0;
    for &kept in is_kept {
        number.push(next);
        next += AutomatonState::from(kept);
    }
    let mut new = Automaton::new(old.alphabet.clone(), old.all);
    new.initial = initial.into_iter().map(|q| number[q as usize]).collect();
    new.initial.sort_unstable();
    new.initial.dedup();
    for (row, _) in rows.into_iter().zip(is_kept).filter(|(_, kept)| **kept) {
        let rename = |e: &Edge| Edge { to: number[e.to as usize], marks: e.marks };
        new.push(row.iter().map(|edges| edges.iter().map(rename).collect()).collect());
    }
    new
}

/// Removes all marks outside components that contain every mark.
fn forget_marks(automaton: &Automaton) -> Automaton {
    let successors = |q: usize| automaton.row(q as AutomatonState).iter().flatten().map(|e| e.to as usize).collect();
    let component = components(automaton.len(), successors);
    let mut seen = vec![0; automaton.len()];
    for q in 0..automaton.len() {
        for edge in automaton.row(q as AutomatonState).iter().flatten() {
            if component[edge.to as usize] == component[q] {
                seen[component[q]] |= edge.marks;
            }
        }
    }
    let mut new = Automaton::new(automaton.alphabet.clone(), automaton.all);
    new.initial.clone_from(&automaton.initial);
    for q in 0..automaton.len() {
        let c = component[q];
        let keep = |e: &Edge| component[e.to as usize] == c && seen[c] == automaton.all;
        let marked = |e: &Edge| Edge { to: e.to, marks: if keep(e) { e.marks } else { 0 } };
        new.push(automaton.row(q as AutomatonState).iter().map(|edges| edges.iter().map(marked).collect()).collect());
    }
    new
}

/// Returns the greatest direct simulation: at `p * n + q`, true if for each transition of `p`, `q` has a
/// transition with at least the same marks to a state that simulates the target.
fn simulation(automaton: &Automaton) -> Vec<bool> {
    let n = automaton.len();
    let mut follows = vec![true; n * n];
    loop {
        let mut changed = false;
        for p in 0..n {
            for q in 0..n {
                if !follows[p * n + q] {
                    continue;
                }
                let answers =
                    |e: &Edge, f: &Edge| e.marks & !f.marks == 0 && follows[e.to as usize * n + f.to as usize];
                let mut classes = automaton.row(p as AutomatonState).iter().zip(automaton.row(q as AutomatonState));
                if !classes.all(|(es, fs)| es.iter().all(|e| fs.iter().any(|f| answers(e, f)))) {
                    follows[p * n + q] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            return follows;
        }
    }
}

fn merge(automaton: &Automaton) -> Automaton {
    let n = automaton.len();
    let follows = simulation(automaton);
    let leader = |q: AutomatonState| {
        let q = q as usize;
        (0..=q).find(|&p| follows[p * n + q] && follows[q * n + p]).map_or(q as AutomatonState, |p| p as AutomatonState)
    };
    let leaders: Vec<AutomatonState> = (0..n).map(|q| leader(q as AutomatonState)).collect();
    let beats = |f: &Edge, e: &Edge| e != f && e.marks & !f.marks == 0 && follows[e.to as usize * n + f.to as usize];
    let best = |edges: &[Edge]| -> Vec<Edge> {
        let mut led: Vec<Edge> = edges.iter().map(|e| Edge { to: leaders[e.to as usize], marks: e.marks }).collect();
        led.sort_unstable();
        led.dedup();
        led.iter().filter(|e| !led.iter().any(|f| beats(f, e))).copied().collect()
    };
    let rows = (0..n).map(|q| automaton.row(q as AutomatonState).iter().map(|edges| best(edges)).collect()).collect();
    let starts: Vec<Edge> = automaton.initial.iter().map(|&to| Edge { to, marks: 0 }).collect();
    let initial = best(&starts).into_iter().map(|e| e.to).collect();
    let is_kept: Vec<bool> = (0..n).map(|q| leaders[q] as usize == q).collect();
    renumber(automaton, &is_kept, initial, rows)
}
