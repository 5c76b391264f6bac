//! Writer for `.tts` text, with the target as its first line.

use crate::plain::threads_for;
use crate::union::union;
pub(super) use formats::error::WriteError;
use model::{Act, Goal, LocalId, Problem, SharedId, ThreadInit, ThreadTransition, ThreadTransitionSystem};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The largest number of threads in a target that is written. The text lists every single thread.
const MOST_THREADS: usize = 100_000;

pub(super) fn write(problem: &Problem, out: &mut dyn Write) -> Result<(), WriteError> {
    let system = threads_for("tts", problem)?;
    let default = ThreadInit { shared: SharedId(0), threads: BTreeMap::new(), any: vec![LocalId(0)] };
    if *system.initial() != default {
        let error = WriteError::feature("tts", "initial states other than `0/0`");
        return Err(error.hint("its initial states are chosen on the command line"));
    }
    let idle = |t: &&ThreadTransition| t.from == t.to && !t.passive.is_empty();
    if system.transitions().iter().any(|t| idle(&t)) {
        return Err(WriteError::feature("tts", "a broadcast that changes neither shared state nor its own thread"));
    }
    if let Some(target) = target(system, problem)? {
        writeln!(out, "{target}")?;
    }
    writeln!(out, "{} {}", system.shared(), system.locals())?;
    for transition in system.transitions() {
        write_transition(out, transition)?;
    }
    Ok(())
}

fn write_transition(out: &mut dyn Write, transition: &ThreadTransition) -> io::Result<()> {
    let ThreadTransition { from, to, act, passive } = transition;
    let arrow = match act {
        Act::Move => "->",
        Act::Spawn => "+>",
        Act::Transfer => "~>",
    };
    write!(out, "{} {} {arrow} {} {}", from.0.0, from.1.0, to.0.0, to.1.0)?;
    for (source, targets) in passive {
        for target in targets {
            write!(out, " {} ~> {}", source.0, target.0)?;
        }
    }
    writeln!(out)
}

/// Returns the only goal as `s|l,..`.
fn target(system: &ThreadTransitionSystem, problem: &Problem) -> Result<Option<String>, WriteError> {
    let cannot = |what: &str| Err(WriteError::feature("tts", what));
    let formula = match problem.properties() {
        [] => return Ok(None),
        [property] => match problem.formula(property.goal) {
            Some(formula) => formula,
            None if property.goal == Goal::Deadlock => return cannot("deadlock as a goal"),
            None => return cannot("bad states as a goal"),
        },
        several => return cannot(&format!("{} properties", several.len())),
    };
    let conjunctions = union(formula).map_err(|what| WriteError::feature("tts", what))?;
    let [conjunction] = conjunctions.as_slice() else {
        return cannot(&format!("a goal with {} alternatives", conjunctions.len()));
    };
    let mut shared = (system.shared() == 1).then_some(0);
    let mut threads: Vec<String> = Vec::new();
    for bounds in conjunction {
        if bounds.range.at_most.is_some() {
            return cannot("an upper bound in a goal");
        }
        let least = &bounds.range.at_least;
        match bounds.place.0.checked_sub(system.shared()) {
            Some(local) => threads.extend(repeated(local, least, threads.len())?),
            None if least.is_zero() => {}
            None if least.is_one() && shared.is_none_or(|s| s == bounds.place.0) => shared = Some(bounds.place.0),
            None => return cannot("a goal with two shared states at once"),
        }
    }
    match shared {
        Some(shared) => Ok(Some(format!("{shared}|{}", threads.join(",")))),
        None => cannot("a goal for any shared state"),
    }
}

fn repeated(local: u32, count: &BigUint, before: usize) -> Result<Vec<String>, WriteError> {
    match count.to_usize().filter(|n| n.saturating_add(before) <= MOST_THREADS) {
        Some(count) => Ok(vec![local.to_string(); count]),
        None => Err(WriteError::feature("tts", format!("a goal with more than {MOST_THREADS} threads"))),
    }
}
