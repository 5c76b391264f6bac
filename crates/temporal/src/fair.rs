//! Searches for a fair run that the automaton of a violation accepts.
//!
//! The reachable part of the product is built. Its strongly connected components are computed in rounds, among the
//! nodes that are left. A component without an accepted cycle, or in which a weak assumption is not met, is removed. If
//! only strong assumptions are not met in a component, the nodes in which their subjects can go on are removed, and the
//! rest is divided again (Emerson and Lei, "Modalities for model checking", 1987). A component in which all assumptions
//! are met gives a run.

use crate::graph::Call;
use crate::quotient::View;
use crate::scc::components;
use crate::search::{LassoResult, Reader};
use hashbrown::HashMap;
use model::Budget;
use std::collections::VecDeque;

/// What an assumption says about a step: its subject can go on, and it goes on.
pub type Act = [bool; 2];

/// The assumptions: true for strong ones, and for each label what they say about its steps.
#[derive(Debug)]
pub(crate) struct Assumptions {
    pub(crate) strong: Vec<bool>,
    pub(crate) acts: Vec<Box<[Act]>>,
}

#[derive(Clone, Copy)]
struct Edge {
    call: Call,
    marks: u64,
    to: usize,
}

/// The reachable part of the product.
struct Product<'a> {
    assumptions: &'a Assumptions,
    all: u64,
    /// For each node: its state of the view.
    states: Vec<u32>,
    edges: Vec<Vec<Edge>>,
    starts: usize,
}

/// A kind of step that a loop needs.
type Wanted<'a> = Box<dyn Fn(&Edge) -> bool + 'a>;

/// Nodes between two looks at the budget.
const BATCH: usize = 256;

/// Searches for a fair run. Does not return before the search is completed, or stopped.
pub(crate) fn search(view: &View, reader: &Reader, assumptions: &Assumptions, budget: &mut Budget) -> LassoResult {
    let product = match Product::new(view, reader, assumptions, budget) {
        Ok(product) => product,
        Err(found) => return found,
    };
    let mut is_left = vec![true; product.edges.len()];
    loop {
        budget.spend(product.edges.len() as u64 / 4);
        if budget.stop.raised().is_some() {
            return LassoResult::Turn;
        }
        let inside = |node: usize| product.edges[node].iter().filter(|edge| is_left[edge.to]);
        let component = components(product.edges.len(), |node| match is_left[node] {
            true => inside(node).map(|edge| edge.to).collect(),
            false => Vec::new(),
        });
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); product.edges.len()];
        (0..is_left.len()).filter(|n| is_left[*n]).for_each(|n| members[component[n]].push(n));
        let mut left = vec![false; is_left.len()];
        for nodes in members.iter().filter(|nodes| !nodes.is_empty()) {
            match product.judge(nodes, |to| component[to] == component[nodes[0]] && is_left[to]) {
                Judged::Fair => return product.lasso(nodes, |to| component[to] == component[nodes[0]] && is_left[to]),
                Judged::Rest(rest) => rest.into_iter().for_each(|n| left[n] = true),
            }
        }
        if !left.contains(&true) {
            return LassoResult::Nothing;
        }
        is_left = left;
    }
}

enum Judged {
    Fair,
    /// The component has no fair cycle except among these nodes.
    Rest(Vec<usize>),
}

impl<'a> Product<'a> {
    fn new(
        view: &View,
        reader: &Reader,
        assumptions: &'a Assumptions,
        budget: &mut Budget,
    ) -> Result<Self, LassoResult> {
        let mut numbers: HashMap<(u32, u32), usize> = HashMap::new();
        let mut nodes: Vec<(u32, u32)> = Vec::new();
        let mut number = |node: (u32, u32), nodes: &mut Vec<(u32, u32)>| {
            *numbers.entry(node).or_insert_with(|| {
                nodes.push(node);
                nodes.len() - 1
            })
        };
        for &state in &view.initial {
            for q in reader.starts() {
                number((state, *q), &mut nodes);
            }
        }
        let starts = nodes.len();
        let (mut edges, mut size) = (Vec::new(), 0);
        while edges.len() < nodes.len() {
            if edges.len() % BATCH == 0 {
                budget.spend(BATCH as u64 / 4);
                if budget.stop.raised().is_some() {
                    return Err(LassoResult::Turn);
                }
                if !budget.stop.has_room((nodes.len() * 64 + size * size_of::<Edge>()) / 2) {
                    return Err(LassoResult::Full);
                }
            }
            let (state, q) = nodes[edges.len()];
            let mut list = Vec::new();
            for &call in view.calls_from(state as usize) {
                for edge in reader.edges(q, call.label) {
                    list.push(Edge { call, marks: edge.marks, to: number((call.to, edge.to), &mut nodes) });
                }
            }
            size += list.len();
            edges.push(list);
        }
        let states = nodes.into_iter().map(|(state, _)| state).collect();
        Ok(Self { assumptions, all: reader.all(), states, edges, starts })
    }

