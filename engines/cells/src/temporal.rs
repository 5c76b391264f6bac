//! Temporal formulas on cells: refine until every call has one way, then decide the formulas on the abstract states.
//! On the way, whenever these have become many more, look which formulas hold already whichever ways calls take.
//!
//! Where plain exploration meets millions of values, a few hundred abstract states often spell the same words.

use crate::calls::CellCalls;
use crate::words::{Refined, Words};
use model::{Budget, Claim, Engine, Goal, ReactiveTask, Stats, Turn};
use temporal::LtlEngine;

/// Decides temporal formulas of reactive programs on exact cells.
pub struct CellsLtl {
    task: ReactiveTask,
    jobs: usize,
    stage: Stage,
}

enum Stage {
    Refine(Box<Words>),
    /// Which formulas hold on cells that are to be refined further.
    Look(Box<LtlEngine<CellCalls>>, Box<Words>),
    Decide(Box<LtlEngine<CellCalls>>),
    Done,
}

impl CellsLtl {
    /// Of the temporal goals of `task`; `jobs` formulas are looked at at once.
    #[must_use]
    pub fn new(task: ReactiveTask, jobs: usize) -> Self {
        let stage = Stage::Refine(Box::new(Words::new(task.program().clone())));
        Self { task, jobs, stage }
    }
}

impl CellsLtl {
    /// Decides what is open on the abstract states explored last.
    fn engine(&self, words: &Words) -> Box<LtlEngine<CellCalls>> {
        let calls = words.calls();
        let holds = calls.holds();
        Box::new(LtlEngine::with(&self.task, calls, self.task.program().inputs().to_vec(), holds, self.jobs))
    }
}

impl Engine for CellsLtl {
    fn name(&self) -> &'static str {
        "cells.ltl"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            match std::mem::replace(&mut self.stage, Stage::Done) {
                Stage::Refine(mut words) => match words.refine(budget) {
                    Refined::More => {
                        self.stage = Stage::Refine(words);
                        return Turn::More;
                    }
                    // Cells do not become exact.
                    Refined::Failed => return Turn::Done,
                    Refined::Vague => self.stage = Stage::Look(self.engine(&words), words),
                    Refined::Exact => self.stage = Stage::Decide(self.engine(&words)),
                },
                Stage::Look(mut engine, words) => match engine.run(budget) {
                    // Finer cells may know.
                    Turn::Claims(Claim::Unknown { .. }) => self.stage = Stage::Look(engine, words),
                    Turn::Done => self.stage = Stage::Refine(words),
                    turn => {
                        self.stage = Stage::Look(engine, words);
                        return turn;
                    }
                },
                Stage::Decide(mut engine) => {
                    let turn = engine.run(budget);
                    self.stage = Stage::Decide(engine);
                    return turn;
                }
                Stage::Done => return Turn::Done,
            }
        }
    }

    fn refused(&mut self, goal: Goal) {
        self.settled(&[goal]);
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.task.settled(goals);
        if let Stage::Decide(engine) | Stage::Look(engine, _) = &mut self.stage {
            engine.settled(goals);
        }
    }

    fn stats(&self) -> Stats {
        match &self.stage {
            Stage::Refine(words) => words.stats(),
            Stage::Look(engine, _) | Stage::Decide(engine) => engine.stats(),
            Stage::Done => Stats::default(),
        }
    }
}
