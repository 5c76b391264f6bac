//! Searches for a run of the program that the automaton of a violation accepts, by one depth-first search of
//! their product.
//!
//! A call adds one or two letters, and the automaton reads them in one step. So the alternation of inputs and
//! outputs takes no states. The search maintains the strongly connected components of the part visited
//! (Couvreur 1999; Gabow 2000). It ends as soon as a component has a cycle and all marks of the generalised
//! automaton, and visits each node once. It works without recursion, and in turns.

use crate::automaton::{Automaton, Edge, State};
use crate::graph::{Call, Spelled};
use crate::quotient::View;
use hashbrown::HashMap;
use model::{Budget, Letter};
use std::collections::VecDeque;

/// An automaton that reads calls instead of letters.
#[derive(Debug)]
pub(crate) struct Reader {
    initial: Vec<State>,
    all: u64,
    states: usize,
    /// For each label: the row of its transitions in `edges`. Labels with letters of the same classes share a
    /// row.
    rows: Vec<u32>,
    /// Transitions for each row and state, in this order.
    edges: Vec<Vec<Edge>>,
}

impl Reader {
    /// Returns the reader for the labels of a graph.
    pub(crate) fn new(automaton: &Automaton, labels: &[Spelled], input: impl Fn(Spelled) -> i32) -> Self {
        let mut known: HashMap<(usize, Option<usize>), u32> = HashMap::new();
        let mut reader = Self {
            initial: automaton.initial.clone(),
            all: automaton.all,
            states: automaton.len(),
            rows: Vec::with_capacity(labels.len()),
            edges: Vec::new(),
        };
        for &spelled in labels {
            let first = automaton.alphabet.class(Letter::Input(input(spelled)));
            let second = spelled.output.map(|letter| automaton.alphabet.class(Letter::Output(letter)));
            let next = known.len() as u32;
            let row = *known.entry((first, second)).or_insert(next);
            if row == next {
                for q in 0..automaton.len() {
                    reader.edges.push(through(automaton, q as State, first, second));
                }
            }
            reader.rows.push(row);
        }
        reader
    }

    /// Returns the reader for labels of which these are the classes.
    pub(crate) fn of_classes(automaton: &Automaton, labels: Vec<u32>) -> Self {
        let classes = automaton.alphabet.len();
        let states = 0..automaton.len();
        let row = |class| states.clone().map(move |q| automaton.edges(q as State, class).to_vec());
        Self {
            initial: automaton.initial.clone(),
            all: automaton.all,
            states: automaton.len(),
            rows: labels,
            edges: (0..classes).flat_map(row).collect(),
        }
    }

    /// Returns the number of states of the automaton.
    pub(crate) fn states(&self) -> usize {
        self.states
    }

    /// Returns the initial states of the automaton.
    pub(crate) fn starts(&self) -> &[State] {
        &self.initial
    }

    /// Returns all marks.
    pub(crate) fn all(&self) -> u64 {
        self.all
    }

    /// Returns the transitions of a state for a label.
    pub(crate) fn edges(&self, state: State, label: u32) -> &[Edge] {
        &self.edges[self.rows[label as usize] as usize * self.states + state as usize]
    }
}

/// Returns the transitions from `state` that read a call: one or two letters.
fn through(automaton: &Automaton, state: State, first: usize, second: Option<usize>) -> Vec<Edge> {
    let mut ways: Vec<Edge> = automaton.edges(state, first).to_vec();
    if let Some(second) = second {
        let further = |e: &Edge| {
            let marks = e.marks;
            automaton.edges(e.to, second).iter().map(move |f| Edge { to: f.to, marks: marks | f.marks })
        };
        ways = ways.iter().flat_map(further).collect();
    }
    ways.sort_unstable();
    ways.dedup();
    let beats = |f: &Edge, e: &Edge| f != e && f.to == e.to && e.marks & !f.marks == 0;
    ways.iter().filter(|e| !ways.iter().any(|f| beats(f, e))).copied().collect()
}

