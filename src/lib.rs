//! Decides whether a concurrent system can get stuck or go wrong, says how sure it is, and hands over the evidence.
//!
//! The whole path from a problem to checked answers is [`check`]: engines make claims, the independent checker
//! (`certify`) confirms or rejects them, and only what it confirms is an answer.
//!
//! ```
//! use impasse::{Options, check, read_rwb};
//!
//! let problem = read_rwb("rwb 1  event a  thread T { state s { request a on a -> t } state t { block a } }").unwrap();
//! let outcome = check(&problem, &Options::default());
//! let deadlock = outcome.about(impasse::model::Goal::Deadlock).unwrap();
//! assert!(deadlock.is_unsafe());
//! ```

mod bounds;
mod facts;
mod later;
mod options;
mod outcome;
mod passing;
mod plan;
pub mod positions;
pub mod prove;
mod settled;
mod short;
pub mod steps;
#[cfg(test)]
mod tests;
mod turns;
pub mod walk;

pub use certify;
pub use formats;
pub use model;
pub use patterns;
pub use reduce;

pub use bounds::Bounds;
pub use options::{EngineChoice, Options};
pub use outcome::{Answer, Finding, Outcome};
pub use steps::{Change, Step, Steps, Value};

use certify::{Bounded, Refusal};
use model::{Claim, Goal, Problem, Reason, Turn};
use outcome::{By, Excuse, Ledger};
use passing::Passing;
use short::Short;
use std::rc::Rc;
use std::sync::Arc;
use turns::{RunnerId, Turns};

/// Decides every property of `problem`: engines in turns, each claim checked, until all is settled or work must stop.
#[must_use]
pub fn check(problem: &Problem, options: &Options<'_>) -> Outcome {
    Bounds::default().check(problem, options)
}

/// The loop of [`check`], whoever the engines are.
fn decide(problem: &Problem, options: &Options<'_>, mut turns: Turns<'_>) -> Outcome {
    let mut ledger = Ledger::new(problem, options.on_answers);
    let mut passing: Option<Option<Passing>> = None;
    let mut short = Short::new(problem);
    while options.explore_all || !ledger.is_complete() {
        if options.stop.raised().is_some() {
            break;
        }
        let Some(runner) = turns.next() else { break };
        (options.on_turn)(turns.name(runner));
        if let Turn::Claims(claim) = turns.run(runner, &options.stop) {
            let mut claims = vec![claim];
            if let (Claim::Unsafe { trace, .. }, false) = (&claims[0], options.explore_all) {
                let known = passing.get_or_insert_with(|| Passing::new(problem));
                let passed = known.as_ref().map(|p| p.passed(trace, |goal| ledger.is_open(goal)));
                let claim = |(goal, trace)| Claim::Unsafe { goal, trace, candidate: true };
                claims.extend(passed.into_iter().flatten().map(claim));
            }
            for claim in claims {
                judge(problem, options, &mut turns, runner, claim, &mut short, &mut ledger);
            }
            if !options.explore_all {
                turns.retire(|goals| ledger.has_settled(goals));
            }
        }
    }
    let none = || By { engine: "none", stats: model::Stats::default(), shortest: false };
    if let Some(counting) = turns.counting().filter(|_| options.explore_all) {
        ledger.update_stats(&by(&turns, counting));
    }
    let by = turns.busiest().map_or_else(none, |busiest| by(&turns, busiest));
    ledger.close(options.stop.raised().or(turns.ended_early()), &by)
}

/// Reads a behavioral program in its text form.
///
/// # Errors
/// What is wrong with the text, and where.
pub fn read_rwb(text: &str) -> Result<Problem, Box<formats::Error>> {
    let source = formats::Source { name: "program.rwb".to_owned(), bytes: text.as_bytes().to_vec() };
    formats::read(source, Some("rwb"), &formats::Limits::default()).map(|read| read.problem)
}

/// A candidate may be nonsense, so its replay gets less patience than a claim the engine vouches for: some seconds.
const CANDIDATE_STEPS: u64 = 200_000_000;

