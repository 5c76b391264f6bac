//! Runs of the abstraction, unpacked: a word of events and the states of the kept threads.

use crate::thread_abstraction::threads::Threads;
use model::{EventId, LocalId, ThreadId, Trace};

/// A run of the abstraction that keeps `kept`, without events that move no kept thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct AbstractRun {
    pub(crate) kept: Vec<ThreadId>,
    pub(crate) word: Vec<EventId>,
    /// Local states of the kept threads: one row before the first event and one after each event.
    states: Vec<LocalId>,
}

impl AbstractRun {
    /// Unpacks `trace`. Its labels are indices of `events`. Returns `None` if the trace is too long for this
    /// machine.
    pub(crate) fn new(threads: &Threads, kept: &[ThreadId], events: &[EventId], trace: &Trace) -> Option<Self> {
        let length = usize::try_from(trace.len()?).ok()?;
        let mut run = Self { kept: kept.to_vec(), word: Vec::new(), states: Vec::new() };
        run.word.reserve_exact(length);
        run.states.reserve_exact(length.checked_add(1)?.checked_mul(kept.len())?);
        run.states.extend(trace.start.iter().map(|&s| LocalId(s)));
        for stretch in trace.runs() {
            for _ in 0..stretch.times {
                for step in &stretch.word {
                    let choice = step.choice.map(|id| trace.choice(id));
                    run.push(threads, events[step.event.index()], choice);
                }
            }
        }
        Some(run)
    }

    /// Bytes of the run of a trace with `length` events.
    pub(crate) fn bytes(length: usize, kept: usize) -> usize {
        length.saturating_add(1).saturating_mul(4 * (kept + 1))
    }

    fn push(&mut self, threads: &Threads, event: EventId, choice: Option<&[u32]>) {
        let from = self.states.len() - self.kept.len();
        for (k, &thread) in self.kept.iter().enumerate() {
            let to = match choice {
                Some(state) => LocalId(state[k]),
                None => {
                    let mut targets = threads.program.thread(thread).targets(self.states[from + k], event);
                    targets.next().expect("every event has a target")
                }
            };
            self.states.push(to);
        }
        self.word.push(event);
    }

    /// The state of the `k`-th kept thread after `position` events.
    pub(crate) fn state(&self, position: usize, k: usize) -> LocalId {
        self.states[position * self.kept.len() + k]
    }

    /// True if some kept thread requests the event at `position`.
    pub(crate) fn is_requested(&self, threads: &Threads, position: usize) -> bool {
        let event = self.word[position];
        let asks = |(k, &t): (usize, &ThreadId)| {
            threads.program.thread(t).state(self.state(position, k)).request.contains(event)
        };
        self.kept.iter().enumerate().any(asks)
    }
}
