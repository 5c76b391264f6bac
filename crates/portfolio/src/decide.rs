//! The main loop of a round: engines take a turn each, their claims go to the checker, and the results of the
//! checker are entered in the ledger.

use crate::composed::{Composed, Composer};
use crate::options::Options;
use crate::outcome::{Finding, Inconclusive, Ledger, Origin, Outcome};
use crate::passing::PassedGoals;
use crate::prove;
use crate::short::RunShortener;
use crate::turns::{RunnerId, Turns};
use certify::{Bounded, Refusal};
use model::{Claim, Goal, Problem, Reason, Turn};
use std::sync::Arc;

/// The name in reports for answers that follow from several others.
const COMPOSED: &str = "composed";

/// Maximum work units for the replay of a candidate trace: some seconds. The limit is lower than for other
/// claims, because the engine does not know whether a candidate is a run.
const CANDIDATE_STEPS: u64 = 200_000_000;

/// Lets the engines work in turns until every property is settled, no engine has work left, or work must
/// stop.
///
/// With a composer, the problem has parts of questions after the properties that were asked for.
pub(crate) fn decide(
    problem: &Problem,
    options: &Options<'_>,
    turns: Turns<'_>,
    composer: Option<&mut Composer<'_>>,
) -> Outcome {
    let ledger = Ledger::new(problem, composer.as_ref().map(|composer| composer.asked()), options.on_answers);
    let (turns, short) = (turns.told_to(options.efforts), RunShortener::new(problem));
    Round { problem, options, turns, ledger, composer, passed: None, short }.run()
}

/// A round at work.
struct Round<'r, 'p> {
    problem: &'r Problem,
    options: &'r Options<'r>,
    turns: Turns<'r>,
    ledger: Ledger<'r>,
    composer: Option<&'r mut Composer<'p>>,
    /// The goals that runs may pass. `None` before the first run, and inside if there is no index of them.
    passed: Option<Option<PassedGoals>>,
    short: RunShortener<'r>,
}

impl Round<'_, '_> {
    fn run(mut self) -> Outcome {
        let (options, stop) = (self.options, &self.options.stop);
        if let Some(composer) = &mut self.composer {
            let composed = composer.begin();
            self.enter_composed(composed);
        }
        self.settle_again();
        while stop.raised().is_none() && (options.explore_all || !self.ledger.is_complete()) {
            let round = self.turns.round(options.jobs);
            if round.is_empty() {
                break;
            }
            round.iter().for_each(|runner| (options.on_turn)(self.turns.engine(*runner).name()));
            let ends = self.turns.run(&round, options.jobs, stop);
            for (runner, end) in round.into_iter().zip(ends) {
                if let Turn::Claims(claim) = end {
                    self.claimed(runner, claim);
                    self.compose();
                }
            }
            if stop.is_paused() {
                self.turns.save_all();
            }
        }
        if stop.raised().is_some() {
            self.turns.save_all();
        }
        self.close()
    }

    /// Makes the answers, also to what is still open.
    fn close(mut self) -> Outcome {
        if let Some(counting) = self.turns.counting().filter(|_| self.options.explore_all) {
            self.ledger.update_stats(&self.origin(counting));
        }
        let by = self.turns.busiest().map_or_else(|| Origin::of("none"), |busiest| self.origin(busiest));
        self.ledger.close(self.options.stop.raised().or(self.turns.ended_early()), &by)
    }

    /// Passes what was settled to the composer, until nothing more follows.
    fn compose(&mut self) {
        while let Some(composer) = &mut self.composer {
            let news = self.ledger.take_news();
            if news.is_empty() {
                return;
            }
            let composed = composer.learn(&news);
            self.enter_composed(composed);
        }
    }

    /// Enters composed answers into the ledger, and drops the parts that are not needed any more.
    fn enter_composed(&mut self, Composed { answers, idle }: Composed) {
        let by = Origin::of(COMPOSED);
        for (claim, confirmed) in answers {
            let goals = confirmed.goals.clone();
            self.enter(None, &goals, &Finding::Settled(Arc::new(confirmed)), &by, &claim);
        }
        if !idle.is_empty() && !self.options.explore_all {
            debug_assert!(self.ledger.are_parts(&idle), "a question is not given up because nothing else needs it");
            let finding = Finding::Unknown { reason: Reason::GaveUp, detail: None };
            self.ledger.settle(&idle, &finding, &by, None);
            self.turns.settled(None, &idle);
            self.retire();
        }
    }

