//! Searches for a run that the automaton of a violation accepts, by one depth-first search of the product of both.
//! The product is a [`Product`]: it may be given ([`Given`]), or computed while it is searched ([`crate::demand`]).
//!
//! A call of a reactive program adds one or two letters, and the automaton reads them in one step. So the alternation
//! of inputs and outputs takes no states. The search maintains the strongly connected components of the part visited
//! (Couvreur 1999; Gabow 2000). It ends as soon as a component has a cycle and all marks of the generalised
//! automaton, and visits each node once. It works without recursion, and in turns.

use crate::automaton::{Automaton, AutomatonState, Edge};
use crate::graph::{Call, Spelled};
use crate::quotient::View;
use hashbrown::HashMap;
use model::{Budget, Letter};
use std::collections::VecDeque;

/// An automaton that reads calls instead of letters.
#[derive(Debug)]
pub(crate) struct Reader {
    initial: Vec<AutomatonState>,
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
                    reader.edges.push(through(automaton, q as AutomatonState, first, second));
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
        let row = |class| states.clone().map(move |q| automaton.edges(q as AutomatonState, class).to_vec());
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
    pub(crate) fn starts(&self) -> &[AutomatonState] {
        &self.initial
    }

    /// Returns all marks.
    pub(crate) fn all(&self) -> u64 {
        self.all
    }

    /// Returns the transitions of a state for a label.
    pub(crate) fn edges(&self, state: AutomatonState, label: u32) -> &[Edge] {
        &self.edges[self.rows[label as usize] as usize * self.states + state as usize]
    }
}

/// Returns the transitions from `state` that read a call: one or two letters.
fn through(automaton: &Automaton, state: AutomatonState, first: usize, second: Option<usize>) -> Vec<Edge> {
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

/// The result of a search. `S` is a step of a run.
#[derive(Debug)]
pub(crate) enum LassoResult<S = (u32, Call)> {
    /// The steps of an accepted run: a stem, and a loop that is repeated for ever.
    Lasso(Vec<S>, Vec<S>),
    /// No run is accepted.
    Nothing,
    /// The budget is used up.
    Turn,
    /// There is no memory for the product.
    Full,
}

/// The position of a step among the steps of a node: the call, and the transition of the automaton.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Cursor {
    pub(crate) call: u32,
    pub(crate) edge: u32,
}

/// What is at a cursor.
pub(crate) enum Next<S> {
    /// A step to this node, with these marks.
    To(u32, u64, S),
    /// There are no more steps.
    End,
    /// The steps cannot be computed now.
    Stuck(LassoResult<S>),
}

/// A product of a graph and an automaton. Nodes are numbered.
pub(crate) trait Product {
    /// A step of a run, without the state of the automaton.
    type Step: Copy;

    /// True if all nodes are known from the beginning.
    const IS_GIVEN: bool;

    /// Returns the initial nodes.
    fn starts(&self) -> Vec<u32>;

    /// Returns all marks.
    fn all(&self) -> u64;

    /// Returns the step at the cursor, and moves the cursor behind it.
    fn next(&mut self, node: u32, at: &mut Cursor) -> Next<Self::Step>;
}

/// The product of a view and an automaton. The number of a node is (state of the view) * (states of the automaton) +
/// (state of the automaton).
pub(crate) struct Given<'a> {
    pub(crate) view: &'a View,
    pub(crate) reader: &'a Reader,
}

impl Product for Given<'_> {
    type Step = (u32, Call);

    const IS_GIVEN: bool = true;

    fn starts(&self) -> Vec<u32> {
        let (states, starts) = (self.reader.states as u32, &self.reader.initial);
        self.view.initial.iter().flat_map(|state| starts.iter().map(move |q| state * states + q)).collect()
    }

    fn all(&self) -> u64 {
        self.reader.all
    }

    #[inline]
    fn next(&mut self, node: u32, at: &mut Cursor) -> Next<Self::Step> {
        let (state, q) = (node as usize / self.reader.states, node % self.reader.states as u32);
        loop {
            let Some(call) = self.view.calls_from(state).get(at.call as usize) else { return Next::End };
            if let Some(edge) = self.reader.edges(q, call.label).get(at.edge as usize) {
                at.edge += 1;
                return Next::To(call.to * self.reader.states as u32 + edge.to, edge.marks, (state as u32, *call));
            }
            *at = Cursor { call: at.call + 1, edge: 0 };
        }
    }
}

struct Frame {
    node: u32,
    at: Cursor,
}

struct Root {
    number: u32,
    /// Marks inside the component.
    marks: u64,
    /// Marks of the transition that led to the component.
    before: u64,
}

/// A search that can be interrupted and resumed.
pub(crate) struct ComponentSearch {
    /// For each node, the order in which it was visited, from 1. 0 if not visited; `DONE` if no accepted run
    /// leads through it. Nodes with larger numbers were not visited.
    numbers: Vec<u32>,
    path: Vec<Frame>,
    roots: Vec<Root>,
    /// The nodes of the components on the path, in the order of visits.
    active: Vec<u32>,
    /// The initial nodes that have yet to be visited.
    starts: Vec<u32>,
    visited: u32,
    /// The largest length of the path, and true if nodes were left out because of it.
    most: usize,
    pub(crate) is_cut: bool,
}

const DONE: u32 = u32::MAX;

impl std::fmt::Debug for ComponentSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} visited, {} on the path", self.visited, self.path.len())
    }
}

impl ComponentSearch {
    /// Begins a search of a given product. Returns `None` if there is no memory for it.
    pub(crate) fn new(view: &View, reader: &Reader, budget: &Budget) -> Option<Self> {
        let nodes = view.len().checked_mul(reader.states).filter(|&n| n < DONE as usize - 1)?;
        if !budget.stop.has_room(nodes * size_of::<u32>()) {
            return None;
        }
        Some(Self { numbers: vec![0; nodes], ..Self::on_demand(Given { view, reader }.starts(), usize::MAX) })
    }

