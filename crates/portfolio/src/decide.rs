//! The main loop of a check: engines take a turn each, their claims go to the checker, and the results of the
//! checker are entered in the ledger.

use crate::composed::{Composed, Composer};
use crate::options::Options;
use crate::outcome::{By, Excuse, Finding, Ledger, Outcome};
use crate::passing::Passing;
use crate::prove;
use crate::short::Short;
use crate::turns::{RunnerId, Turns};
use certify::{Bounded, Refusal};
use model::{Claim, Goal, Problem, Reason, Turn};
use std::sync::Arc;

/// Lets the engines work in turns until every property is settled, no engine has work left, or work must
/// stop.
///
/// With a composer, the problem has parts of questions after the properties that were asked for.
pub(crate) fn decide(
    problem: &Problem,
    options: &Options<'_>,
    turns: Turns<'_>,
    mut composer: Option<&mut Composer<'_>>,
) -> Outcome {
    let mut turns = turns.told_to(options.efforts);
    let mut ledger = Ledger::new(problem, options.on_answers);
    if let Some(composer) = &mut composer {
        ledger = ledger.with_parts(composer.asked());
        let composed = composer.begin(&checks(options, options.check_steps), &options.stop);
        enter_composed(composed, options, &mut turns, &mut ledger);
    }
    let mut passing: Option<Option<Passing>> = None;
    let mut short = Short::new(problem);
    settle_again(problem, options, &mut turns, &mut ledger);
    while options.explore_all || !ledger.is_complete() {
        if options.stop.raised().is_some() {
            break;
        }
        let round = turns.round(options.jobs);
        if round.is_empty() {
            break;
        }
        round.iter().for_each(|runner| (options.on_turn)(turns.name(*runner)));
        let ends = turns.run(&round, options.jobs, &options.stop);
        for (runner, end) in round.into_iter().zip(ends) {
            if let Turn::Claims(mut claim) = end {
                if let Some(composer) = &composer {
                    composer.complete(&mut claim);
                }
                // The parts of such a claim are about formulas that come after those that were asked for.
                let problem = match (&composer, &claim) {
                    (Some(composer), Claim::Branching { .. }) => composer.problem(),
                    _ => problem,
                };
                claimed(problem, options, &mut turns, (runner, claim), &mut passing, &mut short, &mut ledger);
                if let Some(composer) = &mut composer {
                    compose(composer, options, &mut turns, &mut ledger);
                }
            }
        }
        if options.stop.is_paused() {
            turns.save_all();
        }
    }
    if options.stop.raised().is_some() {
        turns.save_all();
    }
    let none = || By { engine: "none", stats: model::Stats::default(), shortest: false };
    if let Some(counting) = turns.counting().filter(|_| options.explore_all) {
        ledger.update_stats(&by(&turns, counting));
    }
    let by = turns.busiest().map_or_else(none, |busiest| by(&turns, busiest));
    ledger.close(options.stop.raised().or(turns.ended_early()), &by)
}

/// Passes what was settled to the composer, until nothing more follows.
fn compose(composer: &mut Composer<'_>, options: &Options<'_>, turns: &mut Turns<'_>, ledger: &mut Ledger<'_>) {
    let how = checks(options, options.check_steps);
    loop {
        let news = ledger.take_news();
        if news.is_empty() {
            return;
        }
        let composed = composer.learn(&news, &how, &options.stop);
        enter_composed(composed, options, turns, ledger);
    }
}

/// Enters composed answers into the ledger, and drops the parts that are not needed any more.
fn enter_composed(composed: Composed, options: &Options<'_>, turns: &mut Turns<'_>, ledger: &mut Ledger<'_>) {
    for (claim, confirmed) in composed.answers {
        let by = By { engine: COMPOSED, stats: model::Stats::default(), shortest: false };
        let goals = confirmed.goals.clone();
        if !options.explore_all {
            turns.settled(None, &goals);
        }
        ledger.settle(&goals, &Finding::Settled(Arc::new(confirmed)), &by, Some(&claim));
    }
    if !composed.idle.is_empty() && !options.explore_all {
        let finding = Finding::Unknown { reason: Reason::GaveUp, detail: None };
        let by = By { engine: COMPOSED, stats: model::Stats::default(), shortest: false };
        ledger.settle(&composed.idle, &finding, &by, None);
        turns.settled(None, &composed.idle);
        turns.retire(|goals| ledger.has_settled(goals));
    }
}

/// The name in reports for answers that follow from several others.
const COMPOSED: &str = "composed";

/// Judges a claim, and the goals that its run passes.
fn claimed(
    problem: &Problem,
    options: &Options<'_>,
    turns: &mut Turns<'_>,
    (runner, claim): (RunnerId, Claim),
    passing: &mut Option<Option<Passing>>,
    short: &mut Short<'_>,
    ledger: &mut Ledger<'_>,
) {
    let mut claims = vec![claim];
    if let (Claim::Unsafe { trace, .. }, false) = (&claims[0], options.explore_all) {
        let known = passing.get_or_insert_with(|| Passing::new(problem));
        let passed = known.as_ref().map(|p| p.passed(trace, |goal| ledger.is_open(goal)));
        let claim = |(goal, trace)| Claim::Unsafe { goal, trace, candidate: true };
        claims.extend(passed.into_iter().flatten().map(claim));
    }
    for claim in claims {
        judge(problem, options, turns, runner, claim, short, ledger);
    }
    if !options.explore_all {
        turns.retire(|goals| ledger.has_settled(goals));
    }
}

