//! Breadth-first exploration of a reactive program, and reconstruction of runs.
//!
//! States are numbered in the order in which they are found, and are expanded in the same order. So of two
//! states, the one with the lower number has the lower (or the same) first predecessor. Only the predecessor of
//! every sixty-fourth state is stored. The stored predecessors leave few candidates for the predecessor of any
//! other state. These candidates are expanded again when a run is reconstructed.

use super::crew::{Calls, Chunk, Crew, NOTES, Portions, call};
use super::{ReactiveStepper, StateNumber, States};
use model::ids::ErrorId;
use model::{InputId, Outcome, Reason};
use rayon::ThreadPool;
use search::Pause;
use search::valuations::{Adding, Batch};
use std::ops::ControlFlow;

/// The predecessor of one state in this many is stored.
pub(super) const STRIDE: usize = 64;

/// When this many states are known, the parts of states are regrouped ([`States::arrange`]).
const ARRANGE_AT: [usize; 2] = [1 << 13, 1 << 17];

/// A call that stops at an error label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// The label.
    pub error: ErrorId,
    /// The state before the call.
    pub from: StateNumber,
    /// The input of the call.
    pub input: InputId,
}

/// There are more states than can be numbered.
const FULL: Pause<Stopped> = Pause::Stuck(Reason::Memory);

/// Stores `from` as the predecessor of a state, if the state is new and its number is a multiple of [`STRIDE`].
fn note(parents: &mut Vec<StateNumber>, from: StateNumber, (number, is_new): (StateNumber, bool)) {
    if is_new && (number as usize).is_multiple_of(STRIDE) {
        parents.push(from);
    }
}

/// An exploration in progress.
#[derive(Debug)]
pub struct Exploration {
    stepper: ReactiveStepper,
    states: States,
    /// The next state to expand.
    next: u32,
    transitions: u64,
    /// Average number of transitions per state among the states expanded last.
    recent: u64,
    /// Number of times that the states have been regrouped.
    arranged: usize,
    /// The predecessors of the states 0, 64, 128 and so on. The predecessor of state 0 is state 0 itself.
    parents: Vec<StateNumber>,
    state: Vec<i32>,
    jobs: usize,
    /// Number of threads that may work now. If it is 1, one works, otherwise all.
    allowed: usize,
    batch: Batch,
    calls: Vec<Calls>,
    adding: Adding,
    /// Created on first use.
    crew: Option<Crew>,
}

impl Exploration {
    /// Returns an exploration with the initial state. Up to `jobs` threads work at once. Their number changes
    /// nothing but the time taken.
    #[must_use]
    pub fn new(stepper: ReactiveStepper, jobs: usize) -> Self {
        let mut states = stepper.states();
        let initial = stepper.initial();
        states.intern(&initial);
        let state = initial.into_vec();
        let (batch, calls, adding) = (Batch::default(), Vec::new(), Adding::default());
        Self {
            stepper,
            states,
            next: 0,
            transitions: 0,
            recent: 0,
            arranged: 0,
            parents: vec![0],
            state,
            jobs,
            allowed: jobs,
            batch,
            calls,
            adding,
            crew: None,
        }
    }

    /// Returns the states so far.
    #[must_use]
    pub fn states(&self) -> &States {
        &self.states
    }

    /// Returns the stepper.
    #[must_use]
    pub fn stepper(&self) -> &ReactiveStepper {
        &self.stepper
    }

    /// Returns the predecessors of the states 0, 64, 128 and so on.
    pub(super) fn parents(&self) -> &[StateNumber] {
        &self.parents
    }

    /// Adds a state of a saved search with its number, and its predecessor if that is stored. Returns false if no
    /// search found this state as the next one.
    pub(super) fn add_saved(&mut self, state: &[i32], at: usize, parent: Option<usize>) -> bool {
        let found = self.states.intern(state);
        if at == 0 {
            return found == Some((0, false)) && parent == Some(0);
        }
        let is_next = found.is_some_and(|(number, is_new)| is_new && number as usize == at);
        let least = self.parents.last().copied().unwrap_or(0);
        match parent.map(StateNumber::try_from) {
            None => is_next,
            Some(Ok(parent)) if parent >= least && (parent as usize) < at => {
                self.parents.push(parent);
                is_next
            }
            Some(_) => false,
        }
    }