/// The result of a search.
#[derive(Debug)]
pub(crate) enum Found {
    /// The calls of an accepted run, each with the state in which it is made: a stem, and a loop that is repeated for
    /// ever.
    Lasso(Vec<(u32, Call)>, Vec<(u32, Call)>),
    /// No run is accepted.
    Nothing,
    /// The budget is used up.
    Turn,
    /// There is no memory for the product.
    Full,
}

struct Frame {
    node: u32,
    call: u32,
    edge: u32,
}

struct Root {
    number: u32,
    /// Marks inside the component.
    marks: u64,
    /// Marks of the transition that led to the component.
    before: u64,
}

/// A search that can be interrupted and resumed.
pub(crate) struct Search {
    /// For each node, the order in which it was visited, from 1. 0 if not visited; `DONE` if no accepted run
    /// leads through it. The index of a node is (state of the view) * (states of the automaton) + (state of the
    /// automaton).
    numbers: Vec<u32>,
    path: Vec<Frame>,
    roots: Vec<Root>,
    /// The nodes of the components on the path, in the order of visits.
    active: Vec<u32>,
    /// The initial nodes that have yet to be visited.
    starts: Vec<u32>,
    visited: u32,
}

const DONE: u32 = u32::MAX;

impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} visited, {} on the path", self.visited, self.path.len())
    }
}

impl Search {
    /// Begins a search of the product of `view` and `reader`. Returns `None` if there is no memory for it.
    pub(crate) fn new(view: &View, reader: &Reader, budget: &Budget) -> Option<Self> {
        let nodes = view.len().checked_mul(reader.states).filter(|&n| n < DONE as usize - 1)?;
        if !budget.stop.has_room(nodes * size_of::<u32>()) {
            return None;
        }
        let starts = starts(view, reader);
        Some(Self {
            numbers: vec![0; nodes],
            path: Vec::new(),
            roots: Vec::new(),
            active: Vec::new(),
            starts,
            visited: 0,
        })
    }

    /// Returns the number of nodes visited so far.
    pub(crate) fn visited(&self) -> u64 {
        u64::from(self.visited)
    }

    /// Continues the search. `view` and `reader` must be the ones that the search began with.
    pub(crate) fn run(&mut self, view: &View, reader: &Reader, budget: &mut Budget) -> Found {
        const POLL_EVERY: u64 = 1024;
        let mut steps = 0;
        loop {
            steps += 1;
            if steps % POLL_EVERY == 0 {
                // A step is about a sixteenth of an expansion.
                let room = steps % (64 * POLL_EVERY) != 0
                    || budget.stop.has_room(self.path.capacity() * size_of::<Frame>() * 2);
                if !room {
                    return Found::Full;
                }
                if !budget.spend(POLL_EVERY / 16) {
                    return Found::Turn;
                }
            }
            let Some(frame) = self.path.last_mut() else {
                let Some(node) = self.starts.pop() else { return Found::Nothing };
                if self.numbers[node as usize] == 0 {
                    self.enter(node, 0);
                }
                continue;
            };
            let (state, q) = (frame.node as usize / reader.states, frame.node % reader.states as u32);
            let Some(call) = view.calls_from(state).get(frame.call as usize) else {
                self.leave();
                continue;
            };
            let Some(edge) = reader.edges(q, call.label).get(frame.edge as usize) else {
                frame.call += 1;
                frame.edge = 0;
                continue;
            };
            frame.edge += 1;
            let to = call.to * reader.states as u32 + edge.to;
            match self.numbers[to as usize] {
                0 => self.enter(to, edge.marks),
                DONE => {}
                number => {
                    if self.close(number, edge.marks) == reader.all {
                        return self.lasso(view, reader);
                    }
                }
            }
        }
    }

    fn enter(&mut self, node: u32, before: u64) {
        self.visited += 1;
        self.numbers[node as usize] = self.visited;
        self.active.push(node);
        self.roots.push(Root { number: self.visited, marks: 0, before });
        self.path.push(Frame { node, call: 0, edge: 0 });
    }

    fn leave(&mut self) {
        let Some(frame) = self.path.pop() else { return };
        let number = self.numbers[frame.node as usize];
        if self.roots.last().is_some_and(|root| root.number == number) {
            self.roots.pop();
            while let Some(node) = self.active.pop() {
                self.numbers[node as usize] = DONE;
                if node == frame.node {
                    break;
                }
            }
        }
    }

