//! Reductions against brute force: small random nets and thread systems, run by steppers that know nothing of the crate.

mod bounds;
mod closed;
mod home;
mod naive;
mod nets;
mod threads;