    /// Enters an answer into the ledger. Engines stop to work for its goals, apart from the one that has settled them.
    fn enter(&mut self, runner: Option<RunnerId>, goals: &[Goal], finding: &Finding, by: &Origin, claim: &Arc<Claim>) {
        if !self.options.explore_all {
            self.turns.settled(runner, goals);
        }
        self.ledger.settle(goals, finding, by, Some(claim));
    }

    /// Retires the engines without an open goal.
    fn retire(&mut self) {
        if !self.options.explore_all {
            self.turns.retire(|goals| self.ledger.has_settled(goals));
        }
    }

    /// Settles goals by claims of an earlier process, if the checker still accepts them.
    fn settle_again(&mut self) {
        let how = self.options.checks(self.options.check_steps);
        for claim in self.options.checkpoint.map(|place| place.claims()).into_iter().flatten() {
            let Ok(confirmed) = certify::confirm(self.problem, &claim, &how, &self.options.stop) else { continue };
            if self.ledger.has_settled(&confirmed.goals) {
                continue;
            }
            let goals = confirmed.goals.clone();
            let finding = Finding::Settled(Arc::new(confirmed));
            self.enter(None, &goals, &finding, &Origin::of("saved"), &Arc::new(claim));
        }
        self.retire();
    }

    /// Judges a claim, and the goals that its run passes.
    fn claimed(&mut self, runner: RunnerId, mut claim: Claim) {
        if let Some(composer) = &self.composer {
            composer.complete(&mut claim);
        }
        let mut claims = vec![claim];
        if let (Claim::Unsafe { trace, .. }, false) = (&claims[0], self.options.explore_all) {
            let known = self.passed.get_or_insert_with(|| PassedGoals::new(self.problem));
            let passed = known.as_ref().map(|known| known.on(trace, |goal| self.ledger.is_open(goal)));
            let claim = |(goal, trace)| Claim::Unsafe { goal, trace, candidate: true };
            claims.extend(passed.into_iter().flatten().map(claim));
        }
        for claim in claims {
            self.judge(runner, claim);
        }
        self.retire();
    }

    /// Sends the claim to the checker, and enters the result in the ledger.
    fn judge(&mut self, runner: RunnerId, mut claim: Claim) {
        let goals = claim.goals().to_vec();
        if self.is_unknown(runner, &claim) || self.ledger.has_settled(&goals) {
            return; // another engine settled them first
        }
        if self.is_about_a_part(runner, &claim) {
            return;
        }
        let candidate = matches!(claim, Claim::Unsafe { candidate: true, .. });
        let steps = self.options.check_steps;
        let how = self.options.checks(if candidate { steps.min(CANDIDATE_STEPS) } else { steps });
        if self.is_settled_shorter(runner, &claim, &how) {
            return;
        }
        let shortest = matches!(claim, Claim::Unsafe { goal, .. } if self.turns.engine(runner).claims_shortest(goal));
        prove::complete(self.problem_of(&claim), &mut claim, &how, &self.options.stop);
        if self.is_unknown(runner, &claim) {
            return;
        }
        let claim = Arc::new(claim);
        match self.confirm(&claim, &how) {
            Ok((settled, finding)) => {
                debug_assert!(settled.iter().all(|goal| goals.contains(goal)), "{settled:?} of {goals:?}");
                self.enter(Some(runner), &settled, &finding, &Origin { shortest, ..self.origin(runner) }, &claim);
            }
            Err(_) if candidate => self.turns.refused(runner, &goals),
            Err(Refusal::Assumption(_)) => self.turns.refused(runner, &goals),
            Err(Refusal::Rejected(why)) => {
                self.ledger.settle(&goals, &Finding::Rejected { why }, &self.origin(runner), Some(&claim));
            }
            Err(Refusal::ResourceLimit) => {
                self.uncertified(
                    runner,
                    &claim,
                    "checking the evidence exceeds the limit of work or memory".to_owned(),
                );
            }
            Err(Refusal::Unknown(what)) => self.uncertified(runner, &claim, what),
        }
    }

