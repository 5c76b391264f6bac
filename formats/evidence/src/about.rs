//! What evidence is like for each kind of system.

use super::hash;
use model::{Goal, SystemModel};

/// What a file may be about, as its key in the file.
const PROGRAM: &[&str] = &["trace", "state_set", "refutation", "projection", "reduced", "counted", "clauses"];
const NET: &[&str] = &["trace", "markable", "markings", "reduced_markings", "invariant"];
const CIRCUIT: &[&str] = &["trace", "clauses"];
const REACTIVE: &[&str] = &["trace", "valuations"];

/// Every key, once.
pub(super) fn kinds() -> impl Iterator<Item = &'static &'static str> {
    PROGRAM.iter().chain(&NET[1..]).chain(&REACTIVE[1..])
}

/// What may differ though the file is the same.
const SAME_QUESTION: &str = "if the file is the same, give the same --init, --target, --properties, --ask, --final and --extern as in the check";

/// Evidence about a system.
pub(super) struct About<'p> {
    /// The identity of the system, linear in its size.
    hash: Box<dyn Fn() -> String + 'p>,
    /// What the system is called.
    pub(super) noun: &'static str,
    /// Keys of what the file may hold.
    pub(super) kinds: &'static [&'static str],
    /// Goals that have a fixed id, asked for or not.
    pub(super) fixed: &'static [Goal],
    /// What to try where the hash is another one.
    pub(super) other_system: &'static str,
    /// What to try where a goal is not known.
    pub(super) other_goals: &'static str,
}

impl<'p> About<'p> {
    /// Nothing of systems of one's own: their evidence is checked where they are defined.
    pub(super) fn of(system: &'p SystemModel) -> Option<Self> {
        let usual = |noun, kinds, fixed, hash: Box<dyn Fn() -> String + 'p>| Self {
            hash,
            noun,
            kinds,
            fixed,
            other_system: SAME_QUESTION,
            other_goals: SAME_QUESTION,
        };
        Some(match system {
            SystemModel::Rwb(program) => Self {
                other_system: "if the file is the same, give the same --ends as in the check",
                other_goals: "questions of `--ask` are given again with `--ask`",
                ..usual("program", PROGRAM, &[Goal::Bad, Goal::Deadlock], Box::new(|| hash::program(program)))
            },
            SystemModel::Net(net) => usual("net", NET, &[Goal::Deadlock], Box::new(|| hash::net(net))),
            SystemModel::Threads(threads) => {
                usual("thread system", NET, &[Goal::Deadlock], Box::new(|| hash::threads(threads)))
            }
            SystemModel::Circuit(circuit) => usual("circuit", CIRCUIT, &[], Box::new(|| hash::circuit(circuit))),
            SystemModel::Reactive(program) => {
                usual("reactive program", REACTIVE, &[], Box::new(|| hash::reactive(program)))
            }
            SystemModel::Own(_) => return None,
        })
    }

    /// The identity of the system. Linear in its size.
    pub(super) fn hash(&self) -> String {
        (self.hash)()
    }
}
