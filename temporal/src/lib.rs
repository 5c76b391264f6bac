//! Temporal formulas over the letters of a reactive program, all formulas of a problem in one run.
//!
//! A formula holds iff no infinite run of the program spells a word that the automaton of its negation accepts. From
//! a list of formulas come automata of a few states each (`translate`, `reduce`). The calls of the program are
//! computed once for all of them (`graph`), breadth first, and the formulas are tried on a part of the graph four
//! times as large as the one before: runs found in a part are runs of the program, and short ones; that a formula
//! holds is known when the whole graph is there. Each part is first brought down to what formulas can tell apart
//! (`quotient`), which is what makes lists of formulas cheap; then each automaton is searched with it (`search`).
//!
//! The search is for whatever makes calls ([`Calls`]): the program itself, or an abstraction of it (`engines/cells`).
//! So it is a crate below the engines, as explicit search is.
//!
//! Two jobs look at two formulas, rather than both at one: a list has a hundred of them, and a sequential search in
//! good order visits each node once, which no parallel nested search does.

mod automaton;
mod engine;
mod graph;
mod normal;
mod quotient;
mod reduce;
mod scc;
mod search;
#[cfg(test)]
mod tests;
mod translate;

pub use engine::LtlEngine;
pub use graph::Calls;
