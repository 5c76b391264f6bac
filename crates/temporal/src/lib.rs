//! Temporal formulas as automata, and the search of products with them, all formulas of a problem in one run.
//!
//! ```
//! use impasse_temporal::program::watched;
//! use model::{Letter, Ltl, LtlId, LtlNode};
//!
//! // The automaton of `F output 2` reads one letter.
//! let formula = Ltl::new(vec![LtlNode::Letter(Letter::Output(2)), LtlNode::Finally(LtlId(0))]);
//! assert_eq!(watched(&formula), [LtlId(0)]);
//! ```
//!
//! A formula holds iff no infinite run of the program spells a word that the automaton of its negation accepts.
//! Each formula is translated to an automaton of a few states (`translate`, `reduce`). The calls of the program
//! are computed once for all formulas (`graph`), breadth first. The formulas are tried on parts of the graph,
//! each four times as large as the one before. Runs found in a part are runs of the program, and short ones.
//! That a formula holds is known only when the graph is complete. Each part is first reduced to what formulas
//! can distinguish (`quotient`), which makes lists of formulas cheap. Then the product of each automaton and
//! the reduced part is searched (`search`).
//!
//! The search works for anything that makes calls ([`Calls`]): the program itself, or an abstraction of it
//! (`crates/reactive/solve/src/intervals/`). Therefore the search is a crate below the engines, like explicit search.
//!
//! The states of nets are computed while the product is searched, and only as far as the formula needs them
//! ([`demand`]). Its automaton is computed on demand, too (`tableau`).
//!
//! With two jobs, each job searches for violations of a different formula. The jobs do not share a formula,
//! because a list has about a hundred formulas, and because a sequential search in a good order visits each
//! node once, which no parallel nested search does.
//!
//! [`LtlEngine`] is the engine. Its calls come from an implementation of [`Calls`].

mod alphabet;
mod automaton;
pub mod demand;
mod engine;
mod fair;
mod graph;
mod normal;
pub mod program;
mod quotient;
mod reduce;
mod scc;
mod search;
mod tableau;
#[cfg(test)]
mod tests;
mod translate;

pub use engine::LtlEngine;
pub use graph::Calls;