    /// Merges all components from the active node `number` on, because a transition with `marks` leads back to
    /// it. Returns the marks of the merged component.
    fn close(&mut self, number: u32, mut marks: u64) -> u64 {
        while let Some(root) = self.roots.last_mut() {
            if root.number <= number {
                root.marks |= marks;
                return root.marks;
            }
            marks |= root.marks | root.before;
            self.roots.pop();
        }
        debug_assert!(false, "active nodes have a root");
        marks
    }

    /// Returns a short run into the component on top, followed by a loop through all its marks.
    fn lasso(&self, view: &View, reader: &Reader) -> Found {
        let first = self.roots.last().map_or(u32::MAX, |root| root.number);
        let inside = |node: u32| (first..DONE).contains(&self.numbers[node as usize]);
        let product = Product { view, reader };
        let Some((entry, stem)) = product.shortest(starts(view, reader), |_| true, inside, |_, _| false) else {
            debug_assert!(false, "the component was reached");
            return Found::Nothing;
        };
        let (mut at, mut missing, mut round) = (entry, reader.all, Vec::new());
        while missing != 0 || at != entry || round.is_empty() {
            let wants = |node: u32, marks: u64| if missing == 0 { node == entry } else { marks & missing != 0 };
            let Some((to, part)) = product.shortest(vec![at], inside, |_| false, wants) else {
                debug_assert!(false, "a component is connected and has its marks");
                return Found::Nothing;
            };
            for &(.., marks) in &part {
                missing &= !marks;
            }
            round.extend(part);
            at = to;
        }
        let states = reader.states as u32;
        let calls = |steps: Steps| steps.into_iter().map(|(from, call, _)| (from / states, call)).collect();
        Found::Lasso(calls(stem), calls(round))
    }
}

struct Product<'a> {
    view: &'a View,
    reader: &'a Reader,
}

/// Returns the initial nodes of the product.
fn starts(view: &View, reader: &Reader) -> Vec<u32> {
    let states = reader.states as u32;
    view.initial.iter().flat_map(|state| reader.initial.iter().map(move |q| state * states + q)).collect()
}

/// Nodes, calls and marks of the transitions of a path.
type Steps = Vec<(u32, Call, u64)>;

impl Product<'_> {
    /// Returns a shortest path through nodes that satisfy `inside`. It ends in a node that satisfies `is_end`
    /// (which may be a start) or with a transition that satisfies `ends`. Breadth first.
    fn shortest(
        &self,
        starts: Vec<u32>,
        inside: impl Fn(u32) -> bool,
        is_end: impl Fn(u32) -> bool,
        ends: impl Fn(u32, u64) -> bool,
    ) -> Option<(u32, Steps)> {
        let states = self.reader.states as u32;
        let mut parents: HashMap<u32, Option<(u32, Call, u64)>> = HashMap::new();
        let mut queue: VecDeque<u32> = VecDeque::new();
        for start in starts {
            if is_end(start) {
                return Some((start, Vec::new()));
            }
            if parents.insert(start, None).is_none() {
                queue.push_back(start);
            }
        }
        while let Some(node) = queue.pop_front() {
            for call in self.view.calls_from((node / states) as usize) {
                for edge in self.reader.edges(node % states, call.label) {
                    let to = call.to * states + edge.to;
                    if !inside(to) {
                        continue;
                    }
                    if is_end(to) || ends(to, edge.marks) {
                        let mut steps = back(&parents, node);
                        steps.push((node, *call, edge.marks));
                        return Some((to, steps));
                    }
                    parents.entry(to).or_insert_with(|| {
                        queue.push_back(to);
                        Some((node, *call, edge.marks))
                    });
                }
            }
        }
        None
    }
}

fn back(parents: &HashMap<u32, Option<(u32, Call, u64)>>, mut node: u32) -> Steps {
    let mut steps = Vec::new();
    while let Some(&Some((parent, call, marks))) = parents.get(&node) {
        steps.push((parent, call, marks));
        node = parent;
    }
    steps.reverse();
    steps
}
