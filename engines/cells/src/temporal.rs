//! Temporal formulas on cells: refine until every call has one way, then decide the formulas on the abstract states.
//!
//! Where plain exploration meets millions of values, a few hundred abstract states often spell the same words.

use crate::words::{Refined, Words};
use ltl::{Calls, LtlEngine};
use model::{Budget, Engine, Goal, InputId, Outcome, Problem, Stats, SystemModel, Trace, Turn};

/// Decides temporal formulas of reactive programs on exact cells.
pub struct CellsLtl {
    problem: Problem,
    jobs: usize,
    stage: Stage,
}

enum Stage {
    Refine(Box<Words>),
    Decide(Box<LtlEngine<Words>>),
    Done,
}

impl CellsLtl {
    /// Of the temporal goals of `problem`; `jobs` formulas are looked at at once.
    ///
    /// # Panics
    /// If the problem is not about a reactive program.
    #[must_use]
    pub fn new(problem: &Problem, jobs: usize) -> Self {
        let SystemModel::Reactive(program) = &problem.system else { panic!("formulas are about reactive programs") };
        let stage = Stage::Refine(Box::new(Words::new(program.clone())));
        Self { problem: problem.clone(), jobs, stage }
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
                    Refined::Exact => {
                        let (inputs, slots) = (words.program().inputs().to_vec(), words.slots());
                        let engine = LtlEngine::with(&self.problem, *words, inputs, slots, self.jobs);
                        self.stage = Stage::Decide(Box::new(engine));
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
        self.problem.properties.retain(|p| !goals.contains(&p.goal));
        if let Stage::Decide(engine) = &mut self.stage {
            engine.settled(goals);
        }
    }

    fn stats(&self) -> Stats {
        match &self.stage {
            Stage::Refine(words) => words.stats(),
            Stage::Decide(engine) => engine.stats(),
            Stage::Done => Stats::default(),
        }
    }
}

impl Calls for Words {
    fn slots(&self) -> usize {
        Words::slots(self).len()
    }

    fn inputs(&self) -> usize {
        self.program().inputs().len()
    }

    fn initial(&self) -> Vec<i32> {
        Words::initial(self)
    }

    fn step(&mut self, from: &[i32], input: InputId, to: &mut [i32]) -> Outcome {
        Words::step(self, from, input, to)
    }

    fn close(&mut self, trace: Trace) -> Option<Trace> {
        Words::close(self, &trace)
    }
}
