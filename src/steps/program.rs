//! Runs of behavioral programs, state by state.

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
    /// In the initial state of `trace`.
    #[must_use]
    pub fn new(program: &'p Program, trace: &'p Trace) -> Self {
        Self { program, trace, movers: Movers::of(program), at: trace.start.to_vec() }
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The local state of each thread.
    #[must_use]
    pub fn at(&self) -> &[u32] {
        &self.at
    }

    /// Takes a step; returns the state before.
    pub fn take(&mut self, step: &Move) -> Vec<u32> {
        let before = self.at.clone();
        self.pass(step);
        before
    }

    /// Takes a step, at the cost of the threads that it concerns.
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

    /// Takes a repetition at once; returns the state before.
    pub fn repeat(&mut self, run: &Run) -> Vec<u32> {
        let before = self.at.clone();
        self.pass_all(run);
        before
    }

    /// Takes a repetition at once, at the cost of the threads that it concerns.
    ///
    /// Every thread goes through the word on its own (the events are known, and none has a choice), so the end comes from
    /// the cycle that its states run into, however often the word is repeated.
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

/// Where a thread is after `word`, `times` times over, from state `from`.
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
