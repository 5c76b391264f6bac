//! Runs of behavioral programs: many short ones before few long ones, each with its own preference.
//!
//! A run stores one composite state and updates it with each step ([`crate::running`]), so the cost of a step
//! does not depend on the number of threads. Every second round of runs is a depth-first search: hashes of the
//! states of the run are stored, no state is entered twice, and the run steps back when all successors are
//! known (bitstate hashing as in SPIN; Holzmann 1998). The preferences are those of guided search. A preference
//! for few enabled events leads to deadlocks (Groce and Visser 2004). A preference for threads near their bad
//! states leads to bad states (Edelkamp, Lafuente and Leue 2001). Random priorities of events that rarely
//! change find violations that need few changes of the order of events (Burckhardt, Kothari, Musuvathi and
//! Nagarakatte 2010).

mod taste;
#[cfg(test)]
mod tests;

use crate::running::{Change, Compiled, Local, Running};
use crate::{Script, Stepped};
use model::{Assumption, Budget, Claim, Engine, Goal, Program, ProgramTask, Reason, Stats, Turn};
use search::luby::luby;
use search::rng::Rng;
use std::collections::HashSet;
use std::sync::Arc;
use taste::{Candidate, Guide, TASTES, Taste};

/// Reading this many row entries costs about as much as expanding a state.
const ENTRIES_PER_UNIT: u64 = 32;
/// Steps between two checks of the budget.
const STRIDE: u64 = 32;
/// Length of the shortest runs. Programs with many threads get longer ones.
const SHORTEST: u64 = 200;
/// Length of the longest runs. Programs with more than half as many threads get longer ones.
const LONGEST: u64 = 1 << 18;
/// Estimated memory in bytes for a local state of the program.
const BYTES_PER_LOCAL: usize = 256;

/// The engine of random and guided runs of a behavioral program.
pub struct ProgramWalk {
    program: Arc<Program>,
    assumptions: Vec<Assumption>,
    seed: u64,
    open: Vec<Goal>,
    /// Created in the first turn.
    search: Option<Box<Search>>,
    is_done: bool,
}

impl ProgramWalk {
    /// Makes the engine for the goals of `task`. Does no work before the first turn.
    #[must_use]
    pub fn new(task: &ProgramTask, seed: u64) -> Self {
        Self {
            program: Arc::clone(task.program()),
            assumptions: task.assumptions().to_vec(),
            seed,
            open: task.goals().to_vec(),
            search: None,
            is_done: false,
        }
    }
}

impl Engine for ProgramWalk {
    fn name(&self) -> &'static str {
        "walk"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if self.is_done || self.open.is_empty() {
            return Turn::Done;
        }
        let search = match &mut self.search {
            Some(search) => search,
            None => {
                let locals: usize = self.program.threads().iter().map(|t| t.states.len()).sum();
                if !budget.stop.may_allocate(locals.saturating_mul(BYTES_PER_LOCAL)) {
                    self.is_done = true;
                    return Turn::Claims(Claim::Unknown { goals: self.open.clone(), reason: Reason::Memory });
                }
                self.search.insert(Box::new(Search::new(&self.program, &self.assumptions, self.seed)))
            }
        };
        match search.run(&self.open, budget) {
            Pause::Hit(goal) => {
                let script = search.script();
                if !budget.stop.may_allocate(script.trace_bytes(&search.rows)) {
                    self.is_done = true;
                    return Turn::Claims(Claim::Unknown { goals: vec![goal], reason: Reason::Memory });
                }
                self.open.retain(|g| *g != goal);
                Turn::Claims(Claim::Unsafe { goal, trace: script.trace(&search.rows), candidate: false })
            }
            Pause::Turn => Turn::More,
            Pause::Stuck => {
                self.is_done = true;
                Turn::Done
            }
        }
    }

    /// Drops the goal. As far as this engine can tell, its run ends in the goal, so other runs would probably
    /// be refused too. If the program has only one run, the engine would find it again forever.
    fn refused(&mut self, goal: Goal) {
        self.open.retain(|open| *open != goal);
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.open.retain(|goal| !goals.contains(goal));
    }

    fn stats(&self) -> Stats {
        let Some(search) = &self.search else { return Stats::default() };
        let mut stats = Stats { transitions: search.steps, ..Stats::default() };
        stats.more.insert("walks", search.walks);
        stats
    }
}

/// The reason why a part of the search ended.
enum Pause {
    Hit(Goal),
    Turn,
    /// The only run of the program is the empty one.
    Stuck,
}

struct Search {
    rows: Arc<Compiled>,
    assumptions: Vec<Assumption>,
    running: Running,
    guide: Guide,
    rng: Rng,
    walk: Current,
    /// Counts runs, to select preferences and lengths.
    turn: u64,
    walks: u64,
    steps: u64,
}

/// The current run.
struct Current {
    taste: Taste,
    start: Vec<Local>,
    /// The events so far, each with the end of its changes in `changes`.
    events: Vec<(u32, usize)>,
    changes: Vec<Change>,
    /// Steps left, including steps back.
    left: u64,
    /// Hashes of the states entered, if the run may step back.
    seen: Option<HashSet<u64>>,
}

enum Progress {
    On,
    Hit(Goal),
    /// The run has ended: it has reached its length, or a dead end.
    Over,
}

