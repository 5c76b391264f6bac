//! A stepper for any [`System`]: each slot is packed into as many bits as its values need. It is used for
//! systems that are not compiled, and for tests.

use crate::layout::{Field, Layout};
use crate::step::{Stepper, Successors};
use model::{ExpansionKind, Goal, PredicateId, System};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A system that is stepped through its [`System`] interface.
#[derive(Clone, Debug)]
pub struct Generic {
    system: Arc<dyn System>,
    layout: Layout,
    /// For each word: its slots and their fields. A packed word is computed in a register.
    by_word: Vec<Vec<(usize, Field)>>,
    predicates: usize,
    asks_deadlock: bool,
    unpacked: Vec<u32>,
    next: Vec<u64>,
}

impl Generic {
    /// Returns a stepper for `system`.
    #[must_use]
    pub fn new(system: Arc<dyn System>) -> Self {
        let bits = |size: u64| 64 - size.saturating_sub(1).leading_zeros();
        let layout = Layout::with_bits(system.sizes().into_iter().map(bits));
        let slots = |word| {
            let fields = layout.fields().iter().enumerate().filter(move |(_, field)| field.word == word);
            fields.map(|(slot, field)| (slot, *field)).collect()
        };
        let by_word = (0..layout.words()).map(slots).collect();
        let (predicates, asks_deadlock) = (system.predicates().len(), system.asks_deadlock());
        Self { system, layout, by_word, predicates, asks_deadlock, unpacked: Vec::new(), next: Vec::new() }
    }
}

impl Stepper for Generic {
    fn words(&self) -> usize {
        self.layout.words()
    }

    fn width(&self) -> usize {
        self.layout.fields().len()
    }

    fn pack(&self, state: &[u32], out: &mut Vec<u64>) {
        self.layout.pack(state, out);
    }

    fn unpack(&self, packed: &[u64], out: &mut Vec<u32>) {
        self.layout.unpack(packed, out);
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u64])) {
        let mut packed = Vec::new();
        self.system.initial(&mut |state| {
            self.layout.pack(state, &mut packed);
            sink(&packed);
        });
    }

    fn initial_while(&self, sink: &mut dyn FnMut(&[u64]) -> ControlFlow<()>) {
        let mut going = true;
        self.initial(&mut |state| going = going && sink(state).is_continue());
    }

    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> ExpansionKind {
        let Self { system, layout, by_word, unpacked, next, .. } = self;
        out.clear();
        layout.unpack(packed, unpacked);
        system.successors(unpacked, &mut |label, state| {
            assert_eq!(state.len(), layout.fields().len(), "a state has a value for each slot");
            let mut beyond = 0;
            let mut word = |slots: &Vec<(usize, Field)>| {
                slots.iter().fold(0, |word, &(slot, field)| {
                    let value = u64::from(state[slot]);
                    beyond |= value & !field.mask();
                    word | value << field.shift
                })
            };
            next.clear();
            next.extend(by_word.iter().map(&mut word));
            assert!(beyond == 0, "a slot of {state:?} holds more than it has values");
            out.push(label, next);
        });
        if self.asks_deadlock && out.is_empty() { ExpansionKind::Goal(Goal::Deadlock) } else { ExpansionKind::Inner }
    }

    fn has_tests(&self) -> bool {
        self.predicates > 0
    }

    fn test(&mut self, packed: &[u64], found: &mut dyn FnMut(Goal)) {
        self.layout.unpack(packed, &mut self.unpacked);
        for number in 0..self.predicates {
            if self.system.holds(number, &self.unpacked) {
                found(Goal::Predicate(PredicateId::new(number)));
            }
        }
    }
}
