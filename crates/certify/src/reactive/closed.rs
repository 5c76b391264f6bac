//! Closed sets of valuations: the set contains the initial valuation, every call from a valuation of the set
//! that does not end the run leads into the set, and no call from the set stops at a claimed error.
//!
//! A call that comes to something which its language does not define refutes every claim, because nothing is
//! known of the program after it.
//! 1. Every run stays in the set. Proof: by induction over the calls. A call does not read variables that the
//!    slots leave out before it assigns them; otherwise it is refused.
//! 2. No run stops at a claimed error. Proof: by 1, and because no call from the set stops there.
//! 3. Every infinite run is a path through the steps found here. Proof: by 1.

use super::abstract_states::{Calls, Ends};
use super::batch::{Batch, Batches, Held, Sink};
use super::rows::{BATCH, Rows, survey};
use super::slots::Slots;
use crate::keys::Key;
use crate::{Check, Refusal, reject};
use hashbrown::HashMap;
use kernel::Work;
use model::{ErrorId, InputId, Outcome, Reactive, Valuations};

/// Number of neighbouring rows that go through a call together.
const TOGETHER: usize = 1024;

/// What a set is claimed to show.
pub(crate) struct Claimed {
    /// For each [`ErrorId`]: true if the claim is that no call stops there. Empty if no error is claimed; then
    /// invalid calls are ignored.
    pub(crate) errors: Vec<bool>,
    /// True if a formula is claimed. Then the steps are recorded.
    pub(crate) temporal: bool,
}

/// The label of a step: the number of the input letter, and the output.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Label {
    pub(crate) input: InputId,
    pub(crate) output: Option<i32>,
}

/// A step from a row to a row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Edge {
    pub(crate) from: u32,
    /// The index in [`Steps::labels`].
    pub(crate) label: u32,
    pub(crate) to: u32,
}

/// All steps of infinite runs through the rows, and possibly other steps.
#[derive(Default)]
pub(crate) struct Steps {
    pub(crate) rows: usize,
    pub(crate) initial: u32,
    pub(crate) labels: Vec<Label>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) numbers: HashMap<Label, u32>,
}

impl Steps {
    pub(crate) fn label(&mut self, label: Label) -> u32 {
        let next = self.labels.len() as u32;
        let number = *self.numbers.entry(label).or_insert(next);
        if number == next {
            self.labels.push(label);
        }
        number
    }

    fn push(&mut self, edge: Edge, work: &Work<'_>) -> Check<()> {
        if self.edges.len() == self.edges.capacity() {
            let more = self.edges.len().max(1024);
            work.grow(more.saturating_mul(size_of::<Edge>()))?;
            self.edges.try_reserve_exact(more).map_err(|_| Refusal::ResourceLimit)?;
        }
        self.edges.push(edge);
        Ok(())
    }
}

/// The result of the check.
pub(crate) struct Closed {
    pub(crate) rows: u64,
    pub(crate) hash: u64,
    /// Has no edges if no formula is claimed.
    pub(crate) steps: Steps,
}

pub(crate) fn check(
    program: &Reactive,
    valuations: &Valuations,
    claimed: &Claimed,
    work: &mut Work<'_>,
) -> Check<Closed> {
    let slots = Slots::new(program, valuations)?;
    let packing = survey(&slots, valuations.rows.as_ref(), work)?;
    let set = valuations.rows.as_ref();
    match packing.words {
        1 => closed(&slots, claimed, &Rows::<[u64; 1]>::read(&slots, set, packing, work)?, work),
        2 => closed(&slots, claimed, &Rows::<[u64; 2]>::read(&slots, set, packing, work)?, work),
        3 | 4 => closed(&slots, claimed, &Rows::<[u64; 4]>::read(&slots, set, packing, work)?, work),
        _ => closed(&slots, claimed, &Rows::<Box<[u64]>>::read(&slots, set, packing, work)?, work),
    }
}

fn closed<K: Key + Ord>(slots: &Slots<'_>, claimed: &Claimed, rows: &Rows<K>, work: &mut Work<'_>) -> Check<Closed> {
    let mut found = Vec::new();
    let initial = slots.initial();
    let Some(key) = rows.packing.pack::<K>(&initial) else { return missing_initial(slots, &initial) };
    let Ok(()) = rows.find(&[key], &mut found, work)? else { return missing_initial(slots, &initial) };
    let steps = Steps { rows: rows.keys.len(), initial: found[0], ..Steps::default() };
    let mut closure =
        Closure { slots, claimed, rows, input: InputId(0), steps, from: Vec::new(), to: Vec::new(), found };
    if slots.are_exact() {
        exact(slots, rows, &mut closure, work)?;
    } else {
        follow(slots, rows, &mut closure, work)?;
    }
    Ok(Closed { rows: rows.keys.len() as u64, hash: rows.hash, steps: closure.steps })
}

