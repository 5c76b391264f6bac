//! The product of a closed set of states with a tableau; [`super`] has the argument.

use super::steps::{Positions, Steps};
use super::tableau::{Step, Tableau};
use crate::closed::Set;
use crate::work::Work;
use crate::{Check, reject};
use hashbrown::HashMap;
use model::{Fairness, Letter};
use std::ops::Range;
use std::rc::Rc;

/// A step between states of the set, as a formula sees it.
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

/// The edges of a state that nothing has asked for yet.
const UNKNOWN: Range<usize> = usize::MAX..usize::MAX;

/// The steps between the states of a set, computed when the product comes to them. A state without a step has one to
/// itself.
#[derive(Debug)]
pub(super) struct Graph<'a, P> {
    positions: &'a mut P,
    set: &'a Set,
    fairness: &'a [Fairness],
    initial: Vec<u32>,
    /// For each place of the table: its edges.
    ranges: Vec<Range<usize>>,
    edges: Vec<Edge>,
    /// For each place of the table: what its position says about the formula, if all its steps say the same.
    truths: Vec<Option<u32>>,
    /// The different lists of what positions say about the assumptions.
    acts: Vec<Rc<[Act]>>,
    act_numbers: HashMap<Rc<[Act]>, u32>,
    state: Vec<u32>,
    key: Vec<u64>,
    steps: Steps,
}

impl<'a, P: Positions> Graph<'a, P> {
    pub(super) fn new(
        positions: &'a mut P,
        set: &'a Set,
        fairness: &'a [Fairness],
        work: &mut Work<'_>,
    ) -> Check<Self> {
        let size = set.table.taken().last().map_or(0, |last| last + 1);
        work.grow(size.saturating_mul(size_of::<Range<usize>>() + size_of::<Option<u32>>()))?;
        let mut initial = Vec::new();
        positions.initial(&mut |state| {
            initial.push(find(set, state, &mut Vec::new(), work)?);
            Ok(())
        })?;
        Ok(Self {
            positions,
            set,
            fairness,
            initial,
            ranges: vec![UNKNOWN; size],
            edges: Vec::new(),
            truths: vec![None; if P::READS_EVENTS { 0 } else { size }],
            acts: Vec::new(),
            act_numbers: HashMap::new(),
            state: Vec::new(),
            key: Vec::new(),
            steps: Steps::default(),
        })
    }

    /// Returns what the position of a state says about the formula, if no letter depends on the event that happens.
    fn truth(&mut self, place: u32, tableau: &mut Tableau<'_>, work: &mut Work<'_>) -> Check<Option<u32>> {
        if P::READS_EVENTS || self.truths[place as usize].is_some() {
            return Ok(self.truths.get(place as usize).copied().flatten());
        }
        self.set.layout.unpack(self.set.table.key(place as usize), &mut self.state);
        self.positions.look_at(&self.state, work)?;
        let (positions, state) = (&*self.positions, &self.state);
        let truth = Some(tableau.read(|letter| positions.satisfies(state, letter, None), work)?);
        self.truths[place as usize] = truth;
        Ok(truth)
    }

