//! Steps through runs of behavioral programs.

use crate::walk::Movers;
use model::{EventId, LocalId, Move, Program, Run, ThreadId, Trace};

/// Follows a run of a program that the checker has accepted.
#[derive(Clone, Debug)]
pub struct ProgramRun<'p> {
    program: &'p Program,
    trace: &'p Trace,
    movers: Movers,
    at: Vec<u32>,
}

impl<'p> ProgramRun<'p> {
    /// Creates a follower at the initial state of `trace`.
    #[must_use]
    pub fn new(program: &'p Program, trace: &'p Trace) -> Self {
        Self { program, trace, movers: Movers::of(program), at: trace.start.to_vec() }
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The current local state of each thread.
    #[must_use]
    pub fn at(&self) -> &[u32] {
        &self.at
    }

    /// Takes a step. Returns the state before it.
    pub fn take(&mut self, step: &Move) -> Vec<u32> {
        let before = self.at.clone();
        self.pass(step);
        before
    }

    /// Takes a step. The cost is proportional to the number of threads that the event may move.
    pub fn pass(&mut self, step: &Move) {
        if let Some(choice) = step.choice {
            self.at.copy_from_slice(self.trace.choice(choice));
            return;
        }
        for t in self.movers.on(step.event) {
            let s = &mut self.at[t.index()];
            *s = self.program.thread(t).targets(LocalId(*s), step.event).next().map_or(*s, |t| t.0);
        }
    }

    /// Takes all steps of a repetition. Returns the state before them.
    pub fn repeat(&mut self, run: &Run) -> Vec<u32> {
        let before = self.at.clone();
        self.pass_all(run);
        before
    }

    /// Takes all steps of a repetition. The cost does not depend on the number of repetitions, and only threads
    /// that the events may move contribute to it.
    ///
    /// Each thread can be handled on its own, since the events are known and no step has a choice. The final
    /// state of a thread follows from the cycle that its local states enter.
    pub fn pass_all(&mut self, run: &Run) {
        let word: Vec<EventId> = run.word.iter().map(|m| m.event).collect();
        let mut threads: Vec<ThreadId> = word.iter().flat_map(|&event| self.movers.on(event)).collect();
        threads.sort_unstable();
        threads.dedup();
        for t in threads {
            self.at[t.index()] = after_many(self.program, t, self.at[t.index()], &word, run.times);
        }
    }
}

/// Returns the local state of a thread after it starts in `from` and `word` is repeated `times` times.
fn after_many(program: &Program, thread: ThreadId, from: u32, word: &[EventId], times: u64) -> u32 {
    let thread = program.thread(thread);
    let once = |s: u32| word.iter().fold(s, |s, &e| thread.targets(LocalId(s), e).next().map_or(s, |t| t.0));
    let mut seen_at = vec![None; thread.states.len()];
    let mut path: Vec<u32> = Vec::new();
    let mut s = from;
    while (path.len() as u64) < times {
        if let Some(start) = seen_at[s as usize] {
            let cycle = &path[start..];
            let left = (times - start as u64) % cycle.len() as u64;
            return cycle[usize::try_from(left).unwrap_or(0)];
        }
        seen_at[s as usize] = Some(path.len());
        path.push(s);
        s = once(s);
    }
    s
}
