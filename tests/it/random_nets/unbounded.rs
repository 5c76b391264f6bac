//! Checks of one problem without a bound by every engine for nets, each alone and for a fixed amount of work.
//! Every claim must pass the checker and agree with brute force. Goals without a claim are counted.

use crate::random_nets::evidence;
use certify::Refusal;
use impasse::model::{Budget, Certificate, Claim, Engine, Goal, MarkedTask, NetTask, Problem, Reason, Stop, Turn};
use impasse::{Finding, Options, Row, check, engines};
use nets::invariants::Invariants;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use testkit::marked::{Reached, Sample, reachable, replay, satisfies};
use testkit::net::{Covering, covering, invariant_holds};

/// Limit on the markings that brute force explores.
const MOST_STATES: usize = 200;
/// Work units of each engine.
const WORK: u64 = 400;
/// Turns of all engines together.
const TURNS: u32 = 12;
/// Mutants of each certificate.
const MUTANTS: usize = 4;
/// Engines that run alone.
const ALONE: [&str; 7] = ["ic3", "equation", "cover.greedy", "cover.astar", "cover.backward", "walk", "explicit"];

/// Counters of one engine over many problems.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Score {
    pub(crate) safe: u64,
    pub(crate) violated: u64,
    /// Goals without an answer.
    pub(crate) open: u64,
    /// Claims with evidence that the checker does not support or that exceeds its limits.
    pub(crate) unchecked: u64,
}

/// Counters over many problems.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) problems: u64,
    pub(crate) skipped: u64,
    pub(crate) goals: u64,
    /// Goals of monotone nets that textbook backward search decided.
    pub(crate) oracle: u64,
    pub(crate) scores: BTreeMap<&'static str, Score>,
    /// For each kind of mutation: accepted mutants, and refused ones.
    pub(crate) mutants: BTreeMap<&'static str, [u64; 2]>,
}

/// Runs all engines on the sample.
///
/// # Errors
///
/// A description of the first wrong claim.
pub(crate) fn compare(sample: &Sample, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let Some(truth) = Truth::new(sample, seed, tally)? else { return Ok(()) };
    truth.alone(tally)?;
    truth.all_checked(&[("pairs", Some(&engines::CONCURRENCY)), ("auto", None)], tally)
}

/// Like [`compare`], with bit-level IC3 alone.
///
/// # Errors
///
/// A description of the first wrong claim.
pub(crate) fn bits(sample: &Sample, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let Some(truth) = Truth::new(sample, seed, tally)? else { return Ok(()) };
    truth.all_checked(&[("ic3.bits", Some(&engines::IC3_BITS))], tally)
}

struct Truth<'a> {
    problem: &'a Problem,
    seed: u64,
    reached: Reached,
    /// The answers of backward search.
    covering: BTreeMap<Goal, bool>,
}

impl<'a> Truth<'a> {
    /// Computes the results of brute force. `None` if there are too many markings.
    fn new(sample: &'a Sample, seed: u64, tally: &mut Tally) -> Result<Option<Self>, String> {
        let problem = &sample.problem;
        let bounds = [sample.bound + 4, sample.bound + 1, 1];
        let Some(reached) = bounds.iter().find_map(|&bound| reachable(problem, bound, MOST_STATES)) else {
            tally.skipped += 1;
            return Ok(None);
        };
        tally.problems += 1;
        tally.goals += problem.properties().len() as u64;
        let mut truth = Self { problem, seed, reached, covering: BTreeMap::new() };
        truth.ask_backwards(tally)?;
        Ok(Some(truth))
    }

    fn all_checked(&self, ways: &[(&'static str, Option<&'static Row>)], tally: &mut Tally) -> Result<(), String> {
        ways.iter()
            .try_for_each(|&(name, engine)| self.checked(name, engine, tally).map_err(|e| format!("{name}: {e}")))
    }

    fn ask_backwards(&mut self, tally: &mut Tally) -> Result<(), String> {
        for goal in self.problem.goals().collect::<BTreeSet<_>>() {
            let answer = match covering(self.problem, goal) {
                Covering::Reachable => true,
                Covering::Unreachable => false,
                Covering::Unknown => continue,
            };
            tally.oracle += 1;
            self.covering.insert(goal, answer);
            if !answer && self.is_seen(goal) || answer && !self.reached.cut && !self.is_seen(goal) {
                return Err(format!("{goal}: two ways of brute force disagree, backwards says {answer}"));
            }
        }
        Ok(())
    }