    fn act(&self, edge: &Edge, assumption: usize) -> Act {
        self.assumptions.acts[edge.call.label as usize][assumption]
    }

    /// True if this step meets an assumption: the subject goes on, or, for weak ones, cannot go on.
    fn meets(&self, edge: &Edge, assumption: usize) -> bool {
        let [can, does] = self.act(edge, assumption);
        does || !can && !self.assumptions.strong[assumption]
    }

    /// Returns the steps between nodes of a component.
    fn inner<'b>(&'b self, nodes: &'b [usize], inside: impl Fn(usize) -> bool + 'b) -> Vec<&'b Edge> {
        nodes.iter().flat_map(|n| &self.edges[*n]).filter(|edge| inside(edge.to)).collect()
    }

    fn judge(&self, nodes: &[usize], inside: impl Fn(usize) -> bool) -> Judged {
        let inner = self.inner(nodes, inside);
        let marks = inner.iter().fold(0, |marks, edge| marks | edge.marks);
        if inner.is_empty() || marks != self.all {
            return Judged::Rest(Vec::new());
        }
        let is_missed = |a: &usize| !inner.iter().any(|edge| self.meets(edge, *a));
        let missed: Vec<usize> = (0..self.assumptions.strong.len()).filter(is_missed).collect();
        if missed.iter().any(|a| !self.assumptions.strong[*a]) {
            return Judged::Rest(Vec::new());
        }
        let can = |n: &usize| self.edges[*n].iter().any(|edge| missed.iter().any(|a| self.act(edge, *a)[0]));
        let rest: Vec<usize> = nodes.iter().copied().filter(|n| !can(n)).collect();
        if rest.len() == nodes.len() { Judged::Fair } else { Judged::Rest(rest) }
    }

    /// Returns a short run into a fair component, followed by a loop that is accepted and meets all assumptions.
    fn lasso(&self, nodes: &[usize], inside: impl Fn(usize) -> bool + Copy) -> LassoResult {
        let mut wanted: Vec<Wanted<'_>> = Vec::new();
        for mark in (0..u64::BITS).map(|bit| 1 << bit).filter(|mark| self.all & mark != 0) {
            wanted.push(Box::new(move |edge| edge.marks & mark != 0));
        }
        let inner = self.inner(nodes, inside);
        for assumption in 0..self.assumptions.strong.len() {
            if inner.iter().any(|edge| self.meets(edge, assumption)) {
                wanted.push(Box::new(move |edge| self.meets(edge, assumption)));
            }
        }
        let starts: Vec<usize> = (0..self.starts).collect();
        let (stem, entry) = match starts.iter().find(|n| inside(**n)) {
            Some(start) => (Vec::new(), *start),
            None => self.path(&starts, |_| true, |edge| inside(edge.to)),
        };
        let (mut round, mut at): (Vec<(usize, Edge)>, usize) = (Vec::new(), entry);
        for wants in &wanted {
            if !round.iter().any(|(_, edge)| wants(edge)) {
                let (part, to) = self.path(&[at], inside, wants);
                round.extend(part);
                at = to;
            }
        }
        if at != entry || round.is_empty() {
            round.extend(self.path(&[at], inside, |edge| edge.to == entry).0);
        }
        let calls =
            |steps: Vec<(usize, Edge)>| steps.iter().map(|(from, edge)| (self.states[*from], edge.call)).collect();
        LassoResult::Lasso(calls(stem), calls(round))
    }

    /// Returns a shortest path through nodes that satisfy `inside`, up to a step that satisfies `ends`. There is one.
    fn path(
        &self,
        starts: &[usize],
        inside: impl Fn(usize) -> bool,
        ends: impl Fn(&Edge) -> bool,
    ) -> (Vec<(usize, Edge)>, usize) {
        let mut parents: HashMap<usize, Option<(usize, Edge)>> = starts.iter().map(|n| (*n, None)).collect();
        let mut queue: VecDeque<usize> = starts.iter().copied().collect();
        while let Some(node) = queue.pop_front() {
            for edge in self.edges[node].iter().filter(|edge| inside(edge.to)) {
                if ends(edge) {
                    let (mut steps, mut at) = (vec![(node, *edge)], node);
                    while let Some(Some((from, edge))) = parents.get(&at) {
                        steps.push((*from, *edge));
                        at = *from;
                    }
                    steps.reverse();
                    return (steps, edge.to);
                }
                parents.entry(edge.to).or_insert_with(|| {
                    queue.push_back(edge.to);
                    Some((node, *edge))
                });
            }
        }
        unreachable!("a component is connected and has what is wanted")
    }
}
