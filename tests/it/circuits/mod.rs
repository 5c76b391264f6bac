//! Circuits: random small ones through IC3 at bit level, against brute force over all their states.

pub(crate) mod abc;
pub(crate) mod compare;
pub(crate) mod evidence;
#[cfg(test)]
mod tests;
