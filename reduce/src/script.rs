//! A run of a behavioral program with what each thread does in it, and the way from and to traces.

use crate::running::{Change, Compiled, Local};
use model::{EventId, Trace};
use smallvec::SmallVec;

/// One step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stepped {
    /// The event.
    pub event: u32,
    /// The threads that it moves, and those that stayed where they could have moved.
    pub changes: SmallVec<[Change; 3]>,
}

/// A run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script {
    /// By thread.
    pub start: Vec<Local>,
    /// In order.
    pub steps: Vec<Stepped>,
}

impl Script {
    /// What happens in `trace`; `None` if it has more than `longest` events, or is no trace of this program. Linear
    /// in the trace and the threads that its events may move.
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

    /// Does the event have another successor where this step begins?
    fn is_choice(rows: &Compiled, step: &Stepped) -> bool {
        step.changes.iter().any(|c| rows.targets(c.from, step.event).len() > 1)
    }

    /// Bytes of the composite states that the trace must record.
    #[must_use]
    pub fn trace_bytes(&self, rows: &Compiled) -> usize {
        let choices = self.steps.iter().filter(|s| Self::is_choice(rows, s)).count();
        (choices * rows.threads() + 8 * self.steps.len()) * size_of::<u32>()
    }

    /// As a trace: states are recorded where events have several successors.
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
