//! Engines for circuits, beside IC3: bounded model checking ([`Bmc`]), induction over several frames ([`KInduction`]),
//! equal signals ([`Corresponding`]), and the translations of justice properties ([`Recurrence`]) and of memories
//! ([`Followed`], [`Expanded`]) for engines that decide outputs of plain circuits ([`Hosted`]).
//!
//! All but the translations ask a SAT solver about a circuit without latches. Its gates are copies of the gates in some
//! frames.
//! `formula` gives the solver the gates that a question needs.
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
//!
//! [`ic3`] is IC3 on bits. [`encode`] has translations of circuits, and what translations to circuits share.
//! [`simulate`] simulates circuits, for [`CircuitWalk`] and [`MemoryWalk`].

pub mod bmc;
pub mod correspondence;
pub mod encode;
mod formula;
pub mod hosted;
pub mod ic3;
pub mod induction;
pub mod justice;
pub mod memories;
mod memory_walk;
mod rounds;
pub mod simulate;
mod walk;

pub use bmc::Bmc;
pub use correspondence::Corresponding;
pub use hosted::Hosted;
pub use ic3::CircuitIc3;
pub use induction::KInduction;
pub use justice::Recurrence;
pub use memories::{Expanded, Followed};
pub use memory_walk::MemoryWalk;
pub use walk::CircuitWalk;
