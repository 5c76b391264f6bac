//! IC3 in two forms: on markings, for coverability with arbitrarily many tokens (`coverability`), and on bits,
//! for every system that can be written as a circuit (`bit_level`; `nets` and `program` translate to
//! circuits).
//!
//! ```
//! use analysis::invariants::Invariants;
//! use impasse_ic3::{Ic3, Ic3Bits, NetBitsOptions};
//! use model::{Budget, Claim, Engine, Formula, Net, PlaceId, Range, Turn};
//! use std::sync::Arc;
//! use testkit::net::{arcs, place, task};
//!
//! // Any number of processes share a lock. The places are 0: idle, 1: the free lock, 2: busy.
//! let initial = [("idle", Range::from(0u8)), ("lock", Range::exactly(1u8)), ("busy", Range::exactly(0u8))];
//! let places = initial.map(|(name, tokens)| place(name, tokens)).to_vec();
//! let enter = arcs("enter", &[(0, 1), (1, 1)], &[(2, 1)]);
//! let leave = arcs("leave", &[(2, 1)], &[(0, 1), (1, 1)]);
//! let two_busy = Formula::cover(&[(PlaceId(2), 2u8.into())]);
//! let task = task(Net::new(places, vec![enter, leave]).unwrap(), vec![two_busy], false);
//! let invariants = Arc::new(Invariants::new(&task).expect("the numbers are small"));
//!
//! let on_markings = Box::new(Ic3::new(task.clone(), Arc::clone(&invariants)));
//! let on_bits = Box::new(Ic3Bits::new(task, invariants, NetBitsOptions::default()));
//! for mut engine in [on_markings as Box<dyn Engine>, on_bits] {
//!     let turn = engine.run(&mut Budget::unlimited(Arc::default()));
//!     assert!(matches!(turn, Turn::Claims(Claim::Safe { .. })), "{}: {turn:?}", engine.name());
//! }
//! ```
//!
//! The two share the idea (Bradley 2011; Een, Mishchenko, Brayton 2011) but no code. On markings, predecessors
//! are exact and computed by arithmetic. On bits, a SAT solver finds them.
//!
//! [`Ic3`] is the engine on markings. The engines on bits are [`CircuitIc3`] for circuits, [`Ic3Bits`] for nets
//! and [`ProgramIc3`] for behavioral programs. [`bit_level`] also accepts other systems: [`bit_level::Source`].

pub mod bit_level;
mod coverability;
mod nets;
mod program;

pub use bit_level::CircuitIc3;
pub use coverability::Ic3;
pub use nets::{Ic3Bits, InvariantUse, NetBitsOptions};
pub use program::ProgramIc3;
