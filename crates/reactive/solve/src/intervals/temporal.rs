//! Temporal formulas on abstract states. The layout is refined until every call has one way; then the formulas
//! are decided on the abstract states. Before that, whenever the number of abstract states has more than
//! doubled, the engine checks which formulas already hold for all ways of the calls.
//!
//! Where plain exploration finds millions of values, a few hundred abstract states often have the same words.

use crate::intervals::calls::CellCalls;
use crate::intervals::words::{Refined, Words};
use model::{Budget, Claim, Engine, Goal, ReactiveTask, Stats, Turn};
use temporal::LtlEngine;

/// Decides temporal formulas of reactive programs by interval abstraction.
pub struct IntervalsLtl {
    task: ReactiveTask,
    jobs: usize,
    stage: Stage,
}

enum Stage {
    Refine(Box<Words>),
    /// Checks which formulas hold on the current abstract states. Refinement continues afterwards.
    Look(Box<LtlEngine<CellCalls>>, Box<Words>),
    Decide(Box<LtlEngine<CellCalls>>),
    Done,
}

impl IntervalsLtl {
    /// Makes the engine for the temporal goals of `task`. `jobs` formulas are checked at the same time.
    #[must_use]
    pub fn new(task: ReactiveTask, jobs: usize) -> Self {
        let stage = Stage::Refine(Box::new(Words::new(task.program().clone())));
        Self { task, jobs, stage }
    }
}

impl IntervalsLtl {
    /// Makes the engine that decides open goals on the last set of abstract states.
    fn engine(&self, words: &Words) -> Box<LtlEngine<CellCalls>> {
        let calls = words.calls();
        let holds = calls.holds();
        Box::new(LtlEngine::new(&self.task, calls, self.task.program().inputs().to_vec(), holds, self.jobs))
    }
}

impl Engine for IntervalsLtl {
    fn name(&self) -> &'static str {
        "intervals.ltl"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            match std::mem::replace(&mut self.stage, Stage::Done) {
                Stage::Refine(mut words) => match words.refine(budget) {
                    Refined::More => {
                        self.stage = Stage::Refine(words);
                        return Turn::More;
                    }
                    // The refinement does not reach one way for each call.
                    Refined::Failed => return Turn::Done,
                    Refined::Vague => self.stage = Stage::Look(self.engine(&words), words),
                    Refined::Exact => self.stage = Stage::Decide(self.engine(&words)),
                },
                Stage::Look(mut engine, words) => match engine.run(budget) {
                    // A finer abstraction may decide the formula.
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
