//! Checks of one problem by every engine, with and without slicing, with and without a bound, against brute
//! force.

use impasse::model::{Budget, Claim, Engine, Goal, MarkedTask, Problem, Reason, SystemModel, Trace, Turn};
use impasse::{Answer, Finding, Options, Row, check, engines};
use std::fmt;
use std::sync::Arc;
use testkit::marked::{self, Sample, Truth, replay, satisfies, truth};

/// Problems with more markings within the bound are skipped.
const MOST_STATES: usize = 4_000;
/// Number of additional tokens in a larger exploration. Answers that are claimed for every bound are also
/// compared with this exploration.
const FURTHER: u64 = 3;

/// Work units of a walk.
const WALK_WORK: u64 = 1_000;

/// A way to check within the sample's bound.
struct Way {
    name: &'static str,
    engine: Option<&'static Row>,
    slice: bool,
    batch: Option<usize>,
    explore_all: bool,
}

const WAYS: [Way; 6] = [
    Way { name: "explicit", engine: Some(&engines::EXPLICIT), slice: false, batch: None, explore_all: true },
    Way { name: "dpllt", engine: Some(&engines::DPLLT), slice: false, batch: None, explore_all: false },
    Way { name: "dpllt --batch 1", engine: Some(&engines::DPLLT), slice: false, batch: Some(1), explore_all: false },
    Way { name: "explicit, sliced", engine: Some(&engines::EXPLICIT), slice: true, batch: None, explore_all: false },
    Way { name: "dpllt, sliced", engine: Some(&engines::DPLLT), slice: true, batch: None, explore_all: false },
    Way { name: "auto", engine: None, slice: true, batch: None, explore_all: false },
];

/// Counters over many problems.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) problems: u64,
    pub(crate) skipped: u64,
    pub(crate) checks: u64,
    pub(crate) safe: u64,
    pub(crate) by_slicing: u64,
    pub(crate) violated: u64,
    pub(crate) deadlocks: u64,
    pub(crate) bounded: u64,
    pub(crate) overflows: u64,
    pub(crate) unsupported: u64,
    /// Problems with finitely many markings, which are also checked without a bound.
    pub(crate) finite: u64,
    /// Goals that random walks reached.
    pub(crate) walked: u64,
}

/// Checks the sample in every way.
///
/// # Errors
///
/// A description of the first wrong answer.
pub(crate) fn compare(sample: &Sample, turn: u64, tally: &mut Tally) -> Result<(), String> {
    let Some(truth) = truth(&sample.problem, sample.bound, MOST_STATES) else {
        tally.skipped += 1;
        return Ok(());
    };
    tally.problems += 1;
    tally.violated += truth.shortest.keys().filter(|g| **g != Goal::Deadlock).count() as u64;
    tally.deadlocks += u64::from(truth.shortest.contains_key(&Goal::Deadlock));
    let against = Against { sample, truth: &truth };
    for way in &WAYS {
        against.within_bound(way, tally).map_err(|e| format!("{}, bound {}: {e}", way.name, sample.bound))?;
    }
    against.walks(turn, tally).map_err(|e| format!("walk: {e}"))?;
    if !truth.cut {
        tally.finite += 1;
        for way in WAYS.iter().filter(|w| w.batch.is_none()) {
            against.without_bound(way, tally).map_err(|e| format!("{}, no bound: {e}", way.name))?;
        }
    }
    Ok(())
}

struct Against<'a> {
    sample: &'a Sample,
    truth: &'a Truth,
}