    fn is_seen(&self, goal: Goal) -> bool {
        self.reached.markings.iter().any(|m| satisfies(self.problem, goal, m))
    }

    fn may_be_safe(&self, goal: Goal) -> bool {
        self.covering.get(&goal) != Some(&true) && !self.is_seen(goal)
    }

    /// Runs engines directly, after the same reductions as in the tool.
    fn alone(&self, tally: &mut Tally) -> Result<(), String> {
        let task = MarkedTask::of(self.problem).expect("a net");
        let options = nets::reduce::Options { slice: self.seed % 4 != 3, bound: None };
        let prepared = nets::reduce::prepare(&task, &options);
        for claim in &prepared.settled {
            self.judge("slicing", claim, &mut BTreeSet::new(), tally)?;
        }
        let invariants = Invariants::new(&prepared.task).map(Arc::new);
        for name in ALONE {
            let Some(engine) = engine(name, &prepared.task, invariants.as_ref(), self.seed) else { continue };
            let lift: Arc<dyn model::Lift> = Arc::<nets::reduce::TaskLift>::clone(&prepared.lift);
            let mut open: BTreeSet<Goal> = prepared.task.goals.iter().copied().collect();
            self.work(name, &mut model::Mapped::new(engine, lift), &mut open, tally)
                .map_err(|e| format!("{name}: {e}"))?;
            tally.scores.entry(name).or_default().open += open.len() as u64;
        }
        Ok(())
    }

    /// Runs an engine until it is done or has used its budget.
    fn work(
        &self,
        name: &'static str,
        engine: &mut dyn Engine,
        open: &mut BTreeSet<Goal>,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let mut budget = Budget::new(WORK, Arc::default());
        while !open.is_empty() {
            match engine.run(&mut budget) {
                Turn::Claims(claim) => self.judge(name, &claim, open, tally)?,
                Turn::More | Turn::Done => break,
            }
        }
        Ok(())
    }

    /// The claim must pass the checker and must not contradict brute force.
    fn judge(
        &self,
        name: &'static str,
        claim: &Claim,
        open: &mut BTreeSet<Goal>,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let score = tally.scores.entry(name).or_default();
        let (goals, candidate) = match claim {
            Claim::Unknown { goals, reason: Reason::Uncertified } => {
                return Err(format!("{goals:?}: the evidence got lost on the lift"));
            }
            Claim::Safe { goals, .. } => (goals.clone(), false),
            Claim::Unsafe { goal, candidate, .. } => (vec![*goal], *candidate),
            _ => return Ok(()),
        };
        match certify::confirm(self.problem, claim, &certify::Options::default(), &Stop::default()) {
            Ok(_) => {}
            Err(Refusal::Rejected(why)) if !candidate => return Err(format!("rejected: {why}: {claim:?}")),
            Err(Refusal::Rejected(_)) => return Ok(()),
            Err(Refusal::ResourceLimit | Refusal::Unknown(_) | Refusal::Assumption(_)) => {
                score.unchecked += 1;
                return Ok(());
            }
        }
        for goal in &goals {
            open.remove(goal);
        }
        match claim {
            Claim::Unsafe { goal, trace, .. } => {
                score.violated += 1;
                match replay(self.problem, trace) {
                    Some(end) if satisfies(self.problem, *goal, &end) => Ok(()),
                    end => Err(format!("{goal}: the trace ends in {end:?}: {trace:?}")),
                }
            }
            Claim::Safe { goals, certificate } => {
                score.safe += goals.len() as u64;
                self.is_safe(goals, certificate)?;
                self.mutate(goals, certificate, tally)
            }
            _ => Ok(()),
        }
    }

