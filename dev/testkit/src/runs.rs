//! The truth about temporal formulas, by the textbook: guesses of truth values instead of obligations, fairness as
//! conditions on components instead of formulas, and components by two depth-first searches (Kosaraju).
//!
//! A node is a step of the system with a guess, for each temporal subformula, of what it needs from the next position.
//! The guesses determine the truth of all subformulas. A guess must be what the next node makes true. The least
//! fixpoints must not be put off for ever, and the greatest ones must not be denied for ever.

use model::{Fairness, Letter, Ltl, LtlId, LtlNode, Subject};
use std::collections::HashMap;

/// The largest numbers of temporal subformulas and of subformulas.
const MOST_TEMPORAL: usize = 6;
const MOST_NODES: usize = 64;

/// A step, or the end of a run, which repeats for ever.
#[derive(Clone, Copy, Debug)]
pub struct Step<E> {
    /// The number of the state where it begins.
    pub from: usize,
    /// What happens; `None` at the end of a run.
    pub event: Option<E>,
    /// The number of the next state.
    pub to: usize,
}

/// A finite graph with the maximal runs of a system.
pub trait Runs {
    /// What may happen in a step.
    type Event;

    /// Returns all steps. A state without successor has a step to itself.
    fn steps(&self) -> &[Step<Self::Event>];

    /// Returns the number of initial states, which have the smallest numbers.
    fn initial(&self) -> usize;

    /// True if the subject of an assumption can go on where the step begins.
    fn can(&self, step: &Step<Self::Event>, subject: Subject) -> bool;

    /// True if the subject of an assumption goes on in the step.
    fn does(&self, step: &Step<Self::Event>, subject: Subject) -> bool;

    /// True if the letter holds at the step.
    fn holds(&self, step: &Step<Self::Event>, letter: Letter) -> bool;
}

/// Returns the truth of each subformula at a step, if `guess` has what its temporal subformulas need.
fn truth<R: Runs>(graph: &R, step: &Step<R::Event>, formula: &Ltl, temporal: &[usize], guess: usize) -> u64 {
    let mut truth = 0u64;
    for (id, node) in formula.nodes().iter().enumerate() {
        let of = |a: LtlId| truth >> a.index() & 1 == 1;
        let next = temporal.iter().position(|t| *t == id).is_some_and(|at| guess >> at & 1 == 1);
        let value = match *node {
            LtlNode::Constant(value) => value,
            LtlNode::Letter(letter) => graph.holds(step, letter),
            LtlNode::Not(a) => !of(a),
            LtlNode::And(a, b) => of(a) && of(b),
            LtlNode::Or(a, b) => of(a) || of(b),
            LtlNode::Next(_) => next,
            LtlNode::Until(a, b) | LtlNode::WeakUntil(a, b) => of(b) || of(a) && next,
            LtlNode::Release(a, b) => of(b) && (of(a) || next),
            LtlNode::Globally(a) => of(a) && next,
            LtlNode::Finally(a) => of(a) || next,
        };
        truth |= u64::from(value) << id;
    }
    truth
}

/// A node of the product: a step, and the truth of the subformulas there.
struct Node {
    step: usize,
    truth: u64,
}

/// True if some maximal run that satisfies all assumptions violates the formula. `None` if the formula is too large.
pub fn is_violated<R: Runs>(graph: &R, formula: &Ltl, fairness: &[Fairness]) -> Option<bool> {
    let is_temporal = |node: &LtlNode| {
        use LtlNode::{And, Constant, Letter, Not, Or};
        !matches!(node, Constant(_) | Letter(_) | Not(_) | And(..) | Or(..))
    };
    let temporal: Vec<usize> = (0..formula.nodes().len()).filter(|i| is_temporal(&formula.nodes()[*i])).collect();
    if temporal.len() > MOST_TEMPORAL || formula.nodes().len() > MOST_NODES {
        return None;
    }
    let (mut nodes, mut guesses) = (Vec::new(), Vec::new());
    // The nodes by the state where their step begins, and by the guess before that they confirm.
    let mut confirming: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
    for (step, of) in graph.steps().iter().enumerate() {
        for guess in 0..1 << temporal.len() {
            let truth = truth(graph, of, formula, &temporal, guess);
            let needed = |id: usize| if let LtlNode::Next(a) = formula.nodes()[id] { a.index() } else { id };
            let bits = temporal.iter().enumerate().map(|(at, id)| (truth >> needed(*id) & 1) << at);
            confirming.entry((of.from, bits.sum::<u64>() as usize)).or_default().push(nodes.len());
            nodes.push(Node { step, truth });
            guesses.push(guess);
        }
    }
    let none = Vec::new();
    let next: Vec<&Vec<usize>> = (0..nodes.len())
        .map(|n| confirming.get(&(graph.steps()[nodes[n].step].to, guesses[n])).unwrap_or(&none))
        .collect();
    let is_first = |n: &usize| {
        graph.steps()[nodes[*n].step].from < graph.initial() && nodes[*n].truth >> formula.root().index() & 1 == 0
    };
    let reached = reached(&next, (0..nodes.len()).filter(is_first).collect());
    Some(has_fair_cycle(graph, formula, fairness, &nodes, &next, reached))
}

