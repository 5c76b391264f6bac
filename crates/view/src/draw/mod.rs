//! Pictures: graphs of systems and states, and sequence diagrams of runs.
//!
//! A kind of system provides a [`graph`] ([`source`]), [`layout`] places its nodes, and each format writes it
//! ([`mod@write`]). Runs are sequence diagrams ([`sequence`]).

pub mod graph;
pub mod layout;
pub mod sequence;
pub mod source;
pub mod text;
pub mod write;
