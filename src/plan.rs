//! Which engines a problem gets, and how much of the work each may do.

use crate::options::{EngineChoice, Options};
use crate::settled::Settled;
use crate::turns::Turns;
use dpllt::Dpllt;
use explore::Explore;
use model::{Claim, Engine, Problem, Reason};

/// With patterns in play, plain search gets six shares of seven: nobody pays more than a sixth for hoping.
const PLAIN_SHARE: u64 = 6;

/// Chooses engines for `problem`. `auto` is plain search alone unless a pattern has something to say; then the search with
/// lemmas goes first (a proof by lemmas alone costs next to nothing) and both take turns.
pub(crate) fn plan(problem: &Problem, options: &Options<'_>) -> Turns {
    let mut turns = Turns::default();
    match options.engine {
        EngineChoice::Explicit => turns.enter(explicit(problem, options), 1),
        EngineChoice::Dpllt => turns.enter(lemmas(problem, options), 1),
        EngineChoice::Walk => turns.enter(unsupported(problem), 1),
        EngineChoice::Auto => {
            // Only plain search can complete the space.
            if !options.explore_all && some_pattern_matches(problem, options) {
                turns.enter(lemmas(problem, options), 1);
            }
            turns.enter(explicit(problem, options), PLAIN_SHARE);
        }
    }
    turns
}

fn some_pattern_matches(problem: &Problem, options: &Options<'_>) -> bool {
    let threads = problem.program().threads();
    options.patterns.iter().any(|p| problem.goals().any(|goal| p.recognize(threads, goal).is_ok()))
}

fn explicit(problem: &Problem, options: &Options<'_>) -> Box<dyn Engine> {
    Box::new(Explore::new(problem, explore::Options { explore_all: options.explore_all }))
}

fn lemmas(problem: &Problem, options: &Options<'_>) -> Box<dyn Engine> {
    Box::new(Dpllt::new(problem, options.patterns, dpllt::Options { batch: options.batch }))
}

/// Random walks know no behavioral programs.
fn unsupported(problem: &Problem) -> Box<dyn Engine> {
    let claim = Claim::Unknown { goals: problem.goals().collect(), reason: Reason::Unsupported };
    Box::new(Settled::new(vec![claim]))
}
