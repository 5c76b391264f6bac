//! The value of net invariants (places never marked together, linear bounds) for bit-level IC3, by their use:
//! as clauses, as bounds on token counts, or to leave out transitions.

use super::Report;
use super::run::{Runner, limits_of};
use super::ttscov::{self, Way};
use crate::args::Ic3Args;
use std::io;

/// No use, each use alone, and all uses.
const WAYS: [Way; 10] = [
    ("ic3.bits, no invariants", &["--engine", "ic3.bits", "--invariants", "none"]),
    ("ic3.bits, as clauses", &["--engine", "ic3.bits", "--invariants", "clauses"]),
    ("ic3.bits, as bounds", &["--engine", "ic3.bits", "--invariants", "bounds"]),
    ("ic3.bits, to leave out transitions", &["--engine", "ic3.bits", "--invariants", "rules"]),
    ("ic3.bits, all", &["--engine", "ic3.bits", "--invariants", "all"]),
    ("ic3.ttscov, no invariants", &["--engine", "ic3.ttscov", "--invariants", "none"]),
    ("ic3.ttscov, as clauses", &["--engine", "ic3.ttscov", "--invariants", "clauses"]),
    ("ic3.ttscov, as bounds", &["--engine", "ic3.ttscov", "--invariants", "bounds"]),
    ("ic3.ttscov, to leave out transitions", &["--engine", "ic3.ttscov", "--invariants", "rules"]),
    ("ic3.ttscov, all", &["--engine", "ic3.ttscov", "--invariants", "all"]),
];

pub(super) fn measure(args: &Ic3Args, runner: &mut Runner, report: &mut Report) -> io::Result<()> {
    let title = format!("Invariants, {} each", limits_of(&runner.bench));
    ttscov::compare(&WAYS, &title, args, runner, report)
}
