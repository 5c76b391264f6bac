//! Lifts listed markings of a thread-transition system's net: removes the places of chains
//! ([`crate::reduce::threads`]), which the system does not have.
//!
//! 1. If markings in the middle of a chain are left out, the rest is closed if the whole set was. Proof: let a
//!    listed marking without running chain enable a broadcast with choices. Its chain moves each thread to its
//!    target, and *end* leads to a listed marking that equals the result of the broadcast or covers it. (If
//!    *end* drops threads, there are also markings with fewer threads. They do no harm: the goals are
//!    upward-closed in this case, and what fewer threads can do is listed too.)
//!
//! 2. If slicing removed *end*, markings in the middle of the chain are listed without what its places hold.
//!    Proof: no marking after *end* is listed then, and removing these tokens is what *end* would do. Slicing
//!    removes *end* only if *end* drops threads and the shared state that it leads to is not kept (otherwise
//!    *end* is relevant). The shared state then changes neither goals nor what is enabled. Different markings
//!    may become equal, also to one that is listed anyway; each is listed once.
//!
//! Engines may leave out covered markings here only without a bound. With a bound, *end* is relevant because it
//! takes a token, even if the shared state after it is not kept, and the marking before *end* covers the
//! marking after it.

use model::StateSet;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// How a slot is lifted.
#[derive(Debug)]
pub(crate) enum Way {
    /// The slot is kept.
    Kept,
    /// The slot of a place where threads wait to choose. It is removed.
    Waiting,
    /// A slot for several places; for each of its values: how the value is lifted.
    OneOf(Vec<Value>),
}

/// How the value of a slot for several places is lifted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    /// No place, or a place of the system.
    Known(u32),
    /// A running chain.
    Running,
    /// A running chain with an end that was sliced away.
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
    /// Creates the lifted set. `ways[s]` says how slot `s` of `states` is lifted. Streams `states` once, to
    /// count.
    pub(crate) fn new(states: Box<dyn StateSet>, ways: Vec<Way>) -> Self {
        let mut lift = Self { states, ways, len: 0 };
        let mut len = 0;
        let _ = lift.for_each(&mut |_| {
            len += 1;
            ControlFlow::Continue(())
        });
        lift.len = len;
        lift
    }

    /// Writes the lifted `state` to `out` if it is listed. Returns true if another state may be lifted to the
    /// same one, and `None` if the state is not listed.
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
        let mut lift = Vec::new();
        self.states.for_each(&mut |state| match self.write(state, &mut lift) {
            None => ControlFlow::Continue(()),
            Some(true) if !merged.insert(lift.clone().into_boxed_slice()) => ControlFlow::Continue(()),
            Some(_) => visit(&lift),
        })
    }
}
