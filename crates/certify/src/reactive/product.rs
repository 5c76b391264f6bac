//! Checks whether all infinite paths through a graph of labelled steps satisfy a formula. They do if the
//! product with the kernel's tableau of the violating words has no accepting cycle. One iterative search for strongly
//! connected components decides this (Couvreur 1999). A call is two positions of a word, its input and its output, or
//! one if it prints nothing.
//!
//! Rows that look alike are merged first, for all formulas at once. At first all rows look alike. In each
//! round, rows still look alike only if steps with the same labels lead from them to rows that looked alike
//! before. The merged graph has sets of rows as nodes, and a step from one set to another wherever some row of
//! the one has a step to some row of the other.
//! 1. If all paths of the merged graph satisfy a formula, all paths of the rows do, however coarse the sets
//!    are. Proof: the merged graph has every path that the rows have.
//! 2. If the sets are as fine as refinement makes them, the converse holds. Proof: the sets then have no other
//!    words than the rows.
//!
//! So the rows themselves are searched only if a path of the merged graph violates the formula and the sets
//! could still be refined.

use super::closed::{Edge, Label, Steps};
use crate::Check;
use hashbrown::HashMap;
use kernel::Work;
use kernel::temporal::tableau::{Step, Tableau};
use model::{Letter, Ltl, Reactive};
use std::rc::Rc;

/// Largest number of rounds of refinement. A round costs about as much as a search of all rows for a simple
/// formula.
const ROUNDS: usize = 48;
const NONE: u32 = u32::MAX;
/// The tableau's first state. Its obligation is that the word violates the formula.
const INITIAL: u32 = 0;

/// A graph, with its edges ordered by source node.
struct Graph {
    initial: u32,
    /// For each node: the index of its first edge. One more entry than nodes.
    first: Vec<u32>,
    /// Pairs (label, target).
    edges: Vec<(u32, u32)>,
}

