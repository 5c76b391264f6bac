//! Nets and thread-transition systems: random small ones, checked with every engine and format against brute
//! force.

pub(crate) mod bounded;
pub(crate) mod bounds;
pub(crate) mod compare;
pub(crate) mod evidence;
#[cfg(test)]
mod global;
#[cfg(test)]
mod reasons;
pub(crate) mod round_trip;
#[cfg(test)]
mod tests;
pub(crate) mod unbounded;
