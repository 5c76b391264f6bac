//! Circuits: random small ones, checked by bit-level IC3 against brute force over all their states.

pub(crate) mod abc;
pub(crate) mod compare;
pub(crate) mod evidence;
#[cfg(test)]
mod tests;
