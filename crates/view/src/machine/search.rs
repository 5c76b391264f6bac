//! Breadth-first search from the current state, for targets that a user asks for, and for the picture of the state
//! graph. It is for small distances: it stores whole states, and the caller ends it. `check` searches far.

use super::aim::Aim;
use super::path::{Path, Pick};
use super::views::{EdgeView, GraphView, NodeView};
use super::{Explored, Machine, MachineError, SearchOutcome, patience};
use crate::choices::Choices;
use crate::choices::moves::successors;
use crate::steps::Value;
use model::Problem;
use num_bigint::BigUint;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Maximum number of bytes of the states that a search stores.
const BYTES: usize = 64 << 20;

/// Maximum number of parts in the title of a node, and of edges that are drawn.
const TITLE: usize = 4;
const EDGES: usize = 800;
/// Maximum number of states on the path before the current one.
const BEFORE: usize = 6;

/// A visited state: the number of its predecessor, and the step from it.
struct Visited {
    from: usize,
    pick: Option<Pick>,
}

impl<K: Choices> Machine<K> {
    /// Searches the nearest step or state that `aim` describes, at least one step away.
    pub(super) fn breadth_first(
        &self,
        aim: &Aim,
        path: &Path,
        visit: &mut dyn FnMut(usize) -> bool,
    ) -> Result<SearchOutcome, MachineError> {
        let first = self.at(path, path.picks.len())?;
        let mut bytes = self.kind.size(&first);
        let mut numbers: HashMap<K::State, usize> = HashMap::from([(first.clone(), 0)]);
        let (mut states, mut visited) = (vec![first], vec![Visited { from: 0, pick: None }]);
        let (mut next, mut is_whole, mut found) = (0, true, None);
        while next < states.len() && found.is_none() {
            if !visit(states.len()) || bytes > BYTES {
                return Ok(SearchOutcome::Cut(states.len()));
            }
            let state = states[next].clone();
            let complete = successors(&self.kind, &state, |pick, taken| {
                if self.hits(aim, pick.label, &taken) {
                    found = Some(pick);
                    return false;
                }
                if let Entry::Vacant(free) = numbers.entry(taken.to) {
                    // The state, its copy in the map, and what belongs to them.
                    bytes += 2 * self.kind.size(free.key()) + 96;
                    states.push(free.key().clone());
                    visited.push(Visited { from: next, pick: Some(pick) });
                    free.insert(states.len() - 1);
                }
                true
            });
            is_whole &= complete || found.is_some();
            next += 1;
        }
        Ok(match found {
            Some(last) => SearchOutcome::Path(path.and(way(&visited, next - 1, last))),
            None if is_whole => SearchOutcome::Nowhere(states.len()),
            None => SearchOutcome::Cut(states.len()),
        })
    }

    /// Returns the graph of all states, if there are at most `most` of them, and otherwise of the states around the end
    /// of the path: those before it on the path, and those that are reached first from there.
    pub(super) fn surroundings(&self, problem: &Problem, path: &Path, most: usize) -> Result<GraphView, MachineError> {
        let prefix = |length: usize| Path { start: path.start.clone(), picks: path.picks[..length].to_vec().into() };
        let here = self.at(path, path.picks.len())?;
        let whole = self.graph_from(problem, &[prefix(0)], most)?;
        if let Some(current) = whole.1.get(&here).filter(|_| whole.0.left_out == 0) {
            return Ok(GraphView { current: *current, ..whole.0 });
        }
        let length = path.picks.len();
        let before = length.saturating_sub(BEFORE.min(most / 4));
        let roots: Vec<Path> = (before..=length).rev().map(prefix).collect();
        Ok(self.graph_from(problem, &roots, most)?.0)
    }

    /// Returns the graph of the states at the ends of these paths, and of those that are reached first from the first
    /// one, with the numbers of the states. Of the others only the steps within the graph are shown.
    fn graph_from(
        &self,
        problem: &Problem,
        roots: &[Path],
        most: usize,
    ) -> Result<(GraphView, HashMap<K::State, usize>), MachineError> {
        let mut numbers: HashMap<K::State, usize> = HashMap::new();
        let mut states = Vec::new();
        for root in roots {
            let state = self.at(root, root.picks.len())?;
            if let Entry::Vacant(free) = numbers.entry(state.clone()) {
                free.insert(states.len());
                states.push((state, root.clone(), self.reached(problem, root)?));
            }
        }
        let others = 1..states.len();
        let mut graph = GraphView::default();
        let mut next = 0;
        while next < states.len() {
            patience::check()?;
            let (state, to_state, reached) = states[next].clone();
            let mut left_out = 0;
            let may_add = !others.contains(&next);
            let complete = successors(&self.kind, &state, |pick, taken| {
                let known = numbers.get(&taken.to).copied();
                let to = known.or_else(|| (may_add && states.len() < most).then_some(states.len()));
                let Some(to) = to.filter(|_| graph.edges.len() < EDGES) else {
                    left_out += 1;
                    return true;
                };
                let edge = EdgeView { from: next, to, event: taken.event.clone(), pick: pick.to_string() };
                graph.edges.push(edge);
                if known.is_none() {
                    let reached = self.reached_in(problem, &taken.to, &taken.goals);
                    numbers.insert(taken.to.clone(), to);
                    states.push((taken.to, to_state.and([pick]), reached));
                }
                true
            });
            graph.left_out += left_out + usize::from(!complete);
            graph.nodes.push(NodeView {
                path: to_state.to_string(),
                title: self.title(&states[0].0, &state),
                reached,
                complete: complete && left_out == 0,
                enabled: self.kind.enabled(&state).len(),
            });
            next += 1;
        }
        Ok((graph, numbers))
    }

    /// Returns the parts of a state that differ from `first`, or all parts of `first`.
    fn title(&self, first: &K::State, state: &K::State) -> Vec<String> {
        let mut parts = self.kind.differ(first, state);
        // Places without tokens say less than the others.
        let is_zero = |part: &usize| self.kind.value(state, *part) == Value::Tokens(BigUint::ZERO);
        if parts.is_empty() {
            parts = (0..self.kind.parts()).filter(|part| !is_zero(part)).collect();
        }
        parts.sort_by_key(is_zero);
        let named = |&part: &usize| {
            let text = self.kind.text(state, part).unwrap_or_else(|| self.kind.value(state, part).to_string());
            format!("{}: {text}", self.kind.part(part))
        };
        let mut title: Vec<String> = parts.iter().take(TITLE).map(named).collect();
        if parts.len() > TITLE {
            title.push(format!("and {} more", parts.len() - TITLE));
        }
        title
    }
}

/// Returns the steps to the state with number `at`, and `last` after them.
fn way(visited: &[Visited], mut at: usize, last: Pick) -> Vec<Pick> {
    let mut picks = vec![last];
    while let Some(pick) = &visited[at].pick {
        picks.push(pick.clone());
        at = visited[at].from;
    }
    picks.reverse();
    picks
}
