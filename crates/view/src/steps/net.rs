//! Steps through runs of nets and thread-transition systems.

use super::marking::{Changes, Marking, Stepper};
use model::{Move, PlaceId, Run, Trace, TransitionId};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeMap;

/// Limit for the steps of repetitions that are executed one by one. (If a repetition changes all token counts
/// by constants, its result is computed without steps.)
const PATIENCE: u64 = 2_000_000;

/// Follows a run of a net or thread-transition system that the checker has accepted.
#[derive(Clone, Debug)]
pub struct MarkedRun<'p> {
    stepper: Stepper<'p>,
    trace: &'p Trace,
    at: Marking,
    /// Number of steps of repetitions that may still be executed.
    patience: u64,
}

impl<'p> MarkedRun<'p> {
    /// Creates a follower at the initial marking of `trace`.
    #[must_use]
    pub fn new(stepper: Stepper<'p>, trace: &'p Trace) -> Self {
        Self { stepper, trace, at: stepper.start(&trace.start), patience: PATIENCE }
    }

    /// The stepper of the system.
    #[must_use]
    pub fn stepper(&self) -> Stepper<'p> {
        self.stepper
    }

    /// The current marking.
    #[must_use]
    pub fn at(&self) -> &Marking {
        &self.at
    }

    /// Returns the text shown for the transition of a step.
    #[must_use]
    pub fn name(&self, step: &Move) -> String {
        self.stepper.transition_name(transition(step))
    }

    /// Takes a step. Returns the places that change, with their old token counts.
    pub fn take(&mut self, step: &Move) -> Changes {
        let changes = match step.choice {
            Some(choice) => self.stepper.towards(&self.at, self.trace.choice(choice)),
            // Without a recorded choice the step has only one outcome, so all threads with a choice may go to
            // their first target.
            None => self.stepper.fire(&self.at, transition(step), &mut |_, n, targets| {
                (0..targets.len()).map(|i| if i == 0 { n.clone() } else { BigUint::ZERO }).collect()
            }),
        };
        let at = &mut self.at;
        changes.into_iter().map(|(place, count)| (place, std::mem::replace(&mut at[place.index()], count))).collect()
    }

    /// Takes all steps of a repetition. Returns the places that it may change, with their old token counts.
    /// Returns `None` if the repetition has too many steps to execute; the marking is then not valid any more.
    pub fn repeat(&mut self, run: &Run) -> Option<Changes> {
        match self.total(run) {
            Some(total) => Some(self.jump(&total, run.times)),
            None => self.follow(run),
        }
    }

    /// Returns the total change by one repetition of the word of `run`; `None` if it depends on the marking.
    fn total(&self, run: &Run) -> Option<BTreeMap<PlaceId, BigInt>> {
        let mut total: BTreeMap<PlaceId, BigInt> = BTreeMap::new();
        for step in &run.word {
            for (place, delta) in self.stepper.deltas(transition(step))? {
                *total.entry(place).or_default() += delta;
            }
        }
        Some(total)
    }

    fn jump(&mut self, total: &BTreeMap<PlaceId, BigInt>, times: u64) -> Changes {
        let mut old = Vec::with_capacity(total.len());
        for (place, delta) in total {
            let before = self.at[place.index()].clone();
            let after = BigInt::from(before.clone()) + delta * times;
            self.at[place.index()] = BigUint::try_from(after).unwrap_or_default();
            old.push((*place, before));
        }
        old
    }

    /// Executes a repetition step by step. Stops early if one pass through the word changes nothing.
    fn follow(&mut self, run: &Run) -> Option<Changes> {
        let mut old = BTreeMap::new();
        let mut left = run.times.saturating_mul(run.word.len() as u64);
        for _ in 0..run.times {
            let mut round = BTreeMap::new();
            for step in &run.word {
                for (place, before) in self.take(step) {
                    round.entry(place).or_insert(before);
                }
            }
            let still = round.iter().all(|(p, before)| self.at[p.index()] == *before);
            for (place, before) in round {
                old.entry(place).or_insert(before);
            }
            let taken = run.word.len() as u64;
            left = left.saturating_sub(taken);
            self.patience = self.patience.saturating_sub(taken);
            if still {
                break;
            }
            if self.patience == 0 && left > 0 {
                return None;
            }
        }
        Some(old.into_iter().collect())
    }
}

fn transition(step: &Move) -> TransitionId {
    TransitionId(step.event.0)
}
