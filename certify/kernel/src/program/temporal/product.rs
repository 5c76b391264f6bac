//! The product of a closed set of states with a tableau; [`super`] has the argument.

use super::letters::Position;
use super::tableau::{Step, Tableau};
use crate::closed::Set;
use crate::program::stepper::{Stepper, bits};
use crate::work::Work;
use crate::{Check, reject};
use hashbrown::HashMap;
use model::Program;
use std::rc::Rc;

/// A step of the program between states of the set, as a formula sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Edge {
    /// The place of the next state in the table.
    to: u32,
    /// What the position says about the formula ([`Tableau::read`]).
    truth: u32,
}

/// The steps between the states of a closed set. A state without an enabled event has a step to itself.
#[derive(Debug)]
pub(super) struct Graph {
    /// For each place of the table: where its edges end.
    ends: Vec<usize>,
    edges: Vec<Edge>,
    initial: Vec<u32>,
}

impl Graph {
    pub(super) fn new(
        program: &Program,
        stepper: &Stepper,
        set: &Set,
        tableau: &mut Tableau<'_>,
        work: &mut Work<'_>,
    ) -> Check<Self> {
        let size = set.table.taken().last().map_or(0, |last| last + 1);
        work.grow(size.saturating_mul(size_of::<usize>()))?;
        let mut graph = Self { ends: vec![0; size], edges: Vec::new(), initial: Vec::new() };
        let mut initial = Vec::new();
        stepper.initial_states(|state| {
            initial.push(find(set, state, work)?);
            Ok(())
        })?;
        graph.initial = initial;
        let (mut state, mut enabled, mut next) = (Vec::new(), Vec::new(), Vec::new());
        let (mut changes, mut choices) = (Vec::new(), Vec::new());
        for place in set.table.taken() {
            set.layout.unpack(set.table.key(place), &mut state);
            work.spend(1 + state.len() as u64)?;
            stepper.enabled(&state, &mut enabled);
            let position = Position { program, stepper, state: &state, enabled: &enabled, event: None };
            let mut edges: Vec<Edge> = Vec::new();
            for event in bits(&enabled) {
                let truth = tableau.read(&Position { event: Some(event), ..position }, work)?;
                stepper.products(&state, event, &mut changes, &mut choices, &mut |changes| {
                    next.clone_from(&state);
                    changes.iter().for_each(|change| next[change.slot] = change.to);
                    edges.push(Edge { to: find(set, &next, work)?, truth });
                    Ok(())
                })?;
            }
            if edges.is_empty() {
                edges.push(Edge { to: place as u32, truth: tableau.read(&position, work)? });
            }
            edges.sort_unstable();
            edges.dedup();
            if graph.edges.len() + edges.len() > graph.edges.capacity() {
                work.grow(2 * graph.edges.len() * size_of::<Edge>())?;
            }
            graph.edges.extend(edges);
            graph.ends[place] = graph.edges.len();
        }
        Ok(graph)
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
fn find(set: &Set, state: &[u32], work: &mut Work<'_>) -> Check<u32> {
    work.spend(1 + state.len() as u64)?;
    let mut key = Vec::with_capacity(set.layout.words());
    let found = if set.layout.pack(state, |word| key.push(word)) { set.table.find(&key, work)? } else { None };
    match found.map(u32::try_from) {
        Some(Ok(place)) => Ok(place),
        Some(Err(_)) => Err(crate::Refusal::ResourceLimit),
        None => reject("the set is not closed"),
    }
}

/// The nodes of the product that are reachable, with their numbers.
pub(super) struct Product<'a, 'f> {
    graph: &'a Graph,
    begins: Vec<usize>,
    tableau: &'a mut Tableau<'f>,
    /// The places and the states of the tableau of the nodes, in the order of their visits.
    nodes: Vec<(u32, u32)>,
    known: HashMap<(u32, u32), u32>,
    /// For each node; [`OPEN`] as long as it has none.
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

impl<'a, 'f> Product<'a, 'f> {
    pub(super) fn new(graph: &'a Graph, tableau: &'a mut Tableau<'f>) -> Self {
        let begins = graph.begins();
        Self { graph, begins, tableau, nodes: Vec::new(), known: HashMap::new(), numbers: Vec::new() }
    }

    /// Visits all nodes, and gives the nodes of a strongly connected component the same number. A component has a
    /// greater number than those that it reaches (Tarjan 1972, without recursion).
    pub(super) fn number(&mut self, work: &mut Work<'_>) -> Check<()> {
        let (mut path, mut stack, mut low): (Vec<Frame>, Vec<u32>, Vec<u32>) = Default::default();
        let mut components = 0;
        for place in self.graph.initial.clone() {
            self.enter((place, 0), &mut path, &mut stack, &mut low, work)?;
            while let Some(frame) = path.last_mut() {
                work.spend(1)?;
                let node = frame.node as usize;
                if let Some(step) = frame.steps.get(frame.at) {
                    frame.at += 1;
                    let to = (self.graph.edges[frame.edge].to, step.to);
                    match self.known.get(&to) {
                        None => self.enter(to, &mut path, &mut stack, &mut low, work)?,
                        Some(&to) if self.numbers[to as usize] == OPEN => low[node] = low[node].min(to),
                        Some(_) => {}
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
                path.pop();
                if let Some(parent) = path.last() {
                    low[parent.node as usize] = low[parent.node as usize].min(low[node]);
                }
                if low[node] as usize == node {
                    while let Some(member) = stack.pop() {
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

    /// Begins to visit a node, if it is new.
    fn enter(
        &mut self,
        (place, state): (u32, u32),
        path: &mut Vec<Frame>,
        stack: &mut Vec<u32>,
        low: &mut Vec<u32>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        const BYTES: usize = 64;
        let node = self.nodes.len() as u32;
        if self.known.contains_key(&(place, state)) {
            return Ok(());
        }
        if node == OPEN {
            return Err(crate::Refusal::ResourceLimit);
        }
        if node.is_power_of_two() {
            work.grow(node as usize * BYTES)?;
        }
        self.known.insert((place, state), node);
        self.nodes.push((place, state));
        self.numbers.push(OPEN);
        low.push(node);
        stack.push(node);
        let edge = self.graph.edges_of(place, &self.begins).start;
        let steps = self.tableau.steps(state, self.graph.edges[edge].truth, work)?;
        path.push(Frame { node, edge, steps, at: 0 });
        Ok(())
    }

    /// Checks claim 2 of [`super`]. If it does not hold for a number, returns the place of a node with this number.
    pub(super) fn accepted(&mut self, work: &mut Work<'_>) -> Check<Option<usize>> {
        let count = self.numbers.iter().max().map_or(0, |last| *last as usize + 1);
        work.grow(count.saturating_mul(2 * size_of::<u64>()))?;
        // For each number: the eventualities that all of its steps postpone, and the place of a node with such a step.
        let mut postponed = vec![u64::MAX; count];
        let mut places = vec![None; count];
        for (node, &(place, state)) in self.nodes.iter().enumerate() {
            let number = self.numbers[node];
            for edge in &self.graph.edges[self.graph.edges_of(place, &self.begins)] {
                for step in self.tableau.steps(state, edge.truth, work)?.iter() {
                    work.spend(1)?;
                    let to = self.known.get(&(edge.to, step.to)).map(|to| self.numbers[*to as usize]);
                    assert!(to.is_some_and(|to| to <= number), "every node is visited, and numbers never rise");
                    if to == Some(number) {
                        postponed[number as usize] &= step.postponed;
                        places[number as usize] = Some(place as usize);
                    }
                }
            }
        }
        let bad = |(at, mask): (&Option<usize>, &u64)| at.filter(|_| *mask & self.tableau.all() == 0);
        Ok(places.iter().zip(&postponed).find_map(bad))
    }
}
