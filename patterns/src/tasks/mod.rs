//! Periodic tasks: threads that want a processor for some slots of every period, and block others until they had them.
//!
//! After Katz, Barrett, Harel 2015, section IV (periodic tasks). A task's states form a matrix: columns count the steps
//! since the release, rows the slots received; every event moves one column on, the task's own event also one row. What is
//! ours: schedulability is proven (response times) where the paper assumes it, and the states that it rules out are taken
//! out of the threads before anything else is asked ([`response`]).

mod candidates;
mod conditions;
#[doc(hidden)]
pub mod conjuncts;
mod lemmas;
mod response;
mod shape;
#[cfg(test)]
mod tests;

pub use conditions::SideCondition;
pub use lemmas::{BAD, WHEN};

use crate::requests::Requests;
use conditions::Conditions;
use model::pattern::ConcreteRun;
use model::{
    Constant, Coverage, EventId, Goal, Lemma, LemmaKind, Match, Pattern, Restriction, Task, Thread, ThreadId,
    Unreachable, Values, WhyNot,
};
use shape::Shape;

/// A task's states that its response time keeps it from.
pub const LATE: LemmaKind = LemmaKind("tasks.late");

/// A task has to do with every event that may happen, so sets of tasks are no larger than this: threads times such events.
const LOOKS: usize = 4_000_000;

/// The pattern, as registered.
pub const TASKS: Tasks = Tasks { conditions: Conditions::ALL };

/// The matcher of periodic tasks.
#[derive(Clone, Copy, Debug)]
pub struct Tasks {
    conditions: Conditions,
}

impl Tasks {
    /// The pattern without one of its side conditions: unsound, for tests that must notice.
    #[doc(hidden)]
    #[must_use]
    pub const fn without(condition: SideCondition) -> Self {
        Self { conditions: Conditions { omit: Some(condition) } }
    }

    /// What each thread looks like; one answer for all if they are too many.
    fn shapes(self, threads: &[Thread], requests: &Requests) -> Vec<Result<Shape, WhyNot>> {
        if threads.len().saturating_mul(requests.all().len()) > LOOKS {
            return vec![Err(WhyNot::new(None, "there are too many threads with too many events to look at"))];
        }
        let numbered = threads.iter().enumerate();
        numbered.map(|(i, t)| Shape::of(t, ThreadId::new(i), requests, self.conditions)).collect()
    }
}

impl Pattern for Tasks {
    fn name(&self) -> &'static str {
        "tasks"
    }

    fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        if goal != Goal::Bad {
            return Err(WhyNot::new(None, "it is about bad states only"));
        }
        let mut tasks = Vec::new();
        let mut failed = None;
        for shape in self.shapes(threads, &Requests::new(threads)) {
            match shape {
                // What never has its work done is a plain request.
                Ok(shape) if shape.task.work == shape.task.period => {}
                Ok(shape) => tasks.push(shape.task),
                Err(why) => failed = failed.or(Some(why)),
            }
        }
        if tasks.is_empty() {
            return Err(failed.unwrap_or_else(|| WhyNot::new(None, "every thread always asks for the same event")));
        }
        Ok(Box::new(TasksMatch { threads: threads.to_vec(), tasks, conditions: self.conditions }))
    }

    fn restrict(&self, threads: &[Thread]) -> Option<Restriction> {
        let requests = Requests::new(threads);
        let shapes = self.shapes(threads, &requests).into_iter().flatten().collect();
        let (tasks, excluded) = response::excluded(threads, shapes, &requests, self.conditions)?;
        Some(Restriction { kind: LATE, excluded, why: Unreachable::ResponseTimes(tasks) })
    }
}

/// Threads some of which are tasks.
struct TasksMatch {
    threads: Vec<Thread>,
    tasks: Vec<Task>,
    conditions: Conditions,
}

impl Match for TasksMatch {
    fn coverage(&self) -> Coverage {
        Coverage { goal: Goal::Bad, threads: self.tasks.iter().map(|t| t.thread).collect() }
    }

    fn on_start(&mut self, out: &mut Vec<Lemma>) {
        lemmas::bad(&self.threads, self.conditions, out);
    }

    fn witness(&self, run: &ConcreteRun) -> Values {
        Values::from([(Constant::RunLength, run.events.len().into())])
    }
    fn candidates(&self, values: &Values) -> Vec<Vec<(Vec<EventId>, u64)>> {
        candidates::of_length(&self.threads, values)
    }
}
