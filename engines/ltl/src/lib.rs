//! Temporal formulas over the letters of a reactive program.

mod automaton;
mod normal;
mod reduce;
mod scc;
#[cfg(test)]
mod tests;
mod translate;
