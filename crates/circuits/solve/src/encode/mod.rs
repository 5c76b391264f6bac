//! Encodes nets with a bound and behavioral programs as circuits. Thread-transition systems are encoded as
//! nets. Justice properties of circuits are encoded as outputs.
//!
//! So one bit-level engine can check all these systems, and other model checkers can read the circuits (in the
//! format AIGER). This crate also lifts what is found about a circuit: runs, and clauses over latches.
//!
//! ```
//! use crate::encode::Simulation;
//! use impasse_nets::encode::{Encoding, MOST_NODES, Within, encode};
//! use model::{Formula, Net, PlaceId, Range, TransitionId};
//! use testkit::net::{arcs, place};
//!
//! // A buffer starts empty. `put` adds an item, and `take` removes one.
//! let items = place("items", Range::exactly(0u8));
//! let net = Net::new(vec![items], vec![arcs("put", &[], &[(0, 1)]), arcs("take", &[(0, 1)], &[])]).unwrap();
//! let full = ("full".to_owned(), &Formula::cover(&[(PlaceId(0), 2u8.into())]));
//! let within = Within { each: Some(2), ..Within::default() };
//! let encoded = encode(&net, &within, Encoding::Thermometer, &[full], MOST_NODES).unwrap();
//! assert_eq!(encoded.circuit.latches().len(), 2, "at least one item, and at least two items");
//!
//! // The input selects the transition: false for `put`.
//! let mut frames = Simulation::new(&encoded.circuit, []);
//! for items in 0..2 {
//!     assert!(frames.frame(&[false]));
//!     assert_eq!(encoded.lift.marking(frames.latches()), [items]);
//!     assert_eq!(encoded.lift.fired(&frames), Some(TransitionId(0)));
//!     frames.step();
//! }
//! assert!(frames.frame(&[true]) && frames.value(encoded.circuit.outputs()[0].signal), "the goal is reached");
//! ```
//!
//! * [`net::encode`] encodes a net [`net::Within`] a bound; [`net::Encoding`] chooses the bits of token counts.
//! * [`program::encode`] encodes a behavioral program; [`program::Code`] chooses the bits of local states.
//! * [`justice::translate`] turns a justice property of a circuit into an output.
//! * [`memory::track`] turns a circuit with memories into one that follows some of their words by latches.
//! * [`net::CircuitLift`] and [`program::CircuitLift`] lift runs and clauses. [`Simulation`] computes the frames
//!   of a run.

mod cannot;
pub mod justice;
pub mod memory;
pub mod select;
pub mod simulate;

pub use cannot::CannotEncode;
pub use simulate::Simulation;
