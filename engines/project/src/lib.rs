//! Search on few threads: the others are an environment that blocks nothing and requests whatever it may.
//!
//! If no goal state can be found there, there is none in the program (Kurshan 1994: localization). If there is one,
//! the run to it is tried on the threads that were dropped, one by one; what they object to tells whom to keep next
//! (Clarke et al. 2000), and if nobody objects it is a real violation. Nothing here sees more than the kept threads
//! together, and the others alone.

mod attempt;
mod hunt;
mod kept;
mod paths;
mod realise;
mod run;
mod simulate;
mod spurious;
mod stepper;
mod sure;
mod threads;

use hunt::{Found, Hunt};
use model::{Assumption, Budget, Claim, Engine, Goal, Program, ProgramTask, Reason, Stats, Turn};
use std::sync::Arc;
use threads::Threads;

/// Local states, with the events they mention, that are indexed in a unit of work.
const INDEXED_PER_UNIT: u64 = 4;

/// A hunt works for so many units, or for this fraction of what it has done before, until the next goal's has its turn.
const SLICE: u64 = 1 << 10;
const SLICE_FRACTION: u64 = 8;

/// The engine. Every goal has its own hunt.
#[derive(Debug)]
pub struct Project {
    program: Arc<Program>,
    assumptions: Vec<Assumption>,
    /// Made at the first turn.
    threads: Option<Arc<Threads>>,
    goals: Vec<Goal>,
    /// Of goals without a claim.
    hunts: Vec<Hunt>,
    /// Goals whose trace was refused.
    refused: Vec<Goal>,
    /// The counts of the hunts that are over.
    past: Stats,
    /// The counts to report: of the last hunt that ended, or that is on.
    last: hunt::Counts,
}

impl Project {
    /// A search for the goals of `task`.
    #[must_use]
    pub fn new(task: &ProgramTask) -> Self {
        Self {
            program: Arc::clone(task.program()),
            assumptions: task.assumptions().to_vec(),
            threads: None,
            goals: task.goals().to_vec(),
            hunts: Vec::new(),
            refused: Vec::new(),
            past: Stats::default(),
            last: hunt::Counts::default(),
        }
    }

    fn start(&mut self, budget: &mut Budget) {
        let threads = Arc::new(Threads::new(Arc::clone(&self.program)));
        let local = |s: &model::LocalState| (1 + s.request.size() + s.block.size() + s.on.len()) as u64;
        let size: u64 = self.program.threads().iter().flat_map(|t| &t.states).map(local).sum();
        budget.spend(size / INDEXED_PER_UNIT);
        self.hunts = self.goals.iter().map(|&goal| Hunt::new(&threads, goal)).collect();
        self.threads = Some(threads);
    }

    /// Lets the hunt that has worked least go on for a slice of `budget`.
    fn slice(&mut self, budget: &mut Budget) -> Option<(Goal, Found)> {
        let threads = self.threads.as_ref().expect("made before");
        let (index, _) = self.hunts.iter().enumerate().min_by_key(|(i, h)| (h.counts.spent, *i))?;
        let hunt = &mut self.hunts[index];
        let before = hunt.counts.spent;
        let slice = SLICE.max(before / SLICE_FRACTION).min(budget.work);
        let found = hunt.run(threads, slice, &budget.stop);
        budget.spend(hunt.counts.spent - before);
        self.last = hunt.counts;
        let goal = hunt.goal;
        if !matches!(found, Found::More) {
            let counts = self.hunts.remove(index).counts;
            self.past.transitions += counts.transitions;
        }
        Some((goal, found))
    }

    fn claim(&self, goal: Goal, found: Found) -> Option<Claim> {
        let unknown = |reason| Some(Claim::Unknown { goals: vec![goal], reason });
        match found {
            Found::More => None,
            Found::Safe(certificate) => Some(Claim::Safe { goals: vec![goal], certificate }),
            Found::Nothing(reason) => unknown(reason),
            Found::Unsafe(trace, last) => {
                let length = trace.len().unwrap_or(u64::MAX);
                if self.assumptions.iter().all(|a| a.holds(length, &last)) {
                    return Some(Claim::Unsafe { goal, trace, candidate: !self.assumptions.is_empty() });
                }
                // The same run would come again: projections know nothing of assumptions.
                unknown(Reason::GaveUp)
            }
        }
    }
}

impl Engine for Project {
    fn name(&self) -> &'static str {
        "project"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if self.threads.is_none() {
            self.start(budget);
        }
        loop {
            if !self.refused.is_empty() {
                let goals = std::mem::take(&mut self.refused);
                return Turn::Claims(Claim::Unknown { goals, reason: Reason::GaveUp });
            }
            if self.hunts.is_empty() {
                return Turn::Done;
            }
            if !budget.spend(0) {
                return Turn::More;
            }
            let Some((goal, found)) = self.slice(budget) else { return Turn::Done };
            budget.stop.report_states(self.last.projected + self.last.states);
            if let Some(claim) = self.claim(goal, found) {
                return Turn::Claims(claim);
            }
        }
    }

    fn refused(&mut self, goal: Goal) {
        // Its hunt is over: the same run would come again.
        self.refused.push(goal);
    }

    fn stats(&self) -> Stats {
        let more =
            [("projected", self.last.projected), ("kept", self.last.kept), ("refinements", self.last.refinements)];
        let running = self.hunts.iter().map(|h| h.counts.transitions).sum::<u64>();
        Stats {
            states: self.last.states,
            transitions: self.past.transitions + running,
            more: more.into_iter().collect(),
            ..Stats::default()
        }
    }
}

#[cfg(test)]
mod tests;
