//! Linear arithmetic in exact fractions: fractions that are fast while they are small, and the simplex method.
//! Both the state equation of nets and proofs about unbounded numbers use it.
//!
//! ```
//! use impasse_linear::Rational;
//!
//! let third = Rational::from(1).over(&Rational::from(3));
//! assert_eq!(third.plus(&third).plus(&third), Rational::from(1));
//! ```

pub mod rational;
pub mod simplex;

pub use rational::Rational;
