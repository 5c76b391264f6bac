//! Problems about systems with markings: nets and thread-transition systems. A marking may have several
//! successors under one transition. Goals are formulas about markings. Numbers have 128 bits.

pub mod branching;
mod generate;
pub mod liveness;

pub use generate::{Sample, larger_net, net, thread_system};

use crate::{Count, choices, formula, net as nets, reach, steps, threads};
use model::{Goal, Marked, PlaceId, Problem, SystemModel, Trace};
use std::collections::BTreeMap;

/// Token counts, by place.
pub type Marking = Vec<i128>;

fn kind(system: &SystemModel) -> Marked<'_> {
    system.as_marked().expect("it has markings")
}

/// Returns the number of places of the system.
#[must_use]
pub fn places(system: &SystemModel) -> usize {
    match kind(system) {
        Marked::Net(net) => net.places().len(),
        Marked::Threads(threads) => threads.places(),
    }
}

/// Returns the number of transitions of the system.
#[must_use]
pub fn transitions(system: &SystemModel) -> usize {
    match kind(system) {
        Marked::Net(net) => net.transitions().len(),
        Marked::Threads(threads) => threads.transitions().len(),
    }
}

/// Returns the successors of `m` under transition `t`, each once.
pub fn fire<N: Count>(system: &SystemModel, t: usize, m: &[N]) -> Vec<Vec<N>> {
    match kind(system) {
        Marked::Net(net) => nets::fire(&net.transitions()[t], m).into_iter().collect(),
        Marked::Threads(threads) => threads::fire(threads, &threads.transitions()[t], m),
    }
}

/// Returns the successors of `m`, transition by transition.
pub fn successors<N: Count>(system: &SystemModel, m: &[N]) -> Vec<Vec<N>> {
    (0..transitions(system)).flat_map(|t| fire(system, t, m)).collect()
}

/// True if the marking is initial.
pub fn may_start<N: Count>(system: &SystemModel, m: &[N]) -> bool {
    match kind(system) {
        Marked::Net(net) => nets::may_start(net, m),
        Marked::Threads(threads) => threads::may_start(threads, m),
    }
}

/// True if `m` is a marking of the system.
pub fn is_marking<N: Count>(system: &SystemModel, m: &[N]) -> bool {
    match kind(system) {
        Marked::Net(_) => true,
        Marked::Threads(threads) => threads::is_marking(threads, m),
    }
}

/// True if `m` satisfies the goal.
pub fn satisfies<N: Count>(problem: &Problem, goal: Goal, m: &[N]) -> bool {
    match problem.formula(goal) {
        Some(formula) => formula::holds(formula, m),
        None => successors(problem.system(), m).is_empty(),
    }
}

/// Returns the least initial marking.
fn least(system: &SystemModel) -> Marking {
    match kind(system) {
        Marked::Net(net) => nets::least(net),
        Marked::Threads(threads) => threads::least(threads),
    }
}

/// Returns the places with an open initial count. For each place: its greatest initial count, if there is one.
fn open(system: &SystemModel) -> Vec<(usize, Option<i128>)> {
    match kind(system) {
        Marked::Net(net) => {
            let most = |p: PlaceId| net.place(p).initial.at_most.as_ref().map(i128::of);
            net.open_places().into_iter().map(|p| (p.index(), most(p))).collect()
        }
        Marked::Threads(threads) => {
            threads.initial().any.iter().map(|&l| (threads.local_place(l).index(), None)).collect()
        }
    }
}

/// Returns the number of tokens that a bound counts.
fn counted(system: &SystemModel, m: &[i128]) -> i128 {
    let first = if let Marked::Threads(threads) = kind(system) { threads.shared() as usize } else { 0 };
    m[first..].iter().fold(0, |sum: i128, n| sum.saturating_add(*n))
}

/// Returns the initial markings within the bound. The boolean is true if there are also initial markings beyond
/// the bound.
#[must_use]
pub fn initial(system: &SystemModel, bound: i128) -> (Vec<Marking>, bool) {
    let least = least(system);
    let open: BTreeMap<usize, Option<i128>> = open(system).into_iter().collect();
    let counts = least.iter().enumerate().map(|(place, &n)| match open.get(&place) {
        None => vec![n],
        Some(most) => (n..=most.unwrap_or(i128::MAX).min(n + bound + 1)).collect(),
    });
    let (within, beyond): (Vec<Marking>, Vec<Marking>) =
        choices(counts).into_iter().partition(|m| counted(system, m) <= bound);
    (within, !beyond.is_empty())
}

