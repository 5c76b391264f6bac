//! `explicit.jumpstart`: breadth-first searches from shortly before the errors found so far.
//!
//! Errors lie together: runs to them often share a long prefix. So where one is found, by depth-first search with
//! restarts, its run less the last five inputs is where a breadth-first search begins (van de Pol, Ruys and te Brinke
//! 2014, section 3.2, by hand); then ten, twenty and so on, each with more states, until nothing is left of the run.
//! Both kinds of search get about the same work. Ends that are one state are one start.

use super::expand::Expander;
use super::restart::Restart;
use super::strategy::{Found, Technique};
use super::wide::Wide;
use model::InputId;
use model::ids::ErrorId;
use std::collections::{BTreeMap, BTreeSet};
use store::reactive::States;
use store::search::Pause;

/// Inputs left off at first.
const FIRST_CUT: usize = 5;

/// States of the first search from a run; each later one has four times as many.
const FIRST_STATES: usize = 20_000;

#[derive(Debug)]
pub(super) struct Jumpstart {
    restart: Restart,
    /// Work of the restarts and of the searches from starts.
    deep: u64,
    near: u64,
    /// Runs to start from: by how often they were cut already, and when they were found.
    runs: BTreeMap<(u32, u64), Vec<InputId>>,
    found: u64,
    /// Where a search has begun.
    known: BTreeSet<(u32, Box<[i32]>)>,
    wide: Option<Wide>,
}

impl Jumpstart {
    pub(super) fn new(expander: &Expander, seed: u64) -> Self {
        Self {
            restart: Restart::new(expander, seed),
            deep: 0,
            near: 0,
            runs: BTreeMap::new(),
            found: 0,
            known: BTreeSet::new(),
            wide: None,
        }
    }

    fn found(&mut self, error: ErrorId, inputs: Vec<InputId>) -> Pause<Found> {
        self.runs.insert((0, self.found), inputs.clone());
        self.found += 1;
        Pause::Hit((error, inputs))
    }

    /// Begins the next search, if there is one that has not been.
    fn begin(&mut self, expander: &mut Expander) {
        while let Some(((level, number), inputs)) = self.runs.pop_first() {
            let cut = FIRST_CUT << level.min(30);
            let prefix = inputs[..inputs.len().saturating_sub(cut)].to_vec();
            let start = expander.after(&prefix);
            if !prefix.is_empty() {
                self.runs.insert((level + 1, number), inputs);
            }
            if self.known.insert((level, start.clone())) {
                let most = FIRST_STATES << (2 * level).min(10);
                self.wide = Some(Wide::new(expander, prefix, &start, most));
                return;
            }
        }
    }

    /// Searches from starts. `None` if there is nothing to do or to tell.
    fn advance_near(
        &mut self,
        expander: &mut Expander,
        work: u64,
        wanted: &dyn Fn(ErrorId) -> bool,
    ) -> Option<Pause<Found>> {
        if self.wide.is_none() {
            self.begin(expander);
        }
        match self.wide.as_mut()?.advance(expander, work, wanted) {
            Pause::Hit((error, inputs)) => Some(self.found(error, inputs)),
            Pause::Exhausted => {
                self.wide = None;
                None
            }
            pause => Some(pause),
        }
    }
}

impl Technique for Jumpstart {
    fn advance(&mut self, expander: &mut Expander, work: u64, wanted: &dyn Fn(ErrorId) -> bool) -> Pause<Found> {
        let before = expander.work();
        if self.near <= self.deep {
            let pause = self.advance_near(expander, work, wanted);
            let used = expander.work() - before;
            self.near += used;
            self.restart.waited(used);
            if let Some(pause) = pause {
                return pause;
            }
        }
        let before = expander.work();
        let pause = self.restart.advance(expander, work, wanted);
        self.deep += expander.work() - before;
        if self.wide.is_none() && self.runs.is_empty() {
            // Work that could not be used is not saved up.
            self.near = self.deep;
        }
        match pause {
            Pause::Hit((error, inputs)) => self.found(error, inputs),
            pause => pause,
        }
    }

    fn start_over(&mut self, expander: &Expander) {
        self.wide = None;
        self.restart.start_over(expander);
    }

    fn states(&self) -> &States {
        self.restart.states()
    }

    fn growth_bytes(&self) -> usize {
        self.restart.growth_bytes() + self.wide.as_ref().map_or(0, Wide::growth_bytes)
    }

    fn into_states(self: Box<Self>) -> States {
        Box::new(self.restart).into_states()
    }
}