fn missing_initial<T>(slots: &Slots<'_>, initial: &[i32]) -> Check<T> {
    reject(format!("the initial valuation {} is missing from the set", slots.describe(initial)))
}

/// Follows all rows through all calls, neighbours together.
fn exact<K: Key + Ord>(
    slots: &Slots<'_>,
    rows: &Rows<K>,
    closure: &mut Closure<'_, '_, K>,
    work: &mut Work<'_>,
) -> Check<()> {
    let mut batches = Batches::new(slots);
    for first in (0..rows.keys.len()).step_by(TOGETHER) {
        let numbers = first..rows.keys.len().min(first + TOGETHER);
        let keys = &rows.keys[numbers.clone()];
        work.spend((keys.len() * slots.slots.len()) as u64)?;
        let column = |slot| Held::of(keys.iter().map(|key| rows.packing.value(key.as_ref(), slot)).collect());
        let held = (0..slots.slots.len()).map(column).collect();
        let batch = Batch::new(slots, numbers.map(|number| number as u32).collect(), held);
        for (number, &input) in slots.program.inputs().iter().enumerate() {
            closure.input = InputId::new(number);
            batches.call(batch.clone(), input, closure, work)?;
        }
    }
    Ok(())
}

/// Follows all rows through all calls, each row by itself. Some slots hold cells.
fn follow<K: Key + Ord>(
    slots: &Slots<'_>,
    rows: &Rows<K>,
    closure: &mut Closure<'_, '_, K>,
    work: &mut Work<'_>,
) -> Check<()> {
    let mut calls = Calls::new(slots);
    for number in 0..rows.keys.len() {
        let row = rows.row(number);
        for (letter, &input) in slots.program.inputs().iter().enumerate() {
            closure.input = InputId::new(letter);
            calls.call(number, &row, input, closure, work)?;
        }
    }
    Ok(())
}

/// Looks up the rows that calls lead to, and records the steps.
pub(crate) struct Closure<'a, 'p, K> {
    slots: &'a Slots<'p>,
    claimed: &'a Claimed,
    rows: &'a Rows<K>,
    /// The input letter of the current calls.
    pub(crate) input: InputId,
    steps: Steps,
    from: Vec<u32>,
    to: Vec<K>,
    found: Vec<u32>,
}

impl<K: Key + Ord> Closure<'_, '_, K> {
    /// True if calls with this outcome must lead into the set. Rejects the set if the outcome is a claimed
    /// error, or is not defined. If a formula is claimed, also rejects an output that is not one letter.
    pub(crate) fn goes_on(&self, from: usize, outcome: Outcome) -> Check<bool> {
        match outcome {
            Outcome::Output(_) | Outcome::Silent => Ok(true),
            Outcome::Unspelt if self.claimed.temporal => {
                let (row, input) = (self.slots.describe(&self.rows.row(from)), self.letter());
                reject(format!("with input {input} the call from {row} does not print exactly one letter"))
            }
            Outcome::Unspelt => Ok(true),
            Outcome::Invalid => Ok(!self.claimed.errors.is_empty()),
            Outcome::Crash => Ok(false),
            Outcome::Error(error) if Some(error) == self.slots.program.undefined() => {
                let (row, input) = (self.slots.describe(&self.rows.row(from)), self.letter());
                reject(format!("with input {input} what the call from {row} does is not defined"))
            }
            Outcome::Error(error) if self.claims(error) => {
                let label = self.slots.program.errors()[error.index()];
                let (row, input) = (self.slots.describe(&self.rows.row(from)), self.letter());
                reject(format!("with input {input} the call from {row} stops at error {label}"))
            }
            Outcome::Error(_) => Ok(false),
        }
    }

    /// True if a temporal formula is claimed.
    pub(crate) fn claims_formulas(&self) -> bool {
        self.claimed.temporal
    }

    fn claims(&self, error: ErrorId) -> bool {
        self.claimed.errors.get(error.index()).is_some_and(|&is_claimed| is_claimed)
    }

