//! The explored part of a graph as formulas see it: states without infinite run are removed, and states with
//! the same future are merged.
//!
//! Programs of the RERS challenges have millions of states that differ in a number on which calls hardly
//! depend. In one of them, 2.4 million states are reduced to 13. Since calls are deterministic, states that
//! spell the same words are exactly the bisimilar ones. They are found by refinement: classes are split by the
//! words that the calls of their states spell, and by the classes that these calls lead to, until no class
//! splits (Blom and Orzan, "A distributed algorithm for strong bisimulation reduction of state spaces", STTT
//! 2005). A round is one pass, and few rounds are needed where merging helps. Where merging does not help, the
//! states themselves are the classes.

use crate::graph::{Call, Graph};
use hashbrown::HashMap;
use model::Budget;

/// A graph in which every state has a successor.
///
/// The view of a large part of a graph is a *guess*: unexplored states are assumed to behave like explored
/// ones, and states about which this assumption says nothing are left out. Runs of a guess have to be checked
/// on the graph itself.
#[derive(Debug, Default)]
pub(crate) struct View {
    ends: Vec<u32>,
    edges: Vec<Call>,
    /// The states where runs start. None if there are no infinite runs.
    pub(crate) initial: Vec<u32>,
    /// True if the view is a guess: its runs need not be runs of the graph.
    pub(crate) is_guess: bool,
}

const DEAD: u32 = u32::MAX;
/// Marks a state if it is unknown what follows.
const UNKNOWN: u32 = u32::MAX - 1;
/// No guess is made for parts of a graph with at most this many states, because the shortest runs are found in
/// these parts.
const WORTH_A_GUESS: usize = 1 << 12;
/// The largest number of rounds of refinement. If more rounds are needed, states are not merged.
const MOST_ROUNDS: usize = 64;

impl View {
    /// Returns a guess of the whole graph from its expanded part. Returns `None` if the graph is complete or
    /// small, if there are too many classes, or if there is no memory. Cost: a few passes over the calls.
    pub(crate) fn guess<C>(graph: &Graph<C>, budget: &mut Budget) -> Option<Self> {
        if graph.is_complete() || graph.expanded() <= WORTH_A_GUESS || !has_room(graph, budget) {
            return None;
        }
        let class = classes(graph, &live(graph, UNKNOWN), UNKNOWN, budget)?;
        Some(Self { is_guess: true, ..Self::merged(graph, &class) })
    }

    /// Returns the view of the expanded part of `graph` alone, or `None` if there is no memory for it. Cost: a
    /// few passes over the calls.
    pub(crate) fn exact<C>(graph: &Graph<C>, budget: &mut Budget) -> Option<Self> {
        if !has_room(graph, budget) {
            return None;
        }
        let live = live(graph, DEAD);
        budget.spend((graph.call_count() / 16) as u64);
        let class = classes(graph, &live, DEAD, budget).unwrap_or_else(|| numbered(&live));
        Some(Self::merged(graph, &class))
    }

    fn merged<C>(graph: &Graph<C>, class: &[u32]) -> Self {
        let mut view =
            Self { initial: class.first().copied().filter(|&c| c != DEAD).into_iter().collect(), ..Self::default() };
        for state in 0..graph.expanded() {
            // Classes are numbered in the order of their first states.
            if class[state] as usize == view.ends.len() {
                let calls =
                    graph.calls_from(state).iter().map(|call| Call { label: call.label, to: at(class, call.to, DEAD) });
                view.edges.extend(calls.filter(|call| call.to != DEAD));
                view.ends.push(view.edges.len() as u32);
            }
        }
        view
    }

    /// Returns a view without states.
    pub(crate) fn new(initial: Vec<u32>) -> Self {
        Self { initial, ..Self::default() }
    }

    /// Appends a state with its calls.
    pub(crate) fn push(&mut self, calls: impl IntoIterator<Item = Call>) {
        self.edges.extend(calls);
        self.ends.push(u32::try_from(self.edges.len()).unwrap_or(u32::MAX));
    }

    /// Returns the number of states.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the calls of a state.
    pub(crate) fn calls_from(&self, state: usize) -> &[Call] {
        let start = if state == 0 { 0 } else { self.ends[state - 1] as usize };
        &self.edges[start..self.ends[state] as usize]
    }
}

/// Returns true if there is memory for predecessors, degrees, two rounds of classes, and a table of classes.
fn has_room<C>(graph: &Graph<C>, budget: &Budget) -> bool {
    budget.stop.has_room(graph.expanded() * 48 + graph.call_count() * 8)
}

/// Returns the class of a state. States that are not expanded have class `outside`.
fn at(class: &[u32], state: u32, outside: u32) -> u32 {
    class.get(state as usize).copied().unwrap_or(outside)
}