impl Against<'_> {
    fn within_bound(&self, way: &Way, tally: &mut Tally) -> Result<(), String> {
        for answer in self.answers(way, Some(self.sample.bound))? {
            let goal = answer.property.goal;
            let reachable = self.truth.shortest.contains_key(&goal);
            let found = said(&answer)?;
            tally.count(&answer, found);
            let right = match found {
                // With slicing, or with auxiliary steps for choices, fewer tokens are counted, so the run in
                // the net as read may exceed the bound.
                Said::Unsafe => reachable || way.slice || self.truth.cut && has_choices(&self.sample.problem),
                Said::Safe => !reachable && (!self.truth.cut || way.slice && !self.is_reached_beyond(goal)),
                // Slicing removes transitions that only consume tokens. Runs that stay within the bound only
                // because of these transitions are then lost.
                Said::Unknown(Reason::Bound) => self.truth.cut && (!reachable || way.slice),
                Said::Unknown(Reason::Overflow) => {
                    self.truth.cut && (!reachable || way.slice) && has_huge_numbers(&self.sample.problem)
                }
                Said::Unknown(Reason::Unsupported | Reason::Uncertified) => has_choices(&self.sample.problem),
                Said::Unknown(_) => false,
            };
            if !right {
                return Err(self.contradiction(goal, found));
            }
            self.evidence(&answer)?;
            self.counts(way, &answer)?;
        }
        Ok(())
    }

    /// For a problem with finitely many markings, every answer without a bound must be known.
    fn without_bound(&self, way: &Way, tally: &mut Tally) -> Result<(), String> {
        for answer in self.answers(way, None)? {
            let goal = answer.property.goal;
            let reachable = self.truth.shortest.contains_key(&goal);
            let found = said(&answer)?;
            tally.count(&answer, found);
            let right = match found {
                Said::Unsafe => reachable,
                Said::Safe => !reachable,
                Said::Unknown(Reason::Unsupported | Reason::Uncertified) => has_choices(&self.sample.problem),
                Said::Unknown(_) => false,
            };
            if !right {
                return Err(self.contradiction(goal, found));
            }
            self.evidence(&answer)?;
            self.counts(way, &answer)?;
        }
        Ok(())
    }

    /// Runs random walks, which never end on their own, for some time. Their results must be real runs.
    fn walks(&self, seed: u64, tally: &mut Tally) -> Result<(), String> {
        let problem = &self.sample.problem;
        let task = MarkedTask::of(problem).expect("a net");
        let slice = nets::reduce::Options { slice: seed.is_multiple_of(2), bound: None };
        let prepared = nets::reduce::prepare(&task, &slice);
        let engine = Box::new(nets::walk::Walk::new(prepared.task, seed));
        let mut engine = model::Mapped::new(engine, prepared.lift);
        let mut budget = Budget::new(WALK_WORK, Arc::default());
        loop {
            match engine.run(&mut budget) {
                Turn::Claims(Claim::Unsafe { goal, trace, .. }) => {
                    tally.walked += 1;
                    self.is_run_into(goal, &trace)?;
                    if !self.truth.cut && !self.truth.shortest.contains_key(&goal) {
                        return Err(self.contradiction(goal, Said::Unsafe));
                    }
                }
                Turn::Claims(Claim::Unknown { .. }) => {}
                Turn::Claims(claim) => return Err(format!("a walk claims {claim:?}")),
                Turn::More | Turn::Done => return Ok(()),
            }
        }
    }

    fn answers(&self, way: &Way, bound: Option<u64>) -> Result<Vec<Answer>, String> {
        let options = Options {
            engine: way.engine,
            batch: way.batch,
            slice: way.slice,
            explore_all: way.explore_all,
            bound,
            ..Options::default()
        };
        let outcome = check(&self.sample.problem, &options);
        if outcome.answers.len() != self.sample.problem.properties().len() {
            return Err("not one answer per property".to_owned());
        }
        Ok(outcome.answers)
    }

    fn contradiction(&self, goal: Goal, said: Said) -> String {
        let shortest = self.truth.shortest.get(&goal);
        format!("{goal}: said {said}; the truth: shortest run {shortest:?}, cut: {}", self.truth.cut)
    }

    /// True if the goal is reached with [`FURTHER`] more tokens.
    fn is_reached_beyond(&self, goal: Goal) -> bool {
        let further = truth(&self.sample.problem, self.sample.bound + FURTHER, MOST_STATES);
        further.is_some_and(|t| t.shortest.contains_key(&goal))
    }

    /// Replays traces by definition.
    fn evidence(&self, answer: &Answer) -> Result<(), String> {
        let Some(Claim::Unsafe { goal, trace, .. }) = answer.claim.as_deref().filter(|_| answer.is_unsafe()) else {
            return Ok(());
        };
        self.is_run_into(*goal, trace)
    }

    fn is_run_into(&self, goal: Goal, trace: &Trace) -> Result<(), String> {
        match replay(&self.sample.problem, trace) {
            Some(end) if satisfies(&self.sample.problem, goal, &end) => Ok(()),
            end => Err(format!("{goal}: the trace ends in {end:?}: {trace:?}")),
        }
    }

    /// Plain search must visit every marking within the bound once and find shortest runs. A search for one
    /// goal that does not reach the goal must visit the same markings.
    fn counts(&self, way: &Way, answer: &Answer) -> Result<(), String> {
        if way.slice || has_choices(&self.sample.problem) {
            return Ok(());
        }
        let counted = (answer.stats.states, answer.stats.transitions);
        let expected = (self.truth.states, self.truth.transitions);
        let goal = answer.property.goal;
        if way.engine == Some(&engines::EXPLICIT) {
            if counted != expected {
                return Err(format!("{goal}: counted {counted:?}, the truth is {expected:?}"));
            }
            let Finding::Settled(confirmed) = &answer.finding else { return Ok(()) };
            if let Some(shortest) = self.truth.shortest.get(&goal).filter(|s| **s != confirmed.length) {
                return Err(format!("{goal}: a run of {}, but {shortest} steps are enough", confirmed.length));
            }
        } else if answer.engine != "invariants" && !answer.is_unsafe() && counted != expected {
            return Err(format!("{goal}: searched in vain through {counted:?}, the truth is {expected:?}"));
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug)]
enum Said {
    Safe,
    Unsafe,
    Unknown(Reason),
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

fn said(answer: &Answer) -> Result<Said, String> {
    match &answer.finding {
        Finding::Settled(_) if answer.is_safe() => Ok(Said::Safe),
        Finding::Settled(_) => Ok(Said::Unsafe),
        Finding::Within(_) => Ok(Said::Unknown(Reason::Bound)),
        Finding::Unknown { reason, .. } => Ok(Said::Unknown(*reason)),
        Finding::Rejected { why } => Err(format!("{}: rejected: {why}", answer.property.id)),
    }
}

impl Tally {
    fn count(&mut self, answer: &Answer, said: Said) {
        self.checks += 1;
        match said {
            Said::Safe => {
                self.safe += 1;
                self.by_slicing += u64::from(answer.stats.states == 0);
            }
            Said::Unsafe => {}
            Said::Unknown(Reason::Bound) => self.bounded += 1,
            Said::Unknown(Reason::Overflow) => self.overflows += 1,
            Said::Unknown(_) => self.unsupported += 1,
        }
    }
}

/// True for thread-transition systems in which a passive thread has several targets. Engines encode these
/// choices with auxiliary steps, and not for every goal.
pub(crate) fn has_choices(problem: &Problem) -> bool {
    match problem.system() {
        SystemModel::Threads(system) => {
            system.transitions().iter().any(|t| t.passive.values().any(|targets| targets.len() > 1))
        }
        _ => false,
    }
}

fn has_huge_numbers(problem: &Problem) -> bool {
    marked::greatest_number(problem.system()) > i128::from(u16::MAX)
}

/// Returns the sample as text, so that it can become a test.
pub(crate) fn text(sample: &Sample) -> String {
    format!("{sample:?}")
}
