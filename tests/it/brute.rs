//! A checker for tiny programs that is slow and obvious: the truth that everything else is compared with.

use impasse::model::{EventId, Formula, Goal, LocalId, Node, Problem, Program, ThreadId};
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// What is true of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Truth {
    /// Events of a shortest run into a state of the goal, for each goal that is reachable.
    pub(crate) shortest: BTreeMap<Goal, u64>,
    /// Distinct reachable composite states.
    pub(crate) states: u64,
    /// Pairs of an enabled event and a successor, over all of them.
    pub(crate) transitions: u64,
    /// The states, with the length of a shortest run into each.
    depth: BTreeMap<Vec<LocalId>, u64>,
}

/// As [`truth`], of all that is asked: `None` also if there is nothing to compare.
pub(crate) fn truth_of(problem: &Problem, most: usize) -> Option<Truth> {
    let mut truth = truth(problem.program(), most)?;
    for goal in problem.goals() {
        let Some(formula) = problem.formula(goal) else { continue };
        let depths = truth.depth.iter().filter(|(state, _)| holds(problem.program(), formula, state));
        if let Some(least) = depths.map(|(_, depth)| *depth).min() {
            truth.shortest.insert(goal, least);
        }
    }
    Some(truth)
}

/// Does the state satisfy the formula, node by node?
fn holds(program: &Program, formula: &Formula, state: &[LocalId]) -> bool {
    let marks = program.threads().iter().zip(state).flat_map(|(t, s)| (0..t.states.len()).map(|i| i == s.index()));
    let marks: Vec<bool> = marks.collect();
    let mut values: Vec<bool> = Vec::new();
    for node in formula.nodes() {
        values.push(match node {
            Node::All(parts) => parts.iter().all(|p| values[p.index()]),
            Node::Any(parts) => parts.iter().any(|p| values[p.index()]),
            Node::AtLeast(sum) => {
                let counted = sum.terms.iter().filter(|(p, _)| marks[p.index()]).map(|(_, weight)| weight);
                counted.sum::<BigInt>() >= sum.at_least
            }
        });
    }
    *values.last().expect("a formula has a root")
}

/// Explores all of `program` breadth first; `None` if it has more than `most` states.
pub(crate) fn truth(program: &Program, most: usize) -> Option<Truth> {
    let mut depth: BTreeMap<Vec<LocalId>, u64> = BTreeMap::new();
    let mut queue: Vec<Vec<LocalId>> = Vec::new();
    let mut truth = Truth { shortest: BTreeMap::new(), states: 0, transitions: 0, depth: BTreeMap::new() };
    for state in choices(program.threads().iter().map(|t| t.initial.clone())) {
        depth.insert(state.clone(), 0);
        queue.push(state);
    }
    let mut next = 0;
    while next < queue.len() {
        if queue.len() > most {
            return None;
        }
        let state = queue[next].clone();
        let steps = depth[&state];
        next += 1;
        let bad = program.threads().iter().zip(&state).any(|(t, s)| t.state(*s).bad);
        let events = if bad { Vec::new() } else { enabled(program, &state) };
        let mut threads = (0..).map(ThreadId).zip(&state);
        let may_end = program.has_finals() && threads.all(|(t, s)| program.is_final(t, *s));
        if bad || (events.is_empty() && !may_end) {
            truth.shortest.entry(if bad { Goal::Bad } else { Goal::Deadlock }).or_insert(steps);
        }
        for e in events {
            for to in choices(program.threads().iter().zip(&state).map(|(t, s)| t.targets(*s, e).collect())) {
                truth.transitions += 1;
                if !depth.contains_key(&to) {
                    depth.insert(to.clone(), steps + 1);
                    queue.push(to);
                }
            }
        }
    }
    truth.states = queue.len() as u64;
    truth.depth = depth;
    Some(truth)
}

fn enabled(program: &Program, state: &[LocalId]) -> Vec<EventId> {
    let locals = || program.threads().iter().zip(state).map(|(t, s)| t.state(*s));
    let events = (0..program.events().len()).map(EventId::new);
    events.filter(|&e| locals().any(|s| s.request.contains(e)) && !locals().any(|s| s.block.contains(e))).collect()
}

/// All ways to take one of each.
fn choices(lists: impl Iterator<Item = Vec<LocalId>>) -> Vec<Vec<LocalId>> {
    lists.fold(vec![Vec::new()], |done, list| {
        done.iter().flat_map(|head| list.iter().map(move |s| [head.as_slice(), &[*s]].concat())).collect()
    })
}
