//! The product of a closed set of states with a tableau; [`super`] has the argument.

use super::letters::Position;
use super::tableau::{Step, Tableau};
use crate::closed::Set;
use crate::program::stepper::{Stepper, bits};
use crate::work::Work;
use crate::{Check, reject};
use hashbrown::HashMap;
use model::{Fairness, Program};
use std::rc::Rc;

/// A step of the program between states of the set, as a formula sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Edge {
    /// The place of the next state in the table.
    to: u32,
    /// What the position says about the formula ([`Tableau::read`]).
    truth: u32,
    /// The number of what the position says about the assumptions.
    acts: u32,
}

/// What a position says about an assumption: its subject can go on, and goes on.
type Act = [bool; 2];

/// The steps between the states of a closed set. A state without an enabled event has a step to itself.
#[derive(Debug)]
pub(super) struct Graph {
    /// For each place of the table: where its edges end.
    ends: Vec<usize>,
    edges: Vec<Edge>,
    initial: Vec<u32>,
    /// The different lists of what positions say about the assumptions.
    acts: Vec<Rc<[Act]>>,
    act_numbers: HashMap<Rc<[Act]>, u32>,
}

impl Graph {
    pub(super) fn new(
        program: &Program,
        stepper: &Stepper,
        set: &Set,
        fairness: &[Fairness],
        tableau: &mut Tableau<'_>,
        work: &mut Work<'_>,
    ) -> Check<Self> {
        let size = set.table.taken().last().map_or(0, |last| last + 1);
        work.grow(size.saturating_mul(size_of::<usize>()))?;
        let (acts, act_numbers) = (Vec::new(), HashMap::new());
        let mut graph = Self { ends: vec![0; size], edges: Vec::new(), initial: Vec::new(), acts, act_numbers };
        let mut initial = Vec::new();
        stepper.initial_states(|state| {
            initial.push(find(set, state, &mut Vec::new(), work)?);
            Ok(())
        })?;
        graph.initial = initial;
        let (mut state, mut enabled, mut next) = (Vec::new(), Vec::new(), Vec::new());
        let (mut changes, mut choices, mut key) = (Vec::new(), Vec::new(), Vec::new());
        let (mut edges, mut can, mut acts): (Vec<Edge>, Vec<bool>, Vec<Act>) = Default::default();
        for place in set.table.taken() {
            set.layout.unpack(set.table.key(place), &mut state);
            work.spend(1 + state.len() as u64)?;
            stepper.enabled(&state, &mut enabled);
            let position = Position { program, stepper, state: &state, enabled: &enabled, event: None };
            can.clear();
            can.extend(fairness.iter().map(|of| position.satisfies(of.letters()[0])));
            work.spend((fairness.len() * enabled.len()) as u64)?;
            let mut say = |graph: &mut Self, position: &Position<'_>, work: &mut Work<'_>| {
                work.spend(1 + fairness.len() as u64)?;
                let does = |of: &Fairness| position.satisfies(of.letters()[1]);
                acts.clear();
                acts.extend(fairness.iter().zip(&can).map(|(of, can)| [*can, does(of)]));
                Ok(graph.number(&acts))
            };
            edges.clear();
            for event in bits(&enabled) {
                let position = Position { event: Some(event), ..position };
                let (truth, acts) = (tableau.read(&position, work)?, say(&mut graph, &position, work)?);
                stepper.products(&state, event, &mut changes, &mut choices, &mut |changes| {
                    next.clone_from(&state);
                    changes.iter().for_each(|change| next[change.slot] = change.to);
                    edges.push(Edge { to: find(set, &next, &mut key, work)?, truth, acts });
                    Ok(())
                })?;
            }
            if edges.is_empty() {
                let (truth, acts) = (tableau.read(&position, work)?, say(&mut graph, &position, work)?);
                edges.push(Edge { to: place as u32, truth, acts });
            }
            edges.sort_unstable();
            edges.dedup();
            if graph.edges.len() + edges.len() > graph.edges.capacity() {
                work.grow(2 * graph.edges.len() * size_of::<Edge>())?;
            }
            graph.edges.append(&mut edges);
            graph.ends[place] = graph.edges.len();
        }
        Ok(graph)
    }

    /// Returns the number of what a position says about the assumptions.
    fn number(&mut self, acts: &[Act]) -> u32 {
        if let Some(number) = self.act_numbers.get(acts) {
            return *number;
        }
        let (number, acts): (u32, Rc<[Act]>) = (self.acts.len() as u32, acts.into());
        self.acts.push(Rc::clone(&acts));
        self.act_numbers.insert(acts, number);
        number
    }

    /// Returns the range of the edges of the state at this place. Only occupied places are asked for.
    fn edges_of(&self, place: u32, begins: &[usize]) -> std::ops::Range<usize> {
        begins[place as usize]..self.ends[place as usize]
    }

