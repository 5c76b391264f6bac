//! Integration tests, in one binary, because linking is slow (see matklad, "Delete Cargo Integration Tests").

mod arrays;
mod as_net;
mod asked;
mod assumed;
mod attacks;
mod batch;
mod book;
mod checkpoint;
mod choices;
mod circuit_commands;
mod circuits;
mod cli;
#[cfg(feature = "cluster")]
mod cluster;
mod compare;
mod composed;
mod corpus;
#[cfg(feature = "explore")]
mod dap;
mod differential;
mod draw;
mod ends;
mod engines;
mod examples;
mod exit_codes;
#[cfg(feature = "explore")]
mod explore;
mod facts;
mod files;
mod grown;
mod hints;
mod hot;
mod hot_data;
mod info;
mod jobs;
mod kernel_only;
mod kernel_size;
mod layering;
mod limits;
mod literal;
#[cfg(feature = "lsp")]
mod lsp;
mod map;
mod mutants;
mod net_questions;
mod nets;
mod own;
mod parts;
mod pnml;
mod priorities;
mod problems;
mod proofs;
mod random_nets;
mod reactive;
mod reproduction;
mod saved_searches;
mod scale;
mod schema;
#[cfg(unix)]
mod screen;
mod steps;
mod style;
mod temporal;
mod tool;
mod unbounded;
mod walks;
mod why;
mod with_data;
mod words;
