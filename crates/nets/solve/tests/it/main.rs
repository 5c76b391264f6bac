//! Tests reductions against brute force: small random nets and thread-transition systems, run by steppers that
//! do not use the crate.

mod bounds;
mod closed;
mod lift;
mod naive;
mod nets;
mod structural;
mod threads;
