//! The rules of the kernel: one for each kind of evidence about each kind of system. A verdict names its rule, so that
//! a report can say how much code it rests on.

/// A rule, and the size of the code behind it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rule {
    /// The kind of evidence and system, in the words of `docs/trust.md`.
    pub name: &'static str,
    /// Lines of the kernel that the rule uses, with comments and without tests. `tests/it/kernel_size.rs` counts them.
    pub lines: u64,
}

const fn rule(name: &'static str, lines: u64) -> Rule {
    Rule { name, lines }
}

pub(crate) const PROGRAM_RUN: Rule = rule("run of a program", 1651);
pub(crate) const MARKED_RUN: Rule = rule("run of a net or thread-transition system", 1219);
pub(crate) const CIRCUIT_RUN: Rule = rule("run of a circuit", 660);
pub(crate) const REACTIVE_RUN: Rule = rule("run of a reactive program", 1015);
pub(crate) const DATA_RUN: Rule = rule("run of a program with unbounded numbers", 1121);
pub(crate) const OWN_RUN: Rule = rule("run of a system in Rust", 1301);
pub(crate) const TEMPORAL_PROGRAM_RUN: Rule = rule("run of a program that violates a temporal formula", 1936);
pub(crate) const TEMPORAL_MARKED_RUN: Rule = rule("run of a net that violates a temporal formula", 1460);
pub(crate) const CIRCUIT_LASSO: Rule = rule("run of a circuit that repeats", 728);
pub(crate) const PROGRAM_STATES: Rule = rule("set of states of a program", 1727);
pub(crate) const TEMPORAL_PROGRAM_STATES: Rule = rule("set of states of a program, for a temporal formula", 2463);
pub(crate) const LISTED_STATES: Rule = rule("states that the kernel lists", 1507);
pub(crate) const TEMPORAL_LISTED_STATES: Rule = rule("states that the kernel lists, for a temporal formula", 2528);
pub(crate) const MARKINGS: Rule = rule("set of markings", 2658);
pub(crate) const TEMPORAL_MARKINGS: Rule = rule("set of markings, for a temporal formula", 3432);
pub(crate) const VALUATIONS: Rule = rule("set of valuations", 1715);
pub(crate) const OWN_STATES: Rule = rule("set of states of a system in Rust", 1263);
pub(crate) const BRANCHING: Rule = rule("markings, for a formula of computation tree logic", 3125);
pub(crate) const POTENTIALLY_MARKED: Rule = rule("potentially marked places", 485);
pub(crate) const PROGRAM_CLAUSES: Rule = rule("clauses of a program", 1820);
pub(crate) const PROGRAM_INVARIANTS: Rule = rule("invariants of a program as a net", 2650);
pub(crate) const CIRCUIT_CLAUSES: Rule = rule("clauses of a circuit", 1097);
pub(crate) const CIRCUIT_JUSTICE: Rule = rule("clauses of a circuit translated for justice", 1298);
pub(crate) const CIRCUIT_TRACKING: Rule = rule("clauses of a circuit with memories", 1181);
pub(crate) const INVARIANTS: Rule = rule("invariants of a net", 1660);
pub(crate) const DATA_INVARIANTS: Rule = rule("invariants of a program with unbounded numbers", 1820);