    /// Returns the edges of the state at this place, and computes them if they are unknown.
    fn find_edges(&mut self, place: u32, tableau: &mut Tableau<'_>, work: &mut Work<'_>) -> Check<Range<usize>> {
        if self.ranges[place as usize] != UNKNOWN {
            return Ok(self.edges_of(place));
        }
        let truth = self.truth(place, tableau, work)?;
        let mut state = std::mem::take(&mut self.state);
        self.set.layout.unpack(self.set.table.key(place as usize), &mut state);
        work.spend(1 + state.len() as u64)?;
        self.positions.look_at(&state, work)?;
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        self.positions.steps(&state, &mut steps, work)?;
        let can: Vec<bool> = self.fairness.iter().map(|of| self.says(&state, of.letters()[0], None)).collect();
        work.spend(self.fairness.len() as u64)?;
        let mut edges: Vec<Edge> = Vec::new();
        let mut said: Option<(Option<u32>, u32, u32)> = None;
        for (event, next) in steps.iter(state.len()) {
            let (truth, acts) = match said {
                Some((of, truth, acts)) if of == event || !P::READS_EVENTS => (truth, acts),
                _ => self.say(&state, event, (truth, &can), tableau, work)?,
            };
            said = Some((event, truth, acts));
            edges.push(Edge { to: find(self.set, next, &mut self.key, work)?, truth, acts });
        }
        if edges.is_empty() {
            let (truth, acts) = self.say(&state, None, (truth, &can), tableau, work)?;
            edges.push(Edge { to: place, truth, acts });
        }
        (self.state, self.steps) = (state, steps);
        edges.sort_unstable();
        edges.dedup();
        if self.edges.len() + edges.len() > self.edges.capacity() {
            work.grow(2 * self.edges.len() * size_of::<Edge>())?;
        }
        let begin = self.edges.len();
        self.edges.append(&mut edges);
        self.ranges[place as usize] = begin..self.edges.len();
        Ok(self.edges_of(place))
    }

    fn says(&self, state: &[u32], letter: Letter, event: Option<u32>) -> bool {
        self.positions.satisfies(state, letter, event)
    }

    /// Returns the numbers of what a position says about the formula and about the assumptions.
    fn say(
        &mut self,
        state: &[u32],
        event: Option<u32>,
        (known, can): (Option<u32>, &[bool]),
        tableau: &mut Tableau<'_>,
        work: &mut Work<'_>,
    ) -> Check<(u32, u32)> {
        work.spend(1 + can.len() as u64)?;
        let truth = match known {
            Some(truth) => truth,
            None => tableau.read(|letter| self.says(state, letter, event), work)?,
        };
        let does = |of: &Fairness| self.says(state, of.letters()[1], event);
        let acts: Vec<Act> = self.fairness.iter().zip(can).map(|(of, can)| [*can, does(of)]).collect();
        Ok((truth, self.number(&acts)))
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

    /// Returns the edges of the state at this place. None if no node of the product needed them.
    fn edges_of(&self, place: u32) -> Range<usize> {
        match self.ranges[place as usize].clone() {
            UNKNOWN => 0..0,
            range => range,
        }
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
pub(super) struct Product<'a, 'f, P> {
    graph: Graph<'a, P>,
    fairness: &'a [Fairness],
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

impl<'a, 'f, P: Positions> Product<'a, 'f, P> {
    pub(super) fn new(graph: Graph<'a, P>, tableau: &'a mut Tableau<'f>) -> Self {
        let (nodes, known, is_left, numbers) = (Vec::new(), HashMap::new(), Vec::new(), Vec::new());
        Self { fairness: graph.fairness, graph, tableau, nodes, known, is_left, numbers }
    }

    /// Visits all nodes. The next states of a node without a step of the tableau do not matter, and need not be in the
    /// set.
    pub(super) fn visit(&mut self, work: &mut Work<'_>) -> Check<()> {
        for place in &self.graph.initial {
            add((*place, 0), &mut self.nodes, &mut self.known, work)?;
        }
        let mut at = 0;
        while let Some(&(place, state)) = self.nodes.get(at) {
            let truth = self.graph.truth(place, self.tableau, work)?;
            if let Some(truth) = truth
                && self.tableau.steps(state, truth, work)?.is_empty()
            {
                at += 1;
                continue;
            }
            let edges = self.graph.find_edges(place, self.tableau, work)?;
            for edge in &self.graph.edges[edges] {
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
                let edge = &self.graph.edges[self.graph.edges_of(self.nodes[node].0)][0];
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
                if frame.edge + 1 < self.graph.edges_of(place).end {
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
        let edges = self.graph.edges_of(place);
        let edge = edges.start;
        let steps = match self.graph.edges[edges].first() {
            Some(edge) => self.tableau.steps(state, edge.truth, work)?,
            None => Rc::from([]),
        };
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
            for edge in &self.graph.edges[self.graph.edges_of(place)] {
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
