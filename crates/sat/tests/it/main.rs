//! Tests of the solver's public interface. They compare answers with brute force, check proofs, use several
//! theories, and run deep searches.

mod cnf;
mod deep;
mod formula;
mod inprocess;
mod invariants;
mod lazy;
mod rup;
mod traces;
