//! Circuits: random small ones, checked by bit-level IC3 against brute force over all their states. Their
//! justice properties are checked by all engines.

pub(crate) mod abc;
pub(crate) mod abc_justice;
pub(crate) mod compare;
pub(crate) mod evidence;
pub(crate) mod justice;
#[cfg(test)]
mod tests;