/// Returns for each expanded state whether it has an infinite run within the expanded part, or, if `outside` is
/// not [`DEAD`], a run that leaves the expanded part.
fn live<C>(graph: &Graph<C>, outside: u32) -> Vec<bool> {
    let n = graph.expanded();
    let inside = |call: &&Call| (call.to as usize) < n;
    let mut degree: Vec<usize> = Vec::with_capacity(n);
    // Callers of each state, by counting sort.
    let mut starts = vec![0u32; n + 1];
    for state in 0..n {
        let calls = graph.calls_from(state);
        calls.iter().filter(inside).for_each(|call| starts[call.to as usize + 1] += 1);
        let counts = |call: &&Call| outside != DEAD || inside(call);
        degree.push(calls.iter().filter(counts).count());
    }
    for i in 0..n {
        starts[i + 1] += starts[i];
    }
    let mut callers = vec![0u32; starts[n] as usize];
    let mut fill = starts.clone();
    for state in 0..n {
        for call in graph.calls_from(state).iter().filter(inside) {
            callers[fill[call.to as usize] as usize] = state as u32;
            fill[call.to as usize] += 1;
        }
    }
    let mut dead: Vec<u32> = (0..n as u32).filter(|&s| degree[s as usize] == 0).collect();
    while let Some(state) = dead.pop() {
        for &caller in &callers[starts[state as usize] as usize..starts[state as usize + 1] as usize] {
            degree[caller as usize] -= 1;
            if degree[caller as usize] == 0 {
                dead.push(caller);
            }
        }
    }
    degree.into_iter().map(|d| d > 0).collect()
}

/// Puts each live state into a class of its own, and returns the classes.
fn numbered(live: &[bool]) -> Vec<u32> {
    let mut next = 0;
    let mut class = Vec::with_capacity(live.len());
    for &is_live in live {
        class.push(if is_live { next } else { DEAD });
        next += u32::from(is_live);
    }
    class
}

/// Returns the classes of bisimilar live states, numbered in the order of their first states. Returns `None` if
/// there are too many of them to help, or if refinement takes too long.
///
/// If `outside` is [`UNKNOWN`], a state stays in a class only as long as everything that its class depends on
/// is known. The result is the classes that did not split in the last round, which is a guess.
fn classes<C>(graph: &Graph<C>, live: &[bool], outside: u32, budget: &mut Budget) -> Option<Vec<u32>> {
    let alive = live.iter().filter(|&&l| l).count();
    let mut class: Vec<u32> = live.iter().map(|&l| if l { 0 } else { DEAD }).collect();
    let mut count = usize::from(alive > 0);
    for _ in 0..MOST_ROUNDS {
        let split = refine(graph, &class, outside);
        budget.spend((graph.call_count() / 16) as u64);
        let new = split.firsts.len();
        if new == count {
            if outside == UNKNOWN {
                return Some(split.class.into_iter().map(|c| if c == UNKNOWN { DEAD } else { c }).collect());
            }
            // The numbers may have changed, but the classes have not.
            return is_stable(graph, &split).then_some(split.class);
        }
        // With many classes, the quotient costs as much as the states themselves.
        if new > alive / 4 + 64 || budget.stop.raised().is_some() {
            return None;
        }
        (class, count) = (split.class, new);
    }
    None
}

struct Split {
    class: Vec<u32>,
    /// The first state of each class.
    firsts: Vec<u32>,
}

/// Refines the classes once: states of a class stay together if all their calls agree, as far as a 64-bit hash
/// tells.
fn refine<C>(graph: &Graph<C>, class: &[u32], outside: u32) -> Split {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, value: u64| {
        let product = u128::from(hash ^ value) * u128::from(FACTOR);
        ((product >> 64) as u64) ^ (product as u64)
    };
    let mut split = Split { class: Vec::with_capacity(class.len()), firsts: Vec::new() };
    let mut numbers: HashMap<u64, u32> = HashMap::new();
    for (state, &old) in class.iter().enumerate() {
        let calls = graph.calls_from(state).iter().map(|call| (call.label, at(class, call.to, outside)));
        if old == DEAD || old == UNKNOWN || calls.clone().any(|(_, to)| to == UNKNOWN) {
            split.class.push(if old == DEAD { DEAD } else { UNKNOWN });
            continue;
        }
        let hash =
            calls.filter(|(_, to)| *to != DEAD).fold(mix(0x243f_6a88_85a3_08d3, u64::from(old)), |h, (label, to)| {
                mix(h, u64::from(label) << 32 | u64::from(to))
            });
        let next = split.firsts.len() as u32;
        let number = *numbers.entry(hash).or_insert(next);
        if number == next {
            split.firsts.push(state as u32);
        }
        split.class.push(number);
    }
    split
}

/// Returns true if all states of each class agree with its first state, call by call.
fn is_stable<C>(graph: &Graph<C>, split: &Split) -> bool {
    let seen = |state: u32| {
        let calls = graph.calls_from(state as usize).iter();
        calls.map(|call| (call.label, at(&split.class, call.to, DEAD))).filter(|(_, to)| *to != DEAD)
    };
    (0u32..).zip(&split.class).all(|(state, &c)| c == DEAD || seen(state).eq(seen(split.firsts[c as usize])))
}
