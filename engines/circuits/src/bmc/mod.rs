//! Bounded model checking of circuits: is there a violating run with this number of frames, for growing numbers?
//!
//! For each number of frames, a SAT solver decides whether the bad signal can be true in the last frame (Biere,
//! Cimatti, Clarke and Zhu 1999). One solver is used for all numbers, so that it keeps what it has learnt (Een and
//! Sorensson 2003). The engine finds shortest runs, and never claims `safe`.
//!
//! `unroll` makes copies of the gates, one for each frame. Constants of the first frame spread through the
//! copies, and equal copies are shared. `formula` gives the solver the copies that some question needs.
//!
//! ```
//! use impasse_circuits::Bmc;
//! use model::{Budget, Circuit, CircuitTask, Claim, Engine, Goal, OutputId, Reset, Turn};
//! use std::sync::Arc;
//!
//! // The latch is true from the second frame on.
//! let mut circuit = Circuit::default();
//! let latch = circuit.latch(Reset::Zero, None);
//! circuit.set_next(latch, model::Signal::TRUE);
//! let signal = circuit.latches()[0].signal;
//! circuit.output(signal, None);
//! let task = CircuitTask::new(Arc::new(circuit), [Goal::Output(OutputId(0))]);
//! let turn = Bmc::new(&task).run(&mut Budget::unlimited(Default::default()));
//! let Turn::Claims(Claim::Unsafe { trace, .. }) = turn else { panic!("{turn:?}") };
//! assert_eq!(trace.len(), Some(2));
//! ```

mod engine;
#[cfg(test)]
mod tests;
mod unroll;

pub use engine::Bmc;
use unroll::Unrolling;