    fn is_safe(&self, goals: &[Goal], certificate: &Certificate) -> Result<(), String> {
        if let Some(goal) = goals.iter().find(|g| !self.may_be_safe(**g)) {
            return Err(format!("{goal} is reachable, it is said to be safe by {certificate:?}"));
        }
        let Certificate::Invariant(invariant) = certificate else { return Ok(()) };
        match invariant.invariants.iter().find(|fact| !self.reached.markings.iter().all(|m| invariant_holds(fact, m))) {
            Some(fact) => Err(format!("accepted, but not true: {fact:?} of {invariant:?}")),
            None => Ok(()),
        }
    }

    /// A mutant of a certificate must be true or be rejected.
    fn mutate(&self, goals: &[Goal], certificate: &Certificate, tally: &mut Tally) -> Result<(), String> {
        let Certificate::Invariant(invariant) = certificate else { return Ok(()) };
        for (what, mutant) in evidence::mutants(invariant, self.seed, MUTANTS) {
            let goals: Vec<Goal> =
                goals.iter().copied().filter(|g| mutant.exclusions.iter().any(|(h, _)| h == g)).collect();
            let claim = Claim::Safe { goals: goals.clone(), certificate: Certificate::Invariant(Box::new(mutant)) };
            let confirmed = certify::confirm(self.problem, &claim, &certify::Options::default(), &Stop::default());
            let counts = tally.mutants.entry(what).or_default();
            counts[usize::from(confirmed.is_err())] += 1;
            if confirmed.is_ok() {
                let Claim::Safe { certificate, .. } = &claim else { continue };
                self.is_safe(&goals, certificate).map_err(|e| format!("mutant ({what}): {e}"))?;
            }
        }
        Ok(())
    }

    /// Runs the complete check, with a stop after some turns.
    fn checked(&self, name: &'static str, engine: Option<&'static Row>, tally: &mut Tally) -> Result<(), String> {
        let stop = Arc::new(Stop::default());
        let turns = AtomicU32::new(0);
        let count = |_: &'static str| {
            if turns.fetch_add(1, Ordering::Relaxed) >= TURNS {
                stop.raise(Reason::Timeout);
            }
        };
        let options =
            Options { engine, stop: Arc::clone(&stop), on_turn: &count, seed: self.seed, ..Options::default() };
        let outcome = check(self.problem, &options);
        for answer in &outcome.answers {
            let goal = answer.property.goal;
            let score = tally.scores.entry(name).or_default();
            match &answer.finding {
                Finding::Settled(_) if answer.is_safe() => {
                    score.safe += 1;
                    let Some(Claim::Safe { goals, certificate }) = answer.claim.as_deref() else {
                        return Err(format!("{goal} is said to be safe without evidence"));
                    };
                    self.is_safe(goals, certificate)?;
                    self.mutate(goals, certificate, tally)?;
                }
                Finding::Settled(_) => {
                    score.violated += 1;
                    if self.covering.get(&goal) == Some(&false) || !self.reached.cut && !self.is_seen(goal) {
                        return Err(format!("{goal} is not reachable, but {:?}", answer.claim));
                    }
                }
                Finding::Within(_) | Finding::Unknown { .. } => score.open += 1,
                Finding::Rejected { why } => return Err(format!("{goal}: rejected: {why}: {:?}", answer.claim)),
            }
        }
        Ok(())
    }
}

/// Creates an engine. `None` if the engine needs invariants and `invariants` is `None`.
fn engine(name: &str, task: &NetTask, invariants: Option<&Arc<Invariants>>, seed: u64) -> Option<Box<dyn Engine>> {
    let task = task.clone();
    let invariants = || invariants.cloned();
    let cover = |procedure| -> Option<Box<dyn Engine>> {
        Some(Box::new(nets::cover::Cover::new(task.clone(), invariants()?, procedure)))
    };
    match name {
        "ic3" => Some(Box::new(nets::Ic3::new(task.clone(), invariants()?))),
        "equation" => Some(Box::new(nets::equation::Equation::new(task.clone(), invariants()?))),
        "cover.greedy" => cover(nets::cover::Procedure::Greedy),
        "cover.astar" => cover(nets::cover::Procedure::AStar),
        "cover.backward" => cover(nets::cover::Procedure::Backward),
        "walk" => Some(Box::new(nets::walk::Walk::new(task, seed))),
        _ => Some(Box::new(nets::explore(
            task,
            search::explicit::Options { explore_all: false, ..search::explicit::Options::default() },
        ))),
    }
}
