//! Runs of a behavioral program with the move of each thread in each step, and their conversion from and to
//! traces.

use crate::running::{Change, Compiled, Local};
use model::{EventId, Trace};
use smallvec::SmallVec;

/// One step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stepped {
    /// The index of the event.
    pub event: u32,
    /// The changes of the threads that the event moves, and of threads that could have moved but stayed where
    /// they are.
    pub changes: SmallVec<[Change; 3]>,
}

/// A run with the moves of its threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script {
    /// The initial local state of each thread.
    pub start: Vec<Local>,
    /// The steps in order.
    pub steps: Vec<Stepped>,
}

impl Script {
    /// Converts `trace`. Returns `None` if it has more than `longest` events or is no trace of this program.
    /// The cost is linear in the trace and in the number of threads that its events may move.
    #[must_use]
    pub fn of_trace(rows: &Compiled, trace: &Trace, longest: u64) -> Option<Self> {
        trace.len().filter(|n| *n <= longest)?;
        if trace.start.len() != rows.threads() {
            return None;
        }
        let start: Vec<Local> = (0u32..).zip(&trace.start).map(|(t, s)| rows.first(t) + s).collect();
        let mut at = start.clone();
        let mut steps = Vec::new();
        for run in trace.runs() {
            for step in (0..run.times).flat_map(|_| &run.word) {
                let event = step.event.0;
                let mut changes = SmallVec::new();
                for &thread in rows.movers(event) {
                    let from = at[thread as usize];
                    let to = match (rows.targets(from, event), step.choice) {
                        ([], _) => continue,
                        (&[to], _) => to,
                        (several, choice) => {
                            let to = rows.first(thread) + trace.choice(choice?).get(thread as usize)?;
                            *several.iter().find(|t| **t == to)?
                        }
                    };
                    at[thread as usize] = to;
                    changes.push(Change { from, to });
                }
                steps.push(Stepped { event, changes });
            }
        }
        Some(Self { start, steps })
    }

    /// Returns true if the event has another successor in the state where this step begins.
    fn is_choice(rows: &Compiled, step: &Stepped) -> bool {
        step.changes.iter().any(|c| rows.targets(c.from, step.event).len() > 1)
    }

    /// Returns the number of bytes that the trace needs for its steps and recorded composite states.
    #[must_use]
    pub fn trace_bytes(&self, rows: &Compiled) -> usize {
        let choices = self.steps.iter().filter(|s| Self::is_choice(rows, s)).count();
        (choices * rows.threads() + 8 * self.steps.len()) * size_of::<u32>()
    }

    /// Converts the run to a trace. A state is recorded where the event has several successors.
    #[must_use]
    pub fn trace(&self, rows: &Compiled) -> Trace {
        let states = |at: &[Local]| (0u32..).zip(at).map(|(t, l)| l - rows.first(t)).collect::<Box<[u32]>>();
        let mut trace = Trace::new(states(&self.start));
        let mut at = self.start.clone();
        for step in &self.steps {
            step.changes.iter().for_each(|c| at[rows.thread(c.to) as usize] = c.to);
            trace.push(EventId(step.event), Self::is_choice(rows, step).then(|| states(&at)));
        }
        trace
    }
}
