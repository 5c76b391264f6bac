//! The step-and-store loop: expands a state, numbers its successors, and stores their parents.

mod saved;

use crate::parents::Parents;
use crate::step::{Stepper, Successors};
use crate::table::{self, Additions, StateId, StateTable};
use model::{EventId, ExpansionKind, Goal, Move, StateSet, Trace};
use rayon::ThreadPool;
use std::collections::VecDeque;
use std::fmt;
use std::ops::ControlFlow;

/// Largest fan-out for which memory is reserved for an expansion without looking at the state.
pub(crate) const SMALL_FAN_OUT: u64 = 1 << 12;

/// A stepper with the states it has reached.
#[derive(Debug)]
pub struct Exploration<S: Stepper> {
    stepper: S,
    table: StateTable,
    parents: Parents,
    successors: Successors,
    hashes: Vec<u64>,
    transitions: u64,
    packed: Vec<u64>,
    unpacked: Vec<u32>,
}

impl<S: Stepper> Exploration<S> {
    /// Returns an exploration without states: even the initial ones have to be added.
    pub fn new(stepper: S) -> Self {
        let words = stepper.words();
        Self {
            stepper,
            table: StateTable::new(words),
            parents: Parents::default(),
            successors: Successors::new(words),
            hashes: Vec::new(),
            transitions: 0,
            packed: Vec::new(),
            unpacked: Vec::new(),
        }
    }

    /// Interns the initial states and returns them.
    pub fn add_initial(&mut self) -> Vec<StateId> {
        let mut initial = Vec::new();
        self.add_initial_while(|id| {
            initial.push(id);
            true
        });
        initial
    }

    /// Returns true if a bound excludes some initial states.
    pub fn initial_is_cut(&self) -> bool {
        self.stepper.initial_is_cut()
    }

