//! Nets and thread systems: random small ones through every engine and format, against brute force.

pub(crate) mod backward;
pub(crate) mod bounded;
pub(crate) mod bounds;
pub(crate) mod brute;
pub(crate) mod compare;
pub(crate) mod evidence;
pub(crate) mod generate;
pub(crate) mod nets;
pub(crate) mod round_trip;
#[cfg(test)]
mod tests;
pub(crate) mod threads;
pub(crate) mod unbounded;