/// Settles goals by claims of an earlier process, if the checker still accepts them.
fn settle_again(problem: &Problem, options: &Options<'_>, turns: &mut Turns<'_>, ledger: &mut Ledger<'_>) {
    let how = checks(options, options.check_steps);
    for claim in options.checkpoint.map(|place| place.claims()).into_iter().flatten() {
        let Ok(confirmed) = certify::confirm(problem, &claim, &how, &options.stop) else { continue };
        if ledger.has_settled(&confirmed.goals) {
            continue;
        }
        if !options.explore_all {
            turns.settled(None, &confirmed.goals);
        }
        let by = By { engine: "saved", stats: model::Stats::default(), shortest: false };
        let goals = confirmed.goals.clone();
        ledger.settle(&goals, &Finding::Settled(Arc::new(confirmed)), &by, Some(&Arc::new(claim)));
    }
    if !options.explore_all {
        turns.retire(|goals| ledger.has_settled(goals));
    }
}

/// Returns the options of the checker, with a limit of its work.
fn checks(options: &Options<'_>, max_steps: u64) -> certify::Options {
    let (trust, storage) = (options.trust.clone(), options.storage.clone());
    certify::Options { trust, max_steps, kernel_only: options.kernel_only, storage }
}

/// Maximum work units for the replay of a candidate trace: some seconds. The limit is lower than for other
/// claims, because the engine does not know whether a candidate is a run.
const CANDIDATE_STEPS: u64 = 200_000_000;

/// Sends the claim to the checker, and enters the result in the ledger.
fn judge(
    problem: &Problem,
    options: &Options<'_>,
    turns: &mut Turns<'_>,
    runner: RunnerId,
    claim: Claim,
    short: &mut Short<'_>,
    ledger: &mut Ledger<'_>,
) {
    if let Claim::Unknown { goals, reason } = &claim {
        let excuse = Excuse { reason: *reason, detail: None, claim: None, by: by(turns, runner) };
        return ledger.excuse(goals, &excuse);
    }
    let goals = claim.goals().to_vec();
    let candidate = matches!(claim, Claim::Unsafe { candidate: true, .. });
    if ledger.has_settled(&goals) {
        return; // another engine settled them first
    }
    let steps = if candidate { options.check_steps.min(CANDIDATE_STEPS) } else { options.check_steps };
    let how = checks(options, steps);
    // A shorter run is checked like any other. If the checker refuses it, the claimed run is checked instead.
    // Runs to parts are not shown.
    if !ledger.are_parts(&goals)
        && let Some((shorter, is_shortest)) = short.shorter(&claim, options, turns, runner)
        && let Ok(confirmed) = certify::confirm(problem, &shorter, &how, &options.stop)
    {
        let by = By { shortest: is_shortest, ..by(turns, runner) };
        turns.settled(Some(runner), &goals);
        return ledger.settle(&goals, &Finding::Settled(Arc::new(confirmed)), &by, Some(&Arc::new(shorter)));
    }
    let is_shortest = matches!(claim, Claim::Unsafe { goal, .. } if turns.claims_shortest(runner, goal));
    let mut claim = claim;
    prove::complete(problem, &mut claim, &how, &options.stop);
    if let Claim::Unknown { goals, reason } = &claim {
        let excuse = Excuse { reason: *reason, detail: None, claim: None, by: by(turns, runner) };
        return ledger.excuse(goals, &excuse);
    }
    let claim = Arc::new(claim);
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
        claim: Some(Arc::clone(&claim)),
        by: by(turns, runner),
    };
    match checked {
        Ok((settled, finding)) => {
            if !options.explore_all {
                turns.settled(Some(runner), &settled);
            }
            let by = By { shortest: is_shortest, ..by(turns, runner) };
            ledger.settle(&settled, &finding, &by, Some(&claim));
        }
        Err(_) if candidate => refuse(turns, runner, &goals),
        Err(Refusal::Assumption(_)) => refuse(turns, runner, &goals),
        Err(Refusal::Rejected(why)) => {
            ledger.settle(&goals, &Finding::Rejected { why }, &by(turns, runner), Some(&claim));
        }
        Err(Refusal::ResourceLimit) => {
            ledger.excuse(&goals, &excuse("checking the evidence exceeds the limit of work or memory".to_owned()))
        }
        Err(Refusal::Unknown(what)) => ledger.excuse(&goals, &excuse(what)),
    }
}

/// Rejects a proof for a bound that is smaller than the bound of the check (`asked`).
fn covers(bounded: Bounded, asked: Option<u64>) -> Result<Bounded, Refusal> {
    if asked.is_some_and(|bound| *bounded.most() < bound.into()) {
        return Err(Refusal::Rejected(format!("it covers at most {} tokens only", bounded.most())));
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
