//! `impasse-bench auto`: what the turns of the other engines cost. Each case is run with all engines in turns
//! (`auto`), then with each single engine that knows its kind of system.
//!
//! The best single engine is the one that settles, in the least CPU time, all the properties that any run settled.
//! Where no engine settles all of them, engines divide the work: each property counts for the engine that settles it
//! first, and the best is the sum, over these engines, of the times at which they are done with theirs. What no single
//! engine settles within the limit does not count. For the rest `auto` is to take at most [`TIMES`] times the best,
//! and [`MORE`] seconds.
//!
//! An engine that takes longer than `auto`, or than the best so far, is no better: that is its limit. A case that
//! `auto` is done with in [`SOON`] seconds is within the bound whatever the best is, and no engine is run.

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

/// `auto` may take this often what the best single engine takes.
const TIMES: f64 = 4.0;

/// And these seconds.
const MORE: f64 = 0.1;

/// Seconds within which nothing is compared: [`MORE`], and [`TIMES`] a process that does nothing.
const SOON: f64 = 0.12;

/// The limit on the wall clock is the last resort: on a busy machine so much longer than that on CPU time.
const PATIENCE: u32 = 30;

/// A case with what came of it.
struct Measured {
    suite: &'static str,
    name: String,
    auto: Run,
    /// `None` if `auto` was so soon that no other engine was asked.
    best: Option<Best>,
    /// What is wrong, if an answer is.
    wrong: Option<String>,
}

impl Measured {
    /// CPU time of `auto` over that of the best. `None` where there is nothing to compare: `auto` was soon, or no
    /// engine settled anything.
    fn ratio(&self) -> Option<f64> {
        let best = self.best.as_ref()?;
        best.seconds.map(|seconds| best.auto / seconds.max(0.001))
    }

    /// Is `auto` within the bound? Where it does not settle what another engine does, it is not, whatever its time is.
    fn is_within(&self) -> bool {
        match &self.best {
            None => true,
            Some(best) => best.missed == 0 && best.seconds.is_none_or(|b| best.auto <= TIMES * b + MORE),
        }
    }
}

/// Runs what is asked for. False if something is wrong, or not within the bound.
///
/// # Errors
/// It could not run.
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

/// `auto`, then the engines alone.
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

/// What answered in `auto` is likely to be good alone, and a good time is a limit for the others.
fn first_those_that_answered(engines: &[&'static str], auto: &Run) -> Vec<&'static str> {
    let mut order = engines.to_vec();
    order.sort_by_key(|engine| !auto.settled.values().any(|settled| settled.engine == **engine));
    order
}

/// One run, and what is wrong with it.
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

/// An answer that is not what is known, or not checked.
fn contradiction(case: &Case, report: &Report) -> Option<String> {
    report.properties.iter().find_map(|property| {
        let known = (case.known)(&property.id).filter(|known| *known != property.verdict);
        let wrong = known.filter(|_| property.verdict != Verdict::Unknown);
        let said = wrong.map(|known| format!("{} is {:?}, expected {known:?}", property.id, property.verdict));
        said.or_else(|| judge::evidence_wrong(property))
    })
}

/// One line per case on stderr: a long run should show that it moves.
fn show_progress(done: usize, of: usize, measured: &Measured) {
    let auto = units::seconds(measured.auto.cpu);
    let best = measured.best.as_ref().map_or_else(String::new, |best| format!(", {}", best.cell()));
    let within = if measured.is_within() { "" } else { " NOT WITHIN" };
    let wrong = measured.wrong.as_ref().map_or_else(String::new, |why| format!(" WRONG: {why}"));
    let (suite, name) = (measured.suite, &measured.name);
    // Nothing depends on this line.
    let _ = writeln!(io::stderr(), "[{done}/{of}] {suite} {name}: auto {auto}{best}{within}{wrong}");
}
