//! A stepper that also counts the events of the run, and reports a goal only where the assumptions hold.
//!
//! Run lengths are grouped into classes ([`Lengths`]). Lengths of the same class are not distinguished by any
//! assumption. The class of the run is one more word of the packed state, and one more slot, the last one. A
//! goal state for which an assumption fails is not reported as a goal, and has no successors either.

use crate::step::{Stepper, Successors};
use model::{Assumption, ExpansionKind, Lengths};
use std::ops::ControlFlow;

/// A stepper of a program. Its states include the length class of the run.
#[derive(Clone, Debug)]
pub struct Counted<S: Stepper> {
    inner: S,
    lengths: Lengths,
    assumptions: Vec<Assumption>,
    successors: Successors,
    packed: Vec<u64>,
    state: Vec<u32>,
}

impl<S: Stepper> Counted<S> {
    /// Counts the steps of `inner` in the classes of `lengths`. No assumption may distinguish two lengths of
    /// the same class.
    pub fn new(inner: S, lengths: Lengths, assumptions: Vec<Assumption>) -> Self {
        let successors = Successors::new(inner.words());
        Self { inner, lengths, assumptions, successors, packed: Vec::new(), state: Vec::new() }
    }

    /// Returns the length classes.
    pub fn lengths(&self) -> Lengths {
        self.lengths
    }

    fn is_asked(&mut self, state: &[u64], class: u32) -> bool {
        self.inner.unpack(state, &mut self.state);
        self.assumptions.iter().all(|assumed| assumed.holds(class.into(), &self.state))
    }
}

impl<S: Stepper> Stepper for Counted<S> {
    fn words(&self) -> usize {
        self.inner.words() + 1
    }

    fn width(&self) -> usize {
        self.inner.width() + 1
    }

    fn pack(&self, state: &[u32], out: &mut Vec<u64>) {
        let (class, state) = state.split_last().expect("a state has a slot for the length");
        self.inner.pack(state, out);
        out.push(u64::from(*class));
    }

    fn unpack(&self, packed: &[u64], out: &mut Vec<u32>) {
        let (class, state) = packed.split_last().expect("a state has a word for the length");
        self.inner.unpack(state, out);
        out.push(*class as u32);
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u64])) {
        let mut packed = Vec::new();
        self.inner.initial(&mut |state| {
            packed.clear();
            packed.extend_from_slice(state);
            packed.push(0);
            sink(&packed);
        });
    }

    fn initial_while(&self, sink: &mut dyn FnMut(&[u64]) -> ControlFlow<()>) {
        let mut packed = Vec::new();
        self.inner.initial_while(&mut |state| {
            packed.clear();
            packed.extend_from_slice(state);
            packed.push(0);
            sink(&packed)
        });
    }

    fn initial_count(&self) -> u64 {
        self.inner.initial_count()
    }

    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> ExpansionKind {
        let (class, state) = packed.split_last().expect("a state has a word for the length");
        let class = *class as u32;
        out.clear();
        let kind = self.inner.expand(state, &mut self.successors);
        if let ExpansionKind::Goal(_) = kind {
            return if self.is_asked(state, class) { kind } else { ExpansionKind::Inner };
        }
        let Some(next) = self.lengths.next(class) else {
            return if self.successors.is_empty() { kind } else { ExpansionKind::Cut };
        };
        for (label, state) in self.successors.iter() {
            self.packed.clear();
            self.packed.extend_from_slice(state);
            self.packed.push(u64::from(next));
            out.push(label, &self.packed);
        }
        kind
    }

    fn layout(&self) -> Option<Vec<u8>> {
        self.inner.layout()
    }

    fn with_layout(&self, layout: &[u8]) -> Option<Self> {
        let inner = self.inner.with_layout(layout)?;
        Some(Self::new(inner, self.lengths, self.assumptions.clone()))
    }

    fn is_state(&self, unpacked: &[u32]) -> bool {
        let Some((class, state)) = unpacked.split_last() else { return false };
        *class < self.lengths.count() && self.inner.is_state(state)
    }

    fn looking(&self) -> u64 {
        self.inner.looking()
    }

    fn max_fan_out(&self) -> u64 {
        self.inner.max_fan_out()
    }

    fn fan_out(&self, packed: &[u64]) -> u64 {
        self.inner.fan_out(&packed[..packed.len() - 1])
    }
}