/// Has the claim checked and enters the result in the books.
fn judge(
    problem: &Problem,
    options: &Options<'_>,
    turns: &mut Turns<'_>,
    runner: RunnerId,
    claim: Claim,
    short: &mut Short<'_>,
    ledger: &mut Ledger<'_>,
) {
    let (goals, candidate) = match &claim {
        Claim::Safe { goals, .. } | Claim::Within { goals, .. } => (goals.clone(), false),
        Claim::Unsafe { goal, candidate, .. } => (vec![*goal], *candidate),
        Claim::Unknown { goals, reason } => {
            let excuse = Excuse { reason: *reason, detail: None, claim: None, by: by(turns, runner) };
            return ledger.excuse(goals, &excuse);
        }
    };
    if ledger.has_settled(&goals) {
        return; // another engine was faster
    }
    let steps = if candidate { options.check_steps.min(CANDIDATE_STEPS) } else { options.check_steps };
    let how = certify::Options { trust: options.trust.clone(), max_steps: steps, kernel_only: options.kernel_only };
    // The checker has the last word about a shorter run, too: what it does not accept is none.
    if let Some((shorter, is_shortest)) = short.shorter(&claim, options, turns, runner)
        && let Ok(confirmed) = certify::confirm(problem, &shorter, &how, &options.stop)
    {
        let by = By { shortest: is_shortest, ..by(turns, runner) };
        turns.settled(runner, &goals);
        return ledger.settle(&goals, &Finding::Settled(Arc::new(confirmed)), &by, Some(&Rc::new(shorter)));
    }
    let is_shortest = matches!(claim, Claim::Unsafe { goal, .. } if turns.claims_shortest(runner, goal));
    let mut claim = claim;
    prove::complete(problem, &mut claim, &how, &options.stop);
    let claim = Rc::new(claim);
    let checked = match &*claim {
        Claim::Within { .. } => certify::confirm_within(problem, &claim, &how, &options.stop)
            .and_then(|bounded| covers(bounded, options.bound))
            .map(|bounded| (bounded.goals().to_vec(), Finding::Within(Arc::new(bounded)))),
        _ => certify::confirm(problem, &claim, &how, &options.stop)
            .map(|confirmed| (confirmed.goals.clone(), Finding::Settled(Arc::new(confirmed)))),
    };
    let excuse = |detail| Excuse {
        reason: Reason::Uncertified,
        detail: Some(detail),
        claim: Some(Rc::clone(&claim)),
        by: by(turns, runner),
    };
    match checked {
        Ok((settled, finding)) => {
            if !options.explore_all {
                turns.settled(runner, &settled);
            }
            let by = By { shortest: is_shortest, ..by(turns, runner) };
            ledger.settle(&settled, &finding, &by, Some(&claim));
        }
        Err(_) if candidate => refuse(turns, runner, &goals),
        Err(Refusal::Assumption(_)) => refuse(turns, runner, &goals),
        Err(Refusal::Rejected(why)) => {
            ledger.settle(&goals, &Finding::Rejected { why }, &by(turns, runner), Some(&claim));
        }
        Err(Refusal::TooDear) => ledger.excuse(&goals, &excuse("the evidence is too dear to check".to_owned())),
        Err(Refusal::Unknown(what)) => ledger.excuse(&goals, &excuse(what)),
    }
}

/// A proof about fewer tokens than were asked about is no answer.
fn covers(bounded: Bounded, asked: Option<u64>) -> Result<Bounded, Refusal> {
    if asked.is_some_and(|bound| *bounded.most() < bound.into()) {
        return Err(Refusal::Rejected(format!("it is about at most {} tokens", bounded.most())));
    }
    Ok(bounded)
}

fn refuse(turns: &mut Turns<'_>, runner: RunnerId, goals: &[Goal]) {
    for goal in goals {
        turns.refused(runner, *goal);
    }
}

fn by(turns: &Turns<'_>, runner: RunnerId) -> By {
    By { engine: turns.name(runner), stats: turns.stats(runner), shortest: false }
}

/// The page for authors of patterns is a program: this compiles and runs it.
#[cfg(doctest)]
#[doc = include_str!("../docs/write_a_pattern.md")]
struct WriteAPattern;