    /// Begins a search from these nodes. Nodes are left out if the path to them would have more than `most` nodes.
    pub(crate) fn on_demand(starts: Vec<u32>, most: usize) -> Self {
        let (numbers, path, roots, active) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { numbers, path, roots, active, starts, visited: 0, most, is_cut: false }
    }

    /// Returns the number of nodes visited so far.
    pub(crate) fn visited(&self) -> u64 {
        u64::from(self.visited)
    }

    /// Continues the search. The product must be the one that the search began with.
    pub(crate) fn run<P: Product>(&mut self, product: &mut P, budget: &mut Budget) -> LassoResult<P::Step> {
        const POLL_EVERY: u64 = 1024;
        let (mut steps, all) = (0, product.all());
        loop {
            steps += 1;
            if steps % POLL_EVERY == 0 {
                // A step is about a sixteenth of an expansion.
                let room = steps % (64 * POLL_EVERY) != 0
                    || budget.stop.has_room(self.path.capacity() * size_of::<Frame>() * 2);
                if !room {
                    return LassoResult::Full;
                }
                if !budget.spend(POLL_EVERY / 16) {
                    return LassoResult::Turn;
                }
            }
            let Some(frame) = self.path.last_mut() else {
                let Some(node) = self.starts.pop() else { return LassoResult::Nothing };
                if self.number(node) == 0 {
                    self.enter(node, 0);
                }
                continue;
            };
            let (to, marks) = match product.next(frame.node, &mut frame.at) {
                Next::To(to, marks, _) => (to, marks),
                Next::End => {
                    self.leave();
                    continue;
                }
                Next::Stuck(why) => return why,
            };
            match self.number(to) {
                0 if self.path.len() >= self.most => self.is_cut = true,
                0 => self.enter(to, marks),
                DONE => {}
                number => {
                    if self.close(number, marks) == all {
                        return self.lasso(product);
                    }
                }
            }
        }
    }

    #[inline]
    fn number(&self, node: u32) -> u32 {
        self.numbers.get(node as usize).copied().unwrap_or(0)
    }

    fn enter(&mut self, node: u32, before: u64) {
        self.visited += 1;
        if self.numbers.len() <= node as usize {
            self.numbers.resize((node as usize + 1).next_power_of_two(), 0);
        }
        self.numbers[node as usize] = self.visited;
        self.active.push(node);
        self.roots.push(Root { number: self.visited, marks: 0, before });
        self.path.push(Frame { node, at: Cursor::default() });
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
    fn lasso<P: Product>(&self, product: &mut P) -> LassoResult<P::Step> {
        let first = self.roots.last().map_or(u32::MAX, |root| root.number);
        let inside = |node: u32| (first..DONE).contains(&self.number(node));
        let is_visited = |node: u32| P::IS_GIVEN || self.number(node) != 0;
        let starts = product.starts();
        let Some((entry, stem)) = shortest(product, starts, is_visited, inside, |_, _| false) else {
            debug_assert!(false, "the component was reached");
            return LassoResult::Nothing;
        };
        let (mut at, mut missing, mut round) = (entry, product.all(), Vec::new());
        while missing != 0 || at != entry || round.is_empty() {
            let wants = |node: u32, marks: u64| if missing == 0 { node == entry } else { marks & missing != 0 };
            let Some((to, part)) = shortest(product, vec![at], inside, |_| false, wants) else {
                debug_assert!(false, "a component is connected and has its marks");
                return LassoResult::Nothing;
            };
            for &(.., marks) in &part {
                missing &= !marks;
            }
            round.extend(part);
            at = to;
        }
        let steps = |steps: Steps<P::Step>| steps.into_iter().map(|(_, step, _)| step).collect();
        LassoResult::Lasso(steps(stem), steps(round))
    }
}

/// Nodes, steps and marks of the transitions of a path.
type Steps<S> = Vec<(u32, S, u64)>;

/// Returns a shortest path through nodes that satisfy `inside`. It ends in a node that satisfies `is_end`
/// (which may be a start) or with a transition that satisfies `ends`. Breadth first.
fn shortest<P: Product>(
    product: &mut P,
    starts: Vec<u32>,
    inside: impl Fn(u32) -> bool,
    is_end: impl Fn(u32) -> bool,
    ends: impl Fn(u32, u64) -> bool,
) -> Option<(u32, Steps<P::Step>)> {
    let mut parents: HashMap<u32, Option<(u32, P::Step, u64)>> = HashMap::new();
    let mut queue: VecDeque<u32> = VecDeque::new();
    for start in starts {
        if is_end(start) {
            return Some((start, Vec::new()));
        }
        if inside(start) && parents.insert(start, None).is_none() {
            queue.push_back(start);
        }
    }
    while let Some(node) = queue.pop_front() {
        let mut at = Cursor::default();
        while let Next::To(to, marks, step) = product.next(node, &mut at) {
            if !inside(to) {
                continue;
            }
            if is_end(to) || ends(to, marks) {
                let mut steps = back(&parents, node);
                steps.push((node, step, marks));
                return Some((to, steps));
            }
            parents.entry(to).or_insert_with(|| {
                queue.push_back(to);
                Some((node, step, marks))
            });
        }
    }
    None
}

fn back<S: Copy>(parents: &HashMap<u32, Option<(u32, S, u64)>>, mut node: u32) -> Steps<S> {
    let mut steps = Vec::new();
    while let Some(&Some((parent, step, marks))) = parents.get(&node) {
        steps.push((parent, step, marks));
        node = parent;
    }
    steps.reverse();
    steps
}