    /// Returns for each occupied place where its edges begin.
    fn begins(&self) -> Vec<usize> {
        let mut last = 0;
        let begin = |end: &usize| if *end == 0 { 0 } else { std::mem::replace(&mut last, *end) };
        self.ends.iter().map(begin).collect()
    }
}

/// Returns the place of a state in the table.
fn find(set: &Set, state: &[u32], key: &mut Vec<u64>, work: &mut Work<'_>) -> Check<u32> {
    work.spend(1 + state.len() as u64)?;
    key.clear();
    let found = if set.layout.pack(state, |word| key.push(word)) { set.table.find(key, work)? } else { None };
    match found.map(u32::try_from) {
        Some(Ok(place)) => Ok(place),
        Some(Err(_)) => Err(crate::Refusal::ResourceLimit),
        None => reject("the set is not closed"),
    }
}

/// The nodes of the product that are reachable.
pub(super) struct Product<'a, 'f> {
    graph: &'a Graph,
    fairness: &'a [Fairness],
    begins: Vec<usize>,
    tableau: &'a mut Tableau<'f>,
    /// The places and the states of the tableau of the nodes.
    nodes: Vec<(u32, u32)>,
    known: HashMap<(u32, u32), u32>,
    /// For each node: true if it is left ([`super`], claim 2).
    is_left: Vec<bool>,
    /// For each node that is left; [`OPEN`] as long as it has none.
    numbers: Vec<u32>,
}

const OPEN: u32 = u32::MAX;

/// A node on the path of the search, and the next step to look at.
struct Frame {
    node: u32,
    edge: usize,
    steps: Rc<[Step]>,
    at: usize,
}

/// The nodes on the path of the search, and those that have no number yet.
#[derive(Default)]
struct Path {
    frames: Vec<Frame>,
    stack: Vec<u32>,
    /// For each node: when it was visited, and the earliest visit of a node without a number that it leads to.
    visits: Vec<u32>,
    low: Vec<u32>,
    visited: u32,
}

/// What is known of the steps between the nodes of a number.
#[derive(Clone)]
struct Summary {
    /// A place where such a step begins.
    place: Option<usize>,
    /// The eventualities that all of them postpone.
    postponed: u64,
    /// For each assumption: true if at some of them its subject goes on, cannot go on, or can go on.
    does: Vec<bool>,
    cannot: Vec<bool>,
    can: Vec<bool>,
}

impl<'a, 'f> Product<'a, 'f> {
    pub(super) fn new(graph: &'a Graph, fairness: &'a [Fairness], tableau: &'a mut Tableau<'f>) -> Self {
        let begins = graph.begins();
        let (nodes, known, is_left, numbers) = (Vec::new(), HashMap::new(), Vec::new(), Vec::new());
        Self { graph, fairness, begins, tableau, nodes, known, is_left, numbers }
    }

    /// Visits all nodes.
    pub(super) fn visit(&mut self, work: &mut Work<'_>) -> Check<()> {
        for place in &self.graph.initial {
            add((*place, 0), &mut self.nodes, &mut self.known, work)?;
        }
        let mut at = 0;
        while let Some(&(place, state)) = self.nodes.get(at) {
            for edge in &self.graph.edges[self.graph.edges_of(place, &self.begins)] {
                for step in self.tableau.steps(state, edge.truth, work)?.iter() {
                    add((edge.to, step.to), &mut self.nodes, &mut self.known, work)?;
                }
            }
            at += 1;
        }
        self.is_left = vec![true; self.nodes.len()];
        Ok(())
    }

    /// Removes nodes in rounds, as long as claim 2 of [`super`] allows it. Returns the place of a node that cannot be
    /// removed, if there is one.
    pub(super) fn remain(&mut self, work: &mut Work<'_>) -> Check<Option<usize>> {
        while self.is_left.contains(&true) {
            self.number(work)?;
            let summaries = self.summarise(work)?;
            let mut left = vec![false; self.nodes.len()];
            for node in (0..self.nodes.len()).filter(|node| self.is_left[*node]) {
                work.spend(1)?;
                let summary = &summaries[self.numbers[node] as usize];
                let Some(place) = summary.place else { continue };
                if summary.postponed & self.tableau.all() != 0 {
                    continue;
                }
                let is_unmet = |a: &usize| match self.fairness[*a].is_strong {
                    true => !summary.does[*a] && summary.can[*a],
                    false => !summary.does[*a] && !summary.cannot[*a],
                };
                let unmet: Vec<usize> = (0..self.fairness.len()).filter(is_unmet).collect();
                if unmet.is_empty() {
                    return Ok(Some(place));
                }
                let edge = &self.graph.edges[self.graph.edges_of(self.nodes[node].0, &self.begins).start];
                let acts = &self.graph.acts[edge.acts as usize];
                left[node] = unmet.iter().all(|a| self.fairness[*a].is_strong && !acts[*a][0]);
            }
            assert!((0..left.len()).any(|node| self.is_left[node] && !left[node]), "each round removes nodes");
            self.is_left = left;
        }
        Ok(None)
    }

