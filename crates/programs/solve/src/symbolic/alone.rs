//! Runs of single threads along the events of a trace: which threads do not take part in a run of a projection?
//!
//! Each thread is replayed by itself, with the arguments of the trace. A free choice makes several states. A thread
//! that draws a value is not followed any further, because the trace of a projection does not say which value.

use crate::symbolic::outcomes::{Ended, Known};
use model::data::{DataProgram, Symbol};
use model::{DecisionId, EventId, LocationId, ThreadId, Trace, VariableId};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of states of a thread. Beyond it, the thread is not followed.
const MOST: usize = 64;

/// The location of a thread, and the values of its variables that are not 0.
type Local = (LocationId, BTreeMap<VariableId, BigInt>);

/// The states in which a thread may be; `None` if it is not followed any further.
type Locals = Option<BTreeSet<Local>>;

/// What an event does in a thread.
struct Done {
    requests: bool,
    /// `None`: the thread stays.
    next: Option<Local>,
}

/// Returns threads without which the trace is not excluded: one that blocks an event of the trace, or all that may
/// request an event that no thread requests there. The list is empty if each thread by itself permits the trace.
pub(crate) fn missing(program: &DataProgram, trace: &Trace) -> Vec<ThreadId> {
    let mut states: Vec<Locals> = (0..program.threads().len()).map(|thread| initial(program, thread)).collect();
    for step in trace.runs().iter().filter(|run| run.times == 1).flat_map(|run| &run.word) {
        let slots = step.choice.map_or(&[][..], |choice| trace.choice(choice));
        let arity = program.events()[step.event.index()].arity();
        let arguments: Vec<BigInt> = slots.chunks_exact(2).take(arity).map(number).collect();
        let mut is_requested = false;
        for (thread, locals) in states.iter_mut().enumerate() {
            let Some(known) = locals else {
                is_requested = true;
                continue;
            };
            let mut next = Some(BTreeSet::new());
            for local in known.iter() {
                match (step_of(program, thread, local, step.event, &arguments), &mut next) {
                    (Some(all), Some(next)) if next.len() + all.len() <= MOST => {
                        is_requested |= all.iter().any(|done| done.requests);
                        next.extend(all.into_iter().map(|done| done.next.unwrap_or_else(|| local.clone())));
                    }
                    _ => next = None,
                }
            }
            if next.as_ref().is_some_and(BTreeSet::is_empty) {
                return vec![ThreadId::new(thread)];
            }
            is_requested |= next.is_none();
            *locals = next;
        }
        if !is_requested {
            let threads = (0..).map(ThreadId).zip(program.threads());
            return threads.filter(|(_, thread)| thread.requested().contains(&step.event)).map(|(id, _)| id).collect();
        }
    }
    Vec::new()
}

fn number(slots: &[u32]) -> BigInt {
    (u64::from(slots[1]) << 32 | u64::from(slots[0])).cast_signed().into()
}

fn initial(program: &DataProgram, thread: usize) -> Locals {
    let start = (LocationId(0), BTreeMap::new());
    let all = outcomes(program, thread, program.threads()[thread].initial, &start, &[])?;
    Some(all.into_iter().filter_map(|done| done.next).collect())
}

/// Returns what the event may do in a state of a thread, without blocking outcomes.
fn step_of(
    program: &DataProgram,
    thread: usize,
    local: &Local,
    event: EventId,
    arguments: &[BigInt],
) -> Option<Vec<Done>> {
    match program.threads()[thread].locations[local.0.index()].on.get(&event) {
        Some(decision) => outcomes(program, thread, *decision, local, arguments),
        None => Some(vec![Done { requests: false, next: None }]),
    }
}

/// Returns the outcomes that do not block.
fn outcomes(
    program: &DataProgram,
    thread: usize,
    root: DecisionId,
    local: &Local,
    arguments: &[BigInt],
) -> Option<Vec<Done>> {
    let variable = |symbol: Symbol| match symbol {
        Symbol::Variable(id) => local.1.get(&id).cloned().unwrap_or_default(),
        _ => BigInt::ZERO,
    };
    let known = Known { variable: &variable, arguments, drawn: &[] };
    let ended = known.outcomes(&program.threads()[thread], root)?;
    let done = |ended: Ended<'_>| {
        let next = ended.outcome.go.as_ref().map(|(to, updates)| {
            let mut values = local.1.clone();
            values.extend(updates.iter().map(|(variable, term)| (*variable, known.value_at(term, &ended))));
            values.retain(|_, value| *value != BigInt::ZERO);
            (*to, values)
        });
        Done { requests: ended.outcome.requests, next }
    };
    Some(ended.into_iter().filter(|ended| !ended.outcome.blocks).map(done).collect())
}
