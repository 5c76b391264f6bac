//! Periodic tasks: threads that need a processor for some slots of every period, and block other threads until
//! they have received them.
//!
//! After Katz, Barrett, Harel 2015, section IV (periodic tasks). The states of a task form a matrix. Columns
//! count the steps since the release, and rows count the slots received. Every event moves the task one column
//! on; its own event also moves it one row on. Unlike the paper, this pattern does not assume schedulability
//! but proves it by response times. It removes the states that response times exclude from the threads before
//! other patterns see them ([`response`]).

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
use model::{
    Coverage, EventId, Goal, Lemma, LemmaKind, Match, Pattern, Restriction, Task, Thread, ThreadId, Unreachable,
    Values, WhyNot,
};
use shape::TaskThread;

/// States of a task that its response time excludes.
pub const LATE: LemmaKind = LemmaKind("tasks.late");

/// Limit on the number of threads times the number of events that may happen. Every event that may happen
/// concerns every task, so larger sets of tasks are not analysed.
const LOOKS: usize = 4_000_000;

/// The registered pattern.
pub const TASKS: Tasks = Tasks { conditions: Conditions::ALL };

/// The matcher of periodic tasks.
#[derive(Clone, Copy, Debug)]
pub struct Tasks {
    conditions: Conditions,
}

impl Tasks {
    /// Returns the pattern without one of its side conditions, which makes it unsound. It exists for tests,
    /// which must detect the missing condition.
    #[doc(hidden)]
    #[must_use]
    pub const fn without(condition: SideCondition) -> Self {
        Self { conditions: Conditions { omit: Some(condition) } }
    }

    /// Returns the shape of each thread. If there are too many threads, returns a single error for all of them.
    fn shapes(self, threads: &[Thread], requests: &Requests) -> Vec<Result<TaskThread, WhyNot>> {
        if threads.len().saturating_mul(requests.all().len()) > LOOKS {
            return vec![Err(WhyNot::new(None, "there are too many threads with too many events to look at"))];
        }
        let numbered = threads.iter().enumerate();
        numbered.map(|(i, t)| TaskThread::of(t, ThreadId::new(i), requests, self.conditions)).collect()
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
                // If its work equals its period, a thread always requests its event. Such a thread is not
                // counted as a task.
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

/// The threads, and the tasks among them.
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

    fn candidates(&self, values: &Values) -> Vec<Vec<(Vec<EventId>, u64)>> {
        candidates::of_length(&self.threads, values)
    }
}