    /// Interns initial states and calls `go_on` with each, until it returns false. Returns true if all initial
    /// states are interned.
    pub fn add_initial_while(&mut self, mut go_on: impl FnMut(StateId) -> bool) -> bool {
        let (table, parents) = (&mut self.table, &mut self.parents);
        let mut going = true;
        self.stepper.initial_while(&mut |state| {
            let (id, new) = table.intern(state);
            parents.note_initial(id, new);
            going = go_on(id);
            if going { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        going
    }

    /// Interns an unpacked state that was not found by an expansion. A new one has no parent. Returns its id,
    /// and true if it is new.
    pub fn intern(&mut self, state: &[u32]) -> (StateId, bool) {
        self.stepper.pack(state, &mut self.packed);
        let (id, new) = self.table.intern(&self.packed);
        if new {
            self.parents.note_outside();
        }
        (id, new)
    }

    /// Expands `id` and interns every successor. `id` becomes the parent of successors that have no parent.
    /// Calls `visit` with label and id of each successor, and true if it is new. If a state is expanded twice,
    /// its transitions are counted twice.
    #[inline]
    pub fn expand(&mut self, id: StateId, mut visit: impl FnMut(u32, StateId, bool)) -> ExpansionKind {
        let kind = self.stepper.expand(self.table.get(id), &mut self.successors);
        self.transitions += self.successors.len() as u64;
        self.hashes.clear();
        self.hashes.extend(self.successors.iter().map(|(_, state)| table::hash(state)));
        self.table.warm(&self.hashes);
        for ((label, state), &hash) in self.successors.iter().zip(&self.hashes) {
            let (next, new) = self.table.intern_hashed(hash, state);
            self.parents.note_found(next, new, id);
            visit(label, next, new);
        }
        kind
    }

    /// Records an expansion of `id` that was computed earlier, like [`Exploration::expand`]. `hashes` are the
    /// hashes of `successors`.
    #[inline]
    pub(crate) fn record(&mut self, id: StateId, successors: &Successors, hashes: &[u64]) {
        self.transitions += successors.len() as u64;
        for ((_, state), &hash) in successors.iter().zip(hashes) {
            let (next, new) = self.table.intern_hashed(hash, state);
            self.parents.note_found(next, new, id);
        }
    }

    pub(crate) fn table(&self) -> &StateTable {
        &self.table
    }

    /// Calls `found` with each goal that the state satisfies and that an expansion does not find.
    pub fn test(&mut self, id: StateId, found: &mut dyn FnMut(Goal)) {
        self.stepper.test(self.table.get(id), found);
    }

    /// Returns true if there are goals that an expansion does not find.
    #[inline]
    pub fn has_tests(&self) -> bool {
        self.stepper.has_tests()
    }

    /// Returns the work of testing a state: [`Stepper::test_cost`].
    pub fn test_cost(&self) -> u64 {
        self.stepper.test_cost()
    }

    /// Computes the successors of `id` without recording them: [`Exploration::record_step`] does that.
    pub(crate) fn step(&mut self, id: StateId) -> ExpansionKind {
        self.stepper.expand(self.table.get(id), &mut self.successors)
    }

    /// Adds states that were found by several workers. The states are not in the table, and their numbers are those
    /// that one worker would give ([`StateTable::add_all`]).
    pub(crate) fn add_all(&mut self, list: Additions<'_>, pool: &ThreadPool, workers: usize) {
        self.table.add_all(&mut self.parents, list, pool, workers);
    }

    /// Counts the transitions of a state after [`Exploration::add_all`] has added its successors.
    pub(crate) fn count_transitions(&mut self, transitions: u64) {
        self.transitions += transitions;
    }

    /// Records the successors of `id` that [`Exploration::step`] has just computed.
    pub(crate) fn record_step(&mut self, id: StateId) {
        let successors = std::mem::replace(&mut self.successors, Successors::new(self.stepper.words()));
        self.hashes.clear();
        self.hashes.extend(successors.iter().map(|(_, state)| table::hash(state)));
        let hashes = std::mem::take(&mut self.hashes);
        self.record(id, &successors, &hashes);
        (self.hashes, self.successors) = (hashes, successors);
    }

    /// Returns the number of slots of a state.
    pub fn width(&self) -> usize {
        self.stepper.width()
    }

    /// Returns the extra work of an expansion: [`Stepper::looking`].
    pub fn looking(&self) -> u64 {
        self.stepper.looking()
    }

    /// Returns the stepper.
    pub fn stepper(&self) -> &S {
        &self.stepper
    }

    /// Returns the stepper, for modification.
    pub fn stepper_mut(&mut self) -> &mut S {
        &mut self.stepper
    }

    /// Returns the state `id` as the stepper packs it.
    #[inline]
    pub fn packed(&self, id: StateId) -> &[u64] {
        self.table.get(id)
    }

    /// Replaces the stepper by `stepper`, which packs the same states in another way. State numbers and parents
    /// stay the same. This costs a pass over all states, and the memory that [`Exploration::repack_bytes`]
    /// returns.
    pub fn repack(&mut self, stepper: S) {
        let words = stepper.words();
        let mut table = StateTable::new(words);
        let mut unpacked = Vec::with_capacity(stepper.width());
        for index in 0..self.table.len() {
            self.stepper.unpack(self.table.get(StateId::new(index)), &mut unpacked);
            stepper.pack(&unpacked, &mut self.packed);
            table.intern(&self.packed);
        }
        self.successors = Successors::new(words);
        (self.stepper, self.table) = (stepper, table);
    }

    /// Returns how many bytes [`Exploration::repack`] to states of `words` words may allocate.
    pub fn repack_bytes(&self, words: usize) -> usize {
        // The vector of states grows by a quarter, and the table of hash slots is doubled.
        let each = words.saturating_mul(8 + 2).saturating_add(40);
        self.table.len().saturating_mul(each)
    }

    /// Returns true if state number `index` exists and is `state`.
    pub(crate) fn is_state(&self, index: usize, state: &[u64]) -> bool {
        index < self.table.len() && table::equal(self.table.get(StateId::new(index)), state)
    }

    /// Unpacks the state `id` into `out`, which is cleared first.
    pub fn state(&self, id: StateId, out: &mut Vec<u32>) {
        self.stepper.unpack(self.table.get(id), out);
    }

    /// Returns the run from an initial state to `id` along recorded parents. Returns `None` if the chain does
    /// not end in an initial state, or is a cycle. Both can happen where states were added from outside. The
    /// run contains a choice only where an event has several successors.
    pub fn trace_to(&mut self, id: StateId) -> Option<Trace> {
        let chain = self.parents.chain(id)?;
        let mut unpacked = Vec::new();
        self.state(chain[0], &mut unpacked);
        let mut trace = Trace::new(unpacked.as_slice().into());
        for step in chain.windows(2) {
            self.stepper.expand_all(self.table.get(step[0]), &mut self.successors);
            let target = self.table.get(step[1]);
            let (label, has_choice) = self.successors.step_to(target)?;
            let choice = has_choice.then(|| {
                self.stepper.unpack(target, &mut unpacked);
                unpacked.as_slice().into()
            });
            trace.push(EventId(label), choice);
        }
        Some(trace)
    }

    /// Returns true if a run from an initial state leads to `id` along recorded parents. Takes time linear in
    /// the length of that run.
    pub fn is_reached(&self, id: StateId) -> bool {
        self.parents.chain_length(id).is_some()
    }

    /// Recomputes all parents, breadth first from the initial states through all known states. Afterwards, a
    /// state is reached along parents if and only if some run over known states leads to it. Before, that can
    /// fail where a state was added from outside and expanded before any run led to it. Costs one expansion per
    /// reached state; these expansions are not counted.
    pub fn reparent(&mut self) {
        let mut queue = VecDeque::from(self.parents.forget());
        while let Some(id) = queue.pop_front() {
            self.stepper.expand(self.table.get(id), &mut self.successors);
            for (_, state) in self.successors.iter() {
                if let Some(next) = self.table.find(state)
                    && self.parents.adopt(next, id)
                {
                    queue.push_back(next);
                }
            }
        }
    }

    /// Returns how many bytes [`Exploration::trace_to`] may allocate.
    pub fn trace_bytes(&self, id: StateId) -> usize {
        // A number per state, and a move, in vectors that may be doubling their capacity.
        const BYTES_PER_STEP: usize = 4 + 3 * size_of::<Move>();
        self.parents.chain_length(id).unwrap_or(0).saturating_mul(BYTES_PER_STEP)
    }

    /// Returns the number of known states.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns true if no state is known yet.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Returns the number of (state, label, successor) triples found by expansions.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// Returns how many bytes the next expansion may allocate. This is mostly 0. It is `usize::MAX` if there
    /// may be too few state numbers left for the successors. The result is right for states with at most 4096
    /// successors. For systems with a larger fan-out, use [`Exploration::growth_bytes_of`].
    #[inline]
    pub fn growth_bytes(&self) -> usize {
        self.growth_bytes_for(self.stepper.max_fan_out().min(SMALL_FAN_OUT))
    }

    /// Returns how many bytes the expansion of `id` may allocate. It is `usize::MAX` if there may be too few
    /// state numbers left for the successors.
    #[inline]
    pub fn growth_bytes_of(&self, id: StateId) -> usize {
        let bound = self.stepper.max_fan_out();
        if bound <= SMALL_FAN_OUT {
            return self.growth_bytes_for(bound);
        }
        self.growth_bytes_beyond(self.stepper.fan_out(self.table.get(id)))
    }

    /// Returns [`Stepper::max_fan_out`]: an upper bound on the successors of a state.
    pub fn max_fan_out(&self) -> u64 {
        self.stepper.max_fan_out()
    }

    /// Returns an upper bound on the successors of `id`.
    pub fn fan_out(&self, id: StateId) -> u64 {
        self.stepper.fan_out(self.table.get(id))
    }

    /// Returns how many bytes `expansions` expansions may allocate, for systems with a small fan-out.
    #[inline]
    pub(crate) fn growth_bytes_for_many(&self, expansions: usize) -> usize {
        self.growth_bytes_for(self.stepper.max_fan_out().saturating_mul(expansions as u64))
    }

    /// Returns how many bytes [`Exploration::add_initial`] may allocate. It is `usize::MAX` if there are too
    /// many initial states.
    pub fn growth_bytes_initial(&self) -> usize {
        self.growth_bytes_beyond(self.stepper.initial_count())
    }

    #[inline]
    pub(crate) fn growth_bytes_for(&self, more: u64) -> usize {
        let more = usize::try_from(more).unwrap_or(usize::MAX);
        self.table.growth_bytes_for(more).saturating_add(self.parents.growth_bytes_for(more))
    }

    /// Like `growth_bytes_for`, including the buffer of successors.
    pub(crate) fn growth_bytes_beyond(&self, more: u64) -> usize {
        // State, label and hash of a successor, in vectors that may be doubling their capacity.
        let each = 2 * (self.stepper.words() * 8 + 4 + 8);
        let buffer = usize::try_from(more).unwrap_or(usize::MAX).saturating_mul(each);
        let buffer = if more <= SMALL_FAN_OUT { 0 } else { buffer };
        self.growth_bytes_for(more).saturating_add(buffer)
    }

    /// Returns the bytes allocated for states.
    pub(crate) fn bytes(&self) -> usize {
        self.table.bytes() + self.parents.bytes()
    }

    /// Ends a breadth-first exploration. Returns the stepper, the packed states one after the other, and the number
    /// of the first state of each level.
    pub(crate) fn into_levels(self) -> (S, Vec<u64>, Vec<usize>) {
        let Self { stepper, table, parents, .. } = self;
        let states = table.into_states();
        (stepper, states, parents.levels())
    }

    /// Ends the exploration and returns its states.
    pub fn into_states(self) -> PackedStates<S> {
        PackedStates { stepper: self.stepper, table: self.table }
    }
}

/// The states of an exploration, as evidence. They are read from the table and unpacked one by one.
pub struct PackedStates<S: Stepper> {
    stepper: S,
    table: StateTable,
}

impl<S: Stepper> PackedStates<S> {
    /// The states of `table`, which `stepper` has packed.
    pub fn new(stepper: S, table: StateTable) -> Self {
        Self { stepper, table }
    }
}

impl<S: Stepper> fmt::Debug for PackedStates<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PackedStates({})", self.table.len())
    }
}

impl<S: Stepper> StateSet for PackedStates<S> {
    fn len(&self) -> u64 {
        self.table.len() as u64
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut unpacked = Vec::with_capacity(self.stepper.width());
        for index in 0..self.table.len() {
            self.stepper.unpack(self.table.get(StateId::new(index)), &mut unpacked);
            visit(&unpacked)?;
        }
        ControlFlow::Continue(())
    }
}
