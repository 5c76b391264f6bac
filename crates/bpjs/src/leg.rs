//! What a b-thread does between two syncs besides its own steps: changes of the store, new b-threads and external
//! events. In BPjs, all of this takes effect when the b-thread is at its next sync.
//!
//! 1. A registered b-thread begins after all b-threads of the step are at their syncs (`executeAllAddedBThreads`). Its
//!    function shares variables with the b-thread that registers it. Cells that both reach at that time, or that two
//!    new b-threads reach, are frozen: a change of them is refused, because other b-threads would see it.
//! 2. A forked b-thread is a copy of everything that its parent has at the fork (`ForkStatement.cloneBThreadData`), but
//!    sees the store as it was at the last sync.

use super::heap::{Copier, Heap, reach};
use super::machine::{Leg, Machine, Name, Registered, live_frames};
use super::store::Effect;
use super::value::{Cell, Event, Statement, Stop, Value};
use formats::error::Span;

/// A b-thread that begins in this step.
pub(super) enum Child<'c> {
    Start { name: Name, data: Value, function: Value, cells: Vec<Cell>, span: Span },
    Fork(Box<Machine<'c>>),
}

/// The effects of a leg.
#[derive(Default)]
pub(super) struct Effects<'c> {
    pub(super) store: Effect,
    pub(super) children: Vec<Child<'c>>,
    pub(super) external: Vec<Event>,
}

impl Effects<'_> {
    pub(super) fn copy(&self) -> Self {
        let children = self.children.iter().map(Child::copy).collect();
        Self { store: self.store.clone(), children, external: self.external.clone() }
    }
}

impl Child<'_> {
    pub(super) fn copy(&self) -> Self {
        match self {
            Self::Start { name, data, function, cells, span } => {
                let (name, data, function) = (name.clone(), data.clone(), function.clone());
                Self::Start { name, data, function, cells: cells.clone(), span: *span }
            }
            Self::Fork(machine) => Self::Fork(Box::new(machine.fork())),
        }
    }
}

/// Returns the values that a machine reaches at a sync.
fn roots(machine: &Machine<'_>, statement: Option<&Statement>) -> Vec<Value> {
    let Some(statement) = statement else { return Vec::new() };
    let mut roots = vec![machine.data.clone(), machine.handler.clone()];
    for frame in live_frames(machine) {
        roots.push(frame.closure);
        roots.extend(frame.slots);
        roots.extend(frame.stack);
    }
    let mut statement = statement.clone();
    for set in [&mut statement.wait, &mut statement.block, &mut statement.interrupt] {
        set.each(&mut |value| roots.push(value.clone()));
    }
    roots
}

/// Ends the leg of a machine that is at a sync or at its end. Call this before the state of the machine is taken.
pub(super) fn end<'c>(machine: &mut Machine<'c>, statement: Option<&Statement>) -> Result<Effects<'c>, Stop> {
    let Some(leg) = machine.leg.take() else { return Ok(Effects::default()) };
    let Leg { store, registered, forks, external } = *leg;
    let base = machine.heap.shared();
    let reached = |heap: &Heap, values: Vec<Value>| reach(heap.own(), base, values);
    let mut sets = vec![reached(&machine.heap, roots(machine, statement))];
    for child in &registered {
        sets.push(reached(&machine.heap, vec![child.function.clone(), child.data.clone()]));
    }
    let count = machine.heap.own().len();
    let counts: Vec<usize> = (0..count).map(|at| sets.iter().filter(|set| set[at]).count()).collect();
    let several: Vec<bool> = counts.iter().map(|count| *count > 1).collect();
    machine.heap.freeze(&several);
    let others: Vec<bool> = counts.iter().map(|count| *count > 0).collect();
    let store = store.effect(&mut machine.heap, &others)?;
    let starts = registered.into_iter().map(|child| {
        let Registered { name, mut data, mut function, span } = child;
        let mut copier = Copier::new(machine.heap.own(), base);
        copier.visit(&mut function);
        copier.visit(&mut data);
        Child::Start { name, data, function, cells: copier.finish(), span }
    });
    let mut children: Vec<Child<'c>> = starts.collect();
    children.extend(forks.into_iter().map(|fork| Child::Fork(Box::new(fork))));
    Ok(Effects { store, children, external })
}
