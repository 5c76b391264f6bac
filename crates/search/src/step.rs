//! The interface of compiled steppers: the packed counterpart of [`model::System`].

use crate::covering::Covering;
use model::{ExpansionKind, Goal};
use std::ops::ControlFlow;

/// Steps through packed states of a fixed number of 64-bit words. Equal states have equal words.
pub trait Stepper: Send + Sync {
    /// Words per packed state; at least 1.
    fn words(&self) -> usize;

    /// Slots per unpacked state.
    fn width(&self) -> usize;

    /// Packs `state` into `out`, which is cleared first.
    fn pack(&self, state: &[u32], out: &mut Vec<u64>);

    /// Unpacks `packed` into `out`, which is cleared first.
    fn unpack(&self, packed: &[u64], out: &mut Vec<u32>);

    /// Calls `sink` with every initial state once, in a fixed order.
    fn initial(&self, sink: &mut dyn FnMut(&[u64]));

    /// Like [`Stepper::initial`], until `sink` breaks. This default still enumerates the remaining initial
    /// states; steppers that may have very many of them override it to stop there.
    fn initial_while(&self, sink: &mut dyn FnMut(&[u64]) -> ControlFlow<()>) {
        let mut going = true;
        self.initial(&mut |state| going = going && sink(state).is_continue());
    }

    /// Returns the number of initial states if it can be computed without enumerating them, else 1. Saturates.
    fn initial_count(&self) -> u64 {
        1
    }

    /// Returns true if a bound excludes some initial states.
    fn initial_is_cut(&self) -> bool {
        false
    }

    /// Stores the successors of `packed` in `out`, which is cleared first. Each (label, state) pair occurs
    /// once, and labels ascend.
    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> ExpansionKind;

    /// Returns true if there are goals that [`Stepper::test`] finds and an expansion does not.
    fn has_tests(&self) -> bool {
        false
    }

    /// Calls `found` with each goal that this state satisfies and that an expansion does not find.
    fn test(&mut self, packed: &[u64], found: &mut dyn FnMut(Goal)) {
        let _ = (packed, found);
    }

    /// Returns the work of testing a state, in 1/256 of a work unit.
    fn test_cost(&self) -> u64 {
        0
    }

    /// Tells the stepper that `goal` is settled: it need not be tested any more.
    fn settle(&mut self, goal: Goal) {
        let _ = goal;
    }

    /// Like [`Stepper::expand`], with the successors that a reduction leaves out. It is used to find the labels
    /// of a run.
    fn expand_all(&mut self, packed: &[u64], out: &mut Successors) -> ExpansionKind {
        self.expand(packed, out)
    }

    /// Returns a stepper of the same states with wider slots. If `by_class` is false, the slots that the last
    /// expansion overflowed are widened. Otherwise, all slots that have the same sizes as these are widened.
    /// Returns `None` if the slots cannot be widened.
    fn widened(&self, by_class: bool) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = by_class;
        None
    }

    /// Returns true if some expansion left out successors that fit no slots, however wide. Such an expansion
    /// reports [`ExpansionKind::Cut`].
    fn has_overflown(&self) -> bool {
        false
    }

    /// Returns a description of the layout of packed states, from which [`Stepper::with_layout`] makes the same
    /// layout in another process. `None` if the states cannot be saved.
    fn layout(&self) -> Option<Vec<u8>> {
        None
    }

    /// Returns a stepper of the same states with the layout that is described. `None` if it is not one of them.
    fn with_layout(&self, layout: &[u8]) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = layout;
        None
    }

    /// Returns true if the numbers of this unpacked state are numbers of the system, so that it can be expanded.
    /// The state need not be reachable.
    fn is_state(&self, unpacked: &[u32]) -> bool {
        let _ = unpacked;
        false
    }

    /// Returns an empty index of covering states if a search may leave out covered states, else `None`.
    fn covering(&self) -> Option<Covering> {
        None
    }

    /// Returns the extra work of an expansion, apart from its successors, in units of about a microsecond. It
    /// is 0 for systems of usual size.
    fn looking(&self) -> u64 {
        0
    }

    /// Returns an upper bound on the successors of a state if one is known, else a guess. Saturates.
    fn max_fan_out(&self) -> u64 {
        256
    }

    /// Returns an upper bound on the successors of `packed`. Callers use it where memory for
    /// [`Stepper::max_fan_out`] successors would be too much.
    fn fan_out(&self, packed: &[u64]) -> u64 {
        let _ = packed;
        self.max_fan_out()
    }
}

/// Implements the methods about packing, initial states and numbers of successors by calling the stepper in a
/// field.
#[macro_export]
macro_rules! states_of {
    ($field:ident) => {
        fn words(&self) -> usize {
            $crate::Stepper::words(&self.$field)
        }

        fn width(&self) -> usize {
            $crate::Stepper::width(&self.$field)
        }

        fn pack(&self, state: &[u32], out: &mut Vec<u64>) {
            $crate::Stepper::pack(&self.$field, state, out);
        }

        fn unpack(&self, packed: &[u64], out: &mut Vec<u32>) {
            $crate::Stepper::unpack(&self.$field, packed, out);
        }

        fn initial(&self, sink: &mut dyn FnMut(&[u64])) {
            $crate::Stepper::initial(&self.$field, sink);
        }

        fn initial_while(&self, sink: &mut dyn FnMut(&[u64]) -> std::ops::ControlFlow<()>) {
            $crate::Stepper::initial_while(&self.$field, sink);
        }

        fn initial_is_cut(&self) -> bool {
            $crate::Stepper::initial_is_cut(&self.$field)
        }

        fn initial_count(&self) -> u64 {
            $crate::Stepper::initial_count(&self.$field)
        }

        fn max_fan_out(&self) -> u64 {
            $crate::Stepper::max_fan_out(&self.$field)
        }

        fn fan_out(&self, packed: &[u64]) -> u64 {
            $crate::Stepper::fan_out(&self.$field, packed)
        }
    };
}

/// Labelled successors in one flat buffer, which is reused by all expansions.
#[derive(Clone, Debug)]
pub struct Successors {
    words: usize,
    labels: Vec<u32>,
    states: Vec<u64>,
}

impl Successors {
    /// Returns an empty buffer for states of `words` words.
    ///
    /// # Panics
    /// If `words` is 0.
    #[must_use]
    pub fn new(words: usize) -> Self {
        assert!(words > 0, "a packed state has at least one word");
        Self { words, labels: Vec::new(), states: Vec::new() }
    }

    /// Returns the number of successors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Returns true if there are no successors.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Removes all successors and keeps the memory.
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

    /// Appends a copy of `state` as a successor, and returns it for modification.
    #[inline]
    pub fn push_copy(&mut self, label: u32, state: &[u64]) -> &mut [u64] {
        let at = self.states.len();
        self.push(label, state);
        &mut self.states[at..]
    }

    /// The state of the `index`-th successor.
    ///
    /// # Panics
    /// If there are not more than `index` successors.
    #[must_use]
    pub fn state(&self, index: usize) -> &[u64] {
        &self.states[index * self.words..(index + 1) * self.words]
    }

    /// Returns the label of the first step to `target`, and true if other steps have the same label.
    pub(crate) fn step_to(&self, target: &[u64]) -> Option<(u32, bool)> {
        let (label, _) = self.iter().find(|(_, state)| *state == target)?;
        Some((label, self.labels.iter().filter(|&&other| other == label).count() > 1))
    }

    /// Returns labels and states of the successors, in the order of insertion.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u64])> {
        self.labels.iter().copied().zip(self.states.chunks_exact(self.words))
    }
}
