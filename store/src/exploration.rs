//! The plain step-and-store loop: expand a state, number its successors, remember who found whom.

use crate::parents::Parents;
use crate::step::{Step, Successors};
use crate::table::{self, StateId, StateTable};
use model::{EventId, Goal, Kind, Move, StateSet, Trace};
use std::collections::VecDeque;
use std::fmt;
use std::ops::ControlFlow;

/// Up to this fan-out every expansion is provided for without looking at the state.
pub(crate) const SMALL_FAN_OUT: u64 = 1 << 12;

/// A stepper with the states it has reached.
#[derive(Debug)]
pub struct Exploration<S: Step> {
    stepper: S,
    table: StateTable,
    parents: Parents,
    successors: Successors,
    hashes: Vec<u64>,
    transitions: u64,
    packed: Vec<u64>,
}

impl<S: Step> Exploration<S> {
    /// No state is known yet, not even the initial ones.
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

    /// Are the initial states not all there are, because of a bound?
    pub fn initial_is_cut(&self) -> bool {
        self.stepper.initial_is_cut()
    }

    /// Interns initial states and hands each to `go_on` until that says no; true if all are in.
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

    /// Interns a state named from outside; a new one has no parent.
    pub fn intern(&mut self, state: &[u32]) -> (StateId, bool) {
        self.stepper.pack(state, &mut self.packed);
        let (id, new) = self.table.intern(&self.packed);
        if new {
            self.parents.note_outside();
        }
        (id, new)
    }

