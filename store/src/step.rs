//! What a compiled stepper is: the packed counterpart of [`model::System`].

use crate::net::Covering;
use model::{Goal, Kind};
use std::ops::ControlFlow;

/// Steps through packed states of a fixed number of 64-bit words. Equal states have equal words.
pub trait Step: Send {
    /// Words per packed state; at least 1.
    fn words(&self) -> usize;

    /// Slots per unpacked state.
    fn width(&self) -> usize;

    /// Packs `state` into `out`, which is cleared first.
    fn pack(&self, state: &[u32], out: &mut Vec<u64>);

    /// Unpacks `packed` into `out`, which is cleared first.
    fn unpack(&self, packed: &[u64], out: &mut Vec<u32>);

    /// Hands every initial state to `sink`, in a fixed order, each once.
    fn initial(&self, sink: &mut dyn FnMut(&[u64]));

    /// As [`Step::initial`], until `sink` breaks off. Steppers that may have very many initial states stop there.
    fn initial_while(&self, sink: &mut dyn FnMut(&[u64]) -> ControlFlow<()>) {
        let mut going = true;
        self.initial(&mut |state| going = going && sink(state).is_continue());
    }

    /// How many initial states there are, as far as that is known without enumerating them (else 1). Saturates.
    fn initial_count(&self) -> u64 {
        1
    }

    /// Were some initial states left out because of a bound?
    fn initial_is_cut(&self) -> bool {
        false
    }

    /// Collects the successors of `packed` in `out`, which is cleared first; each (label, state) pair once, labels
    /// ascending.
    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> Kind;

    /// Are there goals beside those that an expansion finds?
    fn has_tests(&self) -> bool {
        false
    }

    /// Hands the goals to `found` that are goals of this state beside those that an expansion finds.
    fn test(&mut self, packed: &[u64], found: &mut dyn FnMut(Goal)) {
        let _ = (packed, found);
    }

    /// What testing a state takes, in parts of a work unit: 256 are one.
    fn test_cost(&self) -> u64 {
        0
    }

    /// The goal is settled, and need not be tested any more.
    fn settle(&mut self, goal: Goal) {
        let _ = goal;
    }

    /// As [`Step::expand`], with the successors that a reduction leaves out: for finding the labels of a run.
    fn expand_all(&mut self, packed: &[u64], out: &mut Successors) -> Kind {
        self.expand(packed, out)
    }

    /// A stepper of the same states with more room in the slots that the last expansion overflowed, or in all slots
    /// of their sizes; `None` if they cannot have more.
    fn widened(&self, by_class: bool) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = by_class;
        None
    }

    /// Did some expansion leave out successors that fit no slots, however wide? Their states are [`Kind::Cut`].
    fn has_overflown(&self) -> bool {
        false
    }

    /// An empty index of the states that cover others, if those that are covered can be left out.
    fn covering(&self) -> Option<Covering> {
        None
    }

    /// What an expansion takes beside its successors, in units of about a microsecond: 0 for systems of usual size.
    fn looking(&self) -> u64 {
        0
    }

    /// No state has more successors than this, as far as that is known (else a guess). Saturates.
    fn max_fan_out(&self) -> u64 {
        256
    }

    /// How many successors `packed` has at most; worth asking where [`Step::max_fan_out`] is too much to provide for.
    fn fan_out(&self, packed: &[u64]) -> u64 {
        let _ = packed;
        self.max_fan_out()
    }
}

/// What a stepper has from another one in its field: how states are packed, where runs begin, how many successors
/// there may be.
#[macro_export]
macro_rules! states_of {
    ($field:ident) => {
        fn words(&self) -> usize {
            $crate::Step::words(&self.$field)
        }

        fn width(&self) -> usize {
            $crate::Step::width(&self.$field)
        }

        fn pack(&self, state: &[u32], out: &mut Vec<u64>) {
            $crate::Step::pack(&self.$field, state, out);
        }

        fn unpack(&self, packed: &[u64], out: &mut Vec<u32>) {
            $crate::Step::unpack(&self.$field, packed, out);
        }

        fn initial(&self, sink: &mut dyn FnMut(&[u64])) {
            $crate::Step::initial(&self.$field, sink);
        }

        fn initial_while(&self, sink: &mut dyn FnMut(&[u64]) -> std::ops::ControlFlow<()>) {
            $crate::Step::initial_while(&self.$field, sink);
        }

        fn initial_is_cut(&self) -> bool {
            $crate::Step::initial_is_cut(&self.$field)
        }

        fn initial_count(&self) -> u64 {
            $crate::Step::initial_count(&self.$field)
        }

        fn max_fan_out(&self) -> u64 {
            $crate::Step::max_fan_out(&self.$field)
        }

        fn fan_out(&self, packed: &[u64]) -> u64 {
            $crate::Step::fan_out(&self.$field, packed)
        }
    };
}

/// Labelled successors in one flat buffer that is reused from expansion to expansion.
#[derive(Clone, Debug)]
pub struct Successors {
    words: usize,
    labels: Vec<u32>,
    states: Vec<u64>,
}

impl Successors {
    /// An empty buffer for states of `words` words.
    ///
    /// # Panics
    /// If `words` is 0.
    #[must_use]
    pub fn new(words: usize) -> Self {
        assert!(words > 0, "a packed state has at least one word");
        Self { words, labels: Vec::new(), states: Vec::new() }
    }

    /// How many successors it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Does it hold no successor?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Drops all successors and keeps the memory.
    pub fn clear(&mut self) {
        self.labels.clear();
        self.states.clear();
    }

    /// Appends a successor.
    #[inline]
    pub fn push(&mut self, label: u32, state: &[u64]) {
        debug_assert_eq!(state.len(), self.words, "states of one system have one size");
        self.labels.push(label);
        match state {
            [word] => self.states.push(*word),
            _ => self.states.extend_from_slice(state),
        }
    }

    /// Appends a copy of `state` and hands it out to be changed.
    #[inline]
    pub(crate) fn push_copy(&mut self, label: u32, state: &[u64]) -> &mut [u64] {
        let at = self.states.len();
        self.push(label, state);
        &mut self.states[at..]
    }

    /// The state of the `index`-th successor.
    ///
    /// # Panics
    /// If there are not so many.
    #[must_use]
    pub fn state(&self, index: usize) -> &[u64] {
        &self.states[index * self.words..(index + 1) * self.words]
    }

    /// The successors in the order pushed.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u64])> {
        self.labels.iter().copied().zip(self.states.chunks_exact(self.words))
    }
}
