//! The clause log as a file that other checkers read: DRAT or LRAT, as text or in the binary form of either.
//!
//! DRAT (Wetzler, Heule and Hunt 2014) names clauses by their literals and leaves it to the checker to find out why
//! they follow. LRAT (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp 2017) names them by number and says why.

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
