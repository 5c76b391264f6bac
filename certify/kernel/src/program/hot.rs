//! Hot threads: a thread must not stay in hot states from some point of a run on.
//!
//! For `safe`, a closed set of composite states is listed ([`crate::closed`]), and two things are checked on it: in a
//! state without an enabled event and without a bad local state, the thread is not hot; and the steps between states in
//! which the thread is hot have no cycle.
//! 1. No finite run violates the goal. Proof: its last state is in the set, which is closed, and the first check
//!    excludes it.
//! 2. No infinite run violates the goal. Proof: from some point on all of its states are in the set and hot. The set is
//!    finite, so a state occurs twice, and the steps between the two occurrences are a cycle of hot states.
//!
//! For `unsafe`, a run is replayed. It ends in a hot state without an enabled event and without a bad local state; or
//! its loop leads back to the same composite state, and all states of the loop are hot, so that it can be repeated for
//! ever.

use super::runs::{Runs, State};
use super::stepper::{Scratch, Stepper, describe};
use crate::closed::Set;
use crate::trace::{Semantics, steps};
use crate::work::Work;
use crate::{Check, Refusal, reject, within};
use model::{Goal, LocalId, Program, ThreadId, Trace};

/// True if the thread is hot in this composite state.
fn is_hot(program: &Program, thread: ThreadId, state: &[u32]) -> bool {
    program.is_hot(thread, LocalId(state[thread.index()]))
}

/// Checks that the states of a closed set have no run in which the thread stays hot.
///
/// # Errors
/// If there is such a run, or if a resource limit is exceeded.
pub fn check(program: &Program, stepper: &Stepper, set: &Set, thread: ThreadId, work: &mut Work<'_>) -> Check<()> {
    let size = set.table.taken().last().map_or(0, |last| last + 1);
    work.grow(size)?;
    let mut search =
        Search { program, stepper, set, thread, marks: vec![Mark::New; size], scratch: Scratch::default() };
    for place in set.table.taken() {
        work.spend(1)?;
        search.from(place, work)?;
    }
    Ok(())
}

/// What the search for cycles knows of a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    /// On the path of the search.
    Open,
    /// No cycle leads through the state.
    Closed,
}

/// A depth-first search through hot states, without recursion.
struct Search<'a> {
    program: &'a Program,
    stepper: &'a Stepper,
    set: &'a Set,
    thread: ThreadId,
    /// For each place of the table.
    marks: Vec<Mark>,
    scratch: Scratch,
}

impl Search<'_> {
    fn from(&mut self, root: usize, work: &mut Work<'_>) -> Check<()> {
        if self.marks[root] != Mark::New {
            return Ok(());
        }
        let Some(next) = self.open(root, work)? else { return Ok(()) };
        let mut path = vec![(root, next)];
        while let Some((place, next)) = path.last_mut() {
            let Some(to) = next.pop() else {
                self.marks[*place] = Mark::Closed;
                path.pop();
                continue;
            };
            match self.marks[to] {
                Mark::Closed => {}
                Mark::Open => {
                    let state = self.state(to);
                    let name = &self.program.thread(self.thread).name;
                    return reject(format!("`{name}` stays hot on a cycle through {}", describe(self.program, &state)));
                }
                Mark::New => {
                    if let Some(next) = self.open(to, work)? {
                        path.push((to, next));
                    }
                }
            }
        }
        Ok(())
    }

    fn state(&self, place: usize) -> Vec<u32> {
        let mut state = Vec::new();
        self.set.layout.unpack(self.set.table.key(place), &mut state);
        state
    }

    /// Marks a state, and returns the places of its successors. `None` if the thread is not hot there.
    fn open(&mut self, place: usize, work: &mut Work<'_>) -> Check<Option<Vec<usize>>> {
        let state = self.state(place);
        work.spend(1 + state.len() as u64)?;
        if !is_hot(self.program, self.thread, &state) {
            self.marks[place] = Mark::Closed;
            return Ok(None);
        }
        self.marks[place] = Mark::Open;
        let (set, mut next, mut key) = (self.set, Vec::new(), Vec::new());
        let goal = self.stepper.successors(&state, &mut self.scratch, |to| {
            key.clear();
            work.spend(1 + to.len() as u64)?;
            let found = if set.layout.pack(to, |word| key.push(word)) { set.table.find(&key, work)? } else { None };
            match found {
                Some(to) => next.push(to),
                None => return reject("the set is not closed"),
            }
            Ok(())
        })?;
        if goal == Some(Goal::Deadlock) {
            let name = &self.program.thread(self.thread).name;
            return reject(format!("a run ends while `{name}` is hot, in {}", describe(self.program, &state)));
        }
        work.grow(next.len().saturating_mul(size_of::<usize>()))?;
        Ok(Some(next))
    }
}

/// Replays a run in which the thread stays hot. Returns the number of its steps.
///
/// # Errors
/// If the trace is no such run, or if a resource limit is exceeded.
pub fn replay(
    runs: &mut Runs<'_>,
    program: &Program,
    stepper: &Stepper,
    trace: &Trace,
    thread: ThreadId,
    work: &mut Work<'_>,
) -> Check<u64> {
    let events = trace.len().ok_or(Refusal::ResourceLimit)?;
    let name = &program.thread(thread).name;
    let must_be_hot = |state: &State| match is_hot(program, thread, &state.locals) {
        true => Ok(()),
        false => reject(format!("`{name}` is not hot in {}", describe(program, &state.locals))),
    };
    let mut state = runs.start(&trace.start, work)?;
    let mut first = None;
    for (number, step) in (0..).zip(steps(trace)) {
        if trace.repeats_from == Some(number) {
            first = Some(state.clone());
        }
        if first.is_some() {
            must_be_hot(&state)?;
        }
        let choice = step.choice.map(|choice| trace.choice(choice));
        within(runs.step(&mut state, step.event.0, choice, work), || format!("event {}", number + 1))?;
    }
    must_be_hot(&state)?;
    match (trace.repeats_from, first) {
        (None, _) if stepper.goal(&state.locals) == Some(Goal::Deadlock) => Ok(events),
        (None, _) => reject(format!("the run does not end in {}", describe(program, &state.locals))),
        (Some(_), Some(first)) if first == state => Ok(events),
        (Some(_), Some(_)) => reject("the run does not come back to the state from which it repeats"),
        (Some(_), None) => reject("the run does not come to where it repeats"),
    }
}
