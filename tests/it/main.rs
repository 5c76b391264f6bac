//! Tests across crates and from end to end, in one binary (linking is slow; after matklad, "Delete Cargo Integration Tests").

mod brute;
mod circuit_commands;
mod circuits;
mod cli;
mod compare;
mod corpus;
mod differential;
mod examples;
mod exit_codes;
mod generate;
mod layering;
mod limits;
mod literal;
mod mutants;
mod nets;
mod pnml;
mod proofs;
mod random_nets;
mod reactive;
mod readme;
mod reproduction;
mod scale;
mod tool;