    /// Gives the nodes that are left numbers: the same within a strongly connected component, and a greater one than
    /// those of the components that it reaches (Tarjan 1972, without recursion).
    fn number(&mut self, work: &mut Work<'_>) -> Check<()> {
        self.numbers = vec![OPEN; self.nodes.len()];
        let unvisited = vec![OPEN; self.nodes.len()];
        let mut path = Path { visits: unvisited.clone(), low: unvisited, ..Path::default() };
        let mut components = 0;
        for root in 0..self.nodes.len() as u32 {
            self.enter(root, &mut path, work)?;
            while let Some(frame) = path.frames.last_mut() {
                work.spend(1)?;
                let node = frame.node as usize;
                if let Some(step) = frame.steps.get(frame.at) {
                    frame.at += 1;
                    let to = self.known[&(self.graph.edges[frame.edge].to, step.to)];
                    match path.visits[to as usize] {
                        OPEN => self.enter(to, &mut path, work)?,
                        visit if self.numbers[to as usize] == OPEN => path.low[node] = path.low[node].min(visit),
                        _ => {}
                    }
                    continue;
                }
                let (place, state) = self.nodes[node];
                if frame.edge + 1 < self.graph.edges_of(place, &self.begins).end {
                    frame.edge += 1;
                    frame.at = 0;
                    frame.steps = self.tableau.steps(state, self.graph.edges[frame.edge].truth, work)?;
                    continue;
                }
                path.frames.pop();
                if let Some(parent) = path.frames.last() {
                    path.low[parent.node as usize] = path.low[parent.node as usize].min(path.low[node]);
                }
                if path.low[node] == path.visits[node] {
                    while let Some(member) = path.stack.pop() {
                        self.numbers[member as usize] = components;
                        if member as usize == node {
                            break;
                        }
                    }
                    components += 1;
                }
            }
        }
        Ok(())
    }

    /// Begins to visit a node, if it is left and new.
    fn enter(&mut self, node: u32, path: &mut Path, work: &mut Work<'_>) -> Check<()> {
        if !self.is_left[node as usize] || path.visits[node as usize] != OPEN {
            return Ok(());
        }
        path.visits[node as usize] = path.visited;
        path.low[node as usize] = path.visited;
        path.visited += 1;
        path.stack.push(node);
        let (place, state) = self.nodes[node as usize];
        let edge = self.graph.edges_of(place, &self.begins).start;
        let steps = self.tableau.steps(state, self.graph.edges[edge].truth, work)?;
        path.frames.push(Frame { node, edge, steps, at: 0 });
        Ok(())
    }

    /// Summarises the steps between nodes of each number, and checks that no step between nodes that are left leads to
    /// a greater number.
    fn summarise(&mut self, work: &mut Work<'_>) -> Check<Vec<Summary>> {
        let is_numbered = |number: &&u32| **number != OPEN;
        let count = self.numbers.iter().filter(is_numbered).max().map_or(0, |last| *last as usize + 1);
        let none = vec![false; self.fairness.len()];
        work.grow(count.saturating_mul(size_of::<Summary>() + 3 * none.len()))?;
        let empty =
            Summary { place: None, postponed: u64::MAX, does: none.clone(), cannot: none.clone(), can: none.clone() };
        let mut summaries = vec![empty; count];
        for node in (0..self.nodes.len()).filter(|node| self.is_left[*node]) {
            let ((place, state), number) = (self.nodes[node], self.numbers[node]);
            for edge in &self.graph.edges[self.graph.edges_of(place, &self.begins)] {
                for step in self.tableau.steps(state, edge.truth, work)?.iter() {
                    work.spend(1 + self.fairness.len() as u64)?;
                    let to = self.known[&(edge.to, step.to)] as usize;
                    if !self.is_left[to] {
                        continue;
                    }
                    assert!(number != OPEN && self.numbers[to] <= number, "nodes have numbers, which never rise");
                    if self.numbers[to] != number {
                        continue;
                    }
                    let summary = &mut summaries[number as usize];
                    summary.place = Some(place as usize);
                    summary.postponed &= step.postponed;
                    for (a, [can, does]) in self.graph.acts[edge.acts as usize].iter().enumerate() {
                        summary.does[a] |= does;
                        summary.can[a] |= can;
                        summary.cannot[a] |= !can;
                    }
                }
            }
        }
        Ok(summaries)
    }
}

/// Adds a node, if it is new.
fn add(
    node: (u32, u32),
    nodes: &mut Vec<(u32, u32)>,
    known: &mut HashMap<(u32, u32), u32>,
    work: &mut Work<'_>,
) -> Check<()> {
    const BYTES: usize = 64;
    let number = nodes.len() as u32;
    work.spend(1)?;
    if number == OPEN {
        return Err(crate::Refusal::ResourceLimit);
    }
    if nodes.len() == nodes.capacity() {
        work.grow(nodes.len() * BYTES)?;
    }
    known.entry(node).or_insert_with(|| {
        nodes.push(node);
        number
    });
    Ok(())
}