    /// Expands `id`: interns every successor, recording `id` as parent of those that have none, and reports label, id
    /// and whether it is new for each. Expanding a state twice counts its transitions twice.
    #[inline]
    pub fn expand(&mut self, id: StateId, mut visit: impl FnMut(u32, StateId, bool)) -> Kind {
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

    /// Records an expansion of `id` that was stepped ahead; `hashes` are those of `successors`. Like
    /// [`Exploration::expand`].
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

    /// Hands the goals of a state to `found` that an expansion does not find.
    pub fn test(&mut self, id: StateId, found: &mut dyn FnMut(Goal)) {
        self.stepper.test(self.table.get(id), found);
    }

    /// Are there goals that an expansion does not find?
    #[inline]
    pub fn has_tests(&self) -> bool {
        self.stepper.has_tests()
    }

    /// What testing a state takes: [`Step::test_cost`].
    pub fn test_cost(&self) -> u64 {
        self.stepper.test_cost()
    }

    /// Finds the successors of `id` and records nothing: [`Exploration::record_step`] does.
    pub(crate) fn step(&mut self, id: StateId) -> Kind {
        self.stepper.expand(self.table.get(id), &mut self.successors)
    }

    /// As [`Exploration::step`], into a buffer.
    pub(crate) fn step_into(&mut self, id: StateId, successors: &mut Successors) -> Kind {
        self.stepper.expand(self.table.get(id), successors)
    }

    /// Records an expansion of `id` that was stepped into a buffer.
    pub(crate) fn record_stepped(&mut self, id: StateId, successors: &Successors) {
        self.hashes.clear();
        self.hashes.extend(successors.iter().map(|(_, state)| table::hash(state)));
        self.table.warm(&self.hashes);
        let hashes = std::mem::take(&mut self.hashes);
        self.record(id, successors, &hashes);
        self.hashes = hashes;
    }

    /// As [`Exploration::record`], of successors that lie one after the other.
    #[inline]
    pub(crate) fn record_flat(&mut self, id: StateId, hashes: &[u64], states: &[u64]) {
        debug_assert_eq!(states.len(), hashes.len() * self.stepper.words(), "a hash for each state");
        self.transitions += hashes.len() as u64;
        for (state, &hash) in states.chunks_exact(self.stepper.words()).zip(hashes) {
            let (next, new) = self.table.intern_hashed(hash, state);
            self.parents.note_found(next, new, id);
        }
    }

    /// Records the successors of `id` that [`Exploration::step`] has just found.
    pub(crate) fn record_step(&mut self, id: StateId) {
        let successors = std::mem::replace(&mut self.successors, Successors::new(self.stepper.words()));
        self.record_stepped(id, &successors);
        self.successors = successors;
    }

    /// Slots per state.
    pub fn width(&self) -> usize {
        self.stepper.width()
    }

    /// What looking at a state takes beside a work unit: [`Step::looking`].
    pub fn looking(&self) -> u64 {
        self.stepper.looking()
    }

    /// Its stepper.
    pub fn stepper(&self) -> &S {
        &self.stepper
    }

    /// Its stepper, to be changed.
    pub fn stepper_mut(&mut self) -> &mut S {
        &mut self.stepper
    }

    /// The state `id` as its stepper packs it.
    #[inline]
    pub fn packed(&self, id: StateId) -> &[u64] {
        self.table.get(id)
    }

    /// Goes on with `stepper`, which packs the same states in another way. Numbers and parents stay. Costs a pass
    /// over all states, and what [`Exploration::repack_bytes`] says.
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

    /// How many bytes [`Exploration::repack`] to states of `words` words may allocate.
    pub fn repack_bytes(&self, words: usize) -> usize {
        // states in a vector that grows by a quarter, and slots that double
        let each = words.saturating_mul(8 + 2).saturating_add(40);
        self.table.len().saturating_mul(each)
    }

    /// Is `state` known as the one with this number?
    pub(crate) fn is_state(&self, index: usize, state: &[u64]) -> bool {
        index < self.table.len() && table::equal(self.table.get(StateId::new(index)), state)
    }

    /// Unpacks the state `id` into `out`, which is cleared first.
    pub fn state(&self, id: StateId, out: &mut Vec<u32>) {
        self.stepper.unpack(self.table.get(id), out);
    }

    /// The run from an initial state to `id` along recorded parents; `None` if the chain does not end in an initial
    /// state, or loops (possible where states were named from outside). Records choices only where an event has
    /// several successors.
    pub fn trace_to(&mut self, id: StateId) -> Option<Trace> {
        let chain = self.parents.chain(id)?;
        let mut unpacked = Vec::new();
        self.state(chain[0], &mut unpacked);
        let mut trace = Trace::new(unpacked.as_slice().into());
        for step in chain.windows(2) {
            self.stepper.expand_all(self.table.get(step[0]), &mut self.successors);
            let target = self.table.get(step[1]);
            let (label, _) = self.successors.iter().find(|(_, state)| *state == target)?;
            let alternatives = self.successors.iter().filter(|&(l, _)| l == label).count();
            let choice = (alternatives > 1).then(|| {
                self.stepper.unpack(target, &mut unpacked);
                unpacked.as_slice().into()
            });
            trace.push(EventId(label), choice);
        }
        Some(trace)
    }

    /// Does a run from an initial state lead to `id` along recorded parents? Costs the length of that run.
    pub fn is_reached(&self, id: StateId) -> bool {
        self.parents.chain_length(id).is_some()
    }

    /// Finds parents anew, breadth first from the initial states through all known states: after this a known state is
    /// reached iff a run over known states leads to it. Recorded parents can miss that where states were named from
    /// outside and expanded before anything led to them. Costs an expansion per reached state, and counts none of them.
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

    /// How many bytes [`Exploration::trace_to`] may allocate.
    pub fn trace_bytes(&self, id: StateId) -> usize {
        // a number per state, and a move, in a vector that may be doubling
        const BYTES_PER_STEP: usize = 4 + 3 * size_of::<Move>();
        self.parents.chain_length(id).unwrap_or(0).saturating_mul(BYTES_PER_STEP)
    }

    /// How many states are known.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Is no state known yet?
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// How many (state, label, successor) triples the expansions have found.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// How many bytes the next expansion may allocate (0 mostly); `usize::MAX` if there may be no number left for its
    /// successors. For systems with huge fan-out ask [`Exploration::growth_bytes_of`] instead: this assumes some
    /// thousands.
    #[inline]
    pub fn growth_bytes(&self) -> usize {
        self.growth_bytes_for(self.stepper.max_fan_out().min(SMALL_FAN_OUT))
    }

    /// How many bytes the expansion of `id` may allocate; `usize::MAX` if there may be no number left for its
    /// successors.
    #[inline]
    pub fn growth_bytes_of(&self, id: StateId) -> usize {
        let bound = self.stepper.max_fan_out();
        if bound <= SMALL_FAN_OUT {
            return self.growth_bytes_for(bound);
        }
        self.growth_bytes_beyond(self.stepper.fan_out(self.table.get(id)))
    }

    /// No state has more successors than this.
    pub fn max_fan_out(&self) -> u64 {
        self.stepper.max_fan_out()
    }

    /// How many successors `id` has at most.
    pub fn fan_out(&self, id: StateId) -> u64 {
        self.stepper.fan_out(self.table.get(id))
    }

    /// How many bytes `expansions` expansions may allocate, for systems whose fan-out is small.
    #[inline]
    pub(crate) fn growth_bytes_for_many(&self, expansions: usize) -> usize {
        self.growth_bytes_for(self.stepper.max_fan_out().saturating_mul(expansions as u64))
    }

    /// How many bytes [`Exploration::add_initial`] may allocate; `usize::MAX` if there are too many initial states.
    pub fn growth_bytes_initial(&self) -> usize {
        self.growth_bytes_beyond(self.stepper.initial_count())
    }

    #[inline]
    pub(crate) fn growth_bytes_for(&self, more: u64) -> usize {
        let more = usize::try_from(more).unwrap_or(usize::MAX);
        self.table.growth_bytes_for(more).saturating_add(self.parents.growth_bytes_for(more))
    }

    /// As `growth_bytes_for`, with the buffer of successors.
    pub(crate) fn growth_bytes_beyond(&self, more: u64) -> usize {
        // state, label and hash of a successor, in vectors that may be doubling
        let each = 2 * (self.stepper.words() * 8 + 4 + 8);
        let buffer = usize::try_from(more).unwrap_or(usize::MAX).saturating_mul(each);
        let buffer = if more <= SMALL_FAN_OUT { 0 } else { buffer };
        self.growth_bytes_for(more).saturating_add(buffer)
    }

    /// Ends the exploration and keeps its states.
    pub fn into_states(self) -> PackedStates<S> {
        PackedStates { stepper: self.stepper, table: self.table }
    }
}

/// The states of an exploration, as evidence: streamed from the table, unpacked one by one.
pub struct PackedStates<S: Step> {
    stepper: S,
    table: StateTable,
}

impl<S: Step> fmt::Debug for PackedStates<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PackedStates({})", self.table.len())
    }
}

impl<S: Step> StateSet for PackedStates<S> {
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
