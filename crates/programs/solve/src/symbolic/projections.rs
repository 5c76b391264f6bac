//! Proofs about few threads: projections onto more and more threads, until no bad location is reachable.
//!
//! For each thread with a bad location, the search begins with the projection onto this thread alone
//! ([`model::data::DataProjection`]). If a run of the projection reaches the bad location, a thread that does not
//! permit the run is kept, too. This ends with a proof, with a run that every thread by itself permits, or without an
//! answer. It never shows that a bad location is reachable.
//!
//! Source: the refinement of abstractions by spurious runs, E. Clarke et al. (CAV 2000), for sets of threads.

use crate::symbolic::{Symbolic, alone};
use model::data::{DataProgram, DataProjection, LocationKind};
use model::{Budget, Certificate, Claim, DataTask, Engine, Goal, Problem, Stats, ThreadId, Turn};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The search for projections that exclude bad locations.
#[derive(Debug)]
pub struct Projections {
    program: Arc<DataProgram>,
    /// The threads with a bad location and without a proof, the next one last.
    open: Vec<ThreadId>,
    kept: BTreeSet<ThreadId>,
    /// The search on the projection onto the kept threads.
    search: Option<Symbolic>,
    parts: Vec<DataProjection>,
    /// The counts of earlier searches.
    stats: Stats,
}

impl Projections {
    /// Creates the search. `None` if `bad` is not asked, or if no thread could be left out.
    #[must_use]
    pub fn new(task: &DataTask) -> Option<Self> {
        let program = Arc::clone(task.program());
        let has_bad = |thread: &model::data::DataThread| {
            thread.locations.iter().any(|location| location.kind == LocationKind::Bad)
        };
        let open: Vec<ThreadId> =
            (0..).map(ThreadId).zip(program.threads()).filter(|(_, t)| has_bad(t)).map(|(id, _)| id).collect();
        let is_useful = task.goals().contains(&Goal::Bad) && program.threads().len() > 1 && !open.is_empty();
        let kept = open.last().copied().into_iter().collect();
        is_useful.then(|| Self { program, open, kept, search: None, parts: Vec::new(), stats: Stats::default() })
    }

    /// The search on the present projection. `None` if all threads are kept.
    fn search(&mut self) -> Option<&mut Symbolic> {
        if self.search.is_none() {
            let target = *self.open.last()?;
            let kept: Vec<ThreadId> = self.kept.iter().copied().collect();
            let projected = self.program.projected(&kept, &[target]).ok().filter(|_| !self.keeps_all())?;
            let problem = Problem::of_data(Arc::new(projected), &[Goal::Bad]).ok()?;
            self.search = Some(Symbolic::new(DataTask::of(&problem)?));
        }
        self.search.as_mut()
    }

    fn keeps_all(&self) -> bool {
        self.kept.len() == self.program.threads().len()
    }

    /// Ends the search on the present projection.
    fn end_search(&mut self) {
        if let Some(search) = self.search.take() {
            let stats = search.stats();
            self.stats.states += stats.states;
            self.stats.transitions += stats.transitions;
            stats.more.into_iter().for_each(|(name, count)| *self.stats.more.entry(name).or_default() += count);
        }
    }

    /// Takes a claim about the projection. Returns true if the search goes on.
    fn learn(&mut self, claim: Claim) -> bool {
        self.end_search();
        match claim {
            Claim::Safe { certificate: Certificate::Data(invariant), .. } => {
                let Some(target) = self.open.pop() else { return false };
                let kept = std::mem::take(&mut self.kept).into_iter().collect();
                self.parts.push(DataProjection { kept, targets: vec![target], invariant: *invariant });
                self.kept.extend(self.open.last());
                true
            }
            Claim::Unsafe { trace, .. } => {
                let before = self.kept.len();
                self.kept.extend(alone::missing(&self.program, &trace));
                self.kept.len() > before
            }
            _ => false,
        }
    }
}

impl Engine for Projections {
    fn name(&self) -> &'static str {
        "symbolic"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        while !self.open.is_empty() {
            let Some(search) = self.search() else { break };
            match search.run(budget) {
                Turn::More => return Turn::More,
                Turn::Claims(claim) => {
                    if !self.learn(claim) {
                        break;
                    }
                }
                Turn::Done => break,
            }
            if !budget.spend(1) {
                return Turn::More;
            }
        }
        if !self.open.is_empty() || self.parts.is_empty() {
            self.open.clear();
            self.parts.clear();
            return Turn::Done;
        }
        let certificate = Certificate::DataProjections(std::mem::take(&mut self.parts));
        Turn::Claims(Claim::Safe { goals: vec![Goal::Bad], certificate })
    }

    fn refused(&mut self, _: Goal) {}

    fn settled(&mut self, goals: &[Goal]) {
        if goals.contains(&Goal::Bad) {
            self.open.clear();
            self.parts.clear();
        }
    }

    fn claims_shortest(&self, _: Goal) -> bool {
        false
    }

    fn stats(&self) -> Stats {
        let mut stats = self.stats.clone();
        if let Some(search) = &self.search {
            let current = search.stats();
            stats.states += current.states;
            stats.transitions += current.transitions;
        }
        stats
    }
}
