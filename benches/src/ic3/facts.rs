//! What facts about a net (places never marked together, linear bounds) are worth to IC3 on bits, by what they are used for: as
//! clauses, as bounds of what places hold, as rules left out.

use super::Report;
use super::run::{Runner, limits_of};
use super::ttscov::{self, Way};
use crate::args::Ic3Args;
use std::io;

/// For nothing, for each alone, for everything.
const WAYS: [Way; 10] = [
    ("ic3.bits, no facts", &["--engine", "ic3.bits", "--facts", "none"]),
    ("ic3.bits, as clauses", &["--engine", "ic3.bits", "--facts", "clauses"]),
    ("ic3.bits, as bounds", &["--engine", "ic3.bits", "--facts", "bounds"]),
    ("ic3.bits, as rules left out", &["--engine", "ic3.bits", "--facts", "rules"]),
    ("ic3.bits, all", &["--engine", "ic3.bits", "--facts", "all"]),
    ("ic3.ttscov, no facts", &["--engine", "ic3.ttscov", "--facts", "none"]),
    ("ic3.ttscov, as clauses", &["--engine", "ic3.ttscov", "--facts", "clauses"]),
    ("ic3.ttscov, as bounds", &["--engine", "ic3.ttscov", "--facts", "bounds"]),
    ("ic3.ttscov, as rules left out", &["--engine", "ic3.ttscov", "--facts", "rules"]),
    ("ic3.ttscov, all", &["--engine", "ic3.ttscov", "--facts", "all"]),
];

pub(super) fn measure(args: &Ic3Args, runner: &mut Runner, report: &mut Report) -> io::Result<()> {
    let title = format!("Facts, {} each", limits_of(&runner.bench));
    ttscov::compare(&WAYS, &title, args, runner, report)
}
