//! Systems as circuits: nets and thread systems with a bound, and behavioral programs.
//!
//! One bit-level engine then serves all of them, and other checkers can run on our problems (AIGER). What comes back from a
//! circuit is brought home here too: runs, and clauses over latches.
