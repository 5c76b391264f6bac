//! A check, from the problem to the answers.
//!
//! A round is one pass: questions are split into parts ([`composed`]), the plan and the kept engine make a list of
//! entrants, the entrants work in turns, their claims are checked, and the answers to parts are composed to answers to
//! the questions ([`decide`](mod@crate::decide)). One round is enough for most problems. Another one follows if the
//! range of a largest value is still open, or if shortest runs are wanted.

use crate::composed::{self, Composer, Ranges};
use crate::decide::decide;
use crate::entrant::Entrant;
use crate::kept::Kept;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::plan::plan;
use crate::turns::Turns;
use crate::{formulas, shortest};
use model::Problem;
use nets::Constants;
use std::sync::Arc;

/// Checks one problem within growing bounds, one after another. Each call has its own [`Options::bound`].
#[derive(Default)]
pub struct Bounds {
    kept: Kept,
}

impl Bounds {
    /// Checks the problem like [`check`](crate::check), and reuses what earlier calls learnt. Every call must
    /// pass the same problem, except that settled properties may be left out.
    pub fn check(&mut self, problem: &Problem, options: &Options<'_>) -> Outcome {
        if !composed::is_asked(problem) {
            let mut outcome = self.round(problem, options, String::new());
            if options.shortest {
                shortest::prove(problem, options, &mut outcome, |rest, how, stage| self.round(rest, how, stage));
            }
            return outcome;
        }
        let mut ranges = Ranges::default();
        let mut outcome = composed_round(problem, options, &mut ranges, String::new());
        for number in 1.. {
            let Some(rest) = ranges.next(problem).filter(|_| options.stop.raised().is_none()) else { break };
            outcome.replace(composed_round(&rest, options, &mut ranges, format!("round-{number}")).answers);
        }
        let told = composed::explain(&mut outcome.answers, &ranges, problem, options);
        if !told.is_empty() {
            // They were reported without this, when a round ended.
            (options.on_answers)(&told);
        }
        outcome
    }

    /// A round for goals that engines decide as a whole. Engines are saved under `stage`.
    fn round(&mut self, problem: &Problem, options: &Options<'_>, stage: String) -> Outcome {
        let kept = self.kept.entrants(problem, options);
        let is_alone = options.engine.is_some() && !kept.is_empty();
        let mut entrants = if is_alone { Vec::new() } else { plan(problem, options) };
        entrants.extend(kept);
        decide(problem, options, Turns::of(entrants).kept_by(options.checkpoint, stage), None)
    }
}

/// A round for questions that are composed. Thresholds of sums are in the ranges, which the round narrows.
fn composed_round(problem: &Problem, options: &Options<'_>, ranges: &mut Ranges, stage: String) -> Outcome {
    let constants = Arc::new(Constants::default());
    let mut composer = Composer::new(problem, &constants, ranges, options);
    let extended = composer.extended();
    let hopeless = composed::hopeless(problem, options);
    let mut entrants = formulas::plan(problem, options, &constants);
    entrants.extend((!hopeless.is_empty()).then(|| Entrant::unsupported(hopeless)));
    entrants.reverse();
    entrants.extend(plan(&extended, options));
    let turns = Turns::of(entrants).kept_by(options.checkpoint, stage);
    let outcome = decide(&extended, options, turns, Some(&mut composer));
    ranges.end(composer.ranges());
    outcome
}
