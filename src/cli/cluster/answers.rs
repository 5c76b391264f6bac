//! The search in each worker of a process: prepares the question as `check` does, searches, and has the evidence
//! checked.
//!
//! All workers do the same, so that they take part in the same searches and checks. A violating run is confirmed as
//! always. A closed set is confirmed by all workers together, each with its share.

use cluster::tunnel::Traffic;
use cluster::{Alone, Counts, Error, Links, Logs, NetSpace, Outcome, RwbStepper, Space, Unsteppable, search};
use impasse::certify::{self, Refusal};
use impasse::model::{
    Certificate, Claim, Goal, MarkedTask, NetTask, Observed, Problem, ProgramTask, Reason, Stats, Stop, observed,
    together,
};
use impasse::{Answer, Finding, engines};
use model::Lift;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What a worker works on, apart from the problem.
pub(super) struct Job {
    pub(super) explore_all: bool,
    pub(super) checkpoint: Option<PathBuf>,
    /// Stands for the model, the question and the version.
    pub(super) run: String,
    pub(super) stop: Arc<Stop>,
}

/// A claim about a problem in which no question is encoded.
struct Plain;

impl Lift for Plain {
    fn claim(&self, claim: Claim) -> Claim {
        claim
    }
}

/// What is found so far.
struct Ledger<'a> {
    problem: &'a Problem,
    job: &'a Job,
    answers: Vec<Answer>,
    /// Number of searches begun.
    searches: usize,
    traffic: &'a Traffic,
}

/// Returns the answers to all properties.
pub(super) fn answers(
    links: &mut Links<'_>,
    problem: &Problem,
    job: &Job,
    traffic: &Traffic,
) -> Result<Vec<Answer>, Error> {
    let mut ledger = Ledger { problem, job, answers: Vec::new(), searches: 0, traffic };
    if let Some(task) = MarkedTask::of(problem).filter(|_| problem.assumptions().is_empty()) {
        ledger.net(links, &task)?;
    } else if problem.system().as_program().is_some() && problem.assumptions().is_empty() {
        ledger.program(links)?;
    }
    // Also questions that no engine can decide are properties.
    let goals: Vec<Goal> = problem.properties().iter().map(|property| property.goal).collect();
    ledger.unknown(&goals, Reason::Unsupported, None, &Stats::default());
    debug_assert_eq!(ledger.answers.len(), goals.len(), "every property has an answer");
    let position = |answer: &Answer| problem.properties().iter().position(|p| p.id == answer.property.id);
    ledger.answers.sort_by_key(position);
    Ok(ledger.answers)
}

