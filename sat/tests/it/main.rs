//! The solver from outside: against brute force, with proofs checked, with theories of several tempers, and deep.

mod cnf;
mod deep;
mod formula;
mod inprocess;
mod invariants;
mod lazy;
mod rup;
mod traces;
