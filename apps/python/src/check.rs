//! Checks.

use crate::METER;
use crate::answer::CheckedAnswer;
use crate::errors::{Internal, failure};
use crate::problem::Problem;
use crate::system::{self, Watch};
use crate::work::{self, Ended};
use impasse::{Answer, Bounds, Family, Finding, Options, Row, Setting};
use model::{Goal, Pattern, Reason, Stats, Stop};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The options of a check.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct How {
    engine: Option<String>,
    /// Seconds.
    timeout: Option<f64>,
    /// Bytes.
    memory: Option<usize>,
    jobs: usize,
    bound: Option<u64>,
    seed: u64,
    shortest: bool,
    explore_all: bool,
    patterns: Option<Vec<String>>,
    trust: Vec<String>,
}

/// The engines: name, title, and the kinds of systems that it is for.
#[pyfunction]
pub(crate) fn engines() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    let row = |row: &&'static Row| (row.name, row.title, row.families().into_iter().map(word).collect());
    impasse::engines::ALL.iter().map(row).collect()
}

/// The pattern matchers: their names.
#[pyfunction]
pub(crate) fn patterns() -> Vec<&'static str> {
    impasse::patterns::ALL.iter().map(|pattern| pattern.name()).collect()
}

fn word(family: Family) -> &'static str {
    match family {
        Family::Programs => "program",
        Family::Nets => "net",
        Family::Circuits => "circuit",
        Family::Reactive => "reactive",
        Family::Own => "own",
        Family::Data => "data",
    }
}

/// The progress of a check, as the worker reports it.
#[derive(Default)]
struct Progress {
    engine: &'static str,
    /// The answers so far, for the case that the worker does not end in time.
    answers: Vec<Answer>,
}

/// Checks all questions of the problem. `progress` is called with the name of the engine, the number of its states and
/// the seconds so far.
///
/// # Errors
/// `Failure` for options that do not fit the problem; exceptions of signal handlers, of `progress`, and of a system
/// written in Python.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    problem: &Problem,
    how: How,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Vec<CheckedAnswer>, f64)> {
    let started = Instant::now();
    let (engine, patterns) = (engine(&how, problem)?, chosen(&how)?);
    let stop = match how.memory {
        Some(limit) => Arc::new(Stop::with_memory_limit(limit.saturating_add(used()), used)),
        None => Arc::default(),
    };
    if let Some(watch) = &problem.watch {
        watch.begin(&stop);
    }
    let deadline = how.timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let deadline = deadline.and_then(|duration| started.checked_add(duration));
    let shared: Arc<Mutex<Progress>> = Arc::default();
    let bound = how.bound;
    let plain = engine.is_none_or(|row| row.name == impasse::engines::EXPLICIT.name) && progress.is_none();
    let job = Job { problem: Arc::clone(&problem.problem), watch: problem.watch.clone(), how, engine, patterns };
    let search = {
        let (stop, shared) = (Arc::clone(&stop), Arc::clone(&shared));
        move || job.run(&stop, &shared)
    };
    let mut on_tick = |py: Python<'_>| -> PyResult<()> {
        problem.check_system(py)?;
        let Some(progress) = &progress else { return Ok(()) };
        let engine = shared.lock().unwrap_or_else(PoisonError::into_inner).engine;
        progress.call1(py, (engine, stop.reported_states(), started.elapsed().as_secs_f64())).map(drop)
    };
    let is_broken = || problem.watch.as_ref().is_some_and(|watch| watch.is_broken());
    let ended = match is_tiny(&problem.problem) && deadline.is_none_or(|deadline| deadline > started) && plain {
        true => work::here(py, search).map(Ended::Done),
        false => work::run(py, &stop, deadline, search, &mut on_tick, &|| {}),
    };
    problem.check_system(py)?;
    let answers = match ended {
        Ok(Ended::Done(answers)) if !is_broken() => answers,
        // An engine may even fail an assertion if a system stops to answer.
        Err(error) if !is_broken() || !error.is_instance_of::<Internal>(py) => return Err(error),
        _ => {
            let reason = stop.raised().unwrap_or(Reason::Timeout);
            late(&problem.problem, &shared.lock().unwrap_or_else(PoisonError::into_inner), reason)
        }
    };
    if let Some(watch) = &problem.watch {
        watch.check(py)?;
        watch.end();
    }
    let seconds = started.elapsed().as_secs_f64();
    let found = answers.into_iter().map(|answer| {
        CheckedAnswer::new(Arc::clone(&problem.problem), problem.watch.clone(), &problem.name, answer, bound)
    });
    Ok((found.collect(), seconds))
}

/// Returns true if plain search settles the problem at once, so that it can run on the calling thread.
fn is_tiny(problem: &model::Problem) -> bool {
    let is_plain = |goal| matches!(goal, Goal::Bad | Goal::Deadlock);
    problem.system().as_program().is_some_and(|program| impasse::is_tiny(program)) && problem.goals().all(is_plain)
}

