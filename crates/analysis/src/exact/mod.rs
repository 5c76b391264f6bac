//! Linear arithmetic in exact fractions: fractions that are fast while they are small, and the simplex method.
//! Both the state equation of nets and proofs about unbounded numbers use it.

pub mod rational;
pub mod simplex;

pub use rational::Rational;