    fn letter(&self) -> i32 {
        self.slots.program.input(self.input)
    }

    /// The label of a step, if a formula is claimed and the step may belong to an infinite run.
    fn label(&mut self, outcome: Outcome) -> Option<u32> {
        let output = match outcome {
            Outcome::Output(letter) => Some(letter),
            Outcome::Silent => None,
            _ => return None,
        };
        self.claimed.temporal.then(|| self.steps.label(Label { input: self.input, output }))
    }

    /// Rejects the set, because the row `from` leads to `to`, which is not in it.
    pub(crate) fn outside<T>(&self, from: usize, to: &[i32]) -> Check<T> {
        let (row, input) = (self.slots.describe(&self.rows.row(from)), self.letter());
        reject(format!("the set is not closed: {row} leads with input {input} to {}", self.slots.describe(to)))
    }

    /// Handles the calls from the rows in `self.from`, which lead to the rows in `self.to`.
    fn arrive(&mut self, outcome: Outcome, work: &mut Work<'_>) -> Check<()> {
        let label = self.label(outcome);
        let (from, to) = (std::mem::take(&mut self.from), std::mem::take(&mut self.to));
        for (from, to) in from.chunks(BATCH).zip(to.chunks(BATCH)) {
            let mut found = std::mem::take(&mut self.found);
            if let Err(at) = self.rows.find(to, &mut found, work)? {
                return self.outside(from[at] as usize, &self.rows.packing.unpack(to[at].as_ref()));
            }
            if let Some(label) = label {
                for (&from, &to) in from.iter().zip(&found) {
                    self.steps.push(Edge { from, label, to }, work)?;
                }
            }
            self.found = found;
        }
        (self.from, self.to) = (from, to);
        Ok(())
    }

    /// Handles a call from row number `from` that may lead to this row.
    pub(crate) fn one(&mut self, from: usize, outcome: Outcome, row: &[i32], work: &mut Work<'_>) -> Check<()> {
        let Some(key) = self.rows.packing.pack(row) else { return self.outside(from, row) };
        self.from.clear();
        self.to.clear();
        self.from.push(from as u32);
        self.to.push(key);
        self.arrive(outcome, work)
    }
}

impl<K: Key + Ord> Ends for Closure<'_, '_, K> {
    fn ended(&mut self, from: usize, outcome: Outcome, row: &[i32], work: &mut Work<'_>) -> Check<()> {
        if self.goes_on(from, outcome)? { self.one(from, outcome, row, work) } else { Ok(()) }
    }

    fn hears_letters(&self) -> bool {
        self.claims_formulas()
    }
}

impl<K: Key + Ord> Sink for Closure<'_, '_, K> {
    fn ended(&mut self, batch: &Batch<'_>, outcome: Outcome, work: &mut Work<'_>) -> Check<()> {
        if !self.goes_on(batch.rows[0] as usize, outcome)? {
            return Ok(());
        }
        let packing = &self.rows.packing;
        let slots = self.slots.slots.len();
        let mut common: K = packing.empty();
        let mut fits = true;
        for (slot, held) in batch.held[..slots].iter().enumerate() {
            if let Held::Same(value) = held {
                fits &= packing.put(common.as_mut(), slot, *value);
            }
        }
        self.from.clear();
        self.to.clear();
        self.from.extend_from_slice(&batch.rows);
        self.to.resize(batch.rows.len(), common);
        for (slot, held) in batch.held[..slots].iter().enumerate() {
            if let Held::Each(column) = held {
                for (key, &value) in self.to.iter_mut().zip(&column.values) {
                    if fits && !packing.put(key.as_mut(), slot, value) {
                        fits = false;
                    }
                }
            }
        }
        work.spend(batch.rows.len() as u64)?;
        if fits {
            return self.arrive(outcome, work);
        }
        // Some value never occurs in its slot. Looking up the rows one by one finds and reports the row.
        for (at, &from) in batch.rows.iter().enumerate() {
            let value = |held: &Held| match held {
                Held::Same(value) => *value,
                Held::Each(column) => column.values[at],
                Held::Poison => 0,
            };
            let row: Vec<i32> = batch.held[..slots].iter().map(value).collect();
            self.one(from as usize, outcome, &row, work)?;
        }
        debug_assert!(false, "one of the rows does not fit");
        reject("the set is not closed")
    }
}
