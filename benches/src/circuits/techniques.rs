//! The techniques of IC3 on bits, left out one at a time (`impasse-bench circuits --techniques`). The runner starts
//! itself again (the hidden command `prove`), so that each run is a separate process. IC3 works alone there: engines
//! that share the time would blur what a technique changes. The answers are not checked, but compared with known ones.

use crate::args::ProveArgs;
use crate::search;
use circuits::{Corresponding, Followed, Hosted};
use ic3::{CircuitIc3, bit_level};
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
#[derive(Clone)]
struct Settings {
    ic3: bit_level::Options,
    /// True if equal signals are merged ([`Corresponding`]).
    merges: bool,
}

/// A technique that can be left out.
pub(crate) struct Technique {
    pub(crate) name: &'static str,
    /// True if it is used on circuits with memories only. Merging is used on the others only.
    of_memories: Option<bool>,
    leave_out: fn(&mut Settings),
}

/// All techniques.
const TECHNIQUES: [Technique; 8] = [
    Technique { name: "lifting of predecessors", of_memories: None, leave_out: |settings| settings.ic3.lift = false },
    Technique { name: "order by activity", of_memories: None, leave_out: |settings| settings.ic3.activity = false },
    Technique {
        name: "widening to counterexamples",
        of_memories: None,
        leave_out: |settings| settings.ic3.widen = false,
    },
    Technique {
        name: "pushing of new lemmas at once",
        of_memories: None,
        leave_out: |settings| settings.ic3.push_new = false,
    },
    Technique {
        name: "pushing from the whole frame",
        of_memories: None,
        leave_out: |settings| settings.ic3.push_from_frame = false,
    },
    Technique {
        name: "obligations of earlier frames",
        of_memories: None,
        leave_out: |settings| settings.ic3.keep_obligations = false,
    },
    Technique {
        name: "merging of equal signals",
        of_memories: Some(false),
        leave_out: |settings| settings.merges = false,
    },
    Technique { name: "names for gates", of_memories: Some(true), leave_out: |settings| settings.ic3.signals = false },
];

/// Returns the techniques that are used on circuits with memories, or on those without.
pub(super) fn used(has_memories: bool) -> impl Iterator<Item = &'static Technique> {
    TECHNIQUES.iter().filter(move |technique| technique.of_memories.is_none_or(|of| of == has_memories))
}

/// Runs the hidden command: decides the first output of a circuit, and prints the answer.
///
/// # Errors
///
/// If the file is not a circuit with an output, or the technique is not known.
pub(crate) fn run(args: &ProveArgs) -> io::Result<()> {
    let problem = search::read(&args.file)?;
    let circuit = problem.system().as_circuit().ok_or_else(|| io::Error::other("this is no circuit"))?;
    if circuit.outputs().is_empty() {
        return Err(io::Error::other("this circuit has no output"));
    }
    let has_memories = !circuit.memories().is_empty();
    let ic3 = bit_level::Options { signals: has_memories, ..bit_level::Options::default() };
    let mut settings = Settings { ic3, merges: !has_memories };
    if let Some(name) = &args.without {
        let technique = TECHNIQUES.iter().find(|technique| technique.name == name);
        (technique.ok_or_else(|| io::Error::other(format!("no technique is named {name}")))?.leave_out)(&mut settings);
    }
    writeln!(
        io::stdout(),
        "{}",
        decide(&CircuitTask::new(Arc::clone(circuit), [Goal::Output(OutputId::new(0))]), settings)
    )
}

/// Decides the only output of the task.
fn decide(task: &CircuitTask, settings: Settings) -> &'static str {
    let Settings { ic3, merges } = settings;
    let host = move |task: &CircuitTask| -> Box<dyn Engine> { Box::new(CircuitIc3::new(task, &ic3)) };
    let mut engine: Box<dyn Engine> = if !task.circuit().memories().is_empty() {
        let followed = Followed::new(Arc::clone(task.circuit()), task.outputs()[0]);
        Box::new(Hosted::new("ic3", followed, Box::new(host)))
    } else if merges {
        Box::new(Corresponding::new(task.clone(), Box::new(host)))
    } else {
        host(task)
    };
    loop {
        match engine.run(&mut Budget::new(TURN, Arc::default())) {
            Turn::Claims(Claim::Safe { .. }) => return SAFE,
            Turn::Claims(Claim::Unsafe { candidate: false, .. }) => return UNSAFE,
            Turn::Claims(Claim::Unsafe { goal, .. }) => engine.refused(goal),
            Turn::Claims(Claim::Unknown { .. }) | Turn::Done => return UNKNOWN,
            Turn::Claims(_) | Turn::More => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{families, memories};
    use super::*;

    #[test]
    fn no_technique_changes_an_answer() {
        let small = |name: &str| {
            ["arbiter-4", "fifo-4", "cache-3", "stack-16", "queue-4"].iter().any(|of| name.starts_with(of))
        };
        let members = families::all().into_iter().chain(memories::all());
        for member in members.filter(|member| small(&member.name)).take(10) {
            let has_memories = !member.circuit.memories().is_empty();
            let task = CircuitTask::new(Arc::new(member.circuit), [Goal::Output(OutputId::new(0))]);
            for technique in used(has_memories) {
                let ic3 = bit_level::Options { signals: has_memories, ..bit_level::Options::default() };
                let mut settings = Settings { ic3, merges: !has_memories };
                let before = settings.clone();
                (technique.leave_out)(&mut settings);
                assert!(before.ic3 != settings.ic3 || before.merges != settings.merges, "{}", technique.name);
                let expected = if member.is_safe { SAFE } else { UNSAFE };
                assert_eq!(decide(&task, settings), expected, "{} {}", member.name, technique.name);
            }
        }
    }
}
