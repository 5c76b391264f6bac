//! The techniques of IC3 on bits, left out one at a time (`impasse-bench circuits --techniques`). The runner starts
//! itself again (the hidden command `prove`), so that each run is a separate process. IC3 works alone there: engines
//! that share the time would blur what a technique changes. On circuits with memories, it follows single words, with
//! names for gates, and does not merge signals. The answers are not checked, but compared with known ones.

use crate::args::ProveArgs;
use crate::search;
use circuits::{CircuitIc3, ic3};
use circuits::{Corresponding, Followed, Hosted};
use model::{Budget, CircuitTask, Claim, Engine, Goal, OutputId, Turn};
use std::io::{self, Write};
use std::sync::Arc;

/// Work units between two looks at the result.
const TURN: u64 = 1 << 20;

/// The answers that the hidden command prints.
pub(crate) const SAFE: &str = "safe";
pub(crate) const UNSAFE: &str = "unsafe";
pub(crate) const UNKNOWN: &str = "unknown";

/// The options of a run.
struct Settings {
    ic3: ic3::Options,
    /// True if equal signals are merged ([`Corresponding`]).
    merges: bool,
}

/// The circuits on which a technique is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    All,
    WithMemories,
    WithoutMemories,
}

/// A technique that can be left out.
pub(crate) struct Technique {
    pub(crate) name: &'static str,
    used_on: Kind,
    leave_out: fn(&mut Settings),
}

/// All techniques.
const TECHNIQUES: [Technique; 8] = [
    Technique { name: "lifting of predecessors", used_on: Kind::All, leave_out: |settings| settings.ic3.lift = false },
    Technique { name: "order by activity", used_on: Kind::All, leave_out: |settings| settings.ic3.activity = false },
    Technique {
        name: "widening to counterexamples",
        used_on: Kind::All,
        leave_out: |settings| settings.ic3.widen = false,
    },
    Technique {
        name: "pushing of new lemmas at once",
        used_on: Kind::All,
        leave_out: |settings| settings.ic3.push_new = false,
    },
    Technique {
        name: "pushing from the whole frame",
        used_on: Kind::All,
        leave_out: |settings| settings.ic3.push_from_frame = false,
    },
    Technique {
        name: "obligations of earlier frames",
        used_on: Kind::All,
        leave_out: |settings| settings.ic3.keep_obligations = false,
    },
    Technique {
        name: "merging of equal signals",
        used_on: Kind::WithoutMemories,
        leave_out: |settings| settings.merges = false,
    },
    Technique {
        name: "names for gates",
        used_on: Kind::WithMemories,
        leave_out: |settings| settings.ic3.signals = false,
    },
];

/// Returns the techniques that are used on circuits with memories, or on those without.
pub(super) fn used(has_memories: bool) -> impl Iterator<Item = &'static Technique> {
    let other = if has_memories { Kind::WithoutMemories } else { Kind::WithMemories };
    TECHNIQUES.iter().filter(move |technique| technique.used_on != other)
}

/// Runs the hidden command: decides the output of a circuit, and prints the answer.
///
/// # Errors
///
/// If the file is not a circuit with one output, or the technique is not one that is used on it.
pub(crate) fn run(args: &ProveArgs) -> io::Result<()> {
    let problem = search::read(&args.file)?;
    let circuit = problem.system().as_circuit().ok_or_else(|| io::Error::other("this is no circuit"))?;
    if circuit.outputs().len() != 1 {
        return Err(io::Error::other("a circuit with one output is needed"));
    }
    let has_memories = !circuit.memories().is_empty();
    let technique = args.without.as_deref().map(|name| {
        let found = used(has_memories).find(|technique| technique.name == name);
        found.ok_or_else(|| io::Error::other(format!("no technique for this circuit is named `{name}`")))
    });
    let task = CircuitTask::new(Arc::clone(circuit), [Goal::Output(OutputId::new(0))]);
    let answer = decide(&mut *engine(&task, technique.transpose()?), u64::MAX);
    writeln!(io::stdout(), "{answer}")
}

/// Creates IC3 for the only output of the task, without a technique if one is given.
fn engine(task: &CircuitTask, without: Option<&Technique>) -> Box<dyn Engine> {
    let has_memories = !task.circuit().memories().is_empty();
    let ic3 = ic3::Options { signals: has_memories, ..ic3::Options::default() };
    let mut settings = Settings { ic3, merges: !has_memories };
    if let Some(technique) = without {
        (technique.leave_out)(&mut settings);
    }
    let Settings { ic3, merges } = settings;
    let host = move |task: &CircuitTask| -> Box<dyn Engine> { Box::new(CircuitIc3::new(task, &ic3)) };
    if has_memories {
        let followed = Followed::new(Arc::clone(task.circuit()), task.outputs()[0]);
        Box::new(Hosted::new("ic3", followed, Box::new(host)))
    } else if merges {
        Box::new(Corresponding::new(task.clone(), Box::new(host)))
    } else {
        host(task)
    }
}

/// Runs an engine for one output. Returns its answer, or that there is none after this number of turns.
fn decide(engine: &mut dyn Engine, turns: u64) -> &'static str {
    for _ in 0..turns {
        match engine.run(&mut Budget::new(TURN, Arc::default())) {
            Turn::Claims(Claim::Safe { .. }) => return SAFE,
            Turn::Claims(Claim::Unsafe { candidate: false, .. }) => return UNSAFE,
            Turn::Claims(Claim::Unsafe { goal, .. }) => engine.refused(goal),
            Turn::Claims(Claim::Unknown { .. }) | Turn::Done => return UNKNOWN,
            Turn::Claims(_) | Turn::More => {}
        }
    }
    UNKNOWN
}

#[cfg(test)]
mod tests {
    use super::super::member::Member;
    use super::super::{families, memories};
    use super::*;

    /// Circuits that IC3 decides at once.
    const NAMES: [&str; 8] =
        ["fifo-2", "fifo-2-fault", "sorter-3", "cache-3", "planted-30", "counter-12", "bypass-4", "bypass-4-fault"];

    fn members() -> Vec<Member> {
        let all = families::all().into_iter().chain(memories::all());
        all.filter(|member| NAMES.contains(&&*member.name)).collect()
    }

    #[test]
    fn each_technique_changes_the_search_and_no_answer() {
        let members = members();
        assert_eq!(members.len(), NAMES.len());
        let mut changed = vec![false; TECHNIQUES.len()];
        for member in members {
            let has_memories = !member.circuit.memories().is_empty();
            let task = CircuitTask::new(Arc::new(member.circuit), [Goal::Output(OutputId::new(0))]);
            let expected = if member.is_safe { SAFE } else { UNSAFE };
            let stats = |without| {
                let mut engine = engine(&task, without);
                assert_eq!(decide(&mut *engine, 100), expected, "{}", member.name);
                engine.stats()
            };
            let whole = stats(None);
            for (technique, changed) in TECHNIQUES.iter().zip(&mut changed) {
                if used(has_memories).any(|used| used.name == technique.name) {
                    *changed |= stats(Some(technique)) != whole;
                }
            }
        }
        for (technique, changed) in TECHNIQUES.iter().zip(changed) {
            assert!(changed, "{}", technique.name);
        }
    }
}
