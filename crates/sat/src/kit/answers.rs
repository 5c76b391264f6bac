//! Runs the real solver with the theory on a sequence of random queries, and checks the answers by brute force.

use super::{Broken, Instance, Rule};
use crate::lit::{Lit, Var};
use crate::options::{Limits, Options};
use crate::query::SolveResult;
use crate::rng::Rng;
use crate::solver::Solver;
use crate::theory::{Ctx, DecidedBy, Tag, Theory};

/// Limit of final checks in a query. A small instance never needs more.
const FINAL_CHECKS: u64 = 10_000;
const QUESTIONS: usize = 8;

pub(super) fn run<T: Theory>(theory: T, instance: &Instance, round: u64) -> Result<(), Broken> {
    let mut rng = Rng(round);
    let chrono = [0, 1, 100, u32::MAX][rng.below(4)];
    let mut solver = Solver::new(Options { chrono, phase: rng.chance(2), ..Options::default() });
    for _ in 0..instance.vars {
        solver.new_var(DecidedBy::Host);
    }
    let mut patient = Patient { theory, left: FINAL_CHECKS };
    for _ in 0..QUESTIONS {
        let assumed: Vec<Lit> = (0..instance.vars).filter_map(|index| assume(&mut rng, Var::new(index))).collect();
        let answer = solver.solve_with(&mut patient, &assumed, &Limits::default());
        judge(&solver, answer, &assumed, instance)?;
    }
    Ok(())
}

fn assume(rng: &mut Rng, var: Var) -> Option<Lit> {
    match rng.below(4) {
        0 => Some(var.positive()),
        1 => Some(var.negative()),
        _ => None,
    }
}

fn judge(solver: &Solver, answer: SolveResult, assumed: &[Lit], instance: &Instance) -> Result<(), Broken> {
    let makes_true = |model: &[bool], lit: Lit| model[lit.var().index()] == lit.is_positive();
    match answer {
        SolveResult::Sat => {
            let value = |index| solver.value(Var::new(index).positive()) == Some(true);
            let found: Vec<bool> = (0..instance.vars).map(value).collect();
            if !instance.models.contains(&found) {
                return Err((Rule::VouchesForModels, format!("{found:?} is no model")));
            }
        }
        SolveResult::Unsat => {
            let core = solver.core();
            if let Some(model) = instance.models.iter().find(|model| core.iter().all(|&lit| makes_true(model, lit))) {
                return Err((
                    Rule::RefutesRightly,
                    format!("{core:?} of {assumed:?} refuted, but {model:?} is a model"),
                ));
            }
        }
        SolveResult::Unknown => {}
        SolveResult::Stopped => return Err((Rule::Ends, format!("{FINAL_CHECKS} final checks led nowhere"))),
    }
    Ok(())
}

/// Wraps a theory, and stops the search after a limited number of final checks. Otherwise the search could run
/// forever.
struct Patient<T> {
    theory: T,
    left: u64,
}

impl<T: Theory> Theory for Patient<T> {
    fn propagate(&mut self, new: &[Lit], ctx: &mut Ctx<'_>) {
        self.theory.propagate(new, ctx);
    }

    fn final_check(&mut self, ctx: &mut Ctx<'_>) {
        self.theory.final_check(ctx);
        self.left -= 1;
        if self.left == 0 {
            self.left = 1;
            ctx.stop();
        }
    }

    fn decide(&mut self, ctx: &Ctx<'_>) -> Option<Lit> {
        self.theory.decide(ctx)
    }

    fn explain(&mut self, lit: Lit, why: &mut Vec<Lit>) -> Tag {
        self.theory.explain(lit, why)
    }

    fn push_level(&mut self) {
        self.theory.push_level();
    }

    fn pop_levels(&mut self, n: usize) {
        self.theory.pop_levels(n);
    }

    fn undoes_by_level(&self) -> bool {
        self.theory.undoes_by_level()
    }
}
