//! A randomised depth-first search with a limit on its depth.
//!
//! States count as seen when they are found, not when they are entered, and those that one state leads to go onto the
//! stack together, in random order: so each state is expanded once, all its inputs at a time, which the decision tree
//! likes, and the searches of different seeds swarm over different parts of the space (Laarman, van de Pol, Weber
//! 2011 search so, and so did van de Pol, Ruys and te Brinke 2014). An entry of the stack has its depth and its last
//! input; the others of the run to it are those of the run under way, so that the way back costs nothing.
//!
//! Under a limit, a state first met at the limit is not looked at again when it is met earlier on another run: other
//! seeds will meet it the other way round.

use super::expand::{Expander, Met};
use super::random::Random;
use super::strategy::{FULL, Found};
use model::InputId;
use model::ids::ErrorId;
use std::collections::VecDeque;
use store::reactive::{StateNumber, States};
use store::search::Pause;

/// Unless there is a limit, the parts of states are put together anew at these numbers of states.
const ARRANGE_AT: [usize; 2] = [1 << 13, 1 << 17];

/// A state to be expanded.
#[derive(Clone, Copy, Debug)]
struct Entry {
    state: StateNumber,
    /// Inputs of the run to it.
    depth: u32,
    /// The last of them; of the initial state, none.
    input: InputId,
}

/// The states and the stack of a search.
#[derive(Debug)]
pub(super) struct Stack {
    states: States,
    entries: Vec<Entry>,
    /// The run to the state that was expanded last.
    run: Vec<InputId>,
    limit: u32,
    /// Some state lay at the limit.
    is_cut: bool,
    random: Random,
    /// Labels that calls from that state stop at, not yet told.
    found: VecDeque<(ErrorId, InputId)>,
    arranged: usize,
    new: Vec<(StateNumber, InputId)>,
}

impl Stack {
    /// A search that looks at runs of at most `limit` inputs and a last one.
    pub(super) fn new(expander: &Expander, limit: u32, random: Random) -> Self {
        Self {
            states: expander.only_initial(),
            entries: vec![Entry { state: 0, depth: 0, input: InputId(0) }],
            run: Vec::new(),
            limit,
            is_cut: false,
            random,
            found: VecDeque::new(),
            arranged: 0,
            new: Vec::new(),
        }
    }

    /// Forgets everything but where the random numbers are, and starts again.
    pub(super) fn start_over(&mut self, expander: &Expander, limit: u32) {
        *self = Self::new(expander, limit, self.random.clone());
    }

    /// After it was exhausted: did some state lie at the limit, so that others may lie beyond it?
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(super) fn states(&self) -> &States {
        &self.states
    }

    /// About the bytes that a thousand units of work may take beyond those in use.
    pub(super) fn growth_bytes(&self) -> usize {
        let entries = self.entries.capacity() * size_of::<Entry>();
        // The run is copied where it is told of, as a list and as a trace.
        self.states.growth_bytes() + entries + self.run.capacity() * 5 * size_of::<InputId>()
    }

    /// Expands states for about `work` units, or until a run to a `wanted` label is found.
    pub(super) fn advance(
        &mut self,
        expander: &mut Expander,
        work: u64,
        wanted: &dyn Fn(ErrorId) -> bool,
    ) -> Pause<Found> {
        let end = expander.work().saturating_add(work);
        loop {
            while let Some((error, input)) = self.found.pop_front() {
                if wanted(error) {
                    let inputs = self.run.iter().copied().chain([input]).collect();
                    return Pause::Hit((error, inputs));
                }
            }
            if expander.work() >= end {
                return Pause::Turn;
            }
            let Some(entry) = self.entries.pop() else {
                return Pause::Exhausted;
            };
            if !self.expand(expander, entry, wanted) {
                return FULL;
            }
        }
    }

    fn expand(&mut self, expander: &mut Expander, entry: Entry, wanted: &dyn Fn(ErrorId) -> bool) -> bool {
        if self.limit == u32::MAX && ARRANGE_AT.get(self.arranged).is_some_and(|&at| self.states.len() >= at) {
            self.states.arrange();
            self.arranged += 1;
        }
        let depth = entry.depth as usize;
        if depth > 0 {
            debug_assert!(depth <= self.run.len() + 1, "it was met from a state of the run under way");
            self.run.truncate(depth - 1);
            self.run.push(entry.input);
        }
        let Self { states, found, new, .. } = self;
        new.clear();
        let fits = expander.expand(states, entry.state, |input, met| match met {
            Met::New(state) => new.push((state, input)),
            Met::Error(error) => {
                if wanted(error) && found.iter().all(|(other, _)| *other != error) {
                    found.push_back((error, input));
                }
            }
        });
        self.push_new(entry.depth + 1);
        fits
    }

    /// Puts the states that were just met onto the stack.
    fn push_new(&mut self, depth: u32) {
        if depth > self.limit {
            self.is_cut |= !self.new.is_empty();
            return;
        }
        self.random.shuffle(&mut self.new);
        self.entries.extend(self.new.iter().map(|&(state, input)| Entry { state, depth, input }));
    }

    pub(super) fn into_states(self) -> States {
        self.states
    }
}