    /// Continues a saved search, of which these many states were expanded.
    pub(super) fn go_on_at(&mut self, next: StateNumber, transitions: u64) {
        (self.next, self.transitions) = (next, transitions);
    }

    /// Returns the number of states expanded.
    #[must_use]
    pub fn expanded(&self) -> u64 {
        u64::from(self.next)
    }

    /// Returns the number of calls that led from a state to a state. Invalid calls that change nothing are not
    /// counted.
    #[must_use]
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// Returns the size of the decision tree: its nodes, and approximately its bytes.
    #[must_use]
    pub fn tree(&self) -> (usize, usize) {
        self.stepper.tree.size()
    }

    /// Returns true if several workers have been used.
    #[cfg(test)]
    pub(super) fn has_called_others(&self) -> bool {
        self.crew.is_some()
    }

    /// Returns the bytes in use.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.states.bytes() + self.parents.capacity() * size_of::<StateNumber>() + self.batch.bytes() + self.notes()
    }

    /// Returns the bytes of the buffers for several workers.
    fn notes(&self) -> usize {
        self.adding.bytes() + self.crew.as_ref().map_or(0, Crew::bytes)
    }

    /// Returns an estimate of the additional bytes that a few thousand units of work may take.
    #[must_use]
    pub fn growth_bytes(&self) -> usize {
        let notes = if self.jobs > 1 { NOTES.saturating_sub(self.notes()) } else { 0 };
        self.states.growth_bytes() + self.parents.capacity() * size_of::<StateNumber>() + notes
    }

    /// Returns the work so far, in units of about a microsecond: calls from expanded states, and growth of
    /// decision trees.
    #[must_use]
    pub fn work(&self) -> u64 {
        u64::from(self.next) * self.stepper.work_per_state()
            + self.stepper.work()
            + self.crew.as_ref().map_or(0, Crew::work)
    }

    /// Sets the number of threads that may work from now on.
    pub fn allow(&mut self, threads: usize) {
        self.allowed = threads;
    }

    /// Expands states for about `work` units. Returns early if a call of the program stops at a label that is
    /// `wanted`. The next `advance` expands the state before this call again. The label should then no longer be
    /// wanted, or `advance` stops there again. If many states wait and the budget suffices for them, the workers
    /// share them.
    pub fn advance(&mut self, work: u64, wanted: impl Fn(ErrorId) -> bool + Sync) -> Pause<Stopped> {
        let end = self.work().saturating_add(work);
        loop {
            let left = end.saturating_sub(self.work());
            let waiting = self.states.len() - self.next as usize;
            if left == 0 {
                return Pause::Turn;
            }
            if waiting == 0 {
                return Pause::Exhausted;
            }
            if ARRANGE_AT.get(self.arranged).is_some_and(|&at| self.states.len() >= at) {
                self.states.arrange();
                self.arranged += 1;
            }
            let each = self.stepper.work_per_state();
            let portions = Portions::new(each, self.states.parts(), self.recent);
            let affordable = left.div_ceil(each);
            let next = waiting.min(usize::try_from(affordable).unwrap_or(usize::MAX));
            let stretch = next.min(portions.stretch);
            let before = (self.next, self.transitions);
            let pause = if self.allowed > 1 && stretch >= portions.worth_calling {
                self.expand_together(stretch, portions, &wanted)
            } else {
                self.expand(next.min(portions.batch), &wanted)
            };
            if let Some(pause) = pause {
                return pause;
            }
            self.recent = (self.transitions - before.1) / u64::from(self.next - before.0).max(1);
        }
    }

    /// Expands the next `count` states. If a call from one of them stops, later states are not expanded.
    fn expand(&mut self, count: usize, wanted: impl Fn(ErrorId) -> bool) -> Option<Pause<Stopped>> {
        let Self { stepper, states, next, parents, state, batch, calls, .. } = self;
        states.fetch(batch, *next, count);
        calls.clear();
        for source in 0..count {
            states.source(batch, source, state);
            let made = call(stepper, state, &wanted, |to, changed| states.look_for(batch, source, to, changed));
            calls.push(made);
            if made.stopped.is_some() {
                break;
            }
        }
        if !states.intern_all(batch, |source, number, is_new| note(parents, *next + source, (number, is_new))) {
            return Some(FULL);
        }
        (0..self.calls.len()).find_map(|source| self.expanded_to(self.calls[source]))
    }

    /// Expands the next `count` states by several workers. If a call from one of them stops, later states are
    /// not counted as expanded.
    fn expand_together(
        &mut self,
        count: usize,
        portions: Portions,
        wanted: impl Fn(ErrorId) -> bool + Sync,
    ) -> Option<Pause<Stopped>> {
        let mut crew = self.crew.take().unwrap_or_else(|| Crew::new(self.jobs, &self.stepper));
        crew.step(&mut self.stepper, &self.states, (self.next, count), portions, wanted);
        let (mut chunks, pool) = crew.chunks(count.div_ceil(portions.chunk));
        let pause = self.add(&mut chunks, portions.chunk, pool);
        self.crew = Some(crew);
        pause
    }

    /// Adds the missing states that workers have found. Each chunk but the last contains the results of `size`
    /// expanded states.
    fn add(&mut self, chunks: &mut [&mut Chunk], size: usize, pool: &ThreadPool) -> Option<Pause<Stopped>> {
        let Self { states, next, parents, adding, .. } = self;
        let note = |chunk: usize, source, number, is_new| {
            let first = *next + u32::try_from(chunk * size).expect("within a stretch");
            note(parents, first + source, (number, is_new));
        };
        let mut missing: Vec<_> = chunks.iter_mut().map(|chunk| &mut chunk.missing).collect();
        if !states.add_all(&mut missing, pool, adding, note) {
            return Some(FULL);
        }
        chunks.iter().flat_map(|chunk| &chunk.sources).find_map(|&calls| self.expanded_to(calls))
    }

    /// Counts the state that was expanded, unless one of its calls stopped.
    fn expanded_to(&mut self, calls: Calls) -> Option<Pause<Stopped>> {
        if let Some((error, input)) = calls.stopped {
            return Some(Pause::Hit(Stopped { error, from: self.next, input }));
        }
        self.transitions += calls.transitions;
        self.next += 1;
        None
    }

    /// Returns the inputs of a shortest run from the initial state to a state. If states have about one
    /// successor each, at most about 64 states per input are expanded again. Returns `None` if there is no such run,
    /// because the search was restored from wrong records.
    pub fn inputs_to(&mut self, number: StateNumber) -> Option<Vec<InputId>> {
        let mut inputs = Vec::new();
        let mut number = number;
        while number != 0 {
            let (parent, input) = self.parent(number)?;
            inputs.push(input);
            number = parent;
        }
        inputs.reverse();
        Some(inputs)
    }

    /// Returns the first predecessor of a state, and the first input that leads from this predecessor to the
    /// state. State 0 has no predecessor.
    fn parent(&mut self, number: StateNumber) -> Option<(StateNumber, InputId)> {
        let mut wanted = vec![0; self.state.len()];
        self.states.read(number, &mut wanted);
        let mut state = vec![0; self.state.len()];
        for from in self.parents[number as usize / STRIDE]..number {
            self.states.read(from, &mut state);
            let mut found = None;
            self.stepper.step_all(&state, |input, outcome, to| {
                if matches!(outcome, Outcome::Error(_) | Outcome::Crash) || to != wanted {
                    return ControlFlow::Continue(());
                }
                found = Some((from, input));
                ControlFlow::Break(())
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Returns the stepper, and the states in the order in which they were found.
    #[must_use]
    pub fn into_parts(self) -> (ReactiveStepper, States) {
        (self.stepper, self.states)
    }
}
