//! `impasse-bench auto`: the cost of taking turns. In `auto`, all engines take turns, and only some turns
//! contribute to the answer. Each case is run with `auto`, then with each single engine that supports its kind
//! of system.
//!
//! The best single engine is the one that settles, in the least CPU time, all properties that any single engine
//! settled. If no engine settles all of them, engines divide the work. Each property then counts for the engine
//! that settles it first, and the best time is the sum, over these engines, of the times at which they have
//! settled their properties. Properties that no single engine settles within the limit do not count. For the
//! other properties, `auto` may take at most [`TIMES`] times the best time plus [`MORE`] seconds.
//!
//! An engine that takes longer than `auto`, or than the best engine so far, cannot be the best. So this time is
//! the limit of the engine's run. A case that `auto` completes in [`SOON`] seconds is within the bound for any
//! best time, and no other engine is run.

mod best;
mod cases;
mod report;

use crate::answer::Report;
use crate::args::AutoArgs;
use crate::corpus::Verdict;
use crate::judge::{self, Status};
use crate::measure::Bench;
use crate::process::{self, Limits};
use crate::{tool, units};
use best::{Best, Run};
use cases::Case;
use std::io::{self, Write};
use std::time::Duration;

/// The factor by which `auto` may exceed the time of the best single engine.
const TIMES: f64 = 4.0;

/// Seconds by which `auto` may exceed this factor.
const MORE: f64 = 0.1;

/// Seconds of `auto` up to which a case is not compared: [`MORE`], plus [`TIMES`] times the time of a process
/// that does nothing.
const SOON: f64 = 0.12;

/// Ratio of the wall-clock limit to the CPU limit. The wall-clock limit is a last resort, because runs take
/// long on a busy machine.
const PATIENCE: u32 = 30;

/// A case and its results.
struct Measured {
    suite: &'static str,
    name: String,
    auto: Run,
    /// `None` if `auto` took at most [`SOON`], so that no other engine was run.
    best: Option<Best>,
    /// A description of a wrong answer, if there is one.
    wrong: Option<String>,
}

impl Measured {
    /// Returns the CPU time of `auto` divided by that of the best single engine. `None` if there is nothing to
    /// compare: `auto` took at most [`SOON`], or no engine settled anything.
    fn ratio(&self) -> Option<f64> {
        let best = self.best.as_ref()?;
        best.seconds.map(|seconds| best.auto / seconds.max(0.001))
    }

    /// True if `auto` is within the bound. If `auto` does not settle a property that another engine settles, it
    /// is outside the bound, whatever its time is.
    fn is_within(&self) -> bool {
        match &self.best {
            None => true,
            Some(best) => best.missed == 0 && best.seconds.is_none_or(|b| best.auto <= TIMES * b + MORE),
        }
    }
}

/// Runs the selected cases. Returns false if an answer is wrong or a case is not within the bound.
///
/// # Errors
///
/// If the benchmark could not run.
pub(crate) fn run(args: &AutoArgs) -> io::Result<bool> {
    if let Some(folder) = &args.write {
        return cases::write(folder, args.largest).map(|()| true);
    }
    let impasse = tool::find(args.impasse.as_deref())?;
    let bench = Bench { impasse, timeout: args.limit * PATIENCE, memory: args.memory, repeat: 1 };
    let folder = tempfile::tempdir()?;
    let cases = cases::chosen(args, folder.path())?;
    let mut all: Vec<Measured> = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        let measured = measure(&bench, case, args.limit)?;
        show_progress(i + 1, cases.len(), &measured);
        all.push(measured);
    }
    report::publish(args, &mut all)?;
    Ok(all.iter().all(|m| m.wrong.is_none() && m.is_within()))
}

/// Runs `auto`, then the engines alone.
fn measure(bench: &Bench, case: &Case, limit: Duration) -> io::Result<Measured> {
    let mut wrong = None;
    let mut once = |engine: &'static str, limit: Duration| -> io::Result<Run> {
        let (run, own) = once(bench, case, engine, limit)?;
        wrong = wrong.take().or(own);
        Ok(run)
    };
    let auto = once("auto", limit)?;
    let mut best = None;
    if auto.cpu > SOON {
        let mut runs = vec![auto.clone()];
        for engine in first_those_that_answered(&case.engines, &auto) {
            let most = best::limit(&runs);
            runs.push(once(engine, limit.min(Duration::from_secs_f64(most)))?);
        }
        best = best::of(&runs);
    }
    Ok(Measured { suite: case.suite, name: case.name.clone(), auto, best, wrong })
}

/// Orders the engines so that the engines that answered in `auto` come first. These engines are likely to be
/// fast alone, and a short time limits the other runs.
fn first_those_that_answered(engines: &[&'static str], auto: &Run) -> Vec<&'static str> {
    let mut order = engines.to_vec();
    order.sort_by_key(|engine| !auto.settled.values().any(|settled| settled.engine == **engine));
    order
}

/// Runs one engine on one case. Also returns a description of a wrong answer, if there is one.
fn once(bench: &Bench, case: &Case, engine: &'static str, limit: Duration) -> io::Result<(Run, Option<String>)> {
    let mut command = bench.command(&case.model);
    command.args(&case.args).args(["--engine", engine]);
    let limits = Limits { wall: limit * PATIENCE + Duration::from_secs(5), ..bench.limits() };
    let finished = process::run_for(&mut command, limits, limit)?;
    let (report, mut wrong) = match judge::read(&finished) {
        Ok(report) => (Some(report), None),
        Err(Status::Crash(why)) => (None, Some(format!("{engine}: {why}"))),
        Err(_) => (None, None),
    };
    if let Some(report) = &report {
        wrong = wrong.or_else(|| contradiction(case, report).map(|why| format!("{engine}: {why}")));
    }
    Ok((Run::new(engine, &finished, report.as_ref()), wrong))
}

/// Describes an answer that contradicts the known verdict or has unchecked evidence.
fn contradiction(case: &Case, report: &Report) -> Option<String> {
    report.properties.iter().find_map(|property| {
        let known = (case.known)(&property.id).filter(|known| *known != property.verdict);
        let wrong = known.filter(|_| property.verdict != Verdict::Unknown);
        let said = wrong.map(|known| format!("{} is {:?}, expected {known:?}", property.id, property.verdict));
        said.or_else(|| judge::evidence_wrong(property))
    })
}

/// Prints one line per case on stderr, so that a long run shows progress.
fn show_progress(done: usize, of: usize, measured: &Measured) {
    let auto = units::seconds(measured.auto.cpu);
    let best = measured.best.as_ref().map_or_else(String::new, |best| format!(", {}", best.cell()));
    let within = if measured.is_within() { "" } else { " NOT WITHIN" };
    let wrong = measured.wrong.as_ref().map_or_else(String::new, |why| format!(" WRONG: {why}"));
    let (suite, name) = (measured.suite, &measured.name);
    // Failure to write the progress line is ignored.
    let _ = writeln!(io::stderr(), "[{done}/{of}] {suite} {name}: auto {auto}{best}{within}{wrong}");
}