impl Graph {
    fn new(nodes: usize, initial: u32, edges: impl Iterator<Item = Edge> + Clone, work: &mut Work<'_>) -> Check<Self> {
        let count = edges.clone().count();
        work.grow(nodes.saturating_mul(4).saturating_add(count.saturating_mul(8)))?;
        work.spend((nodes + 2 * count) as u64)?;
        let mut first = vec![0u32; nodes + 1];
        for edge in edges.clone() {
            first[edge.from as usize + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut at = first.clone();
        let mut to = vec![(0, 0); count];
        for edge in edges {
            let place = &mut at[edge.from as usize];
            to[*place as usize] = (edge.label, edge.to);
            *place += 1;
        }
        Ok(Self { initial, first, edges: to })
    }

    fn nodes(&self) -> usize {
        self.first.len() - 1
    }

    fn of(&self, node: u32) -> &[(u32, u32)] {
        &self.edges[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    /// The nodes that are reachable from the initial node.
    fn reachable(&self, work: &mut Work<'_>) -> Check<Vec<u32>> {
        let mut seen = vec![false; self.nodes()];
        let mut nodes = vec![self.initial];
        seen[self.initial as usize] = true;
        let mut next = 0;
        while let Some(&node) = nodes.get(next) {
            next += 1;
            work.spend(1)?;
            for &(_, to) in self.of(node) {
                if !std::mem::replace(&mut seen[to as usize], true) {
                    nodes.push(to);
                }
            }
        }
        Ok(nodes)
    }
}

/// Returns the position of the first formula that some infinite path violates.
pub(crate) fn violated(
    program: &Reactive,
    steps: &Steps,
    formulas: &[&Ltl],
    work: &mut Work<'_>,
) -> Check<Option<usize>> {
    let graph = Graph::new(steps.rows, steps.initial, steps.edges.iter().copied(), work)?;
    let (small, is_exact) = alike(&graph, work)?;
    for (number, formula) in formulas.iter().enumerate() {
        let mut calls = Calls::new(program, &steps.labels, formula, work)?;
        if accepts(&small, &mut calls, work)? && (is_exact || accepts(&graph, &mut calls, work)?) {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

/// What the input and the output of a call say about a formula ([`Tableau::read`]). Some calls have no output.
type Truths = (u32, Option<u32>);

/// The tableau of a formula, which reads calls.
struct Calls<'f> {
    tableau: Tableau<'f>,
    /// For each label.
    truths: Vec<Truths>,
    /// Steps by state and truths.
    steps: HashMap<(u32, Truths), Rc<[Step]>>,
}

impl<'f> Calls<'f> {
    fn new(program: &Reactive, labels: &[Label], formula: &'f Ltl, work: &mut Work<'_>) -> Check<Self> {
        let mut tableau = Tableau::new(formula)?;
        let mut truths = Vec::with_capacity(labels.len());
        for label in labels {
            let input = Letter::Input(program.input(label.input));
            let input = tableau.read(|letter| letter == input, work)?;
            let output = match label.output.map(Letter::Output) {
                Some(output) => Some(tableau.read(|letter| letter == output, work)?),
                None => None,
            };
            truths.push((input, output));
        }
        Ok(Self { tableau, truths, steps: HashMap::new() })
    }

    /// Returns the steps of the tableau from a state along a call with this label.
    fn steps(&mut self, state: u32, label: u32, work: &mut Work<'_>) -> Check<Rc<[Step]>> {
        let truths = self.truths[label as usize];
        if let Some(steps) = self.steps.get(&(state, truths)) {
            return Ok(Rc::clone(steps));
        }
        let first = self.tableau.steps(state, truths.0, work)?;
        let mut steps = first.to_vec();
        if let Some(output) = truths.1 {
            steps.clear();
            for one in first.iter() {
                let then = self.tableau.steps(one.to, output, work)?;
                steps.extend(then.iter().map(|next| Step { postponed: one.postponed & next.postponed, ..*next }));
            }
        }
        steps.sort_unstable();
        steps.dedup();
        work.grow(size_of_val(&steps[..]) + 64)?;
        let steps: Rc<[Step]> = steps.into();
        self.steps.insert((state, truths), Rc::clone(&steps));
        Ok(steps)
    }
}

/// Returns the merged graph of rows that look alike, and whether no word distinguishes the rows of a set.
fn alike(graph: &Graph, work: &mut Work<'_>) -> Check<(Graph, bool)> {
    let rows = graph.reachable(work)?;
    let mut class = vec![NONE; graph.nodes()];
    for &row in &rows {
        class[row as usize] = 0;
    }
    let mut next = class.clone();
    let (mut count, mut is_stable) = (1, false);
    let mut look: Vec<(u32, u32)> = Vec::new();
    for _ in 0..ROUNDS {
        let mut looks: HashMap<Box<[(u32, u32)]>, u32> = HashMap::new();
        for &row in &rows {
            look.clear();
            look.extend(graph.of(row).iter().map(|&(label, to)| (label, class[to as usize])));
            look.sort_unstable();
            look.dedup();
            work.spend(1 + look.len() as u64)?;
            let new = looks.len() as u32;
            next[row as usize] = match looks.get(&look[..]) {
                Some(&number) => number,
                None => {
                    work.grow(look.len() * 8 + 32)?;
                    looks.insert(look.as_slice().into(), new);
                    new
                }
            };
        }
        std::mem::swap(&mut class, &mut next);
        // Rows that looked different before still do. So if the number of sets has not grown, the sets are the
        // same.
        is_stable = looks.len() == count;
        count = looks.len();
        if is_stable || count > rows.len() / 2 {
            break;
        }
    }
    let mut edges: Vec<Edge> = Vec::new();
    let mut seen: HashMap<Edge, ()> = HashMap::new();
    for &row in &rows {
        for &(label, to) in graph.of(row) {
            work.spend(1)?;
            let edge = Edge { from: class[row as usize], label, to: class[to as usize] };
            if seen.insert(edge, ()).is_none() {
                work.grow(size_of::<Edge>() * 4)?;
                edges.push(edge);
            }
        }
    }
    let initial = class[graph.initial as usize];
    Ok((Graph::new(count, initial, edges.iter().copied(), work)?, is_stable))
}

/// A node of the product on the search path.
struct Visit {
    node: u32,
    state: u32,
    /// The index of the next edge. `steps` are the tableau's steps on the edge before it. `at` is the index of the
    /// next step.
    edge: usize,
    steps: Rc<[Step]>,
    at: usize,
}

/// A strongly connected component, as far as it is known.
struct Component {
    /// The number of the component's first node.
    root: u32,
    /// The eventualities that all of its edges postpone.
    postponed: u64,
    /// The eventualities that the edge to its first node postpones.
    entered: u64,
}

/// True if the product of the graph and the tableau has a cycle on which no eventuality is postponed all the time.
fn accepts(graph: &Graph, calls: &mut Calls<'_>, work: &mut Work<'_>) -> Check<bool> {
    let all = calls.tableau.all();
    // Numbers in order of the first visit. `NONE` once the whole component of a node has been searched.
    let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
    let (mut live, mut components): (Vec<(u32, u32)>, Vec<Component>) = (Vec::new(), Vec::new());
    let none: Rc<[Step]> = Rc::new([]);
    let visit = |node, state| Visit { node, state, edge: 0, steps: Rc::clone(&none), at: 0 };
    let mut count = 0;
    let mut path = Vec::new();
    let mut enter = Some((graph.initial, INITIAL, 0));
    loop {
        if let Some((node, state, entered)) = enter.take() {
            if numbers.len() == numbers.capacity() {
                work.grow(numbers.len().max(64) * 32)?;
            }
            numbers.insert((node, state), count);
            live.push((node, state));
            components.push(Component { root: count, postponed: all, entered });
            count += 1;
            path.push(visit(node, state));
        }
        let Some(top) = path.last_mut() else { return Ok(false) };
        work.spend(1)?;
        if let Some(&step) = top.steps.get(top.at) {
            top.at += 1;
            let (_, target) = graph.of(top.node)[top.edge - 1];
            match numbers.get(&(target, step.to)).copied() {
                None => enter = Some((target, step.to, step.postponed)),
                Some(NONE) => {}
                Some(number) => {
                    let mut postponed = step.postponed;
                    while let Some(component) = components.pop() {
                        postponed &= component.postponed;
                        if component.root <= number {
                            components.push(Component { postponed, ..component });
                            break;
                        }
                        postponed &= component.entered;
                    }
                    if postponed & all == 0 {
                        return Ok(true);
                    }
                }
            }
        } else if let Some(&(label, _)) = graph.of(top.node).get(top.edge) {
            (top.edge, top.at) = (top.edge + 1, 0);
            top.steps = calls.steps(top.state, label, work)?;
        } else {
            let number = numbers[&(top.node, top.state)];
            path.pop();
            if components.last().is_some_and(|component| component.root == number) {
                components.pop();
                while let Some(done) = live.pop() {
                    let place = numbers.get_mut(&done).map(|place| std::mem::replace(place, NONE));
                    if place == Some(number) {
                        break;
                    }
                }
            }
        }
    }
}
