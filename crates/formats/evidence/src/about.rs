//! The kinds of evidence for each kind of system.

use model::{Goal, SystemModel};
use std::collections::BTreeSet;

/// For each kind of system: the keys of the kinds of evidence that a file about such a system may have.
const PROGRAM: &[&str] =
    &["trace", "state_set", "refutation", "projection", "reduced", "counted", "clauses", "invariant"];
const NET: &[&str] = &["trace", "markable", "markings", "reduced_markings", "invariant", "branching", "bound"];
const CIRCUIT: &[&str] = &["trace", "clauses", "justice", "tracking"];
const REACTIVE: &[&str] = &["trace", "valuations"];
const DATA: &[&str] = &[
    "trace",
    "data_invariant",
    "data_projections",
    "state_set",
    "refutation",
    "projection",
    "reduced",
    "counted",
    "clauses",
    "invariant",
];

const OWN: &[&str] = &["trace", "state_set"];

/// Iterates over all keys, each once.
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    let all: BTreeSet<&str> = [PROGRAM, NET, CIRCUIT, REACTIVE, DATA].into_iter().flatten().copied().collect();
    all.into_iter()
}

/// The hint for the case that the model file is the same and options differ.
const SAME_QUESTION: &str = "if the file is the same, give the same --init, --target, --properties, --ask, --final \
                             and --extern as in the check";

/// The description of evidence about a system.
pub(super) struct About {
    /// The noun for the system.
    pub(super) noun: &'static str,
    /// The keys of the kinds of evidence that the file may have.
    pub(super) kinds: &'static [&'static str],
    /// The goals with a fixed id. A file may name them even if the problem does not ask for them.
    pub(super) fixed: &'static [Goal],
    /// The hint for a hash that differs.
    pub(super) other_system: &'static str,
    /// The hint for an unknown goal.
    pub(super) other_goals: &'static str,
}

impl About {
    /// Returns the description for `system`, or `None` for a system in memory only. The program that defines such a
    /// system checks its evidence itself.
    pub(super) fn of(system: &SystemModel) -> Option<Self> {
        let usual =
            |noun, kinds, fixed| Self { noun, kinds, fixed, other_system: SAME_QUESTION, other_goals: SAME_QUESTION };
        Some(match system {
            SystemModel::Rwb(_) => Self {
                other_system: "if the file is the same, give the same --ends as in the check",
                other_goals: "give the questions of `--ask` again with `--ask`",
                ..usual("program", PROGRAM, &[Goal::Bad, Goal::Deadlock, Goal::SomeHot])
            },
            SystemModel::Net(_) => usual("net", NET, &[Goal::Deadlock]),
            SystemModel::Threads(_) => usual("thread-transition system", NET, &[Goal::Deadlock]),
            SystemModel::Circuit(_) => usual("circuit", CIRCUIT, &[]),
            SystemModel::Reactive(_) => usual("reactive program", REACTIVE, &[]),
            SystemModel::Data(_) => usual("program", DATA, &[Goal::Bad, Goal::Deadlock]),
            SystemModel::Own(system) => {
                system.identity()?;
                usual("system", OWN, &[Goal::Deadlock])
            }
        })
    }
}
