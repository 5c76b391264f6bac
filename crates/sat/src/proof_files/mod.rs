//! Writes the clause log to a file for other checkers: DRAT or LRAT, each as text or binary.
//!
//! A DRAT file (Wetzler, Heule and Hunt 2014) lists derived clauses by their literals, and the checker must
//! find out which clauses imply them. An LRAT file (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp 2017)
//! numbers the clauses and lists, for each derived clause, the clauses that imply it.

mod both;
mod drat;
mod lrat;
mod sink;
#[cfg(test)]
mod tests;

pub use both::Both;
pub use drat::Drat;
pub use lrat::Lrat;
pub use sink::{Form, Status};