/// The results of brute force on a problem within a bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    /// For each reachable goal: the number of steps of a shortest run into it.
    pub shortest: BTreeMap<Goal, u64>,
    /// Number of distinct reachable markings.
    pub states: u64,
    /// Number of triples of a marking, a transition and a successor within the bound.
    pub transitions: u64,
    /// True if a marking beyond the bound was left out.
    pub cut: bool,
}

/// The reachable markings within a bound.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The markings in the order in which they were found.
    pub markings: Vec<Marking>,
    /// True if a marking beyond the bound was left out.
    pub cut: bool,
}

/// Explores the system within `bound`, breadth first, and counts transitions. Returns `None` if there are more
/// than `most` markings.
fn explore(system: &SystemModel, bound: u64, most: usize) -> Option<(crate::Reached<Marking>, u64, bool)> {
    let bound = i128::from(bound);
    let (start, mut cut) = initial(system, bound);
    let mut transitions = 0;
    let reached = reach(start, most, |m| {
        let (within, beyond): (Vec<_>, Vec<_>) =
            successors(system, m).into_iter().partition(|to| counted(system, to) <= bound);
        transitions += within.len() as u64;
        cut |= !beyond.is_empty();
        within
    })?;
    Some((reached, transitions, cut))
}

/// Returns all markings that are reachable within `bound`. `None` if there are more than `most`.
#[must_use]
pub fn reachable(problem: &Problem, bound: u64, most: usize) -> Option<Reached> {
    let (reached, _, cut) = explore(problem.system(), bound, most)?;
    Some(Reached { markings: reached.states, cut })
}

/// Returns the results of brute force on the problem within `bound`. `None` if there are more than `most` markings.
#[must_use]
pub fn truth(problem: &Problem, bound: u64, most: usize) -> Option<Truth> {
    let (reached, transitions, cut) = explore(problem.system(), bound, most)?;
    let depth = |goal: Goal| Some((goal, reached.nearest(|m| satisfies(problem, goal, m))?));
    let shortest = problem.goals().filter_map(depth).collect();
    Some(Truth { shortest, states: reached.states.len() as u64, transitions, cut })
}

/// Returns the last marking of the trace. `None` if the trace is not a run.
#[must_use]
pub fn replay(problem: &Problem, trace: &Trace) -> Option<Marking> {
    let system = problem.system();
    let (mut start, open) = (least(system), open(system));
    for ((place, most), &extra) in open.iter().zip(&trace.start) {
        start[*place] += i128::from(extra);
        if most.is_some_and(|most| start[*place] > most) {
            return None;
        }
    }
    if open.len() != trace.start.len() {
        return None;
    }
    steps(trace).try_fold(start, |m, step| {
        if step.event.index() >= transitions(system) {
            return None;
        }
        let mut next = fire(system, step.event.index(), &m);
        match (step.choice, kind(system)) {
            (None, _) => (next.len() == 1).then(|| next.remove(0)),
            (Some(_), Marked::Net(_)) => None,
            (Some(choice), Marked::Threads(threads)) => {
                let slots = trace.choice(choice);
                let named = slots.len() == 1 + threads.locals() as usize && slots[0] < threads.shared();
                let to = named.then(|| threads::marking(threads, slots))?;
                next.contains(&to).then_some(to)
            }
        }
    })
}

/// Returns the greatest number in the guards and effects of a net. 0 for other systems.
#[must_use]
pub fn greatest_number(system: &SystemModel) -> i128 {
    let Marked::Net(net) = kind(system) else { return 0 };
    let guards = net.transitions().iter().flat_map(|t| &t.guards).map(|g| i128::of(&g.range.at_least));
    let effects = net.transitions().iter().flat_map(|t| &t.effects).map(|e| i128::of(e.add.magnitude()));
    guards.chain(effects).max().unwrap_or(0)
}
