//! Listed markings of a thread system's net on their way home: the places of chains ([`crate::threads`]) are none of the system.
//!
//! Markings in the midst of a chain are left out. The rest is closed if all was: let a listed marking without running chain
//! enable a broadcast with choices. Its chain takes each thread to where it goes, and *end* leads to a listed marking that is
//! what the broadcast leads to, or covers it. (Where *end* drops threads there are markings with fewer threads besides. They
//! do no harm: goals are upward-closed then, and what fewer threads can do is listed likewise.)
//!
//! If slicing has taken *end* away, then nothing is ever listed after it. This happens only where *end* drops threads, and only
//! if the shared state that it leads to is not kept (else *end* is relevant). Then markings in the midst of the chain lose what
//! its places hold, which is what *end* would do. Different ones may become the same, and the same as one that is listed
//! anyway; each is listed once. What nobody asks about the shared state changes neither goals nor what is enabled.
//!
//! Engines may leave out covered markings here only without a bound. Under one *end* counts as relevant for taking a token
//! even if the shared state after it is not kept, and the marking after it is covered by the one before.

use model::StateSet;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// What becomes of a slot.
#[derive(Debug)]
pub(crate) enum Way {
    /// It stays.
    Kept,
    /// A place that threads wait on to choose: it goes.
    Waiting,
    /// By value.
    OneOf(Vec<Value>),
}

/// What becomes of the value of a slot of several places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    /// No place, or one of the system.
    Known(u32),
    /// A running chain.
    Running,
    /// A running chain whose end has been sliced away.
    Endless,
}

/// Listed markings without the places of chains.
#[derive(Debug)]
pub(crate) struct Homed {
    states: Box<dyn StateSet>,
    ways: Vec<Way>,
    len: u64,
}

impl Homed {
    /// `ways`: by slot of `states`. Streams `states` once, to count.
    pub(crate) fn new(states: Box<dyn StateSet>, ways: Vec<Way>) -> Self {
        let mut home = Self { states, ways, len: 0 };
        let mut len = 0;
        let _ = home.for_each(&mut |_| {
            len += 1;
            ControlFlow::Continue(())
        });
        home.len = len;
        home
    }

    /// Writes what becomes of `state`, if it is listed, and says whether another one may become the same.
    fn write(&self, state: &[u32], out: &mut Vec<u32>) -> Option<bool> {
        out.clear();
        let (mut waiting, mut running, mut endless, mut merges) = (false, false, false, false);
        for (way, &value) in self.ways.iter().zip(state) {
            match way {
                Way::Kept => out.push(value),
                Way::Waiting => waiting |= value > 0,
                Way::OneOf(values) => {
                    let known = match values[value as usize] {
                        Value::Known(known) => known,
                        Value::Running => {
                            running = true;
                            0
                        }
                        Value::Endless => {
                            endless = true;
                            0
                        }
                    };
                    merges |= known == 0 && values.contains(&Value::Endless);
                    out.push(known);
                }
            }
        }
        let midst = (waiting && !endless) || running;
        (!midst).then_some(merges)
    }
}

impl StateSet for Homed {
    fn len(&self) -> u64 {
        self.len
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut merged: BTreeSet<Box<[u32]>> = BTreeSet::new();
        let mut home = Vec::new();
        self.states.for_each(&mut |state| match self.write(state, &mut home) {
            None => ControlFlow::Continue(()),
            Some(true) if !merged.insert(home.clone().into_boxed_slice()) => ControlFlow::Continue(()),
            Some(_) => visit(&home),
        })
    }
}
