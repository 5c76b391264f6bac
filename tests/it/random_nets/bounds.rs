//! Checks of one problem within several bounds by bit-level IC3: by one run that keeps its lemmas, and by a
//! fresh run for each bound. Both are compared with brute force within that bound.

use crate::random_nets::compare::has_choices;
use impasse::model::{Certificate, Claim, Goal, NetInvariant, Problem, Reason, Stop};
use impasse::{Answer, Bounds, Finding, Options, Row, check, engines};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use testkit::marked::{Marking, Sample, Truth, reachable, replay, satisfies, truth};
use testkit::net::invariant_holds_within;

/// Problems with more markings within a bound are skipped.
const MOST_STATES: usize = 3_000;
/// Number of turns before an engine is stopped. The turns of a single engine become longer and longer; together
/// they take about half a second.
const TURNS: u32 = 10;
/// Number of additional tokens in a larger exploration. Answers that are claimed for every bound are also
/// compared with this exploration.
const FURTHER: u64 = 3;

const ENGINES: [(&str, Option<&'static Row>); 3] = [
    ("ic3.bits", Some(&engines::IC3_BITS)),
    ("ic3.bounded", Some(&engines::IC3_BOUNDED)),
    ("ic3.ttscov", Some(&engines::IC3_TTSCOV)),
];

/// Counters over many problems.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) problems: u64,
    pub(crate) skipped: u64,
    /// For each engine, the numbers of answers: safe; unsafe; proven for the bound, with checked evidence;
    /// unknown for another reason.
    pub(crate) answers: BTreeMap<&'static str, [u64; 4]>,
    /// Number of cases in which one run and a fresh run give different answers, neither of them wrong.
    pub(crate) apart: u64,
}

/// Checks the sample within the bounds from 1 to one more than its own.
///
/// # Errors
///
/// A description of the first wrong answer.
pub(crate) fn compare(sample: &Sample, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let last = sample.bound + 1;
    let truths: Option<Vec<Truth>> =
        (1..=last + FURTHER).map(|bound| truth(&sample.problem, bound, MOST_STATES)).collect();
    let Some(truths) = truths else {
        tally.skipped += 1;
        return Ok(());
    };
    tally.problems += 1;
    // Slicing removes transitions that only consume tokens. Runs that stay within the bound only because of
    // these transitions are then lost.
    let slice = seed.is_multiple_of(2);
    let (name, engine) = ENGINES[(seed / 2) as usize % ENGINES.len()];
    let mut open = sample.problem.clone();
    let mut kept = Bounds::default();
    for bound in 1..=last {
        if open.properties().is_empty() {
            break;
        }
        let asked = Asked { problem: &sample.problem, truths: &truths, bound, slice };
        let one_run = with_stop(engine, bound, slice, |options| kept.check(&open, options).answers);
        let fresh = with_stop(engine, bound, slice, |options| check(&open, options).answers);
        for (how, answers) in [("one run", &one_run), ("fresh", &fresh)] {
            for answer in answers {
                let kind =
                    asked.judge(answer).map_err(|e| format!("{name}, {how}, bound {bound}, slice {slice}: {e}"))?;
                tally.answers.entry(name).or_default()[kind] += 1;
            }
        }
        let kinds = |answers: &[Answer]| answers.iter().map(|a| (a.is_safe(), a.is_unsafe())).collect::<Vec<_>>();
        tally.apart += u64::from(kinds(&one_run) != kinds(&fresh));
        open = open.only(|p| one_run.iter().any(|a| a.property.id == p.id && !a.is_safe() && !a.is_unsafe()));
    }
    Ok(())
}

fn with_stop<T>(engine: Option<&'static Row>, bound: u64, slice: bool, ask: impl FnOnce(&Options<'_>) -> T) -> T {
    let (stop, turns) = (Arc::new(Stop::default()), AtomicU32::new(0));
    let count = |_: &'static str| {
        if turns.fetch_add(1, Ordering::Relaxed) >= TURNS {
            stop.raise(Reason::Timeout);
        }
    };
    let stop = Arc::clone(&stop);
    ask(&Options { engine, bound: Some(bound), slice, stop, on_turn: &count, ..Options::default() })
}

struct Asked<'a> {
    problem: &'a Problem,
    /// For the bounds from 1 on.
    truths: &'a [Truth],
    bound: u64,
    slice: bool,
}

impl Asked<'_> {
    /// Returns the kind of an answer if the answer can be right.
    fn judge(&self, answer: &Answer) -> Result<usize, String> {
        let goal = answer.property.goal;
        let reachable = |bound: u64| self.truths[bound as usize - 1].shortest.contains_key(&goal);
        let last = self.truths.len() as u64;
        let wrong = || {
            let from = (1..=last).find(|b| reachable(*b));
            Err(format!("{goal}: {:?}: {:?}; the truth: reachable from bound {from:?}", answer.finding, answer.claim))
        };
        match &answer.finding {
            Finding::Settled(_) if answer.is_unsafe() => {
                // With slicing, or with auxiliary steps for choices, fewer tokens are counted, so the run in
                // the net as read may exceed the bound.
                if !self.slice && !has_choices(self.problem) && !reachable(self.bound) {
                    return wrong();
                }
                self.is_run(goal, answer).map(|()| 1)
            }
            Finding::Settled(_) => {
                if reachable(last) {
                    return wrong();
                }
                self.holds(answer).map(|()| 0)
            }
            // A claim `Within` is about the system as read, even if a slice was searched.
            Finding::Within(_) if reachable(self.bound) => wrong(),
            Finding::Within(bounded) if *bounded.most() != self.bound.into() => {
                Err(format!("bound {}", bounded.most()))
            }
            Finding::Within(_) => self.holds(answer).map(|()| 2),
            Finding::Unknown { reason: Reason::Bound, .. } => Err(format!("{goal}: nothing checked: {answer:?}")),
            Finding::Unknown { .. } => Ok(3),
            Finding::Rejected { .. } => wrong(),
        }
    }

    fn is_run(&self, goal: Goal, answer: &Answer) -> Result<(), String> {
        let Some(Claim::Unsafe { trace, .. }) = answer.claim.as_deref() else { return Err("no run".to_owned()) };
        match replay(self.problem, trace) {
            Some(end) if satisfies(self.problem, goal, &end) => Ok(()),
            end => Err(format!("{goal}: the run ends in {end:?}: {trace:?}")),
        }
    }

    /// Invariants must hold in every marking within the largest bound, or within the bound of the claim.
    fn holds(&self, answer: &Answer) -> Result<(), String> {
        let (certificate, within) = match answer.claim.as_deref() {
            Some(Claim::Safe { certificate: Certificate::Invariant(certificate), .. }) => (certificate, None),
            Some(Claim::Within { within, invariant: certificate, .. }) => (certificate, Some(within)),
            _ => return Ok(()),
        };
        let bound = if within.is_some() { self.bound } else { self.truths.len() as u64 };
        let reached = reachable(self.problem, bound, MOST_STATES);
        let markings = reached.map(|r| r.markings).unwrap_or_default();
        let holds = |invariant: &NetInvariant, m: &Marking| invariant_holds_within(invariant, m, within);
        match certificate.invariants.iter().find(|invariant| !markings.iter().all(|m| holds(invariant, m))) {
            Some(invariant) => Err(format!("not true: {invariant:?}")),
            None => Ok(()),
        }
    }
}
