//! Engines on abstractions: systems with more runs than the system as read.
//!
//! A proof about an abstraction is a proof about the system, so the checker accepts it as it is. A run need not be one
//! of the system. What happens then depends on the abstraction ([`OnRun`]).

use model::{Budget, Claim, Engine, Goal, ProgramTask, Save, Saved, Stats, Stop, Turn, Unrestored, Unsaved};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Returns the task about the program without priorities.
pub(crate) fn unranked(asked: &ProgramTask) -> ProgramTask {
    match asked.program().has_priorities() {
        true => asked.on(Arc::new(asked.program().as_ref().clone().with_priorities(Vec::new()))),
        false => asked.clone(),
    }
}

/// What a run of the abstraction leads to.
pub(crate) enum OnRun {
    /// It may be a run of the system: a program with priorities, without which steps are added. The run is a candidate:
    /// the checker replays it with priorities, and if it refuses the run, the engine has no more to say about the goal.
    /// (If the run was a candidate of the engine, it continues: the run need not be one of the abstraction.)
    Candidate {
        /// The goal of a run of the abstraction that was claimed last.
        claimed: Option<Goal>,
    },
    /// It shows that the abstraction is too coarse. All engines on the abstraction share this flag, and end.
    End(Arc<AtomicBool>),
}

/// An engine on an abstraction.
pub(crate) struct Abstracted<'a> {
    pub(crate) engine: Box<dyn Engine + 'a>,
    pub(crate) on_run: OnRun,
}

impl Engine for Abstracted<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if matches!(&self.on_run, OnRun::End(is_over) if is_over.load(Ordering::Relaxed)) {
            return Turn::Done;
        }
        match (self.engine.run(budget), &mut self.on_run) {
            (Turn::Claims(Claim::Unsafe { goal, trace, candidate }), OnRun::Candidate { claimed }) => {
                *claimed = (!candidate).then_some(goal);
                Turn::Claims(Claim::Unsafe { goal, trace, candidate: true })
            }
            (Turn::Claims(Claim::Unsafe { .. }), OnRun::End(is_over)) => {
                is_over.store(true, Ordering::Relaxed);
                Turn::Done
            }
            (turn, _) => turn,
        }
    }

    fn refused(&mut self, goal: Goal) {
        let claimed = if let OnRun::Candidate { claimed } = &mut self.on_run { claimed.take() } else { None };
        if claimed == Some(goal) {
            // The engine would find the same run again, so it drops the goal.
            self.engine.settled(&[goal]);
        } else {
            self.engine.refused(goal);
        }
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.engine.settled(goals);
    }

    fn save(&mut self, since: u64, to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        self.engine.save(since, to)
    }

    fn restore(&mut self, from: &mut dyn Saved, stop: &Stop) -> Result<Option<u64>, Unrestored> {
        self.engine.restore(from, stop)
    }

    fn stats(&self) -> Stats {
        self.engine.stats()
    }
}
