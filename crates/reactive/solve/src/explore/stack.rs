//! A randomised depth-first search with a limit on its depth.
//!
//! A state counts as visited when it is found, not when it is expanded. All new successors of a state are
//! pushed onto the stack together, in random order. So each state is expanded once, with all inputs at a time,
//! which is efficient in the decision tree. Searches with different seeds spread over different parts of the
//! space. (Laarman, van de Pol, Weber 2011 search in this way, and so do van de Pol, Ruys and te Brinke 2014.)
//! An entry of the stack has the depth of its state and the last input of the run to it. The other inputs are
//! those of the current run, so reconstructing a run costs nothing.
//!
//! With a limit, a state first met at the limit is not visited again when it is met at a smaller depth on
//! another run. Searches with other seeds will meet it in another order.

use super::expand::{Expander, Met};
use super::random::Random;
use super::technique::{ErrorRun, FULL};
use model::InputId;
use model::ids::ErrorId;
use search::Pause;
use search::valuations::{StateNumber, States};
use std::collections::VecDeque;

/// Numbers of states at which the parts of states are regrouped, if there is no limit of depth.
const ARRANGE_AT: [usize; 2] = [1 << 13, 1 << 17];

/// A state to expand.
#[derive(Clone, Copy, Debug)]
struct Entry {
    state: StateNumber,
    /// Number of inputs of the run to it.
    depth: u32,
    /// The last of these inputs. Meaningless for the initial state.
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
    /// True if some state was at the limit.
    is_cut: bool,
    random: Random,
    /// Labels at which calls from that state stop, and which have not been reported.
    found: VecDeque<(ErrorId, InputId)>,
    arranged: usize,
    new: Vec<(StateNumber, InputId)>,
}

impl Stack {
    /// Returns a search for runs of at most `limit` + 1 inputs.
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

    /// Starts again from the initial state. Only the state of the random generator is kept.
    pub(super) fn start_over(&mut self, expander: &Expander, limit: u32) {
        *self = Self::new(expander, limit, self.random.clone());
    }

    /// Returns true if an exhausted search met a state at the limit, so that other states may be beyond it.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(super) fn states(&self) -> &States {
        &self.states
    }

    /// Returns an estimate of the additional bytes that a thousand units of work may take.
    pub(super) fn growth_bytes(&self) -> usize {
        let entries = self.entries.capacity() * size_of::<Entry>();
        // A reported run is copied, as a list and as a trace.
        self.states.growth_bytes() + entries + self.run.capacity() * 5 * size_of::<InputId>()
    }

    /// Expands states for about `work` units, or until a run to a `wanted` label is found.
    pub(super) fn advance(
        &mut self,
        expander: &mut Expander,
        work: u64,
        wanted: &dyn Fn(ErrorId) -> bool,
    ) -> Pause<ErrorRun> {
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

    /// Pushes the states that were just found onto the stack.
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