fn reached(next: &[&Vec<usize>], mut todo: Vec<usize>) -> Vec<usize> {
    let mut seen = vec![false; next.len()];
    let mut list = Vec::new();
    while let Some(node) = todo.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            list.push(node);
            todo.extend(next[node]);
        }
    }
    list
}

/// True if some component within these nodes is fair, or becomes so without the nodes in which a strong assumption is
/// not met.
fn has_fair_cycle(
    graph: &impl Runs,
    formula: &Ltl,
    fairness: &[Fairness],
    nodes: &[Node],
    next: &[&Vec<usize>],
    all: Vec<usize>,
) -> bool {
    let mut todo = vec![all];
    while let Some(set) = todo.pop() {
        for component in components(next, &set) {
            if !is_just(formula, nodes, &component) {
                continue;
            }
            let step = |n: &usize| &graph.steps()[nodes[*n].step];
            let does = |f: &Fairness| component.iter().any(|n| graph.does(step(n), f.subject));
            let cannot = |f: &Fairness| component.iter().any(|n| !graph.can(step(n), f.subject));
            if fairness.iter().any(|f| !f.is_strong && !does(f) && !cannot(f)) {
                continue;
            }
            let missed: Vec<&Fairness> = fairness.iter().filter(|f| f.is_strong && !does(f)).collect();
            let is_left = |n: &&usize| missed.iter().all(|f| !graph.can(step(n), f.subject));
            let rest: Vec<usize> = component.iter().filter(is_left).copied().collect();
            if rest.len() == component.len() {
                return true;
            }
            todo.push(rest);
        }
    }
    false
}

/// True if no fixpoint is put off, or denied, in all nodes.
fn is_just(formula: &Ltl, nodes: &[Node], component: &[usize]) -> bool {
    (0..formula.nodes().len()).all(|id| {
        component.iter().any(|n| {
            let of = |a: LtlId| nodes[*n].truth >> a.index() & 1 == 1;
            let is_true = of(LtlId::new(id));
            match formula.nodes()[id] {
                LtlNode::Until(_, b) => !is_true || of(b),
                LtlNode::Finally(a) => !is_true || of(a),
                LtlNode::Globally(a) => is_true || !of(a),
                LtlNode::Release(_, b) => is_true || !of(b),
                LtlNode::WeakUntil(a, b) => is_true || !of(a) && !of(b),
                _ => true,
            }
        })
    })
}

/// Returns the strongly connected components with a cycle of the graph of these nodes.
fn components(next: &[&Vec<usize>], set: &[usize]) -> Vec<Vec<usize>> {
    let mut inside = vec![false; next.len()];
    set.iter().for_each(|n| inside[*n] = true);
    let mut before: HashMap<usize, Vec<usize>> = HashMap::new();
    for n in set {
        next[*n].iter().filter(|to| inside[**to]).for_each(|to| before.entry(*to).or_default().push(*n));
    }
    let mut seen = vec![false; next.len()];
    let mut order = Vec::new();
    for root in set {
        let mut path = vec![(*root, 0)];
        if std::mem::replace(&mut seen[*root], true) {
            continue;
        }
        while let Some((node, at)) = path.last_mut() {
            let to = next[*node].get(*at).copied();
            *at += 1;
            match to {
                Some(to) if inside[to] && !std::mem::replace(&mut seen[to], true) => path.push((to, 0)),
                Some(_) => {}
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
    }
    let mut found = Vec::new();
    for root in order.into_iter().rev() {
        let (mut component, mut todo) = (Vec::new(), vec![root]);
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut inside[node], false) {
                component.push(node);
                todo.extend(before.get(&node).into_iter().flatten());
            }
        }
        if component.len() > 1 || component.first().is_some_and(|n| next[*n].contains(n)) {
            found.push(component);
        }
    }
    found
}