impl Search {
    fn new(program: &Program, assumptions: &[Assumption], seed: u64) -> Self {
        let rows = Arc::new(Compiled::new(program));
        let start: Vec<Local> = (0..rows.threads()).map(|t| rows.initial(t as u32)[0]).collect();
        let walk = Current {
            taste: Taste::Uniform,
            start: start.clone(),
            events: Vec::new(),
            changes: Vec::new(),
            left: 0,
            seen: None,
        };
        Self {
            running: Running::new(&rows, &start),
            guide: Guide::new(&rows),
            assumptions: assumptions.to_vec(),
            rng: Rng(seed),
            rows,
            walk,
            turn: 0,
            walks: 0,
            steps: 0,
        }
    }

    fn run(&mut self, open: &[Goal], budget: &mut Budget) -> Pause {
        loop {
            let effort = self.running.effort;
            let mut step = Progress::On;
            let mut stepped = 0;
            while stepped < STRIDE && matches!(step, Progress::On) {
                step = self.step(open);
                stepped += 1;
            }
            match step {
                Progress::Hit(goal) => return Pause::Hit(goal),
                Progress::Over if self.walk.events.is_empty() && self.is_stuck() => return Pause::Stuck,
                Progress::Over => self.restart(open),
                Progress::On => {}
            }
            let units = stepped + (self.running.effort - effort) / ENTRIES_PER_UNIT;
            if !budget.spend(units) {
                return Pause::Turn;
            }
        }
    }

    /// True if no event is enabled in the only initial state.
    fn is_stuck(&self) -> bool {
        let threads = 0..self.rows.threads() as u32;
        self.running.goal().is_some() && threads.into_iter().all(|t| self.rows.initial(t).len() == 1)
    }

    fn step(&mut self, open: &[Goal]) -> Progress {
        let ended = match self.running.goal() {
            Some(goal) if open.contains(&goal) && self.is_assumed() => return Progress::Hit(goal),
            Some(_) => true,
            None => false,
        };
        if self.walk.left == 0 {
            return Progress::Over;
        }
        self.walk.left -= 1;
        self.steps += 1;
        if !ended {
            let seen = self.walk.seen.as_ref();
            let picked = self.guide.pick(self.walk.taste, &mut self.running, &self.rows, seen, open, &mut self.rng);
            if let Some(Candidate { event, changes, hash, .. }) = picked {
                self.running.apply(&changes);
                self.walk.changes.extend_from_slice(&changes);
                self.walk.events.push((event, self.walk.changes.len()));
                if let Some(seen) = &mut self.walk.seen {
                    seen.insert(hash);
                }
                return Progress::On;
            }
        }
        if self.walk.seen.is_some() && self.back() { Progress::On } else { Progress::Over }
    }

    /// Undoes the last step. Returns false if the run has no steps.
    fn back(&mut self) -> bool {
        if self.walk.events.pop().is_none() {
            return false;
        }
        let start = self.walk.events.last().map_or(0, |(_, end)| *end);
        self.running.undo(&self.walk.changes[start..]);
        self.walk.changes.truncate(start);
        true
    }

    fn is_assumed(&self) -> bool {
        if self.assumptions.is_empty() {
            return true;
        }
        let last: Vec<u32> = (0u32..).zip(self.running.at()).map(|(t, local)| local - self.rows.first(t)).collect();
        self.assumptions.iter().all(|a| a.holds(self.walk.events.len() as u64, &last))
    }

    /// Starts the next run.
    fn restart(&mut self, open: &[Goal]) {
        let suits = |taste: Taste| !taste.is_for_bad() || open.contains(&Goal::Bad) && self.guide.has_hope();
        let taste_of = |turn: u64| TASTES[(turn % TASTES.len() as u64) as usize];
        while !suits(taste_of(self.turn)) {
            self.turn += 1;
        }
        let (taste, round) = (taste_of(self.turn), self.turn / TASTES.len() as u64);
        self.turn += 1;
        let threads = self.rows.threads() as u64;
        let unit = SHORTEST.max(threads + threads / 2);
        let length = unit.saturating_mul(luby(round / 2)).min(LONGEST.max(2 * threads));
        self.begin(taste, taste != Taste::Uniform && round.is_multiple_of(2), length);
    }

    fn begin(&mut self, taste: Taste, goes_back: bool, length: u64) {
        let (rows, rng) = (&self.rows, &mut self.rng);
        let start = |t: u32| match rows.initial(t) {
            &[only] => only,
            several => several[rng.below(several.len())],
        };
        let start: Vec<Local> = (0..rows.threads() as u32).map(start).collect();
        self.running.restart(&start);
        let seen = goes_back.then(|| HashSet::from([self.running.hash()]));
        self.walk = Current { taste, start, events: Vec::new(), changes: Vec::new(), left: length, seen };
        self.guide.begin(&mut self.rng);
        self.walks += 1;
    }

    /// The run so far.
    fn script(&self) -> Script {
        let mut start = 0;
        let steps = self.walk.events.iter().map(|&(event, end)| {
            let changes = &self.walk.changes[std::mem::replace(&mut start, end)..end];
            Stepped { event, changes: changes.iter().copied().collect() }
        });
        let steps = steps.collect();
        Script { start: self.walk.start.clone(), steps }
    }
}
