//! Restrictions in evidence files: local states that are never visited, and why.
//!
//! ```json
//! "restrictions": [{"kind": "tasks.response", "excluded": [[0,3],[0,7]],
//!                   "why": {"response_times": [{"thread": 0, "event": 1, "period": 5, "work": 2, "offset": 0}]}}]
//! ```
//!
//! `excluded` lists pairs of a thread and a state. Besides `response_times`, the reasons are `"cartesian"` and
//! `{"potential": [[[0,1],[0,1]]]}`. The latter gives a weight for each potential, each thread and each local
//! state of the thread.

use super::refutation::{Numbers, kept, refused};
use super::shape::shaped;
use formats::json::{Document, Res, Value};
use model::{EventId, LocalId, Potential, Program, Restriction, Task, ThreadId, Unreachable};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RestrictionShape {
    kind: String,
    excluded: Vec<[u32; 2]>,
    why: WhyShape,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WhyShape {
    Cartesian,
    ResponseTimes(Vec<TaskShape>),
    Potential(Vec<Vec<Vec<i64>>>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskShape {
    thread: u32,
    event: u32,
    period: u32,
    work: u32,
    offset: u32,
}

pub(super) fn write(restrictions: &[Restriction], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\"restrictions\":[")?;
    super::refutation::write_list(restrictions.iter().map(RestrictionShape::of), out)?;
    write!(out, "]")
}

pub(super) fn read<'a>(document: Document<'a>, value: Value<'a>, program: &Program) -> Res<Vec<Restriction>> {
    let mut numbers = Numbers { document, left: document.limits.evidence_numbers };
    let mut restrictions = Vec::new();
    for item in document.array(value, "a list of restrictions")? {
        let shape: RestrictionShape = shaped(document, item)?;
        numbers.take(shape.size(), item)?;
        restrictions.push(shape.restriction(program).map_err(|why| refused(document, item, why))?);
    }
    Ok(restrictions)
}

impl RestrictionShape {
    fn of(restriction: &Restriction) -> Self {
        let why = match &restriction.why {
            Unreachable::Cartesian => WhyShape::Cartesian,
            Unreachable::ResponseTimes(tasks) => WhyShape::ResponseTimes(tasks.iter().map(TaskShape::of).collect()),
            Unreachable::Potential(all) => WhyShape::Potential(all.iter().map(|p| p.weights.clone()).collect()),
        };
        let excluded = restriction.excluded.iter().map(|(thread, state)| [thread.0, state.0]).collect();
        Self { kind: restriction.kind.0.to_owned(), excluded, why }
    }

    /// Returns how many numbers the restriction takes from the limit.
    fn size(&self) -> usize {
        let why = match &self.why {
            WhyShape::Cartesian => 1,
            WhyShape::ResponseTimes(tasks) => 5 * tasks.len(),
            WhyShape::Potential(all) => all.iter().flatten().map(|row| row.len() + 1).sum::<usize>() + all.len(),
        };
        why + 2 * self.excluded.len()
    }

    /// Converts the JSON form, and checks that the program has every thread, state and event in it.
    fn restriction(self, program: &Program) -> Result<Restriction, String> {
        let sizes: Vec<usize> = program.threads().iter().map(|t| t.states.len()).collect();
        let known = |[thread, state]: &[u32; 2]| {
            sizes.get(ThreadId(*thread).index()).is_some_and(|&size| LocalId(*state).index() < size)
        };
        if !self.excluded.iter().all(known) || !self.excluded.is_sorted_by(|a, b| a < b) {
            return Err("`excluded` is not a list of states of the program, ascending and each once".to_owned());
        }
        let excluded = self.excluded.into_iter().map(|[thread, state]| (ThreadId(thread), LocalId(state))).collect();
        Ok(Restriction { kind: kept(&self.kind)?, excluded, why: self.why.why(program, &sizes)? })
    }
}

impl WhyShape {
    fn why(self, program: &Program, sizes: &[usize]) -> Result<Unreachable, String> {
        match self {
            Self::Cartesian => Ok(Unreachable::Cartesian),
            Self::ResponseTimes(tasks) => {
                let known = |t: &TaskShape| {
                    ThreadId(t.thread).index() < sizes.len() && EventId(t.event).index() < program.events().len()
                };
                if !tasks.iter().all(known) {
                    return Err("a task of a thread or an event that the program does not have".to_owned());
                }
                Ok(Unreachable::ResponseTimes(tasks.into_iter().map(TaskShape::task).collect()))
            }
            Self::Potential(all) => {
                if !all.iter().all(|weights| weights.iter().map(Vec::len).eq(sizes.iter().copied())) {
                    return Err("the weights are not one for each state of each thread".to_owned());
                }
                Ok(Unreachable::Potential(all.into_iter().map(|weights| Potential { weights }).collect()))
            }
        }
    }
}

impl TaskShape {
    fn of(task: &Task) -> Self {
        let Task { thread, event, period, work, offset } = *task;
        Self { thread: thread.0, event: event.0, period, work, offset }
    }

    fn task(self) -> Task {
        let Self { thread, event, period, work, offset } = self;
        Task { thread: ThreadId(thread), event: EventId(event), period, work, offset }
    }
}
