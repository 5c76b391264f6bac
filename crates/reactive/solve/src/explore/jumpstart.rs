//! `explicit.jumpstart`: breadth-first searches that start shortly before the errors found so far.
//!
//! Errors are often close together: runs to them share a long prefix. Depth-first search with restarts finds a
//! first error. Then a breadth-first search begins at the state five inputs before the end of the run to this
//! error. (Van de Pol, Ruys and te Brinke 2014, section 3.2, do this by hand.) Further searches begin ten
//! inputs before the end, twenty and so on, and visit more states, until nothing is left of the run. Both kinds
//! of search get about the same work. If several runs end in the same state, only one search starts there.

use super::expand::Expander;
use super::restart::Restart;
use super::technique::{ErrorRun, Technique};
use super::wide::Wide;
use model::InputId;
use model::ids::ErrorId;
use search::Pause;
use search::valuations::States;
use std::collections::{BTreeMap, BTreeSet};

/// Inputs left out by the first search from a run.
const FIRST_CUT: usize = 5;

/// States visited by the first search from a run. Each later search visits four times as many, up to a limit.
const FIRST_STATES: usize = 20_000;

#[derive(Debug)]
pub(super) struct Jumpstart {
    restart: Restart,
    /// Work of the depth-first searches (`deep`) and of the breadth-first searches (`near`).
    deep: u64,
    near: u64,
    /// Runs to start from, sorted by the number of cuts already made, and then by the order of discovery.
    runs: BTreeMap<(u32, u64), Vec<InputId>>,
    found: u64,
    /// The states where a search has begun, each with its level (the number of cuts before).
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

    fn found(&mut self, error: ErrorId, inputs: Vec<InputId>) -> Pause<ErrorRun> {
        self.runs.insert((0, self.found), inputs.clone());
        self.found += 1;
        Pause::Hit((error, inputs))
    }

    /// Begins the next search with a new start, if there is one.
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

    /// Continues the breadth-first searches. Returns `None` if there is nothing to do or to report.
    fn advance_near(
        &mut self,
        expander: &mut Expander,
        work: u64,
        wanted: &dyn Fn(ErrorId) -> bool,
    ) -> Option<Pause<ErrorRun>> {
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
    fn advance(&mut self, expander: &mut Expander, work: u64, wanted: &dyn Fn(ErrorId) -> bool) -> Pause<ErrorRun> {
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
            // Work that could not be used is not saved.
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