/// Bytes that this module and the states of systems in Python use.
fn used() -> usize {
    METER.used().saturating_add(system::used())
}

/// Returns the engine that the user named, if it fits the problem and the other options.
fn engine(how: &How, problem: &Problem) -> PyResult<Option<&'static Row>> {
    let rows = impasse::engines::ALL;
    let family = problem.problem.system().family();
    let fits = |row: &&&Row| row.knows(family);
    let list = |rows: Vec<&str>| rows.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let row = match how.engine.as_deref() {
        None | Some("auto") => None,
        Some(name) => {
            let known = || list(rows.iter().filter(fits).map(|row| row.name).collect());
            let row = rows.iter().find(|row| row.name == name);
            let row =
                row.ok_or_else(|| failure(format!("no engine `{name}`; engines here are `auto`, {}", known())))?;
            if !row.knows(family) {
                let one = family.one();
                return Err(failure(format!(
                    "the engine `{name}` is not for {one}; engines here are `auto`, {}",
                    known()
                )));
            }
            Some(*row)
        }
    };
    let name = row.map_or("auto", |row| row.name);
    let wanted = [
        (how.explore_all, true, "explore_all", Setting::ExploreAll),
        (how.bound.is_some(), true, "bound", Setting::Bound),
        (how.jobs > 1, true, "jobs", Setting::Jobs),
    ];
    let refused = wanted
        .into_iter()
        .find(|(is_given, auto, _, setting)| *is_given && !row.map_or(*auto, |row| row.takes(*setting)));
    if let Some((_, _, option, setting)) = refused {
        let known = list(rows.iter().filter(|row| row.takes(setting)).map(|row| row.name).collect());
        return Err(failure(format!("the engine `{name}` does not support `{option}`; these do: {known}")));
    }
    if how.bound.is_some() && family != Family::Nets {
        return Err(failure(format!("`bound` is for systems with counters, and this is {}", family.one())));
    }
    let has_jobs = || rows.iter().any(|row| row.takes(Setting::Jobs) && row.knows(family));
    if how.jobs > 1 && !has_jobs() {
        return Err(failure(format!("no engine for {} uses more than one job", family.plural())));
    }
    if family != Family::Programs && (how.patterns.is_some() || !how.trust.is_empty()) && family != Family::Data {
        return Err(failure("`patterns` and `trust` are about threads of behavioral programs"));
    }
    Ok(row)
}

/// Returns the pattern matchers that the user named.
fn chosen(how: &How) -> PyResult<Vec<&'static dyn Pattern>> {
    let known = || impasse::patterns::ALL.iter().map(|p| p.name()).collect::<Vec<_>>().join(", ");
    let by_name = |name: &String| {
        let pattern = impasse::patterns::by_name(name);
        pattern.ok_or_else(|| failure(format!("no pattern `{name}`; the patterns are {}", known())))
    };
    how.trust.iter().filter(|name| *name != "z3").try_for_each(|name| by_name(name).map(drop))?;
    match &how.patterns {
        None => Ok(impasse::patterns::ALL.to_vec()),
        Some(names) => names.iter().map(by_name).collect(),
    }
}

/// A check on its way to a worker.
struct Job {
    problem: Arc<model::Problem>,
    watch: Option<Arc<Watch>>,
    how: How,
    engine: Option<&'static Row>,
    patterns: Vec<&'static dyn Pattern>,
}

impl Job {
    fn run(self, stop: &Arc<Stop>, shared: &Mutex<Progress>) -> Vec<Answer> {
        let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
        let on_turn = |engine| lock().engine = engine;
        // An answer that was found after a call of Python failed is worthless.
        let is_broken = || self.watch.as_ref().is_some_and(|watch| watch.is_broken());
        let on_answers = |answers: &[Answer]| {
            if !is_broken() {
                lock().answers.extend_from_slice(answers);
            }
        };
        let options = Options {
            engine: self.engine,
            patterns: &self.patterns,
            bound: self.how.bound,
            seed: self.how.seed,
            jobs: self.how.jobs,
            explore_all: self.how.explore_all,
            shortest: self.how.shortest,
            trust: self.how.trust.clone(),
            stop: Arc::clone(stop),
            on_turn: &on_turn,
            on_answers: &on_answers,
            ..Options::default()
        };
        Bounds::default().check(&self.problem, &options).answers
    }
}

/// Returns the answers of a check that was stopped for a reason before it ended.
fn late(problem: &model::Problem, progress: &Progress, reason: Reason) -> Vec<Answer> {
    let answer = |property: &model::Property| {
        let known = progress.answers.iter().rev().find(|answer| answer.property.goal == property.goal);
        known.cloned().unwrap_or_else(|| Answer {
            property: property.clone(),
            finding: Finding::Unknown { reason, detail: None },
            engine: if progress.engine.is_empty() { "none" } else { progress.engine },
            claim: None,
            stats: Stats::default(),
            shortest: false,
        })
    };
    problem.properties().iter().map(answer).collect()
}
