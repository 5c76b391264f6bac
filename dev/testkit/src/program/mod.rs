//! Behavioral programs: successors of composite states, word for word from section 1 of the format page, brute
//! force, and random programs.

mod generate;
pub mod liveness;
mod truth;

pub use generate::{
    counters, disturb, program, program_with_ends, program_with_priorities, questions, questions_with_priorities,
};
pub use truth::{Truth, truth, truth_of};

use crate::{choices, formula, steps};
use model::{EventId, EventSet, Formula, Goal, LocalId, LocalState, Program, ThreadId, Trace};

/// The local state of each thread.
pub type State = Vec<u32>;

/// Iterates over the current local states of the threads.
fn locals<'a>(program: &'a Program, state: &'a [u32]) -> impl Iterator<Item = &'a LocalState> {
    program.threads().iter().zip(state).map(|(t, s)| t.state(LocalId(*s)))
}

/// Returns the initial states.
#[must_use]
pub fn initial(program: &Program) -> Vec<State> {
    choices(program.threads().iter().map(|t| t.initial.iter().map(|s| s.0).collect()))
}

/// True if some thread is in a bad state.
#[must_use]
pub fn is_bad(program: &Program, state: &[u32]) -> bool {
    locals(program, state).any(|s| s.bad)
}

/// Returns the events that some thread requests and no thread blocks, and that no other such event takes priority over,
/// in ascending order.
#[must_use]
pub fn enabled(program: &Program, state: &[u32]) -> Vec<EventId> {
    let mut enabled = EventSet::empty(program.events().len());
    locals(program, state).for_each(|s| enabled.union_with(&s.request));
    locals(program, state).for_each(|s| enabled.subtract(&s.block));
    let priority = |e: &EventId| {
        let asking = locals(program, state).enumerate().filter(|(_, s)| s.request.contains(*e));
        asking.map(|(t, _)| program.priority(ThreadId::new(t), LocalId(state[t]))).max()
    };
    let greatest = enabled.iter().map(|e| priority(&e)).max();
    enabled.iter().filter(|e| priority(e) == greatest.flatten()).collect()
}

/// Returns the states to which the event may lead if it is enabled.
#[must_use]
pub fn after(program: &Program, state: &[u32], event: EventId) -> Vec<State> {
    let threads = program.threads().iter().zip(state);
    choices(threads.map(|(t, s)| t.targets(LocalId(*s), event).map(|to| to.0).collect()))
}

/// Returns the possible events of a state with their successors. In a bad state no event is enabled, so a
/// violating run ends there.
#[must_use]
pub fn successors(program: &Program, state: &[u32]) -> Vec<(EventId, State)> {
    let events = enabled(program, state).into_iter();
    events.flat_map(|e| after(program, state, e).into_iter().map(move |to| (e, to))).collect()
}

/// Returns the goal that the state satisfies. It is `Bad` if some thread is in a bad state, and `Deadlock` if
/// no event is enabled and the state is no proper end.
#[must_use]
pub fn goal(program: &Program, state: &[u32]) -> Option<Goal> {
    let is_final = |(t, s): (usize, &u32)| program.is_final(ThreadId::new(t), LocalId(*s));
    let is_stop = |(t, s): (usize, &u32)| program.is_stop(ThreadId::new(t), LocalId(*s));
    let locals = || state.iter().enumerate();
    let may_end = || (program.has_finals() && locals().all(is_final)) || locals().any(is_stop);
    match (is_bad(program, state), enabled(program, state).is_empty()) {
        (true, _) => Some(Goal::Bad),
        (false, true) if !may_end() => Some(Goal::Deadlock),
        _ => None,
    }
}

/// True if the state satisfies a formula about thread states.
#[must_use]
pub fn holds(program: &Program, formula: &Formula, state: &[u32]) -> bool {
    let threads = program.threads().iter().zip(state);
    let marks = threads.flat_map(|(t, s)| (0..t.states.len() as u32).map(move |i| u32::from(i == *s)));
    formula::holds(formula, &marks.collect::<Vec<u32>>())
}

/// Returns the last state of the trace. `None` if the trace is not a run. A step must record a choice exactly
/// if the event has several successors.
#[must_use]
pub fn replay(program: &Program, trace: &Trace) -> Option<State> {
    let start = trace.start.to_vec();
    let start = initial(program).contains(&start).then_some(start)?;
    steps(trace).try_fold(start, |state, step| {
        if !enabled(program, &state).contains(&step.event) {
            return None;
        }
        let next = after(program, &state, step.event);
        let to = step.choice.map_or_else(|| next[0].clone(), |choice| trace.choice(choice).to_vec());
        (next.contains(&to) && (next.len() == 1) == step.choice.is_none()).then_some(to)
    })
}
