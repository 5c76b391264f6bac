//! Measures how much each kind of condition says about the time of a violation, as in a table of Katz, Barrett
//! and Harel 2015.
//!
//! The table shows conditions on the time t modulo the periods, and how many values of t in a hyper-period (the
//! least common multiple of the periods) satisfy them. This module computes the same conditions from the set
//! clocks that the lemmas are made of.

use super::conditions::Conditions;
use super::lemmas::{Times, Told};
use super::{TASKS, TaskThread};
use crate::facts::bad_states;
use crate::requests::Requests;
use model::restriction::restrict;
use model::{LocalId, Pattern, Program, ThreadId};

/// The condition that the length of the violating run is congruent to one of `residues` modulo `modulus`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conjunct {
    /// The modulus, which is at least 1.
    pub modulus: u64,
    /// The residues, which are below the modulus and ascending.
    pub residues: Vec<u64>,
}

impl Conjunct {
    fn of(told: &Told) -> Self {
        Self { modulus: told.times.rhythm().1, residues: told.times.residues().collect() }
    }
}

/// Returns how many of the numbers `0..lengths` satisfy all of `conjuncts`.
#[must_use]
pub fn count(conjuncts: &[Conjunct], lengths: u64) -> usize {
    let holds = |t: u64| conjuncts.iter().all(|c| c.residues.binary_search(&(t % c.modulus)).is_ok());
    (0..lengths).filter(|&t| holds(t)).count()
}

/// Returns sets of conditions on the length of runs that end in the one bad state of the last thread, each with
/// a description. The bad states of the tasks themselves are ignored. Returns nothing if the last thread does
/// not have exactly one bad state.
#[must_use]
pub fn conjuncts(program: &Program) -> Vec<(&'static str, Vec<Conjunct>)> {
    let marker = ThreadId::new(program.threads().len() - 1);
    let places: Vec<_> = bad_states(program.threads()).into_iter().filter(|&(i, _)| i == marker).collect();
    let [(_, state)] = places[..] else { return Vec::new() };
    let [single, joint] = of_groups(program, marker, state);
    let mut one_residue = [&single[..], &joint[..]].concat();
    if let Some(last) = single.len().checked_sub(1) {
        one_residue[last].residues.truncate(1);
    }
    let mut rows = vec![("none", Vec::new()), ("one task's windows", single.clone())];
    rows.push(("and releases of two tasks together", [single, joint].concat()));
    rows.push(("and one residue of the last task only", one_residue));
    if let Some(late) = TASKS.restrict(program.threads()) {
        let without = restrict(program, &late.excluded);
        rows.push(("response times", of_groups(&without, marker, state).concat()));
    }
    rows
}

/// Returns the conditions from set clocks of `marker` with one task, and those with two tasks.
fn of_groups(program: &Program, marker: ThreadId, state: LocalId) -> [Vec<Conjunct>; 2] {
    let threads = program.threads();
    let shapes = TASKS.shapes(threads, &Requests::new(threads));
    let tasks: Vec<ThreadId> = shapes.into_iter().flatten().map(|shape: TaskThread| shape.task.thread).collect();
    let mut times = Times::new(threads, Conditions::ALL);
    let mut of = |mut group: Vec<ThreadId>| {
        group.push(marker);
        let times = times.when(&group, marker, state)?;
        let conjunct = Conjunct::of(&Told { group, times });
        ((conjunct.residues.len() as u64) < conjunct.modulus).then_some(conjunct)
    };
    let single = tasks.iter().filter_map(|&i| of(vec![i])).collect();
    let pairs = tasks.iter().enumerate().flat_map(|(k, &j)| tasks[..k].iter().map(move |&i| vec![i, j]));
    [single, pairs.filter_map(of).collect()]
}