    /// Records why an engine leaves goals open, if that is the claim.
    fn is_unknown(&mut self, runner: RunnerId, claim: &Claim) -> bool {
        let Claim::Unknown { goals, reason } = claim else { return false };
        let by = self.origin(runner);
        self.ledger.leave_open(goals, &Inconclusive { reason: *reason, detail: None, claim: None, by });
        true
    }

    /// Gives goals up that have no run in the part of the program that was explored, if it is not all of it.
    fn is_about_a_part(&mut self, runner: RunnerId, claim: &Claim) -> bool {
        let (Claim::Safe { goals, .. }, Some(unread)) = (claim, self.problem.system().unread()) else { return false };
        let detail = Some(format!("no violation in the part that was explored: {}", unread.why));
        let finding = Finding::Unknown { reason: Reason::Bound, detail };
        let by = self.origin(runner);
        self.ledger.settle(goals, &finding, &by, None);
        self.turns.settled(Some(runner), goals);
        true
    }

    /// Settles a goal by a shorter run, if there is one. It is checked like any other. If the checker refuses it, the
    /// claimed run is checked instead. Runs to parts are not shown.
    fn is_settled_shorter(&mut self, runner: RunnerId, claim: &Claim, how: &certify::Options) -> bool {
        let goals = claim.goals();
        if self.ledger.are_parts(goals) {
            return false;
        }
        let shorter = self.short.shorter(claim, self.options, &self.turns, runner);
        let Some((shorter, shortest)) = shorter else { return false };
        let confirmed = certify::confirm(self.problem, &shorter, how, &self.options.stop);
        let Ok(confirmed) = confirmed else { return false };
        let by = Origin { shortest, ..self.origin(runner) };
        self.enter(Some(runner), goals, &Finding::Settled(Arc::new(confirmed)), &by, &Arc::new(shorter));
        true
    }

    /// Has a claim checked.
    fn confirm(&self, claim: &Claim, how: &certify::Options) -> Result<(Vec<Goal>, Finding), Refusal> {
        let (problem, stop) = (self.problem_of(claim), &self.options.stop);
        if let Claim::Within { .. } = claim {
            let bounded = certify::confirm_within(problem, claim, how, stop)?;
            let bounded = covers(bounded, self.options.bound)?;
            return Ok((bounded.goals().to_vec(), Finding::Within(Arc::new(bounded))));
        }
        let confirmed = certify::confirm(problem, claim, how, stop)?;
        Ok((confirmed.goals.clone(), Finding::Settled(Arc::new(confirmed))))
    }

    /// Returns the problem that a claim is about. The parts of a claim about branching time are about formulas that
    /// come after those that were asked for.
    fn problem_of(&self, claim: &Claim) -> &Problem {
        match (&self.composer, claim) {
            (Some(composer), Claim::Branching { .. }) => composer.problem(),
            _ => self.problem,
        }
    }

    /// Records that the checker could not decide about the evidence of a claim.
    fn uncertified(&mut self, runner: RunnerId, claim: &Arc<Claim>, detail: String) {
        let (by, claimed) = (self.origin(runner), Some(Arc::clone(claim)));
        let is_whole = self.problem.system().unread().is_none();
        let reason = if is_whole { Reason::Uncertified } else { Reason::Bound };
        let why = Inconclusive { reason, detail: Some(detail), claim: claimed, by };
        self.ledger.leave_open(claim.goals(), &why);
    }

    fn origin(&self, runner: RunnerId) -> Origin {
        Origin { engine: self.turns.engine(runner).name(), stats: self.turns.engine(runner).stats(), shortest: false }
    }
}

/// Rejects a proof for a bound that is smaller than the bound of the check (`asked`).
fn covers(bounded: Bounded, asked: Option<u64>) -> Result<Bounded, Refusal> {
    if asked.is_some_and(|bound| *bounded.most() < bound.into()) {
        return Err(Refusal::Rejected(format!("the proof covers at most {} tokens", bounded.most())));
    }
    Ok(bounded)
}