impl Ledger<'_> {
    fn program(&mut self, links: &mut Links<'_>) -> Result<(), Error> {
        let Some(program) = self.problem.system().as_program() else { return Ok(()) };
        let is_plain = |goal: Goal| matches!(goal, Goal::Bad | Goal::Deadlock);
        if self.problem.goals().all(is_plain) && !program.has_ends() {
            let goals: Vec<Goal> = self.problem.goals().collect();
            return self.decide(links, RwbStepper::new(program), &goals, &Plain);
        }
        for goals in together(self.problem).iter().filter(|group| !group.iter().any(|goal| goal.is_temporal())) {
            let Some(lift): Option<Observed> = observed(self.problem, goals) else { continue };
            let task: ProgramTask = lift.task();
            self.decide(links, RwbStepper::new(task.program()), task.goals(), &lift)?;
        }
        Ok(())
    }

    fn net(&mut self, links: &mut Links<'_>, asked: &MarkedTask<'_>) -> Result<(), Error> {
        let prepared =
            nets::reduce::prepare(asked, &nets::reduce::Options { slice: !self.job.explore_all, bound: None });
        for claim in prepared.settled {
            self.confirm(claim, &Stats::default());
        }
        let task: Arc<NetTask> = Arc::new(prepared.task);
        if task.goals.is_empty() && !self.job.explore_all {
            return Ok(());
        }
        match NetSpace::new(Arc::clone(&task)) {
            Ok(space) => self.decide(links, space, &task.goals, &*prepared.lift),
            Err(why) => {
                let (reason, detail) = match why {
                    Unsteppable::Endless => (Reason::Unsupported, "there are infinitely many initial markings"),
                    Unsteppable::Overflow => (Reason::Overflow, "an initial marking has too many tokens"),
                };
                self.unknown(&task.goals, reason, Some(detail.to_owned()), &Stats::default());
                Ok(())
            }
        }
    }

    /// Searches for goals, and has the evidence checked.
    fn decide<S: Space>(
        &mut self,
        links: &mut Links<'_>,
        space: S,
        goals: &[Goal],
        lift: &dyn Lift,
    ) -> Result<(), Error> {
        let stop = Arc::clone(&self.job.stop);
        let run = format!("{}-{}", self.job.run, self.searches);
        let logs = match &self.job.checkpoint {
            None => None,
            Some(dir) => {
                let dir = dir.join(format!("search-{}", self.searches));
                std::fs::create_dir_all(&dir).map_err(|error| Error::Io { path: dir.clone(), error })?;
                Some(Logs::new(&dir, links.number(), run))
            }
        };
        self.searches += 1;
        let on_level = |counts: &Counts| stop.report_states(counts.states);
        let explore_all = self.job.explore_all;
        let question = cluster::Question { goals, explore_all, stop: &stop, alone: Alone::USUAL, on_level: &on_level };
        let Outcome { counts, runs, rest, share, own } = search(links, space, &question, logs)?;
        let stats = Stats { states: counts.states, transitions: counts.transitions, ..Stats::default() };
        if std::env::var_os("IMPASSE_CLUSTER_STATISTICS").is_some() {
            let sent = self.traffic.sent.load(Ordering::Relaxed);
            tell!(
                "cluster: worker {} owns {own} states of {}, {sent} bytes sent by its process in the search",
                links.number(),
                counts.states
            );
        }
        for (goal, trace) in runs {
            self.confirm(lift.claim(Claim::Unsafe { goal, trace, candidate: false }), &stats);
        }
        if rest.is_empty() {
            return Ok(());
        }
        match share {
            Err(reason) => {
                let claim = lift.claim(Claim::Unknown { goals: rest, reason });
                if let Claim::Unknown { goals, reason } = claim {
                    self.unknown(&goals, reason, None, &stats);
                }
            }
            Ok(certificate) => match lift.claim(Claim::Safe { goals: rest, certificate }) {
                Claim::Safe { goals, certificate } => self.confirm_shared(links, &goals, &certificate, &stats),
                Claim::Unknown { goals, reason } => self.unknown(&goals, reason, None, &stats),
                _ => {}
            },
        }
        Ok(())
    }

    /// Has a closed set checked, of which this worker has a share. All workers get the same result.
    fn confirm_shared(&mut self, links: &mut Links<'_>, goals: &[Goal], share: &Certificate, stats: &Stats) {
        let options = certify::Options::default();
        let stop = Arc::clone(&self.job.stop);
        match certify::confirm_shared(self.problem, goals, share, links, &options, &stop) {
            Ok(confirmed) => {
                let confirmed = Arc::new(confirmed);
                for goal in &confirmed.goals {
                    self.answer(*goal, Finding::Settled(Arc::clone(&confirmed)), None, stats, false);
                }
            }
            Err(refusal) => self.refuse(goals, refusal, stats),
        }
    }

    /// Has a claim checked that all workers have as a whole.
    fn confirm(&mut self, claim: Claim, stats: &Stats) {
        let goals = claim.goals().to_vec();
        if let Claim::Unknown { reason, .. } = claim {
            return self.unknown(&goals, reason, None, stats);
        }
        let is_run = matches!(claim, Claim::Unsafe { .. });
        match certify::confirm(self.problem, &claim, &certify::Options::default(), &self.job.stop) {
            Ok(confirmed) => {
                let (confirmed, claim) = (Arc::new(confirmed), Arc::new(claim));
                for goal in &confirmed.goals {
                    let finding = Finding::Settled(Arc::clone(&confirmed));
                    self.answer(*goal, finding, Some(Arc::clone(&claim)), stats, is_run);
                }
            }
            Err(refusal) => self.refuse(&goals, refusal, stats),
        }
    }

    fn refuse(&mut self, goals: &[Goal], refusal: Refusal, stats: &Stats) {
        match refusal {
            Refusal::Rejected(why) => {
                for goal in goals {
                    self.answer(*goal, Finding::Rejected { why: why.clone() }, None, stats, false);
                }
            }
            other => self.unknown(goals, Reason::Uncertified, Some(other.to_string()), stats),
        }
    }

    fn unknown(&mut self, goals: &[Goal], reason: Reason, detail: Option<String>, stats: &Stats) {
        for goal in goals {
            self.answer(*goal, Finding::Unknown { reason, detail: detail.clone() }, None, stats, false);
        }
    }

    /// Records an answer, unless there is one.
    fn answer(&mut self, goal: Goal, finding: Finding, claim: Option<Arc<Claim>>, stats: &Stats, shortest: bool) {
        let is_new = self.answers.iter().all(|answer| answer.property.goal != goal);
        if let Some(property) = self.problem.properties().iter().find(|p| p.goal == goal).filter(|_| is_new) {
            self.answers.push(Answer {
                property: property.clone(),
                finding,
                engine: engines::EXPLICIT.name,
                claim,
                stats: stats.clone(),
                shortest,
            });
        }
    }
}
